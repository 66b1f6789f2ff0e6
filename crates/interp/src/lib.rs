//! The concrete semantics: runs CWI exactly, with the C library in Rust. It is the oracle of
//! every soundness test and replays counterexamples; it never approximates.
//!
//! Memory is objects with provenance, and every access is checked: bounds, life, whether the
//! memory was ever written. A run ends in an [`Outcome`]; the library prints nothing by itself.
//!
//! ```
//! use cwolf_cwi::{Program, Target};
//! use cwolf_interp::{Machine, Options, Outcome};
//! let program = Program::new(Target::X86_64);
//! let outcome = Machine::new(&program, Options::default()).run("main");
//! let Outcome::Error(error) = outcome else { panic!("there is no main") };
//! assert_eq!(error.message, "the program has no function main");
//! ```

mod broken;
mod call;
mod census;
mod code;
mod compile;
mod error;
mod exec;
mod explain;
mod fmt;
mod libc;
mod machine;
mod memory;
mod oracle;
mod outside;
mod show;
mod slow;
mod startup;
mod taint;
mod touch;
mod trace;

#[cfg(test)]
mod tests;

pub use error::{ErrorKind, Outcome, RunError, StackEntry};
pub use libc::{is_native, provides};
pub use machine::{Machine, Options};
pub use oracle::{List, OUTSIDE, OUTSIDE_SIZE, OUTSIDE_STEP, Oracle, Random, Zeros, given};
pub use trace::{At, TraceText, Tracer, View};
