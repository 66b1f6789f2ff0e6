//! From a map state -> class to the smaller system.

use crate::builder::Builder;
use crate::labels::Label;
use crate::lts::{Lts, State};

/// In a [`Reduction::map`]: the state has no counterpart, as it cannot be reached.
pub const DROPPED: State = State::MAX;

/// A smaller system and where each state of the larger one went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The smaller system.
    pub lts: Lts,
    /// For each original state its state in `lts`, or [`DROPPED`].
    pub map: Vec<State>,
}

impl Reduction {
    /// A reduction that changes nothing.
    pub fn identity(lts: Lts) -> Reduction {
        let map = (0..lts.states() as State).collect();
        Reduction { lts, map }
    }
    /// This reduction and then `next`, made from this one's result.
    pub(crate) fn then(mut self, next: Reduction) -> Reduction {
        for slot in &mut self.map {
            if *slot != DROPPED {
                *slot = next.map[*slot as usize];
            }
        }
        Reduction {
            lts: next.lts,
            map: self.map,
        }
    }
}

/// Renumbers classes by their smallest state, so that the outcome does not depend on how they
/// were found; returns how many there are and the new number of each old one.
pub(crate) fn renumber(map: &mut [u32]) -> (usize, Vec<u32>) {
    let largest = map.iter().filter(|&&c| c != DROPPED).max();
    let mut new = vec![DROPPED; largest.map_or(0, |&c| c as usize + 1)];
    let mut count = 0;
    for slot in map.iter_mut().filter(|c| **c != DROPPED) {
        let class = &mut new[*slot as usize];
        if *class == DROPPED {
            *class = count;
            count += 1;
        }
        *slot = *class;
    }
    (count as usize, new)
}

/// The quotient of `lts`: the transitions of all members of a class, as far as `keep` wants
/// them (it gets classes, not states).
pub(crate) fn of(
    lts: &Lts,
    mut map: Vec<u32>,
    keep: impl Fn(State, Label, State) -> bool,
) -> Reduction {
    let (classes, _) = renumber(&mut map);
    let partition = members(&map, classes);
    let class = |s: State| map[s as usize];
    let edges = partition.flat_map(|(c, s)| {
        let edges = lts.from(s).map(move |(a, t)| (c, a, class(t)));
        edges.filter(|&(c, a, d)| keep(c, a, d))
    });
    let small = build(lts, &map, classes, edges);
    Reduction { lts: small, map }
}

/// The quotient of `lts` by an equivalence under which all members of a class have the same
/// transitions: one member speaks for all.
pub(crate) fn by_first_member(lts: &Lts, mut map: Vec<u32>) -> Reduction {
    let (classes, _) = renumber(&mut map);
    let mut next = 0;
    let mut firsts = Vec::with_capacity(classes);
    for (s, &c) in map.iter().enumerate() {
        // Classes are numbered in the order of their first members.
        if c == next {
            firsts.push(s as State);
            next += 1;
        }
    }
    let edges = firsts.iter().zip(0..).flat_map(|(&s, c)| {
        let class = |s: State| map[s as usize];
        lts.from(s).map(move |(a, t)| (c, a, class(t)))
    });
    let small = build(lts, &map, classes, edges);
    Reduction { lts: small, map }
}

/// The system with these transitions, which come by rising source, and the notes of `lts`.
pub(crate) fn build(
    lts: &Lts,
    map: &[u32],
    classes: usize,
    edges: impl Iterator<Item = (State, Label, State)>,
) -> Lts {
    let mut builder = Builder::with_labels(lts.labels.clone());
    builder.ensure_states(classes);
    for (s, a, t) in edges {
        builder.add(s, a, t);
    }
    let small = builder.finish(map[lts.initial() as usize]);
    let notes = lts.notes().map(|notes| notes.merge(map, classes));
    small.with_notes(notes)
}

/// All states with their class, class by class.
fn members(map: &[u32], classes: usize) -> impl Iterator<Item = (u32, State)> + use<> {
    let mut ends = vec![0u32; classes];
    for &c in map.iter().filter(|&&c| c != DROPPED) {
        ends[c as usize] += 1;
    }
    let mut sum = 0;
    for slot in &mut ends {
        sum += *slot;
        *slot = sum;
    }
    let mut order = vec![(0, 0); sum as usize];
    for (s, &c) in map.iter().enumerate().filter(|(_, c)| **c != DROPPED) {
        let slot = &mut ends[c as usize];
        *slot -= 1;
        order[*slot as usize] = (c, s as State);
    }
    order.into_iter()
}
