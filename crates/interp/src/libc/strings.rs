//! The rest of `string.h` and `strings.h`: tokens, duplicates, messages, bits.

use super::{Call, Native, Ret};
use crate::error::Stop;
use crate::memory::access::apart;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "strtok" => strtok,
        "strtok_r" | "__strtok_r" => strtok_r,
        "strsep" => strsep,
        "strdup" | "__strdup" => strdup,
        "strndup" | "__strndup" => strndup,
        "strxfrm" => strxfrm,
        "strerror" => |c| {
            let text = super::messages::error_text(c.int32(0)?);
            Ok(c.constant(&text)?)
        },
        "strerror_r" | "__xpg_strerror_r" => strerror_r,
        "strsignal" => |c| {
            let text = super::messages::signal_text(c.int32(0)?);
            Ok(c.constant(&text)?)
        },
        "ffs" => |c| Ok(Ret::Int(first_bit(c.int(0)? as u32 as u64))),
        "ffsl" => |c| {
            let mask = c.m.mask;
            Ok(Ret::Int(first_bit(c.int(0)? as u64 & mask)))
        },
        "ffsll" => |c| Ok(Ret::Int(first_bit(c.int(0)? as u64))),
        "swab" => swab,
        "basename" => basename,
        "__xpg_basename" => xpg_basename,
        "dirname" => dirname,
        "strverscmp" | "__strverscmp" => strverscmp,
        "memfrob" => memfrob,
        "sigdescr_np" => |c| match super::messages::signal_text(c.int32(0)?) {
            text if text.starts_with("Unknown") || text.starts_with("Real") => Ok(Ret::Int(0)),
            text => Ok(c.constant(&text)?),
        },
        "strerrordesc_np" => |c| match super::messages::error_text(c.int32(0)?) {
            text if text.starts_with("Unknown error") => Ok(Ret::Int(0)),
            text => Ok(c.constant(&text)?),
        },
        "psignal" => psignal,
        "getsubopt" => getsubopt,
        _ => return None,
    })
}

fn first_bit(word: u64) -> i128 {
    match word {
        0 => 0,
        w => i128::from(w.trailing_zeros()) + 1,
    }
}

/// The token that starts at or after `from`, and where to go on (0 at the end).
fn token(call: C<'_, '_, '_>, from: u64, delimiters: u64) -> Result<(u64, u64)> {
    let set = call.string(delimiters)?;
    let text = call.string(from)?;
    let skip = text.iter().take_while(|b| set.contains(b)).count();
    if skip == text.len() {
        return Ok((0, from + skip as u64));
    }
    let len = text[skip..].iter().take_while(|b| !set.contains(b)).count();
    let start = from + skip as u64;
    let end = start + len as u64;
    if skip + len == text.len() {
        return Ok((start, end));
    }
    call.m.memory.store(end, &[0])?;
    Ok((start, end + 1))
}

fn strtok(call: C<'_, '_, '_>) -> Result<Ret> {
    let from = match call.ptr(0)? {
        0 => call.m.library.strtok,
        start => start,
    };
    let delimiters = call.ptr(1)?;
    let (start, next) = token(call, from, delimiters)?;
    call.m.library.strtok = next;
    Ok(Ret::Int(start.into()))
}

fn strtok_r(call: C<'_, '_, '_>) -> Result<Ret> {
    let save = call.ptr(2)?;
    let from = match call.ptr(0)? {
        0 => call.load_ptr(save)?,
        start => start,
    };
    let delimiters = call.ptr(1)?;
    let (start, next) = token(call, from, delimiters)?;
    call.store_ptr(save, next)?;
    Ok(Ret::Int(start.into()))
}

fn strsep(call: C<'_, '_, '_>) -> Result<Ret> {
    let list = call.ptr(0)?;
    let from = call.load_ptr(list)?;
    if from == 0 {
        return Ok(Ret::Int(0));
    }
    let set = call.string(call.ptr(1)?)?;
    let text = call.string(from)?;
    let next = match text.iter().position(|b| set.contains(b)) {
        Some(n) => {
            call.m.memory.store(from + n as u64, &[0])?;
            from + n as u64 + 1
        }
        None => 0,
    };
    call.store_ptr(list, next)?;
    Ok(Ret::Int(from.into()))
}

