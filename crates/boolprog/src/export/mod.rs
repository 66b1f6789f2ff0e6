//! Boolean programs in the languages of other model checkers.

mod promela;
mod smv;
#[cfg(test)]
mod tests;
mod text;

pub use promela::to_promela;
pub use smv::to_smv;

/// Why a program cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// SMV has no stack.
    #[error("the procedure `{0}` is recursive, which SMV cannot express")]
    Recursive(String),
    /// An expression with choices in it would have to be written out too often.
    #[error("an expression with nested choices gets too large to write down")]
    TooLarge,
}
