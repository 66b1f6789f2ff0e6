//! `cwolf lts compare`: the same behaviour or not, with what shows the difference.

use crate::args::{LtsCompare, Question};
use crate::commands::models;
use crate::exit::{DONE, Exit, OutOf, VIOLATED};
use crate::render::Console;
use anyhow::Result;
use cwolf_lts::{Comparison, Evidence, Side};
use cwolf_workbench::{below, tell_apart};
use serde_json::json;

pub fn run(args: &LtsCompare, console: &Console) -> Result<Exit> {
    let budget = args.limits.budget(console);
    let states = args.limits.of_states(&budget);
    let a = models::load_plain(&args.a, args.from, &states, console)?;
    let b = models::load_plain(&args.b, args.from, &states, console)?;
    let phase = console.phase("comparing");
    let (relation, evidence) = match args.equivalence {
        Question::Same(equivalence) => {
            let found = tell_apart(&a, &b, equivalence, &budget).map_err(OutOf)?;
            let evidence = match found {
                Comparison::Equivalent => None,
                Comparison::Different(evidence) => Some(describe(&evidence, args)),
            };
            (equivalence.name(), evidence)
        }
        Question::Below(preorder) => {
            let found = below(&a, &b, preorder, &budget).map_err(OutOf)?;
            (preorder.name(), found.map(|why| why.to_string()))
        }
    };
    phase.done(&format!("{} and {} states", a.states(), b.states()));
    let [yes, no] = match args.equivalence {
        Question::Same(_) => ["equivalent", "different"],
        Question::Below(_) => ["below", "not below"],
    };
    let text = match &evidence {
        None => format!("{yes}\n"),
        Some(why) => format!("{no}\n{why}\n"),
    };
    console.print(None, text.as_bytes())?;
    console.result(json!({
        "relation": relation,
        "holds": evidence.is_none(),
        "evidence": evidence,
        "states": [a.states(), b.states()],
    }));
    Ok(if evidence.is_none() { DONE } else { VIOLATED })
}

fn describe(evidence: &Evidence, args: &LtsCompare) -> String {
    match evidence {
        Evidence::Trace { trace, only_in } => {
            let name = match only_in {
                Side::First => &args.a,
                Side::Second => &args.b,
            };
            format!("only {name} can do: {}", trace.join(" "))
        }
        Evidence::Formula(formula) => format!("holds only in {}: {formula}", args.a),
        Evidence::TooLarge => "a formula that tells them apart is too large to show".to_owned(),
    }
}
