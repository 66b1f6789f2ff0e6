//! Exit codes, and how a failed command says so.

use crate::log;
use crate::render::{Console, say};
use cwolf_base::Exhausted;
use std::process::ExitCode;

/// What the process ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(pub u8);

/// Holds, safe, equivalent, done.
pub const DONE: Exit = Exit(0);
/// Wrong usage.
pub const USAGE: Exit = Exit(1);
/// Bad input.
pub const BAD_INPUT: Exit = Exit(2);
/// Unknown: a limit was reached.
pub const UNKNOWN: Exit = Exit(5);
/// An error of ours.
pub const INTERNAL: Exit = Exit(6);
/// Violated, unsafe, different.
pub const VIOLATED: Exit = Exit(10);

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}

/// The input was wrong and the user has been told: nothing more to print.
#[derive(Debug, thiserror::Error)]
#[error("the input has errors")]
pub struct Reported;

/// There is no answer, and the user has been told why.
#[derive(Debug, thiserror::Error)]
#[error("there is no answer")]
pub struct Undecided;

/// There is no answer, because something ran out.
#[derive(Debug, thiserror::Error)]
#[error("no answer: {0}")]
pub struct OutOf(pub Exhausted);

/// There is no answer, because others that were needed for it are gone.
#[cfg(feature = "cluster")]
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unfinished(pub String);

#[cfg(feature = "cluster")]
fn is_unfinished(error: &anyhow::Error) -> bool {
    error.is::<Unfinished>()
}

#[cfg(not(feature = "cluster"))]
fn is_unfinished(_: &anyhow::Error) -> bool {
    false
}

/// Prints why a command failed, unless that was done where it was found.
pub fn report(error: &anyhow::Error, console: &Console) -> Exit {
    if !error.is::<Reported>() && !error.is::<Undecided>() {
        console.error(&format!("{error:#}"));
    }
    match error.is::<OutOf>() || error.is::<Undecided>() || is_unfinished(error) {
        true => UNKNOWN,
        false => BAD_INPUT,
    }
}

/// Ends with [`INTERNAL`] on a panic, after asking for a report.
pub fn on_internal_errors() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        default(info);
        log::write(&format!("internal error: {info}"));
        let request = "this is a bug in cwolf, please report it with the input";
        say(format_args!("cwolf: internal error: {request}\n"));
        std::process::exit(i32::from(INTERNAL.0));
    }));
}
