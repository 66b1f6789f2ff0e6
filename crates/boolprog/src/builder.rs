//! Builds a procedure statement by statement, in the order of the text.

use crate::{Expr, LabelId, LocalId, Proc, ProcId, Source, Stmt, StmtId, StmtKind, Var};
use cwolf_base::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds statements to a procedure; the blocks of compound statements open and close like brackets.
///
/// ```
/// use cwolf_boolprog::{Builder, Expr, Program};
/// let mut program = Program::default();
/// let g = program.globals.push("g".into());
/// let mut b = Builder::new("main", 0);
/// b.begin_if(Expr::Unknown);
/// b.assign(vec![cwolf_boolprog::Var::Global(g)], vec![Expr::TRUE]);
/// b.end();
/// program.procs.push(b.finish());
/// assert!(cwolf_boolprog::verify(&program).is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    proc: Proc,
    names: FxHashMap<String, LabelId>,
    pending: Vec<LabelId>,
    placed: FxHashSet<LabelId>,
    open: Vec<(StmtId, bool)>,
}

impl Builder {
    /// Starts a procedure that returns `results` values.
    pub fn new(name: &str, results: usize) -> Builder {
        Builder {
            proc: Proc {
                name: name.into(),
                results,
                ..Proc::default()
            },
            names: FxHashMap::default(),
            pending: Vec::new(),
            placed: FxHashSet::default(),
            open: Vec::new(),
        }
    }
    /// Adds a parameter; all parameters come before all locals.
    ///
    /// # Panics
    /// When a local was added before.
    pub fn param(&mut self, name: &str) -> LocalId {
        assert_eq!(
            self.proc.params,
            self.proc.locals.len(),
            "parameters come first"
        );
        self.proc.params += 1;
        self.proc.locals.push(name.into())
    }
    /// Adds a local.
    pub fn local(&mut self, name: &str) -> LocalId {
        self.proc.locals.push(name.into())
    }
    /// Adds a condition to what every state satisfies.
    pub fn enforce(&mut self, condition: Expr) {
        let old = self.proc.enforce.take();
        self.proc.enforce = Some(match old {
            None => condition,
            Some(old) => Expr::and([old, condition]),
        });
    }
    /// The label of that name, new or known.
    pub fn label_id(&mut self, name: &str) -> LabelId {
        let key = crate::names::key(name);
        let labels = &mut self.proc.labels;
        *self
            .names
            .entry(key)
            .or_insert_with(|| labels.push(name.into()))
    }
    /// Puts a label before the next statement (or before the end of the block).
    pub fn label(&mut self, name: &str) -> LabelId {
        let id = self.label_id(name);
        self.pending.push(id);
        self.placed.insert(id);
        id
    }
    /// Whether a label of that name was put before a statement.
    pub fn is_placed(&mut self, name: &str) -> bool {
        let id = self.label_id(name);
        self.placed.contains(&id)
    }
    /// Adds a statement of any kind but the compound ones.
    pub fn stmt(&mut self, kind: StmtKind) -> StmtId {
        let labels = std::mem::take(&mut self.pending);
        let id = self.proc.stmts.push(Stmt {
            labels,
            kind,
            source: None,
        });
        let block = match self.open.last() {
            None => &mut self.proc.body,
            Some(&(owner, second)) => match &mut self.proc.stmts[owner].kind {
                StmtKind::If { otherwise, .. } if second => otherwise,
                StmtKind::If { then, .. } => then,
                StmtKind::While { body, .. } => body,
                _ => unreachable!("only compound statements are opened"),
            },
        };
        block.push(id);
        id
    }
    /// Says what the newest statement stands for.
    pub fn source(&mut self, id: StmtId, source: Source) {
        self.proc.stmts[id].source = Some(source);
    }
    /// `skip`.
    pub fn skip(&mut self) -> StmtId {
        self.stmt(StmtKind::Skip)
    }
    /// A parallel assignment.
    pub fn assign(&mut self, targets: Vec<Var>, values: Vec<Expr>) -> StmtId {
        self.stmt(StmtKind::Assign {
            targets,
            values,
            constrain: None,
        })
    }
    /// A call.
    pub fn call(&mut self, results: Vec<Option<Var>>, callee: ProcId, args: Vec<Expr>) -> StmtId {
        self.stmt(StmtKind::Call {
            results,
            callee,
            args,
        })
    }
    /// `assume`.
    pub fn assume(&mut self, condition: Expr) -> StmtId {
        self.stmt(StmtKind::Assume(condition))
    }
    /// `assert`.
    pub fn assert(&mut self, condition: Expr) -> StmtId {
        self.stmt(StmtKind::Assert(condition))
    }
    /// `goto` one of several labels.
    pub fn goto(&mut self, labels: &[&str]) -> StmtId {
        let labels = labels.iter().map(|l| self.label_id(l)).collect();
        self.stmt(StmtKind::Goto(labels))
    }
    /// `return`.
    pub fn ret(&mut self, values: Vec<Expr>) -> StmtId {
        self.stmt(StmtKind::Return(values))
    }
    /// Opens `if (condition) {`.
    pub fn begin_if(&mut self, condition: Expr) -> StmtId {
        let id = self.stmt(StmtKind::If {
            condition,
            then: Vec::new(),
            otherwise: Vec::new(),
        });
        self.open.push((id, false));
        id
    }
    /// `} else {`.
    ///
    /// # Panics
    /// When the innermost open statement is not an `if` in its first branch.
    pub fn begin_else(&mut self) {
        self.flush();
        let top = self.open.last_mut().expect("an open if");
        let is_if = matches!(self.proc.stmts[top.0].kind, StmtKind::If { .. });
        assert!(is_if && !top.1, "an if in its first branch");
        top.1 = true;
    }
    /// Opens `while (condition) {`.
    pub fn begin_while(&mut self, condition: Expr) -> StmtId {
        let id = self.stmt(StmtKind::While {
            condition,
            body: Vec::new(),
        });
        self.open.push((id, false));
        id
    }
    /// Closes the innermost open statement.
    ///
    /// # Panics
    /// When none is open.
    pub fn end(&mut self) {
        self.flush();
        self.open.pop().expect("an open statement");
    }
    /// How many compound statements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }
    /// The procedure so far, to look names up.
    pub fn proc(&self) -> &Proc {
        &self.proc
    }
    /// A label before the end of a block needs a statement to stand before.
    fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.skip();
        }
    }
    /// The whole procedure, with labels numbered by their first occurrence in the text.
    pub fn finish(mut self) -> Proc {
        while !self.open.is_empty() {
            self.end();
        }
        self.flush();
        number_labels(&mut self.proc);
        self.proc
    }
}

/// Numbers the labels of `proc` in the order in which the text first mentions them, so that two
/// procedures with the same text are equal.
fn number_labels(proc: &mut Proc) {
    let mut new: FxHashMap<LabelId, LabelId> = FxHashMap::default();
    let mut labels: IndexVec<LabelId, String> = IndexVec::new();
    let old = std::mem::take(&mut proc.labels);
    for stmt in proc.stmts.iter_mut() {
        let gotos = match &mut stmt.kind {
            StmtKind::Goto(list) => &mut list[..],
            _ => &mut [],
        };
        for label in stmt.labels.iter_mut().chain(gotos) {
            *label = *new
                .entry(*label)
                .or_insert_with(|| labels.push(old[*label].clone()));
        }
    }
    proc.labels = labels;
}
