//! The store: a labelled transition system as compact arrays of 32-bit numbers.

use crate::labels::{Label, Labels, TAU, TAU_NAME};
use crate::notes::Notes;
use std::sync::Arc;

/// The number of a state, from 0.
pub type State = u32;

/// A labelled transition system with a start state (thesis, Definition 3.1.1).
///
/// The outgoing transitions of a state lie side by side. What [`Lts::verify`] checks, and
/// every algorithm relies on:
/// - there is at least one state, and the start state is one of them;
/// - `offsets` has one entry more than there are states, never falls and ends at the number of
///   transitions, which is below 2^32;
/// - every label and target exists; label 0 is the internal action `tau`;
/// - the transitions of one state are sorted by label, then target, without repetition, so the
///   internal ones come first;
/// - notes, if there are any, have a slot for each state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    pub(crate) labels: Arc<Labels>,
    pub(crate) offsets: Vec<u32>,
    pub(crate) label_ids: Vec<Label>,
    pub(crate) targets: Vec<State>,
    pub(crate) initial: State,
    pub(crate) notes: Option<Notes>,
}

impl Lts {
    /// How many states there are.
    pub fn states(&self) -> usize {
        self.offsets.len() - 1
    }
    /// How many transitions there are.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }
    /// Where every run starts.
    pub fn initial(&self) -> State {
        self.initial
    }
    /// The labels; some may occur on no transition.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }
    /// What the states stand for, if it is known.
    pub fn notes(&self) -> Option<&Notes> {
        self.notes.as_ref()
    }
    /// The same system with other notes.
    ///
    /// # Panics
    /// When there is not one slot for each state.
    pub fn with_notes(mut self, notes: Option<Notes>) -> Lts {
        assert!(notes.as_ref().is_none_or(|n| n.len() == self.states()));
        self.notes = notes;
        self
    }
    pub(crate) fn range(&self, state: State) -> std::ops::Range<usize> {
        self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize
    }
    /// The outgoing transitions of `state`, sorted by label, then target.
    pub fn from(
        &self,
        state: State,
    ) -> impl DoubleEndedIterator<Item = (Label, State)> + ExactSizeIterator + '_ {
        let range = self.range(state);
        let labels = self.label_ids[range.clone()].iter().copied();
        labels.zip(self.targets[range].iter().copied())
    }
    /// The targets of the internal transitions of `state`.
    pub fn tau_targets(&self, state: State) -> &[State] {
        self.targets_by(state, TAU)
    }
    /// The targets of the transitions of `state` with `label`.
    pub fn targets_by(&self, state: State, label: Label) -> &[State] {
        let range = self.range(state);
        let labels = &self.label_ids[range.clone()];
        let lo = labels.partition_point(|&l| l < label);
        let hi = lo + labels[lo..].partition_point(|&l| l == label);
        &self.targets[range.start + lo..range.start + hi]
    }
    /// All transitions, by source, label and target.
    pub fn iter(&self) -> impl Iterator<Item = (State, Label, State)> + '_ {
        (0..self.states() as State).flat_map(|s| self.from(s).map(move |(a, t)| (s, a, t)))
    }
    /// The first broken invariant, in words.
    pub fn verify(&self) -> Result<(), String> {
        let Some((&last, &first)) = self.offsets.last().zip(self.offsets.first()) else {
            return Err("there are no offsets".into());
        };
        if first != 0 || last as usize != self.targets.len() {
            return Err("the offsets do not span the transitions".into());
        }
        if self.label_ids.len() != self.targets.len() {
            return Err("labels and targets differ in number".into());
        }
        if self.initial as usize >= self.states() {
            return Err("the start state does not exist".into());
        }
        if self.labels.name(TAU) != TAU_NAME {
            return Err("label 0 is not the internal action".into());
        }
        if self
            .notes
            .as_ref()
            .is_some_and(|n| n.len() != self.states())
        {
            return Err("notes and states differ in number".into());
        }
        if self.offsets.windows(2).any(|w| w[0] > w[1]) {
            return Err("the offsets fall".into());
        }
        for s in 0..self.states() as State {
            let mut before = None;
            for (a, t) in self.from(s) {
                if a as usize >= self.labels.len() || t as usize >= self.states() {
                    return Err(format!(
                        "state {s} has a label or target that does not exist"
                    ));
                }
                if before.is_some_and(|b| b >= (a, t)) {
                    return Err(format!("the transitions of state {s} are not sorted"));
                }
                before = Some((a, t));
            }
        }
        Ok(())
    }
}

/// The transitions of a system by target: for each state its predecessors, sorted by source.
#[derive(Clone, Debug)]
pub struct Incoming {
    offsets: Vec<u32>,
    pub(crate) label_ids: Vec<Label>,
    pub(crate) sources: Vec<State>,
}

impl Incoming {
    /// The transitions of `lts`.
    pub fn new(lts: &Lts) -> Incoming {
        Incoming::with(lts, |_, _, _| {})
    }
    /// Tells `seen` the source of each transition and its position, forwards and backwards,
    /// from the last transition to the first.
    pub(crate) fn with(lts: &Lts, mut seen: impl FnMut(State, usize, usize)) -> Incoming {
        let mut offsets = vec![0u32; lts.states() + 1];
        for &t in &lts.targets {
            offsets[t as usize] += 1;
        }
        let mut sum = 0;
        for slot in &mut offsets {
            sum += *slot;
            *slot = sum;
        }
        let mut label_ids = vec![0; lts.transitions()];
        let mut sources = vec![0; lts.transitions()];
        for s in (0..lts.states() as State).rev() {
            for forward in lts.range(s).rev() {
                let slot = &mut offsets[lts.targets[forward] as usize];
                *slot -= 1;
                label_ids[*slot as usize] = lts.label_ids[forward];
                sources[*slot as usize] = s;
                seen(s, forward, *slot as usize);
            }
        }
        Incoming {
            offsets,
            label_ids,
            sources,
        }
    }
    pub(crate) fn range(&self, state: State) -> std::ops::Range<usize> {
        self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize
    }
    /// The incoming transitions of `state`: label and source, sorted by source.
    pub fn of(&self, state: State) -> impl Iterator<Item = (Label, State)> + '_ {
        let range = self.range(state);
        let labels = self.label_ids[range.clone()].iter().copied();
        labels.zip(self.sources[range].iter().copied())
    }
}
