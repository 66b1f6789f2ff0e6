//! Exploration: all states that can be reached, breadth first, so that numbers follow from the
//! program alone.

mod batch;
mod explain;
mod heads;
mod monovariant;
mod owned;
mod ownership;
mod polyvariant;
mod states;
mod text;
mod weights;

pub use explain::{Explanation, Lost, Spread, annotate, explain};
pub use heads::{Head, Scalar, at_heads};
pub use owned::{Expander, Garbled, Key, Owned, Peers, Step};
pub use ownership::Ownership;
pub use text::write_text;
pub use weights::{heaviest, repetition};

use crate::machine::{Machine, State};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::FuncId;
use cwolf_lts::{Builder, Lts, Notes};

/// A model, whole or as far as it was built.
#[derive(Clone, Debug)]
pub struct Model {
    /// The labelled transition system; state `n` is the `n`th state that was found.
    pub lts: Lts,
    /// What the states are; only the first [`MAX_NOTES`], unless [`Search::keep`] asks for all.
    pub states: Vec<State>,
    /// Which states are ends of the program.
    pub halted: Vec<cwolf_lts::State>,
    /// Why the model is not whole, if it is not and was not stopped.
    pub partial: Option<Exhausted>,
    /// The step at which it was stopped, if [`Search::until`] was seen.
    pub found: Option<(cwolf_lts::State, cwolf_lts::Label, cwolf_lts::State)>,
    /// Whether there were too many states to describe each.
    pub undescribed: bool,
    /// How many environment nodes there are.
    pub environment_nodes: usize,
}

/// The most states that are described in full.
pub const MAX_NOTES: usize = 1 << 18;

/// How a model is explored.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// How much is written about each state, if anything; of more than [`MAX_NOTES`] states
    /// only the source positions.
    pub detail: Option<u32>,
    /// How many threads work; the result does not depend on it.
    pub jobs: usize,
    /// Leave out states that only go silently elsewhere (the peephole optimiser on the fly).
    pub on_the_fly: bool,
    /// Tell what the states are, however many there are.
    pub keep: bool,
    /// How many states a thread takes at once; neither does it depend on this.
    pub chunk: usize,
    /// Stop soon after a step with this label; only where all functions are polyvariant.
    pub until: Option<&'static str>,
}

impl Default for Search {
    fn default() -> Self {
        Search {
            detail: None,
            jobs: 1,
            on_the_fly: false,
            keep: false,
            chunk: 1 << 8,
            until: None,
        }
    }
}

impl Search {
    /// How much is written about each of this many states.
    fn detail_for(&self, states: usize) -> Option<u32> {
        match states <= MAX_NOTES {
            true => self.detail,
            false => self.detail.map(|_| 0),
        }
    }
}

/// Explores all states from the start of `entry`. Where functions are monovariant, states that
/// meet there are merged.
pub fn explore(
    machine: &mut Machine<'_>,
    entry: FuncId,
    search: &Search,
    budget: &Budget,
) -> Model {
    match machine.is_polyvariant() {
        true => polyvariant::explore(machine, entry, search, budget),
        false => monovariant::explore(machine, entry, search, budget),
    }
}

impl Model {
    /// The system with all ends of the program made one: they differ in a status that is no
    /// longer observed.
    pub fn with_one_end(&self) -> Lts {
        let Some((&first, rest)) = self.halted.split_first() else {
            return self.lts.clone();
        };
        if rest.is_empty() {
            return self.lts.clone();
        }
        let mut map = Vec::with_capacity(self.lts.states());
        let mut next = 0;
        for s in 0..self.lts.states() as u32 {
            if rest.binary_search(&s).is_ok() {
                map.push(map[first as usize]);
            } else {
                map.push(next);
                next += 1;
            }
        }
        let mut builder = Builder::with_labels(self.lts.labels().clone());
        builder.ensure_states(next as usize);
        for (s, label, t) in self.lts.iter() {
            builder.add(map[s as usize], label, map[t as usize]);
        }
        let notes: Option<Notes> = self.lts.notes().map(|n| n.merge(&map, next as usize));
        builder
            .finish(map[self.lts.initial() as usize])
            .with_notes(notes)
    }
}
