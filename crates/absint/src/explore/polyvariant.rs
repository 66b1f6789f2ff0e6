//! The polyvariant way (thesis, Figure 3.4), on one thread or on several (see [`super::batch`]).
//! The numbers of the states do not depend on how many there are.

use super::batch::{Batch, Expanded, Step, UNPOISONED};
use super::states::{GROUP, States, Wanted};
use super::{MAX_NOTES, Model, Search};
use crate::machine::{Full, Machine, State, Tables, Worker};
use crate::threads::Threads;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::FuncId;
use cwolf_lts::{Builder, Label, TAU};
use std::time::{Duration, Instant};

/// How many chunks a batch has at most.
const BATCH: usize = 256;

/// A search under way.
struct Explorer<'e, 'm, 'p> {
    machine: &'m mut Machine<'p>,
    search: &'e Search,
    budget: &'e Budget,
    workers: Vec<Worker>,
    threads: Threads,
    states: States,
    record: Record,
    /// The edges that one thread found last.
    edges: Expanded,
    /// The batch whose targets are to be found.
    expanded: Option<Batch>,
    /// The batch whose new states have provisional numbers in the table of states.
    recorded: Option<Batch>,
    /// Lists that are done with.
    room: Vec<Expanded>,
    /// The next state to expand.
    next: usize,
    started: Instant,
}

/// The edges of the model so far.
struct Record {
    builder: Builder,
    /// The numbers of labels in the model, by those in the tables.
    labels: Vec<Option<Label>>,
    /// The state whose edges come next.
    source: usize,
    /// So many states are kept at most.
    max: usize,
    /// The label at which to stop, by name, and by number once it was seen.
    until: (Option<&'static str>, Option<Label>),
    /// The first step that has it.
    found: Option<(u32, Label, u32)>,
}

pub(super) fn explore(
    machine: &mut Machine<'_>,
    entry: FuncId,
    search: &Search,
    budget: &Budget,
) -> Model {
    let threads = Threads::new(search.jobs.clamp(1, 64));
    // Half of the time is for the model itself.
    let half = budget.time_left().map(|left| left / 2);
    let preparing = budget.clone().timeout(half.unwrap_or(Duration::MAX));
    machine.prepare(entry, &preparing);
    let initial = machine.initial(entry);
    let first = machine.pack(initial);
    let mut workers = vec![std::mem::take(&mut machine.worker)];
    workers.extend((1..threads.jobs()).map(|_| Worker::default()));
    let mut states = States::default();
    let first = states.look(&[first])[0];
    states.insert(first);
    let mut builder = Builder::new();
    builder.ensure_states(1);
    let mut explorer = Explorer {
        machine,
        search,
        budget,
        workers,
        threads,
        states,
        record: Record {
            builder,
            labels: vec![Some(TAU)],
            source: 0,
            max: budget.steps().map_or(usize::MAX, |max| max.max(1) as usize),
            until: (search.until, None),
            found: None,
        },
        edges: Expanded::default(),
        expanded: None,
        recorded: None,
        room: Vec::new(),
        next: 0,
        started: Instant::now(),
    };
    let partial = explorer.run().err();
    let Explorer {
        machine,
        workers,
        states,
        record,
        ..
    } = explorer;
    let mut workers = workers.into_iter();
    machine.worker = workers.next().unwrap_or_default();
    workers.for_each(|w| machine.worker.add_notes(w));
    finish(machine, states, record, partial, search)
}

impl Explorer<'_, '_, '_> {
    fn run(&mut self) -> Result<(), Exhausted> {
        loop {
            let queue = self.states.len() - self.next;
            if queue == 0 && self.expanded.is_none() || self.record.found.is_some() {
                return Ok(());
            }
            self.budget.check_but_steps()?;
            // Few states are not worth waking threads for.
            let many = self.workers.len() > 1 && queue >= 2 * self.search.chunk;
            match many || self.expanded.is_some() || self.recorded.is_some() {
                true => self.step(many)?,
                false => self.alone()?,
            }
            self.budget.tell(|| self.progress());
        }
    }
    /// Expands and records some states on this thread.
    fn alone(&mut self) -> Result<(), Exhausted> {
        let chunk = self.search.chunk.max(1);
        let keys = self.states.keys();
        let queue = &keys[self.next..keys.len().min(self.next + chunk)];
        self.next += queue.len();
        loop {
            let program = (&self.machine.code, &self.machine.tables);
            let worker = &mut self.workers[0];
            match self.edges.fill(program, worker, queue, self.search) {
                Ok(()) => break,
                Err(Full) => self.machine.tables.pairs.grow(),
            }
        }
        let (record, tables) = (&mut self.record, &self.machine.tables);
        record.add_chunk(tables, &mut self.states, &self.edges)
    }
    /// Takes the batches under way one stage further on all threads, and begins a new one if
    /// there are `many` states to expand.
    fn step(&mut self, many: bool) -> Result<(), Exhausted> {
        let keys = self.states.keys();
        let mut count = match many {
            true => (keys.len() - self.next).min(BATCH * self.search.chunk),
            false => 0,
        };
        // The first batch leaves something to do while it is recorded.
        if self.expanded.is_none() {
            count = count.div_ceil(2);
        }
        let queue = keys[self.next..self.next + count].to_vec();
        self.next += count;
        if let Some(batch) = &mut self.expanded {
            batch.prepare(&mut self.states, self.workers.len());
        }
        let step = Step {
            search: self.search,
            recorded: self.recorded.as_ref(),
            expanded: self.expanded.as_ref(),
            queue: &queue,
        };
        let mut new = Vec::new();
        let mut result = Ok(());
        let record = &mut self.record;
        let chunks = step.run(
            &self.threads,
            (self.machine, &mut self.workers),
            &mut self.states,
            &mut self.room,
            |tables| {
                if let Some(batch) = &self.expanded {
                    result = record.add_batch(tables, batch, &mut new);
                }
            },
        );
        self.states.extend(&new);
        result?;
        let mut next = self.recorded.take().unwrap_or_default();
        next.chunks = chunks;
        self.recorded = self.expanded.take();
        if let Some(batch) = &mut self.recorded {
            self.room.append(&mut batch.chunks);
        }
        self.expanded = (count > 0).then_some(next);
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
            self.record.builder.transitions(),
            self.machine.environment_nodes(),
            states - self.next,
            states as f64 / seconds.max(0.001)
        )
    }
}

