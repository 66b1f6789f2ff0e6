//! Properties that hold for all systems, checked on random ones against a slow oracle.

mod compare;
mod oracle;
mod reductions;
