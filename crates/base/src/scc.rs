//! Strongly connected components, without recursion.

/// The component of each of `count` nodes. Components are numbered so that edges between them
/// go to smaller numbers (callees before callers). Tarjan's algorithm.
pub fn strong_components<'g, I>(count: usize, successors: impl Fn(usize) -> I) -> Vec<u32>
where
    I: IntoIterator<Item = &'g u32>,
{
    const NONE: u32 = u32::MAX;
    let mut component = vec![NONE; count];
    let mut order = vec![NONE; count];
    let mut low = vec![0u32; count];
    let (mut next_order, mut next_component) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        let mut path = vec![(root, successors(root).into_iter())];
        (order[root], low[root]) = (next_order, next_order);
        next_order += 1;
        open.push(root as u32);
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            if let Some(&to) = rest.next() {
                let to = to as usize;
                if order[to] == NONE {
                    (order[to], low[to]) = (next_order, next_order);
                    next_order += 1;
                    open.push(to as u32);
                    path.push((to, successors(to).into_iter()));
                } else if component[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member as usize] = next_component;
                    if member as usize == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_callees_first() {
        let edges: [&[u32]; 5] = [&[1], &[2], &[1, 3], &[], &[4, 0]];
        let found = strong_components(5, |n| edges[n]);
        assert_eq!(found, [2, 1, 1, 0, 3]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let next: Vec<[u32; 1]> = (0..200_000).map(|n| [(n + 1) % 200_000]).collect();
        let found = strong_components(next.len(), |n| &next[n]);
        assert!(found.iter().all(|c| *c == 0));
    }
}
