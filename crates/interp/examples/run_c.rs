//! Compiles one C file and runs it: `run_c [-m32] [-t] file.c [args]`. Prints how fast it was.

use cwolf_cfront::{Options as Language, Preprocessor, compile_text};
use cwolf_cwi::Target;
use cwolf_interp::{Machine, Options, Outcome, Random, TraceText};
use std::process::ExitCode;

#[allow(clippy::print_stderr)]
fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let at = args.iter().position(|a| a == name);
        at.map(|at| args.remove(at)).is_some()
    };
    let (ilp32, trace, speed) = (flag("-m32"), flag("-t"), flag("-s"));
    let mut language = Language::default();
    if ilp32 {
        // The preprocessor keeps its own target: 32-bit headers are rarely installed.
        language.target = Target::I386;
    }
    let Some(path) = args.first() else {
        eprintln!("usage: run_c [-m32] [-t] [-s] file.c [args]");
        return ExitCode::from(1);
    };
    let text = match Preprocessor::new(Vec::new()).run(path.as_ref()) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let compiled = compile_text(path, &text.text, &language);
    let Some(program) = compiled.program else {
        for message in compiled.diagnostics.iter() {
            let at = compiled
                .sources
                .position(message.span.unwrap_or_default().lo);
            eprintln!("{}:{}: {}", at.file, at.line, message.message);
        }
        return ExitCode::from(2);
    };
    let options = Options {
        oracle: Box::new(Random::new(1)),
        args: args.iter().map(|a| a.clone().into_bytes()).collect(),
        stdin: Box::new(std::io::stdin()),
        stdout: Box::new(std::io::stdout()),
        stderr: Box::new(std::io::stderr()),
        files: true,
        tracer: trace.then(|| TraceText::boxed(std::io::stderr())),
        ..Options::default()
    };
    let start = std::time::Instant::now();
    let mut machine = Machine::new(&program, options);
    let outcome = machine.run("main");
    if speed {
        let seconds = start.elapsed().as_secs_f64();
        let steps = machine.steps();
        let millions = steps as f64 / seconds / 1e6;
        eprintln!("{steps} statements in {seconds:.2} s: {millions:.0} million a second");
    }
    match outcome {
        Outcome::Exit(status) => ExitCode::from(status as u8),
        Outcome::Error(error) => {
            eprint!("{}", error.render(&program));
            ExitCode::from(10)
        }
        other => {
            eprintln!("{other:?}");
            ExitCode::from(5)
        }
    }
}
