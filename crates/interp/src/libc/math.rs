//! `math.h` in its three precisions. Where Rust's standard library calls the system's
//! mathematics library, results are the system's own; `long double` versions of functions that
//! are not exact are computed as doubles.

mod exact;
mod special;

use super::{Call, Native, Ret};
use crate::error::Stop;
use crate::fmt::{Class, Parts};
use cwolf_cwi::FloatTy;
use cwolf_cwi::value::float;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

/// The precision that a name's suffix asks for, and the name without it.
fn split(name: &str) -> (&str, FloatTy) {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let name = name.strip_prefix("__cwolf_").unwrap_or(name);
    let name = name.strip_prefix("__").unwrap_or(name);
    let name = name.strip_suffix("_finite").unwrap_or(name);
    if is_known(name) {
        return (name, FloatTy::F64);
    }
    if let Some(plain) = name.strip_suffix('f')
        && is_known(plain)
    {
        return (plain, FloatTy::F32);
    }
    if let Some(plain) = name.strip_suffix('l')
        && is_known(plain)
    {
        return (plain, FloatTy::F80);
    }
    (name, FloatTy::F64)
}

fn is_known(name: &str) -> bool {
    special::unary64(name).is_some()
        || exact::is_exact(name)
        || matches!(
            name,
            "atan2" | "pow" | "hypot" | "sincos" | "lgamma_r" | "significand"
        )
}

/// Classification, which works on any type.
fn classifier(name: &str) -> Option<Native> {
    let name = name.strip_prefix("__").unwrap_or(name);
    Some(match name {
        "isnan" | "isnanf" | "isnanl" => |c| test(c, |p| p.class == Class::Nan),
        "isinf" | "isinff" | "isinfl" => isinf,
        "isinf_sign" => isinf,
        "isfinite" | "finite" | "finitef" | "finitel" => {
            |c| test(c, |p| !matches!(p.class, Class::Nan | Class::Infinite))
        }
        "isnormal" => |c| test(c, |p| p.class == Class::Normal),
        "signbit" | "signbitf" | "signbitl" => |c| test(c, |p| p.negative),
        "fpclassify" | "fpclassifyf" | "fpclassifyl" => fpclassify,
        "isgreater" => |c| ordered(c, |o| o == Some(std::cmp::Ordering::Greater)),
        "isgreaterequal" => |c| ordered(c, |o| o.is_some_and(std::cmp::Ordering::is_ge)),
        "isless" => |c| ordered(c, |o| o == Some(std::cmp::Ordering::Less)),
        "islessequal" => |c| ordered(c, |o| o.is_some_and(std::cmp::Ordering::is_le)),
        "islessgreater" => |c| ordered(c, |o| o.is_some_and(std::cmp::Ordering::is_ne)),
        "isunordered" => |c| ordered(c, |o| o.is_none()),
        "huge_val" | "inf" | "huge_valf" | "inff" | "huge_vall" | "infl" => {
            |_| Ok(f64::INFINITY.into())
        }
        "nan" | "nanf" | "nanl" | "nans" => |_| Ok(f64::NAN.into()),
        _ => return None,
    })
}

pub(super) fn find(name: &str) -> Option<Native> {
    if let Some(native) = classifier(name) {
        return Some(native);
    }
    is_known(split(name).0).then_some(compute as Native)
}

fn test(call: C<'_, '_, '_>, holds: fn(&Parts) -> bool) -> Result<Ret> {
    let (ty, bits) = call.float(0)?;
    Ok(Ret::Int(holds(&Parts::new(ty, bits)).into()))
}

fn isinf(call: C<'_, '_, '_>) -> Result<Ret> {
    let (ty, bits) = call.float(0)?;
    let parts = Parts::new(ty, bits);
    Ok(Ret::Int(match (parts.class, parts.negative) {
        (Class::Infinite, false) => 1,
        (Class::Infinite, true) => -1,
        _ => 0,
    }))
}

