//! Sums, products, quotients, comparisons.

use crate::format::{Class, Format, Mode, class, is_negative, is_zero, neg};
use crate::nan;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use std::cmp::Ordering;

/// Runs `$body` with `$t` bound to the software format of `$f`.
macro_rules! with_format {
    ($f:expr, $t:ident => $body:expr) => {
        match $f {
            Format::F16 => {
                type $t = Half;
                $body
            }
            Format::F32 => {
                type $t = Single;
                $body
            }
            Format::F64 => {
                type $t = Double;
                $body
            }
            Format::F80 => {
                type $t = X87DoubleExtended;
                $body
            }
            Format::F128 => {
                type $t = Quad;
                $body
            }
        }
    };
}
pub(crate) use with_format;

/// A result that an operation computed on operands that are numbers: if it is a NaN, the operation
/// was invalid.
pub(crate) fn valid(f: Format, bits: u128) -> u128 {
    match class(f, bits) {
        Class::Nan => nan::default(f),
        _ => bits,
    }
}

/// One of the four operations: by the machine where it can, else by software.
macro_rules! operation {
    ($name:ident, $host:tt, $software:ident, $what:literal) => {
        #[doc = $what]
        #[inline]
        pub fn $name(f: Format, m: Mode, a: u128, b: u128) -> u128 {
            let result = match (f, m) {
                (Format::F32, Mode::NearestEven) => {
                    let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                    let z = x $host y;
                    if !z.is_nan() {
                        return z.to_bits().into();
                    }
                    None
                }
                (Format::F64, Mode::NearestEven) => {
                    let (x, y) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
                    let z = x $host y;
                    if !z.is_nan() {
                        return z.to_bits().into();
                    }
                    None
                }
                _ => Some(m.round()),
            };
            if let Some(bits) = nan::propagate(f, &[a, b]) {
                return bits;
            }
            let Some(round) = result else {
                return nan::default(f);
            };
            let bits = with_format!(f, F => F::from_bits(a).$software(F::from_bits(b), round).value.to_bits());
            valid(f, bits)
        }
    };
}

operation!(add, +, add_r, "`a + b`");
operation!(sub, -, sub_r, "`a - b`");
operation!(mul, *, mul_r, "`a * b`");
operation!(div, /, div_r, "`a / b`");

/// `a * b + c`, rounded once.
pub fn fma(f: Format, m: Mode, a: u128, b: u128, c: u128) -> u128 {
    if let Some(bits) = nan::propagate(f, &[a, b, c]) {
        return bits;
    }
    let infinite = |bits| class(f, bits) == Class::Infinite;
    let negative = is_negative(f, a) != is_negative(f, b);
    if infinite(a) || infinite(b) {
        let clash = infinite(c) && is_negative(f, c) != negative;
        return match is_zero(f, a) || is_zero(f, b) || clash {
            true => nan::default(f),
            false if negative => neg(f, f.infinity()),
            false => f.infinity(),
        };
    }
    if infinite(c) {
        return c;
    }
    if is_zero(f, a) || is_zero(f, b) {
        let zero = if negative { f.sign_bit() } else { 0 };
        return add(f, m, zero, c);
    }
    with_format!(f, F => {
        let product = F::from_bits(a);
        product.mul_add_r(F::from_bits(b), F::from_bits(c), m.round()).value.to_bits()
    })
}

/// The integer next to a number in the direction of the mode, in the same format.
pub fn round_to_integral(f: Format, m: Mode, a: u128) -> u128 {
    if let Some(bits) = nan::propagate(f, &[a]) {
        return bits;
    }
    with_format!(f, F => F::from_bits(a).round_to_integral(m.round()).value.to_bits())
}

/// `a * 2^by`
pub fn scale(f: Format, m: Mode, a: u128, by: i32) -> u128 {
    if let Some(bits) = nan::propagate(f, &[a]) {
        return bits;
    }
    with_format!(f, F => F::from_bits(a).scalbn_r(by, m.round()).to_bits())
}

/// The least number that is greater.
pub fn next_up(f: Format, a: u128) -> u128 {
    with_format!(f, F => F::from_bits(a).next_up().value.to_bits())
}

/// The greatest number that is less.
pub fn next_down(f: Format, a: u128) -> u128 {
    neg(f, next_up(f, neg(f, a)))
}

/// The order of two numbers; none if one of them is a NaN. The zeros are equal.
pub fn compare(f: Format, a: u128, b: u128) -> Option<Ordering> {
    match f {
        Format::F32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        Format::F64 => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        _ => with_format!(f, F => F::from_bits(a).partial_cmp(&F::from_bits(b))),
    }
}
