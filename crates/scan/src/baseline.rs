//! The baseline: findings that are known, so that only new ones count. A JSON file for people to commit.

use crate::Scan;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use thiserror::Error;

/// A file that is no baseline.
#[derive(Debug, Error)]
#[error("this is not a baseline of cwolf scan; write one with --write-baseline")]
pub struct NoBaseline;

/// The baseline of a scan.
pub fn write(scan: &Scan) -> String {
    let mut findings: Vec<Value> = Vec::new();
    for finding in scan.rows.iter().flat_map(|row| &row.findings) {
        if !finding.suppressed {
            findings.push(json!({
                "fingerprint": finding.fingerprint,
                "file": finding.place.file,
                "function": finding.function,
                "kind": finding.kind,
                "message": finding.message,
            }));
        }
    }
    format!(
        "{:#}\n",
        json!({ "cwolf-baseline": 1, "findings": findings })
    )
}

/// The fingerprints in a baseline.
pub fn read(text: &str) -> Result<FxHashSet<String>, NoBaseline> {
    let value: Value = serde_json::from_str(text).map_err(|_| NoBaseline)?;
    if value["cwolf-baseline"] != 1 {
        return Err(NoBaseline);
    }
    let findings = value["findings"].as_array().ok_or(NoBaseline)?;
    let prints = findings.iter().filter_map(|f| f["fingerprint"].as_str());
    Ok(prints.map(str::to_owned).collect())
}

/// Marks what the baseline knows.
pub fn mark(scan: &mut Scan, known: &FxHashSet<String>) {
    for finding in scan.rows.iter_mut().flat_map(|row| &mut row.findings) {
        finding.known = known.contains(&finding.fingerprint);
    }
}
