//! Words, numbers and signs of CCS files and formulas.
//!
//! A sign is one character: what looks like a longer one (`/\`, `<<`, `->`) is put together by
//! the parser, because `<->` must not become `<` and `->`.

use cwolf_base::{Diagnostic, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word(String),
    Number(u32),
    /// A label in double quotes.
    Text(String),
    Sign(char),
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

impl Token {
    /// How a message names it.
    pub(crate) fn shown(&self) -> String {
        match &self.kind {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Number(n) => format!("`{n}`"),
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Sign(c) => format!("`{c}`"),
            Kind::End => "the end".to_owned(),
        }
    }
}

/// The tokens of `text`, whose first byte has the offset `start`; the last one is the end.
pub(crate) fn tokens(text: &str, start: u32) -> Result<Vec<Token>, Diagnostic> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let span = |len: usize| Span::new(start + at as u32, start + (at + len) as u32);
        let word = |keep: fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let (kind, len) = match c {
            _ if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '*' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '(' if rest.starts_with("(*") => match rest.find("*)") {
                Some(end) => {
                    at += end + 2;
                    continue;
                }
                None => return Err(Diagnostic::error(span(2), "this comment does not end")),
            },
            _ if c.is_ascii_digit() => {
                let len = word(|c| c.is_ascii_digit());
                let number = rest[..len].parse();
                let number =
                    number.map_err(|_| Diagnostic::error(span(len), "this number is too large"))?;
                (Kind::Number(number), len)
            }
            _ if c.is_ascii_alphabetic() || c == '_' => {
                let len = word(|c| c.is_ascii_alphanumeric() || c == '_');
                (Kind::Word(rest[..len].to_owned()), len)
            }
            '"' => quoted(rest)
                .ok_or_else(|| Diagnostic::error(span(1), "this label has no closing quote"))?,
            // Copies of the thesis have typographic quotes.
            '\u{2018}' => (Kind::Sign('`'), c.len_utf8()),
            '\u{2019}' => (Kind::Sign('\''), c.len_utf8()),
            _ if "=.+|\\{}[]<>(),/:'`-~&".contains(c) => (Kind::Sign(c), 1),
            _ => {
                let message = format!("`{}` has no meaning here", c.escape_debug());
                let error = Diagnostic::error(span(c.len_utf8()), message);
                return Err(match c {
                    '!' => {
                        error.hint("negation is `not`, and an action stands in braces: `G not {a}`")
                    }
                    _ => error,
                });
            }
        };
        list.push(Token {
            kind,
            span: span(len),
        });
        at += len;
    }
    let end = start + text.len() as u32;
    list.push(Token {
        kind: Kind::End,
        span: Span::new(end, end),
    });
    Ok(list)
}

/// A label in double quotes, with `\"` and `\\`, and how many bytes it takes.
fn quoted(rest: &str) -> Option<(Kind, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Kind::Text(text), at + 1)),
            '\n' => return None,
            '\\' => text.push(chars.next()?.1),
            _ => text.push(c),
        }
    }
    None
}
