//! Where C leaves the order of evaluation open and the order decides what the program does.
//!
//! Operands and arguments are evaluated from left to right here, but the right side of a compound assignment before its
//! left side, as most compilers do; a compiler may do otherwise. Each expression in which
//! one operand changes what another one looks at is noted, so that verdicts say what they take for granted. Functions
//! are compared by the variables that they and the functions they call write and read; memory behind pointers counts as
//! one place.

use crate::hir::{Expr, ExprKind, Function, LocalInit, Stmt, StmtKind};
use crate::session::Session;
use cwolf_cwi::{
    Base, Branch, Callee, FuncId, LocId, Note, Place, Program, StmtKind as CwiStmt, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the note says.
const TEXT: &str = "operands are evaluated from left to right, an order that C leaves open";
/// The same, of `x += f()`.
const COMPOUND: &str =
    "the right side of a compound assignment is evaluated first, an order that C leaves open";

/// Pairs of operands whose order may matter.
#[derive(Default)]
pub(crate) struct Order {
    pairs: Vec<(LocId, &'static str, Effects, Effects)>,
    /// Variables that are changed twice, or changed and read, in one expression.
    certain: FxHashSet<(LocId, &'static str)>,
}

/// What evaluating an expression does, besides its value.
#[derive(Clone, Debug, Default)]
struct Effects {
    reads: FxHashSet<VarId>,
    writes: FxHashSet<VarId>,
    /// Variables whose addresses are given to calls.
    given: FxHashSet<VarId>,
    calls: Vec<FuncId>,
    /// Something is called through a pointer.
    unknown: bool,
}

impl Effects {
    fn join(&mut self, other: Effects) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.given.extend(other.given);
        self.calls.extend(other.calls);
        self.unknown |= other.unknown;
    }

    fn calls_something(&self) -> bool {
        self.unknown || !self.calls.is_empty()
    }
}

/// What a function does to memory that outlives it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Summary {
    reads: FxHashSet<VarId>,
    writes: FxHashSet<VarId>,
    /// Through pointers.
    reads_memory: bool,
    writes_memory: bool,
}

impl Summary {
    fn join(&mut self, other: &Summary) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.reads_memory |= other.reads_memory;
        self.writes_memory |= other.writes_memory;
    }
}

impl Order {
    /// Looks at a function before it is taken apart.
    pub(crate) fn function(&mut self, program: &mut Program, session: &Session, f: &Function) {
        let mut walk = Walk {
            order: self,
            program,
            session,
        };
        walk.stmts(&f.body);
    }

    /// Notes what matters, once all functions of the file are known.
    pub(crate) fn finish(self, program: &mut Program) {
        if self.pairs.is_empty() && self.certain.is_empty() {
            return;
        }
        let summaries = summaries(program);
        let mut found = self.certain;
        for (loc, text, a, b) in self.pairs {
            if disturbs(program, &summaries, &a, &b) || disturbs(program, &summaries, &b, &a) {
                found.insert((loc, text));
            }
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable();
        for (loc, text) in found {
            let text = text.to_owned();
            program.notes.push(Note { loc, text });
        }
    }
}

/// Whether calls in one operand change what the other looks at.
fn disturbs(
    program: &Program,
    summaries: &FxHashMap<FuncId, Summary>,
    a: &Effects,
    b: &Effects,
) -> bool {
    if !a.calls_something() {
        return false;
    }
    let done = |e: &Effects| {
        let mut all = Summary {
            reads_memory: e.unknown,
            writes_memory: e.unknown,
            ..Summary::default()
        };
        e.calls
            .iter()
            .filter_map(|f| summaries.get(f))
            .for_each(|s| all.join(s));
        all
    };
    let (first, second) = (done(a), done(b));
    let global = |v: &&VarId| !program.vars[**v].kind.is_automatic();
    let direct = b.reads.iter().chain(&b.writes);
    let looked_at = second
        .reads
        .iter()
        .chain(&second.writes)
        .chain(direct.clone().filter(global));
    let mut seen = looked_at.filter(|v| first.writes.contains(*v));
    let through = first.writes_memory
        && (second.reads_memory
            || second.writes_memory
            || direct.clone().any(|v| a.given.contains(v)));
    through || seen.next().is_some()
}

struct Walk<'w> {
    order: &'w mut Order,
    program: &'w mut Program,
    session: &'w Session,
}

