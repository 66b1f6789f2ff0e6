//! What verdicts come to, on small programs.

mod found;
mod rules;

use crate::concrete::{End, How, Which, run};
use crate::portfolio::{Decision, Plan, verify};
use crate::search::{Searched, all_runs};
use crate::summary::summarise;
use cwolf_base::Budget;
use cwolf_cfront::{Options, compile_text};
use cwolf_interp::{List, Zeros};
use cwolf_prepare::property::{Kind, Selection};
use cwolf_prepare::{Arguments, Extern, Prepare, Subject, prepare};
use cwolf_report::{Event, Status, Verdict};

fn subject_of(text: &str, selection: Selection, entry: &str) -> Subject {
    let options = Options {
        error_labels: selection.error_labels,
        ..Options::default()
    };
    let compilation = compile_text("test.c", text.as_bytes(), &options);
    let program = compilation.program.expect("correct C");
    let how = Prepare {
        selection,
        rules: Vec::new(),
        entry: entry.into(),
        externs: Extern::Havoc,
        malloc_may_fail: false,
        arguments: Arguments::default(),
        language: Options::default(),
    };
    let subject = prepare(program, how).expect("a subject");
    for program in [&subject.program, &subject.raw] {
        let found = cwolf_cwi::verify(program);
        let found: Vec<_> = found.iter().map(|v| v.describe(program)).collect();
        assert!(found.is_empty(), "{found:?}");
    }
    subject
}

pub(crate) fn subject(text: &str) -> Subject {
    subject_of(text, Selection::default(), "main")
}

/// What concrete runs alone say.
fn searched(subject: &Subject) -> Verdict {
    let plan = Plan {
        search: Some(0),
        slots: Vec::new(),
        jobs: 1,
    };
    let answer = verify(subject, &plan, &Budget::unlimited());
    summarise(subject, &answer).verdict
}

fn fails(kind: &str) -> Verdict {
    Verdict::False(kind.into())
}

const NONDET: &str = "int __VERIFIER_nondet_int(void); char __VERIFIER_nondet_char(void); \
    void __VERIFIER_assume(int); void reach_error(void); void __VERIFIER_assert(int); ";

pub(crate) fn with(text: &str) -> String {
    format!("{NONDET}{text}")
}

#[test]
fn each_kind_of_failure_has_its_name() {
    let cases = [
        (
            "int main() { __VERIFIER_assert(__VERIFIER_nondet_int() != 0); }",
            "assertion",
        ),
        (
            "int main() { if (__VERIFIER_nondet_int()) reach_error(); }",
            "unreach-call",
        ),
        (
            "int main() { int a[3]; a[__VERIFIER_nondet_int()] = 1; }",
            "bounds",
        ),
        (
            "int main() { int *p = 0; if (__VERIFIER_nondet_int()) *p = 1; }",
            "pointer",
        ),
        (
            "int main() { return 3 / __VERIFIER_nondet_int(); }",
            "division-by-zero",
        ),
        (
            "int main() { goto ERROR; ERROR: return 1; }",
            "unreach-call",
        ),
    ];
    for (text, kind) in cases {
        assert_eq!(searched(&subject(&with(text))), fails(kind), "{text}");
    }
    let more = [
        (
            "int main() { return __VERIFIER_nondet_int() + 1; }",
            Kind::Overflow,
        ),
        (
            "int main() { return 1 << __VERIFIER_nondet_int(); }",
            Kind::Shift,
        ),
        (
            "int main() { int x; if (x) return 1; return 0; }",
            Kind::Uninitialised,
        ),
    ];
    for (text, kind) in more {
        let selected = subject_of(&with(text), Selection::of(&[kind]), "main");
        assert_eq!(searched(&selected), fails(kind.name()), "{text}");
        // What was not asked for is not told.
        let other = subject_of(&with(text), Selection::of(&[Kind::Assertion]), "main");
        assert!(!matches!(searched(&other), Verdict::False(_)), "{text}");
    }
}

#[test]
fn overflow_respects_short_circuits_and_wraps_elsewhere() {
    let text = with(
        "int main() { int x = 2147483647; unsigned u = 4294967295u; u = u + 1; \
        return x < 0 && x + 1 > 0; }",
    );
    let selected = subject_of(&text, Selection::of(&[Kind::Overflow]), "main");
    assert_eq!(searched(&selected), Verdict::True);
}

