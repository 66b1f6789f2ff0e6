//! The command line. One definition here feeds parsing, help, completions and manual pages.

mod boolean;
#[cfg(feature = "cluster")]
mod cluster;
mod conform;
mod examples;
mod harness;
mod limits;
mod lsp;
mod monitor;
mod scan;
mod validate;
mod values;
mod verify;
mod view;
mod workbench;

pub use boolean::{
    Abstract, Abstracting, Alias, Arithmetic, Bebop, BooleanFormat, Invariants, Maker,
    Optimisation, Questions,
};
#[cfg(feature = "cluster")]
pub use cluster::{ClusterCommand, ClusterRun, Distributed};
pub use conform::Conform;
pub use harness::Harness;
pub use limits::{Limits, address_space};
pub use lsp::Lsp;
pub use monitor::Monitor;
pub use scan::{FailOn, Scan};
pub use validate::Validate;
pub use values::{Chosen, LoopRounds, Memory, Repeated};
pub use verify::{Abstractor, BlockSize, Checked, Verify, VerifyOutputs};
pub use view::View;
pub use workbench::{
    Check, LtsCommand, LtsCompare, LtsCompose, LtsConvert, LtsFormat, LtsInfo, LtsOutput,
    LtsReduce, Question, Workbench,
};

use crate::project;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Extract finite-state models from C programs, and verify them
#[derive(Debug, Parser)]
#[command(
    name = "cwolf",
    version,
    max_term_width = 100,
    args_override_self = true,
    after_long_help = examples::CWOLF
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub manners: Manners,
}

/// What every command takes: how it speaks.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages and machine output")]
pub struct Manners {
    /// Print only errors and results
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print more: what is done, how long it takes, and how large it gets
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Append all messages to FILE, with times, for a bug report
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Write the answer as JSON to FILE (`cwolf schema report`); - for standard output, instead
    /// of the text
    #[arg(long, global = true, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile C files to CWI files (also as `cwcc`)
    #[command(after_long_help = examples::COMPILE)]
    Compile(Compile),
    /// Link CWI (or C) files into one CWI file (also as `cwld`)
    #[command(after_long_help = examples::LINK)]
    Link(Link),
    /// Show the contents of a program as CWI text (also as `cwdump`)
    #[command(after_long_help = examples::DUMP)]
    Dump(Dump),
    /// Draw the control-flow graph (also as `cwflow`)
    #[command(after_long_help = examples::FLOW)]
    Flow(Flow),
    /// Draw the call graph (also as `cwcalls`)
    #[command(after_long_help = examples::CALLS)]
    Calls(Calls),
    /// Run a program and stop at the first undefined step
    #[command(after_long_help = examples::RUN)]
    Run(Run),
    /// Prove a program or show a run that fails (exit 0 if it holds, 10 if not, 5 if unknown)
    #[command(after_long_help = examples::VERIFY)]
    Verify(Verify),
    /// Check a project function by function (exit 10 if there is a new failure)
    #[command(after_long_help = examples::SCAN)]
    Scan(Scan),
    /// Write an editable C file that calls a function with everything a caller may pass
    #[command(after_long_help = examples::HARNESS)]
    Harness(Harness),
    /// Confirm or refuse a witness of a verdict (exit 0 if it is confirmed, 10 if refused, 5 if unknown)
    ///
    /// The last file is the witness: YAML (2.0 or 2.1) or GraphML (1.0), of correctness or of a violation. The other files and
    /// the options say the program and what was checked, as for `cwolf verify`.
    #[command(after_long_help = examples::VALIDATE, override_usage = "cwolf validate [OPTIONS] <FILE>... <WITNESS>")]
    Validate(Validate),
    /// Build a labelled transition system from a program (also as `cwmb`)
    #[command(after_long_help = examples::MODEL)]
    Model(Model),
    /// Build models with several processes
    #[cfg(feature = "cluster")]
    #[command(subcommand, after_long_help = examples::CLUSTER)]
    Cluster(ClusterCommand),
    /// Reduce, compare, convert and compose transition systems
    #[command(subcommand, after_long_help = examples::LTS)]
    Lts(LtsCommand),
    /// Check a formula on a transition system (exit 0 if it holds, 10 if not)
    #[command(after_long_help = examples::CHECK)]
    Check(Check),
    /// Compare a model with a state/event table, cell by cell (exit 0 if it conforms, 10 if not, 5 if
    /// unknown)
    ///
    /// The model is a transition system, or a program of which a model is built first, with the options of `cwolf model`;
    /// -o then writes the model. The last file is the table: CSV or TSV with the columns state, event, actions and next, or
    /// another transition system.
    #[command(after_long_help = examples::CONFORM, override_usage = "cwolf conform [OPTIONS] <FILE>... <TABLE>")]
    Conform(Conform),
    /// Work with processes, systems and formulas interactively or by script
    #[command(after_long_help = examples::WORKBENCH)]
    Workbench(Workbench),
    /// Run a program and follow its system calls on a model (exit 10 at the first call that the model does not allow)
    #[command(after_long_help = examples::MONITOR)]
    Monitor(Monitor),
    /// Show a transition system or a report in a browser
    #[command(after_long_help = examples::VIEW)]
    View(View),
    /// Make a boolean program from a C program and predicates (also as `c2bp`)
    #[command(after_long_help = examples::ABSTRACT)]
    Abstract(Abstract),
    /// Find the invariants of a program that predicates can express
    #[command(after_long_help = examples::INVARIANTS)]
    Invariants(Invariants),
    /// Check a boolean program: assertions, labels, invariants (also as `bebop`)
    #[command(after_long_help = examples::BEBOP)]
    Bebop(Bebop),
    /// Make links named cwcc, cwld, cwdump, cwflow, cwcalls, cwmb, c2bp, bebop to this program in a folder
    #[command(after_long_help = examples::INSTALL_LINKS)]
    InstallLinks(InstallLinks),
    /// Serve an editor: findings as you save (the language server protocol on standard input and output)
    #[command(after_long_help = examples::LSP)]
    Lsp(Lsp),
    /// Say what is missing on this machine, and how to get it
    #[command(after_long_help = examples::DOCTOR)]
    Doctor(Doctor),
    /// Write a completion script for a shell
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(Completions),
    /// Write the JSON schema of the project file, or of what --json writes
    #[command(after_long_help = examples::SCHEMA)]
    Schema(Schema),
    /// Write the manual page, or all of them into a folder
    #[command(after_long_help = examples::MAN)]
    Man(Man),
}

