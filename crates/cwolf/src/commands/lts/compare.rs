//! `cwolf lts compare`: the same behaviour or not, with what shows the difference.

use crate::args::{LtsCompare, Question};
use crate::commands::models;
use crate::exit::{DONE, Exit, OutOf, UNKNOWN, VIOLATED};
use crate::render::Console;
use anyhow::Result;
use cwolf_lts::{Comparison, Evidence, Side};
use cwolf_workbench::{Order, below, tell_apart};
use serde_json::{Value, json};

pub fn run(args: &LtsCompare, console: &Console) -> Result<Exit> {
    let budget = args.limits.budget(console);
    let states = args.limits.of_states(&budget);
    let a = models::load_plain(&args.a, args.from, &states, console)?;
    let b = models::load_plain(&args.b, args.from, &states, console)?;
    let phase = console.phase("comparing");
    let (relation, outcome) = match args.equivalence {
        Question::Same(equivalence) => {
            let found = tell_apart(&a, &b, equivalence, &budget).map_err(OutOf)?;
            let outcome = match found {
                Comparison::Equivalent => Outcome::Yes,
                Comparison::Different(evidence) => Outcome::No(describe(&evidence, args)),
                Comparison::Unknown(a, b) => Outcome::Unknown(a, b),
            };
            (equivalence.name(), outcome)
        }
        Question::Below(preorder) => {
            let outcome = match below(&a, &b, preorder, &budget).map_err(OutOf)? {
                Order::Below => Outcome::Yes,
                Order::NotBelow(why) => Outcome::No(why.to_string()),
                Order::Unknown(a, b) => Outcome::Unknown(a, b),
            };
            (preorder.name(), outcome)
        }
    };
    phase.done(&format!("{} and {} states", a.states(), b.states()));
    let [yes, no] = match args.equivalence {
        Question::Same(_) => ["equivalent", "different"],
        Question::Below(_) => ["below", "not below"],
    };
    let (text, holds, evidence, exit) = match outcome {
        Outcome::Yes => (format!("{yes}\n"), json!(true), Value::Null, DONE),
        Outcome::No(why) => (format!("{no}\n{why}\n"), json!(false), json!(why), VIOLATED),
        Outcome::Unknown(a, b) => {
            let why = format!("`{a}` and `{b}` may be the same action or not");
            let text = format!("unknown: {why}\n");
            (text, Value::Null, json!(why), UNKNOWN)
        }
    };
    console.print(None, text.as_bytes())?;
    if exit == UNKNOWN {
        console.note(models::FEWER_PATTERNS);
    }
    console.result(json!({
        "relation": relation,
        "holds": holds,
        "evidence": evidence,
        "states": [a.states(), b.states()],
    }));
    Ok(exit)
}

enum Outcome {
    Yes,
    No(String),
    /// It depends on whether these labels mean the same action.
    Unknown(String, String),
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
