//! Conditions of label maps (`ch == 97 && state != 0`) as CWI expressions, so that the machine
//! has one way to split on a condition.

use super::lex::{Cursor, Result, Token};
use super::names::Names;
use cwolf_base::{Diagnostic, Span};
use cwolf_cwi::{BinOp, Expr, Place, Program, Step, Type, Types, UnOp, VarId, value};

/// How deep parentheses and `!` may nest.
const MAX_DEPTH: usize = 256;

/// Reads names and conditions against a program.
pub(super) struct Conditions<'p> {
    pub program: &'p Program,
}

impl<'p> Conditions<'p> {
    pub fn names(&self) -> Names<'p> {
        Names {
            program: self.program,
        }
    }
    /// `x`, `f:x`, `"file":x`, `"file":f:x`, `"file":line:x`, each with `.field`s: all places it
    /// may mean.
    pub fn places(&self, cursor: &mut Cursor<'_>) -> Result<(Vec<Place>, Span)> {
        let start = cursor.span;
        let names = self.names();
        let mut files = None;
        let mut line = None;
        if matches!(cursor.token, Token::Text(_)) {
            let (file, span) = cursor.text("a file")?;
            files = Some(names.files(&file, span)?);
            cursor.expect(":")?;
            if matches!(cursor.token, Token::Number(_)) {
                line = Some(cursor.signed()?.0);
                cursor.expect(":")?;
            }
        }
        let (mut name, mut span) = cursor.name("the name of a variable")?;
        let mut func = None;
        if cursor.eat(":")? {
            let funcs = names.functions(&name, files.as_deref(), span)?;
            func = Some(funcs[0]);
            (name, span) = cursor.name("the name of a variable")?;
        }
        let found = names.variables(&name, func, files.as_deref(), span);
        let mut vars = match found {
            Ok(vars) => vars,
            Err(error) => {
                let locals = match func {
                    None => names.locals_anywhere(&name),
                    Some(_) => Vec::new(),
                };
                if locals.is_empty() {
                    return Err(error);
                }
                locals
            }
        };
        if let Some(line) = line {
            let at = |v: &VarId| self.program.locations[self.program.vars[*v].loc].line;
            vars.retain(|v| i128::from(at(v)) == line);
            if vars.is_empty() {
                let message = format!("no variable `{name}` is declared at line {line}");
                return Err(Diagnostic::error(span, message).into());
            }
        }
        let mut places: Vec<Place> = vars
            .into_iter()
            .map(|v| Place::var(self.program.vars[v].ty, v))
            .collect();
        while cursor.eat(".")? {
            let (field, span) = cursor.name("the name of a field")?;
            for place in &mut places {
                for n in names.field(place.ty, &field, span)? {
                    let record = self.program.types.as_record(place.ty).expect("has fields");
                    place.ty = self.program.types.records[record].fields[n as usize].ty;
                    place.path.push(Step::Field(n));
                }
            }
        }
        Ok((places, start.to(cursor.last)))
    }
    /// The only place that a name means.
    pub fn place(&self, cursor: &mut Cursor<'_>) -> Result<Place> {
        let (mut places, span) = self.places(cursor)?;
        let place = places.swap_remove(0);
        if !places.is_empty() {
            let error = Diagnostic::error(span, "several variables have this name");
            let hint = "say which one: `function:x`, or `\"file\":line:x`";
            return Err(error.hint(hint).into());
        }
        if !self.program.types.is_scalar(place.ty) {
            let message = format!(
                "a condition is about numbers, this is of type {}",
                self.program.types.name(place.ty)
            );
            return Err(Diagnostic::error(span, message).into());
        }
        Ok(place)
    }
    /// A condition, and the places that it reads.
    pub fn condition(&self, cursor: &mut Cursor<'_>) -> Result<Expr> {
        self.either(cursor, 0)
    }
    fn either(&self, cursor: &mut Cursor<'_>, depth: usize) -> Result<Expr> {
        let mut left = self.both(cursor, depth)?;
        let mut width = 0;
        while cursor.eat("||")? {
            width += 1;
            left = Expr::binary(BinOp::Or, left, self.both(cursor, depth + width)?);
        }
        Ok(left)
    }
    fn both(&self, cursor: &mut Cursor<'_>, depth: usize) -> Result<Expr> {
        let mut left = self.simple(cursor, depth)?;
        let mut width = 0;
        while cursor.eat("&&")? {
            width += 1;
            left = Expr::binary(BinOp::And, left, self.simple(cursor, depth + width)?);
        }
        Ok(left)
    }
    fn simple(&self, cursor: &mut Cursor<'_>, depth: usize) -> Result<Expr> {
        if depth > MAX_DEPTH {
            let message = "this condition nests too deep";
            let hint = "several rules may have the same label";
            return Err(Diagnostic::error(cursor.span, message).hint(hint).into());
        }
        if cursor.eat("!")? {
            let inner = self.simple(cursor, depth + 1)?;
            return Ok(Expr::unary(UnOp::Not, inner));
        }
        if cursor.eat("(")? {
            let inner = self.either(cursor, depth + 1)?;
            cursor.expect(")")?;
            return Ok(inner);
        }
        let place = self.place(cursor)?;
        match relation(cursor)? {
            None => Ok(Expr::load(place)),
            Some(op) => {
                let (n, span) = cursor.signed()?;
                self.compare(place, op, n, span)
            }
        }
    }
    /// `place op n`; a number that the place cannot hold makes the answer constant.
    fn compare(&self, place: Place, op: BinOp, n: i128, span: Span) -> Result<Expr> {
        let types = &self.program.types;
        let Some(ty) = value::int_type(types, place.ty) else {
            let message = "floating numbers cannot be compared in a label map";
            return Err(Diagnostic::error(span, message).into());
        };
        if matches!(types[place.ty], Type::Pointer(_)) && n != 0 {
            let message = "a pointer can only be compared with 0";
            return Err(Diagnostic::error(span, message).into());
        }
        let (lo, hi) = (value::min(ty), value::max(ty));
        if (lo..=hi).contains(&n) {
            let number = Expr::int(place.ty, n);
            return Ok(Expr::binary(op, Expr::load(place), number));
        }
        let above = n > hi;
        let holds = match op {
            BinOp::Eq => false,
            BinOp::Ne => true,
            BinOp::Lt | BinOp::Le => above,
            _ => !above,
        };
        Ok(Expr::int(Types::INT, holds.into()))
    }
}

/// A comparison, if one is next.
pub(super) fn relation(cursor: &mut Cursor<'_>) -> Result<Option<BinOp>> {
    let table = [
        ("==", BinOp::Eq),
        ("!=", BinOp::Ne),
        ("<=", BinOp::Le),
        ("<", BinOp::Lt),
        (">=", BinOp::Ge),
        (">", BinOp::Gt),
    ];
    for (symbol, op) in table {
        if cursor.eat(symbol)? {
            return Ok(Some(op));
        }
    }
    Ok(None)
}
