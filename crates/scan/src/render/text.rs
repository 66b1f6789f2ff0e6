//! A scan for a terminal: findings as compilers print them, then a table by file.

use super::meaning;
use crate::{Class, Scan, Summary};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text. With `all`, also functions of which nothing is known and why.
pub fn text(scan: &Scan, all: bool) -> String {
    let mut out = String::new();
    for row in &scan.rows {
        for finding in row.findings.iter().filter(|f| !f.suppressed && !f.known) {
            let severity = if finding.real { "error" } else { "warning" };
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
        "{:>9} {:>7} {:>6} {:>12} {:>8}  file",
        "functions", "proved", "real", "conditional", "unknown"
    );
    let mut files: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for row in &scan.rows {
        let counts = files.entry(&row.place.file).or_default();
        counts[0] += 1;
        counts[match row.class {
            Class::Proved => 1,
            Class::Real => 2,
            Class::Conditional => 3,
            Class::Unknown => 4,
        }] += 1;
    }
    let summary = Summary::of(scan);
    let total = [
        summary.functions,
        summary.proved,
        summary.real,
        summary.conditional,
        summary.unknown,
    ];
    let total_row = (files.len() != 1).then_some(("in all", total));
    for (file, c) in files.into_iter().chain(total_row) {
        let _ = writeln!(
            out,
            "{:>9} {:>7} {:>6} {:>12} {:>8}  {file}",
            c[0], c[1], c[2], c[3], c[4]
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
    if scan.partial {
        out += "partial results: time was over before all functions were checked\n";
    }
    out
}

/// Clauses as one line of ACSL.
fn requires(clauses: &[String]) -> String {
    let each = clauses.iter().map(|c| format!("requires {c};"));
    each.collect::<Vec<_>>().join(" ")
}
