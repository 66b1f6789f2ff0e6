//! `cwolf model`: from a program and two maps to a labelled transition system.

use super::models::{self, Form};
use crate::args::{Externs, Inputs, Model, Tau, Variance};
use crate::exit::{DONE, Exit, Reported, UNKNOWN};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::{Context, Result, bail};
use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Explanation, Search, annotate, explain, explore};
use cwolf_absint::machine::{
    Extern, Machine, Options, Unfollowed, is_covered_beside, shows_events, unseen_callbacks,
};
use cwolf_absint::map::{
    self, Abstraction, LabelMap, Text, Vocabulary, mentioned_functions, newest_objects,
    parse_abstraction_with, parse_labels_with, suggest_labels,
};
use cwolf_absint::slice::Slice;
use cwolf_base::{Budget, Diagnostics, SourceMap};
use cwolf_cfront::Names;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, LocId, Program};
use cwolf_lts::{Equivalence, Lts, Pass, TauSpelling, reduce};
use cwolf_prepare::{Beside, not_followed, to_model};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// So many objects of each allocation site are told apart unless the user says something else.
const NEWEST: usize = 2;

/// A program under its maps.
pub struct Source {
    pub program: Analysed,
    pub universe: Universe,
    pub abstraction: Abstraction,
    pub labels: LabelMap,
    pub entry: FuncId,
    /// What the program may do and the model does not show.
    pub uncovered: Vec<String>,
}

impl Source {
    pub fn machine(&self, options: Options) -> Machine<'_> {
        let Source {
            program,
            universe,
            abstraction,
            labels,
            ..
        } = self;
        Machine::new(program, universe, abstraction, labels, options)
    }
}

/// What an exploration found.
pub struct Explored {
    pub model: cwolf_absint::explore::Model,
    /// What the user should know, each with its place.
    pub notes: Vec<(LocId, String)>,
    /// How many states were found before anything was made smaller.
    pub found: usize,
    /// Passes that were done on the way.
    pub done: Vec<Pass>,
    /// What the program may do and the model does not show.
    pub uncovered: Vec<String>,
}

pub fn run(args: &Model, console: &Console) -> Result<Exit> {
    let form = form(args)?;
    let wanted = wanted(args, form);
    let linked = inputs::load_linked(&args.inputs, console)?;
    let asked = args.check.as_ref().map(|formula| (formula, linked.clone()));
    let (program, entry, labels) = labelled(args, linked, console)?;
    if args.print_slice {
        return print_slice(&program, entry, &labels, console);
    }
    if let Some((formula, linked)) = &asked {
        return super::decide::run(args, formula, (linked, &program, entry), labels, console);
    }
    let source = source(args, (program, entry, labels), console)?;
    let budget = args.limits.budget(console);
    let search = search(args, form.has_notes().then_some(args.detail));
    #[cfg(feature = "cluster")]
    if args.distributed.is_wanted() {
        let states = budget.clone().max_steps(args.max_states);
        return super::distributed::run(args, source, search, wanted, &states, console);
    }
    let started = std::time::Instant::now();
    let explored = explored(args, &source, &search, &budget, console);
    let took = started.elapsed();
    finish(
        args,
        explored,
        wanted,
        took,
        &source.program,
        &budget,
        console,
    )
}

/// A model for another command, with what is known about its states, and why it is only partial,
/// if it is. It is written too, if the command line names a file.
pub fn build(args: &Model, console: &Console) -> Result<(Lts, Option<String>)> {
    #[cfg(feature = "cluster")]
    if args.distributed.is_wanted() {
        bail!("this command builds its model in one process; build it with `cwolf model` first");
    }
    let wanted = wanted(args, Form::None);
    let linked = inputs::load_linked(&args.inputs, console)?;
    let source = source(args, labelled(args, linked, console)?, console)?;
    let budget = args.limits.budget(console);
    // Positions alone, unless somebody is to read the model: to describe states takes longer than to find them.
    let detail = if args.output.is_some() {
        args.detail
    } else {
        0
    };
    let search = search(args, Some(detail));
    let explored = explored(args, &source, &search, &budget, console);
    let smaller = smaller(explored, wanted.passes, &source.program, &budget, console);
    if args.output.is_some() {
        let path = args.output.as_deref();
        let title = args.inputs.files[0].display().to_string();
        models::save(&smaller.lts, form(args)?, path, &title, console)?;
    }
    let missing = || format!("not covered: {}", smaller.uncovered.join("; "));
    let partial = match smaller.uncovered.is_empty() {
        true => smaller.partial,
        false => smaller.partial.or_else(|| Some(missing())),
    };
    Ok((smaller.lts, partial))
}

