//! `__attribute__((…))`, `[[…]]` and `__declspec(…)`.

use super::{Parsed, Parser, Reported, ident_of};
use crate::ast::{Attribute, AttributeArg};
use crate::lex::{Token, TokenKind::*};
use cwolf_base::Symbol;

impl Parser {
    /// How many tokens from `n` ahead on are attributes.
    pub(super) fn attributes_end(&self, mut n: usize) -> usize {
        loop {
            let open = match self.ahead_kind(n) {
                KwAttribute | KwDeclspec if self.ahead_kind(n + 1) == LParen => n + 1,
                LBracket if self.ahead_kind(n + 1) == LBracket => n,
                _ => return n,
            };
            let mut depth = 0;
            n = open;
            loop {
                match self.ahead_kind(n) {
                    Eof => return n,
                    LParen | LBracket | LBrace => depth += 1,
                    RParen | RBracket | RBrace => depth -= 1,
                    _ => {}
                }
                n += 1;
                if depth <= 0 {
                    break;
                }
            }
        }
    }

    pub(super) fn at_attribute(&self) -> bool {
        match self.kind() {
            KwAttribute | KwDeclspec => true,
            LBracket => self.ahead_kind(1) == LBracket,
            _ => false,
        }
    }

    /// Reads attributes, as many as stand here, into `into`.
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at_attribute() {
            match self.kind() {
                LBracket => self.standard_attributes(into)?,
                keyword => {
                    self.bump();
                    let open = self.expect(LParen)?;
                    if keyword == KwAttribute {
                        let inner = self.expect(LParen)?;
                        self.attribute_list(into)?;
                        self.expect_close(RParen, inner)?;
                    } else {
                        self.attribute_list(into)?;
                    }
                    self.expect_close(RParen, open)?;
                }
            }
        }
        Ok(())
    }

    /// Only `[[…]]`, which may stand where the others mean something else.
    pub(super) fn bracket_attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        while self.kind() == LBracket && self.at_attribute() {
            self.standard_attributes(into)?;
        }
        Ok(())
    }

    /// `[[a, ns::b(1)]]`
    fn standard_attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        let open = self.expect(LBracket)?;
        let inner = self.expect(LBracket)?;
        self.attribute_list(into)?;
        self.expect_close(RBracket, inner)?;
        self.expect_close(RBracket, open)?;
        Ok(())
    }

    fn attribute_list(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        loop {
            while self.eat(Comma) {}
            if matches!(self.kind(), RParen | RBracket) {
                return Ok(());
            }
            let attribute = self.attribute()?;
            into.push(attribute);
            if self.kind() != Comma {
                return Ok(());
            }
        }
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let start = self.at;
        let mut name = self.attribute_name()?;
        if self.kind() == Colon && self.ahead_kind(1) == Colon {
            let space = self.session.names.shared(name);
            self.bump();
            self.bump();
            name = self.attribute_name()?;
            // `[[gnu::packed]]` is `packed`; other vendors' names keep their vendor.
            if &*space != "gnu" {
                let full = format!("{space}::{}", self.session.names.text(name));
                name = self.session.names.intern(&full);
            }
        }
        let mut args = Vec::new();
        if self.kind() == LParen {
            let open = self.bump();
            while !matches!(self.kind(), RParen | Eof) {
                if let Some(arg) = self.attribute_arg() {
                    args.push(arg);
                }
                if !self.eat(Comma) {
                    break;
                }
            }
            self.expect_close(RParen, open)?;
        }
        let span = self.span_from(start);
        Ok(Attribute { name, args, span })
    }

    /// A name or keyword, without the underscores around it.
    fn attribute_name(&mut self) -> Parsed<Symbol> {
        if !self.at_word() {
            return Err(self.expected("an attribute"));
        }
        let token = self.bump();
        let text = self.session.names.shared(token.name);
        let bare = text
            .strip_prefix("__")
            .and_then(|t| t.strip_suffix("__"))
            .filter(|t| !t.is_empty())
            .unwrap_or(&text);
        Ok(self.session.names.intern(bare))
    }

    /// Whether an identifier or keyword stands here.
    fn at_word(&self) -> bool {
        let token: Token = self.token();
        token.kind == Ident || token.kind as u8 > Stray as u8
    }

    /// One argument; `None` if it is nothing that C knows, in which case it is skipped.
    fn attribute_arg(&mut self) -> Option<AttributeArg> {
        if self.kind() == Ident && matches!(self.ahead_kind(1), Comma | RParen) {
            return Some(AttributeArg::Name(ident_of(self.bump())));
        }
        let start = self.at;
        let messages = self.session.diagnostics.len();
        let (errors, scopes) = (self.errors, self.typedefs.depth());
        let arg = if self.at_type(0) {
            self.type_name().map(AttributeArg::Type)
        } else {
            self.assignment().map(AttributeArg::Expr)
        };
        match arg {
            Ok(arg) if matches!(self.kind(), Comma | RParen) => return Some(arg),
            Ok(_) | Err(Reported) => {}
        }
        // Not ours to understand: vendors write what they like here.
        self.session.diagnostics.truncate(messages);
        self.errors = errors;
        self.typedefs.close_to(scopes);
        self.at = start;
        while !matches!(self.kind(), Comma | RParen | RBracket | RBrace | Eof) {
            match self.kind() {
                LParen | LBracket | LBrace => self.skip_group(),
                _ => drop(self.bump()),
            }
        }
        None
    }
}
