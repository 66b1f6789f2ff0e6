//! Facts about all elements of arrays (Flanagan and Qadeer, 2002): a constant that is nowhere else stands for every
//! index, so that a fact at a loop head is a plain term. What a region keeps is shown for that constant, and what
//! holds before is known for it and for the indices that the region itself uses.

mod guess;
mod ordered;

use crate::graph::{Graph, on_graph};
use crate::houdini::houdini;
use crate::induction::{self, Induction, prove};
use crate::samples::Samples;
use crate::task::{Engine, Outcome, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::{Expr, ExprKind, Place, Program, Step};
use cwolf_logic::{Sort, Term};
use guess::Effort;
use rustc_hash::FxHashSet;

/// Induction with facts about all elements of arrays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elements;

const NONE: &str = "no elements of long arrays matter";
/// Rounds of loops that induction looks at.
const DEPTH: u32 = 2;

impl Engine for Elements {
    fn name(&self) -> &'static str {
        "elements"
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        if !may_have_arrays(task) {
            return Outcome::unknown(NONE);
        }
        on_graph(task, budget, |graph, _| run(graph, task, budget))
    }
}

fn run(graph: &mut Graph<'_>, task: &Task<'_>, budget: &Budget) -> Result<Verdict, Exhausted> {
    let relevant = graph.relevant();
    let is_array = |c: &_| matches!(graph.encoder.cell_sort(*c), Sort::Array { .. });
    if !relevant.iter().any(is_array) {
        return Ok(Verdict::unknown(NONE));
    }
    let every = graph.quantify();
    let samples = Samples::take(graph, budget)?;
    let scalar = induction::guesses(graph, &samples);
    let mut facts: Vec<Vec<Term>> = vec![Vec::new(); graph.cuts.len()];
    let limits = Induction { depth: DEPTH };
    for effort in Effort::ALL {
        let about_all = guess::guesses(graph, every, effort);
        let new = scalar.iter().zip(about_all);
        for (cut, (scalar, about_all)) in new.enumerate() {
            let known = &mut facts[cut];
            // What did not hold without the new facts may hold with them.
            let mut seen: FxHashSet<Term> = known.iter().copied().collect();
            let new = scalar.iter().copied().chain(about_all);
            known.extend(
                new.filter(|t| seen.insert(*t))
                    .filter(|t| graph.matters(cut, *t)),
            );
        }
        facts = houdini(graph, facts, budget)?;
        let verdict = prove(&limits, graph, &facts, task, budget)?;
        if verdict.is_decided() {
            return Ok(verdict);
        }
    }
    Ok(Verdict::unknown(
        "no facts about all elements of arrays prove it",
    ))
}

/// Whether code that a run may come to looks at elements of long arrays.
fn may_have_arrays(task: &Task<'_>) -> bool {
    let program: &Program = task.program;
    let reached = task.program.calls().reachable(&[task.entry]);
    reached.into_iter().any(|func| {
        let mut found = false;
        let mut look = |e: &Expr| {
            let walks = matches!(e.kind, ExprKind::PtrAdd { .. });
            let indexed = matches!(&e.kind, ExprKind::Load { place, .. } | ExprKind::AddrOf(place) if is_indexed(place));
            found |= walks || indexed;
        };
        if let Some(body) = &program.funcs[func].body {
            body.for_each_expr(&mut |e| e.walk(&mut look));
        }
        found
    })
}

/// Whether a place is an element whose index is not fixed.
fn is_indexed(place: &Place) -> bool {
    let open = |step: &Step| matches!(step, Step::Index(i) if i.as_int().is_none());
    place.path.iter().any(open)
}