#[test]
fn few_inputs_are_tried_all() {
    let sums = with(
        "int main() { char a = __VERIFIER_nondet_char(); \
        __VERIFIER_assume(a >= 0); __VERIFIER_assert(a + 1 > a); return 0; }",
    );
    let subject_ = subject(&sums);
    let Searched::Safe { runs } = all_runs(&subject_, &Budget::unlimited()) else {
        panic!("all runs were tried");
    };
    assert_eq!(runs, 256);
    let one = with("int main() { __VERIFIER_assert(__VERIFIER_nondet_char() != 77); return 0; }");
    assert_eq!(searched(&subject(&one)), fails("assertion"));
}

#[test]
fn what_a_run_does_not_tell_is_no_proof() {
    let open = [
        // Never written, not chosen by the program.
        "void *malloc(unsigned long); int main() { int *p = malloc(4); __VERIFIER_assert(*p == 0); return 0; }",
        // Arguments.
        "int main(int argc, char **argv) { __VERIFIER_assert(argc != 2); return 0; }",
        // Addresses.
        "int main() { int x; __VERIFIER_assert((long)&x != 4096); return 0; }",
        // Too many values.
        "int main() { __VERIFIER_assert(__VERIFIER_nondet_int() != 123456789); return 0; }",
        // The world outside.
        "int rand(void); int main() { __VERIFIER_assert(rand() != 123); return 0; }",
        "volatile int v; int main() { __VERIFIER_assert(v == 0); return 0; }",
    ];
    for text in open {
        assert_ne!(searched(&subject(&with(text))), Verdict::True, "{text}");
    }
}

#[test]
fn open_locals_are_chosen_where_they_come_to_life() {
    let text = with(
        "int main() { for (int n = 0; n < 2; n++) { int x; if (n == 1 && x == 9) reach_error(); x = 1; } return 0; }",
    );
    let subject = subject(&text);
    let how = |values: &[i128]| How {
        oracle: Box::new(List::new(values.iter().copied())),
        budget: Budget::unlimited(),
        record: false,
        zero_memory: true,
        reads: None,
        length: None,
    };
    let quiet = run(&subject, Which::Closed, how(&[1, 1, 8]));
    assert_eq!(quiet.end, End::Exits);
    let loud = run(&subject, Which::Closed, how(&[9, 9, 9, 9]));
    assert!(matches!(loud.end, End::Fails(_)));
}

#[test]
fn functions_without_a_body_return_anything_and_write_through_pointers() {
    let text = with(
        "int get(void); void fill(int *p); int main() { int x = 5; \
        if (get() == 3) { fill(&x); __VERIFIER_assert(x == 5); } return 0; }",
    );
    let havoc = subject(&text);
    assert_eq!(havoc.stubs.len(), 2);
    assert_eq!(searched(&havoc), fails("assertion"));
    assert!(
        havoc
            .assumptions
            .iter()
            .any(|a| a.text.starts_with("get has no body"))
    );
}

#[test]
fn main_gets_arguments_that_it_may_use() {
    let text = with(
        "int main(int argc, char **argv) { __VERIFIER_assert(argc >= 0); if (argc > 3) return 0; \
        __VERIFIER_assert(argv[argc] == 0); if (argc > 1 && argv[1][0] == 'x') reach_error(); return 0; }",
    );
    assert_eq!(searched(&subject(&text)), fails("unreach-call"));
    let function = with(
        "struct s { int n; int *p; }; int f(struct s *s, int k) { \
        __VERIFIER_assert(s->n != 7 || k != 3); return 0; }",
    );
    let subject = subject_of(&function, Selection::default(), "f");
    assert!(
        subject
            .assumptions
            .iter()
            .any(|a| a.text.contains("points to one object"))
    );
    assert!(!matches!(searched(&subject), Verdict::True));
}

#[test]
fn a_failing_run_is_told_line_by_line() {
    let text = format!(
        "{NONDET}\nstatic int twice(int n)\n{{\n    return n + n;\n}}\nint main(void)\n{{\n    int a[2] = {{0, 0}};\n    int x = __VERIFIER_nondet_int();\n    a[1] = twice(x);\n    if (a[1] == 14)\n        reach_error();\n    return 0;\n}}\n"
    );
    let subject = subject(&text);
    let plan = Plan {
        search: Some(0),
        slots: Vec::new(),
        jobs: 1,
    };
    let answer = verify(&subject, &plan, &Budget::unlimited());
    let report = summarise(&subject, &answer);
    assert_eq!(report.verdict, fails("unreach-call"));
    let failing = report.properties.iter().find(|p| p.status == Status::Fails);
    assert_eq!(failing.expect("a property").place.line, 12);
    let trace = report.trace.expect("a trace");
    assert_eq!(trace.choices, ["7"]);
    let steps = &trace.steps;
    let choice = steps.iter().find(|s| matches!(s.event, Event::Choose(..)));
    let choice = choice.expect("a choice");
    assert_eq!(
        (choice.place.line, choice.changes[0].name.as_str()),
        (9, "x")
    );
    assert!(
        steps
            .iter()
            .any(|s| s.event == Event::Call("twice(7)".into()))
    );
    assert!(steps.iter().any(|s| {
        s.changes
            .iter()
            .any(|c| c.name == "a[1]" && c.value == "14")
    }));
    let last = steps.last().expect("an end");
    assert_eq!((&last.event, last.place.line), (&Event::Fail, 12));
}

