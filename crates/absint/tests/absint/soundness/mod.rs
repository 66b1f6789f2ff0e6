//! Soundness against the concrete semantics: every run of random programs is a path of their
//! model, step by step, and the environments on it cover the values of the run.
//!
//! `CWOLF_SEED=n` replays one program.

mod follow;
mod generate;
mod labels;
mod rings;

use cwolf_absint::domain::{Kind, Universe};
use cwolf_absint::explore::{Search, explore};
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::{
    Abstraction, Cell, LabelMap, Map, Part, Proposals, Text, Variance, parse_abstraction,
    parse_labels,
};
use cwolf_base::{Budget, SourceMap};
use cwolf_cfront::compile_text;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, Program, Type, VarId};
use cwolf_interp::{Outcome, Random};
use cwolf_lts::{Comparison, Equivalence, compare, trace_inclusion};
use cwolf_prepare::{Extern, Models, give_away, link_library, to_model};
use follow::{Follower, Shared, Source};
use generate::Rng;
use labels::Labeller;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

const RUNS: u64 = 4;

/// `CWOLF_SEED=n` replays one program, `CWOLF_PROGRAMS=n` runs a campaign; with both, from that seed on.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name| {
        std::env::var(name)
            .ok()
            .map(|n| n.parse().expect("a number"))
    };
    match (number("CWOLF_SEED"), number("CWOLF_PROGRAMS")) {
        (seed, Some(programs)) => seed.unwrap_or(0)..seed.unwrap_or(0) + programs,
        (Some(seed), None) => seed..seed + 1,
        (None, None) => 0..usual,
    }
}

/// A random program with its maps.
struct Task {
    text: String,
    /// As the machine sees it.
    program: Analysed,
    /// As it runs: with bodies of functions that the machine does not see.
    whole: Program,
    universe: Universe,
    abstraction: Abstraction,
    labels: LabelMap,
    maps: String,
    options: Options,
    entry: FuncId,
}

impl Task {
    fn new(seed: u64) -> Task {
        let mut rng = Rng::new(seed);
        let text = generate::program(&mut rng);
        let mut program = compile(&text);
        // With the models of the library in C, or without bodies.
        match rng.below(4) {
            0 => {
                let models = Models {
                    environment: false,
                    wanted: &|_| true,
                };
                program = link_library(program, &models)
                    .expect("the models link")
                    .program;
            }
            1 => {}
            // As the command does it, with objects for what is allocated.
            _ => {
                let (externs, newest) = (Extern::Havoc, rng.below(4) as usize);
                program = to_model(program, "main", externs, newest, &[])
                    .expect("the models link")
                    .program;
            }
        }
        let abstraction = generate::abstraction(&mut rng, &text);
        let labels = generate::labels(&mut rng, &program);
        let abstraction = match rng.below(5) {
            0 => proposed(&program, &labels),
            _ => abstraction,
        };
        Task::with(&mut rng, text, program, abstraction, labels)
    }
    fn with(
        rng: &mut Rng,
        text: String,
        program: Program,
        abstraction: String,
        labels: String,
    ) -> Task {
        let maps = format!("{abstraction}\n{labels}");
        let whole = program.clone();
        let mut program = program;
        generate::hide(&mut program);
        give_away(&mut program);
        let whole = Program {
            types: program.types.clone(),
            ..whole
        };
        let program = Analysed::from(program);
        let universe = Universe::default();
        let mut sources = SourceMap::default();
        let map = |text| Text { name: "map", text };
        let mut no_files = |_: &str| Err(String::new());
        let found = parse_abstraction(
            &program,
            &universe,
            &mut sources,
            map(&abstraction),
            &mut no_files,
        );
        let wrong = |e: cwolf_base::Diagnostics| {
            let list: Vec<String> = e.iter().map(|d| d.message.clone()).collect();
            format!("{maps}\n{list:?}")
        };
        let mut abstraction = found.map_err(wrong).expect("a correct map");
        keep_objects(rng, &program, &mut abstraction);
        let labels = parse_labels(&program, &mut sources, map(&labels));
        let labels = labels.map_err(wrong).expect("a correct map");
        let options = Options {
            keep_dead: rng.below(3) == 0,
            variance: match rng.below(8) {
                0 => Variance::Stack,
                1 => Variance::Location,
                _ => Variance::Poly,
            },
            ..Options::default()
        };
        Task {
            entry: program.function("main").expect("there is a main"),
            text,
            program,
            whole,
            universe,
            abstraction,
            labels,
            maps,
            options,
        }
    }
    fn machine(&self, options: Options) -> Machine<'_> {
        Machine::new(
            &self.program,
            &self.universe,
            &self.abstraction,
            &self.labels,
            options,
        )
    }
}

