//! The loop over boolean programs: known programs with recursion, and random programs with procedures
//! against all their runs. `CWOLF_CASES=1000 CWOLF_SEED=7` for more.

use crate::common::{Random, compile, seeds};
use crate::runs::fails;
use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::value::Value;
use cwolf_engines::{Abstractor, BlockSize, Checks, Engine, Slam, Task, Verdict};
use std::fmt::Write;
use std::time::Duration;

const HEAD: &str = "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
    extern int __VERIFIER_nondet_int(void);\n\
    extern void __VERIFIER_assume(int); extern void __VERIFIER_assert(int);\n";

/// The program with an `Assert` before every step that can fail.
fn compile_checked(text: &str, checks: &Checks) -> Result<Analysed, String> {
    let mut program = compile(text)?;
    let checked = cwolf_prepare::Checked::new(&program, &checks.kinds());
    cwolf_prepare::insert_checks(&mut program, &checked);
    Ok(program.into())
}

fn checks() -> Checks {
    Checks {
        assertions: true,
        bounds: true,
        pointer: true,
        division: true,
        ..Checks::default()
    }
}

fn task(program: &Analysed) -> Task<'_> {
    Task {
        program,
        entry: program.function("main").expect("main"),
        checks: checks(),
        error_functions: Vec::new(),
    }
}

fn inputs(failure: &cwolf_engines::Failure) -> Vec<i128> {
    let number = |c: &cwolf_engines::Choice| match c.value {
        Value::Int(n) => n,
        Value::Float(_) => 0,
    };
    failure.choices.iter().map(number).collect()
}

fn variants() -> Vec<Slam> {
    let mut list = vec![Slam::default()];
    for abstractor in [Abstractor::Sat, Abstractor::Cubes] {
        for block in [BlockSize::Region, BlockSize::Basic] {
            list.push(Slam {
                abstractor,
                block,
                given: Vec::new(),
            });
        }
    }
    list
}

/// Programs with recursion, and whether they are safe. The exact abstraction of regions decides
/// each; the others may give up but not be wrong.
const KNOWN: &[(bool, &str)] = &[
    // McCarthy's 91.
    (
        true,
        "int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }
         int main() { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n <= 101 && n > -1000);
           __VERIFIER_assert(f(n) == 91); return 0; }",
    ),
    (
        false,
        "int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }
         int main() { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n <= 102 && n > 80);
           __VERIFIER_assert(f(n) == 91); return 0; }",
    ),
    // Mutual recursion.
    (
        true,
        "int odd(unsigned n); int even(unsigned n) { if (n == 0) return 1; return odd(n - 1); }
         int odd(unsigned n) { if (n == 0) return 0; return even(n - 1); }
         int main() { int r = even(__VERIFIER_nondet_int());
           __VERIFIER_assert(r == 0 || r == 1); return 0; }",
    ),
    (
        false,
        "int odd(unsigned n); int even(unsigned n) { if (n == 0) return 1; return odd(n - 1); }
         int odd(unsigned n) { if (n == 0) return 0; return even(n - 1); }
         int main() { __VERIFIER_assert(even(__VERIFIER_nondet_int())); return 0; }",
    ),
    // A lock, taken and given back in each call, before the next one or not.
    (
        true,
        "int locked;
         void lock(void) { __VERIFIER_assert(!locked); locked = 1; }
         void unlock(void) { __VERIFIER_assert(locked); locked = 0; }
         void work(int n) { if (n <= 0) return; lock(); int c = __VERIFIER_nondet_int(); unlock();
           if (c) work(n - 1); lock(); unlock(); }
         int main() { work(__VERIFIER_nondet_int()); lock(); return 0; }",
    ),
    (
        false,
        "int locked;
         void lock(void) { __VERIFIER_assert(!locked); locked = 1; }
         void unlock(void) { __VERIFIER_assert(locked); locked = 0; }
         void work(int n) { if (n <= 0) return; lock(); int c = __VERIFIER_nondet_int();
           if (c == 17) work(n - 1); unlock(); }
         int main() { work(__VERIFIER_nondet_int()); lock(); return 0; }",
    ),
    // Ackermann's function.
    (
        true,
        "int ack(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1);
           return ack(m - 1, ack(m, n - 1)); }
         int main() { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n < 3);
           __VERIFIER_assert(ack(0, n) == n + 1); return 0; }",
    ),
    (
        false,
        "int ack(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1);
           return ack(m - 1, ack(m, n - 1)); }
         int main() { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n < 3);
           __VERIFIER_assert(ack(1, n) != 3); return 0; }",
    ),
    // What a call returns, by what it was given.
    (
        true,
        "int id(int x) { if (x == 0) return 0; return id(x - 1) + 1; }
         int main() { int n = __VERIFIER_nondet_int(); __VERIFIER_assert(id(n) == n); return 0; }",
    ),
    // A local variable behind a pointer, while the function that owns it calls others.
    (
        true,
        "void put(int *p, int n) { while (n > 0) n--; *p = 7; }
         int main() { int x = 0; put(&x, __VERIFIER_nondet_int()); __VERIFIER_assert(x == 7); return 0; }",
    ),
    (
        false,
        "void put(int *p, int n) { while (n > 0) n--; if (n == 0) *p = 7; }
         int main() { int x = 0; put(&x, __VERIFIER_nondet_int()); __VERIFIER_assert(x == 7); return 0; }",
    ),
    // Locals of each call are their own.
    (
        true,
        "int f(int n) { int own = n; if (n > 0) f(n - 1); return own; }
         int main() { int n = __VERIFIER_nondet_int(); __VERIFIER_assert(f(n) == n); return 0; }",
    ),
    // A counter needs a bound, not each of its values.
    (
        true,
        "int main() { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0); int i = 0;
           while (i < n) i++; __VERIFIER_assert(i == n); return 0; }",
    ),
    (
        true,
        "int main() { int x = __VERIFIER_nondet_int(), y = x;
           while (__VERIFIER_nondet_int()) { x++; y++; } __VERIFIER_assert(x == y); return 0; }",
    ),
];

