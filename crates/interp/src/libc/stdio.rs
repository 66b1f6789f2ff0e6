//! Streams as C sees them; `printf` and `scanf` have files of their own.

use super::stream::Mirror;
use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Stop};
use crate::memory::{Fill, State};

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    // The unlocked forms are the same for a program with one thread.
    let name = name.strip_suffix("_unlocked").unwrap_or(name);
    Some(match name {
        "puts" => puts,
        "putchar" => |c| put_char(c, Some(1)),
        "fputc" | "putc" | "_IO_putc" => |c| put_char(c, None),
        "fputs" => fputs,
        "getchar" => |c| get_char(c, Some(0)),
        "fgetc" | "getc" | "_IO_getc" => |c| get_char(c, None),
        "fgets" | "__fgets_chk" => fgets,
        "gets" | "__gets_chk" => gets,
        "ungetc" => ungetc,
        "getline" => getline,
        "getdelim" | "__getdelim" => getdelim,
        "fopen" | "fopen64" => fopen,
        "freopen" | "freopen64" => freopen,
        "fdopen" => fdopen,
        "fclose" => fclose,
        "fread" | "__fread_chk" => fread,
        "fwrite" => fwrite,
        "fseek" | "fseeko" | "fseeko64" => fseek,
        "ftell" | "ftello" | "ftello64" => ftell,
        "rewind" => rewind,
        "fgetpos" => fgetpos,
        "fsetpos" => fsetpos,
        "feof" => |c| flag(c, |s| s.eof),
        "ferror" => |c| flag(c, |s| s.error),
        "clearerr" => clearerr,
        "fflush" => fflush,
        "setvbuf" | "setbuf" | "setbuffer" | "setlinebuf" | "__fsetlocking" => |c| {
            stream(c, 0)?;
            Ok(Ret::Int(0))
        },
        "flockfile" | "funlockfile" | "ftrylockfile" => |c| {
            stream(c, 0)?;
            Ok(Ret::Int(0))
        },
        "__fpending" => |c| {
            let n = stream(c, 0)?;
            Ok(Ret::Int(c.m.library.streams.pending(n) as i128))
        },
        "fpurge" | "__fpurge" => {
            |c| Err(c.fail(ErrorKind::Unsupported, "buffers are not thrown away"))
        }
        "fileno" => |c| Ok(Ret::Int(stream(c, 0)? as i128)),
        "remove" | "unlink" => remove,
        "rename" => rename,
        "tmpfile" | "tmpfile64" => |c| {
            let n = c.m.add_memory(Vec::new(), (true, true), None);
            opened(c, Ok(n))
        },
        "open_memstream" => open_memstream,
        "fmemopen" => fmemopen,
        "getw" => getw,
        "putw" => putw,
        "perror" => perror,
        _ => return None,
    })
}

fn stream(call: &mut Call<'_, '_>, n: usize) -> Result<usize> {
    let addr = call.ptr(n)?;
    Ok(call.m.stream_at(addr)?)
}

fn puts(call: C<'_, '_, '_>) -> Result<Ret> {
    let mut text = call.string(call.ptr(0)?)?;
    text.push(b'\n');
    let done = call.m.write_stream(1, &text);
    Ok(Ret::Int(if done { text.len() as i128 } else { -1 }))
}

fn put_char(call: C<'_, '_, '_>, fixed: Option<usize>) -> Result<Ret> {
    let byte = call.int(0)? as u8;
    let n = match fixed {
        Some(n) => n,
        None => stream(call, 1)?,
    };
    let done = call.m.write_stream(n, &[byte]);
    Ok(Ret::Int(if done { byte.into() } else { -1 }))
}

fn fputs(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.string(call.ptr(0)?)?;
    let n = stream(call, 1)?;
    let done = call.m.write_stream(n, &text);
    Ok(Ret::Int(if done { 1 } else { -1 }))
}

fn get_char(call: C<'_, '_, '_>, fixed: Option<usize>) -> Result<Ret> {
    let n = match fixed {
        Some(n) => n,
        None => stream(call, 0)?,
    };
    Ok(Ret::Int(call.m.read_stream(n).map_or(-1, i128::from)))
}

