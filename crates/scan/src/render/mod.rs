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

use crate::Class;

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
    let entry = &finding.evidence.entry;
    match finding.class {
        Class::Real => "a run of the program fails, starting in main".into(),
        Class::Likely => {
            format!("{entry} fails for a caller who passes valid pointers and terminated strings")
        }
        _ if !finding.opaque.is_empty() => {
            let what = finding.opaque.iter().map(|o| format!("`{o}`"));
            let what: Vec<String> = what.take(3).collect();
            let more = if finding.opaque.len() > 3 {
                ", …"
            } else {
                ""
            };
            format!(
                "{entry} fails for some contents of {}{more}; if these cannot occur, write a contract",
                what.join(", ")
            )
        }
        _ => format!("{entry} fails for some callers"),
    }
}
