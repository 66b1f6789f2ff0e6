//! Predicate files: lists of pure C expressions, each typed in the scope of a function (or of the
//! whole program) that is already compiled.
//!
//! ```text
//! partition { curr == NULL, curr->val > v }   // over what `partition` sees
//! global { locked == 1 }                      // over global variables alone
//! ```
//!
//! A compiled program has no syntax any more, so the scope is made from its tables: variables,
//! functions and the tags of records. Typedefs, enumerators and macros that stand for constants are
//! read again from the C files ([`crate::names()`]), if a predicate names something else.

use crate::compile::with_stack;
use crate::hir::{self, ExprKind as H, Scale};
use crate::lex::TokenKind;
use crate::names::Names;
use crate::parse::{Group, Parser};
use crate::sema::{BUILT_IN, Sema};
use crate::session::{Options, Session};
use crate::{lex, preprocess};
use cwolf_base::{Diagnostic, Diagnostics, IndexVec, SourceMap, Span, Symbol};
use cwolf_cwi::{
    Base, BinOp, Expr, ExprKind, FuncId, Place, Predicate, Program, Step, Type, TypeId, Types, Var,
    VarId,
};
use rustc_hash::FxHashSet;

/// What came of reading a predicate file.
#[derive(Debug)]
pub struct PredicateFile {
    /// The predicates, in the order of the text; only those without an error.
    pub predicates: Vec<Predicate>,
    /// All messages.
    pub diagnostics: Diagnostics,
    /// The text that the messages speak about.
    pub sources: SourceMap,
}

/// Reads a predicate file for `program`, whose table of types may grow. `name` is for messages.
/// Names that the program does not know are looked for with `look_up`.
pub fn read_predicates(
    program: &mut Program,
    name: &str,
    text: &[u8],
    look_up: impl FnOnce(&[String]) -> Vec<Names> + Send,
) -> PredicateFile {
    with_stack(|| read(program, name, text, look_up)).unwrap_or_else(|error| {
        let mut diagnostics = Diagnostics::default();
        let message = format!("no memory to read predicates in: {error}");
        diagnostics.push(Diagnostic::error(Span::default(), message));
        PredicateFile {
            predicates: Vec::new(),
            diagnostics,
            sources: SourceMap::default(),
        }
    })
}

fn read(
    program: &mut Program,
    name: &str,
    text: &[u8],
    look_up: impl FnOnce(&[String]) -> Vec<Names>,
) -> PredicateFile {
    let options = Options {
        target: program.target(),
        ..Options::default()
    };
    let mut session = Session {
        options,
        ..Session::default()
    };
    let tokens = lex::lex(&mut session, name, preprocess::decode(text).into());
    let unknown = unknown_names(program, &tokens);
    let names = match unknown.is_empty() {
        true => Vec::new(),
        false => look_up(&unknown),
    };
    let mut sema = Sema::over(&mut session, program.clone(), &names);
    let types = names.iter().flat_map(|n| &n.typedefs);
    let types: Vec<Symbol> = types.map(|(n, _)| session.names.intern(n)).collect();
    let groups = Parser::new(tokens).groups(&mut session, &types);
    let mut predicates = Vec::new();
    for group in &groups {
        let Some(scope) = owner(program, &mut session, group) else {
            continue;
        };
        for (condition, span) in sema.conditions(&mut session, scope, &group.conditions) {
            let mut pure = Pure {
                types: &mut sema.program.types,
                vars: &program.vars,
                wrong: None,
            };
            let value = pure.value(&condition);
            if let Some((span, what)) = pure.wrong {
                session.error(span, what);
                continue;
            }
            let text = session.sources.text(span);
            let words: Vec<&str> = text.split_whitespace().collect();
            predicates.push(Predicate {
                text: words.join(" "),
                condition: value,
                scope,
            });
        }
    }
    program.types = sema.program.types;
    PredicateFile {
        predicates,
        diagnostics: session.diagnostics,
        sources: session.sources,
    }
}

