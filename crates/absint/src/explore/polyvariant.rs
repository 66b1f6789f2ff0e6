//! The polyvariant way (thesis, Figure 3.4), on several threads.
//!
//! The queue is worked off in batches of states. Threads first *expand* chunks of a batch into
//! lists of edges, with read access to the states only. Then each thread *finds* the targets in
//! the shards of the state table that it owns. New states are numbered in the order of the
//! edges by one thread, and at last their numbers are settled in the shards. No locks are held,
//! and numbers do not depend on how many threads there are.

use super::states::{PROVISIONAL, States, owner};
use super::{MAX_NOTES, Model, Search};
use crate::machine::{Code, Edge, Full, Machine, State, Tables, Worker};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::FuncId;
use cwolf_lts::{Builder, Label, TAU};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// How many chunks a batch has at most.
const BATCH: usize = 64;
/// The longest way of silent steps that is left out at once.
const MAX_CHAIN: usize = 1 << 12;

/// The edges of a chunk.
#[derive(Default)]
struct Expanded {
    labels: Vec<u32>,
    keys: Vec<u64>,
    /// Where the edges of each state end.
    ends: Vec<u32>,
}

impl Expanded {
    fn clear(&mut self) {
        self.labels.clear();
        self.keys.clear();
        self.ends.clear();
    }
}

fn key(control: u32, global: u32) -> u64 {
    u64::from(control) << 32 | u64::from(global)
}

/// A search under way.
struct Explorer<'e, 'm, 'p> {
    machine: &'m mut Machine<'p>,
    search: &'e Search,
    budget: &'e Budget,
    workers: Vec<Worker>,
    states: States,
    builder: Builder,
    /// The numbers of labels in the model, by those in the tables.
    labels: FxHashMap<u32, Label>,
    /// The next state to expand.
    next: usize,
    started: Instant,
}

pub(super) fn explore(
    machine: &mut Machine<'_>,
    entry: FuncId,
    search: &Search,
    budget: &Budget,
) -> Model {
    let jobs = search.jobs.clamp(1, 64);
    let initial = machine.initial(entry);
    let (control, global) = machine.pack(initial);
    let mut workers = vec![std::mem::take(&mut machine.worker)];
    workers.extend((1..jobs).map(|_| Worker::default()));
    let mut explorer = Explorer {
        machine,
        search,
        budget,
        workers,
        states: States::default(),
        builder: Builder::new(),
        labels: FxHashMap::from_iter([(0, TAU)]),
        next: 0,
        started: Instant::now(),
    };
    explorer.states.insert(key(control, global));
    explorer.builder.ensure_states(1);
    let partial = explorer.run().err();
    let Explorer {
        machine,
        workers,
        states,
        builder,
        ..
    } = explorer;
    let mut workers = workers.into_iter();
    machine.worker = workers.next().unwrap_or_default();
    workers.for_each(|w| machine.worker.add_notes(w));
    finish(machine, states, builder, partial, search.detail)
}

