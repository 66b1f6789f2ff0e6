//! Branching bisimulation, with or without divergence: signature refinement (Blom and Orzan)
//! on the compressed graph, looking only at states whose surroundings changed.
//!
//! The signature of a state is what it can do after internal steps inside its block: pairs of a
//! label and a block, without internal steps inside the block itself. A block whose members
//! have different signatures is split; the largest part keeps the block's number, so only the
//! predecessors of smaller parts have to look again ("all but the largest", after Hopcroft).

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

/// A label and a block; the order of pairs does not matter as long as there is one.
type Pair = (Label, u32);
/// In place of a pair: may take internal steps for ever. No inert step has this form.
const DIVERGES: Pair = (TAU, u32::MAX);
const NONE: u32 = u32::MAX;

struct Refiner<'a> {
    graph: &'a Lts,
    divergent: &'a [bool],
    incoming: Incoming,
    partition: Partition,
    /// Blocks with marked members: those whose signature may have changed.
    work: VecDeque<u32>,
    signatures: Signatures,
    /// The signature of each marked state of the block at hand.
    signature_of: Vec<u32>,
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
            signatures: Signatures::default(),
            signature_of: vec![NONE; graph.states()],
        }
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut steps = 0u64;
        while let Some(block) = self.work.pop_front() {
            if steps.is_multiple_of(1024) {
                budget.check(steps)?;
            }
            steps += 1;
            self.close_marks(block);
            let marked =
                &self.partition.members[self.partition.blocks[block as usize].marked_range()];
            let mut marked = marked.to_vec();
            // Internal steps lead to smaller numbers: whom a state inherits from comes first.
            marked.sort_unstable();
            let old = self.sign(block, &marked);
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
        self.signatures.clear(marked.len());
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
                    self.signatures.push((a, self.partition.block(t)));
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
                self.signatures.push(DIVERGES);
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
            self.signatures.push((a, self.partition.block(t)));
        }
        if self.divergent.get(s as usize) == Some(&true) {
            self.signatures.push(DIVERGES);
        }
        self.signatures.finish()
    }

    /// Splits `block` by signature; `old` is that of its unmarked members.
    fn split(&mut self, block: u32, mut marked: Vec<State>, old: Option<u32>) {
        let bounds = self.partition.blocks[block as usize];
        self.partition.blocks[block as usize].marked = bounds.start;
        if self.signatures.len() == 1 {
            return;
        }
        // Members with the old signature go next to the unmarked ones.
        let key = |s: &State| {
            let signature = self.signature_of[*s as usize];
            (Some(signature) == old, signature, *s)
        };
        marked.sort_unstable_by_key(key);
        self.partition.reorder(bounds.start, &marked);
        let mut parts: Vec<(u32, u32)> = Vec::new();
        let mut start = bounds.start;
        for (i, pair) in marked.windows(2).enumerate() {
            if self.signature_of[pair[0] as usize] != self.signature_of[pair[1] as usize] {
                let end = bounds.start + i as u32 + 1;
                parts.push((start, end));
                start = end;
            }
        }
        let last = marked.last().map(|&s| self.signature_of[s as usize]);
        if old.is_some() && last != old {
            parts.push((start, bounds.marked));
            start = bounds.marked;
        }
        parts.push((start, bounds.end));
        if parts.len() == 1 {
            return;
        }
        let largest = (0..parts.len())
            .rev()
            .max_by_key(|&i| parts[i].1 - parts[i].0);
        let (start, end) = parts.swap_remove(largest.expect("there are parts"));
        let kept = &mut self.partition.blocks[block as usize];
        (kept.start, kept.end, kept.marked) = (start, end, start);
        let first_new = self.partition.blocks.len() as u32;
        for &(start, end) in &parts {
            self.partition.cut(start, end);
        }
        for new in first_new..self.partition.blocks.len() as u32 {
            self.mark_around(block, first_new, new);
        }
    }

    /// Marks the states whose signature mentions, or no longer hides, a step into block `new`.
    fn mark_around(&mut self, block: u32, first_new: u32, new: u32) {
        // Marking reorders the members: walk over a copy.
        let members = self.partition.members(new).to_vec();
        for s in members {
            for (a, p) in self.incoming.of(s) {
                if !(a == TAU && self.partition.block(p) == new) {
                    mark(&mut self.partition, &mut self.work, p);
                }
            }
            // A step that was inert inside the old block is not any more.
            let was_inert = |&t: &State| {
                let now = self.partition.block(t);
                now != new && (now == block || now >= first_new)
            };
            if self.graph.tau_targets(s).iter().any(was_inert) {
                mark(&mut self.partition, &mut self.work, s);
            }
        }
    }
}

fn mark(partition: &mut Partition, work: &mut VecDeque<u32>, state: State) {
    if partition.mark(state) {
        work.push_back(partition.block(state));
    }
}

/// Interned sets of pairs, for one block at a time.
#[derive(Default)]
struct Signatures {
    pairs: Vec<Pair>,
    starts: Vec<u32>,
    table: HashTable<u32>,
    open: usize,
}

fn hash(pairs: &[Pair]) -> u64 {
    let mut hasher = FxHasher::default();
    for &(a, b) in pairs {
        hasher.write_u64(u64::from(a) << 32 | u64::from(b));
    }
    hasher.finish()
}

impl Signatures {
    fn len(&self) -> usize {
        self.starts.len()
    }
    /// Forgets all; room for `expected`.
    fn clear(&mut self, expected: usize) {
        self.pairs.clear();
        self.starts.clear();
        // Clearing costs the table's capacity, so a large one must not serve small blocks.
        if self.table.capacity() > 4 * expected + 64 {
            self.table = HashTable::new();
        } else {
            self.table.clear();
        }
    }
    fn start(&mut self) {
        self.open = self.pairs.len();
    }
    fn push(&mut self, pair: Pair) {
        self.pairs.push(pair);
    }
    fn range(&self, signature: u32) -> std::ops::Range<usize> {
        let n = signature as usize;
        let end = self.starts.get(n + 1).map_or(self.open, |&e| e as usize);
        self.starts[n] as usize..end
    }
    fn inherit(&mut self, signature: u32) {
        self.pairs.extend_from_within(self.range(signature));
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
        self.pairs.truncate(self.open + keep);
        let hashed = hash(&self.pairs[self.open..]);
        let found = self.table.find(hashed, |&other| {
            self.pairs[self.range(other)] == self.pairs[self.open..]
        });
        if let Some(&known) = found {
            self.pairs.truncate(self.open);
            return known;
        }
        let new = self.starts.len() as u32;
        self.starts.push(self.open as u32);
        self.open = self.pairs.len();
        let (pairs, starts) = (&self.pairs, &self.starts);
        self.table.insert_unique(hashed, new, |&n| {
            let start = starts[n as usize] as usize;
            let end = starts
                .get(n as usize + 1)
                .map_or(pairs.len(), |&e| e as usize);
            hash(&pairs[start..end])
        });
        new
    }
}
