//! k-induction over loop heads, strengthened by the guesses that hold: no way of `k` regions from
//! any state that satisfies them goes wrong, and none of up to `k` from the entry does.

use crate::candidates::{self, candidates};
use crate::common;
use crate::graph::{Graph, on_graph};
use crate::houdini::houdini;
use crate::samples::Samples;
use crate::task::{Engine, Outcome, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Answer, BitBlaster, Solver, Sort, Substitution, Term, Terms};
use rustc_hash::FxHashSet;

/// k-induction with guessed invariants.
#[derive(Clone, Copy, Debug)]
pub struct Induction {
    /// The largest `k`.
    pub depth: u32,
}

impl Default for Induction {
    fn default() -> Induction {
        Induction { depth: 24 }
    }
}

impl Engine for Induction {
    fn name(&self) -> &'static str {
        "k-induction"
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        on_graph(task, budget, |graph, _| run(self, graph, task, budget))
    }
}

fn run(
    limits: &Induction,
    graph: &mut Graph<'_>,
    task: &Task<'_>,
    budget: &Budget,
) -> Result<Verdict, Exhausted> {
    let facts = guess(graph, 2, budget)?;
    prove(limits, graph, &facts, task, budget)
}

/// Induction over loop heads where facts hold.
pub(crate) fn prove(
    limits: &Induction,
    graph: &mut Graph<'_>,
    facts: &[Vec<Term>],
    task: &Task<'_>,
    budget: &Budget,
) -> Result<Verdict, Exhausted> {
    let invariants: Vec<Term> = facts
        .iter()
        .map(|f| graph.encoder.terms.and_all(f.iter().copied()))
        .collect();
    let mut known: Vec<Term> = vec![Terms::TRUE];
    for (cut, t) in invariants.iter().enumerate() {
        let all = graph.instances(graph.region_of(cut), *t);
        known.push(graph.encoder.terms.and_all(all));
    }
    // States at each cut from which things go wrong after `k` regions.
    let mut wrong: Vec<Term> = Vec::new();
    for (region, known) in known.iter().enumerate() {
        let (bad, given) = (graph.bad[region], graph.given[region]);
        let t = graph.encoder.terms.and(bad, given);
        wrong.push(graph.encoder.terms.and(t, *known));
    }
    let mut solver = BitBlaster::within(budget);
    // What must not happen from the entry, after each number of regions so far.
    let mut from_entry: Vec<Term> = Vec::new();
    for k in 0..=limits.depth {
        budget.tell(|| format!("k-induction: k = {k}"));
        let mut open = false;
        for (region, t) in wrong.iter().enumerate() {
            let lit = solver.literal(&graph.encoder.terms, *t);
            if solver.check(&graph.encoder.terms, &[lit], budget)? == Answer::Unsat {
                continue;
            }
            if region == 0 {
                let reason = match graph.unsupported() {
                    Some(text) => text,
                    None => {
                        format!("could not prove the property by induction over {k} iterations")
                    }
                };
                return Ok(Verdict::unknown(reason));
            }
            open = true;
        }
        if !open {
            // Nothing goes wrong within k regions from the entry, nor k regions after any loop head.
            from_entry.push(wrong[0]);
            wrong[0] = graph.encoder.terms.or_all(from_entry);
            if !graph.check_regions(&invariants, &wrong, budget)? {
                return Ok(Verdict::unknown("the proof does not check"));
            }
            let facts: Vec<(usize, Term)> = facts
                .iter()
                .enumerate()
                .flat_map(|(cut, list)| list.iter().map(move |t| (cut, *t)))
                .collect();
            return Ok(common::safe(task, graph.tell_fewest(&facts, budget)));
        }
        from_entry.push(wrong[0]);
        wrong = step_back(graph, &wrong, &known, budget)?;
    }
    Ok(Verdict::unknown(format!(
        "no proof by induction over {} loop heads",
        limits.depth
    )))
}

/// Facts at each cut, found in at most one in `share` parts of the time that is left.
pub(crate) fn guess(
    graph: &mut Graph<'_>,
    share: u32,
    budget: &Budget,
) -> Result<Vec<Vec<Term>>, Exhausted> {
    let part = match budget.time_left() {
        Some(left) => budget.clone().timeout(left / share),
        None => budget.clone(),
    };
    let attempt = |graph: &mut Graph<'_>| {
        let samples = Samples::take(graph, &part)?;
        let guesses = guesses(graph, &samples);
        houdini(graph, guesses, &part)
    };
    match attempt(graph) {
        Ok(facts) => Ok(facts),
        // Without guesses, then.
        Err(_) => budget.check(0).map(|()| vec![Vec::new(); graph.cuts.len()]),
    }
}

