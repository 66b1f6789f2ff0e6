//! Dead cells that are found by need: random programs on buffers whose contents say what is
//! read and written next.

use super::generate::Rng;
use super::{Task, compile, seeds};
use cwolf_absint::explore::{Model, Search, explore};
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::Variance;
use cwolf_base::Budget;
use cwolf_lts::{Comparison, Equivalence, compare};
use std::sync::atomic::Ordering;

/// What one turn of the loop may do.
const ACTS: [&str; 12] = [
    "line[0] = any() % N; line[1] = any() % 2;",
    "ring[line[0]] = line[1]; full[line[0]] = 1;",
    "if (full[head]) { last = ring[head]; full[head] = 0; head = (head + 1) % N; }",
    "head = line[0];",
    "where[head] = &ring[line[0]];",
    "if (where[head]) { last = *where[head]; where[head] = 0; }",
    "if (where[line[0]]) *where[line[0]] = line[1];",
    "ring[(head + 1) % N] = any() % 2;",
    "last = pick(line, any() % 2);",
    "head = ring[head] ? line[0] : (head + 1) % N;",
    "if (any() % 2) full[head] = 0;",
    "for (i = 0; i < N; i++) if (!full[i]) ring[i] = 0;",
];

fn program(rng: &mut Rng) -> String {
    let mut text = format!(
        "extern int __VERIFIER_nondet_int(void);\n\
         static unsigned any(void) {{ return __VERIFIER_nondet_int(); }}\n\
         enum {{ N = {} }};\n\
         static unsigned char ring[N], full[N], line[2], head, last, *where[N];\n\
         static unsigned char pick(unsigned char *from, int at) {{ return from[at]; }}\n\
         int main(void) {{\n int i;\n for (;;) {{\n",
        2 + rng.below(2)
    );
    for _ in 0..2 + rng.below(3) {
        text += "  switch (any() % 3) {\n";
        for n in 0..2 {
            text += &format!("  case {n}: {} break;\n", rng.pick(&ACTS));
        }
        text += "  }\n";
    }
    text += "  if (last > 2) return 1;\n }\n}\n";
    text
}

const MAP: &str = "var ring : int array; var full : int array; var line : int array; var where : pointer array;\n\
    var head : int; var last : int;\n\
    fun pick(var from : pointer, var at : int) : int {} fun main() { var i : int; }\n";

/// What is forgotten is not missed: the model is strongly bisimilar to the one with all cells,
/// for any number of threads, and also if learning was cut or indices alone told what is dead.
#[test]
fn cells_that_nobody_needs_are_not_missed() {
    let (mut smaller, mut compared) = (0, 0);
    for seed in seeds(150) {
        let mut rng = Rng::new(seed);
        let text = program(&mut rng);
        let labels = match rng.below(3) {
            0 => "watch(last == 1) => one;".to_owned(),
            1 => "watch(last == 1) => one; watch(last == 0) => zero; write(full) => full;".into(),
            _ => "read(ring) => reads; watch(last == 1 && head == 1) => first;".into(),
        };
        let mut task = Task::with(&mut rng, text.clone(), compile(&text), MAP.into(), labels);
        task.options.variance = Variance::Poly;
        let unlimited = Budget::unlimited();
        let few = Budget::unlimited().max_steps(20_000);
        let model = |keep_dead, search: Search, prepare: &dyn Fn(&mut Machine<'_>)| -> Model {
            let mut machine = task.machine(Options {
                keep_dead,
                ..task.options
            });
            prepare(&mut machine);
            explore(&mut machine, task.entry, &search, &few)
        };
        let by_need = |machine: &mut Machine<'_>| machine.prepare_by_need(task.entry, &unlimited);
        let cut = |machine: &mut Machine<'_>| {
            let stopped = Budget::unlimited();
            stopped.cancel_flag().store(true, Ordering::Relaxed);
            machine.prepare_by_need(task.entry, &stopped);
        };
        let plain = Search::default();
        let threads = Search {
            jobs: 3,
            chunk: 2,
            ..plain
        };
        let about = || format!("CWOLF_SEED={seed}\n{}\n{}", task.text, task.maps);
        let needed = model(false, plain, &by_need);
        let parallel = model(false, threads, &by_need);
        assert!(parallel.lts == needed.lts, "threads matter: {}", about());
        let all = model(true, plain, &|_| ());
        if all.partial.is_some() || needed.partial.is_some() {
            continue;
        }
        compared += 1;
        let unlearned = model(false, plain, &cut);
        let guided = model(false, plain, &|_| ());
        for (name, other) in [("need", &needed), ("cut", &unlearned), ("guide", &guided)] {
            let same = compare(&all.lts, &other.lts, Equivalence::Strong, &unlimited);
            let same = matches!(same, Ok(Comparison::Equivalent));
            assert!(same, "{name}: {}", about());
        }
        smaller += usize::from(needed.lts.states() < unlearned.lts.states());
    }
    if std::env::var_os("CWOLF_SEED").is_none() {
        assert!(
            8 * smaller > compared,
            "{smaller} of {compared} are smaller"
        );
    }
}
