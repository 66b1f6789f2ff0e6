//! `cwolf model --check`: a formula decided without a map.

mod safety;

use super::model::{self, options};
use super::models::Book;
use crate::args::{Externs, Model};
use crate::exit::{DONE, Exit, Reported, UNKNOWN, VIOLATED};
use crate::output;
use crate::render::Console;
use anyhow::{Result, bail};
use cwolf_absint::machine::is_event_name;
use cwolf_absint::map::LabelMap;
use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, Program};
use cwolf_prepare::{Extern, Subject, close};
use cwolf_refine::{Answer, First, Goal, Outcome, Question, Reason, Shown, decide};
use cwolf_report::{Trace, run_text};
use cwolf_verify::concrete::Which;
use cwolf_verify::portfolio::{self, Decision};
use cwolf_verify::{replay, summary};
use cwolf_workbench::{Speaks, safety_automaton};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// How long models are made before engines are asked, and these are asked before models are made again, if there is no limit.
const MODELS_FIRST: Duration = Duration::from_secs(10);
const ENGINES_THEN: Duration = Duration::from_secs(60);

pub fn run(
    args: &Model,
    formula: &str,
    (linked, program, entry): (&Program, &Analysed, FuncId),
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
    let automaton = safety_automaton(formulas, (asked, runs.unwrap_or(asked)), &budget);
    let watched = match automaton.ok().flatten() {
        Some(found) => safety::watched(args, linked, (program, &labels), (&actions, &found))?,
        None => None,
    };
    let (first, then) = match budget.time_left() {
        Some(left) => (left / 2, left),
        None => (MODELS_FIRST, ENGINES_THEN),
    };
    let own = match &watched {
        Some(_) => budget.clone().timeout(first),
        None => budget.clone(),
    };
    let mut tell = |line: &str| console.detail(line);
    let mut outcome = decide(&question, &own, &mut tell);
    let mut by_engine = None;
    if let (Answer::Unknown(_), Some(subject)) = (&outcome.answer, &watched) {
        console.detail(
            "no model decides; an automaton of what the formula forbids watches the program",
        );
        let found = safety::ask(subject, &budget.clone().timeout(then))?;
        match found.decision {
            Decision::Unknown(_)
                if own.check_but_steps().is_err() && budget.check_but_steps().is_ok() =>
            {
                outcome = decide(&question, &budget, &mut tell);
            }
            Decision::Unknown(why) => console.detail(&format!("the engines: {}", why.text)),
            _ => by_engine = Some((found, subject)),
        }
    }
    let proved = match &by_engine {
        Some((found, _)) => matches!(found.decision, Decision::Safe { .. }),
        None => matches!(outcome.answer, Answer::Proved),
    };
    if proved {
        let mut missing = model::beside(program, entry, &labels);
        missing.extend(model::unseen(outcome.unfollowed, (program, entry), &labels));
        if !missing.is_empty() {
            by_engine = None;
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
    match by_engine {
        Some((found, subject)) => say_of_engine((&found, subject), &outcome, all, console),
        None => say(args, &outcome, all, &subject, (program, &budget), console),
    }
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
        if is_event_name(program, action) {
            if program.function(action).is_some() {
                console.note(&format!(
                    "`{action}` is the event that the program shows, and not the call of the function `{action}`; for that, give it another name in a label map (-l)"
                ));
            }
            continue;
        }
        if program.function(action).is_none() {
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

/// The answer of an engine, where models gave none.
fn say_of_engine(
    (found, subject): (&portfolio::Answer, &Subject),
    outcome: &Outcome,
    all: bool,
    console: &Console,
) -> Result<Exit> {
    let (word, exit) = match (matches!(found.decision, Decision::Safe { .. }), all) {
        (true, true) => ("holds", DONE),
        (false, false) => ("holds", DONE),
        (true, false) | (false, true) => ("does not hold", VIOLATED),
    };
    let engine = found.engine;
    let text = match &found.decision {
        Decision::Unsafe(run) => {
            let run = summary::trace_of(subject, run).map_or(String::new(), |t| run_text(&t));
            format!("{word}\nthis run shows it (found by {engine}):\n{run}")
        }
        _ => format!("{word}\nproved by {engine}; models did not decide it\n"),
    };
    console.print(None, text.as_bytes())?;
    console.result(json!({
        "models": outcome.rounds,
        "states": outcome.states,
        "map": outcome.map,
        "holds": exit == DONE,
        "engine": engine,
    }));
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
    run_text(&trace) + &events
}
