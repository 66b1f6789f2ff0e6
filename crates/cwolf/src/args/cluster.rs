//! The command line of work by several processes.

use super::duration;
use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How a model is built by several processes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Several processes")]
pub struct Distributed {
    /// Work together with the processes of this list, one `host:port` a line; each is started
    /// with the same arguments and its own --process
    #[arg(long, value_name = "FILE", requires = "process")]
    pub hosts: Option<PathBuf>,
    /// Which line of the list this process is, from 0; process 0 writes the model
    #[arg(long, value_name = "N", requires = "hosts")]
    pub process: Option<usize>,
    /// Give up when a process has not appeared after this time (exit 5)
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub connect_timeout: Duration,
    /// Save the work in DIR regularly; --resume continues it
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// How often
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub checkpoint_every: Duration,
    /// Continue from the last checkpoint that every process has complete
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

impl Distributed {
    /// Whether the model is built in this way.
    pub fn is_wanted(&self) -> bool {
        self.hosts.is_some() || self.checkpoint.is_some()
    }
}

#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Start several processes on this machine that build one model together
    #[command(after_long_help = super::examples::CLUSTER_RUN)]
    Run(ClusterRun),
}

#[derive(Debug, Args)]
pub struct ClusterRun {
    /// How many processes
    #[arg(short = 'n', long, value_name = "N", default_value = "2")]
    pub processes: std::num::NonZeroUsize,
    /// The command that each of them runs: `model` and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
