//! What each of several processes needs that explore one model together: states go between
//! them as bytes ([`Machine::start`] makes the first), each is kept by one of them ([`Owned`])
//! and is expanded there ([`Expander`]).

use super::batch::follow;
use super::ownership::{Ownership, owner};
use super::states::{GROUP, States};
use crate::machine::{Code, Edge, Full, Machine, Refused, Tables, Wire, Worker};
use cwolf_cwi::{FuncId, LocId};
use cwolf_lts::Labels;
use rustc_hash::FxHashSet;

/// Bytes that are no state of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these bytes are no state of this program")]
pub struct Garbled;

/// So many nodes an expander keeps apart before it starts anew: they fit in a processor's cache.
const MAX_NODES: usize = 1 << 17;

impl Machine<'_> {
    /// The first state, as bytes.
    pub fn start(&mut self, entry: FuncId) -> Vec<u8> {
        let state = self.initial(entry);
        let key = self.pack(state);
        let mut bytes = Vec::new();
        Wire::default().put(&self.code, &self.tables, key, &mut bytes);
        bytes
    }
    /// What a state is in words (see [`Machine::describe`]), and whether the program has ended
    /// there.
    pub fn describe_bytes(&mut self, bytes: &[u8], detail: u32) -> Result<(String, bool), Garbled> {
        let key = read(&mut Wire::default(), self, bytes)?;
        let state = self.tables.unpack(key);
        Ok((self.describe(state, detail), self.is_halted(state)))
    }
}

fn read(wire: &mut Wire, machine: &mut Machine<'_>, bytes: &[u8]) -> Result<u64, Garbled> {
    loop {
        match wire.take(&machine.code, &machine.tables, &mut &bytes[..]) {
            Ok(key) => return Ok(key),
            Err(Refused::Full) => machine.tables.pairs.grow(),
            Err(Refused::Garbled) => return Err(Garbled),
        }
    }
}

/// A state as a number of the tables that it was read into.
#[derive(Clone, Copy, Debug)]
pub struct Key(u64);

/// The states that a process keeps, numbered as they come.
#[derive(Debug, Default)]
pub struct Owned {
    tables: Tables,
    states: States,
    wire: Wire,
}

impl Owned {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether there are so many nodes that those of others would be felt.
    fn is_crowded(&self) -> bool {
        self.tables.nodes() > MAX_NODES + self.len() / 2
    }
    /// How many environment nodes there are.
    pub fn nodes(&self) -> usize {
        self.tables.nodes()
    }
    /// Takes a state off the front of `bytes`, to be looked for by [`Owned::insert`].
    pub fn take(&mut self, machine: &Machine<'_>, bytes: &mut &[u8]) -> Result<Key, Garbled> {
        let start = *bytes;
        loop {
            *bytes = start;
            match self.wire.take(&machine.code, &self.tables, bytes) {
                Ok(key) => return Ok(Key(key)),
                Err(Refused::Full) => self.tables.pairs.grow(),
                Err(Refused::Garbled) => return Err(Garbled),
            }
        }
    }
    /// Tells the number of each of these states: how many there were before, if it is new.
    /// Several at once wait for memory only once.
    pub fn insert(&mut self, keys: &[Key], mut each: impl FnMut(usize, u32)) {
        self.states.expect(keys.len());
        for (n, group) in keys.chunks(GROUP).enumerate() {
            let mut list = [0; GROUP];
            for (to, key) in list.iter_mut().zip(group) {
                *to = key.0;
            }
            let wanted = self.states.look(&list[..group.len()]);
            for (m, wanted) in wanted[..group.len()].iter().enumerate() {
                each(n * GROUP + m, self.states.insert(*wanted));
            }
        }
    }
    /// Gives back what is only needed to look for states: there will be no more.
    pub fn close(&mut self) {
        self.states.close();
    }
    /// Brings near what [`Owned::put`] reads for these states.
    pub fn approach(&self, states: impl Iterator<Item = u32>) {
        let keys = self.states.keys();
        self.tables
            .approach(states.map(|state| keys[state as usize] as u32));
    }
    /// Which worker a state belongs to.
    pub fn owner(&mut self, machine: &Machine<'_>, plan: Peers<'_>, key: Key) -> usize {
        let home = (self.wire).home(&machine.code, &self.tables, plan.ownership, key.0);
        owner(home, plan.peers)
    }
    /// Appends the bytes of a state.
    pub fn put(&mut self, machine: &Machine<'_>, state: u32, out: &mut Vec<u8>) {
        let key = self.states.keys()[state as usize];
        self.wire.put(&machine.code, &self.tables, key, out);
    }
    /// Whether the program has ended in a state.
    pub fn is_halted(&self, machine: &Machine<'_>, state: u32) -> bool {
        let key = self.states.keys()[state as usize];
        machine.is_halted(self.tables.unpack(key))
    }
}

