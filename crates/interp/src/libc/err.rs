//! `err.h`, `error.h` and glibc's `assert_perror`: messages on standard error, and the end.

use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Stop};

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "warn" => |c| message(c, 0, false, Why::Errno).map(|()| Ret::Void),
        "warnx" => |c| message(c, 0, false, Why::Nothing).map(|()| Ret::Void),
        "vwarn" => |c| message(c, 0, true, Why::Errno).map(|()| Ret::Void),
        "vwarnx" => |c| message(c, 0, true, Why::Nothing).map(|()| Ret::Void),
        "err" => |c| end(c, false, Why::Errno),
        "errx" => |c| end(c, false, Why::Nothing),
        "verr" => |c| end(c, true, Why::Errno),
        "verrx" => |c| end(c, true, Why::Nothing),
        "error" => error,
        "error_at_line" => error_at_line,
        "__assert_perror_fail" => assert_perror,
        _ => return None,
    })
}

/// What is said after the message.
#[derive(Clone, Copy)]
enum Why {
    Nothing,
    Errno,
}

/// The name of the program without its directories.
fn short_name(call: &Call<'_, '_>) -> Vec<u8> {
    let name = call.m.options.args.first().cloned().unwrap_or_default();
    let start = name.iter().rposition(|b| *b == b'/').map_or(0, |n| n + 1);
    name[start..].to_vec()
}

fn errno(call: C<'_, '_, '_>) -> Result<i32> {
    let addr = call.m.library_object("errno", 4)?;
    Ok(call.load(addr, 4, true)? as i32)
}

fn message(call: C<'_, '_, '_>, format: usize, list: bool, why: Why) -> Result<()> {
    let mut text = short_name(call);
    text.extend_from_slice(b": ");
    let number = errno(call)?;
    let formatted = call.ptr(format)? != 0;
    if formatted {
        text.extend_from_slice(&super::printf::format_text(call, format, list)?.text);
    }
    if let Why::Errno = why {
        if formatted {
            text.extend_from_slice(b": ");
        }
        text.extend_from_slice(super::messages::error_text(number).as_bytes());
    }
    text.push(b'\n');
    call.m.write_stream(2, &text);
    Ok(())
}

fn end(call: C<'_, '_, '_>, list: bool, why: Why) -> Result<Ret> {
    message(call, 1, list, why)?;
    let status = call.int32(0)?;
    call.m.exit(status).map(|_| Ret::Void)
}

fn error(call: C<'_, '_, '_>) -> Result<Ret> {
    finish_error(call, 2, b"")
}

fn error_at_line(call: C<'_, '_, '_>) -> Result<Ret> {
    let mut place = match call.ptr(2)? {
        0 => Vec::new(),
        addr => call.string(addr)?,
    };
    place.extend_from_slice(format!(":{}: ", call.int(3)? as u32).as_bytes());
    finish_error(call, 4, &place)
}

/// `error`: standard output is written out first, the whole name of the program is shown.
fn finish_error(call: C<'_, '_, '_>, format: usize, place: &[u8]) -> Result<Ret> {
    let (status, number) = (call.int32(0)?, call.int32(1)?);
    call.m.flush_stream(1)?;
    let mut text = call.m.options.args.first().cloned().unwrap_or_default();
    text.extend_from_slice(if place.is_empty() { b": " } else { b":" });
    text.extend_from_slice(place);
    text.extend_from_slice(&super::printf::format_text(call, format, false)?.text);
    if number != 0 {
        text.extend_from_slice(b": ");
        text.extend_from_slice(super::messages::error_text(number).as_bytes());
    }
    text.push(b'\n');
    call.m.write_stream(2, &text);
    if status != 0 {
        return call.m.exit(status).map(|_| Ret::Void);
    }
    Ok(Ret::Void)
}

fn assert_perror(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = super::messages::error_text(call.int32(0)?);
    let message = format!("the error number must be 0, but is: {text}");
    Err(call.fail(ErrorKind::AssertionFailed, message))
}
