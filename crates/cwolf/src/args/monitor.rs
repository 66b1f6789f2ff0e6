//! The command line of the run-time monitor.

use super::LtsFormat;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Monitor {
    /// The automaton: .aut, .ccs, .dot, .json or .fsm, also with .gz or .xz
    #[arg(long, value_name = "FILE")]
    pub model: String,
    /// The format of the model; follows its suffix if not given
    #[arg(long, value_enum)]
    pub from: Option<LtsFormat>,
    /// Which system call is which label (TOML); without it each call is the label of its name
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Follow an strace log (- for standard input) instead of running a command
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "kill"])]
    pub strace: Option<PathBuf>,
    /// End the command before the first call that the model does not allow
    #[arg(long)]
    pub kill: bool,
    /// Write a seccomp profile (OCI JSON) that allows what the model does; - for standard output
    #[arg(long, value_name = "FILE")]
    pub seccomp: Option<PathBuf>,
    /// The command to run and follow
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// The child's part: wait to be followed, then become the command
    #[arg(long, hide = true)]
    pub traced: bool,
}
