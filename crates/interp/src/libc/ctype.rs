//! `ctype.h` in the C locale, as functions and as the tables that glibc's macros look into.

use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Stop};
use cwolf_cwi::Order;

pub(super) fn find(name: &str) -> Option<Native> {
    // The forms with a locale as last argument: there is only one.
    let name = name.strip_suffix("_l").unwrap_or(name);
    Some(match name {
        "isalpha" | "isdigit" | "isalnum" | "isspace" | "isupper" | "islower" | "ispunct"
        | "isprint" | "isgraph" | "iscntrl" | "isxdigit" | "isblank" | "isascii" => classify,
        "toupper" | "_toupper" => |c| convert(c, |b| b.to_ascii_uppercase()),
        "tolower" | "_tolower" => |c| convert(c, |b| b.to_ascii_lowercase()),
        "toascii" => |c| Ok(Ret::Int(c.int(0)? & 0x7f)),
        "__ctype_b_loc" => |c| {
            let entry = match c.m.program.target().order {
                Order::Little => mask_of,
                Order::Big => |char| swapped(mask_of(char)),
            };
            table(c, "the table of isalpha", 2, entry)
        },
        "__ctype_toupper_loc" => |c| table(c, "the table of toupper", 4, upper_of),
        "__ctype_tolower_loc" => |c| table(c, "the table of tolower", 4, lower_of),
        "__ctype_get_mb_cur_max" => |_| Ok(Ret::Int(1)),
        _ => return None,
    })
}

fn bit(name: &str) -> i128 {
    match name {
        "isupper" => 0x100,
        "islower" => 0x200,
        "isalpha" => 0x400,
        "isdigit" => 0x800,
        "isxdigit" => 0x1000,
        "isspace" => 0x2000,
        "isprint" => 0x4000,
        "isgraph" => 0x8000,
        "isblank" => 0x1,
        "iscntrl" => 0x2,
        "ispunct" => 0x4,
        _ => 0x8,
    }
}

/// glibc's bits lie in the same bytes on all machines.
fn swapped(mask: i128) -> i128 {
    (mask as u16).swap_bytes().into()
}

/// glibc's bits for a character where the lowest byte comes first.
fn mask_of(char: i32) -> i128 {
    let Some(byte) = u8::try_from(char).ok().filter(u8::is_ascii) else {
        return 0;
    };
    let is = |name, holds: bool| if holds { bit(name) } else { 0 };
    is("isupper", byte.is_ascii_uppercase())
        | is("islower", byte.is_ascii_lowercase())
        | is("isalpha", byte.is_ascii_alphabetic())
        | is("isdigit", byte.is_ascii_digit())
        | is("isxdigit", byte.is_ascii_hexdigit())
        | is("isspace", super::scanf::is_space(byte))
        | is("isprint", (0x20..0x7f).contains(&byte))
        | is("isgraph", byte.is_ascii_graphic())
        | is("isblank", byte == b' ' || byte == b'\t')
        | is("iscntrl", byte.is_ascii_control())
        | is("ispunct", byte.is_ascii_punctuation())
        | is("isalnum", byte.is_ascii_alphanumeric())
}

fn upper_of(char: i32) -> i128 {
    match u8::try_from(char) {
        Ok(byte) => byte.to_ascii_uppercase().into(),
        Err(_) => char.into(),
    }
}

fn lower_of(char: i32) -> i128 {
    match u8::try_from(char) {
        Ok(byte) => byte.to_ascii_lowercase().into(),
        Err(_) => char.into(),
    }
}

fn classify(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let char = character(call)?;
    let name = call.name.strip_prefix("__builtin_").unwrap_or(call.name);
    let name = name.strip_suffix("_l").unwrap_or(name);
    Ok(Ret::Int(match name {
        "isascii" => (0..128).contains(&char).into(),
        _ => {
            let found = mask_of(char) & bit(name);
            match call.m.program.target().order {
                Order::Little => found,
                Order::Big => swapped(found),
            }
        }
    }))
}

fn convert(call: &mut Call<'_, '_>, to: fn(&u8) -> u8) -> Result<Ret, Stop> {
    let char = character(call)?;
    Ok(Ret::Int(match u8::try_from(char) {
        Ok(byte) => to(&byte).into(),
        Err(_) => char.into(),
    }))
}

/// The argument: an `unsigned char` or EOF. glibc's tables also have the values of a signed
/// `char`; any other is an access outside of them.
fn character(call: &Call<'_, '_>) -> Result<i32, Stop> {
    let char = call.int32(0)?;
    let name = call.name;
    if (-128..256).contains(&char) || matches!(name, "isascii" | "toascii") {
        return Ok(char);
    }
    let message = format!("{char} is neither a character nor EOF");
    Err(call.fail(ErrorKind::OutOfBounds, message))
}

/// A pointer to a pointer to the entry of character 0 in a table from -128 to 255.
fn table(
    call: &mut Call<'_, '_>,
    name: &'static str,
    size: u64,
    entry: fn(i32) -> i128,
) -> Result<Ret, Stop> {
    let word = call.word();
    let fresh = !call.m.library.objects.contains_key(name);
    let addr = call.m.library_object(name, word + 384 * size)?;
    if fresh {
        let first = addr + word;
        call.store_ptr(addr, first + 128 * size)?;
        for n in 0..384u64 {
            call.store(first + n * size, size, entry(n as i32 - 128))?;
        }
    }
    Ok(Ret::Int(addr.into()))
}
