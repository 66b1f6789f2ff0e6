//! What holds at the heads of loops, by the states that BEBOP found there.

use super::blocks::Blocks;
use super::boolean::{Boolean, Place};
use crate::loop_facts;
use crate::task::Invariant;
use cwolf_base::Budget;
use cwolf_boolprog::Formula;
use cwolf_boolprog::bebop::Bebop;
use cwolf_logic::{Term, Terms};

/// The states at each point of a boolean program where loops may start, over the predicates there;
/// none unless all states were found.
pub(super) fn states(bebop: &Bebop<'_>, boolean: &Boolean) -> Vec<(usize, Formula)> {
    if !bebop.is_complete() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (n, place) in boolean.places.iter().enumerate() {
        let vars: Vec<_> = place.vars.iter().map(|(v, _)| *v).collect();
        if vars.is_empty() {
            continue;
        }
        // What cannot be told is left out: every fact stands for itself.
        if let Ok(formula) = bebop.reachable_over(place.proc, Some(place.stmt), &vars) {
            found.push((n, formula));
        }
    }
    found
}

/// The states at heads of loops as C expressions.
pub(super) fn tell(
    blocks: &mut Blocks<'_>,
    boolean: &Boolean,
    states: &[(usize, Formula)],
    budget: &Budget,
) -> Vec<Invariant> {
    let mut heads = Vec::new();
    let mut facts = Vec::new();
    for (n, formula) in states {
        let place = &boolean.places[*n];
        let Some(head) = blocks.encoder.loop_head(place.point) else {
            continue;
        };
        let parts = match formula {
            Formula::And(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        for part in parts {
            if let Some(t) = term(&mut blocks.encoder.terms, place, part)
                && blocks.encoder.terms.as_bool(t).is_none()
            {
                facts.push((heads.len(), t));
            }
        }
        heads.push(head);
    }
    loop_facts::fewest(&mut blocks.encoder, &heads, &facts, budget)
}

/// What a formula over the predicates at a place says.
fn term(terms: &mut Terms, place: &Place, formula: &Formula) -> Option<Term> {
    let mut each = |parts: &[Formula]| -> Option<Vec<Term>> {
        let parts = parts.iter().map(|p| term(terms, place, p));
        parts.collect()
    };
    Some(match formula {
        Formula::Const(value) => terms.bool(*value),
        Formula::Literal(var, value) => {
            let (_, t) = *place.vars.iter().find(|(v, _)| v == var)?;
            if *value { t } else { terms.not(t) }
        }
        Formula::And(parts) => {
            let parts = each(parts)?;
            terms.and_all(parts)
        }
        Formula::Or(parts) => {
            let parts = each(parts)?;
            terms.or_all(parts)
        }
        Formula::More => return None,
    })
}
