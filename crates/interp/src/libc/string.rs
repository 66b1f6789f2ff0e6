//! `string.h`: copying, comparing and searching memory and strings.

use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Fault, Stop};
use crate::memory::access::apart;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    // The checked forms have the same arguments and the size of the destination after them.
    let name = match name.strip_prefix("__").and_then(|n| n.strip_suffix("_chk")) {
        Some(plain) => plain,
        None => name.strip_prefix("__builtin_").unwrap_or(name),
    };
    Some(match name {
        "memcpy" => memcpy,
        "memmove" => memmove,
        "mempcpy" | "__mempcpy" => mempcpy,
        "memccpy" => memccpy,
        "bcopy" => bcopy,
        "memset" => memset,
        "explicit_bzero" | "bzero" => bzero,
        "memcmp" | "bcmp" => memcmp,
        "memchr" => memchr,
        "rawmemchr" => rawmemchr,
        "memrchr" => memrchr,
        "memmem" => memmem,
        "strlen" => strlen,
        "strnlen" => strnlen,
        "strcpy" => strcpy,
        "stpcpy" | "__stpcpy" => stpcpy,
        "strncpy" => strncpy,
        "stpncpy" => stpncpy,
        "strlcpy" => strlcpy,
        "strlcat" => strlcat,
        "strcat" => strcat,
        "strncat" => strncat,
        "strcmp" | "strcoll" => |c| compare(c, None, false),
        "strncmp" => |c| compare(c, Some(2), false),
        "strcasecmp" => |c| compare(c, None, true),
        "strncasecmp" => |c| compare(c, Some(2), true),
        "strchr" | "index" => strchr,
        "strchrnul" => strchrnul,
        "strrchr" | "rindex" => strrchr,
        "strstr" => |c| strstr(c, false),
        "strcasestr" => |c| strstr(c, true),
        "strspn" => |c| span(c, true),
        "strcspn" => |c| span(c, false),
        "strpbrk" => strpbrk,
        _ => return None,
    })
}

/// In the checked forms, whether as many bytes fit as the caller says the destination has.
fn fortified(call: &Call<'_, '_>, needed: u64) -> Result<()> {
    if call.name.ends_with("_chk") && needed > call.size(call.args.len() - 1)? {
        return Err(call.fail(ErrorKind::OutOfBounds, "buffer overflow detected"));
    }
    Ok(())
}

fn pointer(addr: u64) -> Result<Ret> {
    Ok(Ret::Int(addr.into()))
}

fn memcpy(call: C<'_, '_, '_>) -> Result<Ret> {
    let to = call.ptr(0)?;
    let (from, len) = (call.ptr(1)?, call.size(2)?);
    fortified(call, len)?;
    call.m.memory.copy_apart(to, from, len)?;
    pointer(to)
}

fn memmove(call: C<'_, '_, '_>) -> Result<Ret> {
    let to = call.ptr(0)?;
    let (from, len) = (call.ptr(1)?, call.size(2)?);
    fortified(call, len)?;
    call.m.memory.copy(to, from, len)?;
    pointer(to)
}

fn mempcpy(call: C<'_, '_, '_>) -> Result<Ret> {
    memcpy(call)?;
    pointer(call.ptr(0)? + call.size(2)?)
}

fn memccpy(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from) = (call.ptr(0)?, call.ptr(1)?);
    let (stop, len) = (call.int(2)? as u8, call.size(3)?);
    for n in 0..len {
        let byte = call.m.memory.written_bytes(from + n, 1)?[0];
        call.m.memory.store(to + n, &[byte])?;
        apart((to, n + 1), (from, n + 1))?;
        if byte == stop {
            return pointer(to + n + 1);
        }
    }
    pointer(0)
}

fn bcopy(call: C<'_, '_, '_>) -> Result<Ret> {
    let (from, to, len) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    call.m.memory.copy(to, from, len)?;
    Ok(Ret::Void)
}

fn memset(call: C<'_, '_, '_>) -> Result<Ret> {
    let to = call.ptr(0)?;
    let (byte, len) = (call.int(1)? as u8, call.size(2)?);
    fortified(call, len)?;
    call.m.memory.fill(to, byte, len)?;
    pointer(to)
}

fn bzero(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, len) = (call.ptr(0)?, call.size(1)?);
    call.m.memory.fill(to, 0, len)?;
    Ok(Ret::Void)
}

