//! States that really occur at loop heads, from random runs over the regions: they refute wrong
//! guesses without a solver, and the linear equations that all of them satisfy are good ones.

use crate::candidates::{cells, roots};
use crate::graph::{Edge, Graph};
use cwolf_base::{Budget, Exhausted};
use cwolf_encode::CellId;
use cwolf_logic::{Answer, BitBlaster, Model, Phase, Solver, Sort, Term};
use rustc_hash::FxHashMap;

/// Runs from the entry.
const RUNS: usize = 24;
/// Steps of each.
const STEPS: usize = 40;
/// States kept for each cut.
const KEEP: usize = 60;
/// So many guesses are too many for a solver.
const CROWD: usize = 200;
/// Nodes evaluated in all.
const EFFORT: usize = 40_000_000;

/// The contents of cells at a cut.
pub(crate) type Sample = FxHashMap<CellId, u128>;

/// States that occur, for each cut.
pub(crate) struct Samples {
    pub(crate) at: Vec<Vec<Sample>>,
    /// Whether the memory of arrays plays a part, which samples do not have.
    pub(crate) exact: bool,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 29
    }
}

impl Samples {
    /// Takes samples.
    pub(crate) fn take(graph: &mut Graph<'_>, budget: &Budget) -> Result<Samples, Exhausted> {
        let mut run = Runner::new(graph);
        let mut samples = Samples {
            at: vec![Vec::new(); graph.cuts.len()],
            exact: run.exact,
        };
        let firsts = run.firsts(graph, budget)?;
        let mut effort = EFFORT;
        for n in 0..RUNS {
            budget.check(0)?;
            let Some(model) = firsts.get(n % firsts.len().max(1)) else {
                break;
            };
            let mut model = model.clone();
            if n >= firsts.len() {
                run.stir(graph, 0, &mut model);
            }
            let mut region = 0;
            for _ in 0..STEPS {
                effort = effort.saturating_sub(run.size[region]);
                if effort == 0 {
                    return Ok(samples);
                }
                let Some((edge, sample)) = run.step(graph, region, &model) else {
                    break;
                };
                model = Model::default();
                for (cell, value) in &sample {
                    let constant = graph.encoder.constant_of(*cell);
                    model.set(constant, *value);
                }
                if samples.at[edge.to].len() < KEEP {
                    samples.at[edge.to].push(sample);
                }
                region = graph.region_of(edge.to);
                run.stir(graph, region, &mut model);
            }
        }
        Ok(samples)
    }

    /// Whether no sample refutes a guess.
    pub(crate) fn admit(&self, graph: &mut Graph<'_>, cut: usize, guesses: Vec<Term>) -> Vec<Term> {
        // With arrays the samples may be wrong: they only thin out a crowd.
        if !self.exact && guesses.len() < CROWD {
            return guesses;
        }
        let mut kept = guesses;
        for sample in self.at[cut].clone() {
            let mut model = Model::default();
            let mut known = true;
            for constant in graph.encoder.terms.constants(&kept) {
                match graph.encoder.cell_of(constant).and_then(|c| sample.get(&c)) {
                    Some(value) => model.set(constant, *value),
                    None => known = false,
                }
            }
            if !known {
                continue;
            }
            let values = model.all(&graph.encoder.terms, &kept);
            let mut values = values.into_iter();
            kept.retain(|_| values.next() == Some(1));
        }
        kept
    }
}

/// What running over regions needs to know.
struct Runner {
    /// The cells that each cut's region reads.
    cells: Vec<Vec<CellId>>,
    /// The open values of each region.
    inputs: Vec<Vec<Term>>,
    /// How many terms a region has.
    size: Vec<usize>,
    exact: bool,
    random: Random,
}

impl Runner {
    fn new(graph: &mut Graph<'_>) -> Runner {
        let mut run = Runner {
            cells: Vec::new(),
            inputs: Vec::new(),
            size: Vec::new(),
            exact: true,
            random: Random(11),
        };
        let mut all = Vec::new();
        for region in 0..graph.regions.len() {
            let roots = roots(graph, region);
            let cells = cells(graph, &roots);
            let constants = graph.encoder.terms.constants(&roots);
            run.size.push(roots.len() * 4 + constants.len() * 10 + 50);
            let inputs = constants
                .into_iter()
                .filter(|c| graph.encoder.cell_of(*c).is_none());
            run.inputs.push(inputs.collect());
            all.extend(cells);
        }
        all.sort_unstable();
        all.dedup();
        let scalar = |c: &CellId| !matches!(graph.encoder.cell_sort(*c), Sort::Array { .. });
        run.exact = all.iter().all(scalar);
        let scalars: Vec<CellId> = all.into_iter().filter(scalar).collect();
        run.cells = vec![scalars; graph.cuts.len()];
        run
    }

