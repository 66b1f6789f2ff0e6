//! The command line of `cwolf lsp`.

use super::duration;
use clap::Args;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Lsp {
    /// How long one function may take when a file is opened or saved
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2s")]
    pub function_timeout: Duration,
}
