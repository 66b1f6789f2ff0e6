//! Functions whose result is exact or correctly rounded in every precision.

use super::super::{Call, Ret};
use super::{Result, store_float};
use crate::fmt::{Class, Parts};
use cwolf_cwi::value::{Value, float};
use cwolf_cwi::{BinOp, FloatTy, IntTy};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};

/// Whether the function is in this file.
pub(super) fn is_exact(name: &str) -> bool {
    matches!(
        name,
        "fabs"
            | "floor"
            | "ceil"
            | "trunc"
            | "round"
            | "roundeven"
            | "rint"
            | "nearbyint"
            | "lrint"
            | "llrint"
            | "lround"
            | "llround"
            | "sqrt"
            | "fmod"
            | "remainder"
            | "drem"
            | "copysign"
            | "fmax"
            | "fmin"
            | "fdim"
            | "ldexp"
            | "scalbn"
            | "scalbln"
            | "frexp"
            | "modf"
            | "logb"
            | "ilogb"
            | "nextafter"
            | "nexttoward"
    )
}

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

pub(super) fn compute(call: &mut Call<'_, '_>, name: &str, ty: FloatTy) -> Result<Ret> {
    let get = |call: &Call<'_, '_>, n: usize| -> Result<u128> {
        let (from, bits) = call.float(n)?;
        Ok(float::convert(from, ty, bits))
    };
    let a = get(call, 0)?;
    let parts = Parts::new(ty, a);
    let integral = |round: Round| with_format!(ty, F => F::from_bits(a).round_to_integral(round).value.to_bits());
    let bits = match name {
        "fabs" if parts.negative => float::neg(ty, a),
        "fabs" => a,
        "floor" => integral(Round::TowardNegative),
        "ceil" => integral(Round::TowardPositive),
        "trunc" => integral(Round::TowardZero),
        "round" => integral(Round::NearestTiesToAway),
        "rint" | "nearbyint" | "roundeven" => integral(Round::NearestTiesToEven),
        "lrint" | "llrint" => return Ok(to_integer(ty, integral(Round::NearestTiesToEven))),
        "lround" | "llround" => return Ok(to_integer(ty, integral(Round::NearestTiesToAway))),
        "sqrt" => {
            if parts.negative && !matches!(parts.class, Class::Zero | Class::Nan) {
                call.m.set_errno(33)?;
            }
            sqrt(ty, a, &parts)
        }
        "fmod" | "remainder" | "drem" => {
            let b = get(call, 1)?;
            if Parts::new(ty, b).class == Class::Zero || parts.class == Class::Infinite {
                call.m.set_errno(33)?;
            }
            match name {
                "fmod" => {
                    with_format!(ty, F => F::from_bits(a).c_fmod(F::from_bits(b)).value.to_bits())
                }
                _ => {
                    with_format!(ty, F => F::from_bits(a).ieee_rem(F::from_bits(b)).value.to_bits())
                }
            }
        }
        "copysign" => {
            let b = Parts::new(ty, get(call, 1)?);
            match parts.negative == b.negative {
                true => a,
                false => float::neg(ty, a),
            }
        }
        "fmax" | "fmin" => {
            let b = get(call, 1)?;
            let larger = name == "fmax";
            match (parts.class, Parts::new(ty, b).class) {
                (Class::Nan, _) => b,
                (_, Class::Nan) => a,
                _ => match float::compare(ty, a, b) {
                    Some(std::cmp::Ordering::Less) if larger => b,
                    Some(std::cmp::Ordering::Greater) if !larger => b,
                    _ => a,
                },
            }
        }
        "fdim" => {
            let b = get(call, 1)?;
            match float::compare(ty, a, b) {
                Some(std::cmp::Ordering::Greater) => subtract(ty, a, b),
                Some(_) => 0,
                None => float::from_f64(ty, f64::NAN),
            }
        }
        "ldexp" | "scalbn" | "scalbln" => {
            let by = call.int(1)?.clamp(-100_000, 100_000) as i32;
            let round = Round::NearestTiesToEven;
            with_format!(ty, F => F::from_bits(a).scalbn_r(by, round).to_bits())
        }
        "frexp" => {
            let to = call.ptr(1)?;
            let (bits, exponent) = match parts.class {
                Class::Normal | Class::Subnormal => {
                    let width = 128 - parts.mantissa.leading_zeros() as i32;
                    let exponent = parts.exponent + width;
                    let round = Round::NearestTiesToEven;
                    let bits =
                        with_format!(ty, F => F::from_bits(a).scalbn_r(-exponent, round).to_bits());
                    (bits, exponent)
                }
                _ => (a, 0),
            };
            call.store(to, 4, exponent.into())?;
            bits
        }
        "modf" => {
            let to = call.ptr(1)?;
            let whole = integral(Round::TowardZero);
            let bytes = whole.to_le_bytes();
            let size = float::encoded_size(ty);
            call.m.memory.store(to, &bytes[..size])?;
            let rest = match parts.class {
                Class::Infinite => 0,
                _ => subtract(ty, a, whole),
            };
            // The fraction has the sign of the number, also when it is zero.
            match Parts::new(ty, rest).negative == parts.negative {
                true => rest,
                false => float::neg(ty, rest),
            }
        }
        "logb" | "ilogb" => {
            let exponent = match parts.class {
                Class::Normal | Class::Subnormal => {
                    parts.exponent + 127 - parts.mantissa.leading_zeros() as i32
                }
                Class::Zero if name == "logb" => return Ok(f64::NEG_INFINITY.into()),
                Class::Infinite if name == "logb" => return Ok(f64::INFINITY.into()),
                Class::Nan if name == "logb" => return Ok(Ret::Float(ty, a)),
                Class::Infinite => i32::MAX,
                _ => i32::MIN,
            };
            if name == "ilogb" {
                return Ok(Ret::Int(exponent.into()));
            }
            float::from_f64(ty, exponent.into())
        }
        "nextafter" | "nexttoward" => {
            // The second argument of `nexttoward` is a long double in all forms.
            let (other, b) = call.float(1)?;
            next(ty, a, other, b)
        }
        _ => {
            store_float(call, ty, 0, 0.0)?;
            unreachable!("listed above")
        }
    };
    Ok(Ret::Float(ty, bits))
}

