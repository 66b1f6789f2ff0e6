//! Exploration: all states that can be reached. Here the polyvariant way (thesis, Figure 3.4),
//! breadth first, so that numbers follow from the program alone.

mod monovariant;
mod text;

pub use monovariant::explore_monovariant;
pub use text::write_text;

use crate::machine::{Interned, Machine, State};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::FuncId;
use cwolf_lts::{Builder, Lts, Notes, TAU};

/// A model, whole or as far as it was built.
#[derive(Clone, Debug)]
pub struct Model {
    /// The labelled transition system; state `n` is the `n`th state that was found.
    pub lts: Lts,
    /// Which states are ends of the program.
    pub halted: Vec<cwolf_lts::State>,
    /// Why the model is not whole, if it is not.
    pub partial: Option<Exhausted>,
    /// Whether there were too many states to describe each.
    pub undescribed: bool,
    /// How many environment nodes there are.
    pub environment_nodes: usize,
}

/// How often the clock is looked at, in states.
const CHECK: usize = 1024;

/// The most states that notes are written for.
pub const MAX_NOTES: usize = 1 << 18;

/// Explores all states from the start of `entry`, with notes of the given detail (0 is none)
/// unless there are more than [`MAX_NOTES`].
pub fn explore(machine: &mut Machine<'_>, entry: FuncId, detail: u32, budget: &Budget) -> Model {
    let mut states: Interned<State> = Interned::default();
    let mut builder = Builder::new();
    let initial = machine.initial(entry);
    states.insert(initial);
    builder.ensure_states(1);
    let mut partial = None;
    let mut next = 0;
    while next < states.len() {
        let over = budget
            .steps()
            .is_some_and(|limit| states.len() as u64 >= limit);
        if over || next.is_multiple_of(CHECK) {
            // A limit on states is a limit on those that are kept, not on those looked at.
            if let Err(reason) = budget.check(states.len() as u64) {
                partial = Some(reason);
                break;
            }
        }
        let state = *states.get(next as u32);
        for successor in machine.successors(state) {
            let label = successor.label.map_or(TAU, |l| builder.label(&l));
            let (id, _) = states.insert(successor.state);
            builder.add(next as u32, label, id);
        }
        next += 1;
    }
    let count = states.len();
    builder.ensure_states(count);
    let mut halted = Vec::new();
    for id in 0..count as u32 {
        let state = *states.get(id);
        if machine.is_halted(state) {
            halted.push(id);
        }
        if detail > 0 && count <= MAX_NOTES {
            builder.note(id, &machine.describe(state, detail));
        }
    }
    Model {
        lts: builder.finish(0),
        halted,
        partial,
        undescribed: detail > 0 && count > MAX_NOTES,
        environment_nodes: machine.environment_nodes(),
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
