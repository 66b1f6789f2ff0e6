//! Soundness against the concrete semantics: every run of random programs is a path of their
//! model, step by step, and the environments on it cover the values of the run.
//!
//! `CWOLF_SEED=n` replays one program.

mod generate;

use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{explore, explore_monovariant};
use cwolf_absint::machine::{Machine, Options, State};
use cwolf_absint::map::{Text, parse_abstraction, parse_labels};
use cwolf_base::{Budget, SourceMap};
use cwolf_cfront::compile_text;
use cwolf_cwi::Program;
use cwolf_interp::{At, Outcome, Random, Tracer, View};
use cwolf_lts::{Comparison, Equivalence, compare, trace_inclusion};
use generate::Rng;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

const PROGRAMS: u64 = 1000;
const RUNS: u64 = 4;
/// A run with more possible abstract states than this is not followed further.
const MAX_STATES: usize = 300;

struct Follower<'p> {
    machine: Machine<'p>,
    cache: HashMap<State, Vec<State>>,
    entry: cwolf_cwi::FuncId,
    current: Option<Vec<State>>,
    gave_up: bool,
    steps: usize,
}

impl Follower<'_> {
    fn successors(&mut self, state: State) -> Vec<State> {
        if let Some(found) = self.cache.get(&state) {
            return found.clone();
        }
        let found: Vec<State> = self
            .machine
            .successors(state)
            .into_iter()
            .map(|s| s.state)
            .collect();
        self.cache.insert(state, found.clone());
        found
    }
    /// The states at the start of a block (or at the end of the program) that come next.
    fn next(&mut self) -> Vec<State> {
        let mut todo = self.current.take().unwrap_or_default();
        let (mut seen, mut found) = (HashSet::new(), Vec::new());
        while let Some(state) = todo.pop() {
            for next in self.successors(state) {
                if !seen.insert(next) {
                    continue;
                }
                if self.machine.block_start(next).is_some() || self.machine.is_halted(next) {
                    found.push(next);
                } else {
                    todo.push(next);
                }
            }
        }
        found
    }
}

struct Shared<'p>(Rc<RefCell<Follower<'p>>>);

impl Tracer for Shared<'_> {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        let mut follower = self.0.borrow_mut();
        if at.index != 0 || follower.gave_up {
            return;
        }
        let candidates = match follower.current {
            None => vec![{
                let entry = follower.entry;
                follower.machine.initial(entry)
            }],
            Some(_) => follower.next(),
        };
        let mut why = String::new();
        let mut fitting = Vec::new();
        for state in &candidates {
            if follower.machine.block_start(*state) != Some((at.func, at.block)) {
                continue;
            }
            match follower.machine.covers(*state, &|place| view.load(place)) {
                Ok(()) => fitting.push(*state),
                Err(what) => {
                    why += &format!("{what}, not in\n{}\n", follower.machine.describe(*state, 1));
                }
            }
        }
        assert!(
            !fitting.is_empty(),
            "the run goes to {}:block_{}, the model does not: {} candidates\n{why}",
            view.program().funcs[at.func].name,
            at.block.0,
            candidates.len()
        );
        follower.gave_up = fitting.len() > MAX_STATES;
        follower.current = Some(fitting);
        follower.steps += 1;
    }
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

/// How many block steps were followed.
fn check(program: &Program, abstraction: &str, labels: &str, seed: u64, keep_dead: bool) -> usize {
    let universe = Universe::default();
    let mut sources = SourceMap::default();
    let map = |text| Text { name: "map", text };
    let mut no_files = |_: &str| Err(String::new());
    let found = parse_abstraction(
        program,
        &universe,
        &mut sources,
        map(abstraction),
        &mut no_files,
    );
    let abstraction = found.unwrap_or_else(|e| panic!("{:?}", e.iter().collect::<Vec<_>>()));
    let found = parse_labels(program, &mut sources, map(labels));
    let labels = found.unwrap_or_else(|e| panic!("{:?}", e.iter().collect::<Vec<_>>()));
    let options = Options {
        keep_dead,
        ..Options::default()
    };
    let mut machine = Machine::new(program, &universe, &abstraction, &labels, options);
    let entry = program.function("main").expect("there is a main");
    machine.initial(entry);
    let follower = Rc::new(RefCell::new(Follower {
        machine,
        cache: HashMap::new(),
        entry,
        current: None,
        gave_up: false,
        steps: 0,
    }));
    for run in 0..RUNS {
        follower.borrow_mut().current = None;
        follower.borrow_mut().gave_up = false;
        let options = cwolf_interp::Options {
            oracle: Box::new(Random::new(seed * RUNS + run)),
            budget: Budget::unlimited().max_steps(1500),
            tracer: Some(Box::new(Shared(follower.clone()))),
            ..cwolf_interp::Options::default()
        };
        let outcome = cwolf_interp::Machine::new(program, options).run("main");
        let mut follower = follower.borrow_mut();
        if let Outcome::Exit(_) = outcome
            && !follower.gave_up
        {
            let ends = follower.next();
            assert!(
                ends.iter().any(|s| follower.machine.is_halted(*s)),
                "the model does not end"
            );
        }
    }
    follower.borrow().steps
}

