//! `cwolf verify`: proves a program or shows a run that fails.

mod evidence;
pub(super) mod prepared;
mod repeat;
pub(super) mod rules;
mod worker;

use crate::args::{self, Verify};
use crate::commands::abstraction;
use crate::exit::{DONE, Exit, UNKNOWN, VIOLATED};
use crate::inputs;
use crate::render::Console;
use anyhow::{Result, bail};
use cwolf_cwi::{Predicate, Target};
use cwolf_engines::{Abstractor, LoopBound, Slam};
use cwolf_prepare::Subject;
use cwolf_prepare::property::{ERROR_FUNCTIONS, Kind};
use cwolf_report::{Assumption, Report, Trace, Verdict, json, text, verbose_text};
use cwolf_verify::plan::{Wishes, plan};
use cwolf_verify::portfolio::{Decision, verify};
use cwolf_verify::sites::cannot_fail;
use cwolf_verify::statuses::verify_all;
use cwolf_verify::summary::{summarise, trace_of};
use prepared::Prepared;
use std::time::Instant;

pub fn run(args: Verify, console: &Console) -> Result<Exit> {
    let started = Instant::now();
    let budget = args.limits.careful_budget(console);
    if let Some(exit) = worker::run(&args, console)? {
        return Ok(exit);
    }
    let mut args = args;
    let entry = args.entry.clone();
    let subject = prepared::load(
        &args.checked,
        entry.as_deref(),
        &mut args.inputs,
        &budget,
        console,
    )?;
    let mut subject = match subject {
        Prepared::Subject(subject) => *subject,
        Prepared::Ends(exit) => return Ok(exit),
    };
    warn_of_nothing(&subject, console);
    let given = match args.predicates.is_empty() {
        true => Vec::new(),
        false => {
            let program = &mut *subject.program;
            abstraction::read_all(program, &args.predicates, &args.inputs, console)?
        }
    };
    let wishes = Wishes {
        engines: args.engine.clone(),
        bmc: args.bmc,
        unwind: loop_bounds(&args, &subject)?,
        slam: slam(&args, given)?,
        jobs: args.jobs.map(usize::from),
    };
    if let Some(path) = &args.outputs.aiger {
        evidence::write_aiger(path, &subject, &budget, console)?;
    }
    // A competition wants one answer, and its time counts.
    let answer = match args.first_failure || args.checked.prop.is_some() {
        true => verify(&subject, &plan(&wishes)?, &budget),
        false => verify_all(&subject, &plan(&wishes)?, &budget),
    };
    for (engine, time) in &answer.spent {
        console.detail(&format!("{engine}: {:.3} s", time.as_secs_f64()));
    }
    let mut report = summarise(&subject, &answer);
    report.assumptions.push(Assumption {
        text: format!(
            "{}; signed overflow wraps",
            machine(subject.program.target())
        ),
        place: None,
    });
    let seconds = started.elapsed().as_secs_f64();
    let rounded = (seconds * 1000.0).round() / 1000.0;
    report.statistics.push(("time".into(), rounded, "s".into()));
    if let Decision::Unsafe(first) = &answer.decision {
        for run in std::iter::once(&**first).chain(&answer.statuses.further) {
            let command = repeat::command(&args, &subject, run);
            console.detail(&format!("to repeat the run: {command}"));
            note_repeat(&mut report, trace_of(&subject, run), &command);
        }
    }
    let files = inputs::sources(&args.inputs)?;
    evidence::complete(&mut report, &subject, &answer, &files);
    evidence::write(&report, &subject, &answer, &args, console)?;
    let words = match console.is_verbose() {
        true => verbose_text(&report),
        false => text(&report),
    };
    console.print(None, words.as_bytes())?;
    console.result(json(&report));
    Ok(match report.verdict {
        Verdict::True => DONE,
        Verdict::False(_) => VIOLATED,
        Verdict::Unknown(_) => UNKNOWN,
    })
}

/// Notes the command that repeats a run wherever the run is told.
fn note_repeat(report: &mut Report, run: Option<Trace>, command: &str) {
    let rows = report.properties.iter_mut().map(|p| &mut p.trace);
    for told in rows.chain([&mut report.trace]) {
        if *told == run
            && let Some(told) = told
        {
            told.repeat = Some(command.to_owned());
        }
    }
}

/// The bounds of single loops, which the program must have.
fn loop_bounds(args: &Verify, subject: &Subject) -> Result<Vec<LoopBound>> {
    let bound = |given: &args::LoopRounds| {
        let bound = LoopBound {
            function: given.function.clone(),
            line: given.line,
            rounds: given.rounds,
        };
        match bound.heads(&subject.program) {
            Ok(_) => Ok(bound),
            Err(wrong) => bail!("--unwind: {wrong}"),
        }
    };
    args.unwind.iter().map(bound).collect()
}

/// How the loop over boolean programs works, if the command line says so.
fn slam(args: &Verify, given: Vec<Predicate>) -> Result<Option<Slam>> {
    if args.abstractor == Some(args::Abstractor::Lazy) && args.block.is_some() {
        bail!("--block is for --abstractor=sat and --abstractor=cubes");
    }
    if args.abstractor.is_none() && args.block.is_none() && given.is_empty() {
        return Ok(None);
    }
    // Blocks of another size are those of whole boolean programs.
    let usual = match args.block {
        Some(_) => Abstractor::Sat,
        None => Abstractor::Lazy,
    };
    Ok(Some(Slam {
        given,
        abstractor: args.abstractor.map_or(usual, Into::into),
        block: args.block.map_or_else(Default::default, Into::into),
    }))
}

/// That nothing is there to check is said, whatever the verdict.
fn warn_of_nothing(subject: &Subject, console: &Console) {
    let implicit = subject.selection.has(Kind::Uninitialised);
    if implicit || !cannot_fail(subject) {
        return;
    }
    let kinds: Vec<&str> = subject.selection.kinds().iter().map(|k| k.name()).collect();
    let mut absent = subject.selection.error_functions.iter();
    let absent = absent
        .find(|f| !ERROR_FUNCTIONS.contains(&f.as_str()) && subject.program.function(f).is_none());
    if let Some(name) = absent {
        console.warning(&format!(
            "the program has no function `{name}`, so nothing can violate the property; is the name right?"
        ));
        return;
    }
    console.warning(&format!(
        "nothing in the program can violate what is checked ({}); write assertions, or choose checks with --property or rules with --spec",
        kinds.join(", ")
    ));
}

/// What the sizes of types are, and whose they are if not x86's.
fn machine(target: Target) -> String {
    let model = target.data_model();
    match (target.is_x86, target.is_big()) {
        (true, _) => format!("the data model is {model}"),
        (_, true) => format!("the target is {} ({model}, big-endian)", target.name),
        (_, false) => format!("the target is {} ({model})", target.name),
    }
}
