//! Witnesses as files.

mod graphml;
mod waypoints;
mod xml;
mod yaml;

use crate::witness::Witness;
use thiserror::Error;

/// Why a file is no witness.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct ReadError {
    /// Where, from 1.
    pub line: u32,
    /// What is wrong.
    pub what: String,
}

impl ReadError {
    fn new(line: u32, what: impl Into<String>) -> ReadError {
        let what = what.into();
        ReadError { line, what }
    }
}

/// Larger files are no witnesses that anybody could check.
const LARGEST: usize = 256 << 20;

/// Reads a witness: YAML (versions 2.0 and 2.1) or GraphML (version 1.0), whichever it is.
///
/// # Errors
/// When it is neither, or not complete.
pub fn read(bytes: &[u8]) -> Result<Witness, ReadError> {
    if bytes.len() > LARGEST {
        return Err(ReadError::new(1, "the file is too large for a witness"));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() as u32 + 1;
            return Err(ReadError::new(line, "this is not UTF-8"));
        }
    };
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().starts_with('<') {
        true => graphml::read(text),
        false => waypoints::read(text),
    }
}

#[cfg(test)]
mod tests;
