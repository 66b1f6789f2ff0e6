//! States merged where paths meet.

use crate::encoder::Encoder;
use crate::expr::Content;
use crate::run::Item;
use cwolf_logic::Term;
use rustc_hash::FxHashSet;

impl Encoder<'_> {
    /// What comes to a place by either of two ways.
    pub(crate) fn merge(&mut self, a: Item, b: Item) -> Item {
        let (guard, chosen) = self.join(a.guard, b.guard);
        let mut state = a.state.clone();
        for cell in a.state.differences(&b.state) {
            let x = self.content(&a.state, cell);
            let y = self.content(&b.state, cell);
            let t = self.terms.ite(chosen, x, y);
            state.set(cell, t);
        }
        let result = match (a.result, b.result) {
            (Some((Content::Scalar(x), s)), Some((Content::Scalar(y), t))) if s == t => {
                Some((Content::Scalar(self.terms.ite(chosen, x, y)), s))
            }
            (Some((Content::Parts(x), s)), Some((Content::Parts(y), t)))
                if s == t && x.len() == y.len() =>
            {
                let mut parts = Vec::with_capacity(x.len());
                for (p, q) in x.into_iter().zip(y) {
                    let value = self.terms.ite(chosen, p.3, q.3);
                    parts.push((p.0, p.1, p.2, value));
                }
                Some((Content::Parts(parts), s))
            }
            _ => None,
        };
        Item {
            frames: a.frames,
            guard,
            state,
            result,
        }
    }

    /// The disjunction of two guards of which at most one holds, and a condition that tells them
    /// apart, which is short if the paths parted at one test.
    fn join(&mut self, a: Term, b: Term) -> (Term, Term) {
        const LIMIT: usize = 200;
        let left = self.terms.conjuncts(a);
        let right = self.terms.conjuncts(b);
        if left.len() > LIMIT || right.len() > LIMIT {
            return (self.terms.or(a, b), a);
        }
        let in_left: FxHashSet<Term> = left.iter().copied().collect();
        let in_right: FxHashSet<Term> = right.iter().copied().collect();
        let mut chosen = a;
        for &t in &left {
            let opposite = self.terms.not(t);
            if in_right.contains(&opposite) {
                chosen = t;
                break;
            }
        }
        let common: Vec<Term> = left
            .iter()
            .copied()
            .filter(|t| in_right.contains(t))
            .collect();
        let x: Vec<Term> = left.into_iter().filter(|t| !in_right.contains(t)).collect();
        let y: Vec<Term> = right.into_iter().filter(|t| !in_left.contains(t)).collect();
        let x = self.terms.and_all(x);
        let y = self.terms.and_all(y);
        let either = self.terms.or(x, y);
        let common = self.terms.and_all(common);
        (self.terms.and(common, either), chosen)
    }
}
