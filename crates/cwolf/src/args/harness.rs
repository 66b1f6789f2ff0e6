//! The command line of `cwolf harness`.

use super::Inputs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Harness {
    /// The function to call
    #[arg(value_name = "FUNCTION")]
    pub function: String,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE.c")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub inputs: Inputs,
}
