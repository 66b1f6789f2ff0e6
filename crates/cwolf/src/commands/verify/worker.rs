//! Where the address space is limited, running out of memory ends a process at once, in whatever
//! code it happens to be. Then the work is done in a second process, so that somebody is left to
//! say what happened.

use super::evidence;
use crate::args::Verify;
use crate::exit::{Exit, INTERNAL, UNKNOWN};
use crate::render::Console;
use anyhow::{Context, Result};
use std::os::unix::process::{ExitStatusExt, parent_id};
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// Set for the process that does the work: who waits for it.
const WORKER: &str = "CWOLF_WORKER";

/// What the libraries reserve by default, where nothing says how much there is: glibc 128 MiB for each
/// thread, and oxidd a stack of 1 GiB for each set of decision diagrams, which we walk on stacks of our own.
const FRUGAL: [(&str, &str); 2] = [("MALLOC_ARENA_MAX", "2"), ("OXIDD_STACK_SIZE", "1048576")];

const ABORT: i32 = 6;
const KILL: i32 = 9;
const CPU_TIME: i32 = 24;

/// Lets another process do the work, if that is needed; what it ended with.
pub fn run(args: &Verify, console: &Console) -> Result<Option<Exit>> {
    if std::env::var_os(WORKER).is_some() {
        end_with_parent();
        return Ok(None);
    }
    if crate::args::address_space().is_none() {
        return Ok(None);
    }
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let status = Command::new(program)
        .args(std::env::args_os().skip(1))
        .env(WORKER, std::process::id().to_string())
        .envs(FRUGAL)
        .status()
        .context("cannot start a process for the work")?;
    ended(status, args, console).map(Some)
}

fn ended(status: ExitStatus, args: &Verify, console: &Console) -> Result<Exit> {
    if let Some(code) = status.code() {
        console.document_is_written();
        return Ok(Exit(u8::try_from(code).unwrap_or(INTERNAL.0)));
    }
    let reason = match status.signal() {
        // Nobody else aborts: panics are caught.
        Some(ABORT) => "out of memory",
        Some(KILL) => "the process was killed, perhaps because memory ran out",
        Some(CPU_TIME) => "the limit of processor time was reached",
        _ => return Ok(INTERNAL),
    };
    evidence::remove_witnesses(&args.outputs, console);
    console.print(None, format!("VERDICT: unknown ({reason})\n").as_bytes())?;
    console.note(reason);
    Ok(UNKNOWN)
}

/// Nobody needs the answer when the one who waits for it is gone.
fn end_with_parent() {
    let parent = parent_id();
    std::thread::spawn(move || {
        while parent_id() == parent {
            std::thread::sleep(Duration::from_millis(200));
        }
        std::process::exit(i32::from(UNKNOWN.0));
    });
}