/// Guesses for each cut.
pub(crate) fn guesses(graph: &mut Graph<'_>, samples: &Samples) -> Vec<Vec<Term>> {
    let own: Vec<Vec<Term>> = (0..graph.cuts.len())
        .map(|cut| candidates(graph, samples, cut))
        .collect();
    let own = carry(graph, samples, own);
    spread(graph, samples, &own)
}

/// What is guessed at one loop head, said of the cells that get their values from there on the way to the next: the
/// arguments of a function that has the next loop.
fn carry(graph: &mut Graph<'_>, samples: &Samples, mut own: Vec<Vec<Term>>) -> Vec<Vec<Term>> {
    const MOST: usize = 400;
    let edges = graph.edges.clone();
    let between = edges
        .iter()
        .filter(|e| e.region > 0 && e.region - 1 != e.to);
    for edge in between {
        let roots = candidates::roots(graph, graph.region_of(edge.to));
        let mut names: Vec<(Term, Term)> = Vec::new();
        for cell in candidates::cells(graph, &roots) {
            let (constant, value) = (graph.encoder.constant_of(cell), graph.at_end(*edge, cell));
            let plain = graph.encoder.cell_of(value).is_some();
            if plain && value != constant && names.iter().all(|(from, _)| *from != value) {
                names.push((value, constant));
            }
        }
        if names.is_empty() {
            continue;
        }
        let mut renamed = Substitution::new(names.iter().copied());
        let known: FxHashSet<Term> = own[edge.to].iter().copied().collect();
        let mut new = Vec::new();
        for t in own[edge.region - 1].clone().into_iter().take(MOST) {
            let there = renamed.apply(&mut graph.encoder.terms, t);
            if there != t && !known.contains(&there) {
                new.push(there);
            }
        }
        let new = samples.admit(graph, edge.to, new);
        own[edge.to].extend(new);
    }
    own
}

/// What is guessed at one loop head may hold at others too.
fn spread(graph: &mut Graph<'_>, samples: &Samples, own: &[Vec<Term>]) -> Vec<Vec<Term>> {
    const MOST: usize = 1200;
    let total: usize = own.iter().map(Vec::len).sum();
    if total > MOST {
        return own.to_vec();
    }
    let mut shared = Vec::new();
    for (cut, mine) in own.iter().enumerate() {
        let known: FxHashSet<Term> = mine.iter().copied().collect();
        let mut more = FxHashSet::default();
        let others = own.iter().flatten().copied();
        let new: Vec<Term> = others
            .filter(|t| !known.contains(t) && more.insert(*t))
            .collect();
        let mut list = mine.clone();
        list.extend(samples.admit(graph, cut, new));
        shared.push(list);
    }
    shared
}

/// The states from which one more region leads into `wrong`, where what is known of regions holds.
fn step_back(
    graph: &mut Graph<'_>,
    wrong: &[Term],
    known: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Exhausted> {
    let renamed: Vec<Term> = wrong.iter().map(|t| rename_inputs(graph, *t)).collect();
    let mut next = vec![Terms::FALSE; wrong.len()];
    for edge in graph.edges.clone() {
        budget.check(0)?;
        let target = renamed[graph.region_of(edge.to)];
        if target == Terms::FALSE {
            continue;
        }
        let then = graph.before(edge, target);
        let guard = graph.guard(edge);
        let mut t = graph.encoder.terms.and(guard, then);
        t = graph.encoder.terms.and(t, graph.given[edge.region]);
        t = graph.encoder.terms.and(t, known[edge.region]);
        next[edge.region] = graph.encoder.terms.or(next[edge.region], t);
    }
    Ok(next)
}

/// `t` with new constants for the values that its region asks for.
pub(crate) fn rename_inputs(graph: &mut Graph<'_>, t: Term) -> Term {
    let mut pairs = Vec::new();
    for constant in graph.encoder.terms.constants(&[t]) {
        if graph.encoder.cell_of(constant).is_some() || graph.encoder.is_base(constant) {
            continue;
        }
        let name = graph.encoder.terms.name(constant).unwrap_or("").to_owned();
        let sort: Sort = graph.encoder.terms.sort(constant);
        let hint = name.split('!').next().unwrap_or("in").to_owned();
        let fresh = graph.encoder.terms.fresh(&hint, sort);
        pairs.push((constant, fresh));
    }
    Substitution::new(pairs).apply(&mut graph.encoder.terms, t)
}
