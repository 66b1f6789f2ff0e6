//! Transition systems by the names users type, and back to files.

use crate::args::{LtsFormat, LtsOutput, ModelFormat};
use crate::exit::{OutOf, Reported, Undecided};
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_absint::explore::write_text;
use cwolf_base::{Budget, Exhausted, SourceMap};
use cwolf_lts::{Format, Lts, TauSpelling, read_path_within, write, write_aut};
use cwolf_workbench::{CompileError, Environment, Loaded, with_plain_inputs};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

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
            Err(CompileError::Unknown(why)) => {
                console.error(&format!("the steps of the whole are unknown: {why}"));
                console.note(FEWER_PATTERNS);
                Err(Undecided.into())
            }
            Err(CompileError::Bad(list)) => {
                console.diagnostics(&self.sources, list.iter());
                Err(Reported.into())
            }
        }
    }
}

/// What to do about a pattern.
pub const FEWER_PATTERNS: &str = "a label with braces stands for one of several actions; `cwolf model` writes one label for \
     each value where the abstraction map leaves few, up to --max-label-values";

/// Why a model is not whole, with the option that lets it be larger.
pub fn limit(reason: Exhausted) -> String {
    match reason {
        Exhausted::Steps => "the limit of --max-states was reached".to_owned(),
        Exhausted::Time => "the limit of --timeout was reached".to_owned(),
        Exhausted::Memory => "the limit of --max-memory was reached".to_owned(),
        Exhausted::Cancelled => reason.to_string(),
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
    let suffix = path.extension().and_then(|e| e.to_str());
    if let (None, Some("c" | "i" | "cwi" | "cwt")) = (format, suffix) {
        bail!("{file} is a program; make a model of it first: cwolf model {file} -o model.aut");
    }
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
                Some(process) if is_word(process) && !names.iter().any(|n| n == process) => {
                    bail!(
                        "{file} has no process `{process}`; it has {}",
                        names.join(", ")
                    )
                }
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

/// Whether a text is a name, not a term of several.
pub fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
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

/// What a system is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Nothing.
    None,
    /// Plain text, state by state.
    Text,
    /// A drawing.
    Svg,
    /// A page with a drawing.
    Html,
    /// What other programs read.
    Lts(Format, TauSpelling),
}

impl Form {
    /// Whether it says what states stand for.
    pub fn has_notes(self) -> bool {
        !matches!(self, Form::None | Form::Lts(Format::Aut | Format::Cwb, _))
    }
    /// The form that was asked for, or that the file's suffix stands for, or `else_`.
    pub fn new(format: Option<ModelFormat>, path: Option<&Path>, else_: Form) -> Result<Form> {
        let plain = |format| Form::Lts(format, TauSpelling::Tau);
        if let Some(format) = format {
            return Ok(match format {
                ModelFormat::None => Form::None,
                ModelFormat::Text => Form::Text,
                ModelFormat::Svg => Form::Svg,
                ModelFormat::Html => Form::Html,
                ModelFormat::Dot => plain(Format::Dot),
                ModelFormat::Davinci => plain(Format::DaVinci),
                ModelFormat::Vcg => plain(Format::Vcg),
                ModelFormat::Cwb => plain(Format::Cwb),
                ModelFormat::Aut => plain(Format::Aut),
                ModelFormat::Json => plain(Format::Json),
                ModelFormat::Fsm => plain(Format::Fsm),
            });
        }
        let suffix = path.and_then(|p| p.extension()).and_then(|e| e.to_str());
        Ok(match suffix {
            None => else_,
            Some("txt") => Form::Text,
            Some("svg") => Form::Svg,
            Some("html") => Form::Html,
            Some(suffix) => match Format::from_suffix(suffix) {
                Some(format) => plain(format),
                None if path.is_some_and(|p| p.starts_with("/dev")) => else_,
                None => {
                    let known = ["svg", "html", "txt"].into_iter();
                    let known: Vec<&str> =
                        Format::ALL.iter().map(|f| f.name()).chain(known).collect();
                    bail!(
                        "no format of models has the suffix `{suffix}`; there are {} (or choose with --format){}",
                        known.join(", "),
                        match suffix {
                            "png" | "jpg" | "jpeg" | "gif" | "pdf" => "; for a picture write .svg",
                            _ => "",
                        }
                    )
                }
            },
        })
    }
}

/// Writes a system as `form` to `path`, or to standard output, or into the JSON document;
/// returns what the document says about it. `name` is what a page calls it.
pub fn save(
    lts: &Lts,
    form: Form,
    path: Option<&Path>,
    name: &str,
    console: &Console,
) -> Result<Value> {
    let most = cwolf_viewer::MOST_IN_A_PICTURE;
    if matches!(form, Form::Svg | Form::Html) && lts.states() > most {
        let states = lts.states();
        let Some(path) = path else {
            bail!(
                "{states} states are too many to draw (at most {most}): make it smaller with `cwolf lts reduce`, \
                 or write JSON and look at it with `cwolf view`"
            );
        };
        // It may have taken long to make.
        let instead = PathBuf::from(format!("{}.json", path.display()));
        let shown = instead.display();
        console.warning(&format!(
            "{states} states are too many to draw (at most {most}): wrote {shown} instead; look at it with `cwolf view {shown}`, \
             or make it smaller with `cwolf lts reduce`"
        ));
        let json = Form::Lts(Format::Json, TauSpelling::Tau);
        return save(lts, json, Some(&instead), name, console);
    }
    match form {
        Form::None => {}
        Form::Text => console.stream(path, |out| write_text(lts, out))?,
        Form::Svg => console.print(path, cwolf_viewer::picture(name, lts).as_bytes())?,
        Form::Html => console.print(path, cwolf_viewer::page(name, lts).as_bytes())?,
        Form::Lts(Format::Aut, tau) => console.stream(path, |out| write_aut(lts, tau, out))?,
        Form::Lts(format, _) => console
            .stream(path, |out| write(format, lts, out))
            .context("the system cannot be written in this format")?,
    }
    let mut inline = None;
    if console.is_inline(path) && form != Form::None {
        let mut bytes = Vec::new();
        write(Format::Json, lts, &mut bytes)?;
        inline = Some(serde_json::from_slice::<Value>(&bytes)?);
    }
    Ok(json!({
        "states": lts.states(),
        "transitions": lts.transitions(),
        "output": path.map(|p| p.display().to_string()),
        "system": inline,
    }))
}

/// The same for commands whose only result is a system.
pub fn save_result(lts: &Lts, to: &LtsOutput, name: &str, console: &Console) -> Result<Value> {
    let path = to.output.as_deref();
    let form = Form::new(to.format, path, Form::Lts(Format::Aut, TauSpelling::Tau))?;
    save(lts, form, path, name, console)
}
