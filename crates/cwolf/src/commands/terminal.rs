//! Reading lines at a terminal, with editing, history and completion.

use anyhow::Result;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};

/// A terminal that reads lines.
pub struct Terminal {
    editor: Editor<Words, MemHistory>,
}

/// The words that the tabulator key completes.
struct Words(Vec<String>);

impl Terminal {
    pub fn new() -> Result<Terminal> {
        let mut editor = Editor::with_history(Config::default(), MemHistory::new())?;
        editor.set_helper(Some(Words(Vec::new())));
        Ok(Terminal { editor })
    }
    /// The next line, or nothing at the end; `words` can be completed.
    pub fn line(&mut self, prompt: &str, words: Vec<String>) -> Result<Option<String>> {
        self.editor.set_helper(Some(Words(words)));
        match self.editor.readline(prompt) {
            Ok(line) => {
                self.editor.add_history_entry(&line)?;
                Ok(Some(line))
            }
            // A line that is given up, not the session.
            Err(ReadlineError::Interrupted) => Ok(Some(String::new())),
            Err(ReadlineError::Eof) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(&self.0, line, at))
    }
}

/// Where the word before `at` starts, and what it may become.
fn complete(words: &[String], line: &str, at: usize) -> (usize, Vec<String>) {
    let before = &line[..at];
    let stops = |c: char| c.is_whitespace() || "(|+.".contains(c);
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