/// The program, where it starts, and what is seen of it.
fn labelled(
    args: &Model,
    linked: Program,
    console: &Console,
) -> Result<(Analysed, FuncId, LabelMap)> {
    let program = ready(args, linked, console)?;
    let entry = inputs::entry(&program, &args.entry)?;
    if let Some(path) = &args.suggest_labels {
        output::write_file(path, suggest_labels(&program, entry).as_bytes())?;
    }
    let labels = labels(args, (&program, entry), console)?;
    Ok((program, entry, labels))
}

/// The program with its maps, as the command line says.
fn source(
    args: &Model,
    (program, entry, labels): (Analysed, FuncId, LabelMap),
    console: &Console,
) -> Result<Source> {
    let universe = Universe::default();
    if let Some(path) = &args.auto {
        let map = proposed(args, (&program, entry, &labels), console);
        output::write_file(path, map.as_bytes())?;
    }
    let mut abstraction = abstraction(args, &program, &universe, console)?;
    let program = match args.slice {
        true => sliced(program, entry, &labels, &mut abstraction, console),
        false => program,
    };
    if args.externs == Externs::Error {
        refuse_externs(&program, entry, &abstraction)?;
    }
    for name in unsound(args) {
        console.warning(&format!(
            "the model may lack behaviour of the program: {name} is unsound"
        ));
    }
    Ok(Source {
        uncovered: beside(&program, entry, &labels),
        program,
        universe,
        abstraction,
        labels,
        entry,
    })
}

/// What runs beside the program or in between and matters to what is seen, and is not in a model.
pub fn beside(program: &Analysed, entry: FuncId, labels: &LabelMap) -> Vec<String> {
    let matters = |b: &Beside| b.funcs.is_empty() || !is_covered_beside(program, &b.funcs, labels);
    let found = not_followed(program, entry).into_iter().filter(matters);
    found.map(|b| b.text).collect()
}

/// What a machine did not follow and may show something.
pub fn unseen(
    unfollowed: Unfollowed,
    (program, entry): (&Analysed, FuncId),
    labels: &LabelMap,
) -> Vec<String> {
    let mut found = Vec::new();
    if unfollowed.refused {
        found.push("a function that the compiler refused".to_owned());
    }
    let mut callbacks = match unfollowed.callbacks {
        true => unseen_callbacks(program, labels),
        false => Vec::new(),
    };
    // Handlers are named with the call that sets them.
    let handlers = not_followed(program, entry);
    callbacks.retain(|f| !handlers.iter().any(|b| b.funcs.contains(f)));
    if !callbacks.is_empty() {
        let names = callbacks.iter().map(|f| program.funcs[*f].name.as_str());
        let names = names.collect::<Vec<_>>().join("`, `");
        found.push(format!(
            "functions without a body may call `{names}`, which may show something or end the program"
        ));
    }
    found
}

/// The map that `--auto` writes.
fn proposed(
    args: &Model,
    (program, entry, labels): (&Analysed, FuncId, &LabelMap),
    console: &Console,
) -> String {
    let subject = cwolf_refine::Subject {
        program,
        entry,
        labels,
        options: options(args),
        search: search(args, None),
    };
    let most = (args.auto_states > 0).then(|| args.auto_states.min(args.max_states));
    let budget = args.limits.budget(console);
    let fitted = cwolf_refine::fit(&subject, most, &budget, &mut |line| console.detail(line));
    if let [first @ .., last] = &fitted.coarser[..] {
        let all = match first {
            [] => format!("`{last}`"),
            _ => format!("`{}` and `{last}`", first.join("`, `")),
        };
        console.note(&format!(
            "to stay within {} states, the model keeps less of {all} than could matter; --auto-states allows more",
            args.auto_states
        ));
    }
    if !fitted.fits {
        console.warning(&format!(
            "the model has more than {} states, although nothing more can be made coarser",
            args.auto_states
        ));
    }
    fitted.map
}

