//! The command line of `cwolf verify`.

use super::{Externs, Inputs, Limits, LoopRounds};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How blocks are abstracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Abstractor {
    /// Only what is reached, all predicates together, by a SAT solver
    Lazy,
    /// Exactly, all predicates together, by a SAT solver
    Sat,
    /// Each predicate by itself, by cubes
    Cubes,
}

/// What is abstracted as one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BlockSize {
    /// A basic block
    Basic,
    /// Everything between heads of loops and calls
    Region,
}

impl From<Abstractor> for cwolf_engines::Abstractor {
    fn from(how: Abstractor) -> Self {
        match how {
            Abstractor::Lazy => Self::Lazy,
            Abstractor::Sat => Self::Sat,
            Abstractor::Cubes => Self::Cubes,
        }
    }
}

impl From<BlockSize> for cwolf_engines::BlockSize {
    fn from(size: BlockSize) -> Self {
        match size {
            BlockSize::Basic => Self::Basic,
            BlockSize::Region => Self::Region,
        }
    }
}

/// What is checked, and of which program: the same for `verify` and for repeating one of its runs.
#[derive(Debug, PartialEq, Eq, Args)]
pub struct Checked {
    /// Check only these: assertion, unreach-call, bounds, pointer, division-by-zero, overflow,
    /// shift, uninitialised, slic, float-overflow, nan, float-division, float-cast, leak, memcleanup, or all (but the last two)
    /// [default: assertion, unreach-call, bounds, pointer, division-by-zero, slic]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub property: Vec<String>,
    /// A rule to check: SLIC (.slic) or a safety automaton over calls (.aut)
    #[arg(long, value_name = "RULE")]
    pub spec: Vec<PathBuf>,
    /// A property file of SV-COMP
    #[arg(long, value_name = "FILE.prp", conflicts_with = "property")]
    pub prop: Option<PathBuf>,
    /// Cover calls of main with argc up to N (the program's name counts); beyond that, the
    /// verdict is unknown if arguments matter
    #[arg(long, value_name = "N", default_value = "3")]
    pub max_args: u32,
    /// Cover arguments of up to N characters
    #[arg(long, value_name = "N", default_value = "7")]
    pub max_arg_length: u32,
    /// Let every allocation fail, to find missing checks for null
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// Check main with exactly these arguments, split as a shell splits words
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, conflicts_with_all = ["max_args", "max_arg_length"])]
    pub args: Option<String>,
    /// What a call of a function without a body does
    #[arg(long = "extern", value_enum, default_value = "havoc")]
    pub externs: Externs,
    /// With --entry: what callers guarantee, as a `requires` clause of ACSL: 'p != \null',
    /// '\valid(p + (0 .. n - 1))', 'valid_string(s)', '\separated(p, q)', 'n > 0'
    #[arg(long, value_name = "CLAUSE")]
    pub requires: Vec<String>,
    /// Calls of these functions use their contracts (ACSL or __CPROVER_requires, …) instead of their code
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub replace_calls: Vec<String>,
    /// Do not read contracts in the sources (always so with --prop)
    #[arg(long, conflicts_with = "replace_calls")]
    pub no_contracts: bool,
}

impl Default for Checked {
    fn default() -> Self {
        Checked {
            property: Vec::new(),
            spec: Vec::new(),
            prop: None,
            malloc_may_fail: false,
            max_args: 3,
            max_arg_length: 7,
            args: None,
            externs: Externs::Havoc,
            requires: Vec::new(),
            replace_calls: Vec::new(),
            no_contracts: false,
        }
    }
}

#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    pub checked: Checked,
    /// Start at this function instead of main
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    /// Ask only these engines, in this order
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub engine: Vec<String>,
    /// Only look for failures in runs that pass each loop at most N times
    #[arg(long, value_name = "N", conflicts_with = "engine")]
    pub bmc: Option<u32>,
    /// The same for one loop, by the line of its condition: main:12=10. Loops without a bound are
    /// followed until they end
    #[arg(
        long,
        value_name = "FUNCTION:LINE=N,…",
        value_delimiter = ',',
        conflicts_with = "engine"
    )]
    pub unwind: Vec<LoopRounds>,
    /// Stop at the first failure: leave the other checks undecided, and do not ask which are
    /// reached (always so with --prop)
    #[arg(long)]
    pub first_failure: bool,
    /// How many engines work at the same time [default: 1]
    #[arg(short, long, value_name = "N", value_parser = super::at_least_one)]
    pub jobs: Option<std::num::NonZeroUsize>,
    /// How the engine slam abstracts; without --engine, only slam is asked
    #[arg(long, value_enum, value_name = "HOW", conflicts_with_all = ["bmc", "unwind"])]
    pub abstractor: Option<Abstractor>,
    /// What one step of the engine slam is; without --engine, only slam is asked
    #[arg(long, value_enum, value_name = "SIZE", conflicts_with_all = ["bmc", "unwind"])]
    pub block: Option<BlockSize>,
    /// Predicates for the engine slam to start with: `function { expression, … }`, `global { … }`; without
    /// --engine, only slam is asked
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["bmc", "unwind"])]
    pub predicates: Vec<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub outputs: VerifyOutputs,
    #[command(flatten)]
    pub inputs: Inputs,
}

/// What is written besides the text on standard output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
pub struct VerifyOutputs {
    /// Write a witness of the verdict (SV-COMP, YAML 2.0)
    #[arg(long, value_name = "FILE.yml")]
    pub witness: Option<PathBuf>,
    /// Write a witness of the verdict (SV-COMP, GraphML 1.0)
    #[arg(long, value_name = "FILE.graphml")]
    pub graphml: Option<PathBuf>,
    /// Write the report as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the report as one HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the predicates that the deciding engine used (ic3, slam), for -p
    #[arg(long, value_name = "FILE")]
    pub predicates_out: Option<PathBuf>,
    /// Write the program as a transition system bit by bit (AIGER), for hardware model checkers; as text if
    /// the name ends in .aag
    #[arg(long, value_name = "FILE.aig")]
    pub aiger: Option<PathBuf>,
    /// For a failure: write a C file with the chosen values and a script that builds and runs
    /// the failing program
    #[arg(long, value_name = "DIR")]
    pub harness: Option<PathBuf>,
    /// Where to write a failure that does not replay, for a bug report
    #[arg(long, value_name = "DIR", default_value = "cwolf-bundle")]
    pub bundle: PathBuf,
}
