//! The comparisons that conditions consist of.

use cwolf_logic::{BinOp, Node, Sort, Substitution, Term, Terms, UnOp};
use rustc_hash::FxHashSet;

/// Conditions are not taken apart into more comparisons than this.
const ATOMS: usize = 48;

/// `x` and the constant that a comparison compares it with.
pub(super) fn compared(terms: &Terms, t: Term) -> Option<(Term, Term)> {
    match terms.node(t) {
        Node::Bin(BinOp::Eq | BinOp::Ult | BinOp::Slt, a, b) => {
            if terms.sort(a) == Sort::Bool {
                return None;
            }
            match (terms.as_bv(a), terms.as_bv(b)) {
                (None, Some(_)) => Some((a, b)),
                (Some(_), None) => Some((b, a)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// How many parts a term has, up to a little more than `most`.
pub(super) fn size(terms: &Terms, t: Term, most: usize) -> usize {
    let mut seen = FxHashSet::default();
    let mut work = vec![t];
    while let Some(t) = work.pop() {
        if seen.insert(t) && seen.len() <= 2 * most {
            terms.for_each_operand(t, |o| work.push(o));
        }
    }
    seen.len()
}

/// Whether a term chooses between numbers.
pub(super) fn has_choice(terms: &Terms, t: Term) -> bool {
    choice_in(terms, t).is_some()
}

/// A choice between numbers inside a term.
fn choice_in(terms: &Terms, t: Term) -> Option<Term> {
    let mut seen = FxHashSet::default();
    let mut work = vec![t];
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        if matches!(terms.node(t), Node::Ite(..)) && terms.sort(t) != Sort::Bool {
            return Some(t);
        }
        terms.for_each_operand(t, |o| work.push(o));
    }
    None
}

/// The comparisons and flags that a condition consists of, without choices inside them as far
/// as there are not too many.
pub(super) fn atoms(terms: &mut Terms, t: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![t];
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        match terms.node(t) {
            Node::Bool(_) => {}
            Node::Un(UnOp::Not, a) => work.push(a),
            Node::Bin(BinOp::And, a, b) => work.extend([a, b]),
            Node::Ite(c, a, b) => work.extend([c, a, b]),
            Node::Bin(BinOp::Eq, a, b) if terms.sort(a) == Sort::Bool => work.extend([a, b]),
            _ => match choice_in(terms, t) {
                Some(choice) if seen.len() < 4 * ATOMS => {
                    let Node::Ite(c, a, b) = terms.node(choice) else {
                        continue;
                    };
                    work.push(c);
                    for side in [a, b] {
                        let chosen = Substitution::new([(choice, side)]).apply(terms, t);
                        work.push(chosen);
                    }
                }
                _ => found.push(t),
            },
        }
    }
    found.sort_unstable();
    found.truncate(ATOMS);
    found
}
