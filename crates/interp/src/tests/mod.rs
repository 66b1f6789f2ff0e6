//! Programs built by hand, each run for its outcome.

mod build;
mod calls;
mod errors;
mod known;
mod operators;
mod taint;
mod tracing;
