//! Trace equivalence: a deterministic system, made by the subset construction and minimised.

use super::quotient::{self, DROPPED, Reduction};
use super::subsets::Subsets;
use super::{strong, weak};
use crate::builder::Builder;
use crate::lts::{Lts, State};
use cwolf_base::{Budget, Exhausted};

/// The smallest deterministic system with the same traces; with `is_weak`, visible traces.
///
/// A state of the original may be in many sets: the map names the first of them.
pub(crate) fn reduce(lts: &Lts, is_weak: bool, budget: &Budget) -> Result<Reduction, Exhausted> {
    // Bisimilar states have the same traces, and sets of fewer states are cheaper.
    let first = match is_weak {
        true => weak::reduce(lts, budget)?,
        false => {
            let classes = strong::classes(lts, budget)?;
            quotient::by_first_member(lts, classes)
        }
    };
    let deterministic = determinise(&first.lts, is_weak, budget)?;
    let classes = strong::classes(&deterministic.lts, budget)?;
    let small = quotient::by_first_member(&deterministic.lts, classes);
    let mut whole = first.then(deterministic).then(small);
    // A set's note must come from the original states, not from the sets of classes between.
    whole.lts.notes = lts.notes().map(|n| n.merge(&whole.map, whole.lts.states()));
    Ok(whole)
}

fn determinise(lts: &Lts, is_weak: bool, budget: &Budget) -> Result<Reduction, Exhausted> {
    let mut subsets = Subsets::new(lts, is_weak);
    let mut map = vec![DROPPED; lts.states()];
    let mut builder = Builder::with_labels(lts.labels.clone());
    let start = subsets.intern(&[lts.initial()], &mut map)?;
    let mut at = start;
    let mut moves = Vec::new();
    while (at as usize) < subsets.len() {
        if at.is_multiple_of(256) {
            budget.check(u64::from(at))?;
        }
        subsets.moves(at, &mut moves);
        for group in moves.chunk_by(|x, y| x.0 == y.0) {
            let label = group[0].0;
            let targets: Vec<State> = group.iter().map(|m| m.1).collect();
            let to = subsets.intern(&targets, &mut map)?;
            builder.add(at, label, to);
        }
        at += 1;
    }
    builder.ensure_states(subsets.len());
    Ok(Reduction {
        lts: builder.finish(start),
        map,
    })
}
