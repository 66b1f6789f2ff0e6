//! Several processes find what one machine finds, and end when one of them is lost.
//!
//! `CWOLF_SEED=n` replays one random program.

#[expect(dead_code, reason = "it also makes programs for other tests")]
#[path = "../../../absint/tests/absint/soundness/generate.rs"]
mod generate;
mod task;

use cwolf_absint::explore::Search;
use cwolf_base::Budget;
use cwolf_cluster::{Bisimulation, Output};
use cwolf_lts::{Comparison, Equivalence, compare, reduce};
use task::{Task, bytes};

const SIZES: [(usize, usize); 6] = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)];

/// A buffer between a producer and a consumer, with calls, ends and several labels a step.
const BUFFER: &str = "
    extern int __VERIFIER_nondet_int(void);
    extern void say(int), done(void);
    static int full, slot[4], got;
    static void put(int v) { slot[full & 3] = v; full++; }
    static int take(void) { full--; return slot[full & 3]; }
    int main(void) {
        for (;;) {
            int v = __VERIFIER_nondet_int();
            switch (v) {
            case 0: if (full < 4) { put(1); say(1); } break;
            case 1: if (full < 4) { put(2); say(2); } break;
            case 2: if (full > 0) { got = take(); say(got); } break;
            case 3: if (full == 4) { done(); return got; } break;
            }
        }
    }";
const BUFFER_MAP: &str = "var full : int; var slot : int array; var got : int;
    fun put(var v : int) { } fun take() { } fun main() { var v : int; }";
