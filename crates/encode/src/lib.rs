//! CWI as terms: one encoding for every engine.
//!
//! An [`Encoder`] walks over the program from its entry or from the head of a loop, enters calls
//! on the way, merges states where paths meet, and gives a [`Region`]: the ways to the next loop
//! heads with their conditions and memories, what must not happen and when, and which values
//! the run asks for. When unrolling, it goes through loops instead of stopping at their heads.
//!
//! Memory is objects, each a few *cells*: scalars of their own, long arrays as array terms. A
//! pointer is an object's number above an offset; an access is a case split over the objects that
//! its pointer may point to. What does not fit (bytes of a pointer, a union seen otherwise at an
//! unknown place) may hold anything, which is sound. An allocation in a loop that is not unrolled
//! stands for many objects: reading it gives anything.

mod calls;
mod check;
mod encoder;
mod expr;
mod flow;
mod intervals;
mod life;
mod lives;
mod memory;
mod merge;
mod modular;
mod object;
mod pointer;
mod region;
mod run;
mod state;
mod words;

pub use calls::{is_known, is_native};
pub use check::Checks;
pub use cwolf_cwi::CheckKind;
pub use encoder::{Encoder, Options};
pub use intervals::Proven;
pub use modular::{Copy, End, Entered, Point, Procedures};
pub use object::{CellId, ContextId, ObjId, ObjectKind, Repr};
pub use pointer::object_test;
pub use region::{Asked, Cut, Exit, Obligation, Region, Why};
pub use run::{Bounds, Feasible, Start};
pub use state::State;
