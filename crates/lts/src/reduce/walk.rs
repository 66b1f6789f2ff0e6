//! Sets of states that are made over and over.

use crate::lts::{Lts, State};

/// A set of states that grows along internal transitions.
pub(crate) struct Walk {
    pub(crate) found: Vec<State>,
    stamp: Vec<u32>,
    now: u32,
    /// How many states were found, in all sets together.
    pub(crate) met: u64,
}

impl Walk {
    pub(crate) fn new(states: usize) -> Walk {
        Walk {
            found: Vec::new(),
            stamp: vec![0; states],
            now: 0,
            met: 0,
        }
    }
    pub(crate) fn start(&mut self) {
        self.found.clear();
        if self.now == u32::MAX {
            self.stamp.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }
    pub(crate) fn has(&self, state: State) -> bool {
        self.stamp[state as usize] == self.now
    }
    pub(crate) fn visit(&mut self, state: State) {
        if !self.has(state) {
            self.stamp[state as usize] = self.now;
            self.found.push(state);
            self.met += 1;
        }
    }
    /// Adds all that the set reaches by internal steps.
    pub(crate) fn close(&mut self, lts: &Lts) {
        let mut at = 0;
        while let Some(&s) = self.found.get(at) {
            lts.tau_targets(s).iter().for_each(|&t| self.visit(t));
            at += 1;
        }
    }
}
