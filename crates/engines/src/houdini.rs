//! Which guesses really hold: all are assumed, those that a step loses are dropped, until the rest
//! is inductive (Flanagan and Leino's Houdini).

use crate::graph::{Edge, Graph, Local};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Answer, Lit, Solver, Term};
use rustc_hash::FxHashSet;

/// Effort to see that a region keeps several guesses, and that it keeps one.
const MANY: u32 = 10_000;
const ONE: u32 = 5_000;

/// For each cut, the guesses that hold whenever control comes there.
pub(crate) fn houdini(
    graph: &mut Graph<'_>,
    mut guesses: Vec<Vec<Term>>,
    budget: &Budget,
) -> Result<Vec<Vec<Term>>, Exhausted> {
    let mut locals: Vec<Local> = (0..graph.regions.len())
        .map(|r| Local::new(graph, r, budget))
        .collect();
    let edges = graph.edges.clone();
    let mut due: Vec<bool> = vec![true; edges.len()];
    // Entry edges first: they drop most.
    while let Some(n) = due.iter().position(|d| *d) {
        due[n] = false;
        let edge = edges[n];
        let before = guesses[edge.to].len();
        drop_lost(graph, &mut locals[edge.region], edge, &mut guesses, budget)?;
        if guesses[edge.to].len() < before {
            for (m, other) in edges.iter().enumerate() {
                due[m] |= other.region == graph.region_of(edge.to);
            }
        }
        let left: usize = guesses.iter().map(Vec::len).sum();
        budget.tell(|| format!("guessing invariants: {left} left"));
    }
    Ok(guesses)
}

/// Drops the guesses at the end of an edge that do not follow from those at its start.
fn drop_lost(
    graph: &mut Graph<'_>,
    local: &mut Local,
    edge: Edge,
    guesses: &mut [Vec<Term>],
    budget: &Budget,
) -> Result<(), Exhausted> {
    let guard = graph.guard(edge);
    let guard = local.lit(graph, guard);
    let mut after: Vec<(Term, Lit)> = Vec::new();
    for t in guesses[edge.to].clone() {
        budget.check(0)?;
        let then = graph.before(edge, t);
        let lit = local.lit(graph, then);
        after.push((t, lit));
    }
    // Those whose negations are asked together: halves, where all at once are too many.
    let mut groups: Vec<Vec<(Term, Lit)>> = vec![after.clone()];
    while let Some(mut group) = groups.pop() {
        let left: FxHashSet<Term> = after.iter().map(|(t, _)| *t).collect();
        group.retain(|(t, _)| left.contains(t));
        if group.is_empty() {
            continue;
        }
        let mut assumptions = vec![guard];
        if edge.region > 0 {
            let source = edge.region - 1;
            // A guess that was just dropped here counts no longer.
            let kept: Vec<Term> = match source == edge.to {
                true => after.iter().map(|(t, _)| *t).collect(),
                false => guesses[source].clone(),
            };
            for t in kept {
                assumptions.push(local.holds(graph, t));
            }
        }
        let active = local.solver.fresh();
        let mut clause: Vec<Lit> = group.iter().map(|(_, l)| !*l).collect();
        clause.push(!active);
        local.solver.clause(&clause);
        assumptions.push(active);
        let limit = if group.len() > 1 { MANY } else { ONE };
        let answer =
            local
                .solver
                .check_limited(&graph.encoder.terms, &assumptions, Some(limit), budget)?;
        match answer {
            Answer::Unsat => {}
            Answer::Sat => {
                let keep: Vec<bool> = after.iter().map(|(_, l)| local.solver.value(*l)).collect();
                let mut keep = keep.into_iter();
                after.retain(|_| keep.next().unwrap_or(false));
                groups.push(group);
            }
            // Too hard to say of one: it is dropped. Of several: most are easy by themselves.
            Answer::Unknown => match group.len() {
                1 => after.retain(|one| *one != group[0]),
                n => {
                    let rest = group.split_off(n / 2);
                    groups.extend([rest, group]);
                }
            },
        }
        local.solver.clause(&[!active]);
    }
    guesses[edge.to] = after.into_iter().map(|(t, _)| t).collect();
    Ok(())
}
