//! A run from connecting to the result.

use crate::bytes::{Reader, put, put_text};
use crate::checkpoint::Checkpoints;
use crate::communicator::{Communicator, Stopped, Traffic};
use crate::explore::{self, Part, Plan};
use crate::gather::{self, Outgoing};
use crate::hosts::{Hosts, connect};
use crate::link::{Link, Lost, Watch, farewell};
use crate::reduce::{Bisimulation, reduce};
use cwolf_absint::explore::Model;
use cwolf_absint::machine::Machine;
use cwolf_base::{Budget, Exhausted, Idx};
use cwolf_cwi::{FuncId, LocId};
use cwolf_lts::{TauSpelling, part_path, write_index};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, mpsc};
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::execute::execute_from;
use timely::worker::Worker;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Job {
    /// Where the program starts.
    pub entry: FuncId,
    /// Leave out states that only go silently elsewhere.
    pub on_the_fly: bool,
    /// Expand states in tables apart from the beginning, not only when there are many nodes; the
    /// result does not depend on it.
    pub apart: bool,
    /// How much is written about each state, if anything.
    pub detail: Option<u32>,
    /// How many states a worker expands in a step at most; the result does not depend on it.
    pub round: u64,
    /// By what the parts are reduced before they are gathered, if at all.
    pub reduce: Option<Bisimulation>,
    /// What becomes of the model.
    pub output: Output,
    /// Whether and where the work is saved.
    pub checkpoints: Option<Checkpoints>,
    /// Tells this work from any other: the program, the maps and the options.
    pub digest: u128,
}

/// What becomes of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// It is only counted.
    Count,
    /// Process 0 gets the whole of it.
    Model,
    /// Each worker writes its part, and process 0 the index of this name.
    Parts(PathBuf, TauSpelling),
}

/// How a run went.
#[derive(Clone, Debug)]
pub struct Summary {
    /// How many states were explored.
    pub explored: u64,
    /// How many transitions they have.
    pub transitions: u64,
    /// How many environment nodes all workers keep.
    pub nodes: u64,
    /// Why the model is not whole, if it is not.
    pub partial: Option<Exhausted>,
    /// How many states there were already, if this run went on from a checkpoint.
    pub resumed: Option<u64>,
    /// What the user should know, each with its place; at process 0.
    pub notes: Vec<(LocId, String)>,
    /// The model, at process 0, if it was asked for.
    pub model: Option<Model>,
    /// What went between workers, all together.
    pub traffic: Traffic,
    /// How many times its share of the states some worker has, if that is too much: then the
    /// variables by which states are divided have stopped changing. At process 0.
    pub excess: Option<f64>,
}

/// With fewer states nobody has to care.
const MANY: u64 = 100_000;
const TOO_MUCH: f64 = 1.5;

/// How much more than its share the largest is, if it matters.
fn excess(shares: &[u64]) -> Option<f64> {
    let total: u64 = shares.iter().sum();
    let largest = shares.iter().max().copied().unwrap_or(0);
    let times = largest as f64 * shares.len() as f64 / total.max(1) as f64;
    (total > MANY && times > TOO_MUCH).then_some(times)
}

