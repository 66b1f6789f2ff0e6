//! The one binary: arguments in, results on stdout, progress and diagnostics on stderr, an exit
//! code that says what happened. It contains no algorithm.

mod args;
mod commands;
mod document;
mod exit;
mod inputs;
mod log;
mod near;
mod output;
mod progress;
mod project;
mod render;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::on_internal_errors();
    let arguments = args::normalise(std::env::args_os());
    let given: Vec<String> = std::env::args_os()
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    let (cli, command) = match args::parse(arguments) {
        Ok(parsed) => parsed,
        Err(args::NotParsed::Bad(error)) => return fail(&error),
        Err(args::NotParsed::Usage(mut error)) => {
            // clap's own status for wrong usage is 2, which here means bad input.
            let code = if error.use_stderr() {
                exit::USAGE
            } else {
                exit::DONE
            };
            let tip = args::tip(&error, &given);
            args::keep_good_advice(&mut error, tip.as_deref());
            let _ = error.print();
            if let Some(tip) = &tip {
                render::say(format_args!("\n  tip: {tip}\n"));
            }
            if code == exit::USAGE {
                let text = error.render().to_string();
                document::of_wrong_usage(&given, &text, tip.as_deref(), code);
            }
            return code.into();
        }
    };
    let console = match render::Console::new(&cli.manners, command) {
        Ok(console) => console,
        Err(error) => return fail(&error),
    };
    let exit = match commands::run(cli.command, &console) {
        Ok(exit) => exit,
        Err(error) => exit::report(&error, &console),
    };
    match console.finish(exit) {
        Ok(()) => exit.into(),
        Err(error) => fail(&error),
    }
}

/// Before there is a console, or after it.
fn fail(error: &anyhow::Error) -> ExitCode {
    let message = render::in_words(&format!("{error:#}"));
    render::say(format_args!("error: {message}\n"));
    exit::BAD_INPUT.into()
}
