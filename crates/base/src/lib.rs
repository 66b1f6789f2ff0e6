//! What every other crate stands on: positions in source text, diagnostics, typed indices,
//! interned strings, budgets and progress. It knows nothing about C.
//!
//! ```
//! use cwolf_base::{Interner, SourceMap, Span};
//! let mut sources = SourceMap::default();
//! let start = sources.add("greeting.txt", "hello\nworld\n".into());
//! let position = sources.position(start + 7);
//! assert_eq!((position.line, position.column), (2, 2));
//! let mut names = Interner::default();
//! assert_eq!(names.intern("x"), names.intern("x"));
//! assert_eq!(Span::new(start, start + 5).len(), 5);
//! ```

mod allocator;
mod budget;
mod diagnostic;
mod dominators;
mod index;
mod intern;
pub mod page;
mod scc;
mod source;
mod stack;
pub mod turns;
pub mod view;
mod words;

pub use budget::{Budget, Exhausted, peak_bytes, resident_bytes};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use dominators::{dominators, reverse_postorder};
pub use index::{Idx, IndexVec};
pub use intern::{Interner, Symbol};
pub use scc::strong_components;
pub use source::{Mark, Position, SourceMap, Span};
pub use stack::with_stack;
pub use words::edit_distance;
