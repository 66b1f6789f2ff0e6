//! The part of a graph near one node, for graphs that are too large to look at as a whole.

use super::{Digraph, Edge};
use std::collections::VecDeque;

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To their targets.
    Forwards,
    /// To their sources.
    Backwards,
}

impl Digraph {
    /// The nodes that at most `depth` edges lead to from `root`, all that can be reached without `depth`; in ascending order.
    ///
    /// # Panics
    /// When `root` is not a node of this graph.
    pub fn near(&self, root: u32, depth: Option<usize>, direction: Direction) -> Vec<u32> {
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            let (from, to) = match direction {
                Direction::Forwards => (edge.from, edge.to),
                Direction::Backwards => (edge.to, edge.from),
            };
            next[from as usize].push(to);
        }
        let mut found: Vec<Option<usize>> = vec![None; self.nodes.len()];
        found[root as usize] = Some(0);
        let mut work = VecDeque::from([(root, 0)]);
        while let Some((node, far)) = work.pop_front() {
            if depth.is_some_and(|most| far >= most) {
                continue;
            }
            for to in &next[node as usize] {
                let seen = &mut found[*to as usize];
                if seen.is_none() {
                    *seen = Some(far + 1);
                    work.push_back((*to, far + 1));
                }
            }
        }
        let numbers = (0..).zip(&found);
        numbers.filter_map(|(n, far)| far.map(|_| n)).collect()
    }

    /// The graph of only these nodes (ascending) and the edges between them. The label of a node says how many of its
    /// neighbours in `direction` are left out.
    pub fn only(&self, kept: &[u32], direction: Direction) -> Digraph {
        let number = |n: u32| {
            let at = kept.binary_search(&n).ok()?;
            Some(u32::try_from(at).expect("fewer than 2^32 nodes"))
        };
        let mut graph = Digraph::new(self.title.clone());
        for n in kept {
            graph.node(self.nodes[*n as usize].clone());
        }
        let mut left_out: Vec<Vec<u32>> = vec![Vec::new(); kept.len()];
        for edge in &self.edges {
            let hidden = match (number(edge.from), number(edge.to)) {
                (Some(from), Some(to)) => {
                    graph.edge(Edge {
                        from,
                        to,
                        ..edge.clone()
                    });
                    None
                }
                (Some(from), None) if direction == Direction::Forwards => Some((from, edge.to)),
                (None, Some(to)) if direction == Direction::Backwards => Some((to, edge.from)),
                _ => None,
            };
            if let Some((node, other)) = hidden {
                left_out[node as usize].push(other);
            }
        }
        for (node, mut others) in graph.nodes.iter_mut().zip(left_out) {
            others.sort_unstable();
            others.dedup();
            if !others.is_empty() {
                node.label += &format!(" (+{})", others.len());
            }
        }
        graph
    }
}
