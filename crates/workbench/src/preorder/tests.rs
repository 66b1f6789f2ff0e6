//! Known pairs, and laws that hold for all systems.

use super::oracle::{Test, must_pass, simulates};
use super::{Difference, Order, Preorder};
use crate::ccs::Environment;
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Builder, Equivalence, Lts, reduce};
use proptest::prelude::*;

fn process(text: &str) -> Lts {
    Environment::default()
        .compile(text, 0, &Budget::unlimited())
        .expect("a finite process")
}

/// Without patterns there is always an answer.
fn below(
    a: &Lts,
    b: &Lts,
    preorder: Preorder,
    budget: &Budget,
) -> Result<Option<Difference>, Exhausted> {
    Ok(match super::below(a, b, preorder, budget)? {
        Order::Below => None,
        Order::NotBelow(why) => Some(why),
        Order::Unknown(a, b) => panic!("{a} and {b}"),
    })
}

fn ask(a: &str, b: &str, preorder: Preorder) -> Option<Difference> {
    below(&process(a), &process(b), preorder, &Budget::unlimited()).expect("no limit")
}

#[test]
fn internal_choice_is_below_external_choice_for_must() {
    let (external, internal) = ("a.nil + b.nil", "t.a.nil + t.b.nil");
    assert_eq!(ask(internal, external, Preorder::Must), None);
    assert_eq!(
        ask(external, internal, Preorder::Must),
        Some(Difference::Refuses(vec![], vec!["a".into()]))
    );
    assert_eq!(ask(internal, external, Preorder::May), None);
    assert_eq!(ask(external, internal, Preorder::May), None);
}

#[test]
fn divergence_matters_for_must() {
    let diverging = "a.Aut(start=0, 0:t{0}b{1})";
    assert_eq!(
        ask("a.b.nil", diverging, Preorder::Must),
        Some(Difference::Diverges(vec!["a".into()]))
    );
    assert_eq!(ask(diverging, "a.b.nil", Preorder::Must), None);
    assert_eq!(
        ask("a.nil", "a.b.nil", Preorder::Must),
        Some(Difference::NewTrace(vec!["a".into(), "b".into()]))
    );
}

#[test]
fn simulation_sees_when_choices_are_made() {
    let (early, late) = ("a.b.nil + a.c.nil", "a.(b.nil + c.nil)");
    assert_eq!(ask(early, late, Preorder::Simulation), None);
    assert_eq!(
        ask(late, early, Preorder::Simulation),
        Some(Difference::Formula("<a>(<c>tt /\\ <b>tt)".into()))
    );
    assert_eq!(ask("a.nil", "t.a.t.nil", Preorder::WeakSimulation), None);
    assert!(ask("a.nil", "t.a.t.nil", Preorder::Simulation).is_some());
}

fn systems() -> impl Strategy<Value = Lts> {
    let list = prop::collection::vec((0..5u32, 0..3usize, 0..5u32), 0..10);
    list.prop_map(|list| {
        let mut builder = Builder::new();
        for (s, a, t) in list {
            builder.transition(s, ["tau", "a", "b"][a], t);
        }
        builder.finish(0)
    })
}

fn tests() -> impl Strategy<Value = Test> {
    let leaf = prop_oneof![Just(Test::stuck()), Just(Test::pass())];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let label = prop_oneof![
            Just(None),
            Just(Some("a".to_owned())),
            Just(Some("b".to_owned()))
        ];
        prop::collection::vec((label, inner), 1..4).prop_map(|steps| Test {
            passes: false,
            steps,
        })
    })
}

