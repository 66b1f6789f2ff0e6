//! Tokens of rows: those of C, and `..`.

use crate::error::Parsed;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    Word(&'t str),
    Number(i128),
    Sign(&'t str),
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(text) | Token::Sign(text) => write!(f, "`{text}`"),
            Token::Number(n) => write!(f, "`{n}`"),
        }
    }
}

const SIGNS: [&str; 14] = [
    "...", "..", "->", "(", ")", "[", "]", ",", ";", "*", "+", "-", ".", "=",
];

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Parsed<Vec<Token<'_>>> {
    let mut list = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_ascii_alphabetic() || first == '_' {
            let length = span(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            (Token::Word(&rest[..length]), length)
        } else if first.is_ascii_digit() {
            let length = span(rest, |c| c.is_ascii_digit());
            let number = rest[..length].parse();
            let number =
                number.map_err(|_| format!("the number {} is too large", &rest[..length]))?;
            (Token::Number(number), length)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("unexpected character `{first}`"))?;
            (Token::Sign(sign), sign.len())
        };
        list.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(list)
}

fn span(text: &str, inside: impl Fn(char) -> bool) -> usize {
    text.find(|c| !inside(c)).unwrap_or(text.len())
}

/// A place in a list of tokens.
pub(crate) struct Cursor<'c, 't> {
    pub rest: &'c [Token<'t>],
}

impl<'t> Cursor<'_, 't> {
    pub fn peek(&self) -> Option<Token<'t>> {
        self.rest.first().copied()
    }
    pub fn next(&mut self) -> Option<Token<'t>> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }
    /// Takes a sign if it comes next.
    pub fn eat(&mut self, sign: &str) -> bool {
        let found = self.peek() == Some(Token::Sign(sign));
        if found {
            self.next();
        }
        found
    }
    /// Takes a word if it comes next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(Token::Word(word));
        if found {
            self.next();
        }
        found
    }
    pub fn expect(&mut self, sign: &str) -> Parsed<()> {
        match self.eat(sign) {
            true => Ok(()),
            false => Err(format!("expected `{sign}`, found {}", self.found())),
        }
    }
    pub fn word(&mut self) -> Parsed<&'t str> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.next();
                Ok(word)
            }
            _ => Err(format!("expected a name, found {}", self.found())),
        }
    }
    pub fn found(&self) -> String {
        self.peek()
            .map_or("the end of the row".into(), |token| token.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_told_apart() {
        let found = tokens("0..n, ... p->x -1").expect("tokens");
        let text: Vec<String> = found.iter().map(ToString::to_string).collect();
        let expected = "`0` `..` `n` `,` `...` `p` `->` `x` `-` `1`";
        assert_eq!(text.join(" "), expected);
    }

    #[test]
    fn foreign_characters_are_refused() {
        assert!(tokens("int f(void) ; returns($)").is_err());
    }
}
