//! A scan as JUnit XML: a test case for each function.

use super::{escaped, meaning};
use crate::{Class, Row, Scan};
use std::fmt::Write;

/// The XML.
pub fn junit(scan: &Scan) -> String {
    let new = |row: &&Row| row.findings.iter().any(|f| !f.suppressed && !f.known);
    let failures = scan.rows.iter().filter(new).count();
    let skipped = scan
        .rows
        .iter()
        .filter(|r| r.class == Class::Unknown)
        .count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"cwolf scan\" tests=\"{}\" failures=\"{failures}\" skipped=\"{skipped}\" time=\"{:.3}\">\n",
        scan.rows.len(),
        scan.seconds
    );
    for row in &scan.rows {
        let _ = write!(
            out,
            "  <testcase classname=\"{}\" name=\"{}\" file=\"{0}\" line=\"{}\" time=\"{:.3}\"",
            escaped(&row.place.file),
            escaped(&row.function),
            row.place.line,
            row.seconds
        );
        let failing = row.findings.iter().filter(|f| !f.suppressed && !f.known);
        let mut inner = String::new();
        for finding in failing {
            let mut words = format!(
                "{}: {}\n{}",
                finding.place,
                finding.message,
                meaning(finding)
            );
            if let Some(clauses) = &finding.precondition {
                words += &format!("\nexcluded by: requires {};", clauses.join(" && "));
            }
            let _ = writeln!(
                inner,
                "    <failure type=\"{}\" message=\"{}\">{}</failure>",
                escaped(&finding.kind),
                escaped(&finding.message),
                escaped(&words)
            );
        }
        if row.class == Class::Unknown {
            let reason = row.reason.as_deref().unwrap_or("unknown");
            let _ = writeln!(inner, "    <skipped message=\"{}\"/>", escaped(reason));
        }
        match inner.is_empty() {
            true => out += "/>\n",
            false => {
                let _ = writeln!(out, ">\n{}  </testcase>", inner);
            }
        }
    }
    out + "</testsuite>\n"
}
