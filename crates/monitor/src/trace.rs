//! Running a command under ptrace and seeing each of its system calls before it happens.
//!
//! The command is started by this same program: the child stops itself ([`become_traced`]),
//! is seized, and then becomes the command. So no code runs between fork and exec, and what
//! the child does before it is the command is not seen.

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use rustc_hash::FxHashSet;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

/// Why a command cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// It does not start.
    #[error("cannot start the command")]
    Start(#[from] std::io::Error),
    /// The system does not let us look.
    #[error("cannot trace the command; is ptrace allowed here?")]
    Ptrace(#[from] Errno),
    /// It ended before it was the command.
    #[error("the command could not be started")]
    NotStarted,
}

/// What happens in a traced process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// A system call begins.
    Call {
        /// The process or thread.
        process: i32,
        /// The call's name.
        name: String,
        /// Since the command started.
        time: Duration,
    },
    /// A process or thread was made.
    Born {
        /// The new one.
        child: i32,
        /// Who made it.
        parent: i32,
    },
    /// A process or thread is gone.
    Gone(i32),
}

/// What to do after a call was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Go on looking.
    Go,
    /// Look no more, let all processes run.
    Release,
    /// End all processes before the call happens.
    Kill,
}

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With a status.
    Status(i32),
    /// By a signal.
    Signal(i32),
}

/// In the child: waits to be seized, then becomes the command. Returns only on failure.
pub fn become_traced(command: &[OsString]) -> TraceError {
    let Some((program, arguments)) = command.split_first() else {
        return TraceError::NotStarted;
    };
    if let Err(error) = raise(Signal::SIGSTOP) {
        return error.into();
    }
    TraceError::Start(Command::new(program).args(arguments).exec())
}

/// Runs `starter`, which calls [`become_traced`], and shows `see` what happens.
pub fn trace(
    mut starter: Command,
    mut see: impl FnMut(Call) -> Answer,
) -> Result<Ended, TraceError> {
    let child = starter.spawn()?;
    let main = Pid::from_raw(child.id() as i32);
    match waitpid(main, Some(WaitPidFlag::WUNTRACED))? {
        WaitStatus::Stopped(..) => {}
        _ => return Err(TraceError::NotStarted),
    }
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_EXITKILL;
    ptrace::seize(main, options)?;
    kill(main, Signal::SIGCONT)?;
    let mut tracer = Tracer {
        main,
        see: &mut see,
        started: None,
        released: false,
        alive: [main].into_iter().collect(),
    };
    tracer.run()
}

struct Tracer<'a> {
    main: Pid,
    see: &'a mut dyn FnMut(Call) -> Answer,
    /// When the child became the command.
    started: Option<Instant>,
    released: bool,
    alive: FxHashSet<Pid>,
}

impl Tracer<'_> {
    fn run(&mut self) -> Result<Ended, TraceError> {
        let mut ended = None;
        loop {
            let status = match waitpid(None, Some(WaitPidFlag::__WALL)) {
                Ok(status) => status,
                Err(Errno::EINTR) => continue,
                Err(Errno::ECHILD) => break,
                Err(error) => return Err(error.into()),
            };
            match status {
                WaitStatus::PtraceSyscall(pid) => self.at_call(pid),
                WaitStatus::PtraceEvent(pid, _, event) => self.at_event(pid, event),
                WaitStatus::Stopped(pid, signal) => self.resume(pid, Some(signal)),
                WaitStatus::Exited(pid, status) => {
                    self.gone(pid);
                    if pid == self.main {
                        ended = Some(Ended::Status(status));
                    }
                }
                WaitStatus::Signaled(pid, signal, _) => {
                    self.gone(pid);
                    if pid == self.main {
                        ended = Some(Ended::Signal(signal as i32));
                    }
                }
                _ => {}
            }
            // Released processes that outlive the command are not waited for.
            if ended.is_some() && (self.released || self.alive.is_empty()) {
                break;
            }
        }
        match (ended, self.started) {
            (Some(ended), Some(_)) => Ok(ended),
            _ => Err(TraceError::NotStarted),
        }
    }
    fn at_call(&mut self, pid: Pid) {
        // The kernel stops it at the start and at the end of each call.
        if let Some(started) = self.started
            && begins_call(pid)
            && let Some(name) = call_name(pid)
        {
            let call = Call::Call {
                process: pid.as_raw(),
                name,
                time: started.elapsed(),
            };
            match (self.see)(call) {
                Answer::Go => {}
                Answer::Release => self.released = true,
                Answer::Kill => return self.kill_all(),
            }
        }
        self.resume(pid, None);
    }
    fn at_event(&mut self, pid: Pid, event: i32) {
        use nix::libc;
        match event {
            libc::PTRACE_EVENT_EXEC => {
                // The exec itself ends after this stop; the calls from here on are the command's.
                self.started.get_or_insert_with(Instant::now);
            }
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                if let Ok(child) = ptrace::getevent(pid) {
                    let child = Pid::from_raw(child as i32);
                    self.alive.insert(child);
                    (self.see)(Call::Born {
                        child: child.as_raw(),
                        parent: pid.as_raw(),
                    });
                }
            }
            _ => {}
        }
        self.resume(pid, None);
    }
    fn gone(&mut self, pid: Pid) {
        self.alive.remove(&pid);
        (self.see)(Call::Gone(pid.as_raw()));
    }
    fn resume(&self, pid: Pid, signal: Option<Signal>) {
        // A process that was killed meanwhile is reported by the next wait.
        let _ = match self.released {
            true => ptrace::detach(pid, signal),
            false => ptrace::syscall(pid, signal),
        };
    }
    fn kill_all(&mut self) {
        for &pid in &self.alive {
            let _ = kill(pid, Signal::SIGKILL);
        }
    }
}

/// Whether a process that stopped at a call is at its start.
fn begins_call(pid: Pid) -> bool {
    let info = ptrace::syscall_info(pid);
    info.is_ok_and(|info| info.op == nix::libc::PTRACE_SYSCALL_INFO_ENTRY)
}

/// The name of the call that a stopped process begins.
fn call_name(pid: Pid) -> Option<String> {
    let registers = ptrace::getregs(pid).ok()?;
    #[cfg(target_arch = "x86_64")]
    let (number, native) = (registers.orig_rax, registers.cs == 0x33);
    #[cfg(target_arch = "aarch64")]
    let (number, native) = (registers.regs[8], true);
    // A 32-bit program has other numbers.
    let known = native.then(|| syscalls::Sysno::new(number as usize));
    Some(match known.flatten() {
        Some(call) => call.name().to_owned(),
        None => format!("call_{number}"),
    })
}

/// Whether the system has a call of this name.
pub fn is_call(name: &str) -> bool {
    name.parse::<syscalls::Sysno>().is_ok()
}
