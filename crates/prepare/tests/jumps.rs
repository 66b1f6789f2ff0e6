//! A program whose jumps are plain code runs as the program with jumps does: the interpreter, which
//! does jumps itself, tells.

use cwolf_cwi::{Branch, Callee, CheckKind, FuncId, Program};
use cwolf_interp::{Machine, Options, Outcome};
use cwolf_prepare::{Followed, Lost, follow_jumps};
use std::fmt::Write;

const HEAD: &str = "typedef long jmp_buf[32]; extern int setjmp(jmp_buf), _setjmp(jmp_buf), __sigsetjmp(jmp_buf, int); \
    extern void longjmp(jmp_buf, int), siglongjmp(jmp_buf, int); extern void *malloc(unsigned long); \
    extern void *memcpy(void *, const void *, unsigned long); extern void exit(int); \
    extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));\n";

fn compile(text: &str) -> Program {
    let text = format!("{HEAD}{text}");
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("t.c", text.as_bytes(), &options);
    let program = compiled.program;
    program.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics))
}

fn followed(text: &str, lost: Lost) -> (Program, Followed) {
    let mut program = compile(text);
    let entry = program.function("main").expect("main");
    let followed = follow_jumps(&mut program, entry, lost);
    let broken = cwolf_cwi::verify(&program);
    assert!(broken.is_empty(), "{broken:?}\n{text}");
    (program, followed)
}

/// How a run ends: with a status, or with a bad jump on a line.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Exit(i32),
    BadJump(u32),
    Other(String),
}

fn run(program: &Program, entry: FuncId) -> End {
    let options = Options {
        max_frames: 1000,
        ..Options::default()
    };
    let outcome = Machine::new(program, options).run(&program.funcs[entry].name);
    match outcome {
        Outcome::Exit(status) => End::Exit(status),
        Outcome::Error(error) => {
            let line = error.loc.map_or(0, |loc| program.locations[loc].line);
            let pointer = |c| program.checks[c].kind == CheckKind::Pointer;
            let bad = format!("{:?}", error.kind) == "BadJump" || error.check.is_some_and(pointer);
            match bad {
                true => End::BadJump(line),
                false => End::Other(format!("{error:?}")),
            }
        }
        other => End::Other(format!("{other:?}")),
    }
}

/// Runs a program both ways; the end, which is the same.
fn same(text: &str) -> End {
    let raw = compile(text);
    let expected = run(&raw, raw.function("main").expect("main"));
    let (program, followed) = followed(text, Lost::Fails);
    // Called by nobody, it has no name that another function has.
    let end = run(&program, followed.entry);
    let end = match (&expected, end) {
        // A start function of its own gives no status.
        (End::Exit(_), End::Exit(0)) if followed.entry != raw.function("main").expect("main") => {
            return expected;
        }
        (_, end) => end,
    };
    assert_eq!(
        end,
        expected,
        "{text}\n{}",
        cwolf_cwi::text::print(&program)
    );
    end
}

