//! Which rank each node is on, and which edges go upwards.

use super::Input;

pub(super) struct Ranked {
    pub rank: Vec<usize>,
    /// Edges that are laid out the other way round, so that there is no circle.
    pub reversed: Vec<bool>,
    /// How many ranks an edge spans at least: two where labels need a rank of their own.
    pub step: usize,
}

pub(super) fn rank(input: &Input) -> Ranked {
    let count = input.sizes.len();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut entered = vec![0usize; count];
    let mut touched = vec![false; count];
    for (n, edge) in input.edges.iter().enumerate() {
        if edge.from != edge.to {
            out[edge.from].push(n);
            entered[edge.to] += 1;
            touched[edge.from] = true;
            touched[edge.to] = true;
        }
    }
    let step = if input.edges.iter().any(|e| e.label.is_some()) {
        2
    } else {
        1
    };

    // Depth first; an edge to a node that is still open closes a circle.
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; count];
    let mut reversed = vec![false; input.edges.len()];
    let mut finished = Vec::new();
    let first = (0..count).filter(|n| entered[*n] == 0);
    for root in first.chain(0..count) {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            if let Some(&edge) = out[*node].get(*next) {
                *next += 1;
                let to = input.edges[edge].to;
                match state[to] {
                    State::New => {
                        state[to] = State::Open;
                        path.push((to, 0));
                    }
                    State::Open => reversed[edge] = true,
                    State::Done => {}
                }
            } else {
                state[*node] = State::Done;
                finished.push(*node);
                path.pop();
            }
        }
    }
    finished.reverse();
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (n, edge) in input
        .edges
        .iter()
        .enumerate()
        .filter(|(_, e)| e.from != e.to)
    {
        let (from, to) = if reversed[n] {
            (edge.to, edge.from)
        } else {
            (edge.from, edge.to)
        };
        above[to].push(from);
        below[from].push(to);
    }
    let mut rank = vec![0usize; count];
    for &node in &finished {
        let highest = above[node].iter().map(|a| rank[*a] + step).max();
        rank[node] = highest.unwrap_or(0);
    }
    // A node with more edges below than above moves down to them: edges get shorter.
    for _ in 0..2 {
        for &node in finished.iter().rev() {
            if below[node].len() > above[node].len()
                && let Some(lowest) = below[node].iter().map(|b| rank[*b]).min()
            {
                rank[node] = lowest - step;
            }
        }
    }
    let top = (0..count)
        .filter(|n| touched[*n])
        .map(|n| rank[n])
        .min()
        .unwrap_or(0);
    rank.iter_mut().for_each(|r| *r = r.saturating_sub(top));

    // Nodes without edges would make one endless row: put them in a square below.
    let lonely: Vec<usize> = (0..count).filter(|n| !touched[*n]).collect();
    let bottom = (0..count)
        .filter(|n| touched[*n])
        .map(|n| rank[n] + step)
        .max()
        .unwrap_or(0);
    let columns = (lonely.len() as f64).sqrt().ceil().max(1.0) as usize;
    for (n, node) in lonely.into_iter().enumerate() {
        rank[node] = bottom + n / columns;
    }
    Ranked {
        rank,
        reversed,
        step,
    }
}
