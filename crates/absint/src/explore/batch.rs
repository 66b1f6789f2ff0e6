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
use super::states::{GROUP, Keys, Owners, Shard, States, Wanted, approach_slots, share_size};
use crate::machine::{Code, Edge, Full, Machine, Tables, Worker};
use rustc_hash::FxHashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The longest way of silent steps that is left out at once.
const MAX_CHAIN: usize = 1 << 12;

/// The edges of a chunk of states.
#[derive(Default)]
pub(super) struct Expanded {
    pub labels: Vec<u32>,
    pub keys: Vec<u64>,
    /// Where the edges of each state end.
    pub ends: Vec<u32>,
    /// The edges whose targets are in each thread's share of the state table.
    shares: Vec<Vec<u32>>,
}

impl Expanded {
    fn clear(&mut self) {
        self.labels.clear();
        self.keys.clear();
        self.ends.clear();
        self.shares.iter_mut().for_each(Vec::clear);
    }
    /// Deals the edges out to so many threads.
    fn deal(&mut self, owners: &Owners, jobs: usize) {
        self.shares.resize_with(jobs, Vec::new);
        for (n, key) in (0..).zip(&self.keys) {
            self.shares[Wanted::new(*key, owners).share(jobs)].push(n);
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
fn follow(
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
    /// The targets of all chunks.
    pub keys: Vec<u64>,
    /// The number of each target, once they are found. That of a new state is provisional:
    /// where in the batch its key is found first, counted from the number of states on.
    pub ids: Vec<AtomicU32>,
    /// How many states there were when they were found.
    pub known: usize,
    /// Where the first edge to each new state is, by the share of the table that it is in.
    firsts: Vec<Mutex<Vec<u32>>>,
}

impl Batch {
    /// Takes chunks over.
    fn set(&mut self, chunks: Vec<Expanded>) {
        self.chunks = chunks;
        self.keys.clear();
        for chunk in &self.chunks {
            self.keys.extend_from_slice(&chunk.keys);
        }
    }
    /// Prepares to find the targets.
    pub fn prepare(&mut self, states: &mut States, jobs: usize) {
        states.expect(self.keys.len());
        self.known = states.len();
        // Old numbers will be overwritten.
        if self.ids.len() < self.keys.len() {
            self.ids.resize_with(self.keys.len(), AtomicU32::default);
        }
        self.firsts.resize_with(jobs, Mutex::default);
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
    /// are expanded into a batch that was used before.
    pub fn run(
        &self,
        (machine, workers): (&mut Machine<'_>, &mut [Worker]),
        states: &mut States,
        mut room: Batch,
        record: impl FnOnce(&Tables),
    ) -> Batch {
        let jobs = workers.len();
        // Rather now than when threads have to stop for it.
        machine.tables.pairs.grow();
        let (mut keys, owners, shards) = states.parts();
        keys.batch = self.expanded.map_or(&[], |batch| &batch.keys);
        // Many of them even in a short queue, so that no thread waits long for another.
        let chunk = self.search.chunk.min(self.queue.len().div_ceil(16 * jobs));
        let chunks = Chunks {
            todo: self.queue.chunks(chunk.max(1)).collect(),
            turn: AtomicUsize::new(0),
            room: Mutex::new(std::mem::take(&mut room.chunks)),
            done: Mutex::default(),
            search: self.search,
            owners,
            jobs,
        };
        let size = share_size(jobs);
        let searching = AtomicUsize::new(jobs);
        let mut shares = shards.chunks_mut(size);
        let (code, tables) = (&machine.code, &machine.tables);
        std::thread::scope(|scope| {
            let mut threads = workers.iter_mut().enumerate().map(|(number, worker)| {
                let share = Share {
                    own: shares.next().unwrap_or_default(),
                    number,
                    first: number * size,
                    keys,
                    owners,
                };
                (share, worker)
            });
            let first = threads.next();
            for (share, worker) in threads {
                let (chunks, searching) = (&chunks, &searching);
                scope.spawn(move || {
                    self.search_share(share, searching);
                    chunks.expand((code, tables), worker, || false);
                });
            }
            let (share, worker) = first.expect("there is a worker");
            self.search_share(share, &searching);
            // The others may still search, having been started later.
            let searched = || searching.load(Ordering::Acquire) == 0;
            chunks.expand((code, tables), worker, searched);
            while !searched() {
                std::thread::yield_now();
            }
            record(tables);
            chunks.expand((code, tables), worker, || false);
        });
        room.set(chunks.finish(machine, workers));
        room
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

const UNPOISONED: &str = "no panic while a list was locked";

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
    fn finish(self, machine: &mut Machine<'_>, workers: &mut [Worker]) -> Vec<Expanded> {
        let count = self.todo.len();
        let mut done = self.done.into_inner().expect(UNPOISONED);
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

impl Share<'_> {
    /// Writes the final numbers of new states.
    fn settle(&mut self, batch: &Batch) {
        // New states were numbered in the order of their first edges, so no number that is
        // written here is one that is still to be replaced.
        let firsts = batch.firsts[self.number].lock().expect(UNPOISONED);
        let mut wanted = [Wanted::default(); GROUP];
        for group in firsts.chunks(GROUP) {
            for (wanted, n) in wanted.iter_mut().zip(group) {
                *wanted = Wanted::new(batch.keys[*n as usize], self.owners);
            }
            let wanted = &wanted[..group.len()];
            approach_slots(self.own, self.first, wanted);
            for (wanted, n) in wanted.iter().zip(group) {
                let shard = &mut self.own[wanted.shard - self.first];
                let id = batch.ids[*n as usize].load(Ordering::Relaxed);
                shard.settle(self.keys, *wanted, batch.known as u32 + n, id);
            }
        }
    }
    /// Finds the number of each target.
    fn find(&mut self, batch: &Batch) {
        let mut firsts = batch.firsts[self.number].lock().expect(UNPOISONED);
        firsts.clear();
        let mut start = 0;
        let mut wanted = [Wanted::default(); GROUP];
        for chunk in &batch.chunks {
            for group in chunk.shares[self.number].chunks(GROUP) {
                for (wanted, edge) in wanted.iter_mut().zip(group) {
                    *wanted = Wanted::new(chunk.keys[*edge as usize], self.owners);
                }
                let wanted = &wanted[..group.len()];
                self.keys.approach(self.own, self.first, wanted);
                for (wanted, edge) in wanted.iter().zip(group) {
                    let n = start + edge;
                    let provisional = batch.known as u32 + n;
                    let shard = &mut self.own[wanted.shard - self.first];
                    let id = shard.insert(self.keys, *wanted, provisional);
                    if id == provisional {
                        firsts.push(n);
                    }
                    batch.ids[n as usize].store(id, Ordering::Relaxed);
                }
            }
            start += chunk.keys.len() as u32;
        }
    }
}
