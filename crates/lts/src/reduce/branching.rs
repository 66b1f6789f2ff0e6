//! Branching bisimulation, with or without divergence: signature refinement (Blom and Orzan)
//! on the compressed graph, looking only at states whose surroundings changed.
//!
//! The signature of a state is what it can do after internal steps inside its block: pairs of a
//! label and a block, without internal steps inside the block itself. A block whose members
//! have different signatures is split; the largest part keeps the block's number, so only the
//! predecessors of smaller parts have to look again ("all but the largest", after Hopcroft).
//!
//! Along a chain of inert steps signatures can grow without bound, so only a window of each is
//! looked at: the smallest pairs, in an order that is as good as random. The smallest pairs of
//! a union are among the smallest pairs of its parts, so windows are inherited like signatures;
//! states with different windows differ, and a block whose members share a full window looks at
//! the next one.

use super::compress::{Compressed, compress};
use super::partition::Partition;
use super::quotient::{self, Reduction};
use crate::labels::{Label, TAU};
use crate::lts::{Incoming, Lts, State};
use cwolf_base::{Budget, Exhausted};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::Hasher;

/// The quotient by branching bisimulation; with `divergence`, by the one that also tells states
/// that may take internal steps for ever from those that may not.
pub(crate) fn reduce(lts: &Lts, divergence: bool, budget: &Budget) -> Result<Reduction, Exhausted> {
    budget.check(0)?;
    let compressed = compress(lts, divergence);
    let class = classes(&compressed, budget)?;
    let Compressed {
        graph,
        node_of: mut map,
        divergent,
    } = compressed;
    map.iter_mut().for_each(|s| *s = class[*s as usize]);
    let (count, new) = quotient::renumber(&mut map);
    let class = |node: State| new[class[node as usize] as usize];
    let edges = graph.iter().map(|(s, a, t)| (class(s), a, class(t)));
    let visible = edges.filter(|&(c, a, d)| a != TAU || c != d);
    let loops = (0..).zip(divergent).filter(|(_, d)| *d);
    let loops = loops.map(|(s, _)| (class(s), TAU, class(s)));
    let small = quotient::build(lts, &map, count, visible.chain(loops));
    Ok(Reduction { lts: small, map })
}

/// The classes of the nodes of a compressed graph.
pub(crate) fn classes(compressed: &Compressed, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
    let mut refiner = Refiner::new(compressed);
    refiner.run(budget)?;
    Ok(refiner.partition.block_of)
}

/// A label and a block, scrambled so that their order is as good as random.
type Pair = u64;

