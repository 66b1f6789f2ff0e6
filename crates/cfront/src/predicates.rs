//! Predicate files: lists of pure C expressions, each typed in the scope of a function (or of the
//! whole program) that is already compiled.
//!
//! ```text
//! partition { curr == NULL, curr->val > v }   // over what `partition` sees
//! global { locked == 1 }                      // over global variables alone
//! ```
//!
//! A compiled program has no syntax any more, so the scope is made from its tables: variables,
//! functions and the tags of records are known, typedefs, enumerators and macros (but `NULL`)
//! are not.

use crate::hir::{self, ExprKind as H, Scale};
use crate::parse::{Group, Parser};
use crate::sema::Sema;
use crate::session::{Options, Session};
use crate::{lex, preprocess};
use cwolf_base::{Diagnostic, Diagnostics, IndexVec, SourceMap, Span};
use cwolf_cwi::{
    Base, BinOp, Expr, ExprKind, FuncId, Place, Program, Step, Type, TypeId, Types, Var, VarId,
};

/// A condition over the variables of a program.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// What the user wrote, on one line.
    pub text: String,
    /// The condition: any scalar, which holds unless it is zero or null. Both sides of `&&` and
    /// `||` may be anything.
    pub condition: Expr,
    /// The function it belongs to; none for a global one.
    pub scope: Option<FuncId>,
    /// Where it stands.
    pub span: Span,
}

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
pub fn read_predicates(program: &mut Program, name: &str, text: &[u8]) -> PredicateFile {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn_scoped(scope, || read(program, name, text));
        match thread.map(|t| t.join()) {
            Ok(Ok(file)) => file,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let mut diagnostics = Diagnostics::default();
                let message = format!("no memory to read predicates in: {error}");
                diagnostics.push(Diagnostic::error(Span::default(), message));
                PredicateFile {
                    predicates: Vec::new(),
                    diagnostics,
                    sources: SourceMap::default(),
                }
            }
        }
    })
}

fn read(program: &mut Program, name: &str, text: &[u8]) -> PredicateFile {
    let options = Options {
        target: program.target(),
        ..Options::default()
    };
    let mut session = Session {
        options,
        ..Session::default()
    };
    let tokens = lex::lex(&mut session, name, preprocess::decode(text).into());
    let groups = Parser::new(tokens).groups(&mut session);
    let mut sema = Sema::over(&mut session, program.clone());
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
                span,
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
                ExprKind::Unknown
            }
            H::Assign { .. } | H::AssignOp { .. } | H::StmtExpr { .. } | H::Comma(..) => {
                self.refuse(e.span, "a predicate must not have side effects");
                ExprKind::Unknown
            }
            H::Cond(..) | H::Elvis { .. } => {
                self.refuse(
                    e.span,
                    "a predicate must not use `?:`; write it with && and ||",
                );
                ExprKind::Unknown
            }
            _ => {
                self.refuse(e.span, "this cannot stand in a predicate");
                ExprKind::Unknown
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
            Scale::Const(bytes) => *bytes,
            Scale::Runtime(_) => {
                self.refuse(span, "variable-length arrays cannot stand in a predicate");
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

/// The labels of C text with their lines and columns, found in its tokens.
pub fn labels(text: &[u8]) -> Vec<(String, u32, u32)> {
    use lex::TokenKind::{Colon, Eof, Ident, LBrace, RBrace, Semi};
    let mut session = Session::default();
    let tokens = lex::lex(&mut session, "", preprocess::decode(text).into());
    let mut found = Vec::new();
    // What may stand before a label: the end of a statement, a block's brace, another label.
    let mut before = Eof;
    for pair in tokens.list.windows(2) {
        let (name, colon) = (pair[0], pair[1]);
        let starts = matches!(before, Eof | Semi | LBrace | RBrace | Colon);
        if starts && name.kind == Ident && colon.kind == Colon {
            let at = session.sources.position(name.lo);
            found.push((tokens.text(name).to_owned(), at.line, at.column));
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
        let compiled = crate::compile_text("p.c", PROGRAM.as_bytes(), &Options::default());
        let mut program = compiled.program.expect("no errors");
        let file = read_predicates(&mut program, "preds", text.as_bytes());
        (file, program)
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
        let names: Vec<(&str, u32, u32)> = found.iter().map(|l| (&*l.0, l.1, l.2)).collect();
        assert_eq!(names, [("A", 2, 3), ("B", 2, 51)]);
    }
}
