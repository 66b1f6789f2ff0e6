//! The report as one HTML page that needs nothing else: verdict, properties, and the failing
//! run to step through with the source beside it.

use crate::escape::{Json, xml};
use crate::json::trace;
use crate::{Report, Status, Verdict};
use std::fmt::Write;

const PAGE: &str = include_str!("page.html");

/// The report as a page.
pub fn html(report: &Report) -> String {
    let class = match report.verdict {
        Verdict::True => "holds",
        Verdict::False(_) => "fails",
        Verdict::Unknown(_) => "undecided",
    };
    let title = report.inputs.first().map_or("program", |i| &i.path);
    let sources = Json::list(&report.sources, |source| {
        Json::Object(vec![
            ("name", (&source.name).into()),
            ("lines", Json::list(source.text.lines(), Json::from)),
        ])
    });
    let data = Json::Object(vec![
        ("trace", report.trace.as_ref().map_or(Json::Null, trace)),
        ("sources", sources),
    ]);
    fill(&[
        ("title", xml(title)),
        ("class", class.into()),
        ("verdict", xml(&report.verdict.to_string())),
        ("summary", summary(report)),
        ("properties", properties(report)),
        ("assumptions", assumptions(report)),
        ("invariants", invariants(report)),
        ("data", data.compact()),
    ])
}

/// The page with its holes filled. One pass: a text that looks like a hole stays as it is.
fn fill(texts: &[(&str, String)]) -> String {
    let mut pieces = PAGE.split("{{");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (hole, rest) = piece.split_once("}}").expect("a hole is closed");
        let text = texts.iter().find(|(name, _)| *name == hole);
        out += &text.expect("every hole has a text").1;
        out += rest;
    }
    out
}

fn summary(report: &Report) -> String {
    let files: Vec<&str> = report.inputs.iter().map(|i| i.path.as_str()).collect();
    let mut rows = vec![
        ("files", files.join(", ")),
        ("entry", report.entry.clone()),
        ("data model", report.data_model.clone()),
        ("decided by", report.engine.clone()),
    ];
    for (name, value, unit) in &report.statistics {
        rows.push((name, format!("{value} {unit}")));
    }
    rows.retain(|(_, value)| !value.is_empty());
    let cell = |(name, value): &(&str, String)| {
        format!("<dt>{}</dt><dd>{}</dd>", xml(name), xml(value.trim()))
    };
    rows.iter().map(cell).collect()
}

fn properties(report: &Report) -> String {
    if report.properties.is_empty() {
        return "<p>none</p>".into();
    }
    let mut out =
        String::from("<table><tr><th>status</th><th>kind</th><th>place</th><th>what</th></tr>");
    // What fails comes first, then what is open.
    let mut sorted: Vec<_> = report.properties.iter().collect();
    sorted.sort_by_key(|p| match p.status {
        Status::Fails => 0,
        Status::Undecided => 1,
        Status::Holds => 2,
    });
    for p in sorted {
        let _ = write!(
            out,
            "<tr class=\"{0}\"><td>{0}</td><td>{1}</td><td>{2}</td><td>{3}</td></tr>",
            p.status.name(),
            xml(&p.kind),
            xml(&p.place.to_string()),
            xml(&p.text)
        );
    }
    out + "</table>"
}

fn assumptions(report: &Report) -> String {
    let item = |a: &crate::Assumption| {
        let place = a.place.as_ref().map_or(String::new(), |p| format!("{p}: "));
        format!("<li>{}{}</li>", xml(&place), xml(&a.text))
    };
    let items: String = report.assumptions.iter().map(item).collect();
    section("Assumed", &items)
}

fn invariants(report: &Report) -> String {
    let item = |i: &crate::Invariant| {
        format!(
            "<li>{}: <code>{}</code></li>",
            xml(&i.place.to_string()),
            xml(&i.condition)
        )
    };
    let items: String = report.invariants.iter().map(item).collect();
    section("Loop invariants", &items)
}

fn section(title: &str, items: &str) -> String {
    match items.is_empty() {
        true => String::new(),
        false => format!("<h2>{title}</h2><ul>{items}</ul>"),
    }
}
