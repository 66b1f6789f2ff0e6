//! A verdict as plain data, and everything it is written as: text, JSON, SARIF, JUnit, one HTML
//! page, SV-COMP witnesses. It does not know how a verdict was found, and it prints nothing:
//! every rendering returns a text.
//!
//! ```
//! use cwolf_report::{Report, Verdict};
//! let report = Report { verdict: Verdict::True, ..Report::default() };
//! assert!(cwolf_report::text(&report).ends_with("VERDICT: true\n"));
//! ```

mod escape;
mod html;
mod json;
mod junit;
mod sarif;
mod sha256;
mod text;
mod witness;

#[cfg(test)]
mod tests;

pub use html::{html, page};
pub use json::json;
pub use junit::junit;
pub use sarif::sarif;
pub use sha256::sha256;
pub use text::{run as run_text, step_line, text, verbose_text};
pub use witness::{graphml, yaml};

/// A position in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as the compiler was told.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if not known.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every property holds on every run.
    True,
    /// This property fails on the run that the trace shows: `assertion`, `bounds`, `slic:lock`.
    False(String),
    /// No answer, and why.
    Unknown(String),
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::True => f.write_str("true"),
            Verdict::False(kind) => write!(f, "false({kind})"),
            Verdict::Unknown(reason) => write!(f, "unknown ({reason})"),
        }
    }
}

/// What is known of one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It holds on every run.
    Holds,
    /// A run was found on which it fails.
    Fails,
    /// No run comes to it.
    Unreachable,
    /// It matters only on runs on which another property failed before.
    AfterFailure,
    /// Nothing was decided about it.
    Undecided,
}

impl Status {
    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Fails => "fails",
            Status::Unreachable => "unreachable",
            Status::AfterFailure => "after-failure",
            Status::Undecided => "undecided",
        }
    }
}

/// Something that was checked at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its kind, as in the verdict: `assertion`, `bounds`, ….
    pub kind: String,
    /// Where.
    pub place: Place,
    /// The function it is in.
    pub function: String,
    /// What it says, as a plain phrase.
    pub text: String,
    /// Whether it holds.
    pub status: Status,
    /// Why it is undecided, or what happens after an earlier failure: one plain sentence.
    pub reason: Option<String>,
    /// The run on which it fails.
    pub trace: Option<Trace>,
}

/// Something that the verdict takes for granted, or that a warning says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What, as a plain sentence.
    pub text: String,
    /// Where it matters, if at one place.
    pub place: Option<Place>,
}

/// A variable (or part of one) that a step changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The variable as C writes it: `x`, `a[3]`, `p->next`.
    pub name: String,
    /// Its new value.
    pub value: String,
    /// Whether a C expression `name == value` says the same, at file or function scope.
    pub plain: bool,
}

/// What a step does besides changing variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Plain code.
    Run,
    /// A decision was made: the condition was true or false.
    Branch(bool),
    /// A function is entered.
    Call(String),
    /// The function is left.
    Return,
    /// The environment chose a value: the function it came from, and the value.
    Choose(String, String),
    /// The property fails here.
    Fail,
}

/// One line of the program as it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// In which function.
    pub function: String,
    /// How many calls are under way; 1 in the entry function.
    pub depth: usize,
    /// What happens.
    pub event: Event,
    /// What changed.
    pub changes: Vec<Change>,
}

/// A value that a function outside the program returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// Where the call begins; once the text is known, where the parenthesis stands that closes its arguments.
    pub place: Place,
    /// Whether that is known.
    pub closes: bool,
    /// The function that calls.
    pub function: String,
    /// The value in C.
    pub value: String,
}

/// A run that ends in a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Its steps; of a long run the first and the last.
    pub steps: Vec<Step>,
    /// How many steps in the middle are left out, and after which step.
    pub omitted: Option<(usize, usize)>,
    /// What goes wrong at the end, as a plain sentence.
    pub message: String,
    /// Other places that matter.
    pub related: Vec<(Place, String)>,
    /// The values that the environment chose, in order.
    pub choices: Vec<String>,
    /// Those of them that a call returned, as far as C can say them.
    pub returned: Vec<Returned>,
    /// The arguments of the program, if `main` takes any: `argc`, then the texts that are read.
    pub arguments: Option<(u64, Vec<String>)>,
    /// The command that repeats the run.
    pub repeat: Option<String>,
}

/// A condition that holds whenever control is at a loop's head, or that is tracked at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The loop.
    pub place: Place,
    /// The function it is in.
    pub function: String,
    /// The condition in C.
    pub condition: String,
    /// Where a witness says so.
    pub told: Told,
}

/// Where a witness says that an invariant holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Told {
    /// At the loop whose keyword stands here.
    Loop(Place),
    /// Before the statement at the invariant's own place: a loop without a keyword.
    #[default]
    Statement,
    /// Nowhere: its names mean something else at the loop's keyword.
    Nowhere,
}

/// The text of a source file, for renderings that show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its name, as in [`Place::file`].
    pub name: String,
    /// Its contents.
    pub text: String,
}

/// An input file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Its path as the user gave it.
    pub path: String,
    /// The SHA-256 hash of its contents, in hexadecimal.
    pub hash: String,
}

/// Everything that is known at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// Without an answer: what the user can do next, a sentence each.
    pub advice: Vec<String>,
    /// Without an answer: what each engine said, with its name.
    pub said: Vec<String>,
    /// The files that were verified.
    pub inputs: Vec<Input>,
    /// The function that the program starts at.
    pub entry: String,
    /// `LP64`, `ILP32` or `IP16`.
    pub data_model: String,
    /// The specification as SV-COMP writes it.
    pub specification: String,
    /// What was checked.
    pub properties: Vec<Property>,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
    /// What makes the verdict say less than it seems to.
    pub warnings: Vec<Assumption>,
    /// The run that fails, the first if there are several.
    pub trace: Option<Trace>,
    /// Loop invariants that prove the program, if any were made.
    pub invariants: Vec<Invariant>,
    /// The predicates through which the engine looked at the program.
    pub predicates: Vec<Invariant>,
    /// The engine that gave the answer.
    pub engine: String,
    /// Checks of numbers and indices that ranges prove before any solver runs, and how many there
    /// are of them.
    pub discharged: Option<(usize, usize)>,
    /// How much work it was: a name, a number and its unit (which may be empty).
    pub statistics: Vec<(String, f64, String)>,
    /// Texts of the source files that are shown.
    pub sources: Vec<Source>,
    /// When the report was made, as `2024-01-31T12:00:00Z`.
    pub created: String,
}

impl Default for Report {
    fn default() -> Report {
        Report {
            verdict: Verdict::Unknown("nothing was done".into()),
            advice: Vec::new(),
            said: Vec::new(),
            inputs: Vec::new(),
            entry: "main".into(),
            data_model: "LP64".into(),
            specification: String::new(),
            properties: Vec::new(),
            assumptions: Vec::new(),
            warnings: Vec::new(),
            trace: None,
            invariants: Vec::new(),
            predicates: Vec::new(),
            engine: String::new(),
            discharged: None,
            statistics: Vec::new(),
            sources: Vec::new(),
            created: "1970-01-01T00:00:00Z".into(),
        }
    }
}

/// The version of this program, as renderings name it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
