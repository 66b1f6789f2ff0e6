//! Which NaN comes out.

use crate::format::{Format, is_nan};

/// What an invalid operation gives: negative, quiet, without payload.
pub const fn default(f: Format) -> u128 {
    f.sign_bit() | f.infinity() | quiet_bit(f)
}

/// The bit that tells quiet NaNs from signalling ones.
pub const fn quiet_bit(f: Format) -> u128 {
    1 << (f.precision() - 2)
}

/// A NaN made quiet, and encoded as the format demands.
pub const fn quiet(f: Format, bits: u128) -> u128 {
    bits | f.infinity() | quiet_bit(f)
}

/// Whether of two NaNs the first operand always counts; else the one with the larger significand.
pub const fn first_counts(f: Format) -> bool {
    matches!(f, Format::F16 | Format::F32 | Format::F64)
}

/// The result of an operation on these operands, if one of them is a NaN.
pub fn propagate(f: Format, operands: &[u128]) -> Option<u128> {
    let mut nans = operands.iter().copied().filter(|bits| is_nan(f, *bits));
    let first = quiet(f, nans.next()?);
    if first_counts(f) {
        return Some(first);
    }
    let fraction = |bits: u128| bits & ((1 << f.fraction_bits()) - 1);
    let larger = |a: u128, b: u128| match fraction(a).cmp(&fraction(b)) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        // The same digits: the positive one.
        std::cmp::Ordering::Equal => a & b,
    };
    Some(nans.map(|bits| quiet(f, bits)).fold(first, larger))
}
