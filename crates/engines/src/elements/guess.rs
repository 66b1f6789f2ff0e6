//! Guesses at facts about all elements: `lo <= every < hi` implies a comparison of elements at `every`. Comparisons
//! are those of the program and what it writes, bounds the indices that loops use and what these are compared with.

use super::ordered;
use crate::candidates::{alternatives, choices, roots};
use crate::graph::Graph;
use cwolf_logic::{BinOp, Node, Sort, Substitution, Term, Terms};
use rustc_hash::FxHashSet;

/// So many comparisons are tried.
const LITERALS: usize = 48;
/// So many bounds at one cut.
const BOUNDS: usize = 12;
/// So many guesses at one cut that one of two comparisons holds.
const PAIRS: usize = 4000;

/// How much is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// A comparison of all elements, and constants where the program writes them: the end of a string.
    Whole,
    /// One comparison, between bounds as the program has them.
    Plain,
    /// Elements are in order.
    Ordered,
    /// Also between bounds one further.
    Further,
    /// One of two comparisons holds.
    Pairs,
}

impl Effort {
    pub(super) const ALL: [Effort; 5] = [
        Effort::Whole,
        Effort::Ordered,
        Effort::Plain,
        Effort::Further,
        Effort::Pairs,
    ];
}

/// Guesses for each cut.
pub(super) fn guesses(graph: &mut Graph<'_>, every: Term, effort: Effort) -> Vec<Vec<Term>> {
    if effort == Effort::Ordered {
        return ordered::guesses(graph, every);
    }
    let literals = literals(graph, every);
    if effort == Effort::Whole {
        return whole(graph, every, &literals);
    }
    let mut own: Vec<Vec<Term>> = Vec::new();
    for cut in 0..graph.cuts.len() {
        own.push(bounds(graph, cut, effort));
    }
    let mut all = Vec::new();
    for cut in 0..graph.cuts.len() {
        let bounds = spread(graph, cut, &own);
        all.push(at_cut(graph, cut, every, &literals, &bounds, effort));
    }
    all
}

/// Comparisons of all elements, and of single ones with the constants that are written there.
fn whole(graph: &mut Graph<'_>, every: Term, literals: &[Literal]) -> Vec<Vec<Term>> {
    let mut found: Vec<Term> = literals.iter().map(|l| l.term).collect();
    for region in 0..graph.regions.len() {
        for write in written(graph, region) {
            if graph.terms().as_bv(write.value).is_some() && graph.is_about_state(write.index) {
                let terms = graph.terms();
                let element = terms.select(write.array, every);
                let (here, same) = (terms.eq(every, write.index), terms.eq(element, write.value));
                let t = terms.implies(here, same);
                push(&mut found, t);
            }
        }
    }
    let cuts = 0..graph.cuts.len();
    cuts.map(|cut| {
        let mut here = Vec::new();
        for &t in &found {
            let t = graph.with_pins(cut, t);
            push(&mut here, t);
        }
        here
    })
    .collect()
}

fn at_cut(
    graph: &mut Graph<'_>,
    cut: usize,
    every: Term,
    literals: &[Literal],
    bounds: &[Term],
    effort: Effort,
) -> Vec<Term> {
    let mut known = FxHashSet::default();
    let mut guesses = Vec::new();
    let mut add = |graph: &mut Graph<'_>, guard: Term, t: Term| {
        let t = graph.encoder.terms.implies(guard, t);
        let t = graph.with_pins(cut, t);
        if t != Terms::TRUE && t != Terms::FALSE && known.insert(t) {
            guesses.push(t);
        }
    };
    let ranges = ranges(graph.terms(), every, bounds);
    if effort != Effort::Pairs {
        for literal in literals {
            for &range in &ranges {
                add(graph, range, literal.term);
            }
        }
        return guesses;
    }
    let mut left = PAIRS / ranges.len();
    for (n, a) in literals.iter().enumerate() {
        for b in literals[n + 1..].iter().filter(|b| b.origin != a.origin) {
            if left == 0 {
                return guesses;
            }
            left -= 1;
            let either = graph.terms().or(a.term, b.term);
            for &range in &ranges {
                add(graph, range, either);
            }
        }
    }
    guesses
}

