//! Running a command under ptrace and seeing each of its system calls before it happens.
//!
//! The command is started by this same program: the child stops itself ([`become_traced`]),
//! is seized, and then becomes the command. So no code runs between fork and exec, and what
//! the child does before it is the command is not seen.

use crate::raw::{self, Event, Stop};
use crate::restart::Restarts;
use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use rustc_hash::{FxHashMap, FxHashSet};
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
        traced: [main].into_iter().collect(),
        early: FxHashSet::default(),
        inside: FxHashMap::default(),
        restarts: Restarts::default(),
    };
    tracer.run()
}

struct Tracer<'a> {
    main: Pid,
    see: &'a mut dyn FnMut(Call) -> Answer,
    /// When the child became the command.
    started: Option<Instant>,
    released: bool,
    traced: FxHashSet<Pid>,
    /// New ones that have stopped before it was told who made them: they wait for it.
    early: FxHashSet<Pid>,
    /// The call that each one is in.
    inside: FxHashMap<Pid, String>,
    restarts: Restarts,
}

impl Tracer<'_> {
    fn run(&mut self) -> Result<Ended, TraceError> {
        let mut ended = None;
        loop {
            let (pid, event) = match raw::wait_any() {
                Ok(event) => event,
                Err(Errno::EINTR) => continue,
                Err(Errno::ECHILD) => break,
                Err(error) => return Err(error.into()),
            };
            match event {
                Event::Syscall => self.at_call(pid),
                Event::Ptrace(event) => self.at_event(pid, event),
                Event::Signal(signal) => self.resume(pid, signal),
                Event::Exited(status) => {
                    self.gone(pid);
                    if pid == self.main {
                        ended = Some(Ended::Status(status));
                    }
                }
                Event::Killed(signal) => {
                    self.gone(pid);
                    if pid == self.main {
                        ended = Some(Ended::Signal(signal));
                    }
                }
            }
            // Released processes that outlive the command are not waited for.
            if ended.is_some() && self.traced.is_empty() {
                break;
            }
        }
        match (ended, self.started) {
            (Some(ended), Some(_)) => Ok(ended),
            _ => Err(TraceError::NotStarted),
        }
    }
    /// The kernel stops a process at the start and at the end of each call.
    fn at_call(&mut self, pid: Pid) {
        match raw::stop(pid) {
            Some(Stop::Begin { number, native }) => {
                let name = call_name(number, native);
                self.inside.insert(pid, name.clone());
                if self.started.is_some() && !self.restarts.goes_on(pid.as_raw(), &name) {
                    self.show(pid, name);
                }
            }
            Some(Stop::End { result }) => {
                let name = self.inside.remove(&pid).unwrap_or_default();
                if raw::is_interrupted(result) {
                    self.restarts.interrupted(pid.as_raw(), &name);
                } else if name == "rt_sigreturn" && result == -i64::from(libc::EINTR) {
                    self.restarts.failed(pid.as_raw());
                }
            }
            None => {}
        }
        self.resume(pid, 0);
    }
    /// Shows a call, and does what is answered.
    fn show(&mut self, pid: Pid, name: String) {
        let time = self.started.map(|s| s.elapsed()).unwrap_or_default();
        let process = pid.as_raw();
        match (self.see)(Call::Call {
            process,
            name,
            time,
        }) {
            Answer::Go => {}
            Answer::Release => self.release(),
            Answer::Kill => {
                for &pid in self.traced.union(&self.early) {
                    let _ = kill(pid, Signal::SIGKILL);
                }
            }
        }
    }
    /// Lets all processes go. Those that still run or wait are stopped for it: they would be
    /// ended with us otherwise.
    fn release(&mut self) {
        self.released = true;
        for &pid in &self.traced {
            let _ = ptrace::interrupt(pid);
        }
        for pid in std::mem::take(&mut self.early) {
            self.resume(pid, 0);
        }
    }
    fn at_event(&mut self, pid: Pid, event: i32) {
        match event {
            libc::PTRACE_EVENT_EXEC => {
                // The exec itself ends after this stop; the calls from here on are the command's.
                self.started.get_or_insert_with(Instant::now);
                // A thread that does it gets the number of its process, and is the only one left.
                let before = ptrace::getevent(pid).map_or(pid, |p| Pid::from_raw(p as i32));
                if before != pid {
                    self.born(pid, before);
                    self.gone(before);
                }
            }
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                if let Ok(child) = ptrace::getevent(pid) {
                    let child = Pid::from_raw(child as i32);
                    self.born(child, pid);
                    if self.early.remove(&child) {
                        self.resume(child, 0);
                    }
                }
            }
            // Its first calls must not be seen before it has a place.
            libc::PTRACE_EVENT_STOP if !self.released && !self.traced.contains(&pid) => {
                self.early.insert(pid);
                return;
            }
            _ => {}
        }
        self.resume(pid, 0);
    }
    fn born(&mut self, child: Pid, parent: Pid) {
        self.traced.insert(child);
        self.restarts.forget(child.as_raw());
        (self.see)(Call::Born {
            child: child.as_raw(),
            parent: parent.as_raw(),
        });
    }
    fn gone(&mut self, pid: Pid) {
        // Who is killed while it makes another does not tell; if it was not this one, the one
        // who did is still to tell.
        for child in std::mem::take(&mut self.early) {
            self.born(child, pid);
            self.resume(child, 0);
        }
        self.traced.remove(&pid);
        self.early.remove(&pid);
        self.inside.remove(&pid);
        self.restarts.forget(pid.as_raw());
        (self.see)(Call::Gone(pid.as_raw()));
    }
    /// Lets a stopped process go on, with a signal if it is not 0.
    fn resume(&mut self, pid: Pid, signal: i32) {
        // A process that was killed meanwhile is reported by the next wait.
        let done = raw::resume(pid, self.released, signal);
        if self.released && done.is_ok() {
            self.traced.remove(&pid);
        }
    }
}

/// The name of a call.
fn call_name(number: u64, native: bool) -> String {
    // A call of a 32-bit program, or one made like that, has another number.
    let known = native.then(|| syscalls::Sysno::new(number as usize));
    match known.flatten() {
        Some(call) => call.name().to_owned(),
        None => format!("call_{number}"),
    }
}

/// Whether the system has a call of this name.
pub fn is_call(name: &str) -> bool {
    name.parse::<syscalls::Sysno>().is_ok()
}
