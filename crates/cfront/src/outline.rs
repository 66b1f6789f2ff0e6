//! The outline of C text: where statements, loops, blocks and calls begin and end. Other tools name
//! program points by lines and columns of the text; a compiled program only knows where its
//! expressions stand.

use crate::lex::{self, TokenKind, Tokens};
use crate::preprocess;
use crate::session::Session;

/// A line and a column, both from 1.
pub type Position = (u32, u32);

/// A stretch of text: its first and its last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stretch {
    /// Where it begins.
    pub from: Position,
    /// Where its last token begins.
    pub to: Position,
}

impl Stretch {
    /// Whether a position lies in it.
    pub fn contains(&self, at: Position) -> bool {
        self.from <= at && at <= self.to
    }
}

/// A statement that decides where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Its keyword, or the `?`.
    pub keyword: Position,
    /// What is decided on; for a `for`, all that stands in its parentheses.
    pub condition: Stretch,
}

/// A call by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCall {
    /// What is called.
    pub name: String,
    /// Where the name stands.
    pub at: Position,
    /// The parenthesis that closes the arguments.
    pub close: Position,
}

/// What stands where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// `while`, `do` and `for` loops, each from its keyword to its end; outer ones first.
    pub loops: Vec<Stretch>,
    /// Blocks and `for` loops: what is declared in one is known up to its end.
    pub scopes: Vec<Stretch>,
    /// Statements and declarations, also compound ones.
    pub statements: Vec<Stretch>,
    /// Decisions.
    pub decisions: Vec<Decision>,
    /// Calls.
    pub calls: Vec<TextCall>,
}

impl Outline {
    /// The outline of C text; as far as it goes, if that is no C.
    pub fn new(text: &[u8]) -> Outline {
        let mut session = Session::default();
        let tokens = lex::lex(&mut session, "", preprocess::decode(text).into());
        let places = tokens.list.iter().map(|token| {
            let at = session.sources.position(token.lo);
            (at.line, at.column)
        });
        let mut scan = Scan {
            places: places.collect(),
            tokens: &tokens,
            at: 0,
            depth: 0,
            found: Outline::default(),
        };
        while scan.kind() != TokenKind::Eof {
            scan.statement();
        }
        let mut found = scan.found;
        found
            .loops
            .sort_by_key(|l| (l.from, std::cmp::Reverse(l.to)));
        found
    }

    /// The innermost statement that contains a position; if other statements are in it, only what stands before them
    /// counts.
    pub fn statement_at(&self, at: Position) -> Option<Stretch> {
        let begins_before = |s: &Stretch, other: &Stretch| {
            s.from < other.from && other.to <= s.to && other.from <= at
        };
        let around = self.statements.iter().filter(|s| {
            s.contains(at) && (s.from == at || !self.statements.iter().any(|o| begins_before(s, o)))
        });
        around
            .max_by_key(|s| (s.from, std::cmp::Reverse(s.to)))
            .copied()
    }

    /// The first statement that begins in a line, at this column or later.
    pub fn statement_from(&self, (line, column): Position) -> Option<Stretch> {
        let begins = |s: &&Stretch| s.from.0 == line && s.from.1 >= column;
        let there = self.statements.iter().filter(begins);
        there
            .min_by_key(|s| (s.from, std::cmp::Reverse(s.to)))
            .copied()
    }

    /// The innermost loop that contains all of some positions.
    pub fn loop_around(&self, all: &[Position]) -> Option<Stretch> {
        let around = self.loops.iter();
        let around = around.filter(|l| all.iter().all(|at| l.contains(*at)));
        around
            .max_by_key(|l| (l.from, std::cmp::Reverse(l.to)))
            .copied()
    }

    /// The end of the innermost scope that a declaration is in; none outside of functions.
    pub fn scope_of(&self, declared: Position) -> Option<Stretch> {
        let around = self.scopes.iter().filter(|s| s.contains(declared));
        around
            .max_by_key(|s| (s.from, std::cmp::Reverse(s.to)))
            .copied()
    }
}

