//! The table of known functions: the C library, POSIX, gcc's built-in functions and the words of
//! verification tools. It is the one place that says what a function requires of its arguments,
//! what it writes, returns, allocates, frees, calls and ends. Whoever needs to know asks the row;
//! nobody else decides by name.
//!
//! The table is text, in `library/known/`: a row is a prototype, a semicolon, and facts that name
//! its parameters.
//!
//! ```text
//! char *strcpy(char *to, const char *from) ; string(from),
//!     copies(to, from, strlen(from) + 1), apart(to, from), returns(to)
//! ```
//!
//! `docs/known-functions.md` explains all facts. This crate knows nothing about programs: it
//! neither checks nor models calls.
//!
//! ```
//! let row = cwolf_known::lookup("strcpy").expect("a known function");
//! assert_eq!(row.writes_args(), [0]);
//! assert_eq!(row.returns_args(), [0]);
//! assert!(row.is_defined() && !row.nullable(1));
//! assert_eq!(cwolf_known::lookup("no_such_function"), None);
//! ```

mod amount;
mod error;
mod facts;
pub mod format;
mod lexer;
mod pointers;
mod prototype;
mod query;
mod row;
mod table;
mod terms;
mod types;

pub use amount::{Amount, Limit, Model, Path, Range, Subject};
pub use error::TableError;
pub use pointers::{PointerFlow, Stored};
pub use prototype::{Param, Prototype};
pub use row::{
    Channel, Contents, Control, Effect, End, Failure, FloatFunction, Format, FormatArgs,
    FormatKind, Origin, Outcome, Primitive, Requirement, Row, When,
};
pub use table::{Table, check};
pub use types::{CType, IntKind, size_of, sized_names};

/// The row of the function `name`, if it is known.
pub fn lookup(name: &str) -> Option<&'static Row> {
    table::shipped().lookup(name)
}

/// Whether a compiler or another verification tool gives functions of such names their meaning. One
/// that has no row does not return just anything.
pub fn is_reserved(name: &str) -> bool {
    const PREFIXES: [&str; 4] = ["__CPROVER_", "__ESBMC_", "__SMACK_", "__builtin_"];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The whole table.
pub fn table() -> &'static Table {
    table::shipped()
}