fn pair(label: Label, block: u32) -> Pair {
    // An odd factor and a shifted xor lose nothing: different pairs stay different.
    let mixed = (u64::from(label) << 32 | u64::from(block)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// In place of a block: may take internal steps for ever. Only tau is paired with it.
const DIVERGES: u32 = u32::MAX;
/// The windows of all marked states of a block may have this many pairs together.
const MAX_PAIRS: usize = 1 << 22;
const MIN_WINDOW: usize = 16;
/// States with more transitions than this wait until nothing else is left to do: to look at
/// them after each small change would cost too much.
const MANY: usize = 64;
const NONE: u32 = u32::MAX;

struct Refiner<'a> {
    graph: &'a Lts,
    divergent: &'a [bool],
    incoming: Incoming,
    partition: Partition,
    /// Blocks with marked members: those whose signature may have changed.
    work: VecDeque<u32>,
    /// The same, for members with many transitions.
    later: VecDeque<u32>,
    signatures: Signatures,
    /// The signature of each marked state of the block at hand.
    signature_of: Vec<u32>,
    max_pairs: usize,
    min_window: usize,
}

impl Refiner<'_> {
    fn new(compressed: &Compressed) -> Refiner<'_> {
        let graph = &compressed.graph;
        let mut partition = Partition::new(graph.states());
        partition.blocks[0].marked = graph.states() as u32;
        Refiner {
            graph,
            divergent: &compressed.divergent,
            incoming: Incoming::new(graph),
            partition,
            work: VecDeque::from([0]),
            later: VecDeque::new(),
            signatures: Signatures::default(),
            signature_of: vec![NONE; graph.states()],
            max_pairs: MAX_PAIRS,
            min_window: MIN_WINDOW,
        }
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut steps = 0u64;
        while let Some(block) = self.work.pop_front().or_else(|| self.later.pop_front()) {
            if steps.is_multiple_of(1024) {
                budget.check(steps)?;
            }
            steps += 1;
            let bounds = &mut self.partition.blocks[block as usize];
            if bounds.len() == 1 {
                bounds.marked = bounds.start;
                continue;
            }
            self.close_marks(block);
            let bounds = self.partition.blocks[block as usize];
            let mut marked = self.partition.members[bounds.marked_range()].to_vec();
            // Internal steps lead to smaller numbers: whom a state inherits from comes first.
            marked.sort_unstable();
            let window = (self.max_pairs / marked.len()).max(self.min_window);
            self.signatures.floor = None;
            let old = loop {
                self.signatures.clear(marked.len(), window);
                let old = self.sign(block, &marked);
                if self.signatures.len() > 1 || !self.signatures.is_full(0) {
                    break old;
                }
                self.signatures.floor = self.signatures.pairs.last().copied();
            };
            self.split(block, marked, old);
        }
        Ok(())
    }

    fn is_inert(&self, block: u32, label: Label, target: State) -> bool {
        label == TAU && self.partition.block(target) == block
    }

    /// Marks the members of `block` that inherit from marked ones.
    fn close_marks(&mut self, block: u32) {
        let mut at = self.partition.blocks[block as usize].start;
        while at < self.partition.blocks[block as usize].marked {
            let s = self.partition.members[at as usize];
            for (a, p) in self.incoming.of(s) {
                if a == TAU && self.partition.block(p) == block {
                    self.partition.mark(p);
                }
            }
            at += 1;
        }
    }

    /// Computes the signatures of the marked members; returns the one that all unmarked members
    /// have had since the block was made, if there are such members.
    fn sign(&mut self, block: u32, marked: &[State]) -> Option<u32> {
        let bounds = self.partition.blocks[block as usize];
        let old = (bounds.marked < bounds.end).then(|| {
            let unmarked = self.partition.members[bounds.marked as usize];
            self.sign_bottom(block, unmarked)
        });
        for &s in marked {
            let mut inherited = NONE;
            let mut own = false;
            self.signatures.start();
            for (a, t) in self.graph.from(s) {
                if !self.is_inert(block, a, t) {
                    self.signatures.push(pair(a, self.partition.block(t)));
                    own = true;
                    continue;
                }
                let from = match self.partition.is_marked(t) {
                    true => self.signature_of[t as usize],
                    false => old.expect("an unmarked member was found"),
                };
                if inherited == NONE {
                    inherited = from;
                } else if inherited != from {
                    self.signatures.inherit(from);
                    own = true;
                }
            }
            if self.divergent.get(s as usize) == Some(&true) {
                self.signatures.push(pair(TAU, DIVERGES));
                own = true;
            }
            self.signature_of[s as usize] = if own || inherited == NONE {
                if inherited != NONE {
                    self.signatures.inherit(inherited);
                }
                self.signatures.finish()
            } else {
                inherited
            };
        }
        old
    }

    /// The signature of an unmarked member: that of any state without inert steps below it.
    fn sign_bottom(&mut self, block: u32, mut s: State) -> u32 {
        let partition = &self.partition;
        let inert = |s| {
            let below = |&&t: &&State| partition.block(t) == block;
            self.graph.tau_targets(s).iter().find(below).copied()
        };
        while let Some(below) = inert(s) {
            s = below;
        }
        self.signatures.start();
        for (a, t) in self.graph.from(s) {
            self.signatures.push(pair(a, self.partition.block(t)));
        }
        if self.divergent.get(s as usize) == Some(&true) {
            self.signatures.push(pair(TAU, DIVERGES));
        }
        self.signatures.finish()
    }

    /// Splits `block` by signature; `old` is that of its unmarked members.
    fn split(&mut self, block: u32, mut marked: Vec<State>, old: Option<u32>) {
        let bounds = &mut self.partition.blocks[block as usize];
        if self.signatures.len() == 1 {
            bounds.marked = bounds.start;
            return;
        }
        // Members with the old signature go next to the unmarked ones.
        let key = |s: &State| {
            let signature = self.signature_of[*s as usize];
            (Some(signature) == old, signature, *s)
        };
        marked.sort_unstable_by_key(key);
        let signature = |s: State| self.signature_of[s as usize];
        let rest_joins = old.is_some() && marked.last().map(|&s| signature(s)) == old;
        let same = |s, t| signature(s) == signature(t);
        let new = self.partition.divide(block, &marked, same, rest_joins);
        for part in new.clone() {
            self.mark_around(block, new.start, part);
        }
        for s in marked {
            if self.signatures.is_full(self.signature_of[s as usize]) {
                self.mark(s);
            }
        }
    }

    /// Marks the states whose signature mentions, or no longer hides, a step into block `new`.
    fn mark_around(&mut self, block: u32, first_new: u32, new: u32) {
        // Marking reorders the members: it comes after the walk.
        let mut to_mark = Vec::new();
        for &s in self.partition.members(new) {
            for (a, p) in self.incoming.of(s) {
                if !(a == TAU && self.partition.block(p) == new) {
                    to_mark.push(p);
                }
            }
            // A step that was inert inside the old block is not any more.
            let was_inert = |&t: &State| {
                let now = self.partition.block(t);
                now != new && (now == block || now >= first_new)
            };
            if self.graph.tau_targets(s).iter().any(was_inert) {
                to_mark.push(s);
            }
        }
        to_mark.into_iter().for_each(|s| self.mark(s));
    }

    fn mark(&mut self, state: State) {
        if self.partition.mark(state) {
            let block = self.partition.block(state);
            match self.graph.range(state).len() > MANY {
                true => self.later.push_back(block),
                false => self.work.push_back(block),
            }
        }
    }
}

