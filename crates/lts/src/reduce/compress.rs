//! What can be merged for branching bisimulation without any refinement: tau cycles, and states
//! that can do nothing but go silently to one place. Program-shaped systems are mostly that.

use super::tau_cycles::Components;
use crate::builder::Builder;
use crate::labels::{Label, TAU};
use crate::lts::{Lts, State};

/// A smaller graph that is branching bisimilar to the original.
pub(crate) struct Compressed {
    /// Without tau cycles; tau leads to smaller numbers only. The start state means nothing.
    /// Whether a node may take internal steps for ever, if anybody asked, is told by a loop.
    pub(crate) graph: Lts,
    /// The node of each original state.
    pub(crate) node_of: Vec<u32>,
    /// The label of such loops, which no other transition has.
    pub(crate) diverges: Label,
}

/// With `divergence`, states on tau cycles are told apart from others.
pub(crate) fn compress(lts: &Lts, divergence: bool) -> Compressed {
    let mut components = Components::new(lts);
    let divergent = match divergence {
        true => components.divergent(lts),
        false => Vec::new(),
    };
    let order = by_component(&components);
    let mut node = vec![0u32; components.count];
    let mut nodes = 0u32;
    // The first member of each node, as a place in `order`.
    let mut heads: Vec<u32> = Vec::new();
    let mut at = 0;
    while at < order.len() {
        let component = components.of[order[at] as usize];
        let mut end = at;
        let mut only = None;
        let mut silent = !divergence || !divergent[component as usize];
        while end < order.len() && components.of[order[end] as usize] == component {
            let s = order[end];
            let taus = lts.tau_targets(s);
            silent &= taus.len() == lts.range(s).len();
            if silent {
                for &t in taus {
                    let to = components.of[t as usize];
                    // Tau leads to components that have their node already.
                    if to != component
                        && *only.get_or_insert(node[to as usize]) != node[to as usize]
                    {
                        silent = false;
                    }
                }
            }
            end += 1;
        }
        node[component as usize] = match only.filter(|_| silent) {
            Some(forward) => forward,
            None => {
                heads.push(at as u32);
                nodes += 1;
                nodes - 1
            }
        };
        at = end;
    }
    let mut loops = vec![false; nodes as usize];
    for (c, _) in divergent.iter().enumerate().filter(|(_, d)| **d) {
        loops[node[c] as usize] = true;
    }
    let graph = edges(lts, &components, &order, &heads, &node, &loops);
    components
        .of
        .iter_mut()
        .for_each(|c| *c = node[*c as usize]);
    Compressed {
        graph,
        node_of: components.of,
        diverges: lts.labels().len() as Label,
    }
}

fn edges(
    lts: &Lts,
    components: &Components,
    order: &[State],
    heads: &[u32],
    node: &[u32],
    loops: &[bool],
) -> Lts {
    let mut builder = Builder::with_labels(lts.labels.clone());
    for (number, &head) in heads.iter().enumerate() {
        let component = components.of[order[head as usize] as usize];
        for &s in &order[head as usize..] {
            if components.of[s as usize] != component {
                break;
            }
            for (a, t) in lts.from(s) {
                let to = components.of[t as usize];
                if a != TAU || node[to as usize] != number as u32 {
                    builder.add(number as State, a, node[to as usize]);
                }
            }
        }
        if loops[number] {
            let state = number as State;
            builder.add(state, lts.labels().len() as Label, state);
        }
    }
    builder.ensure_states(heads.len());
    builder.finish(0)
}

/// All states, component by component.
fn by_component(components: &Components) -> Vec<State> {
    let mut ends = vec![0u32; components.count];
    for &c in &components.of {
        ends[c as usize] += 1;
    }
    let mut sum = 0;
    for slot in &mut ends {
        sum += *slot;
        *slot = sum;
    }
    let mut order = vec![0; components.of.len()];
    for (s, &c) in components.of.iter().enumerate() {
        let slot = &mut ends[c as usize];
        *slot -= 1;
        order[*slot as usize] = s as State;
    }
    order
}
