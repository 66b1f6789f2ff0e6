//! Transition systems by the names users type, and back to files.

use crate::args::{LtsFormat, LtsOutput};
use crate::exit::{OutOf, Reported};
use crate::output;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_base::{Budget, Exhausted, SourceMap};
use cwolf_lts::{Format, Lts, read_path_within, write};
use cwolf_workbench::{CompileError, Environment, Loaded, with_plain_inputs};
use std::path::Path;

/// Processes and propositions, with the texts they came from.
#[derive(Default)]
pub struct Book {
    pub env: Environment,
    pub sources: SourceMap,
}

impl Book {
    /// Adds the definitions of a file, and lists its processes.
    pub fn load(&mut self, path: &Path, console: &Console) -> Result<Vec<String>> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let Ok(text) = String::from_utf8(bytes) else {
            bail!("{} is not UTF-8 text", path.display());
        };
        if text.len() > u32::MAX as usize / 4 {
            bail!("{} is too large for a text of definitions", path.display());
        }
        let name = path.display().to_string();
        match self.env.load_text(&mut self.sources, &name, &text) {
            Ok(names) => {
                let processes = names.into_iter().filter(|n| n.0 == Loaded::Process);
                Ok(processes.map(|n| n.1).collect())
            }
            Err(diagnostic) => {
                console.diagnostics(&self.sources, [&diagnostic].into_iter());
                Err(Reported.into())
            }
        }
    }
    /// The system of a process.
    pub fn compile(&mut self, process: &str, budget: &Budget, console: &Console) -> Result<Lts> {
        let start = self.sources.add("<process>", process.into());
        match self.env.compile(process, start, budget) {
            Ok(lts) => Ok(lts),
            Err(CompileError::Exhausted(reason)) => Err(OutOf(reason).into()),
            Err(CompileError::Bad(list)) => {
                console.diagnostics(&self.sources, list.iter());
                Err(Reported.into())
            }
        }
    }
}

/// Reads the system that `name` stands for: `FILE`, or `FILE#PROCESS`. The steps of `budget` are
/// the states that it may have.
pub fn load(
    name: &str,
    format: Option<LtsFormat>,
    budget: &Budget,
    console: &Console,
) -> Result<Lts> {
    let lts = load_any(name, format, budget, console)?;
    match budget.steps() {
        Some(limit) if lts.states() as u64 > limit => Err(OutOf(Exhausted::Steps).into()),
        _ => Ok(lts),
    }
}

fn load_any(
    name: &str,
    format: Option<LtsFormat>,
    budget: &Budget,
    console: &Console,
) -> Result<Lts> {
    let (file, process) = match name.rsplit_once('#') {
        Some((file, process)) if !Path::new(name).exists() => (file, Some(process)),
        _ => (name, None),
    };
    let path = Path::new(file);
    let format = format.map(Format::from).or_else(|| Format::from_path(path));
    if process.is_some() && format != Some(Format::Cwb) {
        bail!("{file} has no processes to choose from: only .ccs files have");
    }
    let read = match process {
        None => match read_path_within(path, format, budget) {
            Ok(lts) => return Ok(lts),
            Err(error) => match error.exhausted {
                Some(reason) => return Err(OutOf(reason).into()),
                None => Some(error),
            },
        },
        Some(_) => None,
    };
    match read {
        Some(error) if format != Some(Format::Cwb) || error.line == 0 => Err(error.into()),
        // Not a single automaton: then it is a text of definitions.
        _ => {
            let mut book = Book::default();
            let names = book.load(path, console)?;
            let process = match process {
                Some(process) => process,
                None if names.iter().any(|n| n == "main") => "main",
                None => match names.first() {
                    Some(first) => first,
                    None => bail!("{file} defines no process"),
                },
            };
            book.compile(process, budget, console)
        }
    }
}

/// The same with inputs named as in CCS, for comparing and checking.
pub fn load_plain(
    name: &str,
    format: Option<LtsFormat>,
    budget: &Budget,
    console: &Console,
) -> Result<Lts> {
    Ok(with_plain_inputs(&load(name, format, budget, console)?))
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
