//! `errno.h`, `locale.h`, `signal.h`, and GNU builtins that arrive as calls.

use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Stop};
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{IntTy, TypeId};

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__errno_location" | "__errno" => |c| {
            let addr = c.m.library_object("errno", 4)?;
            Ok(Ret::Int(addr.into()))
        },
        "setlocale" => setlocale,
        "localeconv" => localeconv,
        "signal" | "bsd_signal" | "__sysv_signal" => signal,
        "sigaction" | "sigprocmask" | "sigemptyset" | "sigfillset" | "sigaddset" => {
            |_| Ok(Ret::Int(0))
        }
        "raise" => raise,
        "kill" => |c| {
            let number = c.int32(1)?;
            deliver(c, number)
        },
        "__builtin_expect" | "__builtin_expect_with_probability" => |c| Ok(Ret::Int(c.int(0)?)),
        "__builtin_assume_aligned" => |c| Ok(Ret::Int(c.int(0)?)),
        "__builtin_constant_p" => |_| Ok(Ret::Int(0)),
        "__builtin_object_size" | "__builtin_dynamic_object_size" => object_size,
        "__builtin_prefetch" | "__builtin_ia32_pause" | "__sync_synchronize" => |_| Ok(Ret::Void),
        "__builtin_return_address" | "__builtin_frame_address" => frame_address,
        "__builtin_extract_return_addr" | "__builtin_frob_return_addr" => {
            |c| Ok(Ret::Int(c.int(0)?))
        }
        "__stack_chk_fail" | "__chk_fail" | "__fortify_fail" => {
            |c| Err(c.fail(ErrorKind::Abort, "a check of the C library failed"))
        }
        "__builtin_unreachable" => |c| {
            let message = "control reached a place that the program promised it never would";
            Err(c.fail(ErrorKind::Unreachable, message))
        },
        _ => return bits(name).or_else(|| overflow(name)),
    })
}

/// Builtins on bits; the suffix says how wide the operand is.
fn bits(name: &str) -> Option<Native> {
    let name = name.strip_prefix("__builtin_")?;
    let plain = name.trim_end_matches('l');
    Some(match plain {
        "clz" | "ctz" | "popcount" | "parity" | "clrsb" => count_bits,
        "bswap16" | "bswap32" | "bswap64" => swap_bytes,
        _ => return None,
    })
}

fn count_bits(call: C<'_, '_, '_>) -> Result<Ret> {
    let name = call.name.strip_prefix("__builtin_").unwrap_or(call.name);
    let plain = name.trim_end_matches('l');
    let width = match name.len() - plain.len() {
        0 => 32,
        1 => call.word() as u16 * 8,
        _ => 64,
    };
    let word = value::wrap(IntTy::new(width, false), call.int(0)?) as u64;
    if word == 0 && matches!(plain, "clz" | "ctz") {
        return Err(call.fail(ErrorKind::BadCall, "the argument must not be zero"));
    }
    let unused = 64 - u32::from(width);
    let count = match plain {
        "clz" => word.leading_zeros() - unused,
        "ctz" => word.trailing_zeros(),
        "popcount" => word.count_ones(),
        "parity" => word.count_ones() % 2,
        _ => {
            let signed = value::wrap(IntTy::new(width, true), word.into()) as i64;
            let folded = (signed ^ (signed >> 63)) as u64;
            folded.leading_zeros() - unused - 1
        }
    };
    Ok(Ret::Int(count.into()))
}

fn swap_bytes(call: C<'_, '_, '_>) -> Result<Ret> {
    let word = call.int(0)? as u64;
    Ok(Ret::Int(match call.name {
        "__builtin_bswap16" => (word as u16).swap_bytes().into(),
        "__builtin_bswap32" => (word as u32).swap_bytes().into(),
        _ => word.swap_bytes().into(),
    }))
}

/// `__builtin_add_overflow` and its kin, typed or generic.
fn overflow(name: &str) -> Option<Native> {
    let name = name.strip_prefix("__builtin_")?.strip_suffix("_overflow")?;
    let operation = name.trim_start_matches(['s', 'u']).trim_end_matches('l');
    // `sub` loses its first letter to the signed forms.
    matches!(operation, "add" | "sub" | "ub" | "mul").then_some(checked as Native)
}

