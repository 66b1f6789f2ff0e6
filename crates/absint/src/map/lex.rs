//! Words of both map languages, and the cursor that the parsers read them with.

use cwolf_base::{Diagnostic, Span};

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name; in label maps it may have the wildcards `*` and `?`.
    Name(String),
    /// A number or a character constant.
    Number(i128),
    /// A text in double quotes.
    Text(String),
    /// Punctuation.
    Sym(&'static str),
    /// The end of the text.
    End,
}

const SYMBOLS: [&str; 35] = [
    "=>", "==", "!=", "<=", ">=", "&&", "||", "->", "<<", ">>", "..", "<", ">", "!", "=", "{", "}",
    "(", ")", "[", "]", ":", ";", ",", ".", "`", "-", "~", "+", "*", "/", "%", "&", "|", "^",
];

/// Reads words one by one.
pub(super) struct Cursor<'t> {
    text: &'t str,
    start: u32,
    at: usize,
    wild: bool,
    /// The next word.
    pub token: Token,
    /// Where it stands.
    pub span: Span,
    /// Where the word before it stands.
    pub last: Span,
}

pub(super) type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl<'t> Cursor<'t> {
    /// Starts at the first word; with `wild`, names may have wildcards.
    pub fn new(text: &'t str, start: u32, wild: bool) -> Result<Cursor<'t>> {
        let mut cursor = Cursor {
            text,
            start,
            at: 0,
            wild,
            token: Token::End,
            span: Span::new(start, start),
            last: Span::new(start, start),
        };
        cursor.bump()?;
        Ok(cursor)
    }
    /// From the next word on, names may have wildcards or not.
    pub fn wildcards(&mut self, wild: bool) -> Result<()> {
        if wild != self.wild {
            self.wild = wild;
            self.at = (self.span.lo - self.start) as usize;
            let last = self.last;
            self.bump()?;
            self.last = last;
        }
        Ok(())
    }
    fn here(&self, from: usize) -> Span {
        Span::new(self.start + from as u32, self.start + self.at as u32)
    }
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
    fn skip(&mut self) -> Result<()> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let from = self.at;
                let Some(end) = rest.find("*/") else {
                    self.at += 2;
                    let message = "this comment does not end";
                    return Err(Diagnostic::error(self.here(from), message).into());
                };
                self.at += end + 2;
            } else if blank == 0 {
                return Ok(());
            }
        }
    }
    /// Goes to the next word and returns the current one.
    pub fn bump(&mut self) -> Result<Token> {
        self.skip()?;
        let from = self.at;
        let next = self.scan()?;
        self.last = self.span;
        self.span = self.here(from);
        Ok(std::mem::replace(&mut self.token, next))
    }
    fn scan(&mut self) -> Result<Token> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        let in_name = |c: char| {
            c.is_ascii_alphanumeric() || c == '_' || c == '$' || (self.wild && "*?".contains(c))
        };
        let length = |f: &dyn Fn(char) -> bool| rest.find(|c| !f(c)).unwrap_or(rest.len());
        match first {
            '0'..='9' => self.number(length(&|c| c.is_ascii_alphanumeric())),
            '"' => self.quoted(),
            '\'' => self.character(),
            // What a typesetter makes of a backquote.
            '‘' => {
                self.at += first.len_utf8();
                Ok(Token::Sym("`"))
            }
            c if in_name(c) => {
                let len = length(&in_name);
                self.at += len;
                Ok(Token::Name(rest[..len].to_owned()))
            }
            _ => {
                let from = self.at;
                if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                    self.at += symbol.len();
                    return Ok(Token::Sym(symbol));
                }
                self.at += first.len_utf8();
                let message = match first.is_control() {
                    true => format!("`{}` has no meaning here", first.escape_default()),
                    false => format!("`{first}` has no meaning here"),
                };
                Err(Diagnostic::error(self.here(from), message).into())
            }
        }
    }
    fn number(&mut self, len: usize) -> Result<Token> {
        let from = self.at;
        let digits = &self.rest()[..len];
        self.at += len;
        let plain = digits.trim_end_matches(['u', 'U', 'l', 'L']);
        let parsed = match plain.strip_prefix("0x").or(plain.strip_prefix("0X")) {
            Some(hex) => i128::from_str_radix(hex, 16),
            // As in C.
            None if plain.len() > 1 && plain.starts_with('0') => i128::from_str_radix(plain, 8),
            None => plain.parse(),
        };
        let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
        match parsed {
            Ok(n) if range.contains(&n) => Ok(Token::Number(n)),
            _ => {
                let message = format!("`{digits}` is not a number of at most 64 bits");
                Err(Diagnostic::error(self.here(from), message).into())
            }
        }
    }
    fn quoted(&mut self) -> Result<Token> {
        let from = self.at;
        let inside = &self.rest()[1..];
        match inside.find(['"', '\n']) {
            Some(end) if inside.as_bytes()[end] == b'"' => {
                self.at += end + 2;
                Ok(Token::Text(inside[..end].to_owned()))
            }
            end => {
                self.at += 1 + end.unwrap_or(inside.len());
                Err(Diagnostic::error(self.here(from), "this text has no closing quote").into())
            }
        }
    }
    fn character(&mut self) -> Result<Token> {
        let from = self.at;
        let mut chars = self.rest()[1..].chars();
        let mut len = 1;
        let mut next = || {
            let c = chars.next();
            len += c.map_or(0, char::len_utf8);
            c
        };
        let value = match next() {
            Some('\\') => match next() {
                Some('n') => Some(10),
                Some('t') => Some(9),
                Some('r') => Some(13),
                Some('0') => Some(0),
                Some(c @ ('\\' | '\'')) => Some(c as i128),
                _ => None,
            },
            Some(c) if c.is_ascii() && c != '\'' && c != '\n' => Some(c as i128),
            _ => None,
        };
        let closed = next() == Some('\'');
        self.at += len;
        match value {
            Some(n) if closed => Ok(Token::Number(n)),
            _ => {
                let message = "this is not a character constant";
                Err(Diagnostic::error(self.here(from), message).into())
            }
        }
    }
    /// Whether the next word is this symbol.
    pub fn at(&self, symbol: &str) -> bool {
        matches!(&self.token, Token::Sym(s) if *s == symbol)
    }
    /// Whether the next word is this name.
    pub fn at_name(&self, name: &str) -> bool {
        matches!(&self.token, Token::Name(n) if n == name)
    }
    /// Takes this symbol if it is next.
    pub fn eat(&mut self, symbol: &str) -> Result<bool> {
        let found = self.at(symbol);
        if found {
            self.bump()?;
        }
        Ok(found)
    }
    /// Takes this name if it is next.
    pub fn eat_name(&mut self, name: &str) -> Result<bool> {
        let found = self.at_name(name);
        if found {
            self.bump()?;
        }
        Ok(found)
    }
    /// Takes this symbol, which must be next.
    pub fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.eat(symbol)? {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{symbol}`")))
    }
    /// Takes a name, which must be next.
    pub fn name(&mut self, what: &str) -> Result<(String, Span)> {
        let span = self.span;
        match &self.token {
            Token::Name(name) => {
                let name = name.clone();
                self.bump()?;
                Ok((name, span))
            }
            _ => Err(self.unexpected(what)),
        }
    }
    /// Takes a text in quotes, which must be next.
    pub fn text(&mut self, what: &str) -> Result<(String, Span)> {
        let span = self.span;
        match &self.token {
            Token::Text(text) => {
                let text = text.clone();
                self.bump()?;
                Ok((text, span))
            }
            _ => Err(self.unexpected(what)),
        }
    }
    /// Takes a number, perhaps with a sign (`-1`, or `~1` as the thesis prints it).
    pub fn signed(&mut self) -> Result<(i128, Span)> {
        let start = self.span;
        let negative = self.eat("-")? || self.eat("~")?;
        match self.token {
            Token::Number(n) => {
                self.bump()?;
                Ok((if negative { -n } else { n }, start.to(self.last)))
            }
            _ => Err(self.unexpected("a number")),
        }
    }
    /// The message that something else was expected.
    pub fn unexpected(&self, what: &str) -> Box<Diagnostic> {
        let found = match &self.token {
            Token::Name(n) => format!("`{n}`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Text(_) => "a text".to_owned(),
            Token::Sym(s) => format!("`{s}`"),
            Token::End => "the end of the file".to_owned(),
        };
        Diagnostic::error(self.span, format!("expected {what}, found {found}")).into()
    }
}