impl Explorer<'_, '_, '_> {
    fn run(&mut self) -> Result<(), Exhausted> {
        while self.next < self.states.len() {
            self.budget.check(self.states.len() as u64)?;
            let queue = self.states.len() - self.next;
            // Few states are not worth waking threads for.
            match self.workers.len() > 1 && queue >= 2 * self.search.chunk {
                true => self.batch()?,
                false => self.one_by_one()?,
            }
            self.budget.tell(|| self.progress());
        }
        Ok(())
    }
    /// A limit on states is a limit on those that are kept, not on those looked at.
    fn room(&self) -> Result<(), Exhausted> {
        let max = self.budget.steps().unwrap_or(u64::MAX);
        match self.states.len() as u64 >= max {
            true => Err(Exhausted::Steps),
            false => Ok(()),
        }
    }
    fn add(&mut self, label: u32, target: u32) {
        let (builder, tables) = (&mut self.builder, &self.machine.tables);
        let new = |builder: &mut Builder| builder.label(&tables.label(label));
        let label = match self.labels.get(&label) {
            Some(label) => *label,
            None => *self.labels.entry(label).or_insert(new(builder)),
        };
        builder.add(self.next as u32, label, target);
    }
    /// Expands some states, each on its own.
    fn one_by_one(&mut self) -> Result<(), Exhausted> {
        let end = self.next + self.search.chunk.max(1);
        let mut edges = Expanded::default();
        while self.next < end.min(self.states.len()) {
            self.room()?;
            edges.clear();
            let state = &self.states.keys()[self.next..=self.next];
            let Machine { code, tables, .. } = &*self.machine;
            let worker = &mut self.workers[0];
            let done = expand_chunk(code, tables, worker, state, self.search, &mut edges);
            if done.is_err() {
                self.machine.tables.pairs.grow();
                continue;
            }
            for n in 0..edges.keys.len() {
                let (target, _) = self.states.insert(edges.keys[n]);
                self.add(edges.labels[n], target);
            }
            self.next += 1;
        }
        Ok(())
    }
    /// Expands many states on all threads.
    fn batch(&mut self) -> Result<(), Exhausted> {
        let most = BATCH * self.search.chunk;
        let end = self.states.len().min(self.next + most);
        let queue = &self.states.keys()[self.next..end];
        let batch = expand(self.machine, &mut self.workers, queue, self.search);
        let jobs = self.workers.len();
        let known = self.states.len();
        let (keys, mut found) = find(&mut self.states, batch.iter(), jobs);
        // New states are numbered in the order of the edges.
        let mut at = 0;
        for chunk in &batch {
            let mut edge = 0;
            for stop in &chunk.ends {
                self.room()?;
                while edge < *stop as usize {
                    if let Some(first) = found[at].checked_sub(PROVISIONAL) {
                        found[at] = match first as usize == at {
                            true => self.states.push(keys[at]),
                            false => found[first as usize],
                        };
                    }
                    self.add(chunk.labels[edge], found[at]);
                    at += 1;
                    edge += 1;
                }
                self.next += 1;
            }
        }
        settle(&mut self.states, known, jobs, &keys, &found);
        Ok(())
    }
    /// What is shown while it runs.
    fn progress(&self) -> String {
        let memory = cwolf_base::resident_bytes().map_or(String::new(), |bytes| {
            format!(", {} MB of memory", bytes >> 20)
        });
        let seconds = self.started.elapsed().as_secs_f64();
        let states = self.states.len();
        format!(
            "{states} states, {} transitions, {} environment nodes, {} in the queue{memory}, \
             {:.0} states/s",
            self.builder.transitions(),
            self.machine.environment_nodes(),
            states - self.next,
            states as f64 / seconds.max(0.001)
        )
    }
}

/// The edges of a batch of states, chunk by chunk.
fn expand(
    machine: &mut Machine<'_>,
    workers: &mut [Worker],
    batch: &[u64],
    search: &Search,
) -> Vec<Expanded> {
    let chunks: Vec<&[u64]> = batch.chunks(search.chunk.max(1)).collect();
    let done: Vec<Mutex<Option<Expanded>>> = chunks.iter().map(|_| Mutex::new(None)).collect();
    loop {
        let todo: Vec<usize> = (0..chunks.len())
            .filter(|n| done[*n].lock().expect("no panic").is_none())
            .collect();
        if todo.is_empty() {
            break;
        }
        let turn = AtomicUsize::new(0);
        let (code, tables) = (&machine.code, &machine.tables);
        let work = |worker: &mut Worker| {
            while let Some(n) = todo.get(turn.fetch_add(1, Ordering::Relaxed)) {
                // Without room in the tables the chunk is left for later.
                let mut found = Expanded::default();
                if expand_chunk(code, tables, worker, chunks[*n], search, &mut found).is_err() {
                    return;
                }
                *done[*n].lock().expect("no panic") = Some(found);
            }
        };
        match &mut *workers {
            [first, rest @ ..] if todo.len() > 1 => std::thread::scope(|scope| {
                for worker in rest {
                    scope.spawn(|| work(worker));
                }
                work(first);
            }),
            workers => work(&mut workers[0]),
        }
        machine.tables.pairs.grow();
    }
    let chunk = |slot: Mutex<Option<Expanded>>| {
        let inner = slot.into_inner().expect("no panic");
        inner.expect("all chunks are done")
    };
    done.into_iter().map(chunk).collect()
}

fn expand_chunk(
    code: &Code<'_>,
    tables: &Tables,
    worker: &mut Worker,
    chunk: &[u64],
    search: &Search,
    expanded: &mut Expanded,
) -> Result<(), Full> {
    let mut edges: Vec<Edge> = Vec::new();
    for state in chunk {
        edges.clear();
        worker.expand(
            code,
            tables,
            ((*state >> 32) as u32, *state as u32),
            &mut edges,
        )?;
        for edge in &mut edges {
            if search.on_the_fly {
                follow(code, tables, worker, edge)?;
            }
            expanded.labels.push(edge.label);
            expanded.keys.push(key(edge.control, edge.global));
        }
        expanded.ends.push(expanded.keys.len() as u32);
    }
    Ok(())
}

