//! Strong bisimulation in O(m log n): Paige and Tarjan's "process the smaller half", with
//! labels.
//!
//! Besides the blocks there are coarser *superblocks*, each a stretch of neighbouring blocks.
//! The invariant: all states of a block agree on which superblocks they reach by which label.
//! A superblock of several blocks gives up one of at most half its size; splitting by who
//! reaches that block, and who reaches *only* that block, restores the invariant. A counter for
//! each source, label and superblock says how many transitions there are, so the second
//! question never looks at the larger part.

use super::partition::Partition;
use crate::labels::Label;
use crate::lts::{Incoming, Lts, State};
use cwolf_base::{Budget, Exhausted};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

const NONE: u32 = u32::MAX;

/// The classes of strong bisimulation, one for each state.
pub(crate) fn classes(lts: &Lts, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
    let (classes, count) = by_label_sets(lts);
    let mut refiner = Refiner::new(lts, Partition::from_classes(classes, count));
    refiner.run(budget)?;
    Ok(refiner.partition.block_of)
}

/// States by the labels that they offer.
fn by_label_sets(lts: &Lts) -> (Vec<u32>, usize) {
    let labels = |s: State| {
        let all = &lts.label_ids[lts.range(s)];
        let fresh = |&i: &usize| i == 0 || all[i - 1] != all[i];
        (0..all.len()).filter(fresh).map(|i| all[i])
    };
    let hash = |s: State| {
        let mut hasher = FxHasher::default();
        labels(s).for_each(|a| hasher.write_u32(a));
        hasher.finish()
    };
    let mut table: HashTable<u32> = HashTable::new();
    let mut firsts: Vec<State> = Vec::new();
    let classes = (0..lts.states() as State)
        .map(|s| {
            let hashed = hash(s);
            let found = table.find(hashed, |&c| labels(firsts[c as usize]).eq(labels(s)));
            found.copied().unwrap_or_else(|| {
                let class = firsts.len() as u32;
                firsts.push(s);
                table.insert_unique(hashed, class, |&c| hash(firsts[c as usize]));
                class
            })
        })
        .collect();
    (classes, firsts.len())
}

struct Refiner {
    partition: Partition,
    incoming: Incoming,
    /// For each incoming transition, the counter of its source, label and superblock.
    counter_of: Vec<u32>,
    counters: Vec<u32>,
    free: Vec<u32>,
    /// Superblocks as stretches of the partition's members.
    supers: Vec<(u32, u32)>,
    super_of: Vec<u32>,
    /// Superblocks of more than one block.
    compound: Vec<u32>,
    /// The new counter of each source while one label is handled.
    fresh: Vec<u32>,
    by_label: ByLabel,
}

impl Refiner {
    fn new(lts: &Lts, partition: Partition) -> Refiner {
        let mut counter_of = vec![0; lts.transitions()];
        let mut counters: Vec<u32> = Vec::new();
        let mut last = None;
        let incoming = Incoming::with(lts, |source, forward, backward| {
            // Transitions of one source and label are neighbours: they share a counter.
            let this = Some((source, lts.label_ids[forward]));
            if last != this {
                counters.push(0);
                last = this;
            }
            *counters.last_mut().expect("one was pushed") += 1;
            counter_of[backward] = counters.len() as u32 - 1;
        });
        let blocks = partition.blocks.len();
        Refiner {
            incoming,
            counter_of,
            counters,
            free: Vec::new(),
            supers: vec![(0, lts.states() as u32)],
            super_of: vec![0; blocks],
            compound: if blocks > 1 { vec![0] } else { vec![] },
            fresh: vec![NONE; lts.states()],
            by_label: ByLabel::new(lts.labels().len()),
            partition,
        }
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut steps = 0u64;
        while let Some(x) = self.compound.pop() {
            if steps.is_multiple_of(1024) {
                budget.check(steps)?;
            }
            steps += 1;
            let splitter = self.detach(x);
            let mut edges = std::mem::take(&mut self.by_label);
            for &s in self.partition.members(splitter) {
                for i in self.incoming.range(s) {
                    edges.push(self.incoming.label_ids[i], i as u32);
                }
            }
            edges.sort();
            for range in edges.groups() {
                self.split_by(edges.group(range));
            }
            edges.clear();
            self.by_label = edges;
        }
        Ok(())
    }

