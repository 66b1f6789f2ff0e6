//! Statements and blocks.

use super::{MAX_ERRORS, Parsed, Parser, Reported, ident_of};
use crate::ast::{Block, BlockItem, Expr, ForInit, Ident as Name, Stmt, StmtKind};
use crate::lex::TokenKind::*;
use cwolf_base::{Diagnostic, Span};

/// What labels a statement.
enum Label {
    Case(Expr, Option<Expr>),
    Default,
    Name(Name),
}

impl Parser {
    /// `{ … }` with its own scope. A broken item is reported and left out, and the block goes on.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.at;
        let scope = self.typedefs.depth();
        self.typedefs.open();
        let open = self.expect(LBrace)?;
        let mut items = Vec::new();
        while !matches!(self.kind(), RBrace | Eof) {
            let item_start = self.at;
            match self.block_item() {
                Ok(item) => items.push(item),
                Err(Reported) if self.errors >= MAX_ERRORS => return Err(Reported),
                Err(Reported) => {
                    self.typedefs.close_to(scope + 1);
                    self.recover(item_start);
                }
            }
        }
        let end = self.expect_close(RBrace, open)?.span();
        self.typedefs.close_to(scope);
        let span = self.span_from(start);
        Ok(Block { items, span, end })
    }

    fn block_item(&mut self) -> Parsed<BlockItem> {
        match self.kind() {
            KwStaticAssert => Ok(BlockItem::StaticAssert(self.static_assert()?)),
            KwLabel => self.local_labels(),
            Ident if self.ahead_kind(1) == Colon => self.statement().map(BlockItem::Stmt),
            Ident if self.ahead_kind(1) == Ident && !self.at_declaration(0) => {
                let name = self.found();
                let message = format!("unknown type name {name}");
                let hint = "include the header that defines it";
                let diagnostic = Diagnostic::error(self.token().span(), message).hint(hint);
                Err(self.report(diagnostic))
            }
            _ if self.at_declaration(0) => self.block_declaration(),
            _ => self.statement().map(BlockItem::Stmt),
        }
    }

    /// `__label__ a, b;`
    fn local_labels(&mut self) -> Parsed<BlockItem> {
        self.bump();
        let mut names = Vec::new();
        loop {
            names.push(self.ident()?);
            if !self.eat(Comma) {
                break;
            }
        }
        self.expect_semi()?;
        Ok(BlockItem::LocalLabels(names))
    }

    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        self.nested(|p| {
            let scope = p.typedefs.depth();
            let statement = p.labelled()?;
            p.typedefs.close_to(scope);
            Ok(statement)
        })
    }

    /// A statement with all labels before it, read in a loop: `case`s come by the hundred.
    fn labelled(&mut self) -> Parsed<Stmt> {
        self.chain(|p| {
            let mut labels = Vec::new();
            while let Some(label) = p.label()? {
                labels.push(label);
                p.link()?;
            }
            let labelled = !labels.is_empty();
            // A label may also stand before a declaration or at the end of a block.
            let mut stmt = if labelled && (p.kind() == RBrace || p.at_block_only()) {
                let end = p.previous();
                Stmt {
                    kind: StmtKind::Empty,
                    span: Span::new(end.hi, end.hi),
                }
            } else {
                p.unlabelled()?
            };
            while let Some((span, label)) = labels.pop() {
                let span = span.to(stmt.span);
                let body = Box::new(stmt);
                let kind = match label {
                    Label::Case(lo, hi) => StmtKind::Case { lo, hi, body },
                    Label::Default => StmtKind::Default(body),
                    Label::Name(name) => StmtKind::Label { name, body },
                };
                stmt = Stmt { kind, span };
            }
            Ok(stmt)
        })
    }

    /// Whether something stands here that only a block can hold.
    fn at_block_only(&self) -> bool {
        match self.kind() {
            Ident if self.ahead_kind(1) == Colon => false,
            KwStaticAssert | KwLabel => true,
            _ => self.at_declaration(0),
        }
    }

    /// One label with its colon and attributes, if one is here.
    fn label(&mut self) -> Parsed<Option<(Span, Label)>> {
        let start = self.at;
        let attributes = self.attributes_end(0);
        let label = match self.ahead_kind(attributes) {
            KwCase | KwDefault => true,
            Ident => self.ahead_kind(attributes + 1) == Colon,
            _ => false,
        };
        if !label {
            return Ok(None);
        }
        self.attributes(&mut Vec::new())?;
        let label = match self.kind() {
            KwCase => {
                self.bump();
                let lo = self.conditional()?;
                let hi = match self.eat(Ellipsis) {
                    true => Some(self.conditional()?),
                    false => None,
                };
                Label::Case(lo, hi)
            }
            KwDefault => {
                self.bump();
                Label::Default
            }
            _ => Label::Name(ident_of(self.bump())),
        };
        self.expect(Colon)?;
        let span = self.span_from(start);
        // Attributes of a label, unless they begin a declaration or another label.
        if self.kind() == KwAttribute && !self.at_declaration(0) {
            self.attributes(&mut Vec::new())?;
        }
        Ok(Some((span, label)))
    }

    fn unlabelled(&mut self) -> Parsed<Stmt> {
        if self.at_attribute() && !self.at_declaration(0) {
            self.attributes(&mut Vec::new())?;
        }
        let start = self.at;
        let kind = match self.kind() {
            Semi => {
                self.bump();
                StmtKind::Empty
            }
            LBrace => StmtKind::Block(self.block()?),
            KwIf => return self.if_statement(),
            KwWhile => {
                self.bump();
                let cond = self.condition()?;
                let body = Box::new(self.statement()?);
                StmtKind::While { cond, body }
            }
            KwDo => {
                self.bump();
                let body = Box::new(self.statement()?);
                self.expect(KwWhile)?;
                let cond = self.condition()?;
                self.expect_semi()?;
                StmtKind::DoWhile { body, cond }
            }
            KwFor => self.for_statement()?,
            KwSwitch => {
                self.bump();
                let on = self.condition()?;
                let body = Box::new(self.statement()?);
                StmtKind::Switch { on, body }
            }
            KwGoto => {
                self.bump();
                let kind = match self.eat(Star) {
                    true => StmtKind::ComputedGoto(self.expr()?),
                    false => StmtKind::Goto(self.ident()?),
                };
                self.expect_semi()?;
                kind
            }
            KwBreak => {
                self.bump();
                self.expect_semi()?;
                StmtKind::Break
            }
            KwContinue => {
                self.bump();
                self.expect_semi()?;
                StmtKind::Continue
            }
            KwReturn => {
                self.bump();
                let value = match self.kind() {
                    Semi => None,
                    _ => Some(self.expr()?),
                };
                self.expect_semi()?;
                StmtKind::Return(value)
            }
            KwAsm => StmtKind::Asm(Box::new(self.asm_statement()?)),
            _ if self.at_block_only() => {
                let message = "a declaration needs braces here";
                return Err(self.error(self.token().span(), message));
            }
            KwElse => {
                let message = "`else` without an `if` before it";
                return Err(self.error(self.token().span(), message));
            }
            _ => {
                let value = self.expr()?;
                self.expect_semi()?;
                StmtKind::Expr(value)
            }
        };
        let span = self.span_from(start);
        Ok(Stmt { kind, span })
    }

    /// `(e)` after a keyword; its scope is the statement's.
    fn condition(&mut self) -> Parsed<Expr> {
        let open = self.expect(LParen)?;
        self.typedefs.open();
        let condition = self.expr()?;
        self.expect_close(RParen, open)?;
        Ok(condition)
    }

    /// `if … else if … else`, in a loop: tools write thousands of them in a row.
    fn if_statement(&mut self) -> Parsed<Stmt> {
        self.chain(|p| {
            let mut arms = Vec::new();
            let mut els = None;
            loop {
                let start = p.at;
                p.expect(KwIf)?;
                let cond = p.condition()?;
                let then = Box::new(p.statement()?);
                arms.push((start, cond, then));
                p.link()?;
                if !p.eat(KwElse) {
                    break;
                }
                if p.kind() != KwIf {
                    els = Some(Box::new(p.statement()?));
                    break;
                }
            }
            let (start, cond, then) = arms.pop().expect("one `if` at least");
            let span = p.span_from(start);
            let kind = StmtKind::If { cond, then, els };
            let mut stmt = Stmt { kind, span };
            while let Some((start, cond, then)) = arms.pop() {
                let span = p.span_from(start);
                let els = Some(Box::new(stmt));
                let kind = StmtKind::If { cond, then, els };
                stmt = Stmt { kind, span };
            }
            Ok(stmt)
        })
    }

    fn for_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.expect(LParen)?;
        self.typedefs.open();
        let init = if self.eat(Semi) {
            ForInit::None
        } else if self.at_declaration(0) {
            ForInit::Declaration(self.declaration()?)
        } else {
            let init = self.expr()?;
            self.expect_semi()?;
            ForInit::Expr(init)
        };
        let cond = match self.kind() {
            Semi => None,
            _ => Some(self.expr()?),
        };
        self.expect_semi()?;
        let step = match self.kind() {
            RParen => None,
            _ => Some(self.expr()?),
        };
        self.expect_close(RParen, open)?;
        let body = Box::new(self.statement()?);
        Ok(StmtKind::For {
            init,
            cond,
            step,
            body,
        })
    }
}
