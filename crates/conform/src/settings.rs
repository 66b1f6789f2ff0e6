//! The settings of a comparison: lines `#! KEY VALUE` at the head of a table, or on the command line.

use crate::roles::Roles;
use cwolf_base::{Diagnostic, Span};

/// Whether the order of actions matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// It does.
    #[default]
    Strict,
    /// Only which actions, and how often each.
    Free,
}

/// What several alternatives in a cell ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alternatives {
    /// The implementation chooses: whatever it does must be one of them.
    #[default]
    Any,
    /// It must be able to do each of them, too.
    All,
}

/// What a cell asks for in which the event cannot happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Impossible {
    /// If the event happens all the same, there is no action and the state stays.
    #[default]
    Ignored,
    /// The event does not happen.
    Absent,
}

/// What a cell means that the table fills and the system never comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unreached {
    /// There is no answer for the table as a whole.
    #[default]
    Unknown,
    /// Nothing: only what happens is compared.
    Allowed,
    /// It differs.
    Different,
}

/// How a system is held against a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Which labels are states, events and actions.
    pub roles: Roles,
    /// Whether the order of actions matters.
    pub order: Order,
    /// What several alternatives ask for.
    pub alternatives: Alternatives,
    /// What `-` asks for.
    pub impossible: Impossible,
    /// What cells mean that are never reached.
    pub unreached: Unreached,
    /// The state before the first label that names one.
    pub start: Option<String>,
}

const KEYS: &str =
    "state, event, action, ignore, order, alternatives, impossible, unreached and start";

impl Settings {
    /// Carries out one line of settings that stands at the offset `at`.
    pub fn set(&mut self, line: &str, at: u32) -> Result<(), Diagnostic> {
        let trimmed = line.trim_start();
        let lo = at + (line.len() - trimmed.len()) as u32;
        let trimmed = trimmed.trim_end();
        let span = Span::new(lo, lo + trimmed.len() as u32);
        let (key, value) = trimmed
            .split_once(char::is_whitespace)
            .unwrap_or((trimmed, ""));
        let value = value.trim();
        if value.is_empty() && KEYS.contains(key) && !key.is_empty() {
            return Err(Diagnostic::error(
                span,
                format!("the setting `{key}` has no value"),
            ));
        }
        let words = |choices: &[&str]| {
            let number = choices.iter().position(|c| *c == value);
            number.ok_or_else(|| {
                let message = format!("`{key}` cannot be `{value}`");
                Diagnostic::error(span, message).hint(format!("choose {}", choices.join(" or ")))
            })
        };
        match key {
            "state" | "event" | "action" | "ignore" => {
                let added = self.roles.add(key, value);
                added.map_err(|message| Diagnostic::error(span, message))?;
            }
            "order" => self.order = [Order::Strict, Order::Free][words(&["strict", "free"])?],
            "alternatives" => {
                let choices = [Alternatives::Any, Alternatives::All];
                self.alternatives = choices[words(&["any", "all"])?];
            }
            "impossible" => {
                let choices = [Impossible::Ignored, Impossible::Absent];
                self.impossible = choices[words(&["ignored", "absent"])?];
            }
            "unreached" => {
                let choices = [Unreached::Unknown, Unreached::Allowed, Unreached::Different];
                self.unreached = choices[words(&["unknown", "allowed", "different"])?];
            }
            "start" => self.start = Some(value.to_owned()),
            _ => {
                let message = format!("there is no setting `{key}`");
                return Err(Diagnostic::error(span, message).hint(format!("there are {KEYS}")));
            }
        }
        Ok(())
    }
}
