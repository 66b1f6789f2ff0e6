//! The front of verification: what is to be checked, rules woven into the program, the engines
//! in turn, every failure replayed by the interpreter before anyone hears of it.
//!
//! It knows how a verdict comes about and nothing of how it is written down, except as the
//! plain data of `cwolf_report`. It prints nothing.

mod assumed;
pub mod bundle;
pub mod concrete;
mod explore;
pub mod harness;
mod invented;
pub mod names;
pub mod plan;
pub mod portfolio;
mod reach;
pub mod reason;
pub mod replay;
mod rounded;
mod schedule;
pub mod search;
mod settled;
mod shorter;
pub mod sites;
pub mod statuses;
pub mod summary;
mod waits;

pub use explore::Explore;

#[cfg(test)]
mod tests;
