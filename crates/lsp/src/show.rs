//! Results of a scan in words of the protocol.

use serde_json::{Value, json};

/// The path of a `file:` address.
pub fn path_of(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://")?;
    let mut out = Vec::new();
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let hex = rest.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// The address of a path.
pub fn uri_of(path: &str) -> String {
    let mut out = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char)
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// A whole line from a column on; both count from 1.
fn range(place: &Value) -> Value {
    let line = place["line"].as_u64().unwrap_or(1).saturating_sub(1);
    let column = place["column"].as_u64().unwrap_or(1).saturating_sub(1);
    json!({ "start": { "line": line, "character": column }, "end": { "line": line, "character": column + 1 } })
}

fn here(place: &Value, path: &str) -> bool {
    place["file"].as_str() == Some(path)
}

/// The findings of a scan in a file as diagnostics.
pub fn diagnostics(scan: &Value, path: &str) -> Vec<Value> {
    let mut out = Vec::new();
    for row in rows(scan) {
        for finding in row["findings"].as_array().into_iter().flatten() {
            let quiet = finding["suppressed"] == true || finding["known"] == true;
            if quiet || !here(&finding["place"], path) {
                continue;
            }
            let entry = finding["entry"].as_str().unwrap_or_default();
            let (severity, means) = match finding["class"].as_str() {
                Some("real") => (1, "a run of the program fails, starting in main".to_owned()),
                Some("likely") => (
                    2,
                    format!(
                        "{entry} fails for a caller who passes valid pointers and terminated strings"
                    ),
                ),
                _ => (3, format!("{entry} fails for some callers")),
            };
            let steps = finding["trace"]["steps"].as_array().into_iter().flatten();
            let related: Vec<Value> = steps
                .take(30)
                .map(|step| {
                    let file = step["place"]["file"].as_str().unwrap_or_default();
                    json!({
                        "location": { "uri": uri_of(file), "range": range(&step["place"]) },
                        "message": changes(step),
                    })
                })
                .collect();
            out.push(json!({
                "range": range(&finding["place"]),
                "severity": severity,
                "source": "cwolf",
                "code": finding["kind"],
                "message": format!("{}: {means}", finding["message"].as_str().unwrap_or_default()),
                "relatedInformation": related,
                "data": { "entry": entry, "precondition": finding["precondition"] },
            }));
        }
    }
    out
}

/// What a step changed, in short.
fn changes(step: &Value) -> String {
    let all = step["changes"].as_array().into_iter().flatten();
    let all = all.map(|c| {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        format!("{} = {}", text(&c["name"]), text(&c["value"]))
    });
    let all: Vec<String> = all.collect();
    let function = step["function"].as_str().unwrap_or_default();
    match all.is_empty() {
        true => function.to_owned(),
        false => format!("{function}: {}", all.join(", ")),
    }
}

fn rows(scan: &Value) -> impl Iterator<Item = &Value> {
    scan["functions"].as_array().into_iter().flatten()
}

/// A lens above each function of a file.
pub fn lenses(scan: &Value, path: &str, uri: &str) -> Vec<Value> {
    let own = rows(scan).filter(|row| here(&row["place"], path));
    own.map(|row| {
        let title = match row["class"].as_str() {
            Some("proved") => "cwolf: proved",
            Some("real") => "cwolf: fails (verify again)",
            Some("likely") => "cwolf: fails for usual callers (verify again)",
            Some("conditional") => "cwolf: fails for some callers (verify again)",
            _ => "cwolf: verify this function",
        };
        let arguments = json!([uri, row["function"]]);
        json!({
            "range": range(&row["place"]),
            "command": { "title": title, "command": "cwolf.verify", "arguments": arguments },
        })
    })
    .collect()
}

/// What is known of the function that begins in a line (from 0).
pub fn hover(scan: &Value, path: &str, line: u64) -> Option<String> {
    let mut own = rows(scan).filter(|row| here(&row["place"], path));
    let row = own.find(|row| row["place"]["line"].as_u64() == Some(line + 1))?;
    let mut out = format!(
        "**{}**: {}, {} of {} checks hold",
        row["function"].as_str()?,
        row["class"].as_str()?,
        row["proved"],
        row["checks"]
    );
    if let Some(reason) = row["reason"].as_str() {
        out += &format!("\n\n{reason}");
    }
    if let Some(clauses) = row["precondition"].as_array() {
        out += "\n\n```c\n/*@\n";
        for clause in clauses.iter().filter_map(Value::as_str) {
            out += &format!("  requires {clause};\n");
        }
        out += "*/\n```";
    }
    Some(out)
}

/// Actions for diagnostics: to write the precondition before the function.
pub fn actions(scan: &Value, path: &str, uri: &str, diagnostics: &[Value]) -> Vec<Value> {
    let mut out = Vec::new();
    for diagnostic in diagnostics {
        let entry = diagnostic["data"]["entry"].as_str();
        let clauses = diagnostic["data"]["precondition"].as_array();
        let (Some(entry), Some(clauses)) = (entry, clauses) else {
            continue;
        };
        let mut own = rows(scan).filter(|row| here(&row["place"], path));
        let Some(row) = own.find(|row| row["function"] == entry) else {
            continue;
        };
        let line = row["place"]["line"].as_u64().unwrap_or(1).saturating_sub(1);
        let clauses = clauses.iter().filter_map(Value::as_str);
        let text: String = clauses.map(|c| format!("//@ requires {c};\n")).collect();
        if text.is_empty() {
            continue;
        }
        let at = json!({ "line": line, "character": 0 });
        let edit = json!({ "range": { "start": at, "end": at }, "newText": text });
        out.push(json!({
            "title": format!("Write the precondition of {entry}"),
            "kind": "quickfix",
            "diagnostics": [diagnostic],
            "edit": { "changes": { uri: [edit] } },
        }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_back() {
        for path in ["/a/b.c", "/a b/ü%.c"] {
            assert_eq!(path_of(&uri_of(path)).as_deref(), Some(path));
        }
        assert_eq!(path_of("http://a"), None);
    }
}
