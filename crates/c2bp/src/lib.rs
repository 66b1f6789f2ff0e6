//! Predicate abstraction: from a program and predicates over its variables to a boolean program
//! whose executions cover the program's (C2BP, after Ball, Majumdar, Millstein and Rajamani).
//!
//! The way of a statement: [`wp`] says what a predicate means before it (Morris' axiom over
//! locations, pruned by points-to sets), [`cubes`] strengthens that to a formula over the
//! predicates (the paper's F_V, by a solver), `block` makes the boolean statement of it. Calls go
//! by [`signature`]s, so that every procedure is abstracted by itself. The crate does not check
//! boolean programs; `boolprog` does.

mod block;
mod call;
pub mod cubes;
mod effects;
mod encode;
mod initial;
mod options;
mod place;
mod predicate;
mod procedure;
mod program;
mod question;
mod region;
mod shape;
pub mod signature;
mod simplify;
mod small_model;
mod used;
pub mod wp;

pub use cwolf_cwi::Predicate;
pub use effects::Effects;
pub use encode::Encoder;
pub use options::{Arith, Label, Layout, Optimisations, Options, Stats};
pub use program::{Abstraction, Failure, Point, abstract_program};
pub use question::implies;
