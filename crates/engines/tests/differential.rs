//! Small random programs: whenever an engine answers, it agrees with running the program on all
//! inputs. `CWOLF_CASES` sets how many programs, `CWOLF_SEED` where they start.

use cwolf_base::Budget;
use cwolf_cwi::Program;
use cwolf_cwi::value::Value;
use cwolf_engines::{Checks, Task, Verdict};
use cwolf_interp::{List, Machine, Options, Outcome};
use std::fmt::Write;
use std::time::Duration;

/// Numbers that depend only on the seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// Writes a program with two inputs of four bits.
struct Writer {
    random: Random,
    text: String,
    depth: usize,
    loops: usize,
}

const SCALARS: [&str; 7] = ["a", "b", "c", "u", "s.f", "s.g", "t[1]"];

impl Writer {
    fn program(seed: u64) -> String {
        let mut w = Writer {
            random: Random(seed),
            text: String::new(),
            depth: 0,
            loops: 0,
        };
        w.text.push_str(
            "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
             extern void __VERIFIER_assume(int);\n\
             extern void __VERIFIER_assert(int);\n\
             struct { int f; unsigned g : 5; } s;\n\
             int t[3]; short u;\n\
             int twice(int n) { if (n > 9) return n - 1; return n + n; }\n\
             int down(int n) { if (n <= 0) return 0; return down(n - 1) + 1; }\n\
             int main(void) {\n\
             unsigned char x = __VERIFIER_nondet_uchar(); __VERIFIER_assume(x < 16);\n\
             unsigned char y = __VERIFIER_nondet_uchar(); __VERIFIER_assume(y < 16);\n\
             int a = x, b = y, c = 1; int *p = &a; char *q = (char *)t;\n",
        );
        let count = 3 + w.random.below(5);
        w.block(count);
        let e = w.condition();
        let _ = writeln!(w.text, "__VERIFIER_assert({e});\nreturn 0; }}");
        w.text
    }

    fn scalar(&mut self) -> &'static str {
        SCALARS[self.random.below(SCALARS.len() as u64) as usize]
    }

    fn block(&mut self, count: u64) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let deep = self.depth >= 2;
        match self.random.below(if deep { 9 } else { 13 }) {
            0..=2 => {
                let (v, e) = (self.scalar(), self.expr(2));
                let _ = writeln!(self.text, "{v} = {e};");
            }
            3 => {
                let (v, e) = (self.scalar(), self.expr(1));
                let op = ["+=", "-=", "^=", "*="][self.random.below(4) as usize];
                let _ = writeln!(self.text, "{v} {op} {e};");
            }
            4 => {
                let to = ["&a", "&b", "&t[2]", "t + (x & 1)", "&s.f"];
                let to = to[self.random.below(5) as usize];
                let _ = writeln!(self.text, "p = {to};");
            }
            5 => {
                let e = self.expr(1);
                let _ = writeln!(self.text, "*p = {e};");
            }
            6 => {
                let (i, e) = (self.expr(1), self.expr(1));
                let m = if self.random.below(6) == 0 { 3 } else { 1 };
                let _ = writeln!(self.text, "t[({i}) & {m}] = {e};");
            }
            7 => {
                let (v, e) = (self.scalar(), self.expr(1));
                let f = ["twice", "down"][self.random.below(2) as usize];
                let arg = if f == "down" { format!("({e}) & 3") } else { e };
                let _ = writeln!(self.text, "{v} = {f}({arg});");
            }
            8 => {
                let i = self.random.below(12);
                let e = self.expr(1);
                let _ = writeln!(self.text, "q[{i}] = {e};");
            }
            9 | 10 => {
                let c = self.condition();
                let _ = writeln!(self.text, "if ({c}) {{");
                self.inner();
                self.text.push_str("} else {\n");
                self.inner();
                self.text.push_str("}\n");
            }
            _ => {
                // Every loop ends: its counter is its own.
                let n = self.loops;
                self.loops += 1;
                let limit = ["3", "x & 3", "y", "5"][self.random.below(4) as usize];
                let _ = writeln!(self.text, "for (int i{n} = 0; i{n} < ({limit}); i{n}++) {{");
                self.inner();
                let _ = writeln!(self.text, "if (c == i{n}) a++; }}");
            }
        }
    }

    fn inner(&mut self) {
        self.depth += 1;
        let count = 1 + self.random.below(2);
        self.block(count);
        self.depth -= 1;
    }

    fn condition(&mut self) -> String {
        let op = ["==", "!=", "<", "<=", ">", ">="][self.random.below(6) as usize];
        let (a, b) = (self.expr(1), self.expr(1));
        match self.random.below(4) {
            0 => {
                let c = self.scalar();
                format!("{a} {op} {b} || {c} > 3")
            }
            _ => format!("{a} {op} {b}"),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            return match self.random.below(8) {
                0 | 1 => self.random.below(9).to_string(),
                2 => "x".into(),
                3 => "y".into(),
                4 => "*p".into(),
                _ => self.scalar().into(),
            };
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.random.below(12) {
            0 => format!("({a} / ({b}))"),
            1 => format!("({a} % (({b}) | 1))"),
            2 => format!("({a} << (({b}) & 3))"),
            3 => format!("({a} >> (({b}) & 7))"),
            n => {
                let op = ["+", "-", "*", "&", "|", "^", "<", "=="][(n - 4) as usize];
                format!("({a} {op} {b})")
            }
        }
    }
}

