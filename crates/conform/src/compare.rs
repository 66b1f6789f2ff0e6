//! Holding a machine against a table.

use crate::cell::{Alternative, Found};
use crate::machine::Machine;
use crate::settings::{Alternatives, Impossible, Order, Settings, Unreached};
use crate::table::{Entry, Table};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::Lts;

/// How a cell came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The system does there what the table says.
    Same,
    /// It does something else, or cannot do all that it should.
    Different,
    /// It never comes there, though the table says what to do.
    Unreached,
    /// It does more than can be looked at.
    Unknown,
}

impl Status {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Status::Same => "same",
            Status::Different => "different",
            Status::Unreached => "unreached",
            Status::Unknown => "unknown",
        }
    }
}

/// The answer for the whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every cell is the same.
    Conforms,
    /// A cell differs.
    Differs,
    /// No cell differs, but not every cell could be compared.
    Unknown,
}

/// One cell of the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The state.
    pub state: String,
    /// The event that comes in it.
    pub event: String,
    /// What the table says; none if it has no row for the cell.
    pub entry: Option<Entry>,
    /// What the system does.
    pub found: Vec<Found>,
    /// What it should be able to do, and never does.
    pub missing: Vec<Alternative>,
    /// How the cell came out.
    pub status: Status,
    /// Why, in words, where that is not to be seen from the rest.
    pub reason: Option<String>,
}

/// A system held against a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The states of the table, then those that only the system has.
    pub states: Vec<String>,
    /// The events, likewise.
    pub events: Vec<String>,
    /// The cells by state, then event: all of which one of the two says anything.
    pub cells: Vec<Cell>,
    /// Whether cells that were not reached matter.
    pub unreached: Unreached,
    /// Whether not all of the system was explored.
    pub partial: bool,
}

impl Comparison {
    /// How many cells have this status.
    pub fn count(&self, status: Status) -> usize {
        self.cells.iter().filter(|c| c.status == status).count()
    }
    /// The answer.
    pub fn verdict(&self) -> Verdict {
        let open = self.unreached != Unreached::Allowed && self.count(Status::Unreached) > 0;
        if self.count(Status::Different) > 0 {
            Verdict::Differs
        } else if open || self.partial || self.count(Status::Unknown) > 0 {
            Verdict::Unknown
        } else {
            Verdict::Conforms
        }
    }
    /// The cell of an event in a state.
    pub fn cell(&self, state: &str, event: &str) -> Option<&Cell> {
        self.cells
            .iter()
            .find(|c| c.state == state && c.event == event)
    }
    /// Gives each step the text of its line, as `line` knows it.
    pub fn look_up(&mut self, mut line: impl FnMut(&str, u32) -> Option<String>) {
        let found = self.cells.iter_mut().flat_map(|c| &mut c.found);
        for step in found.flat_map(|f| &mut f.steps) {
            if let Some((file, number)) = &step.place {
                step.code = line(file, *number);
            }
        }
    }
}

impl Table {
    /// The table of a system: each cell has what the system does there and nothing else.
    pub fn of_system(
        lts: &Lts,
        partial: bool,
        settings: Settings,
        budget: &Budget,
    ) -> Result<Table, Exhausted> {
        let machine = Machine::read(lts, partial, &settings, |_, _| Vec::new(), budget)?;
        let mut table = Table {
            settings: Settings {
                alternatives: Alternatives::All,
                impossible: Impossible::Absent,
                unreached: Unreached::Different,
                ..settings
            },
            states: machine.states.clone(),
            events: machine.events.clone(),
            ..Table::default()
        };
        for ((state, event), found) in machine.cells {
            let entry = Entry {
                vague: found.iter().any(|f| f.cut),
                alternatives: found.into_iter().map(alternative).collect(),
                ..Entry::default()
            };
            let key = (machine.states[state].clone(), machine.events[event].clone());
            table.entries.insert(key, entry);
        }
        Ok(table)
    }
}

fn alternative(found: Found) -> Alternative {
    Alternative {
        actions: Some(found.actions),
        next: crate::cell::Next::State(found.next),
    }
}

