//! How to abstract.

use cwolf_base::Budget;
use cwolf_cwi::graph::Precision;

/// What numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arith {
    /// Words of the machine: every operator exact, overflow wraps.
    #[default]
    Bits,
    /// The paper's unbounded integers: linear terms exact, all others uninterpreted. Right for
    /// executions in which no operator overflows and no conversion changes a value.
    Integers,
}

/// How the boolean program is written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// As short as it gets.
    #[default]
    Plain,
    /// As the paper's sections 4.3 to 4.5 print it: every assignment updates every predicate, no
    /// `choose` is simplified, arguments get names.
    Paper,
}

/// The optimisations of section 5.2, each of which can be left out. None changes what the boolean
/// program means, but for `distribute_or`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Optimisations {
    /// Supersets of a cube that implies the formula are not tried.
    pub prime_implicants: bool,
    /// Supersets of a cube that implies the negated formula are not tried.
    pub contradictions: bool,
    /// Predicates that a statement does not change are not updated.
    pub unchanged: bool,
    /// Only predicates that share locations with the formula, directly or not, are in cubes.
    pub cone_of_influence: bool,
    /// A formula that is a predicate needs no solver.
    pub syntactic: bool,
    /// Nothing is computed twice.
    pub cache: bool,
    /// A model of one query answers others.
    pub models: bool,
    /// `F(a && b)` is computed as `F(a) && F(b)`.
    pub distribute_and: bool,
    /// `F(a || b)` is computed as `F(a) || F(b)`, which loses precision.
    pub distribute_or: bool,
}

impl Default for Optimisations {
    fn default() -> Optimisations {
        Optimisations {
            prime_implicants: true,
            contradictions: true,
            unchanged: true,
            cone_of_influence: true,
            syntactic: true,
            cache: true,
            models: true,
            distribute_and: true,
            distribute_or: false,
        }
    }
}

/// A label of the C text: boolean statements get it too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The file it stands in, as the program's source positions name it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Line and column of the end of the function that it stands in.
    pub end: (u32, u32),
}

/// How to abstract.
#[derive(Clone, Debug)]
pub struct Options {
    /// What numbers are.
    pub arith: Arith,
    /// The longest cubes tried; 0 for no limit.
    pub max_cube_length: usize,
    /// How it is written down.
    pub layout: Layout,
    /// Which optimisations to use.
    pub optimisations: Optimisations,
    /// Whether statements that pass values through variables without predicates are abstracted
    /// together with those that use them.
    pub regions: bool,
    /// How precise the points-to analysis is.
    pub alias: Precision,
    /// How long.
    pub budget: Budget,
    /// A function that is kept even if nobody seems to call it.
    pub entry: Option<String>,
    /// The labels of the C text.
    pub labels: Vec<Label>,
    /// The lines of source files, for comments: `(file, lines)`.
    pub sources: Vec<(String, Vec<String>)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            arith: Arith::Bits,
            max_cube_length: 3,
            layout: Layout::Plain,
            optimisations: Optimisations::default(),
            regions: true,
            alias: Precision::Fields,
            budget: Budget::unlimited(),
            entry: None,
            labels: Vec::new(),
            sources: Vec::new(),
        }
    }
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Questions put to the solver.
    pub prover_calls: u64,
    /// Formulas that were strengthened.
    pub formulas: u64,
    /// Of these, answered without a question.
    pub for_free: u64,
    /// Cubes looked at.
    pub cubes: u64,
    /// Questions in which linear integers had no bound that the solver could take.
    pub too_wide: u64,
}