/// Interned windows of signatures, for one block at a time.
#[derive(Default)]
struct Signatures {
    pairs: Vec<Pair>,
    starts: Vec<u32>,
    table: HashTable<u32>,
    open: usize,
    /// The window: this many pairs above `floor`.
    window: usize,
    floor: Option<Pair>,
}

fn hash(pairs: &[Pair]) -> u64 {
    let mut hasher = FxHasher::default();
    pairs.iter().for_each(|&p| hasher.write_u64(p));
    hasher.finish()
}

fn slice<'a>(pairs: &'a [Pair], starts: &[u32], signature: u32) -> &'a [Pair] {
    let n = signature as usize;
    let end = starts.get(n + 1).map_or(pairs.len(), |&e| e as usize);
    &pairs[starts[n] as usize..end]
}

impl Signatures {
    fn len(&self) -> usize {
        self.starts.len()
    }
    /// Forgets all; room for `expected` windows.
    fn clear(&mut self, expected: usize, window: usize) {
        self.window = window;
        self.pairs.clear();
        self.starts.clear();
        // Clearing costs the table's capacity, so a large one must not serve small blocks.
        if self.table.capacity() > 4 * expected + 64 {
            self.table = HashTable::new();
        } else {
            self.table.clear();
        }
    }
    /// Whether there may be more to a signature than its window shows.
    fn is_full(&self, signature: u32) -> bool {
        slice(&self.pairs, &self.starts, signature).len() == self.window
    }
    fn start(&mut self) {
        self.open = self.pairs.len();
    }
    fn push(&mut self, pair: Pair) {
        if self.floor.is_none_or(|floor| pair > floor) {
            self.pairs.push(pair);
        }
    }
    fn inherit(&mut self, signature: u32) {
        let start = self.starts[signature as usize] as usize;
        let end = self.starts.get(signature as usize + 1);
        let end = end.map_or(self.open, |&e| e as usize);
        self.pairs.extend_from_within(start..end);
    }
    /// The number of the set that was pushed since `start`.
    fn finish(&mut self) -> u32 {
        let tail = &mut self.pairs[self.open..];
        tail.sort_unstable();
        let mut keep = 0;
        for i in 0..tail.len() {
            if i == 0 || tail[i] != tail[keep - 1] {
                tail[keep] = tail[i];
                keep += 1;
            }
        }
        self.pairs.truncate(self.open + keep.min(self.window));
        let (known, new) = self.pairs.split_at(self.open);
        let hashed = hash(new);
        let found = self
            .table
            .find(hashed, |&n| slice(known, &self.starts, n) == new);
        if let Some(&known) = found {
            self.pairs.truncate(self.open);
            return known;
        }
        let number = self.starts.len() as u32;
        self.starts.push(self.open as u32);
        let (pairs, starts) = (&self.pairs, &self.starts);
        self.table
            .insert_unique(hashed, number, |&n| hash(slice(pairs, starts, n)));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use proptest::prelude::*;

    fn refine(compressed: &Compressed, max_pairs: usize, min_window: usize) -> Vec<u32> {
        let mut refiner = Refiner::new(compressed);
        (refiner.max_pairs, refiner.min_window) = (max_pairs, min_window);
        refiner.run(&Budget::unlimited()).expect("no limit");
        let mut classes = refiner.partition.block_of;
        quotient::renumber(&mut classes);
        classes
    }

    proptest! {
        #[test]
        fn narrow_windows_find_the_same_classes(
            edges in prop::collection::vec((0u32..30, prop_oneof![Just(0u32), 1u32..6], 0u32..30), 0..90),
            divergence in any::<bool>(),
        ) {
            let mut builder = Builder::new();
            for name in ["a", "b", "c", "d", "e"] {
                builder.label(name);
            }
            edges.iter().for_each(|&(s, a, t)| builder.add(s, a, t));
            let compressed = compress(&builder.finish(0), divergence);
            let wide = refine(&compressed, MAX_PAIRS, MIN_WINDOW);
            prop_assert_eq!(&refine(&compressed, 0, 1), &wide);
            prop_assert_eq!(&refine(&compressed, 40, 2), &wide);
        }
    }

    /// Full signatures of this chain would have half a billion pairs.
    #[test]
    fn a_long_inert_chain_of_different_offers() {
        let n = 30_000;
        let mut builder = Builder::new();
        for s in 1..n {
            builder.transition(s, &format!("a{s}"), 0);
            builder.add(s, TAU, s - 1);
        }
        let lts = builder.finish(n - 1);
        let small = reduce(&lts, false, &Budget::unlimited())
            .expect("no limit")
            .lts;
        assert_eq!(small.states(), n as usize);
    }
}
