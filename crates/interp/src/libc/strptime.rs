//! `strptime`: a date from text, in the C locale.

use super::scanf::is_space;
use super::time::{DAYS, MONTHS, Tm};
use super::{Call, Ret};
use crate::error::{ErrorKind, Stop};

/// What was read of a date so far.
#[derive(Default)]
struct Read {
    /// Which fields of the structure were given, in their order.
    sec: Option<i64>,
    min: Option<i64>,
    hour: Option<i64>,
    mday: Option<i64>,
    mon: Option<i64>,
    year: Option<i64>,
    wday: Option<i64>,
    yday: Option<i64>,
    century: Option<i64>,
    short_year: Option<i64>,
    hour12: Option<i64>,
    afternoon: Option<bool>,
}

struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Text<'_> {
    fn skip_space(&mut self) {
        while self.bytes.get(self.at).copied().is_some_and(is_space) {
            self.at += 1;
        }
    }
    /// A number of at most `digits` digits in a range.
    fn number(&mut self, low: i64, high: i64, digits: usize) -> Option<i64> {
        while self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let count = rest.iter().take_while(|b| b.is_ascii_digit());
        let count = count.take(digits).count();
        let value: i64 = std::str::from_utf8(&rest[..count]).ok()?.parse().ok()?;
        self.at += count;
        (low..=high).contains(&value).then_some(value)
    }
    /// One of some names, whole or by its first three letters, in any case.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let rest = &self.bytes[self.at..];
        let starts = |word: &str| {
            rest.get(..word.len())
                .is_some_and(|r| r.eq_ignore_ascii_case(word.as_bytes()))
        };
        for (n, name) in names.iter().enumerate() {
            for word in [*name, name.get(..3).unwrap_or(name)] {
                if starts(word) {
                    self.at += word.len();
                    return Some(n as i64);
                }
            }
        }
        None
    }
}

pub(super) fn strptime(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let from = call.ptr(0)?;
    let bytes = call.string(from)?;
    let format = call.string(call.ptr(1)?)?;
    let to = call.ptr(2)?;
    call.m.memory.writable(to, 36)?;
    let mut text = Text {
        bytes: &bytes,
        at: 0,
    };
    let mut read = Read::default();
    if !parse(call, &format, &mut text, &mut read)? {
        return Ok(Ret::Int(0));
    }
    let end = text.at as u64;
    finish(&mut read);
    if [read.year, read.mon, read.mday].iter().any(Option::is_some) {
        let given = read.year.is_some() && read.mon.is_some() && read.mday.is_some();
        let old = match given {
            true => Tm::default(),
            false => Tm::load(call, to)?,
        };
        finish_days(&mut read, old);
    }
    let fields = [
        read.sec, read.min, read.hour, read.mday, read.mon, read.year, read.wday, read.yday,
    ];
    for (n, value) in fields.into_iter().enumerate() {
        if let Some(value) = value {
            call.store(to + 4 * n as u64, 4, value.into())?;
        }
    }
    Ok(Ret::Int((from + end).into()))
}

