//! Predicate abstraction over regions. The abstract states at a loop head are valuations of the
//! predicates that belong to it; which of them are reachable is learnt lazily, as clauses over the
//! predicates, level by level from the entry (IC3 with implicit predicate abstraction). An
//! abstract path to a failure is made concrete; if no run takes it, the weakest preconditions of
//! the conditions along it give new predicates for the loop heads that it passes.

mod frames;
mod refine;

use crate::candidates;
use crate::chain::decide;
use crate::common;
use crate::graph::{Edge, Graph, on_graph};
use crate::induction::guess;
use crate::task::{Engine, Invariant, Outcome, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Term, Terms};
use frames::{Blocked, Frames};

/// Predicate abstraction.
#[derive(Clone, Copy, Debug)]
pub struct Ic3 {
    /// Guess invariants first.
    pub guess: bool,
}

impl Default for Ic3 {
    fn default() -> Ic3 {
        Ic3 { guess: true }
    }
}

/// Conditions of the program are predicates from the start, unless there are more.
const SEEDS: usize = 60;

impl Engine for Ic3 {
    fn name(&self) -> &'static str {
        "ic3"
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        on_graph(task, budget, |graph, predicates| {
            run(self, graph, task, predicates, budget)
        })
    }
}

fn run(
    options: &Ic3,
    graph: &mut Graph<'_>,
    task: &Task<'_>,
    predicates: &mut Vec<Invariant>,
    budget: &Budget,
) -> Result<Verdict, Exhausted> {
    if let Some(verdict) = decide(graph, &[], budget)? {
        return Ok(verdict);
    }
    let mut facts = vec![Vec::new(); graph.cuts.len()];
    if options.guess {
        facts = guess(graph, 4, budget)?;
    }
    let known: Vec<Term> = facts
        .iter()
        .map(|f| graph.encoder.terms.and_all(f.iter().copied()))
        .collect();
    let mut frames = Frames::new(graph, &known, budget);
    for cut in 0..graph.cuts.len() {
        let roots = candidates::roots(graph, graph.region_of(cut));
        let atoms = graph.atoms(&roots);
        let seeds: Vec<Term> = atoms
            .into_iter()
            .filter(|a| graph.is_about_state(*a))
            .collect();
        if seeds.len() <= SEEDS {
            for t in seeds {
                frames.add_predicate(graph, cut, t);
            }
        }
    }
    let verdict = search(graph, &mut frames, &facts, task, budget);
    let cuts = 0..graph.cuts.len();
    let tracked = cuts.flat_map(|cut| frames.predicates(cut).iter().map(move |t| (cut, *t)));
    *predicates = graph.tell(&tracked.collect::<Vec<_>>());
    verdict
}

/// Extends the frames, with more predicates where they are too coarse, until there is an answer.
/// The facts hold at the cuts.
fn search(
    graph: &mut Graph<'_>,
    frames: &mut Frames,
    facts: &[Vec<Term>],
    task: &Task<'_>,
    budget: &Budget,
) -> Result<Verdict, Exhausted> {
    let mut refinements = 0u32;
    loop {
        budget.tell(|| {
            format!(
                "predicate abstraction: {} predicates, {} clauses, depth {}, {refinements} refinements",
                frames.predicate_count(),
                frames.lemma_count(),
                frames.depth()
            )
        });
        match frames.extend(graph, budget)? {
            Blocked::Proved(invariants) => {
                let mut all = Vec::new();
                let mut facts_told = Vec::new();
                for (cut, t) in invariants.iter().enumerate() {
                    let known = facts[cut].iter().copied();
                    all.push(graph.encoder.terms.and_all(known.chain([*t])));
                    facts_told.push((cut, *t));
                    facts_told.extend(facts[cut].iter().map(|f| (cut, *f)));
                }
                if !graph.check_proof(&all, budget)? {
                    return Ok(Verdict::unknown("the proof does not check"));
                }
                return Ok(common::safe(task, graph.tell_fewest(&facts_told, budget)));
            }
            Blocked::Deeper => {}
            Blocked::Path(path) => {
                let edges: Vec<Edge> = path.edges();
                if let Some(verdict) = decide(graph, &edges, budget)? {
                    return Ok(verdict);
                }
                refinements += 1;
                if !refine::refine(graph, frames, &path, budget)? {
                    return Ok(Verdict::unknown(
                        "a path is impossible but gives no new predicates",
                    ));
                }
            }
        }
    }
}

/// Whether a term is worth being a predicate.
fn usable(graph: &Graph<'_>, t: Term) -> bool {
    t != Terms::TRUE && t != Terms::FALSE && graph.is_about_state(t)
}
