//! `cwolf run --replay`: repeats a run that `verify` found.

use super::chosen::Values;
use crate::args::{Replay, Run};
use crate::commands::verify::prepared::{Prepared, load};
use crate::exit::{DONE, Exit, UNKNOWN, VIOLATED};
use crate::render::Console;
use anyhow::Result;
use cwolf_verify::concrete::{End, Which};
use cwolf_verify::names::{place_of, verdict_name};
use cwolf_verify::replay::{Again, repeat};
use serde_json::json;

pub fn run(mut args: Run, which: Replay, console: &Console) -> Result<Exit> {
    let mut budget = args.limits.unwatched();
    if let Some(steps) = args.max_steps {
        budget = budget.max_steps(steps);
    }
    let entry = (args.entry != "main").then_some(args.entry.as_str());
    let subject = match load(&args.checked, entry, &mut args.inputs, &budget, console)? {
        Prepared::Subject(subject) => subject,
        Prepared::Ends(exit) => return Ok(exit),
    };
    let again = Again {
        which: match which {
            Replay::Closed => Which::Closed,
            Replay::Exact => Which::Raw,
        },
        oracle: Box::new(Values::new(&args.values, args.extern_writes)),
        settled: args
            .memory
            .iter()
            .map(|m| (m.address, m.bytes.clone()))
            .collect(),
    };
    let run = repeat(&subject, again, &budget);
    let (end, error, exit) = match &run.end {
        End::Fails(failure) => {
            let place = place_of(&subject.program, failure.user.1);
            let name = verdict_name(&subject, failure);
            let error = format!("{place}: error: {} ({name})\n", failure.message);
            ("undefined", Some(error), VIOLATED)
        }
        End::Exits => ("exit", None, DONE),
        End::AssumeFails => {
            console.warning("an assumption (__VERIFIER_assume) does not hold on this run");
            ("assumption", None, DONE)
        }
        End::Stops { reason, .. } => ("unsupported", Some(format!("{reason}\n")), UNKNOWN),
        End::Exhausted(why) => {
            console.error(&format!("the run was stopped: {why}"));
            ("limit", None, UNKNOWN)
        }
    };
    if let Some(error) = &error {
        console.failure(error);
    }
    console.result(json!({ "end": end, "status": null, "error": error, "stdout": null }));
    Ok(exit)
}
