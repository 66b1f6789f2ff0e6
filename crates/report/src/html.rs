//! The report as one HTML page that needs nothing else: verdict, properties, and the source
//! with what is known beside its lines and the failing run to step through. The page is a
//! script that shows the JSON form, so that a report that was written as JSON can be shown, too.

use crate::escape::xml;
use crate::{Report, json};
use serde_json::Value;

const PAGE: &str = include_str!("page.html");

/// The report as a page.
pub fn html(report: &Report) -> String {
    page(&json(report))
}

/// The page of a report in its JSON form.
pub fn page(report: &Value) -> String {
    let title = report["inputs"][0]["path"].as_str().unwrap_or("program");
    // A text must not end the script element that it stands in.
    let data = report.to_string().replace('<', "\\u003c");
    fill(&[("title", xml(title)), ("data", data)])
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
