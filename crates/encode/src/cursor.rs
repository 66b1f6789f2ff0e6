//! Where an encoding is just now, and values on the way.

use crate::memory::State;
use crate::objects::{ContextId, Repr};
use cwolf_cwi::{BlockId, LocId, TypeId};
use cwolf_logic::Term;

/// A value of any type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// A scalar, as wide as its type computes.
    Scalar(Term),
    /// An aggregate: the bits from its start, bits in memory, kind and value of each part.
    Parts(Vec<(u64, u16, Repr, Term)>),
}

/// Where the walk is just now.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    pub(crate) guard: Term,
    pub(crate) state: State,
    pub(crate) context: ContextId,
    pub(crate) block: BlockId,
    /// The statement in the block; past the last, the branch.
    pub(crate) index: usize,
    pub(crate) loc: LocId,
    pub(crate) result: Option<(Content, TypeId)>,
}
