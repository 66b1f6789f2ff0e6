//! The command that repeats a failing run: the same files and options, and the values of the run.

use crate::args::{Checked, Externs, Inputs, Verify};
use cwolf_cwi::value::{Value, float};
use cwolf_cwi::{FloatTy, Type};
use cwolf_prepare::Subject;
use cwolf_verify::concrete::{Choice, Run, Which};
use cwolf_verify::harness::quoted;
use std::fmt::Write;

/// Runs of more equal values than these are written as a count and a value.
const LONG: usize = 16;

/// The command line.
pub fn command(args: &Verify, subject: &Subject, run: &Run) -> String {
    let mut words = vec!["cwolf".to_owned(), "run".into()];
    words.push(match run.which {
        Which::Closed => "--replay".into(),
        Which::Raw => "--replay=exact".into(),
    });
    if subject.entry_name != "main" {
        words.extend(["--entry".into(), subject.entry_name.clone()]);
    }
    checked(&args.checked, &mut words);
    if run.changes_memory && run.which == Which::Closed && !subject.stubs.is_empty() {
        words.push("--extern-writes".into());
    }
    let chosen = run.told();
    if !chosen.is_empty() {
        let values: Vec<String> = chosen.iter().map(|c| value(subject, c)).collect();
        let runs = values.chunk_by(|a, b| a == b).map(|run| match run {
            // Short runs are easier to read one by one.
            [value, ..] if run.len() > LONG => format!("{}*{value}", run.len()),
            _ => run.join(","),
        });
        let runs: Vec<String> = runs.collect();
        words.push(format!("--values={}", runs.join(",")));
    }
    for (address, bytes) in &run.settled {
        let mut word = format!("--memory={address:#x}=");
        for byte in bytes {
            let _ = write!(word, "{byte:02x}");
        }
        words.push(word);
    }
    files(&args.inputs, &mut words);
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

fn checked(checked: &Checked, words: &mut Vec<String>) {
    if !checked.property.is_empty() {
        words.push(format!("--property={}", checked.property.join(",")));
    }
    for rule in &checked.spec {
        words.extend(["--spec".into(), rule.display().to_string()]);
    }
    if let Some(prop) = &checked.prop {
        words.extend(["--prop".into(), prop.display().to_string()]);
    }
    if checked.malloc_may_fail {
        words.push("--malloc-may-fail".into());
    }
    match checked.externs {
        Externs::Havoc => {}
        Externs::Arguments => words.push("--extern=arguments".into()),
        Externs::Pure => words.push("--extern=pure".into()),
        Externs::Error => words.push("--extern=error".into()),
    }
    for clause in &checked.requires {
        words.push(format!("--requires={clause}"));
    }
    if !checked.replace_calls.is_empty() {
        words.push(format!(
            "--replace-calls={}",
            checked.replace_calls.join(",")
        ));
    }
    if checked.no_contracts {
        words.push("--no-contracts".into());
    }
    match &checked.args {
        Some(given) => words.push(format!("--args={given}")),
        None => {
            let numbers = [
                ("--max-args", checked.max_args, 3),
                ("--max-arg-length", checked.max_arg_length, 7),
            ];
            for (option, number, usual) in numbers {
                if number != usual {
                    words.push(format!("{option}={number}"));
                }
            }
        }
    }
}

fn files(inputs: &Inputs, words: &mut Vec<String>) {
    let c = &inputs.c;
    let lists = [
        ("-I", &c.include_dirs),
        ("-D", &c.defines),
        ("-U", &c.undefines),
        ("--include=", &c.include),
        ("--isystem=", &c.isystem),
        ("--iquote=", &c.iquote),
    ];
    for (option, values) in lists {
        words.extend(values.iter().map(|value| format!("{option}{value}")));
    }
    if c.nostdinc {
        words.push("--nostdinc".into());
    }
    if c.std != "gnu17" {
        words.push(format!("--std={}", c.std));
    }
    if let Some(target) = &c.target {
        words.extend(["--target".into(), target.clone()]);
    }
    if c.ilp32 {
        words.push("--32".into());
    }
    words.extend(inputs.files.iter().map(|f| f.display().to_string()));
}

/// A chosen value so that it can be read back exactly.
fn value(subject: &Subject, choice: &Choice) -> String {
    match (&subject.program.types[choice.ty], choice.value) {
        (Type::Float(FloatTy::F64), Value::Float(bits)) => {
            let value = f64::from_bits(bits as u64);
            match value.is_nan() {
                true => format!("bits:{bits:x}"),
                false => format!("{value:?}"),
            }
        }
        (Type::Float(f), Value::Float(bits)) => match float::from_int(*f, wide(), 0) == bits {
            true => "0".into(),
            false => format!("bits:{bits:x}"),
        },
        (Type::Pointer(_), Value::Int(v)) => format!("{v:#x}"),
        (_, Value::Int(v)) => v.to_string(),
        (_, Value::Float(bits)) => format!("bits:{bits:x}"),
    }
}

fn wide() -> cwolf_cwi::IntTy {
    cwolf_cwi::IntTy::new(128, true)
}
