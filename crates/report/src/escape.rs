//! Texts inside other languages, and a JSON value to build output from.

use std::fmt::Write;

/// `text` as XML character data or attribute value.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(c),
            // XML has no control characters, nor these two.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// `text` as a JSON string, which is also a double-quoted YAML one.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            // `<` so that a text can stand inside an HTML script element.
            c if c.is_control() || c == '<' || matches!(c, '\u{2028}' | '\u{2029}') => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out + "\""
}

/// A JSON value; members keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.into())
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Json {
        Json::Text(text.clone())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl From<usize> for Json {
    fn from(n: usize) -> Json {
        Json::Number(n as f64)
    }
}

impl From<u32> for Json {
    fn from(n: u32) -> Json {
        Json::Number(n.into())
    }
}

impl Json {
    /// A list of what `items` become.
    pub fn list<T>(items: impl IntoIterator<Item = T>, make: impl FnMut(T) -> Json) -> Json {
        Json::List(items.into_iter().map(make).collect())
    }
    /// The value as text, indented, with a newline at the end.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Some(0));
        out.push('\n');
        out
    }
    /// The value on one line.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, None);
        out
    }
    fn write(&self, out: &mut String, indent: Option<usize>) {
        match self {
            Json::Null => *out += "null",
            Json::Bool(b) => *out += if *b { "true" } else { "false" },
            Json::Number(n) => {
                let _ = write!(out, "{n}");
            }
            Json::Text(text) => *out += &json_string(text),
            Json::List(items) => {
                let items = items.iter().map(|item| (None, item));
                group(out, indent, ['[', ']'], items);
            }
            Json::Object(members) => {
                let members = members.iter().map(|(name, value)| (Some(*name), value));
                group(out, indent, ['{', '}'], members);
            }
        }
    }
}

fn group<'a>(
    out: &mut String,
    indent: Option<usize>,
    [open, close]: [char; 2],
    items: impl ExactSizeIterator<Item = (Option<&'static str>, &'a Json)>,
) {
    let inner = indent.map(|n| n + 2);
    let line = |out: &mut String, indent: Option<usize>| {
        if let Some(n) = indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', n));
        }
    };
    let empty = items.len() == 0;
    out.push(open);
    for (n, (name, item)) in items.enumerate() {
        if n > 0 {
            out.push(',');
        }
        line(out, inner);
        if let Some(name) = name {
            *out += &json_string(name);
            *out += if indent.is_some() { ": " } else { ":" };
        }
        item.write(out, inner);
    }
    if !empty {
        line(out, indent);
    }
    out.push(close);
}
