//! Tests of lowering: random trees against an evaluator of trees.

mod generate;
mod order;
mod run_blocks;
mod run_tree;
mod state;