/// The map that the tool proposes for a label map.
fn proposed(program: &Program, labels: &str) -> String {
    let mut program = program.clone();
    generate::hide(&mut program);
    let program = Analysed::from(program);
    let entry = program.function("main").expect("there is a main");
    let text = Text {
        name: "map",
        text: labels,
    };
    let labels = parse_labels(&program, &mut SourceMap::default(), text);
    let labels = labels.unwrap_or_else(|_| panic!("a correct map"));
    let mut proposals = Proposals::new(&program, entry, &labels);
    let mut map = Map::default();
    for cell in proposals.relevant() {
        if let Some(spelling) = proposals.spelling(&cell)
            && let Some(choice) = proposals.choice(&cell)
        {
            map.add(spelling, choice);
        }
    }
    map.print("for a test")
}

fn compile(text: &str) -> Program {
    let result = compile_text("x.c", text.as_bytes(), &cwolf_cfront::Options::default());
    let errors: Vec<_> = result
        .diagnostics
        .iter()
        .map(|d| d.message.clone())
        .collect();
    result.program.unwrap_or_else(|| panic!("{errors:?}"))
}

/// Keeps numbers in allocated objects, as a map by types would.
fn keep_objects(rng: &mut Rng, program: &Program, abstraction: &mut Abstraction) {
    let kinds = [Kind::Int, Kind::Free, Kind::MinMax, Kind::Top, Kind::Bool];
    let (number, tag) = (kinds[rng.below(5) as usize], kinds[rng.below(5) as usize]);
    let mut objects: Vec<VarId> = program.heap.objects.keys().copied().collect();
    objects.sort_unstable();
    for var in objects {
        let types = &program.types;
        let Some(record) = types.as_record(program.vars[var].ty) else {
            continue;
        };
        for field in &types.records[record].fields {
            let kind = if field.bit_offset == 0 { number } else { tag };
            let said = |c: &Cell| c.var == var && c.bit_offset == field.bit_offset;
            let free = !abstraction.cells.iter().any(said);
            if free && matches!(types[field.ty], Type::Int(_)) && kind != Kind::Top {
                abstraction.cells.push(Cell {
                    var,
                    bit_offset: field.bit_offset,
                    ty: field.ty,
                    kind,
                });
            }
        }
    }
}

#[derive(Default)]
struct Counts {
    steps: usize,
    labels: usize,
    merged: usize,
}

/// Follows some runs of a program.
fn check(task: &Task, seed: u64, input: &[u8], counts: &mut Counts) {
    let mut machine = task.machine(task.options);
    let source = match machine.is_polyvariant() {
        true => Source::Machine(HashMap::new()),
        false => {
            // Merging may make a recursion endless that was not.
            let few = Budget::unlimited().max_steps(3000);
            let model = explore(&mut machine, task.entry, &Search::default(), &few);
            if model.partial.is_some() {
                return;
            }
            counts.merged += 1;
            Source::model(&model)
        }
    };
    let labeller = Labeller::new(&task.program, &task.labels);
    let mut follower = Follower::new(&task.program, machine, source, labeller, task.entry);
    let own = task.program.funcs.enumerate();
    let hidden = own.filter(|(id, f)| f.body.is_none() && task.whole.funcs[*id].body.is_some());
    follower.hidden = hidden.map(|(id, _)| id).collect();
    let follower = Rc::new(RefCell::new(follower));
    for run in 0..RUNS {
        {
            let mut follower = follower.borrow_mut();
            follower.current = None;
            follower.gave_up = false;
            follower.labeller.reset();
        }
        let options = cwolf_interp::Options {
            oracle: Box::new(Random::new(seed * RUNS + run)),
            budget: Budget::unlimited().max_steps(1500),
            stdin: Box::new(&input[input.len().min(run as usize)..]),
            tracer: Some(Box::new(Shared(follower.clone()))),
            ..cwolf_interp::Options::default()
        };
        let outcome = cwolf_interp::Machine::new(&task.whole, options).run("main");
        let mut follower = follower.borrow_mut();
        if let Outcome::Exit(status) = outcome
            && !follower.gave_up
        {
            follower.labeller.ended();
            let expected = std::mem::take(&mut follower.labeller.seen);
            let ends = follower.next(&expected);
            assert!(
                ends.iter().any(|s| follower.machine.is_halted(*s)),
                "the model does not end with {status}, showing {expected:?}"
            );
        }
    }
    counts.steps += follower.borrow().steps;
    counts.labels += follower.borrow().labels;
}

