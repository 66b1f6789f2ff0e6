//! `time.h`, in universal time and the C locale.

use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Stop};
use std::time::{SystemTime, UNIX_EPOCH};

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "time" => time,
        "clock" => |c| {
            // One statement counts as a nanosecond: the same run, the same clock.
            let steps = c.m.steps();
            Ok(Ret::Int((steps / 1000).into()))
        },
        "gettimeofday" => gettimeofday,
        "clock_gettime" => clock_gettime,
        "gmtime" | "localtime" => |c| broken_down(c, None),
        "gmtime_r" | "localtime_r" => |c| {
            let to = c.ptr(1)?;
            broken_down(c, Some(to))
        },
        "mktime" | "timegm" => mktime,
        "difftime" => |c| Ok(((c.int(0)? - c.int(1)?) as f64).into()),
        "asctime" => |c| {
            let tm = Tm::load(c, c.ptr(0)?)?;
            let text = tm.asctime();
            Ok(c.static_string("the text of asctime", 64, text.as_bytes())?)
        },
        "ctime" => |c| {
            let seconds = load_time(c, c.ptr(0)?)?;
            let text = Tm::new(seconds).asctime();
            Ok(c.static_string("the text of asctime", 64, text.as_bytes())?)
        },
        "strftime" => strftime,
        "tzset" => |_| Ok(Ret::Void),
        _ => return None,
    })
}

/// Seconds and nanoseconds since 1970.
fn now(call: &Call<'_, '_>) -> (i64, u32) {
    if let Some(fixed) = call.m.options.now {
        return (fixed, 0);
    }
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
        Err(_) => (0, 0),
    }
}

fn load_time(call: &Call<'_, '_>, addr: u64) -> Result<i64> {
    Ok(call.load(addr, call.word(), true)? as i64)
}

fn time(call: C<'_, '_, '_>) -> Result<Ret> {
    let (seconds, _) = now(call);
    let to = call.ptr(0)?;
    if to != 0 {
        let size = call.word();
        call.store(to, size, seconds.into())?;
    }
    Ok(Ret::Int(seconds.into()))
}

fn gettimeofday(call: C<'_, '_, '_>) -> Result<Ret> {
    let (seconds, nanos) = now(call);
    let (to, word) = (call.ptr(0)?, call.word());
    if to != 0 {
        call.store(to, word, seconds.into())?;
        call.store(to + word, word, (nanos / 1000).into())?;
    }
    Ok(Ret::Int(0))
}

fn clock_gettime(call: C<'_, '_, '_>) -> Result<Ret> {
    let (seconds, nanos) = now(call);
    let (to, word) = (call.ptr(1)?, call.word());
    call.store(to, word, seconds.into())?;
    call.store(to + word, word, nanos.into())?;
    Ok(Ret::Int(0))
}

const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// C's broken-down time: seconds, minutes, hours, day, month, year, weekday, day of the year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tm {
    sec: i64,
    min: i64,
    hour: i64,
    mday: i64,
    mon: i64,
    year: i64,
    wday: i64,
    yday: i64,
}

/// Days from 1970-01-01 to a date of the civil calendar; the month counts from 0.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years start in March, so that the leap day is the last.
    let year = if month < 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 10) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

