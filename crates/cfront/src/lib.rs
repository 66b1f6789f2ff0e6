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
mod parse;
mod preprocess;
mod sema;
mod session;

pub use compile::{Compilation, Stats, compile_text};
pub use preprocess::{
    CommandsError, CompileCommand, PreprocessError, Preprocessed, Preprocessor, preprocessor_flags,
    read_compile_commands, split_command, standard_flag,
};
pub use session::{Options, Standard};

/// Reads `text` as preprocessed C and returns how many external declarations it has, with every
/// message; for tests, measurements and fuzzing of the parser alone.
#[doc(hidden)]
pub fn parse_only(options: Options, name: &str, text: &[u8]) -> (usize, Vec<String>) {
    let mut session = session::Session {
        options,
        ..Default::default()
    };
    let tokens = lex::lex(&mut session, name, preprocess::decode(text).into());
    let mut parser = parse::Parser::new(tokens);
    let mut count = 0;
    while parser.next_external(&mut session).is_some() {
        count += 1;
    }
    let show = |d: &cwolf_base::Diagnostic| {
        let at = session.sources.position(d.span.unwrap_or_default().lo);
        format!("{}:{}:{}: {}", at.file, at.line, at.column, d.message)
    };
    (count, session.diagnostics.iter().map(show).collect())
}
