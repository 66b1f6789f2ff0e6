//! The conversions of `strftime`, with GNU's flags and widths.

use super::Call;
use super::time::Tm;
use crate::error::{ErrorKind, Stop};

/// The zone of a time.
pub(super) struct Zone {
    /// Seconds east of Greenwich, if known.
    pub offset: Option<i64>,
    pub name: Vec<u8>,
}

/// How a conversion is to look.
#[derive(Clone, Copy, Default)]
struct Style {
    /// `_`, `-` or `0`: what fills a number.
    fill: Option<u8>,
    upper: bool,
    swap: bool,
    width: Option<usize>,
}

/// Appends what the format makes of a time.
pub(super) fn expand(
    call: &Call<'_, '_>,
    format: &[u8],
    tm: &Tm,
    zone: &Zone,
    out: &mut Vec<u8>,
) -> Result<(), Stop> {
    let mut at = 0;
    while at < format.len() {
        let byte = format[at];
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut style = Style::default();
        loop {
            match format.get(at) {
                Some(flag @ (b'_' | b'-' | b'0')) => style.fill = Some(*flag),
                Some(b'^') => style.upper = true,
                Some(b'#') => style.swap = true,
                _ => break,
            }
            at += 1;
        }
        while let Some(digit) = format.get(at).filter(|b| b.is_ascii_digit()) {
            let width = style.width.unwrap_or(0) * 10 + usize::from(digit - b'0');
            style.width = Some(width.min(1 << 16));
            at += 1;
        }
        // The forms of other calendars and digits are the same in the C locale.
        if matches!(format.get(at), Some(b'E' | b'O')) {
            at += 1;
        }
        let Some(letter) = format.get(at).copied() else {
            return Err(call.fail(ErrorKind::BadFormat, "the format ends in a conversion"));
        };
        at += 1;
        conversion(call, letter, style, tm, zone, out)?;
    }
    Ok(())
}

/// A number with at least `digits` digits, filled as the flags say.
fn number(style: Style, value: i64, digits: usize, fill: u8, out: &mut Vec<u8>) {
    let fill = style.fill.unwrap_or(fill);
    let text = value.unsigned_abs().to_string();
    let sign = if value < 0 { "-" } else { "" };
    // Without filling, what a width asks for is made up with spaces.
    let width = match fill {
        b'-' => style.width.unwrap_or(0),
        _ => style.width.unwrap_or(0).max(digits),
    };
    let room = width.saturating_sub(text.len() + sign.len());
    if fill == b'0' {
        out.extend_from_slice(sign.as_bytes());
        out.extend(std::iter::repeat_n(b'0', room));
    } else {
        out.extend(std::iter::repeat_n(b' ', room));
        out.extend_from_slice(sign.as_bytes());
    }
    out.extend_from_slice(text.as_bytes());
}

/// A text, in capitals if the flags say so.
fn text(style: Style, bytes: &[u8], out: &mut Vec<u8>) {
    let room = style.width.unwrap_or(0).saturating_sub(bytes.len());
    let fill = if style.fill == Some(b'0') { b'0' } else { b' ' };
    out.extend(std::iter::repeat_n(fill, room));
    match style.upper {
        true => out.extend(bytes.iter().map(u8::to_ascii_uppercase)),
        false => out.extend_from_slice(bytes),
    }
}

fn conversion(
    call: &Call<'_, '_>,
    letter: u8,
    style: Style,
    tm: &Tm,
    zone: &Zone,
    out: &mut Vec<u8>,
) -> Result<(), Stop> {
    let year = tm.year + 1900;
    let hour12 = match tm.hour {
        0 => 12,
        hour if hour > 12 => hour - 12,
        hour => hour,
    };
    // A conversion that stands for several.
    let group = |format: &[u8], out: &mut Vec<u8>| -> Result<(), Stop> {
        let mut inner = Vec::new();
        expand(call, format, tm, zone, &mut inner)?;
        text(style, &inner, out);
        Ok(())
    };
    let name = |name: &str, short: bool, out: &mut Vec<u8>| {
        let name = if short {
            name.get(..3).unwrap_or(name)
        } else {
            name
        };
        let style = Style {
            upper: style.upper || style.swap,
            ..style
        };
        text(style, name.as_bytes(), out);
    };
    match letter {
        b'%' => text(style, b"%", out),
        b'n' => text(style, b"\n", out),
        b't' => text(style, b"\t", out),
        b'a' => name(tm.day_name(), true, out),
        b'A' => name(tm.day_name(), false, out),
        b'b' | b'h' => name(tm.month_name(), true, out),
        b'B' => name(tm.month_name(), false, out),
        b'c' => group(b"%a %b %e %H:%M:%S %Y", out)?,
        b'C' => number(style, year.div_euclid(100), 1, b'0', out),
        b'd' => number(style, tm.mday, 2, b'0', out),
        b'D' | b'x' => group(b"%m/%d/%y", out)?,
        b'e' => number(style, tm.mday, 2, b'_', out),
        b'F' => group(b"%Y-%m-%d", out)?,
        b'g' => number(style, tm.iso_week().0.rem_euclid(100), 2, b'0', out),
        b'G' => number(style, tm.iso_week().0, 1, b'0', out),
        b'H' => number(style, tm.hour, 2, b'0', out),
        b'I' => number(style, hour12, 2, b'0', out),
        b'j' => number(style, tm.yday + 1, 3, b'0', out),
        b'k' => number(style, tm.hour, 2, b'_', out),
        b'l' => number(style, hour12, 2, b'_', out),
        b'm' => number(style, tm.mon + 1, 2, b'0', out),
        b'M' => number(style, tm.min, 2, b'0', out),
        b'p' | b'P' => {
            let noon = if tm.hour > 11 { "PM" } else { "AM" };
            match letter == b'P' || style.swap {
                true => text(style, noon.to_lowercase().as_bytes(), out),
                false => text(style, noon.as_bytes(), out),
            }
        }
        b'r' => group(b"%I:%M:%S %p", out)?,
        b'R' => group(b"%H:%M", out)?,
        b's' => number(style, tm.seconds(), 1, b'0', out),
        b'S' => number(style, tm.sec, 2, b'0', out),
        b'T' | b'X' => group(b"%H:%M:%S", out)?,
        b'u' => number(style, (tm.wday - 1).rem_euclid(7) + 1, 1, b'0', out),
        b'U' => number(style, tm.week(0), 2, b'0', out),
        b'V' => number(style, tm.iso_week().1, 2, b'0', out),
        b'w' => number(style, tm.wday, 1, b'0', out),
        b'W' => number(style, tm.week(1), 2, b'0', out),
        b'y' => number(style, year.rem_euclid(100), 2, b'0', out),
        b'Y' => number(style, year, 1, b'0', out),
        b'z' => {
            if let Some(offset) = zone.offset {
                let minutes = offset / 60;
                out.push(if offset < 0 { b'-' } else { b'+' });
                let minutes = minutes.abs();
                number(style, minutes / 60 * 100 + minutes % 60, 4, b'0', out);
            }
        }
        b'Z' => match style.swap {
            true => text(style, &zone.name.to_ascii_lowercase(), out),
            false => text(style, &zone.name, out),
        },
        other => {
            let letter = char::from(other);
            let message = format!("%{letter} is not a conversion of strftime");
            return Err(call.fail(ErrorKind::BadFormat, message));
        }
    }
    Ok(())
}