const BUFFER_LABELS: &str = "call(say) => say; call(done) => done; write(got) => got;
    exit == 1 => `one; exit => end;";

fn seeds(usual: u64) -> std::ops::Range<u64> {
    match std::env::var("CWOLF_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
    {
        Some(seed) => seed..seed + 1,
        None => 0..usual,
    }
}

/// Compares one machine with several processes, byte for byte.
fn same(task: &'static Task, sizes: &[(usize, usize)], search: Search, budget: &Budget) {
    let (alone, notes) = task.alone(&search, budget);
    let mut job = task.job();
    job.on_the_fly = search.on_the_fly;
    job.detail = search.detail;
    let wanted = bytes(&alone.lts);
    for (processes, workers) in sizes {
        // Both ways of expanding find the same.
        job.apart = !job.apart;
        let all = task.together(*processes, *workers, &job, budget);
        let context = format!("{processes} processes, {workers} workers of\n{}", task.text);
        for (process, summary) in all.into_iter().enumerate() {
            let summary = summary.unwrap_or_else(|lost| panic!("{lost}: {context}"));
            assert_eq!(summary.explored, alone.lts.states() as u64, "{context}");
            assert_eq!(summary.partial, alone.partial, "{context}");
            assert_eq!(summary.model.is_some(), process == 0);
            let Some(model) = summary.model else { continue };
            assert_eq!(summary.transitions, alone.lts.transitions() as u64);
            let found = bytes(&model.lts);
            let differ = found.lines().zip(wanted.lines()).find(|(a, b)| a != b);
            assert!(found == wanted, "{differ:?}: {context}");
            assert_eq!(model.halted, alone.halted, "{context}");
            let told: Vec<String> = summary.notes.into_iter().map(|n| n.1).collect();
            // Which states were looked at beyond a limit is nobody's business.
            if alone.partial.is_none() {
                assert_eq!(told, notes, "{context}");
            }
        }
    }
}

#[test]
fn a_program_with_calls_and_ends() {
    let task = Task::new(BUFFER, BUFFER_MAP, BUFFER_LABELS);
    let search = Search {
        detail: Some(2),
        ..Search::default()
    };
    let (alone, _) = task.alone(&search, &Budget::unlimited());
    assert!(alone.lts.states() > 300 && alone.halted.len() > 1 && alone.lts.labels().len() > 3);
    same(task, &SIZES, search, &Budget::unlimited());
    let on_the_fly = Search {
        on_the_fly: true,
        ..search
    };
    same(task, &SIZES[4..], on_the_fly, &Budget::unlimited());
}

#[test]
fn how_much_is_done_in_a_step_changes_nothing() {
    let task = Task::new(BUFFER, BUFFER_MAP, BUFFER_LABELS);
    let (alone, _) = task.alone(&Search::default(), &Budget::unlimited());
    let count = (alone.lts.states() as u64, alone.lts.transitions() as u64);
    for round in [1, 7, 300, u64::MAX / 8] {
        let mut job = task.job();
        job.round = round;
        for (output, limit) in [
            (Output::Model, None),
            (Output::Count, None),
            (Output::Count, Some(500)),
        ] {
            let budget = match limit {
                Some(limit) => Budget::unlimited().max_steps(limit),
                None => Budget::unlimited(),
            };
            job.output = output;
            for summary in task.together(3, 1, &job, &budget) {
                let summary = summary.expect("all are there");
                let found = (summary.explored, summary.transitions);
                match limit {
                    None => assert_eq!(found, count),
                    Some(limit) => {
                        let (part, _) = task.alone(&Search::default(), &budget);
                        assert_eq!(found, (limit, part.lts.transitions() as u64));
                        assert_eq!(summary.partial, part.partial);
                    }
                }
                if let Some(model) = summary.model {
                    assert!(bytes(&model.lts) == bytes(&alone.lts), "{round}");
                }
            }
        }
    }
}

#[test]
fn a_limit_on_states_cuts_at_the_same_place() {
    let task = Task::new(BUFFER, BUFFER_MAP, BUFFER_LABELS);
    for limit in [0, 1, 2, 3, 50, 51, 200, 1128, 1129, 1130] {
        let budget = Budget::unlimited().max_steps(limit);
        same(task, &[(1, 1), (2, 2)], Search::default(), &budget);
    }
}

#[test]
fn random_programs() {
    let budget = Budget::unlimited().max_steps(400);
    let mut compared = 0;
    for seed in seeds(24) {
        let task = Task::random(seed);
        if !task.machine().is_polyvariant() {
            continue;
        }
        compared += 1;
        let search = Search {
            detail: (seed % 2 == 0).then_some(1),
            on_the_fly: seed % 3 == 0,
            ..Search::default()
        };
        let size = SIZES[seed as usize % SIZES.len()];
        same(task, &[size], search, &budget);
    }
    assert!(compared > 0);
}
/// Reduces the parts, and compares with what becomes of the whole on one machine.
fn reduced(task: &'static Task, size: (usize, usize), detail: Option<u32>, budget: &Budget) {
    let search = Search {
        detail,
        ..Search::default()
    };
    let (alone, _) = task.alone(&search, budget);
    for (by, equivalence) in [
        (Bisimulation::Strong, Equivalence::Strong),
        (Bisimulation::Branching, Equivalence::Branching),
    ] {
        let small = reduce(&alone.with_one_end(), equivalence, &Budget::unlimited());
        let small = small.expect("no limit").lts;
        let mut job = task.job();
        job.detail = detail;
        job.reduce = Some(by);
        let all = task.together(size.0, size.1, &job, budget);
        let first = all.into_iter().next().expect("a process");
        let model = first
            .expect("all are there")
            .model
            .expect("process 0 has it");
        let context = format!("{by:?} {size:?}\n{}", task.text);
        assert_eq!(model.lts.states(), small.states(), "{context}");
        let compared = compare(&model.lts, &small, equivalence, &Budget::unlimited());
        assert!(
            matches!(compared, Ok(Comparison::Equivalent)),
            "{compared:?} {context}"
        );
        let (found, wanted) = (bytes(&model.lts), bytes(&small));
        let differ = found.lines().zip(wanted.lines()).find(|(a, b)| a != b);
        assert!(found == wanted, "{differ:?}: {context}");
    }
}

#[test]
fn parts_are_reduced_as_the_whole_is() {
    let task = Task::new(BUFFER, BUFFER_MAP, BUFFER_LABELS);
    for (n, size) in SIZES.into_iter().enumerate() {
        let detail = (n % 2 == 0).then_some(1);
        reduced(task, size, detail, &Budget::unlimited());
    }
    // Silent steps only: cycles and long ways.
    let silent = Task::new(BUFFER, BUFFER_MAP, "exit => end;");
    reduced(silent, (2, 2), None, &Budget::unlimited());
    let budget = Budget::unlimited().max_steps(250);
    for seed in seeds(24) {
        let task = Task::random(seed);
        if task.machine().is_polyvariant() {
            reduced(task, SIZES[seed as usize % SIZES.len()], None, &budget);
        }
    }
}
