//! The one binary: arguments in, results on stdout, progress and diagnostics on stderr, an exit
//! code that says what happened. It contains no algorithm.

mod args;
mod commands;
mod exit;
mod inputs;
mod output;
mod progress;
mod project;
mod render;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::on_internal_errors();
    let arguments = args::normalise(std::env::args_os());
    let cli = match args::parse(arguments) {
        Ok(cli) => cli,
        Err(args::NotParsed::Project(error)) => return exit::report(&error).into(),
        Err(args::NotParsed::Usage(error)) => {
            // clap's own status for wrong usage is 2, which here means bad input.
            let code = if error.use_stderr() {
                exit::USAGE
            } else {
                exit::DONE
            };
            let _ = error.print();
            return code.into();
        }
    };
    match commands::run(cli) {
        Ok(code) => code.into(),
        Err(error) => exit::report(&error).into(),
    }
}
