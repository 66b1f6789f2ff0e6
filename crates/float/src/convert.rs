//! Between formats, and from and to integers.

use crate::arith::with_format;
use crate::format::{Class, Format, Mode, class, is_negative, is_zero, neg, parts};
use crate::nan;
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert};

/// The number in another format.
pub fn convert(from: Format, to: Format, m: Mode, a: u128) -> u128 {
    fn step<A: Float + FloatConvert<B>, B: Float>(bits: u128, m: Mode) -> u128 {
        let converted = A::from_bits(bits).convert_r(m.round(), &mut false);
        converted.value.to_bits()
    }
    if from == to {
        return a;
    }
    if class(from, a) == Class::Nan {
        return nan_in(from, to, a);
    }
    with_format!(from, A => with_format!(to, B => step::<A, B>(a, m)))
}

/// A NaN in another format: it keeps the highest digits of its payload.
fn nan_in(from: Format, to: Format, a: u128) -> u128 {
    let payload = a & ((1 << (from.precision() - 1)) - 1);
    let (wide, narrow) = (from.precision(), to.precision());
    let payload = match wide > narrow {
        true => payload >> (wide - narrow),
        false => payload << (narrow - wide),
    };
    let bits = nan::quiet(to, payload);
    if is_negative(from, a) {
        neg(to, bits)
    } else {
        bits
    }
}

/// A number as C writes it, with the suffix of its type; a NaN without its payload.
pub fn display(f: Format, a: u128) -> String {
    let suffix = match f {
        Format::F16 => "f16",
        Format::F32 => "f",
        Format::F64 => "",
        Format::F80 => "l",
        Format::F128 => "q",
    };
    let sign = if is_negative(f, a) { "-" } else { "" };
    match class(f, a) {
        Class::Nan => return format!("{sign}__builtin_nan{suffix}(\"\")"),
        Class::Infinite => return format!("{sign}__builtin_inf{suffix}()"),
        _ => {}
    }
    let mut text = with_format!(f, F => F::from_bits(a).to_string());
    if !text.contains(['.', 'e', 'E']) {
        text.push_str(".0");
    }
    text + suffix
}

/// The number next to a signed integer.
pub fn from_signed(f: Format, m: Mode, value: i128) -> u128 {
    rounded(f, m, value < 0, value.unsigned_abs(), 0)
}

/// The number next to an unsigned integer.
pub fn from_unsigned(f: Format, m: Mode, value: u128) -> u128 {
    rounded(f, m, false, value, 0)
}

/// The integer next to a number in the direction of the mode; none if it has more than `width` bits.
pub fn to_signed(f: Format, m: Mode, width: u16, a: u128) -> Option<i128> {
    let magnitude = magnitude(f, m, a)?;
    let most = 1u128 << (width - 1);
    match is_negative(f, a) {
        true => (magnitude <= most).then(|| (magnitude as i128).wrapping_neg()),
        false => (magnitude < most).then_some(magnitude as i128),
    }
}

/// The same for unsigned integers.
pub fn to_unsigned(f: Format, m: Mode, width: u16, a: u128) -> Option<u128> {
    let magnitude = magnitude(f, m, a)?;
    let fits = magnitude <= u128::MAX >> (128 - width);
    (fits && (magnitude == 0 || !is_negative(f, a))).then_some(magnitude)
}

/// The integer next to a number, without its sign; none if there is none, or none of 128 bits.
fn magnitude(f: Format, m: Mode, a: u128) -> Option<u128> {
    let Some(x) = parts(f, a) else {
        return is_zero(f, a).then_some(0);
    };
    if x.exponent < 0 {
        let (whole, rest) = split(x.significand, x.exponent.unsigned_abs());
        let up = goes_up(m, is_negative(f, a), whole, rest);
        return Some(whole + u128::from(up));
    }
    let room = x.significand.leading_zeros() as i32;
    (x.exponent <= room).then(|| x.significand << x.exponent)
}

/// What is dropped of a number, compared with half of the last digit that is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    Less,
    Half,
    More,
}

/// A number without its `drop` lowest bits, and what these are.
fn split(number: u128, drop: u32) -> (u128, Rest) {
    let (kept, rest, half) = match drop {
        0 => return (number, Rest::Nothing),
        1..=127 => (number >> drop, number & ((1 << drop) - 1), 1 << (drop - 1)),
        128 => (0, number, 1 << 127),
        // Less than half, unless it is nothing.
        _ => (0, u128::from(number != 0), 2),
    };
    let rest = match rest {
        0 => Rest::Nothing,
        _ if rest < half => Rest::Less,
        _ if rest == half => Rest::Half,
        _ => Rest::More,
    };
    (kept, rest)
}

/// Whether digits are rounded away from zero.
fn goes_up(m: Mode, negative: bool, kept: u128, rest: Rest) -> bool {
    match m {
        Mode::NearestEven => rest == Rest::More || rest == Rest::Half && kept & 1 == 1,
        Mode::NearestAway => matches!(rest, Rest::Half | Rest::More),
        Mode::Down => negative && rest != Rest::Nothing,
        Mode::Up => !negative && rest != Rest::Nothing,
        Mode::Zero => false,
    }
}

/// The number next to `significand * 2^exponent`.
pub(crate) fn rounded(
    f: Format,
    m: Mode,
    negative: bool,
    significand: u128,
    exponent: i32,
) -> u128 {
    let Some(top) = significand.checked_ilog2() else {
        return if negative { f.sign_bit() } else { 0 };
    };
    // The lowest digit that the result has.
    let least = 2 - f.bias() - i32::from(f.precision());
    let unit = least.max(top as i32 + exponent + 1 - i32::from(f.precision()));
    let (kept, rest) = match u32::try_from(unit - exponent) {
        Ok(drop) => split(significand, drop),
        Err(_) => (significand << (exponent - unit), Rest::Nothing),
    };
    let kept = kept + u128::from(goes_up(m, negative, kept, rest));
    let sign = if negative { f.sign_bit() } else { 0 };
    // A carry past the precision makes the next power of two, whose digits are zero.
    let (kept, unit) = match kept >> f.precision() {
        0 => (kept, unit),
        _ => (kept >> 1, unit + 1),
    };
    let leading = 1u128 << (f.precision() - 1);
    let field = match kept & leading {
        0 => 0,
        _ => unit + f.bias() + i32::from(f.precision()) - 1,
    };
    if field as u128 >= f.exponent_mask() {
        let away = match m {
            Mode::NearestEven | Mode::NearestAway => true,
            Mode::Down => negative,
            Mode::Up => !negative,
            Mode::Zero => false,
        };
        return sign | if away { f.infinity() } else { f.largest() };
    }
    let fraction = match f.has_integer_bit() {
        true => kept,
        false => kept & !leading,
    };
    sign | ((field as u128) << f.fraction_bits()) | fraction
}
