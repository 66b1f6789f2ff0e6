//! The smaller side of a split: those of a block who get inertly to a transition in a slice,
//! and those who do not, are searched in turns, one step each. A side that turns out to have
//! more than half of the block is given up, and the other is searched to its end.

use super::bunches::{NONE, Refiner};
use crate::labels::TAU;
use crate::lts::State;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Unknown,
    /// Gets to a transition in the slice.
    There,
    Not,
}

/// A side as far as it is known.
#[derive(Default)]
struct Found {
    states: Vec<State>,
    /// The state whose incoming transitions are looked at, as a place in `states`, and the
    /// next of them.
    at: usize,
    next: u32,
}

/// The memory of searches; clean between them.
pub(super) struct Search {
    side: Vec<Side>,
    /// How many inert transitions of a state may still lead to the side that gets there; 0 if
    /// none was looked at.
    untested: Vec<u32>,
    tested: Vec<State>,
    there: Found,
    not: Found,
    /// The next transition of the slice to look at.
    in_slice: u32,
    /// The next bottom state that does not get there.
    bottom: u32,
    /// A state all of whose inert transitions lead to those who do not get there, and the next
    /// of its transitions to look at.
    candidate: Option<(State, usize)>,
}

impl Search {
    pub(super) fn new(states: usize) -> Search {
        Search {
            side: vec![Side::Unknown; states],
            untested: vec![0; states],
            tested: Vec::new(),
            there: Found::default(),
            not: Found::default(),
            in_slice: 0,
            bottom: NONE,
            candidate: None,
        }
    }
    /// Tells before the search that `state` gets there; whether that is news.
    pub(super) fn start_with(&mut self, state: State) -> bool {
        self.there_is(state)
    }
    /// The states that were given to [`Search::start_with`].
    pub(super) fn started(&self) -> &[State] {
        &self.there.states
    }
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for found in [&mut self.there, &mut self.not] {
            for &s in &found.states {
                self.side[s as usize] = Side::Unknown;
            }
            found.states.clear();
            (found.at, found.next) = (0, 0);
        }
        for s in self.tested.drain(..) {
            self.untested[s as usize] = 0;
        }
        self.candidate = None;
    }
    fn there_is(&mut self, state: State) -> bool {
        let is_new = self.side[state as usize] == Side::Unknown;
        if is_new {
            self.side[state as usize] = Side::There;
            self.there.states.push(state);
        }
        is_new
    }
    fn not_is(&mut self, state: State) {
        self.side[state as usize] = Side::Not;
        self.not.states.push(state);
    }
}

impl Refiner<'_> {
    /// The smaller side of `block`, and whether it is the one that gets to `slice`. The bottom
    /// states that get there are those the search was started with.
    pub(super) fn find_smaller(&mut self, block: u32, slice: u32) -> (Vec<State>, bool) {
        let most = self.sizes[block as usize] as usize / 2;
        self.search.bottom = self.bottoms.first(block);
        self.search.in_slice = 0;
        let gets_there = loop {
            if self.search.there.states.len() <= most && self.step_there(block, slice) {
                break true;
            }
            if self.search.not.states.len() <= most && self.step_not(block, slice) {
                break false;
            }
        };
        let found = match gets_there {
            true => &mut self.search.there,
            false => &mut self.search.not,
        };
        let part = found.states.clone();
        self.search.clear();
        (part, gets_there)
    }

    /// One step of the search for those who get there; true at its end.
    fn step_there(&mut self, block: u32, slice: u32) -> bool {
        if let Some(e) = self.by_block.transition(slice, self.search.in_slice) {
            self.search.in_slice += 1;
            self.search.there_is(self.sources[e as usize]);
            return false;
        }
        let found = &mut self.search.there;
        let Some(&s) = found.states.get(found.at) else {
            return true;
        };
        match inert_source(
            &self.graph.label_ids,
            &self.incoming,
            &self.in_offsets,
            s,
            found,
        ) {
            Some(e) => {
                let p = self.sources[e as usize];
                if self.block_of[p as usize] == block {
                    self.search.there_is(p);
                }
            }
            None => (found.at, found.next) = (found.at + 1, 0),
        }
        false
    }

    /// One step of the search for those who do not get there; true at its end.
    fn step_not(&mut self, block: u32, slice: u32) -> bool {
        if let Some((s, at)) = self.search.candidate {
            let range = self.graph.range(s);
            self.search.candidate = None;
            if at == range.len() {
                self.search.not_is(s);
            } else {
                // If it gets there by itself, it becomes a bottom state: that pays for looking.
                let e = (range.start + at) as u32;
                let bunch = self.by_block.tag(slice);
                let gets_there =
                    self.by_block.contains(e) && self.by_block.tag(self.by_block.of(e)) == bunch;
                if !gets_there {
                    self.search.candidate = Some((s, at + 1));
                }
            }
            return false;
        }
        if self.search.bottom != NONE {
            let s = self.search.bottom;
            self.search.bottom = self.bottoms.next(s);
            self.search.not_is(s);
            return false;
        }
        let found = &mut self.search.not;
        let Some(&s) = found.states.get(found.at) else {
            return true;
        };
        match inert_source(
            &self.graph.label_ids,
            &self.incoming,
            &self.in_offsets,
            s,
            found,
        ) {
            Some(e) => {
                let p = self.sources[e as usize];
                let unknown = self.search.side[p as usize] == Side::Unknown;
                if self.block_of[p as usize] == block && unknown {
                    self.test(p);
                }
            }
            None => (found.at, found.next) = (found.at + 1, 0),
        }
        false
    }
    /// One more inert transition of `state` leads to those who do not get there.
    fn test(&mut self, state: State) {
        let untested = &mut self.search.untested[state as usize];
        if *untested == 0 {
            *untested = self.inert[state as usize];
            self.search.tested.push(state);
        }
        *untested -= 1;
        if *untested == 0 {
            self.search.candidate = Some((state, 0));
        }
    }
}

/// The next incoming tau transition of `state`.
fn inert_source(
    labels: &[u32],
    incoming: &[u32],
    offsets: &[u32],
    state: State,
    found: &mut Found,
) -> Option<u32> {
    let at = offsets[state as usize] + found.next;
    if at == offsets[state as usize + 1] {
        return None;
    }
    let e = incoming[at as usize];
    found.next += 1;
    (labels[e as usize] == TAU).then_some(e)
}
