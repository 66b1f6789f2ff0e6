//! Signatures for branching bisimulation: what a state can do after silent steps inside its
//! block counts as its own.

use super::graph::Graph;
use super::refine::{Blocks, Signature, own};
use crate::bytes::{Reader, put};
use crate::communicator::{Communicator, Stopped};
use cwolf_lts::TAU;

/// The signatures of `dirty` states, which become more: whoever can go to one of them silently
/// inside its block signs again, too. There are no silent cycles.
pub(crate) fn signatures(
    communicator: &mut Communicator<'_>,
    graph: &Graph,
    blocks: &Blocks,
    dirty: &mut Vec<u32>,
) -> Result<Vec<Signature>, Stopped> {
    let is_inert = |edge: u32| {
        let source = graph.sources[edge as usize] as usize;
        graph.labels[edge as usize] == TAU && blocks.targets[edge as usize] == blocks.of[source]
    };
    let mut marked = vec![false; graph.len()];
    dirty.iter().for_each(|s| marked[*s as usize] = true);
    let mut fresh = dirty.clone();
    while communicator.sum([fresh.len() as u64])? != [0] {
        let told = std::mem::take(&mut fresh).into_iter().map(|s| (s, 0));
        graph.tell(communicator, told, true, |edge, _| {
            let source = graph.sources[edge as usize];
            if is_inert(edge) && !marked[source as usize] {
                marked[source as usize] = true;
                dirty.push(source);
                fresh.push(source);
            }
        })?;
    }
    let mut waves = Waves::new(graph, dirty);
    waves.request(communicator, blocks, dirty, &is_inert)?;
    waves.flow(communicator, blocks)?;
    let mut all = waves.signatures;
    Ok(dirty
        .iter()
        .map(|s| std::mem::take(&mut all[*s as usize]))
        .collect())
}

/// Signatures on their way backwards along inert edges.
struct Waves<'g> {
    graph: &'g Graph,
    /// The states whose signatures are needed: dirty ones, and where they go silently.
    needed: Vec<u32>,
    is_needed: Vec<bool>,
    /// How many signatures each state waits for.
    pending: Vec<u32>,
    signatures: Vec<Signature>,
    /// Who waits for each: a worker and its edge.
    waiting: Vec<Vec<(u32, u32)>>,
}

impl Waves<'_> {
    fn new<'g>(graph: &'g Graph, dirty: &[u32]) -> Waves<'g> {
        let mut is_needed = vec![false; graph.len()];
        dirty.iter().for_each(|s| is_needed[*s as usize] = true);
        Waves {
            graph,
            needed: dirty.to_vec(),
            is_needed,
            pending: vec![0; graph.len()],
            signatures: vec![Signature::new(); graph.len()],
            waiting: vec![Vec::new(); graph.len()],
        }
    }
    /// Asks for the signatures of the targets of inert edges, and theirs.
    fn request(
        &mut self,
        communicator: &mut Communicator<'_>,
        blocks: &Blocks,
        dirty: &[u32],
        is_inert: &impl Fn(u32) -> bool,
    ) -> Result<(), Stopped> {
        let mut fresh = dirty.to_vec();
        while communicator.sum([fresh.len() as u64])? != [0] {
            for s in std::mem::take(&mut fresh) {
                self.signatures[s as usize] = own(self.graph, blocks, s, true);
                for edge in self.graph.edges(s).filter(|e| is_inert(*e as u32)) {
                    let (home, place) = self.graph.home(self.graph.targets[edge]);
                    let out = communicator.to(home);
                    put(out, place);
                    put(out, edge as u64);
                    communicator.sent(home);
                    self.pending[s as usize] += 1;
                }
            }
            communicator.finish(|worker, bytes| {
                let mut reader = Reader::new(bytes);
                while !reader.is_empty() {
                    let (state, edge) = (reader.number() as u32, reader.number() as u32);
                    self.waiting[state as usize].push((worker as u32, edge));
                    if !self.is_needed[state as usize] {
                        self.is_needed[state as usize] = true;
                        self.needed.push(state);
                        fresh.push(state);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
    /// Sends signatures on when they are whole, until all are.
    fn flow(
        &mut self,
        communicator: &mut Communicator<'_>,
        blocks: &Blocks,
    ) -> Result<(), Stopped> {
        let ready = |s: &u32| self.pending[*s as usize] == 0;
        let mut ready: Vec<u32> = self.needed.iter().copied().filter(ready).collect();
        while communicator.sum([ready.len() as u64])? != [0] {
            for s in std::mem::take(&mut ready) {
                let signature = &mut self.signatures[s as usize];
                signature.sort_unstable();
                signature.dedup();
                for (worker, edge) in std::mem::take(&mut self.waiting[s as usize]) {
                    let worker = worker as usize;
                    let out = communicator.to(worker);
                    put(out, u64::from(edge));
                    put(out, signature.len() as u64);
                    for (label, block) in &*signature {
                        put(out, u64::from(*label));
                        put(out, *block);
                    }
                    communicator.sent(worker);
                }
            }
            let Waves {
                graph,
                pending,
                signatures,
                ..
            } = self;
            communicator.finish(|_, bytes| {
                let mut reader = Reader::new(bytes);
                while !reader.is_empty() {
                    let source = graph.sources[reader.number() as usize];
                    for _ in 0..reader.number() {
                        let pair = (reader.number() as u32, reader.number());
                        debug_assert_ne!(pair, (TAU, blocks.of[source as usize]));
                        signatures[source as usize].push(pair);
                    }
                    pending[source as usize] -= 1;
                    if pending[source as usize] == 0 {
                        ready.push(source);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
