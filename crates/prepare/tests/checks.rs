//! Programs with their checks inserted are sound CWI, and the interpreter fails at the check that
//! the writer of the program had in mind, or nowhere.

use cwolf_cwi::{CheckKind, Program};
use cwolf_interp::{List, Machine, Options, Outcome};
use cwolf_prepare::{Checked, insert_checks};

const HEAD: &str = "extern int nd(void); extern void __VERIFIER_assert(int); \
    extern void *malloc(unsigned long); extern void free(void *); \
    extern void *memcpy(void *, const void *, unsigned long); struct s { int a : 3; int b[2]; };\n";

fn prepared(text: &str) -> Program {
    let text = format!("{HEAD}{}", text.replace("nd()", "__VERIFIER_nondet_int()"));
    let text = text.replace(
        "extern int nd(void);",
        "extern int __VERIFIER_nondet_int(void);",
    );
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("t.c", text.as_bytes(), &options);
    let mut program = compiled
        .program
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    let checked = Checked::new(&program, &CheckKind::ALL);
    insert_checks(&mut program, &checked);
    let broken = cwolf_cwi::verify(&program);
    assert!(broken.is_empty(), "{broken:?}\n{text}");
    program
}

/// The kind of the check that fails with this input.
fn fails(program: &Program, input: i128) -> Option<CheckKind> {
    let options = Options {
        oracle: Box::new(List::new([input])),
        ..Options::default()
    };
    match Machine::new(program, options).run("main") {
        Outcome::Exit(_) => None,
        Outcome::Error(error) => {
            let check = error.check.unwrap_or_else(|| panic!("{error:?}"));
            Some(program.checks[check].kind)
        }
        other => panic!("{other:?}"),
    }
}

/// A program, an input with which it fails and how, and one with which it does not.
const CASES: &[(&str, i128, CheckKind, i128)] = {
    use CheckKind::*;
    &[
        (
            "int main() { int n = nd(); __VERIFIER_assert(n != 3); return 0; }",
            3,
            Assertion,
            4,
        ),
        ("int a[4]; int main() { return a[nd()]; }", 4, Bounds, 3),
        (
            "int a[4]; int main() { a[nd()] = 1; return 0; }",
            -1,
            Bounds,
            0,
        ),
        (
            "int main() { int *p = malloc(8); int n = nd(); p[n] = 1; free(p); return 0; }",
            2,
            Bounds,
            1,
        ),
        (
            "int x; int main() { int *p = nd() ? &x : 0; return *p; }",
            0,
            Pointer,
            1,
        ),
        (
            "int main() { char *s = \"abc\", b[2]; if (!nd()) s = b; s[0] = 1; return 0; }",
            1,
            Pointer,
            0,
        ),
        (
            "int main() { const int c = 1; int d; int *p = nd() ? (int *)&c : &d; *p = 2; return 0; }",
            1,
            Pointer,
            0,
        ),
        (
            "int main() { char *p = malloc(4); if (nd()) free(p); free(p); return 0; }",
            1,
            Pointer,
            0,
        ),
        ("int main() { return 7 / nd() & 1; }", 0, DivisionByZero, 2),
        (
            "int main() { int n = nd(); n = n + 1; return 0; }",
            2147483647,
            Overflow,
            5,
        ),
        (
            "int main() { int n = nd(); n = -n; return 0; }",
            -2147483648,
            Overflow,
            5,
        ),
        (
            "int main() { int n = 1 << nd(); return n == 9; }",
            31,
            Overflow,
            30,
        ),
        (
            "int main() { unsigned n = 1u << nd(); return n == 9; }",
            32,
            Shift,
            31,
        ),
        // The right side counts only where the left side lets it.
        (
            "int main() { int n = nd(); return n < 10 || n + 1 > 3; }",
            2147483647,
            Overflow,
            -5,
        ),
        (
            "int main() { struct s v, *p = nd() ? &v : 0; p->a = 1; return 0; }",
            0,
            Pointer,
            1,
        ),
        (
            "int main() { char a[4], b[4] = {0}; memcpy(a, b, nd()); return 0; }",
            5,
            Bounds,
            4,
        ),
        (
            "int main() { char a[8] = {0}; memcpy(a, a + nd(), 2); return 0; }",
            1,
            Pointer,
            2,
        ),
        (
            "static int f(void) { return 0; } int main() { int (*p)(void) = nd() ? f : 0; return p(); }",
            0,
            Pointer,
            1,
        ),
    ]
};

#[test]
fn each_kind_fails_where_it_should() {
    let mut wrong = Vec::new();
    for (text, bad, kind, good) in CASES {
        let program = prepared(text);
        let found = fails(&program, *bad);
        if found != Some(*kind) {
            wrong.push(format!("{bad}: {found:?}, not {kind:?}: {text}"));
        }
        let found = fails(&program, *good);
        if found.is_some() {
            wrong.push(format!("{good}: {found:?}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_checked_that_is_not_asked_for() {
    let text = format!("{HEAD}int a[4]; int main() {{ return a[3] + 1 / a[2]; }}");
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("t.c", text.as_bytes(), &options);
    let mut program = compiled.program.expect("C");
    let checked = Checked::new(&program, &[]);
    insert_checks(&mut program, &checked);
    assert_eq!(program.checks.len(), 0);
}
