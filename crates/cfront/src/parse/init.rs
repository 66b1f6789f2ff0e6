//! Initialisers.

use super::{Parsed, Parser, ident_of};
use crate::ast::{Designator, InitItem, Initializer};
use crate::lex::TokenKind::*;

impl Parser {
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        if self.kind() == LBrace {
            return self.nested(Parser::initializer_list);
        }
        Ok(Initializer::Expr(self.assignment()?))
    }

    pub(super) fn initializer_list(&mut self) -> Parsed<Initializer> {
        let start = self.at;
        let open = self.expect(LBrace)?;
        let mut items = Vec::new();
        while !matches!(self.kind(), RBrace | Eof) {
            let designators = self.designators()?;
            let init = self.initializer()?;
            items.push(InitItem { designators, init });
            if !self.eat(Comma) {
                break;
            }
        }
        self.expect_close(RBrace, open)?;
        let span = self.span_from(start);
        Ok(Initializer::List { items, span })
    }

    /// `.a[3] =`, or GNU C's old `a:` and `[3]` without `=`.
    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        if self.kind() == Ident && self.ahead_kind(1) == Colon {
            let name = ident_of(self.bump());
            self.bump();
            return Ok(vec![Designator::Field(name)]);
        }
        let mut list = Vec::new();
        loop {
            match self.kind() {
                Dot => {
                    self.bump();
                    list.push(Designator::Field(self.ident()?));
                }
                LBracket => {
                    let open = self.bump();
                    let lo = self.conditional()?;
                    list.push(match self.eat(Ellipsis) {
                        true => Designator::Range(lo, self.conditional()?),
                        false => Designator::Index(lo),
                    });
                    self.expect_close(RBracket, open)?;
                }
                _ => break,
            }
        }
        // `[3] 5` may go without, `.a 5` may not.
        let old = matches!(list[..], [Designator::Index(_) | Designator::Range(..)]);
        if !list.is_empty() && !self.eat(Assign) && !old {
            return Err(self.expected("`=`"));
        }
        Ok(list)
    }
}
