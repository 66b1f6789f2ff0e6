//! What can be wrong with the text of a table.

use thiserror::Error;

/// A mistake in the table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}.txt:{line}: {message}")]
pub struct TableError {
    /// The file, without the extension.
    pub file: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what is expected.
    pub message: String,
}

/// What is wrong with a row, before its place is known.
pub(crate) type Parsed<T> = Result<T, String>;
