//! Who reaches what by `tau*` and `tau* a tau*`, for many goals at once: a bit for each goal,
//! as many goals a batch as memory allows. Where internal steps are dense this is far cheaper
//! than to walk from each state, and nothing is ever stored for all goals.

use super::tau_cycles::Components;
use crate::labels::{Label, TAU};
use crate::lts::{Incoming, Lts, State};

/// All rows together have at most about this many words.
const MAX_WORDS: usize = 1 << 22;

pub(super) struct ReachBits<'a> {
    lts: &'a Lts,
    incoming: &'a Incoming,
    /// The states, those first that internal steps lead to.
    order: Vec<State>,
    rank: Vec<u32>,
    words: usize,
    silent: Vec<u64>,
    visible: Vec<u64>,
    /// Whether a state has a row in `visible`.
    acts: Vec<bool>,
    /// The states that have one.
    actors: Vec<State>,
}

impl<'a> ReachBits<'a> {
    /// For `lts`, which has no tau cycles.
    pub(super) fn new(lts: &'a Lts, incoming: &'a Incoming) -> ReachBits<'a> {
        let rank = Components::new(lts).of;
        let mut order: Vec<State> = (0..lts.states() as State).collect();
        order.sort_unstable_by_key(|&s| rank[s as usize]);
        let words = (MAX_WORDS / lts.states()).clamp(1, 64);
        ReachBits {
            lts,
            incoming,
            order,
            rank,
            words,
            silent: vec![0; lts.states() * words],
            visible: vec![0; lts.states() * words],
            acts: vec![false; lts.states()],
            actors: Vec::new(),
        }
    }
    /// Batches of one word, so that tests need several.
    #[cfg(test)]
    pub(super) fn narrow(&mut self) {
        self.words = 1;
    }
    /// How many goals there are in a batch.
    pub(super) fn batch(&self) -> u32 {
        self.words as u32 * 64
    }
    /// About how many operations it takes to look at `goals` goals for every label.
    pub(super) fn cost(&self, goals: usize) -> u64 {
        let rows = self.lts.states() + self.lts.transitions();
        let words = (goals / 64 + self.words) as u64;
        words * rows as u64 * self.lts.labels().len() as u64
    }
    fn row(&self, state: State) -> std::ops::Range<usize> {
        let start = state as usize * self.words;
        start..start + self.words
    }
    /// The goals that `state` reaches silently.
    pub(super) fn silent(&self, state: State) -> &[u64] {
        &self.silent[self.row(state)]
    }
    /// The goals that `state` reaches by the label of [`ReachBits::follow`], if any.
    pub(super) fn visible(&self, state: State) -> Option<&[u64]> {
        self.acts[state as usize].then(|| &self.visible[self.row(state)])
    }
    /// Looks at the goals `first..first + batch`; `goal` is the one that each state is.
    pub(super) fn start(&mut self, first: u32, goal: impl Fn(State) -> u32) {
        let mut row = vec![0u64; self.words];
        for &s in &self.order {
            row.fill(0);
            for &t in self.lts.tau_targets(s) {
                join(&mut row, &self.silent[self.row(t)]);
            }
            let own = goal(s).wrapping_sub(first) as usize;
            if own < self.words * 64 {
                row[own / 64] |= 1 << (own % 64);
            }
            let range = self.row(s);
            self.silent[range].copy_from_slice(&row);
        }
    }
    /// Follows one label, for the goals of the last [`ReachBits::start`].
    pub(super) fn follow(&mut self, label: Label, sources: &[State]) {
        for s in self.actors.drain(..) {
            self.acts[s as usize] = false;
        }
        for &s in sources {
            if !std::mem::replace(&mut self.acts[s as usize], true) {
                self.actors.push(s);
            }
        }
        let mut at = 0;
        while let Some(&s) = self.actors.get(at) {
            for (_, p) in self.incoming.of(s).filter(|e| e.0 == TAU) {
                if !std::mem::replace(&mut self.acts[p as usize], true) {
                    self.actors.push(p);
                }
            }
            at += 1;
        }
        let rank = &self.rank;
        self.actors.sort_unstable_by_key(|&s| rank[s as usize]);
        let mut row = vec![0u64; self.words];
        for &s in &self.actors {
            row.fill(0);
            for &t in self.lts.tau_targets(s) {
                if self.acts[t as usize] {
                    join(&mut row, &self.visible[self.row(t)]);
                }
            }
            for &t in self.lts.targets_by(s, label) {
                join(&mut row, &self.silent[self.row(t)]);
            }
            let range = self.row(s);
            self.visible[range].copy_from_slice(&row);
        }
    }
}

/// Adds the bits of `other`.
pub(super) fn join(row: &mut [u64], other: &[u64]) {
    for (slot, &more) in row.iter_mut().zip(other) {
        *slot |= more;
    }
}

/// The sources of each label's transitions, each once.
pub(super) fn sources_by_label(lts: &Lts) -> Vec<Vec<State>> {
    let mut sources: Vec<Vec<State>> = vec![Vec::new(); lts.labels().len()];
    for (s, a, _) in lts.iter().filter(|e| e.1 != TAU) {
        let list = &mut sources[a as usize];
        if list.last() != Some(&s) {
            list.push(s);
        }
    }
    sources
}