    /// Values with which the entry leads to each of its cuts: large ones, which say more about loops than those drawn at random.
    fn firsts(&mut self, graph: &mut Graph<'_>, budget: &Budget) -> Result<Vec<Model>, Exhausted> {
        let mut solver = BitBlaster::trying(Phase::Large, budget);
        solver.assert(&graph.encoder.terms, graph.given[0]);
        let mut found = Vec::new();
        let edges: Vec<Edge> = graph
            .edges
            .iter()
            .copied()
            .filter(|e| e.region == 0)
            .collect();
        for edge in edges {
            let guard = graph.guard(edge);
            let lit = solver.literal(&graph.encoder.terms, guard);
            if solver.check_limited(&graph.encoder.terms, &[lit], Some(5000), budget)?
                == Answer::Sat
            {
                found.push(solver.model(&graph.encoder.terms));
            }
        }
        Ok(found)
    }

    /// Gives the open values of a region at random.
    fn stir(&mut self, graph: &Graph<'_>, region: usize, model: &mut Model) {
        for t in &self.inputs[region] {
            let raw = self.random.next();
            let value = match raw % 8 {
                0..5 => u128::from(raw >> 3) % 4,
                5 => u128::MAX,
                6 => u128::from(raw >> 3) % 100,
                _ => u128::from(raw >> 3),
            };
            match graph.encoder.terms.sort(*t) {
                Sort::Bool => model.set(*t, value & 1),
                Sort::Bv(width) => model.set(*t, value & (u128::MAX >> (128 - width))),
                Sort::Array { .. } => {}
            }
        }
    }

    /// Goes through a region: the edge that is taken and the state after it.
    fn step(
        &mut self,
        graph: &mut Graph<'_>,
        region: usize,
        model: &Model,
    ) -> Option<(Edge, Sample)> {
        let edges: Vec<Edge> = graph
            .edges
            .iter()
            .copied()
            .filter(|e| e.region == region)
            .collect();
        let guards: Vec<Term> = edges.iter().map(|e| graph.guard(*e)).collect();
        let values = model.all(&graph.encoder.terms, &guards);
        let taken = edges[values.iter().position(|v| *v == 1)?];
        let cells = self.cells[taken.to].clone();
        let terms: Vec<Term> = cells.iter().map(|c| graph.at_end(taken, *c)).collect();
        let values = model.all(&graph.encoder.terms, &terms);
        Some((taken, cells.into_iter().zip(values).collect()))
    }
}

/// A number of a state: what a cell holds, or how far a pointer leads from the start of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Number(CellId),
    Offset(CellId),
}

impl Quantity {
    pub(crate) fn cell(self) -> CellId {
        match self {
            Quantity::Number(cell) | Quantity::Offset(cell) => cell,
        }
    }

    /// As a term; numbers are as wide as `width` says.
    pub(crate) fn term(self, graph: &mut Graph<'_>, width: u16, signed: bool) -> Term {
        let constant = graph.encoder.constant_of(self.cell());
        let terms = &mut graph.encoder.terms;
        match (self, signed) {
            (Quantity::Offset(_), _) => terms.extract(width - 1, 0, constant),
            (Quantity::Number(_), true) => terms.sext(width, constant),
            (Quantity::Number(_), false) => terms.zext(width, constant),
        }
    }

    fn value(self, graph: &Graph<'_>, sample: &Sample, width: u16) -> i128 {
        let value = sample[&self.cell()];
        let own = match (self, graph.encoder.cell_sort(self.cell())) {
            (Quantity::Number(_), Sort::Bv(own)) => own.min(width),
            _ => width,
        };
        ((value << (128 - own)) as i128) >> (128 - own)
    }
}

