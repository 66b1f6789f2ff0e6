//! Lives of objects: pointers to what has ended, whatever took its place. No engine may call a
//! program safe that has a failing run, and safe twins must still be proved.

use crate::common::{Random, compile, seeds};
use crate::runs;
use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::value::Value;
use cwolf_cwi::{Base, Program, StmtKind};
use cwolf_engines::{Checks, Engine, Task, Verdict};
use std::fmt::Write;
use std::time::Duration;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assert(int);\n\
    extern void *malloc(unsigned long); extern void free(void *); extern void *calloc(unsigned long, unsigned long);\n\
    extern void *realloc(void *, unsigned long); extern void *memset(void *, int, unsigned long);\n\
    extern void *memcpy(void *, const void *, unsigned long);\n\
    typedef long jmp_buf[32]; extern int setjmp(jmp_buf); extern void longjmp(jmp_buf, int);\n\
    static int nd(void) { return __VERIFIER_nondet_int() & 1; }\n\
    static void fill(char *p, int c, unsigned long n) { for (unsigned long i = 0; i < n; i++) p[i] = c; }\n\
    static unsigned long length(const char *s) { unsigned long n = 0; while (s[n]) n++; return n; }\n";

fn checks() -> Checks {
    Checks {
        assertions: true,
        bounds: true,
        pointer: true,
        ..Checks::default()
    }
}

/// The program with an assertion before every step that can fail.
fn checked(mut program: Program) -> Analysed {
    let checked = cwolf_prepare::Checked::new(&program, &checks().kinds());
    cwolf_prepare::insert_checks(&mut program, &checked);
    let main = program.function("main").expect("main");
    let followed = cwolf_prepare::follow_jumps(&mut program, main, cwolf_prepare::Lost::Fails);
    assert_eq!(followed.entry, main);
    program.into()
}

fn said(program: &Analysed, engine: &dyn Engine, seconds: u64) -> Verdict {
    let task = Task {
        program,
        entry: program.function("main").expect("main"),
        checks: checks(),
        error_functions: Vec::new(),
    };
    let budget = Budget::unlimited().timeout(Duration::from_secs(seconds));
    engine.check(&task, &budget).verdict
}

