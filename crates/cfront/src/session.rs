//! What all stages share while one file is compiled.

use cwolf_base::{Diagnostic, Diagnostics, Interner, SourceMap, Span, Symbol};
use cwolf_cwi::{Loc, LocId, Program, Target};
use rustc_hash::FxHashMap;

/// The version of C that a file is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standard {
    /// C89 and C90.
    C89,
    /// C99.
    C99,
    /// C11.
    C11,
    /// C17, gcc's default.
    #[default]
    C17,
    /// C23: `bool`, `true`, `false`, `nullptr`, `auto`, `()` without parameters, ….
    C23,
}

/// How to compile a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The machine to compile for.
    pub target: Target,
    /// The version of C.
    pub standard: Standard,
    /// Whether the GNU keywords without underscores (`asm`, `typeof`) are keywords.
    pub gnu: bool,
    /// Whether coming to a label called `ERROR` is a call of `__VERIFIER_error`.
    pub error_labels: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            target: Target::X86_64,
            standard: Standard::C17,
            gnu: true,
            error_labels: false,
        }
    }
}

/// One file's compilation: its text, names and messages.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub options: Options,
    pub sources: SourceMap,
    pub names: Interner,
    pub diagnostics: Diagnostics,
    /// `#pragma weak name` and `#pragma weak name = target`.
    pub weak: Vec<(Symbol, Option<String>)>,
    /// `#pragma redefine_extname name label`.
    pub labels: FxHashMap<Symbol, String>,
}

impl Session {
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }
    pub fn warn(&mut self, span: Span, message: impl Into<String>) {
        // Headers are not the user's to change.
        if !self.sources.is_system(span.lo) {
            self.diagnostics.push(Diagnostic::warning(span, message));
        }
    }
    /// The position of `span`'s start in the program's source map.
    pub fn loc(&self, program: &mut Program, span: Span) -> LocId {
        let position = self.sources.position(span.lo);
        let file = program.locations.file(&position.file);
        program.locations.intern(Loc {
            file,
            line: position.line,
            column: position.column,
        })
    }
}
