//! Comments that say that a finding is known and right:
//!
//! ```c
//! x = *p;                     // cwolf: ignore
//! /* cwolf: ignore bounds, pointer */
//! y = a[i];
//! /* cwolf: ignore-function */
//! int f(int *p)
//! ```
//!
//! `ignore` holds for its own line and the next one, `ignore-function` for the function that begins within the next three lines.

use crate::classify::Row;
use rustc_hash::FxHashMap;

/// The comments of one file.
#[derive(Clone, Debug, Default)]
struct Comments {
    /// Line, and the kinds that are ignored; all if none is named.
    lines: Vec<(u32, Vec<String>)>,
    functions: Vec<(u32, Vec<String>)>,
}

/// The comments of all files.
#[derive(Clone, Debug, Default)]
pub struct Suppressions {
    files: FxHashMap<String, Comments>,
}

impl Suppressions {
    /// Reads the comments of a file.
    pub fn add(&mut self, file: &str, text: &str) {
        let mut comments = Comments::default();
        for (n, line) in (1..).zip(text.lines()) {
            let Some((_, rest)) = line.split_once("cwolf:") else {
                continue;
            };
            let rest = rest.split("*/").next().unwrap_or(rest).trim();
            let (list, kinds) = if let Some(kinds) = rest.strip_prefix("ignore-function") {
                (&mut comments.functions, kinds)
            } else if let Some(kinds) = rest.strip_prefix("ignore") {
                (&mut comments.lines, kinds)
            } else {
                continue;
            };
            let kinds = kinds.split([',', ' ']).filter(|k| !k.is_empty());
            list.push((n, kinds.map(str::to_owned).collect()));
        }
        self.files.insert(file.to_owned(), comments);
    }
    /// Marks what comments suppress.
    pub fn mark(&self, rows: &mut [Row]) {
        for row in rows {
            let start = row.place.line;
            for finding in &mut row.findings {
                let Some(comments) = self.files.get(&finding.place.file) else {
                    continue;
                };
                let names = |kinds: &[String]| kinds.is_empty() || kinds.contains(&finding.kind);
                let line = finding.place.line;
                let here = |(at, kinds): &(u32, Vec<String>)| {
                    (*at == line || *at + 1 == line) && names(kinds)
                };
                let around = |(at, kinds): &(u32, Vec<String>)| {
                    (*at..=*at + 3).contains(&start) && names(kinds)
                };
                finding.suppressed =
                    comments.lines.iter().any(here) || comments.functions.iter().any(around);
            }
        }
    }
}
