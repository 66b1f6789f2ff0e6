//! Batches of states that several threads expand.
//!
//! A batch goes through three stages: its states are *expanded* into edges, the numbers of the
//! edges' targets are *found* in the table of states, and the edges are *recorded* in the model,
//! which numbers the new states in the order of the edges. The last stage is the work of one
//! thread. So that it does not hold up the others, each step of the search has two batches
//! under way: all threads find the targets of one, each in its own share of the table, and go
//! on to expand chunks of the next one, while the first thread records. Threads wait for each
//! other once a step.
//!
//! Until it is recorded, a new state has a provisional number in the table. The final one gets
//! there at the beginning of the next step.

use super::Search;
use super::states::{GROUP, Keys, Owners, Shard, States, Wanted, first_shard};
use crate::machine::{Code, Edge, Full, Machine, Tables, Worker};
use crate::threads::Threads;
use rustc_hash::FxHashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The longest way of silent steps that is left out at once.
const MAX_CHAIN: usize = 1 << 12;

/// The edges of a chunk of states.
#[derive(Default)]
pub(super) struct Expanded {
    pub labels: Vec<u32>,
    pub keys: Vec<u64>,
    /// Where the edges of each state end.
    pub ends: Vec<u32>,
    /// In which thread's share of the state table each target is.
    pub owners: Vec<u8>,
    /// The targets in each thread's share.
    shares: Vec<Vec<u64>>,
}

impl Expanded {
    fn clear(&mut self) {
        self.labels.clear();
        self.keys.clear();
        self.ends.clear();
        self.owners.clear();
        self.shares.iter_mut().for_each(Vec::clear);
    }
    /// Deals the edges out to so many threads.
    fn deal(&mut self, owners: &Owners, jobs: usize) {
        self.shares.resize_with(jobs, Vec::new);
        for key in &self.keys {
            let share = Wanted::new(*key, owners).share(jobs);
            self.owners.push(share as u8);
            self.shares[share].push(*key);
        }
    }
    /// Expands a chunk of states.
    pub fn fill(
        &mut self,
        (code, tables): (&Code<'_>, &Tables),
        worker: &mut Worker,
        chunk: &[u64],
        search: &Search,
    ) -> Result<(), Full> {
        self.clear();
        let mut edges: Vec<Edge> = Vec::new();
        for (n, state) in chunk.iter().enumerate() {
            if n % GROUP == 0 {
                let group = &chunk[n..chunk.len().min(n + GROUP)];
                tables.approach(group.iter().map(|key| *key as u32));
            }
            edges.clear();
            worker.expand(code, tables, *state, &mut edges)?;
            for edge in &mut edges {
                if search.on_the_fly {
                    follow(code, tables, worker, edge)?;
                }
                self.labels.push(edge.label);
                self.keys.push(edge.to);
            }
            self.ends.push(self.keys.len() as u32);
        }
        Ok(())
    }
}

/// Moves the target of an edge on while its only way is one silent step. On a silent cycle it
/// stays where the cycle was entered.
pub(super) fn follow(
    code: &Code<'_>,
    tables: &Tables,
    worker: &mut Worker,
    edge: &mut Edge,
) -> Result<(), Full> {
    let mut path: Vec<u64> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut edges = Vec::new();
    let mut state = edge.to;
    // How many steps of the way were found before.
    let mut known = 0;
    while path.len() < MAX_CHAIN {
        if let Some((end, steps)) = worker.way(state)
            && path.len() + steps as usize <= MAX_CHAIN
        {
            (state, known) = (end, steps);
            break;
        }
        edges.clear();
        worker.expand(code, tables, state, &mut edges)?;
        let [Edge { label: 0, to }] = edges[..] else {
            break;
        };
        if !seen.insert(state) {
            edge.to = state;
            return Ok(());
        }
        path.push(state);
        state = to;
    }
    edge.to = state;
    // A way that was cut would be cut elsewhere from other states.
    if path.len() < MAX_CHAIN {
        for (n, from) in path.iter().enumerate() {
            worker.keep_way(*from, (state, (path.len() - n) as u32 + known));
        }
    }
    Ok(())
}

/// A batch that was expanded.
#[derive(Default)]
pub(super) struct Batch {
    pub chunks: Vec<Expanded>,
    /// How many states there were when the targets were found.
    pub known: usize,
    /// What was found in each share of the table. Each thread has lists of its own, since two
    /// that write side by side wait for each other.
    pub found: Vec<Mutex<Found>>,
}

/// The edges of a batch whose targets are in one share of the table, in their order.
#[derive(Default)]
pub(super) struct Found {
    pub keys: Vec<u64>,
    /// The numbers of the targets. That of a new state is provisional until its edge is
    /// recorded: where its key is found first in this list, counted from the number of states on.
    pub ids: Vec<u32>,
    /// How many edges are recorded.
    done: usize,
    firsts: Vec<First>,
}

impl Found {
    /// The final number of the next edge's target, which is listed if it is `new`.
    pub fn record(&mut self, known: usize, new: &mut Vec<u64>) -> u32 {
        let at = self.done;
        self.done += 1;
        let id = self.ids[at];
        let Some(first) = (id as usize).checked_sub(known) else {
            return id;
        };
        let id = match first == at {
            true => {
                new.push(self.keys[at]);
                (known + new.len() - 1) as u32
            }
            false => self.ids[first],
        };
        self.ids[at] = id;
        id
    }
}

/// Where a new state was found.
struct First {
    edge: u32,
    /// Where it is in the table.
    shard: u32,
    slot: u32,
}

impl Batch {
    /// Prepares to find the targets.
    pub fn prepare(&mut self, states: &mut States, jobs: usize) {
        states.expect(self.chunks.iter().map(|chunk| chunk.keys.len()).sum());
        self.known = states.len();
        self.found.resize_with(jobs, Mutex::default);
    }
}

/// One step of a search.
pub(super) struct Step<'s> {
    pub search: &'s Search,
    /// The batch that was recorded last: its final numbers are to get into the table.
    pub recorded: Option<&'s Batch>,
    /// The batch whose targets are to be found.
    pub expanded: Option<&'s Batch>,
    /// The states to expand.
    pub queue: &'s [u64],
}