fn search(args: &Model, detail: Option<u32>) -> Search {
    Search {
        detail,
        jobs: args.jobs(),
        on_the_fly: args.on_the_fly,
        ..Search::default()
    }
}

fn explored(
    args: &Model,
    source: &Source,
    search: &Search,
    budget: &Budget,
    console: &Console,
) -> Explored {
    let states = budget.clone().max_steps(args.max_states);
    let mut machine = source.machine(options(args));
    let mut model = explore(&mut machine, source.entry, search, &states);
    if args.explain {
        annotate(&machine, &mut model);
    }
    // What explodes is said when it has.
    let wanted = args.explain || model.partial.is_some() || console.is_verbose();
    if wanted && !model.states.is_empty() {
        let text = explanation(&explain(&machine, &model), &source.program);
        match args.explain || model.partial.is_some() {
            true => text.lines().for_each(|line| console.note(line)),
            false => console.detail(text.trim_end()),
        }
    }
    let mut uncovered = source.uncovered.clone();
    uncovered.extend(unseen(
        machine.unfollowed(),
        (&source.program, source.entry),
        &source.labels,
    ));
    Explored {
        found: model.lts.states(),
        notes: machine.notes(),
        model,
        done: Vec::new(),
        uncovered,
    }
}

/// Says what the user should know about a model, each thing once.
pub fn warn(notes: &[(LocId, String)], program: &Program, console: &Console) {
    let mut grouped: Vec<(&str, Vec<LocId>)> = Vec::new();
    for (loc, text) in notes {
        match grouped.iter_mut().find(|(t, _)| t == text) {
            Some((_, places)) => places.push(*loc),
            None => grouped.push((text, vec![*loc])),
        }
    }
    for (text, places) in grouped {
        let first = program.locations.describe(places[0]);
        let more = match places.len() {
            1 => String::new(),
            2 => " (and at 1 more place)".to_owned(),
            n => format!(" (and at {} more places)", n - 1),
        };
        console.warning(&format!("{first}: {text}{more}"));
    }
}

/// Why a model is as it is, as a table.
pub fn explanation(found: &Explanation, program: &Program) -> String {
    const MOST: usize = 20;
    let mut text = String::new();
    if !found.spread.is_empty() {
        text += "values in the states:\n";
        for spread in found.spread.iter().take(MOST) {
            text += &format!("  {:>8}  {}\n", spread.values, spread.name);
        }
        if found.spread.len() > MOST {
            text += &format!("  and {} more variables\n", found.spread.len() - MOST);
        }
    }
    if !found.lost.is_empty() {
        text += "where precision is lost:\n";
        for lost in found.lost.iter().take(MOST) {
            let place = program.locations.describe(lost.loc);
            text += &format!("  {place}: {}: {}\n", lost.name, lost.reason);
        }
        if found.lost.len() > MOST {
            text += &format!("  and at {} more places\n", found.lost.len() - MOST);
        }
    }
    if found.sampled {
        text += "(only a part of the states was looked at)\n";
    }
    text
}

/// What is to become of a model.
pub struct Wanted {
    pub form: Form,
    pub passes: Vec<Pass>,
    pub unsound: Vec<&'static str>,
}

fn wanted(args: &Model, form: Form) -> Wanted {
    Wanted {
        form,
        passes: passes(args),
        unsound: unsound(args),
    }
}

/// A model after its passes.
struct Smaller {
    lts: Lts,
    /// Why it is only partial, if it is.
    partial: Option<String>,
    /// What the program may do and the model does not show.
    uncovered: Vec<String>,
    environment_nodes: usize,
}