/// A test that the first system must pass and the second need not.
fn test_for(difference: &Difference) -> Test {
    match difference {
        Difference::NewTrace(trace) => Test::along(trace, Test::stuck()),
        Difference::Diverges(trace) => {
            let end = Test {
                passes: false,
                steps: vec![(None, Test::pass())],
            };
            Test::along(trace, end)
        }
        Difference::Refuses(trace, offers) => {
            let others = ["a", "b"]
                .into_iter()
                .filter(|a| !offers.iter().any(|o| o == a));
            let steps = others.map(|a| (Some(a.to_owned()), Test::pass()));
            let end = Test {
                passes: false,
                steps: steps.collect(),
            };
            Test::along(trace, end)
        }
        other => panic!("not about testing: {other}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn simulation_is_the_oracles(a in systems(), b in systems()) {
        let budget = Budget::unlimited();
        for (preorder, is_weak) in [(Preorder::Simulation, false), (Preorder::WeakSimulation, true)] {
            let found = below(&a, &b, preorder, &budget).expect("no limit");
            prop_assert_eq!(found.is_none(), simulates(&a, &b, is_weak), "{:?}", found);
        }
    }

    #[test]
    fn must_testing_is_about_tests(a in systems(), b in systems(), tests in prop::collection::vec(tests(), 20)) {
        match below(&a, &b, Preorder::Must, &Budget::unlimited()).expect("no limit") {
            Some(difference) => {
                let test = test_for(&difference);
                prop_assert!(must_pass(&a, &test) && !must_pass(&b, &test), "{}", difference);
            }
            None => {
                for test in tests {
                    prop_assert!(!must_pass(&a, &test) || must_pass(&b, &test), "{:?}", test);
                }
            }
        }
    }

    /// May testing is about traces: the oracle follows all of them up to a length.
    #[test]
    fn may_testing_is_about_traces(a in systems(), b in systems()) {
        let found = below(&a, &b, Preorder::May, &Budget::unlimited()).expect("no limit");
        // A system may pass a test that succeeds at the end of a trace if it has the trace; a
        // stuck test never succeeds. So: who must not fail to get stuck there?
        let can = |lts: &Lts, trace: &[String]| !must_pass(&without_cycles(lts), &Test::along(trace, Test::stuck()));
        match found {
            Some(Difference::Trace(trace)) => {
                prop_assert!(can(&a, &trace) && !can(&b, &trace), "{:?}", trace);
            }
            Some(other) => prop_assert!(false, "{}", other),
            None => {
                for word in 0..62u32 {
                    // All words of a and b up to five letters.
                    let length = (word + 2).ilog2();
                    let letter = |n| if (word + 2) >> n & 1 == 0 { "a" } else { "b" };
                    let trace: Vec<String> = (0..length).map(|n| letter(n).to_owned()).collect();
                    prop_assert!(!can(&a, &trace) || can(&b, &trace), "{:?}", trace);
                }
            }
        }
    }
}

/// The same traces, without divergence.
fn without_cycles(lts: &Lts) -> Lts {
    reduce(lts, Equivalence::Branching, &Budget::unlimited())
        .expect("no limit")
        .lts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn finer_preorders_imply_coarser(a in systems(), b in systems()) {
        let budget = Budget::unlimited();
        let holds = |p| below(&a, &b, p, &budget).expect("no limit").is_none();
        prop_assert!(!holds(Preorder::Simulation) || holds(Preorder::WeakSimulation));
        prop_assert!(!holds(Preorder::Simulation) || holds(Preorder::StrongTrace));
        prop_assert!(!holds(Preorder::WeakSimulation) || holds(Preorder::May));
        prop_assert!(!holds(Preorder::StrongTrace) || holds(Preorder::May));
    }

    #[test]
    fn a_reduction_stands_on_both_sides(a in systems()) {
        let budget = Budget::unlimited();
        for (preorder, equivalence) in [
            (Preorder::Must, Equivalence::DivergenceBranching),
            (Preorder::May, Equivalence::Weak),
            (Preorder::Simulation, Equivalence::Strong),
            (Preorder::WeakSimulation, Equivalence::Weak),
        ] {
            let small = reduce(&a, equivalence, &budget).expect("no limit").lts;
            prop_assert_eq!(below(&a, &small, preorder, &budget), Ok(None));
            prop_assert_eq!(below(&small, &a, preorder, &budget), Ok(None));
        }
    }

    /// Without divergence, must testing the other way round implies may testing.
    #[test]
    fn must_implies_traces_when_nothing_diverges(a in systems(), b in systems()) {
        let budget = Budget::unlimited();
        prop_assume!(crate::check::livelock(&a, &Budget::unlimited()) == Ok(None));
        if below(&a, &b, Preorder::Must, &budget) == Ok(None) {
            prop_assert_eq!(below(&b, &a, Preorder::May, &budget), Ok(None));
        }
    }
}
