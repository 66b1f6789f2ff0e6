//! The files of the table, and how a name finds its row. Rows are read when they are asked for:
//! a run needs few of them.

use crate::error::{Parsed, TableError};
use crate::row::{Origin, Row};
use crate::types::CType;
use crate::{facts, prototype};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
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
    "checked", "builtin", "tools", "security", "complex",
];

/// What a row about `real` stands for, with the end of the function's name.
const REALS: [(&str, &str); 3] = [("double", ""), ("float", "f"), ("long double", "l")];

/// A set of rows.
#[derive(Debug, Default)]
pub struct Table {
    sections: Vec<(Origin, Vec<&'static str>)>,
    drafts: Vec<Draft>,
    rows: Vec<OnceLock<Row>>,
    names: FxHashMap<Cow<'static, str>, usize>,
    /// Rows whose names end with `*`, without it.
    prefixes: Vec<(&'static str, usize)>,
    /// Types of the handles that rows make.
    handles: OnceLock<Vec<CType>>,
}

/// A row that is found but not read yet.
#[derive(Debug)]
struct Draft {
    file: &'static str,
    line: usize,
    /// The number of its section.
    section: usize,
    /// The text before and after the semicolon.
    head: &'static str,
    facts: &'static str,
    /// Which kind of number `real` is.
    real: Option<usize>,
}

/// The table that ships with the tool.
pub(crate) fn shipped() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| Table::index(FILES).expect("a test reads the whole table"))
}

/// Reads the files again: what a test of the table wants.
pub fn check() -> Result<(), TableError> {
    Table::parse(FILES).map(|_| ())
}

impl Table {
    /// Reads files, given by name and text.
    pub fn parse(files: &[(&'static str, &'static str)]) -> Result<Table, TableError> {
        let table = Table::index(files)?;
        for (n, row) in table.rows.iter().enumerate() {
            let read = table.read(n)?;
            row.get_or_init(|| read);
        }
        Ok(table)
    }

    /// Finds the rows of files, without reading them.
    fn index(files: &[(&'static str, &'static str)]) -> Result<Table, TableError> {
        let mut table = Table::default();
        let mut aliases = Vec::new();
        for (file, text) in files {
            table.sections.push((Origin::Hidden, Vec::new()));
            for (line, entry) in entries(text) {
                let error = |message| TableError {
                    file,
                    line,
                    message,
                };
                if let Some(words) = entry.strip_prefix('@') {
                    table.sections.push(section(words).map_err(error)?);
                } else if let Some(words) = entry.strip_prefix("alias ") {
                    let (name, row) = (words.split_once('='))
                        .ok_or_else(|| error("expected `alias new = known`".into()))?;
                    aliases.push((*file, line, name.trim(), row.trim()));
                } else {
                    table.add(file, line, entry).map_err(error)?;
                }
            }
        }
        for (file, line, name, row) in aliases {
            let error = |message| TableError {
                file,
                line,
                message,
            };
            let known = table.names.get(row).copied();
            let row = known.ok_or_else(|| error(format!("there is no row `{row}`")))?;
            table.name(name.into(), row).map_err(error)?;
        }
        Ok(table)
    }

    /// Notes the rows of an entry.
    fn add(&mut self, file: &'static str, line: usize, entry: &'static str) -> Parsed<()> {
        let (head, facts) = entry.split_once(';').unwrap_or((entry, ""));
        let start = head.split('(').next().unwrap_or(head).trim_end();
        let name = start.rsplit([' ', '*', '\n']).next().unwrap_or(start);
        let draft = |real| Draft {
            file,
            line,
            section: 0,
            head,
            facts: facts.trim(),
            real,
        };
        if let Some(start) = start.strip_suffix('*') {
            let prefix = start.rsplit([' ', '*']).next().unwrap_or(start);
            self.prefixes.push((prefix, self.drafts.len()));
            self.push(draft(None));
        } else if head.split(|c: char| !is_word(c)).any(|word| word == "real") {
            for (n, (_, suffix)) in REALS.iter().enumerate() {
                self.name(format!("{name}{suffix}").into(), self.drafts.len())?;
                self.push(draft(Some(n)));
            }
        } else {
            self.name(name.into(), self.drafts.len())?;
            self.push(draft(None));
        }
        Ok(())
    }

    fn push(&mut self, draft: Draft) {
        let section = self.sections.len() - 1;
        self.drafts.push(Draft { section, ..draft });
        self.rows.push(OnceLock::new());
    }

    fn name(&mut self, name: Cow<'static, str>, row: usize) -> Parsed<()> {
        match self.names.insert(name.clone(), row) {
            Some(_) => Err(format!("`{name}` is in the table twice")),
            None => Ok(()),
        }
    }

    fn row(&self, n: usize) -> &Row {
        self.rows[n].get_or_init(|| self.read(n).expect("a test reads the whole table"))
    }

    /// All rows, in the order of the files.
    pub fn rows(&self) -> impl Iterator<Item = &Row> + Clone {
        (0..self.rows.len()).map(|n| self.row(n))
    }

    /// All aliases with their rows, in the order of their names.
    pub fn aliases(&self) -> Vec<(&str, &Row)> {
        let named = self.names.iter().map(|(name, n)| (&**name, self.row(*n)));
        let mut list: Vec<_> = named.filter(|(name, row)| *name != row.name).collect();
        list.sort_unstable_by_key(|(name, _)| *name);
        list
    }