/// The names from the thesis, and what each stands for.
pub const LINKS: [(&str, &str); 8] = [
    ("cwcc", "compile"),
    ("cwld", "link"),
    ("cwdump", "dump"),
    ("cwflow", "flow"),
    ("cwcalls", "calls"),
    ("cwmb", "model"),
    ("c2bp", "abstract"),
    ("bebop", "bebop"),
];

/// Where programs come from and how C is read.
#[derive(Debug, Args)]
pub struct Inputs {
    /// C files (.c, preprocessed .i, - for standard input), CWI files (.cwi) or a
    /// compile_commands.json
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub c: COptions,
}

/// How C is preprocessed and read; spelled as for gcc.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "C options (spelled as for gcc)")]
pub struct COptions {
    /// Look for headers in DIR
    #[arg(short = 'I', long = "include-dir", value_name = "DIR")]
    pub include_dirs: Vec<String>,
    /// Define a macro
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', long = "undefine", value_name = "NAME")]
    pub undefines: Vec<String>,
    /// Include a file first [also: -include FILE]
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub include: Vec<String>,
    /// Look for system headers in DIR [also: -isystem DIR]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub isystem: Vec<String>,
    /// Look for quoted headers in DIR [also: -iquote DIR]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub iquote: Vec<String>,
    /// Do not look in the system's header folders [also: -nostdinc]
    #[arg(long, hide_short_help = true)]
    pub nostdinc: bool,
    /// The version of C: c89, gnu99, c11, gnu17, c23, … [also: -std=…]
    #[arg(long, value_name = "STANDARD", default_value = "gnu17")]
    pub std: String,
    /// 32-bit target (i386, ILP32) [also: -m32]
    #[arg(long = "32", conflicts_with = "lp64")]
    pub ilp32: bool,
    /// 64-bit target (x86-64, LP64), the default [also: -m64]
    #[arg(long = "64", id = "lp64", hide_short_help = true)]
    pub lp64: bool,
    /// The machine to compile for: x86_64, i386, aarch64, arm, riscv64, riscv32, powerpc64, mips, avr, or
    /// a triple of one of them
    #[arg(long, id = "machine", value_name = "TRIPLE", conflicts_with_all = ["ilp32", "lp64"], hide_short_help = true)]
    pub target: Option<String>,
    /// Whether a label `ERROR` is an error; not for the user to say.
    #[arg(skip)]
    pub error_labels: bool,
}

