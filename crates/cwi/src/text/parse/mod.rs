//! Reads the text form. Three passes over the tokens, since names may be used before they are
//! declared: names of records and functions; everything but code and initialisers; those.

mod code;
mod expr;
mod items;
mod types;

use super::VERSION;
use super::lex::{Tok, Token, lex};
use crate::code::{FuncId, LocId, RegId, VarId};
use crate::program::{Loc, Program, Var};
use crate::target::Target;
use crate::types::{RecordId, TypeId};
use cwolf_base::{Diagnostic, Diagnostics, IndexVec, Span};
use rustc_hash::FxHashMap;

/// A diagnostic is large and rare.
type Parsed<T> = Result<T, Box<Diagnostic>>;
/// A name and the number after it.
type Name = (String, u32);

/// The program that `text` describes, or what is wrong with it. Spans start at 0.
pub fn parse(text: &str) -> Result<Program, Vec<Diagnostic>> {
    parse_at(text, 0)
}

/// Enough for expressions of the greatest depth, whatever stack the caller has left.
const STACK: usize = 32 << 20;

/// The program that `text` describes; spans start at `start`, as the source map says.
pub fn parse_at(text: &str, start: u32) -> Result<Program, Vec<Diagnostic>> {
    let fail = |message: &str| Err(vec![Diagnostic::error(Span::new(start, start), message)]);
    if text.len() >= (u32::MAX - start) as usize {
        return fail("the text is larger than 4 GiB");
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, || parse_here(text, start)) {
            Ok(handle) => handle.join().expect("the parser does not panic"),
            Err(_) => fail("the system has no room for another thread"),
        }
    })
}

fn parse_here(text: &str, start: u32) -> Result<Program, Vec<Diagnostic>> {
    let tokens = lex(text, start).map_err(|d| vec![*d])?;
    let mut parser = Parser {
        tokens,
        at: 0,
        program: Program::new(Target::X86_64),
        problems: Diagnostics::default(),
        records: FxHashMap::default(),
        globals: FxHashMap::default(),
        locals: FxHashMap::default(),
        vars: Vec::new(),
        inits: Vec::new(),
        bodies: Vec::new(),
        spans: FxHashMap::default(),
        regs: IndexVec::new(),
        nesting: 0,
    };
    parser.run();
    if parser.problems.has_errors() {
        return Err(parser.problems.into_vec());
    }
    parser.verified()
}

/// Something with a name that the whole program sees.
#[derive(Clone, Copy)]
enum Global {
    Var(VarId),
    Func(FuncId),
}

/// A function's code, to be read in the last pass.
struct Pending {
    func: FuncId,
    at: usize,
    locals: FxHashMap<Name, VarId>,
    regs: IndexVec<RegId, TypeId>,
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    program: Program,
    problems: Diagnostics,
    records: FxHashMap<Name, RecordId>,
    globals: FxHashMap<Name, Global>,
    /// Variables of the function whose code is read.
    locals: FxHashMap<Name, VarId>,
    /// Variables in the order they are written.
    vars: Vec<(VarId, Var, Span)>,
    /// Where initialisers start.
    inits: Vec<(VarId, usize)>,
    bodies: Vec<Pending>,
    /// Where functions, blocks and statements stand, for the verifier's words.
    spans: FxHashMap<(u32, u32, u32), Span>,
    /// Registers of the function whose code is read.
    regs: IndexVec<RegId, TypeId>,
    nesting: u32,
}

impl Parser {
    fn run(&mut self) {
        if let Err(problem) = self.header() {
            self.problems.push(*problem);
            return;
        }
        if let Err(problem) = self.files() {
            self.problems.push(*problem);
            return;
        }
        let first = self.at;
        self.items(Parser::declare);
        if self.problems.has_errors() {
            return;
        }
        self.at = first;
        self.items(Parser::item);
        if !self.problems.has_errors() {
            self.number_vars();
        }
        if !self.problems.has_errors() {
            self.code();
        }
    }

