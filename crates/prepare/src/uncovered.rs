//! What the program may do and the model does not: a failure that is found is real all the same,
//! but that none is found proves nothing.

use crate::start::{at_exit, runs_at_exit};
use cwolf_cwi::{FuncId, Origin, Phase, Program, Startup};
use cwolf_known::{End, Row};

/// What no engine follows in code that can be reached.
pub(crate) fn of(program: &Program, reached: &[FuncId]) -> Vec<String> {
    let mut found = Vec::new();
    let followed = at_exit(program).is_some();
    for func in reached {
        let function = &program.funcs[*func];
        let model = function.origin == Origin::Model;
        let row = cwolf_known::lookup(&function.name);
        // The model of `exit` runs these.
        if model && followed && row.is_some_and(runs_at_exit) {
            continue;
        }
        if (function.body.is_none() || model) && row.is_some_and(Row::starts_something) {
            found.push(format!("what {} starts", function.name));
        }
    }
    // A program that ends by `exit` runs its destructors there, where nobody follows them.
    let exits = |f: &FuncId| {
        let row = cwolf_known::lookup(&program.funcs[*f].name);
        row.is_some_and(|row| row.ends() == Some(End::Exit))
    };
    let exits = reached.iter().any(exits);
    let left_out = |s: &&Startup| s.phase == Phase::Destructor && exits;
    for startup in program.startup.iter().filter(left_out) {
        let (loc, text) = startup.left_out(program);
        let place = program.locations.describe(loc);
        found.push(format!("{place}: {text}"));
    }
    found
}