#[test]
fn every_run_is_a_path_of_the_model() {
    let seeds = match std::env::var("CWOLF_SEED") {
        Ok(seed) => {
            let seed = seed.parse().expect("a number");
            seed..seed + 1
        }
        Err(_) => 0..PROGRAMS,
    };
    let mut steps = 0;
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let text = generate::program(&mut rng);
        let local = text.contains("int x = 2;");
        let abstraction = generate::abstraction(&mut rng, local);
        let labels = generate::labels(&mut rng);
        let keep_dead = rng.below(2) == 0;
        let result = std::panic::catch_unwind(|| {
            check(&compile(&text), &abstraction, &labels, seed, keep_dead)
        });
        match result {
            Ok(n) => steps += n,
            Err(_) => panic!("CWOLF_SEED={seed}\n{text}\n{abstraction}\n{labels}"),
        }
    }
    // About sixty steps a program; far fewer would mean that runs are not followed.
    let one = std::env::var_os("CWOLF_SEED").is_some();
    assert!(
        one || steps as u64 > 20 * PROGRAMS,
        "only {steps} steps were followed"
    );
}

/// Dropping dead variables merges states, but nothing that is seen changes, not even the number
/// of silent steps. The monovariant model has all traces of the polyvariant one.
#[test]
fn other_models_show_what_the_full_model_shows() {
    let (mut smaller, mut merges) = (0, 0);
    for seed in 0..PROGRAMS / 5 {
        let mut rng = Rng::new(seed);
        let text = generate::program(&mut rng);
        let abstraction = generate::abstraction(&mut rng, text.contains("int x = 2;"));
        let labels = generate::labels(&mut rng);
        let values = labels.contains('{');
        let program = compile(&text);
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
        let abstraction = found.expect("a correct map");
        let labels = parse_labels(&program, &mut sources, map(&labels)).expect("a correct map");
        let entry = program.function("main").expect("there is a main");
        let budget = Budget::unlimited().max_steps(2000);
        let model = |keep_dead| {
            let options = Options {
                keep_dead,
                ..Options::default()
            };
            let mut machine = Machine::new(&program, &universe, &abstraction, &labels, options);
            explore(&mut machine, entry, 0, &budget)
        };
        let (all, live) = (model(true), model(false));
        if all.partial.is_some() || live.partial.is_some() {
            continue;
        }
        smaller += usize::from(live.lts.states() < all.lts.states());
        let same = compare(
            &all.lts,
            &live.lts,
            Equivalence::Strong,
            &Budget::unlimited(),
        );
        let mut machine = Machine::new(
            &program,
            &universe,
            &abstraction,
            &labels,
            Options::default(),
        );
        let budget = Budget::unlimited().timeout(std::time::Duration::from_secs(20));
        // Merging may make a recursion endless that was not.
        let few = Budget::unlimited().max_steps(20_000);
        let merged = explore_monovariant(&mut machine, entry, 0, &few);
        let covered = trace_inclusion(&live.lts, &merged.lts, true, &budget);
        // A label with a value names the block, which is larger after a merge.
        if !values && merged.partial.is_none() {
            assert!(
                matches!(covered, Ok(Comparison::Equivalent) | Err(_)),
                "the monovariant model lacks a trace: seed {seed}\n{text}"
            );
            merges += 1;
        }
        assert!(
            matches!(same, Ok(Comparison::Equivalent)),
            "seed {seed}\n{text}"
        );
    }
    assert!(smaller > 0, "no variable was ever dead");
    assert!(merges > 0, "no monovariant model was compared");
}
