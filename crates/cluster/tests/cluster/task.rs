//! Programs with maps, explored alone and together.

use crate::generate::{self, Rng};
use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Model, Search, explore};
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::{Abstraction, LabelMap, Text, parse_abstraction, parse_labels};
use cwolf_base::{Budget, SourceMap};
use cwolf_cfront::compile_text;
use cwolf_cluster::{Hosts, Job, Lost, Output, Summary, free_addresses, run};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, Program};
use cwolf_lts::{Format, Lts, write};
use std::time::Duration;

pub struct Task {
    pub text: String,
    program: Analysed,
    universe: Universe,
    abstraction: Abstraction,
    labels: LabelMap,
    pub entry: FuncId,
    pub options: Options,
}

impl Task {
    /// Lives as long as the test: threads of a failed run may still look at it.
    pub fn new(text: &str, abstraction: &str, labels: &str) -> &'static Task {
        let result = compile_text("x.c", text.as_bytes(), &cwolf_cfront::Options::default());
        let program = result.program.expect("a correct program");
        Task::with(text, program, abstraction, labels, Options::default())
    }
    pub fn random(seed: u64) -> &'static Task {
        let mut rng = Rng::new(seed);
        let text = generate::program(&mut rng);
        let result = compile_text("x.c", text.as_bytes(), &cwolf_cfront::Options::default());
        let mut program = result.program.expect("a correct program");
        generate::hide(&mut program);
        let abstraction = generate::abstraction(&mut rng, &text);
        let labels = generate::labels(&mut rng, &program);
        let options = Options {
            keep_dead: rng.below(3) == 0,
            ..Options::default()
        };
        Task::with(&text, program, &abstraction, &labels, options)
    }
    fn with(
        text: &str,
        program: Program,
        abstraction: &str,
        labels: &str,
        options: Options,
    ) -> &'static Task {
        let universe = Universe::default();
        let mut sources = SourceMap::default();
        let map = |text| Text { name: "map", text };
        let mut no_files = |_: &str| Err(String::new());
        let abstraction = parse_abstraction(
            &program,
            &universe,
            &mut sources,
            map(abstraction),
            &mut no_files,
        );
        let entry = program.function("main").expect("there is a main");
        let program: Analysed = program.into();
        let labels = parse_labels(&program, &mut sources, map(labels));
        Box::leak(Box::new(Task {
            text: text.to_owned(),
            entry,
            abstraction: abstraction.expect("a correct map"),
            labels: labels.expect("a correct map"),
            program,
            universe,
            options,
        }))
    }
    pub fn machine(&self) -> Machine<'_> {
        Machine::new(
            &self.program,
            &self.universe,
            &self.abstraction,
            &self.labels,
            self.options,
        )
    }
    /// What one machine makes of it, and what it says about it.
    pub fn alone(&self, search: &Search, budget: &Budget) -> (Model, Vec<String>) {
        let mut machine = self.machine();
        let model = explore(&mut machine, self.entry, search, budget);
        let notes = machine.notes().into_iter().map(|n| n.1).collect();
        (model, notes)
    }
    pub fn job(&self) -> Job {
        Job {
            entry: self.entry,
            on_the_fly: false,
            apart: false,
            detail: None,
            // Rounds are small, so that there are many.
            round: 40,
            reduce: None,
            output: Output::Model,
            checkpoints: None,
            digest: 7,
        }
    }
    /// What several processes make of it, each as threads here.
    pub fn together(
        &'static self,
        processes: usize,
        workers: usize,
        job: &Job,
        budget: &Budget,
    ) -> Vec<Result<Summary, Lost>> {
        let addresses = free_addresses(processes).expect("free ports");
        let one = |process: usize| {
            let hosts = Hosts {
                addresses: addresses.clone(),
                process,
                workers,
                patience: Duration::from_secs(60),
            };
            let (job, budget) = (job.clone(), budget.clone());
            move || run(self.machine(), &hosts, job, &budget)
        };
        let threads: Vec<_> = (0..processes).map(|p| std::thread::spawn(one(p))).collect();
        let joined = threads.into_iter().map(|t| t.join().expect("no panic"));
        joined.collect()
    }
}

/// A system with all that is said about it.
pub fn bytes(lts: &Lts) -> String {
    let mut bytes = Vec::new();
    write(Format::Aut, lts, &mut bytes).expect("memory");
    write(Format::Fsm, lts, &mut bytes).expect("memory");
    write(Format::Json, lts, &mut bytes).expect("memory");
    String::from_utf8(bytes).expect("text")
}
