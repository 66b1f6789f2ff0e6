//! Transition systems by the names users type, and back to files.

use crate::args::{LtsFormat, LtsOutput};
use crate::output;
use anyhow::Result;
use cwolf_lts::{Format, Lts, read_path, write};
use std::path::Path;

/// Reads the system that `name` stands for.
pub fn load(name: &str, format: Option<LtsFormat>) -> Result<Lts> {
    Ok(read_path(Path::new(name), format.map(Format::from))?)
}

/// Writes a system in the format that was asked for, or that the file's suffix stands for.
pub fn save(lts: &Lts, to: &LtsOutput) -> Result<()> {
    let path = to.output.as_deref();
    let format = match (to.format, path.and_then(Format::from_path)) {
        (Some(format), _) => format.into(),
        (None, Some(format)) => format,
        (None, None) => Format::Aut,
    };
    let mut bytes = Vec::new();
    write(format, lts, &mut bytes)?;
    output::write(path, &bytes)
}
