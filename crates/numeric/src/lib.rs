//! Abstract interpretation of the numbers of a prepared program: before any solver runs, and for all
//! engines. What a cell may hold is a product of intervals, congruences, known bits and small sets
//! ([`Num`]); what cells have to do with each other are octagons over small packs; pointers lead to
//! objects with offsets. Calls are followed in place where there are few, else each function has one
//! context; loops by widening to the numbers of the program, and then narrowing; flags keep states
//! apart.
//!
//! The meaning of every word is that of `cwi::value` and of the interpreter: results wrap around. A
//! check that holds in every state that is computed holds on every run.

pub mod arith;
mod block;
mod fixpoint;
mod flags;
mod layout;
mod memory;
mod num;
mod objects;
mod octagon;
mod order;
mod point;
mod recast;
mod refine;
mod result;
mod state;
mod step;
mod survey;
mod value;

pub use fixpoint::Stopped;
pub use num::Num;
pub use result::{Analysis, Fact, Spot, analyse, analysis, known};

use cwolf_cwi::FuncId;

/// What is asked, and what runs do that C does not define.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Functions whose call is a failure.
    pub error_functions: Vec<FuncId>,
    /// Whether a failed assertion without a check is a failure.
    pub assertions: bool,
    /// Whether every access is checked before it is made.
    pub checks_accesses: bool,
    /// Whether runs go on after a step that C does not define and that is not checked.
    pub follow_undefined: bool,
}

impl Options {
    /// Whether a run that goes on after an access has made a valid one.
    fn trusts_accesses(&self) -> bool {
        self.checks_accesses || !self.follow_undefined
    }
}

#[cfg(test)]
mod tests;
