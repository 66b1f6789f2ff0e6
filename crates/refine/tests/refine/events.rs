//! What is seen at writes, returns and ends: an answer may not rest on a label that the program does not show there.

use crate::{ask, prepare, word};
use cwolf_base::Budget;
use cwolf_refine::Answer;

const HEAD: &str = "extern int in(void); extern void a(void);\n";

/// The answer must be this one; or it may be unknown, where only so much is promised.
fn check(body: &str, rules: &str, answers: &[(&str, &str)]) {
    let subjected = prepare(&format!("{HEAD}{body}"), rules);
    for (formula, wanted) in answers {
        let outcome = ask(&subjected, formula, 50_000, &Budget::unlimited());
        let reason = match &outcome.answer {
            Answer::Unknown(reason) => reason.text.clone(),
            _ => String::new(),
        };
        let answer = word(&outcome.answer);
        let allowed = match wanted.strip_suffix('?') {
            Some(wanted) => answer == wanted || answer == "unknown",
            None => answer == *wanted,
        };
        assert!(
            allowed,
            "{formula}: {answer}, not {wanted}: {reason}\n{body}"
        );
    }
}

#[test]
fn writes_through_pointers() {
    check(
        "struct t { int state; };
         static void set(struct t *p, int v) { p->state = v; a(); }
         int main(void) { struct t t = {0}; for (;;) { int v = in(); if (v >= 0 && v < 5) set(&t, v); } }",
        "watch(main:t.state == 7) => seven; watch(main:t.state == 3) => three;",
        &[("G not {seven}", "proved"), ("G not {three}", "shown")],
    );
    // The pointer leads elsewhere.
    check(
        "static int x, y; static void set(int *p, int v) { *p = v; }
         int main(void) { set(&y, 7); if (in() == 3) set(&x, 2); a(); return 0; }",
        "watch(x == 7) => seven; watch(x == 2) => two;",
        &[("G not {seven}", "proved?"), ("G not {two}", "shown")],
    );
}

#[test]
fn writes_at_an_index() {
    check(
        "static int t[4]; int main(void) { int i = in(), v = in(); if (i >= 0 && i < 3 && v < 9) { t[i] = v; a(); } return 0; }",
        "watch(t[3] == 7) => seven; watch(t[1] == 7) => one;",
        &[("G not {seven}", "proved?"), ("G not {one}", "shown?")],
    );
}

#[test]
fn writes_by_the_library() {
    check(
        "void *memcpy(void *, const void *, unsigned long); static int x;
         int main(void) { for (;;) { int v = in(); if (v >= 0 && v < 5) memcpy(&x, &v, sizeof x); a(); } }",
        "watch(x == 7) => seven; watch(x == 3) => three;",
        &[("G not {seven}", "proved?"), ("G not {three}", "shown?")],
    );
}

#[test]
fn writes_by_code_outside() {
    // `in` may write x, so the label may come before.
    check(
        "int x; int main(void) { in(); if (x == 1) a(); return 0; }",
        "watch(x == 1) => one; call(a) => a;",
        &[("not {a} W {one}", "proved?")],
    );
}

#[test]
fn parameters() {
    check(
        "static int f(int n) { return n + 1; } int main(void) { int v = in(); if (v > 3 && v < 9) f(v); a(); return 0; }",
        "watch(f:n == 2) => two; watch(f:n == 5) => five;",
        &[("G not {two}", "proved"), ("G not {five}", "shown")],
    );
    // The call is seen first, and settles the formula.
    check(
        "static int f(int n) { return n + 1; } int main(void) { int v = in(); f(v); a(); return 0; }",
        "watch(f:n == 2) => two; call(f) => f;",
        &[("G not {f}", "shown?"), ("G not {two}", "shown?")],
    );
}

#[test]
fn results() {
    check(
        "static int f(int n) { if (n < 4) return 4; return n; } int main(void) { int v = in(); if (v < 9) f(v); a(); return 0; }",
        "return(f) when $return == 2 => two; return(f) when $return == 5 => five;",
        &[("G not {two}", "proved"), ("G not {five}", "shown")],
    );
    check(
        "static int f(int n) { if (n < 4) return 4; return n; } int main(void) { int v = in(); if (v < 9) f(v); a(); return 0; }",
        "return(f) => \"f {$return}\";",
        &[
            ("G not {\"f 2\"}", "proved?"),
            ("G not {\"f 5\"}", "shown?"),
        ],
    );
}

#[test]
fn results_of_code_outside() {
    check(
        "int main(void) { int v = in(); if (v == 4) a(); return 0; }",
        "return(in) => \"in {$return}\"; call(a) => a;",
        &[
            ("G ({\"in 7\"} -> G not {a})", "proved?"),
            ("G not {a}", "shown?"),
        ],
    );
}

#[test]
fn several_labels_of_one_step() {
    check(
        "static int x; static void f(int n) { x = n; } int main(void) { int v = in(); if (v > 3) f(v); return 0; }",
        "write(x) => w; watch(x == 2) => two; watch(x == 5) => five;",
        &[
            ("G not {two}", "proved"),
            ("G not {five}", "shown"),
            ("not {five} W {w}", "proved"),
        ],
    );
}

#[test]
fn a_formula_that_holds_where_the_program_starts() {
    check(
        "int main(void) { in(); a(); return 0; }",
        "call(a) => a; call(in) => in;",
        &[
            ("[a]ff", "proved"),
            ("[in][a]ff", "proved?"),
            ("max X = [-]X /\\ [a][in]ff", "proved"),
            ("min X = <->X \\/ <a>tt", "shown"),
        ],
    );
}

#[test]
fn quantifiers_inside_of_others() {
    let body = "extern void b(void); int main(void) { static int on; for (;;) { int v = in(); if (v == 1) { on = 1; a(); } else if (on) { on = 0; b(); } } }";
    check(
        body,
        "call(a) => a; call(b) => b;",
        &[
            ("not EF {b}", "shown"),
            ("AG AF {a}", "shown"),
            ("AG not {b}", "shown"),
            ("not EF ({b} /\\ X {b})", "proved?"),
            ("EF EG not {b}", "shown"),
        ],
    );
}

#[test]
fn names_that_are_chosen() {
    let head = "void _cwolf_event(const char *);";
    check(
        &format!(
            "{head} static const char *const names[] = {{ \"zero\", \"one\", \"two\" }};
             int main(void) {{ for (;;) {{ int n = in(); if (n == 0 || n == 1) {{ _cwolf_event(names[n]); if (n) a(); }} }} }}"
        ),
        "call(a) => a;",
        &[
            ("G not {two}", "proved"),
            ("G not {one}", "shown"),
            ("(not {a}) W {one}", "proved"),
            ("(not {a}) W {zero}", "shown"),
        ],
    );
    // Which function is called decides, too.
    check(
        &format!(
            "{head} static void other(const char *s) {{ (void)s; }}
             int main(void) {{ for (;;) {{ int n = in(); void (*say)(const char *) = n == 3 ? _cwolf_event : other;
             say(n > 2 ? \"big\" : \"small\"); if (n == 2) a(); }} }}"
        ),
        "call(a) => a;",
        &[
            ("G not {small}", "proved?"),
            ("G not {big}", "shown"),
            ("(not {a}) W {big}", "shown"),
        ],
    );
}
