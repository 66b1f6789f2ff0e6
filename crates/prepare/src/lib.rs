//! Makes a program ready for an engine: passes from CWI to CWI, one a file. A command lists the
//! passes that it needs, in order.
//!
//! Afterwards every thing that can fail is an `Assert` with the identity of its check, and no
//! engine has to know what C calls an error. A new check is a new rule in [`checks`].

#![forbid(unsafe_code)]

mod addressed;
mod allocation;
mod assumptions;
mod branches;
mod call_types;
mod checked;
pub mod checks;
mod commands;
mod conditions;
pub mod contract;
mod declare;
mod extern_data;
mod externs;
mod float_conditions;
mod formats;
mod forwards;
mod given;
mod glue;
mod heap;
mod jumps;
mod kept;
mod leaks;
mod lengths;
mod link_library;
mod listed;
mod liveness;
mod mark_errors;
mod mentioned;
mod numbers;
mod outside;
mod own_volatiles;
mod passes;
mod places;
pub mod property;
mod requirements;
mod return_records;
mod run_startup;
pub mod slic;
mod start;
mod streams;
mod stubs;
mod subject;
mod texts;
mod uncovered;
mod uninitialised;
mod unknown;
mod unnamed;
mod unread_formats;
mod unset;
mod variable;
mod volatiles;
mod words;

pub use addressed::{BY_POINTER, addressed};
pub use allocation::{MAY_FAIL, let_allocations_fail};
pub use branches::{Branching, branch_on_checks};
pub use checks::{Bound, Checked, Printed, insert_checks};
pub use commands::{Ready, to_abstract, to_model, to_run};
pub use formats::Store;
pub use jumps::{Followed, Lost, follow_jumps};
pub use link_library::{Models, link_library};
pub use outside::{Beside, give_away, not_followed};
pub use own_volatiles::plain_own_volatiles;
pub use start::{
    Alternative, Arguments, Caller, ElementCount, Inputs, MainInputs, Passed, Requirement,
    RequiresError, START, Words, Written, changed_variables, harness_name, harness_text,
    undefined_variables,
};
pub use stubs::{Freedom, known_row, known_stub};
pub use subject::{Assumption, Extern, Prepare, PrepareError, Subject, close, prepare};
pub use unset::may_read_unset;
