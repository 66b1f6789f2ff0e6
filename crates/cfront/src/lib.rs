//! The C front end: C text in, CWI out. It runs the system's preprocessor, reads GNU C from C89
//! to C23, checks and types it, and lowers it to basic blocks. No syntax tree leaves it.
//!
//! The stages, in order, one external declaration at a time, so that memory stays small:
//! `preprocess` → `lex` → `parse` (makes `ast`) → `sema` (makes `hir`) → `lower` (makes CWI).

#[allow(
    dead_code,
    reason = "every node says where it stands, though not all are asked"
)]
mod ast;
mod compile;
mod hir;
mod lex;
pub mod library;
mod lower;
mod names;
mod order;
mod outline;
mod parse;
mod predicates;
mod preprocess;
mod sema;
mod session;

pub use compile::{Compilation, Stats, compile_text};
pub use names::{Names, names};
pub use outline::{Decision, Outline, Position, Stretch, TextCall};
pub use predicates::{PredicateFile, TextLabel, labels, read_predicates};
pub use preprocess::{
    CommandsError, CompileCommand, PreprocessError, Preprocessed, Preprocessor, preprocessor_flags,
    read_compile_commands, split_command, standard_flag,
};
pub use session::{Options, Standard};
