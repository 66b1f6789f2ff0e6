//! Programs built by hand, each run for its outcome.

mod build;
mod calls;
mod errors;
mod library;
mod operators;
mod taint;
mod tracing;