impl Step<'_> {
    /// Does the step. When the targets are found, the first thread does `record`. The states
    /// are expanded into lists that were used before.
    pub fn run(
        &self,
        threads: &Threads,
        (machine, workers): (&mut Machine<'_>, &mut [Worker]),
        states: &mut States,
        room: &mut Vec<Expanded>,
        record: impl FnOnce(&Tables) + Send,
    ) -> Vec<Expanded> {
        let jobs = workers.len();
        // Rather now than when threads have to stop for it.
        machine.tables.pairs.grow_with(threads);
        let (keys, owners, shards) = states.parts();
        // Many of them even in a short queue, so that no thread waits long for another.
        let chunk = self.search.chunk.min(self.queue.len().div_ceil(64 * jobs));
        let chunks = Chunks {
            todo: self.queue.chunks(chunk.max(1)).collect(),
            turn: AtomicUsize::new(0),
            room: Mutex::new(std::mem::take(room)),
            done: Mutex::default(),
            search: self.search,
            owners,
            jobs,
        };
        let searching = AtomicUsize::new(jobs);
        let program = (&machine.code, &machine.tables);
        let shares = shares(shards, keys, owners, jobs);
        let mut record = Some(record);
        let pieces = shares.zip(workers.iter_mut());
        let pieces = pieces.map(|(share, worker)| (share, worker, record.take()));
        threads.work(pieces, |(share, worker, record)| {
            self.search_share(share, &searching);
            if let Some(record) = record {
                // The others may still search, having been started later.
                let searched = || searching.load(Ordering::Acquire) == 0;
                chunks.expand(program, worker, searched);
                while !searched() {
                    std::thread::yield_now();
                }
                record(program.1);
            }
            chunks.expand(program, worker, || false);
        });
        let done = chunks.finish(machine, workers);
        *room = chunks.room.into_inner().expect(UNPOISONED);
        done
    }
    fn search_share(&self, mut share: Share<'_>, searching: &AtomicUsize) {
        // Counts down even if there is a panic, so that nobody waits for ever.
        struct Done<'d>(&'d AtomicUsize);
        impl Drop for Done<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Release);
            }
        }
        let _done = Done(searching);
        if let Some(batch) = self.recorded {
            share.settle(batch);
        }
        if let Some(batch) = self.expanded {
            share.find(batch);
        }
    }
}

