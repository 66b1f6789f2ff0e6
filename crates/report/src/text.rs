//! The verdict for a person at a terminal. The last line is `VERDICT: …`.

use crate::{Event, Property, Report, Status, Step, Trace, Verdict};
use std::fmt::Write;

/// Properties listed one by one; the rest is counted.
const LISTED: usize = 60;

/// The report as text, with the run of the first failure.
pub fn text(report: &Report) -> String {
    render(report, false)
}

/// The same with the runs of all failures.
pub fn verbose_text(report: &Report) -> String {
    render(report, true)
}

fn render(report: &Report, verbose: bool) -> String {
    let mut out = String::new();
    properties(report, &mut out);
    if let Some((proved, all)) = report.discharged.filter(|d| d.0 > 0) {
        let _ = writeln!(out, "discharged by numeric: {proved} of {all} checks");
    }
    if !report.assumptions.is_empty() {
        out += "assumed:\n";
        for assumption in &report.assumptions {
            let _ = match &assumption.place {
                Some(place) => writeln!(out, "  {place}: {}", assumption.text),
                None => writeln!(out, "  {}", assumption.text),
            };
        }
    }
    for warning in &report.warnings {
        let _ = match &warning.place {
            Some(place) => writeln!(out, "{place}: warning: {}", warning.text),
            None => writeln!(out, "warning: {}", warning.text),
        };
    }
    if let Some(trace) = &report.trace {
        path("the failing run:", trace, &mut out);
    }
    others(report, verbose, &mut out);
    if !report.invariants.is_empty() {
        out += "loop invariants:\n";
        for invariant in &report.invariants {
            let _ = writeln!(out, "  {}: {}", invariant.place, invariant.condition);
        }
    }
    if !report.engine.is_empty() && !matches!(report.verdict, Verdict::Unknown(_)) {
        let _ = writeln!(out, "decided by: {}", report.engine);
    }
    reasons(report, verbose, &mut out);
    // The verdict is one line, whatever the reason says.
    let verdict = report.verdict.to_string().replace(['\n', '\r'], " ");
    let _ = writeln!(out, "VERDICT: {verdict}");
    out
}

/// What each engine said instead of an answer, and what the user can do.
fn reasons(report: &Report, verbose: bool, out: &mut String) {
    let several = report.said.len() > 1;
    for line in report.said.iter().filter(|_| verbose && several) {
        let _ = writeln!(out, "{line}");
    }
    for advice in &report.advice {
        let _ = writeln!(out, "help: {advice}");
    }
    if several && !verbose {
        *out += "help: use -v to see what each engine said\n";
    }
}

/// Each kind with its count; each property with its place.
fn properties(report: &Report, out: &mut String) {
    if report.properties.is_empty() {
        return;
    }
    let total = report.properties.len();
    let counted = |status| {
        let of = report.properties.iter().filter(|p| p.status == status);
        of.count()
    };
    let mut parts = Vec::new();
    for status in [
        Status::Holds,
        Status::Fails,
        Status::Unreachable,
        Status::AfterFailure,
        Status::Undecided,
    ] {
        let n = counted(status);
        if n > 0 {
            parts.push(format!("{n} {}", verb(status, n)));
        }
    }
    let noun = if total == 1 { "property" } else { "properties" };
    let _ = writeln!(out, "checked: {total} {noun}, {}", parts.join(", "));
    // What fails is never hidden.
    let listed = |n: usize, status: Status| n < LISTED || status == Status::Fails;
    for (n, property) in report.properties.iter().enumerate() {
        if listed(n, property.status) {
            let _ = writeln!(
                out,
                "  {}: {}: {}: {}",
                property.place,
                property.kind,
                property.text,
                said(property)
            );
        }
    }
    let all = report.properties.iter().enumerate();
    let hidden = all.filter(|(n, p)| !listed(*n, p.status)).count();
    if hidden > 0 {
        let _ = writeln!(out, "  … and {hidden} more; --json lists all");
    }
    // Each reason once, and not the one that the verdict gives anyway.
    let mut told: Vec<&str> = Vec::new();
    if let Verdict::Unknown(reason) = &report.verdict {
        told.push(reason);
    }
    for property in &report.properties {
        if let (Status::Undecided, Some(reason)) = (property.status, &property.reason)
            && !told.contains(&reason.as_str())
        {
            let _ = writeln!(out, "undecided: {reason}");
            told.push(reason);
        }
    }
}

