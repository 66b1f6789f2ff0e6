//! Writing results: to standard output, or to a file that appears whole or not at all.

use crate::args::{GraphFormat, GraphOutput};
use crate::render::Console;
use anyhow::{Context, Result};
use cwolf_base::view::{Digraph, Format};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// The file that a path stands for; none for standard output, which `-` stands for, too.
pub fn file(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// Writes `bytes` to `path`, or to standard output.
pub fn write(path: Option<&Path>, bytes: &[u8]) -> Result<()> {
    stream(path, |out| out.write_all(bytes))
}

/// Lets `produce` write to `path`, or to standard output, piece by piece; a file appears whole
/// or not at all.
pub fn stream(
    path: Option<&Path>,
    produce: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let Some(path) = file(path) else {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        return match produce(&mut out).and_then(|()| out.flush()) {
            // The reader (a pager, `head`) has seen enough.
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            done => done.context("cannot write to standard output"),
        };
    };
    if must_stay(path) {
        let written = std::fs::File::create(path).and_then(|file| {
            let mut out = std::io::BufWriter::new(file);
            produce(&mut out)?;
            out.flush()
        });
        return written.with_context(|| format!("cannot write {}", path.display()));
    }
    let temporary = temporary(path);
    let written = std::fs::File::create(&temporary).and_then(|file| {
        let mut out = std::io::BufWriter::new(file);
        produce(&mut out)?;
        out.flush()?;
        std::fs::rename(&temporary, path)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Whether a path is a device, a pipe or a link (`/dev/stdout` is one), which must not be replaced by a file.
fn must_stay(path: &Path) -> bool {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink());
    is_link || std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// The name under which a file is written before it is whole.
fn temporary(path: &Path) -> std::path::PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Writes a file under a temporary name and renames it, so that no reader sees half of it.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    stream(Some(path), |out| out.write_all(bytes))
}

/// Writes a graph in the format that was asked for, or that the file's suffix stands for.
pub fn write_graph(output: &GraphOutput, graph: &Digraph, console: &Console) -> Result<()> {
    let path = output.output.as_deref();
    let suffix = path.and_then(|p| p.extension()).and_then(|e| e.to_str());
    let format = match output.format {
        Some(format) => format.into(),
        None => suffix.map_or(Format::Text, |s| suffix_format(s).unwrap_or(Format::Text)),
    };
    console.print(path, graph.render(format).as_bytes())?;
    let inline = console.is_inline(path);
    let inline = inline.then(|| serde_json::from_str::<Value>(&graph.render(Format::Json)));
    console.result(json!({
        "nodes": graph.nodes().len(),
        "edges": graph.edges().len(),
        "output": path.map(|p| p.display().to_string()),
        "graph": inline.transpose()?,
    }));
    Ok(())
}

fn suffix_format(suffix: &str) -> Option<Format> {
    match suffix {
        "gv" => Some(Format::Dot),
        "daVinci" | "status" | "udg" => Some(Format::DaVinci),
        "gdl" => Some(Format::Vcg),
        _ => Format::from_name(suffix),
    }
}

impl From<GraphFormat> for Format {
    fn from(format: GraphFormat) -> Format {
        match format {
            GraphFormat::Text => Format::Text,
            GraphFormat::Dot => Format::Dot,
            GraphFormat::Davinci => Format::DaVinci,
            GraphFormat::Vcg => Format::Vcg,
            GraphFormat::Json => Format::Json,
            GraphFormat::Svg => Format::Svg,
        }
    }
}
