//! Any text as commands of the workbench, as definitions and as a formula: no panic, no hang.
#![no_main]

use cwolf_base::Budget;
use cwolf_workbench::{Environment, Session};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let budget = Budget::unlimited().max_steps(1000);
    let mut env = Environment::default();
    let _ = env.formula(text, 0);
    if let Ok(names) = env.load(text, 0) {
        for (_, name) in names {
            let _ = env.compile(&name, 0, &budget);
        }
    }
    let mut session = Session::new(budget);
    // Commands that touch files are left out.
    for line in text.lines().filter(|l| !["load", "save", "es"].iter().any(|c| l.contains(c))) {
        session.execute(line);
    }
});
