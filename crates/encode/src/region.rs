//! What comes of encoding a part of a program.

use crate::memory::State;
use crate::objects::{CellId, ContextId};
use crate::walk::Point;
use cwolf_cwi::CheckKind;
use cwolf_cwi::{BlockId, CheckId, FuncId, LocId, TypeId};
use cwolf_logic::Term;

/// The head of a loop in one call: where encodings are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cut {
    /// The call.
    pub context: ContextId,
    /// The head of the loop.
    pub block: BlockId,
}

/// A way out of a region.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The cut that it leads to.
    pub to: Cut,
    /// When control goes this way.
    pub guard: Term,
    /// The memory then.
    pub state: State,
}

/// Something that must not happen.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What it is.
    pub kind: CheckKind,
    /// Where.
    pub loc: LocId,
    /// The check that an `Assert` names.
    pub check: Option<CheckId>,
    /// The error function that is called.
    pub function: Option<FuncId>,
    /// When it happens.
    pub fails: Term,
    /// How many choices are made before it, at most.
    pub choices: usize,
    /// How many steps are made before it, at most.
    pub steps: usize,
    /// How many values are read through pointers before it, at most.
    pub loads: usize,
}

/// A value that the run asks for, or reads.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// When it is asked for.
    pub guard: Term,
    /// The answer.
    pub term: Term,
    /// Its type.
    pub ty: TypeId,
    /// Where the answer is an array: so many of its elements, one after the other, are of this type. An
    /// entry for each would be millions of terms for one large buffer.
    pub elements: Option<u64>,
}

/// Why an encoding is not complete.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A loop or recursion was not followed further.
    Unwinding,
    /// The same, and the user does not want more of it.
    Bounded,
    /// Something that cannot be encoded.
    Unsupported(String),
}

/// A way out of a block.
#[derive(Clone, Debug)]
pub struct End {
    /// Where it leads.
    pub to: Point,
    /// When control goes this way.
    pub guard: Term,
    /// The memory then.
    pub state: State,
    /// At an exit: what is returned, if that is known.
    pub result: Option<Term>,
}

/// The call that a block starts with.
#[derive(Clone, Debug)]
pub struct Entered {
    /// Who is called.
    pub callee: FuncId,
    /// When.
    pub guard: Term,
    /// What the callee's parameters hold.
    pub params: Vec<(CellId, Term)>,
    /// How many choices were made before.
    pub choices: usize,
    /// How many steps.
    pub steps: usize,
    /// How many obligations come before.
    pub obligations: usize,
    /// How much of what is not encoded.
    pub incomplete: usize,
}

/// What comes of encoding a part of a program.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Ways to cuts.
    pub exits: Vec<Exit>,
    /// What must not happen.
    pub obligations: Vec<Obligation>,
    /// What the run asks for, in the order in which any run asks.
    pub asked: Vec<Asked>,
    /// What is read through pointers, or from variables that code outside may change, in the order in
    /// which any run reads.
    pub loads: Vec<Asked>,
    /// When the encoding says nothing about what follows.
    pub incomplete: Vec<(Term, Why)>,
    /// Blocks with the condition that control comes there, in the order of any run.
    pub steps: Vec<(Term, LocId)>,
    /// For a block of a procedure: ways out of it.
    pub ends: Vec<End>,
    /// The call that such a block starts with.
    pub entered: Option<Entered>,
    /// On one way through the program: the condition for coming to each of its blocks, and to its end.
    pub way: Vec<Term>,
}