/// Moves the target of an edge on while its only way is one silent step. On a silent cycle it
/// stays where the cycle was entered.
fn follow(
    code: &Code<'_>,
    tables: &Tables,
    worker: &mut Worker,
    edge: &mut Edge,
) -> Result<(), Full> {
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut edges = Vec::new();
    let mut state = (edge.control, edge.global);
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
        let [
            Edge {
                label: 0,
                control,
                global,
            },
        ] = edges[..]
        else {
            break;
        };
        if !seen.insert(state) {
            (edge.control, edge.global) = state;
            return Ok(());
        }
        path.push(state);
        state = (control, global);
    }
    (edge.control, edge.global) = state;
    // A way that was cut would be cut elsewhere from other states.
    if path.len() < MAX_CHAIN {
        for (n, from) in path.iter().enumerate() {
            worker.keep_way(*from, (state, (path.len() - n) as u32 + known));
        }
    }
    Ok(())
}

/// The keys of all edges, and the number of each target, provisional for new ones.
fn find<'e>(
    states: &mut States,
    batch: impl Iterator<Item = &'e Expanded>,
    jobs: usize,
) -> (Vec<u64>, Vec<u32>) {
    let keys: Vec<u64> = batch.flat_map(|c| c.keys.iter().copied()).collect();
    let (known, owners, shards) = states.parts();
    let per = shards.len().div_ceil(jobs);
    let mut lists: Vec<Vec<u32>> = Vec::new();
    std::thread::scope(|scope| {
        let keys = &keys;
        let threads: Vec<_> = (shards.chunks_mut(per).enumerate())
            .map(|(thread, own)| {
                scope.spawn(move || {
                    let mut found = Vec::new();
                    for (n, key) in keys.iter().enumerate() {
                        let shard = owner(owners, super::states::hash(*key)) as usize;
                        if shard / per == thread {
                            found.push(own[shard % per].insert(known, keys, n as u32));
                        }
                    }
                    found
                })
            })
            .collect();
        lists.extend(threads.into_iter().map(|t| t.join().expect("no panic")));
    });
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let found = keys.iter().map(|key| {
        let shard = owner(owners, super::states::hash(*key)) as usize;
        lists[shard / per].next().expect("one for each edge")
    });
    let found = found.collect();
    (keys, found)
}

/// Writes the final numbers of the new states into the shards.
fn settle(states: &mut States, known: usize, jobs: usize, keys: &[u64], found: &[u32]) {
    let (_, owners, shards) = states.parts();
    let per = shards.len().div_ceil(jobs);
    let work = |thread: usize, own: &mut [super::states::Shard]| {
        let mut next = known as u32;
        for (n, (key, id)) in keys.iter().zip(found).enumerate() {
            // New states were numbered in the order of their first edges.
            if *id == next {
                next += 1;
                let shard = owner(owners, super::states::hash(*key)) as usize;
                if shard / per == thread {
                    own[shard % per].settle(*key, n as u32, *id);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let mut chunks = shards.chunks_mut(per).enumerate();
        let first = chunks.next();
        for (thread, own) in chunks {
            scope.spawn(move || work(thread, own));
        }
        if let Some((thread, own)) = first {
            work(thread, own);
        }
    });
}

fn finish(
    machine: &Machine<'_>,
    states: States,
    mut builder: Builder,
    partial: Option<Exhausted>,
    detail: u32,
) -> Model {
    let keys = states.into_keys();
    let count = keys.len();
    builder.ensure_states(count);
    let unpack = |key: u64| machine.tables.unpack((key >> 32) as u32, key as u32);
    let mut halted = Vec::new();
    let mut list: Vec<State> = Vec::new();
    for (id, key) in keys.iter().enumerate() {
        if machine.tables.pairs.get((*key >> 32) as u32).0 == State::HALTED {
            halted.push(id as u32);
        }
        if count <= MAX_NOTES {
            let state = unpack(*key);
            list.push(state);
            if detail > 0 {
                builder.note(id as u32, &machine.describe(state, detail));
            }
        }
    }
    drop(keys);
    Model {
        lts: builder.finish(0),
        states: list,
        halted,
        partial,
        undescribed: detail > 0 && count > MAX_NOTES,
        environment_nodes: machine.environment_nodes(),
    }
}
