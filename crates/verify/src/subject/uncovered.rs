//! What the program may do and the model does not: a failure that is found is real all the same,
//! but that none is found proves nothing.

use cwolf_cwi::{FuncId, Origin, Program};

/// Library functions that call a function which they are given, later or beside the rest.
const CALL_LATER: [&str; 14] = [
    "atexit",
    "on_exit",
    "at_quick_exit",
    "signal",
    "bsd_signal",
    "sigset",
    "sigaction",
    "pthread_create",
    "pthread_atfork",
    "pthread_once",
    "thrd_create",
    "call_once",
    "timer_create",
    "fork",
];

/// What no engine follows in code that can be reached.
pub(super) fn of(program: &Program, reached: &[FuncId]) -> Vec<String> {
    let mut found = Vec::new();
    for func in reached {
        let function = &program.funcs[*func];
        let model = function.origin == Origin::Model;
        if (function.body.is_none() || model) && CALL_LATER.contains(&function.name.as_str()) {
            found.push(format!("what {} starts", function.name));
        }
    }
    for startup in &program.startup {
        let (loc, text) = startup.left_out(program);
        let place = program.locations.describe(loc);
        found.push(format!("{place}: {text}"));
    }
    found
}
