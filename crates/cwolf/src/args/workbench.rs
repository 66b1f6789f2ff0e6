//! The command line of everything about transition systems.

use super::{Limits, ModelFormat, examples};
use crate::render::Console;
use clap::{Args, Subcommand, ValueEnum};
use cwolf_base::Budget;
use cwolf_lts::{Equivalence, Format, Pass};
use cwolf_workbench::Preorder;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum LtsCommand {
    /// Make a system smaller without changing its behaviour
    #[command(after_long_help = examples::REDUCE)]
    Reduce(LtsReduce),
    /// Tell whether two systems behave the same (exit 0) or not (exit 10)
    #[command(after_long_help = examples::COMPARE)]
    Compare(LtsCompare),
    /// Write a system in another format
    #[command(after_long_help = examples::CONVERT)]
    Convert(LtsConvert),
    /// Run systems in parallel: an action of one and its complement ('a) of another synchronise
    #[command(after_long_help = examples::COMPOSE)]
    Compose(LtsCompose),
    /// Count states, transitions, labels and deadlocks
    #[command(after_long_help = examples::INFO)]
    Info(LtsInfo),
}

/// How a transition system is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LtsFormat {
    /// Aldebaran's text
    Aut,
    /// The Concurrency Workbench's automaton (.ccs)
    Cwb,
    /// Graphviz dot
    Dot,
    /// VCG
    Vcg,
    /// daVinci / uDraw(Graph) terms
    Davinci,
    /// JSON
    Json,
    /// mCRL2's fsm
    Fsm,
}

impl From<LtsFormat> for Format {
    fn from(format: LtsFormat) -> Format {
        match format {
            LtsFormat::Aut => Format::Aut,
            LtsFormat::Cwb => Format::Cwb,
            LtsFormat::Dot => Format::Dot,
            LtsFormat::Vcg => Format::Vcg,
            LtsFormat::Davinci => Format::DaVinci,
            LtsFormat::Json => Format::Json,
            LtsFormat::Fsm => Format::Fsm,
        }
    }
}

/// When to give up, for commands that read or build systems.
#[derive(Debug, Args)]
pub struct SystemLimits {
    /// Stop at a system of more states than this (exit 5)
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    #[command(flatten)]
    pub limits: Limits,
}

impl SystemLimits {
    /// Time, memory and Ctrl-C; see [`Limits::budget`].
    pub fn budget(&self, console: &Console) -> Budget {
        self.limits.budget(console)
    }
    /// The same for building a system, where steps are states.
    pub fn of_states(&self, budget: &Budget) -> Budget {
        match self.max_states {
            Some(states) => budget.clone().max_steps(states),
            None => budget.clone(),
        }
    }
}

/// Where a system goes.
#[derive(Debug, Args)]
pub struct LtsOutput {
    /// The format to write; follows the output's suffix if not given, else aut
    #[arg(long, value_enum)]
    pub format: Option<ModelFormat>,
    /// Write to FILE instead of standard output; its suffix chooses the format: .aut, .ccs, .dot,
    /// .json, .fsm, .vcg, .davinci, .svg, .html, .txt
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LtsReduce {
    /// A system: .aut, .ccs, .dot, .json, .fsm, .vcg or .davinci, also with .gz or .xz; FILE#NAME means the
    /// process NAME of a .ccs file
    #[arg(value_name = "FILE")]
    pub input: String,
    /// What must stay the same: strong (bisim), divergence-branching, branching, weak (obseq),
    /// strong-trace or weak-trace (trace); or a cheap pass: reachable, tau-cycles, peephole,
    /// cheap-trace
    #[arg(short, long, value_name = "E", default_value = "strong", value_parser = pass)]
    pub equivalence: Pass,
    /// The input's format, if its name does not tell
    #[arg(long, value_enum)]
    pub from: Option<LtsFormat>,
    #[command(flatten)]
    pub output: LtsOutput,
    #[command(flatten)]
    pub limits: SystemLimits,
}

#[derive(Debug, Args)]
pub struct LtsCompare {
    /// The first system; FILE#NAME means the process NAME of a .ccs file
    #[arg(value_name = "A")]
    pub a: String,
    /// The second system
    #[arg(value_name = "B")]
    pub b: String,
    /// The equivalence: strong (bisim), divergence-branching, branching, weak (obseq),
    /// strong-trace, weak-trace (trace); or a preorder, for A below B: may (trace-inclusion),
    /// must, strong-trace-inclusion, simulation, weak-simulation
    #[arg(short, long, value_name = "E", default_value = "strong", value_parser = question)]
    pub equivalence: Question,
    /// The inputs' format, if their names do not tell
    #[arg(long, value_enum)]
    pub from: Option<LtsFormat>,
    #[command(flatten)]
    pub limits: SystemLimits,
}

#[derive(Debug, Args)]
pub struct LtsConvert {
    /// The system
    #[arg(value_name = "FILE")]
    pub input: String,
    /// The input's format, if its name does not tell
    #[arg(long, value_enum)]
    pub from: Option<LtsFormat>,
    #[command(flatten)]
    pub output: LtsOutput,
    #[command(flatten)]
    pub limits: SystemLimits,
}

#[derive(Debug, Args)]
pub struct LtsCompose {
    /// Systems: NAME=FILE gives a system a name; a .ccs FILE brings all its processes; another
    /// FILE is named after itself without suffix
    #[arg(required = true, value_name = "[NAME=]FILE")]
    pub inputs: Vec<String>,
    /// The process to build, in CCS [default: all systems given, in parallel]
    #[arg(long, value_name = "PROCESS")]
    pub system: Option<String>,
    /// Actions on which the systems can only synchronise
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub restrict: Vec<String>,
    #[command(flatten)]
    pub output: LtsOutput,
    #[command(flatten)]
    pub limits: SystemLimits,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("question").required(true).multiple(false))]
