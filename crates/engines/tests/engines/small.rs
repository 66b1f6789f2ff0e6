//! Small programs with known answers: each language feature that the encoder knows, once right
//! and once wrong. Some engine must decide each, and none may be wrong.

use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_engines::{CheckKind, Checks, Task, Verdict};
use std::time::Duration;

const HEAD: &str = "extern int nd(void); extern unsigned un(void); extern unsigned char uc(void);\n\
    extern void __VERIFIER_assume(int); extern void __VERIFIER_assert(int);\n\
    extern void *malloc(unsigned long); extern void free(void *); extern void *calloc(unsigned long, unsigned long);\n\
    extern void *memset(void *, int, unsigned long); extern void *memcpy(void *, const void *, unsigned long);\n\
    struct pair { int a; int b; };\n";

/// What some engine must say.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Want {
    Safe,
    Fails(CheckKind),
}

use CheckKind::*;
use Want::{Fails, Safe};

const CASES: &[(Want, &str)] = &[
    (
        Safe,
        "int main() { int x = nd(); if (x > 3) __VERIFIER_assert(x != 3); return 0; }",
    ),
    (
        Fails(Assertion),
        "int main() { int x = nd(); __VERIFIER_assert(x + 1 > x); return 0; }",
    ),
    (
        Fails(Overflow),
        "int main() { int x = nd(); int y = x + 1; return y; }",
    ),
    (
        Safe,
        "int main() { int x = nd(); __VERIFIER_assume(x < 100 && x > -100); int y = x * x; return y - 7; }",
    ),
    (
        Fails(DivisionByZero),
        "int main() { int x = nd(); return 5 / x; }",
    ),
    (
        Fails(Shift),
        "int main() { unsigned x = un(); return 1u << x; }",
    ),
    (
        Fails(Bounds),
        "int main() { int a[4]; unsigned i = un() % 5; a[i] = 1; return 0; }",
    ),
    (
        Safe,
        "int main() { int a[4]; unsigned i = un() % 4; a[i] = 1; __VERIFIER_assert(a[i] == 1); return 0; }",
    ),
    (
        Safe,
        "int main() { int a[40]; unsigned i = un() % 40, j = un() % 40; a[i] = 1; a[j] = 2; \
        __VERIFIER_assert(i == j || a[i] == 1); return 0; }",
    ),
    (
        Fails(Assertion),
        "int main() { int a[40]; unsigned i = un() % 40, j = un() % 40; a[i] = 1; a[j] = 2; \
        __VERIFIER_assert(a[i] == 1); return 0; }",
    ),
    (
        Fails(Pointer),
        "int main() { int x; int *p = nd() ? &x : 0; *p = 1; return 0; }",
    ),
    (
        Fails(Pointer),
        "int main() { int *p = malloc(4); free(p); *p = 1; return 0; }",
    ),
    (
        Fails(Pointer),
        "int main() { int *p = malloc(4); free(p); free(p); return 0; }",
    ),
    (
        Fails(Pointer),
        "int *f(void) { int x; int *p = &x; return p; } int main() { return *f(); }",
    ),
    (
        Safe,
        "int main() { int *p = malloc(8); p[1] = 3; p[0] = 4; __VERIFIER_assert(p[0] + p[1] == 7); free(p); return 0; }",
    ),
    (
        Safe,
        "int main() { struct pair *p = calloc(1, sizeof *p); __VERIFIER_assert(p->b == 0); free(p); return 0; }",
    ),
    (
        Safe,
        "int main() { struct pair p = {1, 2}, q; q = p; p.a = 5; __VERIFIER_assert(q.a == 1 && q.b == 2); return 0; }",
    ),
    (
        Safe,
        "int main() { struct pair p = {1, 2}, q; memcpy(&q, &p, sizeof q); __VERIFIER_assert(q.b == 2); \
        memset(&q, 0, sizeof q); __VERIFIER_assert(q.b == 0); return 0; }",
    ),
    (
        Safe,
        "union u { unsigned w; unsigned char b[4]; }; int main() { union u x; x.w = 0x01020304; \
        __VERIFIER_assert(x.b[0] == 4 && x.b[3] == 1); x.b[1] = 9; __VERIFIER_assert(x.w == 0x01020904); return 0; }",
    ),
    (
        Safe,
        "struct f { unsigned a : 3; int b : 4; } s; int main() { s.a = 9; s.b = 8; \
        __VERIFIER_assert(s.a == 1 && s.b == -8); return 0; }",
    ),
    (
        Safe,
        "int one(void) { return 1; } int two(void) { return 2; } int main() { int (*f)(void) = nd() ? one : two; \
        int r = f(); __VERIFIER_assert(r == 1 || r == 2); return 0; }",
    ),
    (
        Fails(Assertion),
        "int one(void) { return 1; } int two(void) { return 2; } int main() { int (*f)(void) = nd() ? one : two; \
        __VERIFIER_assert(f() == 1); return 0; }",
    ),
    (
        Safe,
        "int main() { int i = 0; while (nd()) { i = i < 10 ? i + 1 : 0; } __VERIFIER_assert(i <= 10); return 0; }",
    ),
    (
        Safe,
        "int main() { unsigned n = un(), i = 0, j = 0; while (i < n) { i++; j++; } __VERIFIER_assert(i == j); return 0; }",
    ),
    (
        Safe,
        "int main() { int lock = 0; for (;;) { __VERIFIER_assert(lock == 0); lock = 1; if (nd()) { lock = 0; continue; } \
        __VERIFIER_assert(lock == 1); lock = 0; if (nd()) break; } return 0; }",
    ),
    (
        Fails(Assertion),
        "int main() { int s = 0; for (;;) { switch (s) { case 0: s = nd() ? 1 : 0; break; case 1: s = 2; break; \
        case 2: s = nd() ? 0 : 3; break; default: __VERIFIER_assert(0); } } }",
    ),
    (
        Safe,
        "int main() { int s = 0; for (;;) { switch (s) { case 0: s = nd() ? 1 : 0; break; case 1: s = 2; break; \
        case 2: s = nd() ? 0 : 1; break; default: __VERIFIER_assert(0); } } }",
    ),
    (
        Safe,
        "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } int main() { __VERIFIER_assert(f(5) == 5); return 0; }",
    ),
    (
        Safe,
        "int main() { unsigned char c = uc(); int x = c; __VERIFIER_assert(x >= 0 && x < 256); \
        signed char d = (signed char)c; __VERIFIER_assert(d >= -128 && d <= 127); return 0; }",
    ),
    (
        Safe,
        "int main() { double d = 0.1 + 0.2; __VERIFIER_assert(d > 0.3); return 0; }",
    ),
    (
        Safe,
        "int g[100]; int main() { for (int i = 0; i < 100; i++) g[i] = i; __VERIFIER_assert(g[7] == 7); return 0; }",
    ),
    (
        Safe,
        "int main() { int x = 1; int *p = &x; int **q = &p; **q = 5; __VERIFIER_assert(x == 5); return 0; }",
    ),
    (
        Safe,
        "int main() { int i = 0, a = 0; loop: if (i < 3) { a += 2; i++; goto loop; } __VERIFIER_assert(a == 6); return 0; }",
    ),
    (
        Fails(Bounds),
        "int main() { char *p = malloc(un() % 8 + 1); p[7] = 1; free(p); return 0; }",
    ),
    (
        Safe,
        "struct n { struct n *next; int v; }; int main() { struct n *l = 0; for (int i = 0; i < 3; i++) { \
        struct n *x = malloc(sizeof *x); x->next = l; x->v = i; l = x; } __VERIFIER_assert(l->v == 2 && l->next->v == 1); return 0; }",
    ),
];

