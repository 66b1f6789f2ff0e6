//! Weak bisimulation (observational equivalence), on the branching quotient, where it is cheap:
//! tau has no cycles left, and the system is small.
//!
//! The saturated transition relation is never stored. A block is a splitter for each label: who
//! reaches it by `tau* a tau*` is found by walking backwards from it.

use super::branching;
use super::partition::Partition;
use super::quotient::{self, Reduction};
use super::tau_cycles::Components;
use crate::labels::{Label, TAU};
use crate::lts::{Incoming, Lts, State};
use cwolf_base::{Budget, Exhausted};
use std::collections::VecDeque;

/// The quotient by weak bisimulation, with as few transitions as possible.
pub(crate) fn reduce(lts: &Lts, budget: &Budget) -> Result<Reduction, Exhausted> {
    let first = branching::reduce(lts, false, budget)?;
    let classes = classes(&first.lts, budget)?;
    let merged = quotient::of(&first.lts, classes, |c, a, d| a != TAU || c != d);
    let thin = without_redundant(&merged.lts, budget)?;
    let merged = Reduction {
        lts: thin,
        map: merged.map,
    };
    Ok(first.then(merged))
}

/// The classes of weak bisimulation.
fn classes(lts: &Lts, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
    let incoming = Incoming::new(lts);
    let mut partition = Partition::new(lts.states());
    let mut work = VecDeque::from([0]);
    let mut waiting = vec![true];
    let mut walk = Walk::new(lts.states());
    let mut visible: Vec<(Label, State)> = Vec::new();
    let mut steps = 0u64;
    while let Some(splitter) = work.pop_front() {
        waiting[splitter as usize] = false;
        if steps.is_multiple_of(64) {
            budget.check(steps)?;
        }
        steps += 1;
        walk.start();
        partition
            .members(splitter)
            .iter()
            .for_each(|&s| walk.visit(s));
        walk.close(&incoming);
        visible.clear();
        for &s in &walk.found {
            visible.extend(incoming.of(s).filter(|&(a, _)| a != TAU));
        }
        visible.sort_unstable();
        visible.dedup();
        split(&mut partition, &walk.found, &mut work, &mut waiting);
        for group in visible.chunk_by(|x, y| x.0 == y.0) {
            walk.start();
            group.iter().for_each(|&(_, s)| walk.visit(s));
            walk.close(&incoming);
            split(&mut partition, &walk.found, &mut work, &mut waiting);
        }
    }
    Ok(partition.block_of)
}

/// Separates `states` from the others in each block. Both parts become splitters again: that a
/// block was stable for the whole says nothing about its parts when steps are many-valued.
fn split(
    partition: &mut Partition,
    states: &[State],
    work: &mut VecDeque<u32>,
    waiting: &mut Vec<bool>,
) {
    let mut touched = Vec::new();
    for &s in states {
        if partition.mark(s) {
            touched.push(partition.block(s));
        }
    }
    for block in touched {
        if let Some(new) = partition.split(block) {
            waiting.push(true);
            work.push_back(new);
            if !waiting[block as usize] {
                waiting[block as usize] = true;
                work.push_back(block);
            }
        }
    }
}

/// A set of states that grows along internal transitions.
struct Walk {
    found: Vec<State>,
    stamp: Vec<u32>,
    now: u32,
}

impl Walk {
    fn new(states: usize) -> Walk {
        Walk {
            found: Vec::new(),
            stamp: vec![0; states],
            now: 0,
        }
    }
    fn start(&mut self) {
        self.found.clear();
        if self.now == u32::MAX {
            self.stamp.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }
    fn has(&self, state: State) -> bool {
        self.stamp[state as usize] == self.now
    }
    fn visit(&mut self, state: State) {
        if !self.has(state) {
            self.stamp[state as usize] = self.now;
            self.found.push(state);
        }
    }
    /// Adds all that reach the set by internal steps.
    fn close(&mut self, incoming: &Incoming) {
        let mut at = 0;
        while let Some(&s) = self.found.get(at) {
            for (a, p) in incoming.of(s) {
                if a == TAU {
                    self.visit(p);
                }
            }
            at += 1;
        }
    }
    /// Adds all that the set reaches by internal steps.
    fn close_forward(&mut self, lts: &Lts) {
        let mut at = 0;
        while let Some(&s) = self.found.get(at) {
            lts.tau_targets(s).iter().for_each(|&t| self.visit(t));
            at += 1;
        }
    }
}

/// Drops each transition that a longer way with the same label makes superfluous: `s -a-> t`
/// when `s` gets to `t` by `a` with an internal step before or after it.
///
/// Without tau cycles every such way moves down the order of internal steps, so all can be
/// dropped at once, and what is left is the only smallest choice.
fn without_redundant(lts: &Lts, budget: &Budget) -> Result<Lts, Exhausted> {
    let mut kept: Vec<(State, Label, State)> = Vec::new();
    // Proper internal successors of the state at hand, and where a label leads.
    let mut below = Walk::new(lts.states());
    let mut reach = Walk::new(lts.states());
    debug_assert_eq!(Components::new(lts).count, lts.states());
    for s in 0..lts.states() as State {
        if s.is_multiple_of(256) {
            budget.check(u64::from(s))?;
        }
        let all: Vec<(Label, State)> = lts.from(s).collect();
        if all.len() == 1 {
            kept.push((s, all[0].0, all[0].1));
            continue;
        }
        below.start();
        lts.tau_targets(s).iter().for_each(|&t| below.visit(t));
        below.close_forward(lts);
        for group in all.chunk_by(|x, y| x.0 == y.0) {
            let label = group[0].0;
            reach.start();
            if label == TAU {
                // What lies two or more steps below.
                for &(_, t) in group {
                    lts.tau_targets(t).iter().for_each(|&u| reach.visit(u));
                }
            } else {
                for &t in &below.found {
                    lts.targets_by(t, label)
                        .iter()
                        .for_each(|&u| reach.visit(u));
                }
                for &(_, t) in group {
                    lts.tau_targets(t).iter().for_each(|&u| reach.visit(u));
                }
            }
            reach.close_forward(lts);
            kept.extend(
                group
                    .iter()
                    .filter(|(_, t)| !reach.has(*t))
                    .map(|&(a, t)| (s, a, t)),
            );
        }
    }
    let identity: Vec<State> = (0..lts.states() as State).collect();
    Ok(quotient::build(
        lts,
        &identity,
        lts.states(),
        kept.into_iter(),
    ))
}