pub struct Check {
    /// The system; FILE#NAME means the process NAME of a .ccs file
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// The formula: mu-calculus, CTL, LTL over actions or CTL*, or the name of a proposition
    #[arg(value_name = "FORMULA", group = "question", allow_hyphen_values = true)]
    pub formula: Option<String>,
    /// Check that no reachable state is without steps
    #[arg(long, group = "question")]
    pub deadlock: bool,
    /// Check that no reachable state can take internal steps for ever
    #[arg(long, group = "question")]
    pub livelock: bool,
    /// Check that this action can happen
    #[arg(long, value_name = "LABEL", group = "question")]
    pub reachable: Option<String>,
    /// Write the states and steps that show the answer to FILE, as a system; the suffix chooses
    /// the format
    #[arg(long, value_name = "FILE")]
    pub evidence: Option<PathBuf>,
    /// A file with propositions (`prop p = …`) that FORMULA may name
    #[arg(long, value_name = "FILE")]
    pub props: Option<PathBuf>,
    /// The model's format, if its name does not tell
    #[arg(long, value_enum)]
    pub from: Option<LtsFormat>,
    #[command(flatten)]
    pub limits: SystemLimits,
}

#[derive(Debug, Args)]
pub struct Workbench {
    /// Files to load first
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Carry out this command and then end; may be given several times
    #[arg(short, long, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Show each command before its answer, as in a transcript
    #[arg(long)]
    pub echo: bool,
    /// End at the first command that cannot be carried out
    #[arg(long)]
    pub strict: bool,
    /// How long and how large each command may be
    #[command(flatten)]
    pub limits: SystemLimits,
}

#[derive(Debug, Args)]
pub struct LtsInfo {
    /// The system
    #[arg(value_name = "FILE")]
    pub input: String,
    /// The input's format, if its name does not tell
    #[arg(long, value_enum)]
    pub from: Option<LtsFormat>,
    /// List the labels, too
    #[arg(long)]
    pub labels: bool,
    #[command(flatten)]
    pub limits: SystemLimits,
}

fn pass(text: &str) -> Result<Pass, String> {
    Pass::from_name(text).ok_or_else(|| {
        let cheap: Vec<&str> = Pass::CHEAP.iter().map(|p| p.name()).collect();
        format!("choose among {}, {}", equivalences(), cheap.join(", "))
    })
}

/// What two systems can be asked.
#[derive(Debug, Clone, Copy)]
pub enum Question {
    /// Whether they are equivalent.
    Same(Equivalence),
    /// Whether the first is below the second.
    Below(Preorder),
}

fn question(text: &str) -> Result<Question, String> {
    let same = Equivalence::from_name(text).map(Question::Same);
    same.or_else(|| Preorder::from_name(text).map(Question::Below))
        .ok_or_else(|| {
            let preorders: Vec<&str> = Preorder::ALL.iter().map(|p| p.name()).collect();
            format!("choose among {}, {}", equivalences(), preorders.join(", "))
        })
}

fn equivalences() -> String {
    let names: Vec<&str> = Equivalence::ALL.iter().map(|e| e.name()).collect();
    names.join(", ")
}
