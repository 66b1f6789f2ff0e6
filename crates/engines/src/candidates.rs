//! Guesses at facts that hold at loop heads: conditions of the program itself, and templates over
//! the cells that a loop reads: constants, bounds, equalities, differences, sums, parity.

use crate::graph::{Edge, Graph};
use crate::samples::{Quantity, Samples, equations};
use cwolf_encode::{CellId, OFFSET_BITS};
use cwolf_logic::{BinOp, Node, Sort, Substitution, Term, Terms};
use rustc_hash::FxHashSet;

/// At most so many guesses at one cut.
const LIMIT: usize = 1500;
/// Pairs are made of so many cells at most.
const PAIRS: usize = 14;
/// A value may be a choice among so many.
const VALUES: usize = 8;

/// Guesses for a cut.
pub(crate) fn candidates(graph: &mut Graph<'_>, samples: &Samples, cut: usize) -> Vec<Term> {
    let mut guess = Guess {
        found: Vec::new(),
        known: FxHashSet::default(),
    };
    let region = graph.region_of(cut);
    let roots = roots(graph, region);
    let atoms = graph.atoms(&roots);
    let about_state: Vec<Term> = atoms
        .into_iter()
        .filter(|a| graph.is_about_state(*a))
        .collect();
    let relevant = graph.relevant();
    let mut cells = cells(graph, &roots);
    cells.retain(|c| relevant.contains(c));
    let entries: Vec<Edge> = graph
        .edges_into(cut)
        .into_iter()
        .filter(|e| e.region != region)
        .collect();
    let moving = moving(graph, cut, &cells);
    for &cell in &cells {
        guess.cell(graph, &entries, cell, moving.contains(&cell));
    }
    for edge in &entries {
        guess.first(graph, *edge, &cells, &moving);
    }
    for &atom in &about_state {
        guess.both(graph, atom);
        guess.bounds(graph, atom);
    }
    let numbers: Vec<CellId> = cells
        .iter()
        .copied()
        .filter(|c| matches!(graph.encoder.cell_sort(*c), Sort::Bv(8..=64)))
        .filter(|c| !graph.encoder.is_pointer(*c))
        .collect();
    let moved = numbers.iter().copied().filter(|c| moving.contains(c));
    // What a loop counts is compared with what it keeps.
    let still = numbers.iter().copied().filter(|c| !moving.contains(c));
    let mixed: Vec<CellId> = moved
        .take(PAIRS)
        .chain(still.take(PAIRS / 2))
        .take(PAIRS)
        .collect();
    for (n, &x) in mixed.iter().enumerate() {
        for &y in &mixed[n + 1..] {
            guess.pair(graph, &entries, x, y);
        }
    }
    for width in [8, 16, 32, 64] {
        let alike: Vec<CellId> = mixed
            .iter()
            .copied()
            .filter(|c| graph.encoder.cell_sort(*c) == Sort::Bv(width))
            .take(8)
            .collect();
        let alike: Vec<Quantity> = alike.into_iter().map(Quantity::Number).collect();
        for t in equations(graph, &samples.at[cut], &alike, width) {
            guess.add(t);
        }
    }
    // Pointers that a loop moves, with what it counts meanwhile.
    let pointers = cells.iter().copied().filter(|c| moving.contains(c));
    let pointers = pointers.filter(|c| graph.encoder.is_pointer(*c));
    let pointers = pointers.filter(|c| matches!(graph.encoder.cell_sort(*c), Sort::Bv(_)));
    let mut walking: Vec<Quantity> = pointers.take(4).map(Quantity::Offset).collect();
    if !walking.is_empty() {
        let offsets = walking.len();
        walking.extend(mixed.iter().take(6).map(|c| Quantity::Number(*c)));
        for t in equations(graph, &samples.at[cut], &walking, OFFSET_BITS) {
            guess.add(t);
        }
        // What a pointer has passed and what is still counted, within what the loop keeps: a size, a length.
        let (counted, kept): (Vec<Quantity>, Vec<Quantity>) = walking[offsets..]
            .iter()
            .partition(|q| moving.contains(&q.cell()));
        for p in &walking[..offsets] {
            let offset = p.term(graph, OFFSET_BITS, true);
            let zero = graph.terms().bv(OFFSET_BITS, 0);
            let inside = graph.terms().sle(zero, offset);
            guess.add(inside);
            for limit in &kept {
                guess.within(graph, &[*p], *limit);
                for n in &counted {
                    guess.within(graph, &[*p, *n], *limit);
                }
            }
        }
    }
    for &atom in &about_state {
        for one in alternatives(graph.terms(), atom) {
            if one != atom {
                guess.both(graph, one);
                guess.bounds(graph, one);
            }
        }
    }
    let mut found = guess.found;
    found.retain(|t| {
        let constants = graph.encoder.terms.constants(&[*t]);
        let mut cells = constants.iter().filter_map(|c| graph.encoder.cell_of(*c));
        cells.all(|c| relevant.contains(&c))
    });
    let mut found = samples.admit(graph, cut, found);
    found.truncate(LIMIT);
    found
}

