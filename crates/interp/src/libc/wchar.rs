//! The basics of `wchar.h` and `wctype.h`, with 32-bit wide characters.

use super::{Call, Native, Ret};
use crate::error::{Fault, Stop};
use crate::memory::access::apart;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "wcslen" => |c| Ok(Ret::Int(text(c, c.ptr(0)?)?.len() as i128)),
        "wcscpy" => wcscpy,
        "wcsncpy" => wcsncpy,
        "wcscat" => wcscat,
        "wcscmp" => |c| compare(c, None),
        "wcsncmp" => |c| compare(c, Some(2)),
        "wcschr" => wcschr,
        "wmemcpy" => |c| wmemcpy(c, true),
        "wmemmove" => |c| wmemcpy(c, false),
        "wmemset" => wmemset,
        "wmemcmp" => wmemcmp,
        "mbstowcs" => mbstowcs,
        "wcstombs" => wcstombs,
        "mbtowc" => mbtowc,
        "mblen" => |c| mb_length(c),
        "iswalpha" | "iswdigit" | "iswspace" | "iswupper" | "iswlower" | "iswalnum"
        | "iswpunct" => classify,
        "towupper" => |c| ascii(c, |b| b.to_ascii_uppercase()),
        "towlower" => |c| ascii(c, |b| b.to_ascii_lowercase()),
        "putwchar" => putwchar,
        _ => return None,
    })
}

fn text(call: &Call<'_, '_>, addr: u64) -> std::result::Result<Vec<u32>, Fault> {
    let mut list = Vec::new();
    loop {
        let at = addr.wrapping_add(4 * list.len() as u64);
        match call.load(at, 4, false)? as u32 {
            0 => return Ok(list),
            char => list.push(char),
        }
    }
}

fn store(call: C<'_, '_, '_>, addr: u64, text: &[u32]) -> Result<()> {
    let bytes: Vec<u8> = text.iter().flat_map(|c| c.to_le_bytes()).collect();
    Ok(call.m.memory.store(addr, &bytes)?)
}

fn wcscpy(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from) = (call.ptr(0)?, call.ptr(1)?);
    let mut list = text(call, from)?;
    list.push(0);
    let len = 4 * list.len() as u64;
    call.m.memory.writable(to, len)?;
    apart((to, len), (from, len))?;
    store(call, to, &list)?;
    Ok(Ret::Int(to.into()))
}

fn wcsncpy(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, count) = (call.ptr(0)?, call.size(2)?);
    let from = call.ptr(1)?;
    let mut list = Vec::new();
    let mut ended = false;
    for n in 0..count {
        let char = match ended {
            true => 0,
            false => call.load(from + 4 * n, 4, false)? as u32,
        };
        ended |= char == 0;
        list.push(char);
    }
    store(call, to, &list)?;
    Ok(Ret::Int(to.into()))
}

fn wcscat(call: C<'_, '_, '_>) -> Result<Ret> {
    let to = call.ptr(0)?;
    let end = to + 4 * text(call, to)?.len() as u64;
    let from = call.ptr(1)?;
    let mut list = text(call, from)?;
    list.push(0);
    let len = 4 * list.len() as u64;
    call.m.memory.writable(end, len)?;
    apart((end, len), (from, len))?;
    store(call, end, &list)?;
    Ok(Ret::Int(to.into()))
}

fn compare(call: C<'_, '_, '_>, max: Option<usize>) -> Result<Ret> {
    let (a, b) = (call.ptr(0)?, call.ptr(1)?);
    let max = match max {
        Some(n) => call.size(n)?,
        None => u64::MAX,
    };
    for n in 0..max {
        let x = call.load(a.wrapping_add(4 * n), 4, true)?;
        let y = call.load(b.wrapping_add(4 * n), 4, true)?;
        if x != y || x == 0 {
            return Ok(Ret::Int((x > y) as i128 - (x < y) as i128));
        }
    }
    Ok(Ret::Int(0))
}

fn wcschr(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, what) = (call.ptr(0)?, call.int(1)? as u32);
    let mut list = text(call, addr)?;
    list.push(0);
    let found = list.iter().position(|c| *c == what);
    Ok(Ret::Int(
        found.map_or(0, |n| i128::from(addr) + 4 * n as i128),
    ))
}