/// How a graph is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Plain text
    Text,
    /// Graphviz dot
    Dot,
    /// daVinci / uDraw(Graph) terms
    Davinci,
    /// VCG
    Vcg,
    /// JSON
    Json,
    /// A drawing
    Svg,
}

/// Where a graph goes.
#[derive(Debug, Args)]
pub struct GraphOutput {
    /// The format; follows the output's suffix if not given, else text
    #[arg(long, value_enum)]
    pub format: Option<GraphFormat>,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Compile {
    /// Write to FILE instead of the input's name with suffix .cwi; one input only
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub inputs: Inputs,
}

#[derive(Debug, Args)]
pub struct Link {
    /// Write to FILE
    #[arg(short, long, value_name = "FILE", default_value = "a.cwi")]
    pub output: PathBuf,
    #[command(flatten)]
    pub inputs: Inputs,
}

#[derive(Debug, Args)]
pub struct Dump {
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub inputs: Inputs,
}

/// The part of a large graph to show.
#[derive(Debug, Args)]
pub struct Focus {
    /// Show only this function and those that it reaches by calls
    #[arg(long, value_name = "NAME")]
    pub root: Option<String>,
    /// Follow at most N calls from the root; `(+3)` marks a function with 3 calls that are left out
    #[arg(long, value_name = "N", requires = "root")]
    pub depth: Option<usize>,
    /// Show who calls the root instead of what it calls
    #[arg(long, requires = "root")]
    pub callers: bool,
}

#[derive(Debug, Args)]
pub struct Flow {
    /// Only this function
    #[arg(short, long, value_name = "NAME", conflicts_with = "root")]
    pub function: Option<String>,
    #[command(flatten)]
    pub focus: Focus,
    #[command(flatten)]
    pub output: GraphOutput,
    #[command(flatten)]
    pub inputs: Inputs,
}

#[derive(Debug, Args)]
pub struct Calls {
    #[command(flatten)]
    pub focus: Focus,
    #[command(flatten)]
    pub output: GraphOutput,
    #[command(flatten)]
    pub inputs: Inputs,
}

#[derive(Debug, Args)]
pub struct Run {
    /// Print each statement as it is executed, on standard error
    #[arg(long)]
    pub trace: bool,
    /// Start at this function instead of main
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Choose unknown values (__VERIFIER_nondet_*) at random from this seed instead of zero
    #[arg(long, value_name = "SEED", conflicts_with = "values")]
    pub seed: Option<u64>,
    /// Take unknown values from this list, in order, then zero; also those of the arguments, if
    /// --entry has parameters
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub values: Vec<Repeated>,
    /// Repeat a run that verify found, given the same options: whatever the program leaves open
    /// comes from --values. verify -v and its JSON report say the whole command. Of a report
    /// (report.json), show the failing run step by step
    #[arg(
        long,
        value_enum,
        value_name = "PROGRAM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "closed"
    )]
    pub replay: Option<Replay>,
    /// With --replay: functions without a body also write values of the list into memory
    #[arg(long, requires = "replay")]
    pub extern_writes: bool,
    /// With --replay: what lies in memory that was never written, as ADDRESS=BYTES in hexadecimal
    #[arg(long, value_name = "ADDRESS=BYTES", requires = "replay")]
    pub memory: Vec<Memory>,
    #[command(flatten)]
    pub checked: Checked,
    /// Take memory that was never written as zero instead of reporting decisions that depend on it
    #[arg(long)]
    pub zero_memory: bool,
    /// Stop after this many statements (exit 5)
    #[arg(long, value_name = "N")]
    pub max_steps: Option<u64>,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub inputs: Inputs,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// Which program a run is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Replay {
    /// Everything that C leaves open is chosen: input, uninitialised variables, volatile reads
    Closed,
    /// Only what the program asks for is chosen
    Exact,
}

