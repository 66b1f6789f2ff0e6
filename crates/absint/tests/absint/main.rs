//! Domains against the concrete operators, models against runs.

mod exhaustion;
mod floats;
mod soundness;
mod wide;
