//! The `printf` family.

use super::varargs::VarArgs;
use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Fault, Stop};
use crate::fmt::{FloatStyle, format_float};
use cwolf_cwi::{FloatTy, IntTy};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "printf" | "printf_unlocked" => |c| to_stream(c, Some(1), 0, false),
        "vprintf" => |c| to_stream(c, Some(1), 0, true),
        "__printf_chk" => |c| to_stream(c, Some(1), 1, false),
        "__vprintf_chk" => |c| to_stream(c, Some(1), 1, true),
        "fprintf" | "fprintf_unlocked" => |c| to_stream(c, None, 1, false),
        "vfprintf" => |c| to_stream(c, None, 1, true),
        "__fprintf_chk" => |c| to_stream(c, None, 2, false),
        "__vfprintf_chk" => |c| to_stream(c, None, 2, true),
        "dprintf" => |c| to_descriptor(c, 1, false),
        "vdprintf" => |c| to_descriptor(c, 1, true),
        "sprintf" => |c| to_string(c, None, 1, false),
        "vsprintf" => |c| to_string(c, None, 1, true),
        "__sprintf_chk" | "___sprintf_chk" => |c| to_string(c, None, 3, false),
        "__vsprintf_chk" | "___vsprintf_chk" => |c| to_string(c, None, 3, true),
        "snprintf" => |c| to_string(c, Some(1), 2, false),
        "vsnprintf" => |c| to_string(c, Some(1), 2, true),
        "__snprintf_chk" | "___snprintf_chk" => |c| to_string(c, Some(1), 4, false),
        "__vsnprintf_chk" | "___vsnprintf_chk" => |c| to_string(c, Some(1), 4, true),
        "asprintf" => |c| to_heap(c, 1, false),
        "vasprintf" => |c| to_heap(c, 1, true),
        "__asprintf_chk" => |c| to_heap(c, 2, false),
        "__vasprintf_chk" => |c| to_heap(c, 2, true),
        _ => return None,
    })
}

fn arguments(call: &Call<'_, '_>, format: usize, list: bool) -> Result<VarArgs, Fault> {
    match list {
        true => VarArgs::from_list(call, format + 1),
        false => Ok(VarArgs::Direct(format + 1)),
    }
}

fn to_stream(
    call: &mut Call<'_, '_>,
    fixed: Option<usize>,
    format: usize,
    list: bool,
) -> Result<Ret, Stop> {
    let stream = match fixed {
        Some(number) => number,
        None => call.m.stream_at(call.ptr(0)?)?,
    };
    let mut args = arguments(call, format, list)?;
    let text = format_text(call, call.ptr(format)?, &mut args)?;
    call.m.write_stream(stream, &text);
    Ok(Ret::Int(text.len() as i128))
}

fn to_descriptor(call: &mut Call<'_, '_>, format: usize, list: bool) -> Result<Ret, Stop> {
    let number = call.int32(0)?;
    let mut args = arguments(call, format, list)?;
    let text = format_text(call, call.ptr(format)?, &mut args)?;
    match call.m.library.streams.by_descriptor(number) {
        Some(stream) => {
            call.m.write_stream(stream, &text);
            Ok(Ret::Int(text.len() as i128))
        }
        None => Ok(Ret::Int(-1)),
    }
}

fn to_string(
    call: &mut Call<'_, '_>,
    size: Option<usize>,
    format: usize,
    list: bool,
) -> Result<Ret, Stop> {
    let to = call.ptr(0)?;
    let mut args = arguments(call, format, list)?;
    let text = format_text(call, call.ptr(format)?, &mut args)?;
    match size {
        None => call.store_string(to, &text)?,
        Some(n) => {
            let room = call.size(n)? as usize;
            if room > 0 {
                call.store_string(to, &text[..text.len().min(room - 1)])?;
            }
        }
    }
    Ok(Ret::Int(text.len() as i128))
}

fn to_heap(call: &mut Call<'_, '_>, format: usize, list: bool) -> Result<Ret, Stop> {
    let to = call.ptr(0)?;
    let mut args = arguments(call, format, list)?;
    let text = format_text(call, call.ptr(format)?, &mut args)?;
    let addr = call.heap_string(&text)?;
    call.store_ptr(to, addr)?;
    Ok(Ret::Int(text.len() as i128))
}

/// Longest text that a width or precision may ask for.
const MAX_WIDTH: i128 = 1 << 24;

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    group: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Length {
    #[default]
    None,
    Char,
    Short,
    Long,
    LongLong,
    Max,
    Size,
    Diff,
    LongDouble,
}

