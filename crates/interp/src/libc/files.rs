//! Files by name and descriptor, and what a program without a network says of sockets. What the
//! arguments point to is checked first, whatever comes of the call.

use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Stop};
use crate::memory::Fill;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    let name = name.strip_suffix("64").unwrap_or(name);
    Some(match name {
        "open" | "__open_2" => open,
        "creat" => creat,
        "lseek" => lseek,
        "access" | "euidaccess" | "eaccess" => access,
        "stat" | "lstat" => stat,
        "fstat" => fstat,
        "mkdir" => |c| change(c, |p| std::fs::create_dir(p)),
        "rmdir" => |c| change(c, |p| std::fs::remove_dir(p)),
        "truncate" | "chmod" | "chown" | "lchown" | "chdir" | "opendir" | "mkfifo" | "readlink"
        | "symlink" | "link" | "execv" | "execvp" | "execve" | "execl" | "execlp" | "popen" => {
            unsupported_name
        }
        "realpath" | "canonicalize_file_name" | "__realpath_chk" => unsupported_name,
        "mkstemp" | "mkdtemp" | "mktemp" | "tmpnam" | "tempnam" => unsupported_name,
        "getcwd" => getcwd,
        "recv" | "__recv_chk" => |c| socket_buffer(c, true),
        "send" => |c| socket_buffer(c, false),
        "recvfrom" | "__recvfrom_chk" => |c| socket_buffer(c, true),
        "sendto" => |c| socket_buffer(c, false),
        "pread" => |c| positioned(c, true),
        "pwrite" => |c| positioned(c, false),
        "pipe" | "pipe2" => pipe,
        "gethostname" => gethostname,
        _ => return None,
    })
}

fn failed(call: C<'_, '_, '_>, number: i32) -> Result<Ret> {
    call.m.set_errno(number)?;
    Ok(Ret::Int(-1))
}

fn path(call: &Call<'_, '_>, n: usize) -> Result<std::path::PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let bytes = call.string(call.ptr(n)?)?;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

fn number(error: &std::io::Error) -> i32 {
    error.raw_os_error().unwrap_or(5)
}

const EBADF: i32 = 9;
const EACCES: i32 = 13;
const ENOTSOCK: i32 = 88;

fn open_with(call: C<'_, '_, '_>, flags: i32, mode: u32) -> Result<Ret> {
    let name = call.string(call.ptr(0)?)?;
    if !call.m.options.files {
        return failed(call, EACCES);
    }
    let (readable, writable) = match flags & 3 {
        0 => (true, false),
        1 => (false, true),
        _ => (true, true),
    };
    let has = |bit: i32| flags & bit != 0;
    let mut how = std::fs::OpenOptions::new();
    how.read(readable).write(writable).mode(mode);
    // The other flags go to the system as they are.
    how.custom_flags(flags & !0o1003);
    let _ = how.append(writable && has(0o2000));
    if !readable && !writable {
        return failed(call, 22);
    }
    match call.m.open_as(&name, &how, readable, writable) {
        Ok(n) => Ok(Ret::Int(n as i128)),
        Err(error) => failed(call, error),
    }
}

fn open(call: C<'_, '_, '_>) -> Result<Ret> {
    let flags = call.int32(1)?;
    let mode = match call.args.get(2) {
        Some(_) => call.int(2)? as u32,
        None if flags & 0o100 != 0 => {
            call.string(call.ptr(0)?)?;
            let message = "a file that is created needs a mode as third argument";
            return Err(call.fail(ErrorKind::BadCall, message));
        }
        None => 0,
    };
    open_with(call, flags, mode)
}

fn creat(call: C<'_, '_, '_>) -> Result<Ret> {
    let mode = call.int(1)? as u32;
    open_with(call, 0o1101, mode)
}

