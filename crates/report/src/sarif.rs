//! The report as SARIF 2.1.0, the form that code hosts and editors read: a rule for each kind
//! of property, a result for each property, the failing run as a code flow.

use crate::text::step_line;
use crate::{Input, Place, Property, Report, Status, Step, Trace, VERSION, Verdict};
use serde_json::{Value, json};

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> String {
    let mut kinds: Vec<&str> = report.properties.iter().map(|p| p.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rule = |kind: &&str| {
        json!({
            "id": kind,
            "shortDescription": { "text": describe(kind) },
            "defaultConfiguration": { "level": "error" },
        })
    };
    let result = |property: &Property| {
        let trace = property.trace.as_ref().or(report.trace.as_ref());
        let (kind, level, words) = match (property.status, trace) {
            (Status::Holds, _) => ("pass", "none", &property.text),
            (Status::Unreachable | Status::AfterFailure, _) => {
                ("notApplicable", "none", &property.text)
            }
            (Status::Undecided, _) => ("open", "none", &property.text),
            (Status::Fails, Some(trace)) => ("fail", "error", &trace.message),
            (Status::Fails, None) => ("fail", "error", &property.text),
        };
        let rule = kinds.binary_search(&property.kind.as_str());
        let mut result = json!({
            "ruleId": property.kind,
            "ruleIndex": rule.unwrap_or(0),
            "kind": kind,
            "level": level,
            "message": { "text": words },
            "locations": [location(&property.place, None, Some(&property.function))],
        });
        let reason = property.reason.as_deref();
        result["properties"] = json!({ "status": property.status.name(), "reason": reason });
        if let (Status::Fails, Some(trace)) = (property.status, trace) {
            result["codeFlows"] = json!([flow(trace)]);
            if !trace.related.is_empty() {
                let related = trace.related.iter();
                result["relatedLocations"] = related
                    .map(|(place, words)| location(place, Some(words), None))
                    .collect();
            }
        }
        result
    };
    let warning = |words: &str| json!({ "level": "warning", "message": { "text": words } });
    let mut notifications: Vec<Value> = Vec::new();
    if let Verdict::Unknown(reason) = &report.verdict {
        notifications.push(warning(&format!("no verdict: {reason}")));
    }
    for said in &report.warnings {
        let mut said_there = warning(&said.text);
        if let Some(place) = &said.place {
            said_there["locations"] = json!([location(place, None, None)]);
        }
        notifications.push(said_there);
    }
    let artifact = |input: &Input| {
        json!({
            "location": { "uri": uri(&input.path) },
            "hashes": { "sha-256": input.hash },
        })
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cwolf",
                "semanticVersion": VERSION,
                "rules": kinds.iter().map(rule).collect::<Value>(),
            } },
            "invocations": [{
                "executionSuccessful": true,
                "endTimeUtc": report.created,
                "toolExecutionNotifications": notifications,
            }],
            "artifacts": report.inputs.iter().map(artifact).collect::<Value>(),
            "columnKind": "utf16CodeUnits",
            "results": report.properties.iter().map(result).collect::<Value>(),
            "properties": { "verdict": report.verdict.to_string() },
        }],
    });
    format!("{log:#}\n")
}

/// A path as a URI reference: what a URI cannot hold is percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte.into());
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    match path.starts_with('/') {
        true => format!("file://{out}"),
        false => out,
    }
}

fn location(place: &Place, words: Option<&str>, function: Option<&str>) -> Value {
    let mut region = json!({ "startLine": place.line.max(1) });
    if place.column > 0 {
        region["startColumn"] = place.column.into();
    }
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&place.file) },
            "region": region,
        },
    });
    if let Some(function) = function.filter(|f| !f.is_empty()) {
        location["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
    }
    if let Some(words) = words {
        location["message"] = json!({ "text": words });
    }
    location
}

fn flow(trace: &Trace) -> Value {
    let step = |(n, step): (usize, &Step)| {
        let words = step_line(step);
        // The place is the location's own; the words need not repeat it.
        let words = words.split_once(": ").map_or(words.as_str(), |(_, w)| w);
        json!({
            "location": location(&step.place, Some(words.trim()), None),
            "nestingLevel": step.depth.saturating_sub(1),
            "executionOrder": n + 1,
        })
    };
    let steps: Value = trace.steps.iter().enumerate().map(step).collect();
    json!({ "threadFlows": [{ "locations": steps }] })
}

/// What a kind of property says.
fn describe(kind: &str) -> String {
    match kind {
        "assertion" => "An assertion holds".into(),
        "unreach-call" => "An error function or error label is not reached".into(),
        "bounds" => "An access stays inside its array or object".into(),
        "pointer" => "A pointer that is used is valid".into(),
        "division-by-zero" => "A divisor is not zero".into(),
        "overflow" => "Signed arithmetic does not overflow".into(),
        "shift" => "A shift amount is between zero and the width".into(),
        "uninitialised" => "Only memory that was written is read".into(),
        "float-overflow" => "Arithmetic on finite numbers stays finite".into(),
        "nan" => "Arithmetic on numbers gives numbers".into(),
        "float-division" => "A floating-point divisor is not zero".into(),
        "float-cast" => "A number fits in the integer type that it is converted to".into(),
        _ => match kind.strip_prefix("slic:") {
            Some(rule) => format!("The rule {rule} is kept"),
            None => kind.into(),
        },
    }
}
