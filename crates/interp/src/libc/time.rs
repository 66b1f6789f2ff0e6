//! `time.h`, in universal time and the C locale.

use super::{Call, Native, Ret};
use crate::error::Stop;
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
        "mktime" | "timelocal" | "timegm" => mktime,
        "difftime" => |c| Ok(((c.int(0)? - c.int(1)?) as f64).into()),
        "asctime" | "asctime_r" => |c| {
            let tm = Tm::load(c, c.ptr(0)?)?;
            date_text(c, Some(tm))
        },
        "ctime" | "ctime_r" => |c| {
            let seconds = load_time(c, c.ptr(0)?)?;
            date_text(c, Tm::checked(seconds))
        },
        "strftime" | "strftime_l" => strftime,
        "strptime" => super::strptime::strptime,
        "dysize" => |c| {
            let year = c.int(0)?;
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            Ok(Ret::Int(365 + i128::from(leap)))
        },
        "clock_getres" => |c| {
            let (to, word) = (c.ptr(1)?, c.word());
            if to != 0 {
                c.store(to, word, 0)?;
                c.store(to.wrapping_add(word), word, 1)?;
            }
            Ok(Ret::Int(0))
        },
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

pub(super) const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
pub(super) const MONTHS: [&str; 12] = [
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tm {
    pub sec: i64,
    pub min: i64,
    pub hour: i64,
    pub mday: i64,
    pub mon: i64,
    pub year: i64,
    pub wday: i64,
    pub yday: i64,
}

const EOVERFLOW: i32 = 75;

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
    pub(super) fn new(seconds: i64) -> Tm {
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
    /// The same, if the year fits in an `int`.
    fn checked(seconds: i64) -> Option<Tm> {
        // Beyond this the year does not fit anyway, and sums would overflow.
        let near = seconds.unsigned_abs() < 1 << 57;
        near.then(|| Tm::new(seconds))
            .filter(|tm| i32::try_from(tm.year).is_ok())
    }
    pub(super) fn seconds(&self) -> i64 {
        let months = self.year.saturating_add(1900).saturating_mul(12) + self.mon;
        let days = days_from_civil(months.div_euclid(12), months.rem_euclid(12), 1);
        (days + self.mday - 1) * 86400 + self.hour * 3600 + self.min * 60 + self.sec
    }
    pub(super) fn load(call: &Call<'_, '_>, addr: u64) -> Result<Tm> {
        let get =
            |n: u64| -> Result<i64> { Ok(call.load(addr.wrapping_add(4 * n), 4, true)? as i64) };
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
    /// Writes all fields of a `struct tm`.
    fn store(&self, call: C<'_, '_, '_>, addr: u64, zone: &'static str) -> Result<()> {
        let fields = [
            self.sec, self.min, self.hour, self.mday, self.mon, self.year, self.wday, self.yday, 0,
        ];
        for (n, value) in fields.into_iter().enumerate() {
            call.store(addr + 4 * n as u64, 4, value.into())?;
        }
        // The GNU fields after them: offset from universal time and the zone's name.
        let word = call.word();
        let after = zone_field(addr, word);
        let Ret::Int(zone) = call.constant(zone)? else {
            return Ok(());
        };
        call.store(after, word, 0)?;
        call.store_ptr(after + word, zone as u64)?;
        Ok(())
    }
    pub(super) fn day_name(&self) -> &'static str {
        DAYS.get(self.wday as usize).copied().unwrap_or("?")
    }
    pub(super) fn month_name(&self) -> &'static str {
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
    pub(super) fn week(&self, first: i64) -> i64 {
        (self.yday + 7 - (self.wday - first).rem_euclid(7)) / 7
    }
    /// Year and week as ISO 8601 counts them.
    pub(super) fn iso_week(&self) -> (i64, i64) {
        let weekday = (self.wday + 6) % 7;
        let thursday = self.seconds().div_euclid(86400) - weekday + 3;
        let tm = Tm::new(thursday * 86400);
        (tm.year + 1900, tm.yday / 7 + 1)
    }
}

/// Where the GNU fields of a `struct tm` start: the offset from universal time, then the name.
fn zone_field(addr: u64, word: u64) -> u64 {
    (addr + 36).next_multiple_of(word)
}

/// The name that glibc gives the zone: universal time is a local time too.
fn zone_name(name: &str) -> &'static str {
    match name {
        "gmtime" | "gmtime_r" | "timegm" => "GMT",
        _ => "UTC",
    }
}

