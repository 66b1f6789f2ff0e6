//! Predicate files: `name { expression, expression }`, again and again.

use super::{Parsed, Parser, Reported};
use crate::ast::{Expr, Ident};
use crate::lex::TokenKind::{Comma, Eof, LBrace, RBrace};
use crate::session::Session;
use cwolf_base::Symbol;

/// A name with conditions.
#[derive(Debug)]
pub(crate) struct Group {
    pub name: Ident,
    pub conditions: Vec<Expr>,
}

impl Parser {
    /// All groups of the file without a syntax error; `types` are names of types.
    pub fn groups(mut self, session: &mut Session, types: &[Symbol]) -> Vec<Group> {
        std::mem::swap(&mut self.session, session);
        types.iter().for_each(|t| self.typedefs.declare(*t, true));
        let mut groups = Vec::new();
        while self.kind() != Eof && self.errors < super::MAX_ERRORS {
            self.height = 0;
            match self.group() {
                Ok(group) => groups.push(group),
                Err(Reported) => {
                    while !matches!(self.kind(), RBrace | Eof) {
                        self.bump();
                    }
                    self.eat(RBrace);
                }
            }
        }
        std::mem::swap(&mut self.session, session);
        groups
    }
    fn group(&mut self) -> Parsed<Group> {
        let name = self.ident()?;
        self.expect(LBrace)?;
        let mut conditions = Vec::new();
        while self.kind() != RBrace {
            conditions.push(self.assignment()?);
            if !self.eat(Comma) {
                break;
            }
        }
        self.expect(RBrace)?;
        Ok(Group { name, conditions })
    }
}
