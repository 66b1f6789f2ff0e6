//! How a partition came about: each block that was split, by which step into which block. Two
//! states are told apart by the split where they parted.

use super::Modality;
use crate::labels::{Label, TAU};
use crate::lts::{Incoming, Lts, State};
use crate::reduce::Partition;
use cwolf_base::{Budget, Exhausted};

/// A block of some moment, as a node of the tree.
pub(crate) type NodeId = u32;
pub(crate) const NONE: NodeId = NodeId::MAX;

/// The step that split a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A step with this label into a block.
    To(Label, NodeId),
    /// Being on a tau cycle: a tau loop in the quotient.
    Diverge,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub(crate) step: Step,
    /// Those that can take the step.
    pub(crate) positive: NodeId,
}

#[derive(Clone, Debug)]
struct TreeNode {
    parent: NodeId,
    split: Option<Split>,
    /// The members: a range of the final order of states.
    range: (u32, u32),
}

pub(crate) struct Tree {
    nodes: Vec<TreeNode>,
    place: Vec<u32>,
    leaf: Vec<NodeId>,
}

impl Tree {
    /// Splits until `x` and `y` are apart.
    ///
    /// `lts` is minimal, so in the end every two states are.
    pub(crate) fn grow(
        lts: &Lts,
        modality: Modality,
        (x, y): (State, State),
        budget: &Budget,
    ) -> Result<Tree, Exhausted> {
        let mut grower = Grower {
            lts,
            incoming: Incoming::new(lts),
            modality,
            partition: Partition::new(lts.states()),
            nodes: vec![TreeNode {
                parent: NONE,
                split: None,
                range: (0, 0),
            }],
            node_of_block: vec![0],
            seen: vec![false; lts.states()],
        };
        let mut rounds = 0;
        // In rounds, not with a queue: early splits then have short reasons.
        while grower.partition.block(x) == grower.partition.block(y) {
            budget.check(rounds)?;
            rounds += 1;
            let before = grower.partition.blocks.len();
            if modality == Modality::Until {
                grower.split_by_divergence();
            }
            for block in 0..before as u32 {
                if block.is_multiple_of(64) {
                    budget.check(rounds)?;
                }
                grower.split_by_block(block);
                if grower.partition.block(x) != grower.partition.block(y) {
                    break;
                }
            }
            let stable = grower.partition.blocks.len() == before;
            assert!(
                !stable || grower.partition.block(x) != grower.partition.block(y),
                "a minimal system has no two equivalent states"
            );
        }
        Ok(grower.finish())
    }
    pub(crate) fn contains(&self, node: NodeId, state: State) -> bool {
        let (lo, hi) = self.nodes[node as usize].range;
        (lo..hi).contains(&self.place[state as usize])
    }
    pub(crate) fn split(&self, node: NodeId) -> Split {
        self.nodes[node as usize]
            .split
            .expect("only split nodes separate states")
    }
    pub(crate) fn leaf(&self, state: State) -> NodeId {
        self.leaf[state as usize]
    }
    /// Where `node` and `state`, which is not in it, parted: the node that was split, and
    /// whether `node` is on the side that can take the step.
    pub(crate) fn parting(&self, node: NodeId, state: State) -> (NodeId, bool) {
        let mut child = node;
        loop {
            let parent = self.nodes[child as usize].parent;
            if self.contains(parent, state) {
                return (parent, self.split(parent).positive == child);
            }
            child = parent;
        }
    }
}

struct Grower<'a> {
    lts: &'a Lts,
    incoming: Incoming,
    modality: Modality,
    partition: Partition,
    nodes: Vec<TreeNode>,
    node_of_block: Vec<NodeId>,
    seen: Vec<bool>,
}

