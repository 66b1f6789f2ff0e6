//! Reads expressions and places.

use super::{Global, Parsed, Parser};
use crate::code::{BinOp, Expr, ExprKind, MemoryTest, Place, RESULT, RegId, Step, UnOp};
use crate::text::expr::{MAX_FLOAT, precedence};
use crate::text::lex::Tok;
use crate::types::{FloatTy, Type, TypeId};
use crate::typing::{base_type, natural, step_type};
use crate::value::{self, float};
use crate::verify::MAX_EXPR_DEPTH;
use cwolf_base::Diagnostic;

/// Every level of an expression takes at most this many of parentheses and prefixes.
const MAX_NESTING: u32 = 2 * MAX_EXPR_DEPTH;

/// An expression and how deep it is: a long `1 + 1 + …` is deep without any parentheses.
pub(super) struct Term {
    pub expr: Expr,
    depth: u32,
}

const OPERATORS: [(&str, BinOp); 18] = [
    ("+", BinOp::Add),
    ("-", BinOp::Sub),
    ("*", BinOp::Mul),
    ("/", BinOp::Div),
    ("%", BinOp::Rem),
    ("&", BinOp::BitAnd),
    ("|", BinOp::BitOr),
    ("^", BinOp::BitXor),
    ("<<", BinOp::Shl),
    (">>", BinOp::Shr),
    ("==", BinOp::Eq),
    ("!=", BinOp::Ne),
    ("<", BinOp::Lt),
    ("<=", BinOp::Le),
    (">", BinOp::Gt),
    (">=", BinOp::Ge),
    ("&&", BinOp::And),
    ("||", BinOp::Or),
];

