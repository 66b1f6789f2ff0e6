//! Makes a program ready for an engine: passes from CWI to CWI, one a file. A command lists the
//! passes that it needs, in order.
//!
//! Afterwards every thing that can fail is an `Assert` with the identity of its check, and no
//! engine has to know what C calls an error. A new check is a new rule in [`checks`].

#![forbid(unsafe_code)]

mod allocation;
mod checked;
pub mod checks;
mod conditions;
mod externs;
mod formats;
mod given;
mod link_library;
mod mentioned;
pub mod property;
mod requirements;
pub mod slic;
mod start;
mod stubs;
mod subject;
mod uncovered;
mod unnamed;
mod variable;
mod words;

pub use allocation::let_allocations_fail;
pub use checks::{Bound, Checked, Printed, insert_checks};
pub use externs::may_read_unset;
pub use start::{Arguments, Inputs, MainInputs, START, Words};
pub use stubs::{Freedom, known_row, known_stub};
pub use subject::{Assumption, Extern, Prepare, PrepareError, Subject, prepare, with_arguments};
use variable::variable;
