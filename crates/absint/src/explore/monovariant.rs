//! Monovariant exploration (thesis, Figure 3.5): one state for each call stack and location,
//! in which all environments that come there are merged.

use super::{CHECK, MAX_NOTES, Model};
use crate::machine::{Machine, State};
use cwolf_base::Budget;
use cwolf_cwi::FuncId;
use cwolf_lts::{Builder, DROPPED, Pass, TAU, reduce};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// After so many merges at one place, what still changes becomes ⊤.
const PATIENCE: u32 = 16;

/// One state that stands for all at its place.
struct Merged {
    state: State,
    merges: u32,
    waiting: bool,
}

/// Explores from the start of `entry`, one state for each call stack and location.
pub fn explore_monovariant(
    machine: &mut Machine<'_>,
    entry: FuncId,
    detail: u32,
    budget: &Budget,
) -> Model {
    let mut list: Vec<Merged> = Vec::new();
    let mut places: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut queue = VecDeque::from([0]);
    let initial = machine.initial(entry);
    places.insert(machine.place_of(initial), 0);
    list.push(Merged {
        state: initial,
        merges: 0,
        waiting: true,
    });
    let mut partial = None;
    let mut steps = 0usize;
    while let Some(n) = queue.pop_front() {
        let over = budget.steps().is_some_and(|max| list.len() as u64 >= max);
        if (over || steps.is_multiple_of(CHECK))
            && let Err(reason) = budget.check(list.len() as u64)
        {
            partial = Some(reason);
            break;
        }
        steps += 1;
        list[n as usize].waiting = false;
        for successor in machine.successors(list[n as usize].state) {
            let next = list.len() as u32;
            let id = *places
                .entry(machine.place_of(successor.state))
                .or_insert(next);
            if id == next {
                list.push(Merged {
                    state: successor.state,
                    merges: 0,
                    waiting: true,
                });
                queue.push_back(id);
                continue;
            }
            let there = &mut list[id as usize];
            let widen = there.merges >= PATIENCE;
            let merged = machine.merge(there.state, successor.state, widen);
            if merged != there.state {
                there.state = merged;
                there.merges += 1;
                if !std::mem::replace(&mut there.waiting, true) {
                    queue.push_back(id);
                }
            }
        }
    }
    // Only now are the environments final, and with them the transitions and labels.
    let mut builder = Builder::new();
    builder.ensure_states(list.len());
    for (n, merged) in list.iter().enumerate() {
        for successor in machine.successors(merged.state) {
            if let Some(id) = places.get(&machine.place_of(successor.state)) {
                let label = successor.label.map_or(TAU, |l| builder.label(&l));
                builder.add(n as u32, label, *id);
            }
        }
        if detail > 0 && list.len() <= MAX_NOTES {
            builder.note(n as u32, &machine.describe(merged.state, detail));
        }
    }
    let lts = builder.finish(0);
    // A caller's environment that grew left calls from the smaller one behind.
    let reduced = reduce(&lts, Pass::Reachable, &Budget::unlimited()).expect("no limit");
    let ends = (0..list.len()).filter(|n| machine.is_halted(list[*n].state));
    let mut halted: Vec<u32> = ends.map(|n| reduced.map[n]).collect();
    halted.retain(|n| *n != DROPPED);
    halted.sort_unstable();
    Model {
        undescribed: detail > 0 && list.len() > MAX_NOTES,
        lts: reduced.lts,
        halted,
        partial,
        environment_nodes: machine.environment_nodes(),
    }
}
