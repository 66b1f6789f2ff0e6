//! Interpolation-based model checking (McMillan, 2003) over regions. What one region reaches is enlarged to an interpolant: something
//! that still excludes every failure within the next `k` regions. From there one more region is followed, and so on, until nothing
//! new is reached. If an enlarged state can fail, `k` grows. What is known at the cuts anyway is given to both sides; clauses of
//! interpolants that turn out to hold always are known from then on.

mod image;
mod unroll;

use crate::chain::decide;
use crate::common;
use crate::graph::{Edge, Graph, on_graph};
use crate::houdini::houdini;
use crate::induction::guess;
use crate::task::{Engine, Outcome, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Against, Answer, BitBlaster, Interpolated, Solver, Term, Terms, interpolate};
use image::{Image, Steps};
use unroll::Unrolling;

/// Interpolation-based model checking.
#[derive(Clone, Copy, Debug)]
pub struct Imc {
    /// Guess invariants first.
    pub guess: bool,
}

impl Default for Imc {
    fn default() -> Imc {
        Imc { guess: true }
    }
}

/// An interpolant of more clauses counts something out.
const CLAUSES: usize = 120;
/// So many steps without an end are enough for one `k`.
const ROUNDS: usize = 40;
/// So many clauses are tried as facts at a cut.
const FACTS: usize = 200;

impl Engine for Imc {
    fn name(&self) -> &'static str {
        "imc"
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        on_graph(task, budget, |graph, _| {
            if let Some(verdict) = decide(graph, &[], budget)? {
                return Ok(verdict);
            }
            let mut facts = vec![Vec::new(); graph.cuts.len()];
            if self.guess {
                facts = guess(graph, 4, budget)?;
            }
            Search::new(graph, facts, budget).run(graph, task, budget)
        })
    }
}

/// What came of one `k`.
enum Found {
    /// What holds at each cut.
    Proved(Vec<Term>),
    /// An answer.
    Decided(Verdict),
    /// States that are not reached may fail: more regions must be looked at.
    Deeper,
}

struct Search {
    /// What holds at each cut.
    facts: Vec<Vec<Term>>,
    /// Clauses that held of what was reached in some steps.
    learnt: Vec<Vec<Term>>,
    /// What follows each cut.
    after: Vec<Unrolling>,
    steps: Steps,
}

impl Search {
    fn new(graph: &mut Graph<'_>, facts: Vec<Vec<Term>>, budget: &Budget) -> Search {
        let known: Vec<Term> = facts
            .iter()
            .map(|f| graph.encoder.terms.and_all(f.iter().copied()))
            .collect();
        let steps = Steps::new(graph, &known, budget);
        let cuts = known.iter().enumerate();
        let after = cuts.map(|(cut, t)| Unrolling::new(graph, cut, *t, budget));
        Search {
            learnt: vec![Vec::new(); facts.len()],
            after: after.collect(),
            steps,
            facts,
        }
    }

    fn run(
        mut self,
        graph: &mut Graph<'_>,
        task: &Task<'_>,
        budget: &Budget,
    ) -> Result<Verdict, Exhausted> {
        let mut k = 1;
        loop {
            match self.reach(graph, k, budget)? {
                Found::Proved(reached) => return self.proved(graph, task, &reached, budget),
                Found::Decided(verdict) => return Ok(verdict),
                Found::Deeper => {}
            }
            self.keep_facts(graph, budget)?;
            k += k.div_ceil(3);
        }
    }