/// The status of a property in words.
fn said(property: &Property) -> &str {
    match (property.status, &property.reason) {
        (Status::AfterFailure, Some(reason)) => reason,
        (status, _) => status.name(),
    }
}

/// The failures after the first.
fn others(report: &Report, verbose: bool, out: &mut String) {
    let traces = report.properties.iter().filter_map(|p| p.trace.as_ref());
    let others: Vec<&Trace> = traces
        .filter(|t| Some(*t) != report.trace.as_ref())
        .collect();
    for trace in others {
        if verbose {
            path("another failing run:", trace, out);
            continue;
        }
        if let Some(step) = trace.steps.last() {
            let _ = writeln!(out, "{}: error: {}", step.place, trace.message);
        }
        chosen(trace, out);
    }
}

fn verb(status: Status, n: usize) -> &'static str {
    match (status, n) {
        (Status::Holds, 1) => "holds",
        (Status::Holds, _) => "hold",
        (Status::Fails, 1) => "fails",
        (Status::Fails, _) => "fail",
        (Status::Unreachable, _) => "unreachable",
        (Status::AfterFailure, 1) => "matters only after a failure",
        (Status::AfterFailure, _) => "matter only after a failure",
        (Status::Undecided, _) => "undecided",
    }
}

fn path(title: &str, trace: &Trace, out: &mut String) {
    let _ = writeln!(out, "{title}");
    for (n, step) in trace.steps.iter().enumerate() {
        let _ = writeln!(out, "  {}", step_line(step));
        if let Some((count, after)) = trace.omitted
            && after == n
        {
            let _ = writeln!(out, "  … {count} steps …");
        }
    }
    if let Some(step) = trace.steps.last() {
        let _ = writeln!(out, "{}: error: {}", step.place, trace.message);
    }
    for (place, words) in &trace.related {
        let _ = writeln!(out, "{place}: note: {words}");
    }
    chosen(trace, out);
}

/// The steps of a run that is not a failure, and what the environment chose on it.
pub fn run(trace: &Trace) -> String {
    let mut out = String::new();
    for (n, step) in trace.steps.iter().enumerate() {
        let _ = writeln!(out, "  {}", step_line(step));
        if let Some((count, after)) = trace.omitted
            && after == n
        {
            let _ = writeln!(out, "  … {count} steps …");
        }
    }
    chosen(trace, &mut out);
    out
}

/// What the environment chose.
fn chosen(trace: &Trace, out: &mut String) {
    if !trace.choices.is_empty() {
        const SHOWN: usize = 32;
        let (mut shown, mut count) = (Vec::new(), 0);
        for run in trace.choices.chunk_by(|a, b| a == b) {
            if shown.len() >= SHOWN {
                break;
            }
            if run.len() > SHOWN / 2 {
                shown.push(format!("{} ({} times)", run[0], run.len()));
                count += run.len();
            } else {
                let fit = &run[..run.len().min(SHOWN - shown.len())];
                shown.extend_from_slice(fit);
                count += fit.len();
            }
        }
        let more = match trace.choices.len() > count {
            true => format!(", … ({} in all)", trace.choices.len()),
            false => String::new(),
        };
        let _ = writeln!(out, "chosen values: {}{more}", shown.join(", "));
    }
    if let Some((argc, argv)) = &trace.arguments {
        let texts: Vec<String> = argv.iter().map(|text| format!("\"{text}\"")).collect();
        let _ = match texts.is_empty() {
            true => writeln!(out, "arguments: argc = {argc}"),
            false => writeln!(out, "arguments: argc = {argc}, argv = {}", texts.join(" ")),
        };
    }
}

/// One step as a line: place, function, what happens, what changed.
pub fn step_line(step: &Step) -> String {
    let indent = "  ".repeat(step.depth.saturating_sub(1).min(20));
    let mut words = match &step.event {
        Event::Run => Vec::new(),
        Event::Branch(true) => vec!["the condition is true".to_owned()],
        Event::Branch(false) => vec!["the condition is false".to_owned()],
        Event::Call(what) => vec![format!("call {what}")],
        Event::Return => vec!["return".to_owned()],
        Event::Choose(from, value) if from.is_empty() => {
            vec![format!("an arbitrary value: {value}")]
        }
        Event::Choose(from, value) => vec![format!("{from} returned {value}")],
        Event::Fail => vec!["fails here".to_owned()],
    };
    let changes = step.changes.iter();
    words.extend(changes.map(|c| format!("{} = {}", c.name, c.value)));
    format!(
        "{}: {indent}{}: {}",
        step.place,
        step.function,
        words.join(", ")
    )
}