    /// The row of a function. Names that only the compiler or a header makes (`__builtin_strlen`,
    /// `__isoc99_sscanf`) lead to the function that they stand for.
    pub fn lookup(&self, name: &str) -> Option<&Row> {
        if let Some(row) = self.names.get(name) {
            return Some(self.row(*row));
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
            return Some(self.row(*row));
        }
        let fits = |(prefix, _): &&(&str, usize)| name.starts_with(prefix);
        let longest = self.prefixes.iter().filter(fits);
        let longest = longest.max_by_key(|(prefix, _)| prefix.len());
        longest.map(|(_, row)| self.row(*row))
    }

    /// The types of handles that the library makes, such as `FILE *`.
    pub fn handles(&self) -> &[CType] {
        self.handles.get_or_init(|| {
            let drafts = self.drafts.iter().enumerate();
            let named = drafts.filter(|(_, draft)| draft.facts.contains("handle"));
            let made = named.filter_map(|(n, _)| self.row(n).makes_handle().cloned());
            let mut list: Vec<CType> = Vec::new();
            for ty in made {
                if !list.contains(&ty) {
                    list.push(ty);
                }
            }
            list
        })
    }

    fn read(&self, n: usize) -> Result<Row, TableError> {
        let draft = &self.drafts[n];
        self.finish(draft).map_err(|message| TableError {
            file: draft.file,
            line: draft.line,
            message,
        })
    }

    fn finish(&self, draft: &Draft) -> Parsed<Row> {
        let head = match draft.real {
            Some(n) => Cow::Owned(with_real(draft.head, REALS[n])),
            None => Cow::Borrowed(draft.head),
        };
        // `__VERIFIER_nondet_*(void)`: the star belongs to the name.
        let (name, prototype) = match head.split_once("*(") {
            Some((start, params)) if !start.contains('(') => {
                let (name, prototype) = prototype::parse(&format!("{start}({params}"))?;
                (format!("{name}*"), prototype)
            }
            _ => prototype::parse(&head)?,
        };
        let facts = facts::parse(&self.all_facts(draft.facts)?, &prototype)?;
        let (origin, headers) = &self.sections[draft.section];
        Ok(Row {
            name,
            file: draft.file,
            origin: *origin,
            headers: headers.clone(),
            prototype,
            requires: facts.requires,
            effects: facts.effects,
            result: facts.result,
            control: facts.control,
            open: facts.open,
            asks: facts.asks,
            may_fail: facts.may_fail,
            // Arguments may come in another order than those of the row that is taken over.
            primitive: facts.primitive.filter(|_| inherited(draft.facts).is_none()),
            base: inherited(draft.facts).map(|(base, _)| base.to_owned()),
            nullable: facts.nullable,
        })
    }

    /// Facts, with those that they take over from other rows.
    fn all_facts(&self, facts: &'static str) -> Parsed<String> {
        let (mut parts, mut rest) = (Vec::new(), facts);
        // A chain of rows is short unless it comes back to itself.
        for _ in 0..8 {
            let Some((base, more)) = inherited(rest) else {
                parts.push(rest);
                parts.reverse();
                parts.retain(|part| !part.is_empty());
                return Ok(parts.join(", "));
            };
            parts.push(more);
            let row = self.names.get(base);
            let row = row.ok_or_else(|| format!("there is no row `{base}`"))?;
            rest = self.drafts[*row].facts;
        }
        Err("rows take over each other's facts in a circle".into())
    }
}

/// The lines that mean something, with their numbers; indented ones belong to the line before.
fn entries(text: &'static str) -> Vec<(usize, &'static str)> {
    let mut list: Vec<(usize, usize, usize)> = Vec::new();
    let mut at = 0;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let (start, end) = (at, at + line.trim_end().len());
        at += line.len();
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match list.last_mut() {
            Some(last) if line.starts_with([' ', '\t']) => last.2 = end,
            _ => list.push((n + 1, start, end)),
        }
    }
    let entry = |(line, start, end): (usize, usize, usize)| (line, &text[start..end]);
    list.into_iter().map(entry).collect()
}

/// `@gnu <string.h> <strings.h>`
fn section(words: &'static str) -> Parsed<(Origin, Vec<&'static str>)> {
    let mut words = words.split_whitespace();
    let origin = match words.next() {
        Some("gnu") => Origin::Gnu,
        Some("posix") => Origin::Posix,
        Some("hidden") => Origin::Hidden,
        Some("compiler") => Origin::Compiler,
        Some("tool") => Origin::Tool,
        _ => return Err("expected @gnu, @posix, @hidden, @compiler or @tool".into()),
    };
    Ok((origin, words.collect()))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A declaration with another type for `real`, and another name.
fn with_real(head: &str, (ty, suffix): (&str, &str)) -> String {
    let head = head.replacen('(', &format!("{suffix}("), 1);
    let (mut out, mut word) = (String::new(), String::new());
    for c in head.chars().chain([' ']) {
        if is_word(c) {
            word.push(c);
            continue;
        }
        out.push_str(if word == "real" { ty } else { &word });
        word.clear();
        out.push(c);
    }
    out
}

/// The row that facts take over, and the facts that they add.
fn inherited(facts: &str) -> Option<(&str, &str)> {
    let rest = facts.strip_prefix("as ")?;
    let (base, more) = rest.split_once(',').unwrap_or((rest, ""));
    Some((base.trim(), more.trim()))
}