impl Length {
    /// Reads a length modifier.
    pub fn parse(format: &[u8], at: &mut usize) -> Length {
        let found = match (format.get(*at), format.get(*at + 1)) {
            (Some(b'h'), Some(b'h')) => (Length::Char, 2),
            (Some(b'h'), _) => (Length::Short, 1),
            (Some(b'l'), Some(b'l')) => (Length::LongLong, 2),
            (Some(b'l'), _) => (Length::Long, 1),
            (Some(b'q'), _) => (Length::LongLong, 1),
            (Some(b'j'), _) => (Length::Max, 1),
            (Some(b'z' | b'Z'), _) => (Length::Size, 1),
            (Some(b't'), _) => (Length::Diff, 1),
            (Some(b'L'), _) => (Length::LongDouble, 1),
            _ => (Length::None, 0),
        };
        *at += found.1;
        found.0
    }
    /// The width of an integer.
    pub fn bits(self, word: u64) -> u16 {
        match self {
            Length::None => 32,
            Length::Char => 8,
            Length::Short => 16,
            Length::Long | Length::Size | Length::Diff => word as u16 * 8,
            Length::LongLong | Length::Max | Length::LongDouble => 64,
        }
    }
}

/// The text that a format makes of its arguments.
pub(super) fn format_text(
    call: &mut Call<'_, '_>,
    format: u64,
    args: &mut VarArgs,
) -> Result<Vec<u8>, Stop> {
    let format = call.string(format)?;
    let mut out = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let rest = &format[at..];
        let plain = rest.iter().position(|b| *b == b'%').unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        at += plain;
        if at >= format.len() {
            break;
        }
        at += 1;
        let spec = parse_spec(call, &format, &mut at, args)?;
        let Some(letter) = format.get(at).copied() else {
            return Err(call.fail(ErrorKind::BadCall, "the format ends in the middle"));
        };
        at += 1;
        conversion(call, &spec, letter, args, &mut out)?;
    }
    Ok(out)
}

fn parse_spec(
    call: &Call<'_, '_>,
    format: &[u8],
    at: &mut usize,
    args: &mut VarArgs,
) -> Result<Spec, Stop> {
    let mut spec = Spec::default();
    loop {
        match format.get(*at) {
            Some(b'-') => spec.left = true,
            Some(b'+') => spec.plus = true,
            Some(b' ') => spec.space = true,
            Some(b'#') => spec.alternate = true,
            Some(b'0') => spec.zero = true,
            Some(b'\'') => spec.group = true,
            _ => break,
        }
        *at += 1;
    }
    let width = number(call, format, at, args)?.unwrap_or(0);
    spec.left |= width < 0;
    spec.width = limited(call, width.abs())?;
    if format.get(*at) == Some(&b'.') {
        *at += 1;
        let precision = number(call, format, at, args)?.unwrap_or(0);
        if precision >= 0 {
            spec.precision = Some(limited(call, precision)?);
        }
    }
    spec.length = Length::parse(format, at);
    Ok(spec)
}

fn limited(call: &Call<'_, '_>, n: i128) -> Result<usize, Stop> {
    if n > MAX_WIDTH {
        return Err(call.fail(ErrorKind::Unsupported, "a width of more than 16 MiB"));
    }
    Ok(n as usize)
}

fn number(
    call: &Call<'_, '_>,
    format: &[u8],
    at: &mut usize,
    args: &mut VarArgs,
) -> Result<Option<i128>, Stop> {
    if format.get(*at) == Some(&b'*') {
        *at += 1;
        return Ok(Some(args.int(call, IntTy::INT)?));
    }
    let mut value = None;
    while let Some(digit) = format.get(*at).filter(|b| b.is_ascii_digit()) {
        let digit = i128::from(digit - b'0');
        value = Some((value.unwrap_or(0i128) * 10 + digit).min(MAX_WIDTH + 1));
        *at += 1;
    }
    Ok(value)
}

