//! A scan as data: the `result` of `cwolf scan --json`.

use crate::{Finding, Row, Scan, Summary};
use cwolf_report::Place;
use serde_json::{Value, json};

/// The scan as a JSON value.
pub fn json(scan: &Scan) -> Value {
    let summary = Summary::of(scan);
    json!({
        "targets": scan.targets,
        "summary": {
            "functions": summary.functions,
            "proved": summary.proved,
            "real": summary.real,
            "likely": summary.likely,
            "conditional": summary.conditional,
            "unknown": summary.unknown,
            "new": summary.new,
            "known": summary.known,
            "suppressed": summary.suppressed,
        },
        "functions": scan.rows.iter().map(row).collect::<Value>(),
        "left_out": scan.left_out.iter().map(|(file, why)| json!({ "file": file, "reason": why })).collect::<Value>(),
        "partial": scan.partial,
        "seconds": scan.seconds,
    })
}

fn place(place: &Place) -> Value {
    json!({ "file": place.file, "line": place.line, "column": place.column })
}

fn row(row: &Row) -> Value {
    json!({
        "function": row.function,
        "place": place(&row.place),
        "class": row.class.name(),
        "checks": row.checks,
        "proved": row.proved,
        "reason": row.reason,
        "precondition": row.precondition,
        "holds_under": row.holds_under,
        "seconds": row.seconds,
        "findings": row.findings.iter().map(finding).collect::<Value>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "kind": finding.kind,
        "place": place(&finding.place),
        "function": finding.function,
        "message": finding.message,
        "text": finding.text,
        "class": finding.class.name(),
        "entry": finding.evidence.entry,
        "precondition": finding.precondition,
        "opaque": finding.opaque,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
        "known": finding.known,
        "trace": finding.evidence.trace,
    })
}