fn memcmp(call: C<'_, '_, '_>) -> Result<Ret> {
    let (a, b, len) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    let memory = &call.m.memory;
    let (x, y) = (memory.bytes(a, len)?, memory.bytes(b, len)?);
    let differs = x.iter().zip(y).position(|(x, y)| x != y);
    // Only bytes up to the first difference decide.
    let seen = differs.map_or(len, |n| n as u64 + 1);
    memory.written_bytes(a, seen)?;
    memory.written_bytes(b, seen)?;
    Ok(Ret::Int(match differs {
        Some(n) => i128::from(x[n]) - i128::from(y[n]),
        None => 0,
    }))
}

/// The first byte equal to `byte` among `len`; reads no further than it.
fn seek(call: &Call<'_, '_>, addr: u64, byte: u8, len: u64) -> std::result::Result<u64, Fault> {
    if len == 0 {
        return Ok(0);
    }
    let memory = &call.m.memory;
    let (id, offset) = memory.locate(addr, 1)?;
    let rest = &memory.objects[id as usize].bytes[offset as usize..];
    let rest = &rest[..rest.len().min(usize::try_from(len).unwrap_or(usize::MAX))];
    match rest.iter().position(|b| *b == byte) {
        Some(n) => {
            memory.written_bytes(addr, n as u64 + 1)?;
            Ok(addr + n as u64)
        }
        None => {
            memory.written_bytes(addr, len)?;
            Ok(0)
        }
    }
}

fn memchr(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, byte, len) = (call.ptr(0)?, call.int(1)? as u8, call.size(2)?);
    pointer(seek(call, addr, byte, len)?)
}

fn rawmemchr(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, byte) = (call.ptr(0)?, call.int(1)? as u8);
    pointer(seek(call, addr, byte, call.m.mask)?)
}

fn memrchr(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, byte, len) = (call.ptr(0)?, call.int(1)? as u8, call.size(2)?);
    let bytes = call.m.memory.written_bytes(addr, len)?;
    let found = bytes.iter().rposition(|b| *b == byte);
    pointer(found.map_or(0, |n| addr + n as u64))
}

fn find_in(text: &[u8], what: &[u8]) -> Option<usize> {
    if what.is_empty() {
        return Some(0);
    }
    text.windows(what.len()).position(|w| w == what)
}

fn memmem(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let memory = &call.m.memory;
    let text = memory.written_bytes(addr, call.size(1)?)?;
    let what = memory.written_bytes(call.ptr(2)?, call.size(3)?)?;
    pointer(find_in(text, what).map_or(0, |n| addr + n as u64))
}

fn strlen(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.m.memory.c_string(call.ptr(0)?)?;
    Ok(Ret::Int(text.len() as i128))
}

fn strnlen(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.m.memory.c_string_within(call.ptr(0)?, call.size(1)?)?;
    Ok(Ret::Int(text.len() as i128))
}

/// Copies a string with its final zero; gives its length.
fn copy(call: C<'_, '_, '_>, to: u64, from: u64) -> Result<u64> {
    let len = call.m.memory.c_string(from)?.len() as u64;
    fortified(call, to - call.ptr(0)? + len + 1)?;
    call.m.memory.copy_apart(to, from, len + 1)?;
    Ok(len)
}

fn strcpy(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from) = (call.ptr(0)?, call.ptr(1)?);
    copy(call, to, from)?;
    pointer(to)
}

fn stpcpy(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from) = (call.ptr(0)?, call.ptr(1)?);
    pointer(to + copy(call, to, from)?)
}

/// Copies at most `max` bytes and pads with zeros; gives the string's length.
fn copy_padded(call: C<'_, '_, '_>) -> Result<u64> {
    let (to, from, max) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    let len = call.m.memory.c_string_within(from, max)?.len() as u64;
    fortified(call, max)?;
    call.m.memory.writable(to, max)?;
    apart((to, max), (from, (len + 1).min(max)))?;
    call.m.memory.copy(to, from, len)?;
    call.m.memory.fill(to + len, 0, max - len)?;
    Ok(len)
}

fn strncpy(call: C<'_, '_, '_>) -> Result<Ret> {
    copy_padded(call)?;
    pointer(call.ptr(0)?)
}

fn stpncpy(call: C<'_, '_, '_>) -> Result<Ret> {
    let len = copy_padded(call)?;
    pointer(call.ptr(0)? + len)
}

