//! Makes a program ready for an engine: passes from CWI to CWI, one a file.
//!
//! Afterwards every thing that can fail is an `Assert` with the identity of its check, and no
//! engine has to know what C calls an error. A new check is a new rule in [`checks`].

#![forbid(unsafe_code)]

pub mod checks;
mod conditions;
mod words;

pub use checks::{Checked, insert_checks};
