//! The report as one HTML page that needs nothing else: verdict, properties, and the source
//! with what is known beside its lines and the failing run to step through. The page is a
//! script that shows the JSON form, so that a report that was written as JSON can be shown, too.

use crate::escape::xml;
use crate::{Report, json};
use cwolf_base::page::{fill, script_data};
use serde_json::Value;

const PAGE: &str = include_str!("page.html");

/// The report as a page.
pub fn html(report: &Report) -> String {
    page(&json(report))
}

/// The page of a report in its JSON form.
pub fn page(report: &Value) -> String {
    let title = report["inputs"][0]["path"].as_str().unwrap_or("program");
    let data = script_data(&report.to_string());
    fill(PAGE, &[("title", xml(title)), ("data", data)])
}