fn lseek(call: C<'_, '_, '_>) -> Result<Ret> {
    let (fd, offset, whence) = (call.int32(0)?, call.int(1)? as i64, call.int32(2)?);
    let Some(n) = call.m.library.streams.by_descriptor(fd) else {
        return failed(call, EBADF);
    };
    if call.m.tell_stream(n).is_none() {
        return failed(call, 29);
    }
    match call.m.seek_stream(n, offset, whence)? {
        true => Ok(Ret::Int(call.m.tell_stream(n).map_or(-1, i128::from))),
        false => failed(call, 22),
    }
}

fn access(call: C<'_, '_, '_>) -> Result<Ret> {
    let name = path(call, 0)?;
    if !call.m.options.files {
        return failed(call, EACCES);
    }
    let mode = call.int(1)? as u32 & 7;
    match std::fs::metadata(name) {
        Ok(data) => {
            let bits = data.mode();
            let any = bits | bits >> 3 | bits >> 6;
            // Who owns the file is not looked at: writing and reading are taken as allowed.
            let runs = mode & 1 == 0 || any & 1 != 0;
            if runs {
                Ok(Ret::Int(0))
            } else {
                failed(call, EACCES)
            }
        }
        Err(error) => failed(call, number(&error)),
    }
}

fn stat(call: C<'_, '_, '_>) -> Result<Ret> {
    let (name, to) = (path(call, 0)?, call.ptr(1)?);
    check_stat(call, to)?;
    if !call.m.options.files {
        return failed(call, EACCES);
    }
    let found = match call.name.starts_with('l') {
        true => std::fs::symlink_metadata(name),
        false => std::fs::metadata(name),
    };
    match found {
        Ok(data) => {
            store_stat(call, to, &data)?;
            Ok(Ret::Int(0))
        }
        Err(error) => failed(call, number(&error)),
    }
}

/// Bytes of a `struct stat` with 64 bits.
const STAT: u64 = 144;

fn check_stat(call: &Call<'_, '_>, to: u64) -> Result<()> {
    let target = call.m.program.target();
    if !target.is_x86 || target.pointer_bits < 64 {
        call.m.memory.writable(to, 1)?;
        let message = "the state of files is only known on x86 with 64 bits";
        return Err(call.fail(ErrorKind::Unsupported, message));
    }
    Ok(call.m.memory.writable(to, STAT)?)
}

fn store_stat(call: C<'_, '_, '_>, to: u64, data: &std::fs::Metadata) -> Result<()> {
    call.m.memory.fill(to, 0, STAT)?;
    let words = [
        (0, 8, data.dev() as i128),
        (8, 8, data.ino() as i128),
        (16, 8, data.nlink() as i128),
        (24, 4, data.mode() as i128),
        (28, 4, data.uid() as i128),
        (32, 4, data.gid() as i128),
        (40, 8, data.rdev() as i128),
        (48, 8, data.size() as i128),
        (56, 8, data.blksize() as i128),
        (64, 8, data.blocks() as i128),
        (72, 8, data.atime() as i128),
        (80, 8, data.atime_nsec() as i128),
        (88, 8, data.mtime() as i128),
        (96, 8, data.mtime_nsec() as i128),
        (104, 8, data.ctime() as i128),
        (112, 8, data.ctime_nsec() as i128),
    ];
    for (at, size, value) in words {
        call.store(to + at, size, value)?;
    }
    Ok(())
}

fn fstat(call: C<'_, '_, '_>) -> Result<Ret> {
    let (fd, to) = (call.int32(0)?, call.ptr(1)?);
    check_stat(call, to)?;
    let Some(n) = call.m.library.streams.by_descriptor(fd) else {
        return failed(call, EBADF);
    };
    match call.m.library.streams.metadata(n) {
        Some(data) => {
            store_stat(call, to, &data)?;
            Ok(Ret::Int(0))
        }
        None => {
            let message = "the state of this descriptor is not known";
            Err(call.fail(ErrorKind::Unsupported, message))
        }
    }
}

