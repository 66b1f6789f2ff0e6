//! Refinement by signatures (Blom and Orzan): states of a block that differ in what they can do
//! to which blocks go apart, until no block falls apart any more.
//!
//! Only states whose signature may have changed sign again: those with an edge to a state that
//! went to a *new* block, and, where silent steps inside a block do not count, those that went
//! and left the target of such a step behind. Their signatures name a block that those of the
//! others in their block do not. So the others keep their block, and if there are none, the
//! largest group keeps it. A group is made
//! up at the worker that its hash names; the worker that owns a block's number (its remainder)
//! knows the block's size and says who keeps it.

use super::graph::Graph;
use super::inert;
use crate::bytes::{Reader, hash, owner, put};
use crate::communicator::{Communicator, Stopped};
use cwolf_lts::TAU;
use rustc_hash::FxHashMap;

/// A partition under refinement.
pub(crate) struct Blocks {
    /// The block of each state here.
    pub of: Vec<u64>,
    /// The block of each edge's target.
    pub targets: Vec<u64>,
    /// The sizes of the blocks whose numbers this worker owns.
    sizes: FxHashMap<u64, u64>,
    next: u64,
}

/// What a state can do: labels and blocks, in rising order.
pub(crate) type Signature = Vec<(u32, u64)>;

/// States with equal signatures in one block.
struct Group {
    block: u64,
    size: u64,
}

/// The blocks of strong or branching bisimulation; `wanted` says which states count.
pub(crate) fn refine(
    communicator: &mut Communicator<'_>,
    graph: &Graph,
    wanted: &[bool],
    branching: bool,
) -> Result<Blocks, Stopped> {
    let me = communicator.index() as u64;
    let mine = wanted.iter().filter(|w| **w).count() as u64;
    let [all] = communicator.sum([mine])?;
    let mut blocks = Blocks {
        of: vec![0; graph.len()],
        targets: vec![0; graph.targets.len()],
        sizes: FxHashMap::default(),
        next: 1,
    };
    if me == 0 {
        blocks.sizes.insert(0, all);
    }
    let mut dirty: Vec<u32> = (0..graph.len() as u32)
        .filter(|s| wanted[*s as usize])
        .collect();
    loop {
        let signatures = match branching {
            true => inert::signatures(communicator, graph, &blocks, &mut dirty)?,
            false => dirty
                .iter()
                .map(|s| own(graph, &blocks, *s, false))
                .collect(),
        };
        let changed = split(communicator, &mut blocks, &dirty, signatures)?;
        if communicator.sum([changed.len() as u64])? == [0] {
            return Ok(blocks);
        }
        dirty.clear();
        let now = |(s, _): &(u32, u64)| (*s, blocks.of[*s as usize]);
        let told: Vec<(u32, u64)> = changed.iter().map(now).collect();
        let Blocks { of, targets, .. } = &mut blocks;
        graph.tell(communicator, told.into_iter(), false, |edge, block| {
            targets[edge as usize] = block;
            let source = graph.sources[edge as usize];
            // A silent step inside a block stays one if both ends went together.
            let inside =
                branching && graph.labels[edge as usize] == TAU && of[source as usize] == block;
            if !inside {
                dirty.push(source);
            }
        })?;
        // Silent steps to those who stayed behind are no longer inside the block.
        let left = |(s, before): &&(u32, u64)| {
            let mut edges = graph.edges(*s);
            edges.any(|e| graph.labels[e] == TAU && targets[e] == *before)
        };
        if branching {
            dirty.extend(changed.iter().filter(left).map(|(s, _)| *s));
        }
        dirty.sort_unstable();
        dirty.dedup();
    }
}

/// What a state can do by its own edges; for branching, silent steps inside its block do not
/// count.
pub(crate) fn own(graph: &Graph, blocks: &Blocks, state: u32, branching: bool) -> Signature {
    let block = blocks.of[state as usize];
    let edges = graph.edges(state);
    let all = edges.map(|e| (graph.labels[e], blocks.targets[e]));
    let mut list: Signature = match branching {
        true => all.filter(|e| *e != (TAU, block)).collect(),
        false => all.collect(),
    };
    list.sort_unstable();
    list.dedup();
    list
}