#[test]
fn recursion_is_decided() {
    let mut wrong = Vec::new();
    for (n, (safe, text)) in KNOWN.iter().enumerate() {
        let program = compile_checked(&format!("{HEAD}{text}"), &checks()).expect("C");
        for slam in variants() {
            let exact = slam.abstractor == Abstractor::Sat && slam.block == BlockSize::Region;
            let limit = Duration::from_secs(if exact { 60 } else { 2 });
            let outcome = slam.check(&task(&program), &Budget::unlimited().timeout(limit));
            match outcome.verdict {
                Verdict::Safe { .. } if *safe => {}
                Verdict::Unsafe(f) if !*safe && fails(&program, inputs(&f)) == Some(true) => {}
                Verdict::Unknown { .. } if !exact => {}
                said => wrong.push(format!("case {n}: {slam:?} says {said:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A program of several procedures with two inputs of three bits.
struct Writer {
    random: Random,
    text: String,
    loops: usize,
}

impl Writer {
    fn program(seed: u64) -> String {
        let mut w = Writer {
            random: Random::new(seed),
            text: HEAD.into(),
            loops: 0,
        };
        w.text
            .push_str("int g, h; short t[3]; struct { int a; unsigned b : 3; } s; int *q = &g;\n");
        w.text
            .push_str("int odd(int n, int m); void set(int *p, int v);\n");
        w.procedure("int even(int n, int m)", &["n", "m", "l"], "odd");
        w.procedure("int odd(int n, int m)", &["n", "m", "l"], "even");
        w.text.push_str("void set(int *p, int v) {\n");
        w.statements(2, &["v", "*p", "*p"], None);
        w.text
            .push_str("}\nvoid go(int *p, int n) { if (n > 0) {\n");
        w.statements(1, &["n", "*p"], None);
        w.text.push_str("go(p, n - 1);\n");
        w.statements(1, &["*p"], None);
        w.text.push_str("} }\nint main(void) {\n");
        for input in ["x", "y"] {
            let _ = writeln!(
                w.text,
                "int {input} = __VERIFIER_nondet_uchar(); __VERIFIER_assume({input} < 8);"
            );
        }
        w.text.push_str("int a = x, b = 1;\n");
        let count = 2 + w.random.below(3);
        w.statements(count, &["a", "b", "x", "y"], Some("even"));
        let c = w.condition(&["a", "b", "x", "y"]);
        let _ = writeln!(w.text, "__VERIFIER_assert({c});\nreturn 0; }}");
        w.text
    }

    fn procedure(&mut self, head: &str, scope: &[&str], other: &str) {
        let first = self.expr(1, &scope[..2]);
        let _ = writeln!(
            self.text,
            "{head} {{ if (n <= 0) return {first}; int l = m;"
        );
        let count = 1 + self.random.below(2);
        self.statements(count, scope, None);
        let (arg, after) = (self.expr(1, scope), self.expr(1, scope));
        let _ = writeln!(self.text, "l = {other}((n & 7) - 1, {arg});");
        self.statements(1, scope, None);
        let _ = writeln!(self.text, "return {after}; }}");
    }

    fn var(&mut self, scope: &[&str]) -> String {
        match self.random.below(3) {
            0 => self
                .random
                .of(&["g", "h", "t[1]", "s.a", "s.b", "*q"])
                .into(),
            _ => self.random.of(scope).into(),
        }
    }

    fn expr(&mut self, depth: u32, scope: &[&str]) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            return match self.random.below(3) {
                0 => self.random.below(6).to_string(),
                _ => self.var(scope),
            };
        }
        let (a, b) = (self.expr(depth - 1, scope), self.expr(depth - 1, scope));
        match self.random.below(8) {
            0 => format!("({a} / (({b}) | 1))"),
            1 => format!("({a} % 5)"),
            n => {
                let op = ["+", "-", "&", "|", "^", "<"][(n - 2) as usize];
                format!("({a} {op} {b})")
            }
        }
    }

    fn condition(&mut self, scope: &[&str]) -> String {
        let op = self.random.of(&["==", "!=", "<", "<="]);
        let (a, b) = (self.expr(1, scope), self.expr(1, scope));
        match self.random.below(3) {
            0 => format!("{a} {op} {b} || {} < 4", self.var(scope)),
            _ => format!("{a} {op} {b}"),
        }
    }

    fn statements(&mut self, count: u64, scope: &[&str], calls: Option<&str>) {
        for _ in 0..count {
            let (v, e) = (self.var(scope), self.expr(1, scope));
            let way = self.random.below(if calls.is_some() { 9 } else { 6 });
            let _ = match way {
                0..=2 => writeln!(self.text, "{v} = {e};"),
                3 => {
                    let to = self.random.of(&["&g", "&h", "&s.a"]);
                    writeln!(self.text, "q = {to};")
                }
                4 => {
                    let c = self.condition(scope);
                    let f = self.expr(1, scope);
                    writeln!(self.text, "if ({c}) {v} = {e}; else t[({f}) & 1] = 2;")
                }
                5 => {
                    let n = self.loops;
                    self.loops += 1;
                    let limit = self.random.of(&["2", "g & 3", "3"]);
                    writeln!(
                        self.text,
                        "for (int i{n} = 0; i{n} < ({limit}); i{n}++) {v} = {e};"
                    )
                }
                6 => writeln!(self.text, "{v} = even(({e}) & 3, {e});"),
                7 => {
                    let to = self.random.of(&["&a", "&b", "&g", "q"]);
                    writeln!(self.text, "set({to}, {e});")
                }
                _ => {
                    let to = self.random.of(&["&a", "&h", "q"]);
                    writeln!(self.text, "go({to}, ({e}) & 3);")
                }
            };
        }
    }
}

#[test]
fn procedures_agree_with_all_runs() {
    let (mut safe, mut failing) = (0, 0);
    for case in seeds(25, 1) {
        let text = Writer::program(case);
        let program = compile_checked(&text, &checks()).expect("C");
        let runs = (0..64).map(|n| fails(&program, [n / 8, n % 8]));
        let Some(runs) = runs.collect::<Option<Vec<bool>>>() else {
            continue;
        };
        let expected = runs.contains(&true);
        for slam in variants() {
            let budget = Budget::unlimited().timeout(Duration::from_secs(2));
            match slam.check(&task(&program), &budget).verdict {
                Verdict::Safe { .. } => {
                    safe += 1;
                    assert!(!expected, "{slam:?} calls program {case} safe:\n{text}");
                }
                Verdict::Unsafe(failure) => {
                    failing += 1;
                    let inputs = inputs(&failure);
                    assert_eq!(
                        fails(&program, inputs.clone()),
                        Some(true),
                        "{slam:?} claims {:?} with {inputs:?} in program {case}:\n{text}",
                        failure.kind
                    );
                }
                Verdict::Unknown { .. } => {}
            }
        }
    }
    assert!(safe > 0 && failing > 0, "{safe} safe, {failing} failing");
}
