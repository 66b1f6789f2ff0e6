//! Checks a program against the invariants that everything else relies on:
//!
//! 1. Names are not empty, have no control characters, and braces in them balance. Globals differ
//!    from each other, so do the parameters and locals of a procedure, procedures, and labels of a
//!    procedure (blanks count only between words). A procedure with a local that has the name of a
//!    global does not mention that global.
//! 2. `params <= locals.len()`.
//! 3. Statements are numbered in the order of the text: the walk over `body` that visits a compound
//!    statement before its parts meets every [`StmtId`] exactly once, in rising order.
//! 4. Labels are numbered by first mention; each stands before exactly one statement; `goto` has at
//!    least one label.
//! 5. Every variable in an expression or on a left side is in scope; `'x` occurs only inside
//!    `constrain`, and only for an assigned `x`; lists in `&&` and `||` have two or more parts.
//! 6. An assignment has at least one target, none twice, and as many values. A call has as many
//!    arguments as the callee has parameters, and as many results as it returns or none at all; no
//!    variable gets two results. `return` has as many values as the procedure returns.
//! 7. `enforce` is deterministic, and reads no `'x`.
//! 8. Blocks and expressions together nest less than [`MAX_NESTING`] deep.
//! 9. A source's text is on one line, squeezed, and its file is not empty.

use crate::names::{is_writable, key};
use crate::{Expr, GlobalId, LabelId, MAX_NESTING, Proc, ProcId, Program, StmtId, StmtKind, Var};
use cwolf_base::Idx;
use rustc_hash::FxHashSet;

/// What a violation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The whole program.
    Program,
    /// A procedure.
    Proc(ProcId),
    /// A statement.
    Stmt(ProcId, StmtId),
}

/// One broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where.
    pub place: Place,
    /// A plain sentence without a full stop.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

/// Every broken invariant of `program`; none if all is well.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut v = Verifier {
        program,
        found: Vec::new(),
        place: Place::Program,
    };
    v.distinct("variable", program.globals.iter());
    v.distinct("procedure", program.procs.iter().map(|p| &p.name));
    if program.procs.is_empty() {
        v.report("the program has no procedure");
    }
    for (id, proc) in program.procs.enumerate() {
        v.proc(id, proc);
    }
    v.found
}

struct Verifier<'a> {
    program: &'a Program,
    found: Vec<Violation>,
    place: Place,
}

