//! Substitution: constants replaced by terms, everything above simplified anew.

use crate::term::{Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A substitution with the results that it has so far.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    known: FxHashMap<Term, Term>,
}

impl Substitution {
    /// Replaces each term by another of the same sort.
    pub fn new(pairs: impl IntoIterator<Item = (Term, Term)>) -> Substitution {
        Substitution {
            known: pairs.into_iter().collect(),
        }
    }
    /// Adds a pair: before the first use of a term that `from` is part of.
    pub fn insert(&mut self, from: Term, to: Term) {
        self.known.insert(from, to);
    }
    /// Whether there is a replacement for `t` already.
    pub fn contains(&self, t: Term) -> bool {
        self.known.contains_key(&t)
    }
    /// The uninterpreted constants in `t` that have no replacement yet. What was replaced before is not looked
    /// into again.
    pub fn missing(&self, terms: &Terms, t: Term) -> Vec<Term> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if self.known.contains_key(&t) || !seen.insert(t) {
                continue;
            }
            if matches!(terms.node(t), Node::Const(_)) {
                found.push(t);
            }
            terms.for_each_operand(t, |o| work.push(o));
        }
        found.sort_unstable();
        found
    }
    /// `t` with the replacements made.
    pub fn apply(&mut self, terms: &mut Terms, t: Term) -> Term {
        self.apply_with(terms, t, &mut |_, _| None)
    }
    /// `t` with the replacements made, where `missing` is asked once for each uninterpreted
    /// constant that has none; `None` leaves it.
    pub fn apply_with(
        &mut self,
        terms: &mut Terms,
        t: Term,
        missing: &mut dyn FnMut(&mut Terms, Term) -> Option<Term>,
    ) -> Term {
        let mut work = vec![t];
        while let Some(&t) = work.last() {
            if self.known.contains_key(&t) {
                work.pop();
                continue;
            }
            let before = work.len();
            terms.for_each_operand(t, |o| {
                if !self.known.contains_key(&o) {
                    work.push(o);
                }
            });
            if work.len() > before {
                continue;
            }
            work.pop();
            let new = self.rebuild(terms, t, missing);
            self.known.insert(t, new);
        }
        self.known[&t]
    }

    fn rebuild(
        &mut self,
        terms: &mut Terms,
        t: Term,
        missing: &mut dyn FnMut(&mut Terms, Term) -> Option<Term>,
    ) -> Term {
        let get = |t: Term| self.known[&t];
        match terms.node(t) {
            Node::Bool(_) | Node::Bv { .. } => t,
            Node::Const(_) => missing(terms, t).unwrap_or(t),
            Node::Un(op, a) => {
                let x = get(a);
                if x == a { t } else { terms.unary(op, x) }
            }
            Node::Bin(op, a, b) => {
                let (x, y) = (get(a), get(b));
                if (x, y) == (a, b) {
                    t
                } else {
                    terms.binary(op, x, y)
                }
            }
            Node::Ite(c, a, b) => {
                let (z, x, y) = (get(c), get(a), get(b));
                if (z, x, y) == (c, a, b) {
                    t
                } else {
                    terms.ite(z, x, y)
                }
            }
            Node::Extract { hi, lo, of } => {
                let x = get(of);
                terms.extract(hi, lo, x)
            }
            Node::Extend { signed, width, of } => {
                let x = get(of);
                if signed {
                    terms.sext(width, x)
                } else {
                    terms.zext(width, x)
                }
            }
            Node::Float(op, mut args) => {
                let before = args;
                for t in &mut args[..op.arity()] {
                    *t = get(*t);
                }
                if args == before {
                    return t;
                }
                terms.float(op, &args[..op.arity()])
            }
            Node::Store(a, i, v) => {
                let (a, i, v) = (get(a), get(i), get(v));
                terms.store(a, i, v)
            }
            Node::ConstArray { index, of } => {
                let x = get(of);
                terms.const_array(index, x)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn only_what_is_new_is_missing() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.constant(name, Sort::Bv(8)));
        let one = terms.bv(8, 1);
        let sum = terms.add(x, y);
        let mut substitution = Substitution::default();
        assert_eq!(substitution.missing(&terms, sum), [x, y]);
        substitution.insert(x, one);
        assert_eq!(substitution.missing(&terms, sum), [y]);
        substitution.apply(&mut terms, sum);
        let more = terms.bvxor(sum, z);
        assert_eq!(substitution.missing(&terms, more), [z]);
    }
}