impl Grower<'_> {
    fn split_by_block(&mut self, block: u32) {
        let node = self.node_of_block[block as usize];
        let mut targets = self.partition.members(block).to_vec();
        if self.modality == Modality::Weak {
            self.close(&mut targets, |_, _| true);
            self.split(&targets, Step::To(TAU, node));
        }
        let mut edges: Vec<(Label, State)> = Vec::new();
        for &t in &targets {
            edges.extend(self.incoming.of(t).filter(|&(a, s)| match self.modality {
                Modality::Strong => true,
                Modality::Weak => a != TAU,
                Modality::Until => a != TAU || self.partition.block(s) != block,
            }));
        }
        edges.sort_unstable();
        edges.dedup();
        for group in edges.chunk_by(|x, y| x.0 == y.0) {
            let mut sources: Vec<State> = group.iter().map(|e| e.1).collect();
            match self.modality {
                Modality::Strong => {}
                Modality::Weak => self.close(&mut sources, |_, _| true),
                // Inert steps stay inside a block.
                Modality::Until => self.close(&mut sources, |p, s| p == s),
            }
            self.split(&sources, Step::To(group[0].0, node));
        }
    }
    fn split_by_divergence(&mut self) {
        let looping = |&s: &State| self.lts.tau_targets(s).contains(&s);
        let mut states: Vec<State> = (0..self.lts.states() as State).filter(looping).collect();
        self.close(&mut states, |p, s| p == s);
        self.split(&states, Step::Diverge);
    }
    /// Adds who reaches `states` by internal steps, each between blocks that `allowed` wants.
    fn close(&mut self, states: &mut Vec<State>, allowed: impl Fn(u32, u32) -> bool) {
        states.iter().for_each(|&s| self.seen[s as usize] = true);
        let mut at = 0;
        while let Some(&s) = states.get(at) {
            for (a, p) in self.incoming.of(s) {
                let blocks = (self.partition.block(p), self.partition.block(s));
                if a == TAU && !self.seen[p as usize] && allowed(blocks.0, blocks.1) {
                    self.seen[p as usize] = true;
                    states.push(p);
                }
            }
            at += 1;
        }
        states.iter().for_each(|&s| self.seen[s as usize] = false);
    }
    fn split(&mut self, positive: &[State], step: Step) {
        let mut touched = Vec::new();
        for &s in positive {
            if self.partition.mark(s) {
                touched.push(self.partition.block(s));
            }
        }
        for block in touched {
            let first = self.partition.members(block)[0];
            let Some(new) = self.partition.split(block) else {
                continue;
            };
            // The first member was marked: its part can take the step.
            let parent = self.node_of_block[block as usize];
            let child = self.nodes.len() as NodeId;
            let (old_child, new_child) = (child, child + 1);
            for _ in 0..2 {
                self.nodes.push(TreeNode {
                    parent,
                    split: None,
                    range: (0, 0),
                });
            }
            let positive = match self.partition.block(first) == new {
                true => new_child,
                false => old_child,
            };
            self.nodes[parent as usize].split = Some(Split { step, positive });
            self.node_of_block[block as usize] = old_child;
            self.node_of_block.push(new_child);
        }
    }
    fn finish(self) -> Tree {
        let Grower {
            partition,
            mut nodes,
            node_of_block,
            ..
        } = self;
        // Blocks stay neighbours when they are split, so every node is a stretch of members.
        for (block, &node) in partition.blocks.iter().zip(&node_of_block) {
            nodes[node as usize].range = (block.start, block.end);
        }
        for n in (1..nodes.len()).rev() {
            let (lo, hi) = nodes[n].range;
            let parent = nodes[n].parent as usize;
            let (start, end) = nodes[parent].range;
            nodes[parent].range = match start == end {
                true => (lo, hi),
                false => (start.min(lo), end.max(hi)),
            };
        }
        let mut place = vec![0; partition.members.len()];
        for (at, &s) in (0..).zip(&partition.members) {
            place[s as usize] = at;
        }
        let leaf = partition
            .block_of
            .iter()
            .map(|&b| node_of_block[b as usize])
            .collect();
        Tree { nodes, place, leaf }
    }
}
