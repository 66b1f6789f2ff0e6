//! SLIC, the rule language of SLAM: state variables, and handlers in C that run when a function
//! is called, entered or left. A rule is woven into the program as code, so that every engine
//! sees an ordinary program with calls of an error function.
//!
//! ```text
//! state { int locked = 0; }
//! lock.entry   { if (locked) abort "locked twice"; locked = 1; }
//! unlock.entry { if (!locked) abort "unlocked twice"; locked = 0; }
//! ```

mod automaton;
pub mod ctype;
mod generate;
mod parse;
mod shown;
mod weave;

pub use automaton::{AutomatonError, from_lts, of_calls};
pub use generate::RuleError;
pub use parse::parse;
pub use shown::name_events;
pub use weave::{SUFFIX, Woven, weave};

/// The function that `abort` in a handler becomes a call of.
pub const ABORT: &str = "__cwolf_slic_abort";

/// When a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum When {
    /// At the call, before the function is entered.
    Call,
    /// When the function is entered.
    Entry,
    /// When the function is left (`exit` and `return` mean the same).
    Exit,
}

/// A piece of C from a rule, with the line it starts at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The line, from 1.
    pub line: u32,
    /// The text.
    pub text: String,
}

/// A handler of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The function that is watched.
    pub function: String,
    /// Which of its events.
    pub when: When,
    /// The body in braces, with `$1` written as `__slic_1`, `$return` as `__slic_return` and
    /// `abort` as a call.
    pub body: Chunk,
    /// The parameters that the body uses, from 1, in rising order.
    pub params: Vec<u32>,
    /// Whether it uses `$return`.
    pub result: bool,
}

/// An `abort` in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abort {
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1, in the handler as it is compiled.
    pub column: u32,
    /// What it says.
    pub message: String,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name: the file's name without its suffix.
    pub name: String,
    /// The file.
    pub file: String,
    /// C declarations and preprocessor lines for the handlers.
    pub prelude: Vec<Chunk>,
    /// Declarations of the state variables.
    pub state: Vec<Chunk>,
    /// What runs when.
    pub handlers: Vec<Handler>,
    /// All `abort`s.
    pub aborts: Vec<Abort>,
}

impl Rule {
    /// What the `abort` at a line and column says.
    pub fn message(&self, line: u32, column: u32) -> Option<&str> {
        let on_line = self.aborts.iter().filter(|a| a.line == line);
        let before = on_line.clone().rfind(|a| a.column <= column);
        let abort = before.or_else(|| on_line.clone().next())?;
        Some(&abort.message)
    }
}
