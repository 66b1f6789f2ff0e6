//! The report as SARIF 2.1.0, the form that code hosts and editors read: a rule for each kind
//! of property, a result for each property, the failing run as a code flow.

use crate::escape::Json;
use crate::text::step_line;
use crate::{Place, Report, Status, Trace, VERSION, Verdict};

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> String {
    let mut kinds: Vec<&str> = report.properties.iter().map(|p| p.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rules = Json::list(&kinds, |kind| {
        Json::Object(vec![
            ("id", (*kind).into()),
            ("shortDescription", message(&describe(kind))),
            (
                "defaultConfiguration",
                Json::Object(vec![("level", "error".into())]),
            ),
        ])
    });
    let results = Json::list(&report.properties, |property| {
        let (kind, level, words) = match property.status {
            Status::Holds => ("pass", "none", property.text.clone()),
            Status::Undecided => ("open", "none", property.text.clone()),
            Status::Fails => {
                let trace = report.trace.as_ref();
                let words = trace.map_or(property.text.clone(), |t| t.message.clone());
                ("fail", "error", words)
            }
        };
        let rule = kinds.binary_search(&property.kind.as_str());
        let mut members = vec![
            ("ruleId", (&property.kind).into()),
            ("ruleIndex", rule.unwrap_or(0).into()),
            ("kind", kind.into()),
            ("level", level.into()),
            ("message", message(&words)),
            (
                "locations",
                Json::List(vec![location(
                    &property.place,
                    None,
                    Some(&property.function),
                )]),
            ),
        ];
        if let (Status::Fails, Some(trace)) = (property.status, &report.trace) {
            members.push(("codeFlows", Json::List(vec![flow(trace)])));
            if !trace.related.is_empty() {
                let related = Json::list(&trace.related, |(place, words)| {
                    location(place, Some(words), None)
                });
                members.push(("relatedLocations", related));
            }
        }
        Json::Object(members)
    });
    let notifications = match &report.verdict {
        Verdict::Unknown(reason) => vec![Json::Object(vec![
            ("level", "warning".into()),
            ("message", message(&format!("no verdict: {reason}"))),
        ])],
        _ => Vec::new(),
    };
    let driver = Json::Object(vec![
        ("name", "cwolf".into()),
        ("semanticVersion", VERSION.into()),
        ("rules", rules),
    ]);
    let invocation = Json::Object(vec![
        ("executionSuccessful", Json::Bool(true)),
        ("endTimeUtc", (&report.created).into()),
        ("toolExecutionNotifications", Json::List(notifications)),
    ]);
    let artifacts = Json::list(&report.inputs, |input| {
        Json::Object(vec![
            (
                "location",
                Json::Object(vec![("uri", uri(&input.path).into())]),
            ),
            (
                "hashes",
                Json::Object(vec![("sha-256", (&input.hash).into())]),
            ),
        ])
    });
    let run = Json::Object(vec![
        ("tool", Json::Object(vec![("driver", driver)])),
        ("invocations", Json::List(vec![invocation])),
        ("artifacts", artifacts),
        ("columnKind", "utf16CodeUnits".into()),
        ("results", results),
        (
            "properties",
            Json::Object(vec![("verdict", report.verdict.to_string().into())]),
        ),
    ]);
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    Json::Object(vec![
        ("$schema", schema.into()),
        ("version", "2.1.0".into()),
        ("runs", Json::List(vec![run])),
    ])
    .pretty()
}

fn message(text: &str) -> Json {
    Json::Object(vec![("text", text.into())])
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

fn location(place: &Place, words: Option<&str>, function: Option<&str>) -> Json {
    let mut region = vec![("startLine", place.line.max(1).into())];
    if place.column > 0 {
        region.push(("startColumn", place.column.into()));
    }
    let mut members = vec![(
        "physicalLocation",
        Json::Object(vec![
            (
                "artifactLocation",
                Json::Object(vec![("uri", uri(&place.file).into())]),
            ),
            ("region", Json::Object(region)),
        ]),
    )];
    if let Some(function) = function.filter(|f| !f.is_empty()) {
        let logical = vec![("name", function.into()), ("kind", "function".into())];
        members.push(("logicalLocations", Json::List(vec![Json::Object(logical)])));
    }
    if let Some(words) = words {
        members.push(("message", message(words)));
    }
    Json::Object(members)
}

fn flow(trace: &Trace) -> Json {
    let steps = Json::list(trace.steps.iter().enumerate(), |(n, step)| {
        let words = step_line(step);
        // The place is the location's own; the words need not repeat it.
        let words = words.split_once(": ").map_or(words.as_str(), |(_, w)| w);
        Json::Object(vec![
            ("location", location(&step.place, Some(words.trim()), None)),
            ("nestingLevel", step.depth.saturating_sub(1).into()),
            ("executionOrder", (n + 1).into()),
        ])
    });
    let thread = Json::Object(vec![("locations", steps)]);
    Json::Object(vec![("threadFlows", Json::List(vec![thread]))])
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
        _ => match kind.strip_prefix("slic:") {
            Some(rule) => format!("The rule {rule} is kept"),
            None => kind.into(),
        },
    }
}