/// Reads up to and including a newline, at most `max` bytes.
fn line(call: C<'_, '_, '_>, n: usize, max: usize, end: u8) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < max
        && let Some(byte) = call.m.read_stream(n)
    {
        text.push(byte);
        if byte == end {
            break;
        }
    }
    text
}

fn fgets(call: C<'_, '_, '_>) -> Result<Ret> {
    let to = call.ptr(0)?;
    // The checked form has the buffer's size in between.
    let last = call.args.len() - 1;
    let size = call.int32(last - 1)?;
    let n = stream(call, last)?;
    if size <= 0 {
        return Ok(Ret::Int(0));
    }
    // All of it is promised to be there, however short the line is.
    call.m.memory.writable(to, size as u64)?;
    let text = line(call, n, size as usize - 1, b'\n');
    if text.is_empty() && size > 1 {
        return Ok(Ret::Int(0));
    }
    call.store_string(to, &text)?;
    Ok(Ret::Int(to.into()))
}

fn gets(call: C<'_, '_, '_>) -> Result<Ret> {
    let to = call.ptr(0)?;
    call.m.memory.writable(to, 1)?;
    let mut text = line(call, 0, usize::MAX, b'\n');
    if text.is_empty() {
        return Ok(Ret::Int(0));
    }
    if text.last() == Some(&b'\n') {
        text.pop();
    }
    call.store_string(to, &text)?;
    Ok(Ret::Int(to.into()))
}

fn ungetc(call: C<'_, '_, '_>) -> Result<Ret> {
    let byte = call.int32(0)?;
    let n = stream(call, 1)?;
    if byte == -1 {
        return Ok(Ret::Int(-1));
    }
    call.m.unread_stream(n, byte as u8);
    Ok(Ret::Int((byte as u8).into()))
}

fn getline(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 2)?;
    read_line(call, n, b'\n')
}

fn getdelim(call: C<'_, '_, '_>) -> Result<Ret> {
    let end = call.int(2)? as u8;
    let n = stream(call, 3)?;
    read_line(call, n, end)
}

fn read_line(call: C<'_, '_, '_>, n: usize, end: u8) -> Result<Ret> {
    let (buffer, size) = (call.ptr(0)?, call.ptr(1)?);
    call.load_ptr(buffer)?;
    call.m.memory.writable(size, call.word())?;
    let text = line(call, n, usize::MAX, end);
    if text.is_empty() {
        return Ok(Ret::Int(-1));
    }
    let old = call.load_ptr(buffer)?;
    let room = match old {
        0 => 0,
        _ => call.load_ptr(size)?,
    };
    let needed = text.len() as u64 + 1;
    let mut to = old;
    if needed > room {
        let block = match old {
            0 => None,
            _ => Some(call.m.memory.heap_block(old)?),
        };
        let new = needed.max(120);
        to = call.heap(new, Fill::Unwritten)?;
        if to == 0 {
            return Ok(Ret::Int(-1));
        }
        if let Some(id) = block {
            let here = call.m.here();
            call.m.memory.release(id, State::Freed, here);
        }
        call.store_ptr(buffer, to)?;
        call.store_ptr(size, new)?;
    }
    call.store_string(to, &text)?;
    Ok(Ret::Int(text.len() as i128))
}

fn opened(call: C<'_, '_, '_>, result: std::result::Result<usize, i32>) -> Result<Ret> {
    match result {
        Ok(n) => Ok(Ret::Int(call.m.stream_object(n)?.into())),
        Err(number) => {
            call.m.set_errno(number)?;
            Ok(Ret::Int(0))
        }
    }
}

fn fopen(call: C<'_, '_, '_>) -> Result<Ret> {
    let path = call.string(call.ptr(0)?)?;
    let mode = call.string(call.ptr(1)?)?;
    let result = call.m.open_file(&path, &mode);
    opened(call, result)
}

