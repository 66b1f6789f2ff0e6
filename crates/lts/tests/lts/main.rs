//! Reductions and comparisons of whole systems.

mod golden;
mod properties;
