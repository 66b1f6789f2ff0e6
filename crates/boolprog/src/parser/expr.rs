//! Expressions, both spellings of every operator.

use super::{Parse, Parser};
use crate::lexer::Token;
use crate::{Expr, MAX_NESTING, Var, names};
use cwolf_base::{Diagnostic, Span};

impl<'a> Parser<'a> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        let first = self.or()?;
        if !self.at_any(&["==>", "->", "=>"]) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.at_any(&["==>", "->", "=>"]) {
            self.bump();
            parts.push(self.or()?);
        }
        self.check_chain(parts.len())?;
        // To the right, as in logic: a ==> b ==> c is a ==> (b ==> c).
        let mut expr = parts.pop().expect("two parts");
        while let Some(left) = parts.pop() {
            expr = Expr::implies(left, expr);
        }
        Ok(expr)
    }
    fn or(&mut self) -> Parse<Expr> {
        let mut parts = vec![self.and()?];
        while self.at_any(&["||", "|"]) {
            self.bump();
            parts.push(self.and()?);
        }
        Ok(one_or(parts, Expr::Or))
    }
    fn and(&mut self) -> Parse<Expr> {
        let mut parts = vec![self.equal()?];
        while self.at_any(&["&&", "&"]) {
            self.bump();
            parts.push(self.equal()?);
        }
        Ok(one_or(parts, Expr::And))
    }
    fn equal(&mut self) -> Parse<Expr> {
        let mut expr = self.unary()?;
        let mut length = 1;
        loop {
            let differ = self.at_any(&["!=", "^"]);
            if !differ && !self.at_any(&["==", "=", "<=>"]) {
                return Ok(expr);
            }
            self.bump();
            length += 1;
            self.check_chain(length)?;
            let right = self.unary()?;
            expr = if differ {
                Expr::differ(expr, right)
            } else {
                Expr::equal(expr, right)
            };
        }
    }
    /// Chains of pairs nest although the text does not look like it.
    fn check_chain(&mut self, length: usize) -> Parse<()> {
        if self.depth + length <= MAX_NESTING {
            return Ok(());
        }
        Err(self.too_deep())
    }
    fn too_deep(&mut self) -> super::Failed {
        let message = format!("this nests more than {MAX_NESTING} levels deep");
        self.error(Diagnostic::error(self.span, message))
    }
    /// Runs `parse` one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
    fn unary(&mut self) -> Parse<Expr> {
        self.nested(|p| {
            if p.eat("!") || p.eat("~") {
                return Ok(Expr::Not(Box::new(p.unary()?)));
            }
            p.primary()
        })
    }
    fn primary(&mut self) -> Parse<Expr> {
        if self.eat("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("*") {
            return Ok(Expr::Unknown);
        }
        if self.eat("'") {
            let (name, span) = self.name("a variable")?;
            return Ok(Expr::Next(self.var(name, span)?));
        }
        if self.token == Token::Number {
            let value = match self.lexer.text(self.span) {
                "0" => false,
                "1" => true,
                _ => return Err(self.expected("a value, `0` or `1`")),
            };
            self.bump();
            return Ok(Expr::Const(value));
        }
        for (word, value) in [("true", true), ("false", false), ("T", true), ("F", false)] {
            if self.eat_word(word) {
                return Ok(Expr::Const(value));
            }
        }
        if self.eat_word("unknown") {
            self.expect("(")?;
            self.expect(")")?;
            return Ok(Expr::Unknown);
        }
        for (word, open, close) in [("choose", "(", ")"), ("schoose", "[", "]")] {
            if self.eat_word(word) {
                self.expect(open)?;
                let positive = self.expr()?;
                self.expect(",")?;
                let negative = self.expr()?;
                self.expect(close)?;
                return Ok(Expr::choose(positive, negative));
            }
        }
        let (name, span) = self.name("an expression")?;
        if self.at("(") {
            let message = Diagnostic::error(span, "an expression cannot contain a call");
            let hint = "assign the result to a variable first";
            return Err(self.error(message.hint(hint)));
        }
        Ok(Expr::Var(self.var(name, span)?))
    }
    /// The variable of that name in scope; a local hides a global.
    pub(super) fn var(&mut self, name: &str, span: Span) -> Parse<Var> {
        let key = names::key(name);
        if let Some(&id) = self.locals.get(&key) {
            return Ok(Var::Local(id));
        }
        if let Some(&id) = self.globals.get(&key) {
            return Ok(Var::Global(id));
        }
        let message = Diagnostic::error(span, format!("there is no variable `{name}`"));
        Err(self.error(message.hint("declare it with `bool` before the first statement")))
    }
}

fn one_or(mut parts: Vec<Expr>, make: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.len() {
        1 => parts.pop().expect("one part"),
        _ => make(parts),
    }
}
