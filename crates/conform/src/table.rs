//! State/event tables.

use crate::cell::Alternative;
use crate::settings::Settings;
use rustc_hash::FxHashMap;

/// What a table says about an event in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// What is allowed; nothing if the event cannot happen.
    pub alternatives: Vec<Alternative>,
    /// Remarks of the table, one for each row that has one.
    pub notes: Vec<String>,
    /// The line of the first row, from 1; 0 if there is no row.
    pub line: u32,
    /// Whether the actions of an alternative are only the first ones, so that nothing can be
    /// said; of tables that were read off systems.
    pub vague: bool,
}

/// The name that stands for every state or event without a row of its own.
pub(crate) const EACH: &str = "*";

/// A state/event table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// How systems are held against it.
    pub settings: Settings,
    pub(crate) states: Vec<String>,
    pub(crate) events: Vec<String>,
    pub(crate) entries: FxHashMap<(String, String), Entry>,
}

impl Table {
    /// The states that it names, in the order in which they first stand there.
    pub fn states(&self) -> &[String] {
        &self.states
    }
    /// The events that it names.
    pub fn events(&self) -> &[String] {
        &self.events
    }
    /// What it says about `event` in `state`: the row for both, else the one for the event in every
    /// state, else the one for every event in the state, else the one for everything.
    pub fn entry(&self, state: &str, event: &str) -> Option<&Entry> {
        let rows = [(state, event), (EACH, event), (state, EACH), (EACH, EACH)];
        let find = |(s, e): (&str, &str)| self.entries.get(&(s.to_owned(), e.to_owned()));
        rows.into_iter().find_map(find)
    }
    pub(crate) fn name_state(&mut self, name: &str) {
        if name != EACH && !self.states.iter().any(|s| s == name) {
            self.states.push(name.to_owned());
        }
    }
    pub(crate) fn name_event(&mut self, name: &str) {
        if name != EACH && !self.events.iter().any(|e| e == name) {
            self.events.push(name.to_owned());
        }
    }
}
