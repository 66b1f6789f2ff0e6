//! What is wrong with an input, and where.

use cwolf_base::Exhausted;

/// A file that could not be read, with the place of the mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ReadError {
    /// The file's name, as the caller gave it.
    pub file: String,
    /// The line, from 1; 0 when the problem has no place.
    pub line: u64,
    /// The column in bytes, from 1.
    pub column: u64,
    /// A plain sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What ran out, if that and no mistake is why.
    pub exhausted: Option<Exhausted>,
}

/// A reader's way to say that a budget ran out.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Stopped(pub(crate) Exhausted);

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message)?,
            line => write!(f, "{}:{line}:{}: {}", self.file, self.column, self.message)?,
        }
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl ReadError {
    /// A mistake without a place, such as a missing file.
    pub fn whole(file: &str, message: impl Into<String>) -> ReadError {
        ReadError::at(file, 0, 0, message)
    }
    /// A mistake at `line` and `column`.
    pub fn at(file: &str, line: u64, column: u64, message: impl Into<String>) -> ReadError {
        ReadError {
            file: file.to_owned(),
            line,
            column,
            message: message.into(),
            hint: None,
            exhausted: None,
        }
    }
    /// A reader's failure.
    pub(crate) fn from_io(
        file: &str,
        line: u64,
        column: u64,
        what: &str,
        error: &std::io::Error,
    ) -> ReadError {
        let inner = error.get_ref().and_then(|e| e.downcast_ref::<Stopped>());
        match inner {
            Some(&Stopped(reason)) => ReadError::stopped(file, reason),
            None => ReadError::at(file, line, column, format!("{what}: {error}")),
        }
    }
    /// A budget ran out.
    pub(crate) fn stopped(file: &str, reason: Exhausted) -> ReadError {
        ReadError {
            exhausted: Some(reason),
            ..ReadError::whole(file, format!("reading it was stopped: {reason}"))
        }
    }
    /// Adds what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> ReadError {
        self.hint = Some(hint.into());
        self
    }
}

/// A label as error messages show it: in quotes, and not longer than a line.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut chars = text.chars();
    let short: String = chars
        .by_ref()
        .take(40)
        .flat_map(char::escape_debug)
        .collect();
    let rest = if chars.next().is_some() { "…" } else { "" };
    format!("`{short}{rest}`")
}
