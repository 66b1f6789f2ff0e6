//! The data type of boolean programs.

use crate::{Expr, Var};
use cwolf_base::{IndexVec, index};

index! {
    /// Names a global variable.
    GlobalId
    /// Names a parameter or local of one procedure; parameters come first.
    LocalId
    /// Names a procedure.
    ProcId
    /// Names a statement of one procedure, numbered in the order of the text.
    StmtId
    /// Names a label of one procedure.
    LabelId
}

/// How deep blocks and expressions may nest.
pub const MAX_NESTING: usize = 256;

/// A boolean program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The names of the globals; a global starts with any value.
    pub globals: IndexVec<GlobalId, String>,
    /// The procedures, in the order of the text.
    pub procs: IndexVec<ProcId, Proc>,
}

/// One procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// How many of the first `locals` are parameters.
    pub params: usize,
    /// The names of parameters and locals; a local starts with any value.
    pub locals: IndexVec<LocalId, String>,
    /// How many values it returns.
    pub results: usize,
    /// Holds in every state of this procedure: an `assume` between every two statements.
    pub enforce: Option<Expr>,
    /// The names of the labels.
    pub labels: IndexVec<LabelId, String>,
    /// Every statement, in the order of the text: a compound statement before its parts.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// The statements of the outermost block.
    pub body: Vec<StmtId>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// The labels in front of it.
    pub labels: Vec<LabelId>,
    /// What it does.
    pub kind: StmtKind,
    /// What it stands for in the program that was abstracted.
    pub source: Option<Source>,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// Nothing.
    Skip,
    /// Assigns all values at once: `x, y = e1, e2`.
    Assign {
        /// The variables; none twice.
        targets: Vec<Var>,
        /// As many values.
        values: Vec<Expr>,
        /// Steps that do not satisfy this relation of old and new values do not happen.
        constrain: Option<Expr>,
    },
    /// Calls a procedure: `x, y = f(e1, e2)`.
    Call {
        /// Where the results go, one for each; `None` drops one. Empty drops all.
        results: Vec<Option<Var>>,
        /// The procedure.
        callee: ProcId,
        /// The values of its parameters.
        args: Vec<Expr>,
    },
    /// Executions on which the condition does not hold are ignored.
    Assume(Expr),
    /// Fails when the condition does not hold.
    Assert(Expr),
    /// Goes on at any of the labels; one or more.
    Goto(Vec<LabelId>),
    /// Ends the procedure.
    Return(Vec<Expr>),
    /// Two ways on.
    If {
        /// The condition.
        condition: Expr,
        /// Where it holds.
        then: Vec<StmtId>,
        /// Where it does not; may be empty.
        otherwise: Vec<StmtId>,
    },
    /// A loop.
    While {
        /// Evaluated before each round.
        condition: Expr,
        /// One round.
        body: Vec<StmtId>,
    },
}

/// The text, and the place of the text, that a statement stands for; never interpreted here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The file, if known.
    pub file: Option<String>,
    /// The line, if known.
    pub line: Option<u32>,
    /// The text, on one line and without space at either end.
    pub text: String,
}

impl Source {
    /// Makes a source out of any text, by squeezing all white space to single blanks.
    pub fn new(text: &str, line: Option<u32>) -> Source {
        Source {
            file: None,
            line,
            text: squeeze(text),
        }
    }
    /// Adds the file that the line is counted in.
    pub fn in_file(mut self, file: &str) -> Source {
        self.file = Some(file.replace(char::is_control, " ")).filter(|f| !f.is_empty());
        self
    }
}

/// `text` on one line: every run of white space or control characters is one blank.
pub(crate) fn squeeze(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

impl Program {
    /// The procedure of that name.
    pub fn find_proc(&self, name: &str) -> Option<ProcId> {
        let key = crate::names::key(name);
        self.procs
            .enumerate()
            .find(|(_, p)| crate::names::key(&p.name) == key)
            .map(|(id, _)| id)
    }
    /// The name of `var` in procedure `proc`.
    pub fn var_name(&self, proc: ProcId, var: Var) -> &str {
        match var {
            Var::Global(id) => &self.globals[id],
            Var::Local(id) => &self.procs[proc].locals[id],
        }
    }
    /// Every label of that name: the procedure and the statement it stands before.
    pub fn find_label(&self, name: &str) -> Vec<(ProcId, StmtId)> {
        let key = crate::names::key(name);
        let mut found = Vec::new();
        for (proc_id, proc) in self.procs.enumerate() {
            for (stmt_id, stmt) in proc.stmts.enumerate() {
                let mut names = stmt.labels.iter().map(|&l| &proc.labels[l]);
                if names.any(|l| crate::names::key(l) == key) {
                    found.push((proc_id, stmt_id));
                }
            }
        }
        found
    }
    /// The variables in scope in `proc`: globals, then parameters and locals.
    pub fn scope(&self, proc: ProcId) -> impl Iterator<Item = Var> + '_ {
        let globals = self.globals.ids().map(Var::Global);
        globals.chain(self.procs[proc].locals.ids().map(Var::Local))
    }
}

impl Proc {
    /// The parameters.
    pub fn param_ids(&self) -> impl Iterator<Item = LocalId> + use<> {
        (0..self.params as u32).map(LocalId)
    }
    /// The statement that carries `label`.
    pub fn label_at(&self, label: LabelId) -> Option<StmtId> {
        self.stmts
            .enumerate()
            .find(|(_, s)| s.labels.contains(&label))
            .map(|(id, _)| id)
    }
}

impl StmtKind {
    /// The expressions evaluated by the statement itself, not by its parts.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            StmtKind::Skip | StmtKind::Goto(_) => Vec::new(),
            StmtKind::Assign {
                values, constrain, ..
            } => values.iter().chain(constrain).collect(),
            StmtKind::Call { args, .. } => args.iter().collect(),
            StmtKind::Assume(e) | StmtKind::Assert(e) => vec![e],
            StmtKind::Return(values) => values.iter().collect(),
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => vec![condition],
        }
    }
    /// The variables written by the statement itself.
    pub fn targets(&self) -> Vec<Var> {
        match self {
            StmtKind::Assign { targets, .. } => targets.clone(),
            StmtKind::Call { results, .. } => results.iter().flatten().copied().collect(),
            _ => Vec::new(),
        }
    }
    /// The blocks inside the statement, in the order of the text.
    pub fn blocks(&self) -> Vec<&[StmtId]> {
        match self {
            StmtKind::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            StmtKind::While { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}