/// The names in a predicate file that are nothing in the compiled program.
fn unknown_names(program: &Program, tokens: &lex::Tokens) -> Vec<String> {
    let mut known: FxHashSet<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    known.insert("global");
    known.extend(program.vars.iter().map(|v| &*v.name));
    known.extend(program.funcs.iter().map(|f| &*f.name));
    let mut unknown: Vec<String> = Vec::new();
    // Members and tags have names of their own.
    let mut before = TokenKind::Eof;
    for token in &tokens.list {
        let own = matches!(
            before,
            TokenKind::Dot
                | TokenKind::Arrow
                | TokenKind::KwStruct
                | TokenKind::KwUnion
                | TokenKind::KwEnum
        );
        before = token.kind;
        let word = tokens.text(*token);
        let ordinary = token.kind == TokenKind::Ident && !own;
        if ordinary && !known.contains(word) && !unknown.iter().any(|u| u == word) {
            unknown.push(word.to_owned());
        }
    }
    unknown
}

/// The function that a group belongs to; the outer option is none after an error.
fn owner(program: &Program, session: &mut Session, group: &Group) -> Option<Option<FuncId>> {
    let name = session.names.shared(group.name.name);
    if &*name == "global" {
        return Some(None);
    }
    let found = program.function(&name);
    match found {
        Some(f) if program.funcs[f].body.is_some() => Some(Some(f)),
        Some(_) => {
            let d = Diagnostic::error(group.name.span, format!("'{name}' has no body here"));
            session
                .diagnostics
                .push(d.hint("predicates belong to functions that are defined in the program"));
            None
        }
        None => {
            let d = Diagnostic::error(group.name.span, format!("there is no function '{name}'"));
            session
                .diagnostics
                .push(d.hint("write `function { predicates }` or `global { predicates }`"));
            None
        }
    }
}

/// From the typed tree to a CWI expression, if it has no effects.
struct Pure<'a> {
    types: &'a mut Types,
    /// The program's variables; others are not its own.
    vars: &'a IndexVec<VarId, Var>,
    wrong: Option<(Span, String)>,
}

