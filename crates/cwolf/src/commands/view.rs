//! `cwolf view`: a page in the browser for models too large to draw.

use super::models::{self, Book};
use crate::args::View as Arguments;
use crate::exit::{DONE, Exit, OutOf, Reported};
use crate::output;
use crate::render::Console;
use anyhow::Result;
use cwolf_base::Budget;
use cwolf_lts::{Lts, State};
use cwolf_viewer::{Answer, Server, View};
use cwolf_workbench::{Answer as Found, Doubt, Evidence, check};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::Ordering;

pub fn run(args: &Arguments, console: &Console) -> Result<Exit> {
    let budget = args.limits.budget(console);
    if let Some(report) = report(&args.model) {
        let page = cwolf_report::page(&report);
        return serve(args, &budget, console, |path| Answer::alone(path, &page));
    }
    let lts = models::load_plain(&args.model, args.from, &budget, console)?;
    let run = match &args.formula {
        Some(formula) => evidence(&lts, formula, &budget, console)?,
        None => None,
    };
    let mut view = View::new(&args.model, lts);
    if let Some(states) = run {
        view = view.with_run(&states);
    }
    serve(args, &budget, console, |path| view.answer(path))
}

fn serve(
    args: &Arguments,
    budget: &Budget,
    console: &Console,
    answer: impl FnMut(&str) -> Answer,
) -> Result<Exit> {
    let server = Server::new(args.port)?;
    // Also beside a document on standard output: nobody could open the page otherwise.
    output::write(None, format!("{}\n", server.url()).as_bytes())?;
    console.note("open this address in a browser; Ctrl-C ends");
    let cancelled = budget.cancel_flag();
    let out_of_time = || budget.check(0).is_err();
    server.run(answer, || {
        cancelled.load(Ordering::Relaxed) || out_of_time()
    });
    console.result(json!({ "url": server.url() }));
    Ok(DONE)
}

/// The report in a file that `cwolf verify --json` wrote, if it is one.
fn report(path: &str) -> Option<Value> {
    let file = Path::new(path);
    if file.extension().is_none_or(|e| e != "json") {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    let mut document: Value = serde_json::from_slice(&bytes).ok()?;
    let result = document["result"].take();
    (document["command"] == "verify" && result["verdict"].is_string()).then_some(result)
}

/// The states of the run that shows whether the formula holds, after the start.
fn evidence(
    lts: &Lts,
    text: &str,
    budget: &Budget,
    console: &Console,
) -> Result<Option<Vec<State>>> {
    let mut book = Book::default();
    let start = book.sources.add("<formula>", text.into());
    let formula = match book.env.formula(text, start) {
        Ok(formula) => formula,
        Err(diagnostic) => {
            console.diagnostics(&book.sources, [&diagnostic].into_iter());
            return Err(Reported.into());
        }
    };
    let verdict = check(lts, book.env.formulas(), formula, budget).map_err(OutOf)?;
    let holds = match &verdict.answer {
        Found::Holds => "holds".to_owned(),
        Found::Fails => "does not hold".to_owned(),
        Found::Unknown(doubt) => {
            let Doubt { label, action } = doubt;
            format!("may hold or not, as `{label}` may be `{action}` or not")
        }
    };
    Ok(match verdict.evidence {
        Evidence::Run(run) => {
            console.note(&format!(
                "the formula {holds}; the page plays a run that shows it"
            ));
            Some(run.steps.iter().map(|step| step.state).collect())
        }
        _ => {
            console.note(&format!("the formula {holds}, but no single run shows it"));
            None
        }
    })
}
