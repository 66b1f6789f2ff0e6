//! The scanner: one pass over the bytes.

use super::{Token, TokenKind, directive::Lines, kind};
use crate::preprocess::raw_byte;
use crate::session::{Session, Standard};
use TokenKind::*;
use cwolf_base::{Diagnostic, Span, Symbol};

/// More mistakes than this in one file are not worth reading.
const MAX_ERRORS: usize = 20;

pub(super) struct Scanner<'a> {
    pub(super) session: &'a mut Session,
    pub(super) text: &'a str,
    bytes: &'a [u8],
    start: u32,
    pub(super) at: usize,
    tokens: Vec<Token>,
    /// The kind of each symbol that is a keyword, by the symbol's number.
    keywords: Vec<TokenKind>,
    pragma: Symbol,
    pub(super) lines: Lines,
    packs: Vec<(u32, Option<u64>)>,
    pack_stack: Vec<(Option<String>, Option<u64>)>,
    pack: Option<u64>,
    separators: bool,
    errors: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(session: &'a mut Session, name: &str, text: &'a str, start: u32) -> Scanner<'a> {
        let mut keywords = Vec::new();
        for (text, kind) in kind::keywords(&session.options) {
            let symbol = session.names.intern(text).0 as usize;
            if keywords.len() <= symbol {
                keywords.resize(symbol + 1, Ident);
            }
            keywords[symbol] = kind;
        }
        let pragma = session.names.intern("_Pragma");
        Scanner {
            separators: session.options.standard >= Standard::C23,
            session,
            text,
            bytes: text.as_bytes(),
            start,
            at: 0,
            // Preprocessed C has about one token in five bytes, if blank lines are not counted.
            tokens: Vec::with_capacity(text.len() / 8 + 1),
            keywords,
            pragma,
            lines: Lines::new(name),
            packs: Vec::new(),
            pack_stack: Vec::new(),
            pack: None,
            errors: 0,
        }
    }

    pub fn run(mut self) -> (Vec<Token>, Vec<(u32, Option<u64>)>) {
        // A byte order mark is not part of the text.
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        let mut line_start = true;
        loop {
            self.blanks(&mut line_start);
            let Some(&byte) = self.bytes.get(self.at) else {
                break;
            };
            // `%:` is the digraph of `#`.
            if line_start && (byte == b'#' || byte == b'%' && self.peek(1) == Some(b':')) {
                self.directive();
                continue;
            }
            line_start = false;
            self.token(byte);
        }
        let end = self.offset(self.bytes.len());
        self.tokens.push(Token {
            kind: Eof,
            lo: end,
            hi: end,
            name: Symbol(0),
        });
        (self.tokens, self.packs)
    }

    pub(super) fn offset(&self, at: usize) -> u32 {
        self.start + at as u32
    }

    pub(super) fn error(&mut self, from: usize, to: usize, message: &str, hint: &str) {
        self.errors += 1;
        if self.errors <= MAX_ERRORS {
            let span = Span::new(self.offset(from), self.offset(to));
            let mut diagnostic = Diagnostic::error(span, message);
            if !hint.is_empty() {
                diagnostic = diagnostic.hint(hint);
            }
            self.session.diagnostics.push(diagnostic);
        }
    }

    fn peek(&self, n: usize) -> Option<u8> {
        self.bytes.get(self.at + n).copied()
    }

    /// Skips white space and comments; sets `line_start` past a newline.
    fn blanks(&mut self, line_start: &mut bool) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    *line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => self.at += 1,
                b'/' if self.peek(1) == Some(b'/') => self.at = self.line_end(),
                b'/' if self.peek(1) == Some(b'*') => {
                    let from = self.at;
                    match self.text[from + 2..].find("*/") {
                        Some(n) => self.at = from + n + 4,
                        None => {
                            self.at = self.bytes.len();
                            self.error(from, from + 2, "unterminated comment", "end it with `*/`");
                        }
                    }
                }
                _ => break,
            }
        }
    }

    /// The end of the current line, before its newline.
    pub(super) fn line_end(&self) -> usize {
        self.text[self.at..]
            .find('\n')
            .map_or(self.text.len(), |n| self.at + n)
    }

    /// `#pragma pack` with `text` inside its parentheses.
    pub(super) fn set_pack(&mut self, text: &str) {
        let mut words = text.split(',').map(str::trim).filter(|w| !w.is_empty());
        let number = |word: &str| word.parse::<u64>().ok().filter(|&n| n != 0);
        match words.next() {
            Some("push") => {
                let mut label = None;
                let before = self.pack;
                for word in words {
                    match word.parse::<u64>() {
                        Ok(_) => self.pack = number(word),
                        Err(_) => label = Some(word.to_owned()),
                    }
                }
                self.pack_stack.push((label, before));
            }
            Some("pop") => {
                let label = words.next();
                let named = |l: &Option<String>| l.is_some() && l.as_deref() == label;
                let at = match self.pack_stack.iter().rposition(|(l, _)| named(l)) {
                    Some(at) => Some(at),
                    None => self.pack_stack.len().checked_sub(1),
                };
                // As in gcc, a pop without a push changes nothing.
                if let Some(at) = at {
                    self.pack = self.pack_stack[at].1;
                    self.pack_stack.truncate(at);
                }
                if let Some(n) = label.and_then(number) {
                    self.pack = Some(n);
                }
            }
            Some(word) => self.pack = number(word),
            None => self.pack = None,
        }
        self.packs.push((self.tokens.len() as u32, self.pack));
    }

    fn push(&mut self, kind: TokenKind, from: usize) {
        self.tokens.push(Token {
            kind,
            lo: self.offset(from),
            hi: self.offset(self.at),
            name: Symbol(0),
        });
    }

    fn token(&mut self, byte: u8) {
        let from = self.at;
        match byte {
            b'L' | b'u' | b'U' if self.prefixed_literal() => {}
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.identifier(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'"' | b'\'' => self.quoted(from),
            b'\\' if matches!(self.peek(1), Some(b'u' | b'U')) => self.identifier(),
            0x80.. => match self.char_here() {
                Some(c) if is_name_char(c) => self.identifier(),
                Some(c) if c.is_whitespace() => self.at += c.len_utf8(),
                c => self.stray(c.map_or(1, char::len_utf8)),
            },
            _ => match punctuator(&self.bytes[from..]) {
                Some((kind, len)) => {
                    self.at += len;
                    self.push(kind, from);
                }
                None => self.stray(1),
            },
        }
    }

    fn stray(&mut self, len: usize) {
        let from = self.at;
        self.at += len;
        let first = self.text[from..self.at].chars().next();
        let what = match first.map(|c| (c, raw_byte(c))) {
            Some((_, Some(byte))) => format!("stray byte {byte:#04x} in the program"),
            Some((c, None)) => format!("stray `{}` in the program", c.escape_debug()),
            None => "stray byte in the program".to_owned(),
        };
        self.error(from, self.at, &what, "");
        self.push(Stray, from);
    }

    fn char_here(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Reads `L'x'`, `u8"x"` and the like, if one stands here.
    fn prefixed_literal(&mut self) -> bool {
        let from = self.at;
        let len = match (self.bytes[from], self.peek(1)) {
            (b'u', Some(b'8')) => 2,
            _ => 1,
        };
        if !matches!(self.peek(len), Some(b'"' | b'\'')) {
            return false;
        }
        self.at += len;
        self.quoted(from);
        true
    }

    /// A string or character constant; its opening quote is here, its prefix starts at `from`.
    fn quoted(&mut self, from: usize) {
        let quote = self.bytes[self.at];
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(&b) if b == quote => {
                    self.at += 1;
                    break;
                }
                // An escaped newline was spliced away before, so `\` always hides one character.
                Some(b'\\') if self.peek(1).is_some_and(|b| b != b'\n') => self.at += 2,
                Some(b'\n') | None => {
                    let what = if quote == b'"' {
                        "unterminated string"
                    } else {
                        "unterminated character constant"
                    };
                    self.error(from, self.at, what, "");
                    break;
                }
                Some(_) => self.at += 1,
            }
        }
        self.push(if quote == b'"' { Str } else { Char }, from);
    }

    fn number(&mut self) {
        let from = self.at;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'e' | b'E' | b'p' | b'P' => {
                    self.at += 1;
                    if matches!(self.peek(0), Some(b'+' | b'-')) {
                        self.at += 1;
                    }
                }
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => self.at += 1,
                b'\''
                    if self.separators
                        && self.peek(1).is_some_and(|b| b.is_ascii_alphanumeric()) =>
                {
                    self.at += 2;
                }
                _ => break,
            }
        }
        self.push(Number, from);
    }

    fn identifier(&mut self) {
        let from = self.at;
        while matches!(
            self.peek(0),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9' | b'$')
        ) {
            self.at += 1;
        }
        let name = match self.peek(0) {
            Some(b'\\' | 0x80..) => {
                self.at = from;
                let name = self.wide_name();
                if self.at == from {
                    return self.stray(1);
                }
                self.session.names.intern(&name)
            }
            _ => self.session.names.intern(&self.text[from..self.at]),
        };
        if name == self.pragma && self.pragma_operator() {
            return;
        }
        let kind = self.keywords.get(name.0 as usize).copied();
        self.tokens.push(Token {
            kind: kind.unwrap_or(Ident),
            lo: self.offset(from),
            hi: self.offset(self.at),
            name,
        });
    }

    /// A name with characters outside ASCII, some perhaps written as `\u00e9`.
    fn wide_name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.char_here() {
            if c == '\\' {
                let digits = match self.peek(1) {
                    Some(b'u') => 4,
                    Some(b'U') => 8,
                    _ => break,
                };
                let hex = self.text.get(self.at + 2..self.at + 2 + digits);
                let code = hex.and_then(|h| u32::from_str_radix(h, 16).ok());
                match code.and_then(char::from_u32) {
                    Some(c) if is_name_char(c) => name.push(c),
                    _ => break,
                }
                self.at += 2 + digits;
            } else if is_name_char(c) {
                name.push(c);
                self.at += c.len_utf8();
            } else {
                break;
            }
        }
        name
    }

    /// `_Pragma("…")` that no preprocessor took out: skips it, and reads it if it is `pack`.
    fn pragma_operator(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(inner) = rest.trim_start().strip_prefix('(') else {
            return false;
        };
        let inner = inner.trim_start();
        let quoted = inner.strip_prefix('L').unwrap_or(inner);
        let Some((content, after)) = quoted.strip_prefix('"').and_then(split_string) else {
            return false;
        };
        let Some(after) = after.trim_start().strip_prefix(')') else {
            return false;
        };
        self.at = self.text.len() - after.len();
        self.pragma(content);
        true
    }
}

