//! The part of YAML that witnesses are written in: lists and maps by indentation or in brackets,
//! plain and quoted scalars, block scalars, comments. No anchors, tags or several documents.

use super::ReadError;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Where it begins, from 1.
    pub line: u32,
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Scalar(String),
    List(Vec<Node>),
    /// Keys may be anything; a key that comes twice is an error.
    Map(Vec<(String, Node)>),
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }
    pub fn need(&self, key: &str) -> Result<&Node, ReadError> {
        let missing = || ReadError::new(self.line, format!("`{key}` is missing here"));
        self.get(key).ok_or_else(missing)
    }
    pub fn text(&self) -> Result<&str, ReadError> {
        match &self.kind {
            Kind::Scalar(text) => Ok(text),
            Kind::Null => Ok(""),
            _ => Err(ReadError::new(self.line, "expected one value here")),
        }
    }
    pub fn list(&self) -> Result<&[Node], ReadError> {
        match &self.kind {
            Kind::List(items) => Ok(items),
            Kind::Null => Ok(&[]),
            _ => Err(ReadError::new(self.line, "expected a list here")),
        }
    }
    pub fn number(&self) -> Result<u32, ReadError> {
        let wrong = || ReadError::new(self.line, "expected a number here");
        self.text()?.parse().map_err(|_| wrong())
    }
}

/// Deeper files are no witnesses.
const DEPTH: u32 = 64;

/// A line without its indentation.
#[derive(Clone, Copy, Debug)]
struct Line<'t> {
    number: u32,
    indent: usize,
    text: &'t str,
}

/// Reads one document.
pub(super) fn parse(text: &str) -> Result<Node, ReadError> {
    let mut lines = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let body = line.trim_start_matches(' ');
        let line = Line {
            number: n as u32 + 1,
            indent: line.len() - body.len(),
            text: body.trim_end(),
        };
        if body.starts_with('\t') {
            return Err(ReadError::new(line.number, "a tab does not indent in YAML"));
        }
        if line.indent == 0 && (line.text == "---" || line.text == "...") {
            if lines.iter().any(|l: &Line<'_>| is_content(l.text)) && line.text == "---" {
                return Err(ReadError::new(line.number, "expected one document"));
            }
            continue;
        }
        lines.push(line);
    }
    let mut reader = Reader { lines, at: 0 };
    reader.skip();
    let Some(first) = reader.here() else {
        return Err(ReadError::new(1, "the file is empty"));
    };
    let node = reader.block(first.indent, 0)?;
    reader.skip();
    match reader.here() {
        Some(rest) => Err(ReadError::new(
            rest.number,
            "this line is not indented like the lines before it",
        )),
        None => Ok(node),
    }
}

fn is_content(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('#')
}

