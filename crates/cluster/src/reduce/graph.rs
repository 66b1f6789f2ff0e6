//! A system dealt out to the workers by state numbers: state `n` is at home at worker `n mod
//! peers`, with its transitions and with who leads to it.

use crate::bytes::{Reader, put};
use crate::communicator::{Communicator, Stopped};
use crate::rows::{Cursor, Rows};
use cwolf_lts::{Label, TAU};

/// The part of a system that is at home at one worker.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub me: u64,
    pub peers: u64,
    /// Where the edges of each state end.
    ends: Vec<u32>,
    pub labels: Vec<Label>,
    pub targets: Vec<u64>,
    /// The source of each edge, as a place at this worker.
    pub sources: Vec<u32>,
    /// Where the incoming edges of each state end.
    in_ends: Vec<u32>,
    /// Each with its worker and its number there; silent ones first.
    incoming: Vec<(u32, u32)>,
    silent_ends: Vec<u32>,
}

/// Edges before they are sorted: the place of the source, the label and the target.
pub(crate) type Edges = Vec<(u32, Label, u64)>;

impl Graph {
    /// Deals out rows, whose labels get the numbers of the model.
    pub fn deal(
        communicator: &mut Communicator<'_>,
        rows: Rows,
        labels: &[Label],
        states: u64,
    ) -> Result<Graph, Stopped> {
        let peers = communicator.peers() as u64;
        let mut edges = Edges::new();
        let mut take = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            while !reader.is_empty() {
                let source = reader.number() as u32;
                for _ in 0..reader.number() {
                    let label = reader.number() as Label;
                    edges.push((source, label, reader.number()));
                }
            }
        };
        let mut cursor = Cursor::default();
        let mut row = Vec::new();
        let mut count: usize = 0;
        while let Some(state) = cursor
            .next(&rows, &mut row)
            .ok_or_else(|| communicator.fail("has damaged rows"))?
        {
            let home = (state % peers) as usize;
            let out = communicator.to(home);
            put(out, state / peers);
            put(out, row.len() as u64);
            for (label, target) in &row {
                put(out, u64::from(labels[*label as usize]));
                put(out, *target);
            }
            communicator.sent(home);
            count += 1;
            if count.is_multiple_of(1024) {
                communicator.poll(|_, bytes| {
                    take(bytes);
                    Ok(())
                })?;
            }
        }
        drop(rows);
        communicator.finish(|_, bytes| {
            take(bytes);
            Ok(())
        })?;
        let me = communicator.index() as u64;
        let own = states.saturating_sub(me).div_ceil(peers);
        Graph::build(communicator, own as usize, edges)
    }
    /// Sorts edges, and tells the owners of their targets.
    pub fn build(
        communicator: &mut Communicator<'_>,
        states: usize,
        mut edges: Edges,
    ) -> Result<Graph, Stopped> {
        let peers = communicator.peers() as u64;
        edges.sort_unstable();
        edges.dedup();
        let mut graph = Graph {
            me: communicator.index() as u64,
            peers,
            ends: Vec::with_capacity(states),
            ..Graph::default()
        };
        graph.labels = edges.iter().map(|e| e.1).collect();
        graph.targets = edges.iter().map(|e| e.2).collect();
        graph.sources = edges.iter().map(|e| e.0).collect();
        graph.ends = ends(states, graph.sources.iter().copied());
        drop(edges);
        for (edge, (target, label)) in (0u64..).zip(graph.targets.iter().zip(&graph.labels)) {
            let home = (target % peers) as usize;
            let out = communicator.to(home);
            put(out, target / peers);
            put(out, edge << 1 | u64::from(*label != TAU));
            communicator.sent(home);
        }
        let mut incoming: Vec<(u32, bool, u32, u32)> = Vec::new();
        communicator.finish(|worker, bytes| {
            let mut reader = Reader::new(bytes);
            while !reader.is_empty() {
                let (state, edge) = (reader.number() as u32, reader.number());
                incoming.push((state, edge & 1 != 0, worker as u32, (edge >> 1) as u32));
            }
            Ok(())
        })?;
        incoming.sort_unstable();
        graph.in_ends = ends(states, incoming.iter().map(|i| i.0));
        let silent = incoming.iter().filter(|i| !i.1).map(|i| i.0);
        graph.silent_ends = ends(states, silent);
        // From counts of silent ones to places in the list of all.
        for state in (0..states).rev() {
            let before = |list: &[u32]| state.checked_sub(1).map_or(0, |n| list[n]);
            let count = graph.silent_ends[state] - before(&graph.silent_ends);
            graph.silent_ends[state] = before(&graph.in_ends) + count;
        }
        graph.incoming = incoming.into_iter().map(|i| (i.2, i.3)).collect();
        Ok(graph)
    }
    /// How many states are at home here.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// The number of a state from its place.
    pub fn number(&self, place: u32) -> u64 {
        u64::from(place) * self.peers + self.me
    }
    /// Where a state is at home, and its place there.
    pub fn home(&self, state: u64) -> (usize, u64) {
        ((state % self.peers) as usize, state / self.peers)
    }
    /// The edges of a state.
    pub fn edges(&self, place: u32) -> std::ops::Range<usize> {
        range(&self.ends, place)
    }
    /// The edges that lead to a state: worker, and number there.
    pub fn incoming(&self, place: u32) -> &[(u32, u32)] {
        &self.incoming[range(&self.in_ends, place)]
    }
    /// The silent ones of them.
    pub fn silent_incoming(&self, place: u32) -> &[(u32, u32)] {
        let all = range(&self.in_ends, place);
        &self.incoming[all.start..self.silent_ends[place as usize] as usize]
    }
    /// Sends something about states to all edges that lead to them; gets it for the edges here.
    pub fn tell(
        &self,
        communicator: &mut Communicator<'_>,
        told: impl Iterator<Item = (u32, u64)>,
        silent: bool,
        mut each: impl FnMut(u32, u64),
    ) -> Result<(), Stopped> {
        for (place, what) in told {
            let edges = match silent {
                true => self.silent_incoming(place),
                false => self.incoming(place),
            };
            for (worker, edge) in edges {
                let worker = *worker as usize;
                let out = communicator.to(worker);
                put(out, u64::from(*edge));
                put(out, what);
                communicator.sent(worker);
            }
        }
        communicator.finish(|_, bytes| {
            let mut reader = Reader::new(bytes);
            while !reader.is_empty() {
                each(reader.number() as u32, reader.number());
            }
            Ok(())
        })
    }
    /// The system in which each state is the one that `heads` says, given by its own number.
    /// States that are not their own head lose their edges; silent loops are dropped.
    pub fn merge(
        &self,
        communicator: &mut Communicator<'_>,
        heads: &[u64],
    ) -> Result<Graph, Stopped> {
        let mut targets = vec![0; self.targets.len()];
        let told = (0u32..).zip(heads.iter().copied());
        self.tell(communicator, told, false, |edge, head| {
            targets[edge as usize] = head
        })?;
        for (edge, target) in targets.iter().enumerate() {
            let head = heads[self.sources[edge] as usize];
            let label = self.labels[edge];
            if label == TAU && head == *target {
                continue;
            }
            let (home, place) = self.home(head);
            let out = communicator.to(home);
            put(out, place);
            put(out, u64::from(label));
            put(out, *target);
            communicator.sent(home);
        }
        let mut edges = Edges::new();
        communicator.finish(|_, bytes| {
            let mut reader = Reader::new(bytes);
            while !reader.is_empty() {
                let source = reader.number() as u32;
                edges.push((source, reader.number() as Label, reader.number()));
            }
            Ok(())
        })?;
        Graph::build(communicator, self.len(), edges)
    }
}

