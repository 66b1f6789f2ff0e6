//! Reading what strace wrote: plain, with process numbers (`-f`, `-o`), with times (`-t`,
//! `-tt`, `-ttt`, `-r`), with calls that were interrupted by signals or other processes' lines.

use crate::restart::Restarts;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Why a log cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: '{text}' is not a line of an strace log")]
pub struct BadLog {
    /// The line, from 1.
    pub line: usize,
    /// What stands there, shortened.
    pub text: String,
}

/// The start of a system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEvent {
    /// The process; 0 if the log does not say.
    pub process: i32,
    /// The call's name.
    pub call: String,
    /// The time as the log gives it.
    pub time: Option<String>,
    /// The line in the log, from 1.
    pub line: usize,
}

/// The calls of a log, in its order, and which of them made which processes.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The calls.
    pub events: Vec<LogEvent>,
    children: FxHashMap<usize, Vec<i32>>,
}

impl Log {
    /// The processes that the call with this number made.
    pub fn children_of(&self, event: usize) -> &[i32] {
        self.children.get(&event).map_or(&[], Vec::as_slice)
    }
}

/// A call whose result comes in a later line.
struct Open {
    call: String,
    /// Which event it is, if it is not an interrupted one that goes on.
    event: Option<usize>,
}

/// Reads the text of a log.
pub fn read_log(text: &str) -> Result<Log, BadLog> {
    let mut log = Log::default();
    let mut open: FxHashMap<i32, Open> = FxHashMap::default();
    let mut restarts = Restarts::default();
    let first = first_process(text);
    let alive = [first].into();
    let mut crowd = Crowd { first, alive };
    for (number, line) in text.lines().enumerate() {
        let bad = || BadLog {
            line: number + 1,
            text: line.chars().take(60).collect(),
        };
        let (process, rest) = process(line.trim());
        let process = crowd.find(process);
        let (time, rest) = time(rest);
        // At a terminal strace says this in the middle of whatever it is writing.
        let newcomer = attached(rest);
        crowd.add(newcomer);
        if rest.starts_with("+++") {
            crowd.gone(process);
        }
        // Signals, exits, strace's own words.
        let silent = ["---", "+++", "strace:", "<unfinished ...>"];
        if rest.is_empty() || silent.iter().any(|s| rest.starts_with(s)) {
            continue;
        }
        let now = if let Some(rest) = rest.strip_prefix("<...") {
            if !rest.contains("resumed") {
                return Err(bad());
            }
            open.remove(&process)
        } else {
            let call = name(rest).ok_or_else(bad)?.to_owned();
            let event = (!restarts.goes_on(process, &call)).then(|| {
                log.events.push(LogEvent {
                    process,
                    call: call.clone(),
                    time,
                    line: number + 1,
                });
                log.events.len() - 1
            });
            Some(Open { call, event })
        };
        let Some(now) = now else { continue };
        if rest.ends_with("<unfinished ...>") || newcomer.is_some() {
            open.insert(process, now);
            continue;
        }
        let value = value(rest);
        if value.starts_with("? ERESTART") {
            restarts.interrupted(process, &now.call);
        } else if now.call == "rt_sigreturn" && value.starts_with("-1 EINTR") {
            restarts.failed(process);
        } else if let Some(event) = now.event
            && makes_processes(&now.call)
            && let Some(child) = positive(value)
        {
            crowd.add(Some(child));
            log.children.entry(event).or_default().push(child);
        }
    }
    Ok(log)
}

/// The process that a log begins with, if any line says; otherwise 0. At a terminal, strace tells
/// which process a line is of only while there are several.
fn first_process(text: &str) -> i32 {
    let mut made = BTreeSet::new();
    for line in text.lines() {
        match process(line.trim()) {
            // Nobody made it: it is the one that the lines before are of.
            (Some(process), _) if !made.contains(&process) => return process,
            (_, rest) => {
                made.extend(attached(rest));
                let (_, rest) = time(rest);
                if name(rest).is_some_and(makes_processes) {
                    made.extend(positive(value(rest)));
                }
            }
        }
    }
    0
}

/// The processes that a line can be of.
struct Crowd {
    first: i32,
    alive: BTreeSet<i32>,
}

impl Crowd {
    /// Whose line it is.
    fn find(&mut self, said: Option<i32>) -> i32 {
        match (said, self.alive.len(), self.alive.first()) {
            (Some(said), ..) => {
                self.alive.insert(said);
                said
            }
            (None, 1, Some(only)) => *only,
            _ => self.first,
        }
    }
    fn add(&mut self, newcomer: Option<i32>) {
        self.alive.extend(newcomer);
    }
    fn gone(&mut self, process: i32) {
        self.alive.remove(&process);
    }
}

/// The process of `strace: Process 12 attached` at the end of a line.
fn attached(line: &str) -> Option<i32> {
    let (_, words) = line.rsplit_once("strace: Process ")?;
    words.strip_suffix(" attached")?.parse().ok()
}

fn makes_processes(call: &str) -> bool {
    matches!(call, "fork" | "vfork" | "clone" | "clone2" | "clone3")
}

/// `[pid 12] rest`, `12 rest` or `rest`.
fn process(line: &str) -> (Option<i32>, &str) {
    if let Some(inner) = line.strip_prefix("[pid")
        && let Some((pid, rest)) = inner.split_once(']')
        && let Ok(pid) = pid.trim().parse()
    {
        return (Some(pid), rest.trim_start());
    }
    match line.split_once(char::is_whitespace) {
        // A bare integer in front is a process; a time has a point or colons.
        Some((first, rest)) if first.bytes().all(|b| b.is_ascii_digit()) => {
            (first.parse().ok(), rest.trim_start())
        }
        _ => (None, line),
    }
}

