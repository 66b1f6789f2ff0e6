//! Text to tokens. Line markers move positions in the source map, `#pragma pack` becomes a list
//! of states, and everything else that is not C proper disappears here.
//!
//! A literal stays a stretch of text until the parser asks for its value ([`literal`],
//! [`number`]), so that a token is sixteen bytes and most of a header costs nothing.

mod directive;
mod kind;
pub(crate) mod literal;
pub(crate) mod number;
mod scan;
mod splice;
#[cfg(test)]
mod tests;

use crate::session::Session;
use cwolf_base::{Span, Symbol};
use std::sync::Arc;

pub(crate) use kind::TokenKind;

/// One token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    /// First byte, in the source map.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
    /// The name of an identifier or keyword.
    pub name: Symbol,
}

impl Token {
    pub fn span(self) -> Span {
        Span::new(self.lo, self.hi)
    }
}

/// A whole file as tokens; the last is always [`TokenKind::Eof`].
#[derive(Debug)]
pub(crate) struct Tokens {
    pub list: Vec<Token>,
    /// From this token on, `#pragma pack` has this value.
    pub packs: Vec<(u32, Option<u64>)>,
    text: Arc<str>,
    start: u32,
}

impl Tokens {
    /// The text of `token`.
    pub fn text(&self, token: Token) -> &str {
        let at = |offset: u32| (offset - self.start) as usize;
        &self.text[at(token.lo)..at(token.hi)]
    }
    /// The `#pragma pack` alignment in force at the token with index `at`.
    pub fn pack_at(&self, at: usize) -> Option<u64> {
        let after = self.packs.partition_point(|&(from, _)| from as usize <= at);
        self.packs.get(after.checked_sub(1)?)?.1
    }
}

/// Adds `text` to the source map and cuts it into tokens.
///
/// Bytes that are not UTF-8 must have been made characters by
/// [`decode`](crate::preprocess::decode); strings get them back as they were.
pub(crate) fn lex(session: &mut Session, name: &str, text: Arc<str>) -> Tokens {
    let text = splice::splice(text);
    let start = session.sources.add(name, text.clone());
    let (list, packs) = scan::Scanner::new(session, name, &text, start).run();
    Tokens {
        list,
        packs,
        text,
        start,
    }
}