/// Tells what the user should know about a model, and makes it smaller.
fn smaller(
    explored: Explored,
    passes: Vec<Pass>,
    program: &Program,
    budget: &Budget,
    console: &Console,
) -> Smaller {
    let Explored {
        model,
        notes,
        done,
        uncovered,
        found,
        ..
    } = explored;
    warn(&notes, program, console);
    if model.undescribed {
        console.warning("there are too many states to describe each; only their lines are written");
    }
    let environment_nodes = model.environment_nodes;
    let mut partial = model.partial.map(models::limit);
    let passes = passes.into_iter().filter(|p| !done.contains(p));
    let passes: Vec<Pass> = passes.collect();
    let mut lts = match passes.is_empty() {
        true => model.lts,
        false => model.with_one_end(),
    };
    for pass in passes {
        let phase = console.phase(pass.name());
        match reduce(&lts, pass, budget) {
            Ok(smaller) => {
                lts = smaller.lts;
                phase.done(&format!("{} states", lts.states()));
            }
            Err(reason) => {
                partial.get_or_insert(format!("{reason} while the model was made smaller"));
                break;
            }
        }
    }
    if let Some(reason) = &partial {
        console.error(&format!(
            "the model is only partial: {reason}, after {found} states"
        ));
    }
    for what in &uncovered {
        console.error(&format!(
            "not covered: {what}; its steps are not in the model"
        ));
    }
    Smaller {
        lts,
        partial,
        uncovered,
        environment_nodes,
    }
}

/// Makes the model smaller, writes it and tells about it.
pub fn finish(
    args: &Model,
    explored: Explored,
    wanted: Wanted,
    took: std::time::Duration,
    program: &Program,
    budget: &Budget,
    console: &Console,
) -> Result<Exit> {
    let found = explored.found;
    let form = wanted.form;
    console.detail(stats(found, took).trim_end());
    let Smaller {
        lts,
        partial,
        uncovered,
        environment_nodes: nodes,
    } = smaller(explored, wanted.passes, program, budget, console);
    let path = args.output.as_deref();
    let title = args.inputs.files[0].display().to_string();
    let mut result = models::save(&lts, form, path, &title, console)?;
    result["partial"] = partial.clone().into();
    result["explored"] = found.into();
    result["environment_nodes"] = nodes.into();
    result["seconds"] = took.as_secs_f64().into();
    result["unsound"] = wanted.unsound.into();
    let complete = partial.is_none() && uncovered.is_empty();
    result["uncovered"] = uncovered.into();
    console.result(result);
    if args.output.is_some() || form == Form::None {
        console.passed_on(&summary(&lts, nodes));
    }
    if args.stats {
        console.passed_on(&stats(found, took));
    }
    Ok(if complete { DONE } else { UNKNOWN })
}

pub fn options(args: &Model) -> Options {
    Options {
        externs: match args.externs {
            Externs::Pure => Extern::Pure,
            _ => Extern::Havoc,
        },
        keep_dead: args.keep_dead,
        label_values: args.max_label_values,
        malloc_may_fail: args.malloc_may_fail,
        unsound_ignore_unknown_writes: args.unsound_ignore_unknown_writes,
        variance: match args.variance {
            Variance::Poly => map::Variance::Poly,
            Variance::Stack => map::Variance::Stack,
            Variance::Location => map::Variance::Location,
        },
        ..Options::default()
    }
}

/// The options that may lose behaviour.
fn unsound(args: &Model) -> Vec<&'static str> {
    let options = [
        (args.externs == Externs::Pure, "--extern=pure"),
        (
            args.unsound_ignore_unknown_writes,
            "--unsound-ignore-unknown-writes",
        ),
    ];
    let used = options.into_iter().filter(|(used, _)| *used);
    used.map(|(_, name)| name).collect()
}

fn summary(lts: &Lts, nodes: usize) -> String {
    format!(
        "{} states, {} transitions, {nodes} environment nodes\n",
        lts.states(),
        lts.transitions()
    )
}

/// How the exploration went.
pub fn stats(states: usize, took: std::time::Duration) -> String {
    let seconds = took.as_secs_f64();
    let rate = states as f64 / seconds.max(1e-9);
    let mut line = format!("explored {states} states in {seconds:.3} s, {rate:.0} states/s");
    if let Some(peak) = cwolf_base::peak_bytes() {
        let each = peak as f64 / states as f64;
        line += &format!(", {} MB at the peak, {each:.1} bytes/state", peak >> 20);
    }
    line + "\n"
}

fn passes(args: &Model) -> Vec<Pass> {
    let wanted = [
        (args.peep, Pass::Peephole),
        (args.bisim, Pass::Minimise(Equivalence::Strong)),
        (args.branching_bisim, Pass::Minimise(Equivalence::Branching)),
        (args.weak_bisim, Pass::Minimise(Equivalence::Weak)),
        (args.trace, Pass::Minimise(Equivalence::WeakTrace)),
    ];
    let wanted = wanted.into_iter().filter(|(on, _)| *on);
    wanted.map(|(_, pass)| pass).collect()
}

