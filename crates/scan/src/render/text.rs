//! A scan for a terminal: findings as compilers print them, then a table by file.

use super::meaning;
use crate::{Class, Finding, Scan, Summary};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text. With `all`, also failures that need a certain caller, and why functions are unknown.
pub fn text(scan: &Scan, all: bool) -> String {
    let mut out = String::new();
    for row in &scan.rows {
        let shown =
            |f: &&Finding| !f.suppressed && !f.known && (all || f.class != Class::Conditional);
        for finding in row.findings.iter().filter(shown) {
            let severity = match finding.class {
                Class::Real => "error",
                Class::Likely => "warning",
                _ => "note",
            };
            let _ = writeln!(
                out,
                "{}: {severity}: {} [{}]",
                finding.place, finding.message, finding.kind
            );
            let _ = writeln!(out, "    in {}: {}", finding.function, meaning(finding));
            if let Some(clauses) = &finding.precondition {
                let _ = writeln!(out, "    excluded by: {}", requires(clauses));
            }
        }
        if all && row.class == Class::Unknown {
            let reason = row.reason.as_deref().unwrap_or("no reason is known");
            let _ = writeln!(
                out,
                "{}: note: {} is unknown: {reason}",
                row.place, row.function
            );
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "{:>9} {:>7} {:>6} {:>7} {:>12} {:>8}  file",
        "functions", "proved", "real", "likely", "conditional", "unknown"
    );
    let mut files: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    for row in &scan.rows {
        let counts = files.entry(&row.place.file).or_default();
        counts[0] += 1;
        counts[match row.class {
            Class::Proved => 1,
            Class::Real => 2,
            Class::Likely => 3,
            Class::Conditional => 4,
            Class::Unknown => 5,
        }] += 1;
    }
    let summary = Summary::of(scan);
    let total = [
        summary.functions,
        summary.proved,
        summary.real,
        summary.likely,
        summary.conditional,
        summary.unknown,
    ];
    let total_row = (files.len() != 1).then_some(("in all", total));
    for (file, c) in files.into_iter().chain(total_row) {
        let _ = writeln!(
            out,
            "{:>9} {:>7} {:>6} {:>7} {:>12} {:>8}  {file}",
            c[0], c[1], c[2], c[3], c[4], c[5]
        );
    }
    for (file, why) in &scan.left_out {
        let _ = writeln!(out, "left out: {file}: {why}");
    }
    if summary.suppressed + summary.known > 0 {
        let _ = writeln!(
            out,
            "not shown: {} in the baseline, {} suppressed by comments",
            summary.known, summary.suppressed
        );
    }
    let left = |class| !all && scan.rows.iter().any(|row| row.class == class);
    if left(Class::Conditional) {
        out += "help: conditional: fails for some callers; -v lists these failures with the preconditions that exclude them\n";
    }
    if left(Class::Unknown) {
        out += "help: unknown: -v shows the reasons; --function-timeout 60s gives each function more time\n";
    }
    if scan.partial {
        out += "partial results: time ran out before all functions were checked; raise --timeout\n";
    }
    out
}

/// Clauses as one line of ACSL.
fn requires(clauses: &[String]) -> String {
    let each = clauses.iter().map(|c| format!("requires {c};"));
    each.collect::<Vec<_>>().join(" ")
}
