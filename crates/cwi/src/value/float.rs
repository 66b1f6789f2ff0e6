//! Floating-point operators on encodings, rounding to nearest, ties to even. Single and double
//! use the machine's own arithmetic; the x87 and quadruple formats are computed in software.

use super::{Value, wrap};
use crate::code::BinOp;
use crate::types::{FloatTy, IntTy};
use cwolf_float::Mode;
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};
use std::cmp::Ordering;

/// How C rounds unless the program says otherwise.
const MODE: Mode = Mode::NearestEven;

/// Runs `$body` with `$t` bound to the software format of `$ty`.
macro_rules! with_format {
    ($ty:expr, $t:ident => $body:expr) => {
        match $ty {
            FloatTy::F16 => {
                type $t = Half;
                $body
            }
            FloatTy::F32 => {
                type $t = Single;
                $body
            }
            FloatTy::F64 => {
                type $t = Double;
                $body
            }
            FloatTy::F80 => {
                type $t = X87DoubleExtended;
                $body
            }
            FloatTy::F128 => {
                type $t = Quad;
                $body
            }
        }
    };
}

/// How many bytes of storage the encoding really uses.
pub fn encoded_size(ty: FloatTy) -> usize {
    match ty {
        FloatTy::F16 => 2,
        FloatTy::F32 => 4,
        FloatTy::F64 => 8,
        FloatTy::F80 => 10,
        FloatTy::F128 => 16,
    }
}

/// `left op right`: a float for arithmetic, an `int` for tests.
///
/// # Panics
/// On operators that C does not have on floats.
#[inline]
pub fn binary(op: BinOp, ty: FloatTy, left: u128, right: u128) -> Value {
    if op.is_comparison() {
        return Value::Int(i128::from(test(op, compare(ty, left, right))));
    }
    match op {
        BinOp::And => return Value::Int(i128::from(!is_zero(ty, left) && !is_zero(ty, right))),
        BinOp::Or => return Value::Int(i128::from(!is_zero(ty, left) || !is_zero(ty, right))),
        _ => {}
    }
    let f = ty.format();
    Value::Float(match op {
        BinOp::Add => cwolf_float::add(f, MODE, left, right),
        BinOp::Sub => cwolf_float::sub(f, MODE, left, right),
        BinOp::Mul => cwolf_float::mul(f, MODE, left, right),
        BinOp::Div => cwolf_float::div(f, MODE, left, right),
        _ => panic!("no {} on floats", op.symbol()),
    })
}

/// The order of two numbers; none if one of them is not a number.
pub fn compare(ty: FloatTy, left: u128, right: u128) -> Option<Ordering> {
    cwolf_float::compare(ty.format(), left, right)
}

fn test(op: BinOp, order: Option<Ordering>) -> bool {
    match op {
        BinOp::Eq => order == Some(Ordering::Equal),
        BinOp::Ne => order != Some(Ordering::Equal),
        BinOp::Lt => order == Some(Ordering::Less),
        BinOp::Gt => order == Some(Ordering::Greater),
        BinOp::Le => order.is_some_and(Ordering::is_le),
        _ => order.is_some_and(Ordering::is_ge),
    }
}

/// `-operand`.
pub fn neg(ty: FloatTy, operand: u128) -> u128 {
    cwolf_float::neg(ty.format(), operand)
}

/// Whether it is plus or minus zero.
pub fn is_zero(ty: FloatTy, operand: u128) -> bool {
    cwolf_float::is_zero(ty.format(), operand)
}

/// The encoding in `to` of a number encoded in `from`.
pub fn convert(from: FloatTy, to: FloatTy, bits: u128) -> u128 {
    cwolf_float::convert(from.format(), to.format(), MODE, bits)
}

/// The float nearest to an integer of type `from`.
pub fn from_int(to: FloatTy, from: IntTy, value: i128) -> u128 {
    match from.signed {
        true => cwolf_float::from_signed(to.format(), MODE, value),
        false => cwolf_float::from_unsigned(to.format(), MODE, value as u128),
    }
}

/// The width of the signed integer that x86 converts a number into, to keep the low part as an integer
/// of type `to`.
pub fn conversion_word(to: IntTy) -> u16 {
    match (to.bits, to.signed) {
        (..=31, _) | (32, true) => 32,
        (..=63, _) | (64, true) => 64,
        _ => to.bits,
    }
}

/// A float truncated to an integer. Where C leaves the result undefined, it is what gcc's
/// x86 code computes: the smallest number of the word, or zero of an unsigned type without a wider word.
pub fn to_int(from: FloatTy, to: IntTy, bits: u128) -> i128 {
    let (f, word) = (from.format(), conversion_word(to));
    if to.bits > 63 && !to.signed && !cwolf_float::is_negative(f, bits) {
        return cwolf_float::to_unsigned(f, Mode::Zero, to.bits, bits).unwrap_or(0) as i128;
    }
    let least = i128::MIN >> (128 - word);
    wrap(
        to,
        cwolf_float::to_signed(f, Mode::Zero, word, bits).unwrap_or(least),
    )
}

/// Whether a number fits into an integer type once its fraction is dropped.
pub fn fits_int(from: FloatTy, to: IntTy, bits: u128) -> bool {
    match to.signed {
        true => cwolf_float::to_signed(from.format(), Mode::Zero, to.bits, bits).is_some(),
        false => cwolf_float::to_unsigned(from.format(), Mode::Zero, to.bits, bits).is_some(),
    }
}

/// Between which numbers one lies that is an integer of a type once its fraction is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntRange {
    /// The lower end.
    pub low: u128,
    /// Whether the lower end is outside: it is the integer below the type's least, if the format has that.
    pub open: bool,
    /// The upper end, which is outside: a power of two, or infinity where the format has no such power.
    pub high: u128,
}

/// The numbers of type `from` that fit into an integer type ([`fits_int`]) as a range.
pub fn int_range(from: FloatTy, to: IntTy) -> IntRange {
    const WIDE: IntTy = IntTy::new(128, true);
    let least = super::min(to);
    let below = from_int(from, WIDE, least.saturating_sub(1));
    let open = least > i128::MIN && to_int(from, WIDE, below) == least - 1;
    // All numbers of a small format are above what a wide integer starts with.
    let all = cwolf_float::class(from.format(), below) == cwolf_float::Class::Infinite;
    let open = open || all;
    let low = match open {
        true => below,
        false => from_int(from, WIDE, least),
    };
    let bits = i32::from(to.bits) - i32::from(to.signed);
    let one = from.format().one();
    let high = cwolf_float::scale(from.format(), MODE, one, bits);
    IntRange { low, open, high }
}

/// The encoding of a decimal or hexadecimal number as C writes it, without suffix.
pub fn parse(ty: FloatTy, text: &str) -> Option<u128> {
    let round = Round::NearestTiesToEven;
    with_format!(ty, F => F::from_str_r(text, round).ok().map(|v| v.value.to_bits()))
}

/// A decimal form that [`parse`] reads back to the same encoding; not for NaN payloads.
pub fn display(ty: FloatTy, bits: u128) -> String {
    with_format!(ty, F => format!("{}", F::from_bits(bits)))
}

/// As a double, rounded; for mathematics functions and printing.
pub fn to_f64(ty: FloatTy, bits: u128) -> f64 {
    f64::from_bits(convert(ty, FloatTy::F64, bits) as u64)
}

/// A double in the format `ty`.
pub fn from_f64(ty: FloatTy, value: f64) -> u128 {
    convert(FloatTy::F64, ty, u128::from(value.to_bits()))
}
