//! The C front end: C text in, CWI out. It runs the system's preprocessor, reads GNU C from C89
//! to C23, checks and types it, and lowers it to basic blocks. No syntax tree leaves it.
//!
//! The stages, in order, one external declaration at a time, so that memory stays small:
//! `preprocess` → `lex` → `parse` (makes [`ast`]) → `sema` (makes [`hir`]) → `lower` (makes CWI).

mod ast;
mod hir;
mod lower;
mod session;

pub use session::{Options, Standard};