/// Each has a failing run.
const FAILING: &[&str] = &[
    // A local of an earlier call from the same place.
    "int *keep; int f(int i) { int x = 3; if (i == 0) keep = &x; else if (nd()) *keep = 4; return x; }\
     int main() { for (int i = 0; i < 2; i++) f(i); return 0; }",
    // The same of a parameter.
    "int *keep; void f(int a) { if (a == 0) keep = &a; else *keep = 1; }\
     int main() { for (int i = 0; i < 3; i++) f(i); return 0; }",
    // Handed back to the function that it came from.
    "int *f(int *p) { int x; if (p) *p = 1; return &x; }\
     int main() { int *p = 0; for (int i = 0; i < 2; i++) p = f(p); return 0; }",
    // Kept in the heap, and in an array with many elements.
    "int main(); void f(int **k, int i) { int x; if (i == 0) *k = &x; else if (nd()) **k = 1; }\
     int main() { int **k = malloc(sizeof *k); for (int i = 0; i < 2; i++) f(k, i); free(k); return 0; }",
    "int *a[40]; void f(int i, int j) { int x; if (i == 0) a[j] = &x; else if (a[3]) *a[3] = 1; }\
     int main() { for (int i = 0; i < 2; i++) f(i, 3); return 0; }",
    // By way of a number.
    "unsigned long k; void f(int i) { int x; if (i == 0) k = (unsigned long)&x; else *(int *)k = 1; }\
     int main() { for (int i = 0; i < 2; i++) f(i); return 0; }",
    // Through a structure in the caller.
    "struct s { int *p; int n; }; void f(struct s *s) { int x[2]; if (s->n++ == 0) s->p = x; else s->p[1] = 2; }\
     int main() { struct s s = {0, 0}; while (s.n < 2) f(&s); return 0; }",
    // Memory on the stack of a call that has returned.
    "char *f(void) { char *p = __builtin_alloca(4); p[0] = 1; return p; } int main() { char *p = f(); if (nd()) return p[0]; return 0; }",
    "char *f(int n) { char a[n]; char *p = a; p[0] = 1; return p; } int main() { char *p = f(4); if (nd()) return p[0]; return 0; }",
    "int main() { char *p = 0; for (int n = 1; n < 3; n++) { char a[n]; if (p) p[0] = 1; p = a; } return 0; }",
    "int main() { char *p = __builtin_alloca(4); free(p); return 0; }",
    "char *k; void f(int i) { char *p = __builtin_alloca(4); if (i == 0) k = p; else if (nd()) k[0] = 1; }\
     int main() { for (int i = 0; i < 2; i++) f(i); return 0; }",
    // Freed twice, made in a loop.
    "int main() { char *p = 0; for (int i = 0; i < 3; i++) { p = malloc(1); free(p); } if (nd()) free(p); return 0; }",
    "int main() { char *p = 0, *q = 0; for (int i = 0; i < 2; i++) { q = p; p = malloc(1); } free(q); if (nd()) free(q); return 0; }",
    // What realloc got is gone, and what it gives holds the same.
    "int main() { int *p = malloc(4); *p = 1; int *q = realloc(p, 8); *p = 2; return 0; }",
    "int main() { int *p = malloc(4); *p = 1; int *q = realloc(p, 8); __VERIFIER_assert(*q != 1); return 0; }",
    "int main() { int *p = malloc(4); int *q = realloc(p, 0); *q = 1; return 0; }",
    "int main() { int *p = malloc(4); p = realloc(p, 0); free(malloc(1)); p[0] = 1; return 0; }",
    // Sizes that come out of a loop.
    "int main() { unsigned n = 0; while (n < 3 && nd()) n++; char *t = malloc(n + 1); memset(t, 5, n + 1);\
     __VERIFIER_assert(t[0] != 5); return 0; }",
    "int main() { char b[20] = \"abcdefgh\"; unsigned n = 0; while (n < 3 && nd()) n++; b[n] = 0;\
     unsigned long k = length(b) + 1; char *t = malloc(k); memcpy(t, b, k); __VERIFIER_assert(t[0] != 'a'); return 0; }",
    "int main() { unsigned n = 0; while (n < 3 && nd()) n++; char *t = calloc(n + 1, 1);\
     __VERIFIER_assert(t[n] != 0); return 0; }",
    // Blocks, rounds of a loop, compound literals.
    "int main() { int *p; { int x = 3; p = &x; } if (nd()) return *p; return 0; }",
    "int main() { int *p = 0; for (int i = 0; i < 2; i++) { int x = i; if (p) *p = 1; p = &x; } return 0; }",
    "int main() { int *p = 0; for (int i = 0; i < 2; i++) { if (p && nd()) *p = 1; p = (int[]){1, 2}; } return 0; }",
    // A jump back.
    "jmp_buf b; int k; int main() { if (setjmp(b)) { __VERIFIER_assert(k == 0); return 0; } k = 1; longjmp(b, 1); }",
    "jmp_buf b; int k; void f(void) { k = 1; if (nd()) longjmp(b, 1); }\
     int main() { if (setjmp(b)) { __VERIFIER_assert(k == 0); return 0; } f(); return 0; }",
];

/// Each has no failing run, and some engine proves it.
const SAFE: &[&str] = &[
    "int main() { int *p = 0; while (nd()) { int x = 1; p = &x; *p = 2; __VERIFIER_assert(x == 2); } return 0; }",
    "int main() { int s = 0; for (int i = 0; i < 3; i++) { int *p = (int[]){1, 2}; s += p[1]; } __VERIFIER_assert(s == 6); return 0; }",
    "int *keep; int f(int i) { int x = 3; keep = &x; *keep = i; return x; }\
     int main() { for (int i = 0; i < 3; i++) { int r = f(i); __VERIFIER_assert(r == i); } return 0; }",
    "int *keep; void f(int a) { keep = &a; *keep = 1; } int main() { while (nd()) f(2); return 0; }",
    "void g(int *p) { *p += 1; } int f(int i) { int x = i; g(&x); return x; }\
     int main() { while (nd()) { int r = f(3); __VERIFIER_assert(r == 4); } return 0; }",
    "int *g; int y; void f(int i) { int x; if (i) g = &x; else g = &y; g = &y; }\
     int main() { while (nd()) { f(nd()); *g = 1; } return 0; }",
    "char f(void) { char *p = __builtin_alloca(4); p[3] = 1; return p[3]; } int main() { char c = f(); __VERIFIER_assert(c == 1); return 0; }",
    "int main() { int s = 0; for (int n = 1; n < 4; n++) { char a[n]; a[n - 1] = 1; s += a[n - 1]; } __VERIFIER_assert(s == 3); return 0; }",
    "int f(int n) { char a[n]; a[n - 1] = 2; return a[n - 1]; } int main() { while (nd()) f(3); return 0; }",
    "int main() { while (nd()) { char *p = malloc(2); p[1] = 1; } return 0; }",
    "int main() { int *p = malloc(4); *p = 1; int *q = realloc(p, 8); __VERIFIER_assert(*q == 1); free(q); return 0; }",
    "int main() { int *p = malloc(8); p[0] = 1; p[1] = 2; p = realloc(p, 4); __VERIFIER_assert(*p == 1); free(p); return 0; }",
    "int main() { int *p = realloc(0, 4); *p = 1; free(p); p = malloc(4); p = realloc(p, 0); free(p); return 0; }",
    "typedef struct { char *s; int n; } T; int main() { T *p = malloc(sizeof *p); char c; p->s = &c; p = realloc(p, 2 * sizeof *p);\
     *p[0].s = 3; __VERIFIER_assert(c == 3); free(p); return 0; }",
    "int main() { unsigned n = 0; while (n < 3 && nd()) n++; char *t = malloc(n + 1); fill(t, 5, n + 1);\
     __VERIFIER_assert(t[n] == 5); free(t); return 0; }",
    "jmp_buf b; int main() { int k = 0; if (setjmp(b)) k = 1; __VERIFIER_assert(k == 0); return 0; }",
];

