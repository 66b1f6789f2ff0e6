//! What comes of checking a witness.

use crate::witness::At;

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// What the witness claims is true, and it shows why.
    Confirmed,
    /// What it claims is not true, or it does not show it.
    Refused,
    /// Neither could be shown.
    Unknown,
}

impl Verdict {
    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
            Verdict::Refused => "refused",
            Verdict::Unknown => "unknown",
        }
    }
}

/// The answer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// The answer.
    pub verdict: Verdict,
    /// Why, as a plain sentence.
    pub reason: String,
    /// The place that the reason speaks of: in the program, or of the witness's claim about it.
    pub place: Option<Box<At>>,
    /// The line of the witness that the reason speaks of.
    pub line: Option<u32>,
    /// The values that the run is given that shows it.
    pub values: Option<Vec<String>>,
}

impl Validation {
    pub(crate) fn new(verdict: Verdict, reason: impl Into<String>) -> Validation {
        Validation {
            verdict,
            reason: reason.into(),
            place: None,
            line: None,
            values: None,
        }
    }
    pub(crate) fn confirmed(reason: impl Into<String>) -> Validation {
        Validation::new(Verdict::Confirmed, reason)
    }
    pub(crate) fn refused(reason: impl Into<String>) -> Validation {
        Validation::new(Verdict::Refused, reason)
    }
    pub(crate) fn unknown(reason: impl Into<String>) -> Validation {
        Validation::new(Verdict::Unknown, reason)
    }
    /// With the part of the witness that it is about.
    pub(crate) fn about(mut self, at: &At, line: u32) -> Validation {
        self.place = Some(Box::new(at.clone()));
        self.line = Some(line);
        self
    }
}
