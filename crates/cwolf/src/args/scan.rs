//! The command line of `cwolf scan`.

use super::{COptions, Limits, duration};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Which new findings make the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Failures in a run from main
    Real,
    /// Also failures for callers who pass valid pointers and terminated strings
    Likely,
    /// Also failures for callers who pass anything
    Conditional,
}

// Here `--target` is a program of the project.
#[derive(Debug, Args)]
#[command(mut_arg("machine", |machine| machine.long("machine")))]
pub struct Scan {
    /// A compile_commands.json, folders or C files [default: this folder]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only programs whose main is in a file with this name (without .c), and the files that they link
    #[arg(long, value_name = "NAME")]
    pub target: Vec<String>,
    /// Only these functions
    #[arg(short, long, value_name = "NAME")]
    pub function: Vec<String>,
    /// How long one function may take; main may take five times as long
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub function_timeout: Duration,
    /// How many functions are checked at the same time [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = super::at_least_one)]
    pub jobs: Option<std::num::NonZeroUsize>,
    /// Check only these, as `cwolf verify --property`
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub property: Vec<String>,
    /// Findings in this file are known and do not count
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write all findings to this file, as a baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Which new findings end the command with exit code 10
    #[arg(long, value_enum, value_name = "WHICH", default_value = "real")]
    pub fail_on: FailOn,
    /// Check everything again, and store no answers
    #[arg(long)]
    pub no_cache: bool,
    /// Store answers in this folder [default: $XDG_CACHE_HOME/cwolf or ~/.cache/cwolf]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Scan again whenever a file changes
    #[arg(long)]
    pub watch: bool,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub outputs: ScanOutputs,
    #[command(flatten)]
    pub c: COptions,
    /// A command that builds the project: what it compiles is scanned
    #[arg(last = true, value_name = "BUILD")]
    pub build: Vec<String>,
}

/// What is written besides the text on standard output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
pub struct ScanOutputs {
    /// Write an overview by file and function as one HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write a test case for each function as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}