/// Which elements facts are about: all, those below or from a bound on, those between two, and single ones.
fn ranges(terms: &mut Terms, every: Term, bounds: &[Term]) -> Vec<Term> {
    let mut found = vec![Terms::TRUE];
    for &b in bounds {
        let below = terms.ult(every, b);
        let from = terms.not(below);
        let same = terms.eq(every, b);
        found.extend([below, from, same]);
        // Not a length but, say, an error.
        let zero = terms.bv(32, 0);
        let positive = terms.sle(zero, b);
        found.push(terms.and(below, positive));
    }
    for &lo in bounds {
        for &hi in bounds {
            if !is_empty(terms, lo, hi) {
                let from = terms.ule(lo, every);
                let below = terms.ult(every, hi);
                found.push(terms.and(from, below));
            }
        }
    }
    found.retain(|t| *t != Terms::FALSE);
    let mut seen = FxHashSet::default();
    found.retain(|t| seen.insert(*t));
    found
}

/// Whether a range is plainly empty: its end is its start, or a little before.
fn is_empty(terms: &mut Terms, lo: Term, hi: Term) -> bool {
    let length = terms.sub(hi, lo);
    terms.as_signed(length).is_some_and(|n| n <= 0)
}

/// A comparison of elements.
struct Literal {
    term: Term,
    /// The comparison that it comes from.
    origin: Term,
}

/// Comparisons of elements of the program, at `every` index.
fn literals(graph: &mut Graph<'_>, every: Term) -> Vec<Literal> {
    let mut found: Vec<Literal> = Vec::new();
    let mut add = |origin: Term, term: Term| {
        let plain = term == Terms::TRUE || term == Terms::FALSE;
        if !plain && found.iter().all(|l| l.term != term) {
            found.push(Literal { term, origin });
        }
    };
    for region in 0..graph.regions.len() {
        for write in written(graph, region) {
            let terms = graph.terms();
            let element = terms.select(write.array, write.index);
            let t = terms.eq(element, write.value);
            for t in generalised(graph, every, t, &[write.index]) {
                add(t, t);
            }
        }
    }
    for region in 0..graph.regions.len() {
        let roots = roots(graph, region);
        for atom in graph.atoms(&roots) {
            for atom in alternatives(graph.terms(), atom) {
                let indices = read_at(&graph.encoder.terms, atom);
                if indices.is_empty() {
                    continue;
                }
                for t in generalised(graph, every, atom, &indices) {
                    for relative in relatives(graph.terms(), t) {
                        add(t, relative);
                    }
                }
            }
        }
    }
    for region in 0..graph.regions.len() {
        for t in known_of_written(graph, every, region) {
            add(t, t);
        }
    }
    found.truncate(LITERALS);
    found
}

pub(super) fn push(list: &mut Vec<Term>, t: Term) {
    if t != Terms::TRUE && t != Terms::FALSE && !list.contains(&t) {
        list.push(t);
    }
}

/// A write to an element of an array.
struct Write {
    /// What stands for the array where a region starts.
    array: Term,
    index: Term,
    value: Term,
}

/// What a region writes to arrays.
fn written(graph: &mut Graph<'_>, region: usize) -> Vec<Write> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let exits = &graph.regions[region].exits;
    let mut work = Vec::new();
    for exit in exits {
        let arrays = exit.state.cells();
        work.extend(arrays.filter(|(c, _)| {
            matches!(graph.encoder.cell_sort(*c), Sort::Array { .. })
                && !graph.encoder.is_pointer(*c)
        }));
    }
    while let Some((cell, t)) = work.pop() {
        if !seen.insert((cell, t)) {
            continue;
        }
        match graph.terms().node(t) {
            Node::Ite(_, a, b) => work.extend([(cell, a), (cell, b)]),
            Node::Store(below, index, value) => {
                work.push((cell, below));
                let array = graph.encoder.constant_of(cell);
                for value in choices(graph.terms(), value) {
                    found.push(Write {
                        array,
                        index,
                        value,
                    });
                }
            }
            _ => {}
        }
    }
    found
}

