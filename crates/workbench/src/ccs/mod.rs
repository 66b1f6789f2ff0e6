//! CCS in the syntax of the Concurrency Workbench: definitions, and what they mean as a
//! transition system.

mod environment;
mod guard;
mod parse;
mod semantics;
mod term;
#[cfg(test)]
mod tests;

pub use environment::{CompileError, Environment, Loaded, with_plain_inputs};
