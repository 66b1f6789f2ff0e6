//! `cwolf conform`: a model against a state/event table, cell by cell.

use super::{model, models};
use crate::args::Conform;
use crate::exit::{DONE, Exit, OutOf, Reported, UNKNOWN, USAGE, Undecided, VIOLATED};
use crate::render::Console;
use anyhow::{Result, bail};
use cwolf_base::{Budget, SourceMap};
use cwolf_conform::{Comparison, Role, Settings, Table, Verdict, compare, html, json, text};
use cwolf_lts::{Format, Lts};
use cwolf_workbench::with_plain_inputs;
use std::collections::HashMap;
use std::path::Path;

pub fn run(mut args: Conform, console: &Console) -> Result<Exit> {
    let budget = args.model.limits.budget(console);
    let files = &mut args.model.inputs.files;
    let Some(last) = files.pop().filter(|_| !files.is_empty()) else {
        console.error("a model and a table are needed: cwolf conform MODEL TABLE");
        return Ok(USAGE);
    };
    let args = &args;
    let table = table(args, &last, &budget, console)?;
    let (lts, partial) = system(args, &budget, console)?;
    check_patterns(&lts, &table, console)?;
    let phase = console.phase("comparing");
    let mut comparison = compare(&lts, partial.is_some(), &table, &budget).map_err(OutOf)?;
    check_roles(&comparison, &table)?;
    phase.done(&format!("{} cells", comparison.cells.len()));
    let mut sources = Lines::default();
    comparison.look_up(|file, line| sources.line(file, line));
    console.print(None, text(&comparison, console.is_verbose()).as_bytes())?;
    if let Some(path) = &args.html {
        let model = args.model.inputs.files[0].display();
        let title = format!("{model} against {}", last.display());
        crate::output::write_file(path, html(&comparison, &title).as_bytes())?;
    }
    let mut result = json(&comparison);
    result["model"] = serde_json::json!({
        "states": lts.states(),
        "transitions": lts.transitions(),
        "partial": partial,
    });
    console.result(result);
    Ok(match comparison.verdict() {
        Verdict::Conforms => DONE,
        Verdict::Differs => VIOLATED,
        Verdict::Unknown => UNKNOWN,
    })
}

/// Refuses a model in which it is unknown which event, action or state a label is.
fn check_patterns(lts: &Lts, table: &Table, console: &Console) -> Result<()> {
    let mut used = vec![false; lts.labels().len()];
    lts.iter().for_each(|(_, l, _)| used[l as usize] = true);
    let patterns = lts
        .labels()
        .patterns()
        .iter()
        .filter(|l| used[**l as usize]);
    let names = patterns.map(|l| lts.labels().name(*l));
    let mut matter = names.filter(|n| table.settings.roles.role(n) != Role::Ignored);
    let Some(name) = matter.next() else {
        return Ok(());
    };
    console.error(&format!(
        "what the model does is unknown: `{name}` stands for one of several labels"
    ));
    console.note(models::FEWER_PATTERNS);
    Err(Undecided.into())
}

/// The model: read, or built out of a program.
fn system(args: &Conform, budget: &Budget, console: &Console) -> Result<(Lts, Option<String>)> {
    let files = &args.model.inputs.files;
    let name = files[0].display().to_string();
    if args.from.is_none() && !is_system(&name) {
        let (lts, partial) = model::build(&args.model, console)?;
        return Ok((with_plain_inputs(&lts), partial));
    }
    if let [_, more, ..] = &files[..] {
        bail!(
            "one model at a time: {name} is a transition system, {} is another input",
            more.display()
        );
    }
    Ok((models::load_plain(&name, args.from, budget, console)?, None))
}

/// Whether a name is that of a transition system.
fn is_system(name: &str) -> bool {
    let file = name.rsplit_once('#').map_or(name, |(file, _)| file);
    [name, file]
        .iter()
        .any(|n| Format::from_path(Path::new(n)).is_some())
}

/// What the model is held against, under the settings of the command line.
fn table(args: &Conform, path: &Path, budget: &Budget, console: &Console) -> Result<Table> {
    let name = path.display().to_string();
    let mut sources = SourceMap::default();
    if is_system(&name) {
        let mut settings = Settings::default();
        change(&mut settings, args, &mut sources, console)?;
        let lts = models::load_plain(&name, args.from, budget, console)?;
        return Ok(Table::of_system(&lts, false, settings, budget).map_err(OutOf)?);
    }
    let content = model::read(path)?;
    if content.len() > u32::MAX as usize / 4 {
        bail!("{name} is too large for a table");
    }
    let mut table = Table::read(&name, &content, &mut sources).map_err(|wrong| {
        console.diagnostics(&sources, wrong.iter());
        Reported
    })?;
    change(&mut table.settings, args, &mut sources, console)?;
    Ok(table)
}

/// Carries out the settings of the command line.
fn change(
    settings: &mut Settings,
    args: &Conform,
    sources: &mut SourceMap,
    console: &Console,
) -> Result<()> {
    let lines = args.set.iter().map(|line| {
        let at = sources.add("<--set>", line.as_str().into());
        (line.as_str(), at)
    });
    let lines: Vec<(&str, u32)> = lines.collect();
    settings.change(lines.into_iter()).map_err(|diagnostic| {
        console.diagnostics(sources, [&diagnostic].into_iter());
        Reported.into()
    })
}

/// A model without events or states by these patterns cannot be held against any table.
fn check_roles(comparison: &Comparison, table: &Table) -> Result<()> {
    let roles = &table.settings.roles;
    if comparison.cells.iter().all(|c| c.found.is_empty()) && !comparison.partial {
        bail!(
            "no run of the model shows an event: no label is like {}; choose with `#! event PATTERN` in the table, or --set",
            roles.patterns(true)
        );
    }
    let start = |c: &cwolf_conform::Cell| c.found.is_empty() || c.state == cwolf_conform::START;
    if comparison.cells.iter().all(start) && !comparison.partial {
        bail!(
            "no run of the model shows a state: no label is like {}; choose with `#! state PATTERN` in the table, or --set",
            roles.patterns(false)
        );
    }
    Ok(())
}

/// The lines of source files, each file read once.
#[derive(Default)]
struct Lines(HashMap<String, Option<Vec<String>>>);

impl Lines {
    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        let lines = self.0.entry(file.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(file).ok()?;
            let text = String::from_utf8_lossy(&bytes);
            Some(text.lines().map(str::to_owned).collect())
        });
        let index = (line as usize).checked_sub(1)?;
        lines.as_ref()?.get(index).cloned()
    }
}