/// Pads a text: `sign` is what zeros go after.
fn pad(spec: &Spec, sign: &str, body: &[u8], zeros: bool, out: &mut Vec<u8>) {
    let room = spec.width.saturating_sub(sign.len() + body.len());
    let fill = |out: &mut Vec<u8>, byte| out.extend(std::iter::repeat_n(byte, room));
    if !spec.left && !zeros {
        fill(out, b' ');
    }
    out.extend_from_slice(sign.as_bytes());
    if !spec.left && zeros {
        fill(out, b'0');
    }
    out.extend_from_slice(body);
    if spec.left {
        fill(out, b' ');
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, _, _) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn conversion(
    call: &mut Call<'_, '_>,
    spec: &Spec,
    letter: u8,
    args: &mut VarArgs,
    out: &mut Vec<u8>,
) -> Result<(), Stop> {
    let bits = spec.length.bits(call.word());
    match letter {
        b'%' => out.push(b'%'),
        b'd' | b'i' => {
            let value = args.int(call, IntTy::new(bits, true))?;
            integer(spec, value < 0, value.unsigned_abs(), out);
        }
        b'u' | b'o' | b'x' | b'X' | b'b' | b'B' => {
            let value = args.int(call, IntTy::new(bits, false))? as u128;
            unsigned(spec, letter, value, out);
        }
        b'c' if spec.length == Length::Long => {
            let value = args.int(call, IntTy::INT)?;
            let char = char::from_u32(value as u32).unwrap_or('?');
            pad(spec, "", char.to_string().as_bytes(), false, out);
        }
        b'c' => {
            let value = args.int(call, IntTy::INT)? as u8;
            pad(spec, "", &[value], false, out);
        }
        b'C' => {
            let value = args.int(call, IntTy::INT)?;
            let char = char::from_u32(value as u32).unwrap_or('?');
            pad(spec, "", char.to_string().as_bytes(), false, out);
        }
        b's' | b'S' => {
            let addr = args.ptr(call)?;
            let text = string_argument(call, spec, letter, addr)?;
            pad(spec, "", &text, false, out);
        }
        b'p' => {
            let addr = args.ptr(call)?;
            match addr {
                0 => pad(spec, "", b"(nil)", false, out),
                _ => {
                    let prefix = format!("{}0x", sign(spec, false));
                    integer_text(spec, &prefix, format!("{addr:x}"), out);
                }
            }
        }
        b'n' => {
            let addr = args.ptr(call)?;
            call.store(addr, u64::from(bits) / 8, out.len() as i128)?;
        }
        b'm' => {
            let addr = call.m.library_object("errno", 4)?;
            let number = call.load(addr, 4, true)? as i32;
            pad(
                spec,
                "",
                super::strings::error_text(number).as_bytes(),
                false,
                out,
            );
        }
        b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => {
            let long = matches!(spec.length, Length::LongDouble | Length::LongLong);
            let (ty, bits) = args.float(call, long)?;
            float(spec, letter, ty, bits, out);
        }
        _ => {
            let letter = char::from(letter);
            let message = format!("%{letter} is not a conversion of printf");
            return Err(call.fail(ErrorKind::BadCall, message));
        }
    }
    Ok(())
}

fn string_argument(
    call: &Call<'_, '_>,
    spec: &Spec,
    letter: u8,
    addr: u64,
) -> Result<Vec<u8>, Fault> {
    if spec.length == Length::Long || letter == b'S' {
        let mut text = String::new();
        let mut at = addr;
        loop {
            let char = call.load(at, 4, false)? as u32;
            let char = match char {
                0 => break,
                c => char::from_u32(c).unwrap_or('?'),
            };
            if spec
                .precision
                .is_some_and(|p| text.len() + char.len_utf8() > p)
            {
                break;
            }
            text.push(char);
            at += 4;
        }
        return Ok(text.into_bytes());
    }
    if addr == 0 {
        // As glibc does, if there is room for it.
        return Ok(match spec.precision {
            Some(n) if n < 6 => Vec::new(),
            _ => b"(null)".to_vec(),
        });
    }
    let max = spec.precision.map_or(u64::MAX, |p| p as u64);
    call.m.memory.c_string_within(addr, max).map(<[u8]>::to_vec)
}

fn unsigned(spec: &Spec, letter: u8, value: u128, out: &mut Vec<u8>) {
    let (base, prefix) = match letter {
        b'u' => (10, ""),
        b'o' => (8, ""),
        b'x' => (16, "0x"),
        b'X' => (16, "0X"),
        b'b' => (2, "0b"),
        _ => (2, "0B"),
    };
    let prefix = if spec.alternate && value != 0 {
        prefix
    } else {
        ""
    };
    let digits = match base {
        8 => format!("{value:o}"),
        16 if letter == b'X' => format!("{value:X}"),
        16 => format!("{value:x}"),
        2 => format!("{value:b}"),
        _ => value.to_string(),
    };
    let digits = match (value, spec.precision) {
        (0, Some(0)) if !(spec.alternate && base == 8) => String::new(),
        _ => digits,
    };
    if spec.alternate && base == 8 && !digits.starts_with('0') {
        // The octal prefix counts as a digit of the precision.
        let width = spec.precision.unwrap_or(0).max(digits.len() + 1);
        let digits = format!("{digits:0>width$}");
        return integer_text(spec, "", digits, out);
    }
    integer_text(spec, prefix, digits, out);
}

fn integer(spec: &Spec, negative: bool, value: u128, out: &mut Vec<u8>) {
    let digits = match (value, spec.precision) {
        (0, Some(0)) => String::new(),
        _ => value.to_string(),
    };
    integer_text(spec, sign(spec, negative), digits, out);
}

fn integer_text(spec: &Spec, sign: &str, digits: String, out: &mut Vec<u8>) {
    let least = spec.precision.unwrap_or(0);
    let digits = format!("{digits:0>least$}");
    // A precision switches the 0 flag off.
    let zeros = spec.zero && spec.precision.is_none();
    pad(spec, sign, digits.as_bytes(), zeros, out);
}

fn float(spec: &Spec, letter: u8, ty: FloatTy, bits: u128, out: &mut Vec<u8>) {
    let style = FloatStyle {
        letter,
        precision: spec.precision,
        alternate: spec.alternate,
    };
    let (negative, text) = format_float(ty, bits, style);
    let mut sign = sign(spec, negative).to_owned();
    let finite =
        !text.ends_with(['f', 'F', 'n', 'N']) || text.starts_with("0x") || text.starts_with("0X");
    let mut body = text.as_str();
    // Zeros go between the prefix and the digits.
    if let Some(rest) = body.strip_prefix("0x").or(body.strip_prefix("0X")) {
        sign.push_str(&body[..2]);
        body = rest;
    }
    pad(spec, &sign, body.as_bytes(), spec.zero && finite, out);
}
