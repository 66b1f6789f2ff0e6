//! Reading what strace wrote: plain, with process numbers (`-f`, `-o`), with times (`-t`,
//! `-tt`, `-ttt`, `-r`), with calls that were interrupted by other processes' lines.

use rustc_hash::FxHashMap;

/// Why a log cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: '{text}' is no line of an strace log")]
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

/// Reads the text of a log.
pub fn read_log(text: &str) -> Result<Log, BadLog> {
    let mut log = Log::default();
    // The calls under way, whose results come in a later line.
    let mut open: FxHashMap<i32, usize> = FxHashMap::default();
    for (number, line) in text.lines().enumerate() {
        let bad = || BadLog {
            line: number + 1,
            text: line.chars().take(60).collect(),
        };
        let (process, rest) = process(line.trim());
        let (time, rest) = time(rest);
        // Signals, exits, strace's own words.
        let silent = ["---", "+++", "strace:"];
        if rest.is_empty() || silent.iter().any(|s| rest.starts_with(s)) {
            continue;
        }
        let event = if let Some(rest) = rest.strip_prefix("<...") {
            if !rest.contains("resumed") {
                return Err(bad());
            }
            open.remove(&process)
        } else {
            let call = name(rest).ok_or_else(bad)?;
            log.events.push(LogEvent {
                process,
                call: call.to_owned(),
                time,
                line: number + 1,
            });
            Some(log.events.len() - 1)
        };
        let Some(event) = event else { continue };
        if rest.ends_with("<unfinished ...>") {
            open.insert(process, event);
        } else if makes_processes(&log.events[event].call)
            && let Some(child) = result(rest)
        {
            log.children.entry(event).or_default().push(child);
        }
    }
    Ok(log)
}

fn makes_processes(call: &str) -> bool {
    matches!(call, "fork" | "vfork" | "clone" | "clone2" | "clone3")
}

/// `[pid 12] rest`, `12 rest` or `rest`.
fn process(line: &str) -> (i32, &str) {
    if let Some(inner) = line.strip_prefix("[pid")
        && let Some((pid, rest)) = inner.split_once(']')
        && let Ok(pid) = pid.trim().parse()
    {
        return (pid, rest.trim_start());
    }
    match line.split_once(char::is_whitespace) {
        // A bare integer in front is a process; a time has a point or colons.
        Some((first, rest)) if first.bytes().all(|b| b.is_ascii_digit()) => {
            (first.parse().unwrap_or(0), rest.trim_start())
        }
        _ => (0, line),
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

/// The positive number after the last ` = `.
fn result(line: &str) -> Option<i32> {
    let (_, value) = line.rsplit_once(" = ")?;
    let digits: &str = value.split(|c: char| !c.is_ascii_digit()).next()?;
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
        let text = "execve(\"./a\", [\"./a\"], 0x7 /* 2 vars */) = 0\n\
                    12    read(0, \"x = 1\", 5) = 5\n\
                    [pid    13] 10:00:01.25 write(1, \"a\", 1) = 1\n\
                    14 1700000000.5 close(3) = -1 EBADF (Bad file descriptor)\n\
                    \x20    0.000123 getpid() = 7\n\
                    --- SIGCHLD {si_signo=SIGCHLD} ---\n\
                    +++ exited with 0 +++\n";
        let expected = [
            (0, "execve"),
            (12, "read"),
            (13, "write"),
            (14, "close"),
            (0, "getpid"),
        ];
        let found = calls(text);
        let found: Vec<(i32, &str)> = found.iter().map(|(p, c)| (*p, c.as_str())).collect();
        assert_eq!(found, expected);
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