/// What is written; only Aldebaran files spell internal steps in two ways.
fn form(args: &Model) -> Result<Form> {
    #[cfg(feature = "cluster")]
    if super::distributed::are_parts_wanted(args)? {
        return Ok(Form::None);
    }
    let form = Form::new(args.format, args.output.as_deref(), Form::Text)?;
    Ok(match (form, args.tau) {
        (Form::Lts(format, _), Tau::I) => Form::Lts(format, TauSpelling::I),
        (form, _) => form,
    })
}

/// The program, ready for the abstract machine.
fn ready(args: &Model, linked: Program, console: &Console) -> Result<Analysed> {
    let externs = match args.externs {
        Externs::Havoc => cwolf_prepare::Extern::Havoc,
        Externs::Arguments => cwolf_prepare::Extern::Arguments,
        Externs::Pure => cwolf_prepare::Extern::Pure,
        Externs::Error => cwolf_prepare::Extern::Error,
    };
    let map = match &args.abstraction {
        Some(path) => read(path)?,
        None => String::new(),
    };
    let newest = args.heap.map(usize::from).or(newest_objects(&map));
    let newest = newest.unwrap_or(NEWEST);
    let names = mentioned_functions(&map);
    let ready = to_model(linked, &args.entry, externs, newest, &names);
    Ok(inputs::ready(ready, console)?.program.into())
}

/// What names in maps mean in the C files. These are read again, once, when a name is asked for
/// that the program does not know.
struct Words<'a> {
    inputs: &'a Inputs,
    wanted: Vec<String>,
    names: OnceCell<Vec<Names>>,
}

impl<'a> Words<'a> {
    fn new(inputs: &'a Inputs, texts: &[&str]) -> Words<'a> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = texts.iter().flat_map(|t| t.split(|c| !is_letter(c)));
        let mut wanted: Vec<String> = words
            .filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
            .map(str::to_owned)
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        Words {
            inputs,
            wanted,
            names: OnceCell::new(),
        }
    }
    fn names(&self) -> &[Names] {
        self.names
            .get_or_init(|| inputs::names(self.inputs, &self.wanted))
    }
}

impl Vocabulary for Words<'_> {
    fn numbers(&self, name: &str) -> Vec<i128> {
        let names = self.names().iter();
        names.filter_map(|n| n.constant(name)).collect()
    }
    fn record(&self, name: &str) -> Option<String> {
        let mut names = self.names().iter();
        names.find_map(|n| n.record(name).map(str::to_owned))
    }
}

/// The label map. Who says nothing sees what the program shows itself, else what it calls outside.
fn labels(
    args: &Model,
    (program, entry): (&Analysed, FuncId),
    console: &Console,
) -> Result<LabelMap> {
    let given = args.labels.as_ref().or(args.suggest_labels.as_ref());
    let (name, text) = match (given, &args.events) {
        (Some(path), _) => (path.clone(), read(path)?),
        (None, Some(events)) => (PathBuf::from("<events>"), rules(events)),
        // The formula says what is seen.
        (None, None) if args.check.is_some() || shows_events(program) => {
            return Ok(LabelMap::default());
        }
        (None, None) => (PathBuf::from("<proposed>"), suggest_labels(program, entry)),
    };
    parse_rules(program, &args.inputs, &name, &text, console)
}

/// The rules of a text.
pub fn parse_rules(
    program: &Analysed,
    inputs: &Inputs,
    path: &Path,
    text: &str,
    console: &Console,
) -> Result<LabelMap> {
    let name = path.display().to_string();
    let map = Text { name: &name, text };
    let mut sources = SourceMap::default();
    let words = Words::new(inputs, &[text]);
    parse_labels_with(program, &mut sources, map, &words)
        .map_err(|errors| wrong_map(path, "am", &sources, &errors, console))
}

/// `call(f),watch(x==1)` as rules: a call is seen as the function's name, all else as it is written.
fn rules(events: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    let parts = events.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    for event in parts.map(str::trim).filter(|e| !e.is_empty()) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let called = event
            .strip_prefix("call(")
            .and_then(|e| e.strip_suffix(')'));
        let label = called.filter(|f| f.chars().all(plain)).unwrap_or(event);
        text += &format!("{event} => \"{}\";\n", label.replace('"', ""));
    }
    text
}

