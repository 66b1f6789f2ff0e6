//! Comparisons agree with the oracle, and their evidence is real: traces are possible in one
//! system only and shortest, formulas tell the systems apart and mean the same on a quotient.

use super::oracle::{Edge, equivalent, system};
use cwolf_base::Budget;
use cwolf_lts::{
    Comparison, Equivalence, Evidence, Lts, Side, TAU, compare, reduce, trace_inclusion,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const NAMES: [&str; 5] = ["tau", "a", "b", "c", "d"];

fn edge(states: u32) -> impl Strategy<Value = Edge> {
    let label = prop_oneof![3 => Just(0u32), 2 => 1u32..3];
    (0..states, label, 0..states)
}

prop_compose! {
    /// A system and one that differs from it in a few transitions.
    fn pairs()(states in 1u32..7)(
        initial in 0..states,
        edges in prop::collection::vec(edge(states), 0..14),
        others in prop::collection::vec(edge(states), 0..3),
        dropped in prop::collection::vec(any::<prop::sample::Index>(), 0..2),
        states in Just(states),
    ) -> (Lts, Lts) {
        let a = system(states as usize, &edges, initial);
        let mut changed = edges;
        for index in dropped {
            if !changed.is_empty() {
                changed.remove(index.index(changed.len()));
            }
        }
        changed.extend(others);
        (a, system(states as usize, &changed, initial))
    }
}

/// The states after a trace, by label names.
fn after(lts: &Lts, trace: &[String], weak: bool) -> BTreeSet<u32> {
    let close = |mut set: BTreeSet<u32>| {
        let mut stack: Vec<u32> = set.iter().copied().collect();
        while let Some(s) = stack.pop().filter(|_| weak) {
            stack.extend(lts.tau_targets(s).iter().filter(|&&t| set.insert(t)));
        }
        set
    };
    let mut set = close([lts.initial()].into());
    for name in trace {
        let label = NAMES.iter().position(|n| n == name).expect("a known label") as u32;
        set = close(
            set.iter()
                .flat_map(|&s| lts.targets_by(s, label))
                .copied()
                .collect(),
        );
    }
    set
}

/// The length of a shortest trace that `a` has and `b` has not, up to `limit`.
fn shortest(a: &Lts, b: &Lts, weak: bool, limit: usize) -> Option<usize> {
    let mut level: BTreeSet<(BTreeSet<u32>, BTreeSet<u32>)> =
        [(after(a, &[], weak), after(b, &[], weak))].into();
    let step = |lts: &Lts, set: &BTreeSet<u32>, label: u32| {
        let targets: BTreeSet<u32> = set
            .iter()
            .flat_map(|&s| lts.targets_by(s, label))
            .copied()
            .collect();
        let mut closed = targets.clone();
        let mut stack: Vec<u32> = targets.into_iter().collect();
        while let Some(s) = stack.pop().filter(|_| weak) {
            stack.extend(lts.tau_targets(s).iter().filter(|&&t| closed.insert(t)));
        }
        closed
    };
    for length in 1..=limit {
        let mut next = BTreeSet::new();
        for (x, y) in &level {
            for label in u32::from(weak)..5 {
                let (x2, y2) = (step(a, x, label), step(b, y, label));
                if !x2.is_empty() && y2.is_empty() {
                    return Some(length);
                }
                if !x2.is_empty() {
                    next.insert((x2, y2));
                }
            }
        }
        level = next;
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn answers_are_the_oracles((a, b) in pairs()) {
        let budget = Budget::unlimited();
        for eq in Equivalence::ALL {
            let expect = equivalent(&a, &b, eq);
            let found = compare(&a, &b, eq, &budget).expect("no limit");
            prop_assert_eq!(found == Comparison::Equivalent, expect, "{}", eq.name());
            let small = reduce(&a, eq, &budget).expect("no limit").lts;
            prop_assert_eq!(compare(&a, &small, eq, &budget), Ok(Comparison::Equivalent), "{}", eq.name());
            match found {
                Comparison::Equivalent => {}
                Comparison::Unknown(a, b) => prop_assert!(false, "{a} and {b} are no patterns"),
                Comparison::Different(Evidence::Formula(formula)) => {
                    prop_assert!(formula.holds(&a) && !formula.holds(&b), "{}", formula);
                    // The equivalence keeps what its formulas say.
                    prop_assert!(formula.holds(&small), "{}", formula);
                    let small = reduce(&b, eq, &budget).expect("no limit").lts;
                    prop_assert!(!formula.holds(&small), "{}", formula);
                }
                Comparison::Different(Evidence::Trace { trace, only_in }) => {
                    let weak = eq == Equivalence::WeakTrace;
                    let (has, lacks) = match only_in {
                        Side::First => (&a, &b),
                        Side::Second => (&b, &a),
                    };
                    prop_assert!(!after(has, &trace, weak).is_empty());
                    prop_assert!(after(lacks, &trace, weak).is_empty());
                    let best = [shortest(&a, &b, weak, trace.len()), shortest(&b, &a, weak, trace.len())];
                    prop_assert_eq!(best.into_iter().flatten().min(), Some(trace.len()));
                }
                Comparison::Different(Evidence::TooLarge) => prop_assert!(false, "small systems have small formulas"),
            }
        }
    }

    #[test]
    fn inclusion_has_a_shortest_trace((a, b) in pairs(), weak in any::<bool>()) {
        let budget = Budget::unlimited();
        let both = trace_inclusion(&a, &b, weak, &budget).expect("no limit");
        let back = trace_inclusion(&b, &a, weak, &budget).expect("no limit");
        let eq = if weak { Equivalence::WeakTrace } else { Equivalence::StrongTrace };
        let same = both == Comparison::Equivalent && back == Comparison::Equivalent;
        prop_assert_eq!(same, equivalent(&a, &b, eq));
        if let Comparison::Different(Evidence::Trace { trace, only_in }) = both {
            prop_assert_eq!(only_in, Side::First);
            prop_assert_eq!(shortest(&a, &b, weak, trace.len()), Some(trace.len()));
            prop_assert!(!after(&a, &trace, weak).is_empty() && after(&b, &trace, weak).is_empty());
        } else {
            prop_assert_eq!(shortest(&a, &b, weak, 6), None);
        }
    }
}

fn check(a: &[Edge], b: &[Edge], eq: Equivalence, expect: &str) {
    let found = compare(&system(1, a, 0), &system(1, b, 0), eq, &Budget::unlimited());
    let text = match found.expect("no limit") {
        Comparison::Equivalent => "equivalent".into(),
        Comparison::Unknown(a, b) => format!("{a} or {b}"),
        Comparison::Different(Evidence::Formula(formula)) => formula.to_string(),
        Comparison::Different(Evidence::Trace { trace, only_in }) => {
            format!("{only_in:?}: {}", trace.join(" "))
        }
        Comparison::Different(Evidence::TooLarge) => "too large".into(),
    };
    assert_eq!(text, expect);
}

#[test]
fn classic_examples() {
    use Equivalence::*;
    // a.(b + c) and a.b + a.c
    let late = [(0, 1, 1), (1, 2, 2), (1, 3, 2)];
    let early = [(0, 1, 1), (0, 1, 2), (1, 2, 3), (2, 3, 3)];
    check(&late, &early, StrongTrace, "equivalent");
    check(&late, &early, Strong, "not <a>not <c>tt");
    check(&early, &late, Weak, "<<a>>not <<c>>tt");
    // a + tau.b and a + tau.b + b: weakly the same, but not branching bisimilar.
    let choice = [(0, 1, 1), (0, TAU, 2), (2, 2, 1)];
    let more = [(0, 1, 1), (0, TAU, 2), (2, 2, 1), (0, 2, 1)];
    check(&choice, &more, Weak, "equivalent");
    check(
        &more,
        &choice,
        Branching,
        r"(min X2 = (min X1 = (<t>X1 \/ <a>tt)) /\ (<t>X2 \/ <b>tt))",
    );
    // A loop of internal steps and none.
    check(&[(0, TAU, 0)], &[], Branching, "equivalent");
    check(
        &[(0, TAU, 0)],
        &[],
        DivergenceBranching,
        r"(min X1 = (<t>X1 \/ max Y1 = tt /\ <t>Y1))",
    );
    check(
        &[(0, 1, 0)],
        &[(0, 1, 1), (1, 1, 2)],
        WeakTrace,
        "First: a a a",
    );
    check(&[(0, 1, 1)], &[(0, 2, 1)], WeakTrace, "First: a");
    check(&[], &[(0, TAU, 1), (1, 2, 1)], WeakTrace, "Second: b");
}

#[test]
fn long_chains_need_no_deep_stack() {
    let chain = |n: u32| -> Vec<Edge> { (0..n).map(|s| (s, 1, s + 1)).collect() };
    let (a, b) = (system(1, &chain(3000), 0), system(1, &chain(2999), 0));
    let found = compare(&a, &b, Equivalence::Strong, &Budget::unlimited()).expect("no limit");
    let Comparison::Different(Evidence::Formula(formula)) = found else {
        panic!("{found:?}");
    };
    assert!(formula.to_string().contains("where"));
    let (a, b) = (system(1, &chain(60_000), 0), system(1, &chain(59_999), 0));
    let budget = Budget::unlimited().timeout(std::time::Duration::from_secs(2));
    assert_ne!(
        compare(&a, &b, Equivalence::Strong, &budget),
        Ok(Comparison::Equivalent)
    );
}