/// Works on a job together with the other processes. An error names the process because of which
/// the work cannot be finished; all processes get the same. After one, threads are left behind
/// that wait for what will not come: the program should end.
///
/// # Panics
/// When states are merged by place ([`Machine::is_polyvariant`]): those are few anyway.
pub fn run(
    mut machine: Machine<'static>,
    hosts: &Hosts,
    job: Job,
    budget: &Budget,
) -> Result<Summary, Lost> {
    assert!(machine.is_polyvariant(), "only equal states are one");
    let watch = Arc::new(Watch::new(hosts.addresses.clone(), hosts.process));
    let links = connect(hosts, job.digest, &watch)?;
    let writers: Vec<_> = links.iter().flatten().map(Link::writer).collect();
    let peers = links.len() * hosts.workers;
    let (builders, guard) = builders(links, hosts, &watch)?;
    // This may take a while, so it is done when all know that all are there. They must come to
    // the same result, whatever memory each has; who runs out of time ends the run for all.
    machine.prepare(job.entry, &budget.without_memory());
    let start = machine.start(job.entry);
    let first_notes = machine.notes();
    let ownership = machine.ownership(job.entry, job.on_the_fly, peers);
    let machine = RwLock::new(machine);
    let (results, finished) = mpsc::channel();
    let (inner_watch, budget) = (Arc::clone(&watch), budget.clone());
    let work = move |worker: &mut Worker| {
        let mut communicator = Communicator::new(worker, Arc::clone(&inner_watch));
        let plan = Plan {
            start: &start,
            ownership: &ownership,
            on_the_fly: job.on_the_fly,
            apart: job.apart,
            round: job.round.max(1),
            numbered: job.output != Output::Count,
            checkpoints: job.checkpoints.as_ref(),
            budget: &budget,
        };
        let worked = work(&mut communicator, &machine, &job, plan);
        if worked.is_err() {
            // Its channels lead nowhere any more.
            std::mem::forget(communicator);
        } else {
            drop(communicator);
        }
        let _ = results.send((worker.index(), worked));
    };
    let guards = execute_from(builders, guard, WorkerConfig::default(), work);
    let guards = guards.map_err(|e| {
        watch
            .lose(hosts.process, format!("cannot start: {e}"))
            .clone()
    })?;
    let mut summaries = BTreeMap::new();
    while summaries.len() < hosts.workers
        && let Ok((worker, Ok(summary))) = finished.recv()
    {
        summaries.insert(worker, summary);
    }
    let all = summaries.len() == hosts.workers;
    match (summaries.pop_first().filter(|_| all), watch.lost()) {
        (Some((_, mut summary)), None) => {
            drop(guards);
            if hosts.process == 0 {
                summary.notes.extend(first_notes);
                summary.notes.sort();
                summary.notes.dedup();
            }
            Ok(summary)
        }
        (_, lost) => {
            std::mem::forget(guards);
            let lost = lost.cloned();
            let lost = lost.unwrap_or_else(|| watch.lose(hosts.process, "failed").clone());
            farewell(&writers, &lost);
            Err(lost)
        }
    }
}

type Guard = Box<dyn std::any::Any + Send>;

fn builders(
    links: Vec<Option<Link>>,
    hosts: &Hosts,
    watch: &Watch,
) -> Result<(Vec<AllocatorBuilder>, Guard), Lost> {
    let Hooks { refill, spill, .. } = Hooks::default();
    let inside = ProcessBuilder::new_typed_vector(hosts.workers, refill, spill);
    if links.len() == 1 {
        let builders = inside.into_iter().map(AllocatorBuilder::Process);
        return Ok((builders.collect(), Box::new(())));
    }
    let me = hosts.process;
    let all =
        initialize_networking_from_sockets(inside, links, me, hosts.workers, Hooks::default());
    match all {
        Ok((builders, guard)) => {
            let builders = builders.into_iter().map(AllocatorBuilder::Tcp);
            Ok((builders.collect(), Box::new(guard)))
        }
        Err(error) => Err(watch.lose(me, format!("cannot start: {error}")).clone()),
    }
}

/// What each worker does.
fn work(
    communicator: &mut Communicator<'_>,
    machine: &RwLock<Machine<'static>>,
    job: &Job,
    plan: Plan<'_>,
) -> Result<Summary, Stopped> {
    let mut part = {
        let machine = machine.read().unwrap_or_else(PoisonError::into_inner);
        explore::explore(communicator, &machine, plan)?
    };
    let [transitions, nodes] = communicator.sum([part.transitions, part.states.nodes() as u64])?;
    let shares = communicator.agree([part.states.len() as u64])?;
    let shares: Vec<u64> = shares.into_iter().flatten().collect();
    let notes = notes(communicator, machine, &part)?;
    let explored = part.known;
    let model = match &job.output {
        Output::Count => None,
        Output::Parts(path, tau) => {
            let counts = (explored, transitions);
            parts(communicator, &part, counts, path, *tau)?;
            None
        }
        Output::Model => whole(communicator, machine, job, &mut part, nodes)?,
    };
    let Traffic {
        steps,
        blocks,
        bytes,
    } = communicator.traffic;
    let [blocks, bytes] = communicator.sum([blocks, bytes])?;
    Ok(Summary {
        explored,
        transitions,
        nodes,
        partial: part.partial,
        resumed: part.resumed,
        notes,
        model,
        traffic: Traffic {
            steps,
            blocks,
            bytes,
        },
        excess: excess(&shares).filter(|_| communicator.index() == 0),
    })
}

