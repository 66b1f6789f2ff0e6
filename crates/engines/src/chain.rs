//! A path of regions made concrete: from the entry along edges, then wrong.

use crate::common;
use crate::graph::{Edge, Graph};
use crate::task::{Failure, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_encode::{Asked, CellId, Obligation, Region};
use cwolf_logic::{Answer, BitBlaster, Solver, Substitution, Term, Terms};

/// Terms of each region on the path as terms over the path's own open values.
struct Chain<'a, 'p> {
    graph: &'a mut Graph<'p>,
    path: &'a [Edge],
    steps: Vec<Substitution>,
}

/// What a path turned out to be.
enum Simulated {
    /// A run takes it and fails.
    Fails(Box<Failure>),
    /// A run takes it to where something is not supported.
    Unsupported,
    /// No run takes it.
    Impossible,
}

/// Whether a run takes the path and goes wrong in the region at its end.
fn simulate(graph: &mut Graph<'_>, path: &[Edge], budget: &Budget) -> Result<Simulated, Exhausted> {
    let steps = vec![Substitution::default(); path.len() + 1];
    let mut chain = Chain { graph, path, steps };
    chain.run(budget)
}

/// The verdict if a run takes the path.
pub(crate) fn decide(
    graph: &mut Graph<'_>,
    path: &[Edge],
    budget: &Budget,
) -> Result<Option<Verdict>, Exhausted> {
    Ok(match simulate(graph, path, budget)? {
        Simulated::Impossible => None,
        Simulated::Fails(failure) => Some(Verdict::Unsafe(*failure)),
        Simulated::Unsupported => {
            let text = graph.unsupported().unwrap_or_default();
            Some(Verdict::unknown(text))
        }
    })
}

impl Chain<'_, '_> {
    /// The number of the region at a step.
    fn region(&self, step: usize) -> usize {
        match step {
            0 => 0,
            n => self.path[n - 1].to + 1,
        }
    }

    /// What a cell holds when a step starts.
    fn content(&mut self, step: usize, cell: CellId) -> Term {
        match step {
            0 => self.graph.encoder.first_value(cell),
            n => {
                let t = self.graph.at_end(self.path[n - 1], cell);
                self.translate(n - 1, t)
            }
        }
    }

    fn translate(&mut self, step: usize, t: Term) -> Term {
        for constant in self.steps[step].missing(&self.graph.encoder.terms, t) {
            let value = match self.graph.encoder.cell_of(constant) {
                Some(cell) => self.content(step, cell),
                None if step == 0 => constant,
                None => self.graph.encoder.value_at(constant, step),
            };
            self.steps[step].insert(constant, value);
        }
        self.steps[step].apply(&mut self.graph.encoder.terms, t)
    }

    fn run(&mut self, budget: &Budget) -> Result<Simulated, Exhausted> {
        let mut solver = BitBlaster::within(budget);
        let mut whole = Region::default();
        let mut way = Terms::TRUE;
        let mut loads = 0;
        for step in 0..=self.path.len() {
            let region = self.region(step);
            let given = self.graph.given[region];
            let given = self.translate(step, given);
            way = self.graph.encoder.terms.and(way, given);
            let (asked, steps) = {
                let r = &self.graph.regions[region];
                (r.asked.clone(), r.steps.clone())
            };
            let base = (whole.asked.len(), whole.steps.len());
            loads += self.graph.regions[region].loads.len();
            for a in asked {
                budget.check(0)?;
                let guard = self.translate(step, a.guard);
                let guard = self.graph.encoder.terms.and(way, guard);
                let term = self.translate(step, a.term);
                whole.asked.push(Asked { guard, term, ..a });
            }
            for (guard, loc) in steps {
                budget.check(0)?;
                let guard = self.translate(step, guard);
                whole.steps.push((guard, loc));
            }
            if step < self.path.len() {
                let guard = self.graph.guard(self.path[step]);
                let guard = self.translate(step, guard);
                way = self.graph.encoder.terms.and(way, guard);
                if way == Terms::FALSE {
                    return Ok(Simulated::Impossible);
                }
                continue;
            }
            let obligations = self.graph.regions[region].obligations.clone();
            for o in obligations {
                budget.check(0)?;
                let fails = self.translate(step, o.fails);
                let fails = self.graph.encoder.terms.and(way, fails);
                let (choices, steps) = (base.0 + o.choices, base.1 + o.steps);
                let before = loads - self.graph.regions[region].loads.len();
                whole.obligations.push(Obligation {
                    fails,
                    choices,
                    steps,
                    loads: before + o.loads,
                    ..o
                });
            }
            let incomplete = self.graph.regions[region].incomplete.clone();
            for (guard, why) in incomplete {
                let guard = self.translate(step, guard);
                let guard = self.graph.encoder.terms.and(way, guard);
                whole.incomplete.push((guard, why));
            }
        }
        let mut failures = common::Failures::new(&mut self.graph.encoder, &mut solver, &whole);
        if let Some((n, model)) = failures.find(budget)? {
            whole.loads = self.loads();
            let failure = common::failure(&self.graph.encoder, &whole, n, &model);
            return Ok(Simulated::Fails(Box::new(failure)));
        }
        for (guard, _) in &whole.incomplete {
            let terms = &self.graph.encoder.terms;
            let lit = solver.literal(terms, *guard);
            if solver.check(terms, &[lit], budget)? == Answer::Sat {
                return Ok(Simulated::Unsupported);
            }
        }
        Ok(Simulated::Impossible)
    }

    /// What is read through pointers along the whole path.
    fn loads(&mut self) -> Vec<Asked> {
        let mut all = Vec::new();
        let mut way = Terms::TRUE;
        for step in 0..=self.path.len() {
            let region = self.region(step);
            for load in self.graph.regions[region].loads.clone() {
                let guard = self.translate(step, load.guard);
                let guard = self.graph.encoder.terms.and(way, guard);
                let term = self.translate(step, load.term);
                all.push(Asked {
                    guard,
                    term,
                    ..load
                });
            }
            if let Some(edge) = self.path.get(step) {
                let guard = self.graph.guard(*edge);
                let guard = self.translate(step, guard);
                way = self.graph.encoder.terms.and(way, guard);
            }
        }
        all
    }
}