impl<'a> Verifier<'a> {
    fn report(&mut self, message: impl Into<String>) {
        self.found.push(Violation {
            place: self.place,
            message: message.into(),
            hint: None,
        });
    }
    fn hint(&mut self, hint: impl Into<String>) {
        let last = self.found.last_mut().expect("a violation to explain");
        last.hint = Some(hint.into());
    }
    fn distinct<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n String>) {
        let mut seen = FxHashSet::default();
        for name in names {
            if !is_writable(name) {
                self.report(format!("the {what} name `{name}` cannot be written"));
            }
            if !seen.insert(key(name)) {
                self.report(format!("the {what} `{name}` is declared twice"));
            }
        }
    }

    fn proc(&mut self, id: ProcId, proc: &'a Proc) {
        self.place = Place::Proc(id);
        self.distinct("variable", proc.locals.iter());
        self.distinct("label", proc.labels.iter());
        if proc.params > proc.locals.len() {
            return self.report("there are more parameters than variables");
        }
        if let Some(condition) = &proc.enforce {
            self.expr(id, condition, 0, &[]);
            if !condition.is_deterministic() {
                self.report("the condition of `enforce` has a choice in it");
            }
        }
        if self.order(id, proc) {
            self.labels(id, proc);
            for (stmt_id, stmt) in proc.stmts.enumerate() {
                self.place = Place::Stmt(id, stmt_id);
                self.stmt(id, proc, &stmt.kind);
                if let Some(source) = &stmt.source {
                    let text = crate::program::squeeze(&source.text);
                    let file = source.file.as_ref();
                    let bad = |f: &String| f.is_empty() || f.contains(char::is_control);
                    if text != source.text || file.is_some_and(bad) {
                        self.report("the source comment is not on one line");
                    }
                }
            }
            self.place = Place::Proc(id);
            self.shadowing(proc);
        }
    }
    /// Invariants 3 and 8; the others are not looked at when this fails.
    fn order(&mut self, id: ProcId, proc: &Proc) -> bool {
        let mut next = 0;
        let mut stack: Vec<(StmtId, usize)> = proc.body.iter().rev().map(|&s| (s, 1)).collect();
        while let Some((stmt, depth)) = stack.pop() {
            if stmt.index() != next || next >= proc.stmts.len() {
                self.report("statements are not numbered in the order of the text");
                return false;
            }
            next += 1;
            let kind = &proc.stmts[stmt].kind;
            let deepest = kind.exprs().iter().map(|e| e.depth()).max().unwrap_or(0);
            // Two more for the parentheses that the text form may add.
            if depth + deepest + 2 > MAX_NESTING {
                self.place = Place::Stmt(id, stmt);
                self.report(format!("this nests more than {MAX_NESTING} levels deep"));
                return false;
            }
            for block in kind.blocks().into_iter().rev() {
                stack.extend(block.iter().rev().map(|&s| (s, depth + 1)));
            }
        }
        if next != proc.stmts.len() {
            self.report("a statement belongs to no block");
            return false;
        }
        true
    }
    fn labels(&mut self, id: ProcId, proc: &Proc) {
        let mut places = vec![0usize; proc.labels.len()];
        let mut mentioned = 0;
        for (stmt_id, stmt) in proc.stmts.enumerate() {
            self.place = Place::Stmt(id, stmt_id);
            let gotos = match &stmt.kind {
                StmtKind::Goto(list) => &list[..],
                _ => &[],
            };
            if matches!(&stmt.kind, StmtKind::Goto(list) if list.is_empty()) {
                self.report("this `goto` has no label");
            }
            for (n, &label) in stmt.labels.iter().chain(gotos).enumerate() {
                let Some(count) = places.get_mut(label.index()) else {
                    return self.report("a label has a number that no label has");
                };
                *count += usize::from(n < stmt.labels.len());
                if *count > 1 {
                    let name = &proc.labels[label];
                    self.report(format!("the label `{name}` stands before two statements"));
                }
                if label.index() > mentioned {
                    return self.report("labels are not numbered by first mention");
                }
                mentioned = mentioned.max(label.index() + 1);
            }
        }
        for (stmt_id, stmt) in proc.stmts.enumerate() {
            self.place = Place::Stmt(id, stmt_id);
            if let StmtKind::Goto(list) = &stmt.kind {
                for &label in list.iter().filter(|l| places[l.index()] == 0) {
                    self.undefined(proc, label);
                }
            }
        }
        self.place = Place::Proc(id);
        if mentioned != proc.labels.len() {
            self.report("a label is never mentioned");
        }
    }
    fn undefined(&mut self, proc: &Proc, label: LabelId) {
        let name = &proc.labels[label];
        self.report(format!("the label `{name}` stands before no statement"));
        self.hint(format!("write `{name}:` before the statement to go to"));
    }
    fn shadowing(&mut self, proc: &Proc) {
        let locals: FxHashSet<String> = proc.locals.iter().map(|n| key(n)).collect();
        let hidden = |g: &GlobalId| locals.contains(&key(&self.program.globals[*g]));
        let hidden: FxHashSet<GlobalId> = self.program.globals.ids().filter(hidden).collect();
        if hidden.is_empty() {
            return;
        }
        let mut mentioned: Vec<Var> = Vec::new();
        let exprs = proc.stmts.iter().flat_map(|s| s.kind.exprs());
        for expr in exprs.chain(&proc.enforce) {
            expr.walk(&mut |e| {
                if let Expr::Var(v) | Expr::Next(v) = e {
                    mentioned.push(*v);
                }
            });
        }
        mentioned.extend(proc.stmts.iter().flat_map(|s| s.kind.targets()));
        let mentions = |v: &Var| matches!(v, Var::Global(g) if hidden.contains(g));
        if mentioned.iter().any(mentions) {
            self.report("a global is used where a local hides its name");
        }
    }

    fn in_scope(&self, proc: ProcId, var: Var) -> bool {
        match var {
            Var::Global(g) => g.index() < self.program.globals.len(),
            Var::Local(l) => l.index() < self.program.procs[proc].locals.len(),
        }
    }
    fn expr(&mut self, proc: ProcId, expr: &Expr, depth: usize, assigned: &[Var]) {
        if depth + expr.depth() + 2 > MAX_NESTING {
            return self.report(format!("this nests more than {MAX_NESTING} levels deep"));
        }
        let mut messages = Vec::new();
        expr.walk(&mut |e| match e {
            Expr::Var(v) | Expr::Next(v) if !self.in_scope(proc, *v) => {
                messages.push("a variable is not in scope");
            }
            Expr::Next(v) if !assigned.contains(v) => {
                messages.push("a new value `'x` is used where `x` is not assigned");
            }
            Expr::And(list) | Expr::Or(list) if list.len() < 2 => {
                messages.push("a conjunction or disjunction has less than two parts");
            }
            _ => {}
        });
        for message in messages {
            self.report(message);
        }
    }
    fn stmt(&mut self, id: ProcId, proc: &Proc, kind: &StmtKind) {
        let targets = kind.targets();
        let mut seen = FxHashSet::default();
        for &target in &targets {
            if !self.in_scope(id, target) {
                return self.report("a variable is not in scope");
            }
            if !seen.insert(target) {
                let name = self.program.var_name(id, target).to_owned();
                self.report(format!("`{name}` is assigned twice at once"));
            }
        }
        match kind {
            StmtKind::Assign {
                values, constrain, ..
            } => {
                for value in values {
                    self.expr(id, value, 0, &[]);
                }
                if let Some(constrain) = constrain {
                    self.expr(id, constrain, 0, &targets);
                }
                if targets.len() != values.len() || targets.is_empty() {
                    self.count("value", "variable", values.len(), targets.len());
                }
                return;
            }
            StmtKind::Call {
                results,
                callee,
                args,
            } => {
                let Some(callee) = self.program.procs.get(*callee) else {
                    return self.report("a call has a procedure that does not exist");
                };
                let name = &callee.name;
                if args.len() != callee.params {
                    self.count("argument", "parameter", args.len(), callee.params);
                    self.hint(format!("the procedure is `{name}`"));
                }
                if !results.is_empty() && results.len() != callee.results {
                    self.count("variable", "result", results.len(), callee.results);
                    self.hint(format!("the procedure is `{name}`"));
                }
            }
            StmtKind::Return(values) if values.len() != proc.results => {
                self.count("value", "result", values.len(), proc.results);
            }
            _ => {}
        }
        for expr in kind.exprs() {
            self.expr(id, expr, 0, &[]);
        }
    }
    fn count(&mut self, have: &str, want: &str, given: usize, wanted: usize) {
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let (a, b) = (s(given), s(wanted));
        self.report(format!("{given} {have}{a} for {wanted} {want}{b}"));
    }
}
