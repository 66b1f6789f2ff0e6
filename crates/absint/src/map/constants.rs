//! Names that a compiled program has lost, and maps may still use: constants of enumerations,
//! macros that are numbers, names of types.

use super::lex::Result;
use cwolf_base::{Diagnostic, Span};

/// Whoever can read the C files again.
pub trait Vocabulary {
    /// The numbers that a name stands for, one for each file that has it.
    fn numbers(&self, name: &str) -> Vec<i128>;
    /// The tag, real or made up, of the struct or union that a type's name stands for.
    fn record(&self, name: &str) -> Option<String>;
}

/// For maps without such names.
pub struct NoVocabulary;

impl Vocabulary for NoVocabulary {
    fn numbers(&self, _: &str) -> Vec<i128> {
        Vec::new()
    }
    fn record(&self, _: &str) -> Option<String> {
        None
    }
}

/// The number that a name stands for, if it is one. It must be the same in all files.
pub(super) fn constant(
    vocabulary: &dyn Vocabulary,
    name: &str,
    span: Span,
) -> Result<Option<i128>> {
    let found = vocabulary.numbers(name);
    let Some(first) = found.first() else {
        return Ok(None);
    };
    match found.iter().find(|n| *n != first) {
        None => Ok(Some(*first)),
        Some(other) => {
            let message = format!("`{name}` is {first} in one file and {other} in another");
            Err(Diagnostic::error(span, message).into())
        }
    }
}
