//! The numbers that states have on one machine, and the rows of the model.
//!
//! There, numbers go by the first edge that leads to a state, in the order of sources and then
//! of the program. So the list of all states, in the order of their numbers, is worked off in
//! *rounds* of four supersteps:
//!
//! 1. *offer*: each worker looks at the edges of its states of the round, and offers each state
//!    that they lead to, with the place of the edge, to its owner;
//! 2. *sort*: owners send the places of the first edges to states without number to workers that
//!    sort them, each a part of the round;
//! 3. *rank*: these answer with ranks, and all learn how many states get numbers;
//! 4. *answer*: owners tell the numbers of targets to those who offered them, in that order.

use super::{Explorer, Part};
use crate::bytes::{Reader, put};
use crate::communicator::{Communicator, Stopped};
use crate::edges::Target;
use crate::rows::Numbers;
use cwolf_base::Exhausted;
use std::collections::VecDeque;

/// A place in the order of edges: a source, counted from the round's first, and a position.
type Place = (u64, u32);

/// How far the numbers are.
struct Numbering {
    /// How many states of all workers have numbers.
    known: u64,
    /// The first one whose edges were not looked at.
    next: u64,
    /// This worker's states from there on, in the order of their numbers.
    queue: VecDeque<u32>,
    /// So many states get numbers.
    limit: u64,
    /// Whether states are still expanded.
    growing: bool,
}

/// What a round has found.
#[derive(Default)]
struct Offers {
    /// Edges to states without number, in their order, one for each state.
    fresh: Vec<(Place, u32)>,
    /// What each worker offered.
    states: Vec<Vec<u32>>,
}

/// Edges whose targets have no number yet.
#[derive(Default)]
struct Open {
    sources: Vec<u64>,
    ends: Vec<usize>,
    labels: Vec<u32>,
    targets: Vec<Target>,
}

