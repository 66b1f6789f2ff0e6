//! Floating-point numbers on their encodings: what IEEE 754 says of binary16, binary32, binary64
//! and binary128, and Intel of the x87's 80 bits.
//!
//! A number is the bits of its encoding in a `u128`; bits past the format's width are zero. Every
//! function takes a [`Format`], and a rounding [`Mode`] where a result may have to be rounded. Flags
//! are not kept. This is the one place that computes: constant folding, the interpreter and models
//! of solvers all come here. Circuits for the same operations are in `logic`, and tested against it.
//!
//! IEEE 754 leaves open which NaN comes out. Here it is what x86 processors give ([`nan`]): without a
//! NaN among the operands the *default* one, negative and quiet without payload; else an operand,
//! made quiet. In the formats that SSE computes that is the first operand that is a NaN; in the other
//! two, of two NaNs, the one with the larger significand. (Compilers may exchange the operands of a sum
//! or a product, so that no program can rely on which of two it is.)
//!
//! ```
//! use cwolf_float::{Format, Mode, add, sqrt};
//! let bits = |x: f64| u128::from(x.to_bits());
//! assert_eq!(add(Format::F64, Mode::NearestEven, bits(0.1), bits(0.2)), bits(0.1 + 0.2));
//! assert_eq!(sqrt(Format::F64, Mode::NearestEven, bits(2.0)), bits(2f64.sqrt()));
//! ```

mod arith;
mod convert;
mod format;
pub mod nan;
mod remainder;
mod root;

pub use arith::{add, compare, div, fma, mul, next_down, next_up, round_to_integral, scale, sub};
pub use convert::{convert, display, from_signed, from_unsigned, to_signed, to_unsigned};
pub use format::{Class, Format, Mode, Parts, class, is_nan, is_negative, is_zero, neg, parts};
pub use remainder::{fmod, remainder};
pub use root::sqrt;

#[cfg(test)]
mod tests;
