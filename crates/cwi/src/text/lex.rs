//! Cuts the text form into tokens.

use cwolf_base::{Diagnostic, Span};

/// A token without its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// A word that is not quoted: a keyword, type, block or name.
    Word(Box<str>),
    /// The contents of a quoted string.
    Quoted(Box<[u8]>),
    /// A number, still as text.
    Number(Box<str>),
    /// `r#1`
    Reg(u32),
    /// An operator or bracket.
    Punct(&'static str),
    /// After the last.
    End,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    /// For a name: the number after its `.`, or 0. For `@`: the number of its file.
    pub number: u32,
    pub span: Span,
}

/// Longest first, so that `<<` is not two `<`.
const PUNCTS: [&str; 38] = [
    "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "..", "+", "-", "*", "/", "%",
    "&", "|", "^", "<", ">", "!", "~", "=", "(", ")", "[", "]", "{", "}", ":", ",", ".", "#", "@",
    ";", "?", "$",
];

/// The tokens of `text`, whose first byte has offset `start`.
pub(super) fn lex(text: &str, start: u32) -> Result<Vec<Token>, Box<Diagnostic>> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        at: 0,
        start,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let token = lexer.token()?;
        let end = token.tok == Tok::End;
        tokens.push(token);
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    start: u32,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }
    fn span(&self, lo: usize) -> Span {
        Span::new(self.start + lo as u32, self.start + self.at as u32)
    }
    fn skip_space(&mut self) {
        loop {
            if self.peek(0) == b'/' && self.peek(1) == b'/' {
                while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
                    self.at += 1;
                }
            } else if self.peek(0).is_ascii_whitespace() {
                self.at += 1;
            } else {
                return;
            }
        }
    }
    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> Box<str> {
        let lo = self.at;
        while self.at < self.bytes.len() && wanted(self.bytes[self.at]) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.bytes[lo..self.at]).into()
    }
    fn digits(&mut self, lo: usize) -> Result<u32, Box<Diagnostic>> {
        let digits = self.take(|b| b.is_ascii_digit());
        digits
            .parse()
            .map_err(|_| Box::new(Diagnostic::error(self.span(lo), "this number is too large")))
    }

    fn token(&mut self) -> Result<Token, Box<Diagnostic>> {
        let lo = self.at;
        let mut number = 0;
        let tok = match self.peek(0) {
            _ if self.at >= self.bytes.len() => Tok::End,
            b'r' if self.peek(1) == b'#' && self.peek(2).is_ascii_digit() => {
                self.at += 2;
                Tok::Reg(self.digits(lo)?)
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                let word = self.take(|b| b.is_ascii_alphanumeric() || b == b'_');
                number = self.suffix(lo)?;
                Tok::Word(word)
            }
            b'"' => {
                let bytes = self.quoted()?;
                number = self.suffix(lo)?;
                Tok::Quoted(bytes.into())
            }
            b if b.is_ascii_digit() => Tok::Number(self.number()),
            _ => {
                let rest = &self.bytes[self.at..];
                match PUNCTS.iter().find(|p| rest.starts_with(p.as_bytes())) {
                    Some(punct) => {
                        self.at += punct.len();
                        Tok::Punct(punct)
                    }
                    None => {
                        // Take the whole character, not just its first byte.
                        self.at += 1;
                        while self.peek(0) & 0xc0 == 0x80 {
                            self.at += 1;
                        }
                        let message = "this character does not occur in the text form";
                        let error = Diagnostic::error(self.span(lo), message);
                        return Err(Box::new(
                            error.hint("put names with odd characters in quotes"),
                        ));
                    }
                }
            }
        };
        Ok(Token {
            tok,
            number,
            span: self.span(lo),
        })
    }

    /// The number after a name: `.1`.
    fn suffix(&mut self, lo: usize) -> Result<u32, Box<Diagnostic>> {
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            return self.digits(lo);
        }
        Ok(0)
    }

    fn number(&mut self) -> Box<str> {
        let lo = self.at;
        if self.peek(0) == b'0' && self.peek(1) == b'x' {
            self.at += 2;
            self.take(|b| b.is_ascii_hexdigit());
        } else {
            self.take(|b| b.is_ascii_digit());
            if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
                self.at += 1;
                self.take(|b| b.is_ascii_digit());
            }
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if matches!(self.peek(0), b'e' | b'E') && self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.take(|b| b.is_ascii_digit());
            }
        }
        String::from_utf8_lossy(&self.bytes[lo..self.at]).into()
    }

    fn quoted(&mut self) -> Result<Vec<u8>, Box<Diagnostic>> {
        let lo = self.at;
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let b = self.peek(0);
            if self.at >= self.bytes.len() || b == b'\n' {
                let error = Diagnostic::error(self.span(lo), "this string does not end");
                return Err(Box::new(error.hint("close it with `\"` on the same line")));
            }
            self.at += 1;
            match b {
                b'"' => return Ok(out),
                b'\\' => {
                    let escape = self.at - 1;
                    let c = self.peek(0);
                    self.at += 1;
                    let hex = |b: u8| (b as char).to_digit(16);
                    match (c, hex(self.peek(0)), hex(self.peek(1))) {
                        (b'"' | b'\\', ..) => out.push(c),
                        (b'n', ..) => out.push(b'\n'),
                        (b'x', Some(high), Some(low)) => {
                            self.at += 2;
                            out.push((high * 16 + low) as u8);
                        }
                        _ => {
                            self.at = self.at.min(self.bytes.len());
                            let span = self.span(escape);
                            let error = Diagnostic::error(span, "there is no such escape");
                            let hint = "the escapes are \\n, \\\", \\\\ and \\x with two digits";
                            return Err(Box::new(error.hint(hint)));
                        }
                    }
                }
                b => out.push(b),
            }
        }
    }
}
