//! A layered layout after Sugiyama: break circles, give each node a rank, cut long edges into
//! pieces of one rank, order the ranks so that few edges cross, then choose coordinates.
//! Knows sizes only; [`super::svg`] draws.

mod order;
mod place;
mod rank;

/// What is to be laid out.
pub(super) struct Input {
    /// Width and height of each node.
    pub sizes: Vec<(f64, f64)>,
    /// Room that each node needs to its right, for loops to itself.
    pub right: Vec<f64>,
    pub edges: Vec<InputEdge>,
}

pub(super) struct InputEdge {
    pub from: usize,
    pub to: usize,
    /// Width and height of the label, if it has one.
    pub label: Option<(f64, f64)>,
}

/// Where everything is.
pub(super) struct Layout {
    pub width: f64,
    pub height: f64,
    /// Centres of the nodes.
    pub nodes: Vec<(f64, f64)>,
    /// Routes of the edges, in the order given; loops have none.
    pub edges: Vec<Option<Route>>,
}

/// The way of an edge, from top to bottom.
pub(super) struct Route {
    /// Whether the edge really goes from bottom to top.
    pub reversed: bool,
    /// Where it crosses each rank on its way: x, and the top and bottom of the rank. The first
    /// and last are its ends.
    pub points: Vec<(f64, f64, f64)>,
    /// The centre of its label.
    pub label: Option<(f64, f64)>,
}

/// A node, or a piece of an edge where it crosses a rank.
pub(super) struct Item {
    rank: usize,
    left: f64,
    right: f64,
    height: f64,
    /// Whether it is a piece of an edge.
    piece: bool,
}

/// The graph cut into pieces: every link goes from a rank to the next.
pub(super) struct Layers {
    items: Vec<Item>,
    /// Items above and below each item.
    up: Vec<Vec<u32>>,
    down: Vec<Vec<u32>>,
    /// Items of each rank, from left to right.
    ranks: Vec<Vec<u32>>,
}

/// Free space between neighbours in a rank.
const GAP: f64 = 22.0;
/// Free space between edges that pass side by side.
const EDGE_GAP: f64 = 10.0;
/// More pieces of edges than this cost too much time: the longest edges are drawn straight.
const MAX_PIECES: usize = 300_000;

impl Layers {
    /// The smallest distance between the centres of two neighbours.
    fn distance(&self, left: u32, right: u32) -> f64 {
        let (a, b) = (&self.items[left as usize], &self.items[right as usize]);
        let gap = if a.piece && b.piece { EDGE_GAP } else { GAP };
        a.right + b.left + gap
    }
}

/// Lays out a graph.
pub(super) fn layout(input: &Input) -> Layout {
    let ranked = rank::rank(input);
    let (mut layers, chains) = cut(input, &ranked);
    order::order(&mut layers);
    let x = place::place(&layers);
    finish(input, &ranked, &layers, &chains, &x)
}

/// The items that an edge goes through, its ends included; only the ends if it is drawn straight.
type Chain = Vec<u32>;

fn cut(input: &Input, ranked: &rank::Ranked) -> (Layers, Vec<Option<Chain>>) {
    let mut items: Vec<Item> = Vec::new();
    for (n, (width, height)) in input.sizes.iter().enumerate() {
        items.push(Item {
            rank: ranked.rank[n],
            left: width / 2.0,
            right: width / 2.0 + input.right[n],
            height: *height,
            piece: false,
        });
    }
    // The shortest edges get pieces first, as long as there are some left.
    let ends = |e: &InputEdge, n: usize| match ranked.reversed[n] {
        true => (e.to, e.from),
        false => (e.from, e.to),
    };
    let span = |n: usize| {
        let (a, b) = ends(&input.edges[n], n);
        ranked.rank[b].saturating_sub(ranked.rank[a])
    };
    let mut by_span: Vec<usize> = (0..input.edges.len()).collect();
    by_span.sort_by_key(|n| span(*n));
    let mut straight = vec![false; input.edges.len()];
    let mut pieces = 0;
    for n in by_span {
        pieces += span(n);
        straight[n] = pieces > MAX_PIECES;
    }
    let mut links: Vec<(u32, u32)> = Vec::new();
    let mut chains = Vec::new();
    for (n, edge) in input.edges.iter().enumerate() {
        let (from, to) = ends(edge, n);
        if from == to {
            chains.push(None);
            continue;
        }
        let mut chain = vec![from as u32];
        if !straight[n] {
            let inner = ranked.rank[from] + 1..ranked.rank[to];
            // The label stands near the end that the edge leaves.
            let labelled = if ranked.reversed[n] {
                inner.end.saturating_sub(1)
            } else {
                inner.start
            };
            for rank in inner {
                let (width, height) = edge
                    .label
                    .filter(|_| rank == labelled)
                    .unwrap_or((0.0, 0.0));
                chain.push(items.len() as u32);
                let half = width / 2.0;
                items.push(Item {
                    rank,
                    left: half,
                    right: half,
                    height,
                    piece: true,
                });
            }
        }
        chain.push(to as u32);
        if !straight[n] {
            links.extend(chain.windows(2).map(|w| (w[0], w[1])));
        }
        chains.push(Some(chain));
    }
    let count = items.iter().map(|i| i.rank + 1).max().unwrap_or(0);
    let mut layers = Layers {
        up: vec![Vec::new(); items.len()],
        down: vec![Vec::new(); items.len()],
        ranks: vec![Vec::new(); count],
        items,
    };
    for (a, b) in links {
        layers.down[a as usize].push(b);
        layers.up[b as usize].push(a);
    }
    (layers, chains)
}

