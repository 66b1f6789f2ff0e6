//! Engines that prove properties of a program or find a failing run, all on the encoding of
//! `cwolf_encode` and the solver of `cwolf_logic`.

pub mod aiger;
mod bmc;
mod c_text;
mod candidates;
mod chain;
mod common;
mod elements;
mod graph;
mod houdini;
mod ic3;
mod imc;
mod induction;
mod loop_facts;
pub mod materialise;
pub mod numeric;
pub mod path;
mod samples;
mod shapes;
mod slam;
mod targets;
pub mod task;

pub use bmc::{Bmc, LoopBound};
pub use common::safe;
pub use elements::Elements;
pub use ic3::Ic3;
pub use imc::Imc;
pub use induction::Induction;
pub use loop_facts::is_in_scope;
pub use numeric::Numeric;
pub use shapes::Shapes;
pub use slam::{Abstractor, BlockSize, Slam, Unable, abstract_given};
pub use task::{
    CheckKind, Checks, Choice, Engine, Failure, Invariant, Load, Outcome, Site, Task, Verdict,
};

/// All engines, cheap ones first.
pub fn all() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(Numeric),
        Box::new(Shapes),
        Box::new(Bmc::default()),
        Box::new(Induction::default()),
        Box::new(Elements),
        Box::new(Ic3::default()),
        Box::new(Imc::default()),
        Box::new(Slam::default()),
    ]
}

/// The engine so named.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    all().into_iter().find(|e| e.name() == name)
}
