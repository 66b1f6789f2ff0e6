//! What C2BP says, against runs of random programs.

mod generate;
mod points_to;
mod simulate;
mod soundness;
