//! Weak bisimulation (observational equivalence), on the branching quotient, where it is cheap:
//! tau has no cycles left, and the system is small. The quotient has as few transitions as
//! possible.

use super::quotient::{self, Reduction};
use super::reach_bits::{ReachBits, join, sources_by_label};
use super::walk::Walk;
use super::{branching, weak_classes};
use crate::labels::{Label, TAU};
use crate::lts::{Incoming, Lts, State};
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
    let incoming = Incoming::new(lts);
    let mut bits = ReachBits::new(lts, &incoming);
    // A step of a walk costs about as much as a few words.
    let limit = bits.cost(lts.states()) / 8;
    let kept = match needed_by_walks(lts, limit, budget)? {
        Some(kept) => kept,
        None => needed_by_bits(lts, &mut bits, budget)?,
    };
    let identity: Vec<State> = (0..lts.states() as State).collect();
    let edges = lts.iter().zip(kept);
    let edges = edges.filter(|(_, kept)| *kept).map(|(edge, _)| edge);
    Ok(quotient::build(lts, &identity, lts.states(), edges))
}

/// Which transitions are needed, by a walk from each state; nothing when more than `limit`
/// states were met on the way.
fn needed_by_walks(lts: &Lts, limit: u64, budget: &Budget) -> Result<Option<Vec<bool>>, Exhausted> {
    let mut kept = Vec::with_capacity(lts.transitions());
    // Proper internal successors of the state at hand, and where a label leads.
    let mut below = Walk::new(lts.states());
    let mut reach = Walk::new(lts.states());
    let mut work = 0u64;
    for s in 0..lts.states() as State {
        if s.is_multiple_of(256) {
            budget.check(u64::from(s))?;
        }
        let all: Vec<(Label, State)> = lts.from(s).collect();
        if all.len() == 1 {
            kept.push(true);
            continue;
        }
        below.start();
        lts.tau_targets(s).iter().for_each(|&t| below.visit(t));
        below.close(lts);
        for group in all.chunk_by(|x, y| x.0 == y.0) {
            let label = group[0].0;
            reach.start();
            if label != TAU {
                work += below.found.len() as u64;
                for &t in &below.found {
                    lts.targets_by(t, label)
                        .iter()
                        .for_each(|&u| reach.visit(u));
                }
            }
            // What lies two or more steps below, or behind.
            for &(_, t) in group {
                lts.tau_targets(t).iter().for_each(|&u| reach.visit(u));
            }
            reach.close(lts);
            work += reach.found.len() as u64;
            kept.extend(group.iter().map(|(_, t)| !reach.has(*t)));
        }
        if work > limit {
            return Ok(None);
        }
    }
    Ok(Some(kept))
}

/// The same with many targets at a time.
fn needed_by_bits(
    lts: &Lts,
    bits: &mut ReachBits<'_>,
    budget: &Budget,
) -> Result<Vec<bool>, Exhausted> {
    let mut kept = vec![true; lts.transitions()];
    let sources = sources_by_label(lts);
    let words = bits.batch() as usize / 64;
    // What is reached in one way, and in two.
    let (mut once, mut twice) = (vec![0u64; words], vec![0u64; words]);
    let mut first = 0;
    while (first as usize) < lts.states() {
        bits.start(first, |s| s);
        for label in 0..lts.labels().len() as Label {
            budget.check(0)?;
            let all: Vec<State>;
            let list = match label {
                TAU => {
                    all = (0..lts.states() as State).collect();
                    &all
                }
                _ => &sources[label as usize],
            };
            if list.is_empty() {
                continue;
            }
            if label != TAU {
                bits.follow(label, list);
            }
            for &s in list {
                let targets = lts.targets_by(s, label);
                let wanted = |t: State| ((t.wrapping_sub(first)) as usize) < words * 64;
                if !targets.iter().any(|&t| wanted(t)) {
                    continue;
                }
                once.fill(0);
                twice.fill(0);
                for &t in targets {
                    for ((one, two), &more) in once.iter_mut().zip(&mut twice).zip(bits.silent(t)) {
                        *two |= *one & more;
                        *one |= more;
                    }
                }
                if label != TAU {
                    for row in lts.tau_targets(s).iter().filter_map(|&u| bits.visible(u)) {
                        join(&mut twice, row);
                    }
                }
                // The transitions of one label are neighbours.
                let range = lts.range(s);
                let before = lts.label_ids[range.clone()].partition_point(|&l| l < label);
                for (n, &t) in targets.iter().enumerate().filter(|(_, t)| wanted(**t)) {
                    let bit = (t - first) as usize;
                    if twice[bit / 64] >> (bit % 64) & 1 == 1 {
                        kept[range.start + before + n] = false;
                    }
                }
            }
        }
        first += bits.batch();
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn walks_and_bits_need_the_same(
            edges in prop::collection::vec((0u32..90, prop_oneof![2 => Just(0u32), 3 => 1u32..4], 0u32..90), 0..250),
        ) {
            let mut builder = Builder::new();
            for name in ["a", "b", "c"] {
                builder.label(name);
            }
            // Internal steps lead down: no cycles.
            for (s, a, t) in edges {
                if a != TAU || s > t {
                    builder.add(s, a, t);
                }
            }
            let lts = builder.finish(0);
            let budget = Budget::unlimited();
            let walks = needed_by_walks(&lts, u64::MAX, &budget).expect("no limit").expect("no limit");
            let incoming = Incoming::new(&lts);
            let mut bits = ReachBits::new(&lts, &incoming);
            bits.narrow();
            let found = needed_by_bits(&lts, &mut bits, &budget).expect("no limit");
            prop_assert_eq!(found, walks);
        }
    }
}