fn change(call: C<'_, '_, '_>, action: fn(&std::path::Path) -> std::io::Result<()>) -> Result<Ret> {
    let name = path(call, 0)?;
    if !call.m.options.files {
        return failed(call, EACCES);
    }
    match action(&name) {
        Ok(()) => Ok(Ret::Int(0)),
        Err(error) => failed(call, number(&error)),
    }
}

/// Checks the name, then gives up.
fn unsupported_name(call: C<'_, '_, '_>) -> Result<Ret> {
    if call.ptr(0)? != 0 || !matches!(call.name, "tmpnam" | "tempnam") {
        call.string(call.ptr(0)?)?;
    }
    let message = "this part of the file system is not available to a program that is interpreted";
    Err(call.fail(ErrorKind::Unsupported, message))
}

fn getcwd(call: C<'_, '_, '_>) -> Result<Ret> {
    use std::os::unix::ffi::OsStringExt;
    let (to, size) = (call.ptr(0)?, call.size(1)?);
    let Ok(current) = std::env::current_dir() else {
        call.m.set_errno(2)?;
        return Ok(Ret::Int(0));
    };
    let text = current.into_os_string().into_vec();
    let needed = text.len() as u64 + 1;
    if to == 0 {
        let room = if size == 0 { needed } else { size };
        if room < needed {
            call.m.set_errno(34)?;
            return Ok(Ret::Int(0));
        }
        let addr = call.heap(room, Fill::Unwritten)?;
        if addr != 0 {
            call.store_string(addr, &text)?;
        }
        return Ok(Ret::Int(addr.into()));
    }
    call.m.memory.writable(to, size)?;
    if size < needed {
        call.m.set_errno(if size == 0 { 22 } else { 34 })?;
        return Ok(Ret::Int(0));
    }
    call.store_string(to, &text)?;
    Ok(Ret::Int(to.into()))
}

/// There are no sockets: a descriptor is a file or nothing.
fn socket_buffer(call: C<'_, '_, '_>, writes: bool) -> Result<Ret> {
    let (fd, addr, len) = (call.int32(0)?, call.ptr(1)?, call.size(2)?);
    match writes {
        true => call.m.memory.writable(addr, len)?,
        false => call.m.memory.readable(addr, len)?,
    }
    let number = match call.m.library.streams.by_descriptor(fd) {
        Some(_) => ENOTSOCK,
        None => EBADF,
    };
    failed(call, number)
}

fn positioned(call: C<'_, '_, '_>, reads: bool) -> Result<Ret> {
    let (fd, addr, len) = (call.int32(0)?, call.ptr(1)?, call.size(2)?);
    let offset = call.int(3)? as i64;
    match reads {
        true => call.m.memory.writable(addr, len)?,
        false => call.m.memory.readable(addr, len)?,
    }
    let Some(n) = call.m.library.streams.by_descriptor(fd) else {
        return failed(call, EBADF);
    };
    let Some(before) = call.m.tell_stream(n) else {
        return failed(call, 29);
    };
    if !call.m.seek_stream(n, offset, 0)? {
        return failed(call, 22);
    }
    let result = match reads {
        true => super::unistd::read_into(call, n, addr, len)?,
        false => {
            let bytes = call.m.memory.bytes(addr, len)?.to_vec();
            match call.m.write_stream(n, &bytes) {
                true => i128::from(len),
                false => return failed(call, EBADF),
            }
        }
    };
    call.m.seek_stream(n, before as i64, 0)?;
    Ok(Ret::Int(result))
}

fn pipe(call: C<'_, '_, '_>) -> Result<Ret> {
    let to = call.ptr(0)?;
    call.m.memory.writable(to, 8)?;
    Err(call.fail(ErrorKind::Unsupported, "pipes are not supported"))
}

fn gethostname(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, size) = (call.ptr(0)?, call.size(1)?);
    call.m.memory.writable(to, size)?;
    let text = b"localhost";
    if size <= text.len() as u64 {
        return failed(call, 36);
    }
    call.store_string(to, text)?;
    Ok(Ret::Int(0))
}