impl Explorer<'_, '_, '_> {
    /// Numbers all states, or so many, and makes their rows. `start` is the first state of the
    /// model, where it lives. If not all states are expanded, those that get numbers are now,
    /// unless the run is to end.
    pub(super) fn number(
        &mut self,
        start: Option<u32>,
        limit: u64,
        complete: bool,
    ) -> Result<(), Stopped> {
        let part = &mut self.part;
        part.numbers = Numbers::new(match complete {
            true => part.known,
            false => part.known.max(limit),
        });
        if complete {
            part.states.close();
        }
        part.numbers.extend_to(part.states.len());
        part.edges.mark();
        let mut all = Numbering {
            known: 1,
            next: 0,
            queue: VecDeque::new(),
            limit,
            growing: !complete && part.partial.is_none(),
        };
        if let Some(start) = start {
            part.numbers.set(start, 0);
            all.queue.push_back(start);
        }
        while all.next < all.known && self.round(&mut all)? {}
        self.part.known = all.known;
        Ok(())
    }
    /// One round; whether there may be another.
    fn round(&mut self, all: &mut Numbering) -> Result<bool, Stopped> {
        let peers = self.communicator.peers() as u64;
        let from = all.next;
        let to = (all.known).min(from.saturating_add(self.plan.round.saturating_mul(peers)));
        if all.growing {
            self.grow(all, to)?;
        }
        let known = all.known;
        let (offers, open) = self.offer(all, from, to)?;
        let ranks = rank(self.communicator, &offers.fresh, to - from)?;
        let Ranks {
            numbers,
            mut total,
            cut,
            ..
        } = ranks.cut(self.communicator, all.limit.saturating_sub(known))?;
        if cut.is_some() {
            total = all.limit - known;
            self.part.partial = Some(Exhausted::Steps);
        }
        let kept = |place: Place| cut.is_none_or(|cut| place < cut);
        for ((place, state), number) in offers.fresh.iter().zip(&numbers) {
            if kept(*place) {
                self.part.numbers.set(*state, known + *number);
                all.queue.push_back(*state);
            } else {
                self.part.numbers.unset(*state);
            }
        }
        all.known = known + total;
        all.next = to;
        self.answer(&offers, all.known);
        self.close(open, from, all.known, kept)?;
        Ok(cut.is_none())
    }
    /// Expands all states of a round, and whatever came before them.
    fn grow(&mut self, all: &mut Numbering, to: u64) -> Result<(), Stopped> {
        loop {
            let Part { numbers, edges, .. } = &self.part;
            let mut round = all.queue.iter().take_while(|s| numbers.is_below(**s, to));
            let lacks = round.any(|s| *s as usize >= edges.len());
            let [lacking] = self.communicator.sum([u64::from(lacks)])?;
            if lacking == 0 {
                break;
            }
            self.step(self.plan.round)?;
            if let Some(reason) = self.settle()?.reason() {
                self.part.partial = Some(reason);
                all.growing = false;
                break;
            }
        }
        self.part.numbers.extend_to(self.part.states.len());
        self.part.edges.mark();
        Ok(())
    }
    /// Offers the targets of this worker's states of a round.
    fn offer(
        &mut self,
        all: &mut Numbering,
        from: u64,
        to: u64,
    ) -> Result<(Offers, Open), Stopped> {
        let Explorer {
            communicator, part, ..
        } = self;
        let Part { numbers, edges, .. } = part;
        let mut offers = Offers {
            fresh: Vec::new(),
            states: vec![Vec::new(); communicator.peers()],
        };
        let mut open = Open::default();
        while let Some(&state) = all.queue.front() {
            if !numbers.is_below(state, to) {
                break;
            }
            all.queue.pop_front();
            let number = numbers.get(state).expect("queued states have numbers");
            let mut position = 0;
            edges.row(state, |label, target, which| {
                let place = (number - from, position);
                position += 1;
                open.labels.push(label);
                open.targets.push(target);
                match target {
                    Target::Own(state) if numbers.is_unseen(state) => {
                        offers.fresh.push((place, state));
                    }
                    Target::Own(_) => {}
                    Target::Away(owner) => {
                        let owner = usize::from(owner);
                        let out = communicator.to(owner);
                        put(out, place.0);
                        put(out, u64::from(place.1));
                        put(out, u64::from(which));
                        communicator.sent(owner);
                    }
                }
            });
            open.sources.push(number);
            open.ends.push(open.targets.len());
        }
        let watch = communicator.watch.clone();
        let states = part.states.len() as u64;
        communicator.finish(|worker, bytes| {
            let mut reader = Reader::new(bytes);
            while !reader.is_empty() {
                let place = (reader.number(), reader.number() as u32);
                let state = reader.number();
                if reader.bad || state >= states || place.0 >= to - from {
                    watch.lose(watch.me, "was offered something strange");
                    return Err(Stopped);
                }
                let state = state as u32;
                if numbers.is_unseen(state) {
                    offers.fresh.push((place, state));
                }
                offers.states[worker].push(state);
            }
            Ok(())
        })?;
        // Most come in order: a stable sort makes use of it.
        offers.fresh.sort();
        offers.fresh.retain(|(_, state)| numbers.see(*state));
        Ok((offers, open))
    }
    /// Tells the numbers of targets to those who offered them.
    fn answer(&mut self, offers: &Offers, known: u64) {
        for (worker, states) in offers.states.iter().enumerate() {
            for state in states {
                // Who offered from behind a cut does not read the answer.
                let number = self.part.numbers.get(*state).unwrap_or(known);
                put(self.communicator.to(worker), known - number);
                self.communicator.sent(worker);
            }
        }
    }
    /// Makes rows of the edges of a round that are `kept`, as their targets have numbers now.
    fn close(
        &mut self,
        open: Open,
        from: u64,
        known: u64,
        kept: impl Fn(Place) -> bool,
    ) -> Result<(), Stopped> {
        let answers = self.communicator.gather()?;
        let mut readers: Vec<Reader<'_>> = answers.iter().map(|a| Reader::new(a)).collect();
        let Part {
            rows,
            firsts,
            expander,
            numbers,
            ..
        } = &mut self.part;
        let mut row: Vec<(u32, u64)> = Vec::new();
        let mut at = 0;
        firsts.resize(expander.labels.len(), (u64::MAX, 0));
        for (source, end) in open.sources.iter().zip(&open.ends) {
            row.clear();
            for edge in at..*end {
                let target = match open.targets[edge] {
                    Target::Own(state) => numbers.get(state).unwrap_or(known),
                    Target::Away(owner) => {
                        known.saturating_sub(readers[usize::from(owner)].number())
                    }
                };
                let label = open.labels[edge];
                let position = (edge - at) as u32;
                if kept((*source - from, position)) {
                    let first = &mut firsts[label as usize];
                    *first = (*first).min((*source, position));
                    row.push((label, target));
                }
            }
            at = *end;
            row.sort_unstable();
            if kept((*source - from, 0)) {
                rows.push(*source, &row);
            }
        }
        if readers.iter().any(|r| r.bad || !r.is_empty()) {
            return Err(self
                .communicator
                .fail("got fewer or more answers than it asked for"));
        }
        Ok(())
    }
}

