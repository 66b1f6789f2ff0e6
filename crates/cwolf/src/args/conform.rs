//! The command line of the comparison with tables.

use super::{LtsFormat, Model};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Conform {
    /// Write the table as a page to FILE: cells that agree are green, cells that differ red
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// A setting, as `#! KEY VALUE` at the head of the table says it: which labels are states,
    /// events and actions, and how cells are compared (docs/conform.md)
    #[arg(long, value_name = "KEY VALUE")]
    pub set: Vec<String>,
    /// The format of transition systems, if their names do not tell
    #[arg(long, value_enum)]
    pub from: Option<LtsFormat>,
    /// How the model is built, if it is given as a program. The last of its inputs is the table: files and
    /// options may stand in any order, and only then can the parser of the command line not tell which is it.
    #[command(flatten)]
    pub model: Model,
}
