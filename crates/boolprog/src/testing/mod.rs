//! Random programs, and an explicit-state oracle for them. For tests, also of other crates.

mod generate;
mod oracle;

pub use generate::{Random, Shape, random_program};
pub use oracle::{Oracle, shortest};