/// How a transition system is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelFormat {
    /// Plain text, state by state
    Text,
    /// Graphviz dot
    Dot,
    /// daVinci / uDraw(Graph) terms
    Davinci,
    /// VCG
    Vcg,
    /// Concurrency Workbench automaton (.ccs)
    Cwb,
    /// Aldebaran
    Aut,
    /// JSON
    Json,
    /// mCRL2's finite state machines
    Fsm,
    /// A drawing
    Svg,
    /// A page with a drawing that can be searched, in one file
    Html,
    /// Nothing: the states are only counted
    None,
}

/// How Aldebaran files spell internal steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Tau {
    /// "tau", as mCRL2 and LTSmin write it
    Tau,
    /// i, as CADP writes it
    I,
}

/// Which states are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variance {
    /// Only equal states
    Poly,
    /// All states with the same call stack and location: small and coarse
    Stack,
    /// All states with the same location, whoever called: smaller and coarser
    Location,
}

/// What a call of a function without a body does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Externs {
    /// It returns anything and may change all that it can reach
    Havoc,
    /// It returns anything and may write what its arguments lead to
    Arguments,
    /// It returns anything and writes nothing
    Pure,
    /// It is an error
    Error,
}

#[derive(Debug, Args)]
pub struct Model {
    /// The abstraction map: what is kept of each variable
    #[arg(short, long, value_name = "MAP.am")]
    pub abstraction: Option<PathBuf>,
    /// The label map: which steps are visible
    #[arg(short, long, value_name = "MAP.lm")]
    pub labels: Option<PathBuf>,
    /// Propose an abstraction map from what the program compares, write it to MAP.am, and use it
    #[arg(long, value_name = "MAP.am", conflicts_with = "abstraction")]
    pub auto: Option<PathBuf>,
    /// The most states that a model with a map of --auto may have: beyond that, the map keeps less. 0 means no limit
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub auto_states: u64,
    /// Propose a label map from the functions without a body that are called, write it to
    /// MAP.lm, and use it
    #[arg(long, value_name = "MAP.lm", conflicts_with = "labels")]
    pub suggest_labels: Option<PathBuf>,
    /// Decide this formula without a map: refinement finds what to keep. Actions that no label map names are calls of functions with these names
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["abstraction", "auto", "on_the_fly"])]
    pub check: Option<String>,
    /// The visible steps, instead of a label map: call(f),return(f),write(x),watch(x==1),…
    #[arg(long, value_name = "EVENTS", conflicts_with_all = ["labels", "suggest_labels"])]
    pub events: Option<String>,
    /// Write the abstraction map that --check found to MAP.am
    #[arg(long, value_name = "MAP.am", requires = "check")]
    pub auto_out: Option<PathBuf>,
    /// Print how many values variables have in the states, and where precision is lost
    #[arg(long)]
    pub explain: bool,
    /// Remove what cannot influence which event comes next: the visible traces stay the same
    #[arg(long, conflicts_with = "check")]
    pub slice: bool,
    /// Print the lines that decide which event comes next, and make no model
    #[arg(long)]
    pub print_slice: bool,
    /// The format; follows the output's suffix if not given, else text
    #[arg(long, value_enum)]
    pub format: Option<ModelFormat>,
    /// How internal steps are spelled in Aldebaran files
    #[arg(long, value_enum, default_value = "tau")]
    pub tau: Tau,
    /// Write to FILE instead of standard output; its suffix chooses the format: .aut, .ccs, .dot,
    /// .json, .fsm, .vcg, .davinci, .svg, .html, .txt
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print the time and memory of the exploration
    #[arg(long)]
    pub stats: bool,
    /// Remove states whose only step is silent
    #[arg(long)]
    pub peep: bool,
    /// Minimise by strong bisimulation
    #[arg(long)]
    pub bisim: bool,
    /// Minimise by branching bisimulation
    #[arg(long)]
    pub branching_bisim: bool,
    /// Minimise by weak bisimulation (observational equivalence)
    #[arg(long)]
    pub weak_bisim: bool,
    /// Minimise by visible traces
    #[arg(long)]
    pub trace: bool,
    /// What to write about each state: 0 its line, 1 also stack and environment, 2 also the code
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    pub detail: u32,
    /// Let dead variables distinguish states
    #[arg(long)]
    pub keep_dead: bool,
    /// The most labels that one value in a label may produce; beyond that, the label is a pattern
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_label_values: u32,
    /// Which states are merged; the map may say it for single functions
    #[arg(long, value_enum, default_value = "poly")]
    pub variance: Variance,
    /// While exploring, remove states whose only step is silent, to save memory
    #[arg(long)]
    pub on_the_fly: bool,
    /// How many threads explore; the model does not depend on it [default: all processors]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub jobs: Option<std::num::NonZeroUsize>,
    /// Start at this function instead of main
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// What a call of a function without a body does
    #[arg(long = "extern", value_enum, default_value = "havoc")]
    pub externs: Externs,
    /// How many of the newest objects of each allocation are told apart; the others are one object
    /// [default: what the map says, or 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=64))]
    pub heap: Option<u8>,
    /// Let every allocation fail, too
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// Ignore writes through pointers that may lead anywhere, as the thesis does (unsound:
    /// the model may lack behaviour)
    #[arg(long)]
    pub unsound_ignore_unknown_writes: bool,
    /// Stop at this many states and write partial results (exit 5)
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub max_states: u64,
    #[command(flatten)]
    pub limits: Limits,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub distributed: Distributed,
    #[command(flatten)]
    pub inputs: Inputs,
}

