//! Failing runs that concrete search finds: long ones, and how they are told.

use super::{subject, with};
use crate::concrete::Run;
use crate::portfolio::{Decision, Plan, verify};
use crate::search::{Searched, some_runs};
use cwolf_base::Budget;
use cwolf_report::Event;

/// The failing run that is told, found by concrete runs alone.
fn told(text: &str) -> Run {
    let plan = Plan {
        search: Some(0),
        slots: Vec::new(),
        jobs: 1,
    };
    match verify(&subject(&with(text)), &plan, &Budget::unlimited()).decision {
        Decision::Unsafe(run) => *run,
        other => panic!("{other:?}"),
    }
}

/// The steps in the middle are not looked at, but how the run ends is told, in the right functions.
#[test]
fn a_long_run_is_told_by_its_start_and_its_end() {
    let run = told(
        "static int less(int x) {\nx = x - 2;\nreturn x;\n}\nint main() {\nint x = 3000001;\nwhile (x > 1)\nx = less(x);\n\
        x = x + 4;\n__VERIFIER_assert(x != 5);\nreturn 0; }",
    );
    assert!(run.statements > 3_000_000);
    assert!(run.steps.len() <= 1000, "{} steps", run.steps.len());
    let (omitted, after) = run.omitted.expect("most of it");
    assert!(omitted > 1_000_000 && after < run.steps.len());
    let first = &run.steps[0];
    assert_eq!(first.changes[0].value, "3000001");
    let last = &run.steps[run.steps.len() - 1];
    assert_eq!((&last.event, last.depth), (&Event::Fail, first.depth));
    let before = run.steps.iter().rev().find(|s| !s.changes.is_empty());
    assert_eq!(before.expect("a change").changes[0].value, "5");
    // A step inside the function is one deeper.
    let inside = run.steps.iter().rfind(|s| s.function == "less");
    assert_eq!(inside.map(|s| s.depth), Some(first.depth + 1));
}

/// Values that are chosen early do not keep the search from going far.
#[test]
fn a_count_that_is_chosen_may_be_large() {
    let text = with(
        "unsigned __VERIFIER_nondet_uint(void); int main() { unsigned n = __VERIFIER_nondet_uint(), sum = 0; for (unsigned i = 0; i <= n; i++) sum += i; \
        __VERIFIER_assert(sum == n * (n + 1) / 2 || sum == 0); return 0; }",
    );
    match some_runs(&subject(&text), &Budget::unlimited()) {
        Searched::Fails(run) => assert!(run.statements > 60_000),
        other => panic!("{other:?}"),
    }
}

/// Nothing is told that does not matter.
#[test]
fn a_run_found_by_chance_is_made_shorter() {
    let run = told(
        "int main() { int s = 0; while (__VERIFIER_nondet_int() != 0) { if (__VERIFIER_nondet_int() > 0) s++; \
        __VERIFIER_nondet_int(); __VERIFIER_assert(s != 3); } return 0; }",
    );
    assert_eq!(run.choices.len(), 9, "{:?}", run.choices);
}