impl Parser {
    /// A whole expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        Ok(self.binary(1)?.expr)
    }

    fn operator(&self) -> Option<BinOp> {
        match self.peek() {
            Tok::Punct(p) => OPERATORS.iter().find(|o| o.0 == *p).map(|o| o.1),
            _ => None,
        }
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Parsed<Term> {
        let mut left = self.unary()?;
        while let Some(op) = self.operator().filter(|op| precedence(*op) >= least) {
            self.advance();
            let pointer = self.program.types.pointee(left.expr.ty);
            let (a, depth) = (left.expr, left.depth);
            left = match (op, pointer) {
                (BinOp::Add | BinOp::Sub, Some(to)) => {
                    let scale = if self.eat("{") {
                        let scale = self.number()?;
                        self.expect("}")?;
                        scale
                    } else {
                        self.program.types.size_of(to)
                    };
                    let right = self.binary(precedence(op) + 1)?;
                    let depth = depth.max(right.depth);
                    let (a, b) = (Box::new(a), Box::new(right.expr));
                    let kind = if op == BinOp::Add {
                        ExprKind::PtrAdd {
                            ptr: a,
                            index: b,
                            scale,
                        }
                    } else {
                        ExprKind::PtrDiff {
                            left: a,
                            right: b,
                            scale,
                        }
                    };
                    self.node(kind, depth)?
                }
                _ => {
                    let right = self.binary(precedence(op) + 1)?;
                    let depth = depth.max(right.depth);
                    self.node(
                        ExprKind::Binary(op, Box::new(a), Box::new(right.expr)),
                        depth,
                    )?
                }
            };
        }
        Ok(left)
    }

    /// An expression over operands of depth `depth`, with the type that follows.
    fn node(&mut self, kind: ExprKind, depth: u32) -> Parsed<Term> {
        match natural(&self.program, &self.regs, &kind) {
            Some(ty) => {
                let ty = ty.intern(&mut self.program.types);
                self.deeper(Expr { ty, kind }, depth)
            }
            None => self.error("the type of this does not follow; write it after `:`"),
        }
    }

    fn deeper(&self, expr: Expr, depth: u32) -> Parsed<Term> {
        if depth + 1 >= MAX_EXPR_DEPTH {
            return self.error("this expression is nested too deeply");
        }
        Ok(Term {
            expr,
            depth: depth + 1,
        })
    }

    /// Prefix operators.
    pub(super) fn unary(&mut self) -> Parsed<Term> {
        if self.nesting >= MAX_NESTING {
            return self.error("this expression is nested too deeply");
        }
        self.nesting += 1;
        let term = self.prefixed();
        self.nesting -= 1;
        term
    }

    fn prefixed(&mut self) -> Parsed<Term> {
        let start = self.at;
        if self.eat_word("volatile") {
            let mut term = self.unary()?;
            match &mut term.expr.kind {
                ExprKind::Load { volatile, .. } => *volatile = true,
                _ => return self.fail(start, "only a place can be volatile"),
            }
            return Ok(term);
        }
        let Tok::Punct(punct) = *self.peek() else {
            return self.postfix();
        };
        match punct {
            "-" if matches!(self.peek_at(1), Tok::Number(_)) => self.postfix(),
            "-" | "~" | "!" => {
                self.advance();
                let op = match punct {
                    "-" => UnOp::Neg,
                    "~" => UnOp::BitNot,
                    _ => UnOp::Not,
                };
                let term = self.unary()?;
                self.node(ExprKind::Unary(op, Box::new(term.expr)), term.depth)
            }
            "*" => {
                self.advance();
                let term = self.unary()?;
                let place = self.deref(start, term.expr)?;
                self.deeper(Expr::load(place), term.depth)
            }
            "&" => {
                self.advance();
                if let Some(func) = self.function_here() {
                    self.advance();
                    return self.node(ExprKind::FuncAddr(func), 0);
                }
                let term = self.unary()?;
                match term.expr.kind {
                    ExprKind::Load {
                        place,
                        volatile: false,
                    } => self.node(ExprKind::AddrOf(place), term.depth),
                    _ => self.fail(start, "only places and functions have addresses"),
                }
            }
            _ => self.postfix(),
        }
    }

    fn fail<T>(&self, start: usize, message: impl Into<String>) -> Parsed<T> {
        Err(Box::new(Diagnostic::error(self.span_from(start), message)))
    }

    /// The function whose name is the next token.
    fn function_here(&self) -> Option<crate::FuncId> {
        let number = self.tokens[self.at].number;
        let name = match self.peek() {
            Tok::Word(w) => w.to_string(),
            Tok::Quoted(bytes) => String::from_utf8(bytes.to_vec()).ok()?,
            _ => return None,
        };
        let name = (name, number);
        if self.locals.contains_key(&name) {
            return None;
        }
        match self.globals.get(&name) {
            Some(Global::Func(f)) => Some(*f),
            _ => None,
        }
    }

    /// What the pointer `ptr` points to.
    fn deref(&self, start: usize, ptr: Expr) -> Parsed<Place> {
        let base = crate::code::Base::Deref(Box::new(ptr));
        match base_type(&self.program, &base) {
            Ok(ty) => Ok(Place {
                ty,
                base,
                path: Vec::new(),
            }),
            Err(message) => self.fail(start, message),
        }
    }

    /// A primary expression with fields, indices and a type after it.
    fn postfix(&mut self) -> Parsed<Term> {
        let start = self.at;
        let mut term = self.primary()?;
        loop {
            let arrow = self.peek() == &Tok::Punct("->");
            if arrow || self.peek() == &Tok::Punct(".") {
                self.advance();
                let mut place = if arrow {
                    self.deref(start, term.expr)?
                } else {
                    self.as_place(start, term.expr)?
                };
                let step = self.field(place.ty)?;
                self.step(start, &mut place, step)?;
                term = self.deeper(Expr::load(place), term.depth)?;
            } else if self.peek() == &Tok::Punct("[") {
                self.advance();
                let mut place = self.as_place(start, term.expr)?;
                let index = self.index()?;
                self.expect("]")?;
                let depth = term.depth.max(index.depth);
                self.step(start, &mut place, Step::Index(index.expr))?;
                term = self.deeper(Expr::load(place), depth)?;
            } else if self.peek() == &Tok::Punct(":") && self.type_starts(1) {
                self.advance();
                term.expr.ty = self.ty()?;
            } else {
                return Ok(term);
            }
        }
    }

    fn as_place(&self, start: usize, expr: Expr) -> Parsed<Place> {
        match expr.kind {
            ExprKind::Load {
                place,
                volatile: false,
            } => Ok(place),
            _ => self.fail(start, "this is not a place, so it has no parts"),
        }
    }

    fn step(&self, start: usize, place: &mut Place, step: Step) -> Parsed<()> {
        match step_type(&self.program.types, place.ty, &step) {
            Ok((ty, _)) => {
                place.ty = ty;
                place.path.push(step);
                Ok(())
            }
            Err(message) => self.fail(start, message),
        }
    }

    fn field(&mut self, ty: TypeId) -> Parsed<Step> {
        if self.eat("#") {
            return Ok(Step::Field(self.number32()?));
        }
        let span = self.span();
        let (name, _) = self.name()?;
        let types = &self.program.types;
        let fields = types.as_record(ty).map(|r| &types.records[r].fields);
        match fields.and_then(|f| f.iter().position(|f| f.name == name)) {
            Some(n) => Ok(Step::Field(n as u32)),
            None => {
                let message = format!("`{}` has no field of this name", types.name(ty));
                Err(Box::new(Diagnostic::error(span, message)))
            }
        }
    }

    /// An index; the type of a lone constant follows.
    fn index(&mut self) -> Parsed<Term> {
        let sign = usize::from(self.peek() == &Tok::Punct("-"));
        let number = matches!(self.peek_at(sign), Tok::Number(_));
        if number && self.peek_at(sign + 1) == &Tok::Punct("]") {
            let word = self.program.target().word(true);
            let ty = self.program.types.intern(Type::Int(word));
            let value = self.int(ty)?;
            return Ok(Term {
                expr: Expr::int(ty, value),
                depth: 1,
            });
        }
        self.binary(1)
    }

    fn primary(&mut self) -> Parsed<Term> {
        let leaf = |expr| Ok(Term { expr, depth: 1 });
        match self.peek().clone() {
            Tok::Number(_) | Tok::Punct("-") => leaf(self.constant(None)?),
            Tok::Reg(n) => {
                self.advance();
                let kind = ExprKind::Reg(RegId(n));
                if RegId(n) == RESULT {
                    return leaf(self.typed(kind)?);
                }
                match self.regs.get(RegId(n)) {
                    Some(ty) => leaf(Expr { ty: *ty, kind }),
                    None => self.fail(self.at - 1, "this register is not declared"),
                }
            }
            // `(i32(e) + 1)` is no conversion to `i32`.
            Tok::Punct("(") if self.type_starts(1) && !self.simple_type_at(1) => {
                self.advance();
                let ty = self.ty()?;
                self.expect(")")?;
                self.cast(ty)
            }
            Tok::Punct("(") => {
                self.advance();
                let term = self.binary(1)?;
                self.expect(")")?;
                Ok(term)
            }
            Tok::Word(w) if &*w == "zero" => {
                self.advance();
                leaf(self.typed(ExprKind::Zero)?)
            }
            Tok::Word(w) if &*w == "choose" => {
                self.advance();
                leaf(self.typed(ExprKind::Choose)?)
            }
            Tok::Word(w) if &*w == "fits" => {
                self.advance();
                self.expect("(")?;
                let term = self.binary(1)?;
                self.expect(")")?;
                self.node(ExprKind::Fits(Box::new(term.expr)), term.depth)
            }
            Tok::Word(w) if MemoryTest::ALL.iter().any(|t| t.name() == &*w) => {
                let test = MemoryTest::ALL.into_iter().find(|t| t.name() == &*w);
                self.advance();
                self.memory(test.expect("one of them"))
            }
            Tok::Word(w) if &*w == "bits" => leaf(self.constant(None)?),
            Tok::Word(w) if &*w == "varargs" => {
                self.advance();
                self.node(ExprKind::VarArgs, 0)
            }
            Tok::Word(_) if self.simple_type().is_some() => {
                let ty = self.ty()?;
                self.cast(ty)
            }
            Tok::Word(_) | Tok::Quoted(_) => {
                let start = self.at;
                let name = self.name()?;
                let var = match (self.locals.get(&name), self.globals.get(&name)) {
                    (Some(v), _) | (None, Some(Global::Var(v))) => *v,
                    (None, Some(Global::Func(_))) => {
                        return self.fail(
                            start,
                            "a function is not a value; take its address with `&`",
                        );
                    }
                    (None, None) => return self.fail(start, "nothing of this name is declared"),
                };
                leaf(Expr::load(Place::var(self.program.vars[var].ty, var)))
            }
            _ => self.wanted("an expression"),
        }
    }

    /// The arguments of a question about memory.
    fn memory(&mut self, test: MemoryTest) -> Parsed<Term> {
        self.expect("(")?;
        let mut depth = 0;
        let mut args = Vec::new();
        while !test.is_census() {
            let term = self.binary(1)?;
            depth = depth.max(term.depth);
            args.push(term.expr);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        self.node(ExprKind::Memory(test, args), depth)
    }

    fn cast(&mut self, ty: TypeId) -> Parsed<Term> {
        self.expect("(")?;
        let term = self.binary(1)?;
        self.expect(")")?;
        let kind = ExprKind::Cast(Box::new(term.expr));
        self.deeper(Expr { ty, kind }, term.depth)
    }

    /// `kind` with the type written after it.
    fn typed(&mut self, kind: ExprKind) -> Parsed<Expr> {
        if self.peek() != &Tok::Punct(":") {
            return self.wanted("`:` and a type");
        }
        self.advance();
        let ty = self.ty()?;
        Ok(Expr { ty, kind })
    }

    /// A number of type `ty`, or of the type written after it.
    pub(super) fn constant(&mut self, ty: Option<TypeId>) -> Parsed<Expr> {
        let start = self.at;
        if self.eat_word("bits") {
            self.expect("(")?;
            let bits = match self.peek() {
                Tok::Number(n) => n
                    .strip_prefix("0x")
                    .and_then(|n| u128::from_str_radix(n, 16).ok()),
                _ => None,
            };
            let Some(bits) = bits else {
                return self.wanted("a hexadecimal number");
            };
            self.advance();
            self.expect(")")?;
            let ty = match ty {
                Some(ty) => ty,
                None => self.suffix(Type::Float(FloatTy::F64))?,
            };
            return Ok(Expr {
                ty,
                kind: ExprKind::Float(bits),
            });
        }
        let negative = self.eat("-");
        let Tok::Number(text) = self.peek().clone() else {
            return self.wanted("a number");
        };
        self.advance();
        let is_float = text.contains(['.', 'e', 'E']) && !text.starts_with("0x");
        let usual = match is_float {
            true => Type::Float(FloatTy::F64),
            false => Type::Int(crate::IntTy::INT),
        };
        let ty = match ty {
            Some(ty) => ty,
            None => self.suffix(usual)?,
        };
        let kind = match self.program.types[ty] {
            Type::Float(f) if text.len() <= MAX_FLOAT => {
                let sign = if negative { "-" } else { "" };
                float::parse(f, &format!("{sign}{text}")).map(ExprKind::Float)
            }
            _ if is_float => None,
            _ => self.int_value(ty, negative, &text).map(ExprKind::Int),
        };
        match kind {
            Some(kind) => Ok(Expr { ty, kind }),
            None => {
                let ty = self.program.types.name(ty);
                self.fail(start, format!("this is not a constant of type `{ty}`"))
            }
        }
    }

    /// The type after a constant, or the `usual` one.
    fn suffix(&mut self, usual: Type) -> Parsed<TypeId> {
        if self.peek() == &Tok::Punct(":") && self.type_starts(1) {
            self.advance();
            return self.ty();
        }
        Ok(self.program.types.intern(usual))
    }

    fn int_value(&self, ty: TypeId, negative: bool, text: &str) -> Option<i128> {
        let int = value::int_type(&self.program.types, ty)?;
        let size: u128 = match text.strip_prefix("0x") {
            Some(hex) => u128::from_str_radix(hex, 16).ok()?,
            None => text.parse().ok()?,
        };
        let value = match negative {
            true => (size <= 1 << 127).then(|| (size as i128).wrapping_neg())?,
            false => size as i128,
        };
        let in_range = negative || value >= 0 || !int.signed;
        (in_range && value::wrap(int, value) == value && (int.signed || !negative || value == 0))
            .then_some(value)
    }

    /// An integer of type `ty`, which is not written.
    pub(super) fn int(&mut self, ty: TypeId) -> Parsed<i128> {
        let start = self.at;
        let negative = self.eat("-");
        let Tok::Number(text) = self.peek().clone() else {
            return self.wanted("a number");
        };
        self.advance();
        match self.int_value(ty, negative, &text) {
            Some(value) => Ok(value),
            None => {
                let ty = self.program.types.name(ty);
                self.fail(start, format!("this is not a constant of type `{ty}`"))
            }
        }
    }
}
