//! Floating-point operators on encodings, rounding to nearest, ties to even. Single and double
//! use the machine's own arithmetic; the x87 and quadruple formats are computed in software.

use super::{Value, wrap};
use crate::code::BinOp;
use crate::types::{FloatTy, IntTy};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// Runs `$body` with `$t` bound to the software format of `$ty`.
macro_rules! with_format {
    ($ty:expr, $t:ident => $body:expr) => {
        match $ty {
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
    Value::Float(match ty {
        FloatTy::F32 => {
            let (a, b) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
            u128::from(arithmetic(op, a, b).to_bits())
        }
        FloatTy::F64 => {
            let (a, b) = (f64::from_bits(left as u64), f64::from_bits(right as u64));
            u128::from(arithmetic(op, a, b).to_bits())
        }
        FloatTy::F80 => software::<X87DoubleExtended>(op, left, right),
        FloatTy::F128 => software::<Quad>(op, left, right),
    })
}

#[inline]
fn arithmetic<T>(op: BinOp, a: T, b: T) -> T
where
    T: std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>,
{
    match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        _ => panic!("no {} on floats", op.symbol()),
    }
}

fn software<F: Float>(op: BinOp, a: u128, b: u128) -> u128 {
    let (a, b) = (F::from_bits(a), F::from_bits(b));
    let round = Round::NearestTiesToEven;
    match op {
        BinOp::Add => a.add_r(b, round),
        BinOp::Sub => a.sub_r(b, round),
        BinOp::Mul => a.mul_r(b, round),
        BinOp::Div => a.div_r(b, round),
        _ => panic!("no {} on floats", op.symbol()),
    }
    .value
    .to_bits()
}

/// The order of two numbers; none if one of them is not a number.
pub fn compare(ty: FloatTy, left: u128, right: u128) -> Option<Ordering> {
    match ty {
        FloatTy::F32 => f32::from_bits(left as u32).partial_cmp(&f32::from_bits(right as u32)),
        FloatTy::F64 => f64::from_bits(left as u64).partial_cmp(&f64::from_bits(right as u64)),
        FloatTy::F80 => {
            X87DoubleExtended::from_bits(left).partial_cmp(&X87DoubleExtended::from_bits(right))
        }
        FloatTy::F128 => Quad::from_bits(left).partial_cmp(&Quad::from_bits(right)),
    }
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
    let sign = match ty {
        FloatTy::F32 => 31,
        FloatTy::F64 => 63,
        FloatTy::F80 => 79,
        FloatTy::F128 => 127,
    };
    operand ^ (1 << sign)
}

/// Whether it is plus or minus zero.
pub fn is_zero(ty: FloatTy, operand: u128) -> bool {
    with_format!(ty, F => F::from_bits(operand).is_zero())
}

/// The encoding in `to` of a number encoded in `from`.
pub fn convert(from: FloatTy, to: FloatTy, bits: u128) -> u128 {
    fn step<A: Float + FloatConvert<B>, B: Float>(bits: u128) -> u128 {
        A::from_bits(bits)
            .convert_r(Round::NearestTiesToEven, &mut false)
            .value
            .to_bits()
    }
    if from == to {
        return bits;
    }
    with_format!(from, A => with_format!(to, B => step::<A, B>(bits)))
}

/// The float nearest to an integer of type `from`.
pub fn from_int(to: FloatTy, from: IntTy, value: i128) -> u128 {
    let round = Round::NearestTiesToEven;
    if from.signed || value >= 0 {
        with_format!(to, F => F::from_i128_r(value, round).value.to_bits())
    } else {
        with_format!(to, F => F::from_u128_r(value as u128, round).value.to_bits())
    }
}

/// A float truncated to an integer. Where C leaves the result undefined, it is what gcc's
/// x86 code computes.
pub fn to_int(from: FloatTy, to: IntTy, bits: u128) -> i128 {
    // x86 converts to a signed word of 32 or 64 bits and keeps the low part.
    let word = match (to.bits, to.signed) {
        (..=31, _) | (32, true) => 32,
        (..=63, _) | (64, true) => 64,
        _ => to.bits,
    };
    with_format!(from, F => {
        let float = F::from_bits(bits);
        let mut exact = false;
        let signed = float.to_i128_r(128, Round::TowardZero, &mut exact);
        let fits = |v: i128| word == 128 || (v >> (word - 1)) == 0 || (v >> (word - 1)) == -1;
        if to.bits > 63 && !to.signed && !float.is_negative() {
            let unsigned = float.to_u128_r(to.bits as usize, Round::TowardZero, &mut exact);
            if !unsigned.status.contains(rustc_apfloat::Status::INVALID_OP) {
                return unsigned.value as i128;
            }
            return 0;
        }
        if signed.status.contains(rustc_apfloat::Status::INVALID_OP) || !fits(signed.value) {
            return wrap(to, i128::MIN >> (128 - word));
        }
        wrap(to, signed.value)
    })
}

/// Whether a number fits into an integer type once its fraction is dropped.
pub fn fits_int(from: FloatTy, to: IntTy, bits: u128) -> bool {
    with_format!(from, F => {
        let (float, width) = (F::from_bits(bits), usize::from(to.bits));
        let mut exact = false;
        let status = if to.signed {
            float.to_i128_r(width, Round::TowardZero, &mut exact).status
        } else {
            float.to_u128_r(width, Round::TowardZero, &mut exact).status
        };
        !status.contains(rustc_apfloat::Status::INVALID_OP)
    })
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
