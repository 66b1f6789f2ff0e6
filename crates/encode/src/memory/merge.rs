//! States merged where paths meet.

use crate::memory::{Memory, State};
use cwolf_logic::Term;
use rustc_hash::FxHashSet;

impl Memory<'_> {
    /// The memory where either of two ways may have been taken: when that is, a condition that tells
    /// which, and what cells hold then.
    pub(crate) fn merge_states(
        &mut self,
        a: (Term, &State),
        b: (Term, &State),
    ) -> (Term, Term, State) {
        let (guard, chosen) = self.join(a.0, b.0);
        let mut state = a.1.clone();
        for cell in a.1.differences(b.1) {
            let x = self.content(a.1, cell);
            let y = self.content(b.1, cell);
            let t = self.terms.ite(chosen, x, y);
            state.set(cell, t);
        }
        (guard, chosen, state)
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
