//! The shape analysis as an engine: linked structures of any length.

use crate::common;
use crate::numeric;
use crate::task::{Engine, Outcome, Task, Verdict};
use cwolf_base::Budget;
use cwolf_shapes::{Options, Stopped};

/// Symbolic memory graphs with list segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shapes;

impl Engine for Shapes {
    fn name(&self) -> &'static str {
        "shapes"
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        if !cwolf_shapes::applies(task.program, task.entry) {
            return Outcome::unknown("the program allocates no memory");
        }
        let options = Options {
            error_functions: task.error_functions.clone(),
            assertions: task.checks.assertions,
            follow_undefined: task.checks.follow_undefined,
            proved: numeric::proved(task),
        };
        let verdict = match cwolf_shapes::prove(task.program, task.entry, &options, budget) {
            Ok(()) => common::safe(task, Vec::new()),
            Err(Stopped::Exhausted(why)) => Verdict::unknown(why.to_string()),
            Err(Stopped::Incomplete(why)) => Verdict::unknown(why),
            Err(Stopped::Check(check)) => {
                let check = &task.program.checks[check];
                Verdict::Unknown {
                    reason: format!("could not prove: {}", check.text),
                    path: vec![check.loc],
                }
            }
            Err(Stopped::Call(loc)) => Verdict::Unknown {
                reason: "could not prove that no error function is called".into(),
                path: vec![loc],
            },
        };
        Outcome {
            verdict,
            assumptions: Vec::new(),
            predicates: Vec::new(),
        }
    }
}
