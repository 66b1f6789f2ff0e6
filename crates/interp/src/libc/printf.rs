//! The `printf` family.

mod convert;
mod spec;

use super::varargs::{Given, VarArgs};
use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Fault, Stop};
use crate::memory::access::apart;
pub(super) use spec::Length;
use spec::{Format, Piece};

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "printf" | "printf_unlocked" => |c| to_stream(c, Some(1), 0, false),
        "vprintf" => |c| to_stream(c, Some(1), 0, true),
        "__printf_chk" => |c| to_stream(c, Some(1), 1, false),
        "__vprintf_chk" => |c| to_stream(c, Some(1), 1, true),
        "fprintf" | "fprintf_unlocked" => |c| to_stream(c, None, 1, false),
        "vfprintf" => |c| to_stream(c, None, 1, true),
        "__fprintf_chk" => |c| to_stream(c, None, 2, false),
        "__vfprintf_chk" => |c| to_stream(c, None, 2, true),
        "dprintf" => |c| to_descriptor(c, 1, false),
        "vdprintf" => |c| to_descriptor(c, 1, true),
        "sprintf" => |c| to_string(c, None, 1, false),
        "vsprintf" => |c| to_string(c, None, 1, true),
        "__sprintf_chk" | "___sprintf_chk" => |c| to_string(c, None, 3, false),
        "__vsprintf_chk" | "___vsprintf_chk" => |c| to_string(c, None, 3, true),
        "snprintf" => |c| to_string(c, Some(1), 2, false),
        "vsnprintf" => |c| to_string(c, Some(1), 2, true),
        "__snprintf_chk" | "___snprintf_chk" => |c| to_string(c, Some(1), 4, false),
        "__vsnprintf_chk" | "___vsnprintf_chk" => |c| to_string(c, Some(1), 4, true),
        "asprintf" => |c| to_heap(c, 1, false),
        "vasprintf" => |c| to_heap(c, 1, true),
        "__asprintf_chk" => |c| to_heap(c, 2, false),
        "__dprintf_chk" => |c| to_descriptor(c, 2, false),
        "__vdprintf_chk" => |c| to_descriptor(c, 2, true),
        "__vasprintf_chk" => |c| to_heap(c, 2, true),
        _ => return None,
    })
}

fn arguments(call: &Call<'_, '_>, format: usize, list: bool) -> Result<VarArgs, Fault> {
    match list {
        true => VarArgs::from_list(call, format + 1),
        false => Ok(VarArgs::Direct(format + 1)),
    }
}

/// What a format made of its arguments.
pub(super) struct Output {
    pub text: Vec<u8>,
    /// What was read to make it.
    pub reads: Vec<(u64, u64)>,
    /// False if a character cannot be converted: then the call returns -1.
    pub whole: bool,
}

impl Output {
    fn result(&self) -> Ret {
        match self.whole {
            true => Ret::Int(self.text.len() as i128),
            false => Ret::Int(-1),
        }
    }
    /// Checks that `len` bytes at `to` share nothing with what was read.
    fn check_apart(&self, to: u64, len: u64) -> Result<(), Fault> {
        self.reads
            .iter()
            .try_for_each(|read| apart((to, len), *read))
    }
}

fn to_stream(
    call: &mut Call<'_, '_>,
    fixed: Option<usize>,
    format: usize,
    list: bool,
) -> Result<Ret, Stop> {
    let stream = match fixed {
        Some(number) => number,
        None => {
            let addr = call.ptr(0)?;
            call.m.stream_at(addr)?
        }
    };
    let output = format_text(call, format, list)?;
    Ok(match call.m.write_stream(stream, &output.text) {
        true => output.result(),
        false => Ret::Int(-1),
    })
}

fn to_descriptor(call: &mut Call<'_, '_>, format: usize, list: bool) -> Result<Ret, Stop> {
    let number = call.int32(0)?;
    let output = format_text(call, format, list)?;
    match call.m.library.streams.by_descriptor(number) {
        Some(stream) if call.m.write_stream(stream, &output.text) => {
            call.m.flush_stream(stream)?;
            Ok(output.result())
        }
        _ => {
            call.m.set_errno(9)?;
            Ok(Ret::Int(-1))
        }
    }
}

fn to_string(
    call: &mut Call<'_, '_>,
    size: Option<usize>,
    format: usize,
    list: bool,
) -> Result<Ret, Stop> {
    let to = call.ptr(0)?;
    let output = format_text(call, format, list)?;
    let text = &output.text;
    let room = match size {
        None => u64::MAX,
        Some(n) => call.size(n)?,
    };
    if room > 0 {
        let keep = (text.len() as u64).min(room - 1);
        call.m.memory.writable(to, keep + 1)?;
        output.check_apart(to, keep + 1)?;
        if call.name.ends_with("_chk") {
            let has = call.size(if size.is_some() { 3 } else { 2 })?;
            if (if size.is_some() { room } else { keep + 1 }) > has {
                return Err(call.fail(ErrorKind::OutOfBounds, "buffer overflow detected"));
            }
        }
        call.store_string(to, &text[..keep as usize])?;
    }
    Ok(output.result())
}

fn to_heap(call: &mut Call<'_, '_>, format: usize, list: bool) -> Result<Ret, Stop> {
    let to = call.ptr(0)?;
    let output = format_text(call, format, list)?;
    let word = call.word();
    call.m.memory.writable(to, word)?;
    if !output.whole {
        return Ok(Ret::Int(-1));
    }
    match call.heap_string(&output.text)? {
        0 => Ok(Ret::Int(-1)),
        addr => {
            call.store_ptr(to, addr)?;
            Ok(output.result())
        }
    }
}

/// The text that the format in argument `format` makes of the arguments after it, or of the
/// `va_list` after it.
pub(super) fn format_text(
    call: &mut Call<'_, '_>,
    format: usize,
    list: bool,
) -> Result<Output, Stop> {
    let addr = call.ptr(format)?;
    let text = call.string(addr)?;
    let parsed = Format::parse(call, &text)?;
    let mut args = arguments(call, format, list)?;
    let mut given: Vec<Given> = Vec::with_capacity(parsed.args.len());
    for ty in &parsed.args {
        given.push(args.take(call, *ty)?);
    }
    let mut output = Output {
        text: Vec::new(),
        reads: vec![(addr, text.len() as u64 + 1)],
        whole: true,
    };
    for piece in &parsed.pieces {
        match piece {
            Piece::Text(text) => output.text.extend_from_slice(text),
            Piece::Conversion(written) => {
                if !convert::convert(call, written, &given, &mut output)? {
                    output.whole = false;
                    break;
                }
                if output.text.len() > LONGEST {
                    let message = "a text of more than 1 GiB";
                    return Err(call.fail(ErrorKind::Unsupported, message));
                }
            }
        }
    }
    Ok(output)
}

/// Longest text that is made.
const LONGEST: usize = 1 << 30;
