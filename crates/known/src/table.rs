//! The files of the table, and how a name finds its row.

use crate::error::{Parsed, TableError};
use crate::prototype::Prototype;
use crate::row::{Origin, Row};
use crate::{facts, prototype};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Name and text of a file.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../library/known/", $name, ".txt")))),*]
    };
}

/// All files of the table.
const FILES: &[(&str, &str)] = files![
    "string", "stdio", "printf", "stdlib", "ctype", "math", "wchar", "time", "unistd", "files",
    "process", "signal", "setjmp", "pthread", "socket", "names", "locale", "terminal", "system",
    "checked", "builtin", "tools", "security",
];

/// A set of rows.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    names: FxHashMap<String, usize>,
    /// Rows whose names end with `*`, without it.
    prefixes: Vec<(String, usize)>,
}

/// A row whose facts are not read yet.
struct Draft {
    file: &'static str,
    line: usize,
    origin: Origin,
    headers: Vec<&'static str>,
    name: String,
    prototype: Prototype,
    facts: String,
}

/// A line of a file that means something, with those that continue it.
struct Entry {
    line: usize,
    text: String,
}

/// The table that ships with the tool.
pub(crate) fn shipped() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| Table::parse(FILES).expect("a test reads the whole table"))
}

/// Reads the files again: what a test of the table wants.
pub fn check() -> Result<(), TableError> {
    Table::parse(FILES).map(|_| ())
}

impl Table {
    /// Reads files, given by name and text.
    pub fn parse(files: &[(&'static str, &'static str)]) -> Result<Table, TableError> {
        let (mut drafts, mut aliases) = (Vec::new(), Vec::new());
        for (file, text) in files {
            let mut section = (Origin::Hidden, Vec::new());
            for entry in entries(text) {
                let error = |message| TableError {
                    file,
                    line: entry.line,
                    message,
                };
                if let Some(words) = entry.text.strip_prefix('@') {
                    section = origin(words, text).map_err(error)?;
                } else if let Some(words) = entry.text.strip_prefix("alias ") {
                    let (names, row) = words
                        .split_once('=')
                        .ok_or_else(|| error("expected `alias new = known`".into()))?;
                    let names: Vec<String> =
                        names.split(',').map(|s| s.trim().to_owned()).collect();
                    aliases.push((*file, entry.line, names, row.trim().to_owned()));
                } else {
                    for text in variants(&entry.text) {
                        let place = (*file, entry.line);
                        drafts.push(draft(place, &section, &text).map_err(error)?);
                    }
                }
            }
        }
        let mut table = Table::default();
        let texts: FxHashMap<&str, &str> =
            (drafts.iter().map(|d| (d.name.as_str(), d.facts.as_str()))).collect();
        for draft in &drafts {
            let error = |message| TableError {
                file: draft.file,
                line: draft.line,
                message,
            };
            let row = finish(draft, &texts).map_err(error)?;
            table.add(row).map_err(error)?;
        }
        for (file, line, names, row) in aliases {
            let error = |message| TableError {
                file,
                line,
                message,
            };
            let known = table.names.get(row.as_str()).copied();
            let row = known.ok_or_else(|| error(format!("there is no row `{row}`")))?;
            for name in names {
                if table.names.insert(name.clone(), row).is_some() {
                    return Err(error(format!("`{name}` is in the table twice")));
                }
            }
        }
        Ok(table)
    }

    fn add(&mut self, row: Row) -> Parsed<()> {
        let number = self.rows.len();
        match row.name.strip_suffix('*') {
            Some(prefix) => self.prefixes.push((prefix.to_owned(), number)),
            None => {
                if self.names.insert(row.name.clone(), number).is_some() {
                    return Err(format!("`{}` is in the table twice", row.name));
                }
            }
        }
        self.rows.push(row);
        Ok(())
    }

    /// All rows, in the order of the files.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All aliases with their rows, in the order of their names.
    pub fn aliases(&self) -> Vec<(&str, &Row)> {
        let mut list: Vec<(&str, &Row)> = (self.names.iter())
            .map(|(name, n)| (name.as_str(), &self.rows[*n]))
            .filter(|(name, row)| *name != row.name)
            .collect();
        list.sort_unstable_by_key(|(name, _)| *name);
        list
    }

    /// The row of a function. Names that only the compiler or a header makes (`__builtin_strlen`,
    /// `__isoc99_sscanf`) lead to the function that they stand for.
    pub fn lookup(&self, name: &str) -> Option<&Row> {
        if let Some(row) = self.names.get(name) {
            return Some(&self.rows[*row]);
        }
        let decorated = |prefix: &str, suffix: &str| {
            let plain = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
            self.names.get(plain)
        };
        let found = decorated("__builtin_", "")
            .or_else(|| decorated("__isoc99_", ""))
            .or_else(|| decorated("__isoc23_", ""))
            .or_else(|| decorated("__", "_finite"));
        if let Some(row) = found {
            return Some(&self.rows[*row]);
        }
        let fits = |(prefix, _): &&(String, usize)| name.starts_with(prefix.as_str());
        let longest = self
            .prefixes
            .iter()
            .filter(fits)
            .max_by_key(|(p, _)| p.len());
        longest.map(|(_, row)| &self.rows[*row])
    }
}

