//! Tokens to syntax trees: recursive descent, one external declaration at a time.
//!
//! A function that meets a syntax error reports it and returns [`Reported`]; the nearest block or
//! the file level skips to the end of the broken piece and goes on. Recursion is limited by
//! [`MAX_DEPTH`], and the height of what loops build (`a + b + c + …`) by [`MAX_HEIGHT`], so that
//! whoever walks the tree after us needs a bounded stack.

mod asm;
mod attribute;
mod decl;
mod declarator;
mod expr;
mod groups;
mod init;
mod primary;
#[cfg(test)]
mod print;
mod record;
mod scope;
mod spec;
mod stmt;
#[cfg(test)]
mod tests;

pub(crate) use groups::Group;

use crate::ast::{External, Ident};
use crate::lex::{Token, TokenKind, Tokens};
use crate::session::Session;
use TokenKind::*;
use cwolf_base::{Diagnostic, Span};
use scope::Typedefs;

/// How deep parentheses, blocks, declarators and initialisers may nest.
const MAX_DEPTH: u32 = 5_000;
/// How high a tree of operators, `else if`s or `case`s in a row may grow.
const MAX_HEIGHT: u32 = 12_000;
/// After so many syntax errors the rest of the file is not read.
const MAX_ERRORS: usize = 50;

/// A syntax error happened and the user was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Reads one file's tokens.
#[derive(Debug)]
pub(crate) struct Parser {
    tokens: Tokens,
    at: usize,
    typedefs: Typedefs,
    depth: u32,
    /// The height of the highest tree since the innermost caller that asked.
    height: u32,
    errors: usize,
    /// The caller's session, lent for the time of one call.
    session: Session,
}

impl Parser {
    pub fn new(tokens: Tokens) -> Parser {
        Parser {
            tokens,
            at: 0,
            typedefs: Typedefs::default(),
            depth: 0,
            height: 0,
            errors: 0,
            session: Session::default(),
        }
    }

    /// The next external declaration without a syntax error; `None` at the end of the file or
    /// when there were too many errors.
    pub fn next_external(&mut self, session: &mut Session) -> Option<External> {
        std::mem::swap(&mut self.session, session);
        let external = self.externals();
        std::mem::swap(&mut self.session, session);
        external
    }

    fn externals(&mut self) -> Option<External> {
        loop {
            while self.eat(Semi) {}
            if self.kind() == Eof {
                return None;
            }
            let start = self.at;
            let parsed = self.external();
            self.typedefs.close_to(0);
            self.height = 0;
            match parsed {
                Ok(external) => return Some(external),
                Err(Reported) if self.errors >= MAX_ERRORS => {
                    let span = self.token().span();
                    self.session.error(span, "too many syntax errors");
                    self.at = self.tokens.list.len() - 1;
                    return None;
                }
                Err(Reported) => {
                    self.recover(start);
                    // A brace too many must not stop the rest from being read.
                    if self.kind() == RBrace {
                        self.bump();
                    }
                }
            }
        }
    }

    fn token(&self) -> Token {
        self.tokens.list[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.tokens.list[self.at].kind
    }

    /// The token `n` places ahead; the end of the file goes on for ever.
    fn ahead(&self, n: usize) -> Token {
        let last = self.tokens.list.len() - 1;
        self.tokens.list[(self.at + n).min(last)]
    }

    fn ahead_kind(&self, n: usize) -> TokenKind {
        self.ahead(n).kind
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != Eof {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.kind() == kind {
            return Ok(self.bump());
        }
        Err(self.expected(kind.describe()))
    }

    /// Expects `kind`, which closes what `open` began.
    fn expect_close(&mut self, kind: TokenKind, open: Token) -> Parsed<Token> {
        if self.kind() == kind {
            return Ok(self.bump());
        }
        let found = self.found();
        let message = format!("expected {}, found {found}", kind.describe());
        let diagnostic = Diagnostic::error(self.token().span(), message)
            .related(open.span(), "to match this".to_string());
        Err(self.report(diagnostic))
    }

    /// Expects the `;` after something; the message points at that something's end.
    fn expect_semi(&mut self) -> Parsed<()> {
        if self.eat(Semi) {
            return Ok(());
        }
        let end = self.previous();
        let message = format!("expected `;` after this, found {}", self.found());
        Err(self.report(Diagnostic::error(end, message)))
    }

    fn ident(&mut self) -> Parsed<Ident> {
        let token = self.expect(Ident)?;
        Ok(ident_of(token))
    }

    /// How a message names the token here.
    fn found(&self) -> String {
        let token = self.token();
        match token.kind {
            Eof => "the end of the file".into(),
            _ => {
                let text = self.tokens.text(token);
                let mut shown: String = text.chars().take(40).collect();
                if shown.len() < text.len() {
                    shown.push('…');
                }
                format!("`{shown}`")
            }
        }
    }

    fn expected(&mut self, what: &str) -> Reported {
        let message = format!("expected {what}, found {}", self.found());
        self.error(self.token().span(), message)
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(span, message))
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.errors += 1;
        self.session.diagnostics.push(diagnostic);
        Reported
    }

    /// The last token that was read.
    fn previous(&self) -> Span {
        self.tokens.list[self.at.saturating_sub(1)].span()
    }

    /// From the token at index `start` to the last one read.
    fn span_from(&self, start: usize) -> Span {
        let first = self.tokens.list[start].span();
        if self.at > start {
            first.to(self.previous())
        } else {
            Span::new(first.lo, first.lo)
        }
    }

    /// Runs `parse` one level deeper, if that is not too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(self.error(self.token().span(), message));
        }
        self.depth += 1;
        let before = std::mem::take(&mut self.height);
        let parsed = parse(self);
        self.height = before.max(self.height + 1);
        self.depth -= 1;
        parsed
    }

    /// Runs `parse`, in which [`link`](Self::link) is called for each round of a loop that makes
    /// its tree higher.
    fn chain<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        let before = std::mem::take(&mut self.height);
        let parsed = parse(self);
        self.height = before.max(self.height);
        parsed
    }

    fn link(&mut self) -> Parsed<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT {
            let message = format!("more than {MAX_HEIGHT} operators or labels in a row");
            return Err(self.error(self.token().span(), message));
        }
        Ok(())
    }

    /// Skips what is left of the broken piece that began at token `start`: to its `;` or closing
    /// brace, but not past a brace that closes something around it.
    fn recover(&mut self, start: usize) {
        let mut open: usize = 0;
        for token in &self.tokens.list[start..self.at] {
            match token.kind {
                LBrace => open += 1,
                RBrace => open = open.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.kind() {
                Eof => return,
                LBrace => open += 1,
                RBrace if open == 0 => return,
                RBrace => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        // What was a struct ends in `;`, perhaps after names; a body does not.
                        if matches!(self.kind(), Semi | Comma | Assign | RParen | RBracket) {
                            continue;
                        }
                        return;
                    }
                }
                Semi if open == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a balanced group; the opening token is here.
    fn skip_group(&mut self) {
        let mut open = 0;
        loop {
            match self.bump().kind {
                Eof => return,
                LParen | LBracket | LBrace => open += 1,
                RParen | RBracket | RBrace => {
                    open -= 1;
                    if open <= 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}

fn ident_of(token: Token) -> Ident {
    Ident {
        name: token.name,
        span: token.span(),
    }
}