#[test]
fn jumps_land_where_they_should() {
    for (text, status) in [
        // Down a chain of calls, with a value.
        (
            "jmp_buf b; void g(int n) { if (n) g(n - 1); longjmp(b, 7); } int main() { int r = setjmp(b); if (r) return r; g(3); return 1; }",
            7,
        ),
        // Zero becomes one.
        (
            "jmp_buf b; int main() { int r = setjmp(b); if (r) return r; longjmp(b, 0); }",
            1,
        ),
        // In a loop, until it is enough.
        (
            "jmp_buf b; int k; int main() { setjmp(b); if (k++ < 5) longjmp(b, 1); return k; }",
            6,
        ),
        // Each call of a recursive function has a mark of its own.
        (
            "jmp_buf b[4]; int k; void f(int n) { if (setjmp(b[n]) == 0) { if (n < 3) f(n + 1); else longjmp(b[1], 1); } else { k = k * 10 + n; return; } k += 100; } \
          int main() { f(0); return k; }",
            101,
        ),
        // The same buffer set again by an inner call; the outer one is gone from it.
        (
            "jmp_buf b; int k; void f(int n) { if (setjmp(b) == 0) { if (n) f(n - 1); else longjmp(b, 1); } else k += n + 1; } int main() { f(3); return k; }",
            1,
        ),
        // Two buffers, and on from one to the other.
        (
            "jmp_buf o, i; int main() { int r = setjmp(o); if (r) return r; int s = setjmp(i); if (s) longjmp(o, s + 1); longjmp(i, 4); }",
            5,
        ),
        // Two marks in one function for one buffer.
        (
            "jmp_buf b; int k; int main() { if (setjmp(b)) return 1; k = 1; if (setjmp(b)) return 2; longjmp(b, 1); }",
            2,
        ),
        // A buffer in the heap, and a copy of one.
        (
            "struct s { int n; jmp_buf b; }; void g(struct s *s) { s->n = 3; longjmp(s->b, 2); } int main() { struct s *s = malloc(sizeof *s); int r = setjmp(s->b); if (r) return r + s->n; g(s); return 0; }",
            5,
        ),
        (
            "jmp_buf a, b; int main() { int r = setjmp(a); if (r) return r; memcpy(b, a, sizeof a); longjmp(b, 9); }",
            9,
        ),
        // By an address.
        (
            "jmp_buf b; void (*j)(long *, int) = longjmp; int main() { int r = setjmp(b); if (r) return r; j(b, 6); return 0; }",
            6,
        ),
        (
            "jmp_buf b; void g(void) { longjmp(b, 8); } void h(void) {} int main(void) { void (*f[2])(void) = {h, g}; int r = setjmp(b); if (r) return r; for (int i = 0; i < 2; i++) f[i](); return 0; }",
            8,
        ),
        // The variants.
        (
            "jmp_buf b; int main() { int r = __sigsetjmp(b, 1); if (r) return r; siglongjmp(b, 3); }",
            3,
        ),
        // Out of functions that give a value, a structure, nothing.
        (
            "struct s { int a[3]; }; jmp_buf b; struct s f(int n) { struct s s = {{n, n, n}}; if (n > 2) longjmp(b, n); return s; } double g(int n) { return f(n).a[1]; } \
          int main() { int r = setjmp(b); if (r) return r; int k = 0; for (int i = 0; i < 5; i++) k += g(i) > 1; return k; }",
            3,
        ),
        // A function that never returns, and `exit` behind a jump.
        (
            "jmp_buf b; __attribute__((noreturn)) void die(void) { longjmp(b, 1); } int main() { if (setjmp(b)) exit(4); die(); }",
            4,
        ),
        // `main` calls itself.
        (
            "jmp_buf b; int k; int main() { if (k == 0) { if (setjmp(b)) exit(k); k = 1; main(); } k = 2; longjmp(b, 1); }",
            2,
        ),
        // The mark is behind a condition, in the middle of an expression's control.
        (
            "jmp_buf b; int k; int main() { if (k == 0 && setjmp(b) == 0) { k = 3; longjmp(b, 1); } return k; }",
            3,
        ),
        (
            "jmp_buf b; int k; int main() { switch (setjmp(b)) { case 0: k++; longjmp(b, 2); case 2: k += 10; longjmp(b, 3); default: return k; } }",
            11,
        ),
    ] {
        assert_eq!(same(text), End::Exit(status), "{text}");
    }
}

#[test]
fn jumps_to_calls_that_are_over_fail() {
    for text in [
        "jmp_buf b; int main() { longjmp(b, 1); }",
        "jmp_buf b; int f(void) { return setjmp(b); } int main() { if (f() == 0) longjmp(b, 1); return 0; }",
        // Another call of the same function is under way.
        "jmp_buf b; int f(int n) { if (n) return setjmp(b); longjmp(b, 1); } int main() { f(1); return f(0); }",
        "jmp_buf b; int f(int n) { if (n == 2) return setjmp(b); if (n == 1) { f(2); return f(0); } longjmp(b, 1); } int main() { return f(1); }",
        "jmp_buf b, c; void g(void) { if (setjmp(b) == 0) longjmp(b, 1); } int main() { if (setjmp(c) == 0) { g(); longjmp(b, 1); } return 0; }",
    ] {
        assert!(matches!(same(text), End::BadJump(_)), "{text}");
    }
}

