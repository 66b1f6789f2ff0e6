//! The regions that follow a cut, one after the other, as terms over what memory holds at the cut: the side that an
//! interpolant contradicts. Where several ways come to one cut after as many regions, memory is merged there, so that a
//! further region costs the same however many ways there are.

use crate::graph::{Edge, Graph};
use cwolf_base::{Budget, Exhausted};
use cwolf_encode::CellId;
use cwolf_logic::{BitBlaster, Model, Solver, Substitution, Term, Terms};
use rustc_hash::FxHashMap;

/// A cut where control may be after some regions.
struct Place {
    /// When it is there.
    guard: Term,
    /// How it comes there, and when.
    ways: Vec<(Edge, Term)>,
    /// Terms about the cut as terms about the start.
    from_start: Substitution,
}

impl Place {
    fn new(guard: Term) -> Place {
        Place {
            guard,
            ways: Vec::new(),
            from_start: Substitution::default(),
        }
    }
}

/// What may happen from a cut on.
pub(super) struct Unrolling {
    /// Places after each number of regions, by their cuts.
    steps: Vec<FxHashMap<usize, Place>>,
    /// What goes wrong in the region after so many.
    wrong: Vec<Term>,
    /// Something goes wrong in the regions so far.
    pub(super) any: Term,
    pub(super) solver: BitBlaster,
}

impl Unrolling {
    /// Nothing has happened yet.
    pub(super) fn new(
        graph: &mut Graph<'_>,
        cut: usize,
        known: Term,
        budget: &Budget,
    ) -> Unrolling {
        let mut solver = BitBlaster::within(budget);
        solver.assert(&graph.encoder.terms, known);
        let start = Place::new(Terms::TRUE);
        Unrolling {
            steps: vec![[(cut, start)].into_iter().collect()],
            wrong: Vec::new(),
            any: Terms::FALSE,
            solver,
        }
    }

    /// More is known about the start.
    pub(super) fn learn(&mut self, graph: &Graph<'_>, known: Term) {
        self.solver.assert(&graph.encoder.terms, known);
    }

    /// Follows one region more.
    pub(super) fn extend(
        &mut self,
        graph: &mut Graph<'_>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let step = self.wrong.len();
        let mut cuts: Vec<usize> = self.steps[step].keys().copied().collect();
        cuts.sort_unstable();
        let mut next: FxHashMap<usize, Place> = FxHashMap::default();
        let mut wrong = Terms::FALSE;
        for cut in cuts {
            budget.check(0)?;
            let region = graph.region_of(cut);
            let (given, bad) = (graph.given[region], graph.bad[region]);
            let given = self.translate(graph, step, cut, given);
            let guard = graph.encoder.terms.and(self.steps[step][&cut].guard, given);
            let bad = self.translate(graph, step, cut, bad);
            let fails = graph.encoder.terms.and(guard, bad);
            wrong = graph.encoder.terms.or(wrong, fails);
            for edge in graph.edges.clone() {
                if edge.region != region {
                    continue;
                }
                let taken = graph.guard(edge);
                let taken = self.translate(graph, step, cut, taken);
                let taken = graph.encoder.terms.and(guard, taken);
                if taken != Terms::FALSE {
                    let place = next
                        .entry(edge.to)
                        .or_insert_with(|| Place::new(Terms::FALSE));
                    place.guard = graph.encoder.terms.or(place.guard, taken);
                    place.ways.push((edge, taken));
                }
            }
        }
        self.any = graph.encoder.terms.or(self.any, wrong);
        self.wrong.push(wrong);
        self.steps.push(next);
        Ok(())
    }

    /// How many regions were followed.
    pub(super) fn depth(&self) -> usize {
        self.wrong.len()
    }

    /// The edges on which a model goes wrong.
    pub(super) fn path(&self, graph: &Graph<'_>, model: &Model) -> Option<Vec<Edge>> {
        let terms = &graph.encoder.terms;
        let last = self.wrong.iter().position(|t| model.bool(terms, *t))?;
        let mut path = Vec::new();
        for step in 1..=last {
            let ways = self.steps[step].values().flat_map(|p| &p.ways);
            path.push(
                ways.copied()
                    .find(|(_, taken)| model.bool(terms, *taken))?
                    .0,
            );
        }
        Some(path)
    }

    /// What a cell holds at a place.
    fn content(&mut self, graph: &mut Graph<'_>, step: usize, cut: usize, cell: CellId) -> Term {
        if step == 0 {
            return graph.encoder.constant_of(cell);
        }
        let ways = self.steps[step][&cut].ways.clone();
        let mut merged = None;
        for (edge, taken) in ways.into_iter().rev() {
            let t = graph.at_end(edge, cell);
            let t = self.translate(graph, step - 1, edge.region - 1, t);
            merged = Some(match merged {
                None => t,
                Some(other) => graph.encoder.terms.ite(taken, t, other),
            });
        }
        merged.expect("a place that is reached")
    }

    /// A term about a place as one about the start. Values that the region there asks for get names of their own.
    fn translate(&mut self, graph: &mut Graph<'_>, step: usize, cut: usize, t: Term) -> Term {
        if step == 0 {
            return t;
        }
        for constant in graph.encoder.terms.constants(&[t]) {
            if self.place(step, cut).from_start.contains(constant) {
                continue;
            }
            let value = match graph.encoder.cell_of(constant) {
                Some(cell) => self.content(graph, step, cut, cell),
                None => graph.encoder.value_at(constant, step),
            };
            self.place(step, cut).from_start.insert(constant, value);
        }
        let place = self.place(step, cut);
        place.from_start.apply(&mut graph.encoder.terms, t)
    }

    fn place(&mut self, step: usize, cut: usize) -> &mut Place {
        self.steps[step]
            .get_mut(&cut)
            .expect("a place that is reached")
    }
}
