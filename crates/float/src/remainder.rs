//! Remainders, which are exact.

use crate::convert::rounded;
use crate::format::{Class, Format, Mode, class, is_negative, is_zero, parts};
use crate::nan;

/// C's `fmod`: `a - n*b` where `n` is the quotient without its fraction. It has the sign of `a`.
pub fn fmod(f: Format, a: u128, b: u128) -> u128 {
    reduce(f, a, b, false)
}

/// The remainder of IEEE 754: `n` is the integer nearest to the quotient, of two the even one.
pub fn remainder(f: Format, a: u128, b: u128) -> u128 {
    reduce(f, a, b, true)
}

fn reduce(f: Format, a: u128, b: u128, nearest: bool) -> u128 {
    if let Some(bits) = nan::propagate(f, &[a, b]) {
        return bits;
    }
    if class(f, a) == Class::Infinite || is_zero(f, b) {
        return nan::default(f);
    }
    let (Some(x), Some(y)) = (parts(f, a), parts(f, b)) else {
        // Zero, or by infinity.
        return a;
    };
    let steps = x.exponent - y.exponent;
    if steps < -1 {
        return a;
    }
    // Long division. All in halves of the divisor's lowest digit, so that a dividend with an
    // exponent less by one is there as well.
    let divisor = y.significand << 1;
    let mut rest = match steps {
        -1 => x.significand,
        _ => x.significand << 1,
    };
    let mut odd = false;
    for step in 0..=steps.max(0) {
        if step > 0 {
            rest <<= 1;
        }
        odd = rest >= divisor;
        if odd {
            rest -= divisor;
        }
    }
    let negative = is_negative(f, a);
    let (negative, rest) = match nearest {
        true if rest > divisor - rest || rest == divisor - rest && odd => {
            (!negative, divisor - rest)
        }
        _ => (negative, rest),
    };
    if rest == 0 {
        return if is_negative(f, a) { f.sign_bit() } else { 0 };
    }
    rounded(f, Mode::NearestEven, negative, rest, y.exponent - 1)
}
