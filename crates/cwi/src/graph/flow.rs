//! The control flow of a function: who comes before whom, dominators, loops.

use crate::code::{BlockId, Body, Branch, Expr, ExprKind, RESULT, StmtKind};
use crate::types::Types;
use cwolf_base::{Idx, IndexVec, dominators, reverse_postorder};

/// A natural loop: all blocks from which control comes back to the header without passing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where the loop is entered.
    pub header: BlockId,
    /// The blocks that jump back to the header.
    pub latches: Vec<BlockId>,
    /// All blocks of the loop, in rising order.
    pub blocks: Vec<BlockId>,
}

/// The control-flow graph of a function.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: IndexVec<BlockId, Vec<BlockId>>,
    predecessors: IndexVec<BlockId, Vec<BlockId>>,
    order: Vec<BlockId>,
    /// Place in `order`; none if not reachable.
    rank: IndexVec<BlockId, Option<u32>>,
    /// Immediate dominators; the entry's is itself.
    idom: IndexVec<BlockId, Option<BlockId>>,
    /// When the dominator tree's walk comes to a block, and when it leaves it.
    visit: IndexVec<BlockId, (u32, u32)>,
}

impl Cfg {
    /// The graph of `body`, which has at least one block.
    pub fn new(body: &Body) -> Cfg {
        let mut successors: IndexVec<BlockId, Vec<BlockId>> = IndexVec::new();
        let mut predecessors: IndexVec<BlockId, Vec<BlockId>> =
            body.blocks.ids().map(|_| Vec::new()).collect();
        for (id, block) in body.blocks.enumerate() {
            let mut list: Vec<BlockId> = Vec::new();
            let mut known = rustc_hash::FxHashSet::default();
            block.branch.for_each_successor(|b| {
                if known.insert(b) {
                    list.push(b);
                }
            });
            for to in &list {
                predecessors[*to].push(id);
            }
            successors.push(list);
        }
        let order = reverse_postorder(Body::ENTRY, &successors);
        let mut cfg = Cfg {
            rank: successors.ids().map(|_| None).collect(),
            idom: dominators(&order, &predecessors),
            order,
            visit: successors.ids().map(|_| (0, 0)).collect(),
            successors,
            predecessors,
        };
        for (n, block) in cfg.order.iter().enumerate() {
            cfg.rank[*block] = Some(n as u32);
        }
        cfg.walk_dominators();
        cfg
    }
    /// Where control may go on after `block`, each once, in program order.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block]
    }
    /// Where control may come from, each once, in rising order; includes unreachable blocks.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block]
    }
    /// Reachable blocks in reverse postorder: but for loops, predecessors first.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }
    /// The place of a block in the reverse postorder; none if control never comes there.
    pub fn rank(&self, block: BlockId) -> Option<usize> {
        self.rank[block].map(|r| r as usize)
    }
    /// Whether control may come to `block`.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.rank[block].is_some()
    }

    /// Intervals of a walk of the dominator tree answer "dominates" at once.
    fn walk_dominators(&mut self) {
        let entry = Body::ENTRY;
        let mut children: IndexVec<BlockId, Vec<BlockId>> =
            self.successors.ids().map(|_| Vec::new()).collect();
        for &block in &self.order[1..] {
            let parent = self.idom[block].expect("a reachable block has a dominator");
            children[parent].push(block);
        }
        let mut clock = 0;
        let mut path = vec![(entry, 0)];
        self.visit[entry].0 = clock;
        while let Some((block, next)) = path.last_mut() {
            clock += 1;
            if let Some(&child) = children[*block].get(*next) {
                *next += 1;
                self.visit[child].0 = clock;
                path.push((child, 0));
            } else {
                self.visit[*block].1 = clock;
                path.pop();
            }
        }
    }

    /// The closest other block through which every way to `block` leads; none for the entry and
    /// for unreachable blocks.
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.idom[block].filter(|d| *d != block)
    }
    /// Whether every way to `b` leads through `a` (as it does to `a` itself). Not for
    /// unreachable blocks.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let inside = self.visit[a].0 <= self.visit[b].0 && self.visit[b].1 <= self.visit[a].1;
        self.is_reachable(a) && self.is_reachable(b) && inside
    }
    /// Edges to a block that dominates where they start.
    pub fn back_edges(&self) -> Vec<(BlockId, BlockId)> {
        let mut edges = Vec::new();
        for &from in &self.order {
            for &to in &self.successors[from] {
                if self.dominates(to, from) {
                    edges.push((from, to));
                }
            }
        }
        edges
    }
    /// Edges that go back in the reverse postorder: every circle has one. More than the back
    /// edges only where a loop has two entries.
    pub fn retreating_edges(&self) -> Vec<(BlockId, BlockId)> {
        let mut edges = Vec::new();
        for &from in &self.order {
            for &to in &self.successors[from] {
                if self.rank[to] <= self.rank[from] {
                    edges.push((from, to));
                }
            }
        }
        edges
    }
    /// Natural loops, one a header, in reverse postorder of the headers (outer before inner).
    pub fn loops(&self) -> Vec<Loop> {
        let mut latches: IndexVec<BlockId, Vec<BlockId>> =
            self.successors.ids().map(|_| Vec::new()).collect();
        for (from, to) in self.back_edges() {
            latches[to].push(from);
        }
        let mut loops = Vec::new();
        for &header in &self.order {
            let latches = std::mem::take(&mut latches[header]);
            if latches.is_empty() {
                continue;
            }
            let mut inside = vec![false; self.successors.len()];
            inside[header.index()] = true;
            let mut work = latches.clone();
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut inside[block.index()], true) {
                    let before = self.predecessors[block].iter();
                    work.extend(before.filter(|p| self.is_reachable(**p)));
                }
            }
            let blocks = self
                .successors
                .ids()
                .filter(|b| inside[b.index()])
                .collect();
            loops.push(Loop {
                header,
                latches,
                blocks,
            });
        }
        loops
    }
}

/// Whether `block` ends in a call whose result is what the function returns: its next block
/// does nothing but return register 0 (perhaps by way of other registers), or nothing.
pub fn is_tail_call(body: &Body, block: BlockId) -> bool {
    let Branch::Call {
        ret,
        next: Some(next),
        ..
    } = &body.blocks[block].branch
    else {
        return false;
    };
    let next = &body.blocks[*next];
    // The registers that hold the result so far.
    let mut copies = vec![RESULT];
    for stmt in &next.stmts {
        match &stmt.kind {
            StmtKind::SetReg(
                to,
                Expr {
                    kind: ExprKind::Reg(from),
                    ..
                },
            ) if copies.contains(from) => {
                copies.push(*to);
            }
            _ => return false,
        }
    }
    match &next.branch {
        Branch::Return(None) => *ret == Types::VOID || next.stmts.is_empty(),
        Branch::Return(Some(Expr {
            kind: ExprKind::Reg(reg),
            ..
        })) => copies.contains(reg),
        _ => false,
    }
}