/// The workers among whom states are divided.
#[derive(Clone, Copy, Debug)]
pub struct Peers<'h> {
    /// Where states live.
    pub ownership: &'h Ownership,
    /// How many workers there are.
    pub peers: usize,
    /// Which one this is.
    pub me: usize,
}

/// A step from a state.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// A number of [`Expander::labels`].
    pub label: u32,
    /// Whose the target is.
    pub owner: u16,
    /// The target, in the tables that [`Expander::put`] reads it from. They are those of
    /// [`Owned`] if the expander [has none of its own](Expander::is_apart).
    pub target: Key,
}

/// Computes successors, at first in the tables of the states that it expands. Most targets belong
/// to others, though: when these would fill the tables, it gets tables of its own, and drops
/// them over and over.
#[derive(Debug, Default)]
pub struct Expander {
    worker: Worker,
    apart: Option<Apart>,
    on_the_fly: bool,
    /// The labels that were seen; number 0 is the internal action.
    pub labels: Labels,
    /// Their numbers by those in the tables.
    known: Vec<Option<u32>>,
    edges: Vec<Edge>,
    calls: u32,
}

/// Tables that nothing is kept in.
#[derive(Debug, Default)]
struct Apart {
    tables: Tables,
    wire: Wire,
    /// The state under expansion.
    bytes: Vec<u8>,
}

