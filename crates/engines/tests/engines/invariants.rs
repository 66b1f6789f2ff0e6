//! What engines tell of loop heads is C that compiles there, and true in every run: each invariant is
//! asserted at its loop, and the interpreter runs the program on all inputs. `CWOLF_CASES=1000
//! CWOLF_SEED=7` for more.

use crate::common::{Random, compile, seeds};
use crate::runs::fails;
use cwolf_base::Budget;
use cwolf_cwi::Program;
use cwolf_cwi::graph::Analysed;
use cwolf_engines::{Abstractor, BlockSize, Checks, Engine, Ic3, Induction, Slam};
use cwolf_engines::{Invariant, Task, Verdict};
use std::fmt::Write;
use std::time::Duration;

/// Before the condition of every loop.
const MARK: &str = "/*I*/";

fn task(program: &Analysed) -> Task<'_> {
    Task {
        program,
        entry: program.function("main").expect("main"),
        checks: Checks {
            assertions: true,
            ..Checks::default()
        },
        error_functions: Vec::new(),
    }
}

/// The program with an invariant asserted at its loop.
fn asserted(program: &Program, text: &str, invariant: &Invariant) -> String {
    let body = program.funcs[invariant.func].body.as_ref().expect("code");
    let block = &body.blocks[invariant.block];
    let loc = block.stmts.first().map_or(block.loc, |s| s.loc);
    let line = program.locations[loc].line as usize;
    let check = format!("(__VERIFIER_assert({}), 1) &&", invariant.text);
    let put = |(n, l): (usize, &str)| match n + 1 == line {
        true => l.replace(MARK, &check),
        false => l.to_owned(),
    };
    let lines: Vec<String> = text.lines().enumerate().map(put).collect();
    let result = lines.join("\n");
    assert_ne!(result, text.trim_end(), "no loop in line {line}:\n{text}");
    result
}

