//! A safety automaton drawn as a transition system over calls: a call that the automaton has no
//! transition for breaks the rule. It becomes a rule with one state variable.

use super::{ABORT, Abort, Chunk, Handler, Rule, When};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Equivalence, Lts, TAU, reduce};
use std::fmt::Write;
use thiserror::Error;

/// Why a transition system is no rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AutomatonError {
    /// A label that names no event.
    #[error(
        "the label `{0}` is not an event; write `f`, `f.call`, `f.entry` or `f.exit` for a function f"
    )]
    Label(String),
    /// It has no labels.
    #[error("the automaton has no visible label, so there is nothing to watch")]
    Silent,
    /// Making it deterministic took too long.
    #[error("the automaton cannot be made deterministic: {0}")]
    Budget(Exhausted),
}

/// The rule that `lts` draws. Silent steps and several ways with one label are allowed: the
/// rule is broken when no way is left.
pub fn from_lts(
    name: &str,
    file: &str,
    lts: &Lts,
    budget: &Budget,
) -> Result<Rule, AutomatonError> {
    let traces = reduce(lts, Equivalence::WeakTrace, budget);
    let lts = traces.map_err(AutomatonError::Budget)?.lts;
    let labels = lts.labels();
    let mut handlers = Vec::new();
    let mut aborts = Vec::new();
    for (n, label) in labels.names().enumerate() {
        let label_id = labels.lookup(label).expect("a name of the table");
        if label_id == TAU {
            continue;
        }
        let event = event(label).ok_or_else(|| AutomatonError::Label(label.into()))?;
        let moves: Vec<_> = lts.iter().filter(|(_, l, _)| *l == label_id).collect();
        let mut body = String::from("{ switch (__slic_state) { ");
        for (from, _, to) in moves {
            let _ = write!(body, "case {from}: __slic_state = {to}; break; ");
        }
        let _ = write!(body, "default: {ABORT}(); }} }}");
        // Each label has a line of its own, so that a broken rule can be told by its line.
        let line = n as u32 + 1;
        aborts.push(Abort {
            line,
            column: 1,
            message: format!("the automaton does not allow {label} here"),
        });
        handlers.push(Handler {
            function: event.0.into(),
            when: event.1,
            body: Chunk { line, text: body },
            params: Vec::new(),
            result: false,
        });
    }
    if handlers.is_empty() {
        return Err(AutomatonError::Silent);
    }
    let initial = lts.initial();
    Ok(Rule {
        name: name.into(),
        file: file.into(),
        prelude: Vec::new(),
        state: vec![Chunk {
            line: 1,
            text: format!("int __slic_state = {initial};"),
        }],
        handlers,
        aborts,
    })
}

fn event(label: &str) -> Option<(&str, When)> {
    let (function, when) = match label.split_once('.') {
        None => (label, When::Call),
        Some((function, "call")) => (function, When::Call),
        Some((function, "entry")) => (function, When::Entry),
        Some((function, "exit" | "return")) => (function, When::Exit),
        Some(_) => return None,
    };
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let digit = function.starts_with(|c: char| c.is_ascii_digit());
    (!function.is_empty() && !digit && function.chars().all(word)).then_some((function, when))
}