/// The cells that the loop at a cut changes.
fn moving(graph: &mut Graph<'_>, cut: usize, cells: &[CellId]) -> FxHashSet<CellId> {
    let mut found = FxHashSet::default();
    for edge in graph.edges.clone() {
        if edge.region == 0 || edge.to != cut {
            continue;
        }
        for &cell in cells {
            if graph.at_end(edge, cell) != graph.encoder.constant_of(cell) {
                found.insert(cell);
            }
        }
    }
    found
}

/// The terms that a region is made of.
pub(crate) fn roots(graph: &Graph<'_>, region: usize) -> Vec<Term> {
    let mut roots = vec![graph.bad[region]];
    for exit in &graph.regions[region].exits {
        roots.push(exit.guard);
    }
    for exit in &graph.regions[region].exits {
        roots.extend(exit.state.cells().map(|(_, t)| t));
    }
    roots
}

/// The values that a choice among them may be.
pub(crate) fn choices(terms: &Terms, t: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut work = vec![t];
    while let Some(t) = work.pop() {
        match terms.node(t) {
            Node::Ite(_, a, b) if work.len() + found.len() < VALUES => work.extend([a, b]),
            _ => found.push(t),
        }
    }
    found
}

/// A comparison with each of the values that are compared in the place of a choice among them.
pub(crate) fn alternatives(terms: &mut Terms, atom: Term) -> Vec<Term> {
    let Node::Bin(op @ (BinOp::Eq | BinOp::Slt | BinOp::Ult), a, b) = terms.node(atom) else {
        return vec![atom];
    };
    let (left, right) = (choices(terms, a), choices(terms, b));
    let mut found = Vec::new();
    for &x in &left {
        for &y in &right {
            found.push(match op {
                BinOp::Eq => terms.eq(x, y),
                BinOp::Slt => terms.slt(x, y),
                _ => terms.ult(x, y),
            });
        }
    }
    found
}

