//! Exact formatting of floating-point numbers, as glibc's `printf` does it.

mod decimal;
mod float;
mod hex;

pub(crate) use decimal::{Class, Parts};
pub(crate) use float::{FloatStyle, format_float};