#[test]
fn unchecked_bad_jumps_are_unknown_or_end() {
    let text = "jmp_buf b; int main() { longjmp(b, 1); }";
    let (program, way) = followed(text, Lost::Unknown);
    assert!(matches!(run(&program, way.entry), End::Other(why) if why.contains("not checked")));
    let (program, way) = followed(text, Lost::Ends);
    assert_eq!(run(&program, way.entry), End::Exit(1));
}

#[test]
fn other_programs_stay_as_they_are() {
    let text = "int f(int n) { return n ? f(n - 1) : 0; } int main() { return f(3); }";
    let (program, way) = followed(text, Lost::Fails);
    let before = compile(text);
    assert_eq!(
        cwolf_cwi::text::print(&program),
        cwolf_cwi::text::print(&before)
    );
    assert!(way.uncovered.is_empty());
}

#[test]
fn no_jump_is_left() {
    let text = "jmp_buf b; void g(void) { longjmp(b, 1); } int main() { if (setjmp(b)) return 1; g(); return 0; }";
    let (program, _) = followed(text, Lost::Fails);
    for block in program
        .funcs
        .iter()
        .flat_map(|f| &f.body)
        .flat_map(|b| b.blocks.iter())
    {
        if let Branch::Call {
            callee: Callee::Direct(func),
            ..
        } = &block.branch
        {
            assert!(program.funcs[*func].body.is_some());
        }
    }
}

#[test]
fn open_values_and_open_ways_are_told() {
    let uncovered = |text: &str| followed(text, Lost::Fails).1.uncovered;
    let changed = "jmp_buf b; int main() { VOLATILE int k = 0; if (setjmp(b)) return k; k = 1; longjmp(b, 1); }";
    assert_eq!(uncovered(&changed.replace("VOLATILE", "volatile")), [""; 0]);
    let found = uncovered(&changed.replace("VOLATILE", ""));
    assert!(found.len() == 1 && found[0].contains("`k`"), "{found:?}");
    for fine in [
        // Changed before the mark only, written before it is read, not read, or changed elsewhere.
        "jmp_buf b; int g(void); int main() { for (int i = 0; i < 3; i++) if (setjmp(b) == 0) longjmp(b, 1); return 0; }",
        "jmp_buf b; int main() { int k; if (setjmp(b)) { k = 2; return k; } k = 1; longjmp(b, 1); }",
        "jmp_buf b; int main() { int k; if (setjmp(b)) return 1; k = 1; if (k) longjmp(b, 1); return 0; }",
        "jmp_buf b; void g(int *p) { *p = 1; longjmp(b, 1); } int main() { int k = 0; if (setjmp(b)) return k; g(&k); return 0; }",
    ] {
        assert_eq!(uncovered(fine), [""; 0], "{fine}");
    }
    let back = uncovered(
        "jmp_buf b; int a[3]; int less(const void *x, const void *y) { longjmp(b, 1); return 0; } \
         int main() { if (setjmp(b)) return 1; qsort(a, 3, 4, less); return 0; }",
    );
    assert_eq!(back, ["jumps out of what qsort calls"]);
    let strange = uncovered("int (*s)(long *) = setjmp; jmp_buf b; int main() { return s(b); }");
    assert_eq!(strange, ["calls of setjmp that are not as usual"]);
}

