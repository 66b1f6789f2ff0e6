//! What branching bisimulation merges without refinement: states on a common silent cycle, and
//! states that can do nothing but go silently to one place.

use super::graph::{Graph, ask};
use crate::communicator::{Communicator, Stopped};
use cwolf_lts::TAU;

/// The head of each state's silent cycle; its own number if it is on none.
///
/// Colours spread along silent edges, the largest number wins; a state whose colour is its own
/// number is on a cycle with exactly those of its colour from which it can be reached. These are
/// done, and the rest starts again. What has no silent way in or out among the rest is done
/// before.
pub(crate) fn cycles(
    communicator: &mut Communicator<'_>,
    graph: &Graph,
) -> Result<Vec<u64>, Stopped> {
    let count = graph.len();
    let mut heads: Vec<u64> = (0..count as u32).map(|s| graph.number(s)).collect();
    let mut active = vec![true; count];
    loop {
        trim(communicator, graph, &mut active)?;
        let left = active.iter().filter(|a| **a).count() as u64;
        if communicator.sum([left])? == [0] {
            return Ok(heads);
        }
        let colours = colour(communicator, graph, &active)?;
        // Backwards from the states that kept their own colour.
        let mut fresh: Vec<u32> = (0..count as u32)
            .filter(|s| active[*s as usize] && colours[*s as usize] == graph.number(*s))
            .collect();
        while communicator.sum([fresh.len() as u64])? != [0] {
            for s in &fresh {
                active[*s as usize] = false;
                heads[*s as usize] = colours[*s as usize];
            }
            let told = std::mem::take(&mut fresh);
            let told = told.into_iter().map(|s| (s, colours[s as usize]));
            graph.tell(communicator, told, true, |edge, colour| {
                let source = graph.sources[edge as usize];
                if active[source as usize] && colours[source as usize] == colour {
                    fresh.push(source);
                }
            })?;
            fresh.sort_unstable();
            fresh.dedup();
        }
    }
}

/// Takes away, over and over, what no active state leads to silently or what leads to none.
fn trim(
    communicator: &mut Communicator<'_>,
    graph: &Graph,
    active: &mut [bool],
) -> Result<(), Stopped> {
    loop {
        let count = graph.len() as u32;
        let mut leads = vec![false; graph.len()];
        let mut reached = vec![false; graph.len()];
        let here = |active: &[bool]| -> Vec<(u32, u64)> {
            let all = (0..count).filter(|s| active[*s as usize]);
            all.map(|s| (s, 0)).collect()
        };
        let told = here(active);
        graph.tell(communicator, told.into_iter(), true, |edge, _| {
            leads[graph.sources[edge as usize] as usize] = true;
        })?;
        for edge in 0..graph.targets.len() {
            let source = graph.sources[edge] as usize;
            if graph.labels[edge] == TAU && active[source] && leads[source] {
                let (home, place) = graph.home(graph.targets[edge]);
                crate::bytes::put(communicator.to(home), place);
                communicator.sent(home);
            }
        }
        communicator.finish(|_, bytes| {
            let mut reader = crate::bytes::Reader::new(bytes);
            while !reader.is_empty() {
                reached[reader.number() as usize] = true;
            }
            Ok(())
        })?;
        let mut dropped = 0;
        for s in 0..graph.len() {
            if active[s] && !(leads[s] && reached[s]) {
                active[s] = false;
                dropped += 1;
            }
        }
        if communicator.sum([dropped])? == [0] {
            return Ok(());
        }
    }
}

/// The largest number from which there is a silent way over active states to each.
fn colour(
    communicator: &mut Communicator<'_>,
    graph: &Graph,
    active: &[bool],
) -> Result<Vec<u64>, Stopped> {
    let mut colours: Vec<u64> = (0..graph.len() as u32).map(|s| graph.number(s)).collect();
    let mut changed: Vec<u32> = (0..graph.len() as u32)
        .filter(|s| active[*s as usize])
        .collect();
    while communicator.sum([changed.len() as u64])? != [0] {
        for s in std::mem::take(&mut changed) {
            for edge in graph.edges(s) {
                if graph.labels[edge] != TAU {
                    break;
                }
                let (home, place) = graph.home(graph.targets[edge]);
                let out = communicator.to(home);
                crate::bytes::put(out, place);
                crate::bytes::put(out, colours[s as usize]);
                communicator.sent(home);
            }
        }
        communicator.finish(|_, bytes| {
            let mut reader = crate::bytes::Reader::new(bytes);
            while !reader.is_empty() {
                let (state, colour) = (reader.number() as usize, reader.number());
                if active[state] && colour > colours[state] {
                    colours[state] = colour;
                    changed.push(state as u32);
                }
            }
            Ok(())
        })?;
        changed.sort_unstable();
        changed.dedup();
    }
    Ok(colours)
}

/// Where each state's only way leads in the end: its own number unless all it can do is one
/// silent step. There are no silent cycles.
pub(crate) fn chains(
    communicator: &mut Communicator<'_>,
    graph: &Graph,
) -> Result<Vec<u64>, Stopped> {
    let next = |s: u32| {
        let edges = graph.edges(s);
        match edges.len() == 1 && graph.labels[edges.start] == TAU {
            true => graph.targets[edges.start],
            false => graph.number(s),
        }
    };
    let mut heads: Vec<u64> = (0..graph.len() as u32).map(next).collect();
    // Each turn makes all ways twice as long.
    loop {
        let further = ask(communicator, graph, &heads, &heads)?;
        let moved = heads.iter().zip(&further).filter(|(a, b)| a != b).count();
        heads = further;
        if communicator.sum([moved as u64])? == [0] {
            return Ok(heads);
        }
    }
}
