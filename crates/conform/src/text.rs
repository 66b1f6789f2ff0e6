//! The comparison as text: the cells that do not agree, then the counts.

use crate::cell::{Found, Step};
use crate::compare::{Cell, Comparison, Status, Verdict};
use std::fmt::Write;

/// So many runs are shown for one cell.
const MOST_RUNS: usize = 3;
/// So many events are shown at each end of a long run.
const FEW_EVENTS: usize = 6;

/// The cells that differ or could not be compared, each with a run that shows it, and the counts. With `code`
/// every line of a run stands by itself with its text.
pub fn text(comparison: &Comparison, code: bool) -> String {
    let mut out = String::new();
    for status in [Status::Different, Status::Unknown] {
        for cell in comparison.cells.iter().filter(|c| c.status == status) {
            write_cell(&mut out, cell, code);
        }
    }
    unreached(&mut out, comparison);
    let _ = writeln!(out, "{}", summary(comparison));
    out
}

/// One line about the whole table.
pub(crate) fn summary(comparison: &Comparison) -> String {
    let mut parts = Vec::new();
    for (status, words) in [
        (Status::Same, "agree"),
        (Status::Different, "differ"),
        (Status::Unreached, "are not reached"),
        (Status::Unknown, "are unknown"),
    ] {
        let count = comparison.count(status);
        if count > 0 || status == Status::Same {
            let mut words = words.to_owned();
            if count == 1 {
                words = words.replace("are ", "is ");
                words = match words.as_str() {
                    "agree" | "differ" => words + "s",
                    _ => words,
                };
            }
            let noun = match (parts.is_empty(), count) {
                (true, 1) => " cell",
                (true, _) => " cells",
                _ => "",
            };
            parts.push(format!("{count}{noun} {words}"));
        }
    }
    let verdict = match comparison.verdict() {
        Verdict::Conforms => "conforms",
        Verdict::Differs => "differs",
        Verdict::Unknown => "unknown",
    };
    format!("{verdict}: {}", parts.join(", "))
}

fn write_cell(out: &mut String, cell: &Cell, code: bool) {
    let _ = writeln!(out, "{}, {}", cell.state, cell.event);
    let _ = write!(out, "  table: ");
    match &cell.entry {
        None => *out += "no row\n",
        Some(entry) if entry.alternatives.is_empty() => *out += "cannot happen\n",
        Some(entry) => {
            let shown = entry.alternatives.iter().map(|a| a.show(&cell.state));
            let _ = writeln!(out, "{}", shown.collect::<Vec<_>>().join("   or   "));
        }
    }
    for note in cell.entry.iter().flat_map(|e| &e.notes) {
        let _ = writeln!(out, "  note:  {note}");
    }
    let mut runs = 0;
    for found in &cell.found {
        let mark = if found.allowed { " (allowed)" } else { "" };
        let _ = writeln!(out, "  model: {}{mark}", found.show());
        if !found.allowed && runs < MOST_RUNS {
            run(out, found, code);
            runs += 1;
        }
    }
    for missing in &cell.missing {
        let _ = writeln!(out, "  never: {}", missing.show(&cell.state));
    }
    match (&cell.reason, cell.found.is_empty()) {
        (Some(reason), true) => {
            let _ = writeln!(out, "  model: {reason}");
        }
        (Some(reason), false) if cell.status == Status::Unknown => {
            let _ = writeln!(out, "  unknown: {reason}");
        }
        _ => {}
    }
    out.push('\n');
}

fn run(out: &mut String, found: &Found, code: bool) {
    if !found.before.is_empty() {
        let _ = writeln!(out, "    after {}", events(&found.before));
    }
    if code {
        for step in &found.steps {
            line(out, step);
        }
        return;
    }
    if let Some(lines) = lines(&found.steps) {
        let _ = writeln!(out, "    lines {lines}");
    }
}

/// The events before a cell; of many the first and the last.
fn events(before: &[String]) -> String {
    if before.len() <= 2 * FEW_EVENTS {
        return before.join(", ");
    }
    let (first, rest) = before.split_at(FEW_EVENTS);
    let (between, last) = rest.split_at(rest.len() - FEW_EVENTS);
    format!(
        "{}, … ({} more), {}",
        first.join(", "),
        between.len(),
        last.join(", ")
    )
}

fn line(out: &mut String, step: &Step) {
    let place = step.place.as_ref();
    let place = place.map_or(String::new(), |(file, line)| format!("{file}:{line}"));
    let code = step.code.as_deref().unwrap_or_default().trim();
    let label = step
        .label
        .as_ref()
        .map_or(String::new(), |l| format!("   <- {l}"));
    let text = format!("    {place}: {code}{label}\n");
    // Several steps in one line are one line.
    if !out.ends_with(&text) {
        *out += &text;
    }
}

/// The lines of a run: `a.c 3, 5-7, 3; b.c 9`, in the order in which they are passed.
fn lines(steps: &[Step]) -> Option<String> {
    let mut places: Vec<(&str, u32)> = Vec::new();
    for step in steps {
        if let Some((file, line)) = &step.place {
            // The folders are in the other forms.
            let file = file.rsplit('/').next().unwrap_or(file);
            if places.last() != Some(&(file, *line)) {
                places.push((file, *line));
            }
        }
    }
    let mut out = String::new();
    let mut n = 0;
    while n < places.len() {
        let (file, first) = places[n];
        let mut last = first;
        let mut next = n + 1;
        while next < places.len() && places[next] == (file, last + 1) {
            last += 1;
            next += 1;
        }
        match n.checked_sub(1).map(|before| places[before].0) {
            None => out += &format!("{file} "),
            Some(before) if before == file => out += ", ",
            Some(_) => out += &format!("; {file} "),
        }
        out += &match last - first {
            0 => format!("{first}"),
            _ => format!("{first}-{last}"),
        };
        n = next;
    }
    (!out.is_empty()).then_some(out)
}

/// Cells that were not reached, by reason: one line for a state that the model never is in.
fn unreached(out: &mut String, comparison: &Comparison) {
    let mut said: Vec<(&str, usize)> = Vec::new();
    for cell in comparison
        .cells
        .iter()
        .filter(|c| c.status == Status::Unreached)
    {
        let reason = cell.reason.as_deref().unwrap_or_default();
        match said.iter_mut().find(|(r, _)| *r == reason) {
            Some((_, count)) => *count += 1,
            None => said.push((reason, 1)),
        }
    }
    for (reason, count) in &said {
        let cells = if *count == 1 { "cell" } else { "cells" };
        let _ = writeln!(out, "not reached: {reason} ({count} {cells})");
    }
    if !said.is_empty() {
        out.push('\n');
    }
}
