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
    let beside = neighbours(layers);
    for _ in 0..3 {
        straighten(layers, &beside, &mut x);
    }
    x
}

/// The left and right neighbour of each item in its rank.
fn neighbours(layers: &Layers) -> Vec<(Option<u32>, Option<u32>)> {
    let mut found = vec![(None, None); layers.items.len()];
    for rank in &layers.ranks {
        for pair in rank.windows(2) {
            found[pair[0] as usize].1 = Some(pair[1]);
            found[pair[1] as usize].0 = Some(pair[0]);
        }
    }
    found
}

/// Runs of items that follow each other with nothing else joining become vertical, as far as
/// their neighbours leave room.
fn straighten(layers: &Layers, beside: &[(Option<u32>, Option<u32>)], x: &mut [f64]) {
    let only = |list: &[u32]| if let [one] = list { Some(*one) } else { None };
    // The next item of a run: the only one below, if nothing else leads to it.
    let next = |i: u32| {
        let below = only(&layers.down[i as usize])?;
        only(&layers.up[below as usize]).map(|_| below)
    };
    let starts_run = |i: u32| match only(&layers.up[i as usize]) {
        Some(above) => next(above).is_none(),
        None => true,
    };
    for start in (0..layers.items.len() as u32).filter(|i| starts_run(*i)) {
        let mut item = Some(start);
        while let Some(first) = item {
            // As many as can share one place.
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            let mut run = Vec::new();
            while let Some(i) = item {
                let (left, right) = beside[i as usize];
                let least =
                    left.map_or(f64::NEG_INFINITY, |l| x[l as usize] + layers.distance(l, i));
                let most = right.map_or(f64::INFINITY, |r| x[r as usize] - layers.distance(i, r));
                let (least, most) = (low.max(least), high.min(most));
                if least > most && !run.is_empty() {
                    break;
                }
                (low, high) = (least, most);
                run.push(i);
                item = next(i);
            }
            let mut places: Vec<f64> = run.iter().map(|i| x[*i as usize]).collect();
            places.sort_by(f64::total_cmp);
            let mut wanted = places[places.len() / 2];
            // A short way from the run's end to where it leads is better without a bend.
            let last = run[run.len() - 1];
            let ends = [
                only(&layers.up[first as usize]),
                only(&layers.down[last as usize]),
            ];
            for end in ends.into_iter().flatten() {
                let place = x[end as usize];
                if (place - wanted).abs() < NEAR && place >= low && place <= high {
                    wanted = place;
                }
            }
            if low <= high {
                let wanted = wanted.max(low).min(high);
                run.iter().for_each(|i| x[*i as usize] = wanted);
            }
        }
    }
}

/// Bends smaller than this only look like mistakes.
const NEAR: f64 = 40.0;

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