fn freopen(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 2)?;
    let mode = call.string(call.ptr(1)?)?;
    let path = match call.ptr(0)? {
        0 => {
            return Err(call.fail(
                ErrorKind::Unsupported,
                "the mode of a stream is not changed",
            ));
        }
        path => call.string(path)?,
    };
    call.m.flush_stream(n)?;
    match call.m.open_file(&path, &mode) {
        Ok(new) => {
            call.m.replace_stream(n, new);
            Ok(Ret::Int(call.ptr(2)?.into()))
        }
        Err(number) => {
            call.m.close_stream(n)?;
            call.m.end_stream(n);
            call.m.set_errno(number)?;
            Ok(Ret::Int(0))
        }
    }
}

fn fdopen(call: C<'_, '_, '_>) -> Result<Ret> {
    let number = call.int32(0)?;
    call.string(call.ptr(1)?)?;
    let result = call.m.library.streams.by_descriptor(number).ok_or(9);
    opened(call, result)
}

fn fclose(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 0)?;
    let done = call.m.close_stream(n)?;
    call.m.end_stream(n);
    Ok(Ret::Int(if done { 0 } else { -1 }))
}

/// What a mode allows: reading and writing.
fn allowed(mode: &[u8]) -> Option<(bool, bool)> {
    let plus = mode.contains(&b'+');
    match mode.first()? {
        b'r' => Some((true, plus)),
        b'w' | b'a' => Some((plus, true)),
        _ => None,
    }
}

fn open_memstream(call: C<'_, '_, '_>) -> Result<Ret> {
    let (pointer, size) = (call.ptr(0)?, call.ptr(1)?);
    let word = call.word();
    call.m.memory.writable(pointer, word)?;
    call.m.memory.writable(size, word)?;
    let mirror = Mirror::Grows {
        pointer,
        size,
        block: 0,
    };
    let n = call.m.add_memory(Vec::new(), (false, true), Some(mirror));
    opened(call, Ok(n))
}

fn fmemopen(call: C<'_, '_, '_>) -> Result<Ret> {
    let (addr, size) = (call.ptr(0)?, call.size(1)?);
    let mode = call.string(call.ptr(2)?)?;
    let Some((readable, writable)) = allowed(&mode) else {
        return opened(call, Err(22));
    };
    if addr == 0 || mode[0] != b'r' && mode[0] != b'w' {
        let message = "streams on memory are opened with a buffer, for r or w";
        return Err(call.fail(ErrorKind::Unsupported, message));
    }
    let contents = match mode[0] {
        b'r' => call.m.memory.written_bytes(addr, size)?.to_vec(),
        _ => Vec::new(),
    };
    call.m.memory.readable(addr, size)?;
    if writable {
        call.m.memory.writable(addr, size)?;
    }
    let mirror = writable.then_some(Mirror::Buffer { addr, size });
    let n = call.m.add_memory(contents, (readable, writable), mirror);
    opened(call, Ok(n))
}

fn getw(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 0)?;
    let mut word = [0; 4];
    for byte in &mut word {
        match call.m.read_stream(n) {
            Some(found) => *byte = found,
            None => return Ok(Ret::Int(-1)),
        }
    }
    let number = call.m.program.target().number(&word) as i32;
    Ok(Ret::Int(number.into()))
}

fn putw(call: C<'_, '_, '_>) -> Result<Ret> {
    let word = call.int32(0)?;
    let n = stream(call, 1)?;
    let done = call.m.write_stream(n, &call.bytes(word as u128, 4));
    Ok(Ret::Int(if done { 0 } else { -1 }))
}

fn fread(call: C<'_, '_, '_>) -> Result<Ret> {
    let checked = call.name.ends_with("_chk");
    let first = usize::from(checked);
    let to = call.ptr(0)?;
    let (size, count) = (call.size(1 + first)?, call.size(2 + first)?);
    let n = stream(call, 3 + first)?;
    let total = size.saturating_mul(count);
    if total == 0 {
        return Ok(Ret::Int(0));
    }
    call.m.memory.writable(to, total)?;
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < total
        && let Some(byte) = call.m.read_stream(n)
    {
        bytes.push(byte);
    }
    call.m.memory.store(to, &bytes)?;
    Ok(Ret::Int((bytes.len() as u64 / size).into()))
}

