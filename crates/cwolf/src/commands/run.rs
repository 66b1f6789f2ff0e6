//! `cwolf run`: executes a program and reports the first step that C does not define.

mod chosen;
mod replay;
mod steps;

use crate::args::{Checked, Run};
use crate::exit::{DONE, Exit, UNKNOWN, VIOLATED};
use crate::inputs;
use crate::render::Console;
use anyhow::{Result, bail};
use cwolf_interp::{
    ErrorKind, Machine, Options, Oracle, Outcome, Random, TraceText, Tracer, Zeros,
};
use cwolf_prepare::to_run;
use serde_json::json;
use std::cell::RefCell;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::rc::Rc;

pub fn run(args: Run, console: &Console) -> Result<Exit> {
    let others = args.inputs.files.iter().skip(1);
    if let Some(word) = others
        .filter(|f| f.as_os_str() != "-")
        .find(|f| !f.exists())
    {
        let word = word.display();
        bail!("there is no file {word}; arguments of the program come after --, as in: -- {word}");
    }
    if let (Some(_), [file]) = (args.replay, args.inputs.files.as_slice())
        && let Some(report) = steps::report(file)
    {
        return steps::run(&report, console);
    }
    if let Some(which) = args.replay {
        return replay::run(args, which, console);
    }
    let plain = Checked {
        malloc_may_fail: args.checked.malloc_may_fail,
        ..Checked::default()
    };
    if args.checked != plain {
        bail!("options of verify say how a run is repeated: add --replay");
    }
    let program = inputs::load_linked(&args.inputs, console)?;
    inputs::entry(&program, &args.entry)?;
    let open = args.seed.is_some() || !args.values.is_empty();
    let open = open && args.entry != "main";
    let ready = inputs::ready(to_run(program, &args.entry, open), console)?;
    let program = ready.program;
    let start = ready.entry.map(|f| program.funcs[f].name.clone());
    let start = start.unwrap_or(args.entry.clone());
    // With the document on standard output the program's own output becomes a part of it.
    let kept = console.is_inline(None).then(Kept::default);
    let phase = console.phase("running");
    let mut machine = Machine::new(&program, options(&args, kept.as_ref()));
    let outcome = machine.run(&start);
    drop(machine);
    phase.done("the program ended");
    let (end, status, exit) = match &outcome {
        // The program's own status; what does not fit in eight bits is cut, as by the system.
        Outcome::Exit(status) => ("exit", Some(*status as u8), Exit(*status as u8)),
        Outcome::Error(error) => {
            console.failure(&shown(&error.render(&program)));
            if error.kind == ErrorKind::MissingFunction && error.message.ends_with("has no body") {
                console.note("add the C file that defines it; `cwolf verify` takes such functions to return anything");
            }
            match error.kind {
                // The limits here are ours, not the program's.
                ErrorKind::MissingFunction | ErrorKind::Unsupported | ErrorKind::MemoryLimit => {
                    ("unsupported", None, UNKNOWN)
                }
                _ => ("undefined", None, VIOLATED),
            }
        }
        Outcome::AssumeFailed => {
            console.warning("an assumption (__VERIFIER_assume) does not hold on this run");
            ("assumption", None, DONE)
        }
        Outcome::Budget(reason) => {
            console.error(&format!("the run was stopped: {reason}"));
            ("limit", None, UNKNOWN)
        }
    };
    let error = match &outcome {
        Outcome::Error(error) => Some(shown(&error.render(&program))),
        _ => None,
    };
    console.result(json!({
        "end": end,
        "status": status,
        "error": error,
        "stdout": kept.map(|kept| kept.text()),
    }));
    Ok(exit)
}

/// A message without the function that only makes arguments for the entry function.
fn shown(message: &str) -> String {
    let own = |line: &&str| !line.trim_start().starts_with("in __cwolf_start ");
    message.split_inclusive('\n').filter(own).collect()
}

/// Output that is kept.
#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<u8>>>);

impl Kept {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn options(args: &Run, kept: Option<&Kept>) -> Options<'static> {
    let mut budget = args.limits.unwatched();
    if let Some(steps) = args.max_steps {
        budget = budget.max_steps(steps);
    }
    let oracle: Box<dyn Oracle> = match args.seed {
        Some(seed) => Box::new(Random::new(seed)),
        None if args.values.is_empty() => Box::new(Zeros),
        None => Box::new(chosen::Values::new(&args.values, false)),
    };
    let mut arguments = vec![inputs::program_name(&args.inputs)];
    arguments.extend(args.arguments.iter().map(|a| a.clone().into_bytes()));
    let env = std::env::vars_os().map(|(name, value)| {
        let mut entry = name.into_vec();
        entry.push(b'=');
        entry.extend(value.into_vec());
        entry
    });
    let tracer = args
        .trace
        .then(|| Box::new(TraceText::new(std::io::stderr())) as Box<dyn Tracer>);
    let stdout: Box<dyn Write> = match kept {
        Some(kept) => Box::new(kept.clone()),
        None => Box::new(std::io::stdout()),
    };
    Options {
        oracle,
        budget,
        args: arguments,
        env: env.collect(),
        stdin: Box::new(std::io::stdin()),
        stdout,
        stderr: Box::new(std::io::stderr()),
        files: true,
        zero_memory: args.zero_memory,
        malloc_may_fail: args.checked.malloc_may_fail,
        tracer,
        ..Options::default()
    }
}
