//! A scan as text, JSON, SARIF, JUnit and one HTML page.

mod html;
mod json;
mod junit;
mod sarif;
mod text;

pub use html::html;
pub use json::json;
pub use junit::junit;
pub use sarif::sarif;
pub use text::text;

/// Text for XML and HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// What a finding means, one plain phrase.
fn meaning(finding: &crate::Finding) -> String {
    match finding.real {
        true => "a run of the program fails, from main".into(),
        false => format!(
            "fails if callers of {} may pass anything",
            finding.evidence.entry
        ),
    }
}
