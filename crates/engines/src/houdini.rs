//! Which guesses really hold: all are assumed, those that a step loses are dropped, until the rest
//! is inductive (Flanagan and Leino's Houdini).

use crate::graph::{Edge, Graph, Local};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Answer, Lit, Solver, Term};

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
    loop {
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
        let mut clause: Vec<Lit> = after.iter().map(|(_, l)| !*l).collect();
        clause.push(!active);
        local.solver.clause(&clause);
        assumptions.push(active);
        let answer =
            local
                .solver
                .check_limited(&graph.encoder.terms, &assumptions, Some(20_000), budget)?;
        match answer {
            Answer::Unsat => break,
            Answer::Sat => {
                let keep: Vec<bool> = after.iter().map(|(_, l)| local.solver.value(*l)).collect();
                let mut keep = keep.into_iter();
                after.retain(|_| keep.next().unwrap_or(false));
            }
            // Too hard to say: the hard ones are those with the largest circuits, but which?
            // Drop the newest half and go on with the rest.
            Answer::Unknown => after.truncate(after.len() / 2),
        }
        local.solver.clause(&[!active]);
        if after.is_empty() {
            break;
        }
    }
    guesses[edge.to] = after.into_iter().map(|(t, _)| t).collect();
    Ok(())
}
