//! Exploration by all workers together.
//!
//! A state belongs to the worker that the hash of its bytes names. It gets its final number when
//! it is found, the one it has on one machine: numbers go by the first edge that leads to a
//! state, in the order of sources and then of the program. So the queue, which is the list of all
//! states in the order of their numbers, is worked off in *rounds* of four supersteps:
//!
//! 1. *ask*: each worker expands its states of the round and sends each target, with the place of
//!    the edge, to the target's owner, who finds it or makes it a new one;
//! 2. *sort*: owners send the places of the first edges to their new states to workers that sort
//!    them, each a part of the round;
//! 3. *rank*: these answer with ranks, and all learn how many new states there are;
//! 4. *answer*: owners tell the numbers of targets to those who asked, in the order of asking.

use crate::bytes::{Reader, put};
use crate::checkpoint::{Checkpoints, Saved};
use crate::crew::{Crew, Stopped};
use crate::rows::{Numbers, Rows};
use cwolf_absint::explore::{Expander, Garbled, Homes, Key, Owned, Peers, Step};
use cwolf_absint::machine::Machine;
use cwolf_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::time::Instant;

/// So many states are expanded between two looks at what has arrived.
const STRETCH: usize = 256;
/// For so many states at once memory is waited for.
const GROUP: usize = 16;

/// What all workers are told.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub start: &'a [u8],
    pub homes: &'a Homes,
    pub on_the_fly: bool,
    /// Expand in tables apart from the beginning.
    pub apart: bool,
    /// So many states a worker expands in a round, about.
    pub round: u64,
    pub checkpoints: Option<&'a Checkpoints>,
    pub budget: &'a Budget,
}

impl<'a> Plan<'a> {
    fn peers(&self, crew: &Crew<'_>) -> Peers<'a> {
        Peers {
            homes: self.homes,
            peers: crew.peers(),
            me: crew.index(),
        }
    }
}

/// What one worker has of a model.
pub(crate) struct Part {
    pub states: Owned,
    pub numbers: Numbers,
    pub rows: Rows,
    pub expander: Expander,
    /// Where each label was seen first: a source and the position of the edge.
    pub firsts: Vec<(u64, u32)>,
    /// States that were not expanded yet, in the order of their numbers.
    pub queue: VecDeque<u32>,
    /// How many states all workers have together.
    pub known: u64,
    /// The next state to expand.
    pub next: u64,
    pub partial: Option<Exhausted>,
    /// How many states there were at the checkpoint that this goes on from.
    pub resumed: Option<u64>,
}

/// A place in the order of edges: a source, counted from the round's first, and a position.
type Place = (u64, u32);

/// New states and asked ones of a round.
#[derive(Default)]
struct Asked {
    /// How many states there were before.
    old: usize,
    /// The first edge to each new state.
    fresh: Vec<Place>,
    /// What each worker asked for.
    states: Vec<Vec<u32>>,
    /// What is to be looked up next, and for which edges.
    places: Vec<Place>,
    keys: Vec<Key>,
}

impl Asked {
    /// Looks up what a worker asks for.
    fn look(&mut self, states: &mut Owned, worker: usize) {
        let Asked {
            old,
            fresh,
            states: all,
            places,
            keys,
        } = self;
        let list = &mut all[worker];
        states.insert(keys, |n, state| {
            match (state as usize).checked_sub(*old) {
                Some(at) if at == fresh.len() => fresh.push(places[n]),
                Some(at) => fresh[at] = fresh[at].min(places[n]),
                None => {}
            }
            list.push(state);
        });
        places.clear();
        keys.clear();
    }
}

/// Edges whose targets are not known yet.
#[derive(Default)]
struct Open {
    sources: Vec<u64>,
    ends: Vec<u32>,
    labels: Vec<u32>,
    owners: Vec<u16>,
}

/// Why a worker wants the run to end, or what it wants done.
const WISHES: [Exhausted; 3] = [Exhausted::Time, Exhausted::Memory, Exhausted::Cancelled];
const SAVE: u64 = 1 << 8;

impl Part {
    fn new(on_the_fly: bool) -> Part {
        Part {
            states: Owned::default(),
            numbers: Numbers::default(),
            rows: Rows::default(),
            expander: Expander::new(on_the_fly),
            firsts: Vec::new(),
            queue: VecDeque::new(),
            known: 1,
            next: 0,
            partial: None,
            resumed: None,
        }
    }
}

/// Explores all states.
pub(crate) fn explore(
    crew: &mut Crew<'_>,
    machine: &Machine<'_>,
    plan: Plan<'_>,
) -> Result<Part, Stopped> {
    let mut part = Part::new(plan.on_the_fly);
    let homes = crew.agree([plan.homes.digest()])?;
    if homes.iter().any(|other| *other != homes[0]) {
        return Err(crew.fail("divides the states in another way"));
    }
    if plan.apart {
        part.expander.part();
    }
    let saved = match plan.checkpoints {
        Some(checkpoints) => checkpoints.resume(crew, machine, &mut part)?,
        None => None,
    };
    let first = part.states.take(machine, &mut { plan.start });
    let first = first.map_err(|e| garbled(crew, e))?;
    let peers = plan.peers(crew);
    if saved.is_none() && part.states.owner(machine, peers, first) == peers.me {
        part.states
            .insert(&[first], |_, state| part.queue.push_back(state));
        part.numbers.begin(0);
        part.numbers.push(Some(0));
    }
    part.resumed = saved.map(|_| part.known);
    // As on one machine: the first state is always kept.
    let limit = plan.budget.steps().map_or(u64::MAX, |limit| limit.max(1));
    let mut explorer = Explorer {
        crew,
        machine,
        plan,
        part,
        open: Open::default(),
        started: Instant::now(),
        saved: Saved::now(saved),
    };
    while explorer.part.next < explorer.part.known && explorer.round(limit)? {}
    Ok(explorer.part)
}

fn garbled(crew: &Crew<'_>, error: Garbled) -> Stopped {
    crew.fail(format!("got something strange: {error}"))
}

struct Explorer<'e, 'w, 'p> {
    crew: &'e mut Crew<'w>,
    machine: &'e Machine<'p>,
    plan: Plan<'e>,
    part: Part,
    open: Open,
    started: Instant,
    saved: Saved,
}

