//! Dead cells found by relevance, where what decides about an index is too much for a small model (see
//! [`super::index_liveness`]): a ring buffer whose packets say which cell comes next.
//!
//! The machine runs on the program as it is, but states that differ only in slots which nobody
//! was seen to need count as one *class*, and only the first state of a class is followed. What
//! the steps from it read is needed there, and where it came from, back to where it was written.
//! When something was needed that was not known to be, classes fall apart, and the states are
//! gone through once more; until nothing new is needed. Then no step from any class reads what
//! its states differ in: to forget it changes nothing that can be seen. If this would take too
//! long, nothing is forgotten.
//!
//! Slots are forgotten only at *points*: the locations at which the program was seen to go on in
//! more than one way, or to show something. The paths between them, which most of the work is
//! about, are taken once for all states that have the same in what is read on them.
//!
//! Variables have *ranks*, by the number of their cells: what a small one holds (an index, a
//! flag, a pointer to a buffer) decides what of a larger one is needed, see [`super::relevance`].

use super::index_liveness::Subject;
use super::layout::Home;
use super::relevance::{Node, Relevance};
use super::silent_paths::{Follower, Set, contains, insert, list};
use super::{Machine, State};
use crate::domain::Kind;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::FuncId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Programs with more global slots than this are left as they are.
const MAX_SLOTS: usize = 1 << 11;
/// With more classes than this, or than a model may have states, learning is given up.
const MAX_CLASSES: usize = 1 << 17;
/// After so many classes in a round, and whenever there are twice as many, at least one state in
/// nine must have been found to be of a class that was known by another state. Otherwise hardly
/// anything is dead, and it is given up, too.
const TRIAL: usize = 1 << 12;

/// A node of the trees while they grow.
struct Growing {
    rank: usize,
    need: Set,
    /// What was forgotten here in the last round that some state had.
    dropped: Set,
    next: FxHashMap<Vec<u32>, u32>,
}

/// States that count as one.
struct Class {
    /// The nodes of the tree that say what they need, one for each rank.
    path: Vec<u32>,
    paths: u32,
    /// The classes that the paths end in.
    ends: Vec<u32>,
}

/// The classes that one round has found.
#[derive(Default)]
struct Round {
    classes: Vec<Class>,
    /// The first state of each, with all that it has.
    states: Vec<u64>,
    /// The numbers of classes, by their states without what is not needed.
    numbers: FxHashMap<u64, u32>,
    /// The classes of all states that were met.
    arrived: FxHashMap<u64, u32>,
}

struct Learner<'l, 'm, 'p> {
    follower: Follower<'l, 'm, 'p>,
    budget: &'l Budget,
    /// The slots of each rank, as a set and as a list.
    ranks: Vec<(Set, Vec<u32>)>,
    /// The first nodes of the trees, by location.
    roots: FxHashMap<u32, u32>,
    nodes: Vec<Growing>,
}

impl Machine<'_> {
    /// What states need in a program that starts at `entry`, as far as that can be told.
    pub(super) fn learn(&mut self, entry: FuncId, subject: &Subject, budget: &Budget) -> Relevance {
        let ranks = self.ranks(subject).filter(|_| self.is_polyvariant());
        let Some(ranks) = ranks else {
            return Relevance::default();
        };
        let tables = std::mem::take(&mut self.tables);
        let worker = std::mem::take(&mut self.worker);
        self.code.thorough = true;
        self.worker.record();
        let learner = Learner {
            follower: Follower::new(self, budget),
            budget,
            ranks: ranks.into_iter().map(|r| (r.clone(), list(&r))).collect(),
            roots: FxHashMap::default(),
            nodes: Vec::new(),
        };
        let needs = learner.run(entry);
        self.code.thorough = false;
        self.tables = tables;
        self.worker = worker;
        needs.unwrap_or_default()
    }
    /// The global slots by rank, if there is something to learn.
    fn ranks(&self, subject: &Subject) -> Option<Vec<Set>> {
        let layout = &self.code.layout;
        let len = layout.globals.len();
        let mut ranks: BTreeMap<usize, Set> = BTreeMap::new();
        let mut found = false;
        for (var, slots) in layout.vars.enumerate() {
            let kept = slots.iter().filter(|s| s.cell.kind != Kind::Top);
            let kept: Vec<u32> = kept
                .filter_map(|s| match s.home {
                    Home::Global(n) => Some(n),
                    Home::Local(_) => None,
                })
                .collect();
            if !kept.is_empty() {
                found |= subject.is_about(var);
                let rank = ranks.entry(kept.len());
                let set = rank.or_insert_with(|| vec![0; len.div_ceil(64)]);
                kept.iter().for_each(|n| insert(set, *n));
            }
        }
        (found && len <= MAX_SLOTS).then(|| ranks.into_values().collect())
    }
}

