//! The report as JSON: the `result` of `cwolf verify --json`. `docs/report.schema.json` is its
//! schema.

use crate::{Event, Invariant, Place, Report, Step, Trace, Verdict};
use serde_json::{Value, json};

/// The report as a JSON value.
pub fn json(report: &Report) -> Value {
    let (verdict, kind, reason) = match &report.verdict {
        Verdict::True => ("true", None, None),
        Verdict::False(kind) => ("false", Some(kind), None),
        Verdict::Unknown(reason) => ("unknown", None, Some(reason)),
    };
    json!({
        "verdict": verdict,
        "kind": kind,
        "reason": reason,
        "advice": report.advice,
        "said": report.said,
        "inputs": list(&report.inputs, |i| json!({ "path": i.path, "sha256": i.hash })),
        "entry": report.entry,
        "data_model": report.data_model,
        "specification": report.specification,
        "properties": list(&report.properties, |p| json!({
            "kind": p.kind,
            "place": place(&p.place),
            "function": p.function,
            "text": p.text,
            "status": p.status.name(),
            "reason": p.reason,
            "trace": p.trace.as_ref().map(trace),
        })),
        "assumptions": list(&report.assumptions, |a| json!({
            "text": a.text,
            "place": a.place.as_ref().map(place),
        })),
        "warnings": list(&report.warnings, |w| json!({
            "text": w.text,
            "place": w.place.as_ref().map(place),
        })),
        "trace": report.trace.as_ref().map(trace),
        "invariants": list(&report.invariants, condition),
        "predicates": list(&report.predicates, condition),
        "engine": report.engine,
        "discharged": report.discharged.map(|(proved, checks)| json!({
            "proved": proved,
            "checks": checks,
        })),
        "statistics": list(&report.statistics, |(name, value, unit)| json!({
            "name": name,
            "value": value,
            "unit": unit,
        })),
        "sources": list(&report.sources, |s| json!({ "name": s.name, "text": s.text })),
        "created": report.created,
    })
}

fn list<T>(items: &[T], make: impl FnMut(&T) -> Value) -> Value {
    items.iter().map(make).collect()
}

fn condition(at: &Invariant) -> Value {
    json!({ "place": place(&at.place), "function": at.function, "condition": at.condition })
}

fn place(place: &Place) -> Value {
    json!({ "file": place.file, "line": place.line, "column": place.column })
}

fn trace(trace: &Trace) -> Value {
    json!({
        "message": trace.message,
        "steps": list(&trace.steps, step),
        "omitted": trace.omitted.map(|(count, after)| json!({ "count": count, "after": after })),
        "related": list(&trace.related, |(at, words)| json!({ "place": place(at), "text": words })),
        "choices": trace.choices,
        "arguments": trace.arguments.as_ref().map(|(argc, argv)| json!({ "argc": argc, "argv": argv })),
        "repeat": trace.repeat,
    })
}

fn step(step: &Step) -> Value {
    let (event, detail) = match &step.event {
        Event::Run => ("run", Value::Null),
        Event::Branch(holds) => ("branch", (*holds).into()),
        Event::Call(what) => ("call", what.as_str().into()),
        Event::Return => ("return", Value::Null),
        Event::Choose(from, value) => ("choose", json!({ "from": from, "value": value })),
        Event::Fail => ("fail", Value::Null),
    };
    json!({
        "place": place(&step.place),
        "function": step.function,
        "depth": step.depth,
        "event": event,
        "detail": detail,
        "changes": list(&step.changes, |c| json!({ "name": c.name, "value": c.value })),
    })
}