impl Tm {
    fn new(seconds: i64) -> Tm {
        let (days, rest) = (seconds.div_euclid(86400), seconds.rem_euclid(86400));
        let shifted = days + 719_468;
        let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let of_era = (day - day / 1460 + day / 36524 - day / 146_096) / 365;
        let of_year = day - (365 * of_era + of_era / 4 - of_era / 100);
        let march = (5 * of_year + 2) / 153;
        let mday = of_year - (153 * march + 2) / 5 + 1;
        let mon = (march + 2) % 12;
        let year = era * 400 + of_era + i64::from(mon < 2);
        Tm {
            sec: rest % 60,
            min: rest / 60 % 60,
            hour: rest / 3600,
            mday,
            mon,
            year: year - 1900,
            wday: (days + 4).rem_euclid(7),
            yday: days - days_from_civil(year, 0, 1),
        }
    }
    fn seconds(&self) -> i64 {
        let months = self.year.saturating_add(1900).saturating_mul(12) + self.mon;
        let days = days_from_civil(months.div_euclid(12), months.rem_euclid(12), 1);
        (days + self.mday - 1) * 86400 + self.hour * 3600 + self.min * 60 + self.sec
    }
    fn load(call: &Call<'_, '_>, addr: u64) -> Result<Tm> {
        let get = |n: u64| -> Result<i64> { Ok(call.load(addr + 4 * n, 4, true)? as i64) };
        // Weekday and day of the year may be missing when `mktime` is called.
        let soft = |n: u64| get(n).unwrap_or(0);
        Ok(Tm {
            sec: get(0)?,
            min: get(1)?,
            hour: get(2)?,
            mday: get(3)?,
            mon: get(4)?,
            year: get(5)?,
            wday: soft(6),
            yday: soft(7),
        })
    }
    fn store(&self, call: C<'_, '_, '_>, addr: u64) -> Result<()> {
        let fields = [
            self.sec, self.min, self.hour, self.mday, self.mon, self.year, self.wday, self.yday, 0,
        ];
        for (n, value) in fields.into_iter().enumerate() {
            call.store(addr + 4 * n as u64, 4, value.into())?;
        }
        // The GNU fields after them: offset from universal time and the zone's name.
        let word = call.word();
        let after = (addr + 36).next_multiple_of(word);
        let zone = call.m.library_object("the name of a time zone", 4)?;
        call.store_string(zone, b"GMT")?;
        call.store(after, word, 0)?;
        call.store_ptr(after + word, zone)?;
        Ok(())
    }
    fn day_name(&self) -> &'static str {
        DAYS.get(self.wday as usize).copied().unwrap_or("?")
    }
    fn month_name(&self) -> &'static str {
        MONTHS.get(self.mon as usize).copied().unwrap_or("?")
    }
    fn asctime(&self) -> String {
        let short = |name: &'static str| name.get(..3).unwrap_or("???");
        format!(
            "{} {} {:2} {:02}:{:02}:{:02} {}\n",
            short(self.day_name()),
            short(self.month_name()),
            self.mday,
            self.hour,
            self.min,
            self.sec,
            self.year + 1900
        )
    }
    /// Week of the year, weeks starting on weekday `first`.
    fn week(&self, first: i64) -> i64 {
        (self.yday + 7 - (self.wday - first).rem_euclid(7)) / 7
    }
    /// Year and week as ISO 8601 counts them.
    fn iso_week(&self) -> (i64, i64) {
        let weekday = (self.wday + 6) % 7;
        let thursday = self.seconds().div_euclid(86400) - weekday + 3;
        let tm = Tm::new(thursday * 86400);
        (tm.year + 1900, tm.yday / 7 + 1)
    }
}

fn broken_down(call: C<'_, '_, '_>, to: Option<u64>) -> Result<Ret> {
    let seconds = load_time(call, call.ptr(0)?)?;
    let to = match to {
        Some(to) => to,
        None => call.m.library_object("the result of gmtime", 64)?,
    };
    Tm::new(seconds).store(call, to)?;
    Ok(Ret::Int(to.into()))
}

fn mktime(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let seconds = Tm::load(call, addr)?.seconds();
    Tm::new(seconds).store(call, addr)?;
    Ok(Ret::Int(seconds.into()))
}

fn strftime(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, size) = (call.ptr(0)?, call.size(1)?);
    let format = call.string(call.ptr(2)?)?;
    let tm = Tm::load(call, call.ptr(3)?)?;
    let mut out = String::new();
    expand(call, &String::from_utf8_lossy(&format), &tm, &mut out)?;
    if out.len() as u64 + 1 > size {
        return Ok(Ret::Int(0));
    }
    call.store_string(to, out.as_bytes())?;
    Ok(Ret::Int(out.len() as i128))
}

