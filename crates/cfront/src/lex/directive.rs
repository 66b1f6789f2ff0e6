//! Lines that start with `#`: line markers, which say where the text came from, and pragmas.

use super::scan::Scanner;
use cwolf_base::Mark;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Includes deeper than this are a broken file, not a program.
const MAX_INCLUDES: usize = 4096;

/// Where the text came from, as far as the line markers told.
pub(super) struct Lines {
    file: Arc<str>,
    /// The line that the text at `since` stands for.
    line: u32,
    since: usize,
    /// For each open include: the file and line of its `#include`.
    stack: Vec<(Arc<str>, u32)>,
    system: bool,
    names: FxHashMap<String, Arc<str>>,
}

impl Lines {
    pub fn new(name: &str) -> Lines {
        Lines {
            file: name.into(),
            line: 1,
            since: 0,
            stack: Vec::new(),
            system: false,
            names: FxHashMap::default(),
        }
    }
}

impl Scanner<'_> {
    /// Reads the line that starts at the `#` here.
    pub(super) fn directive(&mut self) {
        let from = self.at;
        let mut end = self.line_end();
        let line = &self.text[from..end];
        // A comment may start on this line and end on another.
        if let Some(n) = open_comment(line) {
            let comment = from + n;
            end = comment;
            self.at = comment;
        } else {
            self.at = end;
        }
        let line = self.text[from..end].trim_start_matches(['#', '%', ':']);
        let line = line.trim();
        let word_end = line
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(line.len());
        let (word, rest) = line.split_at(word_end);
        match word {
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => self.marker(from, word, rest),
            "line" => {
                let rest = rest.trim_start();
                let end = rest
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(rest.len());
                self.marker(from, &rest[..end], &rest[end..]);
            }
            "pragma" => self.pragma(rest),
            // `#define` and `#undef` are left behind by `gcc -E -dD`.
            "" | "ident" | "sccs" | "define" | "undef" | "warning" | "assert" | "unassert" => {}
            _ => self.error(
                from,
                end,
                &format!("`#{word}` in text that should be preprocessed"),
                "give the file the ending `.c`, or run `gcc -E` on it first",
            ),
        }
    }

    /// `# line "file" flags`; `from` is the place of the `#`.
    fn marker(&mut self, from: usize, line: &str, rest: &str) {
        let Ok(line) = line.parse::<u32>() else {
            let end = self.at;
            return self.error(from, end, "bad line number in a line marker", "");
        };
        let rest = rest.trim();
        let (name, flags) = match file_name(rest) {
            Some((name, flags)) => (Some(name), flags),
            None => (None, rest),
        };
        let flags = flags.split_ascii_whitespace();
        let (mut enter, mut leave, mut system) = (false, false, false);
        for flag in flags {
            match flag {
                "1" => enter = true,
                "2" => leave = true,
                "3" => system = true,
                _ => {}
            }
        }
        let lines = &mut self.lines;
        let passed = self.text.as_bytes()[lines.since..from]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        let here = lines.line.saturating_add(passed as u32);
        if enter && lines.stack.len() < MAX_INCLUDES {
            lines.stack.push((lines.file.clone(), here));
        }
        if let Some(name) = name {
            let shared: Arc<str> = name.as_str().into();
            lines.file = lines.names.entry(name).or_insert(shared).clone();
            lines.system = system;
        }
        if leave {
            match lines.stack.iter().rposition(|(f, _)| *f == lines.file) {
                Some(n) => lines.stack.truncate(n),
                None => drop(lines.stack.pop()),
            }
        }
        lines.line = line;
        // The marker speaks of the line after it.
        lines.since = self.text[self.at..]
            .find('\n')
            .map_or(self.text.len(), |n| self.at + n + 1);
        let mark = Mark {
            offset: 0,
            file: lines.file.clone(),
            line,
            included_at: lines.stack.last().cloned(),
            depth: lines.stack.len() as u32,
            system: lines.system,
        };
        let offset = self.offset(self.lines.since);
        self.session.sources.mark(Mark { offset, ..mark });
    }

    /// `#pragma text`: only `pack` and what changes symbols means something here.
    pub(super) fn pragma(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        match (words.next(), words.next()) {
            (Some("weak"), Some(name)) => {
                let rest: String = words.collect();
                // `a=b` needs no blanks.
                let (name, rest) = match name.split_once('=') {
                    Some((name, target)) => (name, format!("={target}{rest}")),
                    None => (name, rest),
                };
                let target = rest.strip_prefix('=').map(str::to_owned);
                let name = self.session.names.intern(name);
                self.session.weak.push((name, target));
                return;
            }
            (Some("redefine_extname"), Some(name)) => {
                if let Some(label) = words.next() {
                    let name = self.session.names.intern(name);
                    self.session.labels.insert(name, label.to_owned());
                }
                return;
            }
            _ => {}
        }
        let Some(rest) = text.trim_start().strip_prefix("pack") else {
            return;
        };
        let Some(rest) = rest.trim_start().strip_prefix('(') else {
            return;
        };
        if let Some((inner, _)) = rest.split_once(')') {
            self.set_pack(inner);
        }
    }
}

/// Where a comment starts that does not end on this line; a file name may hold `/*`.
fn open_comment(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut in_name = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => in_name = !in_name,
            b'/' if !in_name && bytes.get(at + 1) == Some(&b'*') => {
                match line[at + 2..].find("*/") {
                    Some(n) => at += n + 3,
                    None => return Some(at),
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Splits `"name" rest`, taking the name's escapes away.
fn file_name(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((n, c)) = chars.next() {
        match c {
            '"' => return Some((name, &text[n + 1..])),
            '\\' => name.push(chars.next()?.1),
            _ => name.push(c),
        }
    }
    None
}
