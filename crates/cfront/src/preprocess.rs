//! From a file to text that the lexer reads.

mod text;

pub(crate) use text::{decode, raw_byte};