impl Learner<'_, '_, '_> {
    fn run(mut self, entry: FuncId) -> Result<Relevance, Exhausted> {
        let initial = self.follower.machine.initial_unguided(entry);
        let first = self.follower.machine.pack(initial);
        self.follower.add_point(initial.location);
        for round in 1.. {
            let points = self.follower.point_count;
            let classes = self.round(round, first)?;
            let new = self.spread(&classes)?;
            if new.is_empty() && self.follower.point_count == points {
                break;
            }
            for node in new {
                self.nodes[node as usize].next.clear();
            }
        }
        Ok(self.result())
    }
    /// Goes through all classes, as far as it is known what tells them apart.
    fn round(&mut self, round: usize, first: u64) -> Result<Vec<Class>, Exhausted> {
        for node in &mut self.nodes {
            node.dropped.fill(0);
        }
        let most = self.budget.steps().unwrap_or(u64::MAX);
        let most = (MAX_CLASSES as u64).min(most) as usize;
        let mut found = Round::default();
        self.arrive(&mut found, first);
        let mut next = 0;
        let mut trial = TRIAL;
        while next < found.classes.len() {
            let count = found.classes.len();
            if next.is_multiple_of(256) {
                if count > most {
                    return Err(Exhausted::Steps);
                }
                self.follower.check()?;
                (self.budget)
                    .tell(|| format!("dead cells, round {round}: {count} kinds of states"));
            }
            if count > trial {
                trial *= 2;
                if found.arrived.len() < count + count / 8 {
                    return Err(Exhausted::Steps);
                }
            }
            let paths = self.follower.paths_from(found.states[next])?;
            found.classes[next].paths = paths;
            for n in 0..self.follower.paths[paths as usize].ends.len() {
                let end = self.follower.paths[paths as usize].ends[n].0;
                let class = self.arrive(&mut found, end);
                found.classes[next].ends.push(class);
            }
            next += 1;
        }
        Ok(found.classes)
    }
    /// The class of a state.
    fn arrive(&mut self, found: &mut Round, state: u64) -> u32 {
        if let Some(class) = found.arrived.get(&state) {
            return *class;
        }
        let (path, stripped) = self.strip(state);
        let next = found.classes.len() as u32;
        let class = *found.numbers.entry(stripped).or_insert(next);
        if class == next {
            found.states.push(state);
            found.classes.push(Class {
                path,
                paths: 0,
                ends: Vec::new(),
            });
        }
        found.arrived.insert(state, class);
        class
    }
    /// A state without what is not known to be needed, and the nodes that say so.
    fn strip(&mut self, key: u64) -> (Vec<u32>, u64) {
        let state = self.follower.machine.tables.unpack(key);
        let tables = &self.follower.machine.tables;
        let code = &self.follower.machine.code;
        let globals = code.layout.globals.len() as u32;
        let all: Vec<u32> = (0..globals).collect();
        let mut numbers = Vec::new();
        tables.pick(state.global, 0, globals, &all, &mut numbers);
        let mut values: Vec<u32> = Vec::new();
        let frame = code.frame_len(state.location);
        let locals: Vec<u32> = (0..frame).collect();
        tables.pick(state.local, 0, frame, &locals, &mut values);
        let mut drops: Vec<(u32, u32)> = Vec::new();
        let mut path: Vec<u32> = Vec::new();
        for (rank, (slots, in_order)) in self.ranks.iter().enumerate() {
            let new = self.nodes.len() as u32;
            let node = match path.last() {
                None => *self.roots.entry(state.location).or_insert(new),
                Some(last) => {
                    let last = &mut self.nodes[*last as usize];
                    *last.next.entry(std::mem::take(&mut values)).or_insert(new)
                }
            };
            if node == new {
                self.nodes.push(Growing {
                    rank,
                    need: vec![0; slots.len()],
                    dropped: vec![0; slots.len()],
                    next: FxHashMap::default(),
                });
            }
            path.push(node);
            let node = &mut self.nodes[node as usize];
            for &n in in_order {
                let value = numbers[n as usize];
                if contains(&node.need, n) {
                    values.push(value);
                } else if value != 0 {
                    insert(&mut node.dropped, n);
                    drops.push((n, 0));
                }
            }
        }
        drops.sort_unstable();
        let stripped = self.follower.machine.grown(|tables| {
            let global = tables.update(state.global, 0, globals, &drops)?;
            tables.pack(State { global, ..state })
        });
        (path, stripped)
    }
    /// What is needed after a way and not overwritten on it is needed before. Tells the nodes
    /// that need more than before.
    fn spread(&mut self, classes: &[Class]) -> Result<Vec<u32>, Exhausted> {
        let words = self.follower.machine.globals().div_ceil(64);
        let mut grew = vec![false; self.nodes.len()];
        let mut again = true;
        while again {
            again = false;
            self.follower.check()?;
            for class in classes.iter().rev() {
                let paths = &self.follower.paths[class.paths as usize];
                let mut need = self.follower.sets.get(paths.uses).clone();
                for (end, (_, kills)) in class.ends.iter().zip(&paths.ends) {
                    let kills = self.follower.sets.get(*kills);
                    for node in &classes[*end as usize].path {
                        let after = &self.nodes[*node as usize].need;
                        for word in 0..words {
                            need[word] |= after[word] & !kills[word];
                        }
                    }
                }
                for node in &class.path {
                    let Growing {
                        rank, need: known, ..
                    } = &mut self.nodes[*node as usize];
                    let own = &self.ranks[*rank].0;
                    for word in 0..words {
                        let new = need[word] & own[word] & !known[word];
                        if new != 0 {
                            known[word] |= new;
                            grew[*node as usize] = true;
                            again = true;
                        }
                    }
                }
            }
        }
        let grown = (0..).zip(grew).filter(|(_, grew)| *grew);
        Ok(grown.map(|(node, _)| node).collect())
    }
    /// The trees of the points at which something is forgotten.
    fn result(self) -> Relevance {
        let mut needs = Relevance::default();
        let mut roots: Vec<(u32, u32)> = self.roots.iter().map(|(l, n)| (*l, *n)).collect();
        roots.sort_unstable();
        for (location, root) in roots {
            if let Some(root) = self.plant(root, &mut needs) {
                needs.roots.insert(location, root);
            }
        }
        needs
    }
    /// The number of a tree in `needs`, if it forgets something.
    fn plant(&self, node: u32, needs: &mut Relevance) -> Option<u32> {
        let node = &self.nodes[node as usize];
        let mut next = FxHashMap::default();
        for (values, child) in &node.next {
            if let Some(child) = self.plant(*child, needs) {
                let values = values
                    .iter()
                    .map(|n| self.follower.machine.tables.value(*n));
                next.insert(values.collect(), child);
            }
        }
        let drop = list(&node.dropped);
        if drop.is_empty() && next.is_empty() {
            return None;
        }
        needs.nodes.push(Node {
            drop,
            keep: list(&node.need),
            next,
        });
        Some(needs.nodes.len() as u32 - 1)
    }
}
