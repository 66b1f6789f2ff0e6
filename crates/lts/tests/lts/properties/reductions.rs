//! On random systems: each reduction is equivalent to its input and minimal by a slow oracle,
//! reducing twice changes nothing, and the equivalences are ordered as they should be.

use super::oracle::{classes, equivalent, system, without};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{DROPPED, Equivalence, Lts, Pass, Reduction, TAU, reduce};
use proptest::prelude::*;

fn done(result: Result<Reduction, Exhausted>) -> Reduction {
    result.expect("there is no limit")
}

fn all_passes() -> Vec<Pass> {
    let minimise = Equivalence::ALL.map(Pass::Minimise);
    Pass::CHEAP.into_iter().chain(minimise).collect()
}

prop_compose! {
    /// Few labels, much tau: that is where the equivalences differ.
    fn systems()(states in 1u32..9)(
        states in Just(states),
        initial in 0..states,
        edges in prop::collection::vec((0..states, prop_oneof![3 => Just(0u32), 2 => 1u32..3], 0..states), 0..18),
    ) -> Lts {
        system(states as usize, &edges, initial)
    }
}

fn check_notes(lts: &Lts) {
    let mut notes = cwolf_lts::Notes::new(lts.states());
    for s in 0..lts.states() as u32 {
        notes.set(s, &s.to_string(), 0);
    }
    let noted = lts.clone().with_notes(Some(notes));
    for pass in all_passes() {
        let Reduction { lts: small, map } = done(reduce(&noted, pass, &Budget::unlimited()));
        let notes = small.notes().expect("notes survive");
        let mut seen = 0;
        for block in 0..small.states() as u32 {
            let members: Vec<usize> = (0..map.len()).filter(|&s| map[s] == block).collect();
            match notes.get(block) {
                Some(note) => {
                    assert_eq!(note.text, members[0].to_string(), "{}", pass.name());
                    assert_eq!(note.others as usize + 1, members.len(), "{}", pass.name());
                }
                None => assert!(members.is_empty(), "{}", pass.name()),
            }
            seen += members.len();
        }
        assert_eq!(seen, map.iter().filter(|&&b| b != DROPPED).count());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn results_are_equivalent_and_stable(lts in systems()) {
        for pass in all_passes() {
            let once = done(reduce(&lts, pass, &Budget::unlimited()));
            prop_assert_eq!(once.lts.verify(), Ok(()));
            prop_assert_eq!(once.map.len(), lts.states());
            prop_assert_eq!(once.map[lts.initial() as usize], once.lts.initial());
            prop_assert!(equivalent(&lts, &once.lts, pass.keeps()), "{}: {:?}", pass.name(), once.lts);
            let twice = done(reduce(&once.lts, pass, &Budget::unlimited()));
            prop_assert_eq!(&twice.lts, &once.lts, "{}", pass.name());
        }
        check_notes(&lts);
    }

    #[test]
    fn minimal_systems_are_minimal(lts in systems()) {
        use Equivalence::*;
        for eq in [Strong, DivergenceBranching, Branching, Weak] {
            let small = done(reduce(&lts, eq, &Budget::unlimited())).lts;
            prop_assert_eq!(small.states(), classes(&lts, eq), "{}", eq.name());
            for n in 0..small.transitions() {
                prop_assert!(!equivalent(&small, &without(&small, n), eq), "{}: {}", eq.name(), n);
            }
        }
        for eq in [StrongTrace, WeakTrace] {
            let small = done(reduce(&lts, eq, &Budget::unlimited())).lts;
            // Deterministic, and no two states have the same traces: the smallest there is.
            prop_assert_eq!(small.states(), classes(&small, eq), "{}", eq.name());
            for s in 0..small.states() as u32 {
                let steps: Vec<u32> = small.from(s).map(|(a, _)| a).collect();
                prop_assert!(steps.windows(2).all(|w| w[0] < w[1]));
                prop_assert!(eq == StrongTrace || !steps.contains(&TAU));
            }
        }
    }

    #[test]
    fn classes_are_those_of_the_oracle(lts in systems()) {
        use Equivalence::*;
        for eq in [Strong, DivergenceBranching, Branching, Weak] {
            let map = done(reduce(&lts, eq, &Budget::unlimited())).map;
            let relation = super::oracle::System::new(&lts).relation(eq);
            for s in (0..lts.states()).filter(|&s| map[s] != DROPPED) {
                for t in (0..lts.states()).filter(|&t| map[t] != DROPPED) {
                    prop_assert_eq!(map[s] == map[t], relation[s][t], "{}: {} {}", eq.name(), s, t);
                }
            }
        }
    }

    #[test]
    fn equivalences_are_ordered(lts in systems()) {
        use Equivalence::*;
        let size = |eq: Equivalence| done(reduce(&lts, eq, &Budget::unlimited()));
        for (fine, coarse) in [(Strong, DivergenceBranching), (DivergenceBranching, Branching), (Branching, Weak)] {
            let (fine, coarse) = (size(fine), size(coarse));
            prop_assert!(fine.lts.states() >= coarse.lts.states());
            for s in 0..lts.states() {
                for t in 0..s {
                    prop_assert!(fine.map[s] != fine.map[t] || coarse.map[s] == coarse.map[t]);
                }
            }
            // The coarser quotient can be taken of the finer one.
            let again = done(reduce(&fine.lts, Weak, &Budget::unlimited())).lts;
            prop_assert_eq!(again.states(), size(Weak).lts.states());
        }
        let weak = size(Weak).lts;
        prop_assert_eq!(done(reduce(&weak, WeakTrace, &Budget::unlimited())).lts.states(), size(WeakTrace).lts.states());
    }
}

#[test]
fn a_budget_ends_every_pass() {
    let lts = system(3, &[(0, 0, 1), (1, 1, 2), (0, 1, 2)], 0);
    for pass in all_passes() {
        let result = reduce(&lts, pass, &Budget::unlimited().max_steps(0));
        assert_eq!(result, Err(Exhausted::Steps), "{}", pass.name());
    }
}

#[test]
fn names_are_unique() {
    for pass in all_passes() {
        assert_eq!(Pass::from_name(pass.name()), Some(pass));
    }
    assert_eq!(Equivalence::from_name("obseq"), Some(Equivalence::Weak));
    assert_eq!(Pass::from_name("no such"), None);
}