#[test]
fn limits_end_in_unknown() {
    // Something to prove, behind what never ends.
    let text = with("int main() { int n = 0; for (;;) if (++n == 0) reach_error(); }");
    let plan = Plan {
        search: Some(0),
        slots: Vec::new(),
        jobs: 1,
    };
    let budget = Budget::unlimited().timeout(std::time::Duration::from_millis(50));
    let answer = verify(&subject(&text), &plan, &budget);
    let Decision::Unknown(reason) = answer.decision else {
        panic!("nothing can be known");
    };
    assert!(reason.text.contains("limit"), "{reason:?}");
}

#[test]
fn custom_error_functions_count_whatever_they_do() {
    let prp = "CHECK( init(main()), LTL(G ! call(oops())) )";
    let selection = cwolf_prepare::property::parse_prp(prp).expect("a property");
    let text = with(
        "void oops(void) { } int main() { if (__VERIFIER_nondet_int() == 1) oops(); reach_error(); }",
    );
    let subject = subject_of(&text, selection, "main");
    let how = How {
        oracle: Box::new(Zeros),
        budget: Budget::unlimited(),
        record: false,
        zero_memory: true,
        reads: None,
        length: None,
    };
    assert!(!matches!(
        run(&subject, Which::Closed, how).end,
        End::Fails(_)
    ));
    assert_eq!(searched(&subject), fails("unreach-call"));
}

/// What one engine says.
fn asked(subject: &Subject, engine: &str) -> cwolf_report::Report {
    let wishes = crate::plan::Wishes {
        engines: vec![engine.into()],
        ..Default::default()
    };
    let plan = crate::plan::plan(&wishes).expect("an engine");
    let answer = verify(subject, &plan, &Budget::unlimited());
    summarise(subject, &answer)
}

#[test]
fn the_invariants_of_a_proof_hold_when_they_are_asserted() {
    let program = |check: &str| {
        with(&format!(
            "int main() {{ int n = __VERIFIER_nondet_int(); int i = 0, s = 0; \
            __VERIFIER_assume(n >= 0 && n < 1000); \
            while ({check} i < n) {{ i++; s += 2; }} __VERIFIER_assert(s == 2 * i); return 0; }}"
        ))
    };
    let proof = asked(&subject(&program("")), "k-induction");
    assert_eq!(proof.verdict, Verdict::True);
    assert!(!proof.invariants.is_empty());
    for invariant in &proof.invariants {
        let check = |not: &str| {
            program(&format!(
                "__VERIFIER_assert({not}({})),",
                invariant.condition
            ))
        };
        let again = asked(&subject(&check("")), "k-induction");
        assert_eq!(again.verdict, Verdict::True, "{}", invariant.condition);
        let denied = asked(&subject(&check("!")), "bmc");
        assert_eq!(
            denied.verdict,
            fails("assertion"),
            "{}",
            invariant.condition
        );
    }
}

#[test]
fn failures_through_open_memory_replay() {
    let cases = [
        // Memory that was never written.
        "void *malloc(unsigned long); int main() { int *p = malloc(8); if (p[0] == 5 && p[1] == 7) reach_error(); return 0; }",
        // Memory outside the program, behind a pointer from there.
        "struct s { int n; struct s *next; }; struct s *get(void); int main() { struct s *p = get(); \
        if (p && p->next && p->next->n == 77 && p->n == 3) reach_error(); return 0; }",
        // A number that is made a pointer.
        "struct s { unsigned long next; int n; }; struct s *get(void); int main() { struct s *p = get(); \
        if (p && p->n == 9) { struct s *q = (struct s *)p->next; if (q->n == 4) reach_error(); } return 0; }",
    ];
    for text in cases {
        let subject = subject_of(&with(text), Selection::of(&[Kind::UnreachCall]), "main");
        assert_eq!(
            asked(&subject, "bmc").verdict,
            fails("unreach-call"),
            "{text}"
        );
    }
    // Written memory is not open.
    let text = "void *calloc(unsigned long, unsigned long); int main() { int *p = calloc(2, 4); \
        if (p[1] == 7) reach_error(); return 0; }";
    let subject = subject_of(&with(text), Selection::of(&[Kind::UnreachCall]), "main");
    assert_eq!(asked(&subject, "bmc").verdict, Verdict::True);
}

