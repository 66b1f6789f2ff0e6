//! Engines against known answers and against all runs of random programs.

mod aiger;
mod common;
mod invariants;
mod lives;
mod runs;
mod slam;
mod small;