/// Linear equations with small factors that all samples of a cut satisfy, over the given quantities, computed in so many
/// bits.
pub(crate) fn equations(
    graph: &mut Graph<'_>,
    samples: &[Sample],
    quantities: &[Quantity],
    width: u16,
) -> Vec<Term> {
    if samples.len() < 3 || quantities.is_empty() {
        return Vec::new();
    }
    let mut rows: Vec<Vec<i128>> = Vec::new();
    for sample in samples {
        let numbers = quantities.iter();
        let mut row: Vec<i128> = numbers.map(|q| q.value(graph, sample, width)).collect();
        // Numbers that wrapped around or were drawn at random hide what is linear.
        if row.iter().all(|v| v.abs() < 1 << 20) {
            row.push(1);
            rows.push(row);
        }
    }
    if rows.len() < 3 {
        return Vec::new();
    }
    // Samples do not tell whether a narrow number has a sign.
    let narrow = quantities.iter().any(|q| {
        let sort = graph.encoder.cell_sort(q.cell());
        matches!((q, sort), (Quantity::Number(_), Sort::Bv(own)) if own < width)
    });
    let signs: &[bool] = if narrow { &[true, false] } else { &[true] };
    let mut found = Vec::new();
    for vector in null_space(rows, quantities.len() + 1) {
        for signed in signs {
            let terms = &mut graph.encoder.terms;
            let more = *vector.last().expect("a constant") as u128;
            let mut sum = terms.bv(width, more);
            for (factor, quantity) in vector.iter().zip(quantities) {
                if *factor != 0 {
                    let number = quantity.term(graph, width, *signed);
                    let terms = &mut graph.encoder.terms;
                    let factor = terms.bv(width, *factor as u128);
                    let part = terms.mul(factor, number);
                    sum = terms.add(sum, part);
                }
            }
            let terms = &mut graph.encoder.terms;
            let zero = terms.bv(width, 0);
            found.push(terms.eq(sum, zero));
        }
    }
    found
}

/// Integer vectors with small entries that span what is orthogonal to all rows.
fn null_space(mut rows: Vec<Vec<i128>>, width: usize) -> Vec<Vec<i128>> {
    let mut pivots: Vec<usize> = Vec::new();
    let mut rank = 0;
    for column in 0..width {
        let Some(at) = (rank..rows.len()).find(|r| rows[*r][column] != 0) else {
            continue;
        };
        rows.swap(rank, at);
        let pivot = rows[rank].clone();
        for (n, row) in rows.iter_mut().enumerate() {
            if n == rank || row[column] == 0 {
                continue;
            }
            let (p, q) = (pivot[column], row[column]);
            for (x, y) in row.iter_mut().zip(&pivot) {
                let products = x.checked_mul(p).zip(y.checked_mul(q));
                let Some(difference) = products.and_then(|(a, b)| a.checked_sub(b)) else {
                    return Vec::new();
                };
                *x = difference;
            }
            reduce(row);
        }
        reduce(&mut rows[rank]);
        pivots.push(column);
        rank += 1;
        if rank == rows.len() {
            break;
        }
    }
    let mut found = Vec::new();
    for free in (0..width).filter(|c| !pivots.contains(c)) {
        // One free column is 1 (times what clears the fractions), the others 0.
        let mut scale = 1i128;
        for (row, column) in rows.iter().zip(&pivots) {
            let p = row[*column];
            let f = row[free];
            if f != 0 {
                let step = p / gcd(p, f);
                scale = (scale / gcd(scale, step)).saturating_mul(step);
            }
            if scale.unsigned_abs() > 1 << 40 {
                return found;
            }
        }
        let mut vector = vec![0; width];
        vector[free] = scale;
        for (row, column) in rows.iter().zip(&pivots) {
            let Some(scaled) = row[free].checked_mul(scale) else {
                return found;
            };
            vector[*column] = -(scaled / row[*column]);
        }
        reduce(&mut vector);
        let small = vector[..width - 1].iter().all(|v| v.abs() <= 64);
        if small && vector[..width - 1].iter().any(|v| *v != 0) {
            found.push(vector);
        }
    }
    found
}

fn reduce(row: &mut [i128]) {
    let g = row.iter().fold(0, |g, v| gcd(g, *v));
    if g > 1 {
        row.iter_mut().for_each(|v| *v /= g);
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::null_space;

    #[test]
    fn equations_of_a_loop() {
        // x = 2 n + 1, y = n, and the constant.
        let rows = (0..5).map(|n| vec![2 * n + 1, n, 1]).collect();
        let found = null_space(rows, 3);
        assert_eq!(found.len(), 1);
        let v = &found[0];
        for n in 0..9 {
            assert_eq!(v[0] * (2 * n + 1) + v[1] * n + v[2], 0);
        }
        assert!(null_space(vec![vec![1, 0, 1], vec![0, 1, 1], vec![5, 7, 1]], 3).is_empty());
    }
}
