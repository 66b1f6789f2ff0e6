//! How BEBOP grows: families of programs, with time and size for each member.
//!
//! `cargo run --release -p cwolf-boolprog --example bebop_scale`
#![allow(clippy::print_stdout)]

use cwolf_base::Diagnostics;
use cwolf_boolprog::bebop::{Options, Outcome, Target, run};
use cwolf_boolprog::cfg::Graph;
use cwolf_boolprog::parse;
use std::time::Instant;

/// The family of Ball and Rajamani's SPIN 2000 paper: each of `n` levels either counts to seven or
/// calls the next level twice.
fn levels(n: usize) -> String {
    let mut text = String::from(
        "decl g; void main() begin level1(); level1(); if (!g) then reach: skip; else skip; fi end\n",
    );
    for i in 1..=n {
        let next = match i == n {
            true => "skip;".to_owned(),
            false => format!("level{0}(); level{0}();", i + 1),
        };
        text += &format!(
            "void level{i}() begin decl a, b, c;
               if (g) then
                 a, b, c := 0, 0, 0;
                 while (!a | !b | !c) do
                   if (!a) then a := 1;
                   elsif (!b) then a, b := 0, 1;
                   elsif (!c) then a, b, c := 0, 0, 1;
                   else skip; fi
                 od
               else {next} fi
               g := !g;
             end\n"
        );
    }
    text
}

/// `n` procedures and `n` globals: procedure i locks lock i, calls the next one, and unlocks.
fn locks(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("l{i}")).collect();
    let mut text = format!("bool {};\nvoid main() {{ ", names.join(", "));
    for name in &names {
        text += &format!("{name} = false; ");
    }
    text += "p0(); p0(); ";
    for name in &names {
        text += &format!("assert(!{name}); ");
    }
    text += "}\n";
    for i in 0..n {
        let next = match i + 1 == n {
            true => "skip;".to_owned(),
            false => format!("if (*) {{ p{0}(); }} p{0}();", i + 1),
        };
        text += &format!("void p{i}() {{ assert(!l{i}); l{i} = true; {next} l{i} = false; }}\n");
    }
    text
}

/// `n` variables in scope, most of them only set and copied; three of them matter.
fn bystanders(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("{{p->f{i} > 0}}")).collect();
    let mut text = format!("bool {};\nbool held;\n", names[..n / 2].join(", "));
    text += "void acquire() { assert(!held); held = true; }
             void release() { assert(held); held = false; }\n";
    text += &format!(
        "void main() {{ bool {}; bool need; held = false;\n",
        names[n / 2..].join(", ")
    );
    text += "while (*) { acquire(); need = unknown();\n";
    for i in 1..n {
        text += &format!(
            "{} = choose({}, {});\n",
            names[i],
            names[i - 1],
            names[(i * 7) % n]
        );
    }
    text += "if (need) { release(); acquire(); } release(); } assert(!held); }";
    text
}

/// Recursion `n` deep in the control, unbounded in the data.
fn recursion(n: usize) -> String {
    let mut text = String::from("bool g;\n");
    for i in 0..n {
        let (next, before) = ((i + 1) % n, (i + n - 1) % n);
        text += &format!(
            "bool<2> r{i}(bool a, bool b) {{ bool x, y;
               if (*) {{ return b, a; }}
               x, y = r{next}(a, b); x, y = r{before}(x, y); x, y = r{next}(x, y);
               return x, y; }}\n"
        );
    }
    text + "void main() { bool x, y; g = x; x, y = r0(g, !g); assert(x == !g && y == g); }"
}

fn measure(name: &str, n: usize, text: &str, label: Option<&str>) {
    let mut messages = Diagnostics::default();
    let program = parse(text, 0, &mut messages).unwrap_or_else(|| panic!("{messages:?}"));
    let graph = Graph::new(&program);
    let targets = match label {
        Some(label) => Target::label(&program, label),
        None => Target::asserts(&program),
    };
    let main = program.find_proc("main").expect("every member has a main");
    let start = Instant::now();
    let (verdict, stats) = run(&program, &graph, &Options::new(main, targets), |bebop| {
        let verdict = match bebop.outcome() {
            Outcome::Reached(_, trace) if trace.steps() == u64::MAX => "reached, 2^64 steps".into(),
            Outcome::Reached(_, trace) => format!("reached, {} steps", trace.steps()),
            Outcome::Unreachable => "unreachable".into(),
            Outcome::Unknown(reason) => format!("unknown: {reason}"),
        };
        (verdict, bebop.stats())
    });
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name:<11} {n:>5} {:>9} {:>9} {:>10} {seconds:>9.3}  {verdict}",
        stats.variables, stats.batches, stats.peak_nodes
    );
}

fn main() {
    println!("family          n variables   batches peak nodes   seconds  verdict");
    for n in [50, 100, 200, 400, 800] {
        measure("levels", n, &levels(n), Some("reach"));
    }
    for n in [10, 20, 40, 80, 160] {
        measure("locks", n, &locks(n), None);
    }
    for n in [50, 100, 200, 400] {
        measure("bystanders", n, &bystanders(n), None);
    }
    for n in [10, 20, 40, 80] {
        measure("recursion", n, &recursion(n), None);
    }
}