fn finish(
    input: &Input,
    ranked: &rank::Ranked,
    layers: &Layers,
    chains: &[Option<Chain>],
    x: &[f64],
) -> Layout {
    let margin = 20.0;
    let items = layers.items.iter().zip(x);
    let least = items
        .clone()
        .map(|(i, x)| x - i.left)
        .fold(f64::INFINITY, f64::min);
    let most = items
        .map(|(i, x)| x + i.right)
        .fold(f64::NEG_INFINITY, f64::max);
    let (least, most) = if layers.items.is_empty() {
        (0.0, 0.0)
    } else {
        (least, most)
    };
    let shift = margin - least;

    // Ranks with steep edges between them get more room.
    let mut tops = Vec::new();
    let mut y = margin;
    for (n, rank) in layers.ranks.iter().enumerate() {
        let height = rank
            .iter()
            .map(|i| layers.items[*i as usize].height)
            .fold(0.0, f64::max);
        tops.push((y, y + height));
        let reach = rank.iter().flat_map(|i| {
            let below = layers.down[*i as usize].iter();
            below.map(|j| (x[*i as usize] - x[*j as usize]).abs())
        });
        let reach = reach.fold(0.0, f64::max);
        let base = if ranked.step == 2 { 14.0 } else { 32.0 };
        y += height + (base + reach * 0.06).min(base + 60.0);
        if n + 1 == layers.ranks.len() {
            y = tops[n].1;
        }
    }
    let centre = |i: u32| {
        let (top, bottom) = tops[layers.items[i as usize].rank];
        (x[i as usize] + shift, (top + bottom) / 2.0)
    };
    let nodes: Vec<(f64, f64)> = (0..input.sizes.len()).map(|n| centre(n as u32)).collect();
    let mut routes: Vec<Option<Route>> = Vec::new();
    for (n, chain) in chains.iter().enumerate() {
        routes.push(chain.as_ref().map(|chain| {
            let points = chain.iter().map(|i| {
                let (top, bottom) = tops[layers.items[*i as usize].rank];
                (x[*i as usize] + shift, top, bottom)
            });
            let label = chain[1..chain.len() - 1]
                .iter()
                .find(|i| layers.items[**i as usize].height > 0.0);
            Route {
                reversed: ranked.reversed[n],
                points: points.collect(),
                label: label.map(|i| centre(*i)),
            }
        }));
    }
    spread_ports(input, chains, &nodes, &mut routes);
    Layout {
        width: most - least + 2.0 * margin,
        height: y + margin,
        nodes,
        edges: routes,
    }
}

/// Spreads the ends of edges over the upper and lower side of their nodes, in the order in
/// which they come, so that they do not all meet in one point.
fn spread_ports(
    input: &Input,
    chains: &[Option<Chain>],
    nodes: &[(f64, f64)],
    routes: &mut [Option<Route>],
) {
    // For each node and side: the edge, and the x that it comes from.
    let mut ends: Vec<[Vec<(f64, usize)>; 2]> = vec![Default::default(); nodes.len()];
    for (n, chain) in chains.iter().enumerate() {
        let (Some(chain), Some(route)) = (chain, &routes[n]) else {
            continue;
        };
        let last = chain.len() - 1;
        ends[chain[0] as usize][1].push((route.points[1].0, n));
        ends[chain[last] as usize][0].push((route.points[last - 1].0, n));
    }
    for (node, sides) in ends.iter_mut().enumerate() {
        let (x, _) = nodes[node];
        let width = input.sizes[node].0;
        for (below, side) in sides.iter_mut().enumerate() {
            side.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let count = side.len() as f64;
            let room = (width * 0.7).min(18.0 * (count - 1.0).max(0.0));
            for (n, (_, edge)) in side.iter().enumerate() {
                let part = if count > 1.0 {
                    n as f64 / (count - 1.0) - 0.5
                } else {
                    0.0
                };
                let route = routes[*edge].as_mut().expect("it has a route");
                let last = route.points.len() - 1;
                route.points[if below == 1 { 0 } else { last }].0 = x + part * room;
            }
        }
    }
}
