//! Tests of the shipped table, in one binary: each costs a link.

mod behaviour;
mod debian;
mod formats;
mod glibc;
mod models;
mod page;
mod questions;
mod table;
