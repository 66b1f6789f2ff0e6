//! What nix does not offer: signals and calls as numbers. It has no names for real-time signals, so
//! it loses a process that one of them stops or ends, and cannot pass one on. Thread libraries
//! use them (cancelling, changing the user), and so do timers.
#![allow(unsafe_code)]

use nix::errno::Errno;
use nix::libc::{self, c_int, c_void};
use nix::sys::ptrace;
use nix::unistd::Pid;

/// What happened to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Exited(i32),
    Killed(i32),
    /// It stopped at the start or the end of a call.
    Syscall,
    /// It stopped for ptrace; the number says why.
    Ptrace(i32),
    /// It is about to get a signal.
    Signal(i32),
}

/// Waits for any process or thread.
pub(crate) fn wait_any() -> Result<(Pid, Event), Errno> {
    let mut status: c_int = 0;
    // SAFETY: `status` is ours and lives until the call is over; nothing else is written.
    let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL) };
    let pid = Pid::from_raw(Errno::result(pid)?);
    Ok((pid, decode(status)))
}

fn decode(status: c_int) -> Event {
    if libc::WIFEXITED(status) {
        return Event::Exited(libc::WEXITSTATUS(status));
    }
    if libc::WIFSIGNALED(status) {
        return Event::Killed(libc::WTERMSIG(status));
    }
    let signal = libc::WSTOPSIG(status);
    match status >> 16 {
        0 if signal == libc::SIGTRAP | 0x80 => Event::Syscall,
        0 => Event::Signal(signal),
        event => Event::Ptrace(event),
    }
}

/// Where in a call a process has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At its start; `native` if the number is one of this machine's usual calls.
    Begin { number: u64, native: bool },
    /// At its end.
    End { result: i64 },
}

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;

/// Where a process is that has stopped at a call.
pub(crate) fn stop(pid: Pid) -> Option<Stop> {
    let info = ptrace::syscall_info(pid).ok()?;
    match info.op {
        libc::PTRACE_SYSCALL_INFO_ENTRY => Some(Stop::Begin {
            // SAFETY: the kernel has filled in what `op` says.
            number: unsafe { info.u.entry.nr },
            // The same program can make calls of both kinds, so the program is not asked.
            native: info.arch == NATIVE,
        }),
        libc::PTRACE_SYSCALL_INFO_EXIT => Some(Stop::End {
            // SAFETY: as above.
            result: unsafe { info.u.exit.sval },
        }),
        _ => None,
    }
}

/// Whether a call ended with one of the results by which the kernel knows that it may have to
/// make it again (`ERESTARTSYS` and its like); programs never see them.
pub(crate) fn is_interrupted(result: i64) -> bool {
    matches!(result, -512 | -513 | -514 | -516)
}

/// Lets a stopped process go on to its next call, or for good if it is `released`; with a signal,
/// or 0 for none.
pub(crate) fn resume(pid: Pid, released: bool, signal: i32) -> Result<(), Errno> {
    let request = match released {
        true => libc::PTRACE_DETACH,
        false => libc::PTRACE_SYSCALL,
    };
    let nothing = std::ptr::null_mut::<c_void>();
    // SAFETY: both requests take numbers only, no memory: a process that is not ours or not
    // stopped gives an error.
    let done = unsafe { libc::ptrace(request, pid.as_raw(), nothing, i64::from(signal)) };
    Errno::result(done).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_a_number() {
        assert_eq!(decode(3 << 8), Event::Exited(3));
        assert_eq!(decode(34), Event::Killed(34));
        assert_eq!(decode(64 << 8 | 0x7f), Event::Signal(64));
        assert_eq!(decode((libc::SIGTRAP | 0x80) << 8 | 0x7f), Event::Syscall);
        let exec = libc::PTRACE_EVENT_EXEC << 16 | libc::SIGTRAP << 8 | 0x7f;
        assert_eq!(decode(exec), Event::Ptrace(libc::PTRACE_EVENT_EXEC));
    }
}