fn subtract(ty: FloatTy, a: u128, b: u128) -> u128 {
    match float::binary(BinOp::Sub, ty, a, b) {
        Value::Float(bits) => bits,
        Value::Int(_) => 0,
    }
}

fn to_integer(ty: FloatTy, bits: u128) -> Ret {
    Ret::Int(float::to_int(ty, IntTy::new(64, true), bits))
}

fn next(ty: FloatTy, a: u128, other: FloatTy, b: u128) -> u128 {
    let wide = float::convert(ty, FloatTy::F128, a);
    let b = float::convert(other, FloatTy::F128, b);
    match float::compare(FloatTy::F128, wide, b) {
        None if Parts::new(ty, a).class == Class::Nan => a,
        None => float::from_f64(ty, f64::NAN),
        Some(std::cmp::Ordering::Equal) => float::convert(FloatTy::F128, ty, b),
        Some(std::cmp::Ordering::Less) => {
            with_format!(ty, F => F::from_bits(a).next_up().value.to_bits())
        }
        Some(std::cmp::Ordering::Greater) => {
            with_format!(ty, F => F::from_bits(a).next_down().value.to_bits())
        }
    }
}

/// The correctly rounded square root.
fn sqrt(ty: FloatTy, bits: u128, parts: &Parts) -> u128 {
    match (ty, parts.class) {
        (FloatTy::F32, _) => return f32::from_bits(bits as u32).sqrt().to_bits().into(),
        (FloatTy::F64, _) => return f64::from_bits(bits as u64).sqrt().to_bits().into(),
        (_, Class::Zero | Class::Nan) => return bits,
        (_, Class::Infinite) if !parts.negative => return bits,
        _ if parts.negative => return float::neg(ty, float::from_f64(ty, f64::NAN)),
        _ => {}
    }
    if ty == FloatTy::F128 {
        return float::from_f64(ty, float::to_f64(ty, bits).sqrt());
    }
    // Scale to a 128-bit integer with an even exponent: the root has 64 bits, its remainder
    // tells how to round.
    let mut shift = parts.mantissa.leading_zeros() as i32;
    if (parts.exponent - shift) % 2 != 0 {
        shift -= 1;
    }
    let mantissa = parts.mantissa << shift;
    let exponent = (parts.exponent - shift) / 2;
    let root = mantissa.isqrt();
    let rest = mantissa - root * root;
    let root = if rest > root { root + 1 } else { root };
    let wide = IntTy::new(128, false);
    let value = float::from_int(ty, wide, root as i128);
    let scaled = X87DoubleExtended::from_bits(value);
    scaled
        .scalbn_r(exponent, Round::NearestTiesToEven)
        .to_bits()
}
