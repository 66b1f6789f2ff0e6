//! The basics of `wchar.h` and `wctype.h`, with 32-bit wide characters.

use super::{Call, Native, Ret};
use crate::error::{Fault, Stop};
use crate::memory::Fill;
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
        "wcsnlen" => wcsnlen,
        "wcsncat" => wcsncat,
        "wcsrchr" => wcsrchr,
        "wcsstr" | "wcswcs" => wcsstr,
        "wcsspn" => |c| wcsspn(c, true),
        "wcscspn" => |c| wcsspn(c, false),
        "wcspbrk" => wcspbrk,
        "wcsdup" => wcsdup,
        "wcstok" => wcstok,
        "wcscoll" => |c| compare(c, None),
        "wmemchr" => wmemchr,
        "wcstol" => |c| wcsto(c, true, false),
        "wcstoul" => |c| wcsto(c, false, false),
        "wcstoll" => |c| wcsto(c, true, true),
        "wcstoull" => |c| wcsto(c, false, true),
        "wctype" => wctype,
        "iswctype" => iswctype,
        "wcwidth" => |c| Ok(Ret::Int(width(c.int(0)?))),
        "wcswidth" => wcswidth,
        "iswalpha" | "iswdigit" | "iswxdigit" | "iswspace" | "iswupper" | "iswlower"
        | "iswalnum" | "iswpunct" | "iswprint" | "iswgraph" | "iswcntrl" | "iswblank" => classify,
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
    let bytes = |c: &u32| call.bytes((*c).into(), 4);
    let bytes: Vec<u8> = text.iter().flat_map(bytes).collect();
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

/// The class of a character in the C locale, by the name of its test.
fn in_class(name: &str, char: i128) -> bool {
    let Some(byte) = u8::try_from(char).ok().filter(u8::is_ascii) else {
        return false;
    };
    match name {
        "alpha" => byte.is_ascii_alphabetic(),
        "digit" => byte.is_ascii_digit(),
        "xdigit" => byte.is_ascii_hexdigit(),
        "space" => super::scanf::is_space(byte),
        "upper" => byte.is_ascii_uppercase(),
        "lower" => byte.is_ascii_lowercase(),
        "alnum" => byte.is_ascii_alphanumeric(),
        "punct" => byte.is_ascii_punctuation(),
        "print" => byte.is_ascii_graphic() || byte == b' ',
        "graph" => byte.is_ascii_graphic(),
        "cntrl" => byte.is_ascii_control(),
        _ => matches!(byte, b' ' | b'\t'),
    }
}

/// The names of classes; their number, from 1, is what `wctype` returns.
const CLASSES: [&str; 12] = [
    "alpha", "digit", "xdigit", "space", "upper", "lower", "alnum", "punct", "print", "graph",
    "cntrl", "blank",
];

fn classify(call: C<'_, '_, '_>) -> Result<Ret> {
    let char = call.int(0)?;
    let name = call.name.strip_prefix("isw").unwrap_or(call.name);
    let name = name.strip_suffix("_l").unwrap_or(name);
    Ok(Ret::Int(in_class(name, char).into()))
}

fn wctype(call: C<'_, '_, '_>) -> Result<Ret> {
    let name = call.string(call.ptr(0)?)?;
    let found = CLASSES.iter().position(|c| c.as_bytes() == name);
    Ok(Ret::Int(found.map_or(0, |n| n as i128 + 1)))
}

fn iswctype(call: C<'_, '_, '_>) -> Result<Ret> {
    let (char, class) = (call.int(0)?, call.int(1)?);
    let name = usize::try_from(class - 1).ok().and_then(|n| CLASSES.get(n));
    Ok(Ret::Int(name.is_some_and(|n| in_class(n, char)).into()))
}

/// Columns that a character takes; -1 if it cannot be shown.
fn width(char: i128) -> i128 {
    match char {
        0 => 0,
        c if in_class("print", c) => 1,
        _ => -1,
    }
}

fn wcswidth(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, count) = (call.ptr(0)?, call.size(1)?);
    let mut total = 0;
    for n in 0..count {
        let char = call.load(addr.wrapping_add(4 * n), 4, true)?;
        if char == 0 {
            break;
        }
        match width(char) {
            -1 => return Ok(Ret::Int(-1)),
            columns => total += columns,
        }
    }
    Ok(Ret::Int(total))
}