#[test]
#[allow(clippy::print_stdout)] // The counts of a campaign.
fn every_run_is_a_path_of_the_model() {
    let mut counts = Counts::default();
    let seeds = seeds(250);
    let programs = seeds.end - seeds.start;
    for seed in seeds {
        let task = Task::new(seed);
        let run = std::panic::AssertUnwindSafe(|| check(&task, seed, &[], &mut counts));
        if std::panic::catch_unwind(run).is_err() {
            panic!(
                "CWOLF_SEED={seed} {:?}\n{}\n{}",
                task.options, task.text, task.maps
            );
        }
    }
    println!(
        "{programs} programs: {} blocks, {} labels, {} merged models",
        counts.steps, counts.labels, counts.merged
    );
    // About sixty steps a program; far fewer would mean that runs are not followed.
    if programs > 1 {
        assert!(
            counts.steps as u64 > 20 * programs,
            "{} steps",
            counts.steps
        );
        assert!(counts.labels as u64 > programs, "{} labels", counts.labels);
        assert!(
            counts.merged as u64 > programs / 20,
            "{} merged",
            counts.merged
        );
    }
}

/// The same for the programs in `examples`, with random maps and input.
#[test]
fn every_run_of_the_examples_is_a_path_of_their_models() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut counts = Counts::default();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("there are examples") {
        let entries = std::fs::read_dir(entry.expect("readable").path());
        files.extend(
            entries
                .into_iter()
                .flatten()
                .map(|e| e.expect("readable").path()),
        );
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    for file in &files {
        let source = cwolf_cfront::Preprocessor::default()
            .run(file)
            .expect("it preprocesses");
        let name = file.file_name().and_then(|n| n.to_str()).expect("a name");
        let result = compile_text(&source.name, &source.text, &Default::default());
        let compiled = result.program.expect("it compiles");
        // A part that others are linked with.
        if compiled.function("main").is_none() {
            continue;
        }
        for seed in seeds(5) {
            let mut rng = Rng::new(seed);
            let program = compiled.clone();
            let map = generate::any_map(&mut rng, &program, name);
            let input: Vec<u8> = (0..rng.below(30))
                .map(|_| rng.pick(&["a", "b", "x", "0", "7", " ", "\n"]).as_bytes()[0])
                .collect();
            let labels = "exit == 0 => ok; exit => failed;".to_owned();
            let text = file.display().to_string();
            let task = Task::with(&mut rng, text, program, map, labels);
            let run = std::panic::AssertUnwindSafe(|| check(&task, seed, &input, &mut counts));
            if std::panic::catch_unwind(run).is_err() {
                panic!(
                    "CWOLF_SEED={seed} {:?}\n{}\n{}",
                    task.options, task.text, task.maps
                );
            }
        }
    }
    assert!(counts.steps > 25 * files.len(), "{} steps", counts.steps);
}

