//! The comparison as one page that needs nothing else: the table in colours, and for each cell what both say
//! and the lines of a run that shows it.

use crate::compare::Comparison;
use crate::json::json;
use crate::text::summary;

const PAGE: &str = include_str!("page.html");

/// The page of a comparison; `title` says what was held against what.
pub fn html(comparison: &Comparison, title: &str) -> String {
    // A text must not end the script element that it stands in.
    let data = json(comparison).to_string().replace('<', "\\u003c");
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    fill(&[
        ("title", escaped(title)),
        ("summary", escaped(&summary(comparison))),
        ("data", data),
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
