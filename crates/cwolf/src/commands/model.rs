//! `cwolf model`: from a program and two maps to a labelled transition system.

use super::models::{self, Form};
use crate::args::{Externs, Model, Tau, Variance};
use crate::exit::{DONE, Exit, Reported, UNKNOWN};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::{Context, Result, bail};
use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Search, explore};
use cwolf_absint::machine::{Extern, Machine, Options};
use cwolf_absint::map::{
    self, Abstraction, LabelMap, Text, newest_objects, parse_abstraction, parse_labels,
    suggest_abstraction, suggest_labels,
};
use cwolf_base::{Budget, Diagnostics, SourceMap};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, LocId, Program};
use cwolf_lts::{Equivalence, Lts, Pass, TauSpelling, reduce};
use cwolf_prepare::{not_followed, to_model};
use std::path::{Path, PathBuf};

/// So many objects of each allocation site are told apart unless the user says something else.
const NEWEST: usize = 2;

/// A program under its maps.
pub struct Source {
    pub program: Analysed,
    pub universe: Universe,
    pub abstraction: Abstraction,
    pub labels: LabelMap,
    pub entry: FuncId,
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
}

pub fn run(args: &Model, console: &Console) -> Result<Exit> {
    let form = form(args)?;
    let program = load(args, console)?;
    let entry = inputs::entry(&program, &args.entry)?;
    let universe = Universe::default();
    if let Some(path) = &args.auto {
        output::write_file(path, suggest_abstraction(&program, entry).as_bytes())?;
    }
    if let Some(path) = &args.suggest_labels {
        output::write_file(path, suggest_labels(&program, entry).as_bytes())?;
    }
    let (abstraction, labels) = maps(args, &program, &universe, console)?;
    if args.externs == Externs::Error {
        refuse_externs(&program, entry)?;
    }
    let uncovered = not_followed(&program, entry);
    let source = Source {
        program,
        universe,
        abstraction,
        labels,
        entry,
    };
    let unsound = unsound(args);
    for name in &unsound {
        console.warning(&format!(
            "the model may lack behaviour of the program: {name} is unsound"
        ));
    }
    let budget = args.limits.budget(console);
    let states = budget.clone().max_steps(args.max_states);
    let search = Search {
        detail: form.has_notes().then_some(args.detail),
        jobs: args.jobs(),
        on_the_fly: args.on_the_fly,
        ..Search::default()
    };
    #[cfg(feature = "cluster")]
    if args.together.is_wanted() {
        let wanted = Wanted {
            form,
            passes: passes(args),
            unsound,
            uncovered,
        };
        return super::together::run(args, source, search, wanted, &states, console);
    }
    let started = std::time::Instant::now();
    let mut machine = source.machine(options(args));
    let model = explore(&mut machine, source.entry, &search, &states);
    let explored = Explored {
        found: model.lts.states(),
        notes: machine.notes(),
        model,
        done: Vec::new(),
    };
    drop(machine);
    let wanted = Wanted {
        form,
        passes: passes(args),
        unsound,
        uncovered,
    };
    finish(
        args,
        explored,
        wanted,
        started.elapsed(),
        &source.program,
        &budget,
        console,
    )
}

/// What is to become of a model.
pub struct Wanted {
    pub form: Form,
    pub passes: Vec<Pass>,
    pub unsound: Vec<&'static str>,
    /// What the program may do and the model does not show.
    pub uncovered: Vec<String>,
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
    let Explored {
        model,
        notes,
        found,
        done,
    } = explored;
    let form = wanted.form;
    console.detail(stats(found, took).trim_end());
    for (loc, text) in notes {
        console.warning(&format!("{}: {text}", program.locations.describe(loc)));
    }
    if model.undescribed {
        console.warning("there are too many states to describe each; only their lines are written");
    }
    let nodes = model.environment_nodes;
    let mut partial = model.partial.map(models::limit);
    let passes = wanted.passes.into_iter().filter(|p| !done.contains(p));
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
            "the model is only partial: {reason}, after {} states",
            lts.states()
        ));
    }
    for what in &wanted.uncovered {
        console.error(&format!(
            "not covered: {what}; its steps are not in the model"
        ));
    }
    let path = args.output.as_deref();
    let title = args.inputs.files[0].display().to_string();
    let mut result = models::save(&lts, form, path, &title, console)?;
    result["partial"] = partial.clone().into();
    result["explored"] = found.into();
    result["environment_nodes"] = nodes.into();
    result["seconds"] = took.as_secs_f64().into();
    result["unsound"] = wanted.unsound.into();
    let uncovered = !wanted.uncovered.is_empty();
    result["uncovered"] = wanted.uncovered.into();
    console.result(result);
    if args.output.is_some() || form == Form::None {
        console.passed_on(&summary(&lts, nodes));
    }
    if args.stats {
        console.passed_on(&stats(found, took));
    }
    Ok(match partial.is_some() || uncovered {
        true => UNKNOWN,
        false => DONE,
    })
}

