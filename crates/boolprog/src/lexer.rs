//! Tokens, made on demand: only the parser knows whether `{` opens a block or an identifier.

use crate::names;
use cwolf_base::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A plain identifier or keyword.
    Word,
    Number,
    /// An operator or bracket; `{` is always one character.
    Symbol(&'static str),
    /// A character or stretch that no token starts with.
    Bad,
    End,
}

/// Longest first.
const SYMBOLS: &[&str] = &[
    "<=>", "==>", ":=", "==", "!=", "&&", "||", "->", "=>", "(", ")", "{", "}", "[", "]", ",", ";",
    ":", "=", "!", "~", "&", "|", "^", "*", "<", ">", "'", "?",
];

pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// What is added to an offset into `text` to make a span.
    start: u32,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, start: u32) -> Lexer<'a> {
        // Some editors begin a text with a byte-order mark.
        let mark = text.starts_with('\u{feff}').then_some('\u{feff}');
        Lexer {
            text,
            start,
            at: mark.map_or(0, char::len_utf8),
        }
    }
    pub(crate) fn text(&self, span: Span) -> &'a str {
        &self.text[(span.lo - self.start) as usize..(span.hi - self.start) as usize]
    }
    fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.start + lo as u32, self.start + hi as u32)
    }
    /// The next token; comments and white space before it are skipped.
    pub(crate) fn next(&mut self) -> (Token, Span) {
        self.skip_blanks();
        let (lo, rest) = (self.at, &self.text[self.at..]);
        let Some(first) = rest.chars().next() else {
            return (Token::End, self.span(lo, lo));
        };
        if rest.starts_with("/*") {
            // Nothing is left outside of it.
            self.at = self.text.len();
            return (Token::Bad, self.span(lo, lo + 2));
        }
        let word = names::plain_length(rest);
        let (token, length) = if word > 0 {
            (Token::Word, word)
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !names::continues_name(c));
            (Token::Number, end.unwrap_or(rest.len()))
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            (Token::Symbol(symbol), symbol.len())
        } else {
            (Token::Bad, first.len_utf8())
        };
        self.at += length;
        (token, self.span(lo, self.at))
    }
    /// Reads an identifier in braces whose `{` is at `brace`: the text between the braces.
    pub(crate) fn braced(&mut self, brace: Span) -> Option<(&'a str, Span)> {
        let lo = (brace.hi - self.start) as usize;
        let length = names::braced_length(&self.text[lo..])?;
        self.at = lo + length + 1;
        let span = self.span(lo - 1, self.at);
        Some((self.text[lo..lo + length].trim(), span))
    }
    /// Goes on reading at the offset `at`.
    pub(crate) fn seek(&mut self, at: u32) {
        self.at = (at - self.start) as usize;
    }
    /// The text of a `//` comment that follows `after` on the same line.
    pub(crate) fn trailing_comment(&self, after: Span) -> Option<&'a str> {
        let rest = &self.text[(after.hi - self.start) as usize..];
        let line = rest.split(['\n', '\r']).next().unwrap_or("");
        line.trim_start().strip_prefix("//")
    }
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            let rest = &rest[blank..];
            self.at += blank;
            self.at += if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                match comment.find("*/") {
                    Some(end) => end + 4,
                    // It is a token of its own, so that the parser complains.
                    None => return,
                }
            } else if rest.starts_with('#') {
                // Line marks of a preprocessor.
                rest.find('\n').unwrap_or(rest.len())
            } else {
                return;
            };
        }
    }
}

/// The static spelling of `symbol`.
pub(crate) fn symbol(symbol: &str) -> &'static str {
    SYMBOLS
        .iter()
        .find(|s| **s == symbol)
        .expect("a symbol of the language")
}