/// What a region tests of a value before it writes it, and how a number that it computes lies to the index where it is written.
fn known_of_written(graph: &mut Graph<'_>, every: Term, region: usize) -> Vec<Term> {
    let roots = roots(graph, region);
    let atoms = graph.atoms(&roots);
    let mut found = Vec::new();
    for write in written(graph, region) {
        if graph.terms().as_bv(write.value).is_some() {
            continue;
        }
        let element = graph.terms().select(write.array, every);
        if graph.is_about_state(write.value) {
            for t in beside_index(graph.terms(), element, every) {
                push(&mut found, t);
            }
            continue;
        }
        let mut renamed = Substitution::new([(write.value, element)]);
        for &atom in &atoms {
            let t = renamed.apply(graph.terms(), atom);
            if t != atom && is_general(graph, every, t) {
                let not = graph.terms().not(t);
                push(&mut found, t);
                push(&mut found, not);
            }
        }
    }
    found
}

/// How a number may lie to its index, where it is one of an element before it: a link, the length of a part.
fn beside_index(terms: &mut Terms, element: Term, every: Term) -> Vec<Term> {
    let width = terms.width(element);
    let index = match width {
        32 => every,
        64 => terms.zext(64, every),
        _ => return Vec::new(),
    };
    let zero = terms.bv(width, 0);
    vec![
        terms.sle(zero, element),
        terms.sle(element, index),
        terms.slt(element, index),
    ]
}

/// The indices at which a term reads arrays.
pub(super) fn read_at(terms: &Terms, t: Term) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut work = vec![t];
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Bin(BinOp::Select, _, i) = terms.node(t) {
            found.push(i);
        }
        terms.for_each_operand(t, |o| work.push(o));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A comparison of elements at some indices as one of those at `every` index: in the place of the only index, or of
/// a variable that several indices, or an index and a value, are computed from.
fn generalised(graph: &mut Graph<'_>, every: Term, t: Term, indices: &[Term]) -> Vec<Term> {
    let mut found = Vec::new();
    if let [index] = indices
        && graph.terms().as_bv(*index).is_none()
    {
        let t = Substitution::new([(*index, every)]).apply(graph.terms(), t);
        if is_general(graph, every, t) {
            let left = graph.encoder.terms.constants(&[t]);
            let used = graph.encoder.terms.constants(&[*index]);
            found.push(t);
            if !used.iter().any(|c| left.contains(c)) {
                return found;
            }
        }
    }
    for constant in graph.encoder.terms.constants(indices) {
        let every_as = match graph.terms().sort(constant) {
            Sort::Bv(32) => every,
            Sort::Bv(64) => graph.terms().zext(64, every),
            _ => continue,
        };
        let t = Substitution::new([(constant, every_as)]).apply(graph.terms(), t);
        if is_general(graph, every, t) && !found.contains(&t) {
            found.push(t);
        }
    }
    found
}

/// Whether a term speaks of memory and of `every` index only.
fn is_general(graph: &Graph<'_>, every: Term, t: Term) -> bool {
    let constants = graph.encoder.terms.constants(&[t]);
    constants.contains(&every)
        && constants
            .iter()
            .all(|c| *c == every || graph.encoder.cell_of(*c).is_some())
}

/// A comparison, its opposite, and what is weaker and stronger.
fn relatives(terms: &mut Terms, t: Term) -> Vec<Term> {
    let not = terms.not(t);
    let mut found = vec![t, not];
    match terms.node(t) {
        Node::Bin(BinOp::Slt, a, b) => {
            let more = [terms.sle(a, b), terms.slt(b, a), terms.eq(a, b)];
            found.extend(more);
        }
        Node::Bin(BinOp::Ult, a, b) => {
            let more = [terms.ule(a, b), terms.ult(b, a), terms.eq(a, b)];
            found.extend(more);
        }
        _ => {}
    }
    found
}