impl Pure<'_> {
    fn refuse(&mut self, span: Span, what: &str) {
        self.wrong.get_or_insert((span, what.into()));
    }
    fn value(&mut self, e: &hir::Expr) -> Expr {
        let ty = e.ty;
        let kind = match &e.kind {
            H::Int(n) => ExprKind::Int(*n),
            H::Float(bits) => ExprKind::Float(*bits),
            H::FuncAddr(f) => ExprKind::FuncAddr(*f),
            H::Var(_) | H::Deref(_) | H::Field(..) | H::Index(..) => return self.load(e),
            H::Load(place, volatile) => {
                if *volatile {
                    self.refuse(e.span, "a volatile object has no fixed value");
                }
                return self.load(place);
            }
            H::AddrOf(place) => return self.address(ty, place),
            H::Cast(inner) => {
                let value = self.value(inner);
                return Expr::cast(ty, value);
            }
            H::Unary(op, inner) => ExprKind::Unary(*op, Box::new(self.value(inner))),
            H::Binary(op, a, b) => self.binary(*op, a, b),
            H::And(a, b) => self.binary(BinOp::And, a, b),
            H::Or(a, b) => self.binary(BinOp::Or, a, b),
            H::PtrAdd { ptr, index, scale } => {
                let scale = self.scale(e.span, scale);
                ExprKind::PtrAdd {
                    ptr: Box::new(self.value(ptr)),
                    index: Box::new(self.value(index)),
                    scale,
                }
            }
            // A predicate is not evaluated where the index is wrong.
            H::Within(index, _) => return self.value(index),
            H::PtrDiff { left, right, scale } => {
                let (left, right) = (self.value(left), self.value(right));
                ExprKind::PtrDiff {
                    right: Box::new(Expr::cast(left.ty, right)),
                    left: Box::new(left),
                    scale: self.scale(e.span, scale).max(1),
                }
            }
            H::Call { .. } => {
                self.refuse(e.span, "a predicate must not call functions");
                ExprKind::Choose
            }
            H::Assign { .. } | H::AssignOp { .. } | H::StmtExpr { .. } | H::Comma(..) => {
                self.refuse(e.span, "a predicate must not have side effects");
                ExprKind::Choose
            }
            H::Cond(..) | H::Elvis { .. } => {
                self.refuse(
                    e.span,
                    "a predicate must not use `?:`; write it with && and ||",
                );
                ExprKind::Choose
            }
            _ => {
                self.refuse(e.span, "a predicate cannot contain this");
                ExprKind::Choose
            }
        };
        Expr { ty, kind }
    }
    fn binary(&mut self, op: BinOp, a: &hir::Expr, b: &hir::Expr) -> ExprKind {
        let (a, b) = (self.value(a), self.value(b));
        ExprKind::Binary(op, Box::new(a), Box::new(b))
    }
    fn scale(&mut self, span: Span, scale: &Scale) -> u64 {
        match scale {
            Scale::Const(bytes) if *bytes > 0 => *bytes,
            // A compiled program tells of a row of such an array only that its size is not known.
            Scale::Const(_) | Scale::Runtime(_) => {
                self.refuse(span, "a predicate cannot use variable-length arrays");
                1
            }
        }
    }
    fn load(&mut self, e: &hir::Expr) -> Expr {
        if !self.types.is_scalar(e.ty) {
            self.refuse(e.span, "a predicate compares numbers and pointers only");
        }
        Expr::load(self.place(e))
    }
    fn place(&mut self, e: &hir::Expr) -> Place {
        match &e.kind {
            H::Var(var) => {
                self.known(e.span, *var);
                Place::var(e.ty, *var)
            }
            H::Deref(pointer) => match self.value(pointer) {
                Expr {
                    kind: ExprKind::AddrOf(place),
                    ..
                } if place.ty == e.ty => place,
                pointer => {
                    let to = self.types.pointer(e.ty);
                    Place::deref(e.ty, Expr::cast(to, pointer))
                }
            },
            H::Field(base, field) => {
                let mut place = self.place(base);
                place.path.push(Step::Field(*field));
                place.ty = e.ty;
                place
            }
            H::Index(base, index) => {
                let mut place = self.place(base);
                place.path.push(Step::Index(self.value(index)));
                place.ty = e.ty;
                place
            }
            H::Load(inner, _) => self.place(inner),
            H::Call { .. } => {
                self.refuse(e.span, "a predicate must not call functions");
                Place::var(e.ty, VarId(0))
            }
            _ => {
                self.refuse(e.span, "a predicate must not have side effects");
                Place::var(e.ty, VarId(0))
            }
        }
    }
    fn known(&mut self, span: Span, var: VarId) {
        match self.vars.get(var) {
            None => self.refuse(
                span,
                "a literal is an object of its own and equals no other",
            ),
            Some(var) if var.volatile => {
                self.refuse(span, "a volatile variable has no fixed value");
            }
            Some(_) => {}
        }
    }
    /// The address of a place, or of an array's first element, as lowering makes it.
    fn address(&mut self, ty: TypeId, e: &hir::Expr) -> Expr {
        let mut place = self.place(e);
        let pointee = self.types.pointee(ty);
        match self.types[place.ty] {
            Type::Array { elem, len } if Some(elem) == pointee || len == 0 => {
                let word = self.types.target().word(true);
                let word = self.types.intern(Type::Int(word));
                place.path.push(Step::Index(Expr::int(word, 0)));
                place.ty = elem;
            }
            _ => {}
        }
        match place.base {
            Base::Deref(pointer) if place.path.is_empty() => Expr::cast(ty, *pointer),
            _ => {
                let own = self.types.pointer(place.ty);
                let kind = ExprKind::AddrOf(place);
                Expr::cast(ty, Expr { ty: own, kind })
            }
        }
    }
}

/// A label of C text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLabel {
    /// Its name.
    pub name: String,
    /// Its line and column, from 1.
    pub at: (u32, u32),
    /// Those of the brace that ends the function.
    pub end: (u32, u32),
}

