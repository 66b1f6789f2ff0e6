//! The thesis' cheap trace option (4.6): the peephole optimiser with a weaker criterion. A state
//! whose outgoing, or whose incoming, transitions are all tau is deleted and its neighbours are
//! connected directly. This keeps the visible traces and nothing else; it is neither the
//! smallest system nor deterministic.
//!
//! The start state stays, and so does a state where the system may end after a visible step. A
//! deletion that would multiply transitions is left undone.

use super::quotient::{self, DROPPED, Reduction};
use super::{peephole, tau_cycles};
use crate::labels::{Label, TAU};
use crate::lts::{Lts, State};
use cwolf_base::{Budget, Exhausted};
use std::collections::{BTreeSet, VecDeque};

/// A deletion may add this many transitions more than it removes.
const MAX_GROWTH: usize = 64;

pub(crate) fn reduce(lts: &Lts, budget: &Budget) -> Result<Reduction, Exhausted> {
    // The stricter passes first: they need only flat arrays, and leave little to do here.
    let first = tau_cycles::collapse(lts, budget)?;
    let next = peephole::reduce(&first.lts, budget)?;
    let first = first.then(next);
    let mut graph = Graph::new(&first.lts);
    let mut work: VecDeque<State> = (0..first.lts.states() as State).collect();
    let mut waiting = vec![true; work.len()];
    let mut steps = 0u64;
    while let Some(s) = work.pop_front() {
        if steps.is_multiple_of(1024) {
            budget.check(steps)?;
        }
        steps += 1;
        waiting[s as usize] = false;
        if let Some(neighbours) = graph.delete(s) {
            for n in neighbours {
                if !waiting[n as usize] {
                    waiting[n as usize] = true;
                    work.push_back(n);
                }
            }
        }
    }
    let second = graph.finish(&first.lts);
    Ok(first.then(second))
}

struct Graph {
    initial: State,
    out: Vec<BTreeSet<(Label, State)>>,
    into: Vec<BTreeSet<(Label, State)>>,
    /// For a deleted state, the neighbour that took over; for others themselves.
    heir: Vec<State>,
}

impl Graph {
    fn new(lts: &Lts) -> Graph {
        let mut out = vec![BTreeSet::new(); lts.states()];
        let mut into = vec![BTreeSet::new(); lts.states()];
        for (s, a, t) in lts.iter().filter(|&(s, a, t)| a != TAU || s != t) {
            out[s as usize].insert((a, t));
            into[t as usize].insert((a, s));
        }
        Graph {
            initial: lts.initial(),
            out,
            into,
            heir: (0..lts.states() as State).collect(),
        }
    }
    /// Deletes `s` if the criterion holds; returns its neighbours.
    fn delete(&mut self, s: State) -> Option<Vec<State>> {
        let (out, into) = (&self.out[s as usize], &self.into[s as usize]);
        if s == self.initial || self.heir[s as usize] != s {
            return None;
        }
        let silent = |edges: &BTreeSet<(Label, State)>| edges.iter().all(|e| e.0 == TAU);
        // With no way out, only the way in can be silent: else a visible last step is lost.
        let heir = if silent(out) && !out.is_empty() {
            out.first()
        } else if silent(into) {
            into.first()
        } else {
            return None;
        };
        let heir = heir.map_or(self.initial, |e| e.1);
        if into.len() * out.len() > into.len() + out.len() + MAX_GROWTH {
            return None;
        }
        let out = std::mem::take(&mut self.out[s as usize]);
        let into = std::mem::take(&mut self.into[s as usize]);
        for &(a, p) in &into {
            self.out[p as usize].remove(&(a, s));
        }
        for &(b, t) in &out {
            self.into[t as usize].remove(&(b, s));
        }
        for &(a, p) in &into {
            for &(b, t) in &out {
                let label = if a == TAU { b } else { a };
                if label != TAU || p != t {
                    self.out[p as usize].insert((label, t));
                    self.into[t as usize].insert((label, p));
                }
            }
        }
        self.heir[s as usize] = heir;
        Some(into.iter().chain(&out).map(|e| e.1).collect())
    }
    fn finish(mut self, lts: &Lts) -> Reduction {
        for s in 0..self.heir.len() {
            let mut end = s as State;
            while self.heir[end as usize] != end {
                end = self.heir[end as usize];
            }
            let mut at = s as State;
            while at != end {
                at = std::mem::replace(&mut self.heir[at as usize], end);
            }
        }
        let kept = (0..self.heir.len() as State).filter(|&s| self.heir[s as usize] == s);
        let kept: Vec<State> = kept.collect();
        let mut map = self.heir;
        let (classes, new) = quotient::renumber(&mut map);
        let number = |s: State| new[s as usize];
        debug_assert!(kept.iter().all(|&s| number(s) != DROPPED));
        let edges = kept.iter().flat_map(|&s| {
            self.out[s as usize]
                .iter()
                .map(move |&(a, t)| (number(s), a, number(t)))
        });
        let small = quotient::build(lts, &map, classes, edges);
        Reduction { lts: small, map }
    }
}