/// Bounds at a cut: the indices that its region uses and those of the regions that it leads to; what they are when
/// they come to what they are compared with, and where they start.
pub(super) fn bounds(graph: &mut Graph<'_>, cut: usize, effort: Effort) -> Vec<Term> {
    let region = graph.region_of(cut);
    let mut found = indices(graph, region);
    for edge in graph.edges.clone() {
        if edge.region == region && edge.to != cut {
            for t in indices(graph, graph.region_of(edge.to)) {
                let t = graph.before(edge, t);
                if graph.is_about_state(t) {
                    push(&mut found, t);
                }
            }
        }
    }
    found.truncate(BOUNDS / 2);
    let own = found.clone();
    for (constant, last) in compared(graph, region, &own) {
        for &t in &own {
            let t = Substitution::new([(constant, last)]).apply(graph.terms(), t);
            push(&mut found, t);
        }
    }
    for edge in graph.edges_into(cut) {
        for &t in own.iter().filter(|_| edge.region != region) {
            let t = graph.before(edge, t);
            if graph.terms().as_bv(t).is_some() {
                push(&mut found, t);
            }
        }
    }
    if effort == Effort::Further {
        let mut further = Vec::new();
        for t in own {
            let one = graph.terms().bv(32, 1);
            further.push(graph.terms().add(t, one));
        }
        // Before what others have.
        found.splice(0..0, further);
    }
    found
}

/// Variables that indices are computed from, with what a region compares them with.
fn compared(graph: &mut Graph<'_>, region: usize, indices: &[Term]) -> Vec<(Term, Term)> {
    let used = graph.encoder.terms.constants(indices);
    let roots = roots(graph, region);
    let mut found = Vec::new();
    let mut compared: Vec<(Term, Term)> = Vec::new();
    for atom in graph.atoms(&roots) {
        for atom in alternatives(graph.terms(), atom) {
            if let Node::Bin(BinOp::Eq | BinOp::Slt | BinOp::Ult, a, b) = graph.terms().node(atom) {
                compared.push((a, b));
            }
        }
    }
    for (a, b) in compared {
        for (x, y) in [(a, b), (b, a)] {
            let x = unextended(graph.terms(), x);
            let x = without_constant(graph.terms(), x);
            if !used.contains(&x) || !graph.is_about_state(y) {
                continue;
            }
            let (width, sort) = (graph.terms().width(x), graph.terms().sort(y));
            let y = match sort {
                Sort::Bv(w) if w == width => y,
                Sort::Bv(w) if w > width => graph.terms().extract(width - 1, 0, y),
                _ => continue,
            };
            if !found.contains(&(x, y)) && x != y {
                found.push((x, y));
            }
        }
    }
    found
}

/// The number that a wider one is made of.
fn unextended(terms: &Terms, t: Term) -> Term {
    match terms.node(t) {
        Node::Extend { of, .. } => of,
        _ => t,
    }
}

/// What a number is computed from by adding a constant.
fn without_constant(terms: &Terms, t: Term) -> Term {
    match terms.node(t) {
        Node::Bin(BinOp::Add, a, b) if terms.as_bv(b).is_some() => a,
        Node::Bin(BinOp::Add, a, b) if terms.as_bv(a).is_some() => b,
        _ => t,
    }
}

/// The indices of a region that memory says, where it starts.
fn indices(graph: &Graph<'_>, region: usize) -> Vec<Term> {
    let mut found = graph.used(region);
    found.retain(|t| graph.is_about_state(*t));
    found
}

/// The bounds of a cut, and some of other cuts.
pub(super) fn spread(graph: &mut Graph<'_>, cut: usize, own: &[Vec<Term>]) -> Vec<Term> {
    let mut found = Vec::new();
    for t in own[cut].iter().chain(own.iter().flatten()) {
        let t = graph.with_pins(cut, *t);
        let zero = graph.terms().as_bv(t) == Some(0);
        if !zero && graph.matters(cut, t) {
            push(&mut found, t);
        }
    }
    found.truncate(BOUNDS);
    found
}