/// Statements nested deeper are not told apart.
const DEPTH: u32 = 200;

struct Scan<'t> {
    tokens: &'t Tokens,
    places: Vec<Position>,
    at: usize,
    depth: u32,
    found: Outline,
}

impl Scan<'_> {
    fn kind(&self) -> TokenKind {
        self.tokens.list[self.at].kind
    }
    fn place(&self) -> Position {
        self.places[self.at]
    }
    fn next(&mut self) {
        if self.kind() != TokenKind::Eof {
            self.at += 1;
        }
    }
    /// From a position to the token before this one.
    fn since(&self, from: Position) -> Stretch {
        let to = self.places[self.at.saturating_sub(1)];
        Stretch {
            from,
            to: to.max(from),
        }
    }

    fn statement(&mut self) {
        use TokenKind::*;
        let from = self.place();
        if self.depth > DEPTH {
            self.next();
            return;
        }
        self.depth += 1;
        let start = self.at;
        match self.kind() {
            LBrace => self.block(),
            KwIf | KwSwitch => {
                self.decision(from);
                self.statement();
                if self.kind() == KwElse {
                    self.next();
                    self.statement();
                }
            }
            KwWhile => {
                self.decision(from);
                self.statement();
                let whole = self.since(from);
                self.found.loops.push(whole);
            }
            KwFor => {
                self.decision(from);
                self.statement();
                let whole = self.since(from);
                self.found.loops.push(whole);
                self.found.scopes.push(whole);
            }
            KwDo => {
                self.next();
                self.statement();
                if self.kind() == KwWhile {
                    let keyword = self.place();
                    self.decision(keyword);
                    if let Some(last) = self.found.decisions.last().copied() {
                        self.found.decisions.push(Decision {
                            keyword: from,
                            ..last
                        });
                    }
                }
                if self.kind() == Semi {
                    self.next();
                }
                let whole = self.since(from);
                self.found.loops.push(whole);
            }
            KwCase | KwDefault => {
                self.until_colon();
                self.labelled();
            }
            Ident
                if self
                    .tokens
                    .list
                    .get(self.at + 1)
                    .is_some_and(|t| t.kind == Colon) =>
            {
                self.next();
                self.next();
                self.labelled();
            }
            _ => self.simple(),
        }
        // Something must be read, whatever it is.
        if self.at == start {
            self.next();
        }
        let whole = self.since(from);
        self.found.statements.push(whole);
        self.depth -= 1;
    }

    /// The statement after a label; there may be none at the end of a block.
    fn labelled(&mut self) {
        if !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            self.statement();
        }
    }

    fn block(&mut self) {
        let from = self.place();
        self.next();
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            self.statement();
        }
        self.next();
        let whole = self.since(from);
        self.found.scopes.push(whole);
    }

    /// A keyword and what stands in parentheses after it.
    fn decision(&mut self, keyword: Position) {
        self.next();
        let from = self.place();
        if self.kind() == TokenKind::LParen {
            self.group();
        }
        let condition = self.since(from);
        self.found.decisions.push(Decision { keyword, condition });
    }

    fn until_colon(&mut self) {
        let mut asked = 0u32;
        loop {
            match self.kind() {
                TokenKind::Question => asked += 1,
                TokenKind::Colon if asked == 0 => return self.next(),
                TokenKind::Colon => asked -= 1,
                TokenKind::Semi | TokenKind::LBrace | TokenKind::RBrace | TokenKind::Eof => return,
                TokenKind::LParen => {
                    self.group();
                    continue;
                }
                _ => {}
            }
            self.next();
        }
    }

    /// An expression or a declaration, to its semicolon; a function's definition, to its brace.
    fn simple(&mut self) {
        use TokenKind::*;
        let mut before = Eof;
        loop {
            let kind = self.kind();
            match kind {
                Semi => return self.next(),
                RBrace | Eof => return,
                LParen | LBracket => self.group(),
                // A list of values, or of members; or the body of a function.
                LBrace if matches!(before, RParen) => return self.block(),
                LBrace => self.block(),
                _ => self.token(),
            }
            before = match kind {
                LParen => RParen,
                other => other,
            };
        }
    }

    /// A token of an expression.
    fn token(&mut self) {
        let called = self.tokens.list.get(self.at + 1);
        if self.kind() == TokenKind::Ident && called.is_some_and(|t| t.kind == TokenKind::LParen) {
            let (at, token) = (self.place(), self.tokens.list[self.at]);
            let name = self.tokens.text(token).to_owned();
            self.next();
            self.group();
            let close = self.places[self.at.saturating_sub(1)];
            self.found.calls.push(TextCall { name, at, close });
            // What follows the arguments of a call may be the body of the function that they are the
            // parameters of.
            if self.kind() == TokenKind::LBrace {
                self.block();
            }
            return;
        }
        if self.kind() == TokenKind::Question {
            let keyword = self.place();
            let condition = Stretch {
                from: keyword,
                to: keyword,
            };
            self.found.decisions.push(Decision { keyword, condition });
        }
        self.next();
    }

    /// What stands between parentheses or brackets.
    fn group(&mut self) {
        use TokenKind::*;
        self.depth += 1;
        self.next();
        loop {
            match self.kind() {
                RParen | RBracket => {
                    self.next();
                    break;
                }
                Eof => break,
                // Another closing token ends it too: that is no C.
                RBrace => break,
                LParen | LBracket if self.depth <= DEPTH => self.group(),
                LBrace if self.depth <= DEPTH => self.block(),
                _ if self.depth <= DEPTH => self.token(),
                _ => self.next(),
            }
        }
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "int f(int n) {
  int i = 0;
  while (i < n) { i++; }
  do {
    for (int k = 0; k < g(i, (2)); k++)
      i += k;
  } while (i < 9);
  switch (n) { case 1: h(); break; default: if (n) i = n ? 1 : 2; }
  return i;
}
";

    #[test]
    fn loops_scopes_and_statements_are_found() {
        let found = Outline::new(TEXT.as_bytes());
        let loops: Vec<_> = found.loops.iter().map(|l| (l.from, l.to)).collect();
        assert_eq!(
            loops,
            [((3, 3), (3, 24)), ((4, 3), (7, 18)), ((5, 5), (6, 13))]
        );
        assert_eq!(found.statement_at((6, 9)).map(|s| s.from), Some((6, 7)));
        assert_eq!(found.statement_at((5, 22)).map(|s| s.from), Some((5, 5)));
        assert_eq!(found.statement_at((8, 24)).map(|s| s.from), Some((8, 24)));
        assert_eq!(found.statement_at((8, 16)).map(|s| s.from), Some((8, 16)));
        assert_eq!(found.statement_at((10, 1)), None);
        assert_eq!(found.statement_from((9, 0)).map(|s| s.from), Some((9, 3)));
        assert_eq!(
            found.loop_around(&[(5, 20), (6, 9)]).map(|l| l.from),
            Some((5, 5))
        );
        assert_eq!(
            found.loop_around(&[(5, 20), (7, 14)]).map(|l| l.from),
            Some((4, 3))
        );
        assert_eq!(found.scope_of((5, 14)).map(|s| s.to), Some((6, 13)));
        assert_eq!(found.scope_of((2, 7)).map(|s| s.to), Some((10, 1)));
        let calls: Vec<_> = found
            .calls
            .iter()
            .map(|c| (&*c.name, c.at, c.close))
            .collect();
        assert!(calls.contains(&("g", (5, 25), (5, 33))), "{calls:?}");
        assert!(calls.contains(&("h", (8, 24), (8, 26))), "{calls:?}");
    }

    #[test]
    fn any_text_has_an_outline() {
        for text in [
            "", "}", "{", "((((", "do", "for (", "if else", "case :", "a:b:", "{{}", "]",
        ] {
            Outline::new(text.as_bytes());
        }
        Outline::new("(".repeat(10_000).as_bytes());
        Outline::new("{".repeat(10_000).as_bytes());
        Outline::new("if(1)".repeat(10_000).as_bytes());
    }
}
