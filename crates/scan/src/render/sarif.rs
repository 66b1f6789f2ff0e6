//! A scan as SARIF 2.1.0: a result for each finding, with a fingerprint that survives edits elsewhere.

use super::meaning;
use crate::{Class, Finding, Scan};
use cwolf_report::VERSION;
use serde_json::{Value, json};

/// The log. File names count from `root` on, if they lie there.
pub fn sarif(scan: &Scan, root: &str) -> String {
    let all = || scan.rows.iter().flat_map(|row| &row.findings);
    let mut kinds: Vec<&str> = all().map(|f| f.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rules = kinds.iter().map(|kind| json!({ "id": kind, "name": kind }));
    let results = all().map(|f| result(f, &kinds, root));
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "cwolf scan", "version": VERSION, "rules": rules.collect::<Value>() } },
            "columnKind": "utf16CodeUnits",
            "results": results.collect::<Value>(),
        }],
    });
    format!("{log:#}\n")
}

fn result(finding: &Finding, kinds: &[&str], root: &str) -> Value {
    let rule = kinds.binary_search(&finding.kind.as_str()).unwrap_or(0);
    let mut words = format!("{}: {}", finding.message, meaning(finding));
    if let Some(clauses) = &finding.precondition {
        words += &format!("; excluded by: requires {};", clauses.join(" && "));
    }
    let mut result = json!({
        "ruleId": finding.kind,
        "ruleIndex": rule,
        "level": match finding.class {
            Class::Real => "error",
            Class::Likely => "warning",
            _ => "note",
        },
        "message": { "text": words },
        "locations": [location(&finding.place.file, finding.place.line, finding.place.column, root)],
        "partialFingerprints": { "cwolf/v1": finding.fingerprint },
        "baselineState": if finding.known { "unchanged" } else { "new" },
    });
    if finding.suppressed {
        result["suppressions"] = json!([{ "kind": "inSource" }]);
    }
    let steps = finding
        .evidence
        .trace
        .as_ref()
        .and_then(|t| t["steps"].as_array());
    if let Some(steps) = steps {
        let steps = steps.iter().filter_map(|step| {
            let place = &step["place"];
            let file = place["file"].as_str()?;
            let line = place["line"].as_u64()? as u32;
            let column = place["column"].as_u64().unwrap_or(0) as u32;
            Some(json!({ "location": location(file, line, column, root) }))
        });
        let steps: Vec<Value> = steps.collect();
        if !steps.is_empty() {
            result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
        }
    }
    result
}

fn location(file: &str, line: u32, column: u32, root: &str) -> Value {
    let uri = file
        .strip_prefix(root)
        .unwrap_or(file)
        .trim_start_matches('/');
    let uri = uri.replace('%', "%25").replace(' ', "%20");
    let mut region = json!({ "startLine": line.max(1) });
    if column > 0 {
        region["startColumn"] = column.into();
    }
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": region } })
}
