//! Following processes on the automaton. A child goes on from where its parent made it.

use crate::automaton::{Automaton, Position};
use crate::calls::{CallMap, Unlisted};
use crate::log::Log;
use cwolf_lts::Lts;
use rustc_hash::FxHashMap;

/// A call that the model does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The process.
    pub process: i32,
    /// The system call.
    pub call: String,
    /// Its label.
    pub label: String,
    /// How many calls that the model speaks of this process's line had made before.
    pub after: u64,
    /// The labels that the model allows there.
    pub expected: Vec<String>,
    /// What the model's states there stand for (source lines), as far as it says.
    pub places: Vec<String>,
}

/// Where one process is.
#[derive(Clone, Copy)]
struct Place {
    /// Not set before the call that the map begins at.
    at: Option<Position>,
    steps: u64,
}

/// Follows processes by their numbers.
pub struct Follower<'l> {
    automaton: Automaton<'l>,
    lts: &'l Lts,
    map: &'l CallMap,
    places: FxHashMap<i32, Place>,
    followed: u64,
}

impl<'l> Follower<'l> {
    /// Nobody is followed yet.
    pub fn new(lts: &'l Lts, map: &'l CallMap) -> Follower<'l> {
        Follower {
            automaton: Automaton::new(lts),
            lts,
            map,
            places: FxHashMap::default(),
            followed: 0,
        }
    }
    /// How many calls were followed on the model.
    pub fn followed(&self) -> u64 {
        self.followed
    }
    /// How many positions of the automaton were met.
    pub fn positions(&self) -> usize {
        self.automaton.len()
    }
    /// Whether any process came to the call that the map begins at.
    pub fn begun(&self) -> bool {
        self.places.values().any(|p| p.at.is_some())
    }
    /// The process `child` was made by `parent` just now.
    pub fn born(&mut self, child: i32, parent: i32) {
        let place = self.place(parent);
        self.places.insert(child, place);
    }
    /// The process makes a system call.
    pub fn call(&mut self, process: i32, call: &str) -> Result<(), Violation> {
        let mut place = self.place(process);
        if place.at.is_none() && self.map.begin.as_deref() == Some(call) {
            place.at = Some(self.automaton.start());
        }
        let (Some(at), Some(name)) = (place.at, self.map.label(call)) else {
            return Ok(());
        };
        let next = match self.automaton.speaks_of(name) {
            true => self.automaton.step(at, name),
            false if self.map.unlisted == Unlisted::Ignore => return Ok(()),
            false => None,
        };
        let Some(next) = next else {
            return Err(Violation {
                process,
                call: call.to_owned(),
                label: name.to_owned(),
                after: place.steps,
                expected: self.automaton.expected(at),
                places: self.describe(at),
            });
        };
        self.followed += 1;
        let steps = place.steps + 1;
        let at = Some(next);
        self.places.insert(process, Place { at, steps });
        Ok(())
    }
    /// The process is gone; its number may come again.
    pub fn ended(&mut self, process: i32) {
        self.places.remove(&process);
    }
    /// Follows a whole log: the first call that is not allowed.
    pub fn follow_log(&mut self, log: &Log) -> Option<Violation> {
        for (number, event) in log.events.iter().enumerate() {
            if let Err(violation) = self.call(event.process, &event.call) {
                return Some(violation);
            }
            for &child in log.children_of(number) {
                self.born(child, event.process);
            }
        }
        None
    }

    fn place(&mut self, process: i32) -> Place {
        if let Some(&place) = self.places.get(&process) {
            return place;
        }
        let begins = self.map.begin.is_none();
        let at = begins.then(|| self.automaton.start());
        let place = Place { at, steps: 0 };
        self.places.insert(process, place);
        place
    }
    fn describe(&self, at: Position) -> Vec<String> {
        let Some(notes) = self.lts.notes() else {
            return Vec::new();
        };
        let states = self.automaton.states(at).iter();
        let mut lines: Vec<String> = states
            .filter_map(|&s| notes.get(s))
            .map(|note| note.to_string())
            .collect();
        lines.sort();
        lines.dedup();
        lines.truncate(8);
        lines
    }
}
