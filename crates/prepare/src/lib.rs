//! Makes a program ready for an engine: passes from CWI to CWI, one a file.
//!
//! Afterwards every thing that can fail is an `Assert` with the identity of its check, and no
//! engine has to know what C calls an error. A new check is a new rule in [`checks`].

#![forbid(unsafe_code)]

mod allocation;
pub mod checks;
mod conditions;
mod formats;
mod jumps;
mod requirements;
mod stubs;
mod words;

pub use allocation::let_allocations_fail;
pub use checks::{Bound, Checked, Printed, insert_checks};
pub use jumps::{Followed, Lost, follow_jumps};
pub use stubs::{Freedom, known_row, known_stub};
