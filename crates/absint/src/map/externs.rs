//! `extern int reqci(...) returns {2,3,4} writes *3;`: what a function without a body does, said
//! by the user. A C declaration may stand in the line; it must not contradict the program's.

use super::expression::Reader;
use super::lex::{Cursor, Result, Token};
use cwolf_base::{Diagnostic, Span};
use cwolf_cwi::{FuncId, FuncTy, Type, Types, VarId, value};

/// What a function without a body may do, as the map says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outside {
    /// What it returns; anything if the map does not say.
    pub returns: Option<Results>,
    /// What it writes; if the map does not say, what such functions write.
    pub writes: Option<Writes>,
    /// What it may call; if the map does not say, whatever it was given.
    pub calls: Option<Vec<Called>>,
}

/// What a function returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Results {
    /// Any value.
    Any,
    /// One of these numbers: first and last of each range.
    Numbers(Vec<(i128, i128)>),
    /// A null pointer.
    Null,
    /// A pointer that is not null.
    NotNull,
}

/// What a function writes, and nothing else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Writes {
    /// Everything that these arguments, from 1, point to.
    pub arguments: Vec<u32>,
    /// These variables.
    pub variables: Vec<VarId>,
}

/// Whom a function may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// The function that this argument, from 1, points to.
    Argument(u32),
    /// This function.
    Function(FuncId),
}

fn wrong<T>(span: Span, message: impl Into<String>) -> Result<T> {
    Err(Diagnostic::error(span, message.into()).into())
}

/// The function, where it stands, and what it does; or no function and why there is none.
type Line = (Option<FuncId>, Span, Result<Outside>);

/// The rest of a line, after `extern`.
pub(super) fn line(cursor: &mut Cursor<'_>, reader: &Reader<'_>) -> Result<Line> {
    cursor.wildcards(false)?;
    let Declared {
        name,
        span,
        void,
        params,
    } = declarator(cursor)?;
    let func = reader.names().functions(&name, None, span);
    let func = func.map(|f| f[0]);
    let mut line = Parser {
        reader,
        ty: match &func {
            Ok(f) => match &reader.program.types[reader.program.funcs[*f].ty] {
                Type::Func(ty) => Some(ty.clone()),
                _ => None,
            },
            Err(_) => None,
        },
        name: name.clone(),
        errors: Vec::new(),
    };
    line.declared(span, void, params);
    let found = line.clauses(cursor)?;
    cursor.expect(";")?;
    cursor.wildcards(true)?;
    let func = match func {
        Ok(func) => func,
        Err(error) => return Ok((None, span, Err(error))),
    };
    if reader.program.funcs[func].body.is_some() {
        line.errors.insert(
            0,
            Diagnostic::error(span, format!("`{name}` has a body: the model follows it"))
                .hint("such a line is for functions that the program only declares"),
        );
    }
    Ok((
        Some(func),
        span,
        match line.errors.is_empty() {
            true => Ok(found),
            false => Err(line.errors.swap_remove(0).into()),
        },
    ))
}

/// What a C declaration says of a function.
struct Declared {
    name: String,
    span: Span,
    /// Whether it returns nothing.
    void: bool,
    /// How many parameters it has, if it says so.
    params: Option<usize>,
}

/// A C declaration, or a name alone: the last one before the parameters.
fn declarator(cursor: &mut Cursor<'_>) -> Result<Declared> {
    let is_clause = |c: &Cursor<'_>| ["returns", "writes", "calls"].iter().any(|w| c.at_name(w));
    let mut found: Option<(String, Span)> = None;
    // Whether the name before is `void`, and that is not pointed to.
    let (mut void, mut after_void) = (false, false);
    while !cursor.at("(") && !is_clause(cursor) && !cursor.at(";") {
        if cursor.eat("*")? {
            after_void = false;
        } else {
            let name = cursor.name("the name of a function")?;
            void = after_void;
            after_void = name.0 == "void";
            found = Some(name);
        }
    }
    let Some((name, span)) = found else {
        return Err(cursor.unexpected("the name of a function"));
    };
    Ok(Declared {
        name,
        span,
        void,
        params: parameters(cursor)?,
    })
}

