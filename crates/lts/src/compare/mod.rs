//! Comparing two systems, with evidence when they differ: a shortest trace that only one has,
//! or a formula that holds in the first and not in the second. Evidence is checked before it is
//! returned.

mod distinguish;
mod formula;
mod overlap;
mod traces;
mod tree;
mod union;

pub use formula::{Formula, action_text};
pub use overlap::{Overlap, by_name, written_out};

use crate::lts::{Lts, State};
use crate::reduce::{Equivalence, Reduction, minimise, reduce};
use cwolf_base::{Budget, Exhausted};

/// One of two compared systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    First,
    /// The second.
    Second,
}

/// What shows that two systems differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A shortest sequence of actions that only one of the systems can perform.
    Trace {
        /// The actions.
        trace: Vec<String>,
        /// Who can perform them.
        only_in: Side,
    },
    /// A formula that holds in the first system and not in the second.
    Formula(Formula),
    /// There is such a formula, but it is too large to be found in reasonable time.
    TooLarge,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The systems are equivalent.
    Equivalent,
    /// They are not.
    Different(Evidence),
    /// It depends on which of their actions patterns stand for: these two labels, for example,
    /// may mean the same action or not.
    Unknown(String, String),
}

/// The steps that a formula may talk about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modality {
    Strong,
    Weak,
    Until,
}

/// Whether `a` and `b` are equivalent; labels are compared by name, and patterns with other
/// labels that may mean the same as [`Overlap`] says.
pub fn compare(
    a: &Lts,
    b: &Lts,
    equivalence: Equivalence,
    budget: &Budget,
) -> Result<Comparison, Exhausted> {
    let outcome = compare_names(a, b, equivalence, budget)?;
    if outcome == Comparison::Equivalent {
        return Ok(outcome);
    }
    let Some(Overlap { merged, labels }) = Overlap::of(a, b) else {
        return Ok(outcome);
    };
    Ok(
        match compare_names(&merged.0, &merged.1, equivalence, budget)? {
            Comparison::Equivalent => Comparison::Unknown(labels.0, labels.1),
            outcome => outcome,
        },
    )
}

fn compare_names(
    a: &Lts,
    b: &Lts,
    equivalence: Equivalence,
    budget: &Budget,
) -> Result<Comparison, Exhausted> {
    match equivalence {
        Equivalence::StrongTrace | Equivalence::WeakTrace => {
            let is_weak = equivalence == Equivalence::WeakTrace;
            Ok(match traces::difference(a, b, is_weak, budget)? {
                None => Comparison::Equivalent,
                Some((trace, only_in)) => Comparison::Different(Evidence::Trace { trace, only_in }),
            })
        }
        _ => {
            // Bisimilar systems have bisimilar quotients, which are smaller.
            let a_small = reduce(a, equivalence, budget)?.lts;
            let b_small = reduce(b, equivalence, budget)?.lts;
            Ok(match bisimilar(&a_small, &b_small, equivalence, budget)? {
                Comparison::Different(evidence) => {
                    check(&evidence, (a, b), (&a_small, &b_small));
                    Comparison::Different(evidence)
                }
                equivalent => equivalent,
            })
        }
    }
}

/// A shortest trace of `a` that `b` does not have, if there is one; with `is_weak`, of visible
/// actions. Labels are compared by name.
pub fn trace_inclusion(
    a: &Lts,
    b: &Lts,
    is_weak: bool,
    budget: &Budget,
) -> Result<Comparison, Exhausted> {
    Ok(match traces::not_included(a, b, is_weak, budget)? {
        None => Comparison::Equivalent,
        Some(trace) => Comparison::Different(Evidence::Trace {
            trace,
            only_in: Side::First,
        }),
    })
}

fn bisimilar(
    a: &Lts,
    b: &Lts,
    equivalence: Equivalence,
    budget: &Budget,
) -> Result<Comparison, Exhausted> {
    // If they are not even weakly bisimilar, a formula with weak steps is easier to read.
    let coarser = match equivalence {
        Equivalence::Branching => Some(Equivalence::Weak),
        Equivalence::DivergenceBranching => Some(Equivalence::Branching),
        _ => None,
    };
    if let Some(coarser) = coarser {
        let a = reduce(a, coarser, budget)?.lts;
        let b = reduce(b, coarser, budget)?.lts;
        let outcome = bisimilar(&a, &b, coarser, budget)?;
        if outcome != Comparison::Equivalent {
            return Ok(outcome);
        }
    }
    let (both, x, y) = union::union(a, b);
    let Reduction { lts, map } = minimise(&both, equivalence, budget)?;
    let pair: (State, State) = (map[x as usize], map[y as usize]);
    if pair.0 == pair.1 {
        return Ok(Comparison::Equivalent);
    }
    let modality = match equivalence {
        Equivalence::Strong => Modality::Strong,
        Equivalence::Weak => Modality::Weak,
        _ => Modality::Until,
    };
    let formula = distinguish::formula(&lts, modality, pair, budget)?;
    Ok(Comparison::Different(match formula {
        Some(formula) => Evidence::Formula(formula),
        None => Evidence::TooLarge,
    }))
}

/// Past this, a formula is checked on the quotients, not on the systems themselves.
const MAX_CHECK: usize = 1 << 28;

fn check(evidence: &Evidence, given: (&Lts, &Lts), small: (&Lts, &Lts)) {
    let Evidence::Formula(formula) = evidence else {
        return;
    };
    let work = formula.size() * given.0.states().max(given.1.states());
    let (a, b) = if work <= MAX_CHECK { given } else { small };
    assert!(
        formula.holds(a) && !formula.holds(b),
        "a distinguishing formula tells the systems apart"
    );
}