fn checked(call: C<'_, '_, '_>) -> Result<Ret> {
    let (a, b, to) = (call.int(0)?, call.int(1)?, call.ptr(2)?);
    let pointee = match call.args.get(2) {
        Some((_, ty)) => call.m.program.types.pointee(*ty),
        None => None,
    };
    let ty: TypeId = pointee.unwrap_or(cwolf_cwi::Types::INT);
    let int = value::int_type(&call.m.program.types, ty).unwrap_or(IntTy::INT);
    let name = call.name;
    let exact = if name.contains("add") {
        a.checked_add(b)
    } else if name.contains("mul") {
        a.checked_mul(b)
    } else {
        a.checked_sub(b)
    };
    let wrapped = if name.contains("add") {
        a.wrapping_add(b)
    } else if name.contains("mul") {
        a.wrapping_mul(b)
    } else {
        a.wrapping_sub(b)
    };
    let stored = value::wrap(int, wrapped);
    call.m.store_value(to, ty, None, Value::Int(stored))?;
    Ok(Ret::Int((exact != Some(stored)).into()))
}

fn setlocale(call: C<'_, '_, '_>) -> Result<Ret> {
    let name = call.ptr(1)?;
    if name != 0 {
        let name = call.string(name)?;
        if !matches!(&name[..], b"" | b"C" | b"POSIX") {
            return Ok(Ret::Int(0));
        }
    }
    Ok(call.constant("C")?)
}

fn localeconv(call: C<'_, '_, '_>) -> Result<Ret> {
    let word = call.word();
    let addr = call
        .m
        .library_object("the result of localeconv", 10 * word + 16)?;
    let empty = call.m.library_object("an empty string", 1)?;
    let point = call.m.library_object("the decimal point", 2)?;
    call.store_string(point, b".")?;
    call.store_ptr(addr, point)?;
    for n in 1..10 {
        call.store_ptr(addr + n * word, empty)?;
    }
    call.m.memory.fill(addr + 10 * word, 127, 14)?;
    Ok(Ret::Int(addr.into()))
}

fn signal(call: C<'_, '_, '_>) -> Result<Ret> {
    let (number, handler) = (call.int(0)?, call.ptr(1)?);
    let old = call.m.library.signals.insert(number, handler);
    Ok(Ret::Int(old.unwrap_or(0).into()))
}

fn raise(call: C<'_, '_, '_>) -> Result<Ret> {
    let number = call.int32(0)?;
    deliver(call, number)
}

fn deliver(call: C<'_, '_, '_>, number: i32) -> Result<Ret> {
    match call.m.library.signals.get(&number.into()).copied() {
        Some(1) => return Ok(Ret::Int(0)),
        Some(handler) if handler > 1 => {
            let arg = (Value::Int(number.into()), cwolf_cwi::Types::INT);
            call.m.call_address(handler, &[arg])?;
            return Ok(Ret::Int(0));
        }
        _ => {}
    }
    match number {
        6 => Err(call.fail(ErrorKind::Abort, "the program aborts")),
        // Signals that are ignored unless handled.
        0 | 17 | 18 | 23 | 28 => Ok(Ret::Int(0)),
        _ => {
            let text = super::strings::signal_text(number);
            Err(call.fail(
                ErrorKind::Signal,
                format!("the program ends itself: {text}"),
            ))
        }
    }
}

fn object_size(call: C<'_, '_, '_>) -> Result<Ret> {
    // What the compiler says when it does not know.
    let kind = call.int(1).unwrap_or(0);
    Ok(Ret::Int(if kind & 2 != 0 { 0 } else { -1 }))
}

/// Some address in the frame for level 0; nothing is known of outer frames.
fn frame_address(call: C<'_, '_, '_>) -> Result<Ret> {
    if call.int(0)? != 0 {
        return Ok(Ret::Int(0));
    }
    let addr = call.m.library_object("a frame", 16)?;
    Ok(Ret::Int(addr.into()))
}
