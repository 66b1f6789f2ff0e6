//! Known pairs, and laws that hold for all systems.

use super::{Difference, Preorder, below};
use crate::ccs::Environment;
use cwolf_base::Budget;
use cwolf_lts::{Builder, Equivalence, Lts, reduce};
use proptest::prelude::*;

fn process(text: &str) -> Lts {
    Environment::default()
        .compile(text, 0, &Budget::unlimited())
        .expect("a finite process")
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
        prop_assume!(crate::check::livelock(&a).is_none());
        if below(&a, &b, Preorder::Must, &budget) == Ok(None) {
            prop_assert_eq!(below(&b, &a, Preorder::May, &budget), Ok(None));
        }
    }
}
