//! Functions whose result is exact or correctly rounded in every precision.

use super::super::{Call, Ret};
use super::{Result, store_float};
use crate::fmt::{Class, Parts};
use cwolf_cwi::value::{Value, float};
use cwolf_cwi::{BinOp, FloatTy, IntTy};
use cwolf_float::Mode;

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
            | "fma"
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

pub(super) fn compute(call: &mut Call<'_, '_>, name: &str, ty: FloatTy) -> Result<Ret> {
    let get = |call: &Call<'_, '_>, n: usize| -> Result<u128> {
        let (from, bits) = call.float(n)?;
        Ok(float::convert(from, ty, bits))
    };
    let a = get(call, 0)?;
    let parts = Parts::new(ty, a);
    let f = ty.format();
    let integral = |mode: Mode| cwolf_float::round_to_integral(f, mode, a);
    let bits = match name {
        "fabs" if parts.negative => float::neg(ty, a),
        "fabs" => a,
        "floor" => integral(Mode::Down),
        "ceil" => integral(Mode::Up),
        "trunc" => integral(Mode::Zero),
        "round" => integral(Mode::NearestAway),
        "rint" | "nearbyint" | "roundeven" => integral(Mode::NearestEven),
        "lrint" | "llrint" => return Ok(to_integer(ty, integral(Mode::NearestEven))),
        "lround" | "llround" => return Ok(to_integer(ty, integral(Mode::NearestAway))),
        "sqrt" => {
            if parts.negative && !matches!(parts.class, Class::Zero | Class::Nan) {
                call.m.set_errno(33)?;
            }
            cwolf_float::sqrt(f, Mode::NearestEven, a)
        }
        "fma" => {
            let (b, c) = (get(call, 1)?, get(call, 2)?);
            cwolf_float::fma(f, Mode::NearestEven, a, b, c)
        }
        "fmod" | "remainder" | "drem" => {
            let b = get(call, 1)?;
            if Parts::new(ty, b).class == Class::Zero || parts.class == Class::Infinite {
                call.m.set_errno(33)?;
            }
            match name {
                "fmod" => cwolf_float::fmod(f, a, b),
                _ => cwolf_float::remainder(f, a, b),
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
            cwolf_float::scale(f, Mode::NearestEven, a, by)
        }
        "frexp" => {
            let to = call.ptr(1)?;
            let (bits, exponent) = match parts.class {
                Class::Normal | Class::Subnormal => {
                    let width = 128 - parts.mantissa.leading_zeros() as i32;
                    let exponent = parts.exponent + width;
                    let bits = cwolf_float::scale(f, Mode::NearestEven, a, -exponent);
                    (bits, exponent)
                }
                _ => (a, 0),
            };
            call.store(to, 4, exponent.into())?;
            bits
        }
        "modf" => {
            let to = call.ptr(1)?;
            let whole = integral(Mode::Zero);
            let bytes = call.bytes(whole, float::encoded_size(ty));
            call.m.memory.store(to, &bytes)?;
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
        Some(std::cmp::Ordering::Less) => cwolf_float::next_up(ty.format(), a),
        Some(std::cmp::Ordering::Greater) => cwolf_float::next_down(ty.format(), a),
    }
}