/// `12:00:01.5 rest`, `1700000000.5 rest` or `rest`.
fn time(line: &str) -> (Option<String>, &str) {
    // `-r` marks its times with a plus; an exit is told between three.
    let line = match line.strip_prefix('+') {
        Some(rest) if !rest.starts_with('+') => rest.trim_start(),
        _ => line,
    };
    match line.split_once(char::is_whitespace) {
        Some((first, rest))
            if first.starts_with(|c: char| c.is_ascii_digit())
                && first
                    .chars()
                    .all(|c| c.is_ascii_digit() || ".:".contains(c)) =>
        {
            (Some(first.to_owned()), rest.trim_start())
        }
        _ => (None, line),
    }
}

/// The name before the parenthesis.
fn name(line: &str) -> Option<&str> {
    let (name, _) = line.split_once('(')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// What stands after the last ` = `.
fn value(line: &str) -> &str {
    line.rsplit_once(" = ").map_or("", |(_, value)| value)
}

/// The positive number that a text begins with.
fn positive(text: &str) -> Option<i32> {
    let digits: &str = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|&pid| pid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(text: &str) -> Vec<(i32, String)> {
        let log = read_log(text).expect("a log");
        log.events
            .into_iter()
            .map(|e| (e.process, e.call))
            .collect()
    }

    #[test]
    fn every_way_strace_writes_a_line_is_read() {
        let text = "12    execve(\"./a\", [\"./a\"], 0x7 /* 2 vars */) = 0\n\
                    12    read(0, \"x = 1\", 5) = 5\n\
                    [pid    13] 10:00:01.25 write(1, \"a\", 1) = 1\n\
                    14 1700000000.5 close(3) = -1 EBADF (Bad file descriptor)\n\
                    --- SIGCHLD {si_signo=SIGCHLD} ---\n\
                    +++ exited with 0 +++\n";
        let expected = [(12, "execve"), (12, "read"), (13, "write"), (14, "close")];
        let found = calls(text);
        let found: Vec<(i32, &str)> = found.iter().map(|(p, c)| (*p, c.as_str())).collect();
        assert_eq!(found, expected);
        let found = calls("     0.000123 getpid() = 7\n     0.000002 +++ exited with 0 +++\n");
        assert_eq!(found, [(0, "getpid".to_owned())]);
    }

    #[test]
    fn lines_without_a_process_are_of_the_only_one() {
        // As strace -f writes it at a terminal.
        let text = "pipe2([3, 4], 0) = 0\n\
                    clone(child_stack=NULL, flags=SIGCHLD) = 8\n\
                    read(3, strace: Process 8 attached\n\
                    \x20<unfinished ...>\n\
                    [pid     8] getppid() = 7\n\
                    [pid     7] <... read resumed>\"x\", 1) = 1\n\
                    [pid     7] close(3) = 0\n\
                    [pid     7] +++ exited with 0 +++\n\
                    exit_group(0) = ?\n\
                    +++ exited with 0 +++\n";
        let expected = [
            (7, "pipe2"),
            (7, "clone"),
            (7, "read"),
            (8, "getppid"),
            (7, "close"),
            (8, "exit_group"),
        ];
        let found = calls(text);
        let found: Vec<(i32, &str)> = found.iter().map(|(p, c)| (*p, c.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_call_that_the_kernel_makes_again_is_one() {
        let cut = "read(3, 0x7, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)\n\
                   --- SIGALRM {si_signo=SIGALRM} ---\n";
        let names = |rest: &str| -> Vec<String> {
            let all = calls(&format!("{cut}{rest}"));
            all.into_iter().map(|c| c.1).collect()
        };
        assert_eq!(
            names("read(3, \"x\", 1) = 1\nread(3, \"\", 1) = 0\n"),
            ["read", "read"]
        );
        assert_eq!(
            names("restart_syscall(<... resuming interrupted read ...>) = 1\n"),
            ["read"]
        );
        let handled =
            "write(1, \"!\", 1) = 1\nrt_sigreturn({mask=[]}) = 0\nread(3, \"x\", 1) = 1\n";
        assert_eq!(names(handled), ["read", "write", "rt_sigreturn"]);
        // The program learns of it and does it again by itself.
        let failed =
            "rt_sigreturn({mask=[]}) = -1 EINTR (Interrupted system call)\nread(3, \"x\", 1) = 1\n";
        assert_eq!(names(failed), ["read", "rt_sigreturn", "read"]);
    }

    #[test]
    fn a_call_counts_where_it_starts_and_knows_its_child() {
        let text = "7 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n\
                    8 getpid() = 8\n\
                    7 <... clone resumed>, child_tidptr=0x7) = 8\n\
                    7 wait4(-1,  <unfinished ...>\n";
        let log = read_log(text).expect("a log");
        assert_eq!(log.events.len(), 3);
        assert_eq!(log.children_of(0), [8]);
    }

    #[test]
    fn other_text_is_refused_with_its_line() {
        let error = read_log("read(0) = 1\nhello world\n").expect_err("no log");
        assert_eq!(error.line, 2);
        assert!(read_log("").expect("empty").events.is_empty());
    }
}