/// Dropping dead variables merges states and lets branches that decide nothing go either way, but nothing that
/// is seen changes. The monovariant models have all traces of the polyvariant one. Threads and
/// kept steps change nothing at all, the peephole on the fly nothing that is seen.
#[test]
fn other_models_show_what_the_full_model_shows() {
    let (mut smaller, mut merges, mut batches, mut shorter, mut by_need) = (0, 0, 0, 0, 0);
    let unlimited = Budget::unlimited();
    for seed in seeds(60) {
        let mut task = Task::new(seed);
        // One model of each kind, not what the map says.
        task.abstraction.variances.clear();
        let value = |part: &Part| matches!(part, Part::Value(_));
        let valued = (task.labels.rules.iter()).any(|r| r.label.iter().any(value));
        let few = Budget::unlimited().max_steps(2000);
        let options = Options {
            variance: Variance::Poly,
            ..task.options
        };
        let model = |keep_dead, variance, search: Search, budget: &Budget| {
            let options = Options {
                keep_dead,
                variance,
                ..options
            };
            let mut machine = task.machine(options);
            explore(&mut machine, task.entry, &search, budget)
        };
        let plain = Search::default();
        let all = model(true, Variance::Poly, plain, &few);
        let live = model(false, Variance::Poly, plain, &few);
        let threads = Search {
            jobs: 3,
            chunk: 2,
            ..plain
        };
        let parallel = model(false, Variance::Poly, threads, &few);
        assert!(
            parallel.lts == live.lts,
            "threads matter: seed {seed}\n{}",
            task.text
        );
        batches += usize::from(live.lts.states() > 50);
        let about = || format!("seed {seed}\n{}\n{}", task.text, task.maps);
        if all.partial.is_some() || live.partial.is_some() {
            continue;
        }
        smaller += usize::from(live.lts.states() < all.lts.states());
        let same = compare(&all.lts, &live.lts, Equivalence::Weak, &unlimited);
        assert!(
            matches!(same, Ok(Comparison::Equivalent)),
            "dead: {same:?} {}",
            about()
        );
        // Indices alone mostly tell what is dead here; need must not tell anything else.
        let mut machine = task.machine(Options {
            keep_dead: false,
            ..options
        });
        machine.prepare_by_need(task.entry, &unlimited);
        let needed = explore(&mut machine, task.entry, &plain, &few);
        if needed.partial.is_none() {
            let same = compare(&all.lts, &needed.lts, Equivalence::Weak, &unlimited);
            let equal = matches!(same, Ok(Comparison::Equivalent));
            assert!(equal, "need: {same:?} {}", about());
            by_need += usize::from(needed.lts.states() < all.lts.states());
        }
        let on_the_fly = Search {
            on_the_fly: true,
            ..plain
        };
        let short = model(false, Variance::Poly, on_the_fly, &few);
        shorter += usize::from(short.lts.states() < live.lts.states());
        let same = compare(&live.lts, &short.lts, Equivalence::Weak, &unlimited);
        assert!(
            matches!(same, Ok(Comparison::Equivalent)),
            "on the fly: {same:?} {}",
            about()
        );
        // A label with a value names the block, which is larger after a merge.
        if !valued {
            for variance in [Variance::Stack, Variance::Location] {
                // Merging may make a recursion endless that was not.
                let merged = model(false, variance, plain, &few);
                let time = Budget::unlimited().timeout(std::time::Duration::from_secs(20));
                let covered = trace_inclusion(&live.lts, &merged.lts, true, &time);
                if merged.partial.is_none() {
                    assert!(
                        matches!(covered, Ok(Comparison::Equivalent) | Err(_)),
                        "{variance:?} lacks a trace: {}",
                        about()
                    );
                    merges += 1;
                }
            }
        }
    }
    if std::env::var_os("CWOLF_SEED").is_none() {
        assert!(smaller > 0, "no variable was ever dead");
        assert!(by_need > 0, "nothing was ever found not to be needed");
        assert!(merges > 0, "no monovariant model was compared");
        assert!(batches > 0, "threads had nothing to do");
        assert!(shorter > 0, "nothing was left out on the fly");
    }
}

/// What a worker kept is what it would compute again.
#[test]
fn kept_steps_are_what_they_were() {
    for seed in seeds(20) {
        let task = Task::new(seed);
        let options = Options {
            variance: Variance::Poly,
            ..task.options
        };
        let mut machine = task.machine(options);
        let few = Budget::unlimited().max_steps(400);
        let model = explore(&mut machine, task.entry, &Search::default(), &few);
        for state in &model.states {
            let kept = machine.successors(*state);
            machine.forget_steps();
            assert_eq!(
                machine.successors(*state),
                kept,
                "seed {seed}\n{}",
                task.text
            );
        }
    }
}
