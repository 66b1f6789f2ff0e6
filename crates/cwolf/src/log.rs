//! `--log`: everything that is said, with times, for a bug report.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

struct Log {
    file: Mutex<File>,
    started: Instant,
}

/// One for the process, so that an internal error is in it, too.
static LOG: OnceLock<Log> = OnceLock::new();

/// Opens the log. It is appended to: several commands may share one.
pub fn open(path: &Path) -> Result<()> {
    let file = File::options().create(true).append(true).open(path);
    let file = file.with_context(|| format!("cannot write {}", path.display()))?;
    let (file, started) = (Mutex::new(file), Instant::now());
    let _ = LOG.set(Log { file, started });
    let words: Vec<_> = std::env::args_os().collect();
    let version = env!("CARGO_PKG_VERSION");
    let (os, cpu) = (std::env::consts::OS, std::env::consts::ARCH);
    write(&format!("cwolf {version} on {os} {cpu}: {words:?}"));
    Ok(())
}

/// Adds lines to the log, if there is one. A full disk is no reason to stop.
pub fn write(text: &str) {
    let Some(log) = LOG.get() else { return };
    let Ok(mut file) = log.file.lock() else {
        return;
    };
    let time = log.started.elapsed().as_secs_f64();
    for line in text.lines().filter(|l| !l.is_empty()) {
        let _ = writeln!(file, "[{time:9.3}] {}", plain(line));
    }
}

/// A line without the colours of a terminal.
fn plain(line: &str) -> String {
    let mut pieces = line.split("\u{1b}[");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out += piece.split_once('m').map_or("", |(_, rest)| rest);
    }
    out
}

/// Whether there is a log.
pub fn is_open() -> bool {
    LOG.get().is_some()
}
