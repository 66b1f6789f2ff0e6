//! The binary file `.cwi`. Small numbers take one byte (LEB128), what follows from something
//! else is left out, and one pass in this order reads it:
//!
//! 1. magic `89 43 57 49 0d 0a 1a 0a` (a text-mode transfer would change it), version (2
//!    bytes), length of the contents (8 bytes), all little-endian;
//! 2. source map: target, file names, positions as differences;
//! 3. types: names and sizes of records, types, fields;
//! 4. variables;
//! 5. functions without code;
//! 6. code;
//! 7. checks;
//! 8. functions that run before or after `main`; notes;
//! 9. a checksum of all before it (64-bit FNV-1a, 8 bytes).
//!
//! The version is looked at before anything that could depend on it. Whatever the bytes are,
//! [`read`] returns an error or a program that passes [`crate::verify()`].

mod bytes;
mod code;
mod tables;
#[cfg(test)]
mod tests;

use crate::program::Program;
use bytes::{Reader, Writer, checksum};

const MAGIC: [u8; 8] = *b"\x89CWI\r\n\x1a\n";
/// The version that this crate writes, and the only one it reads.
pub const VERSION: u16 = 2;
/// Magic, version, length.
const HEADER: usize = 18;
const CHECKSUM: usize = 8;

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is something else.
    #[error("this is not a CWI file; compile the C source first")]
    NotCwi,
    /// A later version of this crate wrote it.
    #[error(
        "the file has version {found}, this program reads version {VERSION}; \
         update the program or compile the source again"
    )]
    Newer {
        /// The file's version.
        found: u16,
    },
    /// An earlier version of this crate wrote it.
    #[error("the file has the old version {found}; compile the source again")]
    Older {
        /// The file's version.
        found: u16,
    },
    /// It ends too early.
    #[error(
        "the file is cut off: {found} of {expected} bytes are there; \
         copy it again or compile the source again"
    )]
    Truncated {
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// The checksum is wrong, or bytes follow the end.
    #[error("the file is damaged; copy it again or compile the source again")]
    Damaged,
    /// The checksum is right, but the contents make no sense.
    #[error("the file is malformed at byte {offset}: {what}; compile the source again")]
    Malformed {
        /// Where.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// The contents can be read, but break a rule of CWI.
    #[error("the file holds no valid program: {0}; compile the source again")]
    Invalid(String),
}

/// The bytes of a file that holds `program`, which passes [`crate::verify()`].
pub fn write(program: &Program) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.out.extend(MAGIC);
    writer.out.extend(VERSION.to_le_bytes());
    writer.out.extend([0; 8]);
    writer.program(program);
    let length = (writer.out.len() - HEADER) as u64;
    writer.out[HEADER - 8..HEADER].copy_from_slice(&length.to_le_bytes());
    let sum = checksum(&writer.out);
    writer.out.extend(sum.to_le_bytes());
    writer.out
}

/// The program that a file holds.
pub fn read(file: &[u8]) -> Result<Program, FileError> {
    let start = file.len().min(MAGIC.len());
    if file[..start] != MAGIC[..start] || file.is_empty() {
        return Err(FileError::NotCwi);
    }
    let truncated = |expected: u64| FileError::Truncated {
        expected,
        found: file.len() as u64,
    };
    let smallest = (HEADER + CHECKSUM) as u64;
    let version = file.get(8..10).ok_or_else(|| truncated(smallest))?;
    match u16::from_le_bytes(version.try_into().expect("two bytes")) {
        VERSION => {}
        found if found > VERSION => return Err(FileError::Newer { found }),
        found => return Err(FileError::Older { found }),
    }
    let length = file.get(10..HEADER).ok_or_else(|| truncated(smallest))?;
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    let expected = length.saturating_add(smallest);
    if (file.len() as u64) < expected {
        return Err(truncated(expected));
    }
    let (contents, sum) = file.split_at(file.len() - CHECKSUM);
    if file.len() as u64 > expected || checksum(contents).to_le_bytes() != sum {
        return Err(FileError::Damaged);
    }
    let program = Reader::new(contents, HEADER).program()?;
    match crate::verify(&program).first() {
        None => Ok(program),
        Some(violation) => Err(FileError::Invalid(violation.describe(&program))),
    }
}
