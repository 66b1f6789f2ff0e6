//! A witness as plain data, whatever format it was written in.

/// A place in the program's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// The file, as the witness names it; empty if it does not.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it is given.
    pub column: Option<u32>,
    /// The function, if it is given.
    pub function: Option<String>,
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.file.is_empty() {
            true => write!(f, "line {}", self.line),
            false => write!(f, "{}:{}", self.file, self.line),
        }
    }
}

/// What the witness says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The version of its format.
    pub format: String,
    /// The program that wrote it.
    pub producer: String,
    /// The files of the program, each with the hash of its contents, if there is one.
    pub inputs: Vec<(String, Option<String>)>,
    /// The property, as SV-COMP writes it.
    pub specification: Option<String>,
    /// `ILP32` or `LP64`.
    pub data_model: Option<String>,
}

/// Where an invariant holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Whenever control is at the head of the loop whose keyword stands there.
    LoopHead,
    /// Whenever control is before the statement there.
    Statement,
    /// Whenever control enters a loop or a statement there: the format does not tell which.
    Either,
}

/// A condition that always holds at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The place.
    pub at: At,
    /// What of it.
    pub place: Where,
    /// The condition in C.
    pub condition: String,
    /// The line of the witness that says so.
    pub line: u32,
}

/// What a run does at a waypoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passing {
    /// It comes to a statement, and this holds.
    Assumption(String),
    /// It comes from a statement to the next one, and this holds.
    After(String),
    /// It decides: the condition holds, or not.
    Branch(bool),
    /// It takes this case of a switch; none for the default.
    Case(Option<i128>),
    /// It calls a function.
    Enter,
    /// A call returns, and this holds of `\result`.
    Return(Option<String>),
    /// It violates the property.
    Target,
}

/// One fact about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waypoint {
    /// The place.
    pub at: At,
    /// What happens there.
    pub passing: Passing,
    /// The line of the witness that says so.
    pub line: u32,
}

/// A part of a run: it comes to the end without passing what it must avoid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// What must not be passed.
    pub avoid: Vec<Waypoint>,
    /// The end.
    pub follow: Waypoint,
}

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No run violates the property, and here is what holds.
    Correct(Vec<Invariant>),
    /// A run violates the property, and here is how it goes.
    Violation(Vec<Segment>),
}

/// A witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// About itself.
    pub metadata: Metadata,
    /// What it claims.
    pub claim: Claim,
    /// Parts that were not understood: without them the rest says less, but nothing else.
    pub unread: Vec<String>,
}
