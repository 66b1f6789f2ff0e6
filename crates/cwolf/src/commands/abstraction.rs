//! `cwolf abstract` and `cwolf invariants`: from C and predicates to a boolean program, and to what
//! it says about the C program.

use super::answers;
use super::verify::rules;
use crate::args::{
    Abstract, Abstracting, Alias, Arithmetic, Inputs, Invariants, Maker, Optimisation, Questions,
};
use crate::exit::{DONE, Exit, OutOf, Reported, VIOLATED};
use crate::inputs;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_base::Budget;
use cwolf_boolprog::bebop::{self, Target};
use cwolf_boolprog::cfg::Graph;
use cwolf_boolprog::readable;
use cwolf_c2bp::{
    Abstraction, Arith, Failure, Label, Layout, Options, Predicate, Stats, abstract_program,
};
use cwolf_cfront::{labels, read_predicates};
use cwolf_cwi::Program;
use cwolf_cwi::graph::{Analysed, Precision};
use cwolf_engines::{Unable, abstract_given};
use cwolf_prepare::{slic, to_abstract};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// The program with the models of libc that it needs.
fn load(
    files: &Inputs,
    spec: &[PathBuf],
    entry: &str,
    budget: &Budget,
    console: &Console,
) -> Result<Analysed> {
    let mut program = inputs::load_linked(files, console)?;
    if !spec.is_empty() {
        program = woven(program, files, spec, entry, budget, console)?;
    }
    let ready = inputs::ready(to_abstract(program, entry), console)?;
    Ok(ready.program.into())
}

/// The program with rules in it.
fn woven(
    program: Program,
    files: &Inputs,
    spec: &[PathBuf],
    entry: &str,
    budget: &Budget,
    console: &Console,
) -> Result<Program> {
    let rules = rules::load(spec, budget, console)?;
    let start = inputs::entry(&program, entry)?;
    let mut language = inputs::language(&files.c)?;
    language.target = program.target();
    match slic::weave(program, start, &rules, &language) {
        Ok(woven) => {
            woven.notes.iter().for_each(|note| console.warning(note));
            Ok(woven.program)
        }
        Err(error) => {
            rules::report(&error, console)?;
            Err(Reported.into())
        }
    }
}

pub fn run(args: &Abstract, console: &Console) -> Result<Exit> {
    let budget = args.limits.budget(console);
    let spec = &args.abstracting.spec;
    let mut program = load(&args.inputs, spec, "main", &budget, console)?;
    let predicates = predicates(&mut program, &args.abstracting, &args.inputs, console)?;
    if args.abstractor == Maker::Sat {
        return by_sat(args, &program, &predicates, &budget, console);
    }
    let layout = match args.verbatim {
        true => Layout::Paper,
        false => Layout::Plain,
    };
    let options = options(&program, &args.abstracting, layout, budget);
    let made = make(&program, &predicates, &options, console)?;
    if args.stats {
        console.passed_on(&stats(made.stats, predicates.len()));
    }
    let text = match args.signatures {
        true => signatures(&program, &predicates, &made),
        false if args.readable => readable(&made.program).0.to_string(),
        false => made.program.to_string(),
    };
    let mut result = console.product(args.output.as_deref(), &text)?;
    result["predicates"] = predicates.len().into();
    result["prover_calls"] = made.stats.prover_calls.into();
    result["cubes"] = made.stats.cubes.into();
    console.result(result);
    Ok(DONE)
}

/// Abstracts blocks as a whole, by a SAT solver.
fn by_sat(
    args: &Abstract,
    program: &Analysed,
    predicates: &[Predicate],
    budget: &Budget,
    console: &Console,
) -> Result<Exit> {
    if args.verbatim || args.readable || args.signatures {
        bail!("--verbatim, --readable and --signatures are for --abstractor=cubes");
    }
    let block = args.block.map_or_else(Default::default, Into::into);
    let made = match abstract_given(program, predicates, block, budget) {
        Ok(made) => made,
        Err(Unable::Exhausted(why)) => return Err(OutOf(why).into()),
        Err(Unable::Unsupported(text)) => bail!("{text}"),
    };
    for text in made.unused {
        console.warning(&format!(
            "`{text}` follows pointers to memory that stands for several objects: left out"
        ));
    }
    if args.stats {
        let [all, left] = made.cases;
        console.passed_on(&format!(
            "{} blocks, {} relations, {left} of {all} cases of dereferences left\n",
            made.blocks, made.relations
        ));
    }
    let text = made.program.to_string();
    let mut result = console.product(args.output.as_deref(), &text)?;
    result["predicates"] = predicates.len().into();
    result["blocks"] = made.blocks.into();
    result["relations"] = made.relations.into();
    console.result(result);
    Ok(DONE)
}

