use super::*;
use crate::plan::{Wishes, plan};
use crate::summary::summarise;
use crate::tests::{subject, with};
use cwolf_report::{Report, Status, Verdict};

fn report(text: &str) -> Report {
    let subject = subject(&with(text));
    let plan = plan(&Wishes::default()).expect("the usual engines");
    let answer = verify_all(&subject, &plan, &Budget::unlimited());
    summarise(&subject, &answer)
}

/// The line of each row, and its status.
fn rows(report: &Report) -> Vec<(u32, &'static str)> {
    let rows = report.properties.iter();
    rows.map(|p| (p.place.line, p.status.name())).collect()
}

#[test]
fn assuming_a_check_leaves_the_others() {
    let mut subject = subject(&with(
        "int main() { int x = __VERIFIER_nondet_int();\n __VERIFIER_assert(x);\n __VERIFIER_assert(x < 9); }",
    ));
    let all = sites(&subject);
    assert_eq!(all.len(), 2);
    let first = all[0].checks[0];
    assume(&mut subject.program, &all[0].checks);
    assert!(cwolf_cwi::verify(&subject.program).is_empty());
    let left = sites(&subject);
    assert_eq!(left.len(), 1);
    assert!(!left[0].checks.contains(&first));
    // The raw program is as it was.
    assert!(
        crate::sites::asserted(&subject.raw, subject.raw_entry.expect("main")).contains(&first)
    );
}

#[test]
fn a_skipped_check_that_ends_the_run_goes_the_other_way() {
    let mut subject = subject(&with(
        "void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));\n\
         int main() { int x = __VERIFIER_nondet_int();\n\
         if (x > 0) ; else __assert_fail(\"x > 0\", \"a.c\", 3, \"main\");\n __VERIFIER_assert(x != 0); }",
    ));
    let all = sites(&subject);
    skip(&mut subject.program, all[0].checks[0]);
    assert!(cwolf_cwi::verify(&subject.program).is_empty());
    let plan = Plan {
        search: Some(0),
        slots: Vec::new(),
        jobs: 1,
    };
    // Raw runs still fail at the first; the closed program goes on to the second.
    subject.raw = subject.program.clone();
    subject.raw_entry = Some(subject.entry);
    let answer = verify(&subject, &plan, &Budget::unlimited());
    let Decision::Unsafe(run) = answer.decision else {
        panic!("{answer:?}")
    };
    assert_eq!(failing(&run), Some(all[1].checks[0]));
}

#[test]
fn each_failing_check_has_its_own_run() {
    let found = report(
        "int main() { int x = __VERIFIER_nondet_int(); int y = __VERIFIER_nondet_int();\n\
         if (x == 5) __VERIFIER_assert(y);\n __VERIFIER_assert(x != 6);\n __VERIFIER_assert((x & 1) < 2); }",
    );
    assert!(matches!(found.verdict, Verdict::False(_)));
    assert_eq!(rows(&found), [(2, "fails"), (3, "fails"), (4, "holds")]);
    let traces: Vec<_> = found.properties.iter().map(|p| p.trace.as_ref()).collect();
    let choices = |n: usize| traces[n].map(|t| t.choices.clone()).unwrap_or_default();
    assert_eq!(choices(0)[0], "5");
    assert_eq!(choices(1)[0], "6");
    assert!(traces[2].is_none());
}

#[test]
fn what_only_follows_from_a_failure_is_marked() {
    let found = report(
        "int main() { int x = __VERIFIER_nondet_int();\n\
         __VERIFIER_assert(x > 0);\n __VERIFIER_assert(x >= 0);\n\
         if (x < 0)\n __VERIFIER_assert(x == -7);\n __VERIFIER_assert(x != 0 || x < 5); }",
    );
    let names = ["fails", "after-failure", "after-failure", "holds"];
    let lines = [2, 3, 5, 6];
    let expected: Vec<_> = lines.into_iter().zip(names).collect();
    assert_eq!(rows(&found), expected);
}

#[test]
fn nothing_is_proved_behind_a_step_that_always_fails() {
    let found = report("int main() { int *p = 0;\n *p = 1;\n __VERIFIER_assert(0 < p); }");
    let last = found.properties.last().expect("rows");
    assert_eq!((last.place.line, last.status), (3, Status::AfterFailure));
}

#[test]
fn unreachable_checks_and_contradicting_assumptions_are_told() {
    let found = report(
        "int main() { int x = __VERIFIER_nondet_int();\n __VERIFIER_assume(x > 3);\n\
         __VERIFIER_assert(x > 2);\n __VERIFIER_assume(x < 2);\n __VERIFIER_assert(x == 12); }",
    );
    assert_eq!(found.verdict, Verdict::True);
    assert_eq!(rows(&found), [(3, "holds"), (5, "unreachable")]);
    let lines: Vec<_> = found.warnings.iter().map(|w| w.place.clone()).collect();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].as_ref().map(|p| p.line), Some(4));
}

#[test]
fn a_check_behind_a_condition_that_no_run_guesses_is_reached() {
    let found = report(
        "int main() { unsigned n = __VERIFIER_nondet_int();\n\
         if (n * 7u == 3u)\n __VERIFIER_assert(n);\n if (n > 4 && n < 3)\n __VERIFIER_assert(n == 9); }",
    );
    assert_eq!(rows(&found), [(3, "holds"), (5, "unreachable")]);
}

#[test]
fn an_assertion_is_reached_where_its_condition_is() {
    // The block that calls __assert_fail is never entered, the condition is evaluated.
    let found = report(
        "void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));\n\
         int main() { int x = __VERIFIER_nondet_int() & 7;\n\
         if (x < 8) ; else __assert_fail(\"x < 8\", \"a.c\", 3, \"main\");\n\
         if (x > 9) { if (x < 8) ; else __assert_fail(\"x < 8\", \"a.c\", 4, \"main\"); } }",
    );
    assert_eq!(rows(&found), [(3, "holds"), (4, "unreachable")]);
}