#[test]
fn known_answers() {
    let mut wrong = Vec::new();
    for (n, (want, text)) in CASES.iter().enumerate() {
        let text = format!("{HEAD}{text}\n");
        let options = cwolf_cfront::Options::default();
        let compiled = cwolf_cfront::compile_text("small.c", text.as_bytes(), &options);
        let mut program = compiled
            .program
            .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let mut checks = Checks {
            assertions: true,
            bounds: true,
            pointer: true,
            division: true,
            overflow: true,
            shift: true,
            uninitialised: false,
            leaks: false,
            follow_undefined: false,
        };
        // Where the assertion is about overflow, that must not stop the run first.
        checks.overflow = !matches!(want, Fails(Assertion));
        let checked = cwolf_prepare::Checked::new(&program, &checks.kinds());
        cwolf_prepare::insert_checks(&mut program, &checked);
        let program = Analysed::from(program);
        let entry = program.function("main").expect("main");
        let task = Task {
            program: &program,
            entry,
            checks,
            error_functions: Vec::new(),
        };
        let mut decided = false;
        for engine in cwolf_engines::all() {
            let budget = Budget::unlimited().timeout(Duration::from_secs(2));
            let outcome = engine.check(&task, &budget);
            match (&outcome.verdict, want) {
                (Verdict::Unknown { .. }, _) => continue,
                (Verdict::Safe { .. }, Safe) => decided = true,
                (Verdict::Unsafe(f), Fails(kind)) if f.kind == *kind => decided = true,
                // What memory is abstracted from may seem to fail; runs are replayed.
                (Verdict::Unsafe(_), Safe) if engine.name() != "bmc" => continue,
                (said, _) => wrong.push(format!("case {n}: {} says {said:?}", engine.name())),
            }
            if decided {
                break;
            }
        }
        if !decided {
            wrong.push(format!("case {n} is not decided: {}", CASES[n].1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that fail only where a pointer is what the points-to analysis does not list.
const OPEN: &[&str] = &[
    // Never set, but set on another way to the same loop.
    "struct s { int v; struct s *next; } g; int main() { struct s *p, *q = &g; if (nd()) q = p; \
        for (int i = 0; i < nd(); i++) q->v = i; __VERIFIER_assert(q == &g || q == 0); return 0; }",
    // Read from memory behind such a pointer.
    "struct s { int v; struct s *next; } g; int main() { struct s *p, *q = p->next; if (nd()) q = &g; \
        for (int i = 0; i < nd(); i++) q->v = i; __VERIFIER_assert(q == &g || q == 0); return 0; }",
    // Put into memory outside and read again.
    "struct s { int v; struct s *next; } g, h; extern struct s *get(void); \
        int main() { struct s *p = get(), *q = &h; p->next = &g; if (nd()) q = p->next; \
        for (int i = 0; i < nd(); i++) q->v = 1; __VERIFIER_assert(g.v == 0); return 0; }",
    // A number in memory outside that is made a pointer.
    "struct s { unsigned long next; int v; } g; int main() { struct s *p; struct s *q = (struct s *)p->next; \
        if (q) { q->v = 1; __VERIFIER_assert(nd()); } return 0; }",
    // Two objects of one allocation have two addresses.
    "int main() { char *p = 0, *q = 0; for (int i = 0; i < 2; i++) { q = p; p = malloc(1); } \
        __VERIFIER_assert((unsigned long)p == (unsigned long)q); return 0; }",
];

#[test]
fn open_pointers_are_not_forgotten() {
    for text in OPEN {
        let text = format!("{HEAD}{text}\n");
        let options = cwolf_cfront::Options::default();
        let compiled = cwolf_cfront::compile_text("open.c", text.as_bytes(), &options);
        let program = Analysed::from(compiled.program.expect("a program"));
        let task = Task {
            program: &program,
            entry: program.function("main").expect("main"),
            checks: Checks {
                assertions: true,
                ..Checks::default()
            },
            error_functions: Vec::new(),
        };
        for engine in cwolf_engines::all() {
            let budget = Budget::unlimited().timeout(Duration::from_secs(2));
            let said = engine.check(&task, &budget).verdict;
            let safe = matches!(said, Verdict::Safe { .. });
            assert!(!safe, "{} calls this safe:\n{text}", engine.name());
        }
    }
}

/// The numbers that a failing run is given, by unrolling.
fn given(text: &str) -> Vec<i128> {
    let text = format!("{HEAD}extern void *np(void); {text}\n");
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("given.c", text.as_bytes(), &options);
    let program = Analysed::from(compiled.program.expect("a program"));
    let task = Task {
        program: &program,
        entry: program.function("main").expect("main"),
        checks: Checks {
            assertions: true,
            ..Checks::default()
        },
        error_functions: Vec::new(),
    };
    let engines = cwolf_engines::all();
    let bmc = engines.iter().find(|e| e.name() == "bmc").expect("bmc");
    match bmc.check(&task, &Budget::unlimited()).verdict {
        Verdict::Unsafe(failure) => {
            let number = |c: &cwolf_engines::Choice| match c.value {
                cwolf_cwi::value::Value::Int(n) => n,
                other => panic!("{other:?}"),
            };
            failure.choices.iter().map(number).collect()
        }
        said => panic!("{said:?}"),
    }
}

/// A run seldom does what the encoding says if it is given a number for a pointer, which leads
/// nowhere, or one pointer twice, so that what it writes changes what it reads elsewhere. Only where
/// no other run fails, it is given such.
#[test]
fn given_pointers_lead_somewhere() {
    let found = given(
        "struct s { char *p; int n; }; int main() { struct s *s = np(); char *u = np(); int *v = np(); \
        if (s && u && v) { s->p = u; if (s->p && *s->p != 3) __VERIFIER_assert(0); } return 0; }",
    );
    let plain = |n: &i128| *n == 0 || *n >= i128::from(cwolf_interp::OUTSIDE);
    assert!(found.len() == 3 && found.iter().all(plain), "{found:?}");
    assert!(found[0] != found[1] && found[1] != found[2], "{found:?}");
    let found = given("int main() { __VERIFIER_assert(np() != (void *)4); return 0; }");
    assert_eq!(found, [4]);
}