impl Model {
    /// How many threads explore.
    pub fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism();
        self.jobs
            .map_or_else(|| all().map_or(1, usize::from), usize::from)
    }
}

#[derive(Debug, Args)]
pub struct InstallLinks {
    /// The folder to put the links in
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// The project file cwolf.toml
    Project,
    /// What --json writes
    Report,
}

#[derive(Debug, Args)]
pub struct Schema {
    /// What it describes
    #[arg(value_enum)]
    pub of: SchemaOf,
}

#[derive(Debug, Args)]
pub struct Doctor {}

#[derive(Debug, Args)]
pub struct Man {
    /// Write one page a command into this folder
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// A number of things of which there must be some.
pub(crate) fn at_least_one(text: &str) -> Result<std::num::NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "expected a number of at least 1".to_owned())
}

/// A time as people write it: `10s`, `500ms`, `2m`, `1h`; a bare number is seconds.
pub(crate) fn duration(text: &str) -> Result<std::time::Duration, String> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number
        .parse()
        .map_err(|_| "expected a time such as 10s".to_owned())?;
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`: use ms, s, m or h")),
    };
    std::time::Duration::try_from_secs_f64(number * scale).map_err(|e| e.to_string())
}

/// Why there is no command to run.
#[derive(Debug)]
pub enum NotParsed {
    /// The command line is wrong, or asks for help.
    Usage(clap::Error),
    /// The project file is wrong, or a result could not be written.
    Bad(anyhow::Error),
}

/// Reads the command line, with what the project file adds to it, and the command's name.
pub fn parse(arguments: Vec<OsString>) -> Result<(Cli, String), NotParsed> {
    let section = project::section(Path::new("."), &arguments)
        .map_err(|error| NotParsed::Bad(anyhow::anyhow!(error)))?;
    let Some((at, section)) = section else {
        return parse_words(arguments);
    };
    let mut all = arguments;
    all.splice(at + 1..at + 1, section.options);
    match parse_words(all.clone()) {
        // Only then are the project's files meant.
        Err(NotParsed::Usage(error))
            if error.kind() == clap::error::ErrorKind::MissingRequiredArgument =>
        {
            all.splice(at + 1..at + 1, section.inputs);
            parse_words(all)
        }
        done => done,
    }
}

/// What may be meant by a command line that is wrong, beyond what clap knows.
pub fn tip(error: &clap::Error, given: &[String]) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if error.kind() == ErrorKind::MissingRequiredArgument
        && let [_, command, file] = given
        && command == "harness"
        && Path::new(file).exists()
    {
        return Some(format!(
            "the function comes first, for example: cwolf harness main {file}"
        ));
    }
    if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::UnknownArgument
    {
        return of_others(option).map(str::to_owned);
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_file = error.kind() == ErrorKind::InvalidSubcommand && Path::new(word).exists();
    is_file.then(|| format!("a command comes first, for example: cwolf verify {word}"))
}

/// Drops clap's advice to write `-- -x`, since no command has files whose names begin with a dash, and
/// its guess at an option where there is a tip.
pub fn keep_good_advice(error: &mut clap::Error, tip: Option<&str>) {
    use clap::error::{ContextKind, ErrorKind};
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
        if tip.is_some() {
            error.remove(ContextKind::SuggestedArg);
        }
    }
}

/// What an option of a compiler or another verifier is called here.
fn of_others(option: &str) -> Option<&'static str> {
    Some(match option {
        "--function" | "--start-function" => "`--entry NAME` starts at another function than main",
        "--unwindset" => {
            "`--unwind main:12=10` bounds the loop at line 12 of main, `--bmc 10` bounds all loops"
        }
        "--bounds-check"
        | "--pointer-check"
        | "--div-by-zero-check"
        | "--signed-overflow-check" => {
            "`--property LIST` chooses what is checked: bounds, pointer, division-by-zero, overflow, …"
        }
        "--memory-leak-check" => "`--property leak` looks for memory that is lost",
        "--memleak" | "--memory-cleanup-check" => {
            "`--property memcleanup` looks for memory that is never freed"
        }
        "--trace" => "the failing run is always shown",
        "--timelimit" | "--time-limit" => "`--timeout TIME` limits the time, for example 60s",
        "-f" => "cwolf takes no options for code generation: leave it out",
        "-c" | "-S" | "-E" => "`cwolf compile x.c` compiles without linking",
        "-l" | "-L" => {
            "libraries are not linked: leave it out; cwolf knows the C library, and --extern says what other functions may do"
        }
        "--replay" => "`cwolf run --replay` repeats a failing run",
        _ => return None,
    })
}

fn parse_words(words: Vec<OsString>) -> Result<(Cli, String), NotParsed> {
    let matches = Cli::command().try_get_matches_from(words);
    let matches = matches.map_err(NotParsed::Usage)?;
    let mut names = Vec::new();
    let mut inner = &matches;
    can_be_written(inner).map_err(NotParsed::Bad)?;
    while let Some((name, next)) = inner.subcommand() {
        names.push(name);
        inner = next;
        // It makes its folder itself.
        if name != "man" {
            can_be_written(inner).map_err(NotParsed::Bad)?;
        }
    }
    let names = names.join(" ");
    let cli = Cli::from_arg_matches(&matches).map_err(NotParsed::Usage)?;
    Ok((cli, names))
}

/// Options that name a file to be written.
const WRITTEN: [&str; 16] = [
    "aiger",
    "auto",
    "auto_out",
    "evidence",
    "graphml",
    "html",
    "json",
    "junit",
    "log",
    "output",
    "predicates_out",
    "sarif",
    "seccomp",
    "suggest_labels",
    "witness",
    "write_baseline",
];

/// Whether there is a folder for each file that is to be written: nobody wants to learn at the end of the work that there is none.
fn can_be_written(matches: &clap::ArgMatches) -> anyhow::Result<()> {
    for id in matches.ids() {
        if !WRITTEN.contains(&id.as_str()) {
            continue;
        }
        for value in matches.get_raw(id.as_str()).into_iter().flatten() {
            let path = Path::new(value);
            let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.exists()) {
                anyhow::bail!(
                    "cannot write {}: there is no folder {}",
                    path.display(),
                    folder.display()
                );
            }
        }
    }
    Ok(())
}

/// Rewrites what clap cannot spell: gcc's long options with one dash, and the thesis' command
/// names as the name of this program.
pub fn normalise(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.into_iter();
    let program = arguments.next().unwrap_or_else(|| "cwolf".into());
    let mut list = vec![OsString::from("cwolf")];
    let stem = Path::new(&program)
        .file_stem()
        .and_then(|s| s.to_str())
        .unwrap_or_default();
    if let Some((_, command)) = LINKS.iter().find(|(link, _)| *link == stem) {
        list.push(command.into());
    }
    let mut literal = false;
    for argument in arguments {
        literal |= argument == "--";
        let word = argument.to_str().filter(|_| !literal);
        if word.is_some_and(for_the_compiler_only) {
            continue;
        }
        let gcc = word.and_then(gcc_spelling);
        list.push(gcc.map_or(argument, OsString::from));
    }
    list
}

/// Whether an option of gcc says nothing about what a program means: whoever copies a line from a makefile has some.
fn for_the_compiler_only(argument: &str) -> bool {
    let rest = |start: &str| argument.strip_prefix(start);
    let optimise =
        |level: &str| matches!(level, "" | "0" | "1" | "2" | "3" | "s" | "g" | "z" | "fast");
    let debug =
        |level: &str| matches!(level, "" | "0" | "1" | "2" | "3") || level.starts_with("gdb");
    rest("-O").is_some_and(optimise)
        || rest("-g").is_some_and(debug)
        || rest("-W").is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
        || ["-march=", "-mtune="]
            .iter()
            .any(|s| argument.starts_with(s))
        || ["-pipe", "-pthread", "-pedantic", "-pedantic-errors", "-w"].contains(&argument)
}

fn gcc_spelling(argument: &str) -> Option<String> {
    match argument {
        "-m32" => Some("--32".into()),
        "-m64" => Some("--64".into()),
        "-ansi" => Some("--std=c89".into()),
        "-include" | "-isystem" | "-iquote" | "-nostdinc" => Some(format!("-{argument}")),
        _ if argument.starts_with("-std=") => Some(format!("-{argument}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Cli {
        let words = normalise(line.split(' ').map(OsString::from));
        Cli::try_parse_from(words).expect("a valid command line")
    }

    #[test]
    fn definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Every command has examples, and they are right as far as the command line goes.
    #[test]
    fn examples_can_be_typed() {
        fn check(command: &clap::Command) {
            let text = command.get_after_long_help();
            let text = text.unwrap_or_else(|| panic!("{} has no examples", command.get_name()));
            let text = text.to_string();
            let lines = text.lines().filter_map(|l| l.strip_prefix("  cwolf "));
            let mut count = 0;
            for line in lines.map(|l| l.split(" # ").next().unwrap_or(l).trim()) {
                // One quoted argument at most, as a shell would read it.
                let parts: Vec<&str> = line.split('\'').collect();
                let mut words = vec!["cwolf".to_owned()];
                words.extend(parts[0].split_whitespace().map(str::to_owned));
                words.extend(parts.get(1).map(|quoted| (*quoted).to_owned()));
                let words = normalise(words.into_iter().map(OsString::from));
                if let Err(error) = Cli::try_parse_from(words) {
                    panic!("{line}: {error}");
                }
                count += 1;
            }
            assert!(count > 0, "{text}");
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }

    /// A heading holds until the next one: options of C come last.
    #[test]
    fn only_options_of_c_stand_under_their_heading() {
        let of_c = COptions::augment_args(clap::Command::new("c"));
        let of_c: Vec<&str> = of_c.get_arguments().map(|a| a.get_id().as_str()).collect();
        for command in Cli::command().get_subcommands() {
            for argument in command.get_opts() {
                let heading = argument.get_help_heading().unwrap_or_default();
                if heading.starts_with("C options") {
                    let id = argument.get_id().as_str();
                    assert!(of_c.contains(&id), "{} --{id}", command.get_name());
                }
            }
        }
    }

    #[test]
    fn thesis_names_and_gcc_spellings() {
        let cli = parse("/usr/bin/cwcc -m32 -O2 -Wall -g -std=c99 -Iinc -DX=1 -include a.h x.c");
        let Command::Compile(compile) = cli.command else {
            panic!("not compile")
        };
        let c = &compile.inputs.c;
        assert!(c.ilp32);
        assert_eq!((c.std.as_str(), c.include[0].as_str()), ("c99", "a.h"));
        assert_eq!(
            (c.include_dirs[0].as_str(), c.defines[0].as_str()),
            ("inc", "X=1")
        );
    }

    #[test]
    fn arguments_after_two_dashes_are_the_programs() {
        let cli = parse("cwolf run x.c -- -m32 -std=c99");
        let Command::Run(run) = cli.command else {
            panic!("not run")
        };
        assert_eq!(run.arguments, ["-m32", "-std=c99"]);
    }

    #[test]
    fn times() {
        assert_eq!(duration("500ms"), Ok(std::time::Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(std::time::Duration::from_secs(120)));
        assert!(duration("soon").is_err());
    }
}