/// Holds a system against a table; `partial` says that not all of the system was explored.
pub fn compare(
    lts: &Lts,
    partial: bool,
    table: &Table,
    budget: &Budget,
) -> Result<Comparison, Exhausted> {
    let allowed = |state: &str, event: &str| {
        let entry = table.entry(state, event);
        let lists = entry.into_iter().flat_map(|e| &e.alternatives);
        lists.filter_map(|a| a.actions.clone()).collect()
    };
    let machine = Machine::read(lts, partial, &table.settings, allowed, budget)?;
    let together = |ours: &[String], theirs: &[String]| -> Vec<String> {
        let more = theirs.iter().filter(|n| !ours.contains(n));
        ours.iter().chain(more).cloned().collect()
    };
    let mut comparison = Comparison {
        states: together(&table.states, &machine.states),
        events: together(&table.events, &machine.events),
        cells: Vec::new(),
        unreached: table.settings.unreached,
        partial,
    };
    let number = |list: &[String], name: &str| list.iter().position(|n| n == name);
    for state in &comparison.states {
        for event in &comparison.events {
            let at = number(&machine.states, state).zip(number(&machine.events, event));
            let found = at.and_then(|at| machine.cells.get(&at));
            let entry = table.entry(state, event);
            if entry.is_none() && found.is_none() {
                continue;
            }
            let mut cell = Cell {
                state: state.clone(),
                event: event.clone(),
                entry: entry.cloned(),
                found: found.cloned().unwrap_or_default(),
                missing: Vec::new(),
                status: Status::Same,
                reason: None,
            };
            let reached = machine.states.contains(state);
            judge(
                &mut cell,
                &table.settings,
                found.is_some(),
                reached,
                partial,
            );
            comparison.cells.push(cell);
        }
    }
    Ok(comparison)
}

/// Decides how a cell came out.
fn judge(cell: &mut Cell, settings: &Settings, opened: bool, reached: bool, partial: bool) {
    let empty = Entry::default();
    let entry = cell.entry.clone().unwrap_or(empty);
    if entry.alternatives.is_empty() {
        if opened {
            impossible(cell, settings.impossible);
        }
        return;
    }
    if !opened {
        cell.reason = Some(match reached {
            true => format!("the model never shows `{}` in `{}`", cell.event, cell.state),
            false => format!("the model is never in `{}`", cell.state),
        });
        cell.status = match settings.unreached {
            Unreached::Different if !partial => Status::Different,
            _ => Status::Unreached,
        };
        return;
    }
    let allows = |a: &Alternative, f: &Found| fits(a, f, &cell.state, settings.order);
    let allowed: Vec<bool> = cell
        .found
        .iter()
        .map(|f| entry.alternatives.iter().any(|a| allows(a, f)))
        .collect();
    // Where the table itself could not tell all ways apart, those that remain may or may not be allowed.
    let open = |f: &Found| entry.vague && f.cut;
    let vague = cell
        .found
        .iter()
        .zip(&allowed)
        .any(|(f, ok)| !ok && open(f));
    let wrong = cell
        .found
        .iter()
        .zip(&allowed)
        .any(|(f, ok)| !ok && !open(f));
    if settings.alternatives == Alternatives::All && !entry.vague {
        let shown = |a: &&Alternative| !cell.found.iter().any(|f| allows(a, f));
        let missing = entry.alternatives.iter().filter(shown).cloned();
        cell.missing = missing.collect();
    }
    for (found, allowed) in cell.found.iter_mut().zip(allowed) {
        found.allowed = allowed;
    }
    let unsure = vague || partial;
    cell.status = if wrong || (!cell.missing.is_empty() && !unsure) {
        Status::Different
    } else if vague || entry.vague || !cell.missing.is_empty() {
        cell.reason = Some("there are too many ways to tell them apart".to_owned());
        Status::Unknown
    } else {
        Status::Same
    };
    if cell.found.is_empty() {
        cell.status = Status::Unknown;
        cell.reason = Some("the exploration ended inside this cell".to_owned());
    }
}

/// The event happens though it cannot, or the table does not mention it.
fn impossible(cell: &mut Cell, setting: Impossible) {
    let state = cell.state.clone();
    for found in &mut cell.found {
        let ignored = found.actions.is_empty() && !found.cut && found.next == state;
        found.allowed = ignored && setting == Impossible::Ignored;
    }
    let said = match cell.entry {
        Some(_) => "the table says that the event cannot happen here",
        None => "the table has no row for this",
    };
    cell.reason = Some(said.to_owned());
    cell.status = match cell.found.is_empty() {
        // The event happens; what it leads to was not explored.
        true if setting == Impossible::Ignored => Status::Unknown,
        false if cell.found.iter().all(|f| f.allowed) => Status::Same,
        _ => Status::Different,
    };
}

fn fits(alternative: &Alternative, found: &Found, state: &str, order: Order) -> bool {
    let next = alternative.next_from(state);
    if next.is_some_and(|n| n != found.next) {
        return false;
    }
    let Some(actions) = &alternative.actions else {
        return true;
    };
    if found.cut {
        return false;
    }
    match order {
        Order::Strict => *actions == found.actions,
        Order::Free => {
            let sorted = |list: &[String]| {
                let mut list = list.to_vec();
                list.sort_unstable();
                list
            };
            sorted(actions) == sorted(&found.actions)
        }
    }
}
