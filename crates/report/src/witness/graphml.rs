//! Witnesses of the GraphML format, version 1.0: an automaton whose edges follow the run.

use super::{told, waypoints};
use crate::escape::xml;
use crate::{Event, Report, VERSION, Verdict};
use std::fmt::Write;

/// Names, the elements they belong to, and their types.
const KEYS: [(&str, &str, &str); 17] = [
    ("witness-type", "graph", "string"),
    ("sourcecodelang", "graph", "string"),
    ("producer", "graph", "string"),
    ("specification", "graph", "string"),
    ("programfile", "graph", "string"),
    ("programhash", "graph", "string"),
    ("architecture", "graph", "string"),
    ("creationtime", "graph", "string"),
    ("entry", "node", "boolean"),
    ("violation", "node", "boolean"),
    ("invariant", "node", "string"),
    ("invariant.scope", "node", "string"),
    ("startline", "edge", "int"),
    ("assumption", "edge", "string"),
    ("assumption.scope", "edge", "string"),
    ("enterFunction", "edge", "string"),
    ("enterLoopHead", "edge", "boolean"),
];

/// The witness of a true or false verdict; none for an unknown one.
pub fn graphml(report: &Report) -> Option<String> {
    let (kind, body) = match &report.verdict {
        Verdict::True => ("correctness_witness", correctness(report)),
        Verdict::False(_) => ("violation_witness", violation(report)?),
        Verdict::Unknown(_) => return None,
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
    out += "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
            xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n";
    for (name, on, ty) in KEYS {
        let _ = write!(
            out,
            "  <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{ty}\" for=\"{on}\""
        );
        out += match ty {
            "boolean" => "><default>false</default></key>\n",
            _ => "/>\n",
        };
    }
    let architecture = match report.data_model.as_str() {
        "ILP32" => "32bit",
        _ => "64bit",
    };
    let (file, hash) = report
        .inputs
        .first()
        .map_or(("", ""), |i| (i.path.as_str(), i.hash.as_str()));
    out += "  <graph edgedefault=\"directed\">\n";
    let producer = format!("cwolf {VERSION}");
    let facts = [
        ("witness-type", kind),
        ("sourcecodelang", "C"),
        ("producer", &producer),
        ("specification", &report.specification),
        ("programfile", file),
        ("programhash", hash),
        ("architecture", architecture),
        ("creationtime", &report.created),
    ];
    for (key, value) in facts {
        let _ = writeln!(out, "    {}", data(key, value));
    }
    out += &body;
    out += "  </graph>\n</graphml>\n";
    Some(out)
}

fn data(key: &str, value: &str) -> String {
    format!("<data key=\"{key}\">{}</data>", xml(value))
}

fn node(name: &str, facts: &[(&str, &str)], out: &mut String) {
    let _ = write!(out, "    <node id=\"{name}\"");
    if facts.is_empty() {
        *out += "/>\n";
        return;
    }
    *out += ">";
    for (key, value) in facts {
        *out += &data(key, value);
    }
    *out += "</node>\n";
}

/// An edge for each change of line, so that a checker can follow; assumptions where the
/// environment chose.
fn violation(report: &Report) -> Option<String> {
    let trace = report.trace.as_ref()?;
    let mut out = String::new();
    node("N0", &[("entry", "true")], &mut out);
    let points = waypoints(trace);
    let mut points = points.iter().peekable();
    let last = trace.steps.len().checked_sub(1)?;
    for (n, step) in trace.steps.iter().enumerate() {
        let facts: &[_] = match n == last {
            true => &[("violation", "true")],
            false => &[],
        };
        node(&format!("N{}", n + 1), facts, &mut out);
        let _ = write!(
            out,
            "    <edge source=\"N{n}\" target=\"N{}\">{}",
            n + 1,
            data("startline", &step.place.line.to_string())
        );
        // The value has arrived when the choosing statement is done.
        let next = trace.steps.get(n + 1);
        if let Some(point) = points.peek()
            && matches!(step.event, Event::Choose(..))
            && next.is_some_and(|next| std::ptr::eq(&next.place, point.place))
        {
            out += &data("assumption", &format!("{};", point.condition));
            out += &data("assumption.scope", point.function);
            points.next();
        }
        if let Event::Call(_) = &step.event
            && let Some(callee) = next
            && callee.depth > step.depth
        {
            out += &data("enterFunction", &callee.function);
        }
        out += "</edge>\n";
    }
    Some(out)
}

fn correctness(report: &Report) -> String {
    let mut out = String::new();
    node("N0", &[("entry", "true")], &mut out);
    for (n, (invariant, place, is_loop)) in told(report).enumerate() {
        let name = format!("N{}", n + 1);
        let facts = [
            ("invariant", invariant.condition.as_str()),
            ("invariant.scope", invariant.function.as_str()),
        ];
        node(&name, &facts, &mut out);
        let _ = writeln!(
            out,
            "    <edge source=\"N0\" target=\"{name}\">{}{}</edge>",
            data("startline", &place.line.to_string()),
            match is_loop {
                true => data("enterLoopHead", "true"),
                false => String::new(),
            }
        );
    }
    out
}
