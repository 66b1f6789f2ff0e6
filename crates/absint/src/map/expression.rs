//! Expressions of label maps (`conn->state == OPEN && x + 1 < y`) as CWI, so that the machine
//! evaluates them and splits by them as it does with those of the program.
//!
//! Numbers are compared as numbers: one that a variable cannot hold makes the answer constant.
//! Arithmetic is done with 64 bits, unsigned if an operand is of an unsigned type of that size.

use super::constants::{Vocabulary, constant};
use super::lex::{Cursor, Result, Token};
use super::names::Names;
use cwolf_base::{Diagnostic, Span};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BinOp, Expr, ExprKind, FuncId, IntTy, Program, Type, TypeId, Types, UnOp, value};

/// How deep parentheses and operators may nest.
const MAX_DEPTH: usize = 100;

/// What `$1` and `$return` mean.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// The event has neither.
    Other,
    /// A call of one of these functions.
    Call(Vec<FuncId>),
    /// The return from one of these functions.
    Return(Vec<FuncId>),
}

/// Reads names and expressions against a program.
pub(super) struct Reader<'p> {
    pub program: &'p Program,
    pub vocabulary: &'p dyn Vocabulary,
    pub subject: Subject,
    /// The same program with what is known of its pointers, for rules.
    pub analysed: Option<&'p Analysed>,
}

/// A number, or what has a value only when the program runs.
#[derive(Clone, Debug)]
enum Term {
    Number(i128),
    Value(Expr),
}

type Operand = (Term, Span);

/// Operators by how tightly they bind, the loosest first.
const OPERATORS: [&[(&str, BinOp)]; 10] = [
    &[("||", BinOp::Or)],
    &[("&&", BinOp::And)],
    &[("|", BinOp::BitOr)],
    &[("^", BinOp::BitXor)],
    &[("&", BinOp::BitAnd)],
    &[("==", BinOp::Eq), ("!=", BinOp::Ne)],
    &[
        ("<=", BinOp::Le),
        ("<", BinOp::Lt),
        (">=", BinOp::Ge),
        (">", BinOp::Gt),
    ],
    &[("<<", BinOp::Shl), (">>", BinOp::Shr)],
    &[("+", BinOp::Add), ("-", BinOp::Sub)],
    &[("*", BinOp::Mul), ("/", BinOp::Div), ("%", BinOp::Rem)],
];

/// Where sums start among the operators.
const SUMS: usize = 8;

fn wrong<T>(span: Span, message: impl Into<String>) -> Result<T> {
    Err(Diagnostic::error(span, message.into()).into())
}

