//! Reads a rule. C inside handlers is not parsed here: the C front end does that later, so a
//! rule may use all of C.

use super::{ABORT, Abort, Chunk, Handler, Rule, When};
use cwolf_base::{Diagnostic, Diagnostics, Span};

/// Reads the rule `text` of `file`; `start` is the offset of the text in the source map.
pub fn parse(file: &str, text: &str, start: u32) -> Result<Rule, Diagnostics> {
    let stem = std::path::Path::new(file).file_stem();
    let name = stem.map_or(file.into(), |s| s.to_string_lossy().into_owned());
    let mut parser = Parser {
        text,
        at: 0,
        start,
        diagnostics: Diagnostics::default(),
        rule: Rule {
            name,
            file: file.into(),
            prelude: Vec::new(),
            state: Vec::new(),
            handlers: Vec::new(),
            aborts: Vec::new(),
        },
    };
    parser.rule();
    if parser.rule.handlers.is_empty() && !parser.diagnostics.has_errors() {
        let message = "the rule watches nothing";
        let hint = "write handlers such as `lock.entry { … }`";
        let error = Diagnostic::error(Span::new(start, start), message).hint(hint);
        parser.diagnostics.push(error);
    }
    match parser.diagnostics.has_errors() {
        true => Err(parser.diagnostics),
        false => Ok(parser.rule),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    start: u32,
    diagnostics: Diagnostics,
    rule: Rule,
}

/// A piece of the text as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    /// `$1`, `$return`: without the dollar.
    Dollar(&'t str),
    Text(&'t str),
    /// A whole preprocessor line.
    Directive,
    Char(char),
}

impl<'t> Parser<'t> {
    fn error(&mut self, lo: usize, hi: usize, message: impl Into<String>, hint: &str) {
        let span = Span::new(self.start + lo as u32, self.start + hi as u32);
        let error = Diagnostic::error(span, message);
        self.diagnostics.push(error.hint(hint));
    }

    fn line(&self, at: usize) -> u32 {
        self.text[..at].matches('\n').count() as u32 + 1
    }

    /// The next token and where it starts; none at the end.
    fn next(&mut self) -> Option<(usize, Token<'t>)> {
        self.skip_blank();
        let lo = self.at;
        let rest = &self.text[lo..];
        let first = rest.chars().next()?;
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = |from: usize| {
            let end = rest[from..].find(|c| !word(c));
            end.map_or(rest.len(), |n| n + from)
        };
        let token = match first {
            '#' => {
                self.at = lo + directive_length(rest);
                return Some((lo, Token::Directive));
            }
            '"' | '\'' => {
                let end = self.quoted(lo, first);
                self.at = end;
                return Some((lo, Token::Text(&self.text[lo..end])));
            }
            '$' => {
                let end = length(1);
                self.at = lo + end;
                return Some((lo, Token::Dollar(&rest[1..end])));
            }
            c if word(c) => {
                let end = length(0);
                self.at = lo + end;
                Token::Word(&rest[..end])
            }
            c => {
                self.at = lo + c.len_utf8();
                Token::Char(c)
            }
        };
        Some((lo, token))
    }

    fn peek(&mut self) -> Option<Token<'t>> {
        let at = self.at;
        let token = self.next().map(|(_, token)| token);
        self.at = at;
        token
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = &self.text[self.at..];
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(inside) = rest.strip_prefix("/*") {
                match inside.find("*/") {
                    Some(n) => n + 4,
                    None => {
                        let lo = self.at;
                        self.error(lo, lo + 2, "the comment has no end", "add `*/`");
                        rest.len()
                    }
                }
            } else {
                return;
            };
            self.at += comment;
        }
    }

    /// The end of a string or character literal.
    fn quoted(&mut self, lo: usize, quote: char) -> usize {
        let mut escaped = false;
        for (n, c) in self.text[lo + 1..].char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\n' => break,
                c if c == quote => return lo + 1 + n + 1,
                _ => {}
            }
        }
        self.error(
            lo,
            lo + 1,
            "the literal does not end on its line",
            "close it",
        );
        let end = self.text[lo..].find('\n');
        end.map_or(self.text.len(), |n| lo + n)
    }

    fn rule(&mut self) {
        // Where the C text that is not yet in a chunk starts.
        let mut c_text = None;
        let mut depth = 0usize;
        while let Some((lo, token)) = self.next() {
            if depth == 0 {
                if let Token::Word(word) = token
                    && (word == "state" && self.peek() == Some(Token::Char('{'))
                        || self.peek() == Some(Token::Char('.')))
                {
                    self.flush(&mut c_text, lo);
                    match word {
                        "state" if self.peek() == Some(Token::Char('{')) => self.state(),
                        _ => self.event(word, lo),
                    }
                    continue;
                }
                if token == Token::Directive {
                    self.flush(&mut c_text, lo);
                    let chunk = self.chunk(lo, self.at);
                    self.rule.prelude.push(chunk);
                    continue;
                }
            }
            match token {
                Token::Char('{' | '(' | '[') => depth += 1,
                Token::Char('}' | ')' | ']') => depth = depth.saturating_sub(1),
                Token::Dollar(_) => {
                    let hint = "move it into a handler";
                    self.error(lo, self.at, "`$` stands for a value only in handlers", hint);
                }
                _ => {}
            }
            c_text.get_or_insert(lo);
        }
        let end = self.text.len();
        self.flush(&mut c_text, end);
    }

    fn flush(&mut self, c_text: &mut Option<usize>, end: usize) {
        if let Some(lo) = c_text.take() {
            let chunk = self.chunk(lo, end);
            self.rule.prelude.push(chunk);
        }
    }

    fn chunk(&self, lo: usize, hi: usize) -> Chunk {
        Chunk {
            line: self.line(lo),
            text: without_comments(self.text[lo..hi].trim_end()),
        }
    }

    /// `{ declarations }` after `state`.
    fn state(&mut self) {
        let Some((open, _)) = self.next() else { return };
        if let Some(close) = self.closing(open) {
            let chunk = self.chunk(open + 1, close);
            self.rule.state.push(chunk);
        }
    }

    /// The offset of the brace that closes the one at `open`; reading goes on after it.
    fn closing(&mut self, open: usize) -> Option<usize> {
        let mut depth = 1;
        while let Some((lo, token)) = self.next() {
            match token {
                Token::Char('{') => depth += 1,
                Token::Char('}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(lo);
            }
        }
        self.error(open, open + 1, "this brace is never closed", "add `}`");
        None
    }

    /// `.when, g.when { … }` after the first function's name.
    fn event(&mut self, function: &str, lo: usize) {
        let mut events = Vec::new();
        let mut function = function;
        let mut lo = lo;
        let open = loop {
            self.next();
            let when = match self.next() {
                Some((_, Token::Word("call"))) => When::Call,
                Some((_, Token::Word("entry"))) => When::Entry,
                Some((_, Token::Word("exit" | "return"))) => When::Exit,
                _ => {
                    let hint = "the events are call, entry, exit and return";
                    self.error(lo, self.at, "unknown event", hint);
                    When::Call
                }
            };
            events.push((function, when));
            match self.next() {
                Some((open, Token::Char('{'))) => break open,
                Some((_, Token::Char(','))) => {}
                _ => {
                    let at = self.at;
                    let hint = "a handler is C in braces: `f.entry { … }`";
                    self.error(lo, at, "expected `{` after the event", hint);
                    return;
                }
            }
            match (self.next(), self.peek()) {
                (Some((at, Token::Word(word))), Some(Token::Char('.'))) => {
                    (function, lo) = (word, at);
                }
                _ => {
                    let at = self.at;
                    let hint = "write several events of one handler as `f.entry, g.entry { … }`";
                    self.error(lo, at, "expected another event after `,`", hint);
                    return;
                }
            }
        };
        let handler = self.body(open);
        for (function, when) in events {
            if handler.result && when != When::Exit {
                let hint = "use it in a handler of `exit`";
                self.error(lo, open, "`$return` is known only at the exit", hint);
            }
            self.rule.handlers.push(Handler {
                function: function.into(),
                when,
                ..handler.clone()
            });
        }
    }

    /// The body of a handler, up to its closing brace, with what is not C replaced.
    fn body(&mut self, open: usize) -> Handler {
        let mut out = String::from("{");
        let mut params = Vec::new();
        let mut result = false;
        let mut copied = open + 1;
        let mut depth = 1;
        while let Some((lo, token)) = self.next() {
            let replaced = match token {
                Token::Char('{') => {
                    depth += 1;
                    None
                }
                Token::Char('}') => {
                    depth -= 1;
                    None
                }
                Token::Dollar("return") => {
                    result = true;
                    Some("__slic_return".to_owned())
                }
                Token::Dollar(number) => match number.parse() {
                    Ok(n @ 1u32..=1000) => {
                        params.push(n);
                        Some(format!("__slic_{n}"))
                    }
                    _ => {
                        let hint = "write `$1` for the first argument, `$return` for the result";
                        self.error(lo, self.at, "unknown value", hint);
                        None
                    }
                },
                Token::Word("abort") => Some(self.abort(lo)),
                _ => None,
            };
            if let Some(replaced) = replaced {
                out += &self.text[copied..lo];
                if token == Token::Word("abort")
                    && let Some(abort) = self.rule.aborts.last_mut()
                {
                    let line = out.rsplit('\n').next().unwrap_or_default();
                    abort.column = line.len() as u32 + 1;
                }
                out += &replaced;
                copied = self.at;
            }
            if depth == 0 {
                break;
            }
        }
        if depth > 0 {
            self.error(open, open + 1, "this brace is never closed", "add `}`");
        }
        out += &self.text[copied..self.at];
        params.sort_unstable();
        params.dedup();
        Handler {
            function: String::new(),
            when: When::Call,
            body: Chunk {
                line: self.line(open),
                text: out,
            },
            params,
            result,
        }
    }

    /// `abort`, `abort "message"` and `abort()` are calls of the error function.
    fn abort(&mut self, lo: usize) -> String {
        let line = self.line(lo);
        let mut message = "the rule is broken".to_owned();
        let mut breaks = 0;
        match self.peek() {
            Some(Token::Text(text)) if text.starts_with('"') => {
                self.next();
                message = unquote(text);
                breaks = self.text[lo..self.at].matches('\n').count();
            }
            Some(Token::Char('(')) => {
                self.next();
                if self.peek() == Some(Token::Char(')')) {
                    self.next();
                } else {
                    let at = self.at;
                    let hint = "write `abort \"message\";`";
                    self.error(lo, at, "`abort` takes no arguments", hint);
                }
            }
            _ => {}
        }
        self.rule.aborts.push(Abort {
            line,
            column: 1,
            message,
        });
        // Lines are kept, so that places stay right.
        format!("{ABORT}(){}", "\n".repeat(breaks))
    }
}

/// The text with comments as blanks; lines stay.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut quote = None;
    while let Some(c) = rest.chars().next() {
        let comment = match quote {
            None if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            None if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |n| n + 4),
            _ => 0,
        };
        if comment > 0 {
            out.push(' ');
            out.extend(rest[..comment].chars().filter(|c| *c == '\n'));
            rest = &rest[comment..];
            continue;
        }
        let mut taken = c.len_utf8();
        match quote {
            None if c == '"' || c == '\'' => quote = Some(c),
            Some(q) if c == q => quote = None,
            Some(_) if c == '\\' => {
                taken += rest[1..].chars().next().map_or(0, char::len_utf8);
            }
            _ => {}
        }
        out += &rest[..taken];
        rest = &rest[taken..];
    }
    out
}

/// The length of a preprocessor line with its continuations.
fn directive_length(text: &str) -> usize {
    let mut escaped = false;
    for (n, c) in text.char_indices() {
        match c {
            '\n' if !escaped => return n,
            '\\' => escaped = true,
            '\r' => {}
            _ => escaped = false,
        }
    }
    text.len()
}

fn unquote(text: &str) -> String {
    let inner = text.trim_matches('"');
    inner.replace("\\\"", "\"").replace("\\\\", "\\")
}
