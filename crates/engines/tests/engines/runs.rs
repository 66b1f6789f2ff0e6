//! Runs of programs.

use cwolf_base::Budget;
use cwolf_cwi::Program;
use cwolf_interp::{List, Machine, Options, Outcome};

/// Whether a run with these inputs fails; none if it takes too long.
pub fn fails(program: &Program, inputs: impl IntoIterator<Item = i128>) -> Option<bool> {
    let options = Options {
        oracle: Box::new(List::new(inputs)),
        budget: Budget::unlimited().max_steps(1 << 18),
        ..Default::default()
    };
    match Machine::new(program, options).run("main") {
        Outcome::Exit(_) | Outcome::AssumeFailed => Some(false),
        Outcome::Error(_) => Some(true),
        Outcome::Budget(_) => None,
    }
}