fn compile(text: &str) -> Program {
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("random.c", text.as_bytes(), &options);
    compiled
        .program
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics))
}

/// Whether the run with these inputs goes wrong.
fn fails(program: &Program, inputs: impl IntoIterator<Item = i128>) -> Option<bool> {
    let options = Options {
        oracle: Box::new(List::new(inputs)),
        budget: Budget::unlimited().max_steps(1 << 20),
        ..Default::default()
    };
    match Machine::new(program, options).run("main") {
        Outcome::Exit(_) | Outcome::AssumeFailed => Some(false),
        Outcome::Error(_) => Some(true),
        Outcome::Budget(_) => None,
    }
}

/// Whether some input makes the program go wrong.
fn exhaustive(program: &Program) -> Option<bool> {
    let mut any = false;
    for x in 0..16 {
        for y in 0..16 {
            any |= fails(program, [x, y])?;
        }
    }
    Some(any)
}

#[test]
fn engines_agree_with_all_runs() {
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(default)
    };
    let (cases, seed) = (number("CWOLF_CASES", 30), number("CWOLF_SEED", 1));
    let mut answers = 0;
    for case in seed..seed + cases {
        let text = Writer::program(case);
        let program = compile(&text);
        let Some(expected) = exhaustive(&program) else {
            continue;
        };
        let checks = Checks {
            assertions: true,
            bounds: true,
            pointer: true,
            division: true,
            shift: true,
            ..Checks::default()
        };
        let entry = program.function("main").expect("main");
        let task = Task {
            program: &program,
            entry,
            checks,
            error_functions: Vec::new(),
        };
        for engine in cwolf_engines::all() {
            let budget = Budget::unlimited().timeout(Duration::from_secs(3));
            let outcome = engine.check(&task, &budget);
            let name = engine.name();
            match outcome.verdict {
                Verdict::Safe { .. } => {
                    answers += 1;
                    assert!(!expected, "{name} calls program {case} safe:\n{text}");
                }
                Verdict::Unsafe(failure) => {
                    answers += 1;
                    let inputs = failure.choices.iter().map(|c| match c.value {
                        Value::Int(n) => n,
                        Value::Float(_) => 0,
                    });
                    let inputs: Vec<i128> = inputs.collect();
                    // The abstraction of memory may invent failures; running them tells.
                    if name == "bmc" {
                        assert!(
                            fails(&program, inputs.clone()) == Some(true),
                            "{name} claims {:?} with {inputs:?} in program {case}:\n{text}",
                            failure.kind
                        );
                    }
                }
                Verdict::Unknown { .. } => {}
            }
        }
    }
    assert!(answers > 0, "no engine ever answered");
}
