//! CCS in the syntax of the Concurrency Workbench: definitions, and what they mean as a
//! transition system.

mod environment;
mod guard;
mod interaction;
mod network;
mod parse;
mod semantics;
mod store;
mod term;
#[cfg(test)]
mod tests;

pub use environment::{CompileError, Environment, Loaded, with_plain_inputs};
