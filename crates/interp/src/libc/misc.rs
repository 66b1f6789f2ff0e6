//! `errno.h`, `signal.h`, and GNU builtins that arrive as calls.

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
        "signal" | "bsd_signal" | "__sysv_signal" => signal,
        "sigaction" | "__sigaction" => sigaction,
        "sigprocmask" | "pthread_sigmask" => sigprocmask,
        "sigemptyset" => |c| fill_set(c, 0),
        "sigfillset" => |c| fill_set(c, 0xff),
        "sigaddset" => |c| change_set(c, true),
        "sigdelset" => |c| change_set(c, false),
        "sigismember" => sigismember,
        "getcontext" | "setcontext" | "makecontext" | "swapcontext" => {
            |c| Err(c.fail(ErrorKind::Unsupported, "user contexts are not supported"))
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
            let message = "control reached a place that the program calls unreachable";
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

fn signal(call: C<'_, '_, '_>) -> Result<Ret> {
    let (number, handler) = (call.int(0)?, call.ptr(1)?);
    let old = call.m.library.signals.insert(number, handler);
    Ok(Ret::Int(old.unwrap_or(0).into()))
}

/// Bytes of a `sigset_t`.
const SET: u64 = 128;

/// `sigaction`: the handler is the first word of both structures.
fn sigaction(call: C<'_, '_, '_>) -> Result<Ret> {
    let (number, new, old) = (call.int(0)?, call.ptr(1)?, call.ptr(2)?);
    let word = call.word();
    let handler = match new {
        0 => None,
        _ => Some(call.load_ptr(new)?),
    };
    if !(1..=64).contains(&number) || (handler.is_some() && matches!(number, 9 | 19)) {
        call.m.set_errno(22)?;
        return Ok(Ret::Int(-1));
    }
    let before = call.m.library.signals.get(&number).copied().unwrap_or(0);
    if old != 0 {
        // Handler, mask, flags, restorer: all that is known is the handler.
        call.m.memory.fill(old, 0, SET + 3 * word)?;
        call.store_ptr(old, before)?;
    }
    if let Some(handler) = handler {
        call.m.library.signals.insert(number, handler);
    }
    Ok(Ret::Int(0))
}

/// Signals only come when the program raises them, and masks are not kept.
fn sigprocmask(call: C<'_, '_, '_>) -> Result<Ret> {
    let (new, old) = (call.ptr(1)?, call.ptr(2)?);
    if new != 0 {
        call.m.memory.readable(new, 8)?;
    }
    if old != 0 {
        call.m.memory.fill(old, 0, SET)?;
    }
    Ok(Ret::Int(0))
}

fn fill_set(call: C<'_, '_, '_>, byte: u8) -> Result<Ret> {
    let set = call.ptr(0)?;
    call.m.memory.fill(set, byte, SET)?;
    if byte != 0 {
        // The two that the library keeps for itself are never in a set.
        call.m.memory.store(set + 3, &[0x7f])?;
        call.m.memory.store(set + 4, &[0xfe])?;
    }
    Ok(Ret::Int(0))
}

/// The byte and bit of a signal in a set; none if there is no such signal.
fn member(call: C<'_, '_, '_>) -> Result<Option<(u64, u8)>> {
    let (set, number) = (call.ptr(0)?, call.int(1)?);
    if !(1..=64).contains(&number) {
        call.m.set_errno(22)?;
        return Ok(None);
    }
    let bit = number as u64 - 1;
    Ok(Some((set.wrapping_add(bit / 8), 1 << (bit % 8))))
}

fn change_set(call: C<'_, '_, '_>, add: bool) -> Result<Ret> {
    let Some((at, bit)) = member(call)? else {
        return Ok(Ret::Int(-1));
    };
    let byte = call.load(at, 1, false)? as u8;
    let byte = if add { byte | bit } else { byte & !bit };
    call.m.memory.store(at, &[byte])?;
    Ok(Ret::Int(0))
}

fn sigismember(call: C<'_, '_, '_>) -> Result<Ret> {
    match member(call)? {
        Some((at, bit)) => Ok(Ret::Int((call.load(at, 1, false)? as u8 & bit != 0).into())),
        None => Ok(Ret::Int(-1)),
    }
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
            let text = super::messages::signal_text(number);
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