/// Lines without comments; indented ones belong to the line before.
fn entries(text: &str) -> Vec<Entry> {
    let mut list: Vec<Entry> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let words = line.trim();
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        match list.last_mut() {
            Some(last) if line.starts_with([' ', '\t']) => {
                last.text.push(' ');
                last.text.push_str(words);
            }
            _ => list.push(Entry {
                line: n + 1,
                text: words.to_owned(),
            }),
        }
    }
    list
}

/// `@gnu <string.h> <strings.h>`
fn origin(words: &str, file: &'static str) -> Parsed<(Origin, Vec<&'static str>)> {
    let mut words = words.split_whitespace();
    let origin = match words.next() {
        Some("gnu") => Origin::Gnu,
        Some("posix") => Origin::Posix,
        Some("hidden") => Origin::Hidden,
        Some("compiler") => Origin::Compiler,
        Some("tool") => Origin::Tool,
        _ => return Err("expected @gnu, @posix, @hidden, @compiler or @tool".into()),
    };
    // The names live as long as the text of the table.
    let headers = words.filter_map(|word| file.find(word).map(|at| &file[at..at + word.len()]));
    Ok((origin, headers.collect()))
}

/// A row about `real` is three: for `double`, `float` (`…f`) and `long double` (`…l`).
fn variants(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = text.split(|c| !is_word(c));
    if !words.any(|word| word == "real") {
        return vec![text.to_owned()];
    }
    let kinds = [("double", ""), ("float", "f"), ("long double", "l")];
    kinds
        .iter()
        .map(|(ty, suffix)| {
            let (head, facts) = text.split_once(';').unwrap_or((text, ""));
            let head = head.replacen('(', &format!("{suffix}("), 1);
            let mut out = String::new();
            let mut word = String::new();
            for c in head.chars().chain([' ']) {
                if is_word(c) {
                    word.push(c);
                    continue;
                }
                out.push_str(if word == "real" { ty } else { &word });
                word.clear();
                out.push(c);
            }
            format!("{out};{facts}")
        })
        .collect()
}

fn draft(
    (file, line): (&'static str, usize),
    (origin, headers): &(Origin, Vec<&'static str>),
    text: &str,
) -> Parsed<Draft> {
    let (head, facts) = text.split_once(';').unwrap_or((text, ""));
    // `__VERIFIER_nondet_*(void)`: the star belongs to the name.
    let (start, params) = head.split_once('(').unwrap_or((head, ""));
    let (mut name, prototype) = match start.strip_suffix('*') {
        Some(start) => prototype::parse(&format!("{start}({params}"))?,
        None => prototype::parse(head)?,
    };
    if start.ends_with('*') {
        name.push('*');
    }
    Ok(Draft {
        file,
        line,
        origin: *origin,
        headers: headers.clone(),
        name,
        prototype,
        facts: facts.trim().to_owned(),
    })
}

/// The row that a facts text takes over, and the facts that it adds.
fn inherited(facts: &str) -> Option<(&str, &str)> {
    let rest = facts.strip_prefix("as ")?;
    let (base, more) = rest.split_once(',').unwrap_or((rest, ""));
    Some((base.trim(), more.trim()))
}

fn finish(draft: &Draft, texts: &FxHashMap<&str, &str>) -> Parsed<Row> {
    let mut text = draft.facts.clone();
    let base = inherited(&draft.facts).map(|(base, _)| base.to_owned());
    // A chain of rows is finite unless it comes back to itself.
    for _ in 0..4 {
        let Some((base, more)) = inherited(&text) else {
            break;
        };
        let facts = texts
            .get(base)
            .ok_or_else(|| format!("there is no row `{base}`"))?;
        text = match (facts.is_empty(), more.is_empty()) {
            (_, true) => (*facts).to_owned(),
            (true, false) => more.to_owned(),
            (false, false) => format!("{facts}, {more}"),
        };
    }
    let facts = facts::parse(&text, &draft.prototype)?;
    Ok(Row {
        name: draft.name.clone(),
        file: draft.file,
        origin: draft.origin,
        headers: draft.headers.clone(),
        prototype: draft.prototype.clone(),
        requires: facts.requires,
        effects: facts.effects,
        result: facts.result,
        control: facts.control,
        open: facts.open,
        may_fail: facts.may_fail,
        base,
        nullable: facts.nullable,
    })
}
