//! New predicates from an abstract path that no run takes. From the failure backwards, each step
//! adds the conditions that it needs, and what was needed after it is pulled through its
//! assignments. Where a needed condition is false in the step that the abstraction believed in,
//! the abstraction did not know it: it and what it came from become predicates.

use super::frames::{Frames, Path};
use super::usable;
use crate::candidates;
use crate::graph::Graph;
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{BinOp, Justify, Node, Sort, Substitution, Term, Terms};

/// A needed condition at a cut, and the one at the next cut that it came from.
struct Need {
    literal: Term,
    from: Option<usize>,
}

/// Adds predicates that exclude the path; false if there are none to add.
pub(super) fn refine(
    graph: &mut Graph<'_>,
    frames: &mut Frames,
    path: &Path,
    budget: &Budget,
) -> Result<bool, Exhausted> {
    for values in [false, true] {
        budget.check(0)?;
        if attempt(graph, frames, path, values) {
            return Ok(true);
        }
    }
    // Whatever conditions the regions on the path have.
    let mut added = false;
    for step in &path.steps {
        let Some(cut) = step.cut else {
            continue;
        };
        let roots = candidates::roots(graph, graph.region_of(cut));
        for t in graph.atoms(&roots) {
            if usable(graph, t) {
                added |= frames.add_predicate(graph, cut, t);
            }
        }
    }
    Ok(added)
}

/// With `values`, open values count as those of the step's model; else conditions on them are
/// left out.
fn attempt(graph: &mut Graph<'_>, frames: &mut Frames, path: &Path, values: bool) -> bool {
    let count = path.steps.len();
    let mut needs: Vec<Vec<Need>> = (0..count).map(|_| Vec::new()).collect();
    let mut added = false;
    for at in (0..count).rev() {
        let step = &path.steps[at];
        let region = step.cut.map_or(0, |c| graph.region_of(c));
        let mut justify = Justify::new(&step.model);
        let own = match step.edge {
            Some(edge) => graph.guard(edge),
            None => graph.bad[region],
        };
        let mut literals = Vec::new();
        justify.literals(&mut graph.encoder.terms, own, &mut literals);
        let mut found: Vec<Need> = Vec::new();
        for literal in literals {
            push(graph, &step.model, values, literal, None, &mut found);
        }
        let mut broken = Vec::new();
        if let Some(edge) = step.edge {
            let after: Vec<Term> = needs[at + 1].iter().map(|n| n.literal).collect();
            for (n, literal) in after.into_iter().enumerate() {
                let then = graph.before(edge, literal);
                if !justify.holds(&graph.encoder.terms, then) {
                    broken.push(n);
                    continue;
                }
                let mut literals = Vec::new();
                justify.literals(&mut graph.encoder.terms, then, &mut literals);
                for literal in literals {
                    push(graph, &step.model, values, literal, Some(n), &mut found);
                }
            }
        }
        needs[at] = found;
        if broken.is_empty() {
            continue;
        }
        for n in broken {
            added |= follow(graph, frames, path, &needs, at + 1, n);
        }
        if added {
            return true;
        }
    }
    added
}

fn push(
    graph: &mut Graph<'_>,
    model: &cwolf_logic::Model,
    values: bool,
    literal: Term,
    from: Option<usize>,
    found: &mut Vec<Need>,
) {
    let mut literal = literal;
    if !graph.is_about_state(literal) {
        if !values {
            return;
        }
        let mut pairs = Vec::new();
        for c in graph.encoder.terms.constants(&[literal]) {
            if graph.encoder.cell_of(c).is_some() {
                continue;
            }
            if let Sort::Bv(width) = graph.encoder.terms.sort(c) {
                let value = model.bv(&graph.encoder.terms, c);
                pairs.push((c, graph.encoder.terms.bv(width, value)));
            }
        }
        literal = Substitution::new(pairs).apply(&mut graph.encoder.terms, literal);
    }
    if literal == Terms::TRUE || found.iter().any(|f| f.literal == literal) {
        return;
    }
    found.push(Need { literal, from });
}

/// Makes a needed condition and those that it came from predicates of their cuts.
fn follow(
    graph: &mut Graph<'_>,
    frames: &mut Frames,
    path: &Path,
    needs: &[Vec<Need>],
    at: usize,
    n: usize,
) -> bool {
    let mut added = false;
    let mut here = Some(n);
    for (step, list) in path.steps.iter().zip(needs).skip(at) {
        let Some(n) = here else {
            break;
        };
        let need = &list[n];
        if let Some(cut) = step.cut
            && usable(graph, need.literal)
        {
            added |= frames.add_predicate(graph, cut, need.literal);
            added |= widen(graph, frames, cut, need.literal);
        }
        here = need.from;
    }
    added
}

/// A counter that was compared with several numbers is bounded by them too: without that, a loop
/// would give a new equation in each round.
fn widen(graph: &mut Graph<'_>, frames: &mut Frames, cut: usize, literal: Term) -> bool {
    let (atom, _) = graph.encoder.terms.strip(literal);
    let Node::Bin(BinOp::Eq, x, k) = graph.encoder.terms.node(atom) else {
        return false;
    };
    if graph.encoder.terms.as_bv(k).is_none() {
        return false;
    }
    let terms = &graph.encoder.terms;
    let alike = frames.predicates(cut).iter().filter(|p| {
        matches!(terms.node(**p), Node::Bin(BinOp::Eq, y, m) if y == x && terms.as_bv(m).is_some())
    });
    if alike.count() < 4 {
        return false;
    }
    let terms = &mut graph.encoder.terms;
    let bounds = [
        terms.slt(x, k),
        terms.slt(k, x),
        terms.ult(x, k),
        terms.ult(k, x),
    ];
    let mut added = false;
    for t in bounds {
        if usable(graph, t) {
            added |= frames.add_predicate(graph, cut, t);
        }
    }
    added
}
