//! The few system calls that plain C programs use.

use super::{Call, Native, Ret};
use crate::error::Stop;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "write" => write,
        "read" | "__read_chk" => read,
        "close" => close,
        "getpid" => |_| Ok(Ret::Int(4242)),
        "getppid" => |_| Ok(Ret::Int(4241)),
        "getuid" | "geteuid" | "getgid" | "getegid" => |_| Ok(Ret::Int(1000)),
        // Sleeping changes nothing that the program could rightly depend on.
        "sleep" | "usleep" | "sched_yield" | "alarm" | "sync" => |_| Ok(Ret::Int(0)),
        "nanosleep" => |c| pause(c, 0),
        "clock_nanosleep" => |c| pause(c, 2),
        "isatty" => |_| Ok(Ret::Int(0)),
        "fsync" => |_| Ok(Ret::Int(0)),
        "sysconf" => sysconf,
        "getpagesize" => |_| Ok(Ret::Int(4096)),
        _ => return None,
    })
}

const EBADF: i32 = 9;

fn write(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let number = call.int32(0)?;
    let (from, len) = (call.ptr(1)?, call.size(2)?);
    let bytes = call.m.memory.bytes(from, len)?.to_vec();
    match call.m.library.streams.by_descriptor(number) {
        Some(n) if call.m.write_stream(n, &bytes) => {
            call.m.flush_stream(n)?;
            Ok(Ret::Int(len.into()))
        }
        _ => {
            call.m.set_errno(EBADF)?;
            Ok(Ret::Int(-1))
        }
    }
}

fn read(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let number = call.int32(0)?;
    let (to, len) = (call.ptr(1)?, call.size(2)?);
    call.m.memory.writable(to, len)?;
    let Some(n) = call.m.library.streams.by_descriptor(number) else {
        call.m.set_errno(EBADF)?;
        return Ok(Ret::Int(-1));
    };
    Ok(Ret::Int(read_into(call, n, to, len)?))
}

/// Reads up to `len` bytes of a stream to `to`.
pub(super) fn read_into(
    call: &mut Call<'_, '_>,
    n: usize,
    to: u64,
    len: u64,
) -> Result<i128, Stop> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < len
        && let Some(byte) = call.m.read_stream(n)
    {
        bytes.push(byte);
    }
    call.m.memory.store(to, &bytes)?;
    Ok(bytes.len() as i128)
}

fn close(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let number = call.int32(0)?;
    match call.m.library.streams.by_descriptor(number) {
        Some(n) => {
            call.m.close_stream(n)?;
            Ok(Ret::Int(0))
        }
        None => {
            call.m.set_errno(EBADF)?;
            Ok(Ret::Int(-1))
        }
    }
}

/// Sleeps for the time that argument `n` points to.
fn pause(call: &mut Call<'_, '_>, n: usize) -> Result<Ret, Stop> {
    let (at, word) = (call.ptr(n)?, call.word());
    call.load(at, word, true)?;
    let nanos = call.load(at.wrapping_add(word), word, true)?;
    if !(0..1_000_000_000).contains(&nanos) {
        call.m.set_errno(22)?;
        return Ok(Ret::Int(-1));
    }
    Ok(Ret::Int(0))
}

fn sysconf(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    Ok(Ret::Int(match call.int32(0)? {
        2 => 100,
        30 => 4096,
        83 | 84 => 1,
        _ => -1,
    }))
}
