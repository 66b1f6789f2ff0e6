//! Comparing two systems with evidence that the model checker has checked.

use crate::ccs::Environment;
use crate::check::{Answer, check};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{
    Comparison, Equivalence, Evidence, Lts, Overlap, Side, action_text, compare, reduce,
};

/// Games with more positions than this are played on quotients instead.
const MAX_POSITIONS: usize = 1 << 24;

/// Whether `a` and `b` are equivalent. When they are not, the trace or formula that tells them
/// apart was typed back, as a user would, and the model checker agreed.
pub fn tell_apart(
    a: &Lts,
    b: &Lts,
    equivalence: Equivalence,
    budget: &Budget,
) -> Result<Comparison, Exhausted> {
    let outcome = compare(a, b, equivalence, budget)?;
    let Comparison::Different(evidence) = &outcome else {
        return Ok(outcome);
    };
    // Where labels overlap, the evidence is about systems in which they are one.
    let overlap = Overlap::of(a, b);
    let (a, b) = match &overlap {
        Some(overlap) => (&overlap.merged.0, &overlap.merged.1),
        None => (a, b),
    };
    let (propositions, formula, holds_in) = match evidence {
        Evidence::Formula(formula) => {
            let (propositions, formula) = formula.text();
            (propositions, formula, Side::First)
        }
        Evidence::Trace { trace, only_in } => {
            let is_weak = equivalence == Equivalence::WeakTrace;
            let (propositions, formula) = trace_formula(trace, is_weak);
            (propositions, formula, *only_in)
        }
        Evidence::TooLarge => return Ok(outcome),
    };
    let (has, lacks) = match holds_in {
        Side::First => (a, b),
        Side::Second => (b, a),
    };
    let size = propositions.len() * 4 + formula.len();
    let is_small = |lts: &Lts| lts.states().saturating_mul(size) <= MAX_POSITIONS;
    for (lts, expect) in [(has, true), (lacks, false)] {
        let quotient;
        let lts = match is_small(lts) {
            true => lts,
            false => {
                quotient = reduce(lts, equivalence, budget)?.lts;
                &quotient
            }
        };
        // Larger games are left to the evaluation that `compare` has made.
        if is_small(lts) {
            let found = holds(lts, &propositions, &formula, budget)?;
            assert_ne!(
                found,
                Some(!expect),
                "a formula that tells systems apart: {formula}"
            );
        }
    }
    Ok(outcome)
}

/// What holds exactly where a trace is possible: propositions for long ones, and the formula.
fn trace_formula(trace: &[String], is_weak: bool) -> (Vec<(String, String)>, String) {
    let mut propositions = Vec::new();
    let mut text = "tt".to_owned();
    for chunk in trace.rchunks(100) {
        if text != "tt" {
            let name = format!("P{}", propositions.len());
            propositions.push((name.clone(), text));
            text = name;
        }
        let steps = chunk.iter().map(|label| match is_weak {
            true => format!("<<{}>>", action_text(label)),
            false => format!("<{}>", action_text(label)),
        });
        text = steps.collect::<String>() + &text;
    }
    (propositions, text)
}

/// Whether a formula holds; nothing if it cannot be typed, because a label has a line break.
fn holds(
    lts: &Lts,
    propositions: &[(String, String)],
    formula: &str,
    budget: &Budget,
) -> Result<Option<bool>, Exhausted> {
    let mut env = Environment::default();
    let mut text = String::new();
    for (name, body) in propositions {
        text += &format!("prop {name} = {body}\n");
    }
    let loaded = env.load(&text, 0);
    match loaded.and_then(|_| env.formula(formula, 0)) {
        Ok(formula) => {
            let verdict = check(lts, env.formulas(), formula, budget)?;
            Ok(verdict
                .answer
                .is_known()
                .then_some(verdict.answer == Answer::Holds))
        }
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_lts::Builder;
    use proptest::prelude::*;

    fn systems() -> impl Strategy<Value = Lts> {
        let list = prop::collection::vec((0..6u32, 0..4usize, 0..6u32), 0..14);
        list.prop_map(|list| {
            let mut builder = Builder::new();
            for (s, a, t) in list {
                builder.transition(s, ["tau", "a", "'b", "say \"x\", \\y"][a], t);
            }
            builder.finish(0)
        })
    }

    proptest! {
        /// The evidence is asserted inside; here, that it can be typed at all.
        #[test]
        fn evidence_can_be_typed_back(a in systems(), b in systems()) {
            let budget = Budget::unlimited();
            for equivalence in Equivalence::ALL {
                let outcome = tell_apart(&a, &b, equivalence, &budget).expect("no limit");
                if let Comparison::Different(Evidence::Formula(formula)) = outcome {
                    let (propositions, text) = formula.text();
                    let here = holds(&a, &propositions, &text, &budget).expect("no limit");
                    let there = holds(&b, &propositions, &text, &budget).expect("no limit");
                    prop_assert_eq!((here, there), (Some(true), Some(false)), "{}", formula);
                }
            }
        }
    }

    #[test]
    fn long_evidence_is_checked_too() {
        let chain = |n: u32| {
            let mut builder = Builder::new();
            (0..n).for_each(|s| builder.transition(s, "a", s + 1));
            builder.finish(0)
        };
        let (a, b) = (chain(1001), chain(1000));
        let budget = Budget::unlimited();
        for equivalence in [
            Equivalence::WeakTrace,
            Equivalence::Weak,
            Equivalence::Branching,
        ] {
            let outcome = tell_apart(&a, &b, equivalence, &budget).expect("no limit");
            assert!(matches!(outcome, Comparison::Different(_)));
        }
        let trace = vec!["a".to_owned(); 1001];
        let (propositions, text) = trace_formula(&trace, true);
        assert_eq!(holds(&a, &propositions, &text, &budget), Ok(Some(true)));
        assert_eq!(holds(&b, &propositions, &text, &budget), Ok(Some(false)));
    }
}