fn fwrite(call: C<'_, '_, '_>) -> Result<Ret> {
    let from = call.ptr(0)?;
    let (size, count) = (call.size(1)?, call.size(2)?);
    let n = stream(call, 3)?;
    let total = size.saturating_mul(count);
    // Padding may be indeterminate; writing it out is allowed.
    let bytes = call.m.memory.bytes(from, total)?.to_vec();
    let done = call.m.write_stream(n, &bytes);
    Ok(Ret::Int(if done && size > 0 { count.into() } else { 0 }))
}

fn fseek(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 0)?;
    let (offset, whence) = (call.int(1)? as i64, call.int32(2)?);
    let done = call.m.seek_stream(n, offset, whence)?;
    Ok(Ret::Int(if done { 0 } else { -1 }))
}

fn ftell(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 0)?;
    Ok(Ret::Int(call.m.tell_stream(n).map_or(-1, i128::from)))
}

fn rewind(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 0)?;
    call.m.seek_stream(n, 0, 0)?;
    call.m.library.streams.get(n).error = false;
    Ok(Ret::Void)
}

fn fgetpos(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 0)?;
    let to = call.ptr(1)?;
    match call.m.tell_stream(n) {
        Some(at) => {
            call.m.memory.writable(to, 16)?;
            call.store(to, 8, at.into())?;
            Ok(Ret::Int(0))
        }
        None => Ok(Ret::Int(-1)),
    }
}

fn fsetpos(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 0)?;
    let at = call.load(call.ptr(1)?, 8, true)? as i64;
    let done = call.m.seek_stream(n, at, 0)?;
    Ok(Ret::Int(if done { 0 } else { -1 }))
}

fn flag(call: C<'_, '_, '_>, get: fn(&super::stream::Stream) -> bool) -> Result<Ret> {
    let n = stream(call, 0)?;
    Ok(Ret::Int(get(call.m.library.streams.get(n)).into()))
}

fn clearerr(call: C<'_, '_, '_>) -> Result<Ret> {
    let n = stream(call, 0)?;
    let stream = call.m.library.streams.get(n);
    stream.eof = false;
    stream.error = false;
    Ok(Ret::Void)
}

fn fflush(call: C<'_, '_, '_>) -> Result<Ret> {
    match call.ptr(0)? {
        0 => call.m.flush_streams()?,
        addr => {
            let n = call.m.stream_at(addr)?;
            call.m.flush_stream(n)?;
        }
    }
    Ok(Ret::Int(0))
}

fn file_result(call: C<'_, '_, '_>, result: std::io::Result<()>) -> Result<Ret> {
    match result {
        Ok(()) => Ok(Ret::Int(0)),
        Err(error) => {
            call.m.set_errno(error.raw_os_error().unwrap_or(5))?;
            Ok(Ret::Int(-1))
        }
    }
}

fn path(call: &Call<'_, '_>, n: usize) -> Result<String> {
    let bytes = call.string(call.ptr(n)?)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn denied() -> std::io::Result<()> {
    Err(std::io::Error::from_raw_os_error(13))
}

fn remove(call: C<'_, '_, '_>) -> Result<Ret> {
    let path = path(call, 0)?;
    let result = match call.m.options.files {
        true => std::fs::remove_file(path),
        false => denied(),
    };
    file_result(call, result)
}

fn rename(call: C<'_, '_, '_>) -> Result<Ret> {
    let (from, to) = (path(call, 0)?, path(call, 1)?);
    let result = match call.m.options.files {
        true => std::fs::rename(from, to),
        false => denied(),
    };
    file_result(call, result)
}

fn perror(call: C<'_, '_, '_>) -> Result<Ret> {
    let prefix = match call.ptr(0)? {
        0 => Vec::new(),
        addr => call.string(addr)?,
    };
    let errno = call.m.library_object("errno", 4)?;
    let number = call.load(errno, 4, true)? as i32;
    let mut text = prefix;
    if !text.is_empty() {
        text.extend_from_slice(b": ");
    }
    text.extend_from_slice(super::messages::error_text(number).as_bytes());
    text.push(b'\n');
    call.m.write_stream(2, &text);
    Ok(Ret::Void)
}
