//! A system as one HTML file: drawn as a whole, to be searched, without a server.

use crate::draw::picture;
use cwolf_base::page::{escaped, fill, script_data};
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
    let data = script_data(&data.to_string());
    let shared = include_str!("page/shared.js");
    let own = include_str!("page/model.js");
    let (states, transitions) = (lts.states(), lts.transitions());
    let texts = [
        ("name", escaped(name)),
        ("style", include_str!("page/page.css").to_owned()),
        (
            "size",
            format!("{states} states, {transitions} transitions"),
        ),
        ("picture", picture(name, lts)),
        ("script", format!("{shared}const data = {data};\n{own}")),
    ];
    fill(PAGE, &texts)
}
