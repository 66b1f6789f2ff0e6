//! `cwolf check`: does a formula hold, and why.

use super::models::{self, Book};
use crate::args::{Check, LtsOutput};
use crate::exit::{DONE, Exit, OutOf, Reported, VIOLATED};
use crate::output;
use crate::render::Console;
use anyhow::Result;
use cwolf_base::Budget;
use cwolf_lts::Lts;
use cwolf_workbench::{Evidence, check, deadlock, livelock, reachable};

pub fn run(args: &Check, console: &Console) -> Result<Exit> {
    let budget = args.limits.budget(console);
    let states = args.limits.of_states(&budget);
    let lts = models::load_plain(&args.model, args.from, &states, console)?;
    let (holds, evidence) = match (&args.formula, &args.reachable) {
        (Some(formula), _) => by_formula(args, &lts, formula, &budget, console)?,
        (None, Some(label)) => {
            let run = reachable(&lts, label, &budget).map_err(OutOf)?;
            (run.is_some(), run.map(Evidence::Run))
        }
        (None, None) => {
            let run = if args.deadlock {
                deadlock(&lts, &budget)
            } else {
                livelock(&lts, &budget)
            };
            let run = run.map_err(OutOf)?;
            (run.is_none(), run.map(Evidence::Run))
        }
    };
    let mut text = String::from(if holds { "holds\n" } else { "does not hold\n" });
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
        models::save(&evidence.system(&lts), &to)?;
    }
    output::write(None, text.as_bytes())?;
    Ok(if holds { DONE } else { VIOLATED })
}

fn by_formula(
    args: &Check,
    lts: &Lts,
    text: &str,
    budget: &Budget,
    console: &Console,
) -> Result<(bool, Option<Evidence>)> {
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
    Ok((verdict.holds, Some(verdict.evidence)))
}
