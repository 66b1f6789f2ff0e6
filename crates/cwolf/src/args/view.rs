//! The command line of the viewer.

use super::LtsFormat;
use clap::Args;

#[derive(Debug, Args)]
pub struct View {
    /// A system (.aut, .ccs, .dot, .json or .fsm, also with .gz or .xz), or a report that
    /// `cwolf verify --json` wrote
    #[arg(value_name = "MODEL|REPORT")]
    pub model: String,
    /// The format of the model; follows its suffix if not given
    #[arg(long, value_enum)]
    pub from: Option<LtsFormat>,
    /// Play the run that shows whether this formula holds
    #[arg(long, value_name = "FORMULA")]
    pub formula: Option<String>,
    /// Listen on this port of the loopback device; any free one if not given
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    #[command(flatten)]
    pub limits: super::Limits,
}
