//! What each state stands for, in words: a source position, a stack, a valuation. Notes survive
//! every reduction: a merged state keeps the note of its first member and the number of others.

use crate::labels::Labels;
use crate::lts::State;
use std::sync::Arc;

const NONE: u32 = u32::MAX;

/// The note of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// The text.
    pub text: &'a str,
    /// How many other states with a note were merged into this one.
    pub others: u32,
}

impl<'a> Note<'a> {
    /// The first `file:line` in it.
    pub fn place(self) -> Option<(&'a str, u32)> {
        let mut words = self
            .text
            .split(|c: char| c.is_whitespace() || ",;()[]\"".contains(c));
        words.find_map(|word| {
            let mut parts = word.split(':');
            let (file, line) = (parts.next()?, parts.next()?);
            let line = line.parse().ok()?;
            file.contains('.').then_some((file, line))
        })
    }
}

impl std::fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.others {
            0 => f.write_str(self.text),
            n => write!(f, "{} (+{n})", self.text),
        }
    }
}

/// The notes of all states of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    // The texts are interned like labels; that table's number 0 is simply never used.
    texts: Arc<Labels>,
    ids: Vec<u32>,
    others: Vec<u32>,
}

impl Notes {
    /// No note on any of `states` states.
    pub fn new(states: usize) -> Notes {
        Notes {
            texts: Arc::new(Labels::new()),
            ids: vec![NONE; states],
            others: vec![0; states],
        }
    }
    /// How many states these notes are for.
    pub fn len(&self) -> usize {
        self.ids.len()
    }
    /// Whether they are for no state.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
    /// Writes the note of `state`, which stands for `others` more.
    pub fn set(&mut self, state: State, text: &str, others: u32) {
        self.ids[state as usize] = Arc::make_mut(&mut self.texts).intern(text);
        self.others[state as usize] = others;
    }
    /// The note of `state`, if it has one.
    pub fn get(&self, state: State) -> Option<Note<'_>> {
        match self.ids[state as usize] {
            NONE => None,
            id => Some(Note {
                text: self.texts.name(id),
                others: self.others[state as usize],
            }),
        }
    }
    /// Makes room for `states` states.
    pub(crate) fn resize(&mut self, states: usize) {
        self.ids.resize(states, NONE);
        self.others.resize(states, 0);
    }
    /// The notes after state `s` became `map[s]`, one of `states` states; `u32::MAX` drops it.
    pub fn merge(&self, map: &[u32], states: usize) -> Notes {
        let mut merged = Notes {
            texts: self.texts.clone(),
            ids: vec![NONE; states],
            others: vec![0; states],
        };
        for (s, &block) in map.iter().enumerate() {
            if block == u32::MAX || self.ids[s] == NONE {
                continue;
            }
            let block = block as usize;
            if merged.ids[block] == NONE {
                merged.ids[block] = self.ids[s];
                merged.others[block] = self.others[s];
            } else {
                let more = self.others[s].saturating_add(1);
                merged.others[block] = merged.others[block].saturating_add(more);
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_keeps_the_first_note_and_counts_the_rest() {
        let mut notes = Notes::new(4);
        notes.set(0, "tau", 0);
        notes.set(1, "main.c:3", 0);
        notes.set(3, "main.c:9", 2);
        let merged = notes.merge(&[0, 1, 1, 1], 2);
        assert_eq!(merged.get(0).map(|n| n.to_string()), Some("tau".into()));
        let second = merged.get(1).map(|n| n.to_string());
        assert_eq!(second, Some("main.c:3 (+3)".into()));
        assert_eq!(
            notes.merge(&[0, u32::MAX, 1, 1], 2).get(1).unwrap().others,
            2
        );
    }
}