fn fpclassify(call: C<'_, '_, '_>) -> Result<Ret> {
    // The builtin gets its five answers first, then the number.
    let builtin = call.args.len() > 1;
    let (ty, bits) = call.float(if builtin { 5 } else { 0 })?;
    let class = Parts::new(ty, bits).class;
    let order = match class {
        Class::Nan => 0,
        Class::Infinite => 1,
        Class::Normal => 2,
        Class::Subnormal => 3,
        Class::Zero => 4,
    };
    if builtin {
        return Ok(Ret::Int(call.int(order)?));
    }
    Ok(Ret::Int([0, 1, 4, 3, 2][order]))
}

fn ordered(call: C<'_, '_, '_>, holds: fn(Option<std::cmp::Ordering>) -> bool) -> Result<Ret> {
    let (a, b) = (call.f64(0)?, call.f64(1)?);
    Ok(Ret::Int(holds(a.partial_cmp(&b)).into()))
}

fn compute(call: C<'_, '_, '_>) -> Result<Ret> {
    let (name, ty) = match split(call.name) {
        (name, FloatTy::F80) => (name, call.long_double()),
        found => found,
    };
    if exact::is_exact(name) {
        return exact::compute(call, name, ty);
    }
    let arg = |n: usize| -> Result<f64> { Ok(call.f64(n)?) };
    if ty == FloatTy::F32 {
        let single = |n: usize| -> Result<f32> {
            let (from, bits) = call.float(n)?;
            Ok(f32::from_bits(
                float::convert(from, FloatTy::F32, bits) as u32
            ))
        };
        let result = match name {
            "atan2" => Some(single(0)?.atan2(single(1)?)),
            "pow" => Some(single(0)?.powf(single(1)?)),
            "hypot" => Some(single(0)?.hypot(single(1)?)),
            _ => match special::unary32(name) {
                Some(f) => Some(f(single(0)?)),
                None => None,
            },
        };
        if let Some(value) = result {
            let singular = single(0)?.is_finite();
            range_error(call, value.into(), singular)?;
            return Ok(Ret::Float(FloatTy::F32, value.to_bits().into()));
        }
    }
    let value = match name {
        "atan2" => arg(0)?.atan2(arg(1)?),
        "pow" => arg(0)?.powf(arg(1)?),
        "hypot" => arg(0)?.hypot(arg(1)?),
        "sincos" => {
            let (sin, cos) = arg(0)?.sin_cos();
            let (to_sin, to_cos) = (call.ptr(1)?, call.ptr(2)?);
            store_float(call, ty, to_sin, sin)?;
            store_float(call, ty, to_cos, cos)?;
            return Ok(Ret::Void);
        }
        "lgamma_r" => {
            let x = arg(0)?;
            let sign = if special::gamma_negative(x) { -1 } else { 1 };
            let to = call.ptr(1)?;
            call.store(to, 4, sign)?;
            special::lgamma(x)
        }
        _ => {
            let f = special::unary64(name).expect("found by name");
            f(arg(0)?)
        }
    };
    let finite = call.f64(0)?.is_finite();
    range_error(call, value, finite)?;
    Ok(Ret::Float(ty, float::from_f64(ty, value)))
}

fn store_float(call: C<'_, '_, '_>, ty: FloatTy, addr: u64, value: f64) -> Result<()> {
    let bytes = call.bytes(float::from_f64(ty, value), float::encoded_size(ty));
    Ok(call.m.memory.store(addr, &bytes)?)
}

/// Sets `errno` as glibc does: a NaN or an infinity from finite arguments.
fn range_error(call: C<'_, '_, '_>, value: f64, finite: bool) -> Result<()> {
    let number = match value {
        v if v.is_nan() && finite => 33,
        v if v.is_infinite() && finite => 34,
        _ => return Ok(()),
    };
    Ok(call.m.set_errno(number)?)
}