pub fn invariants(args: &Invariants, console: &Console) -> Result<Exit> {
    let entry = args.entry.as_deref().unwrap_or("main");
    let budget = args.limits.budget(console);
    let spec = &args.abstracting.spec;
    let mut program = load(&args.inputs, spec, entry, &budget, console)?;
    let predicates = predicates(&mut program, &args.abstracting, &args.inputs, console)?;
    let mut options = options(&program, &args.abstracting, Layout::Plain, budget.clone());
    options.entry.clone_from(&args.entry);
    let made = make(&program, &predicates, &options, console)?;
    if args.stats {
        console.passed_on(&stats(made.stats, predicates.len()));
    }
    if let Some(condition) = &args.implies {
        return implies(
            args,
            &mut program,
            &predicates,
            &options,
            &made,
            condition,
            console,
        );
    }
    // Labels that the abstraction made up mean nothing to the reader of the C program.
    let mut wanted = args.label.clone();
    if wanted.is_empty() && !args.annotate {
        wanted.extend(options.labels.iter().map(|l| l.name.clone()));
        wanted.dedup();
    }
    let questions = Questions {
        entry: args.entry.clone(),
        invariants: !args.annotate && !wanted.is_empty(),
        label: wanted.clone(),
        annotate: args.annotate || wanted.is_empty(),
        stats: args.stats,
        ..Questions::default()
    };
    let reply = answers::answer(&made.program, &questions, budget, console)?;
    console.print(None, reply.text.as_bytes())?;
    console.result(reply.result);
    Ok(reply.exit)
}

/// Whether the invariants at the labels imply a condition.
fn implies(
    args: &Invariants,
    program: &mut Analysed,
    predicates: &[Predicate],
    options: &Options,
    made: &Abstraction,
    condition: &str,
    console: &Console,
) -> Result<Exit> {
    let graph = Graph::new(&made.program);
    let entry = answers::entry(&made.program, &graph, args.entry.as_deref())?;
    let explore = bebop::Options {
        budget: options.budget.clone(),
        ..bebop::Options::new(entry, Vec::new())
    };
    let mut exit = DONE;
    let mut list = Vec::new();
    for name in &args.label {
        for target in answers::label(&made.program, name)? {
            let (Target::Stmt(proc, stmt) | Target::Assert(proc, stmt)) = target;
            let found = bebop::run(&made.program, &graph, &explore, |bebop| {
                match bebop.is_complete() {
                    true => bebop.reachable(proc, Some(stmt)).map(|f| f.to_expr()),
                    false => Err(bebop::Unknown::Memory),
                }
            });
            let invariant = match found {
                Ok(invariant) => invariant,
                Err(reason) => bail!("no answer: {reason}"),
            };
            let function = &made.program.procs[proc].name;
            let text = format!("{function} {{ {condition} }}");
            let look_up = |wanted: &[String]| inputs::names(&args.inputs, wanted);
            let file = read_predicates(program, "--implies", text.as_bytes(), look_up);
            console.diagnostics(&file.sources, file.diagnostics.iter());
            if file.diagnostics.has_errors() {
                return Err(Reported.into());
            }
            let [goal] = &file.predicates[..] else {
                bail!("--implies takes one condition; && makes one of several");
            };
            let func = goal.scope.expect("a predicate of a function");
            let place = (func, &made.program, proc);
            let goal = &goal.condition;
            let holds = cwolf_c2bp::implies(program, predicates, options, place, &invariant, goal);
            let holds = holds.map_err(OutOf)?;
            let answer = if holds { "holds" } else { "is not implied" };
            let line = format!("{function}.{name}: {condition} {answer}\n");
            console.print(None, line.as_bytes())?;
            list.push(json!({ "function": function, "label": name, "holds": holds }));
            if !holds {
                exit = VIOLATED;
            }
        }
    }
    let verdict = if exit == DONE {
        "implied"
    } else {
        "not-implied"
    };
    console.result(json!({ "verdict": verdict, "condition": condition, "implies": list }));
    Ok(exit)
}

/// Reads the predicate files, or tells what is wrong with them.
fn predicates(
    program: &mut Program,
    args: &Abstracting,
    inputs: &Inputs,
    console: &Console,
) -> Result<Vec<Predicate>> {
    for startup in &program.startup {
        let (loc, text) = startup.left_out(program);
        let place = program.locations.describe(loc);
        console.warning(&format!("{place}: {text}"));
    }
    read_all(program, &args.predicates, inputs, console)
}