impl Expander {
    /// With `on_the_fly`, states that only go silently elsewhere are left out.
    pub fn new(on_the_fly: bool) -> Expander {
        Expander {
            on_the_fly,
            ..Expander::default()
        }
    }
    /// Gets tables of its own.
    pub fn part(&mut self) {
        self.apart = Some(Apart::default());
        self.known.clear();
        self.worker.forget_all();
    }
    /// Whether it has tables of its own.
    pub fn is_apart(&self) -> bool {
        self.apart.is_some()
    }
    /// Appends the bytes of a step's target.
    pub fn put(&mut self, machine: &Machine<'_>, owned: &mut Owned, to: Key, out: &mut Vec<u8>) {
        let (tables, wire) = match &mut self.apart {
            None => (&owned.tables, &mut owned.wire),
            Some(apart) => (&apart.tables, &mut apart.wire),
        };
        wire.put(&machine.code, tables, to.0, out);
    }
    /// Puts the steps from a state of this worker in the place of what was in `steps`, in the
    /// order of the program, each once.
    pub fn expand(
        &mut self,
        machine: &Machine<'_>,
        plan: Peers<'_>,
        owned: &mut Owned,
        state: u32,
        steps: &mut Vec<Step>,
    ) {
        steps.clear();
        self.calls = self.calls.wrapping_add(1);
        // Counting nodes takes a while.
        let look = self.calls.is_multiple_of(1024);
        if look && self.apart.is_none() && owned.is_crowded() {
            self.part();
        }
        let code = &machine.code;
        let (tables, wire, from) = match &mut self.apart {
            None => {
                let key = owned.states.keys()[state as usize];
                let fill = Fill {
                    worker: &mut self.worker,
                    edges: &mut self.edges,
                    on_the_fly: self.on_the_fly,
                };
                fill.run(code, &mut owned.tables, key);
                (&owned.tables, &mut owned.wire, key)
            }
            Some(apart) => {
                apart.bytes.clear();
                owned.put(machine, state, &mut apart.bytes);
                if look && apart.tables.nodes() >= MAX_NODES {
                    *apart = Apart {
                        bytes: std::mem::take(&mut apart.bytes),
                        ..Apart::default()
                    };
                    self.known.clear();
                    self.worker.forget_all();
                }
                let key = loop {
                    let read = apart.wire.take(code, &apart.tables, &mut &apart.bytes[..]);
                    match read {
                        Ok(key) => break key,
                        Err(Refused::Full) => apart.tables.pairs.grow(),
                        Err(Refused::Garbled) => unreachable!("written by ourselves"),
                    }
                };
                let fill = Fill {
                    worker: &mut self.worker,
                    edges: &mut self.edges,
                    on_the_fly: self.on_the_fly,
                };
                fill.run(code, &mut apart.tables, key);
                (&apart.tables, &mut apart.wire, key)
            }
        };
        unite(&mut self.edges);
        for edge in &self.edges {
            let at = edge.label as usize;
            if self.known.len() <= at {
                self.known.resize(at + 1, None);
            }
            let label = *self.known[at].get_or_insert_with(|| match edge.label {
                0 => cwolf_lts::TAU,
                label => self.labels.intern(&tables.label(label)),
            });
            let owner = match Wire::stays(code, tables, plan.ownership, from, edge.to) {
                true => plan.me,
                false => owner(wire.home(code, tables, plan.ownership, edge.to), plan.peers),
            };
            steps.push(Step {
                label,
                owner: owner as u16,
                target: Key(edge.to),
            });
        }
    }
    /// Adds what the user should know, from a run before this one.
    pub fn note(&mut self, loc: LocId, text: String) {
        self.worker.note(loc, text);
    }
    /// What the user should know, each with its place.
    pub fn notes(&self) -> Vec<(LocId, String)> {
        self.worker.notes()
    }
}

/// Drops all edges that are there before: different ways on may have come together.
fn unite(edges: &mut Vec<Edge>) {
    if edges.len() < 32 {
        let mut kept = 0;
        for n in 0..edges.len() {
            let edge = edges[n];
            if !edges[..kept].contains(&edge) {
                edges[kept] = edge;
                kept += 1;
            }
        }
        edges.truncate(kept);
    } else {
        let mut seen = FxHashSet::default();
        edges.retain(|edge| seen.insert((edge.label, edge.to)));
    }
}

/// Finds the edges of one state.
struct Fill<'f> {
    worker: &'f mut Worker,
    edges: &'f mut Vec<Edge>,
    on_the_fly: bool,
}

impl Fill<'_> {
    fn run(self, code: &Code<'_>, tables: &mut Tables, key: u64) {
        let Fill {
            worker,
            edges,
            on_the_fly,
        } = self;
        loop {
            edges.clear();
            let mut done = worker.expand(code, tables, key, edges);
            if on_the_fly {
                let mut all = edges.iter_mut();
                done = done.and_then(|()| all.try_for_each(|e| follow(code, tables, worker, e)));
            }
            match done {
                Ok(()) => return,
                Err(Full) => tables.pairs.grow(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_is_there_once_in_its_first_place() {
        for len in [0, 1, 5, 31, 32, 100] {
            let edge = |n: u32| Edge {
                label: n % 3,
                to: u64::from(n % 7),
            };
            let mut edges: Vec<Edge> = (0..len).map(edge).collect();
            unite(&mut edges);
            let wanted: Vec<Edge> = (0..len.min(21)).map(edge).collect();
            assert_eq!(edges, wanted);
        }
    }
}
