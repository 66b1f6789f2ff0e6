//! `stdlib.h`: numbers from text, arithmetic, the end of the program, the environment.

use super::scanf::is_space;
use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Stop};
use crate::memory::{Fill, Kind};
use cwolf_cwi::value::{self, float};
use cwolf_cwi::{FloatTy, IntTy};

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    let plain = name.strip_prefix("__isoc23_").unwrap_or(name);
    let plain = match plain {
        "__strtol_internal" => "strtol",
        "__strtoul_internal" => "strtoul",
        "__strtoll_internal" => "strtoll",
        "__strtoull_internal" => "strtoull",
        "__strtod_internal" => "strtod",
        other => other,
    };
    Some(match plain {
        "atoi" | "atol" => |c| ato(c, false),
        "atoll" => |c| ato(c, true),
        "atof" => |c| {
            let text = c.string(c.ptr(0)?)?;
            let bits = parse_float(FloatTy::F64, &text).map_or(0, |(bits, _)| bits);
            Ok(Ret::Float(FloatTy::F64, bits))
        },
        "strtol" => |c| strto(c, true, false),
        "strtoul" => |c| strto(c, false, false),
        "strtoll" | "strtoimax" | "strtoq" => |c| strto(c, true, true),
        "strtoull" | "strtoumax" | "strtouq" => |c| strto(c, false, true),
        "strtod" => |c| strtof(c, FloatTy::F64),
        "strtof" => |c| strtof(c, FloatTy::F32),
        "strtold" => |c| strtof(c, c.long_double()),
        "abs" => |c| Ok(Ret::Int(i128::from(c.int32(0)?.wrapping_abs()))),
        "labs" | "llabs" | "imaxabs" => |c| Ok(Ret::Int(c.int(0)?.wrapping_abs())),
        "div" => |c| divide(c, 4),
        "ldiv" => |c| {
            let word = c.word();
            divide(c, word)
        },
        "lldiv" | "imaxdiv" => |c| divide(c, 8),
        "exit" => |c| {
            let status = c.int32(0)?;
            c.m.exit(status).map(|_| Ret::Void)
        },
        "_Exit" | "_exit" => |c| {
            let status = c.int32(0)? & 0xff;
            // What is in buffers is lost.
            c.m.library.streams = super::Streams::default();
            Err(Stop::Exit(status))
        },
        "quick_exit" => |c| {
            while let Some(func) = c.m.library.at_quick_exit.pop() {
                c.m.call_address(func, &[])?;
            }
            c.m.library.streams = super::Streams::default();
            Err(Stop::Exit(c.int32(0)? & 0xff))
        },
        "at_quick_exit" => |c| {
            let func = c.ptr(0)?;
            c.m.library.at_quick_exit.push(func);
            Ok(Ret::Int(0))
        },
        "clearenv" => |c| {
            let addr = c.m.string_list(&[])?;
            set_environment(c, addr)?;
            Ok(Ret::Int(0))
        },
        "a64l" => a64l,
        "l64a" => l64a,
        "atexit" => |c| {
            let func = c.ptr(0)?;
            c.m.library.at_exit.push((func, None));
            Ok(Ret::Int(0))
        },
        "on_exit" => |c| {
            let (func, arg) = (c.ptr(0)?, c.ptr(1)?);
            c.m.library.at_exit.push((func, Some(arg)));
            Ok(Ret::Int(0))
        },
        "getenv" | "secure_getenv" => getenv,
        "setenv" => setenv,
        "putenv" => putenv,
        "unsetenv" => unsetenv,
        "system" => |c| {
            let command = c.ptr(0)?;
            if command == 0 {
                return Ok(Ret::Int(1));
            }
            c.string(command)?;
            Err(c.fail(ErrorKind::Unsupported, "commands are not run"))
        },
        _ => return None,
    })
}

fn ato(call: C<'_, '_, '_>, long: bool) -> Result<Ret> {
    let text = call.string(call.ptr(0)?)?;
    let bits = if long { 64 } else { call.word() as u16 * 8 };
    let (value, _, _) = parse_int(&text, 10, false);
    let ty = IntTy::new(bits, true);
    Ok(Ret::Int(value.clamp(value::min(ty), value::max(ty))))
}

