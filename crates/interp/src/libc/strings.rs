//! The rest of `string.h` and `strings.h`: tokens, duplicates, messages, bits.

use super::{Call, Native, Ret};
use crate::error::Stop;

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
            let text = error_text(c.int32(0)?);
            Ok(c.constant(&text)?)
        },
        "strerror_r" | "__xpg_strerror_r" => strerror_r,
        "strsignal" => |c| {
            let text = signal_text(c.int32(0)?);
            Ok(c.constant(&text)?)
        },
        "ffs" => |c| Ok(Ret::Int(first_bit(c.int(0)? as u32 as u64))),
        "ffsl" => |c| {
            let mask = c.m.mask;
            Ok(Ret::Int(first_bit(c.int(0)? as u64 & mask)))
        },
        "ffsll" => |c| Ok(Ret::Int(first_bit(c.int(0)? as u64))),
        "swab" => swab,
        "basename" | "__xpg_basename" => basename,
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
    if from == 0 {
        return Ok((0, 0));
    }
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
    if (text.len() as u64) < size {
        call.store_string(to, &text)?;
    }
    Ok(Ret::Int(text.len() as i128))
}

fn strerror_r(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = error_text(call.int32(0)?);
    let (to, size) = (call.ptr(1)?, call.size(2)? as usize);
    let text = &text.as_bytes()[..text.len().min(size.saturating_sub(1))];
    if size > 0 {
        call.store_string(to, text)?;
    }
    // The X/Open form returns a number, GNU's the text.
    Ok(Ret::Int(if call.name == "strerror_r" {
        to.into()
    } else {
        0
    }))
}

fn swab(call: C<'_, '_, '_>) -> Result<Ret> {
    let (from, to, len) = (call.ptr(0)?, call.ptr(1)?, call.int(2)?.max(0) as u64 & !1);
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

/// glibc's message for an `errno`.
pub(super) fn error_text(number: i32) -> String {
    let known = match number {
        0 => "Success",
        1 => "Operation not permitted",
        2 => "No such file or directory",
        3 => "No such process",
        4 => "Interrupted system call",
        5 => "Input/output error",
        6 => "No such device or address",
        7 => "Argument list too long",
        8 => "Exec format error",
        9 => "Bad file descriptor",
        10 => "No child processes",
        11 => "Resource temporarily unavailable",
        12 => "Cannot allocate memory",
        13 => "Permission denied",
        14 => "Bad address",
        15 => "Block device required",
        16 => "Device or resource busy",
        17 => "File exists",
        18 => "Invalid cross-device link",
        19 => "No such device",
        20 => "Not a directory",
        21 => "Is a directory",
        22 => "Invalid argument",
        23 => "Too many open files in system",
        24 => "Too many open files",
        25 => "Inappropriate ioctl for device",
        26 => "Text file busy",
        27 => "File too large",
        28 => "No space left on device",
        29 => "Illegal seek",
        30 => "Read-only file system",
        31 => "Too many links",
        32 => "Broken pipe",
        33 => "Numerical argument out of domain",
        34 => "Numerical result out of range",
        35 => "Resource deadlock avoided",
        36 => "File name too long",
        37 => "No locks available",
        38 => "Function not implemented",
        39 => "Directory not empty",
        40 => "Too many levels of symbolic links",
        75 => "Value too large for defined data type",
        84 => "Invalid or incomplete multibyte or wide character",
        95 => "Operation not supported",
        110 => "Connection timed out",
        111 => "Connection refused",
        _ => return format!("Unknown error {number}"),
    };
    known.into()
}

/// glibc's name of a signal.
pub(super) fn signal_text(number: i32) -> String {
    let known = match number {
        1 => "Hangup",
        2 => "Interrupt",
        3 => "Quit",
        4 => "Illegal instruction",
        5 => "Trace/breakpoint trap",
        6 => "Aborted",
        7 => "Bus error",
        8 => "Floating point exception",
        9 => "Killed",
        10 => "User defined signal 1",
        11 => "Segmentation fault",
        12 => "User defined signal 2",
        13 => "Broken pipe",
        14 => "Alarm clock",
        15 => "Terminated",
        17 => "Child exited",
        18 => "Continued",
        19 => "Stopped (signal)",
        _ => return format!("Unknown signal {number}"),
    };
    known.into()
}
