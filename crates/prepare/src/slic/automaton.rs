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
    let mut events = Vec::new();
    for label in labels.names().filter(|l| labels.lookup(l) != Some(TAU)) {
        let (function, when) = event(label).ok_or_else(|| AutomatonError::Label(label.into()))?;
        events.push((label, function, when));
    }
    if events.is_empty() {
        return Err(AutomatonError::Silent);
    }
    let says = |label: &str| format!("the automaton does not allow {label} here");
    Ok(rule((name, file), &lts, &events, &says))
}

/// The rule that a deterministic automaton without silent steps draws, whose labels stand for calls of these functions. A label that
/// it has no transition for at all breaks the rule wherever its call comes.
pub fn of_calls(name: &str, automaton: &Lts, calls: &[(String, Vec<String>)]) -> Rule {
    let events: Vec<_> = (calls.iter())
        .flat_map(|(label, functions)| {
            let label = label.as_str();
            functions
                .iter()
                .map(move |f| (label, f.as_str(), When::Call))
        })
        .collect();
    let file = format!("<{name}>");
    let says = |label: &str| format!("`{label}` decides the {name} here");
    rule((name, &file), automaton, &events, &says)
}

fn rule(
    (name, file): (&str, &str),
    lts: &Lts,
    events: &[(&str, &str, When)],
    says: &dyn Fn(&str) -> String,
) -> Rule {
    let mut handlers = Vec::new();
    let mut aborts = Vec::new();
    for (n, (label, function, when)) in events.iter().enumerate() {
        let label_id = lts.labels().lookup(label);
        let moves = lts.iter().filter(|(_, l, _)| Some(*l) == label_id);
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
            message: says(label),
        });
        handlers.push(Handler {
            function: (*function).into(),
            when: *when,
            body: Chunk { line, text: body },
            params: Vec::new(),
            result: false,
        });
    }
    let initial = lts.initial();
    Rule {
        name: name.into(),
        file: file.into(),
        prelude: Vec::new(),
        state: vec![Chunk {
            line: 1,
            text: format!("int __slic_state = {initial};"),
        }],
        handlers,
        aborts,
    }
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
