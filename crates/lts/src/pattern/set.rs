//! Sets of actions, and whether a label is in one: surely, possibly or not at all.

use super::{MAX_MEMBERS, Pattern};
use crate::labels::{Label, Labels};

/// How a question about labels is read where a pattern leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Yes only if it is so whatever the patterns stand for.
    Surely,
    /// Yes if it is so for something that they may stand for.
    Possibly,
}

impl Reading {
    /// The other one: what is not surely so is possibly not so.
    pub fn opposite(self) -> Reading {
        match self {
            Reading::Surely => Reading::Possibly,
            Reading::Possibly => Reading::Surely,
        }
    }
}

/// Actions by name; a name with holes means all its actions.
#[derive(Clone, Debug)]
pub struct ActionSet {
    names: Vec<Pattern>,
}

impl ActionSet {
    /// The actions with these names.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> ActionSet {
        ActionSet {
            names: names.into_iter().map(Pattern::parse).collect(),
        }
    }
    /// Whether an action of the label may be in the set, or each of them is.
    pub fn has(&self, label: &Pattern, reading: Reading) -> bool {
        match reading {
            Reading::Possibly => self.names.iter().any(|n| n.overlaps(label)),
            Reading::Surely => {
                self.names.iter().any(|n| n.includes(label))
                    || label.members(MAX_MEMBERS).is_some_and(|list| {
                        (list.iter()).all(|text| self.names.iter().any(|n| n.contains(text)))
                    })
            }
        }
    }
    /// The labels of a system in the set, in rising order.
    pub fn labels(&self, labels: &Labels, reading: Reading) -> Vec<Label> {
        let has_holes = self.names.iter().any(Pattern::has_holes);
        if has_holes {
            let all = 0..labels.len() as Label;
            let fits = |l: &Label| self.has(&Pattern::parse(labels.name(*l)), reading);
            return all.filter(fits).collect();
        }
        let texts = self.names.iter().filter_map(Pattern::text);
        let mut found: Vec<Label> = texts
            .filter_map(|text| labels.lookup(&super::literal(text)))
            .collect();
        let patterns = labels.patterns().iter().copied();
        found.extend(patterns.filter(|l| self.has(&Pattern::parse(labels.name(*l)), reading)));
        found.sort_unstable();
        found.dedup();
        found
    }
}