/// The labels of C text, found in its tokens; also those that the preprocessor would leave out.
pub fn labels(text: &[u8]) -> Vec<TextLabel> {
    use lex::TokenKind::{Colon, Eof, Ident, KwDo, KwElse, LBrace, Question, RBrace, RParen, Semi};
    const OPEN: (u32, u32) = (u32::MAX, u32::MAX);
    let mut session = Session::default();
    let tokens = lex::lex(&mut session, "", preprocess::decode(text).into());
    let mut found: Vec<TextLabel> = Vec::new();
    // What may stand before a label: the end of a statement, a block's brace, another label, or
    // what a statement in another one follows, unless that is a cast in `a ? (T) b : c`.
    let mut before = Eof;
    let mut asked = false;
    let mut depth = 0u32;
    for pair in tokens.list.windows(2) {
        let (name, colon) = (pair[0], pair[1]);
        asked = match before {
            Semi | LBrace | RBrace => false,
            other => asked || other == Question,
        };
        let starts = match before {
            Eof | Semi | LBrace | RBrace | Colon => true,
            RParen => !asked,
            other => matches!(other, KwElse | KwDo),
        };
        let position = |lo| {
            let at = session.sources.position(lo);
            (at.line, at.column)
        };
        match name.kind {
            LBrace => depth += 1,
            RBrace => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let open = found.iter_mut().rev().take_while(|label| label.end == OPEN);
                    open.for_each(|label| label.end = position(name.lo));
                }
            }
            Ident if starts && colon.kind == Colon => found.push(TextLabel {
                name: tokens.text(name).to_owned(),
                at: position(name.lo),
                end: OPEN,
            }),
            _ => {}
        }
        before = name.kind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "struct cell { int val; struct cell *next; unsigned low : 3; };
        int g, table[8]; double d;
        int f(struct cell *p, int v) { int local; local = v; return local + p->val; }";

    fn read(text: &str) -> (PredicateFile, Program) {
        read_for(PROGRAM, text)
    }
    fn read_for(source: &str, text: &str) -> (PredicateFile, Program) {
        let options = Options::default();
        let compiled = crate::compile_text("p.c", source.as_bytes(), &options);
        let mut program = compiled.program.expect("no errors");
        let look_up = |wanted: &[String]| vec![crate::names(source.as_bytes(), &options, wanted)];
        let file = read_predicates(&mut program, "preds", text.as_bytes(), look_up);
        (file, program)
    }

    const NAMES: &str = "
        typedef struct cell { int val; struct cell *next; } cell, *list;
        typedef unsigned char byte;
        enum colour { RED, GREEN = 5, BLUE };