fn expand(call: &Call<'_, '_>, format: &str, tm: &Tm, out: &mut String) -> Result<()> {
    let mut chars = format.chars();
    let year = tm.year + 1900;
    let hour12 = (tm.hour + 11) % 12 + 1;
    while let Some(char) = chars.next() {
        if char != '%' {
            out.push(char);
            continue;
        }
        let letter = match chars.next() {
            Some('E' | 'O') => chars.next(),
            other => other,
        };
        let text = match letter {
            Some('a') => tm.day_name().chars().take(3).collect(),
            Some('A') => tm.day_name().into(),
            Some('b' | 'h') => tm.month_name().chars().take(3).collect(),
            Some('B') => tm.month_name().into(),
            Some('c') => {
                expand(call, "%a %b %e %H:%M:%S %Y", tm, out)?;
                continue;
            }
            Some('C') => format!("{:02}", year.div_euclid(100)),
            Some('d') => format!("{:02}", tm.mday),
            Some('D' | 'x') => {
                expand(call, "%m/%d/%y", tm, out)?;
                continue;
            }
            Some('e') => format!("{:2}", tm.mday),
            Some('F') => format!("{year}-{:02}-{:02}", tm.mon + 1, tm.mday),
            Some('g') => format!("{:02}", tm.iso_week().0.rem_euclid(100)),
            Some('G') => tm.iso_week().0.to_string(),
            Some('H') => format!("{:02}", tm.hour),
            Some('I') => format!("{hour12:02}"),
            Some('j') => format!("{:03}", tm.yday + 1),
            Some('k') => format!("{:2}", tm.hour),
            Some('l') => format!("{hour12:2}"),
            Some('m') => format!("{:02}", tm.mon + 1),
            Some('M') => format!("{:02}", tm.min),
            Some('n') => "\n".into(),
            Some('p') => if tm.hour < 12 { "AM" } else { "PM" }.into(),
            Some('P') => if tm.hour < 12 { "am" } else { "pm" }.into(),
            Some('r') => {
                expand(call, "%I:%M:%S %p", tm, out)?;
                continue;
            }
            Some('R') => format!("{:02}:{:02}", tm.hour, tm.min),
            Some('s') => tm.seconds().to_string(),
            Some('S') => format!("{:02}", tm.sec),
            Some('t') => "\t".into(),
            Some('T' | 'X') => format!("{:02}:{:02}:{:02}", tm.hour, tm.min, tm.sec),
            Some('u') => ((tm.wday + 6) % 7 + 1).to_string(),
            Some('U') => format!("{:02}", tm.week(0)),
            Some('V') => format!("{:02}", tm.iso_week().1),
            Some('w') => tm.wday.to_string(),
            Some('W') => format!("{:02}", tm.week(1)),
            Some('y') => format!("{:02}", year.rem_euclid(100)),
            Some('Y') => year.to_string(),
            Some('z') => "+0000".into(),
            Some('Z') => "GMT".into(),
            Some('%') => "%".into(),
            Some(other) => {
                let message = format!("%{other} is not a conversion of strftime");
                return Err(call.fail(ErrorKind::BadCall, message));
            }
            None => "%".into(),
        };
        out.push_str(&text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_dates() {
        let tm = Tm::new(0);
        assert_eq!(tm.asctime(), "Thu Jan  1 00:00:00 1970\n");
        let tm = Tm::new(1_709_210_096);
        assert_eq!(tm.asctime(), "Thu Feb 29 12:34:56 2024\n");
        assert_eq!((tm.yday, tm.week(0), tm.iso_week()), (59, 8, (2024, 9)));
        assert_eq!(Tm::new(-1).asctime(), "Wed Dec 31 23:59:59 1969\n");
    }

    proptest! {
        #[test]
        fn dates_read_back(seconds in -100_000_000_000i64..100_000_000_000) {
            prop_assert_eq!(Tm::new(seconds).seconds(), seconds);
        }
    }
}
