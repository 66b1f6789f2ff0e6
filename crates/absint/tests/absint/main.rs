//! Domains against the concrete operators, models against runs.

mod exhaustion;
mod floats;
mod rows;
mod soundness;
mod wide;
