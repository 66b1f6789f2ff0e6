//! A scan as one HTML page that needs nothing else: counts, then every file with its functions.

use super::{escaped, meaning};
use crate::{Class, Row, Scan, Summary};
use cwolf_base::page::fill;
use std::collections::BTreeMap;
use std::fmt::Write;

const PAGE: &str = include_str!("page.html");

/// The page.
pub fn html(scan: &Scan) -> String {
    let mut files: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &scan.rows {
        files.entry(&row.place.file).or_default().push(row);
    }
    let mut body = String::new();
    for (file, rows) in files {
        let count = |class| rows.iter().filter(|r| r.class == class).count();
        let open = count(Class::Real) + count(Class::Likely) > 0;
        let _ = writeln!(
            body,
            "<details class=file{}><summary><b>{}</b> <span class=counts>{} proved, {} real, {} likely, {} conditional, {} unknown</span></summary>",
            if open { " open" } else { "" },
            escaped(file),
            count(Class::Proved),
            count(Class::Real),
            count(Class::Likely),
            count(Class::Conditional),
            count(Class::Unknown)
        );
        for row in rows {
            body += &function(row);
        }
        body += "</details>\n";
    }
    let s = Summary::of(scan);
    let counts = [
        ("functions", s.functions.to_string()),
        ("proved", s.proved.to_string()),
        ("real", s.real.to_string()),
        ("likely", s.likely.to_string()),
        ("conditional", s.conditional.to_string()),
        ("unknown", s.unknown.to_string()),
    ];
    let mut holes: Vec<(&str, String)> = counts.to_vec();
    holes.push(("body", body));
    fill(PAGE, &holes)
}

fn function(row: &Row) -> String {
    let mut out = format!(
        "<details class=\"function {0}\" data-class={0} data-name=\"{1}\"><summary><span class=class>{0}</span> <code>{1}</code> <span class=where>line {2}, {3}</span></summary>",
        row.class.name(),
        escaped(&row.function),
        row.place.line,
        match row.checks {
            0 => "no checks of its own".to_owned(),
            all => format!("{} of {all} checks hold", row.proved),
        }
    );
    if let Some(reason) = row.reason.as_ref().filter(|_| row.class == Class::Unknown) {
        let _ = write!(out, "<p>{}</p>", escaped(reason));
    }
    for finding in &row.findings {
        let note = match (finding.suppressed, finding.known) {
            (true, _) => " (suppressed)",
            (_, true) => " (in the baseline)",
            _ => "",
        };
        let _ = write!(
            out,
            "<p><b>line {}: {}</b> <code>{}</code>{note}<br>{}</p>",
            finding.place.line,
            escaped(&finding.message),
            escaped(&finding.kind),
            escaped(&meaning(finding))
        );
        let steps = finding
            .evidence
            .trace
            .as_ref()
            .and_then(|t| t["steps"].as_array());
        if let Some(steps) = steps {
            out += "<ol>";
            for step in steps.iter().take(200) {
                let changes = step["changes"].as_array();
                let changes = changes.into_iter().flatten().map(|c| {
                    let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
                    format!("{} = {}", text(&c["name"]), text(&c["value"]))
                });
                let changes: Vec<String> = changes.collect();
                let _ = write!(
                    out,
                    "<li><code>{}:{}</code> {} <i>{}</i></li>",
                    escaped(step["place"]["file"].as_str().unwrap_or_default()),
                    step["place"]["line"],
                    escaped(step["function"].as_str().unwrap_or_default()),
                    escaped(&changes.join(", "))
                );
            }
            out += "</ol>";
        }
    }
    if let Some(clauses) = &row.precondition {
        let proved = match row.holds_under {
            true => "Everything holds for callers who keep:",
            false => "No failure was found for callers who keep:",
        };
        let each = clauses.iter().map(|c| format!("  requires {c};\n"));
        let text: String = each.collect();
        let _ = write!(out, "<p>{proved}</p><pre>/*@\n{}*/</pre>", escaped(&text));
    }
    out + "</details>\n"
}
