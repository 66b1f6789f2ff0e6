//! `cwolf model --check`: a formula decided without a map.

use super::model::{self, options};
use super::models::Book;
use crate::args::{Externs, Model};
use crate::exit::{DONE, Exit, Reported, UNKNOWN, VIOLATED};
use crate::output;
use crate::render::Console;
use anyhow::{Result, bail};
use cwolf_absint::machine::{chooses_event_names, is_event_name};
use cwolf_absint::map::LabelMap;
use cwolf_base::Budget;
use cwolf_cwi::FuncId;
use cwolf_cwi::graph::Analysed;
use cwolf_prepare::{Extern, Subject, close};
use cwolf_refine::{Answer, First, Goal, Outcome, Question, Reason, Shown, decide};
use cwolf_report::Trace;
use cwolf_verify::concrete::Which;
use cwolf_verify::replay;
use cwolf_workbench::Speaks;
use serde_json::json;
use std::path::Path;

pub fn run(
    args: &Model,
    formula: &str,
    (program, entry): (&Analysed, FuncId),
    labels: LabelMap,
    console: &Console,
) -> Result<Exit> {
    let mut book = Book::default();
    let start = book.sources.add("<formula>", formula.into());
    let asked = match book.env.formula(formula, start) {
        Ok(formula) => formula,
        Err(diagnostic) => {
            console.diagnostics(&book.sources, [&diagnostic].into_iter());
            return Err(Reported.into());
        }
    };
    let runs = book.env.about_runs(asked);
    let formulas = book.env.formulas();
    let actions = formulas.actions(asked);
    let event = actions.iter().find(|a| is_event_name(program, a));
    if let Some(event) = event.filter(|_| chooses_event_names(program)) {
        // A run is believed if it passes the same blocks; they do not say which name was chosen.
        bail!(
            "the formula names the event `{event}`, and the program chooses names of events at run time; give `_cwolf_event` string literals, or make a model with --auto and use `cwolf check`"
        );
    }
    let labels = match labels.rules.is_empty() {
        true => calls(args, program, &actions, console)?,
        false => labels,
    };
    let externs = match args.externs {
        Externs::Pure => Extern::Pure,
        _ => Extern::Havoc,
    };
    let subject = close(program.clone().into_program(), entry, externs)?;
    let budget = args.limits.budget(console);
    let question = Question {
        program,
        entry,
        closed: &subject.program,
        start: subject.entry,
        labels: &labels,
        options: options(args),
        goal: Goal::Formula {
            formulas,
            formula: asked,
            runs,
        },
        first: First::Nothing,
        max_states: args.max_states,
        jobs: args.jobs(),
        follow_all: false,
    };
    let mut outcome = decide(&question, &budget, &mut |line| console.detail(line));
    if let Answer::Proved = outcome.answer {
        let mut missing = model::beside(program, entry, &labels);
        missing.extend(model::unseen(outcome.unfollowed, (program, entry), &labels));
        if !missing.is_empty() {
            outcome.answer = Answer::Unknown(Reason {
                text: format!(
                    "all cells agree, but not everything is covered: {}",
                    missing.join("; ")
                ),
                help: Some("write a harness that calls such functions where they can run".into()),
            });
        }
    }
    model::warn(&outcome.notes, program, console);
    if let Some(path) = &args.auto_out {
        output::write_file(path, outcome.map.as_bytes())?;
    }
    let all = formulas.speaks(asked) != Speaks::OfSomeRun;
    say(args, &outcome, all, &subject, (program, &budget), console)
}

/// The calls of the functions that a formula names; events that the program shows itself need no rule.
fn calls(
    args: &Model,
    program: &Analysed,
    actions: &[String],
    console: &Console,
) -> Result<LabelMap> {
    let mut text = String::new();
    for action in actions.iter().filter(|a| *a != cwolf_lts::TAU_NAME) {
        if program.function(action).is_none() {
            if is_event_name(program, action) {
                continue;
            }
            bail!(
                "the formula names the action `{action}`, and the program has no function `{action}`; say what is seen with -l MAP.lm or --events"
            );
        }
        text += &format!("call({action}) => {action};\n");
    }
    let name = Path::new("<formula>");
    model::parse_rules(program, &args.inputs, name, &text, console)
}

fn say(
    args: &Model,
    outcome: &Outcome,
    all: bool,
    subject: &Subject,
    (program, budget): (&Analysed, &Budget),
    console: &Console,
) -> Result<Exit> {
    let rounds = match outcome.rounds {
        1 => "1 model".to_owned(),
        n => format!("{n} models"),
    };
    let summary = format!("{rounds}, the last one with {} states", outcome.states);
    let mut document = json!({
        "models": outcome.rounds,
        "states": outcome.states,
        "map": outcome.map,
    });
    let (text, exit) = match &outcome.answer {
        Answer::Proved => {
            document["holds"] = all.into();
            let word = if all { "holds" } else { "does not hold" };
            let exit = if all { DONE } else { VIOLATED };
            (format!("{word}\nall runs were covered: {summary}\n"), exit)
        }
        Answer::Shown(shown) => {
            document["holds"] = (!all).into();
            document["events"] = shown.labels.clone().into();
            let word = if all { "does not hold" } else { "holds" };
            let exit = if all { VIOLATED } else { DONE };
            let run = told(shown, subject, budget);
            (
                format!("{word}\nthis run shows it ({summary}):\n{run}"),
                exit,
            )
        }
        Answer::Reached(_) => unreachable!("formulas are shown"),
        Answer::Unknown(reason) => {
            document["holds"] = json!(null);
            document["reason"] = reason.text.clone().into();
            if let Some(found) = &outcome.explanation {
                let lines = model::explanation(found, program);
                lines.lines().for_each(|line| console.note(line));
            }
            let help = reason.help.as_ref();
            let help = help.map_or(String::new(), |h| format!("help: {h}\n"));
            (format!("unknown: {}\n{help}", reason.text), UNKNOWN)
        }
    };
    if args.explain
        && !matches!(outcome.answer, Answer::Unknown(_))
        && let Some(found) = &outcome.explanation
    {
        let lines = model::explanation(found, program);
        lines.lines().for_each(|line| console.note(line));
    }
    console.print(None, text.as_bytes())?;
    console.result(document);
    Ok(exit)
}

/// A run, step by step as the interpreter makes it, and what is seen of it.
fn told(shown: &Shown, subject: &Subject, budget: &Budget) -> String {
    let limited = budget.clone().max_steps(shown.confirmed.statements);
    let again = replay::Again {
        which: Which::Closed,
        oracle: replay::given_values(shown.confirmed.values.clone(), false),
        settled: shown.confirmed.settled.clone(),
    };
    let run = replay::repeat(subject, again, &limited);
    let trace = Trace {
        steps: run.steps,
        omitted: run.omitted,
        ..Trace::default()
    };
    let events = match shown.labels.is_empty() {
        true => "nothing is seen of it\n".to_owned(),
        false => format!("events: {}\n", shown.labels.join(", ")),
    };
    let events = match shown.repeats {
        true => events + "the run repeats for ever: all that decides how it goes on is as before\n",
        false => events,
    };
    cwolf_report::run_text(&trace) + &events
}