/// Parts blocks by the signatures of some states; the states that got another block, with the
/// one before.
fn split(
    communicator: &mut Communicator<'_>,
    blocks: &mut Blocks,
    dirty: &[u32],
    signatures: Vec<Signature>,
) -> Result<Vec<(u32, u64)>, Stopped> {
    let peers = communicator.peers();
    // Groups of this worker, each sent once.
    let mut known: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
    let mut sizes: Vec<u64> = Vec::new();
    let mut group_of = Vec::with_capacity(dirty.len());
    for (state, signature) in dirty.iter().zip(signatures) {
        let mut key = Vec::new();
        put(&mut key, blocks.of[*state as usize]);
        for (label, block) in signature {
            put(&mut key, u64::from(label));
            put(&mut key, block);
        }
        let next = known.len() as u32;
        let group = *known.entry(key).or_insert(next);
        if group == next {
            sizes.push(0);
        }
        sizes[group as usize] += 1;
        group_of.push(group);
    }
    let mut asked: Vec<Vec<u32>> = vec![Vec::new(); peers];
    for (key, group) in known {
        let master = owner(hash(&key), peers);
        let out = communicator.to(master);
        put(out, sizes[group as usize]);
        put(out, key.len() as u64);
        out.extend(key);
        communicator.sent(master);
        asked[master].push(group);
    }
    // As a master: the same groups of all workers are one.
    let mut numbers: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    let mut answers: Vec<Vec<u32>> = vec![Vec::new(); peers];
    communicator.finish(|worker, bytes| {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            let size = reader.number();
            let key = reader.bytes();
            let number = match numbers.get(key) {
                Some(number) => *number,
                None => {
                    numbers.insert(key.to_vec(), groups.len() as u32);
                    groups.push(Group {
                        block: Reader::new(key).number(),
                        size: 0,
                    });
                    groups.len() as u32 - 1
                }
            };
            groups[number as usize].size += size;
            answers[worker].push(number);
        }
        Ok(())
    })?;
    drop(numbers);
    let kept = keepers(communicator, blocks, &groups)?;
    let mut new = Vec::with_capacity(groups.len());
    for (group, kept) in groups.iter().zip(kept) {
        new.push(match kept {
            true => group.block,
            false => {
                let number = blocks.next * peers as u64 + communicator.index() as u64;
                blocks.next += 1;
                blocks.sizes.insert(number, group.size);
                number
            }
        });
    }
    for (worker, list) in answers.iter().enumerate() {
        for number in list {
            put(communicator.to(worker), new[*number as usize]);
            communicator.sent(worker);
        }
    }
    let told = communicator.gather()?;
    let mut block_of = vec![0; sizes.len()];
    for (bytes, groups) in told.iter().zip(&asked) {
        let mut reader = Reader::new(bytes);
        groups
            .iter()
            .for_each(|g| block_of[*g as usize] = reader.number());
    }
    let mut changed = Vec::new();
    for (state, group) in dirty.iter().zip(&group_of) {
        let block = &mut blocks.of[*state as usize];
        if *block != block_of[*group as usize] {
            changed.push((*state, *block));
            *block = block_of[*group as usize];
        }
    }
    Ok(changed)
}

/// Which groups keep their block's number: the largest, if all states of the block are in one.
fn keepers(
    communicator: &mut Communicator<'_>,
    blocks: &mut Blocks,
    groups: &[Group],
) -> Result<Vec<bool>, Stopped> {
    let peers = communicator.peers() as u64;
    for group in groups {
        let to = (group.block % peers) as usize;
        let out = communicator.to(to);
        put(out, group.block);
        put(out, group.size);
        communicator.sent(to);
    }
    let mut asked: Vec<(u64, u64, usize)> = Vec::new();
    communicator.finish(|worker, bytes| {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            asked.push((reader.number(), reader.number(), worker));
        }
        Ok(())
    })?;
    // The sum of the groups of each block, and the largest.
    let mut sums: FxHashMap<u64, (u64, usize)> = FxHashMap::default();
    for (n, (block, size, _)) in asked.iter().enumerate() {
        let entry = sums.entry(*block).or_insert((0, n));
        entry.0 += size;
        if *size > asked[entry.1].1 {
            entry.1 = n;
        }
    }
    for (block, (sum, largest)) in &mut sums {
        let size = blocks.sizes.entry(*block).or_default();
        match *sum == *size {
            true => *size = asked[*largest].1,
            false => {
                *size -= *sum;
                *largest = usize::MAX;
            }
        }
    }
    for (n, (block, _, worker)) in asked.iter().enumerate() {
        put(communicator.to(*worker), u64::from(sums[block].1 == n));
        communicator.sent(*worker);
    }
    let told = communicator.gather()?;
    let mut readers: Vec<Reader<'_>> = told.iter().map(|t| Reader::new(t)).collect();
    let kept = groups
        .iter()
        .map(|g| readers[(g.block % peers) as usize].number() != 0);
    Ok(kept.collect())
}
