//! The polyvariant way (thesis, Figure 3.4), on several threads.
//!
//! The queue is worked off in batches of states. Threads first *expand* chunks of a batch into
//! lists of edges, with read access to the states only. Then each thread *finds* the targets in
//! the shards of the state table that it owns. New states are numbered in the order of the
//! edges by one thread, and at last their numbers are settled in the shards. No locks are held,
//! and numbers do not depend on how many threads there are.

use super::states::{GROUP, Shard, States, Wanted};
use super::{MAX_NOTES, Model, Search};
use crate::machine::{Code, Edge, Full, Machine, State, Tables, Worker};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::FuncId;
use cwolf_lts::{Builder, Label, TAU};
use rustc_hash::FxHashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
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

/// A search under way.
struct Explorer<'e, 'm, 'p> {
    machine: &'m mut Machine<'p>,
    search: &'e Search,
    budget: &'e Budget,
    workers: Vec<Worker>,
    states: States,
    builder: Builder,
    /// The numbers of labels in the model, by those in the tables.
    labels: Vec<Option<Label>>,
    /// The edges that one thread found last.
    edges: Expanded,
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
    let first = machine.pack(initial);
    let mut workers = vec![std::mem::take(&mut machine.worker)];
    workers.extend((1..jobs).map(|_| Worker::default()));
    let mut explorer = Explorer {
        machine,
        search,
        budget,
        workers,
        states: States::default(),
        builder: Builder::new(),
        labels: vec![Some(TAU)],
        edges: Expanded::default(),
        next: 0,
        started: Instant::now(),
    };
    let first = explorer.states.look(&[first])[0];
    explorer.states.insert(first);
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
    finish(machine, states, builder, partial, search)
}

