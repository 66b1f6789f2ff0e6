//! Transition systems bit by bit against runs: a system that is given what a run reads goes wrong exactly if the run does.

use crate::common::{Random, compile, seeds};
use crate::runs::fails;
use cwolf_base::Budget;
use cwolf_cwi::Program;
use cwolf_cwi::graph::Analysed;
use cwolf_engines::{Checks, Task, aiger};
use cwolf_logic::aig::Aig;
use std::fmt::Write;

/// A program that reads one byte: numbers, an array, fields, pointers, a call, two loops, an assertion in the end.
fn random(seed: u64) -> String {
    let mut r = Random::new(seed);
    let places = [
        "u",
        "s",
        "c",
        "w.f",
        "w.g",
        "*p",
        "a[i % 20]",
        "a[x % 20]",
        "t[1]",
    ];
    let values = [
        "x",
        "i",
        "u",
        "s",
        "c",
        "w.g",
        "*p",
        "a[i % 20]",
        "a[(x + i) % 20]",
        "t[i & 1]",
        "3",
        "-7",
    ];
    let statement = |r: &mut Random| {
        let (to, from, other) = (r.of(&places), r.of(&values), r.of(&values));
        match r.below(7) {
            0 => format!("{to} = {from};"),
            1 => format!("{to} += {from};"),
            2 => format!("{to} = {from} * {other};"),
            3 => format!("{to} = {from} / 3 + {other} % 5;"),
            4 => format!("if ({from} < {other}) {to} = {other};"),
            5 => format!("p = x & {} ? &u : &k;", 1 << r.below(3)),
            _ => format!("{to} = step({from});"),
        }
    };
    let mut text = String::from(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void __VERIFIER_assume(int); extern void __VERIFIER_assert(int);\n\
         unsigned u; unsigned k; short s; signed char c; struct { unsigned f : 5; int g : 4; } w;\n\
         short a[20]; int t[2];\n\
         int step(int n) { int sum = 0; for (int j = 0; j < (n & 3); j++) sum += j ^ n; return sum; }\n\
         int main(void) { unsigned *p = &u; int x = __VERIFIER_nondet_uchar(); __VERIFIER_assume(x < 16); int i = 0;\n",
    );
    for _ in 0..r.below(3) {
        let _ = writeln!(text, "{}", statement(&mut r));
    }
    let _ = writeln!(text, "while (i < {} + (x & 3)) {{ i++;", 1 + r.below(4));
    for _ in 0..2 + r.below(4) {
        let _ = writeln!(text, "{}", statement(&mut r));
    }
    let (left, right) = (r.of(&values[2..9]), r.of(&values));
    let relation = r.of(&["!=", "<=", ">="]);
    let _ = writeln!(
        text,
        "}}\n__VERIFIER_assert({left} {relation} {right}); return 0; }}"
    );
    text
}

fn system(program: Program) -> Option<Aig> {
    let checks = Checks {
        assertions: true,
        ..Checks::default()
    };
    let mut program = program;
    let checked = cwolf_prepare::Checked::new(&program, &checks.kinds());
    cwolf_prepare::insert_checks(&mut program, &checked);
    let program = Analysed::from(program);
    let task = Task {
        program: &program,
        entry: program.function("main")?,
        checks,
        error_functions: Vec::new(),
    };
    aiger::system(&task, &Budget::unlimited()).ok()
}

/// Whether the system goes wrong when its inputs are the bits of a byte.
fn goes_wrong(aig: &Aig, byte: u8) -> bool {
    let [inputs, latches, ..] = aig.size();
    let given: Vec<bool> = (0..inputs).map(|n| n < 8 && byte >> n & 1 == 1).collect();
    let mut state = vec![false; latches];
    (0..200).any(|_| {
        let (next, out) = aig.step(&state, &given);
        state = next;
        out[0]
    })
}

#[test]
fn systems_go_wrong_as_runs_do() {
    let mut compared = 0;
    let mut wrong = 0;
    let seeds = seeds(60, 1);
    let all = seeds.end - seeds.start;
    for seed in seeds {
        let text = random(seed);
        let program = compile(&text).expect("a program");
        // What is read besides the byte (elements that no index reaches) follows it.
        let Some(aig) = system(program.clone()) else {
            panic!("seed {seed}: no system for\n{text}");
        };
        if aig.size()[0] < 8 {
            continue;
        }
        for byte in 0..20u8 {
            let Some(expected) = fails(&program, [i128::from(byte)]) else {
                continue;
            };
            wrong += u32::from(expected);
            compared += 1;
            assert_eq!(
                goes_wrong(&aig, byte),
                expected,
                "seed {seed}, {byte}:\n{text}"
            );
        }
    }
    assert!(
        compared > all * 10 && wrong > 0,
        "{compared} runs, {wrong} fail"
    );
}