/// Loops over numbers of several types, in two functions, with names that hide others.
fn program(seed: u64) -> String {
    let mut r = Random::new(seed);
    let mut text = String::from(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void __VERIFIER_assume(int); extern void __VERIFIER_assert(int);\n\
         unsigned u; short s; signed char c; unsigned char b; long l; struct { unsigned f : 5; int g : 4; } w;\n\
         int step(int n) { static int u; int k = 0;\n",
    );
    let vars = ["u", "s", "c", "b", "l", "w.f", "w.g", "x", "i"];
    let _ = writeln!(text, "while ({MARK} k < (n & 3)) {{ k++; u += k; }}");
    text.push_str("return k; }\nint main(void) {\n");
    text.push_str("int x = __VERIFIER_nondet_uchar(); __VERIFIER_assume(x < 8); int i = 0;\n");
    for _ in 0..r.below(3) {
        let _ = writeln!(
            text,
            "{} = {};",
            r.of(&vars[..7]),
            r.of(&["x", "-1", "7", "250", "-x"])
        );
    }
    let statement = |r: &mut Random| {
        let v = r.of(&vars[..7]);
        match r.below(5) {
            0 => format!("{v}++;"),
            1 => format!("{v} -= 3;"),
            2 => format!("{v} = i;"),
            3 => format!(
                "if ({v} > {}) {v} = {};",
                r.of(&["5", "100", "x"]),
                r.of(&["0", "-2", "x"])
            ),
            _ => format!("{v} += {};", r.of(&["2", "x", "i", "40"])),
        }
    };
    let _ = writeln!(
        text,
        "while ({MARK} i < x) {{ i++; {} {} }}",
        statement(&mut r),
        statement(&mut r)
    );
    if r.below(2) == 0 {
        let _ = writeln!(
            text,
            "for (int j = 0; {MARK} j < 3; j++) {{ int s = j; {} i = i + step(s) - (j & 3); }}",
            statement(&mut r)
        );
    }
    let (v, bound) = (r.of(&vars), r.of(&["8", "200", "x", "-5", "0"]));
    let op = r.of(&["<=", ">=", "!=", "=="]);
    let _ = writeln!(
        text,
        "__VERIFIER_assert({v} {op} {bound} || i == x || i < 20 && {} < 300);\nreturn 0; }}",
        r.of(&vars)
    );
    text
}

fn engines() -> Vec<Box<dyn Engine>> {
    let slam = |abstractor, block| Slam {
        abstractor,
        block,
        given: Vec::new(),
    };
    vec![
        Box::new(Slam::default()),
        Box::new(slam(Abstractor::Sat, BlockSize::Region)),
        Box::new(slam(Abstractor::Cubes, BlockSize::Region)),
        Box::new(slam(Abstractor::Sat, BlockSize::Basic)),
        Box::new(Ic3::default()),
        Box::new(Induction::default()),
    ]
}

#[test]
fn invariants_are_true_in_all_runs() {
    let mut told = 0;
    let mut wrong = Vec::new();
    for case in seeds(6, 1) {
        let text = program(case);
        let compiled = compile(&text).unwrap_or_else(|why| panic!("{why}"));
        let compiled = Analysed::from(compiled);
        for engine in engines() {
            let budget = Budget::unlimited().timeout(Duration::from_secs(2));
            let Verdict::Safe { invariants } = engine.check(&task(&compiled), &budget).verdict
            else {
                continue;
            };
            for invariant in invariants {
                told += 1;
                let checked = asserted(&compiled, &text, &invariant);
                let words = || format!("{} says {}\n{checked}", engine.name(), invariant.text);
                match compile(&checked) {
                    Err(why) => wrong.push(format!("{why}: {}", words())),
                    Ok(program) => {
                        let bad = (0..8).any(|x| fails(&program, [x, 0]) == Some(true));
                        if bad {
                            wrong.push(words());
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told > 0);
}

/// Comparisons against the type of a variable need a cast, and large numbers a sign.
#[test]
fn invariants_say_what_they_mean() {
    let text = format!(
        "extern int __VERIFIER_nondet_int(void);
        extern void __VERIFIER_assume(int); extern void __VERIFIER_assert(int);
        int main(void) {{ unsigned u = __VERIFIER_nondet_int();
        signed char c = __VERIFIER_nondet_int(); int x = __VERIFIER_nondet_int();
        __VERIFIER_assume((int)u < 5); __VERIFIER_assume((unsigned char)c < 200);
        __VERIFIER_assume(x == -100000);
        while ({MARK} __VERIFIER_nondet_int()) ;
        __VERIFIER_assert((int)u < 5); __VERIFIER_assert((unsigned char)c < 200);
        __VERIFIER_assert(x == -100000); return 0; }}"
    );
    let program = Analysed::from(compile(&text).expect("C"));
    let inputs = [[-6, -100], [2, 100], [3, -57], [i32::MIN.into(), -128]];
    let mut proofs = 0;
    for engine in engines() {
        let verdict = engine.check(&task(&program), &Budget::unlimited()).verdict;
        let Verdict::Safe { invariants } = verdict else {
            assert_eq!(engine.name(), "slam", "{verdict:?}");
            continue;
        };
        proofs += 1;
        let texts: Vec<&str> = invariants.iter().map(|i| i.text.as_str()).collect();
        for needed in ["(int)u < 5", "(unsigned char)c < ", "x == -100000"] {
            let told = texts.iter().any(|t| t.contains(needed));
            assert!(told, "{}: {needed} is not in {texts:?}", engine.name());
        }
        for invariant in &invariants {
            let checked = asserted(&program, &text, invariant);
            let again = compile(&checked).expect("C");
            for [u, c] in inputs {
                let failed = fails(&again, [u, c, -100_000]);
                assert_eq!(failed, Some(false), "{} {u} {c}", invariant.text);
            }
        }
    }
    assert!(proofs > 2, "{proofs}");
}

/// A lock is free at the head of the loop, and what is only counted is not told.
#[test]
fn proofs_by_boolean_programs_tell_what_holds() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assert(int);
        int locked; unsigned taken;
        void lock(void) { __VERIFIER_assert(!locked); locked = 1; }
        void unlock(void) { __VERIFIER_assert(locked); locked = 0; }
        int main(void) { int n = __VERIFIER_nondet_int();
          while (n > 0) { lock(); taken++; n--; unlock(); }
          lock(); return 0; }";
    let program = Analysed::from(compile(text).expect("C"));
    for abstractor in [Abstractor::Lazy, Abstractor::Sat, Abstractor::Cubes] {
        for block in [BlockSize::Region, BlockSize::Basic] {
            let slam = Slam {
                abstractor,
                block,
                given: Vec::new(),
            };
            let verdict = slam.check(&task(&program), &Budget::unlimited()).verdict;
            let Verdict::Safe { invariants } = verdict else {
                panic!("{slam:?} says {verdict:?}");
            };
            let texts: Vec<&str> = invariants.iter().map(|i| i.text.as_str()).collect();
            assert_eq!(texts, ["(locked == 0)"], "{slam:?}");
        }
    }
}
