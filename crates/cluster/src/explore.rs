//! Exploration by all workers together.
//!
//! A state belongs to the worker that its home names. There it is known by the order in which it
//! came. A *step* goes like this: each worker expands some thousands of its states, also those
//! that it finds meanwhile. It keeps the edges, and sends each target of another worker to its owner, who finds it or makes
//! it a new one, and tells in the next step which one it is. So there are few steps, and
//! nobody waits for the end of a level of the search. In which order states are found depends on
//! how fast things are. The numbers that they have on one machine are found afterwards, if they
//! are wanted (see [`number`]).

mod number;

use crate::bytes::{Reader, put};
use crate::checkpoint::{Checkpoints, Saved};
use crate::communicator::{Communicator, Stopped};
use crate::edges::{Edges, Target};
use crate::rows::{Numbers, Rows};
use cwolf_absint::explore::{Expander, Garbled, Key, Owned, Ownership, Peers, Step};
use cwolf_absint::machine::Machine;
use cwolf_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// So many states are expanded between two looks at what has arrived.
const STRETCH: usize = 256;
/// For so many states at once memory is waited for.
const GROUP: usize = 16;

/// What all workers are told.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub start: &'a [u8],
    pub ownership: &'a Ownership,
    pub on_the_fly: bool,
    /// Expand in tables apart from the beginning.
    pub apart: bool,
    /// So many states a worker expands in a step at most.
    pub round: u64,
    /// Whether states get their numbers, and the model its rows.
    pub numbered: bool,
    pub checkpoints: Option<&'a Checkpoints>,
    pub budget: &'a Budget,
}

impl<'a> Plan<'a> {
    fn peers(&self, communicator: &Communicator<'_>) -> Peers<'a> {
        Peers {
            ownership: self.ownership,
            peers: communicator.peers(),
            me: communicator.index(),
        }
    }
}

/// What one worker has of a model.
pub(crate) struct Part {
    pub states: Owned,
    /// What the first of the states lead to, those that were expanded.
    pub edges: Edges,
    pub expander: Expander,
    /// How many states all workers have together.
    pub known: u64,
    /// The numbers of states in the model, and their transitions.
    pub numbers: Numbers,
    pub rows: Rows,
    /// Where each label was seen first: a source and the position of the edge.
    pub firsts: Vec<(u64, u32)>,
    /// How many transitions this part has.
    pub transitions: u64,
    pub partial: Option<Exhausted>,
    /// How many states there were at the checkpoint that this goes on from.
    pub resumed: Option<u64>,
}

/// Why a worker wants the run to end, or what it wants done.
const WISHES: [Exhausted; 3] = [Exhausted::Time, Exhausted::Memory, Exhausted::Cancelled];
const SAVE: u64 = 1 << 8;

impl Part {
    pub fn new(on_the_fly: bool) -> Part {
        Part {
            states: Owned::default(),
            edges: Edges::default(),
            expander: Expander::new(on_the_fly),
            known: 1,
            numbers: Numbers::default(),
            rows: Rows::default(),
            firsts: Vec::new(),
            transitions: 0,
            partial: None,
            resumed: None,
        }
    }
}

/// Explores all states.
pub(crate) fn explore(
    communicator: &mut Communicator<'_>,
    machine: &Machine<'_>,
    plan: Plan<'_>,
) -> Result<Part, Stopped> {
    let mut part = Part::new(plan.on_the_fly);
    let told = communicator.agree([plan.ownership.digest(), some_number()])?;
    let run = told[0][1];
    if told.iter().any(|other| other[0] != told[0][0]) {
        return Err(communicator.fail("divides the states in another way"));
    }
    if plan.apart {
        part.expander.part();
    }
    let saved = match plan.checkpoints {
        Some(checkpoints) => checkpoints.resume(communicator, machine, &mut part)?,
        None => None,
    };
    let first = part.states.take(machine, &mut { plan.start });
    let first = first.map_err(|_| garbled(communicator))?;
    let peers = plan.peers(communicator);
    let mut start = None;
    if part.states.owner(machine, peers, first) == peers.me {
        part.states.insert(&[first], |_, state| start = Some(state));
    }
    part.resumed = saved.map(|_| part.known);
    // As on one machine: the first state is always kept.
    let limit = plan.budget.steps().map_or(u64::MAX, |limit| limit.max(1));
    let mut explorer = Explorer {
        machine,
        plan,
        part,
        asked: vec![Vec::new(); communicator.peers()],
        answers: vec![Vec::new(); communicator.peers()],
        batch: Batch::default(),
        started: Instant::now(),
        saved: Saved::now(saved, run),
        communicator,
    };
    let complete = explorer.run(limit)?;
    explorer.part.transitions = explorer.part.edges.transitions;
    if plan.numbered || explorer.part.known > limit {
        explorer.number(start, limit, complete)?;
        explorer.part.transitions = explorer.part.rows.transitions;
    }
    Ok(explorer.part)
}

/// A number that no other run has.
fn some_number() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |t| t.as_nanos() as u64) ^ u64::from(std::process::id()) << 40
}