#define LIMIT 10
#define TWICE (LIMIT * 2)
#define BARE 1 + 1
#define BIG 4000000000u
#define MASK ((byte)0x1ff)
#define CALL(x) (x)
#define LOOP LOOP
#define GONE 3
#undef GONE
        enum colour paint; list head; cell first; unsigned u;
        int f(list p, int v) { return p->val + v + paint + head->val + first.val + u; }";

    #[test]
    fn names_that_only_the_text_knows() {
        let (file, program) = read_for(
            NAMES,
            "f { v < LIMIT, v == TWICE, paint == BLUE, (list)0 == p, sizeof(cell) > v,
                 (byte)v == 3, ((cell *)p)->val == MASK, v == BIG, true, head == NULL }",
        );
        assert!(file.diagnostics.is_empty(), "{:?}", file.diagnostics);
        let constant = |n: usize| {
            let mut found = None;
            file.predicates[n].condition.walk(&mut |e| {
                if let ExprKind::Int(n) = e.kind {
                    found = Some((n, program.types.as_int(e.ty)));
                }
            });
            found.expect("a constant").0
        };
        assert_eq!(file.predicates[0].text, "v < LIMIT");
        assert_eq!([0, 1, 2, 4, 6].map(constant), [10, 20, 6, 16, 0xff]);
        assert_eq!(constant(7), 4_000_000_000);
        // The cast leads to the record of the program, or its fields would be others'.
        let p = program.function("f").expect("f");
        let list = program.vars[program.funcs[p].params[0]].ty;
        let mut types = Vec::new();
        file.predicates[3].condition.walk(&mut |e| types.push(e.ty));
        assert!(types.iter().all(|t| *t == list || *t == Types::INT));
    }

    #[test]
    fn names_that_are_no_constants() {
        for (text, words) in [
            ("f { v < BARE }", "'BARE' is not declared"),
            ("f { v < CALL(1) }", "'CALL' is not declared"),
            ("f { v < LOOP }", "'LOOP' is not declared"),
            ("f { v < GONE }", "'GONE' is not declared"),
            ("f { v < PURPLE }", "'PURPLE' is not declared"),
            ("f { (lst)0 == p }", ""),
            ("f { list == 0 }", ""),
        ] {
            let (file, _) = read_for(NAMES, text);
            let mut errors = file.diagnostics.iter();
            let found = errors.any(|d| d.message.contains(words));
            assert!(found, "{text}: {:?}", file.diagnostics);
        }
    }

    #[test]
    fn expressions_of_every_kind() {
        let (file, program) = read(
            "f { p == NULL, p->next->val > v /* deep */, local & 1, // bits
              &g != &table[1], (long)v + 1 < 7L, p->low == 2,
              (struct cell *)0 == p, table[v % 8] >= 0 && !(d < 1.5) }
             global { g==1, }",
        );
        assert!(file.diagnostics.is_empty(), "{:?}", file.diagnostics);
        let texts: Vec<&str> = file.predicates.iter().map(|p| &*p.text).collect();
        assert_eq!(texts[1], "p->next->val > v");
        assert_eq!(texts.len(), 9);
        assert_eq!(file.predicates[8].scope, None);
        let f = program.function("f");
        assert!(f.is_some() && file.predicates[0].scope == f);
    }

    #[test]
    fn every_mistake_is_told_at_its_place() {
        for (text, column, words) in [
            ("f { g() }", 5, "call"),
            ("f { f(p, 1) > 0 }", 5, "call functions"),
            ("f { v = 1 }", 5, "side effects"),
            ("f { v++ > 1 }", 5, "side effects"),
            ("f { x > 1 }", 5, "'x' is not declared"),
            ("f { p->nothing }", 8, "nothing"),
            ("f { p + p }", 5, ""),
            ("f { *p }", 5, ""),
            ("f { v > }", 9, "expected"),
            ("nobody { v > 1 }", 1, "no function 'nobody'"),
            ("global { v > 1 }", 10, "'v' is not declared"),
            ("f { v > 1 ", 11, "expected"),
            ("f v > 1 }", 3, "expected"),
            ("f { v ? 1 : 2 }", 5, "?:"),
            ("f { p == \"x\" }", 10, "literal"),
        ] {
            let (file, _) = read(text);
            let first = file
                .diagnostics
                .iter()
                .find(|d| d.severity == cwolf_base::Severity::Error);
            let first = first.unwrap_or_else(|| panic!("no error for {text}"));
            let at = file.sources.position(first.span.expect("a place").lo);
            assert!(first.message.contains(words), "{text}: {}", first.message);
            assert_eq!(at.column, column, "{text}: {}", first.message);
        }
    }

    #[test]
    fn labels_are_found() {
        let text = "int f(int x) {\n  A: x = x ? 1 : 2; switch (x) { case 1: default: B: ; }\n}";
        let found = labels(text.as_bytes());
        let names: Vec<_> = found.iter().map(|l| (&*l.name, l.at, l.end)).collect();
        assert_eq!(names, [("A", (2, 3), (3, 1)), ("B", (2, 51), (3, 1))]);
        let text =
            "void f(int x, int y) { if (x) C: y = x ? (int) x : y; else D: do E: y--; while (y); }";
        let names: Vec<String> = labels(text.as_bytes())
            .into_iter()
            .map(|l| l.name)
            .collect();
        assert_eq!(names, ["C", "D", "E"]);
    }
}