/// The ranks of states among all that get numbers in a round.
struct Ranks {
    /// The rank of each of this worker's.
    numbers: Vec<u64>,
    /// How many states all workers have.
    total: u64,
    /// The first edge that does not count, if a limit was reached.
    cut: Option<Place>,
    /// What this worker sorted, and the rank of the first of it.
    sorted: (u64, Vec<(Place, u32)>),
}

/// Finds the ranks of this worker's fresh states, which come in the order of their places.
fn rank(
    communicator: &mut Communicator<'_>,
    fresh: &[(Place, u32)],
    sources: u64,
) -> Result<Ranks, Stopped> {
    let peers = communicator.peers();
    let sorter =
        |place: Place| (u128::from(place.0) * peers as u128 / u128::from(sources)) as usize;
    for (place, _) in fresh {
        let to = sorter(*place);
        let out = communicator.to(to);
        put(out, place.0);
        put(out, u64::from(place.1));
        communicator.sent(to);
    }
    let mut all: Vec<(Place, u32)> = Vec::new();
    communicator.finish(|worker, bytes| {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            let place = (reader.number(), reader.number() as u32);
            all.push((place, worker as u32));
        }
        Ok(())
    })?;
    all.sort();
    for worker in 0..peers {
        put(communicator.to(worker), all.len() as u64);
    }
    let mut last = vec![0; peers];
    for (rank, (_, worker)) in (0u64..).zip(&all) {
        let worker = *worker as usize;
        put(communicator.to(worker), rank - last[worker]);
        last[worker] = rank;
        communicator.sent(worker);
    }
    let answers = communicator.gather()?;
    let mut readers: Vec<Reader<'_>> = answers.iter().map(|a| Reader::new(a)).collect();
    let mut bases = Vec::with_capacity(peers);
    let mut total = 0;
    for reader in &mut readers {
        bases.push(total);
        total += reader.number();
    }
    let first = bases[communicator.index()];
    let mut ranks = bases;
    let numbers = fresh.iter().map(|(place, _)| {
        let from = sorter(*place);
        ranks[from] += readers[from].number();
        ranks[from]
    });
    let numbers = numbers.collect();
    Ok(Ranks {
        numbers,
        total,
        cut: None,
        sorted: (first, all),
    })
}

impl Ranks {
    /// If there are more than `room` new states, finds the edge at which one machine would have
    /// stopped: the first one to a state too many.
    fn cut(mut self, communicator: &mut Communicator<'_>, room: u64) -> Result<Ranks, Stopped> {
        if self.total <= room {
            return Ok(self);
        }
        let (first, sorted) = &self.sorted;
        let at = room.checked_sub(*first);
        let found = at.and_then(|at| sorted.get(usize::try_from(at).ok()?));
        let mine = found.map_or([u64::MAX; 2], |((source, position), _)| {
            [*source, u64::from(*position)]
        });
        let first = communicator.agree(mine)?.into_iter().min();
        self.cut = first.map(|[source, position]| (source, position as u32));
        Ok(self)
    }
}
