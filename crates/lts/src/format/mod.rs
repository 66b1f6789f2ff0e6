//! Readers and writers, one file a format, and the choice between them by name or suffix.

mod aut;
mod cwb;
mod davinci;
mod dot;
mod error;
mod fsm;
mod input;
mod json;
mod parts;
mod scan;
#[cfg(test)]
mod tests;
mod vcg;

pub use aut::{TauSpelling, aut_label, write_aut};
pub use error::ReadError;
pub use parts::{PARTS_SUFFIX, part_path, write_index};

use crate::lts::Lts;
use cwolf_base::Budget;
use input::{Lines, Watched};
use scan::Scanner;
use std::io::{BufWriter, Read, Result as IoResult, Write};
use std::path::Path;

/// A file format of transition systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Aldebaran.
    Aut,
    /// The Concurrency Workbench's `Aut(...)`.
    Cwb,
    /// Graphviz.
    Dot,
    /// The `xvcg` viewer.
    Vcg,
    /// The daVinci viewer.
    DaVinci,
    /// JSON, the one format that keeps everything.
    Json,
    /// mCRL2's finite state machines.
    Fsm,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::Aut,
        Format::Cwb,
        Format::Dot,
        Format::Vcg,
        Format::DaVinci,
        Format::Json,
        Format::Fsm,
    ];
    /// The name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Format::Aut => "aut",
            Format::Cwb => "cwb",
            Format::Dot => "dot",
            Format::Vcg => "vcg",
            Format::DaVinci => "davinci",
            Format::Json => "json",
            Format::Fsm => "fsm",
        }
    }
    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|f| f.name() == name)
    }
    /// The format that a file's name suggests, past a `.xz` or `.gz`.
    pub fn from_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?;
        let name = name
            .strip_suffix(".xz")
            .or(name.strip_suffix(".gz"))
            .unwrap_or(name);
        Format::from_suffix(name.rsplit_once('.')?.1)
    }
    /// The format of files that end like this, without the dot.
    pub fn from_suffix(suffix: &str) -> Option<Format> {
        Some(match suffix {
            "aut" => Format::Aut,
            "ccs" | "cwb" => Format::Cwb,
            "dot" | "gv" => Format::Dot,
            "vcg" => Format::Vcg,
            "daVinci" | "davinci" | "udg" => Format::DaVinci,
            "json" => Format::Json,
            "fsm" => Format::Fsm,
            _ => return None,
        })
    }
}

/// Reads a file, compressed or not; without a format, the file's name decides.
pub fn read_path(path: &Path, format: Option<Format>) -> Result<Lts, ReadError> {
    read_path_within(path, format, &Budget::unlimited())
}

/// The same within a budget; when it runs out, the error says so.
pub fn read_path_within(
    path: &Path,
    format: Option<Format>,
    budget: &Budget,
) -> Result<Lts, ReadError> {
    let name = path.display().to_string();
    if format.is_none() && parts::is_index(path) {
        return read(&name, parts::open(path)?, Format::Aut, budget);
    }
    let Some(format) = format.or_else(|| Format::from_path(path)) else {
        let formats: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
        return Err(
            ReadError::whole(&name, "the file's name does not tell its format")
                .hint(format!("formats are {}", formats.join(", "))),
        );
    };
    let file = std::fs::File::open(path)
        .map_err(|e| ReadError::whole(&name, format!("cannot open it: {e}")))?;
    read(&name, file, format, budget)
}

/// Reads bytes, compressed or not; `name` is for messages.
pub fn read_bytes(name: &str, bytes: &[u8], format: Format) -> Result<Lts, ReadError> {
    read(name, bytes, format, &Budget::unlimited())
}

/// Reads a stream, compressed or not; `name` is for messages.
pub fn read(
    name: &str,
    input: impl Read,
    format: Format,
    budget: &Budget,
) -> Result<Lts, ReadError> {
    let input = input::decompressed(input).and_then(|i| Watched::new(i, budget));
    let input = input.map_err(|e| ReadError::from_io(name, 0, 0, "cannot read it", &e))?;
    let whole = match format {
        Format::Aut => return aut::read(Lines::new(name, Box::new(input))),
        Format::Fsm => return fsm::read(Lines::new(name, Box::new(input))),
        _ => input::whole(name, Box::new(input))?,
    };
    let scan = |comment| Scanner::new(name, &whole, comment).within(budget);
    match format {
        Format::Cwb => cwb::read(scan("*")),
        Format::Json => json::read(scan("")),
        Format::Dot => dot::read(scan("//")),
        Format::Vcg => vcg::read(scan("//")),
        Format::DaVinci => davinci::read(scan("")),
        Format::Aut | Format::Fsm => unreachable!("these are read line by line"),
    }
}

/// Writes `lts`. Fails when `out` does, or when a label cannot be written in this format.
pub fn write(format: Format, lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    let mut buffered = BufWriter::with_capacity(1 << 16, out);
    let out = &mut buffered;
    match format {
        Format::Aut => write_aut(lts, TauSpelling::default(), out)?,
        Format::Cwb => cwb::write(lts, out)?,
        Format::Dot => dot::write(lts, out)?,
        Format::Vcg => vcg::write(lts, out)?,
        Format::DaVinci => davinci::write(lts, out)?,
        Format::Json => json::write(lts, out)?,
        Format::Fsm => fsm::write(lts, out)?,
    }
    buffered.flush()
}