impl Explorer<'_, '_, '_> {
    /// One round; whether there may be another.
    fn round(&mut self, limit: u64) -> Result<bool, Stopped> {
        let peers = self.crew.peers() as u64;
        let from = self.part.next;
        let to = (self.part.known).min(from + self.plan.round * peers);
        let asked = self.ask(from, to)?;
        let known = self.part.known;
        let ranks = self.rank(&asked.fresh, to - from)?;
        let Ranks {
            order,
            numbers,
            mut total,
            cut,
            wishes,
            ..
        } = ranks.cut(self.crew, limit.saturating_sub(known))?;
        if cut.is_some() {
            total = limit - known;
            self.part.partial = Some(Exhausted::Steps);
        }
        let kept = |place: Place| cut.is_none_or(|cut| place < cut);
        self.part.numbers.begin(known);
        let mut by_state: Vec<Option<u64>> = vec![None; asked.fresh.len()];
        for (state, number) in order.iter().zip(&numbers) {
            if kept(asked.fresh[*state as usize]) {
                by_state[*state as usize] = Some(known + *number);
                self.part.queue.push_back(asked.old as u32 + state);
            }
        }
        by_state.iter().for_each(|n| self.part.numbers.push(*n));
        self.answer(&asked, known + total)?;
        self.close(from, known + total, kept)?;
        self.part.known = known + total;
        self.part.next = to;
        let unfinished = self.part.next < self.part.known;
        let reason = WISHES.iter().zip(0..).find(|(_, n)| wishes & 1 << n != 0);
        if unfinished && let Some((reason, _)) = reason {
            self.part.partial.get_or_insert(*reason);
        }
        if wishes & SAVE != 0
            && self.part.partial.is_none()
            && unfinished
            && let Some(checkpoints) = self.plan.checkpoints
        {
            self.saved = checkpoints.save(self.crew, self.machine, &mut self.part, self.saved)?;
        }
        self.tell();
        Ok(self.part.partial.is_none())
    }
    /// Expands this worker's states of a round, and looks up what others ask for.
    fn ask(&mut self, from: u64, to: u64) -> Result<Asked, Stopped> {
        let Explorer {
            crew,
            machine,
            part,
            open,
            ..
        } = self;
        let peers = self.plan.peers(crew);
        let mut asked = Asked {
            old: part.states.len(),
            states: vec![Vec::new(); peers.peers],
            ..Asked::default()
        };
        let watch = crew.watch.clone();
        let read = |asked: &mut Asked, states: &mut Owned, worker, mut bytes: &[u8]| {
            while !bytes.is_empty() {
                let mut reader = Reader::new(bytes);
                asked.places.push((reader.number(), reader.number() as u32));
                bytes = reader.rest;
                let key = states.take(machine, &mut bytes).map_err(|e| {
                    watch.lose(watch.me, format!("got something strange: {e}"));
                    Stopped
                });
                asked.keys.push(key?);
            }
            asked.look(states, worker);
            Ok(())
        };
        let mut steps: Vec<Step> = Vec::new();
        let mut count: usize = 0;
        while let Some(&state) = part.queue.front() {
            let number = part.numbers.get(state).expect("queued states have numbers");
            if number >= to {
                break;
            }
            if count.is_multiple_of(GROUP) {
                part.states.approach(part.queue.iter().take(GROUP).copied());
            }
            part.queue.pop_front();
            let expander = &mut part.expander;
            expander.expand(machine, peers, &mut part.states, state, &mut steps);
            for (position, step) in (0u64..).zip(&steps) {
                open.labels.push(step.label);
                open.owners.push(step.owner);
                let owner = usize::from(step.owner);
                if owner == peers.me && !expander.is_apart() {
                    asked.places.push((number - from, position as u32));
                    asked.keys.push(step.target);
                    continue;
                }
                let out = crew.to(owner);
                put(out, number - from);
                put(out, position);
                expander.put(machine, &mut part.states, step.target, out);
                crew.sent(owner);
            }
            open.sources.push(number);
            open.ends.push(open.labels.len() as u32);
            count += 1;
            if count.is_multiple_of(STRETCH) {
                asked.look(&mut part.states, peers.me);
                crew.poll(|worker, bytes| read(&mut asked, &mut part.states, worker, bytes))?;
            }
        }
        asked.look(&mut part.states, peers.me);
        crew.finish(|worker, bytes| read(&mut asked, &mut part.states, worker, bytes))?;
        Ok(asked)
    }
    /// Finds the ranks of this worker's new states among all of the round.
    fn rank(&mut self, fresh: &[Place], sources: u64) -> Result<Ranks, Stopped> {
        let wishes = self.wishes();
        let crew = &mut *self.crew;
        let peers = crew.peers();
        let mut order: Vec<u32> = (0..fresh.len() as u32).collect();
        // Most come in order: a stable sort makes use of it.
        order.sort_by_key(|n| fresh[*n as usize]);
        let sorter =
            |place: Place| (u128::from(place.0) * peers as u128 / u128::from(sources)) as usize;
        for n in &order {
            let place = fresh[*n as usize];
            let to = sorter(place);
            let out = crew.to(to);
            put(out, place.0);
            put(out, u64::from(place.1));
            crew.sent(to);
        }
        let mut all: Vec<(Place, u32)> = Vec::new();
        crew.finish(|worker, bytes| {
            let mut reader = Reader::new(bytes);
            while !reader.is_empty() {
                let place = (reader.number(), reader.number() as u32);
                all.push((place, worker as u32));
            }
            Ok(())
        })?;
        all.sort();
        for worker in 0..peers {
            let out = crew.to(worker);
            put(out, all.len() as u64);
            put(out, wishes);
        }
        let mut last = vec![0; peers];
        for (rank, (_, worker)) in (0u64..).zip(&all) {
            let worker = *worker as usize;
            put(crew.to(worker), rank - last[worker]);
            last[worker] = rank;
            crew.sent(worker);
        }
        let answers = crew.gather()?;
        let mut readers: Vec<Reader<'_>> = answers.iter().map(|a| Reader::new(a)).collect();
        let mut bases = Vec::with_capacity(peers);
        let mut total = 0;
        let mut wishes = 0;
        for reader in &mut readers {
            bases.push(total);
            total += reader.number();
            wishes |= reader.number();
        }
        let own = crew.index();
        let first = bases[own];
        let mut ranks = bases;
        let numbers = order.iter().map(|n| {
            let from = sorter(fresh[*n as usize]);
            ranks[from] += readers[from].number();
            ranks[from]
        });
        let numbers = numbers.collect();
        Ok(Ranks {
            order,
            numbers,
            total,
            wishes,
            cut: None,
            sorted: (first, all),
        })
    }
    /// Tells the numbers of targets to those who asked.
    fn answer(&mut self, asked: &Asked, known: u64) -> Result<(), Stopped> {
        for (worker, states) in asked.states.iter().enumerate() {
            for state in states {
                // Who asked from behind a cut does not read the answer.
                let number = self.part.numbers.get(*state).unwrap_or(known);
                put(self.crew.to(worker), known - number);
                self.crew.sent(worker);
            }
        }
        Ok(())
    }
    /// Makes rows of the edges of a round that are `kept`, as their targets are known now.
    fn close(
        &mut self,
        from: u64,
        known: u64,
        kept: impl Fn(Place) -> bool,
    ) -> Result<(), Stopped> {
        let answers = self.crew.gather()?;
        let mut readers: Vec<Reader<'_>> = answers.iter().map(|a| Reader::new(a)).collect();
        let Part {
            rows,
            firsts,
            expander,
            ..
        } = &mut self.part;
        let mut row: Vec<(u32, u64)> = Vec::new();
        let mut at = 0;
        let open = std::mem::take(&mut self.open);
        firsts.resize(expander.labels.len(), (u64::MAX, 0));
        for (source, end) in open.sources.iter().zip(&open.ends) {
            row.clear();
            for position in at..*end as usize {
                let reader = &mut readers[usize::from(open.owners[position])];
                let target = known - reader.number();
                let label = open.labels[position];
                let position = (position - at) as u32;
                if kept((*source - from, position)) {
                    let first = &mut firsts[label as usize];
                    *first = (*first).min((*source, position));
                    row.push((label, target));
                }
            }
            at = *end as usize;
            // Different ways on may have come together.
            row.sort_unstable();
            row.dedup();
            if kept((*source - from, 0)) {
                rows.push(*source, &row);
            }
        }
        if readers.iter().any(|r| r.bad || !r.is_empty()) {
            return Err(self
                .crew
                .fail("got fewer or more answers than it asked for"));
        }
        Ok(())
    }
    /// What this worker wants of all.
    fn wishes(&self) -> u64 {
        let reason = self.plan.budget.check_but_steps().err();
        let bit = reason.and_then(|r| WISHES.iter().position(|w| *w == r));
        let save = self.crew.index() == 0
            && (self.plan.checkpoints).is_some_and(|c| self.saved.is_due(c.every));
        bit.map_or(0, |n| 1 << n) | if save { SAVE } else { 0 }
    }
    fn tell(&self) {
        if self.crew.index() != 0 {
            return;
        }
        self.plan.budget.tell(|| {
            let Part { known, next, .. } = self.part;
            let seconds = self.started.elapsed().as_secs_f64();
            format!(
                "{known} states, {} in the queue, {:.0} states/s",
                known - next,
                known as f64 / seconds.max(0.001)
            )
        });
    }
}

