//! `cwolf run`: executes a program and reports the first step that C does not define.

use crate::args::Run;
use crate::exit::{DONE, Exit, UNKNOWN, VIOLATED};
use crate::inputs;
use crate::render::{Console, say};
use anyhow::{Result, bail};
use cwolf_cfront::library;
use cwolf_interp::{
    ErrorKind, List, Machine, Options, Oracle, Outcome, Random, TraceText, Tracer, Zeros,
};
use std::os::unix::ffi::OsStringExt;

pub fn run(args: Run, console: &Console) -> Result<Exit> {
    let mut program = inputs::load_linked(&args.inputs, console)?;
    if program
        .function(&args.entry)
        .is_none_or(|f| program.funcs[f].body.is_none())
    {
        bail!(
            "the program has no function `{}`; --entry chooses another to start at",
            args.entry
        );
    }
    let mut language = inputs::language(&args.inputs.c)?;
    language.target = program.target();
    let mut parts = library::resolve(&program, &language, |f| !cwolf_interp::is_native(f));
    if !parts.is_empty() {
        parts.insert(0, program);
        program = inputs::link_all(parts, console)?;
    }

    let mut machine = Machine::new(&program, options(&args));
    let outcome = machine.run(&args.entry);
    drop(machine);
    Ok(match outcome {
        // The program's own status; what does not fit in eight bits is cut, as by the system.
        Outcome::Exit(status) => Exit(status as u8),
        Outcome::Error(error) => {
            say(format_args!("{}", error.render(&program)));
            match error.kind {
                // The limits here are ours, not the program's.
                ErrorKind::MissingFunction | ErrorKind::Unsupported | ErrorKind::MemoryLimit => {
                    UNKNOWN
                }
                _ => VIOLATED,
            }
        }
        Outcome::AssumeFailed => {
            console.warning("an assumption (__VERIFIER_assume) does not hold on this run");
            DONE
        }
        Outcome::Budget(reason) => {
            console.error(&format!("the run was stopped: {reason}"));
            UNKNOWN
        }
    })
}

fn options(args: &Run) -> Options<'static> {
    let mut budget = args.limits.unwatched();
    if let Some(steps) = args.max_steps {
        budget = budget.max_steps(steps);
    }
    let oracle: Box<dyn Oracle> = match args.seed {
        Some(seed) => Box::new(Random::new(seed)),
        None if args.values.is_empty() => Box::new(Zeros),
        None => Box::new(List::new(args.values.clone())),
    };
    let name = args.inputs.files[0]
        .with_extension("")
        .into_os_string()
        .into_vec();
    let mut arguments = vec![name];
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
    Options {
        oracle,
        budget,
        args: arguments,
        env: env.collect(),
        stdin: Box::new(std::io::stdin()),
        stdout: Box::new(std::io::stdout()),
        stderr: Box::new(std::io::stderr()),
        files: true,
        zero_memory: args.zero_memory,
        tracer,
        ..Options::default()
    }
}