fn garbled(communicator: &Communicator<'_>) -> Stopped {
    communicator.fail(format!("got something strange: {Garbled}"))
}

struct Explorer<'e, 'w, 'p> {
    communicator: &'e mut Communicator<'w>,
    machine: &'e Machine<'p>,
    plan: Plan<'e>,
    part: Part,
    /// The edges whose targets each worker was asked for, by where they are in [`Edges::away`].
    asked: Vec<Vec<usize>>,
    /// The states that each worker asked for.
    answers: Vec<Vec<u32>>,
    batch: Batch,
    started: Instant,
    saved: Saved,
}

/// Edges of the states that are expanded together.
#[derive(Default)]
struct Batch {
    steps: Vec<Step>,
    labels: Vec<u32>,
    targets: Vec<Target>,
    /// Where those of each state end.
    ends: Vec<usize>,
    /// The targets of this worker, and which edges lead there.
    keys: Vec<Key>,
    own: Vec<usize>,
    bytes: Vec<u8>,
}

/// What all workers together had at the beginning of a step.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    states: u64,
    expanded: u64,
    wishes: u64,
}

impl Sums {
    fn reason(&self) -> Option<Exhausted> {
        let mut all = WISHES.iter().zip(0..);
        let found = all.find(|(_, n)| self.wishes & 1 << n != 0);
        found.map(|(reason, _)| *reason)
    }
}

/// What is heard in a step.
struct Heard<'m, 'p> {
    machine: &'m Machine<'p>,
    sums: Sums,
    /// Whether a worker has said what it says first.
    begun: Vec<bool>,
    /// What was asked in the step before.
    asked: Vec<Vec<usize>>,
    keys: Vec<Key>,
}

impl Heard<'_, '_> {
    /// Reads a block, and finds the states that a worker asks for.
    fn read(
        &mut self,
        part: &mut Part,
        answers: &mut [Vec<u32>],
        worker: usize,
        bytes: &[u8],
    ) -> Result<(), Garbled> {
        let mut reader = Reader::new(bytes);
        if !std::mem::replace(&mut self.begun[worker], true) {
            self.sums.states += reader.number();
            self.sums.expanded += reader.number();
            self.sums.wishes |= reader.number();
            for edge in std::mem::take(&mut self.asked[worker]) {
                part.edges.away[edge] = reader.number() as u32;
            }
        }
        if reader.bad {
            return Err(Garbled);
        }
        let mut rest = reader.rest;
        while !rest.is_empty() {
            self.keys.push(part.states.take(self.machine, &mut rest)?);
        }
        let answers = &mut answers[worker];
        (part.states).insert(&self.keys, |_, state| answers.push(state));
        self.keys.clear();
        Ok(())
    }
}

