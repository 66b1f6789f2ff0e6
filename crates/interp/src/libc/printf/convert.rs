//! One conversion of `printf`: a value as text.

use super::spec::{Amount, Length, Written};
use super::{Call, Output};
use crate::error::{Fault, Stop};
use crate::fmt::{FloatStyle, format_float};
use crate::libc::varargs::Given;
use cwolf_cwi::FloatTy;

/// A conversion whose width and precision are known.
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
}

impl Spec {
    fn new(written: &Written, args: &[Given]) -> Spec {
        let amount = |a: Amount| match a {
            Amount::Fixed(n) => n as i128,
            Amount::Arg(n) => args[n].int(),
        };
        let width = written.width.map_or(0, amount);
        let precision = written.precision.map(amount).filter(|p| *p >= 0);
        Spec {
            // A negative width means left.
            left: written.left || width < 0,
            plus: written.plus,
            space: written.space,
            alternate: written.alternate,
            zero: written.zero,
            width: width.unsigned_abs() as usize,
            precision: precision.map(|p| p as usize),
            length: written.length,
        }
    }
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

/// Appends what a conversion makes of its argument; says whether it could.
pub(super) fn convert(
    call: &mut Call<'_, '_>,
    written: &Written,
    args: &[Given],
    output: &mut Output,
) -> Result<bool, Stop> {
    let spec = &Spec::new(written, args);
    let int = written.value.map_or(0, |n| args[n].int());
    let out = &mut output.text;
    match written.letter {
        b'%' => out.push(b'%'),
        b'd' | b'i' => integer(spec, int < 0, int.unsigned_abs(), out),
        b'u' | b'o' | b'x' | b'X' | b'b' => unsigned(spec, written.letter, int as u128, out),
        b'c' if spec.length != Length::Long => pad(spec, "", &[int as u8], false, out),
        b'c' | b'C' => {
            // In the C locale a wide character is a byte of 7 bits.
            let Some(byte) = u8::try_from(int).ok().filter(u8::is_ascii) else {
                return illegal(call);
            };
            pad(spec, "", &[byte], false, out);
        }
        b's' | b'S' => {
            let wide = spec.length == Length::Long || written.letter == b'S';
            let text = match wide && int != 0 {
                true => match wide_string(call, spec, int as u64)? {
                    Some(text) => text,
                    None => return illegal(call),
                },
                false => {
                    let text = string_argument(call, spec, int as u64)?;
                    if int != 0 {
                        let ends = spec.precision.is_none_or(|p| text.len() < p);
                        let read = text.len() as u64 + u64::from(ends);
                        output.reads.push((int as u64, read));
                    }
                    text
                }
            };
            pad(spec, "", &text, false, &mut output.text);
        }
        b'p' => match int {
            0 => pad(spec, "", b"(nil)", false, out),
            addr => {
                let prefix = format!("{}0x", sign(spec, false));
                integer_text(spec, &prefix, format!("{addr:x}"), out);
            }
        },
        b'n' => {
            let size = u64::from(spec.length.bits(call.word())) / 8;
            let count = out.len() as i128;
            call.store(int as u64, size, count)?;
        }
        b'm' => {
            let addr = call.m.library_object("errno", 4)?;
            let number = call.load(addr, 4, true)? as i32;
            let text = crate::libc::messages::error_text(number);
            pad(spec, "", text.as_bytes(), false, out);
        }
        letter => {
            let (ty, bits) = written.value.map_or((FloatTy::F64, 0), |n| args[n].float());
            float(spec, letter, ty, bits, out);
        }
    }
    Ok(true)
}

/// A character that the locale does not have: the whole call fails.
fn illegal(call: &mut Call<'_, '_>) -> Result<bool, Stop> {
    call.m.set_errno(84)?;
    Ok(false)
}

fn wide_string(call: &Call<'_, '_>, spec: &Spec, addr: u64) -> Result<Option<Vec<u8>>, Fault> {
    let mut text = Vec::new();
    while spec.precision.is_none_or(|p| text.len() < p) {
        let at = addr.wrapping_add(4 * text.len() as u64);
        match call.load(at, 4, false)? as u32 {
            0 => break,
            c if c < 128 => text.push(c as u8),
            _ => return Ok(None),
        }
    }
    Ok(Some(text))
}

fn string_argument(call: &Call<'_, '_>, spec: &Spec, addr: u64) -> Result<Vec<u8>, Fault> {
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
        _ => (2, "0b"),
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
