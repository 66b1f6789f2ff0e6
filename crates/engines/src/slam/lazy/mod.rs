//! The loop with lazy abstraction: abstractor and model checker are one. Calls are entered, programs are cut at the heads of loops only, and each
//! head has predicates of its own. Abstract states are computed as they are reached, from those that are (Henzinger, Jhala,
//! Majumdar and Sutre's lazy abstraction, on large blocks). A path that goes wrong is followed on one path through its blocks. If no run takes
//! that, the states from the first that says too little on are taken back and computed anew with the predicates that were missing.

mod path_formula;
mod refine;
mod states;

use crate::chain::decide;
use crate::common;
use crate::graph::{Edge, Graph};
use crate::induction::guess;
use crate::task::{Invariant, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::Predicate;
use cwolf_logic::{Term, Terms};
use path_formula::PathFormula;
use states::{Found, States};

/// Facts are guessed when a refinement counts something, or after so many.
const PATIENCE: usize = 12;

/// Decides a task on its graph.
pub(super) fn run(
    graph: &mut Graph<'_>,
    task: &Task<'_>,
    given: &[Predicate],
    predicates: &mut Vec<Invariant>,
    budget: &Budget,
) -> Result<Verdict, Exhausted> {
    let cuts = graph.cuts.len();
    let mut run = Lazy {
        states: States::new(graph, &vec![Terms::TRUE; cuts], budget),
        facts: None,
        refinements: 0,
    };
    for (cut, head) in graph.cuts.clone().into_iter().enumerate() {
        let func = graph.encoder.context_func(head.context);
        for one in given.iter().filter(|p| p.scope.is_none_or(|f| f == func)) {
            let known = (graph.encoder.revision(), graph.encoder.cells().count());
            let t = graph.encoder.condition_in(head.context, &one.condition);
            // What the regions do not know of has no place in them.
            let same = known == (graph.encoder.revision(), graph.encoder.cells().count());
            if same && refine::usable(graph, t) {
                run.states.add_predicate(graph, cut, t);
            }
        }
    }
    let verdict = run.search(graph, task, budget);
    let tracked =
        (0..cuts).flat_map(|cut| run.states.predicates(cut).iter().map(move |t| (cut, *t)));
    *predicates = graph.tell(&tracked.collect::<Vec<_>>());
    match verdict {
        Err(why) => Ok(Verdict::unknown(format!("{why} after {}", run.progress()))),
        verdict => verdict,
    }
}

struct Lazy {
    states: States,
    /// What holds at each cut whatever the predicates say, if that was looked for.
    facts: Option<Vec<Vec<Term>>>,
    refinements: usize,
}

impl Lazy {
    fn progress(&self) -> String {
        format!(
            "{} refinements with {} predicates",
            self.refinements,
            self.states.predicate_count()
        )
    }

    fn search(
        &mut self,
        graph: &mut Graph<'_>,
        task: &Task<'_>,
        budget: &Budget,
    ) -> Result<Verdict, Exhausted> {
        loop {
            budget.tell(|| {
                format!(
                    "slam: {}, {} abstract states",
                    self.progress(),
                    self.states.count()
                )
            });
            let path = match self.states.explore(graph, budget)? {
                Found::Path(path) => path,
                Found::Safe(invariants) => return self.proved(graph, task, invariants, budget),
            };
            let formula = PathFormula::new(graph, &path, budget)?;
            let core = match formula.core(graph, budget)? {
                Some(core) => core,
                None => {
                    let edges: Vec<Edge> = path.iter().filter_map(|s| s.edge).collect();
                    match decide(graph, &edges, budget)? {
                        Some(verdict) => return Ok(verdict),
                        None => Vec::new(),
                    }
                }
            };
            self.refinements += 1;
            let mut refined =
                refine::refine(graph, &mut self.states, &path, &formula, &core, budget)?;
            if refined.coarse.is_none() {
                refined = refine::everything(graph, &mut self.states, &path);
            }
            let stuck = refined.coarse.is_none();
            if self.facts.is_none() && (stuck || refined.counts || self.refinements > PATIENCE) {
                self.look_for_facts(graph, budget)?;
                continue;
            }
            let Some(state) = refined.coarse else {
                let text = "a path is impossible but gives no new predicates";
                return Ok(Verdict::unknown(format!(
                    "{text}, after {}",
                    self.progress()
                )));
            };
            self.states.take_back(graph, state);
        }
    }

    /// Guesses what holds at the cuts, and starts again from there.
    fn look_for_facts(&mut self, graph: &mut Graph<'_>, budget: &Budget) -> Result<(), Exhausted> {
        let facts = guess(graph, 4, budget)?;
        let known: Vec<Term> = facts
            .iter()
            .map(|f| graph.encoder.terms.and_all(f.iter().copied()))
            .collect();
        let mut states = States::new(graph, &known, budget);
        for cut in 0..graph.cuts.len() {
            for t in self.states.predicates(cut).to_vec() {
                states.add_predicate(graph, cut, t);
            }
        }
        self.states = states;
        self.facts = Some(facts);
        Ok(())
    }

    /// The proof, checked by a fresh solver.
    fn proved(
        &self,
        graph: &mut Graph<'_>,
        task: &Task<'_>,
        invariants: Vec<Vec<Term>>,
        budget: &Budget,
    ) -> Result<Verdict, Exhausted> {
        let mut all = Vec::new();
        let mut told = Vec::new();
        for (cut, mut facts) in invariants.into_iter().enumerate() {
            facts.extend(self.facts.iter().flat_map(|f| &f[cut]));
            all.push(graph.encoder.terms.and_all(facts.iter().copied()));
            facts.extend(graph.pinned(cut));
            told.extend(facts.into_iter().map(|t| (cut, t)));
        }
        if !graph.check_proof(&all, budget)? {
            return Ok(Verdict::unknown("the proof does not check"));
        }
        Ok(common::safe(task, graph.tell_fewest(&told, budget)))
    }
}