/// The chunks of a queue, to be expanded by whichever thread has time.
struct Chunks<'c> {
    todo: Vec<&'c [u64]>,
    turn: AtomicUsize,
    /// Lists that were used before.
    room: Mutex<Vec<Expanded>>,
    done: Mutex<Vec<(usize, Expanded)>>,
    search: &'c Search,
    owners: &'c Owners,
    jobs: usize,
}

pub(super) const UNPOISONED: &str = "no panic while a list was locked";

impl Chunks<'_> {
    /// Expands chunks until it is told to stop, none is left, or the tables have no room.
    fn expand(&self, program: (&Code<'_>, &Tables), worker: &mut Worker, stop: impl Fn() -> bool) {
        while !stop() {
            let n = self.turn.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = self.todo.get(n) else {
                return;
            };
            let mut found = self
                .room
                .lock()
                .expect(UNPOISONED)
                .pop()
                .unwrap_or_default();
            if found.fill(program, worker, chunk, self.search).is_err() {
                return;
            }
            found.deal(self.owners, self.jobs);
            self.done.lock().expect(UNPOISONED).push((n, found));
        }
    }
    /// All chunks in their order. Those for which there was no room are expanded now.
    fn finish(&self, machine: &mut Machine<'_>, workers: &mut [Worker]) -> Vec<Expanded> {
        let count = self.todo.len();
        let mut done = std::mem::take(&mut *self.done.lock().expect(UNPOISONED));
        if done.len() < count {
            let mut missing = vec![true; count];
            done.iter().for_each(|(n, _)| missing[*n] = false);
            for n in (0..count).filter(|n| missing[*n]) {
                let mut found = Expanded::default();
                loop {
                    let program = (&machine.code, &machine.tables);
                    match found.fill(program, &mut workers[0], self.todo[n], self.search) {
                        Ok(()) => break,
                        Err(Full) => machine.tables.pairs.grow(),
                    }
                }
                found.deal(self.owners, self.jobs);
                done.push((n, found));
            }
        }
        done.sort_unstable_by_key(|(n, _)| *n);
        done.into_iter().map(|(_, found)| found).collect()
    }
}

/// The shards of one thread.
struct Share<'s> {
    own: &'s mut [Shard],
    /// The number of the share, and of its first shard.
    number: usize,
    first: usize,
    keys: Keys<'s>,
    owners: &'s Owners,
}

/// Divides the shards among threads.
fn shares<'s>(
    mut shards: &'s mut [Shard],
    keys: Keys<'s>,
    owners: &'s Owners,
    jobs: usize,
) -> impl Iterator<Item = Share<'s>> {
    (0..jobs).map(move |number| {
        let first = first_shard(number, jobs);
        let size = first_shard(number + 1, jobs) - first;
        Share {
            own: shards
                .split_off_mut(..size)
                .expect("a thread's part of the shards"),
            number,
            first,
            keys,
            owners,
        }
    })
}

