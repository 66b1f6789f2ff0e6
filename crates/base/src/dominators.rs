//! Orders and dominators of flow graphs, without recursion.

use crate::{Idx, IndexVec};

/// The nodes that `root` leads to, predecessors before successors where no circle forbids it, and
/// the first of two successors before the second.
pub fn reverse_postorder<I: Idx>(root: I, successors: &IndexVec<I, Vec<I>>) -> Vec<I> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    seen[root.index()] = true;
    // The last successor first, so that the reverse has the first one first.
    let mut path = vec![(root, successors[root].len())];
    while let Some((node, left)) = path.last_mut() {
        if *left == 0 {
            order.push(*node);
            path.pop();
            continue;
        }
        *left -= 1;
        let to = successors[*node][*left];
        if !std::mem::replace(&mut seen[to.index()], true) {
            path.push((to, successors[to].len()));
        }
    }
    order.reverse();
    order
}

/// The immediate dominator of each node of `order`, which is a reverse postorder; the first node's
/// is itself. Nodes that are not in `order` have none. Cooper, Harvey and Kennedy's iteration.
pub fn dominators<I: Idx>(
    order: &[I],
    predecessors: &IndexVec<I, Vec<I>>,
) -> IndexVec<I, Option<I>> {
    let mut rank = vec![usize::MAX; predecessors.len()];
    for (n, node) in order.iter().enumerate() {
        rank[node.index()] = n;
    }
    let mut above: IndexVec<I, Option<I>> = predecessors.iter().map(|_| None).collect();
    let Some((&root, rest)) = order.split_first() else {
        return above;
    };
    above[root] = Some(root);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &node in rest {
            let mut new: Option<I> = None;
            for &p in predecessors[node].iter().filter(|p| above[**p].is_some()) {
                new = Some(new.map_or(p, |q| common(&rank, &above, p, q)));
            }
            changed |= new != above[node];
            above[node] = new;
        }
    }
    above
}

/// The lowest node above or at both of two.
fn common<I: Idx>(rank: &[usize], above: &IndexVec<I, Option<I>>, mut a: I, mut b: I) -> I {
    let up = |n: I| above[n].expect("above a node with a dominator");
    while a != b {
        match rank[a.index()] > rank[b.index()] {
            true => a = up(a),
            false => b = up(b),
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::index! {
        /// A node.
        N
    }

    #[test]
    fn a_loop_with_two_ways_out() {
        // 0 → 1 ⇄ 2 → 3, 1 → 3; 4 is not reached and leads to 3.
        let edges = [vec![1], vec![2, 3], vec![1, 3], vec![], vec![3]];
        let list = |l: &Vec<u32>| l.iter().map(|n| N(*n)).collect();
        let successors: IndexVec<N, Vec<N>> = edges.iter().map(list).collect();
        let mut predecessors: IndexVec<N, Vec<N>> = edges.iter().map(|_| Vec::new()).collect();
        for (from, list) in successors.enumerate() {
            list.iter().for_each(|to| predecessors[*to].push(from));
        }
        let order = reverse_postorder(N(0), &successors);
        assert_eq!(order, [N(0), N(1), N(2), N(3)]);
        let above = dominators(&order, &predecessors);
        let expected = [Some(N(0)), Some(N(0)), Some(N(1)), Some(N(1)), None];
        assert_eq!(above.iter().copied().collect::<Vec<_>>(), expected);
    }
}
