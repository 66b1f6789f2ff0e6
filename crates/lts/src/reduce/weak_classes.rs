//! The classes of weak bisimulation, without ever storing the saturated transition relation.
//!
//! The weak signature of a state is the set of pairs of a label and a block that it reaches by
//! `tau* a tau*`. Two refinements take turns until neither splits a block:
//! - a cheap one keeps a *sketch* of each signature, its few smallest pairs in a random order
//!   of blocks. Sketches are computed from those of the successors, and only where something
//!   changed. Different sketches mean different signatures.
//! - an exact one compares whole signatures, but only inside blocks that still have several
//!   members, which by then are few; or, where walking would take too long, all states look at
//!   all blocks, many at a time.

use super::partition::Partition;
use super::reach_bits::{ReachBits, sources_by_label};
use super::tau_cycles::Components;
use super::walk::Walk;
use crate::labels::{Label, TAU};
use crate::lts::{Incoming, Lts, State};
use cwolf_base::{Budget, Exhausted};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasher;

/// All sketches together have at most about this many pairs.
const MAX_PAIRS: usize = 1 << 22;

/// The class of each state; `lts` has no tau cycles.
pub(crate) fn classes(lts: &Lts, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
    let width = (MAX_PAIRS / lts.states()).clamp(4, 64);
    classes_with(lts, width, true, budget)
}

fn classes_with(
    lts: &Lts,
    width: usize,
    walks: bool,
    budget: &Budget,
) -> Result<Vec<u32>, Exhausted> {
    let incoming = Incoming::new(lts);
    let mut bits = ReachBits::new(lts, &incoming);
    let mut refiner = Refiner {
        lts,
        incoming: &incoming,
        rank: Components::new(lts).of,
        partition: Partition::new(lts.states()),
        silent: Sketches::new(lts.states(), width),
        visible: Sketches::new(lts.states(), width),
    };
    let mut moved: Vec<State> = (0..lts.states() as State).collect();
    while !moved.is_empty() {
        while !moved.is_empty() {
            budget.check(refiner.partition.blocks.len() as u64)?;
            moved = refiner.split_by_sketch(moved);
        }
        let limit = match walks {
            true => bits.cost(refiner.partition.blocks.len()) / 8,
            false => 0,
        };
        moved = match refiner.split_exactly(limit, budget)? {
            Some(moved) => moved,
            None => refiner.split_by_bits(&mut bits, budget)?,
        };
    }
    Ok(refiner.partition.block_of)
}

/// A label and a block. The block comes first, scrambled: for every label the smallest pairs
/// then belong to the same blocks, so a sketch of blocks serves all labels.
type Pair = u64;

fn pair(label: Label, block: u32) -> Pair {
    u64::from(scrambled(block)) << 32 | u64::from(scrambled(label))
}

/// Different numbers stay different, in an order that is as good as random; 0 stays 0.
fn scrambled(n: u32) -> u32 {
    let mixed = n.wrapping_mul(0x9E37_79B1);
    (mixed ^ mixed >> 16).wrapping_mul(0x85EB_CA6B)
}

/// For each state the smallest pairs of a set.
struct Sketches {
    width: usize,
    pairs: Vec<Pair>,
    lens: Vec<u8>,
}

impl Sketches {
    fn new(states: usize, width: usize) -> Sketches {
        Sketches {
            width,
            pairs: vec![0; states * width],
            lens: vec![0; states],
        }
    }
    fn of(&self, state: State) -> &[Pair] {
        let start = state as usize * self.width;
        &self.pairs[start..start + usize::from(self.lens[state as usize])]
    }
    /// Sets the sketch to the smallest of `all`; whether it changed.
    fn set(&mut self, state: State, all: &mut Vec<Pair>) -> bool {
        all.sort_unstable();
        all.dedup();
        all.truncate(self.width);
        if self.of(state) == all.as_slice() {
            return false;
        }
        let start = state as usize * self.width;
        self.pairs[start..start + all.len()].copy_from_slice(all);
        self.lens[state as usize] = all.len() as u8;
        true
    }
}

/// States to look at, those first that others depend on; each once.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<Reverse<(u32, State)>>,
}

impl Queue {
    fn push(&mut self, rank: &[u32], state: State) {
        self.heap.push(Reverse((rank[state as usize], state)));
    }
    fn pop(&mut self) -> Option<State> {
        let Reverse(first) = self.heap.pop()?;
        while self.heap.peek() == Some(&Reverse(first)) {
            self.heap.pop();
        }
        Some(first.1)
    }
}