impl Share<'_> {
    /// Writes the final numbers of new states. They are where they were found, since nothing
    /// else is written in between.
    fn settle(&mut self, batch: &Batch) {
        let found = batch.found[self.number].lock().expect(UNPOISONED);
        for first in &found.firsts {
            let shard = &mut self.own[first.shard as usize - self.first];
            shard.settle(
                self.keys,
                first.slot as usize,
                found.ids[first.edge as usize],
            );
        }
    }
    /// Finds the number of each target.
    fn find(&mut self, batch: &Batch) {
        let mut found = batch.found[self.number].lock().expect(UNPOISONED);
        let Found {
            keys,
            ids,
            done,
            firsts,
        } = &mut *found;
        keys.clear();
        for chunk in &batch.chunks {
            keys.extend_from_slice(&chunk.shares[self.number]);
        }
        ids.clear();
        *done = 0;
        firsts.clear();
        self.own.iter_mut().for_each(|shard| shard.grown = false);
        let all = Keys {
            batch: keys,
            ..self.keys
        };
        let mut wanted = [Wanted::default(); GROUP];
        for group in keys.chunks(GROUP) {
            for (wanted, key) in wanted.iter_mut().zip(group) {
                *wanted = Wanted::new(*key, self.owners);
            }
            let wanted = &wanted[..group.len()];
            all.approach(self.own, self.first, wanted);
            for wanted in wanted {
                let edge = ids.len() as u32;
                let provisional = batch.known as u32 + edge;
                let shard = &mut self.own[wanted.shard - self.first];
                let (id, slot) = shard.insert(all, *wanted, provisional);
                if id == provisional {
                    firsts.push(First {
                        edge,
                        shard: wanted.shard as u32,
                        slot: slot as u32,
                    });
                }
                ids.push(id);
            }
        }
        // Shards that have grown have their keys elsewhere. Now is the time to look, while no
        // final number can be taken for a provisional one.
        for first in firsts {
            let shard = &self.own[first.shard as usize - self.first];
            if shard.grown {
                let wanted = Wanted::new(keys[first.edge as usize], self.owners);
                let id = batch.known as u32 + first.edge;
                first.slot = shard.place(all, wanted, id) as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the threads do to the table of states, one after the other; whatever the number of
    /// threads, new states get the numbers of their first edges' order.
    fn numbers(jobs: usize, batches: &[Vec<u64>]) -> Vec<u32> {
        let mut states = States::default();
        let mut numbers = Vec::new();
        for keys in batches {
            let mut chunk = Expanded {
                keys: keys.clone(),
                ..Expanded::default()
            };
            chunk.deal(states.parts().1, jobs);
            let mut batch = Batch {
                chunks: vec![chunk],
                ..Batch::default()
            };
            batch.prepare(&mut states, jobs);
            let each = |states: &mut States, work: fn(&mut Share<'_>, &Batch), batch: &Batch| {
                let (keys, owners, shards) = states.parts();
                shares(shards, keys, owners, jobs).for_each(|mut share| work(&mut share, batch));
            };
            each(&mut states, |share, batch| share.find(batch), &batch);
            let mut new = Vec::new();
            for owner in &batch.chunks[0].owners {
                let found = batch.found[usize::from(*owner)].get_mut();
                numbers.push(found.expect(UNPOISONED).record(batch.known, &mut new));
            }
            states.extend(&new);
            each(&mut states, |share, batch| share.settle(batch), &batch);
        }
        numbers
    }

    #[test]
    fn numbers_do_not_depend_on_threads_or_growth() {
        // Tables begin small, so that they grow in the middle of every batch.
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            seed >> 33
        };
        let batch = |_| (0..20_000).map(|_| random() % 60_000).collect();
        let batches: Vec<Vec<u64>> = (0..8).map(batch).collect();
        let mut known: Vec<u64> = Vec::new();
        let mut places = rustc_hash::FxHashMap::default();
        let wanted: Vec<u32> = batches
            .iter()
            .flatten()
            .map(|key| {
                *places.entry(*key).or_insert_with(|| {
                    known.push(*key);
                    known.len() as u32 - 1
                })
            })
            .collect();
        for jobs in [1, 2, 3, 7] {
            assert!(numbers(jobs, &batches) == wanted, "{jobs} threads");
        }
    }
}
