//! Graphs over a program: control flow in a function ([`Cfg`]), calls between functions
//! ([`CallGraph`]), and what pointers may point to ([`PointsTo`]). [`Analysed`] computes each once.

mod analysed;
mod calls;
mod flow;
mod lives;
mod points_to;
#[cfg(test)]
mod reference;
mod registers;
mod shared;
#[cfg(test)]
mod tests;

pub use analysed::Analysed;
pub use calls::{Call, CallGraph};
pub use flow::{Cfg, Loop, is_tail_call};
pub use lives::ended_at;
pub use points_to::{Chosen, Object, PointsTo, Precision, known};
pub use registers::LiveRegisters;
pub use shared::shared_with_outside;