/// A number at the start of a text: its value (huge if out of range), the bytes it takes (0 if
/// there is none) and whether it has a minus sign.
fn parse_int(text: &[u8], base: u32, binary: bool) -> (i128, usize, bool) {
    let mut at = text.iter().take_while(|b| is_space(**b)).count();
    let negative = text.get(at) == Some(&b'-');
    at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    let mut base = base;
    let hex = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
    if hex && (base == 0 || base == 16) {
        base = 16;
        at += 2;
    } else if binary
        && matches!(base, 0 | 2)
        && text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'b' | b'B'))
        && matches!(text.get(at + 2), Some(b'0' | b'1'))
    {
        // C23 has binary numbers.
        base = 2;
        at += 2;
    } else if base == 0 {
        base = if text.get(at) == Some(&b'0') { 8 } else { 10 };
    }
    let start = at;
    let mut value: i128 = 0;
    while let Some(digit) = text.get(at).and_then(|b| char::from(*b).to_digit(base)) {
        value = value
            .saturating_mul(base.into())
            .saturating_add(digit.into());
        at += 1;
    }
    if at == start {
        return (0, 0, false);
    }
    (if negative { -value } else { value }, at, negative)
}

const ERANGE: i32 = 34;
const EINVAL: i32 = 22;

fn strto(call: C<'_, '_, '_>, signed: bool, long: bool) -> Result<Ret> {
    let (from, end) = (call.ptr(0)?, call.ptr(1)?);
    let base = call.int32(2)?;
    let text = call.string(from)?;
    let (result, used) = to_number(call, &text, base, signed, long)?;
    if end != 0
        && let Some(used) = used
    {
        call.store_ptr(end, from + used as u64)?;
    }
    Ok(result)
}

/// The number at the start of a text, as `strtol` returns it, and how many characters it takes;
/// none if the base makes no sense.
pub(super) fn to_number(
    call: C<'_, '_, '_>,
    text: &[u8],
    base: i32,
    signed: bool,
    long: bool,
) -> Result<(Ret, Option<usize>)> {
    if base < 0 || base == 1 || base > 36 {
        call.m.set_errno(EINVAL)?;
        return Ok((Ret::Int(0), None));
    }
    let binary = call.name.starts_with("__isoc23");
    let (value, used, negative) = parse_int(text, base as u32, binary);
    let bits = if long { 64 } else { call.word() as u16 * 8 };
    let ty = IntTy::new(bits, signed);
    let (low, high) = match signed {
        true => (value::min(ty), value::max(ty)),
        // A minus sign negates within the unsigned type.
        false => (-value::max(ty), value::max(ty)),
    };
    if value < low || value > high {
        call.m.set_errno(ERANGE)?;
        let limit = match (signed, negative) {
            (true, true) => low,
            _ => high,
        };
        return Ok((Ret::Int(limit), Some(used)));
    }
    Ok((Ret::Int(value::wrap(ty, value)), Some(used)))
}

/// A floating-point number at the start of a text: its encoding and the bytes it takes.
pub(super) fn parse_float(ty: FloatTy, text: &[u8]) -> Option<(u128, usize)> {
    let space = text.iter().take_while(|b| is_space(**b)).count();
    let rest = &text[space..];
    let negative = rest.first() == Some(&b'-');
    let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
    let rest = &rest[sign..];
    let starts = |word: &str| {
        rest.get(..word.len())
            .is_some_and(|r| r.eq_ignore_ascii_case(word.as_bytes()))
    };
    let (bits, used) = if starts("infinity") {
        (float::from_f64(ty, f64::INFINITY), 8)
    } else if starts("inf") {
        (float::from_f64(ty, f64::INFINITY), 3)
    } else if starts("nan") {
        let tail = rest[3..].strip_prefix(b"(").and_then(|r| {
            let end = r.iter().position(|b| *b == b')')?;
            let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
            r[..end].iter().all(word).then_some(end + 2)
        });
        (float::from_f64(ty, f64::NAN), 3 + tail.unwrap_or(0))
    } else {
        let (number, used) = number_text(rest)?;
        (float::parse(ty, &number)?, used)
    };
    let bits = if negative { float::neg(ty, bits) } else { bits };
    Some((bits, space + sign + used))
}