impl Record {
    /// Records the edges of the next states and numbers the new ones among their targets.
    fn add_chunk(
        &mut self,
        tables: &Tables,
        states: &mut States,
        edges: &Expanded,
    ) -> Result<(), Exhausted> {
        states.expect(edges.keys.len());
        let mut at = 0;
        let mut wanted = [Wanted::default(); GROUP];
        for stop in &edges.ends {
            while at < *stop as usize {
                if at % GROUP == 0 {
                    let end = edges.keys.len().min(at + GROUP);
                    wanted = states.look(&edges.keys[at..end]);
                }
                let target = states.insert(wanted[at % GROUP]);
                if states.len() > self.max {
                    states.truncate(self.max);
                    return Err(Exhausted::Steps);
                }
                self.add(tables, edges.labels[at], target);
                at += 1;
            }
            self.source += 1;
        }
        Ok(())
    }
    /// The same for a batch whose targets were found. The `new` states are only listed.
    fn add_batch(
        &mut self,
        tables: &Tables,
        batch: &Batch,
        new: &mut Vec<u64>,
    ) -> Result<(), Exhausted> {
        let found = batch.found.iter();
        let mut found: Vec<_> = found.map(|f| f.lock().expect(UNPOISONED)).collect();
        for chunk in &batch.chunks {
            let mut edge = 0;
            for stop in &chunk.ends {
                while edge < *stop as usize {
                    let found = &mut *found[usize::from(chunk.owners[edge])];
                    let target = found.record(batch.known, new);
                    if target as usize >= self.max {
                        new.truncate(self.max - batch.known);
                        return Err(Exhausted::Steps);
                    }
                    self.add(tables, chunk.labels[edge], target);
                    edge += 1;
                }
                self.source += 1;
            }
        }
        Ok(())
    }
    fn add(&mut self, tables: &Tables, label: u32, target: u32) {
        let at = label as usize;
        if self.labels.len() <= at {
            self.labels.resize(at + 1, None);
        }
        let label = match self.labels[at] {
            Some(label) => label,
            None => {
                let name = tables.label(label);
                let label = self.builder.label(&name);
                if self.until.0 == Some(&*name) {
                    self.until.1 = Some(label);
                }
                *self.labels[at].insert(label)
            }
        };
        if self.until.1 == Some(label) && self.found.is_none() {
            self.found = Some((self.source as u32, label, target));
        }
        self.builder.add(self.source as u32, label, target);
    }
}

fn finish(
    machine: &Machine<'_>,
    states: States,
    record: Record,
    partial: Option<Exhausted>,
    search: &Search,
) -> Model {
    let mut builder = record.builder;
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
        if list.len() < MAX_NOTES || search.keep {
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
        partial: partial.filter(|_| record.found.is_none()),
        found: record.found,
        undescribed: detail < search.detail,
        environment_nodes: machine.environment_nodes(),
    }
}
