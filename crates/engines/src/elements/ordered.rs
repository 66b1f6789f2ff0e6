//! Guesses that elements are in order: for any two indices, the first before the second and both in some range, the first
//! element is not larger (or not smaller) than the second.

use super::guess::{Effort, bounds, push, spread};
use crate::candidates::{choices, roots};
use crate::graph::Graph;
use cwolf_logic::{BinOp, Node, Term, Terms};

/// So many bounds at one cut: ranges are made of three.
const BOUNDS: usize = 7;
/// So many ways to order.
const ORDERS: usize = 4;

/// Guesses for each cut, about elements at `every` index and at any other.
pub(super) fn guesses(graph: &mut Graph<'_>, every: Term) -> Vec<Vec<Term>> {
    let other = graph.quantify_pairs();
    let orders = orders(graph, every, other);
    let cuts = 0..graph.cuts.len();
    if orders.is_empty() {
        return cuts.map(|_| Vec::new()).collect();
    }
    let mut own: Vec<Vec<Term>> = cuts
        .clone()
        .map(|c| bounds(graph, c, Effort::Plain))
        .collect();
    for (cut, here) in own.iter_mut().enumerate() {
        let starts = starts(graph, cut, here);
        here.splice(0..0, starts);
    }
    let at_cut = |cut| {
        let mut bounds = spread(graph, cut, &own);
        bounds.retain(|b| graph.terms().as_bv(*b).is_none());
        bounds.truncate(BOUNDS);
        let ranges = ranges(graph.terms(), every, other, &bounds);
        let mut found = Vec::new();
        for &order in &orders {
            for &range in &ranges {
                let t = graph.terms().implies(range, order);
                let t = graph.with_pins(cut, t);
                push(&mut found, t);
            }
        }
        found
    };
    cuts.map(at_cut).collect()
}

/// The arrays of which the program compares two elements, in either order.
fn orders(graph: &mut Graph<'_>, every: Term, other: Term) -> Vec<Term> {
    let mut found = Vec::new();
    for region in 0..graph.regions.len() {
        let roots = roots(graph, region);
        for atom in graph.atoms(&roots) {
            let Node::Bin(op @ (BinOp::Slt | BinOp::Ult), a, b) = graph.terms().node(atom) else {
                continue;
            };
            let (left, right) = (arrays_of(graph, a), arrays_of(graph, b));
            for array in left.into_iter().filter(|array| right.contains(array)) {
                let terms = graph.terms();
                let (first, second) = (terms.select(array, every), terms.select(array, other));
                for (x, y) in [(first, second), (second, first)] {
                    let t = match op {
                        BinOp::Slt => graph.terms().sle(x, y),
                        _ => graph.terms().ule(x, y),
                    };
                    push(&mut found, t);
                }
            }
        }
    }
    found.truncate(ORDERS);
    found
}

/// The arrays that a number was read from, just now or when the loop came to its head.
fn arrays_of(graph: &mut Graph<'_>, number: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut values = choices(graph.terms(), number);
    for t in values.clone() {
        if let Some(cell) = graph.encoder.cell_of(t) {
            for edge in graph.edges.clone() {
                let t = graph.at_end(edge, cell);
                values.extend(choices(graph.terms(), t));
            }
        }
    }
    for t in values {
        if let Node::Bin(BinOp::Select, array, _) = graph.terms().node(t)
            && graph.encoder.cell_of(array).is_some()
        {
            push(&mut found, array);
        }
    }
    found
}

/// What indices are when control first comes to a cut, in terms of what stays.
fn starts(graph: &mut Graph<'_>, cut: usize, own: &[Term]) -> Vec<Term> {
    let mut found = Vec::new();
    for edge in graph.edges_into(cut) {
        for &t in own {
            let t = graph.before(edge, t);
            if graph.is_about_state(t) && graph.terms().as_bv(t).is_none() {
                push(&mut found, t);
            }
        }
    }
    found.truncate(BOUNDS);
    found
}

/// Two indices in order: the first below a bound or anywhere, the second at a bound, or between two.
fn ranges(terms: &mut Terms, every: Term, other: Term, bounds: &[Term]) -> Vec<Term> {
    let before = terms.ult(every, other);
    let mut firsts = vec![before];
    let mut seconds = Vec::new();
    for &b in bounds {
        let below = terms.ult(every, b);
        firsts.push(terms.and(before, below));
        seconds.push(terms.eq(other, b));
        let below = terms.ult(other, b);
        seconds.push(below);
        for &from in bounds {
            let from = terms.ule(from, other);
            seconds.push(terms.and(from, below));
        }
    }
    let mut found = Vec::new();
    for &first in &firsts {
        for &second in &seconds {
            let t = terms.and(first, second);
            push(&mut found, t);
        }
    }
    found
}