/// Numbers without end, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Statements that set buffers, jump, call each other; each call and jump costs fuel.
fn statements(r: &mut Random, depth: u32, out: &mut String) {
    for _ in 0..=r.below(3) {
        let (i, f, c) = (r.below(3), r.below(4), 1 + r.below(9));
        match r.below(if depth > 2 { 5 } else { 10 }) {
            0 => _ = write!(out, "h = h * 31 + {c}; "),
            1 => _ = write!(out, "if (fuel-- > 0) h += f{f}(n + {c}); "),
            2 => {
                _ = write!(
                    out,
                    "if (fuel-- > 0 && h % {c} == 0) longjmp(b[{i}], h & 3); "
                )
            }
            3 => _ = write!(out, "h = h * 7 + (*table[h & 3])(n); "),
            4 => _ = write!(out, "if (fuel-- > 0) h += s{}(n).a[1]; ", f & 1),
            5 => _ = write!(out, "v = v * 3 + setjmp(b[{i}]); h += v; "),
            6 => {
                _ = write!(out, "for (int i = 0; i < {}; i++) {{ ", 1 + r.below(3));
                statements(r, depth + 1, out);
                out.push_str("} ");
            }
            7 => {
                _ = write!(out, "if (setjmp(b[{i}]) == 0) {{ ");
                statements(r, depth + 1, out);
                out.push_str("} else { ");
                statements(r, depth + 1, out);
                out.push_str("} ");
            }
            8 => {
                _ = write!(out, "switch (_setjmp(b[{i}])) {{ case 0: ");
                statements(r, depth + 1, out);
                _ = write!(out, "break; case 1: h += {c}; break; default: ");
                statements(r, depth + 1, out);
                out.push_str("} ");
            }
            _ => {
                _ = write!(out, "if (h % {c} == 1) {{ int x[{c}]; x[0] = h; p = x; ");
                statements(r, depth + 1, out);
                out.push_str("h += x[0]; } ");
            }
        }
    }
}

fn program(seed: u64) -> String {
    let r = &mut Random(seed);
    let mut text = String::from(
        "jmp_buf b[3]; unsigned h = 1; int fuel = 30; int *p; struct s { int a[3]; };\n\
         int f0(int), f1(int), f2(int), f3(int); struct s s0(int), s1(int);\n\
         int none(int n) { return n; } int (*table[4])(int) = {none, none, none, none};\n",
    );
    for n in 0..4 {
        _ = write!(text, "int f{n}(int n) {{ volatile unsigned v = n; ");
        statements(r, 0, &mut text);
        text.push_str("return v & 7; }\n");
    }
    for n in 0..2 {
        _ = write!(
            text,
            "struct s s{n}(int n) {{ volatile unsigned v = n; struct s s = {{{{1, 2, 3}}}}; "
        );
        statements(r, 1, &mut text);
        text.push_str("s.a[1] = v & 3; return s; }\n");
    }
    text.push_str("int main(void) { int n = 0; volatile unsigned v = 1; ");
    if r.below(2) == 0 {
        text.push_str("table[2] = f1; ");
    }
    statements(r, 0, &mut text);
    statements(r, 0, &mut text);
    text.push_str("return h & 127; }\n");
    text
}

/// Calls of functions in the table cost fuel too, or they would not end.
fn fuelled(text: String) -> String {
    text.replace(
        "(*table[h & 3])(n)",
        "(fuel-- > 0 ? (*table[h & 3])(n) : 0)",
    )
}

#[test]
fn random_programs_run_the_same() {
    let count = std::env::var("CWOLF_PROGRAMS");
    let count = count.ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let (mut exits, mut bad, mut open) = (0, 0, 0);
    for seed in 0..count {
        match same(&fuelled(program(seed))) {
            End::Exit(_) => exits += 1,
            End::BadJump(_) => bad += 1,
            // A jump back into a block that was left: what it declared holds nothing.
            End::Other(why) if why.contains("Uninitialised") => open += 1,
            End::Other(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(
        exits > count / 4 && bad > count / 40 && open < count / 20,
        "{exits} exits, {bad} bad jumps, {open} open values"
    );
}