    /// Takes a block of at most half the size out of superblock `x`, as a superblock of its own.
    fn detach(&mut self, x: u32) -> u32 {
        let (start, end) = self.supers[x as usize];
        let first = self.partition.block(self.partition.members[start as usize]);
        let last = self
            .partition
            .block(self.partition.members[end as usize - 1]);
        let (a, b) = (
            self.partition.blocks[first as usize],
            self.partition.blocks[last as usize],
        );
        let (splitter, rest) = match a.len() <= b.len() {
            true => (first, (a.end, end)),
            false => (last, (start, b.start)),
        };
        self.supers[x as usize] = rest;
        let head = self
            .partition
            .block(self.partition.members[rest.0 as usize]);
        if self.partition.blocks[head as usize].end != rest.1 {
            self.compound.push(x);
        }
        let block = self.partition.blocks[splitter as usize];
        self.super_of[splitter as usize] = self.supers.len() as u32;
        self.supers.push((block.start, block.end));
        splitter
    }

    /// Splits every block by the incoming transitions `edges` of the splitter, all of one label.
    fn split_by(&mut self, edges: &[u32]) {
        let mut touched: Vec<u32> = Vec::new();
        let mut sources: Vec<(State, u32)> = Vec::with_capacity(edges.len());
        for &i in edges {
            let source = self.incoming.sources[i as usize];
            let old = self.counter_of[i as usize];
            let mut new = self.fresh[source as usize];
            if new == NONE {
                new = self.free.pop().unwrap_or_else(|| {
                    self.counters.push(0);
                    self.counters.len() as u32 - 1
                });
                self.fresh[source as usize] = new;
                sources.push((source, old));
                if self.partition.mark(source) {
                    touched.push(self.partition.block(source));
                }
            }
            self.counters[new as usize] += 1;
            self.counters[old as usize] -= 1;
            self.counter_of[i as usize] = new;
        }
        self.split_marked(&mut touched);
        for (source, old) in sources {
            self.fresh[source as usize] = NONE;
            // No transition to the rest of the superblock is left: only the splitter is reached.
            if self.counters[old as usize] == 0 {
                self.free.push(old);
                if self.partition.mark(source) {
                    touched.push(self.partition.block(source));
                }
            }
        }
        self.split_marked(&mut touched);
    }

    fn split_marked(&mut self, touched: &mut Vec<u32>) {
        for block in touched.drain(..) {
            let before = self.partition.blocks[block as usize];
            if self.partition.split(block).is_some() {
                let x = self.super_of[block as usize];
                if self.supers[x as usize] == (before.start, before.end) {
                    self.compound.push(x);
                }
                self.super_of.push(x);
            }
        }
    }
}

/// Groups numbers by label in linear time.
#[derive(Default)]
struct ByLabel {
    pairs: Vec<(Label, u32)>,
    sorted: Vec<u32>,
    ends: Vec<u32>,
    labels: Vec<Label>,
}

impl ByLabel {
    fn new(labels: usize) -> ByLabel {
        ByLabel {
            ends: vec![0; labels],
            ..ByLabel::default()
        }
    }
    fn push(&mut self, label: Label, item: u32) {
        if self.ends[label as usize] == 0 {
            self.labels.push(label);
        }
        self.ends[label as usize] += 1;
        self.pairs.push((label, item));
    }
    fn sort(&mut self) {
        let mut sum = 0;
        for &label in &self.labels {
            sum += self.ends[label as usize];
            self.ends[label as usize] = sum;
        }
        self.sorted.resize(self.pairs.len(), 0);
        for &(label, item) in self.pairs.iter().rev() {
            let slot = &mut self.ends[label as usize];
            *slot -= 1;
            self.sorted[*slot as usize] = item;
        }
    }
    /// After [`ByLabel::sort`], one range for each label.
    fn groups(&self) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let starts: Vec<usize> = self
            .labels
            .iter()
            .map(|&l| self.ends[l as usize] as usize)
            .chain([self.pairs.len()])
            .collect();
        (1..starts.len()).map(move |i| starts[i - 1]..starts[i])
    }
    fn group(&self, range: std::ops::Range<usize>) -> &[u32] {
        &self.sorted[range]
    }
    fn clear(&mut self) {
        for label in self.labels.drain(..) {
            self.ends[label as usize] = 0;
        }
        self.pairs.clear();
    }
}
