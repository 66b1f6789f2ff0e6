//! Weak bisimulation (observational equivalence), on the branching quotient, where it is cheap:
//! tau has no cycles left, and the system is small. The quotient has as few transitions as
//! possible.

use super::quotient::{self, Reduction};
use super::walk::Walk;
use super::{branching, weak_classes};
use crate::labels::{Label, TAU};
use crate::lts::{Lts, State};
use cwolf_base::{Budget, Exhausted};

/// The quotient by weak bisimulation, with as few transitions as possible.
pub(crate) fn reduce(lts: &Lts, budget: &Budget) -> Result<Reduction, Exhausted> {
    let first = branching::reduce(lts, false, budget)?;
    if !first.lts.label_ids.contains(&TAU) {
        return Ok(first);
    }
    let classes = weak_classes::classes(&first.lts, budget)?;
    let merged = quotient::of(&first.lts, classes, |c, a, d| a != TAU || c != d);
    let thin = without_redundant(&merged.lts, budget)?;
    let merged = Reduction {
        lts: thin,
        map: merged.map,
    };
    Ok(first.then(merged))
}

/// Drops each transition that a longer way with the same label makes superfluous: `s -a-> t`
/// when `s` gets to `t` by `a` with an internal step before or after it.
///
/// Without tau cycles every such way moves down the order of internal steps, so all can be
/// dropped at once, and what is left is the only smallest choice.
fn without_redundant(lts: &Lts, budget: &Budget) -> Result<Lts, Exhausted> {
    let mut kept: Vec<(State, Label, State)> = Vec::new();
    // Proper internal successors of the state at hand, and where a label leads.
    let mut below = Walk::new(lts.states());
    let mut reach = Walk::new(lts.states());
    for s in 0..lts.states() as State {
        if s.is_multiple_of(256) {
            budget.check(u64::from(s))?;
        }
        let all: Vec<(Label, State)> = lts.from(s).collect();
        if all.len() == 1 {
            kept.push((s, all[0].0, all[0].1));
            continue;
        }
        below.start();
        lts.tau_targets(s).iter().for_each(|&t| below.visit(t));
        below.close(lts);
        for group in all.chunk_by(|x, y| x.0 == y.0) {
            let label = group[0].0;
            reach.start();
            if label == TAU {
                // What lies two or more steps below.
                for &(_, t) in group {
                    lts.tau_targets(t).iter().for_each(|&u| reach.visit(u));
                }
            } else {
                for &t in &below.found {
                    lts.targets_by(t, label)
                        .iter()
                        .for_each(|&u| reach.visit(u));
                }
                for &(_, t) in group {
                    lts.tau_targets(t).iter().for_each(|&u| reach.visit(u));
                }
            }
            reach.close(lts);
            kept.extend(
                group
                    .iter()
                    .filter(|(_, t)| !reach.has(*t))
                    .map(|&(a, t)| (s, a, t)),
            );
        }
    }
    let identity: Vec<State> = (0..lts.states() as State).collect();
    Ok(quotient::build(
        lts,
        &identity,
        lts.states(),
        kept.into_iter(),
    ))
}