impl Walk<'_> {
    fn stmts(&mut self, list: &[Stmt]) {
        list.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e)
            | StmtKind::Cleanup(e)
            | StmtKind::ComputedGoto(e)
            | StmtKind::Return(Some(e)) => {
                self.expr(e);
            }
            StmtKind::Declare {
                init: Some(init), ..
            } => self.init(init),
            StmtKind::DeclareVla { size, .. } => {
                self.expr(size);
            }
            StmtKind::Block(list) => self.stmts(list),
            StmtKind::If { cond, then, els } => {
                self.expr(cond);
                self.stmt(then);
                els.iter().for_each(|s| self.stmt(s));
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.expr(cond);
                self.stmt(body);
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                self.stmts(init);
                for e in cond.iter().chain(step) {
                    self.expr(e);
                }
                self.stmt(body);
            }
            StmtKind::Switch { on, body } => {
                self.expr(on);
                self.stmt(body);
            }
            _ => {}
        }
    }

    fn init(&mut self, init: &LocalInit) {
        match init {
            LocalInit::Value(e) => {
                self.expr(e);
            }
            LocalInit::Pieces { pieces, .. } => {
                for piece in pieces {
                    self.expr(&piece.value);
                }
            }
        }
    }

    /// What an expression does; pairs of its operands whose order may matter are kept.
    fn expr(&mut self, e: &Expr) -> Effects {
        match &e.kind {
            ExprKind::Binary(_, a, b)
            | ExprKind::Index(a, b)
            | ExprKind::Within(a, b)
            | ExprKind::PtrAdd {
                ptr: a, index: b, ..
            }
            | ExprKind::PtrDiff {
                left: a, right: b, ..
            } => {
                let both = vec![self.expr(a), self.expr(b)];
                self.unordered(e, both)
            }
            ExprKind::Call { callee, args, .. } => {
                let mut all = vec![self.expr(callee)];
                for arg in args {
                    let mut effects = self.expr(arg);
                    effects.given.extend(address_of(arg));
                    all.push(effects);
                }
                let mut effects = self.unordered(e, all);
                match &callee.kind {
                    ExprKind::FuncAddr(f) => effects.calls.push(*f),
                    _ => effects.unknown = true,
                }
                effects
            }
            ExprKind::Assign { place, value, .. } | ExprKind::AssignOp { place, value, .. } => {
                let mut to = self.expr(place);
                if matches!(e.kind, ExprKind::AssignOp { .. }) {
                    to.reads.extend(scalar(place));
                }
                let both = vec![to, self.expr(value)];
                let mut effects = self.unordered(e, both);
                if let Some(var) = scalar(place) {
                    // The operands' values come first, but not what they change.
                    if effects.writes.contains(&var) {
                        self.certain(e);
                    }
                    effects.writes.insert(var);
                }
                effects
            }
            ExprKind::Load(place, _) => {
                let mut effects = self.expr(place);
                effects.reads.extend(scalar(place));
                effects
            }
            ExprKind::StmtExpr { body, value } => {
                self.stmts(body);
                if let Some(value) = value {
                    self.expr(value);
                }
                Effects::default()
            }
            ExprKind::Compound(_, init) => {
                self.init(init);
                Effects::default()
            }
            // One after the other, or one of them only.
            _ => {
                let mut operands = Vec::new();
                e.for_each_operand(&mut |o| operands.push(o));
                let mut effects = Effects::default();
                for operand in operands {
                    effects.join(self.expr(operand));
                }
                effects
            }
        }
    }

    /// Operands in any order.
    fn unordered(&mut self, e: &Expr, all: Vec<Effects>) -> Effects {
        for (n, a) in all.iter().enumerate() {
            for b in &all[n + 1..] {
                let changes = |a: &Effects, b: &Effects| {
                    let mut seen = b.reads.iter().chain(&b.writes);
                    seen.any(|v| a.writes.contains(v))
                };
                if changes(a, b) || changes(b, a) {
                    self.certain(e);
                } else if a.calls_something() || b.calls_something() {
                    let loc = self.session.loc(self.program, e.span);
                    let pair = (loc, note(e), a.clone(), b.clone());
                    self.order.pairs.push(pair);
                }
            }
        }
        let mut effects = Effects::default();
        all.into_iter().for_each(|one| effects.join(one));
        effects
    }

    fn certain(&mut self, e: &Expr) {
        let loc = self.session.loc(self.program, e.span);
        self.order.certain.insert((loc, note(e)));
    }
}

/// What is noted about an expression.
fn note(e: &Expr) -> &'static str {
    match e.kind {
        ExprKind::AssignOp { .. } => COMPOUND,
        _ => TEXT,
    }
}

/// The variable that a place is, or is a member of. Elements of arrays are not told apart, so they do not count.
fn scalar(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(v) => Some(*v),
        ExprKind::Field(inner, _) => scalar(inner),
        _ => None,
    }
}

/// The variable whose address an argument is.
fn address_of(arg: &Expr) -> Option<VarId> {
    match &arg.kind {
        ExprKind::AddrOf(place) => scalar(place),
        ExprKind::Cast(inner) => address_of(inner),
        _ => None,
    }
}

