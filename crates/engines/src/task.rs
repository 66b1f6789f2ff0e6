//! What engines are asked and what they answer. The one interface between those who make tasks
//! (properties, rules, harnesses) and those who solve them.

use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::value::Value;
use cwolf_cwi::{BlockId, CheckId, FuncId, LocId, TypeId};
pub use cwolf_encode::{CheckKind, Checks, Site};

/// What is to be shown of a program: no run from `entry` does what `checks` forbids.
#[derive(Clone, Debug)]
pub struct Task<'p> {
    /// The program, linked, with the models of the library functions that it needs.
    pub program: &'p Analysed,
    /// Where runs start; its parameters have any values.
    pub entry: FuncId,
    /// Which steps are errors.
    pub checks: Checks,
    /// Functions whose call is an error ([`CheckKind::UnreachCall`]), whether they have a body
    /// or not.
    pub error_functions: Vec<FuncId>,
}

/// A value that a failing run is given when it asks for any: the answers of
/// `cwolf_interp`'s oracle, in the order of its questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The type that is asked for.
    pub ty: TypeId,
    /// The answer, in canonical form.
    pub value: Value,
    /// The same as an address: so many bytes after the start of an object. The engine does not know
    /// where objects lie in a run.
    pub into: Option<(Site, i64)>,
}

/// A condition at the start of a block: what always holds there, or a predicate that is tracked there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The function.
    pub func: FuncId,
    /// The block: the head of a loop.
    pub block: BlockId,
    /// A C expression over the variables in scope there.
    pub text: String,
}

/// Something that a run reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// A value; a pointer to outside the program as oracles choose it.
    Value(Value),
    /// A pointer to so many bytes after the start of an object.
    Into(Site, i64),
    /// A pointer to some other object of the program.
    Elsewhere,
}

/// A run that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What goes wrong.
    pub kind: CheckKind,
    /// Where.
    pub loc: LocId,
    /// The check that fails, if an `Assert` names it.
    pub check: Option<CheckId>,
    /// The error function that is called, for [`CheckKind::UnreachCall`].
    pub function: Option<FuncId>,
    /// What the run must be given.
    pub choices: Vec<Choice>,
    /// What it reads through pointers and from variables that code outside may change, in order: what
    /// must lie in memory that nothing was written to, or that such code wrote.
    pub loads: Vec<Load>,
    /// Places on its way, in order: where branches were taken and calls made.
    pub path: Vec<LocId>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No run fails.
    Safe {
        /// Why: inductive facts at loop heads.
        invariants: Vec<Invariant>,
    },
    /// A run fails; to be confirmed by running it.
    Unsafe(Failure),
    /// Neither could be shown.
    Unknown {
        /// Why, as a plain sentence.
        reason: String,
        /// The path that could not be decided, if there is one.
        path: Vec<LocId>,
    },
}

impl Verdict {
    /// `Unknown` for a reason.
    pub fn unknown(reason: impl Into<String>) -> Verdict {
        Verdict::Unknown {
            reason: reason.into(),
            path: Vec::new(),
        }
    }
    /// Whether it decides the task.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Verdict::Unknown { .. })
    }
}

/// An answer with what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// What was approximated or assumed, as plain sentences, each once.
    pub assumptions: Vec<String>,
    /// The predicates through which the engine looked at the program, as far as C can say them.
    pub predicates: Vec<Invariant>,
}

impl Outcome {
    /// `Unknown` for a reason, before anything was done.
    pub(crate) fn unknown(reason: impl Into<String>) -> Outcome {
        Outcome {
            verdict: Verdict::unknown(reason),
            assumptions: Vec::new(),
            predicates: Vec::new(),
        }
    }
}

/// A way to solve tasks.
pub trait Engine: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// Solves `task` within `budget`.
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome;
    /// How many times its usual part of the time it deserves for a program of this kind.
    fn suits(&self, _task: &Task<'_>) -> f64 {
        1.0
    }
}