impl<'p> Reader<'p> {
    pub fn names(&self) -> Names<'p> {
        Names {
            program: self.program,
        }
    }
    pub(super) fn types(&self) -> &'p Types {
        &self.program.types
    }
    /// A condition: a number that is not zero, or a comparison.
    pub fn condition(&self, cursor: &mut Cursor<'_>) -> Result<Expr> {
        let operand = self.binary(cursor, 0, 0)?;
        self.truth(operand)
    }
    /// A scalar value.
    pub fn value(&self, cursor: &mut Cursor<'_>) -> Result<Expr> {
        let (term, span) = self.binary(cursor, 0, 0)?;
        match term {
            Term::Value(e) => self.scalar(e, span),
            Term::Number(n) => match i32::try_from(n) {
                Ok(_) => Ok(Expr::int(Types::INT, n)),
                Err(_) => wrong(span, "this number has more than 32 bits"),
            },
        }
    }
    /// A number that is known without running the program.
    pub fn constant(&self, cursor: &mut Cursor<'_>) -> Result<i128> {
        let start = cursor.span;
        if let Token::Name(name) = &cursor.token
            && self.names().is_free(name)
            && constant(self.vocabulary, name, start)?.is_none()
        {
            let message = format!("no macro and no enumerator is called `{name}`");
            return wrong(start, message);
        }
        let (term, span) = self.binary(cursor, SUMS, 0)?;
        match term {
            Term::Number(n) => Ok(n),
            Term::Value(_) => wrong(start.to(span), "this must be a number"),
        }
    }
    /// An index: a value as the machine takes it.
    pub fn index(&self, cursor: &mut Cursor<'_>) -> Result<(Expr, Span)> {
        let (term, span) = self.binary(cursor, 0, 0)?;
        let ty = self.wide(true);
        match term {
            Term::Number(n) => Ok((Expr::int(ty, n), span)),
            Term::Value(e) => match self.int(&e) {
                Some(_) => Ok((self.cast(e, ty), span)),
                None => wrong(span, "an index is an integer"),
            },
        }
    }
    fn scalar(&self, e: Expr, span: Span) -> Result<Expr> {
        match self.types().is_scalar(e.ty) {
            true => Ok(e),
            false => {
                let name = self.types().name(e.ty);
                wrong(
                    span,
                    format!("a condition is about numbers, this is of type {name}"),
                )
            }
        }
    }
    fn truth(&self, (term, span): Operand) -> Result<Expr> {
        match term {
            Term::Number(n) => Ok(Expr::int(Types::INT, (n != 0).into())),
            Term::Value(e) => self.scalar(e, span),
        }
    }
    fn binary(&self, cursor: &mut Cursor<'_>, level: usize, depth: usize) -> Result<Operand> {
        if depth > MAX_DEPTH {
            let message = "this condition nests too deep";
            let hint = "several rules may have the same label";
            return Err(Diagnostic::error(cursor.span, message).hint(hint).into());
        }
        let Some(operators) = OPERATORS.get(level) else {
            return self.unary(cursor, depth);
        };
        let mut left = self.binary(cursor, level + 1, depth)?;
        let mut width = 0;
        'next: loop {
            for (symbol, op) in *operators {
                if cursor.eat(symbol)? {
                    width += 1;
                    let right = self.binary(cursor, level + 1, depth + width)?;
                    left = self.combine(*op, left, right)?;
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }
    fn unary(&self, cursor: &mut Cursor<'_>, depth: usize) -> Result<Operand> {
        let start = cursor.span;
        if cursor.eat("!")? {
            let inner = self.binary(cursor, OPERATORS.len(), depth + 1)?;
            let span = start.to(inner.1);
            return Ok(match inner.0 {
                Term::Number(n) => (Term::Number((n == 0).into()), span),
                Term::Value(_) => (
                    Term::Value(Expr::unary(UnOp::Not, self.truth(inner)?)),
                    span,
                ),
            });
        }
        // `~1` is how the thesis prints -1.
        if cursor.eat("-")? || cursor.eat("~")? {
            let (term, span) = self.binary(cursor, OPERATORS.len(), depth + 1)?;
            let span = start.to(span);
            return match term {
                Term::Number(n) => Ok((Term::Number(-n), span)),
                Term::Value(e) => {
                    let zero = (Term::Number(0), span);
                    self.combine(BinOp::Sub, zero, (Term::Value(e), span))
                }
            };
        }
        if cursor.eat("(")? {
            let inner = self.binary(cursor, 0, depth + 1)?;
            cursor.expect(")")?;
            return Ok((inner.0, start.to(cursor.last)));
        }
        match &cursor.token {
            Token::Number(n) => {
                let n = *n;
                cursor.bump()?;
                Ok((Term::Number(n), start))
            }
            Token::Name(name) => {
                // Variables hide constants, as in C.
                let free = !name.starts_with('$') && self.names().is_free(name);
                let number = match free {
                    true => constant(self.vocabulary, name, start)?,
                    false => None,
                };
                if let Some(n) = number {
                    cursor.bump()?;
                    return Ok((Term::Number(n), start));
                }
                let place = self.place(cursor)?;
                let span = start.to(cursor.last);
                Ok((Term::Value(place), span))
            }
            _ => {
                let place = self.place(cursor)?;
                let span = start.to(cursor.last);
                Ok((Term::Value(place), span))
            }
        }
    }
    fn int(&self, e: &Expr) -> Option<IntTy> {
        match self.types()[e.ty] {
            Type::Int(_) | Type::Bool => value::int_type(self.types(), e.ty),
            _ => None,
        }
    }
    /// The 64-bit type; a program that has none does without it.
    fn wide(&self, signed: bool) -> TypeId {
        let ty = Type::Int(IntTy::new(64, signed));
        self.types().lookup(&ty).unwrap_or(Types::INT)
    }
    fn cast(&self, e: Expr, ty: TypeId) -> Expr {
        match e.ty == ty {
            true => e,
            false => Expr::cast(ty, e),
        }
    }
    fn combine(&self, op: BinOp, a: Operand, b: Operand) -> Result<Operand> {
        let span = a.1.to(b.1);
        if op.is_logical() {
            let (a, b) = (self.truth(a)?, self.truth(b)?);
            return Ok((Term::Value(Expr::binary(op, a, b)), span));
        }
        let found = match (a, b) {
            ((Term::Number(a), _), (Term::Number(b), at)) => Term::Number(fold(op, a, b, at)?),
            ((Term::Value(a), _), (Term::Number(n), at)) if op.is_comparison() => {
                Term::Value(self.compare(a, op, n, at)?)
            }
            ((Term::Number(n), at), (Term::Value(b), _)) if op.is_comparison() => {
                Term::Value(self.compare(b, crate::domain::mirror(op), n, at)?)
            }
            (a, b) => Term::Value(self.compute(op, a, b)?),
        };
        Ok((found, span))
    }
    /// `e op n`; a number that `e` cannot be makes the answer constant.
    fn compare(&self, e: Expr, op: BinOp, n: i128, span: Span) -> Result<Expr> {
        let types = self.types();
        let e = self.scalar(e, span)?;
        let Some(ty) = value::int_type(types, e.ty) else {
            return wrong(span, "floating numbers cannot be compared in a label map");
        };
        if matches!(types[e.ty], Type::Pointer(_)) && n != 0 {
            return wrong(
                span,
                "a pointer can only be compared with 0 or another pointer",
            );
        }
        let (lo, hi) = (value::min(ty), value::max(ty));
        if (lo..=hi).contains(&n) {
            let number = Expr::int(e.ty, n);
            return Ok(Expr::binary(op, e, number));
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
    /// An operator on operands of which one at least is no number.
    fn compute(&self, op: BinOp, a: Operand, b: Operand) -> Result<Expr> {
        let types = self.types();
        let span = a.1.to(b.1);
        let is_pointer = |t: &Term| match t {
            Term::Value(e) => matches!(types[e.ty], Type::Pointer(_)),
            Term::Number(_) => false,
        };
        if let (true, Term::Value(x), Term::Value(y)) =
            (is_pointer(&a.0) && is_pointer(&b.0), &a.0, &b.0)
        {
            if !matches!(op, BinOp::Eq | BinOp::Ne) {
                return wrong(
                    span,
                    "pointers are equal or not; they cannot be computed with",
                );
            }
            let y = self.cast(y.clone(), x.ty);
            return Ok(Expr::binary(op, x.clone(), y));
        }
        let mut unsigned = false;
        for (term, at) in [&a, &b] {
            if let Term::Value(e) = term {
                match self.int(e) {
                    Some(ty) if ty.bits > 64 => {
                        return wrong(*at, "integers of more than 64 bits are not known");
                    }
                    Some(ty) => unsigned |= ty.bits == 64 && !ty.signed,
                    None => {
                        let name = types.name(e.ty);
                        return wrong(
                            *at,
                            format!("this must be an integer, it is of type {name}"),
                        );
                    }
                }
            }
        }
        if let (Term::Value(x), Term::Value(y)) = (&a.0, &b.0)
            && op.is_comparison()
            && x.ty == y.ty
        {
            return Ok(Expr::binary(op, x.clone(), y.clone()));
        }
        match (op, &b.0) {
            (BinOp::Div | BinOp::Rem, Term::Number(n)) if *n != 0 => {}
            (BinOp::Shl | BinOp::Shr, Term::Number(n)) if (0..63).contains(n) => {}
            (BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, _) => {
                let message = "the right side must be a number that is neither zero nor too large";
                return wrong(b.1, message);
            }
            _ => {}
        }
        let ty = self.wide(!unsigned);
        let int = value::int_type(types, ty).expect("an integer type");
        let wide = |(term, at): Operand| match term {
            Term::Value(e) => Ok(self.cast(e, ty)),
            Term::Number(n) if (value::min(int)..=value::max(int)).contains(&n) => {
                Ok(Expr::int(ty, n))
            }
            Term::Number(_) => wrong(at, "this number is too large to compute with"),
        };
        Ok(Expr::binary(op, wide(a)?, wide(b)?))
    }
    /// `$1` or `$return`.
    pub fn operand(&self, name: &str, span: Span) -> Result<Expr> {
        let (funcs, number) = match (&self.subject, &name[1..]) {
            (Subject::Return(funcs), "return") => (funcs, 0),
            (_, "return") => {
                return wrong(span, "`$return` is known only in rules of `return(f)`");
            }
            (Subject::Call(funcs), digits) => match digits.parse::<usize>() {
                Ok(n) if n > 0 => (funcs, n),
                _ => return wrong(span, "arguments are `$1`, `$2` and so on"),
            },
            _ => return wrong(span, "arguments are known only in rules of `call(f)`"),
        };
        let mut found: Option<TypeId> = None;
        for f in funcs {
            let function = &self.program.funcs[*f];
            let name = &function.name;
            let Type::Func(ty) = &self.types()[function.ty] else {
                continue;
            };
            let own = match number {
                0 if ty.ret == Types::VOID => {
                    return wrong(span, format!("`{name}` returns nothing"));
                }
                0 => ty.ret,
                n => match ty.params.get(n - 1) {
                    Some(own) => *own,
                    None => {
                        let count = ty.params.len();
                        return wrong(span, format!("`{name}` has {count} named parameters"));
                    }
                },
            };
            if found.is_some_and(|ty| ty != own) {
                let message = "the functions of this rule have different types there";
                return Err(Diagnostic::error(span, message)
                    .hint("write a rule for each of them")
                    .into());
            }
            found = Some(own);
        }
        match found {
            Some(ty) => Ok(Expr::reg(ty, operand_register(number))),
            None => wrong(span, "the types of this function are not known"),
        }
    }
}

fn fold(op: BinOp, a: i128, b: i128, span: Span) -> Result<i128> {
    let small = |n: i128| u32::try_from(n).ok().filter(|n| *n < 63);
    let found = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div => a.checked_div(b),
        BinOp::Rem => a.checked_rem(b),
        BinOp::BitAnd => Some(a & b),
        BinOp::BitOr => Some(a | b),
        BinOp::BitXor => Some(a ^ b),
        BinOp::Shl => small(b).and_then(|b| a.checked_mul(1 << b)),
        BinOp::Shr => small(b).map(|b| a >> b),
        BinOp::Eq => Some((a == b).into()),
        BinOp::Ne => Some((a != b).into()),
        BinOp::Lt => Some((a < b).into()),
        BinOp::Le => Some((a <= b).into()),
        BinOp::Gt => Some((a > b).into()),
        BinOp::Ge => Some((a >= b).into()),
        BinOp::And => Some((a != 0 && b != 0).into()),
        BinOp::Or => Some((a != 0 || b != 0).into()),
    };
    match found {
        Some(n) => Ok(n),
        None => wrong(span, "this has no value"),
    }
}

/// Registers from here on stand for `$return`, `$1`, `$2` and so on; no function has so many.
const OPERANDS: u32 = 1 << 30;

fn operand_register(number: usize) -> cwolf_cwi::RegId {
    cwolf_cwi::RegId(OPERANDS + number as u32)
}

/// The number of the argument that an expression of a rule stands for, with 0 for the result.
pub(crate) fn operand(e: &Expr) -> Option<usize> {
    match e.kind {
        ExprKind::Reg(reg) => reg.0.checked_sub(OPERANDS).map(|n| n as usize),
        _ => None,
    }
}
