//! Reading lines at a terminal, with editing, history and completion.

use anyhow::Result;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};
use std::io::Write;
use std::path::PathBuf;

/// A terminal that reads lines.
pub struct Terminal {
    editor: Editor<Words, MemHistory>,
    /// Where lines are remembered for the next session, if there is such a place.
    history: Option<PathBuf>,
}

/// How many lines of earlier sessions are recalled.
const MAX_LINES: usize = 1000;

/// The words that the tabulator key completes.
struct Words(Vec<String>);

impl Terminal {
    pub fn new() -> Result<Terminal> {
        let mut editor = Editor::with_history(Config::default(), MemHistory::new())?;
        editor.set_helper(Some(Words(Vec::new())));
        let history = history_file();
        let text = history.as_ref().and_then(|path| std::fs::read(path).ok());
        let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        for line in &lines[lines.len().saturating_sub(MAX_LINES)..] {
            editor.add_history_entry(*line)?;
        }
        Ok(Terminal { editor, history })
    }
    /// Appends a line to the history; a history that cannot be written is no reason to stop.
    fn remember(&self, line: &str) {
        let Some(path) = &self.history else {
            return;
        };
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let file = folder.and_then(|()| {
            let mut options = std::fs::OpenOptions::new();
            options.create(true).append(true).open(path)
        });
        let _ = file.and_then(|mut file| writeln!(file, "{line}"));
    }
    /// The next line, or nothing at the end; `words` can be completed.
    pub fn line(&mut self, prompt: &str, words: Vec<String>) -> Result<Option<String>> {
        self.editor.set_helper(Some(Words(words)));
        match self.editor.readline(prompt) {
            Ok(line) => {
                if self.editor.add_history_entry(&line)? {
                    self.remember(&line);
                }
                Ok(Some(line))
            }
            // A line that is given up, not the session.
            Err(ReadlineError::Interrupted) => Ok(Some(String::new())),
            Err(ReadlineError::Eof) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// `CWOLF_HISTORY`, or a file in the user's state folder.
fn history_file() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CWOLF_HISTORY") {
        return Some(path.into()).filter(|p: &PathBuf| !p.as_os_str().is_empty());
    }
    let state = match std::env::var_os("XDG_STATE_HOME").filter(|s| !s.is_empty()) {
        Some(state) => PathBuf::from(state),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".local/state"),
    };
    Some(state.join("cwolf/workbench-history"))
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let (start, mut found) = complete(&self.0, line, at);
        let command = line.split_whitespace().next().unwrap_or_default();
        if start > 0 && ["load", "save", "es"].contains(&command) {
            found.extend(files(&line[start..at]));
        }
        Ok((start, found))
    }
}

/// The files and folders whose paths start like this.
fn files(before: &str) -> Vec<String> {
    let (folder, name) = match before.rfind('/') {
        Some(at) => before.split_at(at + 1),
        None => ("", before),
    };
    let place = if folder.is_empty() { "." } else { folder };
    let Ok(entries) = std::fs::read_dir(place) else {
        return Vec::new();
    };
    let path = |entry: std::fs::DirEntry| {
        let file = entry.file_name().into_string().ok()?;
        let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
        let slash = if is_folder { "/" } else { "" };
        file.starts_with(name)
            .then(|| format!("{folder}{file}{slash}"))
    };
    let mut found: Vec<String> = entries.flatten().filter_map(path).collect();
    found.sort();
    found
}

/// Where the word before `at` starts, and what it may become.
fn complete(words: &[String], line: &str, at: usize) -> (usize, Vec<String>) {
    let before = &line[..at];
    let stops = |c: char| c.is_whitespace() || "(|+".contains(c);
    let start = before.rfind(stops).map_or(0, |n| n + 1);
    let fits = |word: &&String| word.starts_with(&before[start..]);
    (start, words.iter().filter(fits).cloned().collect())
}

impl Hinter for Words {
    type Hint = String;
}
impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::complete;

    #[test]
    fn completes_the_word_at_the_cursor() {
        let words = ["size", "sim", "Sender"].map(str::to_owned);
        assert_eq!(
            complete(&words, "si", 2),
            (0, vec!["size".into(), "sim".into()])
        );
        assert_eq!(
            complete(&words, "size (P|Se) x", 10),
            (8, vec!["Sender".into()])
        );
        assert_eq!(complete(&words, "x", 1), (0, vec![]));
    }
}
