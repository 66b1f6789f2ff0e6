//! `cwolf verify`: proves a program or shows a run that fails.

mod evidence;
mod rules;
mod worker;

use crate::args::{Externs, Verify};
use crate::exit::{DONE, Exit, UNKNOWN, VIOLATED};
use crate::inputs;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_engines::Slam;
use cwolf_report::{Assumption, Verdict, json, text};
use cwolf_verify::plan::{Wishes, plan};
use cwolf_verify::portfolio::verify;
use cwolf_verify::property::{Kind, Selection, kind_of_name, parse_prp};
use cwolf_verify::sites::sites;
use cwolf_verify::subject::{Extern, Prepare, PrepareError, Subject, prepare};
use cwolf_verify::summary::summarise;
use std::time::Instant;

pub fn run(args: Verify, console: &Console) -> Result<Exit> {
    let started = Instant::now();
    let budget = args.limits.careful_budget(console);
    if let Some(exit) = worker::run(&args, console)? {
        return Ok(exit);
    }
    let mut args = args;
    let selection = selection(&args)?;
    args.inputs.c.error_labels = selection.error_labels;
    let program = inputs::load_linked(&args.inputs, console)?;
    let mut language = inputs::language(&args.inputs.c)?;
    language.target = program.target();
    let rules = rules::load(&args.spec, &budget, console)?;
    let entry = args.entry.clone().or(selection.entry.clone());
    let entry = entry.unwrap_or_else(|| "main".into());
    inputs::entry(&program, &entry)?;
    let how = Prepare {
        selection,
        rules,
        entry,
        externs: match args.externs {
            Externs::Havoc => Extern::Havoc,
            Externs::Pure => Extern::Pure,
            Externs::Error => Extern::Error,
        },
        language,
    };
    let subject = match prepare(program, how) {
        Ok(subject) => subject,
        Err(PrepareError::Rule(error)) => return rules::report(&error, console),
        Err(error) => return Err(error.into()),
    };
    anything_to_check(&args, &subject, console)?;
    let wishes = Wishes {
        engines: args.engine.clone(),
        bmc: args.bmc,
        slam: slam(&args),
    };
    let answer = verify(&subject, &plan(&wishes)?, &budget);
    for (engine, time) in &answer.spent {
        console.detail(&format!("{engine}: {:.3} s", time.as_secs_f64()));
    }
    let mut report = summarise(&subject, &answer);
    report.assumptions.push(Assumption {
        text: format!(
            "the data model is {}; signed overflow wraps",
            report.data_model
        ),
        place: None,
    });
    let seconds = started.elapsed().as_secs_f64();
    let rounded = (seconds * 1000.0).round() / 1000.0;
    report.statistics.push(("time".into(), rounded, "s".into()));
    evidence::complete(&mut report, &inputs::sources(&args.inputs)?);
    evidence::write(&report, &subject, &answer, &args.outputs, console)?;
    console.print(None, text(&report).as_bytes())?;
    console.result(json(&report));
    Ok(match report.verdict {
        Verdict::True => DONE,
        Verdict::False(_) => VIOLATED,
        Verdict::Unknown(_) => UNKNOWN,
    })
}

/// How the loop over boolean programs works, if the command line says so.
fn slam(args: &Verify) -> Option<Slam> {
    if args.abstractor.is_none() && args.block.is_none() {
        return None;
    }
    Some(Slam {
        abstractor: args.abstractor.map_or_else(Default::default, Into::into),
        block: args.block.map_or_else(Default::default, Into::into),
        only_recursion: false,
    })
}

/// What the command line wants checked.
fn selection(args: &Verify) -> Result<Selection> {
    if let Some(path) = &args.prop {
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        return parse_prp(&text).with_context(|| shown.to_string());
    }
    if args.property.is_empty() {
        return Ok(Selection::default());
    }
    let mut kinds = Vec::new();
    for name in &args.property {
        match kind_of_name(name) {
            Some(kind) => kinds.push(kind),
            None if name == "all" => kinds.extend(Kind::ALL),
            None => {
                let names: Vec<&str> = Kind::ALL.iter().map(|k| k.name()).collect();
                bail!(
                    "there is no property `{name}`; choose among {} and all",
                    names.join(", ")
                );
            }
        }
    }
    Ok(Selection::of(&kinds))
}

/// To check nothing and say "true" would mislead, unless exactly that was asked.
fn anything_to_check(args: &Verify, subject: &Subject, console: &Console) -> Result<()> {
    let implicit = subject.selection.has(Kind::Uninitialised);
    if implicit || !sites(subject).is_empty() {
        return Ok(());
    }
    let kinds: Vec<&str> = subject.selection.kinds().iter().map(|k| k.name()).collect();
    let words = format!(
        "nothing in the program can violate what is checked ({})",
        kinds.join(", ")
    );
    match args.prop.is_some() || !args.property.is_empty() {
        true => {
            console.warning(&words);
            Ok(())
        }
        false => bail!(
            "{words}; write assertions, or choose checks with --property or rules with --spec"
        ),
    }
}