/// Blocks: where a program sets `begin_x` or `end_x`, a life of its variable `x` begins or ends.
const FAILING_BLOCKS: &[&str] = &[
    "int main() { int x, *p; begin_x = 1; x = 3; p = &x; end_x = 1; if (nd()) return *p; return 0; }",
    "int main() { int x, *p = 0; for (int i = 0; i < 2; i++) { begin_x = 1; if (p) *p = 1; p = &x; end_x = 1; } return 0; }",
    "int main() { int x, *p = 0; for (int i = 0; i < 2; i++) { begin_x = 1; x = i; if (i == 0) p = &x; else if (nd()) *p = 1; \
     end_x = 1; } return 0; }",
    "int main() { int x, *a[30]; a[7] = 0; for (int i = 0; i < 2; i++) { begin_x = 1; if (a[7]) *a[7] = 1; a[7] = &x; end_x = 1; } return 0; }",
];
const SAFE_BLOCKS: &[&str] = &[
    "int main() { int x, *p; begin_x = 1; x = 3; p = &x; __VERIFIER_assert(*p == 3); end_x = 1; return 0; }",
    "int main() { int x, *p = 0; while (nd()) { begin_x = 1; p = &x; *p = 2; __VERIFIER_assert(x == 2); end_x = 1; } return 0; }",
    "int main() { int x, y, *p = &y; for (int i = 0; i < 2; i++) { begin_x = 1; *p = 1; p = &x; *p = 2; p = &y; end_x = 1; } return 0; }",
];

/// The program with its lives.
fn with_lives(text: &str) -> Analysed {
    let text = format!("{HEAD}int begin_x, end_x;\n{text}\n");
    let mut program = compile(&text).expect("a program");
    let named = |program: &Program, name: &str| {
        let mut all = program.vars.enumerate();
        all.find(|(_, v)| v.name == name).expect("a variable").0
    };
    let x = named(&program, "x");
    let (begin, end) = (named(&program, "begin_x"), named(&program, "end_x"));
    for function in program.funcs.iter_mut() {
        for block in function.body.iter_mut().flat_map(|b| b.blocks.iter_mut()) {
            for stmt in &mut block.stmts {
                if let StmtKind::Assign(place, _) = &stmt.kind {
                    match place.base {
                        Base::Var(v) if v == begin => stmt.kind = StmtKind::Live(x),
                        Base::Var(v) if v == end => stmt.kind = StmtKind::Dead(x),
                        _ => {}
                    }
                }
            }
        }
    }
    checked(program)
}

#[test]
fn lives_of_blocks() {
    for text in FAILING_BLOCKS {
        let program = with_lives(text);
        assert!(has_failing_run(&program, 3), "no run fails: {text}");
        for engine in cwolf_engines::all() {
            let safe = matches!(said(&program, engine.as_ref(), 2), Verdict::Safe { .. });
            assert!(!safe, "{} calls this safe: {text}", engine.name());
        }
    }
    for text in SAFE_BLOCKS {
        let program = with_lives(text);
        assert!(!has_failing_run(&program, 3), "a run fails: {text}");
        let mut all = cwolf_engines::all().into_iter();
        let proved = all.any(|e| matches!(said(&program, e.as_ref(), 2), Verdict::Safe { .. }));
        assert!(proved, "not proved: {text}");
    }
}

/// The inputs of runs: all choices of so many bits.
fn inputs(bits: u32) -> impl Iterator<Item = Vec<i128>> {
    (0..1u32 << bits).map(move |n| (0..bits).map(|b| i128::from(n >> b & 1)).collect())
}

