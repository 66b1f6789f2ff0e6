//! What SV-COMP programs call: open values, assumptions, the error to be reached.

use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Stop};
use cwolf_cwi::value::Value;
use cwolf_cwi::{FloatTy, Type};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__VERIFIER_assume" => assume,
        "__VERIFIER_assert" => assert,
        "__VERIFIER_error" | "reach_error" => error,
        "__cwolf_slic_abort" => |call| Err(call.fail(ErrorKind::ReachError, "the rule is broken")),
        "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => |_| Ok(Ret::Void),
        "__VERIFIER_nondet_memory" => return None,
        _ if name.starts_with("__VERIFIER_nondet") => nondet,
        "abort" => |call| Err(call.fail(ErrorKind::Abort, "the program aborts")),
        "__assert_fail" => assert_fail,
        "__assert" => assert_bsd,
        "__assert_rtn" => assert_rtn,
        "__builtin_trap" => |call| Err(call.fail(ErrorKind::Abort, "the program ran into a trap")),
        _ => return None,
    })
}

fn assume(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    match call.int(0)? {
        0 => Err(Stop::AssumeFailed),
        _ => Ok(Ret::Void),
    }
}

fn assert(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    match call.int(0)? {
        0 => Err(call.fail(ErrorKind::AssertionFailed, "the assertion is false")),
        _ => Ok(Ret::Void),
    }
}

fn error(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    Err(call.fail(ErrorKind::ReachError, "the error is reached"))
}

fn nondet(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let types = &call.m.program.types;
    if !types.is_scalar(call.ret) {
        return Ok(Ret::Void);
    }
    let value = call.m.choose(call.ret)?;
    Ok(match (value, &types[call.ret]) {
        (Value::Int(v), _) => Ret::Int(v),
        (Value::Float(bits), Type::Float(f)) => Ret::Float(*f, bits),
        (Value::Float(bits), _) => Ret::Float(FloatTy::F64, bits),
    })
}

fn failed(call: &Call<'_, '_>, what: u64) -> Stop {
    let text = call.string(what).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    call.fail(
        ErrorKind::AssertionFailed,
        format!("the assertion {text} is false"),
    )
}

fn assert_fail(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    Err(failed(call, call.ptr(0)?))
}

fn assert_bsd(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    Err(failed(call, call.ptr(0)?))
}

fn assert_rtn(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    Err(failed(call, call.ptr(3)?))
}
