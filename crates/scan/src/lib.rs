//! A project, function by function: which files make up a program, in which order functions are checked, what callers must
//! keep so that a failure goes away, and what all answers say together.
//!
//! It asks somebody else about one function ([`Ask`]); it knows no engine, starts no process and prints nothing.
//!
//! ```
//! use cwolf_scan::{Summary, Scan};
//! assert_eq!(Summary::of(&Scan::default()).functions, 0);
//! ```

#![forbid(unsafe_code)]

mod answer;
mod archive;
pub mod baseline;
pub mod cache;
mod classify;
mod fingerprint;
mod functions;
mod infer;
mod inside;
pub mod intercept;
pub mod render;
mod run;
mod suppress;

pub use answer::{Answer, Checked};
pub use archive::{Archive, pull};
pub use classify::{Class, Evidence, Finding, Row, Told, classify};
pub use fingerprint::fingerprints;
pub use functions::{Function, functions};
pub use infer::{candidates, opaque, weakest};
pub use run::{Ask, Asked, Event, Outcome, Question, Work, run};
pub use suppress::Suppressions;

/// All that a scan found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The programs, by name.
    pub targets: Vec<String>,
    /// A row for each function, in the order of files and lines.
    pub rows: Vec<Row>,
    /// Files that were left out, and why.
    pub left_out: Vec<(String, String)>,
    /// Whether time ran out before all functions were asked.
    pub partial: bool,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// How many functions are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All.
    pub functions: usize,
    /// Those in which nothing can fail.
    pub proved: usize,
    /// Those with a failure in a run from `main`.
    pub real: usize,
    /// Those that fail although callers keep what parameters suggest.
    pub likely: usize,
    /// Those that fail if callers may pass anything.
    pub conditional: usize,
    /// The rest.
    pub unknown: usize,
    /// Findings that are new: neither suppressed nor in the baseline.
    pub new: usize,
    /// Findings that a comment suppresses.
    pub suppressed: usize,
    /// Findings that the baseline knows.
    pub known: usize,
}

impl Summary {
    /// Counts.
    pub fn of(scan: &Scan) -> Summary {
        let mut summary = Summary {
            functions: scan.rows.len(),
            ..Summary::default()
        };
        for row in &scan.rows {
            match row.class {
                Class::Proved => summary.proved += 1,
                Class::Real => summary.real += 1,
                Class::Likely => summary.likely += 1,
                Class::Conditional => summary.conditional += 1,
                Class::Unknown => summary.unknown += 1,
            }
            for finding in &row.findings {
                match (finding.suppressed, finding.known) {
                    (true, _) => summary.suppressed += 1,
                    (false, true) => summary.known += 1,
                    (false, false) => summary.new += 1,
                }
            }
        }
        summary
    }
}