fn range(ends: &[u32], place: u32) -> std::ops::Range<usize> {
    let start = (place as usize).checked_sub(1).map_or(0, |n| ends[n]);
    start as usize..ends[place as usize] as usize
}

/// Where the items of each state end, from their states in rising order.
fn ends(states: usize, sorted: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut ends = vec![0; states];
    sorted.for_each(|state| ends[state as usize] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    ends
}

/// What states of other workers have: asks their owners for `what`, in the order of asking.
pub(crate) fn ask(
    communicator: &mut Communicator<'_>,
    graph: &Graph,
    states: &[u64],
    what: &[u64],
) -> Result<Vec<u64>, Stopped> {
    for state in states {
        let (home, place) = graph.home(*state);
        put(communicator.to(home), place);
        communicator.sent(home);
    }
    let mut answers: Vec<Vec<u8>> = vec![Vec::new(); communicator.peers()];
    communicator.finish(|worker, bytes| {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            put(&mut answers[worker], what[reader.number() as usize]);
        }
        Ok(())
    })?;
    for (worker, bytes) in answers.into_iter().enumerate() {
        *communicator.to(worker) = bytes;
    }
    let answers = communicator.gather()?;
    let mut readers: Vec<Reader<'_>> = answers.iter().map(|a| Reader::new(a)).collect();
    let answer = |state: &u64| readers[graph.home(*state).0].number();
    Ok(states.iter().map(answer).collect())
}