/// The cells that terms speak about.
pub(crate) fn cells(graph: &Graph<'_>, roots: &[Term]) -> Vec<CellId> {
    let constants = graph.encoder.terms.constants(roots);
    let mut cells: Vec<CellId> = constants
        .iter()
        .filter_map(|c| graph.encoder.cell_of(*c))
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

struct Guess {
    found: Vec<Term>,
    known: FxHashSet<Term>,
}

impl Guess {
    fn add(&mut self, t: Term) {
        if t != Terms::TRUE && t != Terms::FALSE && self.known.insert(t) {
            self.found.push(t);
        }
    }

    fn both(&mut self, graph: &mut Graph<'_>, t: Term) {
        let not = graph.terms().not(t);
        self.add(t);
        self.add(not);
    }

    /// What a cell holds when the loop is first reached.
    fn cell(&mut self, graph: &mut Graph<'_>, entries: &[Edge], cell: CellId, moves: bool) {
        let x = graph.encoder.constant_of(cell);
        match graph.encoder.cell_sort(cell) {
            Sort::Bool => return self.both(graph, x),
            Sort::Array { .. } => return,
            Sort::Bv(_) => {}
        }
        let width = graph.terms().width(x);
        let mut values = FxHashSet::default();
        for edge in entries {
            let t = graph.at_end(*edge, cell);
            constants_of(graph.terms(), t, &mut values);
        }
        let mut values: Vec<u128> = values.into_iter().collect();
        values.sort_unstable();
        if values.len() > 6 {
            return;
        }
        for v in values {
            let terms = graph.terms();
            let k = terms.bv(width, v);
            let same = terms.eq(x, k);
            self.add(same);
            if graph.encoder.is_pointer(cell) {
                let terms = graph.terms();
                let differs = terms.not(same);
                self.add(differs);
                continue;
            }
            if !moves {
                continue;
            }
            self.order(graph, x, k);
            if width > 1 {
                let terms = graph.terms();
                for low in 1..=2u16.min(width - 1) {
                    let part = terms.extract(low - 1, 0, x);
                    let bits = terms.bv(low, v);
                    let parity = terms.eq(part, bits);
                    self.add(parity);
                }
            }
        }
        if moves && !graph.encoder.is_pointer(cell) {
            let terms = graph.terms();
            let zero = terms.bv(width, 0);
            self.order(graph, x, zero);
        }
    }

    /// What cells that a loop keeps say of each other when it is first reached: the size of a block, of the number
    /// that it was computed from.
    fn first(
        &mut self,
        graph: &mut Graph<'_>,
        edge: Edge,
        cells: &[CellId],
        moving: &FxHashSet<CellId>,
    ) {
        let still = cells.iter().copied().filter(|c| !moving.contains(c));
        let still: Vec<CellId> = still
            .filter(|c| matches!(graph.encoder.cell_sort(*c), Sort::Bv(_)))
            .collect();
        let mut values = Vec::new();
        for &cell in &still {
            let (constant, value) = (graph.encoder.constant_of(cell), graph.at_end(edge, cell));
            if !matches!(graph.terms().node(value), Node::Bv { .. }) {
                values.push((constant, value));
            }
        }
        for (n, &(constant, value)) in values.iter().enumerate() {
            for &(other, _) in values[n + 1..].iter().filter(|(_, v)| *v == value) {
                let same = graph.terms().eq(constant, other);
                self.add(same);
            }
            if matches!(graph.terms().node(value), Node::Const(_)) || is_large(graph.terms(), value)
            {
                continue;
            }
            // The others are what it may be computed from, also where they are no plain choice.
            let others = values.iter().filter(|(c, v)| *c != constant && *v != value);
            let names: Vec<(Term, Term)> = others.map(|(c, v)| (*v, *c)).collect();
            let value = Substitution::new(names.iter().copied()).apply(graph.terms(), value);
            let known = graph.encoder.terms.constants(&[value]);
            if !known.is_empty() && known.iter().all(|c| names.iter().any(|(_, n)| n == c)) {
                let same = graph.terms().eq(constant, value);
                self.add(same);
            }
        }
    }

    /// A sum that is at most a limit, in so many bits that it does not wrap around.
    fn within(&mut self, graph: &mut Graph<'_>, parts: &[Quantity], limit: Quantity) {
        for signed in [false, true] {
            let mut sum = graph.terms().bv(OFFSET_BITS, 0);
            for part in parts {
                let part = part.term(graph, OFFSET_BITS, signed);
                sum = graph.terms().add(sum, part);
            }
            let limit = limit.term(graph, OFFSET_BITS, signed);
            let terms = graph.terms();
            let (at_most, below) = (terms.sle(sum, limit), terms.slt(sum, limit));
            self.add(at_most);
            self.add(below);
        }
    }

    /// All ways to order two terms.
    fn order(&mut self, graph: &mut Graph<'_>, x: Term, y: Term) {
        let terms = graph.terms();
        let all = [
            terms.sle(x, y),
            terms.sle(y, x),
            terms.ule(x, y),
            terms.ule(y, x),
            terms.ne(x, y),
        ];
        for t in all {
            self.add(t);
        }
        let terms = graph.terms();
        let strict = [
            terms.slt(x, y),
            terms.slt(y, x),
            terms.ult(x, y),
            terms.ult(y, x),
        ];
        for t in strict {
            self.add(t);
        }
    }

    /// Weaker and stronger relatives of a comparison.
    fn bounds(&mut self, graph: &mut Graph<'_>, atom: Term) {
        let Node::Bin(op @ (BinOp::Eq | BinOp::Slt | BinOp::Ult), a, b) = graph.terms().node(atom)
        else {
            return;
        };
        if !matches!(graph.terms().sort(a), Sort::Bv(8..=64)) {
            return;
        }
        self.order(graph, a, b);
        let same = graph.terms().eq(a, b);
        self.add(same);
        if op == BinOp::Eq {
            return;
        }
        // One step past the bound, where a counter stops.
        let width = graph.terms().width(a);
        let terms = graph.terms();
        let one = terms.bv(width, 1);
        for (x, y) in [(a, b), (b, a)] {
            let terms = graph.terms();
            let past = terms.add(y, one);
            let up = match op {
                BinOp::Slt => terms.sle(x, past),
                _ => terms.ule(x, past),
            };
            self.add(up);
        }
    }

    fn pair(&mut self, graph: &mut Graph<'_>, entries: &[Edge], x: CellId, y: CellId) {
        if graph.encoder.cell_sort(x) != graph.encoder.cell_sort(y) {
            return;
        }
        let (a, b) = (graph.encoder.constant_of(x), graph.encoder.constant_of(y));
        let same = graph.terms().eq(a, b);
        self.add(same);
        self.order(graph, a, b);
        for edge in entries {
            let (p, q) = (graph.at_end(*edge, x), graph.at_end(*edge, y));
            let terms = graph.terms();
            let (first_sum, first_difference) = (terms.add(p, q), terms.sub(p, q));
            if terms.as_bv(first_sum).is_some() {
                let sum = terms.add(a, b);
                let t = terms.eq(sum, first_sum);
                self.add(t);
            }
            let terms = graph.terms();
            if terms.as_bv(first_difference).is_some() {
                let difference = terms.sub(a, b);
                let t = terms.eq(difference, first_difference);
                self.add(t);
            }
        }
    }
}

/// Whether a term has too many parts to be looked at for each of many others.
fn is_large(terms: &Terms, t: Term) -> bool {
    const MOST: usize = 100;
    let mut seen = FxHashSet::default();
    let mut work = vec![t];
    while let Some(t) = work.pop() {
        if seen.len() > MOST {
            return true;
        }
        if seen.insert(t) {
            terms.for_each_operand(t, |o| work.push(o));
        }
    }
    false
}

/// The constants that a chosen number may be.
fn constants_of(terms: &Terms, t: Term, out: &mut FxHashSet<u128>) {
    let mut seen = FxHashSet::default();
    let mut work = vec![t];
    while let Some(t) = work.pop() {
        if !seen.insert(t) || seen.len() > 64 {
            continue;
        }
        match terms.node(t) {
            Node::Bv { value, .. } => {
                out.insert(value);
            }
            Node::Ite(_, a, b) => work.extend([a, b]),
            _ => {}
        }
    }
}
