//! Predicates that exclude a path which no run takes: what the few conditions that contradict each other say at the cuts that
//! the path passes. No other condition of the path becomes a predicate.

use super::path_formula::PathFormula;
use super::states::{States, Step};
use crate::graph::Graph;
use crate::slam::atoms::{atoms, compared, size};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Answer, BinOp, BitBlaster, Lit, Node, Solver, Sort, Term, Terms};

/// A comparison of more parts is no predicate.
const SIZE: usize = 80;
/// A number that is compared with so many others counts something.
const REPEATED: usize = 4;

/// What a refinement came to.
pub(super) struct Refined {
    /// The first state of the path that does not say enough.
    pub(super) coarse: Option<usize>,
    /// Something is counted.
    pub(super) counts: bool,
}

/// Makes what a core of the path formula's conditions says at each cut predicates there.
pub(super) fn refine(
    graph: &mut Graph<'_>,
    states: &mut States,
    path: &[Step],
    formula: &PathFormula,
    core: &[usize],
    budget: &Budget,
) -> Result<Refined, Exhausted> {
    let mut refined = Refined {
        coarse: None,
        counts: false,
    };
    let mut solver = BitBlaster::within(budget);
    for n in (1..path.len()).rev() {
        let state = path[n].state.expect("only the first step has none");
        let said: Vec<Term> = core
            .iter()
            .map(|c| &formula.conditions[*c])
            .filter(|c| c.step >= n)
            .map(|c| c.at[n])
            .collect();
        if said.is_empty() {
            continue;
        }
        // What contradicts itself needs no help from what came before.
        let literals: Vec<Lit> = said
            .iter()
            .map(|t| solver.literal(&graph.encoder.terms, *t))
            .collect();
        if solver.check(&graph.encoder.terms, &literals, budget)? == Answer::Unsat {
            break;
        }
        for t in said {
            let mut found = Vec::new();
            for atom in atoms(&mut graph.encoder.terms, t) {
                match usable(graph, atom) {
                    true => found.push(atom),
                    // It speaks of values that come later: what is known here is what matters then.
                    false => found.extend(values(graph, path, formula, n, atom)),
                }
            }
            for t in found {
                refined.need(graph, states, state, t);
            }
        }
    }
    Ok(refined)
}

/// All conditions of the regions on the path: a last resort.
pub(super) fn everything(graph: &mut Graph<'_>, states: &mut States, path: &[Step]) -> Refined {
    let mut refined = Refined {
        coarse: None,
        counts: false,
    };
    for step in path.iter().rev() {
        let Some(state) = step.state else {
            continue;
        };
        let mut roots = vec![graph.bad[step.region]];
        roots.extend(graph.regions[step.region].exits.iter().map(|e| e.guard));
        for t in graph.atoms(&roots) {
            if usable(graph, t) {
                refined.need(graph, states, state, t);
            }
        }
    }
    refined
}

impl Refined {
    /// A state must say something about a predicate.
    fn need(&mut self, graph: &mut Graph<'_>, states: &mut States, state: usize, t: Term) {
        if states.tracks(graph, state, t) {
            return;
        }
        self.coarse = Some(state);
        let cut = states.cut(state);
        if states.add_predicate(graph, cut, t) {
            self.counts |= generalise(graph, states, cut, t);
        }
    }
}

/// Whether a term is worth being a predicate.
pub(super) fn usable(graph: &Graph<'_>, t: Term) -> bool {
    t != Terms::TRUE
        && t != Terms::FALSE
        && graph.is_about_state(t)
        && size(&graph.encoder.terms, t, SIZE) <= SIZE
}

/// What the cells of a term hold at a step, where the path makes them constants.
fn values(
    graph: &mut Graph<'_>,
    path: &[Step],
    formula: &PathFormula,
    n: usize,
    t: Term,
) -> Vec<Term> {
    let mut found = Vec::new();
    for c in graph.encoder.terms.constants(&[t]) {
        if graph.encoder.cell_of(c).is_none() {
            continue;
        }
        let value = formula.first(graph, path, n, c);
        let terms = &mut graph.encoder.terms;
        if matches!(terms.node(value), Node::Bv { .. }) {
            found.push(terms.eq(c, value));
        }
    }
    found.retain(|t| usable(graph, *t));
    found
}

/// A number that is compared with ever more constants is bounded by them too: else each round of a loop would give one
/// predicate more. Whether it is such a number.
fn generalise(graph: &mut Graph<'_>, states: &mut States, cut: usize, t: Term) -> bool {
    let Some((x, k)) = compared(&graph.encoder.terms, t) else {
        return false;
    };
    let terms = &graph.encoder.terms;
    let alike = states.predicates(cut).iter();
    let alike = alike.filter(|p| compared(terms, **p).is_some_and(|(y, _)| x == y));
    if alike.count() < REPEATED {
        return false;
    }
    let unsigned = matches!(terms.node(t), Node::Bin(BinOp::Ult, ..));
    let mut partners = bounds(graph, cut, x);
    // What the program itself compares with is a name for a state, not a count.
    if partners.contains(&k) {
        return false;
    }
    partners.truncate(REPEATED);
    partners.push(k);
    for y in partners {
        let terms = &mut graph.encoder.terms;
        let ways = match unsigned {
            true => [terms.ult(x, y), terms.ult(y, x)],
            false => [terms.slt(x, y), terms.slt(y, x)],
        };
        for t in ways {
            if usable(graph, t) {
                states.add_predicate(graph, cut, t);
            }
        }
    }
    true
}

/// What the region from a cut compares a number with.
fn bounds(graph: &mut Graph<'_>, cut: usize, x: Term) -> Vec<Term> {
    let region = graph.region_of(cut);
    let mut roots = vec![graph.bad[region]];
    roots.extend(graph.regions[region].exits.iter().map(|e| e.guard));
    let mut found = Vec::new();
    for t in graph.atoms(&roots) {
        let terms = &graph.encoder.terms;
        if let Node::Bin(BinOp::Eq | BinOp::Ult | BinOp::Slt, a, b) = terms.node(t)
            && matches!(terms.sort(a), Sort::Bv(_))
        {
            found.extend(
                (a == x)
                    .then_some(b)
                    .into_iter()
                    .chain((b == x).then_some(a)),
            );
        }
    }
    found.retain(|t| graph.is_about_state(*t));
    found.sort_unstable();
    found.dedup();
    found
}
