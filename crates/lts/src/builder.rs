//! Building a system one transition at a time, in any order, without a second copy in memory
//! when the transitions come sorted by source (as nearly every file and explorer gives them).

use crate::labels::{Label, Labels};
use crate::lts::{Lts, State};
use crate::notes::Notes;
use std::sync::Arc;

/// Collects states, labels and transitions; [`Builder::finish`] makes the [`Lts`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    labels: Arc<Labels>,
    states: usize,
    sources: Sources,
    label_ids: Vec<Label>,
    targets: Vec<State>,
    notes: Option<Notes>,
}

#[derive(Clone, Debug)]
enum Sources {
    /// In rising order so far: the first transition of each source up to the current one.
    Sorted(Vec<u32>),
    /// The source of each transition.
    Listed(Vec<State>),
}

impl Default for Sources {
    fn default() -> Self {
        Sources::Sorted(Vec::new())
    }
}

impl Builder {
    /// An empty system.
    pub fn new() -> Builder {
        Builder::default()
    }
    /// An empty system that knows these labels already.
    pub fn with_labels(labels: impl Into<Arc<Labels>>) -> Builder {
        Builder {
            labels: labels.into(),
            ..Builder::default()
        }
    }
    /// Makes room for this many more transitions.
    pub fn reserve(&mut self, transitions: usize) {
        self.label_ids.reserve_exact(transitions);
        self.targets.reserve_exact(transitions);
    }
    /// The number of a label, new or known.
    pub fn label(&mut self, name: &str) -> Label {
        self.labels().intern(name)
    }
    /// The labels so far.
    pub fn labels(&mut self) -> &mut Labels {
        Arc::make_mut(&mut self.labels)
    }
    /// Sees to it that there are at least this many states.
    pub fn ensure_states(&mut self, states: usize) {
        self.states = self.states.max(states);
    }
    /// How many states there are so far.
    pub fn states(&self) -> usize {
        self.states
    }
    /// How many transitions were added so far, repetitions included.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }
    /// Adds a transition; its two states exist from now on.
    ///
    /// # Panics
    /// Past 2^32-1 transitions; readers check before.
    pub fn add(&mut self, source: State, label: Label, target: State) {
        let at = u32::try_from(self.targets.len()).expect("fewer than 2^32 transitions");
        match &mut self.sources {
            Sources::Listed(list) => list.push(source),
            Sources::Sorted(starts) if source as usize + 1 >= starts.len() => {
                starts.resize(source as usize + 1, at);
            }
            Sources::Sorted(starts) => {
                let mut list = Vec::with_capacity(self.targets.capacity().max(1));
                for (s, &start) in starts.iter().enumerate() {
                    let end = starts.get(s + 1).map_or(at, |&e| e);
                    list.resize(list.len() + (end - start) as usize, s as State);
                }
                list.push(source);
                self.sources = Sources::Listed(list);
            }
        }
        self.label_ids.push(label);
        self.targets.push(target);
        self.ensure_states(source.max(target) as usize + 1);
    }
    /// Adds a transition, with the label as text.
    pub fn transition(&mut self, source: State, label: &str, target: State) {
        let label = self.label(label);
        self.add(source, label, target);
    }
    /// Writes down what a state stands for; the state exists from now on.
    pub fn note(&mut self, state: State, text: &str) {
        self.note_merged(state, text, 0);
    }
    /// Writes down what a state stands for that `others` more were merged into.
    pub fn note_merged(&mut self, state: State, text: &str, others: u32) {
        self.ensure_states(state as usize + 1);
        let notes = self.notes.get_or_insert_with(|| Notes::new(0));
        if notes.len() <= state as usize {
            // Notes usually come one state after the other: grow by doubling, trim at the end.
            notes.resize(self.states.max(notes.len() * 2));
        }
        notes.set(state, text, others);
    }
    /// The system, starting in `initial`, which exists from now on.
    pub fn finish(mut self, initial: State) -> Lts {
        self.ensure_states(initial as usize + 1);
        let n = self.states;
        let m = self.targets.len() as u32;
        let offsets = match self.sources {
            Sources::Sorted(mut starts) => {
                starts.resize(n + 1, m);
                starts
            }
            Sources::Listed(sources) => {
                let (offsets, order) = order_by_source(n, sources);
                self.label_ids = order.iter().map(|&i| self.label_ids[i as usize]).collect();
                self.targets = order.iter().map(|&i| self.targets[i as usize]).collect();
                offsets
            }
        };
        let mut lts = Lts {
            labels: self.labels,
            offsets,
            label_ids: self.label_ids,
            targets: self.targets,
            initial,
            notes: self.notes.map(|mut notes| {
                notes.resize(n);
                notes
            }),
        };
        lts.normalise();
        lts
    }
}

/// Where each state's transitions start, and the transitions in a stable order by source.
fn order_by_source(states: usize, sources: Vec<State>) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; states + 1];
    for &s in &sources {
        offsets[s as usize] += 1;
    }
    let mut sum = 0;
    for slot in &mut offsets {
        sum += *slot;
        *slot = sum;
    }
    let mut order = vec![0; sources.len()];
    for (i, &s) in sources.iter().enumerate().rev() {
        let slot = &mut offsets[s as usize];
        *slot -= 1;
        order[*slot as usize] = i as u32;
    }
    (offsets, order)
}

impl Lts {
    /// Sorts each state's transitions and drops repetitions, in place.
    pub(crate) fn normalise(&mut self) {
        let mut scratch: Vec<(Label, State)> = Vec::new();
        let mut write = 0;
        let mut read = 0;
        for s in 0..self.states() {
            let end = self.offsets[s + 1] as usize;
            let sorted = (read + 1..end).all(|i| {
                (self.label_ids[i - 1], self.targets[i - 1]) < (self.label_ids[i], self.targets[i])
            });
            if sorted && write == read {
                write = end;
            } else {
                scratch.clear();
                scratch.extend((read..end).map(|i| (self.label_ids[i], self.targets[i])));
                scratch.sort_unstable();
                scratch.dedup();
                for &(a, t) in &scratch {
                    self.label_ids[write] = a;
                    self.targets[write] = t;
                    write += 1;
                }
            }
            read = end;
            self.offsets[s + 1] = write as u32;
        }
        self.label_ids.truncate(write);
        self.targets.truncate(write);
        self.label_ids.shrink_to_fit();
        self.targets.shrink_to_fit();
        self.offsets.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_repetition_do_not_matter() {
        let transitions = [
            (2, "b", 0),
            (0, "a", 1),
            (0, "tau", 2),
            (0, "a", 1),
            (4, "a", 4),
        ];
        let build = |order: &[usize]| {
            let mut builder = Builder::new();
            builder.label("a");
            builder.label("b");
            for &i in order {
                let (s, a, t) = transitions[i];
                builder.transition(s, a, t);
            }
            builder.note(3, "x");
            builder.finish(2)
        };
        let lts = build(&[0, 1, 2, 3, 4]);
        assert_eq!(lts.verify(), Ok(()));
        assert_eq!((lts.states(), lts.transitions()), (5, 4));
        assert_eq!(lts, build(&[1, 2, 3, 0, 4]));
        assert_eq!(lts, build(&[4, 3, 2, 1, 0]));
        assert_eq!(lts.from(0).collect::<Vec<_>>(), [(0, 2), (1, 1)]);
        assert_eq!(lts.tau_targets(0), [2]);
    }

    #[test]
    fn no_transition_is_one_state() {
        let lts = Builder::new().finish(0);
        assert_eq!((lts.states(), lts.transitions()), (1, 0));
        assert_eq!(lts.verify(), Ok(()));
    }
}