/// The longest number at the start of a text, in the form that the parser wants.
fn number_text(text: &[u8]) -> Option<(String, usize)> {
    let hex = text.len() > 2
        && text[0] == b'0'
        && text[1].eq_ignore_ascii_case(&b'x')
        && (text[2].is_ascii_hexdigit()
            || (text[2] == b'.' && text.get(3).is_some_and(u8::is_ascii_hexdigit)));
    let is_digit = |b: &u8| {
        if hex {
            b.is_ascii_hexdigit()
        } else {
            b.is_ascii_digit()
        }
    };
    let mut at = if hex { 2 } else { 0 };
    let whole = text[at..].iter().take_while(|b| is_digit(b)).count();
    at += whole;
    let mut fraction = 0;
    if text.get(at) == Some(&b'.') {
        fraction = text[at + 1..].iter().take_while(|b| is_digit(b)).count();
        if whole + fraction > 0 {
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    let mark = if hex { b'p' } else { b'e' };
    let mut exponent = 0;
    if text.get(at).is_some_and(|b| b.eq_ignore_ascii_case(&mark)) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let digits = text[at + 1 + sign..].iter();
        exponent = digits.take_while(|b| b.is_ascii_digit()).count();
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    let mut number = String::from_utf8_lossy(&text[..at]).into_owned();
    if hex && exponent == 0 {
        number.push_str("p0");
    }
    Some((number, at))
}

fn strtof(call: C<'_, '_, '_>, ty: FloatTy) -> Result<Ret> {
    let (from, end) = (call.ptr(0)?, call.ptr(1)?);
    let text = call.string(from)?;
    let parsed = parse_float(ty, &text);
    let (bits, used) = parsed.unwrap_or((0, 0));
    if end != 0 {
        call.store_ptr(end, from + used as u64)?;
    }
    let class = crate::fmt::Parts::new(ty, bits).class;
    let infinite = class == crate::fmt::Class::Infinite;
    let digits = text[..used].iter().any(|b| (b'1'..=b'9').contains(b));
    let spelled = text[..used].iter().any(|b| b.eq_ignore_ascii_case(&b'i'));
    let tiny = matches!(class, crate::fmt::Class::Zero) && digits && !spelled;
    if (infinite && !spelled) || tiny && !text[..used].iter().all(|b| *b == b'0') {
        call.m.set_errno(ERANGE)?;
    }
    Ok(Ret::Float(ty, bits))
}

fn divide(call: C<'_, '_, '_>, size: u64) -> Result<Ret> {
    let ty = IntTy::new(size as u16 * 8, true);
    let (a, b) = (call.int(0)?, call.int(1)?);
    let quotient = value::int_binary(cwolf_cwi::BinOp::Div, ty, a, b)?;
    let remainder = value::int_binary(cwolf_cwi::BinOp::Rem, ty, a, b)?;
    let mut bytes = call.bytes(quotient as u128, size as usize);
    bytes.extend(call.bytes(remainder as u128, size as usize));
    Ok(Ret::Bytes(bytes))
}

/// Addresses of the environment's strings.
fn environment(call: &Call<'_, '_>) -> Result<Vec<u64>> {
    let mut list = Vec::new();
    let mut at = call.m.library.environment;
    loop {
        match call.load_ptr(at)? {
            0 => return Ok(list),
            entry => list.push(entry),
        }
        at += call.word();
    }
}

fn getenv(call: C<'_, '_, '_>) -> Result<Ret> {
    let name = call.string(call.ptr(0)?)?;
    Ok(Ret::Int(lookup_environment(call, &name)?.into()))
}

/// The address of a variable's value in the environment; 0 if it is not there.
pub(super) fn lookup_environment(call: &Call<'_, '_>, name: &[u8]) -> Result<u64> {
    let mut start = name.to_vec();
    start.push(b'=');
    for entry in environment(call)? {
        if call.m.memory.c_string(entry)?.starts_with(&start) {
            return Ok(entry + start.len() as u64);
        }
    }
    Ok(0)
}

/// Replaces the environment: without `name`, with `entry` if it is not 0.
fn change(call: C<'_, '_, '_>, name: &[u8], entry: u64) -> Result<()> {
    let mut prefix = name.to_vec();
    prefix.push(b'=');
    let mut list = Vec::new();
    for old in environment(call)? {
        if !call.m.memory.c_string(old)?.starts_with(&prefix) {
            list.push(old);
        }
    }
    if entry != 0 {
        list.push(entry);
    }
    let word = call.word();
    let size = (list.len() as u64 + 1) * word;
    let kind = Kind::Library("the environment");
    let id = call.m.memory.alloc(size, word, kind, Fill::Zero, None)?;
    let addr = call.m.memory.address(id);
    for (n, entry) in list.into_iter().enumerate() {
        call.store_ptr(addr + n as u64 * word, entry)?;
    }
    set_environment(call, addr)
}

/// Makes the list at `addr` the environment, also for a program that looks at `environ`.
fn set_environment(call: C<'_, '_, '_>, addr: u64) -> Result<()> {
    call.m.library.environment = addr;
    let program = call.m.program;
    for (id, var) in program.vars.enumerate() {
        if matches!(var.name.as_str(), "environ" | "__environ") && !var.kind.is_automatic() {
            let at = call.m.memory.address(call.m.global(id));
            call.store_ptr(at, addr)?;
        }
    }
    Ok(())
}

/// The digits of `a64l` and `l64a`.
const DIGITS64: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn a64l(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.m.memory.c_string_within(call.ptr(0)?, 6)?;
    let mut value: u32 = 0;
    for (n, byte) in text.iter().enumerate() {
        match DIGITS64.iter().position(|d| d == byte) {
            Some(digit) => value |= (digit as u32) << (6 * n),
            None => break,
        }
    }
    Ok(Ret::Int((value as i32).into()))
}

fn l64a(call: C<'_, '_, '_>) -> Result<Ret> {
    let mut value = call.int(0)? as u32;
    if value == 0 {
        return Ok(call.constant("")?);
    }
    let mut text = Vec::new();
    while value != 0 {
        text.push(DIGITS64[(value & 63) as usize]);
        value >>= 6;
    }
    Ok(call.static_string("the text of l64a", 7, &text)?)
}

fn setenv(call: C<'_, '_, '_>) -> Result<Ret> {
    let name = call.string(call.ptr(0)?)?;
    let value = call.string(call.ptr(1)?)?;
    if name.is_empty() || name.contains(&b'=') {
        call.m.set_errno(EINVAL)?;
        return Ok(Ret::Int(-1));
    }
    if call.int(2)? == 0 && !matches!(getenv(call)?, Ret::Int(0)) {
        return Ok(Ret::Int(0));
    }
    let mut text = name.clone();
    text.push(b'=');
    text.extend_from_slice(&value);
    let kind = Kind::Library("the environment");
    let size = text.len() as u64 + 1;
    let id = call.m.memory.alloc(size, 1, kind, Fill::Zero, None)?;
    let addr = call.m.memory.address(id);
    call.store_string(addr, &text)?;
    change(call, &name, addr)?;
    Ok(Ret::Int(0))
}

fn putenv(call: C<'_, '_, '_>) -> Result<Ret> {
    let entry = call.ptr(0)?;
    let text = call.string(entry)?;
    let name: Vec<u8> = text.iter().take_while(|b| **b != b'=').copied().collect();
    let keep = if text.contains(&b'=') { entry } else { 0 };
    change(call, &name, keep)?;
    Ok(Ret::Int(0))
}

fn unsetenv(call: C<'_, '_, '_>) -> Result<Ret> {
    let name = call.string(call.ptr(0)?)?;
    if name.is_empty() || name.contains(&b'=') {
        call.m.set_errno(EINVAL)?;
        return Ok(Ret::Int(-1));
    }
    change(call, &name, 0)?;
    Ok(Ret::Int(0))
}