struct Reader<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn here(&self) -> Option<Line<'t>> {
        self.lines.get(self.at).copied()
    }
    fn skip(&mut self) {
        while self.here().is_some_and(|l| !is_content(l.text)) {
            self.at += 1;
        }
    }

    /// What stands at this indentation.
    fn block(&mut self, indent: usize, depth: u32) -> Result<Node, ReadError> {
        let line = self.here().expect("a line is there");
        if depth > DEPTH {
            return Err(ReadError::new(line.number, "this is nested too deeply"));
        }
        let is_item = |text: &str| text == "-" || text.starts_with("- ");
        if is_item(line.text) {
            let mut items = Vec::new();
            loop {
                self.skip();
                let Some(item) = self
                    .here()
                    .filter(|l| l.indent == indent && is_item(l.text))
                else {
                    break;
                };
                let rest = item.text[1..].trim_start_matches(' ');
                if !is_content(rest) {
                    self.at += 1;
                    items.push(self.below(item.number, indent + 1, depth)?);
                    continue;
                }
                // What follows the dash stands as if in a line of its own.
                let inner = indent + (item.text.len() - rest.len());
                self.lines[self.at] = Line {
                    indent: inner,
                    text: rest,
                    ..item
                };
                items.push(self.block(inner, depth + 1)?);
            }
            return Ok(Node {
                line: line.number,
                kind: Kind::List(items),
            });
        }
        if split_key(line.text).is_some() {
            return self.map(line, indent, depth);
        }
        let node = self.value(line.text, line, indent, depth)?;
        Ok(node)
    }

    fn map(&mut self, first: Line<'t>, indent: usize, depth: u32) -> Result<Node, ReadError> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        loop {
            self.skip();
            let Some(line) = self.here().filter(|l| l.indent == indent) else {
                break;
            };
            let Some((key, rest)) = split_key(line.text) else {
                break;
            };
            let key = scalar(key, line.number)?;
            if entries.iter().any(|(k, _)| *k == key) {
                return Err(ReadError::new(
                    line.number,
                    format!("`{key}` occurs here twice"),
                ));
            }
            let rest = rest.trim_start();
            let node = match is_content(rest) {
                true => self.value(rest, line, indent, depth)?,
                false => {
                    self.at += 1;
                    self.skip();
                    // A list may stand as far left as its key.
                    let list = self.here().is_some_and(|l| {
                        l.indent == indent && (l.text == "-" || l.text.starts_with("- "))
                    });
                    self.below(line.number, if list { indent } else { indent + 1 }, depth)?
                }
            };
            entries.push((key, node));
        }
        Ok(Node {
            line: first.number,
            kind: Kind::Map(entries),
        })
    }

    /// What stands in the lines below, indented by so much at least; nothing is null.
    fn below(&mut self, line: u32, indent: usize, depth: u32) -> Result<Node, ReadError> {
        self.skip();
        match self.here().filter(|l| l.indent >= indent) {
            Some(next) => self.block(next.indent, depth + 1),
            None => Ok(Node {
                line,
                kind: Kind::Null,
            }),
        }
    }

    /// A value that begins in a line, `indent` being that of its parent.
    fn value(
        &mut self,
        text: &'t str,
        line: Line<'t>,
        indent: usize,
        depth: u32,
    ) -> Result<Node, ReadError> {
        let number = line.number;
        if text.starts_with('|') || text.starts_with('>') {
            self.at += 1;
            let text = self.literal(text, indent);
            return Ok(Node {
                line: number,
                kind: Kind::Scalar(text),
            });
        }
        // Quotes and brackets may go on in the next lines.
        let mut whole = text.to_owned();
        self.at += 1;
        loop {
            match complete(&whole) {
                Completeness::Whole => break,
                Completeness::Open => {
                    let Some(next) = self.here() else {
                        return Err(ReadError::new(number, "this does not end"));
                    };
                    whole.push(' ');
                    whole.push_str(next.text);
                    self.at += 1;
                }
            }
        }
        // Plain text goes on in lines that are indented further.
        if !whole.starts_with(['"', '\'', '[', '{']) {
            while let Some(next) = self
                .here()
                .filter(|l| l.indent > indent && is_content(l.text))
            {
                whole = without_comment(&whole).trim_end().to_owned();
                whole.push(' ');
                whole.push_str(next.text);
                self.at += 1;
            }
        }
        let mut flow = Flow {
            text: &whole,
            at: 0,
            line: number,
        };
        let node = flow.value(depth, false)?;
        flow.space();
        match flow.rest() {
            "" => Ok(node),
            rest if rest.starts_with('#') => Ok(node),
            rest => Err(ReadError::new(number, format!("unexpected `{rest}`"))),
        }
    }

    /// A block scalar: `|` keeps lines, `>` joins them.
    fn literal(&mut self, header: &str, parent: usize) -> String {
        let mut lines: Vec<&str> = Vec::new();
        let first = self.lines[self.at..].iter().find(|l| !l.text.is_empty());
        let own = first.map_or(0, |l| l.indent);
        while let Some(line) = self.here() {
            if !line.text.is_empty() && (line.indent <= parent || line.indent < own) {
                break;
            }
            lines.push(line.text);
            self.at += 1;
        }
        while lines.last().is_some_and(|l| l.is_empty()) {
            lines.pop();
        }
        let joined = lines.join(if header.starts_with('|') { "\n" } else { " " });
        match header.contains('-') {
            true => joined,
            false => joined + "\n",
        }
    }
}

/// Whether a value ends in the text.
enum Completeness {
    Whole,
    Open,
}

fn complete(text: &str) -> Completeness {
    let mut depth = 0usize;
    let mut quote = None;
    let mut escaped = false;
    let flow = text.starts_with(['[', '{']);
    if !flow && !text.starts_with(['"', '\'']) {
        return Completeness::Whole;
    }
    for c in text.chars() {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' => quote = Some(c),
                '[' | '{' => depth += 1,
                ']' | '}' => depth = depth.saturating_sub(1),
                '#' if depth == 0 => break,
                _ => {}
            },
        }
    }
    match quote.is_none() && depth == 0 {
        true => Completeness::Whole,
        false => Completeness::Open,
    }
}

/// A key and what follows its colon.
fn split_key(text: &str) -> Option<(&str, &str)> {
    if text.starts_with(['[', '{', '|', '>', '#']) {
        return None;
    }
    if let Some(quote) = text.chars().next().filter(|c| "\"'".contains(*c)) {
        let mut escaped = false;
        for (n, c) in text.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' if quote == '"' => escaped = true,
                _ if c == quote => {
                    let after = text[n + 1..].trim_start().strip_prefix(':')?;
                    let ends = after.is_empty() || after.starts_with(' ');
                    return ends.then_some((&text[..=n], after));
                }
                _ => {}
            }
        }
        return None;
    }
    let found = text
        .char_indices()
        .find(|(n, c)| *c == ':' && (text[n + 1..].is_empty() || text[n + 1..].starts_with(' ')));
    let (n, _) = found?;
    (!text[..n].contains(" #")).then(|| (&text[..n], &text[n + 1..]))
}

fn without_comment(text: &str) -> &str {
    text.find(" #").map_or(text, |n| &text[..n])
}