/// The ranks of new states.
struct Ranks {
    /// This worker's new states in the order of their places.
    order: Vec<u32>,
    /// The rank of each of these.
    numbers: Vec<u64>,
    /// How many new states all workers have.
    total: u64,
    wishes: u64,
    /// The first edge that does not count, if a limit was reached.
    cut: Option<Place>,
    /// What this worker sorted, and the rank of the first of it.
    sorted: (u64, Vec<(Place, u32)>),
}

impl Ranks {
    /// If there are more than `room` new states, finds the edge at which one machine would have
    /// stopped: the first one to a state too many.
    fn cut(mut self, crew: &mut Crew<'_>, room: u64) -> Result<Ranks, Stopped> {
        if self.total <= room {
            return Ok(self);
        }
        let (first, sorted) = &self.sorted;
        let at = room.checked_sub(*first);
        let found = at.and_then(|at| sorted.get(usize::try_from(at).ok()?));
        let mine = found.map_or([u64::MAX; 2], |((source, position), _)| {
            [*source, u64::from(*position)]
        });
        let first = crew.agree(mine)?.into_iter().min();
        self.cut = first.map(|[source, position]| (source, position as u32));
        Ok(self)
    }
}

/// All labels, each with its number in the model, in the order in which one machine finds them;
/// and the numbers of this worker's own.
pub(crate) fn labels(crew: &mut Crew<'_>, part: &Part) -> Result<(Vec<String>, Vec<u32>), Stopped> {
    let names: Vec<&str> = part.expander.labels.names().collect();
    for worker in 0..crew.peers() {
        for (name, first) in names.iter().zip(&part.firsts).skip(1) {
            if first.0 == u64::MAX {
                continue;
            }
            let out = crew.to(worker);
            put(out, first.0);
            put(out, u64::from(first.1));
            crate::bytes::put_text(out, name);
            crew.sent(worker);
        }
    }
    let mut seen: FxHashMap<String, (u64, u64)> = FxHashMap::default();
    for bytes in crew.gather()? {
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