fn has_failing_run(program: &Program, bits: u32) -> bool {
    inputs(bits).any(|list| {
        let list = list.into_iter().chain(std::iter::repeat_n(0, 64));
        runs::fails(program, list) == Some(true)
    })
}

#[test]
fn no_engine_proves_what_fails() {
    let mut wrong = Vec::new();
    for text in FAILING {
        let program = checked(compile(&format!("{HEAD}{text}\n")).expect("a program"));
        if !has_failing_run(&program, 5) {
            wrong.push(format!("no run fails: {text}"));
        }
        for engine in cwolf_engines::all() {
            if let Verdict::Safe { .. } = said(&program, engine.as_ref(), 2) {
                wrong.push(format!("{} calls this safe: {text}", engine.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn safe_twins_are_proved() {
    let mut wrong = Vec::new();
    for text in SAFE {
        let program = checked(compile(&format!("{HEAD}{text}\n")).expect("a program"));
        if has_failing_run(&program, 5) {
            wrong.push(format!("a run fails: {text}"));
        }
        let mut words = Vec::new();
        let proved = cwolf_engines::all().iter().any(|engine| {
            let said = said(&program, engine.as_ref(), 2);
            words.push(format!("{}: {said:?}", engine.name()));
            matches!(said, Verdict::Safe { .. })
        });
        if !proved {
            wrong.push(format!("not proved: {text}\n{}", words.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A random program over pointers to locals, parameters, stack and heap, in calls and loops.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from(HEAD);
    text.push_str("int *g, *h, y; int *a[20]; struct s { int *p; } t;\n");
    let step = |random: &mut Random, own: &str| -> String {
        let place =
            |random: &mut Random| random.of(&["g", "h", "t.p", "a[2]", "a[nd()]"]).to_owned();
        let to = place(random);
        let from = place(random);
        let guard = random.of(&["", "", "if (nd()) ", "if (i == 1) ", "if (i == 0) "]);
        let act = match random.below(10) {
            0..=1 => format!("{to} = {own};"),
            2 => format!("{to} = &y;"),
            3 => format!("{to} = {from};"),
            4 => format!("{to} = 0;"),
            5..=6 => format!("{{ int *w = {from}; if (w) *w = i; }}"),
            7 => format!("{to} = malloc(4);"),
            8 if random.below(2) == 0 => format!("{{ free({from}); {from} = 0; }}"),
            8 => format!("{{ int *w = {from}; if (w == &y) {to} = 0; }}"),
            _ => format!("{to} = realloc(0, 8);"),
        };
        format!("{guard}{act}")
    };
    for name in ["e", "f"] {
        let _ = writeln!(text, "int *{name}(int i) {{ int x = 1;");
        let own = random.of(&["&x", "&i", "__builtin_alloca(4)"]);
        for _ in 0..random.below(3) + 1 {
            let act = step(&mut random, own);
            let _ = writeln!(text, "  {act}");
        }
        if name == "f" && random.below(2) == 0 {
            text.push_str("  e(i);\n");
        }
        let result = random.of(&["0", "0", "g", "&x", "&y"]);
        let _ = writeln!(text, "  return {result}; }}");
    }
    let _ = writeln!(text, "int main() {{ for (int i = 0; i < 2; i++) {{");
    for _ in 0..random.below(2) + 1 {
        let call = random.of(&["f(i);", "e(i);", "h = f(i);", "g = e(1 - i);"]);
        let _ = writeln!(text, "  {call}");
        let act = step(&mut random, "&y");
        let _ = writeln!(text, "  {act}");
    }
    text.push_str("} return 0; }\n");
    text
}

#[test]
fn random_programs() {
    for seed in seeds(60, 1) {
        let text = program(seed);
        let program = checked(compile(&text).expect("a program"));
        let fails = has_failing_run(&program, 8);
        for engine in cwolf_engines::all() {
            let said = said(&program, engine.as_ref(), 1);
            let safe = matches!(said, Verdict::Safe { .. });
            let name = engine.name();
            assert!(
                !(safe && fails),
                "seed {seed}: {name} calls this safe:\n{text}"
            );
            // What bmc found must be a run: more inputs may be asked for than were tried.
            if let (Verdict::Unsafe(failure), "bmc") = (&said, name) {
                let inputs = failure.choices.iter().map(|c| match c.value {
                    Value::Int(n) => n,
                    Value::Float(_) => 0,
                });
                let replayed = runs::fails(&program, inputs) == Some(true);
                assert!(replayed, "seed {seed}: {name} says {said:?}:\n{text}");
            }
        }
    }
}
