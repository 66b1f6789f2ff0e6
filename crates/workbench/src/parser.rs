//! What the parsers of processes and formulas share: a place in a list of tokens.

use crate::lexer::{Kind, Token, tokens};
use cwolf_base::{Diagnostic, Span};

/// How deep brackets and prefixes may nest; each level costs a few stack frames.
const MAX_DEPTH: u32 = 500;

pub(crate) struct Cursor {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
}

pub(crate) type Parsed<T> = Result<T, Diagnostic>;

impl Cursor {
    pub(crate) fn new(text: &str, start: u32) -> Parsed<Cursor> {
        Ok(Cursor {
            tokens: tokens(text, start)?,
            at: 0,
            depth: 0,
        })
    }
    pub(crate) fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }
    pub(crate) fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }
    pub(crate) fn span(&self) -> Span {
        self.peek().span
    }
    pub(crate) fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }
    pub(crate) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }
    /// Whether these signs come next, without space between them.
    pub(crate) fn sees(&self, signs: &str) -> bool {
        let mut end = None;
        signs.chars().enumerate().all(|(n, c)| {
            let token = self.peek_at(n);
            let close = end.is_none_or(|e| e == token.span.lo);
            end = Some(token.span.hi);
            close && token.kind == Kind::Sign(c)
        })
    }
    /// Steps over these signs if they come next.
    pub(crate) fn eat(&mut self, signs: &str) -> bool {
        let found = self.sees(signs);
        if found {
            self.at += signs.chars().count();
        }
        found
    }
    pub(crate) fn expect(&mut self, signs: &str) -> Parsed<()> {
        match self.eat(signs) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{signs}`"))),
        }
    }
    pub(crate) fn sees_word(&self, word: &str) -> bool {
        matches!(&self.peek().kind, Kind::Word(w) if w == word)
    }
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.sees_word(word);
        self.at += usize::from(found);
        found
    }
    pub(crate) fn word(&mut self, what: &str) -> Parsed<(String, Span)> {
        match &self.peek().kind {
            Kind::Word(_) => {
                let token = self.next();
                let Kind::Word(word) = token.kind else {
                    unreachable!("it was a word")
                };
                Ok((word, token.span))
            }
            _ => Err(self.expected(what)),
        }
    }
    pub(crate) fn number(&mut self, what: &str) -> Parsed<u32> {
        match self.peek().kind {
            Kind::Number(n) => {
                self.at += 1;
                Ok(n)
            }
            _ => Err(self.expected(what)),
        }
    }
    pub(crate) fn expected(&self, what: &str) -> Diagnostic {
        let found = self.peek().shown();
        Diagnostic::error(self.span(), format!("expected {what}, found {found}"))
    }
    /// Runs `inner` one level deeper.
    pub(crate) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Cursor) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            return Err(Diagnostic::error(self.span(), message));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
    /// An action: `a`, `` `a `` (the same), `'a`, `t`, or any label in double quotes. The name
    /// is as in an [`cwolf_lts::Lts`]: `tau` for `t`, a leading quote for outputs.
    pub(crate) fn action(&mut self) -> Parsed<String> {
        if let Kind::Text(text) = &self.peek().kind {
            let text = plain_input(text).to_owned();
            if text == "'tau" {
                return Err(self.expected("an action that is not internal"));
            }
            self.at += 1;
            return Ok(text);
        }
        // Thesis 4.7: "we interchangeably use a and `a to stand for the input a label".
        let is_input = self.eat("`");
        let is_output = !is_input && self.eat("'");
        let (word, span) = self.word("an action")?;
        if word == cwolf_lts::TAU_NAME && (is_input || is_output) {
            let message = "the internal action is neither input nor output";
            return Err(Diagnostic::error(span, message));
        }
        Ok(match (is_output, word.as_str()) {
            (false, "t" | "tau") if !is_input => cwolf_lts::TAU_NAME.to_owned(),
            (true, _) => format!("'{word}"),
            (false, _) => word,
        })
    }
    /// Whether an action comes next.
    pub(crate) fn sees_action(&self) -> bool {
        match self.peek().kind {
            Kind::Word(_) | Kind::Text(_) => true,
            Kind::Sign(c) => c == '`' || c == '\'',
            _ => false,
        }
    }
}

/// The name of an action without the thesis' mark of an input.
pub(crate) fn plain_input(name: &str) -> &str {
    match name.strip_prefix('`') {
        // An input called tau must not become the internal action.
        Some(rest) if rest != cwolf_lts::TAU_NAME => rest,
        _ => name,
    }
}
