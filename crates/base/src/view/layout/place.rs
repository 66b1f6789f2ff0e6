//! The x of each item: near its neighbours above and below, in order, without overlap. Each
//! rank in turn is placed where its neighbours want it, which is a least-squares problem with
//! an exact and fast solution (isotonic regression).

use super::Layers;

pub(super) fn place(layers: &Layers) -> Vec<f64> {
    let mut x = vec![0.0; layers.items.len()];
    for rank in &layers.ranks {
        let mut at = 0.0;
        for (n, &item) in rank.iter().enumerate() {
            if n > 0 {
                at += layers.distance(rank[n - 1], item);
            }
            x[item as usize] = at;
        }
        // Centred around 0.
        rank.iter().for_each(|i| x[*i as usize] -= at / 2.0);
    }
    let sweeps = if layers.items.len() > 20_000 { 8 } else { 40 };
    let count = layers.ranks.len();
    for sweep in 0..sweeps {
        let last = sweep + 4 >= sweeps;
        let (up, down) = match (last, sweep % 2) {
            (true, _) => (true, true),
            (false, 0) => (true, false),
            (false, _) => (false, true),
        };
        for n in 0..count {
            let rank = if sweep % 2 == 0 { n } else { count - 1 - n };
            place_rank(layers, &mut x, rank, up, down);
        }
    }
    x
}

/// Long edges should be straight: their inner pieces pull hardest.
fn pull(layers: &Layers, a: u32, b: u32) -> f64 {
    match (
        layers.items[a as usize].piece,
        layers.items[b as usize].piece,
    ) {
        (true, true) => 16.0,
        (false, false) => 2.0,
        _ => 1.0,
    }
}

fn place_rank(layers: &Layers, x: &mut [f64], rank: usize, up: bool, down: bool) {
    let list = &layers.ranks[rank];
    let mut wanted: Vec<(f64, f64)> = Vec::with_capacity(list.len());
    for &item in list {
        let i = item as usize;
        let above = layers.up[i].iter().filter(|_| up);
        let below = layers.down[i].iter().filter(|_| down);
        let (mut sum, mut weight) = (0.0, 0.0);
        for &other in above.chain(below) {
            let w = pull(layers, item, other);
            sum += w * x[other as usize];
            weight += w;
        }
        // Items that nothing pulls stay, unless others push.
        wanted.push(match weight > 0.0 {
            true => (sum / weight, weight),
            false => (x[i], 0.01),
        });
    }
    let mut offsets = Vec::with_capacity(list.len());
    let mut offset = 0.0;
    for (n, &item) in list.iter().enumerate() {
        if n > 0 {
            offset += layers.distance(list[n - 1], item);
        }
        offsets.push(offset);
    }
    // Without the smallest distances the places only have to rise: pool what falls.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for ((want, weight), offset) in wanted.into_iter().zip(&offsets) {
        let mut pool = (want - offset, weight, 1);
        while let Some(&(value, w, count)) = pools.last() {
            if value < pool.0 {
                break;
            }
            let sum = w + pool.1;
            pool = ((value * w + pool.0 * pool.1) / sum, sum, count + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    let places = pools.iter().flat_map(|p| std::iter::repeat_n(p.0, p.2));
    for ((place, offset), &item) in places.zip(&offsets).zip(list) {
        x[item as usize] = place + offset;
    }
}
