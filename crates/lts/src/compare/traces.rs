//! Trace equivalence and inclusion, with a shortest trace that tells two systems apart.

use super::Side;
use crate::labels::{Label, TAU};
use crate::lts::{Lts, State};
use crate::reduce::{DROPPED, Equivalence, Subsets, reduce};
use cwolf_base::{Budget, Exhausted};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// A path through pairs, remembered as a tree.
struct Paths {
    steps: Vec<(usize, Option<Label>)>,
}

impl Paths {
    fn new() -> Paths {
        Paths {
            steps: vec![(0, None)],
        }
    }
    fn add(&mut self, from: usize, label: Option<Label>) -> usize {
        self.steps.push((from, label));
        self.steps.len() - 1
    }
    fn trace(&self, mut at: usize, last: Label, lts: &Lts) -> Vec<String> {
        let mut labels = vec![last];
        while at != 0 {
            labels.extend(self.steps[at].1);
            at = self.steps[at].0;
        }
        let names = labels.iter().rev();
        names.map(|&a| lts.labels().name(a).to_owned()).collect()
    }
}

/// A shortest trace that only one of the systems has, and which; nothing when there is none.
pub(crate) fn difference(
    a: &Lts,
    b: &Lts,
    is_weak: bool,
    budget: &Budget,
) -> Result<Option<(Vec<String>, Side)>, Exhausted> {
    let equivalence = match is_weak {
        true => Equivalence::WeakTrace,
        false => Equivalence::StrongTrace,
    };
    // Both become deterministic, so a pair of states stands for a trace.
    let a = &reduce(a, equivalence, budget)?.lts;
    let b = &reduce(b, equivalence, budget)?.lts;
    let in_b: Vec<Option<Label>> = a.labels().names().map(|n| b.labels().lookup(n)).collect();
    let mut paths = Paths::new();
    let mut seen = FxHashSet::from_iter([(a.initial(), b.initial())]);
    let mut work = VecDeque::from([(a.initial(), b.initial(), 0)]);
    while let Some((s, t, path)) = work.pop_front() {
        if path % 1024 == 0 {
            budget.check(path as u64)?;
        }
        let mut common = 0;
        for (label, s2) in a.from(s) {
            let answer = in_b[label as usize].and_then(|l| b.targets_by(t, l).first());
            let Some(&t2) = answer else {
                return Ok(Some((paths.trace(path, label, a), Side::First)));
            };
            common += 1;
            if seen.insert((s2, t2)) {
                work.push_back((s2, t2, paths.add(path, Some(label))));
            }
        }
        if common < b.from(t).len() {
            let known = |l: Label| {
                let label = a.labels().lookup(b.labels().name(l));
                label.is_some_and(|l| !a.targets_by(s, l).is_empty())
            };
            let (label, _) = b
                .from(t)
                .find(|&(l, _)| !known(l))
                .expect("it has more steps");
            let mut trace = paths.trace(path, TAU, a);
            *trace.last_mut().expect("a trace has a step") = b.labels().name(label).to_owned();
            return Ok(Some((trace, Side::Second)));
        }
    }
    Ok(None)
}

/// A shortest trace of `a` that `b` does not have; nothing when all traces of `a` are traces of
/// `b`. Only `b` is made deterministic, and only as far as `a` goes.
pub(crate) fn not_included(
    a: &Lts,
    b: &Lts,
    is_weak: bool,
    budget: &Budget,
) -> Result<Option<Vec<String>>, Exhausted> {
    let finer = match is_weak {
        true => Equivalence::Weak,
        false => Equivalence::Strong,
    };
    let a = &reduce(a, finer, budget)?.lts;
    let b = &reduce(b, finer, budget)?.lts;
    let in_b: Vec<Option<Label>> = a.labels().names().map(|n| b.labels().lookup(n)).collect();
    let mut subsets = Subsets::new(b, is_weak);
    let mut unused = vec![DROPPED; b.states()];
    let start = (a.initial(), subsets.intern(&[b.initial()], &mut unused)?);
    let mut paths = Paths::new();
    let mut seen: FxHashSet<(State, u32)> = FxHashSet::from_iter([start]);
    let mut work = VecDeque::from([(start, 0)]);
    let mut moves = Vec::new();
    while let Some(((s, set), path)) = work.pop_front() {
        if path % 1024 == 0 {
            budget.check(path as u64)?;
        }
        subsets.moves(set, &mut moves);
        for (label, s2) in a.from(s) {
            if is_weak && label == TAU {
                // An internal step costs nothing: it goes first, so traces stay shortest.
                if seen.insert((s2, set)) {
                    work.push_front(((s2, set), paths.add(path, None)));
                }
                continue;
            }
            let answers = moves.iter().filter(|m| Some(m.0) == in_b[label as usize]);
            let targets: Vec<State> = answers.map(|m| m.1).collect();
            if targets.is_empty() {
                return Ok(Some(paths.trace(path, label, a)));
            }
            let next = (s2, subsets.intern(&targets, &mut unused)?);
            if seen.insert(next) {
                work.push_back((next, paths.add(path, Some(label))));
            }
        }
    }
    Ok(None)
}
