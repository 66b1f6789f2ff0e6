//! The command line of boolean programs: BEBOP and C2BP.

use super::{Inputs, Limits};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What is asked of a boolean program.
#[derive(Debug, Clone, Default, Args)]
pub struct Questions {
    /// The procedure to start in [default: main, or the only one that none calls]
    #[arg(long, value_name = "PROC")]
    pub entry: Option<String>,
    /// Whether a label can be reached (exit 10 with a shortest execution, or 0)
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["invariants", "label", "annotate"])]
    pub reach: Option<String>,
    /// Print the reachable states at each label as a formula
    #[arg(long)]
    pub invariants: bool,
    /// Print the reachable states at this label only
    #[arg(long, value_name = "LABEL")]
    pub label: Vec<String>,
    /// Print the program that was abstracted, with the invariants beside its lines
    #[arg(long)]
    pub annotate: bool,
    /// Print at most this many lines of an execution
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub trace_lines: usize,
    /// Print the cost on standard error
    #[arg(long)]
    pub stats: bool,
}

/// The languages of other model checkers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BooleanFormat {
    /// The boolean program itself, as cwolf writes it
    Bp,
    /// NuSMV's language
    Smv,
    /// SPIN's language
    Promela,
}

#[derive(Debug, Args)]
pub struct Bebop {
    /// A boolean program (.bp); - for standard input
    #[arg(value_name = "FILE.bp")]
    pub file: PathBuf,
    #[command(flatten)]
    pub questions: Questions,
    /// Do not check: write the program in this language
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub export: Option<BooleanFormat>,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
}

/// What numbers are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Arithmetic {
    /// Machine words: exact, overflow wraps
    #[default]
    Bits,
    /// Unbounded integers: linear terms exact, others uninterpreted
    Integers,
}

/// How precise the points-to analysis is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Alias {
    /// Every assignment flows one way (Andersen), fields are told apart
    #[default]
    Fields,
    /// Every assignment flows one way, an object is one
    Inclusion,
    /// Only the outermost level flows one way (Das): cheaper, coarser
    OneLevel,
}

/// An optimisation of the abstraction that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Optimisation {
    /// Supersets of a cube that implies the formula are not tried
    Primes,
    /// Supersets of a cube that implies the negated formula are not tried
    Contradictions,
    /// Predicates that a statement does not change are not updated
    Unchanged,
    /// Only predicates that share locations with the formula are in cubes
    Cone,
    /// A formula that is a predicate needs no prover
    Syntactic,
    /// Nothing is computed twice
    Cache,
    /// The model of one question answers others
    Models,
    /// A conjunction is strengthened part by part
    DistributeAnd,
    /// Statements that pass values through variables without predicates are put together
    Regions,
}

/// How a C program is abstracted.
#[derive(Debug, Clone, Args)]
pub struct Abstracting {
    /// The predicates: `function { expression, … }`, `global { … }`
    #[arg(short, long, value_name = "FILE", required = true)]
    pub predicates: Vec<PathBuf>,
    /// A rule to weave in first: SLIC (.slic) or a safety automaton over calls (.aut)
    #[arg(long, value_name = "RULE")]
    pub spec: Vec<PathBuf>,
    /// What numbers are
    #[arg(long, value_enum, default_value = "bits")]
    pub arith: Arithmetic,
    /// The longest cubes tried; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub max_cube_length: usize,
    /// How precise the points-to analysis is
    #[arg(long, value_enum, default_value = "fields")]
    pub alias: Alias,
    /// Leave out an optimisation; the boolean program stays equivalent
    #[arg(long, value_enum, value_name = "OPTIMISATION")]
    pub without: Vec<Optimisation>,
    /// Strengthen a disjunction part by part: faster, less precise
    #[arg(long)]
    pub distribute_or: bool,
}

/// How a boolean program is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Maker {
    /// Exactly, all predicates together, by a SAT solver
    Sat,
    /// Each predicate by itself, by cubes
    Cubes,
}

#[derive(Debug, Args)]
pub struct Abstract {
    #[command(flatten)]
    pub abstracting: Abstracting,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How: `cubes` is C2BP, `sat` enumerates the transition relation of whole blocks
    #[arg(long, value_enum, value_name = "HOW", default_value = "cubes")]
    pub abstractor: Maker,
    /// With --abstractor=sat: what is one step [default: region]
    #[arg(long, value_enum, value_name = "SIZE")]
    pub block: Option<super::BlockSize>,
    /// Write it down as the paper does: every predicate updated, nothing simplified
    #[arg(long)]
    pub verbatim: bool,
    /// Write it down as the paper's Figure 1(b): assignments one by one, no `assume` that changes no
    /// reachable state, no last `return`
    #[arg(long, conflicts_with = "verbatim")]
    pub readable: bool,
    /// Print the signatures of the procedures instead of the boolean program
    #[arg(long)]
    pub signatures: bool,
    /// Print the cost on standard error
    #[arg(long)]
    pub stats: bool,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub inputs: Inputs,
}

#[derive(Debug, Args)]
pub struct Invariants {
    #[command(flatten)]
    pub abstracting: Abstracting,
    /// The function to start in [default: main, or the only one that none calls]
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    /// Only the invariant at this label
    #[arg(long, value_name = "LABEL")]
    pub label: Vec<String>,
    /// Whether the invariants imply this condition (with --label; exit 0 if so, else 10)
    #[arg(long, value_name = "CONDITION", requires = "label")]
    pub implies: Option<String>,
    /// Print the whole program with the invariants beside its lines
    #[arg(long)]
    pub annotate: bool,
    /// Print the cost on standard error
    #[arg(long)]
    pub stats: bool,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub inputs: Inputs,
}
