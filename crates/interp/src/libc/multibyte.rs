//! Conversions between bytes and wide characters. In the C locale a byte is a character; glibc
//! takes only those of 7 bits.

use super::{Call, Native, Ret};
use crate::error::Stop;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "mbstowcs" => mbstowcs,
        "wcstombs" => wcstombs,
        "mbsrtowcs" => |c| mbsrtowcs(c, None),
        "mbsnrtowcs" => |c| mbsrtowcs(c, Some(2)),
        "wcsrtombs" => |c| wcsrtombs(c, None),
        "wcsnrtombs" => |c| wcsrtombs(c, Some(2)),
        "mbtowc" => mbtowc,
        "mblen" => mblen,
        "mbrtowc" => |c| mbrtowc(c, Some(0), 1),
        "mbrlen" | "__mbrlen" => |c| mbrtowc(c, None, 0),
        "wctomb" => wctomb,
        "wcrtomb" => wctomb,
        "mbsinit" => |c| {
            // There is no state but the first.
            let state = c.ptr(0)?;
            if state != 0 {
                c.m.memory.readable(state, 8)?;
            }
            Ok(Ret::Int(1))
        },
        "btowc" => |c| {
            let byte = c.int32(0)?;
            Ok(Ret::Int(
                if (0..128).contains(&byte) { byte } else { -1 }.into(),
            ))
        },
        "wctob" => |c| {
            let char = c.int(0)? as u32;
            Ok(Ret::Int(if char < 128 { char.into() } else { -1 }))
        },
        _ => return None,
    })
}

const EILSEQ: i32 = 84;

fn illegal(call: C<'_, '_, '_>) -> Result<Ret> {
    call.m.set_errno(EILSEQ)?;
    Ok(Ret::Int(-1))
}

fn mbstowcs(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from, count) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    let max = if to == 0 { u64::MAX } else { count };
    let bytes = call.m.memory.c_string_within(from, max)?.to_vec();
    widen(call, to, &bytes, max)
}

/// Stores bytes as wide characters, with a final zero if it fits; the result of the conversion.
fn widen(call: C<'_, '_, '_>, to: u64, bytes: &[u8], max: u64) -> Result<Ret> {
    if !bytes.is_ascii() {
        return illegal(call);
    }
    if to != 0 {
        let mut list: Vec<u8> = bytes.iter().flat_map(|b| [*b, 0, 0, 0]).collect();
        if (bytes.len() as u64) < max {
            list.extend([0; 4]);
        }
        call.m.memory.store(to, &list)?;
    }
    Ok(Ret::Int(bytes.len() as i128))
}

/// Wide characters up to a zero, at most `max` of them; and whether the zero was seen.
fn wide_text(call: &Call<'_, '_>, from: u64, max: u64) -> Result<(Vec<u32>, bool)> {
    let mut list = Vec::new();
    while (list.len() as u64) < max {
        let at = from.wrapping_add(4 * list.len() as u64);
        match call.load(at, 4, false)? as u32 {
            0 => return Ok((list, true)),
            char => list.push(char),
        }
    }
    Ok((list, false))
}

fn wcstombs(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from, count) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    let max = if to == 0 { u64::MAX } else { count };
    let (list, ended) = wide_text(call, from, max)?;
    if list.iter().any(|c| *c > 127) {
        return illegal(call);
    }
    if to != 0 {
        let mut bytes: Vec<u8> = list.iter().map(|c| *c as u8).collect();
        if ended {
            bytes.push(0);
        }
        call.m.memory.store(to, &bytes)?;
    }
    Ok(Ret::Int(list.len() as i128))
}

/// The restartable form: the source is a pointer that moves on.
fn mbsrtowcs(call: C<'_, '_, '_>, limit: Option<usize>) -> Result<Ret> {
    let (to, source) = (call.ptr(0)?, call.ptr(1)?);
    let most = match limit {
        Some(n) => call.size(n)?,
        None => u64::MAX,
    };
    let count = call.size(2 + usize::from(limit.is_some()))?;
    let from = call.load_ptr(source)?;
    let max = if to == 0 { most } else { most.min(count) };
    let bytes = call.m.memory.c_string_within(from, max)?.to_vec();
    let ended = (bytes.len() as u64) < max;
    if to != 0 && bytes.is_ascii() {
        let next = if ended { 0 } else { from + bytes.len() as u64 };
        call.store_ptr(source, next)?;
    }
    widen(call, to, &bytes, max)
}

fn wcsrtombs(call: C<'_, '_, '_>, limit: Option<usize>) -> Result<Ret> {
    let (to, source) = (call.ptr(0)?, call.ptr(1)?);
    let most = match limit {
        Some(n) => call.size(n)?,
        None => u64::MAX,
    };
    let count = call.size(2 + usize::from(limit.is_some()))?;
    let from = call.load_ptr(source)?;
    let max = if to == 0 { most } else { most.min(count) };
    let (list, ended) = wide_text(call, from, max)?;
    if list.iter().any(|c| *c > 127) {
        return illegal(call);
    }
    if to != 0 {
        let mut bytes: Vec<u8> = list.iter().map(|c| *c as u8).collect();
        if ended {
            bytes.push(0);
        }
        call.m.memory.store(to, &bytes)?;
        let next = if ended {
            0
        } else {
            from + 4 * list.len() as u64
        };
        call.store_ptr(source, next)?;
    }
    Ok(Ret::Int(list.len() as i128))
}

fn mbtowc(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from, max) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    if from == 0 {
        return Ok(Ret::Int(0));
    }
    if max == 0 {
        return Ok(Ret::Int(-1));
    }
    let byte = call.load(from, 1, false)?;
    if byte > 127 {
        return illegal(call);
    }
    if to != 0 {
        call.store(to, 4, byte)?;
    }
    Ok(Ret::Int((byte != 0).into()))
}

fn mblen(call: C<'_, '_, '_>) -> Result<Ret> {
    let (from, max) = (call.ptr(0)?, call.size(1)?);
    if from == 0 {
        return Ok(Ret::Int(0));
    }
    if max == 0 {
        return Ok(Ret::Int(-1));
    }
    let byte = call.load(from, 1, false)?;
    if byte > 127 {
        return illegal(call);
    }
    Ok(Ret::Int((byte != 0).into()))
}

fn mbrtowc(call: C<'_, '_, '_>, to: Option<usize>, from: usize) -> Result<Ret> {
    let to = match to {
        Some(n) => call.ptr(n)?,
        None => 0,
    };
    let (from, max) = (call.ptr(from)?, call.size(from + 1)?);
    if from == 0 {
        return Ok(Ret::Int(0));
    }
    if max == 0 {
        return Ok(Ret::Int(-2));
    }
    let byte = call.load(from, 1, false)?;
    if byte > 127 {
        return illegal(call);
    }
    if to != 0 {
        call.store(to, 4, byte)?;
    }
    Ok(Ret::Int((byte != 0).into()))
}

/// `wctomb` and `wcrtomb`.
fn wctomb(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, char) = (call.ptr(0)?, call.int(1)? as u32);
    if to == 0 {
        // Without a buffer: whether there is a state, or as if for the character zero.
        return Ok(Ret::Int((call.name == "wcrtomb").into()));
    }
    if char > 127 {
        return illegal(call);
    }
    call.store(to, 1, char.into())?;
    Ok(Ret::Int(1))
}
