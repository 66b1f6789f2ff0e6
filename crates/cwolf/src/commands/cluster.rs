//! `cwolf cluster`: several processes on this machine.

use crate::args::{ClusterCommand, ClusterRun};
use crate::exit::{Exit, UNKNOWN};
use crate::progress;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_cluster::free_addresses;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

pub fn run(command: &ClusterCommand, console: &Console) -> Result<Exit> {
    match command {
        ClusterCommand::Run(args) => start(args, console),
    }
}

/// A list of hosts that is removed at the end.
struct List(PathBuf);

impl Drop for List {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn start(args: &ClusterRun, console: &Console) -> Result<Exit> {
    if args.command.first().is_none_or(|word| word != "model") {
        bail!(
            "only `model` is done by several processes, as in: cwolf cluster run -n 3 -- model x.c"
        );
    }
    let count = args.processes.get();
    let list = List(std::env::temp_dir().join(format!("cwolf-hosts-{}", std::process::id())));
    let hosts = free_addresses(count)
        .context("cannot listen on this machine")?
        .join("\n");
    std::fs::write(&list.0, hosts).with_context(|| format!("cannot write {}", list.0.display()))?;
    let program = std::env::current_exe().context("cannot find this program")?;
    // Ctrl-C reaches the processes as well; how they end is told as always.
    progress::on_interrupt(Arc::default());
    let mut children = Vec::new();
    for process in 0..count {
        let mut command = Command::new(&program);
        command.args(&args.command).args(jobs(args));
        command.arg("--hosts").arg(&list.0);
        command.arg(format!("--process={process}"));
        if process > 0 {
            // One of them speaks.
            command.arg("--json=/dev/null").stdin(Stdio::null());
            command.stdout(Stdio::null()).stderr(Stdio::piped());
        }
        children.push(command.spawn().context("cannot start a process")?);
    }
    // All at once: a process that nobody listens to stops when it has said much.
    let waits: Vec<_> = children
        .into_iter()
        .map(|child| std::thread::spawn(move || wait(child)))
        .collect();
    let ended = waits.into_iter().map(|w| w.join().expect("it only waits"));
    let ended = ended.collect::<Result<Vec<_>>>()?;
    for (process, (status, said)) in ended.iter().enumerate() {
        if let Some(code) = status.code() {
            // The first that could speak has spoken already, unless it was not process 0.
            console.failure(said);
            return Ok(Exit(code as u8));
        }
        console.error(&format!("process {process} was ended: {status}"));
    }
    Ok(UNKNOWN)
}

/// The status of a process, and what it said if it was not to speak.
fn wait(child: Child) -> Result<(ExitStatus, String)> {
    let output = child
        .wait_with_output()
        .context("cannot wait for a process")?;
    Ok((
        output.status,
        String::from_utf8_lossy(&output.stderr).into_owned(),
    ))
}

/// Each process gets its share of the processors, unless the user says it.
fn jobs(args: &ClusterRun) -> Option<OsString> {
    let given = |word: &OsString| {
        let word = word.to_string_lossy();
        word.starts_with("--jobs") || (word.starts_with("-j") && !word.starts_with("--"))
    };
    if args.command.iter().any(given) {
        return None;
    }
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    Some(format!("--jobs={}", (all / args.processes.get()).max(1)).into())
}
