//! Slow and simple oracles, straight from the definitions: simulation as a greatest fixpoint
//! over all pairs, must testing by running tests.

use cwolf_lts::{Lts, State, TAU};
use std::collections::BTreeSet;

fn closure(lts: &Lts, from: impl IntoIterator<Item = State>) -> BTreeSet<State> {
    let mut set: BTreeSet<State> = from.into_iter().collect();
    loop {
        let more: Vec<State> = set
            .iter()
            .flat_map(|&s| lts.tau_targets(s).iter().copied())
            .filter(|t| !set.contains(t))
            .collect();
        if more.is_empty() {
            return set;
        }
        set.extend(more);
    }
}

fn by_name(lts: &Lts, s: State, name: &str) -> Vec<State> {
    let steps = lts.from(s).filter(|(a, _)| lts.labels().name(*a) == name);
    steps.map(|(_, t)| t).collect()
}

fn answers(b: &Lts, q: State, name: &str, is_weak: bool) -> BTreeSet<State> {
    if !is_weak {
        return by_name(b, q, name).into_iter().collect();
    }
    let before = closure(b, [q]);
    match name == cwolf_lts::TAU_NAME {
        true => before,
        false => closure(b, before.iter().flat_map(|&s| by_name(b, s, name))),
    }
}

/// Whether `b` simulates `a`.
pub(super) fn simulates(a: &Lts, b: &Lts, is_weak: bool) -> bool {
    let mut related = vec![vec![true; b.states()]; a.states()];
    loop {
        let mut changed = false;
        for p in 0..a.states() as State {
            for q in 0..b.states() as State {
                let fits = a.from(p).all(|(label, p2)| {
                    let name = a.labels().name(label);
                    let mut list = answers(b, q, name, is_weak).into_iter();
                    list.any(|q2| related[p2 as usize][q2 as usize])
                });
                let slot = &mut related[p as usize][q as usize];
                changed |= *slot && !fits;
                *slot &= fits;
            }
        }
        if !changed {
            return related[a.initial() as usize][b.initial() as usize];
        }
    }
}

/// A test: a tree of steps, with internal ones, and success where `passes` says so.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) passes: bool,
    /// An action to synchronise on, or nothing for an internal step, and what follows.
    pub(super) steps: Vec<(Option<String>, Test)>,
}

impl Test {
    pub(super) fn stuck() -> Test {
        Test {
            passes: false,
            steps: Vec::new(),
        }
    }
    pub(super) fn pass() -> Test {
        Test {
            passes: true,
            steps: Vec::new(),
        }
    }
    /// Follows a trace, at each step ready to succeed instead, and goes on as `last`.
    pub(super) fn along(trace: &[String], last: Test) -> Test {
        let follow = |rest: Test, label: &String| Test {
            passes: false,
            steps: vec![(None, Test::pass()), (Some(label.clone()), rest)],
        };
        trace.iter().rev().fold(last, follow)
    }
}

/// Whether every maximal run of the system together with the test comes to a success.
pub(super) fn must_pass(lts: &Lts, test: &Test) -> bool {
    // Tests are trees: a run without success is stuck, or the system alone goes round for ever.
    fn fails(lts: &Lts, s: State, test: &Test) -> bool {
        if test.passes {
            return false;
        }
        // All that the system reaches silently while the test waits, cycles included.
        let all = closure(lts, [s]);
        let on_cycle = |&u: &State| closure(lts, lts.tau_targets(u).iter().copied()).contains(&u);
        if all.iter().any(on_cycle) {
            return true;
        }
        all.iter().any(|&u| {
            let mut is_stuck = lts.tau_targets(u).is_empty();
            let next = test.steps.iter().any(|(label, rest)| match label {
                None => {
                    is_stuck = false;
                    fails(lts, u, rest)
                }
                Some(name) => {
                    let targets = by_name(lts, u, name);
                    is_stuck &= targets.is_empty();
                    targets.iter().any(|&t| fails(lts, t, rest))
                }
            });
            next || is_stuck
        })
    }
    debug_assert_eq!(lts.labels().name(TAU), cwolf_lts::TAU_NAME);
    !fails(lts, lts.initial(), test)
}