/// One scalar that is the whole text.
fn scalar(text: &str, line: u32) -> Result<String, ReadError> {
    let mut flow = Flow {
        text: text.trim(),
        at: 0,
        line,
    };
    match flow.value(0, false)?.kind {
        Kind::Scalar(text) => Ok(text),
        Kind::Null => Ok(String::new()),
        _ => Err(ReadError::new(line, "expected a name here")),
    }
}

/// Values inside of a line.
struct Flow<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl<'t> Flow<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }
    fn error<T>(&self, what: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError::new(self.line, what))
    }
    fn node(&self, kind: Kind) -> Node {
        Node {
            line: self.line,
            kind,
        }
    }

    fn value(&mut self, depth: u32, inside: bool) -> Result<Node, ReadError> {
        if depth > DEPTH {
            return self.error("this is nested too deeply");
        }
        self.space();
        match self.rest().chars().next() {
            Some('"') => self.double(),
            Some('\'') => self.single(),
            Some('[') => {
                let mut items = Vec::new();
                self.at += 1;
                while !self.closes(']')? {
                    items.push(self.value(depth + 1, true)?);
                    self.separator(']')?;
                }
                Ok(self.node(Kind::List(items)))
            }
            Some('{') => {
                let mut entries: Vec<(String, Node)> = Vec::new();
                self.at += 1;
                while !self.closes('}')? {
                    let key = self.value(depth + 1, true)?.text()?.to_owned();
                    self.space();
                    if !self.rest().starts_with(':') {
                        return self.error("expected `:` here");
                    }
                    self.at += 1;
                    let value = self.value(depth + 1, true)?;
                    self.separator('}')?;
                    entries.push((key, value));
                }
                Ok(self.node(Kind::Map(entries)))
            }
            Some('&' | '*' | '!' | '@' | '`' | '%') if !inside => {
                // An expression in C may begin so, which YAML would not take unquoted.
                self.error("anchors, aliases and tags are not read; quote the value")
            }
            _ => Ok(self.plain(inside)),
        }
    }
    fn closes(&mut self, close: char) -> Result<bool, ReadError> {
        self.space();
        if self.rest().is_empty() {
            return self.error(format!("expected `{close}`"));
        }
        let closes = self.rest().starts_with(close);
        self.at += usize::from(closes);
        Ok(closes)
    }
    fn separator(&mut self, close: char) -> Result<(), ReadError> {
        self.space();
        if self.rest().starts_with(',') {
            self.at += 1;
        } else if !self.rest().starts_with(close) {
            return self.error(format!("expected `,` or `{close}`"));
        }
        Ok(())
    }
    fn plain(&mut self, inside: bool) -> Node {
        let rest = self.rest();
        let mut end = rest.len();
        for (n, c) in rest.char_indices() {
            let ends = match c {
                ',' | ']' | '}' => inside,
                ':' => inside && rest[n + 1..].starts_with([' ', ',', '}']),
                '#' => n == 0 || rest[..n].ends_with(' '),
                _ => false,
            };
            if ends {
                end = n;
                break;
            }
        }
        self.at += end;
        match rest[..end].trim_end() {
            "" | "~" | "null" => self.node(Kind::Null),
            text => self.node(Kind::Scalar(text.to_owned())),
        }
    }
    fn single(&mut self) -> Result<Node, ReadError> {
        let mut out = String::new();
        let rest = self.rest();
        let mut chars = rest.char_indices().skip(1).peekable();
        while let Some((n, c)) = chars.next() {
            if c != '\'' {
                out.push(c);
            } else if chars.next_if(|(_, c)| *c == '\'').is_some() {
                out.push('\'');
            } else {
                self.at += n + 1;
                return Ok(self.node(Kind::Scalar(out)));
            }
        }
        self.error("the quote does not end")
    }
    fn double(&mut self) -> Result<Node, ReadError> {
        let mut out = String::new();
        let rest = self.rest();
        let mut chars = rest.char_indices().skip(1);
        while let Some((n, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += n + 1;
                    return Ok(self.node(Kind::Scalar(out)));
                }
                '\\' => {
                    let Some((_, escape)) = chars.next() else {
                        break;
                    };
                    let digits = match escape {
                        'x' => 2,
                        'u' => 4,
                        'U' => 8,
                        _ => 0,
                    };
                    if digits > 0 {
                        let code: String = chars.by_ref().take(digits).map(|(_, c)| c).collect();
                        let code = u32::from_str_radix(&code, 16).ok();
                        match code.and_then(char::from_u32) {
                            Some(c) => out.push(c),
                            None => return self.error("this is not a character"),
                        }
                        continue;
                    }
                    out.push(match escape {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        '0' => '\0',
                        'a' => '\x07',
                        'b' => '\x08',
                        'e' => '\x1b',
                        'f' => '\x0c',
                        'v' => '\x0b',
                        '_' => '\u{a0}',
                        'N' => '\u{85}',
                        '"' | '\\' | '/' | ' ' => escape,
                        other => return self.error(format!("there is no escape `\\{other}`")),
                    });
                }
                c => out.push(c),
            }
        }
        self.error("the quote does not end")
    }
}
