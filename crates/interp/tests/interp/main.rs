//! Whole programs, against the host's compiler and library.

mod host;
mod misuse;
