//! The order in which blocks are encoded: a nesting of loops (also for control flow that is not
//! reducible) and a rank such that only jumps to the head of an enclosing loop go back.

use cwolf_base::{Idx, strong_components};
use cwolf_cwi::{BlockId, Body, FuncId};
use std::sync::{Arc, OnceLock};

/// The loops of a function.
#[derive(Debug)]
pub(crate) struct Flow {
    /// The place of each block in the order.
    pub(crate) rank: Vec<u32>,
    /// The heads of the loops around each block, outermost first.
    pub(crate) loops: Vec<Vec<BlockId>>,
}

/// The loops of all functions, each found when somebody asks for the first time.
pub(crate) struct Flows(Vec<OnceLock<Arc<Flow>>>);

impl Flows {
    pub(crate) fn new(functions: usize) -> Flows {
        Flows((0..functions).map(|_| OnceLock::new()).collect())
    }

    /// Those of a function with this body.
    pub(crate) fn of(&self, func: FuncId, body: &Body) -> Arc<Flow> {
        let flow = &self.0[func.index()];
        flow.get_or_init(|| Arc::new(Flow::new(body))).clone()
    }
}

/// The heads of all loops of a function, in ascending order: what unrolling counts rounds at.
pub fn loop_heads(body: &Body) -> Vec<BlockId> {
    let mut heads = Flow::new(body).loops.concat();
    heads.sort_unstable();
    heads.dedup();
    heads
}

impl Flow {
    pub(crate) fn new(body: &Body) -> Flow {
        let count = body.blocks.len();
        let successors: Vec<Vec<u32>> = body
            .blocks
            .iter()
            .map(|b| b.branch.successors().iter().map(|s| s.0).collect())
            .collect();
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (from, list) in successors.iter().enumerate() {
            list.iter()
                .for_each(|to| predecessors[*to as usize].push(from as u32));
        }
        let mut flow = Flow {
            rank: vec![0; count],
            loops: vec![Vec::new(); count],
        };
        let mut next = 0;
        // Each entry: blocks that form a part, the loops around it.
        let mut work: Vec<(Vec<u32>, Vec<BlockId>)> = vec![((0..count as u32).collect(), vec![])];
        while let Some((part, around)) = work.pop() {
            flow.order(
                &successors,
                &predecessors,
                part,
                around,
                &mut next,
                &mut work,
            );
        }
        flow
    }

    /// Orders the components of one part; the inside of a loop is put on `work` so that it comes
    /// before everything that follows.
    fn order(
        &mut self,
        successors: &[Vec<u32>],
        predecessors: &[Vec<u32>],
        part: Vec<u32>,
        around: Vec<BlockId>,
        next: &mut u32,
        work: &mut Vec<(Vec<u32>, Vec<BlockId>)>,
    ) {
        if let [one] = part.as_slice()
            && (!successors[*one as usize].contains(one)
                || around.last() == Some(&BlockId::new(*one as usize)))
        {
            self.rank[*one as usize] = *next;
            self.loops[*one as usize] = around;
            *next += 1;
            return;
        }
        let mut local = rustc_hash::FxHashMap::default();
        for (n, block) in part.iter().enumerate() {
            local.insert(*block, n as u32);
        }
        let edges: Vec<Vec<u32>> = part
            .iter()
            .map(|b| {
                let inside = successors[*b as usize].iter();
                inside.filter_map(|s| local.get(s).copied()).collect()
            })
            .collect();
        // Components are numbered against the edges: successors first.
        let component = strong_components(part.len(), |n| &edges[n]);
        let count = component.iter().max().map_or(0, |c| c + 1);
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
        for (n, c) in component.iter().enumerate() {
            groups[*c as usize].push(n as u32);
        }
        // The last pushed is worked on first: successors go down the stack first.
        for group in groups {
            let first = group[0];
            let circle = group.len() > 1 || edges[first as usize].contains(&first);
            let blocks: Vec<u32> = group.iter().map(|n| part[*n as usize]).collect();
            if !circle {
                work.push((blocks, around.clone()));
                continue;
            }
            let head = head(predecessors, &blocks);
            let mut inner = around.clone();
            inner.push(BlockId::new(head as usize));
            let rest: Vec<u32> = blocks.into_iter().filter(|b| *b != head).collect();
            if !rest.is_empty() {
                work.push((rest, inner.clone()));
            }
            // The head alone, told apart from a loop of its own by the loops around it.
            work.push((vec![head], inner));
        }
    }

    /// Whether `block` is the head of a loop.
    pub(crate) fn is_head(&self, block: BlockId) -> bool {
        self.loops[block.index()].last() == Some(&block)
    }
}

/// The block of a circle that is entered from outside; the first one if several are.
fn head(predecessors: &[Vec<u32>], blocks: &[u32]) -> u32 {
    let inside: rustc_hash::FxHashSet<u32> = blocks.iter().copied().collect();
    let entered = |b: &&u32| {
        **b == 0
            || predecessors[**b as usize]
                .iter()
                .any(|p| !inside.contains(p))
    };
    *blocks.iter().find(entered).unwrap_or(&blocks[0])
}
