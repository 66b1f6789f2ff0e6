//! What makes a model large: which cells tell most of its states apart.

use super::Model;
use crate::machine::{Machine, Part};
use cwolf_cwi::VarId;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// States that are looked at: the last that were found, since a model that has no end shows there what grows.
const MOST: usize = 1 << 14;

/// A group of a lower rank is taken only if it tells at least one state in so many apart.
const WORTH: usize = 8;

/// Of cells in groups, those that tell most states apart, one group after the other, until only a share of the states would be left: one in
/// `share`. Groups of a lower `rank` come first. A group that alone tells nothing apart is not among them.
pub fn heaviest(
    machine: &Machine<'_>,
    model: &Model,
    group: &dyn Fn(VarId, u64) -> Option<usize>,
    rank: &dyn Fn(usize) -> usize,
    share: usize,
) -> Vec<usize> {
    let mut states = Hashed::new(machine, model, group);
    let enough = states.whole.len() / share;
    let mut left = distinct(states.whole.iter().copied());
    let mut found = Vec::new();
    let mut ranks: Vec<usize> = states.parts.keys().map(|g| rank(*g)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let last = ranks.last().copied();
    for most in ranks {
        while left > enough {
            let without =
                |part: &[u64]| distinct(states.whole.iter().zip(part).map(|(w, p)| w ^ p));
            let each = states.parts.iter().filter(|(g, _)| rank(**g) <= most);
            let each = each.map(|(g, part)| (without(part), *g));
            let worth = match Some(most) == last {
                true => left,
                false => left - left / WORTH,
            };
            let Some((fewer, group)) = each.min().filter(|best| best.0 < worth) else {
                break;
            };
            let part = states.parts.remove(&group).unwrap_or_default();
            for (whole, part) in states.whole.iter_mut().zip(part) {
                *whole ^= part;
            }
            found.push(group);
            left = fewer;
        }
    }
    found
}

/// How often a function is under way at most in the last state of a model that was found.
pub fn repetition(machine: &Machine<'_>, model: &Model) -> usize {
    let last = model.states.last();
    last.map_or(0, |state| machine.repetition(*state))
}

/// States as sums (exclusive or) of hashes, one for each slot, so that a group of slots can be taken out again.
struct Hashed {
    whole: Vec<u64>,
    /// What a group has in each, if it is not the same in all.
    parts: FxHashMap<usize, Vec<u64>>,
}

impl Hashed {
    fn new(
        machine: &Machine<'_>,
        model: &Model,
        group: &dyn Fn(VarId, u64) -> Option<usize>,
    ) -> Hashed {
        let from = model.states.len().saturating_sub(MOST);
        let list = &model.states[from..];
        let mut hashed = Hashed {
            whole: Vec::with_capacity(list.len()),
            parts: FxHashMap::default(),
        };
        for (n, state) in list.iter().enumerate() {
            let mut whole = 0;
            machine.parts_of(*state, &mut |part, value| {
                let hash = hash(&(part, value));
                whole ^= hash;
                if let Part::Cell { var, bit, .. } = part
                    && let Some(group) = group(var, bit)
                {
                    let own = hashed.parts.entry(group).or_default();
                    own.resize(list.len(), 0);
                    own[n] ^= hash;
                }
            });
            hashed.whole.push(whole);
        }
        hashed
            .parts
            .retain(|_, part| part.iter().any(|p| *p != part[0]));
        hashed
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    // Sums of plain products would meet too often.
    let mixed = hasher.finish();
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (mixed >> 32)
}

fn distinct(hashes: impl Iterator<Item = u64>) -> usize {
    let mut all: Vec<u64> = hashes.collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}