fn broken_down(call: C<'_, '_, '_>, to: Option<u64>) -> Result<Ret> {
    let seconds = load_time(call, call.ptr(0)?)?;
    let to = match to {
        Some(to) => to,
        None => call.m.library_object("the result of gmtime", 64)?,
    };
    let size = zone_field(0, call.word()) + 2 * call.word();
    call.m.memory.writable(to, size)?;
    let Some(tm) = Tm::checked(seconds) else {
        call.m.set_errno(EOVERFLOW)?;
        return Ok(Ret::Int(0));
    };
    let zone = zone_name(call.name);
    tm.store(call, to, zone)?;
    Ok(Ret::Int(to.into()))
}

/// `asctime` and `ctime`, into their own buffer or that of the caller.
fn date_text(call: C<'_, '_, '_>, tm: Option<Tm>) -> Result<Ret> {
    let own = !call.name.ends_with("_r");
    if !own {
        // The buffer must have 26 bytes, however short the text is.
        let to = call.ptr(1)?;
        call.m.memory.writable(to, 26)?;
    }
    let text = tm.map(|tm| tm.asctime()).unwrap_or_default();
    // The longest text has a year of ten digits; the caller's buffer has no room for more than 26.
    if text.is_empty() || (!own && text.len() > 25) {
        call.m.set_errno(EOVERFLOW)?;
        return Ok(Ret::Int(0));
    }
    if own {
        return Ok(call.static_string("the text of asctime", 114, text.as_bytes())?);
    }
    let to = call.ptr(1)?;
    call.store_string(to, text.as_bytes())?;
    Ok(Ret::Int(to.into()))
}

fn mktime(call: C<'_, '_, '_>) -> Result<Ret> {
    let addr = call.ptr(0)?;
    let tm = Tm::load(call, addr)?;
    let seconds = tm.seconds();
    let zone = zone_name(call.name);
    match Tm::checked(seconds) {
        Some(normal) => normal.store(call, addr, zone)?,
        None => {
            call.m.set_errno(EOVERFLOW)?;
            return Ok(Ret::Int(-1));
        }
    }
    Ok(Ret::Int(seconds.into()))
}

fn strftime(call: C<'_, '_, '_>) -> Result<Ret> {
    let (to, size) = (call.ptr(0)?, call.size(1)?);
    let format = call.string(call.ptr(2)?)?;
    let at = call.ptr(3)?;
    let tm = Tm::load(call, at)?;
    let zone = zone_of(call, at)?;
    let mut out = Vec::new();
    super::strftime::expand(call, &format, &tm, &zone, &mut out)?;
    if out.len() as u64 + 1 > size {
        call.m.set_errno(34)?;
        return Ok(Ret::Int(0));
    }
    call.store_string(to, &out)?;
    Ok(Ret::Int(out.len() as i128))
}

/// The zone of a broken-down time: its offset in seconds and its name; neither if it is not known
/// whether daylight saving time holds.
fn zone_of(call: &Call<'_, '_>, at: u64) -> Result<super::strftime::Zone> {
    let word = call.word();
    let field = zone_field(at, word);
    // A structure filled in by hand may leave these out.
    let saving = call.load(at + 32, 4, true).unwrap_or(0);
    let offset = call.load(field, word, true).unwrap_or(0) as i64;
    let name = match call.load_ptr(field + word) {
        Ok(addr) if addr != 0 => call.string(addr)?,
        _ if saving >= 0 => b"UTC".to_vec(),
        _ => Vec::new(),
    };
    Ok(super::strftime::Zone {
        offset: (saving >= 0).then_some(offset),
        name,
    })
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
