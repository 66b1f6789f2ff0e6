//! CWI as terms: one encoding for every engine.
//!
//! An [`Encoder`] walks over the program from its entry or from the head of a loop, enters calls
//! on the way, merges states where paths meet, and gives a [`Region`]: the ways to the next loop
//! heads with their conditions and memories, what must not happen and when, and which values
//! the run asks for. When unrolling, it goes through loops instead of stopping at their heads.
//!
//! Five parts stand on each other, each a type that owns the one below and can be used like it: the
//! tables of [`Objects`] and cells, [`Pointers`] as terms, [`Memory`] (what cells hold), the
//! [`Evaluator`] of expressions, and the [`Encoder`], which walks. [`operators`] has what all need,
//! and C2BP as well: the meaning of operators on terms.
//!
//! Memory is objects, each a few *cells*: scalars of their own, long arrays as array terms. A
//! pointer is an object's number above an offset; an access is a case split over the objects that
//! its pointer may point to. What does not fit (bytes of a pointer, a union seen otherwise at an
//! unknown place) may hold anything, which is sound. An allocation in a loop that is not unrolled
//! stands for many objects: reading it gives anything.

mod calls;
mod check;
mod cursor;
mod evaluate;
mod lives;
mod memory;
mod objects;
pub mod operators;
mod options;
mod pointers;
mod region;
mod walk;

pub use check::Checks;
pub use cwolf_cwi::CheckKind;
pub use evaluate::Evaluator;
pub use memory::{Memory, State};
pub use objects::{CellId, ContextId, OFFSET_BITS, ObjId, ObjectKind, Objects, Repr, Site};
pub use options::{Mode, Options};
pub use pointers::{Pointers, object_test};
pub use region::{Asked, Cut, End, Entered, Exit, Obligation, Region, Why};
pub use walk::{
    BlockPath, Bounds, Copy, Encoder, Feasible, MostRounds, Point, Procedures, Start, loop_heads,
};
