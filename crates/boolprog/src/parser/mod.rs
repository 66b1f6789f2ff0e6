//! Reads the text form, and the `decl`/`begin`/`end` dialect of SLAM's and SATABS' published
//! boolean programs. Both are one grammar: blocks are `{ … }` or `begin … end`, `then … fi`,
//! `do … od`; variables are declared by `bool` or `decl`; assignment is `=` or `:=`.
//!
//! ```text
//! program   = { declare names ";" | procedure }         declare = "bool" | "decl"
//! procedure = [ "void" | "bool" [ "<" n ">" ] ] ["dfs"] name "(" [ params ] ")" block
//! block     = "{" { stmt } "}" | "begin" { stmt } "end"
//! stmt      = label ":" | declare names ";" | "enforce" expr ";" | "skip" ";"
//!           | "assume" expr ";" | "assert" expr ";" | "goto" names ";" | "return" [ exprs ] ";"
//!           | "if" expr "{" … "}" [ "else" ( "{" … "}" | if ) ] | "while" expr "{" … "}"
//!           | "if" expr "then" … { "elsif" expr "then" … } [ "else" … ] "fi"
//!           | "while" expr "do" … "od" | "dead" names ";"
//!           | names ( "=" | ":=" ) exprs [ "constrain" expr ] ";"
//!           | [ results ( "=" | ":=" ) ] ["call"] name "(" [ exprs ] ")" ";"      a result may be "_"
//! expr      = implication of disjunctions of conjunctions of equalities of "!" primary
//! primary   = "true" | "false" | "T" | "F" | "1" | "0" | "*" | "unknown" "(" ")" | name | "'" name
//!           | "choose" "(" expr "," expr ")" | "schoose" "[" expr "," expr "]" | "(" expr ")"
//! name      = identifier | "{" any text "}"
//! ```
//!
//! A `//` comment behind a statement, on the same line, is its [source](crate::Source):
//! `text`, `line: text` or `file:line: text`.

mod expr;
mod stmt;
#[cfg(test)]
pub(crate) mod tests;

use crate::lexer::{Lexer, Token};
use crate::verify::{Place, verify};
use crate::{Builder, GlobalId, LocalId, Proc, ProcId, Program, StmtId, StmtKind, names};
use cwolf_base::{Diagnostic, Diagnostics, IndexVec, Severity, Span};
use rustc_hash::FxHashMap;

/// No more errors than this are reported for one text.
const MAX_ERRORS: usize = 50;

/// Stops parsing the current statement; the message was already reported.
struct Failed;
type Parse<T> = Result<T, Failed>;

/// Reads a boolean program whose first byte has offset `start` in the source map. There is a
/// program only if there was no error; it then satisfies [`verify`](crate::verify()).
///
/// ```
/// let text = "decl g; void main() begin g := *; L: assert(!g); end";
/// let mut messages = cwolf_base::Diagnostics::default();
/// let program = cwolf_boolprog::parse(text, 0, &mut messages).expect("a program");
/// assert!(program.to_string().contains("assert(!g);"));
/// ```
pub fn parse(text: &str, start: u32, messages: &mut Diagnostics) -> Option<Program> {
    let before = messages.errors();
    let lexer = Lexer::new(text, start);
    let mut parser = Parser {
        lexer,
        token: Token::End,
        span: Span::new(start, start),
        last: Span::new(start, start),
        program: Program::default(),
        globals: FxHashMap::default(),
        locals: FxHashMap::default(),
        callees: IndexVec::new(),
        callee_ids: FxHashMap::default(),
        stmt_spans: Vec::new(),
        proc_spans: Vec::new(),
        depth: 0,
        messages,
        limit: before + MAX_ERRORS,
    };
    parser.bump();
    parser.program();
    if parser.messages.errors() > before {
        return None;
    }
    parser.resolve();
    let Parser {
        program,
        proc_spans,
        stmt_spans,
        messages,
        ..
    } = parser;
    if messages.errors() > before {
        return None;
    }
    let whole = Span::new(start, start + text.len() as u32);
    for violation in verify(&program).into_iter().take(MAX_ERRORS) {
        let span = match violation.place {
            Place::Program => whole,
            Place::Proc(p) => proc_spans[p.0 as usize],
            Place::Stmt(p, s) => stmt_spans[p.0 as usize][s.0 as usize],
        };
        let mut message = Diagnostic::error(span, violation.message);
        message.hint = violation.hint;
        messages.push(message);
    }
    (messages.errors() == before).then_some(program)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    span: Span,
    /// The span of the token before the current one.
    last: Span,
    program: Program,
    globals: FxHashMap<String, GlobalId>,
    locals: FxHashMap<String, LocalId>,
    /// Called names, with the place of the first call; calls hold positions in this list until
    /// all procedures are known.
    callees: IndexVec<ProcId, (String, Span)>,
    callee_ids: FxHashMap<String, ProcId>,
    stmt_spans: Vec<Vec<Span>>,
    proc_spans: Vec<Span>,
    depth: usize,
    messages: &'a mut Diagnostics,
    limit: usize,
}