struct Refiner<'a> {
    lts: &'a Lts,
    incoming: &'a Incoming,
    /// Internal steps lead to smaller ranks.
    rank: Vec<u32>,
    partition: Partition,
    /// Which blocks are reached by internal steps.
    silent: Sketches,
    /// Which blocks are reached by which visible label.
    visible: Sketches,
}

impl Refiner<'_> {
    /// Brings the sketches up to date after `moved` states changed their blocks, and splits by
    /// them; returns the states that changed their blocks in turn.
    fn split_by_sketch(&mut self, moved: Vec<State>) -> Vec<State> {
        let mut touched: Vec<u32> = Vec::new();
        let mut all: Vec<Pair> = Vec::new();
        let mut silent = Queue::default();
        let mut visible = Queue::default();
        for s in moved {
            silent.push(&self.rank, s);
        }
        while let Some(s) = silent.pop() {
            all.clear();
            all.push(pair(TAU, self.partition.block(s)));
            for &t in self.lts.tau_targets(s) {
                all.extend_from_slice(self.silent.of(t));
            }
            if self.silent.set(s, &mut all) {
                self.touch(s, &mut touched);
                for (a, p) in self.incoming.of(s) {
                    let queue = if a == TAU { &mut silent } else { &mut visible };
                    queue.push(&self.rank, p);
                }
            }
        }
        while let Some(s) = visible.pop() {
            all.clear();
            for (a, t) in self.lts.from(s) {
                match a {
                    TAU => all.extend_from_slice(self.visible.of(t)),
                    _ => all.extend(
                        self.silent
                            .of(t)
                            .iter()
                            .map(|p| p | u64::from(scrambled(a))),
                    ),
                }
            }
            if self.visible.set(s, &mut all) {
                self.touch(s, &mut touched);
                for (_, p) in self.incoming.of(s).filter(|e| e.0 == TAU) {
                    visible.push(&self.rank, p);
                }
            }
        }
        let mut moved = Vec::new();
        for block in touched {
            self.divide(block, &mut moved);
        }
        moved
    }
    fn touch(&mut self, state: State, touched: &mut Vec<u32>) {
        if self.partition.mark(state) {
            touched.push(self.partition.block(state));
        }
    }
    /// Splits a block by the sketches of its marked members; the others have kept theirs, which
    /// were equal, so no marked member is like them.
    fn divide(&mut self, block: u32, moved: &mut Vec<State>) {
        let range = self.partition.blocks[block as usize].marked_range();
        let mut marked = self.partition.members[range].to_vec();
        let key = |s: State| (self.silent.of(s), self.visible.of(s));
        marked.sort_unstable_by(|&s, &t| key(s).cmp(&key(t)).then(s.cmp(&t)));
        let same = |s, t| key(s) == key(t);
        for new in self.partition.divide(block, &marked, same, false) {
            moved.extend_from_slice(self.partition.members(new));
        }
    }

    /// Compares the signatures of all members of all blocks; returns the states that changed
    /// their blocks, or nothing when more than `limit` states were met on the way.
    fn split_exactly(
        &mut self,
        limit: u64,
        budget: &Budget,
    ) -> Result<Option<Vec<State>>, Exhausted> {
        let mut moved = Vec::new();
        let mut walk = Walk::new(self.lts.states());
        let mut work = 0;
        let mut block = 0;
        // New blocks come at the end and are compared in the same round.
        while block < self.partition.blocks.len() as u32 {
            if self.partition.members(block).len() > 1 {
                let new = self.divide_exactly(block, &mut walk, limit, &mut work, budget)?;
                let Some(new) = new else {
                    return Ok(None);
                };
                for new in new {
                    moved.extend_from_slice(self.partition.members(new));
                }
            }
            block += 1;
        }
        Ok(Some(moved))
    }
    /// Splits by everything that is reached, many blocks at a time, until nothing changes.
    fn split_by_bits(
        &mut self,
        bits: &mut ReachBits<'_>,
        budget: &Budget,
    ) -> Result<Vec<State>, Exhausted> {
        let sources = sources_by_label(self.lts);
        loop {
            let before = self.partition.blocks.len() as u32;
            // Blocks that are split on the way stay goals as they were: coarser goals split
            // rightly, too, and the last round has splits no more.
            let goal = self.partition.block_of.clone();
            let mut first = 0;
            while first < before {
                bits.start(first, |s| goal[s as usize]);
                self.divide_by(budget, |s| Some(bits.silent(s)))?;
                for (label, list) in (0..).zip(&sources) {
                    if !list.is_empty() {
                        bits.follow(label, list);
                        self.divide_by(budget, |s| bits.visible(s))?;
                    }
                }
                first += bits.batch();
            }
            if self.partition.blocks.len() as u32 == before {
                // Everything was compared: nobody has to look again.
                return Ok(Vec::new());
            }
        }
    }
    /// Splits every block whose members differ in `row`.
    fn divide_by<'r>(
        &mut self,
        budget: &Budget,
        row: impl Fn(State) -> Option<&'r [u64]>,
    ) -> Result<(), Exhausted> {
        budget.check(self.partition.blocks.len() as u64)?;
        for block in 0..self.partition.blocks.len() as u32 {
            let members = self.partition.members(block);
            let first = row(members[0]);
            if members[1..].iter().all(|&s| row(s) == first) {
                continue;
            }
            let mut order = members.to_vec();
            order.sort_unstable_by(|&s, &t| row(s).cmp(&row(t)).then(s.cmp(&t)));
            for &s in &order {
                self.partition.mark(s);
            }
            let same = |s, t| row(s) == row(t);
            self.partition.divide(block, &order, same, false);
        }
        Ok(())
    }
    fn divide_exactly(
        &mut self,
        block: u32,
        walk: &mut Walk,
        limit: u64,
        work: &mut u64,
        budget: &Budget,
    ) -> Result<Option<std::ops::Range<u32>>, Exhausted> {
        // Whole signatures are large: members are told apart by hashes of them, and only when
        // all hashes are equal by the signatures themselves.
        let members = self.partition.members(block).to_vec();
        let first = self.signature(members[0], walk);
        let mut all_equal = true;
        let mut hashed: Vec<(u64, State)> = Vec::with_capacity(members.len());
        for &s in &members {
            budget.check(u64::from(block))?;
            let signature = self.signature(s, walk);
            *work += walk.met;
            walk.met = 0;
            if *work > limit {
                return Ok(None);
            }
            all_equal &= signature == first;
            hashed.push((FxBuildHasher.hash_one(&signature), s));
        }
        if all_equal {
            return Ok(Some(0..0));
        }
        hashed.sort_unstable();
        if hashed[0].0 == hashed[members.len() - 1].0 {
            for (hash, s) in &mut hashed {
                *hash = u64::from(self.signature(*s, walk) == first);
            }
            hashed.sort_unstable();
        }
        let hash_of: FxHashMap<State, u64> = hashed.iter().map(|&(h, s)| (s, h)).collect();
        let order: Vec<State> = hashed.iter().map(|h| h.1).collect();
        for &s in &order {
            self.partition.mark(s);
        }
        let same = |s, t| hash_of[&s] == hash_of[&t];
        Ok(Some(self.partition.divide(block, &order, same, false)))
    }
    /// The whole weak signature.
    fn signature(&self, s: State, walk: &mut Walk) -> Vec<(Label, u32)> {
        let mut signature: Vec<(Label, u32)> = Vec::new();
        let mut collect = |walk: &Walk, label: Label| {
            let mut blocks: Vec<u32> = walk
                .found
                .iter()
                .map(|&t| self.partition.block(t))
                .collect();
            blocks.sort_unstable();
            blocks.dedup();
            signature.extend(blocks.into_iter().map(|b| (label, b)));
        };
        walk.start();
        walk.visit(s);
        walk.close(self.lts);
        collect(walk, TAU);
        let mut steps: Vec<(Label, State)> = Vec::new();
        for &t in &walk.found {
            steps.extend(self.lts.from(t).filter(|e| e.0 != TAU));
        }
        steps.sort_unstable();
        steps.dedup();
        for group in steps.chunk_by(|x, y| x.0 == y.0) {
            walk.start();
            group.iter().for_each(|e| walk.visit(e.1));
            walk.close(self.lts);
            collect(walk, group[0].0);
        }
        signature
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::reduce::{branching, quotient};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn narrow_sketches_find_the_same_classes(
            edges in prop::collection::vec((0u32..20, prop_oneof![Just(0u32), 1u32..4], 0u32..20), 0..60),
        ) {
            let mut builder = Builder::new();
            for name in ["a", "b", "c"] {
                builder.label(name);
            }
            edges.iter().for_each(|&(s, a, t)| builder.add(s, a, t));
            let budget = Budget::unlimited();
            let lts = branching::reduce(&builder.finish(0), false, &budget).expect("no limit").lts;
            let ways = [(64, true), (1, true), (0, true), (1, false), (0, false)];
            let [wide, narrow, exact, bits, only_bits] = ways.map(|(width, walks)| {
                let mut classes = classes_with(&lts, width, walks, &budget).expect("no limit");
                quotient::renumber(&mut classes);
                classes
            });
            prop_assert_eq!(&wide, &exact);
            prop_assert_eq!(&narrow, &exact);
            prop_assert_eq!(&bits, &exact);
            prop_assert_eq!(&only_bits, &exact);
        }
    }
}
