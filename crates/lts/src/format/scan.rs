//! A position in a text that is read as a whole, for the formats that are more than lines.

use super::error::{ReadError, shown};
use super::input::position;
use cwolf_base::Budget;

/// Deeper nesting than this is refused, so that skipping a value cannot overflow the stack.
pub(crate) const MAX_DEPTH: usize = 256;

pub(crate) struct Scanner<'a> {
    file: &'a str,
    text: &'a str,
    at: usize,
    comment: &'static str,
    budget: Option<&'a Budget>,
    /// How many numbers and strings were read.
    items: u64,
}

impl<'a> Scanner<'a> {
    /// At the start of `text`, in which a comment runs from `comment` to the end of the line.
    pub(crate) fn new(file: &'a str, text: &'a str, comment: &'static str) -> Scanner<'a> {
        Scanner {
            file,
            text,
            at: 0,
            comment,
            budget: None,
            items: 0,
        }
    }
    /// The same, which stops when the budget runs out.
    pub(crate) fn within(mut self, budget: &'a Budget) -> Scanner<'a> {
        self.budget = Some(budget);
        self
    }
    /// How long the text is.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }
    fn count(&mut self) -> Result<(), ReadError> {
        self.items += 1;
        match self.budget {
            Some(budget) if self.items.is_multiple_of(1 << 18) => budget
                .check_but_steps()
                .map_err(|e| ReadError::stopped(self.file, e)),
            _ => Ok(()),
        }
    }
    pub(crate) fn at(&self) -> usize {
        self.at
    }
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    /// Skips spaces and comments.
    pub(crate) fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if self.comment.is_empty() || !trimmed.starts_with(self.comment) {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }
    pub(crate) fn at_end(&mut self) -> bool {
        self.space();
        self.at == self.text.len()
    }
    /// The next character that is not space, without taking it.
    pub(crate) fn peek(&mut self) -> Option<char> {
        self.space();
        self.rest().chars().next()
    }
    /// Takes `token` if it is next.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }
    pub(crate) fn expect(&mut self, token: &str) -> Result<(), ReadError> {
        match self.eat(token) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{token}`"))),
        }
    }
    /// The longest stretch of characters that satisfy `of`; may be empty.
    pub(crate) fn word(&mut self, of: impl Fn(char) -> bool) -> &'a str {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c| !of(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
    /// A number below 2^32-1.
    pub(crate) fn number(&mut self, what: &str) -> Result<u32, ReadError> {
        self.count()?;
        self.space();
        let start = self.at;
        let digits = self.word(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected(&format!("{what}, a number")));
        }
        match digits.parse::<u32>() {
            Ok(n) if n < u32::MAX => Ok(n),
            _ => Err(self.error_at(
                start,
                format!("the number {} is too large", shown(digits.as_bytes())),
            )),
        }
    }
    /// The rest of a string after its opening quote, with the usual backslash escapes.
    pub(crate) fn string(&mut self) -> Result<String, ReadError> {
        self.count()?;
        let open = self.at;
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            let mut chars = self.rest().chars();
            let Some(c) = chars.next() else {
                return Err(self.error_at(open, "this string does not end"));
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\\' => {
                    let escaped = self.escape()?;
                    text.push(escaped);
                }
                c => text.push(c),
            }
        }
    }
    fn escape(&mut self) -> Result<char, ReadError> {
        let start = self.at - 1;
        let Some(c) = self.rest().chars().next() else {
            return Err(self.error_at(start, "this string does not end"));
        };
        self.at += c.len_utf8();
        Ok(match c {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let high = self.hex4(start)?;
                let code = if (0xD800..0xDC00).contains(&high) && self.rest().starts_with("\\u") {
                    self.at += 2;
                    let low = self.hex4(start)?;
                    0x10000 + ((high - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF)
                } else {
                    high
                };
                char::from_u32(code)
                    .ok_or_else(|| self.error_at(start, "this escape is not a character"))?
            }
            c => c,
        })
    }
    fn hex4(&mut self, start: usize) -> Result<u32, ReadError> {
        let digits = self
            .rest()
            .get(..4)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let digits =
            digits.ok_or_else(|| self.error_at(start, "expected four hexadecimal digits"))?;
        self.at += 4;
        Ok(u32::from_str_radix(digits, 16).expect("four hexadecimal digits"))
    }
    pub(crate) fn error_at(&self, at: usize, message: impl Into<String>) -> ReadError {
        let (line, column) = position(&self.text.as_bytes()[..at]);
        ReadError::at(self.file, line, column, message)
    }
    pub(crate) fn expected(&mut self, what: &str) -> ReadError {
        self.space();
        let found = match self.rest().chars().next() {
            None => "the end of the text".to_owned(),
            Some(_) => {
                let rest = self.rest();
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                shown(&rest.as_bytes()[..end])
            }
        };
        self.error_at(self.at, format!("expected {what}, found {found}"))
    }
}

/// `text` between quotes, with the escapes that [`Scanner::string`] undoes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