/// A wide text as its characters.
fn found(addr: u64, at: Option<usize>) -> Result<Ret> {
    Ok(Ret::Int(at.map_or(0, |n| i128::from(addr) + 4 * n as i128)))
}

fn wcsrchr(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, what) = (call.ptr(0)?, call.int(1)? as u32);
    let mut list = text(call, addr)?;
    list.push(0);
    found(addr, list.iter().rposition(|c| *c == what))
}

fn wcsstr(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let (list, what) = (text(call, addr)?, text(call, call.ptr(1)?)?);
    if what.is_empty() {
        return found(addr, Some(0));
    }
    found(addr, list.windows(what.len()).position(|w| w == what))
}

fn wcsspn(call: C<'_, '_, '_>, inside: bool) -> Result<Ret> {
    let (list, set) = (text(call, call.ptr(0)?)?, text(call, call.ptr(1)?)?);
    let count = list
        .iter()
        .take_while(|c| set.contains(c) == inside)
        .count();
    Ok(Ret::Int(count as i128))
}

fn wcspbrk(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let (list, set) = (text(call, addr)?, text(call, call.ptr(1)?)?);
    found(addr, list.iter().position(|c| set.contains(c)))
}

fn wmemchr(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, what, count) = (call.ptr(0)?, call.int(1)? as u32, call.size(2)?);
    for n in 0..count {
        let at = addr.wrapping_add(4 * n);
        if call.load(at, 4, false)? as u32 == what {
            return Ok(Ret::Int(at.into()));
        }
    }
    Ok(Ret::Int(0))
}

fn wcsnlen(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, count) = (call.ptr(0)?, call.size(1)?);
    let mut n = 0;
    while n < count && call.load(addr.wrapping_add(4 * n), 4, false)? != 0 {
        n += 1;
    }
    Ok(Ret::Int(n.into()))
}

fn wcsncat(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from, count) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    let end = to + 4 * text(call, to)?.len() as u64;
    let mut list = Vec::new();
    while (list.len() as u64) < count {
        match call.load(from + 4 * list.len() as u64, 4, false)? as u32 {
            0 => break,
            char => list.push(char),
        }
    }
    let read = 4 * list.len() as u64;
    list.push(0);
    call.m.memory.writable(end, read + 4)?;
    apart((end, read + 4), (from, read))?;
    store(call, end, &list)?;
    Ok(Ret::Int(to.into()))
}

fn wcsdup(call: C<'_, '_, '_>) -> Result<Ret> {
    let mut list = text(call, call.ptr(0)?)?;
    list.push(0);
    let addr = call.heap(4 * list.len() as u64, Fill::Unwritten)?;
    if addr != 0 {
        store(call, addr, &list)?;
    }
    Ok(Ret::Int(addr.into()))
}

fn wcstok(call: C<'_, '_, '_>) -> Result<Ret> {
    let save = call.ptr(2)?;
    let from = match call.ptr(0)? {
        0 => call.load_ptr(save)?,
        start => start,
    };
    let set = text(call, call.ptr(1)?)?;
    if from == 0 {
        return Ok(Ret::Int(0));
    }
    let list = text(call, from)?;
    let skip = list.iter().take_while(|c| set.contains(c)).count();
    if skip == list.len() {
        call.store_ptr(save, 0)?;
        return Ok(Ret::Int(0));
    }
    let len = list[skip..].iter().take_while(|c| !set.contains(c)).count();
    let start = from + 4 * skip as u64;
    let end = start + 4 * len as u64;
    if skip + len == list.len() {
        call.store_ptr(save, 0)?;
    } else {
        call.store(end, 4, 0)?;
        call.store_ptr(save, end + 4)?;
    }
    Ok(Ret::Int(start.into()))
}

/// `wcstol` and its kin: the text is narrowed, which changes no number.
fn wcsto(call: C<'_, '_, '_>, signed: bool, long: bool) -> Result<Ret> {
    let (from, end) = (call.ptr(0)?, call.ptr(1)?);
    let list = text(call, from)?;
    let narrow: Vec<u8> = list
        .iter()
        .map(|c| u8::try_from(*c).unwrap_or(b'?'))
        .collect();
    let base = call.int32(2)?;
    let (result, used) = super::stdlib::to_number(call, &narrow, base, signed, long)?;
    if end != 0
        && let Some(used) = used
    {
        call.store_ptr(end, from + 4 * used as u64)?;
    }
    Ok(result)
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