fn strlcpy(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from, size) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    let text = call.string(from)?;
    if size > 0 {
        let keep = text.len().min(size as usize - 1);
        apart((to, keep as u64 + 1), (from, text.len() as u64 + 1))?;
        call.store_string(to, &text[..keep])?;
    }
    Ok(Ret::Int(text.len() as i128))
}

fn strlcat(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from, size) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    let have = call.m.memory.c_string_within(to, size)?.len() as u64;
    let text = call.string(from)?;
    if have < size {
        let keep = text.len().min((size - have) as usize - 1);
        apart((to + have, keep as u64 + 1), (from, text.len() as u64 + 1))?;
        call.store_string(to + have, &text[..keep])?;
    }
    Ok(Ret::Int(have as i128 + text.len() as i128))
}

fn strcat(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from) = (call.ptr(0)?, call.ptr(1)?);
    let end = call.m.memory.c_string(to)?.len() as u64;
    copy(call, to + end, from)?;
    pointer(to)
}

fn strncat(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, from, max) = (call.ptr(0)?, call.ptr(1)?, call.size(2)?);
    let end = call.m.memory.c_string(to)?.len() as u64;
    let text = call.m.memory.c_string_within(from, max)?.to_vec();
    let len = text.len() as u64;
    fortified(call, end + len + 1)?;
    call.m.memory.writable(to + end, len + 1)?;
    apart((to + end, len + 1), (from, (len + 1).min(max)))?;
    call.store_string(to + end, &text)?;
    pointer(to)
}

fn compare(call: C<'_, '_, '_>, max: Option<usize>, fold: bool) -> Result<Ret> {
    let (a, b) = (call.ptr(0)?, call.ptr(1)?);
    let max = match max {
        Some(n) => call.size(n)?,
        None => u64::MAX,
    };
    let memory = &call.m.memory;
    let mut at = 0;
    while at < max {
        let (x, y) = (
            memory.written_bytes(a.wrapping_add(at), 1)?[0],
            memory.written_bytes(b.wrapping_add(at), 1)?[0],
        );
        let (x, y) = match fold {
            true => (x.to_ascii_lowercase(), y.to_ascii_lowercase()),
            false => (x, y),
        };
        if x != y || x == 0 {
            return Ok(Ret::Int(i128::from(x) - i128::from(y)));
        }
        at += 1;
    }
    Ok(Ret::Int(0))
}

fn strchr(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, byte) = (call.ptr(0)?, call.int(1)? as u8);
    let text = call.m.memory.c_string(addr)?;
    if byte == 0 {
        return pointer(addr + text.len() as u64);
    }
    let found = text.iter().position(|b| *b == byte);
    pointer(found.map_or(0, |n| addr + n as u64))
}

fn strchrnul(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, byte) = (call.ptr(0)?, call.int(1)? as u8);
    let text = call.m.memory.c_string(addr)?;
    let found = text.iter().position(|b| *b == byte).unwrap_or(text.len());
    pointer(addr + found as u64)
}

fn strrchr(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, byte) = (call.ptr(0)?, call.int(1)? as u8);
    let text = call.m.memory.c_string(addr)?;
    if byte == 0 {
        return pointer(addr + text.len() as u64);
    }
    let found = text.iter().rposition(|b| *b == byte);
    pointer(found.map_or(0, |n| addr + n as u64))
}

fn strstr(call: C<'_, '_, '_>, fold: bool) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let (mut text, mut what) = (call.string(addr)?, call.string(call.ptr(1)?)?);
    if fold {
        text.make_ascii_lowercase();
        what.make_ascii_lowercase();
    }
    pointer(find_in(&text, &what).map_or(0, |n| addr + n as u64))
}

fn span(call: C<'_, '_, '_>, inside: bool) -> Result<Ret> {
    let text = call.m.memory.c_string(call.ptr(0)?)?;
    let set = call.m.memory.c_string(call.ptr(1)?)?;
    let len = text
        .iter()
        .take_while(|b| set.contains(b) == inside)
        .count();
    Ok(Ret::Int(len as i128))
}

fn strpbrk(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let text = call.m.memory.c_string(addr)?;
    let set = call.m.memory.c_string(call.ptr(1)?)?;
    let found = text.iter().position(|b| set.contains(b));
    pointer(found.map_or(0, |n| addr + n as u64))
}
