//! Square roots.

use crate::convert::rounded;
use crate::format::{Format, Mode, is_negative, is_zero, parts};
use crate::nan;

/// The square root, rounded once. That of minus zero is minus zero.
pub fn sqrt(f: Format, m: Mode, a: u128) -> u128 {
    match (f, m) {
        (Format::F32, Mode::NearestEven) => {
            let root = f32::from_bits(a as u32).sqrt();
            if !root.is_nan() {
                return root.to_bits().into();
            }
        }
        (Format::F64, Mode::NearestEven) => {
            let root = f64::from_bits(a as u64).sqrt();
            if !root.is_nan() {
                return root.to_bits().into();
            }
        }
        _ => {}
    }
    if let Some(bits) = nan::propagate(f, &[a]) {
        return bits;
    }
    if is_zero(f, a) {
        return a;
    }
    if is_negative(f, a) {
        return nan::default(f);
    }
    let Some(parts) = parts(f, a) else {
        return a;
    };
    // With an even exponent, the root of `significand * 4^n` has half of it.
    let odd = parts.exponent.rem_euclid(2);
    let significand = parts.significand << odd;
    // Two digits of the radicand make one of the root, the highest first; behind the point come
    // zeros. Two digits more than the precision, and the remainder, tell how to round.
    let pairs = (128 - significand.leading_zeros()).div_ceil(2) as i32;
    let digits = i32::from(f.precision()) + 2;
    let (mut root, mut rest) = (0u128, 0u128);
    for pair in (pairs - digits..pairs).rev() {
        let next = match pair >= 0 {
            true => (significand >> (2 * pair)) & 3,
            false => 0,
        };
        rest = (rest << 2) | next;
        let trial = (root << 2) | 1;
        let fits = rest >= trial;
        root = (root << 1) | u128::from(fits);
        if fits {
            rest -= trial;
        }
    }
    let exponent = (parts.exponent - odd) / 2 + (pairs - digits);
    rounded(
        f,
        m,
        false,
        (root << 1) | u128::from(rest != 0),
        exponent - 1,
    )
}
