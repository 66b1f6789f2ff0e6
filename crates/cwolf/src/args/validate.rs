//! The command line of `cwolf validate`.

use super::{Checked, Inputs, Limits};
use clap::Args;

#[derive(Debug, Args)]
pub struct Validate {
    #[command(flatten)]
    pub checked: Checked,
    /// Start at this function instead of main
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// The last of the inputs is the witness: files and options may stand in any order, and only then can
    /// the parser of the command line not tell which is it.
    #[command(flatten)]
    pub inputs: Inputs,
}