/// Splits after the string's closing quote, which must stand on this line.
fn split_string(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (n, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some((&text[..n], &text[n + 1..])),
            _ => {}
        }
    }
    None
}

/// C11's Annex D allows nearly every character outside Latin-1's symbols.
fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || c == '_'
        || c == '$'
        || (c as u32 >= 0xa8 && !c.is_whitespace() && raw_byte(c).is_none())
}

fn punctuator(rest: &[u8]) -> Option<(TokenKind, usize)> {
    let second = rest.get(1).copied().unwrap_or(0);
    let third = rest.get(2).copied().unwrap_or(0);
    Some(match (rest[0], second, third) {
        (b'.', b'.', b'.') => (Ellipsis, 3),
        (b'<', b'<', b'=') => (ShlAssign, 3),
        (b'>', b'>', b'=') => (ShrAssign, 3),
        (b'-', b'>', _) => (Arrow, 2),
        (b'<', b'<', _) => (Shl, 2),
        (b'>', b'>', _) => (Shr, 2),
        (b'<', b'=', _) => (Le, 2),
        (b'>', b'=', _) => (Ge, 2),
        (b'=', b'=', _) => (EqEq, 2),
        (b'!', b'=', _) => (Ne, 2),
        (b'&', b'&', _) => (AndAnd, 2),
        (b'|', b'|', _) => (OrOr, 2),
        (b'+', b'+', _) => (PlusPlus, 2),
        (b'-', b'-', _) => (MinusMinus, 2),
        (b'+', b'=', _) => (PlusAssign, 2),
        (b'-', b'=', _) => (MinusAssign, 2),
        (b'*', b'=', _) => (StarAssign, 2),
        (b'/', b'=', _) => (SlashAssign, 2),
        (b'%', b'=', _) => (PercentAssign, 2),
        (b'&', b'=', _) => (AmpAssign, 2),
        (b'|', b'=', _) => (PipeAssign, 2),
        (b'^', b'=', _) => (CaretAssign, 2),
        // Digraphs.
        (b'<', b':', _) => (LBracket, 2),
        (b':', b'>', _) => (RBracket, 2),
        (b'<', b'%', _) => (LBrace, 2),
        (b'%', b'>', _) => (RBrace, 2),
        (b'(', ..) => (LParen, 1),
        (b')', ..) => (RParen, 1),
        (b'[', ..) => (LBracket, 1),
        (b']', ..) => (RBracket, 1),
        (b'{', ..) => (LBrace, 1),
        (b'}', ..) => (RBrace, 1),
        (b';', ..) => (Semi, 1),
        (b',', ..) => (Comma, 1),
        (b':', ..) => (Colon, 1),
        (b'?', ..) => (Question, 1),
        (b'.', ..) => (Dot, 1),
        (b'+', ..) => (Plus, 1),
        (b'-', ..) => (Minus, 1),
        (b'*', ..) => (Star, 1),
        (b'/', ..) => (Slash, 1),
        (b'%', ..) => (Percent, 1),
        (b'&', ..) => (Amp, 1),
        (b'|', ..) => (Pipe, 1),
        (b'^', ..) => (Caret, 1),
        (b'~', ..) => (Tilde, 1),
        (b'!', ..) => (Bang, 1),
        (b'<', ..) => (Lt, 1),
        (b'>', ..) => (Gt, 1),
        (b'=', ..) => (Assign, 1),
        _ => return None,
    })
}
