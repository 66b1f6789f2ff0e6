//! What a solver can be asked.

use crate::eval::Model;
use crate::term::{Term, Terms};
use cwolf_base::{Budget, Exhausted};

/// A literal of a solver: a number, negative if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(pub i32);

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

/// The answer to a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The effort limit was reached.
    Unknown,
}

/// An incremental solver. It only grows; what is to go away again is asserted under a
/// literal that is assumed while it counts.
pub trait Solver {
    /// A literal that is true exactly when the boolean term `t` is.
    fn literal(&mut self, terms: &Terms, t: Term) -> Lit;
    /// A new literal that nothing is known of.
    fn fresh(&mut self) -> Lit;
    /// Adds the disjunction of `lits`.
    fn clause(&mut self, lits: &[Lit]);
    /// Decides what was added together with `assumptions`.
    ///
    /// # Errors
    /// When the budget ran out.
    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Lit],
        budget: &Budget,
    ) -> Result<Answer, Exhausted> {
        self.check_limited(terms, assumptions, None, budget)
    }
    /// As [`Solver::check`], giving up with `Unknown` after about so many conflicts.
    ///
    /// # Errors
    /// When the budget ran out.
    fn check_limited(
        &mut self,
        terms: &Terms,
        assumptions: &[Lit],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Result<Answer, Exhausted>;
    /// After `Unsat`: whether the assumption `lit` took part in it.
    fn failed(&self, lit: Lit) -> bool;
    /// After `Sat`: the value of a literal.
    fn value(&self, lit: Lit) -> bool;
    /// After `Sat`: values for all constants.
    fn model(&self, terms: &Terms) -> Model;
    /// Adds the boolean term `t`.
    fn assert(&mut self, terms: &Terms, t: Term) {
        let lit = self.literal(terms, t);
        self.clause(&[lit]);
    }
    /// After `Unsat`: the assumptions that took part in it.
    fn core(&self, assumptions: &[Lit]) -> Vec<Lit> {
        let failed = assumptions.iter().copied().filter(|l| self.failed(*l));
        failed.collect()
    }
}
