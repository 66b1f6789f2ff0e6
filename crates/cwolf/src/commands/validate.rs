//! `cwolf validate`: confirms or refuses a witness.

use super::verify::prepared::{self, Prepared};
use crate::args::Validate;
use crate::exit::{DONE, Exit, Reported, UNKNOWN, USAGE, VIOLATED};
use crate::inputs;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_cfront::Outline;
use cwolf_report::sha256;
use cwolf_validate::witness::{Claim, Witness};
use cwolf_validate::{Source, Task, Validation, Verdict, read, validate};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// The time limit, if none is given.
const TIMEOUT: Duration = Duration::from_secs(60);

pub fn run(mut args: Validate, console: &Console) -> Result<Exit> {
    // A loop without an end could be followed forever.
    args.limits.timeout.get_or_insert(TIMEOUT);
    let budget = args.limits.careful_budget(console);
    let files = &mut args.inputs.files;
    let Some(path) = files.pop().filter(|_| !files.is_empty()) else {
        console.error("a program and a witness are needed: cwolf validate PROGRAM WITNESS");
        return Ok(USAGE);
    };
    let witness = load(&path, console)?;
    let entry = args.entry.clone();
    let subject = prepared::load(
        &args.checked,
        entry.as_deref(),
        &mut args.inputs,
        &budget,
        console,
    )?;
    let subject = match subject {
        Prepared::Subject(subject) => *subject,
        Prepared::Ends(exit) => return Ok(exit),
    };
    let mut sources = Vec::new();
    let mut hashes = Vec::new();
    for file in inputs::sources(&args.inputs)? {
        let name = file.display().to_string();
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read {name}"))?;
        hashes.push((name.clone(), sha256(&bytes)));
        let outline = Outline::new(&bytes);
        sources.push(Source { name, outline });
    }
    let look_up = |wanted: &[String]| inputs::names(&args.inputs, wanted);
    let task = Task {
        subject: &subject,
        sources,
        hashes,
        look_up: &look_up,
    };
    let phase = console.phase("validating");
    let answer = validate(&task, &witness, &budget);
    phase.done(answer.verdict.name());
    console.print(None, text(&path, &witness, &answer).as_bytes())?;
    console.result(document(&path, &witness, &answer));
    Ok(match answer.verdict {
        Verdict::Confirmed => DONE,
        Verdict::Refused => VIOLATED,
        Verdict::Unknown => UNKNOWN,
    })
}

fn load(path: &Path, console: &Console) -> Result<Witness> {
    let shown = path.display();
    let is_program = |ends: &std::ffi::OsStr| ends == "c" || ends == "i" || ends == "cwi";
    if path.extension().is_some_and(is_program) {
        bail!(
            "{shown} is a program by its name; the witness comes last: cwolf validate PROGRAM WITNESS.yml"
        );
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    read(&bytes).map_err(|wrong| {
        console.error(&format!("{shown}:{}: {}", wrong.line, wrong.what));
        Reported.into()
    })
}

fn kind(witness: &Witness) -> &'static str {
    match witness.claim {
        Claim::Correct(_) => "correctness",
        Claim::Violation(_) => "violation",
    }
}

/// The answer for a person: why, where, with which values, then the verdict.
fn text(path: &Path, witness: &Witness, answer: &Validation) -> String {
    let mut out = String::new();
    let place = answer.place.as_ref().map(|at| format!("{at}: "));
    out += &format!("{}{}\n", place.unwrap_or_default(), answer.reason);
    if let Some(line) = answer.line {
        out += &format!("  as {}:{line} says\n", path.display());
    }
    if let Some(values) = answer.values.as_ref().filter(|v| !v.is_empty()) {
        out += &format!("  chosen values: {}\n", shorten(values));
    }
    out + &format!("WITNESS: {} ({})\n", answer.verdict.name(), kind(witness))
}

/// The first and last of many values.
fn shorten(values: &[String]) -> String {
    const SHOWN: usize = 20;
    match values.len() {
        0..=SHOWN => values.join(", "),
        n => format!(
            "{}, … ({} more) …, {}",
            values[..SHOWN / 2].join(", "),
            n - SHOWN,
            values[n - SHOWN / 2..].join(", ")
        ),
    }
}

fn document(path: &Path, witness: &Witness, answer: &Validation) -> serde_json::Value {
    let place = answer.place.as_ref();
    json!({
        "verdict": answer.verdict.name(),
        "witness": path.display().to_string(),
        "kind": kind(witness),
        "format": witness.metadata.format,
        "producer": witness.metadata.producer,
        "reason": answer.reason,
        "place": place.map(|at| json!({ "file": at.file, "line": at.line, "column": at.column })),
        "witness_line": answer.line,
        "values": answer.values,
    })
}
