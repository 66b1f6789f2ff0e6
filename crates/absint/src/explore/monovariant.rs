//! Monovariant exploration (thesis, Figure 3.5): one state for each call stack and location, or
//! for each location alone, in which all environments that come there are merged. Each function
//! can have its own variance.
//!
//! A function by location has one caller that stands for all; it returns to everyone who called
//! it. So when a new caller turns up, its states that returned are looked at again.

use super::{Model, Search};
use crate::machine::{Machine, State};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::FuncId;
use cwolf_lts::{Builder, DROPPED, Pass, TAU, reduce};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// After so many merges at one place, what still changes becomes ⊤.
const PATIENCE: u32 = 16;
/// How often the clock is looked at, in steps.
const CHECK: usize = 256;

/// One state that stands for all at its place.
struct Merged {
    state: State,
    merges: u32,
    waiting: bool,
}

#[derive(Default)]
struct Merging {
    list: Vec<Merged>,
    places: FxHashMap<State, u32>,
    queue: VecDeque<u32>,
    /// The states that returned to all callers of a function.
    returned: FxHashMap<FuncId, Vec<u32>>,
}

pub(super) fn explore(
    machine: &mut Machine<'_>,
    entry: FuncId,
    search: &Search,
    budget: &Budget,
) -> Model {
    let mut merging = Merging::default();
    let initial = machine.initial(entry);
    merging.arrive(machine, initial);
    let partial = merging.run(machine, budget).err();
    merging.finish(machine, search, partial)
}

impl Merging {
    /// Merges a state into the one at its place.
    fn arrive(&mut self, machine: &mut Machine<'_>, state: State) {
        let next = self.list.len() as u32;
        let id = *self.places.entry(machine.place_of(state)).or_insert(next);
        if id == next {
            self.list.push(Merged {
                state,
                merges: 0,
                waiting: true,
            });
            self.queue.push_back(id);
            return;
        }
        let there = &mut self.list[id as usize];
        if there.state == state {
            return;
        }
        let merged = machine.merge(there.state, state, there.merges >= PATIENCE);
        if merged != there.state {
            there.state = merged;
            there.merges += 1;
            self.again(id);
        }
    }
    fn again(&mut self, id: u32) {
        if !std::mem::replace(&mut self.list[id as usize].waiting, true) {
            self.queue.push_back(id);
        }
    }
    fn run(&mut self, machine: &mut Machine<'_>, budget: &Budget) -> Result<(), Exhausted> {
        let mut steps = 0usize;
        while let Some(n) = self.queue.pop_front() {
            let over = budget
                .steps()
                .is_some_and(|max| self.list.len() as u64 >= max);
            if over || steps.is_multiple_of(CHECK) {
                budget.check(self.list.len() as u64)?;
                let (states, queue) = (self.list.len(), self.queue.len());
                budget.tell(|| format!("{states} merged states, {queue} in the queue"));
            }
            steps += 1;
            self.list[n as usize].waiting = false;
            let state = self.list[n as usize].state;
            if let Some(func) = machine.shared_function(state) {
                let list = self.returned.entry(func).or_default();
                if !list.contains(&n) {
                    list.push(n);
                }
            }
            for successor in machine.successors(state) {
                self.arrive(machine, successor.state);
            }
            for func in machine.new_callers() {
                for id in self.returned.get(&func).cloned().unwrap_or_default() {
                    self.again(id);
                }
            }
        }
        Ok(())
    }
    /// Only now are the environments final, and with them the transitions and labels.
    fn finish(
        self,
        machine: &mut Machine<'_>,
        search: &Search,
        partial: Option<Exhausted>,
    ) -> Model {
        let mut builder = Builder::new();
        let count = self.list.len();
        builder.ensure_states(count);
        for (n, merged) in self.list.iter().enumerate() {
            for successor in machine.successors(merged.state) {
                if let Some(id) = self.places.get(&machine.place_of(successor.state)) {
                    let label = successor.label.map_or(TAU, |l| builder.label(&l));
                    builder.add(n as u32, label, *id);
                }
            }
            if let Some(detail) = search.detail_for(count) {
                builder.note(n as u32, &machine.describe(merged.state, detail));
            }
        }
        let lts = builder.finish(0);
        // A caller's environment that grew left calls from the smaller one behind.
        let pass = match search.on_the_fly {
            true => Pass::Peephole,
            false => Pass::Reachable,
        };
        let reachable = reduce(&lts, Pass::Reachable, &Budget::unlimited()).expect("no limit");
        let mut map = reachable.map;
        let mut lts = reachable.lts;
        if search.on_the_fly {
            let smaller = reduce(&lts, pass, &Budget::unlimited()).expect("no limit");
            for n in map.iter_mut().filter(|n| **n != DROPPED) {
                *n = smaller.map[*n as usize];
            }
            lts = smaller.lts;
        }
        let mut states: Vec<Option<State>> = vec![None; lts.states()];
        let mut halted = Vec::new();
        for (n, merged) in self.list.iter().enumerate() {
            if map[n] != DROPPED {
                states[map[n] as usize].get_or_insert(merged.state);
                if machine.is_halted(merged.state) {
                    halted.push(map[n]);
                }
            }
        }
        halted.sort_unstable();
        halted.dedup();
        Model {
            undescribed: search.detail_for(count) < search.detail,
            lts,
            states: states.into_iter().flatten().collect(),
            halted,
            partial,
            found: None,
            environment_nodes: machine.environment_nodes(),
        }
    }
}
