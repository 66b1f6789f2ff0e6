//! `cwolf check`: does a formula hold, and why.

use super::models::{self, Book};
use crate::args::{Check, LtsOutput};
use crate::exit::{DONE, Exit, OutOf, Reported, UNKNOWN, VIOLATED};
use crate::render::Console;
use anyhow::Result;
use cwolf_base::Budget;
use cwolf_lts::{Lts, State};
use cwolf_workbench::{Answer, Doubt, Evidence, Reached, check, deadlock, livelock, reachable};
use serde_json::{Value, json};

pub fn run(args: &Check, console: &Console) -> Result<Exit> {
    let budget = args.limits.budget(console);
    let states = args.limits.of_states(&budget);
    let lts = models::load_plain(&args.model, args.from, &states, console)?;
    let phase = console.phase("checking");
    let (answer, evidence) = match (&args.formula, &args.reachable) {
        (Some(formula), _) => by_formula(args, &lts, formula, &budget, console)?,
        (None, Some(label)) => match reachable(&lts, label, &budget).map_err(OutOf)? {
            Reached::Yes(run) => (Answer::Holds, Some(Evidence::Run(run))),
            Reached::No => (Answer::Fails, None),
            Reached::Perhaps(run) => {
                let doubt = Doubt {
                    label: run.steps.last().map_or("", |s| &s.label).to_owned(),
                    action: label.clone(),
                };
                (Answer::Unknown(doubt), Some(Evidence::Run(run)))
            }
        },
        (None, None) => {
            let run = if args.deadlock {
                deadlock(&lts, &budget)
            } else {
                livelock(&lts, &budget)
            };
            let run = run.map_err(OutOf)?;
            let answer = match run {
                None => Answer::Holds,
                Some(_) => Answer::Fails,
            };
            (answer, run.map(Evidence::Run))
        }
    };
    phase.done(&format!("{} states", lts.states()));
    let mut text = match &answer {
        Answer::Holds => "holds\n".to_owned(),
        Answer::Fails => "does not hold\n".to_owned(),
        Answer::Unknown(Doubt { label, action }) => {
            format!("unknown: `{label}` may be `{action}` or not; on this run it decides:\n")
        }
    };
    // When nothing of the kind was found, all of the system was looked at.
    let evidence = evidence.unwrap_or(Evidence::AllRuns);
    if evidence != Evidence::AllRuns || args.formula.is_some() {
        text += &evidence.render(&lts);
    }
    if let Some(path) = &args.evidence {
        let to = LtsOutput {
            format: None,
            output: Some(path.clone()),
        };
        models::save_result(&evidence.system(&lts), &to, &args.model, console)?;
    }
    console.print(None, text.as_bytes())?;
    let unknown = match &answer {
        Answer::Unknown(Doubt { label, action }) => {
            console.note(models::FEWER_PATTERNS);
            json!({ "label": label, "action": action })
        }
        _ => Value::Null,
    };
    let holds = match &answer {
        Answer::Unknown(_) => Value::Null,
        answer => json!(*answer == Answer::Holds),
    };
    console.result(json!({
        "holds": holds,
        "unknown": unknown,
        "evidence": describe(&evidence),
        "states": lts.states(),
        "transitions": lts.transitions(),
    }));
    Ok(match answer {
        Answer::Holds => DONE,
        Answer::Fails => VIOLATED,
        Answer::Unknown(_) => UNKNOWN,
    })
}

fn describe(evidence: &Evidence) -> Value {
    let step =
        |from: State, label: &str, to: State| json!({ "from": from, "label": label, "to": to });
    match evidence {
        Evidence::Run(run) => {
            let before = std::iter::once(run.start).chain(run.steps.iter().map(|s| s.state));
            let steps = before.zip(&run.steps);
            let steps = steps.map(|(from, s)| step(from, &s.label, s.state));
            json!({
                "kind": "run",
                "steps": steps.collect::<Value>(),
                "repeats_from": run.repeats_from,
            })
        }
        Evidence::Strategy(steps) => {
            let steps = steps
                .iter()
                .map(|(from, label, to)| step(*from, label, *to));
            json!({ "kind": "strategy", "steps": steps.collect::<Value>() })
        }
        Evidence::AllRuns => json!({ "kind": "all-runs" }),
    }
}

fn by_formula(
    args: &Check,
    lts: &Lts,
    text: &str,
    budget: &Budget,
    console: &Console,
) -> Result<(Answer, Option<Evidence>)> {
    let mut book = Book::default();
    if let Some(path) = &args.props {
        book.load(path, console)?;
    }
    let start = book.sources.add("<formula>", text.into());
    let formula = match book.env.formula(text, start) {
        Ok(formula) => formula,
        Err(diagnostic) => {
            console.diagnostics(&book.sources, [&diagnostic].into_iter());
            return Err(Reported.into());
        }
    };
    let verdict = check(lts, book.env.formulas(), formula, budget).map_err(OutOf)?;
    Ok((verdict.answer, Some(verdict.evidence)))
}