impl Explorer<'_, '_, '_> {
    /// Explores until all states are expanded, which is told, or there are more than `limit` or a
    /// worker wants an end.
    fn run(&mut self, limit: u64) -> Result<bool, Stopped> {
        loop {
            let sums = self.step(self.plan.round)?;
            if sums.expanded == sums.states {
                return Ok(true);
            }
            let reason = sums.reason();
            let save = (self.plan.checkpoints).filter(|_| sums.wishes & SAVE != 0);
            if reason.is_some() || sums.states > limit {
                self.settle()?;
                self.part.partial = reason;
                return Ok(false);
            } else if let Some(checkpoints) = save {
                let sums = self.settle()?;
                self.part.known = sums.states;
                let Explorer {
                    communicator,
                    machine,
                    part,
                    ..
                } = self;
                let round = sums.expanded;
                self.saved = checkpoints.save(communicator, machine, part, (round, self.saved))?;
            }
            self.tell(sums);
        }
    }
    /// Waits for all answers; nobody has found anything meanwhile.
    fn settle(&mut self) -> Result<Sums, Stopped> {
        self.step(0)
    }
    /// Expands so many states, or all there are if these are fewer.
    fn step(&mut self, most: u64) -> Result<Sums, Stopped> {
        let wishes = self.wishes();
        let peers = self.communicator.peers();
        let Part { states, edges, .. } = &self.part;
        for (worker, answers) in self.answers.iter_mut().enumerate() {
            let out = self.communicator.to(worker);
            put(out, states.len() as u64);
            put(out, edges.len() as u64);
            put(out, wishes);
            answers.drain(..).for_each(|a| put(out, u64::from(a)));
        }
        let mut heard = Heard {
            machine: self.machine,
            sums: Sums::default(),
            begun: vec![false; peers],
            asked: std::mem::replace(&mut self.asked, vec![Vec::new(); peers]),
            keys: Vec::new(),
        };
        let mut left = most;
        loop {
            let open = self.part.states.len() - self.part.edges.len();
            let count = open.min(STRETCH).min(left as usize);
            if count == 0 {
                break;
            }
            self.expand(count)?;
            left -= count as u64;
            let watch = self.communicator.watch.clone();
            let (part, answers) = (&mut self.part, &mut self.answers);
            self.communicator.poll(|worker, bytes| {
                let read = heard.read(part, answers, worker, bytes);
                read.map_err(|e| strange(&watch, e))
            })?;
        }
        let watch = self.communicator.watch.clone();
        let (part, answers) = (&mut self.part, &mut self.answers);
        self.communicator.finish(|worker, bytes| {
            let read = heard.read(part, answers, worker, bytes);
            read.map_err(|e| strange(&watch, e))
        })?;
        self.part.known = heard.sums.states;
        Ok(heard.sums)
    }
    /// Expands the next states.
    fn expand(&mut self, count: usize) -> Result<(), Stopped> {
        let Explorer {
            communicator,
            machine,
            part,
            asked,
            batch,
            ..
        } = self;
        let Part {
            states,
            edges,
            expander,
            ..
        } = part;
        let peers = self.plan.peers(communicator);
        let mut away = edges.away.len();
        let first = edges.len() as u32;
        let last = first + count as u32;
        batch.labels.clear();
        batch.targets.clear();
        batch.ends.clear();
        batch.keys.clear();
        batch.own.clear();
        for state in first..last {
            if (state - first).is_multiple_of(GROUP as u32) {
                states.approach(state..last.min(state + GROUP as u32));
            }
            expander.expand(machine, peers, states, state, &mut batch.steps);
            for step in &batch.steps {
                batch.labels.push(step.label);
                let owner = usize::from(step.owner);
                if owner == peers.me {
                    let mut key = step.target;
                    if expander.is_apart() {
                        batch.bytes.clear();
                        expander.put(machine, states, key, &mut batch.bytes);
                        let read = states.take(machine, &mut &batch.bytes[..]);
                        key = read.map_err(|_| garbled(communicator))?;
                    }
                    batch.keys.push(key);
                    batch.own.push(batch.targets.len());
                    batch.targets.push(Target::Own(0));
                } else {
                    batch.targets.push(Target::Away(step.owner));
                    asked[owner].push(away);
                    away += 1;
                    expander.put(machine, states, step.target, communicator.to(owner));
                    communicator.sent(owner);
                }
            }
            batch.ends.push(batch.targets.len());
        }
        let Batch {
            labels,
            targets,
            ends,
            keys,
            own,
            ..
        } = batch;
        states.insert(keys, |n, state| targets[own[n]] = Target::Own(state));
        let mut at = 0;
        for end in ends {
            edges.push(&labels[at..*end], &targets[at..*end]);
            at = *end;
        }
        Ok(())
    }
    /// What this worker wants of all.
    fn wishes(&self) -> u64 {
        let reason = self.plan.budget.check_but_steps().err();
        let bit = reason.and_then(|r| WISHES.iter().position(|w| *w == r));
        let save = self.communicator.index() == 0
            && (self.plan.checkpoints).is_some_and(|c| self.saved.is_due(c.every));
        bit.map_or(0, |n| 1 << n) | if save { SAVE } else { 0 }
    }
    fn tell(&self, sums: Sums) {
        if self.communicator.index() != 0 {
            return;
        }
        self.plan.budget.tell(|| {
            let Sums {
                states, expanded, ..
            } = sums;
            let seconds = self.started.elapsed().as_secs_f64();
            format!(
                "{states} states, {} in the queue, {:.0} states/s",
                states - expanded,
                states as f64 / seconds.max(0.001)
            )
        });
    }
}

fn strange(watch: &crate::link::Watch, error: Garbled) -> Stopped {
    watch.lose(watch.me, format!("got something strange: {error}"));
    Stopped
}
/// All labels, each with its number in the model, in the order in which one machine finds them;
/// and the numbers of this worker's own.
pub(crate) fn labels(
    communicator: &mut Communicator<'_>,
    part: &Part,
) -> Result<(Vec<String>, Vec<u32>), Stopped> {
    let names: Vec<&str> = part.expander.labels.names().collect();
    for worker in 0..communicator.peers() {
        for (name, first) in names.iter().zip(&part.firsts).skip(1) {
            if first.0 == u64::MAX {
                continue;
            }
            let out = communicator.to(worker);
            put(out, first.0);
            put(out, u64::from(first.1));
            crate::bytes::put_text(out, name);
            communicator.sent(worker);
        }
    }
    let mut seen: FxHashMap<String, (u64, u64)> = FxHashMap::default();
    for bytes in communicator.gather()? {
        let mut reader = Reader::new(&bytes);
        while !reader.is_empty() {
            let first = (reader.number(), reader.number());
            let best = seen.entry(reader.text().to_owned()).or_insert(first);
            *best = first.min(*best);
        }
    }
    let mut list: Vec<((u64, u64), String)> = seen.into_iter().map(|(t, f)| (f, t)).collect();
    list.sort_unstable();
    let numbers: FxHashMap<&str, u32> = (1..)
        .zip(&list)
        .map(|(n, (_, text))| (text.as_str(), n))
        .collect();
    let own = names
        .iter()
        .map(|name| numbers.get(name).copied().unwrap_or(0));
    let own = own.collect();
    Ok((list.into_iter().map(|(_, text)| text).collect(), own))
}
