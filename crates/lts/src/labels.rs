//! The names of actions: equal text, equal number, and number 0 is the internal action. A name
//! may be a pattern, see [`crate::Pattern`].

use crate::pattern::is_pattern;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The number of a label in its [`Labels`].
pub type Label = u32;

/// The internal action, called tau in the literature.
pub const TAU: Label = 0;

/// The text of [`TAU`]; no visible action can have this name.
pub const TAU_NAME: &str = "tau";

/// Gives each distinct label text one number. All texts share one string, so that a system
/// with a million labels does not make a million allocations.
#[derive(Clone)]
pub struct Labels {
    text: String,
    ends: Vec<usize>,
    table: HashTable<Label>,
    patterns: Vec<Label>,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn slice<'a>(text: &'a str, ends: &[usize], label: Label) -> &'a str {
    let n = label as usize;
    let start = if n == 0 { 0 } else { ends[n - 1] };
    &text[start..ends[n]]
}

impl Labels {
    /// Only the internal action.
    pub fn new() -> Labels {
        let mut labels = Labels {
            text: String::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            patterns: Vec::new(),
        };
        labels.intern(TAU_NAME);
        labels
    }
    /// The number of `name`, new or known; `tau` is always [`TAU`].
    pub fn intern(&mut self, name: &str) -> Label {
        let hashed = hash(name.as_bytes());
        if let Some(label) = self.find(hashed, name.as_bytes()) {
            return label;
        }
        let label = Label::try_from(self.ends.len()).expect("fewer than 2^32 labels");
        self.text.push_str(name);
        self.ends.push(self.text.len());
        if is_pattern(name) {
            self.patterns.push(label);
        }
        let Labels {
            text, ends, table, ..
        } = self;
        table.insert_unique(hashed, label, |&l| hash(slice(text, ends, l).as_bytes()));
        label
    }
    /// The number of `name`, new or known, given as bytes; fails when they are not UTF-8.
    pub fn intern_bytes(&mut self, name: &[u8]) -> Result<Label, std::str::Utf8Error> {
        // Almost every label of a file is known already: look before checking UTF-8.
        match self.find(hash(name), name) {
            Some(label) => Ok(label),
            None => Ok(self.intern(std::str::from_utf8(name)?)),
        }
    }
    fn find(&self, hashed: u64, name: &[u8]) -> Option<Label> {
        self.table
            .find(hashed, |&l| self.name(l).as_bytes() == name)
            .copied()
    }
    /// The number of `name`, if it is known.
    pub fn lookup(&self, name: &str) -> Option<Label> {
        self.find(hash(name.as_bytes()), name.as_bytes())
    }
    /// The text of `label`.
    pub fn name(&self, label: Label) -> &str {
        slice(&self.text, &self.ends, label)
    }
    /// The labels that stand for one of several actions, in rising order.
    pub fn patterns(&self) -> &[Label] {
        &self.patterns
    }
    /// How many labels there are, the internal action included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// Never: the internal action is always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// All texts, in the order of their numbers.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|n| self.name(n as Label))
    }
}

impl Default for Labels {
    fn default() -> Self {
        Labels::new()
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Labels) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

impl Eq for Labels {}

impl std::fmt::Debug for Labels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_equal_number_and_tau_is_zero() {
        let mut labels = Labels::new();
        assert_eq!(labels.intern("tau"), TAU);
        let a = labels.intern("a");
        let empty = labels.intern("");
        assert_eq!(labels.intern("a"), a);
        assert_eq!(labels.intern_bytes(b""), Ok(empty));
        assert_eq!((labels.name(a), labels.name(empty)), ("a", ""));
        assert!(labels.intern_bytes(b"\xff").is_err());
        assert_eq!(labels.lookup("b"), None);
    }
}