fn parse(
    call: &Call<'_, '_>,
    format: &[u8],
    text: &mut Text<'_>,
    read: &mut Read,
) -> Result<bool, Stop> {
    let mut at = 0;
    while at < format.len() {
        let byte = format[at];
        at += 1;
        if is_space(byte) {
            text.skip_space();
            continue;
        }
        if byte != b'%' {
            if text.bytes.get(text.at) != Some(&byte) {
                return Ok(false);
            }
            text.at += 1;
            continue;
        }
        while matches!(
            format.get(at),
            Some(b'_' | b'-' | b'0' | b'^' | b'#' | b'E' | b'O')
        ) {
            at += 1;
        }
        let letter = format.get(at).copied().unwrap_or(0);
        at += 1;
        let group: Option<&[u8]> = match letter {
            b'c' => Some(b"%a %b %e %H:%M:%S %Y"),
            b'D' | b'x' => Some(b"%m/%d/%y"),
            b'F' => Some(b"%Y-%m-%d"),
            b'r' => Some(b"%I:%M:%S %p"),
            b'R' => Some(b"%H:%M"),
            b'T' | b'X' => Some(b"%H:%M:%S"),
            _ => None,
        };
        let done = match group {
            Some(group) => parse(call, group, text, read)?,
            None => match field(letter, text, read) {
                Some(done) => done,
                None => {
                    let letter = char::from(letter);
                    let message = format!("the conversion %{letter} of strptime");
                    return Err(call.fail(ErrorKind::Unsupported, message));
                }
            },
        };
        if !done {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads one field; none if the letter is not known.
fn field(letter: u8, text: &mut Text<'_>, read: &mut Read) -> Option<bool> {
    let set = |slot: &mut Option<i64>, value: Option<i64>| {
        *slot = value.or(*slot);
        value.is_some()
    };
    Some(match letter {
        b'%' => {
            let found = text.bytes.get(text.at) == Some(&b'%');
            text.at += usize::from(found);
            found
        }
        b'n' | b't' => {
            text.skip_space();
            true
        }
        b'a' | b'A' => set(&mut read.wday, text.name(&DAYS)),
        b'b' | b'B' | b'h' => set(&mut read.mon, text.name(&MONTHS)),
        b'C' => set(&mut read.century, text.number(0, 99, 2)),
        b'd' | b'e' => set(&mut read.mday, text.number(1, 31, 2)),
        b'H' | b'k' => {
            read.hour12 = None;
            set(&mut read.hour, text.number(0, 23, 2))
        }
        b'I' | b'l' => set(&mut read.hour12, text.number(1, 12, 2)),
        b'j' => {
            let value = text.number(1, 366, 3);
            set(&mut read.yday, value.map(|v| v - 1))
        }
        b'm' => {
            let value = text.number(1, 12, 2);
            set(&mut read.mon, value.map(|v| v - 1))
        }
        b'M' => set(&mut read.min, text.number(0, 59, 2)),
        b'p' => {
            let which = text.name(&["AM", "PM"]);
            read.afternoon = which.map(|n| n == 1);
            which.is_some()
        }
        b'S' => set(&mut read.sec, text.number(0, 61, 2)),
        b'u' => {
            let value = text.number(1, 7, 1);
            set(&mut read.wday, value.map(|v| v % 7))
        }
        b'w' => set(&mut read.wday, text.number(0, 6, 1)),
        b'y' => set(&mut read.short_year, text.number(0, 99, 2)),
        b'Y' => {
            read.century = None;
            let value = text.number(0, 9999, 4);
            set(&mut read.year, value.map(|v| v - 1900))
        }
        _ => return None,
    })
}

/// Works out the fields that others imply.
fn finish(read: &mut Read) {
    if let Some(hour) = read.hour12 {
        let late = read.afternoon == Some(true);
        read.hour = Some(hour % 12 + if late { 12 } else { 0 });
    }
    if let Some(short) = read.short_year {
        read.year = Some(match read.century {
            Some(century) => (century - 19) * 100 + short,
            None if short >= 69 => short,
            None => short + 100,
        });
    } else if let Some(century) = read.century {
        read.year = Some((century - 19) * 100 + read.year.unwrap_or(0).rem_euclid(100));
    }
}

/// Works out the days of the week and the year; what was not read is as the structure has it.
fn finish_days(read: &mut Read, old: Tm) {
    let year = read.year.unwrap_or(old.year);
    if let (true, Some(yday)) = (read.mon.is_none() || read.mday.is_none(), read.yday)
        && read.wday.is_none()
    {
        let first = Tm {
            year,
            mday: yday + 1,
            ..Tm::default()
        };
        let full = Tm::new(first.seconds());
        (read.mon, read.mday) = (Some(full.mon), Some(full.mday));
    }
    let date = Tm {
        year,
        mon: read.mon.unwrap_or(old.mon),
        mday: read.mday.unwrap_or(old.mday),
        ..Tm::default()
    };
    let first = Tm {
        year,
        mday: 1,
        ..Tm::default()
    };
    let full = Tm::new(date.seconds());
    read.wday = read.wday.or(Some(full.wday));
    let passed = (date.seconds() - first.seconds()) / 86400;
    read.yday = read.yday.or(Some(passed));
}
