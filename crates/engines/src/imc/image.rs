//! What is reached in one region: the side that implies an interpolant.

use crate::graph::{Edge, Graph, Local};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Answer, Lit, Premise, Solver, Term, Terms};
use rustc_hash::FxHashMap;

/// A solver for each region.
pub(super) struct Steps {
    locals: Vec<Local>,
    guards: FxHashMap<Edge, Lit>,
}

impl Steps {
    /// `known` holds at the cuts.
    pub(super) fn new(graph: &Graph<'_>, known: &[Term], budget: &Budget) -> Steps {
        let count = graph.regions.len();
        let mut steps = Steps {
            locals: (0..count).map(|r| Local::new(graph, r, budget)).collect(),
            guards: FxHashMap::default(),
        };
        for (cut, t) in known.iter().enumerate() {
            steps.learn(graph, cut, *t);
        }
        for edge in &graph.edges {
            let lit = steps.locals[edge.region].lit(graph, graph.guard(*edge));
            steps.guards.insert(*edge, lit);
        }
        steps
    }

    /// More is known at a cut.
    pub(super) fn learn(&mut self, graph: &Graph<'_>, cut: usize, known: Term) {
        let solver = &mut self.locals[graph.region_of(cut)].solver;
        solver.assert(&graph.encoder.terms, known);
    }
}

/// The states at a cut that one region leads to.
pub(super) struct Image<'i, 'p> {
    graph: &'i mut Graph<'p>,
    steps: &'i mut Steps,
    /// The ways there, with what holds where they start.
    ways: Vec<(Edge, Lit)>,
    /// The way that the last cube is reached by.
    pub(super) reached: Option<Edge>,
}

impl<'i, 'p> Image<'i, 'p> {
    /// The states at `cut` after a region that starts at the entry, or at the cuts with states of `from`.
    pub(super) fn new(
        graph: &'i mut Graph<'p>,
        steps: &'i mut Steps,
        from: Option<&[Term]>,
        cut: usize,
    ) -> Image<'i, 'p> {
        let mut ways = Vec::new();
        for edge in graph.edges_into(cut) {
            let start = match (from, edge.region) {
                (None, 0) => Terms::TRUE,
                (Some(from), region @ 1..) => from[region - 1],
                _ => continue,
            };
            if start != Terms::FALSE {
                ways.push((edge, steps.locals[edge.region].lit(graph, start)));
            }
        }
        Image {
            graph,
            steps,
            ways,
            reached: None,
        }
    }

    /// Those of `cube` that one way excludes.
    fn exclude(
        &mut self,
        (edge, start): (Edge, Lit),
        cube: &[Term],
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, Exhausted> {
        let mut after = Vec::new();
        for t in cube {
            let then = self.graph.before(edge, *t);
            after.push(self.steps.locals[edge.region].lit(self.graph, then));
        }
        let mut wanted = vec![start, self.steps.guards[&edge]];
        wanted.extend(&after);
        let solver = &mut self.steps.locals[edge.region].solver;
        if solver.check(&self.graph.encoder.terms, &wanted, budget)? == Answer::Sat {
            self.reached = Some(edge);
            return Ok(None);
        }
        let core = cube.iter().zip(after).filter(|(_, l)| solver.failed(*l));
        Ok(Some(core.map(|(t, _)| *t).collect()))
    }
}

impl Premise for Image<'_, '_> {
    fn terms(&mut self) -> &mut Terms {
        self.graph.terms()
    }
    fn shares(&self, constant: Term) -> bool {
        let encoder = &self.graph.encoder;
        encoder.cell_of(constant).is_some() || encoder.is_base(constant)
    }
    fn excludes(&mut self, cube: &[Term], budget: &Budget) -> Result<Option<Vec<Term>>, Exhausted> {
        let mut needed: Vec<Term> = Vec::new();
        for way in self.ways.clone() {
            // What was needed for other ways may do.
            if self.exclude(way, &needed, budget)?.is_some() {
                continue;
            }
            let Some(core) = self.exclude(way, cube, budget)? else {
                return Ok(None);
            };
            needed.extend(core);
            needed.sort_unstable();
            needed.dedup();
        }
        Ok(Some(needed))
    }
}
