//! The comparison as one page that needs nothing else: the table in colours, and for each cell what both say
//! and the lines of a run that shows it.

use crate::compare::Comparison;
use crate::json::json;
use crate::text::summary;
use cwolf_base::page::{escaped, fill, script_data};

const PAGE: &str = include_str!("page.html");

/// The page of a comparison; `title` says what was held against what.
pub fn html(comparison: &Comparison, title: &str) -> String {
    let data = script_data(&json(comparison).to_string());
    let texts = [
        ("title", escaped(title)),
        ("summary", escaped(&summary(comparison))),
        ("data", data),
    ];
    fill(PAGE, &texts)
}