/// The program and the map without what cannot influence its events.
fn sliced(
    program: Analysed,
    entry: FuncId,
    labels: &LabelMap,
    abstraction: &mut Abstraction,
    console: &Console,
) -> Analysed {
    let mut slice = Slice::of(&program, entry, labels);
    match slice.apply(&program, labels) {
        Some(smaller) => {
            abstraction.cells.retain(|c| slice.keeps(c));
            smaller.into()
        }
        None => {
            console.warning("nothing is left out: a rule of the label map looks at lines");
            program.clone()
        }
    }
}

/// The lines that decide which event comes next.
fn print_slice(
    program: &Analysed,
    entry: FuncId,
    labels: &LabelMap,
    console: &Console,
) -> Result<Exit> {
    let slice = Slice::of(program, entry, labels);
    let mut text = String::new();
    let mut found = Vec::new();
    for (file, lines) in slice.lines(program) {
        let source = std::fs::read_to_string(&file).unwrap_or_default();
        let source: Vec<&str> = source.lines().collect();
        for line in &lines {
            let code = source.get(*line as usize - 1).copied().unwrap_or("");
            text += &format!("{file}:{line}: {}\n", code.trim());
        }
        found.push(serde_json::json!({ "file": file, "lines": lines }));
    }
    console.print(None, text.as_bytes())?;
    console.result(serde_json::json!({ "slice": found }));
    Ok(DONE)
}

/// The abstraction map, if there is one.
fn abstraction(
    args: &Model,
    program: &Program,
    universe: &Universe,
    console: &Console,
) -> Result<Abstraction> {
    let Some(path) = args.abstraction.as_ref().or(args.auto.as_ref()) else {
        return Ok(Abstraction::default());
    };
    let text = read(path)?;
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    let mut load = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).map_err(|e| e.to_string())?;
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
    };
    let name = path.display().to_string();
    let map = Text {
        name: &name,
        text: &text,
    };
    let mut sources = SourceMap::default();
    let words = Words::new(&args.inputs, &[&text]);
    parse_abstraction_with(program, universe, &mut sources, map, &mut load, &words)
        .map_err(|errors| wrong_map(path, "lm", &sources, &errors, console))
}

/// Says what is wrong with a map; `other` is the suffix of the other kind.
fn wrong_map(
    path: &Path,
    other: &str,
    sources: &SourceMap,
    errors: &Diagnostics,
    console: &Console,
) -> anyhow::Error {
    console.diagnostics(sources, errors.iter());
    if path.extension().is_some_and(|e| e == other) {
        console.note("-a takes the abstraction map (.am), -l the label map (.lm)");
    }
    Reported.into()
}

pub fn read(path: &Path) -> Result<String> {
    let bytes = contents(path).with_context(|| format!("cannot read {}", path.display()))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => bail!("{} is not UTF-8 text", path.display()),
    }
}

/// What a file holds. Several steps read the same map, but a pipe (`-a <(…)`) gives its text only once.
fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    static PIPES: Mutex<BTreeMap<PathBuf, Vec<u8>>> = Mutex::new(BTreeMap::new());
    if std::fs::metadata(path)?.is_file() {
        return std::fs::read(path);
    }
    let mut pipes = PIPES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = pipes.get(path) {
        return Ok(text.clone());
    }
    let text = std::fs::read(path)?;
    pipes.insert(path.to_owned(), text.clone());
    Ok(text)
}

fn refuse_externs(program: &Analysed, entry: FuncId, map: &Abstraction) -> Result<()> {
    let calls = program.calls();
    let missing: Vec<String> = calls
        .reachable(&[entry])
        .into_iter()
        .filter(|f| !map.outside.contains_key(f))
        .filter(|f| !cwolf_absint::machine::is_known(program, *f))
        .map(|f| &program.funcs[f])
        .filter(|f| f.body.is_none())
        .map(|f| format!("{}: `{}`", program.locations.describe(f.loc), f.name))
        .collect();
    match &missing[..] {
        [] => Ok(()),
        missing => bail!(
            "these functions are called but have no body (--extern=havoc lets them do anything):\n{}",
            missing.join("\n")
        ),
    }
}