    fn header(&mut self) -> Parsed<()> {
        self.keyword("cwi")
            .map_err(|d| Box::new(d.hint("the text form starts with `cwi` and its version")))?;
        let span = self.span();
        let found = self.number()?;
        if found != u64::from(VERSION) {
            let message =
                format!("this is version {found} of the text form; version {VERSION} is read here");
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        self.keyword("target")?;
        // The first two once had the names of their data models.
        let old = [("lp64", Target::X86_64), ("ilp32", Target::I386)];
        let mut known = Target::ALL.map(|t| (t.name, t)).into_iter().chain(old);
        let Some((_, target)) = known.find(|(name, _)| self.eat_word(name)) else {
            let names = Target::ALL.map(|t| t.name).join("`, `");
            return self.wanted(&format!("the name of a target (`{names}`)"));
        };
        self.program = Program::new(target);
        Ok(())
    }

    /// Gives each `@` the file in force, so that later passes may jump.
    fn files(&mut self) -> Parsed<()> {
        let mut file = None;
        for n in 0..self.tokens.len() {
            if self.tokens[n].tok != Tok::Punct("@") {
                continue;
            }
            if let Some(Tok::Quoted(name)) = self.tokens.get(n + 1).map(|t| &t.tok) {
                let name = String::from_utf8_lossy(name);
                file = Some(self.program.locations.file(&name));
            }
            let Some(file) = file else {
                let message = "the first position needs a file";
                let error = Diagnostic::error(self.tokens[n].span, message);
                return Err(Box::new(error.hint("write it as @\"file.c\":3:5")));
            };
            self.tokens[n].number = file.0;
        }
        Ok(())
    }

    /// Calls `read` at each item; after an error goes on with the next.
    fn items(&mut self, read: fn(&mut Parser) -> Parsed<()>) {
        while self.peek() != &Tok::End {
            let start = self.at;
            if let Err(problem) = read(self) {
                self.problems.push(*problem);
                self.at = self.at.max(start + 1);
                self.skip_item();
            }
            if self.problems.len() >= 20 {
                return;
            }
        }
    }
    fn skip_item(&mut self) {
        while !matches!(self.peek(), Tok::End) && !self.at_item() {
            self.at += 1;
        }
    }
    fn at_item(&self) -> bool {
        const ITEMS: [&str; 9] = [
            "type",
            "global",
            "static",
            "literal",
            "function",
            "check",
            "constructor",
            "destructor",
            "note",
        ];
        matches!(self.peek(), Tok::Word(w) if ITEMS.contains(&&**w))
    }

    fn verified(self) -> Result<Program, Vec<Diagnostic>> {
        let found = crate::verify(&self.program);
        if found.is_empty() {
            return Ok(self.program);
        }
        let whole = Span::new(0, 0);
        let span = |v: &crate::Violation| {
            let func = v.func.map_or(u32::MAX, |f| f.0);
            let block = v.block.map_or(u32::MAX, |b| b.0);
            let stmt = v.stmt.map_or(u32::MAX, |s| s as u32);
            let exact = self.spans.get(&(func, block, stmt));
            let func = || self.spans.get(&(func, u32::MAX, u32::MAX));
            exact.or_else(func).copied().unwrap_or(whole)
        };
        Err(found
            .iter()
            .map(|v| Diagnostic::error(span(v), &*v.message))
            .collect())
    }

    fn peek(&self) -> &Tok {
        &self.tokens[self.at].tok
    }
    fn peek_at(&self, ahead: usize) -> &Tok {
        let at = (self.at + ahead).min(self.tokens.len() - 1);
        &self.tokens[at].tok
    }
    fn span(&self) -> Span {
        self.tokens[self.at].span
    }
    /// From the token at `start` up to the last one read.
    fn span_from(&self, start: usize) -> Span {
        self.tokens[start]
            .span
            .to(self.tokens[self.at.saturating_sub(1).max(start)].span)
    }
    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }
    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(Box::new(Diagnostic::error(self.span(), message)))
    }
    fn wanted<T>(&self, what: &str) -> Parsed<T> {
        let found = match self.peek() {
            Tok::Word(w) => format!("`{w}`"),
            Tok::Quoted(_) => "a string".into(),
            Tok::Number(n) => format!("`{n}`"),
            Tok::Reg(n) => format!("`r#{n}`"),
            Tok::Punct(p) => format!("`{p}`"),
            Tok::End => "the end".into(),
        };
        self.error(format!("{what} is expected here, not {found}"))
    }
    fn eat(&mut self, punct: &str) -> bool {
        let found = matches!(self.peek(), Tok::Punct(p) if *p == punct);
        if found {
            self.advance();
        }
        found
    }
    fn expect(&mut self, punct: &'static str) -> Parsed<()> {
        if self.eat(punct) {
            Ok(())
        } else {
            self.wanted(&format!("`{punct}`"))
        }
    }
    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Tok::Word(w) if **w == *word)
    }
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }
    fn keyword(&mut self, word: &'static str) -> Parsed<()> {
        if self.eat_word(word) {
            Ok(())
        } else {
            self.wanted(&format!("`{word}`"))
        }
    }
    /// A number without sign or fraction.
    fn number(&mut self) -> Parsed<u64> {
        match self.peek() {
            Tok::Number(n) => match n.parse() {
                Ok(n) => {
                    self.advance();
                    Ok(n)
                }
                Err(_) => self.error("this number does not fit here"),
            },
            _ => self.wanted("a number"),
        }
    }
    fn number32(&mut self) -> Parsed<u32> {
        let span = self.span();
        let n = self.number()?;
        u32::try_from(n)
            .map_err(|_| Box::new(Diagnostic::error(span, "this number does not fit here")))
    }
    /// A quoted text.
    fn string(&mut self) -> Parsed<String> {
        match self.peek() {
            Tok::Quoted(bytes) => {
                let Ok(text) = String::from_utf8(bytes.to_vec()) else {
                    return self.error("this string is not UTF-8");
                };
                self.advance();
                Ok(text)
            }
            _ => self.wanted("a string"),
        }
    }
    fn is_quoted(&self, text: &str) -> bool {
        matches!(self.peek(), Tok::Quoted(bytes) if **bytes == *text.as_bytes())
    }
    /// A name, quoted or not, with its number.
    fn name(&mut self) -> Parsed<Name> {
        let number = self.tokens[self.at].number;
        match self.peek() {
            Tok::Word(w) if super::names::is_plain(w) => {
                let name = w.to_string();
                self.advance();
                Ok((name, number))
            }
            Tok::Quoted(_) => Ok((self.string()?, number)),
            Tok::Word(w) => {
                let message = format!("`{w}` has a meaning of its own");
                let error = Diagnostic::error(self.span(), message);
                Err(Box::new(error.hint(format!("as a name, write it \"{w}\""))))
            }
            _ => self.wanted("a name"),
        }
    }
    /// `@12:5` or `@"file":12:5`.
    fn position(&mut self) -> Parsed<LocId> {
        let file = crate::FileId(self.tokens[self.at].number);
        self.expect("@")?;
        if matches!(self.peek(), Tok::Quoted(_)) {
            self.advance();
            self.expect(":")?;
        }
        let line = self.number32()?;
        self.expect(":")?;
        let column = self.number32()?;
        Ok(self.program.locations.intern(Loc { file, line, column }))
    }
}
