//! Reduction on the parts, before anything is gathered: the same classes as on one machine, and
//! so, numbered by their smallest states, the same system.

mod graph;
mod inert;
mod refine;
mod tau;

use crate::bytes::{Reader, put, put_text};
use crate::communicator::{Communicator, Stopped};
use crate::rows::Rows;
use cwolf_lts::{Builder, Label, Lts, TAU};
use graph::{Graph, ask};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bisimulations that parts can be reduced by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bisimulation {
    /// Silent steps count like all others.
    Strong,
    /// Silent steps that change nothing do not count.
    Branching,
}

/// The classes of all states, and the system that is left.
pub(crate) struct Reduced {
    graph: Graph,
    blocks: refine::Blocks,
    /// The class of each state here.
    classes: Vec<u64>,
    branching: bool,
}

/// Finds the classes of a system's states; `labels` has the model's numbers.
pub(crate) fn reduce(
    communicator: &mut Communicator<'_>,
    rows: Rows,
    labels: &[Label],
    states: u64,
    by: Bisimulation,
) -> Result<Reduced, Stopped> {
    let mut graph = Graph::deal(communicator, rows, labels, states)?;
    let branching = by == Bisimulation::Branching;
    let mut heads: Vec<u64> = (0..graph.len() as u32).map(|s| graph.number(s)).collect();
    if branching {
        let cycles = tau::cycles(communicator, &graph)?;
        graph = graph.merge(communicator, &cycles)?;
        let chains = tau::chains(communicator, &graph)?;
        graph = graph.merge(communicator, &chains)?;
        heads = ask(communicator, &graph, &cycles, &chains)?;
    }
    let wanted: Vec<bool> = (0u32..)
        .zip(&heads)
        .map(|(s, head)| graph.number(s) == *head)
        .collect();
    let blocks = refine::refine(communicator, &graph, &wanted, branching)?;
    let classes = ask(communicator, &graph, &heads, &blocks.of)?;
    Ok(Reduced {
        graph,
        blocks,
        classes,
        branching,
    })
}

/// A class: its smallest state, and how many it has.
#[derive(Clone, Copy)]
struct Class {
    first: u64,
    members: u64,
}

impl Reduced {
    /// Gathers the smaller system at worker 0. `describe` says what states are, by their
    /// numbers; it is asked about the smallest of each class, if at all.
    pub fn gather(
        &self,
        communicator: &mut Communicator<'_>,
        names: &[String],
        describe: Option<impl FnOnce(&FxHashSet<u64>) -> Vec<(u64, String)>>,
    ) -> Result<Option<Lts>, Stopped> {
        let classes = self.classes(communicator)?;
        let numbers: FxHashMap<u64, u32> = (0..).zip(&classes).map(|(n, (c, _))| (*c, n)).collect();
        let mut builder = Builder::new();
        names.iter().for_each(|name| {
            builder.label(name);
        });
        builder.ensure_states(classes.len());
        self.send_edges(communicator);
        communicator.finish(|_, bytes| {
            let mut reader = Reader::new(bytes);
            while !reader.is_empty() {
                let source = numbers[&reader.number()];
                let label = reader.number() as Label;
                builder.add(source, label, numbers[&reader.number()]);
            }
            Ok(())
        })?;
        if let Some(describe) = describe {
            for (first, text) in notes(communicator, &classes, describe)? {
                let at = classes.partition_point(|(_, c)| c.first < first);
                let others = classes[at].1.members - 1;
                builder.note_merged(at as u32, &text, others as u32);
            }
        }
        Ok((communicator.index() == 0).then(|| builder.finish(0)))
    }
    /// All classes by their smallest states, at worker 0.
    fn classes(&self, communicator: &mut Communicator<'_>) -> Result<Vec<(u64, Class)>, Stopped> {
        let mut own: FxHashMap<u64, Class> = FxHashMap::default();
        for (place, class) in (0u32..).zip(&self.classes) {
            add(&mut own, *class, self.graph.number(place), 1);
        }
        for (class, Class { first, members }) in own {
            let out = communicator.to(0);
            [class, first, members].iter().for_each(|n| put(out, *n));
            communicator.sent(0);
        }
        let mut all = FxHashMap::default();
        communicator.finish(|_, bytes| {
            let mut reader = Reader::new(bytes);
            while !reader.is_empty() {
                let [class, first, members] = std::array::from_fn(|_| reader.number());
                add(&mut all, class, first, members);
            }
            Ok(())
        })?;
        let mut list: Vec<(u64, Class)> = all.into_iter().collect();
        list.sort_unstable_by_key(|(_, class)| class.first);
        Ok(list)
    }
    /// Sends what leads from class to class, each once, to worker 0.
    fn send_edges(&self, communicator: &mut Communicator<'_>) {
        let mut seen = FxHashSet::default();
        for (edge, target) in self.blocks.targets.iter().enumerate() {
            let source = self.blocks.of[self.graph.sources[edge] as usize];
            let label = self.graph.labels[edge];
            let inert = self.branching && label == TAU && source == *target;
            if !inert && seen.insert((source, label, *target)) {
                let out = communicator.to(0);
                let words = [source, u64::from(label), *target];
                words.iter().for_each(|n| put(out, *n));
                communicator.sent(0);
            }
        }
    }
}

fn add(classes: &mut FxHashMap<u64, Class>, class: u64, first: u64, members: u64) {
    let entry = classes.entry(class).or_insert(Class { first, members: 0 });
    entry.first = entry.first.min(first);
    entry.members += members;
}

/// What the smallest states of classes are in words, at worker 0.
fn notes(
    communicator: &mut Communicator<'_>,
    classes: &[(u64, Class)],
    describe: impl FnOnce(&FxHashSet<u64>) -> Vec<(u64, String)>,
) -> Result<Vec<(u64, String)>, Stopped> {
    for worker in 0..communicator.peers() {
        for (_, class) in classes {
            put(communicator.to(worker), class.first);
            communicator.sent(worker);
        }
    }
    let mut firsts = FxHashSet::default();
    communicator.finish(|_, bytes| {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            firsts.insert(reader.number());
        }
        Ok(())
    })?;
    for (state, text) in describe(&firsts) {
        let out = communicator.to(0);
        put(out, state);
        put_text(out, &text);
        communicator.sent(0);
    }
    let mut list = Vec::new();
    communicator.finish(|_, bytes| {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            list.push((reader.number(), reader.text().to_owned()));
        }
        Ok(())
    })?;
    Ok(list)
}