/// Reads files of predicates about a program.
pub(super) fn read_all(
    program: &mut Program,
    paths: &[PathBuf],
    inputs: &Inputs,
    console: &Console,
) -> Result<Vec<Predicate>> {
    let mut all = Vec::new();
    let mut wrong = false;
    for path in paths {
        let name = path.display().to_string();
        let text = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let file = read_predicates(program, &name, &text, |wanted| {
            inputs::names(inputs, wanted)
        });
        console.diagnostics(&file.sources, file.diagnostics.iter());
        wrong |= file.diagnostics.has_errors();
        all.extend(file.predicates);
    }
    match wrong {
        true => Err(Reported.into()),
        false => Ok(all),
    }
}

fn options(program: &Program, args: &Abstracting, layout: Layout, budget: Budget) -> Options {
    let mut options = Options {
        arith: match args.arith {
            Arithmetic::Bits => Arith::Bits,
            Arithmetic::Integers => Arith::Integers,
        },
        max_cube_length: args.max_cube_length,
        alias: match args.alias {
            Alias::Fields => Precision::Fields,
            Alias::Inclusion => Precision::Inclusion,
            Alias::OneLevel => Precision::OneLevel,
        },
        layout,
        budget,
        ..Options::default()
    };
    let on = &mut options.optimisations;
    on.distribute_or = args.distribute_or;
    for without in &args.without {
        match without {
            Optimisation::Primes => on.prime_implicants = false,
            Optimisation::Contradictions => on.contradictions = false,
            Optimisation::Unchanged => on.unchanged = false,
            Optimisation::Cone => on.cone_of_influence = false,
            Optimisation::Syntactic => on.syntactic = false,
            Optimisation::Cache => on.cache = false,
            Optimisation::Models => on.models = false,
            Optimisation::DistributeAnd => on.distribute_and = false,
            Optimisation::Regions => options.regions = false,
        }
    }
    // Texts and labels come from the source, if it is still there.
    for file in program.locations.files().iter() {
        let Ok(bytes) = std::fs::read(file) else {
            continue;
        };
        for label in labels(&bytes) {
            let (line, column) = label.at;
            options.labels.push(Label {
                name: label.name,
                file: file.clone(),
                line,
                column,
                end: label.end,
            });
        }
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(str::to_owned).collect();
        options.sources.push((file.clone(), lines));
    }
    options
}

fn make(
    program: &Analysed,
    predicates: &[Predicate],
    options: &Options,
    console: &Console,
) -> Result<Abstraction> {
    let phase = console.phase("abstracting");
    match abstract_program(program, predicates, options) {
        Ok(made) => {
            phase.done(stats(made.stats, predicates.len()).trim_end());
            Ok(made)
        }
        Err(Failure::Exhausted { reason, .. }) => Err(OutOf(reason).into()),
        Err(failure) => Err(failure.into()),
    }
}

fn stats(stats: Stats, predicates: usize) -> String {
    let wide = match stats.too_wide {
        0 => String::new(),
        n => format!(", {n} questions beyond the width of integers"),
    };
    format!(
        "{predicates} predicates, {} prover calls, {} formulas ({} without a call), {} cubes{wide}\n",
        stats.prover_calls, stats.formulas, stats.for_free, stats.cubes
    )
}

fn signatures(program: &Program, predicates: &[Predicate], made: &Abstraction) -> String {
    let mut out = String::new();
    let global = predicates.iter().filter(|p| p.scope.is_none());
    let local = predicates.iter().filter(|p| p.scope.is_some());
    // As the abstraction numbers them.
    let mut texts: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for p in global.chain(local) {
        if seen.insert((p.scope, &p.text)) {
            texts.push(&p.text);
        }
    }
    for (id, func) in program.funcs.enumerate() {
        if func.body.is_none() {
            continue;
        }
        let signature = &made.signatures[id.0 as usize];
        let list = |numbers: &[usize]| {
            let all: Vec<&str> = numbers.iter().map(|n| texts[*n]).collect();
            format!("{{ {} }}", all.join(", "))
        };
        let result = signature.result.map(|v| &*program.vars[v].name);
        let params = func.params.iter().map(|v| &*program.vars[*v].name);
        let params: Vec<&str> = params.collect();
        let _ = writeln!(
            out,
            "{}({}) returns {}\n  formal predicates {}\n  return predicates {}",
            func.name,
            params.join(", "),
            result.unwrap_or("-"),
            list(&signature.formals),
            list(&signature.returns)
        );
    }
    out
}
