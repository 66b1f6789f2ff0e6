//! Reads types.

use super::{Parsed, Parser};
use crate::text::lex::Tok;
use crate::types::{FloatTy, FuncTy, IntTy, Type, TypeId};
use crate::verify::MAX_TYPE_DEPTH;

/// What a word stands for as a type on its own.
fn simple(word: &str) -> Option<Type> {
    Some(match word {
        "void" => Type::Void,
        "bool" => Type::Bool,
        "f16" => Type::Float(FloatTy::F16),
        "f32" => Type::Float(FloatTy::F32),
        "f64" => Type::Float(FloatTy::F64),
        "f80" => Type::Float(FloatTy::F80),
        "f128" => Type::Float(FloatTy::F128),
        _ => {
            let signed = word.starts_with('i');
            let digits = word.strip_prefix(['i', 'u'])?;
            if !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let bits = digits.parse().ok().filter(|b| (1..=128).contains(b))?;
            Type::Int(IntTy::new(bits, signed))
        }
    })
}

impl Parser {
    /// Whether a type starts `ahead` tokens from here, after any stars.
    pub(super) fn type_starts(&self, ahead: usize) -> bool {
        let mut n = ahead;
        while self.peek_at(n) == &Tok::Punct("*") {
            n += 1;
        }
        match self.peek_at(n) {
            Tok::Word(w) => matches!(&**w, "struct" | "union" | "fn") || simple(w).is_some(),
            Tok::Punct("[") => true,
            _ => false,
        }
    }

    /// A type that is a single word, if one is here.
    pub(super) fn simple_type(&self) -> Option<Type> {
        match self.peek() {
            Tok::Word(w) => simple(w),
            _ => None,
        }
    }

    /// Whether a type of a single word is `ahead` tokens from here.
    pub(super) fn simple_type_at(&self, ahead: usize) -> bool {
        matches!(self.peek_at(ahead), Tok::Word(w) if simple(w).is_some())
    }

    pub(super) fn ty(&mut self) -> Parsed<TypeId> {
        self.type_at(0)
    }

    fn type_at(&mut self, depth: u32) -> Parsed<TypeId> {
        if depth >= MAX_TYPE_DEPTH {
            return self.error("this type is nested too deeply");
        }
        let depth = depth + 1;
        if self.eat("*") {
            let to = self.type_at(depth)?;
            return Ok(self.program.types.pointer(to));
        }
        if self.eat("[") {
            let len = self.number()?;
            self.keyword("x")?;
            let elem = self.type_at(depth)?;
            self.expect("]")?;
            return Ok(self.program.types.array(elem, len));
        }
        if self.is_word("struct") || self.is_word("union") {
            self.advance();
            let span = self.span();
            let name = self.name()?;
            return match self.records.get(&name) {
                Some(id) => Ok(self.program.types.record(*id)),
                None => Err(Box::new(cwolf_base::Diagnostic::error(
                    span,
                    "no type of this name is declared",
                ))),
            };
        }
        if self.eat_word("fn") {
            return self.func_type(depth);
        }
        match self.simple_type() {
            Some(ty) => {
                self.advance();
                Ok(self.program.types.intern(ty))
            }
            None => self.wanted("a type"),
        }
    }

    fn func_type(&mut self, depth: u32) -> Parsed<TypeId> {
        self.expect("(")?;
        let (mut params, mut variadic) = (Vec::new(), false);
        if !self.eat(")") {
            loop {
                if self.eat("...") {
                    variadic = true;
                } else {
                    params.push(self.type_at(depth)?);
                }
                if variadic || !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        let ret = self.type_at(depth)?;
        let func = FuncTy {
            ret,
            params,
            variadic,
        };
        Ok(self.program.types.intern(Type::Func(func)))
    }
}