fn strdup(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.string(call.ptr(0)?)?;
    Ok(Ret::Int(call.heap_string(&text)?.into()))
}

fn strndup(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.m.memory.c_string_within(call.ptr(0)?, call.size(1)?)?;
    let text = text.to_vec();
    Ok(Ret::Int(call.heap_string(&text)?.into()))
}

fn strxfrm(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, size) = (call.ptr(0)?, call.size(2)?);
    let text = call.string(call.ptr(1)?)?;
    if size > 0 {
        let keep = text.len().min(size as usize - 1);
        apart((to, keep as u64 + 1), (call.ptr(1)?, text.len() as u64 + 1))?;
        call.store_string(to, &text[..keep])?;
    }
    Ok(Ret::Int(text.len() as i128))
}

fn strerror_r(call: C<'_, '_, '_>) -> Result<Ret> {
    let number = call.int32(0)?;
    let text = super::messages::error_text(number);
    let (to, size) = (call.ptr(1)?, call.size(2)?);
    let known = !text.starts_with("Unknown error");
    call.m.memory.writable(to, size)?;
    if call.name == "strerror_r" {
        // GNU's form returns a text of its own where it has one, and leaves the buffer alone.
        if known {
            return Ok(call.constant(&text)?);
        }
        if size > 0 {
            let keep = text.len().min(size as usize - 1);
            call.store_string(to, &text.as_bytes()[..keep])?;
        }
        return Ok(Ret::Int(to.into()));
    }
    // The X/Open form always writes, and returns a number.
    let fits = (text.len() as u64) < size;
    if size > 0 {
        let keep = text.len().min(size as usize - 1);
        call.store_string(to, &text.as_bytes()[..keep])?;
    }
    Ok(Ret::Int(match (known, fits) {
        (false, _) => 22,
        (true, false) => 34,
        (true, true) => 0,
    }))
}

fn swab(call: C<'_, '_, '_>) -> Result<Ret> {
    let (from, to, len) = (call.ptr(0)?, call.ptr(1)?, call.int(2)?.max(0) as u64 & !1);
    apart((to, len), (from, len))?;
    let mut bytes = call.m.memory.written_bytes(from, len)?.to_vec();
    bytes.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
    call.m.memory.store(to, &bytes)?;
    Ok(Ret::Void)
}

fn basename(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let text = call.string(addr)?;
    let start = text.iter().rposition(|b| *b == b'/').map_or(0, |n| n + 1);
    Ok(Ret::Int(i128::from(addr) + start as i128))
}

/// The last part of a path as POSIX says: without slashes at its end, which are cut off in place.
fn xpg_basename(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let text = match addr {
        0 => Vec::new(),
        _ => call.string(addr)?,
    };
    if text.is_empty() {
        return Ok(call.constant(".")?);
    }
    let Some(last) = text.iter().rposition(|b| *b != b'/') else {
        // Only slashes: the last of them.
        return Ok(Ret::Int(i128::from(addr) + text.len() as i128 - 1));
    };
    if last + 1 < text.len() {
        call.m.memory.store(addr + last as u64 + 1, &[0])?;
    }
    let start = text[..=last].iter().rposition(|b| *b == b'/');
    Ok(Ret::Int(
        i128::from(addr) + start.map_or(0, |n| n + 1) as i128,
    ))
}

/// A path without its last part, cut in place.
fn dirname(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let text = match addr {
        0 => Vec::new(),
        _ => call.string(addr)?,
    };
    let named = text.iter().rposition(|b| *b != b'/');
    let slash = named.and_then(|n| text[..n].iter().rposition(|b| *b == b'/'));
    let Some(slash) = slash else {
        return match text.first() {
            // The root is its own directory; POSIX lets two slashes be something else.
            Some(b'/') => {
                let keep = if text == b"//" { 2 } else { 1 };
                call.m.memory.store(addr + keep, &[0])?;
                Ok(Ret::Int(addr.into()))
            }
            _ => Ok(call.constant(".")?),
        };
    };
    let end = text[..slash].iter().rposition(|b| *b != b'/');
    let keep = match end {
        Some(n) => n + 1,
        None if slash == 1 => 2,
        None => 1,
    };
    call.m.memory.store(addr + keep as u64, &[0])?;
    Ok(Ret::Int(addr.into()))
}