    /// Enlarges what is reached, step by step.
    fn reach(
        &mut self,
        graph: &mut Graph<'_>,
        k: usize,
        budget: &Budget,
    ) -> Result<Found, Exhausted> {
        let cuts = graph.cuts.len();
        let mut reached = vec![Terms::FALSE; cuts];
        let mut from: Option<Vec<Term>> = None;
        for round in 0..ROUNDS {
            let clauses: usize = self.learnt.iter().map(Vec::len).sum();
            budget.tell(|| {
                format!("interpolation: {k} regions ahead, step {round}, {clauses} clauses")
            });
            let mut next = Vec::new();
            for cut in 0..cuts {
                let after = &mut self.after[cut];
                while after.depth() < k {
                    after.extend(graph, budget)?;
                }
                let mut image = Image::new(graph, &mut self.steps, from.as_deref(), cut);
                let against = Against {
                    formula: after.any,
                    solver: &mut after.solver,
                    clauses: CLAUSES,
                };
                match interpolate(&mut image, against, budget)? {
                    Interpolated::Clauses(clauses) => {
                        next.push(graph.encoder.terms.and_all(clauses.iter().copied()));
                        self.learn(cut, clauses);
                    }
                    Interpolated::Consistent(model) if from.is_none() => {
                        let first = image.reached.into_iter();
                        let rest = after.path(graph, &model).unwrap_or_default();
                        let path: Vec<Edge> = first.chain(rest).collect();
                        let verdict = decide(graph, &path, budget)?;
                        let lost = "a failing path of regions has no run";
                        return Ok(Found::Decided(verdict.unwrap_or(Verdict::unknown(lost))));
                    }
                    Interpolated::Consistent(_) | Interpolated::TooMany => {
                        return Ok(Found::Deeper);
                    }
                }
            }
            if !self.is_new(graph, &next, &reached, budget)? {
                return Ok(Found::Proved(reached));
            }
            for (all, new) in reached.iter_mut().zip(&next) {
                *all = graph.encoder.terms.or(*all, *new);
            }
            from = Some(next);
        }
        Ok(Found::Deeper)
    }

    fn learn(&mut self, cut: usize, clauses: Vec<Term>) {
        for t in clauses {
            let known = &mut self.learnt[cut];
            if t != Terms::FALSE && !known.contains(&t) {
                known.push(t);
            }
        }
    }

    /// Whether there is a state in `next` that is not in `reached`.
    fn is_new(
        &self,
        graph: &mut Graph<'_>,
        next: &[Term],
        reached: &[Term],
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        for (cut, (next, reached)) in next.iter().zip(reached).enumerate() {
            let terms = &mut graph.encoder.terms;
            let not = terms.not(*reached);
            let facts = self.facts[cut].iter().copied();
            let new = terms.and_all(facts.chain([*next, not]));
            let mut solver = BitBlaster::within(budget);
            solver.assert(terms, new);
            if solver.check(terms, &[], budget)? == Answer::Sat {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Clauses that hold always are facts.
    fn keep_facts(&mut self, graph: &mut Graph<'_>, budget: &Budget) -> Result<(), Exhausted> {
        let mut guesses = self.facts.clone();
        for (list, learnt) in guesses.iter_mut().zip(&mut self.learnt) {
            // The newest ones looked furthest ahead.
            let old = learnt.len().saturating_sub(FACTS);
            list.extend(learnt.drain(..).skip(old));
        }
        let kept = houdini(graph, guesses, budget)?;
        for (cut, list) in kept.into_iter().enumerate() {
            for t in list {
                if !self.facts[cut].contains(&t) {
                    self.facts[cut].push(t);
                    self.steps.learn(graph, cut, t);
                    self.after[cut].learn(graph, t);
                }
            }
        }
        Ok(())
    }

    /// The proof, checked by a fresh solver.
    fn proved(
        &self,
        graph: &mut Graph<'_>,
        task: &Task<'_>,
        reached: &[Term],
        budget: &Budget,
    ) -> Result<Verdict, Exhausted> {
        let mut all = Vec::new();
        let mut told = Vec::new();
        for (cut, t) in reached.iter().enumerate() {
            let facts = self.facts[cut].iter().copied();
            all.push(graph.encoder.terms.and_all(facts.clone().chain([*t])));
            let parts = graph.encoder.terms.conjuncts(*t);
            told.extend(parts.into_iter().chain(facts).map(|t| (cut, t)));
        }
        if !graph.check_proof(&all, budget)? {
            return Ok(Verdict::unknown("the proof does not check"));
        }
        Ok(common::safe(task, graph.tell_fewest(&told, budget)))
    }
}
