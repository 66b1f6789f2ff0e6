//! The two languages in which a user says what to keep and what to see: abstraction maps
//! (thesis, Figure 2.4) and label maps (Figure 2.5). Both are read and checked against the
//! program; whatever does not fit is a diagnostic with a position, never a panic.

mod abstraction;
mod constants;
mod expression;
mod externs;
mod heap;
mod keep;
mod label;
mod lex;
mod members;
mod names;
mod paths;
mod place;
mod shape;
mod suggest;

#[cfg(test)]
mod tests;

pub use abstraction::{
    Abstraction, Cell, MAX_CELLS, TypeCell, Variance, parse_abstraction, parse_abstraction_with,
};
pub use constants::{NoVocabulary, Vocabulary};
pub(crate) use expression::operand;
pub use externs::{Called, Outside, Results, Writes};
pub use heap::{MAX_NEWEST, mentioned_functions, newest_objects};
pub use label::{Event, LabelMap, Part, Rule, Seen, Spot, parse_labels, parse_labels_with};
pub use members::{Member, accessed, base_object, is_own, object_of, objects_in, paths};
pub(crate) use members::{bits_below, instances};

pub use suggest::{Choice, Map, Proposals, Spelling, suggest_labels};

use cwolf_base::SourceMap;

/// A text of a map with the name that messages call it by.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    /// The file's name.
    pub name: &'t str,
    /// What it says.
    pub text: &'t str,
}

impl Text<'_> {
    /// Adds the text to the texts that spans refer to; returns its first offset.
    fn register(self, sources: &mut SourceMap) -> u32 {
        sources.add(self.name, self.text.into())
    }
}
