//! The language server: findings of a scan as diagnostics in an editor, with the failing run as related places, a lens above each function, and
//! an action that writes the precondition that excludes a failure.
//!
//! It speaks JSON-RPC over two streams, and knows nothing of C: somebody else scans a file and gives it the result of
//! `cwolf scan --json`.

#![forbid(unsafe_code)]

mod frame;
mod server;
mod show;

pub use frame::{read_message, write_message};
pub use server::{Scan, serve};