fn wmemcpy(call: C<'_, '_, '_>, strict: bool) -> Result<Ret> {
    let (to, from, count) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    match strict {
        true => call
            .m
            .memory
            .copy_apart(to, from, count.saturating_mul(4))?,
        false => call.m.memory.copy(to, from, count.saturating_mul(4))?,
    }
    Ok(Ret::Int(to.into()))
}

fn wmemset(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, char, count) = (call.ptr(0)?, call.int(1)? as u32, call.size(2)?);
    call.m.memory.locate_mut(to, count.saturating_mul(4))?;
    store(call, to, &vec![char; count as usize])?;
    Ok(Ret::Int(to.into()))
}

fn wmemcmp(call: C<'_, '_, '_>) -> Result<Ret> {
    let (a, b) = (call.ptr(0)?, call.ptr(1)?);
    for n in 0..call.size(2)? {
        let x = call.load(a.wrapping_add(4 * n), 4, true)?;
        let y = call.load(b.wrapping_add(4 * n), 4, true)?;
        if x != y {
            return Ok(Ret::Int((x > y) as i128 - (x < y) as i128));
        }
    }
    Ok(Ret::Int(0))
}

/// In the C locale one byte is one character.
fn mbstowcs(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, count) = (call.ptr(0)?, call.size(2)?);
    let bytes = call.string(call.ptr(1)?)?;
    if to != 0 {
        let mut list: Vec<u32> = bytes.iter().map(|b| u32::from(*b)).collect();
        list.push(0);
        list.truncate(count as usize);
        store(call, to, &list)?;
        return Ok(Ret::Int((bytes.len() as u64).min(count).into()));
    }
    Ok(Ret::Int(bytes.len() as i128))
}

fn wcstombs(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, count) = (call.ptr(0)?, call.size(2)?);
    let list = text(call, call.ptr(1)?)?;
    if list.iter().any(|c| *c > 127) {
        call.m.set_errno(84)?;
        return Ok(Ret::Int(-1));
    }
    if to != 0 {
        let mut bytes: Vec<u8> = list.iter().map(|c| *c as u8).collect();
        bytes.push(0);
        bytes.truncate(count as usize);
        call.m.memory.store(to, &bytes)?;
        return Ok(Ret::Int((list.len() as u64).min(count).into()));
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
    if to != 0 {
        call.store(to, 4, byte)?;
    }
    Ok(Ret::Int((byte != 0).into()))
}

fn mb_length(call: C<'_, '_, '_>) -> Result<Ret> {
    let (from, max) = (call.ptr(0)?, call.size(1)?);
    if from == 0 {
        return Ok(Ret::Int(0));
    }
    if max == 0 {
        return Ok(Ret::Int(-1));
    }
    Ok(Ret::Int((call.load(from, 1, false)? != 0).into()))
}

fn classify(call: C<'_, '_, '_>) -> Result<Ret> {
    let holds = match u8::try_from(call.int(0)?) {
        Ok(byte) => match call.name {
            "iswalpha" => byte.is_ascii_alphabetic(),
            "iswdigit" => byte.is_ascii_digit(),
            "iswspace" => super::scanf::is_space(byte),
            "iswupper" => byte.is_ascii_uppercase(),
            "iswlower" => byte.is_ascii_lowercase(),
            "iswalnum" => byte.is_ascii_alphanumeric(),
            _ => byte.is_ascii_punctuation(),
        },
        Err(_) => false,
    };
    Ok(Ret::Int(holds.into()))
}

fn ascii(call: C<'_, '_, '_>, to: fn(&u8) -> u8) -> Result<Ret> {
    let char = call.int(0)?;
    Ok(Ret::Int(match u8::try_from(char) {
        Ok(byte) => to(&byte).into(),
        Err(_) => char,
    }))
}

fn putwchar(call: C<'_, '_, '_>) -> Result<Ret> {
    let char = call.int(0)?;
    let shown = char::from_u32(char as u32).unwrap_or('?').to_string();
    call.m.write_stream(1, shown.as_bytes());
    Ok(Ret::Int(char))
}
