//! `cwolf model`: from a program and two maps to a labelled transition system.

use crate::args::{Externs, Model, ModelFormat, Variance};
use crate::exit::{DONE, Exit, Reported, UNKNOWN};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::{Context, Result, bail};
use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{explore, explore_monovariant, write_text};
use cwolf_absint::machine::{Extern, Machine, Options};
use cwolf_absint::map::{
    Abstraction, LabelMap, Text, parse_abstraction, parse_labels, suggest_abstraction,
    suggest_labels,
};
use cwolf_base::{Budget, Diagnostics, SourceMap};
use cwolf_cfront::library;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{FuncId, Program};
use cwolf_lts::{Equivalence, Format, Lts, Pass, reduce};
use std::path::{Path, PathBuf};

pub fn run(args: &Model, console: &Console) -> Result<Exit> {
    let format = format(args)?;
    let program = load(args, console)?;
    let Some(entry) = program
        .function(&args.entry)
        .filter(|f| program.funcs[*f].body.is_some())
    else {
        bail!(
            "the program has no function `{}`; --entry chooses another to start at",
            args.entry
        );
    };
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
    let options = Options {
        externs: match args.externs {
            Externs::Pure => Extern::Pure,
            _ => Extern::Havoc,
        },
        keep_dead: args.keep_dead,
    };
    let mut budget = Budget::unlimited();
    if let Some(limit) = args.timeout {
        budget = budget.timeout(limit);
    }
    let mut machine = Machine::new(&program, &universe, &abstraction, &labels, options);
    let states = budget.clone().max_steps(args.max_states);
    let model = match args.variance {
        Variance::Poly => explore(&mut machine, entry, args.detail, &states),
        Variance::Stack => explore_monovariant(&mut machine, entry, args.detail, &states),
    };
    for (loc, text) in machine.notes() {
        console.warning(&format!("{}: {text}", program.locations.describe(*loc)));
    }
    if model.undescribed {
        console.warning("there are too many states to describe each; the model has only numbers");
    }
    let mut partial = model.partial.map(|reason| reason.to_string());
    let passes = passes(args);
    let mut lts = match passes.is_empty() {
        true => model.lts,
        false => model.with_one_end(),
    };
    for pass in passes {
        match reduce(&lts, pass, &budget) {
            Ok(smaller) => lts = smaller.lts,
            Err(reason) => {
                partial.get_or_insert(format!("{reason} while the model was made smaller"));
                break;
            }
        }
    }
    let mut bytes = Vec::new();
    match format {
        None => write_text(&lts, &mut bytes),
        Some(format) => cwolf_lts::write(format, &lts, &mut bytes),
    }
    .context("the model cannot be written in this format")?;
    if let Some(reason) = &partial {
        console.error(&format!(
            "the model is only partial: {reason}, after {} states",
            lts.states()
        ));
    }
    output::write(args.output.as_deref(), &bytes)?;
    if args.output.is_some() {
        console.passed_on(&summary(&lts, model.environment_nodes));
    }
    Ok(if partial.is_some() { UNKNOWN } else { DONE })
}

fn summary(lts: &Lts, nodes: usize) -> String {
    format!(
        "{} states, {} transitions, {nodes} environment nodes\n",
        lts.states(),
        lts.transitions()
    )
}

fn passes(args: &Model) -> Vec<Pass> {
    let wanted = [
        (args.peep, Pass::Peephole),
        (args.bisim, Pass::Minimise(Equivalence::Strong)),
        (args.weak_bisim, Pass::Minimise(Equivalence::Weak)),
        (args.trace, Pass::Minimise(Equivalence::WeakTrace)),
    ];
    let wanted = wanted.into_iter().filter(|(on, _)| *on);
    wanted.map(|(_, pass)| pass).collect()
}

/// None is the text format.
fn format(args: &Model) -> Result<Option<Format>> {
    let Some(format) = args.format else {
        let Some(path) = &args.output else {
            return Ok(None);
        };
        return match path.extension().and_then(|e| e.to_str()) {
            None | Some("txt") => Ok(None),
            Some(suffix) => match Format::from_suffix(suffix) {
                None => {
                    bail!("no format of models has the suffix `{suffix}`; choose with --format")
                }
                found => Ok(found),
            },
        };
    };
    Ok(Some(match format {
        ModelFormat::Text => return Ok(None),
        ModelFormat::Dot => Format::Dot,
        ModelFormat::Davinci => Format::DaVinci,
        ModelFormat::Vcg => Format::Vcg,
        ModelFormat::Cwb => Format::Cwb,
        ModelFormat::Aut => Format::Aut,
        ModelFormat::Json => Format::Json,
        ModelFormat::Fsm => Format::Fsm,
    }))
}

/// The program with the models of libc that it needs.
fn load(args: &Model, console: &Console) -> Result<Program> {
    let program = inputs::load_linked(&args.inputs, console)?;
    let mut language = inputs::language(&args.inputs.c)?;
    language.target = program.target();
    // Without functions to run at exit, the machine's own `exit` is exact.
    let at_exit = program.funcs.iter().any(|f| f.name == "atexit");
    let ends = ["exit", "_exit", "_Exit"];
    let mut parts = library::resolve(&program, &language, |f| at_exit || !ends.contains(&f));
    if parts.is_empty() {
        return Ok(program);
    }
    parts.insert(0, program);
    inputs::link_all(parts, console)
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
        return Err(Reported.into());
    }
    Ok((abstraction, labels))
}

fn read(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => bail!("{} is not UTF-8 text", path.display()),
    }
}

fn refuse_externs(program: &Program, entry: FuncId) -> Result<()> {
    let calls = CallGraph::new(program);
    let missing = calls
        .reachable(&[entry])
        .into_iter()
        .map(|f| &program.funcs[f])
        .find(|f| f.body.is_none());
    match missing {
        Some(f) => bail!(
            "{}: `{}` is called but has no body",
            program.locations.describe(f.loc),
            f.name
        ),
        None => Ok(()),
    }
}