/// How many parameters stand in parentheses; none if nothing or `...` does.
fn parameters(cursor: &mut Cursor<'_>) -> Result<Option<usize>> {
    if !cursor.eat("(")? {
        return Ok(None);
    }
    let (mut depth, mut tokens, mut commas) = (1, 0, 0);
    let (mut open, mut only_void) = (false, false);
    loop {
        if cursor.token == Token::End {
            return Err(cursor.unexpected("`)`"));
        }
        depth += i32::from(cursor.at("(")) - i32::from(cursor.at(")"));
        if depth == 0 {
            break;
        }
        open |= cursor.at("...") || cursor.at("..") || cursor.at(".");
        commas += usize::from(depth == 1 && cursor.at(","));
        only_void = tokens == 0 && cursor.at_name("void");
        tokens += 1;
        cursor.bump()?;
    }
    cursor.bump()?;
    Ok(match tokens {
        _ if open => None,
        0 => None,
        1 if only_void => Some(0),
        _ => Some(commas + 1),
    })
}

struct Parser<'r, 'p> {
    reader: &'r Reader<'p>,
    /// None if the function is not known.
    ty: Option<FuncTy>,
    name: String,
    errors: Vec<Diagnostic>,
}

impl Parser<'_, '_> {
    /// A declaration in the line must fit the program's.
    fn declared(&mut self, span: Span, void: bool, params: Option<usize>) {
        let Some(ty) = &self.ty else { return };
        let (name, count) = (&self.name, ty.params.len());
        let what = match params {
            _ if void && ty.ret != Types::VOID => "returns a value".to_owned(),
            Some(n) if n != count && !ty.variadic && count > 0 => {
                format!("has {count} parameter{}", if count == 1 { "" } else { "s" })
            }
            _ => return,
        };
        let error = Diagnostic::error(span, format!("in the program `{name}` {what}"));
        self.errors
            .push(error.hint("the name alone is enough: `extern NAME …`"));
    }
    fn clauses(&mut self, cursor: &mut Cursor<'_>) -> Result<Outside> {
        let mut found = Outside::default();
        let mut any = false;
        while !cursor.at(";") {
            any = true;
            let at = cursor.span;
            let again = |said: bool| match said {
                true => wrong(at, "this line says that already"),
                false => Ok(()),
            };
            if cursor.eat_name("returns")? {
                again(found.returns.is_some())?;
                found.returns = Some(self.returns(cursor)?);
            } else if cursor.eat_name("writes")? {
                again(found.writes.is_some())?;
                found.writes = Some(self.writes(cursor)?);
            } else if cursor.eat_name("calls")? {
                again(found.calls.is_some())?;
                found.calls = Some(self.calls(cursor)?);
            } else {
                return Err(cursor.unexpected("`returns`, `writes`, `calls` or `;`"));
            }
        }
        match any {
            true => Ok(found),
            false => Err(cursor.unexpected("`returns`, `writes` or `calls`")),
        }
    }
    /// An error about the meaning: the line is read to its end.
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(span, message.into()));
    }
    /// `any`, `null`, `not null`, `3`, `0..9`, `{2,3,8..9}`.
    fn returns(&mut self, cursor: &mut Cursor<'_>) -> Result<Results> {
        let start = cursor.span;
        let types = &self.reader.program.types;
        let ret = self.ty.as_ref().map(|ty| ty.ret);
        let is_pointer = ret.is_some_and(|ty| matches!(types[ty], Type::Pointer(_)));
        let found = if cursor.eat_name("any")? {
            Results::Any
        } else if cursor.eat_name("null")? {
            Results::Null
        } else if cursor.at_name("not") {
            cursor.bump()?;
            if !cursor.eat_name("null")? {
                return Err(cursor.unexpected("`null`"));
            }
            Results::NotNull
        } else if cursor.eat("{")? {
            let mut list = vec![self.range(cursor)?];
            while cursor.eat(",")? {
                list.push(self.range(cursor)?);
            }
            cursor.expect("}")?;
            Results::Numbers(list)
        } else {
            Results::Numbers(vec![self.range(cursor)?])
        };
        let span = start.to(cursor.last);
        if let Some(ret) = ret {
            let int = value::int_type(types, ret).filter(|_| !is_pointer);
            let name = self.name.clone();
            match (&found, int) {
                _ if ret == Types::VOID => self.error(span, format!("`{name}` returns nothing")),
                (Results::Null | Results::NotNull, _) if !is_pointer => {
                    self.error(span, format!("`{name}` does not return a pointer"));
                }
                (Results::Numbers(_), None) => {
                    self.error(span, format!("`{name}` does not return an integer"));
                }
                (Results::Numbers(list), Some(int)) => {
                    let (lo, hi) = (value::min(int), value::max(int));
                    if list.iter().any(|(a, b)| *a < lo || *b > hi) {
                        let ty = types.name(ret);
                        self.error(span, format!("`{name}` returns {ty}: from {lo} to {hi}"));
                    }
                }
                _ => {}
            }
        }
        Ok(found)
    }
    fn range(&mut self, cursor: &mut Cursor<'_>) -> Result<(i128, i128)> {
        let start = cursor.span;
        let lo = self.reader.constant(cursor)?;
        let hi = match cursor.eat("..")? {
            true => self.reader.constant(cursor)?,
            false => lo,
        };
        match lo <= hi {
            true => Ok((lo, hi)),
            false => wrong(start.to(cursor.last), "this range is empty"),
        }
    }
    /// `nothing`, or `*3, x, y`.
    fn writes(&mut self, cursor: &mut Cursor<'_>) -> Result<Writes> {
        let mut found = Writes::default();
        if cursor.eat_name("nothing")? {
            return Ok(found);
        }
        loop {
            if cursor.eat("*")? {
                let n = self.argument(cursor, "points to something", |_| true)?;
                found.arguments.extend(n);
            } else {
                let (name, span) = cursor.name("`*1`, the name of a variable, or `nothing`")?;
                match self.reader.names().variables(&name, None, None, span) {
                    Ok(vars) => found.variables.extend(vars),
                    Err(error) => self.errors.push(*error),
                }
            }
            if !cursor.eat(",")? {
                return Ok(found);
            }
        }
    }
    /// `nothing`, or `1, f`.
    fn calls(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<Called>> {
        let mut found = Vec::new();
        if cursor.eat_name("nothing")? {
            return Ok(found);
        }
        loop {
            if matches!(cursor.token, Token::Number(_)) {
                let is_code = |ty: &Type| matches!(ty, Type::Func(_) | Type::Void);
                let n = self.argument(cursor, "points to a function", is_code)?;
                found.extend(n.map(Called::Argument));
            } else {
                let (name, span) = cursor.name("a number, the name of a function, or `nothing`")?;
                match self.reader.names().functions(&name, None, span) {
                    Ok(funcs) => found.extend(funcs.into_iter().map(Called::Function)),
                    Err(error) => self.errors.push(*error),
                }
            }
            if !cursor.eat(",")? {
                return Ok(found);
            }
        }
    }
    /// The number of an argument, which must be a pointer to something that fits.
    fn argument(
        &mut self,
        cursor: &mut Cursor<'_>,
        what: &str,
        fits: impl Fn(&Type) -> bool,
    ) -> Result<Option<u32>> {
        let (n, span) = cursor.signed()?;
        let Some(ty) = &self.ty else { return Ok(None) };
        let types = &self.reader.program.types;
        let name = self.name.clone();
        let index = usize::try_from(n).ok().and_then(|n| n.checked_sub(1));
        let param = index.and_then(|n| ty.params.get(n));
        match param {
            Some(param) if types.pointee(*param).is_some_and(|to| fits(&types[to])) => {}
            Some(_) => self.error(span, format!("argument {n} of `{name}` never {what}")),
            None if ty.variadic && n > 0 => {}
            None => {
                let count = ty.params.len();
                let error = match count {
                    0 => Diagnostic::error(span, format!("`{name}` has no parameters")),
                    _ => Diagnostic::error(span, format!("`{name}` has {count} parameters"))
                        .hint("they are numbered from 1"),
                };
                self.errors.push(error);
            }
        }
        Ok(u32::try_from(n).ok())
    }
}
