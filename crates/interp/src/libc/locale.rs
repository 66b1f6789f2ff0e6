//! `locale.h`, `libintl.h` and `langinfo.h` in the only locale there is: C.

use super::{Call, Native, Ret};
use crate::error::Stop;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "setlocale" => setlocale,
        "localeconv" => localeconv,
        "gettext" => |c| message(c, 0),
        "dgettext" | "dcgettext" | "__dcgettext" => |c| message(c, 1),
        "ngettext" => |c| plural(c, 0),
        "dngettext" | "dcngettext" => |c| plural(c, 1),
        "textdomain" => |c| domain(c, 0, "messages"),
        "bindtextdomain" => |c| domain(c, 1, "/usr/share/locale"),
        "bind_textdomain_codeset" => |c| {
            name_or_null(c, 0)?;
            name_or_null(c, 1)?;
            Ok(Ret::Int(c.ptr(1)?.into()))
        },
        "nl_langinfo" => langinfo,
        _ => return None,
    })
}

fn setlocale(call: C<'_, '_, '_>) -> Result<Ret> {
    let name = call.ptr(1)?;
    if name != 0 {
        let name = call.string(name)?;
        if !matches!(&name[..], b"" | b"C" | b"POSIX") {
            return Ok(Ret::Int(0));
        }
    }
    Ok(call.constant("C")?)
}

fn localeconv(call: C<'_, '_, '_>) -> Result<Ret> {
    let word = call.word();
    let addr = call
        .m
        .library_object("the result of localeconv", 10 * word + 16)?;
    let empty = call.m.library_object("an empty string", 1)?;
    let point = call.m.library_object("the decimal point", 2)?;
    call.store_string(point, b".")?;
    call.store_ptr(addr, point)?;
    for n in 1..10 {
        call.store_ptr(addr + n * word, empty)?;
    }
    call.m.memory.fill(addr + 10 * word, 127, 14)?;
    Ok(Ret::Int(addr.into()))
}

/// Checks an argument that is a string or null.
fn name_or_null(call: &Call<'_, '_>, n: usize) -> Result<()> {
    let addr = call.ptr(n)?;
    if addr != 0 {
        call.m.memory.c_string(addr)?;
    }
    Ok(())
}

/// Nothing is translated.
fn message(call: C<'_, '_, '_>, n: usize) -> Result<Ret> {
    (0..=n).try_for_each(|n| name_or_null(call, n))?;
    Ok(Ret::Int(call.ptr(n)?.into()))
}

fn plural(call: C<'_, '_, '_>, n: usize) -> Result<Ret> {
    (0..=n + 1).try_for_each(|n| name_or_null(call, n))?;
    let one = call.int(n + 2)? as u64 & call.m.mask == 1;
    let text = call.ptr(if one { n } else { n + 1 })?;
    Ok(Ret::Int(text.into()))
}

/// The name that is set, or the one that holds without any.
fn domain(call: C<'_, '_, '_>, n: usize, default: &str) -> Result<Ret> {
    (0..=n).try_for_each(|n| name_or_null(call, n))?;
    match call.ptr(n)? {
        0 => Ok(call.constant(default)?),
        addr => {
            let text = call.string(addr)?;
            Ok(call.constant(&String::from_utf8_lossy(&text))?)
        }
    }
}

fn langinfo(call: C<'_, '_, '_>) -> Result<Ret> {
    let item = call.int32(0)?;
    let (category, index) = (item >> 16, (item & 0xffff) as usize);
    let days = super::time::DAYS;
    let months = super::time::MONTHS;
    let short =
        |list: &[&'static str], n: usize| list.get(n).and_then(|s| s.get(..3)).unwrap_or("");
    let text = match (category, index) {
        (0, 14) => "ANSI_X3.4-1968",
        (1, 0) => ".",
        (2, n @ 0..=6) => short(&days, n),
        (2, n @ 7..=13) => days.get(n - 7).copied().unwrap_or(""),
        (2, n @ 14..=25) => short(&months, n - 14),
        (2, n @ 26..=37) => months.get(n - 26).copied().unwrap_or(""),
        (2, 38) => "AM",
        (2, 39) => "PM",
        (2, 40) => "%a %b %e %H:%M:%S %Y",
        (2, 41) => "%m/%d/%y",
        (2, 42) => "%H:%M:%S",
        (2, 43) => "%I:%M:%S %p",
        (4, 15) => "-",
        (5, 0) => "^[yY]",
        (5, 1) => "^[nN]",
        _ => "",
    };
    Ok(call.constant(text)?)
}