pub fn options(args: &Model) -> Options {
    Options {
        externs: match args.externs {
            Externs::Pure => Extern::Pure,
            _ => Extern::Havoc,
        },
        keep_dead: args.keep_dead,
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
    if super::together::are_parts_wanted(args)? {
        return Ok(Form::None);
    }
    let form = Form::new(args.format, args.output.as_deref(), Form::Text)?;
    Ok(match (form, args.tau) {
        (Form::Lts(format, _), Tau::I) => Form::Lts(format, TauSpelling::I),
        (form, _) => form,
    })
}

/// The program, ready for the abstract machine.
fn load(args: &Model, console: &Console) -> Result<Analysed> {
    let program = inputs::load_linked(&args.inputs, console)?;
    let externs = match args.externs {
        Externs::Havoc => cwolf_prepare::Extern::Havoc,
        Externs::Arguments => cwolf_prepare::Extern::Arguments,
        Externs::Pure => cwolf_prepare::Extern::Pure,
        Externs::Error => cwolf_prepare::Extern::Error,
    };
    let mapped = match &args.abstraction {
        Some(path) => newest_objects(&read(path)?),
        None => None,
    };
    let newest = args.heap.map(usize::from).or(mapped).unwrap_or(NEWEST);
    let ready = to_model(program, &args.entry, externs, newest);
    Ok(inputs::ready(ready, console)?.program.into())
}

fn maps(
    args: &Model,
    program: &Program,
    universe: &Universe,
    console: &Console,
) -> Result<(Abstraction, LabelMap)> {
    let mut sources = SourceMap::default();
    let mut wrong = Diagnostics::default();
    let mut keep = |errors: Diagnostics| errors.into_vec().into_iter().for_each(|d| wrong.push(d));
    let mut abstraction = Abstraction::default();
    if let Some(path) = args.abstraction.as_ref().or(args.auto.as_ref()) {
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
        match parse_abstraction(program, universe, &mut sources, map, &mut load) {
            Ok(found) => abstraction = found,
            Err(errors) => keep(errors),
        }
    }
    let mut labels = LabelMap::default();
    if let Some(path) = args.labels.as_ref().or(args.suggest_labels.as_ref()) {
        let text = read(path)?;
        let name = path.display().to_string();
        let map = Text {
            name: &name,
            text: &text,
        };
        match parse_labels(program, &mut sources, map) {
            Ok(found) => labels = found,
            Err(errors) => keep(errors),
        }
    }
    if wrong.has_errors() {
        console.diagnostics(&sources, wrong.iter());
        let ends = |path: &Option<PathBuf>, with: &str| {
            let path = path.as_ref().and_then(|p| p.extension());
            path.is_some_and(|e| e == with)
        };
        if ends(&args.abstraction, "lm") || ends(&args.labels, "am") {
            console.note("-a takes the abstraction map (.am), -l the label map (.lm)");
        }
        return Err(Reported.into());
    }
    Ok((abstraction, labels))
}

pub fn read(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => bail!("{} is not UTF-8 text", path.display()),
    }
}

fn refuse_externs(program: &Analysed, entry: FuncId) -> Result<()> {
    let calls = program.calls();
    let missing: Vec<String> = calls
        .reachable(&[entry])
        .into_iter()
        .map(|f| &program.funcs[f])
        .filter(|f| f.body.is_none() && !cwolf_absint::machine::is_known(&f.name))
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
