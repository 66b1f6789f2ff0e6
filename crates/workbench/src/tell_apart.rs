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

    const ACTIONS: [&str; 6] = ["a 1", "a 2", "a 3", "a x", "b", "c"];

    fn patterned() -> impl Strategy<Value = Lts> {
        let names = [
            "tau", "a 1", "a 2", "b", "a {1,2}", "a {2..9}", "a {?}", "{?}",
        ];
        let list = prop::collection::vec((0..3u32, 0..names.len(), 0..3u32), 0..6);
        list.prop_map(move |list| {
            let mut builder = Builder::new();
            for (s, a, t) in list {
                builder.transition(s, names[a], t);
            }
            builder.finish(0)
        })
    }

    /// A system that a patterned one may stand for. What a pattern stands for depends on its name,
    /// or on the place as well.
    fn instance(lts: &Lts, choices: &[u8], by_place: bool) -> Lts {
        let mut builder = Builder::new();
        builder.ensure_states(lts.states());
        for (n, (s, a, t)) in lts.iter().enumerate() {
            let name = lts.labels().name(a);
            let meant = cwolf_lts::Pattern::parse(name);
            if !meant.has_holes() {
                builder.transition(s, name, t);
                continue;
            }
            let all: Vec<&str> = ACTIONS.into_iter().filter(|x| meant.contains(x)).collect();
            let seed = name.len() + name.bytes().map(usize::from).sum::<usize>();
            let place = if by_place { n } else { 0 };
            let chosen = choices[(seed + place) % choices.len()] as usize;
            let picked = |i: usize| chosen >> i & 1 == 1;
            let mut some: Vec<&str> = (0..all.len())
                .filter(|i| picked(*i))
                .map(|i| all[i])
                .collect();
            if some.is_empty() {
                some.push(all[chosen % all.len()]);
            }
            some.iter().for_each(|x| builder.transition(s, x, t));
        }
        builder.finish(lts.initial())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        /// What is said of patterned systems is so whatever the patterns stand for.
        #[test]
        fn comparisons_hold_for_every_instance(
            a in patterned(),
            b in patterned(),
            choices in prop::collection::vec(prop::collection::vec(any::<u8>(), 7), 3),
        ) {
            use crate::preorder::{Order, Preorder, below};
            let budget = Budget::unlimited();
            for equivalence in Equivalence::ALL {
                let said = tell_apart(&a, &b, equivalence, &budget).expect("no limit");
                for by in &choices {
                    let is = |by_place| {
                        let (x, y) = (instance(&a, by, by_place), instance(&b, by, by_place));
                        compare(&x, &y, equivalence, &budget).expect("no limit") == Comparison::Equivalent
                    };
                    match &said {
                        Comparison::Equivalent => prop_assert!(is(false)),
                        Comparison::Different(_) => prop_assert!(!is(false) && !is(true)),
                        Comparison::Unknown(x, y) => {
                            let (x, y) = (cwolf_lts::Pattern::parse(x), cwolf_lts::Pattern::parse(y));
                            prop_assert!(x != y && x.overlaps(&y));
                        }
                    }
                }
            }
            for preorder in Preorder::ALL {
                let said = below(&a, &b, preorder, &budget).expect("no limit");
                for by in &choices {
                    let is = |by_place| {
                        let (x, y) = (instance(&a, by, by_place), instance(&b, by, by_place));
                        below(&x, &y, preorder, &budget).expect("no limit") == Order::Below
                    };
                    match said {
                        Order::Below => prop_assert!(is(false), "{:?}", preorder),
                        Order::NotBelow(_) => prop_assert!(!is(false) && !is(true), "{:?}", preorder),
                        Order::Unknown(..) => {}
                    }
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
