//! The part of XML that witnesses are written in: elements, attributes, text, comments; the usual
//! entities and characters by number. Declarations are skipped.

use super::ReadError;

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    /// Where it begins, from 1.
    pub line: u32,
    /// Its name without a prefix.
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// All text directly in it.
    pub text: String,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| &**value)
    }
    pub fn named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |c| c.name == name)
    }
}

/// Deeper files are no witnesses.
const DEPTH: usize = 64;

/// Reads the outermost element.
pub(super) fn parse(text: &str) -> Result<Element, ReadError> {
    let mut reader = Reader {
        text,
        at: 0,
        line: 1,
    };
    let mut open: Vec<Element> = Vec::new();
    loop {
        let (before, found) = match reader.rest().find('<') {
            Some(n) => (n, true),
            None => (reader.rest().len(), false),
        };
        let words = reader.take(before);
        match open.last_mut() {
            Some(parent) => parent.text += &entities(words, reader.line)?,
            None if words.trim().is_empty() => {}
            None => return reader.error("text outside of all elements"),
        }
        if !found {
            return match open.last() {
                Some(element) => {
                    let what = format!("<{}> does not end", element.name);
                    Err(ReadError::new(element.line, what))
                }
                None => reader.error("there is no element"),
            };
        }
        let rest = reader.rest();
        if let Some(comment) = rest.strip_prefix("<!--") {
            let Some(n) = comment.find("-->") else {
                return reader.error("a comment does not end");
            };
            reader.take(n + 7);
        } else if rest.starts_with("<![CDATA[") {
            let Some(n) = rest.find("]]>") else {
                return reader.error("the text does not end");
            };
            let words = reader.take(n + 3);
            if let Some(parent) = open.last_mut() {
                parent.text += &words[9..n];
            }
        } else if rest.starts_with("<?") || rest.starts_with("<!") {
            let Some(n) = rest.find('>') else {
                return reader.error("a declaration does not end");
            };
            reader.take(n + 1);
        } else if rest.starts_with("</") {
            let Some(n) = rest.find('>') else {
                return reader.error("a tag does not end");
            };
            let tag = reader.take(n + 1);
            let name = local(tag[2..n].trim());
            let Some(element) = open.pop() else {
                return reader.error(format!("</{name}> ends nothing"));
            };
            if element.name != name {
                let what = format!("</{name}> ends <{}> of line {}", element.name, element.line);
                return reader.error(what);
            }
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => return Ok(element),
            }
        } else {
            let (element, closed) = reader.tag()?;
            if !closed {
                if open.len() >= DEPTH {
                    return reader.error("this is nested too deeply");
                }
                open.push(element);
                continue;
            }
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => return Ok(element),
            }
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
    fn take(&mut self, n: usize) -> &'t str {
        let taken = &self.rest()[..n];
        self.line += taken.bytes().filter(|b| *b == b'\n').count() as u32;
        self.at += n;
        taken
    }
    fn space(&mut self) {
        let rest = self.rest();
        self.take(rest.len() - rest.trim_start().len());
    }
    fn error<T>(&self, what: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError::new(self.line, what))
    }
    fn name(&mut self) -> Result<&'t str, ReadError> {
        let is_name = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        let rest = self.rest();
        let n = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        match n {
            0 => self.error("expected a name here"),
            n => Ok(self.take(n)),
        }
    }

    /// A tag that begins an element, and whether that is all of it.
    fn tag(&mut self) -> Result<(Element, bool), ReadError> {
        let line = self.line;
        self.take(1);
        let mut element = Element {
            line,
            name: local(self.name()?).to_owned(),
            ..Element::default()
        };
        loop {
            self.space();
            if self.rest().starts_with("/>") {
                self.take(2);
                return Ok((element, true));
            }
            if self.rest().starts_with('>') {
                self.take(1);
                return Ok((element, false));
            }
            let name = self.name()?.to_owned();
            self.space();
            if !self.rest().starts_with('=') {
                return self.error("expected `=` here");
            }
            self.take(1);
            self.space();
            let quote = match self.rest().chars().next() {
                Some(quote @ ('"' | '\'')) => quote,
                _ => return self.error("expected a quoted value here"),
            };
            self.take(1);
            let Some(n) = self.rest().find(quote) else {
                return self.error("the quote does not end");
            };
            let value = entities(self.take(n), self.line)?;
            self.take(1);
            element.attributes.push((name, value));
        }
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn entities(text: &str, line: u32) -> Result<String, ReadError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(n) = rest.find('&') {
        out += &rest[..n];
        let Some(end) = rest[n..].find(';') else {
            return Err(ReadError::new(line, "`&` begins no entity"));
        };
        let name = &rest[n + 1..n + end];
        let number = match name.strip_prefix('#') {
            Some(code) => match code.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
                None => code.parse().ok(),
            },
            None => match name {
                "lt" => Some('<' as u32),
                "gt" => Some('>' as u32),
                "amp" => Some('&' as u32),
                "quot" => Some('"' as u32),
                "apos" => Some('\'' as u32),
                _ => None,
            },
        };
        match number.and_then(char::from_u32) {
            Some(c) => out.push(c),
            None => {
                return Err(ReadError::new(
                    line,
                    format!("there is no entity `&{name};`"),
                ));
            }
        }
        rest = &rest[n + end + 1..];
    }
    Ok(out + rest)
}
