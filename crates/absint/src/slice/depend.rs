//! Control dependence (Ferrante, Ottenstein, Warren 1987): which branches decide whether control
//! comes to a block. A way that ends the program counts; one that goes round for ever does not.

use cwolf_base::{Idx, strong_components};
use cwolf_cwi::{BlockId, Body};

/// For each block of a function, the blocks whose branches decide whether control comes there.
#[derive(Debug)]
pub struct Dependence {
    on: Vec<Vec<BlockId>>,
}

impl Dependence {
    /// `may_end` says of a block whether its call may end the program.
    pub fn new(body: &Body, may_end: impl Fn(BlockId) -> bool) -> Dependence {
        let count = body.blocks.len();
        let end = count as u32;
        let mut next: Vec<Vec<u32>> = Vec::with_capacity(count + 1);
        for (id, block) in body.blocks.enumerate() {
            let mut list: Vec<u32> = block.branch.successors().iter().map(|b| b.0).collect();
            list.sort_unstable();
            list.dedup();
            if list.is_empty() || may_end(id) {
                list.push(end);
            }
            next.push(list);
        }
        next.push(Vec::new());
        leave_traps(&mut next, end);
        let after = post_dominators(&next, end);
        let mut on = vec![Vec::new(); count];
        for a in 0..count as u32 {
            if next[a as usize].len() < 2 {
                continue;
            }
            for &b in &next[a as usize] {
                let mut at = b;
                while at != after[a as usize] && at != end {
                    let list: &mut Vec<BlockId> = &mut on[at as usize];
                    let a = BlockId::new(a as usize);
                    if list.last() != Some(&a) {
                        list.push(a);
                    }
                    at = after[at as usize];
                }
            }
        }
        Dependence { on }
    }
    /// The blocks whose branches decide whether control comes to a block.
    pub fn of(&self, block: BlockId) -> &[BlockId] {
        &self.on[block.index()]
    }
}

/// Gives each part of the graph that nothing leads out of an edge to the end, from where it is
/// entered first.
fn leave_traps(next: &mut [Vec<u32>], end: u32) {
    let component = strong_components(next.len(), |n| &next[n][..]);
    let count = component.iter().max().map_or(0, |c| *c as usize + 1);
    let mut leaves = vec![false; count];
    let mut first = vec![u32::MAX; count];
    for (n, list) in next.iter().enumerate() {
        let own = component[n] as usize;
        first[own] = first[own].min(n as u32);
        leaves[own] |= list.iter().any(|t| component[*t as usize] as usize != own);
    }
    for (own, n) in first.into_iter().enumerate() {
        if !leaves[own] && n != end {
            next[n as usize].push(end);
        }
    }
}

/// The immediate post-dominator of each node (Cooper, Harvey, Kennedy 2001); that of nodes which
/// do not lead to the end is the end.
fn post_dominators(next: &[Vec<u32>], end: u32) -> Vec<u32> {
    let count = next.len();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (n, list) in next.iter().enumerate() {
        list.iter().for_each(|t| before[*t as usize].push(n as u32));
    }
    // Postorder of the reversed graph.
    let mut rank = vec![u32::MAX; count];
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    let mut work = vec![(end, 0)];
    seen[end as usize] = true;
    while let Some((n, at)) = work.pop() {
        match before[n as usize].get(at) {
            Some(&m) => {
                work.push((n, at + 1));
                if !std::mem::replace(&mut seen[m as usize], true) {
                    work.push((m, 0));
                }
            }
            None => {
                rank[n as usize] = order.len() as u32;
                order.push(n);
            }
        }
    }
    const NONE: u32 = u32::MAX;
    let mut found = vec![NONE; count];
    found[end as usize] = end;
    let mut changed = true;
    while changed {
        changed = false;
        for &n in order.iter().rev().filter(|n| **n != end) {
            let mut best = NONE;
            for &t in next[n as usize]
                .iter()
                .filter(|t| found[**t as usize] != NONE)
            {
                best = match best {
                    NONE => t,
                    mut a => {
                        let mut b = t;
                        while a != b {
                            while rank[a as usize] < rank[b as usize] {
                                a = found[a as usize];
                            }
                            while rank[b as usize] < rank[a as usize] {
                                b = found[b as usize];
                            }
                        }
                        a
                    }
                };
            }
            if best != found[n as usize] {
                found[n as usize] = best;
                changed = true;
            }
        }
    }
    found
        .into_iter()
        .map(|n| if n == NONE { end } else { n })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cwi::{Block, Branch, Expr, LocId, Types};

    /// A body with these successors.
    fn body(next: &[&[u32]]) -> Body {
        let mut body = Body::default();
        for list in next {
            let branch = match list {
                [] => Branch::Return(None),
                [a] => Branch::Goto(BlockId(*a)),
                [a, b] => Branch::If {
                    cond: Expr::int(Types::INT, 1),
                    then: BlockId(*a),
                    els: BlockId(*b),
                },
                _ => unreachable!("at most two"),
            };
            body.blocks.push(Block {
                stmts: Vec::new(),
                loc: LocId(0),
                branch,
            });
        }
        body
    }
    fn on(found: &Dependence, block: u32) -> Vec<u32> {
        found.of(BlockId(block)).iter().map(|b| b.0).collect()
    }

    #[test]
    fn both_sides_depend_on_a_branch_and_what_follows_does_not() {
        let found = Dependence::new(&body(&[&[1, 2], &[3], &[3], &[]]), |_| false);
        assert_eq!(on(&found, 1), [0]);
        assert_eq!(on(&found, 2), [0]);
        assert_eq!(on(&found, 3), []);
    }

    #[test]
    fn a_loop_depends_on_its_own_condition_and_what_follows_does_not() {
        let found = Dependence::new(&body(&[&[1], &[2, 3], &[1], &[]]), |_| false);
        assert_eq!(on(&found, 2), [1]);
        assert_eq!(on(&found, 1), [1]);
        assert_eq!(on(&found, 3), []);
    }

    #[test]
    fn what_follows_a_call_that_may_end_the_program_depends_on_it() {
        let found = Dependence::new(&body(&[&[1], &[2], &[]]), |b| b.0 == 0);
        assert_eq!(on(&found, 1), [0]);
        assert_eq!(on(&found, 2), [0]);
    }

    #[test]
    fn branches_in_an_endless_loop_count() {
        let found = Dependence::new(&body(&[&[1], &[2, 3], &[1], &[1]]), |_| false);
        assert_eq!(on(&found, 2), [1]);
        assert_eq!(on(&found, 3), [1]);
    }
}