/// What each function of the file does, with all that it calls.
fn summaries(program: &Program) -> FxHashMap<FuncId, Summary> {
    let mut known = FxHashMap::default();
    let mut calls: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    for (id, function) in program.funcs.enumerate() {
        let mut own = Summary::default();
        let Some(body) = &function.body else {
            // What the library does to memory that its callers share does not depend on the order.
            if cwolf_known::lookup(&function.name).is_none() {
                own.reads_memory = true;
                own.writes_memory = true;
            }
            known.insert(id, own);
            continue;
        };
        let outlives = |v: VarId| !program.vars[v].kind.is_automatic();
        for block in body.blocks.iter() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    CwiStmt::Assign(place, _) => match root(place) {
                        Some(v) if outlives(v) => {
                            own.writes.insert(v);
                        }
                        Some(_) => {}
                        None => own.writes_memory = true,
                    },
                    CwiStmt::Havoc { .. } => own.writes_memory = true,
                    _ => {}
                }
            }
            block.for_each_expr(&mut |e| {
                e.walk(&mut |e| {
                    if let cwolf_cwi::ExprKind::Load { place, .. } = &e.kind {
                        match root(place) {
                            Some(v) if outlives(v) => {
                                own.reads.insert(v);
                            }
                            Some(_) => {}
                            None => own.reads_memory = true,
                        }
                    }
                });
            });
            if let Branch::Call { callee, .. } = &block.branch {
                match callee {
                    Callee::Direct(f) => calls.entry(id).or_default().push(*f),
                    Callee::Indirect(_) => {
                        own.reads_memory = true;
                        own.writes_memory = true;
                    }
                }
            }
        }
        known.insert(id, own);
    }
    loop {
        let mut changed = false;
        for (id, list) in &calls {
            let mut all = known[id].clone();
            for callee in list {
                if let Some(other) = known.get(callee) {
                    all.join(other);
                }
            }
            if all != known[id] {
                known.insert(*id, all);
                changed = true;
            }
        }
        if !changed {
            return known;
        }
    }
}

/// The variable that a place lies in; none behind a pointer.
fn root(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Var(v) => Some(v),
        Base::Deref(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{COMPOUND, TEXT};
    use crate::{Options, compile_text};

    /// The lines on which the order is noted.
    fn noted(text: &str) -> Vec<u32> {
        let found = compile_text("t.c", text.as_bytes(), &Options::default());
        let program = found.program.expect("correct");
        let ours = |n: &&cwolf_cwi::Note| n.text == TEXT || n.text == COMPOUND;
        let notes = program.notes.iter().filter(ours);
        notes.map(|n| program.locations[n.loc].line).collect()
    }

    const FUNCTIONS: &str = "int n; int next(void) { return ++n; } int pure(int a) { return a + 1; }
        int get(int *p) { return (*p)++; } int other(void); int deep(void) { return pure(next()); }\n";

    #[test]
    fn calls_that_change_what_others_look_at() {
        let line = |body: &str| noted(&format!("{FUNCTIONS}int f(int a, int b) {{ {body} }}"));
        for body in [
            "return next() - next();",
            "return pure(a) + deep() * next();",
            "return n + next();",
            "return next() + n;",
            "return get(&a) + a;",
            "return get(&a) - get(&a);",
            "int (*p)(void) = next; return p() + p();",
            "return other() - other();",
            "n = next() + n; return n;",
            "n += next(); return n;",
            "a += get(&a); return a;",
        ] {
            assert_eq!(line(body), [3], "{body}");
        }
        for body in [
            "return pure(a) + pure(b);",
            "return next() + a;",
            "n = next(); return n;",
            "a += next(); return a;",
            "return get(&a) + b;",
            "return next() && next();",
            "return next(), next();",
            "return a ? next() : deep();",
            "return pure(next());",
        ] {
            assert_eq!(line(body), [0; 0], "{body}");
        }
    }

    #[test]
    fn variables_that_are_changed_twice() {
        let line = |body: &str| noted(&format!("\n\nint f(int i, int *p, int *q) {{ {body} }}"));
        for body in [
            "i = i++; return i;",
            "return i++ + i;",
            "p[i] = i++; return 0;",
            "*p++ = *p; return 0;",
        ] {
            assert_eq!(line(body), [3], "{body}");
        }
        for body in [
            "i = i + 1; return i;",
            "while ((*p++ = *q++)) ; return 0;",
            "p[i++] = 0; return i;",
            "i += i; return i;",
            "return i++ ? i : 0;",
        ] {
            assert_eq!(line(body), [0; 0], "{body}");
        }
    }
}