impl Explorer<'_, '_, '_> {
    fn run(&mut self) -> Result<(), Exhausted> {
        while self.next < self.states.len() {
            self.budget.check(self.states.len() as u64)?;
            let queue = self.states.len() - self.next;
            // Few states are not worth waking threads for.
            match self.workers.len() > 1 && queue >= 2 * self.search.chunk {
                true => self.batch()?,
                false => self.alone()?,
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
        let at = label as usize;
        if self.labels.len() <= at {
            self.labels.resize(at + 1, None);
        }
        let label = *self.labels[at]
            .get_or_insert_with(|| self.builder.label(&self.machine.tables.label(label)));
        self.builder.add(self.next as u32, label, target);
    }
    /// Expands some states on this thread.
    fn alone(&mut self) -> Result<(), Exhausted> {
        let chunk = self.search.chunk.max(1);
        let end = self.states.len().min(self.next + chunk);
        let mut edges = std::mem::take(&mut self.edges);
        loop {
            edges.clear();
            let queue = &self.states.keys()[self.next..end];
            let Machine { code, tables, .. } = &*self.machine;
            let worker = &mut self.workers[0];
            let done = expand_chunk(code, tables, worker, queue, self.search, &mut edges);
            match done {
                Ok(()) => break,
                Err(Full) => self.machine.tables.pairs.grow(),
            }
        }
        self.states.expect(edges.keys.len());
        let mut at = 0;
        let mut wanted = [Wanted::default(); GROUP];
        for stop in &edges.ends {
            self.room()?;
            while at < *stop as usize {
                if at % GROUP == 0 {
                    let end = edges.keys.len().min(at + GROUP);
                    wanted = self.states.look(&edges.keys[at..end]);
                }
                let target = self.states.insert(wanted[at % GROUP]);
                self.add(edges.labels[at], target);
                at += 1;
            }
            self.next += 1;
        }
        self.edges = edges;
        Ok(())
    }
    /// Expands many states on all threads.
    fn batch(&mut self) -> Result<(), Exhausted> {
        let most = BATCH * self.search.chunk;
        let end = self.states.len().min(self.next + most);
        let queue = &self.states.keys()[self.next..end];
        let batch = expand(self.machine, &mut self.workers, queue, self.search);
        let keys: Vec<u64> = batch.iter().flat_map(|c| c.keys.iter().copied()).collect();
        let jobs = self.workers.len();
        let known = self.states.len();
        let mut found = find(&mut self.states, &keys, jobs);
        // New states are numbered in the order of the edges.
        let mut at = 0;
        for chunk in &batch {
            let mut edge = 0;
            for stop in &chunk.ends {
                self.room()?;
                while edge < *stop as usize {
                    if let Some(first) = (found[at] as usize).checked_sub(known) {
                        found[at] = match first == at {
                            true => self.states.push(keys[at]),
                            false => found[first],
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
            expanded.labels.push(edge.label);
            expanded.keys.push(edge.to);
        }
        expanded.ends.push(expanded.keys.len() as u32);
    }
    Ok(())
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

/// The number of each target of a batch. That of a new one is provisional: where in the batch
/// its key is found first, counted from the number of states on.
fn find(states: &mut States, batch: &[u64], jobs: usize) -> Vec<u32> {
    states.expect(batch.len());
    let found: Vec<AtomicU32> = batch.iter().map(|_| AtomicU32::new(0)).collect();
    let (mut keys, owners, shards) = states.parts();
    keys.batch = batch;
    let known = keys.known.len();
    let look = |own: &mut [Shard], first: usize, group: &mut Vec<(usize, Wanted)>| {
        let mut wanted = [Wanted::default(); GROUP];
        for (wanted, (_, w)) in wanted.iter_mut().zip(&*group) {
            *wanted = *w;
        }
        keys.approach(own, first, &wanted[..group.len()]);
        for (n, wanted) in group.drain(..) {
            let id = own[wanted.shard - first].insert(keys, wanted, (known + n) as u32);
            found[n].store(id, Ordering::Relaxed);
        }
    };
    in_shares(shards, jobs, &|own: &mut [Shard], first| {
        let mut group = Vec::with_capacity(GROUP);
        for (n, key) in batch.iter().enumerate() {
            let wanted = Wanted::new(*key, owners);
            if (first..first + own.len()).contains(&wanted.shard) {
                group.push((n, wanted));
                if group.len() == GROUP {
                    look(own, first, &mut group);
                }
            }
        }
        look(own, first, &mut group);
    });
    found.into_iter().map(AtomicU32::into_inner).collect()
}

/// Writes the final numbers of the new states into the shards.
fn settle(states: &mut States, known: usize, jobs: usize, batch: &[u64], found: &[u32]) {
    let (keys, owners, shards) = states.parts();
    in_shares(shards, jobs, &|own: &mut [Shard], first| {
        let mut next = known as u32;
        for (n, key) in batch.iter().enumerate() {
            // New states were numbered in the order of their first edges, so no number that is
            // written here is one that is still to be replaced.
            if found[n] == next {
                let wanted = Wanted::new(*key, owners);
                if (first..first + own.len()).contains(&wanted.shard) {
                    let shard = &mut own[wanted.shard - first];
                    shard.settle(keys, wanted, (known + n) as u32, next);
                }
                next += 1;
            }
        }
    });
}

/// Lets each thread work on its share of the shards; it is told which the first one is.
fn in_shares(shards: &mut [Shard], jobs: usize, work: &(dyn Fn(&mut [Shard], usize) + Sync)) {
    let share = shards.len().div_ceil(jobs);
    std::thread::scope(|scope| {
        let mut shares = shards.chunks_mut(share).enumerate();
        let own = shares.next();
        for (n, share_of) in shares {
            scope.spawn(move || work(share_of, n * share));
        }
        if let Some((n, share_of)) = own {
            work(share_of, n * share);
        }
    });
}

fn finish(
    machine: &Machine<'_>,
    states: States,
    mut builder: Builder,
    partial: Option<Exhausted>,
    search: &Search,
) -> Model {
    let keys = states.into_keys();
    let count = keys.len();
    builder.ensure_states(count);
    let detail = search.detail_for(count);
    let mut halted = Vec::new();
    let mut list: Vec<State> = Vec::new();
    for (id, key) in keys.iter().enumerate() {
        let state = machine.tables.unpack(*key);
        if machine.is_halted(state) {
            halted.push(id as u32);
        }
        if count <= MAX_NOTES {
            list.push(state);
        }
        if let Some(detail) = detail {
            builder.note(id as u32, &machine.describe(state, detail));
        }
    }
    drop(keys);
    Model {
        lts: builder.finish(0),
        states: list,
        halted,
        partial,
        undescribed: detail < search.detail,
        environment_nodes: machine.environment_nodes(),
    }
}
