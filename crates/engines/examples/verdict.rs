//! Solves an SV-COMP task with one engine and prints its verdict: a bench for engines alone.
//!
//! usage: verdict ENGINE SECONDS --prop FILE.prp --32|--64 FILE.i
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::value::Value;
use cwolf_cwi::{Program, Target};
use cwolf_engines::{Checks, Task, Verdict};
use cwolf_interp::{List, Machine, Options as RunOptions};
use cwolf_prepare::{Models, link_library};
use std::time::Duration;

fn load(path: &str, target: Target) -> Program {
    let text = std::fs::read(path).expect("a readable file");
    let options = cwolf_cfront::Options {
        target,
        ..Default::default()
    };
    let compiled = cwolf_cfront::compile_text(path, &text, &options);
    let program = compiled.program.expect("a program without errors");
    let primitive = |name: &str| {
        let row = cwolf_known::lookup(name);
        row.is_some_and(|row| row.primitive().is_some())
    };
    let models = Models {
        environment: false,
        wanted: &|name| !primitive(name),
    };
    let linked = link_library(program, &models);
    linked.expect("a program that links").program
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let target = if args[5] == "--32" {
        Target::I386
    } else {
        Target::X86_64
    };
    let program = Analysed::from(load(&args[6], target));
    let seconds: f64 = args[2].parse().expect("a number");
    let count = args[1].split(',').count() as f64;
    let budget = || {
        Budget::unlimited()
            .timeout(Duration::from_secs_f64(seconds / count))
            .max_memory(3500 << 20)
            .watched(Duration::from_secs(2), |line| eprintln!("{line}"))
    };
    let error = |n: &str| program.function(n);
    let error_functions = ["reach_error", "__VERIFIER_error"]
        .iter()
        .filter_map(|n| error(n))
        .collect();
    let checks = Checks::default();
    let Some(entry) = program.function("main") else {
        println!("VERDICT: unknown (no main)");
        return;
    };
    let task = Task {
        program: &program,
        entry,
        checks,
        error_functions,
    };
    let mut said = String::from("unknown (no engine)");
    for name in args[1].split(',') {
        let engine = cwolf_engines::by_name(name).expect("an engine");
        let outcome = engine.check(&task, &budget());
        said = match outcome.verdict {
            Verdict::Safe { .. } => "true".to_string(),
            Verdict::Unsafe(failure) => {
                let number = |v: &Value| match v {
                    Value::Int(n) => *n,
                    Value::Float(_) => 0,
                };
                let list: Vec<i128> = failure.choices.iter().map(|c| number(&c.value)).collect();
                let options = RunOptions {
                    oracle: Box::new(List::new(list)),
                    zero_memory: true,
                    budget: Budget::unlimited().timeout(Duration::from_secs(10)),
                    ..Default::default()
                };
                // The call itself is the failure, whatever the function would do.
                let mut stopped = program.clone();
                for f in &task.error_functions {
                    stopped.funcs[*f].body = None;
                    stopped.funcs[*f].name = "reach_error".into();
                }
                let run = Machine::new(&stopped, options).run("main");
                match run {
                    cwolf_interp::Outcome::Error(e)
                        if e.kind == cwolf_interp::ErrorKind::ReachError
                            || e.stack
                                .iter()
                                .any(|s| task.error_functions.contains(&s.func)) =>
                    {
                        "false(unreach-call)".into()
                    }
                    other => {
                        let text = format!("{other:?}");
                        let short: String = text.chars().take(90).collect();
                        format!("unknown (no replay: {short})")
                    }
                }
            }
            Verdict::Unknown { reason, .. } => format!("unknown ({name}: {reason})"),
        };
        if !said.starts_with("unknown") {
            break;
        }
    }
    println!("VERDICT: {said}");
}