impl<'a> Parser<'a> {
    fn bump(&mut self) {
        self.last = self.span;
        (self.token, self.span) = self.lexer.next();
    }
    fn at(&self, symbol: &str) -> bool {
        self.token == Token::Symbol(symbol_of(symbol))
    }
    fn at_any(&self, symbols: &[&str]) -> bool {
        symbols.iter().any(|s| self.at(s))
    }
    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.at(symbol);
        if found {
            self.bump();
        }
        found
    }
    fn at_word(&self, word: &str) -> bool {
        self.token == Token::Word && self.lexer.text(self.span) == word
    }
    fn at_any_word(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.at_word(w))
    }
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }
    fn error(&mut self, message: Diagnostic) -> Failed {
        // Past the limit the first messages are worth more than the last.
        if self.messages.errors() < self.limit {
            self.messages.push(message);
        }
        Failed
    }
    fn expected(&mut self, what: &str) -> Failed {
        let found = match self.token {
            Token::End => "the end of the text".to_owned(),
            Token::Bad if self.lexer.text(self.span) == "/*" => "a comment without end".to_owned(),
            Token::Bad => "a character that means nothing here".to_owned(),
            _ => format!("`{}`", self.lexer.text(self.span)),
        };
        let message = format!("expected {what}, found {found}");
        self.error(Diagnostic::error(self.span, message))
    }
    fn expect(&mut self, symbol: &str) -> Parse<()> {
        if self.eat(symbol) {
            return Ok(());
        }
        Err(self.expected(&format!("`{symbol}`")))
    }
    fn at_name(&self) -> bool {
        match self.token {
            Token::Symbol("{") => true,
            Token::Word => !names::KEYWORDS.contains(&self.lexer.text(self.span)),
            _ => false,
        }
    }
    /// An identifier, plain or in braces.
    fn name(&mut self, what: &str) -> Parse<(&'a str, Span)> {
        if self.at("{") {
            let brace = self.span;
            let Some((text, span)) = self.lexer.braced(brace) else {
                let message = Diagnostic::error(brace, "this identifier has no closing brace");
                return Err(self.error(message.hint("write it as {any text} on one line")));
            };
            self.span = span;
            self.bump();
            if !names::is_writable(text) {
                let message = "this identifier is empty or has characters it cannot have";
                return Err(self.error(Diagnostic::error(span, message)));
            }
            return Ok((text, span));
        }
        if !self.at_name() {
            return Err(self.expected(what));
        }
        let span = self.span;
        self.bump();
        Ok((self.lexer.text(span), span))
    }

    fn program(&mut self) {
        while self.token != Token::End && self.messages.errors() < self.limit {
            let before = self.span;
            if self.item().is_err() {
                self.recover_item();
                // Always make progress.
                if self.span == before {
                    self.bump();
                }
            }
        }
        if self.program.procs.is_empty() && !self.messages.has_errors() {
            let message = Diagnostic::error(self.span, "this text has no procedure");
            self.error(message.hint("a boolean program starts like `void main() {`"));
        }
    }
    /// Skips to what looks like the start of the next item.
    fn recover_item(&mut self) {
        let starts = ["void", "bool", "decl"];
        while self.token != Token::End && !self.at_any_word(&starts) {
            self.bump();
        }
    }
    fn item(&mut self) -> Parse<()> {
        if self.eat_word("decl") {
            return self.globals(None);
        }
        let mut results = None;
        if self.eat_word("void") {
            results = Some(0);
        } else if self.eat_word("bool") {
            results = Some(self.result_count()?);
        }
        self.eat_word("dfs");
        // The paper makes these two part of every program; here they are built in.
        for name in ["choose", "unknown"] {
            if self.eat_word(name) {
                let span = self.last;
                self.procedure(name, span, 1)?;
                self.stmt_spans.pop();
                self.proc_spans.pop();
                self.note(
                    span,
                    format!("`{name}` is built in; this definition is ignored"),
                );
                return Ok(());
            }
        }
        let (name, span) = self.name("a declaration or a procedure")?;
        if self.at("(") {
            let proc = self.procedure(name, span, results.unwrap_or(0))?;
            self.program.procs.push(proc);
            return Ok(());
        }
        if results == Some(1) {
            return self.globals(Some((name, span)));
        }
        Err(self.expected("`(`"))
    }
    fn result_count(&mut self) -> Parse<usize> {
        if !self.eat("<") {
            return Ok(1);
        }
        let count = self.lexer.text(self.span).parse().ok();
        let Some(count) = count.filter(|n| (0..=10_000).contains(n)) else {
            return Err(self.expected("a number of results up to 10000"));
        };
        self.bump();
        self.expect(">")?;
        Ok(count)
    }
    fn globals(&mut self, first: Option<(&'a str, Span)>) -> Parse<()> {
        let mut next = match first {
            Some(first) => first,
            None => self.name("a variable")?,
        };
        loop {
            let (name, span) = next;
            let id = self.program.globals.push(name.into());
            if self.globals.insert(names::key(name), id).is_some() {
                self.duplicate("variable", name, span);
            }
            if !self.eat(",") {
                break;
            }
            next = self.name("a variable")?;
        }
        self.expect(";")
    }
    fn duplicate(&mut self, what: &str, name: &str, span: Span) {
        let message = format!("the {what} `{name}` is declared twice");
        self.error(Diagnostic::error(span, message));
    }
    fn procedure(&mut self, name: &str, span: Span, results: usize) -> Parse<Proc> {
        let mut builder = Builder::new(name, results);
        self.locals.clear();
        self.stmt_spans.push(Vec::new());
        self.proc_spans.push(span);
        self.expect("(")?;
        if !self.at(")") {
            loop {
                self.eat_word("bool");
                let (name, span) = self.name("a parameter")?;
                let id = builder.param(name);
                self.declare_local(name, id, span);
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect(")")?;
        let end = if self.eat_word("begin") { "end" } else { "}" };
        if end == "}" && !self.eat("{") {
            return Err(self.expected("`{` or `begin`"));
        }
        self.block(&mut builder, &[end])?;
        self.eat(";");
        Ok(builder.finish())
    }
    fn declare_local(&mut self, name: &str, id: LocalId, span: Span) {
        if self.locals.insert(names::key(name), id).is_some() {
            self.duplicate("variable", name, span);
        }
    }

    /// Turns called names into procedures.
    fn resolve(&mut self) {
        let mut known: FxHashMap<String, ProcId> = FxHashMap::default();
        let mut kept = IndexVec::new();
        let procs = std::mem::take(&mut self.program.procs).into_vec();
        let spans = std::mem::take(&mut self.proc_spans);
        let stmts = std::mem::take(&mut self.stmt_spans);
        for ((proc, span), stmts) in procs.into_iter().zip(spans).zip(stmts) {
            let key = names::key(&proc.name);
            if known.contains_key(&key) {
                let name = proc.name.clone();
                self.duplicate("procedure", &name, span);
                continue;
            }
            known.insert(key, kept.push(proc));
            self.proc_spans.push(span);
            self.stmt_spans.push(stmts);
        }
        let callees = std::mem::take(&mut self.callees);
        let mut ids: IndexVec<ProcId, ProcId> = IndexVec::new();
        for (name, span) in callees.iter() {
            let id = known.get(&names::key(name)).copied();
            if id.is_none() {
                let message = format!("there is no procedure `{name}`");
                self.error(Diagnostic::error(*span, message));
            }
            ids.push(id.unwrap_or(ProcId(0)));
        }
        for proc in kept.iter_mut() {
            for stmt in proc.stmts.iter_mut() {
                if let StmtKind::Call { callee, .. } = &mut stmt.kind {
                    *callee = ids[*callee];
                }
            }
        }
        self.program.procs = kept;
    }
    fn note(&mut self, span: Span, message: String) {
        self.messages
            .push(Diagnostic::new(Severity::Note, span, message));
    }
    fn mark(&mut self, id: StmtId, span: Span) {
        let spans = self.stmt_spans.last_mut().expect("inside a procedure");
        spans.resize(spans.len().max(id.0 as usize + 1), span);
        spans[id.0 as usize] = span;
    }
}

/// The one static spelling of a symbol, to compare tokens with.
fn symbol_of(symbol: &str) -> &'static str {
    crate::lexer::symbol(symbol)
}