#[test]
fn what_is_always_written_before_it_is_read_is_proved() {
    let checked = |text: &str| {
        let selected = subject_of(&with(text), Selection::of(&[Kind::Uninitialised]), "main");
        asked(&selected, "bmc").verdict
    };
    let fine = "static int twice(int n) { int r = n + n; return r; } \
        int main() { int s = 0; for (int i = 0; i < 3; i++) { int t; if (i) t = i; else t = 1; s += twice(t); } return s; }";
    assert_eq!(checked(fine), Verdict::True);
    let open = [
        "int main() { int x; if (__VERIFIER_nondet_int()) x = 1; return x > 0; }",
        "int main() { int s = 0; for (int i = 0; i < 3; i++) { int t; if (i) t = i; s += t; } return s; }",
        "int main() { int a[2]; a[0] = 1; return a[1] > 0; }",
        "void *malloc(unsigned long); int main() { int *p = malloc(4); return *p > 0; }",
        "void set(int *p) { } int main() { int x; set(&x); return x > 0; }",
    ];
    for text in open {
        assert_ne!(checked(text), Verdict::True, "{text}");
    }
}

#[test]
fn arguments_are_bounded_only_where_more_could_matter() {
    let head = "extern void f(char **); extern int g(const char *); ";
    let bound = |body: &str| {
        let text = format!("{head} int main(int argc, char **argv) {{ {body} return 0; }}");
        subject(&with(&text)).bound
    };
    for covered in [
        "",
        "if (argc > 7) __VERIFIER_assert(argc);",
        "if (!argv[0]) return 1; if (argv[1] == 0) return 2;",
        "if (argc > 1 && argv[1][0] == '-') return argv[1][1];",
    ] {
        assert_eq!(bound(covered), None, "{covered}");
    }
    for (body, words) in [
        ("f(argv);", "up to 3 arguments of at most 7 characters"),
        ("argv++;", "up to 3 arguments of at most 7 characters"),
        ("return g(argv[1]);", "arguments of at most 7 characters"),
        ("return argv[1][argc];", "arguments of at most 7 characters"),
        ("return argv[argc] == 0;", "up to 3 arguments"),
        ("argv[1] = 0;", "up to 3 arguments"),
        ("char ***p = &argv; return **p == 0;", "up to 3 arguments"),
    ] {
        let found = bound(body).unwrap_or_default();
        assert!(found.starts_with(words), "{body}: {found}");
    }
}

#[test]
fn arguments_fit_their_count() {
    let safe = [
        "__VERIFIER_assert(argv[argc] == 0);",
        "for (int i = 0; i < argc; i++) __VERIFIER_assert(argv[i] != 0);",
        "for (int i = 0; i < argc; i++) { int n = 0; while (argv[i][n]) n++; }",
        "for (char **p = argv; *p; p++) __VERIFIER_assert(p - argv < argc);",
    ];
    let wrong = [
        "__VERIFIER_assert(argv[0] != 0);",
        "return argv[argc + 1] != 0;",
        "__VERIFIER_assert(argc < 3);",
        "if (argc == 2 && argv[1][0] == '-' && argv[1][1] == 'v') reach_error();",
        "if (argc == 2) { int n = 0; while (argv[1][n]) n++; return argv[1][n + 1]; }",
    ];
    let plan = crate::plan::plan(&crate::plan::Wishes::default()).expect("a plan");
    let verdict = |body: &str| {
        let text = format!("int main(int argc, char **argv) {{ {body} return 0; }}");
        let subject = subject(&with(&text));
        let answer = verify(&subject, &plan, &Budget::unlimited());
        summarise(&subject, &answer).verdict
    };
    for body in safe {
        let found = verdict(body);
        let bounded = matches!(&found, Verdict::Unknown(why) if why.starts_with("no failure with"));
        assert!(bounded, "{body}: {found:?}");
    }
    for body in wrong {
        let found = verdict(body);
        assert!(matches!(found, Verdict::False(_)), "{body}: {found:?}");
    }
}
