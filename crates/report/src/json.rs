//! The report as JSON. `docs/report.md` describes the schema; `version` changes when a reader
//! would have to.

use crate::escape::Json;
use crate::{Event, Place, Report, Step, Trace, VERSION, Verdict};

/// The version of the schema.
const SCHEMA: u32 = 1;

/// The report as a JSON document.
pub fn json(report: &Report) -> String {
    value(report).pretty()
}

fn value(report: &Report) -> Json {
    let (verdict, kind, reason) = match &report.verdict {
        Verdict::True => ("true", Json::Null, Json::Null),
        Verdict::False(kind) => ("false", kind.into(), Json::Null),
        Verdict::Unknown(reason) => ("unknown", Json::Null, reason.into()),
    };
    Json::Object(vec![
        ("version", SCHEMA.into()),
        ("tool", format!("cwolf {VERSION}").into()),
        ("verdict", verdict.into()),
        ("kind", kind),
        ("reason", reason),
        (
            "inputs",
            Json::list(&report.inputs, |input| {
                Json::Object(vec![
                    ("path", (&input.path).into()),
                    ("sha256", (&input.hash).into()),
                ])
            }),
        ),
        ("entry", (&report.entry).into()),
        ("data_model", (&report.data_model).into()),
        ("specification", (&report.specification).into()),
        (
            "properties",
            Json::list(&report.properties, |p| {
                Json::Object(vec![
                    ("kind", (&p.kind).into()),
                    ("place", place(&p.place)),
                    ("function", (&p.function).into()),
                    ("text", (&p.text).into()),
                    ("status", p.status.name().into()),
                ])
            }),
        ),
        (
            "assumptions",
            Json::list(&report.assumptions, |a| {
                Json::Object(vec![
                    ("text", (&a.text).into()),
                    ("place", a.place.as_ref().map_or(Json::Null, place)),
                ])
            }),
        ),
        ("trace", report.trace.as_ref().map_or(Json::Null, trace)),
        (
            "invariants",
            Json::list(&report.invariants, |i| {
                Json::Object(vec![
                    ("place", place(&i.place)),
                    ("function", (&i.function).into()),
                    ("condition", (&i.condition).into()),
                ])
            }),
        ),
        ("engine", (&report.engine).into()),
        (
            "discharged",
            report.discharged.map_or(Json::Null, |(proved, all)| {
                Json::Object(vec![
                    ("proved", Json::Number(proved as f64)),
                    ("checks", Json::Number(all as f64)),
                ])
            }),
        ),
        (
            "statistics",
            Json::list(&report.statistics, |(name, value, unit)| {
                Json::Object(vec![
                    ("name", name.into()),
                    ("value", Json::Number(*value)),
                    ("unit", unit.into()),
                ])
            }),
        ),
    ])
}

pub(crate) fn place(place: &Place) -> Json {
    Json::Object(vec![
        ("file", (&place.file).into()),
        ("line", place.line.into()),
        ("column", place.column.into()),
    ])
}

pub(crate) fn trace(trace: &Trace) -> Json {
    Json::Object(vec![
        ("message", (&trace.message).into()),
        ("steps", Json::list(&trace.steps, step)),
        (
            "omitted",
            trace.omitted.map_or(Json::Null, |(count, after)| {
                Json::Object(vec![("count", count.into()), ("after", after.into())])
            }),
        ),
        (
            "related",
            Json::list(&trace.related, |(at, words)| {
                Json::Object(vec![("place", place(at)), ("text", words.into())])
            }),
        ),
        ("choices", Json::list(&trace.choices, Json::from)),
    ])
}

fn step(step: &Step) -> Json {
    let (event, detail): (&str, Json) = match &step.event {
        Event::Run => ("run", Json::Null),
        Event::Branch(holds) => ("branch", Json::Bool(*holds)),
        Event::Call(what) => ("call", what.into()),
        Event::Return => ("return", Json::Null),
        Event::Choose(from, value) => (
            "choose",
            Json::Object(vec![("from", from.into()), ("value", value.into())]),
        ),
        Event::Fail => ("fail", Json::Null),
    };
    Json::Object(vec![
        ("place", place(&step.place)),
        ("function", (&step.function).into()),
        ("depth", step.depth.into()),
        ("event", event.into()),
        ("detail", detail),
        (
            "changes",
            Json::list(&step.changes, |c| {
                Json::Object(vec![
                    ("name", (&c.name).into()),
                    ("value", (&c.value).into()),
                ])
            }),
        ),
    ])
}
