//! The order of the items in each rank: few crossings, by medians.

use super::Layers;

pub(super) fn order(layers: &mut Layers) {
    let mut position = initial(layers);
    let large = layers.items.len() > 20_000;
    let sweeps = if large { 6 } else { 24 };
    let mut best = (crossings(layers, &position), layers.ranks.clone());
    let mut idle = 0;
    for sweep in 0..sweeps {
        if best.0 == 0 || idle > 6 {
            break;
        }
        let downward = sweep % 2 == 0;
        let count = layers.ranks.len();
        for n in 1..count {
            let rank = if downward { n } else { count - 1 - n };
            sort_rank(layers, &mut position, rank, downward);
        }
        if !large {
            transpose(layers, &mut position);
        }
        let found = crossings(layers, &position);
        idle += 1;
        if found < best.0 {
            best = (found, layers.ranks.clone());
            idle = 0;
        }
    }
    layers.ranks = best.1;
}

/// Items in the order of a walk from the top, so that what belongs together starts together.
fn initial(layers: &mut Layers) -> Vec<u32> {
    let count = layers.items.len();
    let mut position = vec![u32::MAX; count];
    let mut starts: Vec<usize> = (0..count).collect();
    starts.sort_by_key(|n| layers.items[*n].rank);
    let mut seen = vec![false; count];
    for start in starts {
        let mut work = vec![start as u32];
        while let Some(item) = work.pop() {
            let i = item as usize;
            if std::mem::replace(&mut seen[i], true) {
                continue;
            }
            let rank = &mut layers.ranks[layers.items[i].rank];
            position[i] = rank.len() as u32;
            rank.push(item);
            work.extend(layers.down[i].iter().rev());
        }
    }
    position
}

/// Sorts a rank by the medians of the neighbours in the rank before it. Items without such
/// neighbours stay where they are.
fn sort_rank(layers: &mut Layers, position: &mut [u32], rank: usize, downward: bool) {
    let neighbours = if downward { &layers.up } else { &layers.down };
    let list = std::mem::take(&mut layers.ranks[rank]);
    let mut places: Vec<u32> = Vec::new();
    let mut keyed: Vec<(f64, u32)> = Vec::new();
    let mut fixed: Vec<Option<u32>> = vec![None; list.len()];
    for (n, &item) in list.iter().enumerate() {
        places.clear();
        places.extend(
            neighbours[item as usize]
                .iter()
                .map(|j| position[*j as usize]),
        );
        if places.is_empty() {
            fixed[n] = Some(item);
            continue;
        }
        places.sort_unstable();
        let middle = places.len() / 2;
        let median = match places.len() % 2 {
            1 => f64::from(places[middle]),
            _ => f64::from(places[middle - 1] + places[middle]) / 2.0,
        };
        keyed.push((median, item));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut sorted = keyed.into_iter().map(|k| k.1);
    let list: Vec<u32> = fixed
        .into_iter()
        .map(|f| f.or_else(|| sorted.next()).expect("as many as before"))
        .collect();
    for (n, item) in list.iter().enumerate() {
        position[*item as usize] = n as u32;
    }
    layers.ranks[rank] = list;
}

/// Swaps neighbours while that removes crossings.
fn transpose(layers: &mut Layers, position: &mut [u32]) {
    let inversions = |a: &[u32], b: &[u32], position: &[u32]| -> i64 {
        // How many pairs cross if the owner of `a` is left of that of `b`, less if right.
        let mut sum = 0;
        for x in a {
            for y in b {
                let (x, y) = (position[*x as usize], position[*y as usize]);
                sum += i64::from(x > y) - i64::from(x < y);
            }
        }
        sum
    };
    for _ in 0..4 {
        let mut improved = false;
        for rank in 0..layers.ranks.len() {
            for n in 1..layers.ranks[rank].len() {
                let (a, b) = (layers.ranks[rank][n - 1], layers.ranks[rank][n]);
                let (i, j) = (a as usize, b as usize);
                let size = layers.up[i].len() * layers.up[j].len()
                    + layers.down[i].len() * layers.down[j].len();
                if size > 2_000 {
                    continue;
                }
                let gain = inversions(&layers.up[i], &layers.up[j], position)
                    + inversions(&layers.down[i], &layers.down[j], position);
                if gain > 0 {
                    layers.ranks[rank].swap(n - 1, n);
                    position.swap(i, j);
                    improved = true;
                }
            }
        }
        if !improved {
            return;
        }
    }
}

/// How many links cross, counted with a tree of sums.
fn crossings(layers: &Layers, position: &[u32]) -> u64 {
    let mut total = 0;
    let mut ends: Vec<u32> = Vec::new();
    for rank in 0..layers.ranks.len().saturating_sub(1) {
        let width = layers.ranks[rank + 1].len();
        let mut tree = vec![0u64; width + 1];
        let mut passed = 0;
        for &item in &layers.ranks[rank] {
            ends.clear();
            ends.extend(
                layers.down[item as usize]
                    .iter()
                    .map(|j| position[*j as usize]),
            );
            ends.sort_unstable();
            for &end in &ends {
                // Links that came before and end further right cross this one.
                let (mut n, mut left) = (end as usize + 1, 0);
                while n > 0 {
                    left += tree[n];
                    n &= n - 1;
                }
                total += passed - left;
            }
            for &end in &ends {
                let mut n = end as usize + 1;
                while n <= width {
                    tree[n] += 1;
                    n += n & n.wrapping_neg();
                }
                passed += 1;
            }
        }
    }
    total
}