/// Gathers the model at process 0.
fn whole(
    communicator: &mut Communicator<'_>,
    machine: &RwLock<Machine<'static>>,
    job: &Job,
    part: &mut Part,
    nodes: u64,
) -> Result<Option<Model>, Stopped> {
    let states = part.known;
    if job.reduce.is_none() && states >= u64::from(u32::MAX) {
        return Err(communicator.fail("cannot hold so large a model: write it as parts"));
    }
    let (names, labels) = explore::labels(communicator, part)?;
    let detail = gather::detail_for(job.detail, states);
    let rows = std::mem::take(&mut part.rows);
    if let Some(by) = job.reduce {
        let reduced = reduce(communicator, rows, &labels, states, by)?;
        let describe = detail.map(|_| {
            |only: &FxHashSet<u64>| {
                let told = gather::told(part, machine, detail, Some(only));
                let noted = told.filter_map(|(state, _, note)| Some((state, note?.0)));
                noted.collect()
            }
        });
        let small = reduced.gather(communicator, &names, describe)?;
        let small = small.map(|lts| (lts, Vec::new()));
        return Ok(small.map(|s| gather::model(s, part, (detail, job.detail), nodes)));
    }
    let outgoing = Outgoing {
        rows: &rows,
        labels: &labels,
    };
    let told = gather::told(part, machine, detail, None);
    let system = gather::system(communicator, states, &names, &outgoing, told)?;
    Ok(system.map(|system| gather::model(system, part, (detail, job.detail), nodes)))
}

/// Writes this worker's part of the model, and worker 0 the index.
fn parts(
    communicator: &mut Communicator<'_>,
    part: &Part,
    (states, transitions): (u64, u64),
    path: &Path,
    tau: TauSpelling,
) -> Result<(), Stopped> {
    let (names, labels) = explore::labels(communicator, part)?;
    // An index of another model must not lead to parts of this one, should we not finish.
    if communicator.index() == 0 {
        let _ = std::fs::remove_file(path);
    }
    communicator.agree([])?;
    let file = part_path(path, communicator.index());
    let written = gather::write_part(&file, &part.rows, &names, &labels, tau);
    let cannot = |file: &Path, error| format!("cannot write {}: {error}", file.display());
    written.map_err(|e| communicator.fail(cannot(&file, e)))?;
    // The index is there when all parts are.
    communicator.agree([])?;
    if communicator.index() == 0 {
        let mut bytes = Vec::new();
        let index = write_index(states, transitions, communicator.peers(), &mut bytes);
        let index = index.and_then(|()| std::fs::write(path, bytes));
        index.map_err(|e| communicator.fail(cannot(path, e)))?;
    }
    Ok(())
}

/// What the user should know, from all workers, at worker 0.
fn notes(
    communicator: &mut Communicator<'_>,
    machine: &RwLock<Machine<'static>>,
    part: &Part,
) -> Result<Vec<(LocId, String)>, Stopped> {
    for (loc, text) in part.expander.notes() {
        let out = communicator.to(0);
        put(out, loc.index() as u64);
        put_text(out, &text);
    }
    let mut list = Vec::new();
    let all = communicator.gather()?;
    let machine = machine.read().unwrap_or_else(PoisonError::into_inner);
    for bytes in all {
        let mut reader = Reader::new(&bytes);
        while !reader.is_empty() {
            let loc = machine.place(reader.number());
            let text = reader.text().to_owned();
            match loc.filter(|_| !reader.bad) {
                Some(loc) => list.push((loc, text)),
                None => {
                    return Err(communicator.fail("was told of a place that is not in the program"));
                }
            }
        }
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_shares_are_seen() {
        assert_eq!(excess(&[300_000, 100_000, 50_000]), Some(2.0));
        assert_eq!(excess(&[150_000, 100_000, 50_000]), None);
        assert_eq!(excess(&[100_000, 0]), None);
        assert_eq!(excess(&[0, 100_001]), Some(2.0));
        assert_eq!(excess(&[200_000]), None);
    }
}
