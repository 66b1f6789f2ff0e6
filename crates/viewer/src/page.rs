//! A system as one HTML file: drawn as a whole, to be searched, without a server.

use crate::draw::picture;
use cwolf_lts::{Lts, State};
use serde_json::json;

const PAGE: &str = include_str!("page/model.html");

/// The page of a system called `name`; not for more than
/// [`MOST_IN_A_PICTURE`](crate::MOST_IN_A_PICTURE) states.
pub fn page(name: &str, lts: &Lts) -> String {
    let note = |s: State| lts.notes().and_then(|n| n.get(s)).map(|n| n.to_string());
    let data = json!({
        "initial": lts.initial(),
        "labels": lts.labels().names().collect::<Vec<_>>(),
        "transitions": lts.iter().collect::<Vec<_>>(),
        "notes": (0..lts.states() as State).map(note).collect::<Vec<_>>(),
    });
    // A text must not end the script element that it stands in.
    let data = data.to_string().replace('<', "\\u003c");
    let shared = include_str!("page/shared.js");
    let own = include_str!("page/model.js");
    let (states, transitions) = (lts.states(), lts.transitions());
    fill(&[
        ("name", escaped(name)),
        ("style", include_str!("page/page.css").to_owned()),
        (
            "size",
            format!("{states} states, {transitions} transitions"),
        ),
        ("picture", picture(name, lts)),
        ("script", format!("{shared}const data = {data};\n{own}")),
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