/// Compares as version numbers do: runs of digits by value, those with zeros in front as
/// fractions.
fn strverscmp(call: C<'_, '_, '_>) -> Result<Ret> {
    let (a, b) = (call.string(call.ptr(0)?)?, call.string(call.ptr(1)?)?);
    let byte = |s: &[u8], n: usize| s.get(n).copied().unwrap_or(0);
    let Some(at) = (0..=a.len().max(b.len())).find(|n| byte(&a, *n) != byte(&b, *n)) else {
        return Ok(Ret::Int(0));
    };
    let plain = i128::from(byte(&a, at)) - i128::from(byte(&b, at));
    // The run of digits that the difference lies in or ends.
    let start = a[..at].iter().rposition(|b| !b.is_ascii_digit());
    let run = &a[start.map_or(0, |n| n + 1)..at];
    let digits = |s: &[u8]| s.iter().skip(at).take_while(|b| b.is_ascii_digit()).count();
    let (x, y) = (digits(&a), digits(&b));
    let zeros = !run.is_empty() && run.iter().all(|b| *b == b'0');
    let fraction = run.first() == Some(&b'0') && !zeros;
    if fraction || (run.is_empty() && (x == 0 || y == 0)) {
        return Ok(Ret::Int(plain));
    }
    if run.is_empty() || zeros {
        let (p, q) = (byte(&a, at), byte(&b, at));
        if zeros {
            // More zeros in front make a smaller fraction; a run of zeros alone comes after.
            return Ok(Ret::Int(match (x, y) {
                (0, 0) => plain,
                (0, _) => 1,
                (_, 0) => -1,
                _ => plain,
            }));
        }
        if p == b'0' || q == b'0' {
            // One of them is a fraction, which is smaller.
            return Ok(Ret::Int(plain));
        }
    }
    Ok(Ret::Int(match x.cmp(&y) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Greater => 1,
        std::cmp::Ordering::Equal => plain,
    }))
}

fn memfrob(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, len) = (call.ptr(0)?, call.size(1)?);
    let mut bytes = call.m.memory.written_bytes(addr, len)?.to_vec();
    bytes.iter_mut().for_each(|b| *b ^= 42);
    call.m.memory.store(addr, &bytes)?;
    Ok(Ret::Int(addr.into()))
}

fn psignal(call: C<'_, '_, '_>) -> Result<Ret> {
    let mut text = match call.ptr(1)? {
        0 => Vec::new(),
        addr => call.string(addr)?,
    };
    if !text.is_empty() {
        text.extend_from_slice(b": ");
    }
    text.extend_from_slice(super::messages::signal_text(call.int32(0)?).as_bytes());
    text.push(b'\n');
    call.m.write_stream(2, &text);
    Ok(Ret::Void)
}

/// Takes the next part of `name,name=value,…` and looks it up in a list of names.
fn getsubopt(call: C<'_, '_, '_>) -> Result<Ret> {
    let (option, tokens, value) = (call.ptr(0)?, call.ptr(1)?, call.ptr(2)?);
    let word = call.word();
    let from = call.load_ptr(option)?;
    let text = call.string(from)?;
    if text.is_empty() {
        return Ok(Ret::Int(-1));
    }
    let end = text.iter().position(|b| *b == b',').unwrap_or(text.len());
    let part = &text[..end];
    let equals = part.iter().position(|b| *b == b'=');
    let name = &part[..equals.unwrap_or(end)];
    let next = if end < text.len() { end + 1 } else { end };
    for n in 0.. {
        let token = call.load_ptr(tokens.wrapping_add(n * word))?;
        if token == 0 {
            break;
        }
        if call.string(token)? == name {
            let at = equals.map_or(0, |n| from + n as u64 + 1);
            call.store_ptr(value, at)?;
            if end < text.len() {
                call.m.memory.store(from + end as u64, &[0])?;
            }
            call.store_ptr(option, from + next as u64)?;
            return Ok(Ret::Int(n.into()));
        }
    }
    call.store_ptr(value, from)?;
    if end < text.len() {
        call.m.memory.store(from + end as u64, &[0])?;
    }
    call.store_ptr(option, from + next as u64)?;
    Ok(Ret::Int(-1))
}
