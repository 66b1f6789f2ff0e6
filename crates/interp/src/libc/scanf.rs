//! The `scanf` family.

use super::printf::Length;
use super::varargs::VarArgs;
use super::{Call, Native, Ret};
use crate::error::{ErrorKind, Fault, Stop};
use crate::memory::Fill;
use crate::memory::access::apart;
use cwolf_cwi::value::float;
use cwolf_cwi::{FloatTy, IntTy, value};

pub(super) fn find(name: &str) -> Option<Native> {
    let plain = name
        .strip_prefix("__isoc99_")
        .or(name.strip_prefix("__isoc23_"))
        .unwrap_or(name);
    Some(match plain {
        "scanf" => |c| scan_stream(c, Some(0), 0, false),
        "vscanf" => |c| scan_stream(c, Some(0), 0, true),
        "fscanf" => |c| scan_stream(c, None, 1, false),
        "vfscanf" => |c| scan_stream(c, None, 1, true),
        "sscanf" => |c| scan_string(c, false),
        "vsscanf" => |c| scan_string(c, true),
        _ => return None,
    })
}

fn scan_stream(
    call: &mut Call<'_, '_>,
    fixed: Option<usize>,
    format: usize,
    list: bool,
) -> Result<Ret, Stop> {
    let stream = match fixed {
        Some(n) => n,
        None => {
            let addr = call.ptr(0)?;
            call.m.stream_at(addr)?
        }
    };
    scan(call, Source::Stream(stream), format, list)
}

fn scan_string(call: &mut Call<'_, '_>, list: bool) -> Result<Ret, Stop> {
    let addr = call.ptr(0)?;
    let text = call.string(addr)?;
    let range = (addr, text.len() as u64 + 1);
    scan(call, Source::Text { text, at: 0, range }, 1, list)
}

enum Source {
    Stream(usize),
    Text {
        text: Vec<u8>,
        at: usize,
        /// Where it is in memory, with its final zero.
        range: (u64, u64),
    },
}

struct Scan<'a, 'c, 'p> {
    call: &'a mut Call<'c, 'p>,
    source: Source,
    /// A byte that was looked at but not taken.
    peeked: Option<u8>,
    taken: u64,
}

/// Why scanning stops.
enum End {
    Input,
    Matching,
    Stop(Stop),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> End {
        End::Stop(fault.into())
    }
}

impl Scan<'_, '_, '_> {
    fn peek(&mut self) -> Option<u8> {
        if self.peeked.is_none() {
            self.peeked = match &mut self.source {
                Source::Stream(n) => self.call.m.read_stream(*n),
                Source::Text { text, at, .. } => {
                    *at += 1;
                    text.get(*at - 1).copied()
                }
            };
        }
        self.peeked
    }
    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.peeked = None;
        self.taken += 1;
        Some(byte)
    }
    /// Writes a result.
    fn put(&mut self, to: u64, bytes: &[u8]) -> Result<(), Fault> {
        if let Source::Text { range, .. } = &self.source {
            apart((to, bytes.len() as u64), *range)?;
        }
        self.call.m.memory.store(to, bytes)
    }
    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.take();
        }
    }
    /// Takes a byte if `want` likes it and the width allows.
    fn take_if(&mut self, width: &mut usize, want: impl Fn(u8) -> bool) -> Option<u8> {
        if *width == 0 || !self.peek().is_some_and(want) {
            return None;
        }
        *width -= 1;
        self.take()
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

fn scan(call: &mut Call<'_, '_>, source: Source, format: usize, list: bool) -> Result<Ret, Stop> {
    let text = call.string(call.ptr(format)?)?;
    let mut args = match list {
        true => VarArgs::from_list(call, format + 1)?,
        false => VarArgs::Direct(format + 1),
    };
    let mut scan = Scan {
        call,
        source,
        peeked: None,
        taken: 0,
    };
    let mut done = 0;
    let end = directives(&mut scan, &text, &mut args, &mut done);
    if let (Source::Stream(n), Some(byte)) = (&scan.source, scan.peeked) {
        let n = *n;
        scan.call.m.unread_stream(n, byte);
    }
    match end {
        Err(End::Stop(stop)) => Err(stop),
        Err(End::Input) if done == 0 => Ok(Ret::Int(-1)),
        _ => Ok(Ret::Int(done)),
    }
}

fn directives(
    scan: &mut Scan<'_, '_, '_>,
    format: &[u8],
    args: &mut VarArgs,
    done: &mut i128,
) -> Result<(), End> {
    let mut at = 0;
    while at < format.len() {
        let byte = format[at];
        at += 1;
        if is_space(byte) {
            scan.skip_space();
            continue;
        }
        if byte != b'%' {
            match scan.peek() {
                None => return Err(End::Input),
                Some(found) if found == byte => scan.take(),
                Some(_) => return Err(End::Matching),
            };
            continue;
        }
        let position = position(format, &mut at);
        let suppress = format.get(at) == Some(&b'*');
        at += usize::from(suppress);
        // Flags of `printf` that mean nothing here.
        while matches!(format.get(at), Some(b'\'' | b'I')) {
            at += 1;
        }
        let mut width = None;
        while let Some(digit) = format.get(at).filter(|b| b.is_ascii_digit()) {
            let digit = usize::from(digit - b'0');
            width = Some(
                width
                    .unwrap_or(0usize)
                    .saturating_mul(10)
                    .saturating_add(digit),
            );
            at += 1;
        }
        // GNU's allocation modifier.
        let allocate = format.get(at) == Some(&b'm');
        at += usize::from(allocate);
        let length = Length::parse(format, &mut at);
        let Some(letter) = format.get(at).copied() else {
            return Ok(());
        };
        at += 1;
        let to = match (suppress, letter) {
            (true, _) | (_, b'%') => None,
            _ => Some(match position {
                Some(n) => args.nth_ptr(scan.call, n)?,
                None => args.ptr(scan.call)?,
            }),
        };
        let set = match letter {
            b'[' => Some(parse_set(format, &mut at)),
            _ => None,
        };
        let counts = conversion(scan, letter, width, length, to, set, allocate)?;
        *done += i128::from(counts && !suppress);
    }
    Ok(())
}

/// `2$` after the percent sign: the number of the argument, from 0.
fn position(format: &[u8], at: &mut usize) -> Option<usize> {
    let digits = format[*at..].iter().take_while(|b| b.is_ascii_digit());
    let digits = digits.count();
    if digits == 0 || format.get(*at + digits) != Some(&b'$') {
        return None;
    }
    let text = std::str::from_utf8(&format[*at..*at + digits]).ok()?;
    let number: usize = text.parse().ok()?;
    *at += digits + 1;
    number.checked_sub(1)
}

/// The bytes that `%[...]` accepts.
fn parse_set(format: &[u8], at: &mut usize) -> [bool; 256] {
    let negated = format.get(*at) == Some(&b'^');
    *at += usize::from(negated);
    let mut set = [negated; 256];
    let start = *at;
    while let Some(&byte) = format.get(*at) {
        if byte == b']' && *at > start {
            break;
        }
        let range = format.get(*at + 1) == Some(&b'-');
        match format.get(*at + 2) {
            Some(&last) if range && last != b']' => {
                for b in byte..=last {
                    set[usize::from(b)] = !negated;
                }
                *at += 3;
            }
            _ => {
                set[usize::from(byte)] = !negated;
                *at += 1;
            }
        }
    }
    *at += 1;
    set
}

fn conversion(
    scan: &mut Scan<'_, '_, '_>,
    letter: u8,
    width: Option<usize>,
    length: Length,
    to: Option<u64>,
    set: Option<[bool; 256]>,
    allocate: bool,
) -> Result<bool, End> {
    if !matches!(letter, b'c' | b'[' | b'n' | b'C') {
        scan.skip_space();
    }
    let word = scan.call.word();
    match letter {
        b'n' => {
            if let Some(to) = to {
                let size = u64::from(length.bits(word)) / 8;
                let taken = i128::from(scan.taken);
                let bytes = scan.call.bytes(taken as u128, size as usize);
                scan.put(to, &bytes)?;
            }
            return Ok(false);
        }
        b'%' => {
            return match scan.peek() {
                Some(b'%') => {
                    scan.take();
                    Ok(false)
                }
                Some(_) => Err(End::Matching),
                None => Err(End::Input),
            };
        }
        _ => {}
    }
    if scan.peek().is_none() {
        return Err(End::Input);
    }
    match letter {
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'p' => {
            let base = match letter {
                b'd' | b'u' => 10,
                b'o' => 8,
                b'i' => 0,
                _ => 16,
            };
            let bits = match letter {
                b'p' => word as u16 * 8,
                _ => length.bits(word),
            };
            let signed = matches!(letter, b'd' | b'i');
            let null = letter == b'p' && scan.peek() == Some(b'(');
            let value = match null {
                true => nil(scan)?,
                false => integer(scan, base, width.unwrap_or(usize::MAX))?,
            };
            // Out of range is clamped to what `strtol` returns, then stored in the type.
            let wide = IntTy::new(bits.max(word as u16 * 8), signed);
            let exact = value;
            let value = match signed {
                true => value.clamp(value::min(wide), value::max(wide)),
                false if value.abs() > value::max(IntTy::new(wide.bits, false)) => -1,
                false => value,
            };
            if value != exact {
                scan.call.m.set_errno(34)?;
            }
            if let Some(to) = to {
                let bytes = scan.call.bytes(value as u128, usize::from(bits) / 8);
                scan.put(to, &bytes)?;
            }
        }
        b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => {
            let text = float_text(scan, width.unwrap_or(usize::MAX))?;
            let ty = match length {
                Length::None => FloatTy::F32,
                Length::LongDouble | Length::LongLong => scan.call.long_double(),
                _ => FloatTy::F64,
            };
            let bits = super::stdlib::parse_float(ty, &text).map_or(0, |(bits, _)| bits);
            if let Some(to) = to {
                let size = float::encoded_size(ty);
                let bytes = scan.call.bytes(bits, size);
                scan.put(to, &bytes)?;
            }
        }
        b'c' | b's' | b'[' | b'C' | b'S' => {
            let wide = length == Length::Long || letter.is_ascii_uppercase();
            let letter = letter.to_ascii_lowercase();
            let limit = match letter {
                b'c' => width.unwrap_or(1),
                _ => width.unwrap_or(usize::MAX),
            };
            let accepts = |b: u8| match (&set, letter) {
                (Some(set), _) => set[usize::from(b)],
                (_, b'c') => true,
                _ => !is_space(b),
            };
            let mut text = Vec::new();
            let mut left = limit;
            while let Some(byte) = scan.take_if(&mut left, accepts) {
                text.push(byte);
            }
            if text.is_empty() {
                return Err(End::Matching);
            }
            if wide && !text.is_ascii() {
                // In the C locale a wide character is a byte of 7 bits.
                scan.call.m.set_errno(84)?;
                return Err(End::Input);
            }
            if let Some(mut to) = to {
                if letter != b'c' {
                    text.push(0);
                }
                if wide {
                    text = text.iter().flat_map(|b| [*b, 0, 0, 0]).collect();
                }
                if allocate {
                    let heap = scan.call.heap(text.len() as u64, Fill::Unwritten)?;
                    scan.call.store_ptr(to, heap)?;
                    to = heap;
                    if heap == 0 {
                        return Err(End::Input);
                    }
                }
                scan.put(to, &text)?;
            }
        }
        _ => {
            let letter = char::from(letter);
            let message = format!("%{letter} is not a conversion of scanf");
            return Err(End::Stop(scan.call.fail(ErrorKind::BadFormat, message)));
        }
    }
    Ok(true)
}

/// How `printf` writes a null pointer.
fn nil(scan: &mut Scan<'_, '_, '_>) -> Result<i128, End> {
    for want in *b"(nil)" {
        match scan.peek() {
            Some(byte) if byte.eq_ignore_ascii_case(&want) => scan.take(),
            _ => return Err(End::Matching),
        };
    }
    Ok(0)
}

fn integer(scan: &mut Scan<'_, '_, '_>, base: u32, mut width: usize) -> Result<i128, End> {
    let negative = match scan.take_if(&mut width, |b| b == b'+' || b == b'-') {
        Some(sign) => sign == b'-',
        None => false,
    };
    let mut base = base;
    let mut digits = 0;
    if (base == 0 || base == 16) && scan.take_if(&mut width, |b| b == b'0').is_some() {
        digits = 1;
        if scan
            .take_if(&mut width, |b| b == b'x' || b == b'X')
            .is_some()
        {
            // Without digits after it, glibc still takes the zero.
            base = 16;
        } else if base == 0 {
            base = 8;
        }
    }
    if base == 0 {
        base = 10;
    }
    let mut value: i128 = 0;
    while let Some(byte) = scan.take_if(&mut width, |b| char::from(b).is_digit(base)) {
        let digit = char::from(byte).to_digit(base).expect("just checked");
        value = value
            .saturating_mul(base.into())
            .saturating_add(digit.into());
        digits += 1;
    }
    if digits == 0 {
        return Err(End::Matching);
    }
    Ok(if negative { -value } else { value })
}

/// The longest text that may be the start of a number.
fn float_text(scan: &mut Scan<'_, '_, '_>, mut width: usize) -> Result<Vec<u8>, End> {
    let mut text = Vec::new();
    text.extend(scan.take_if(&mut width, |b| b == b'+' || b == b'-'));
    if scan.peek().is_some_and(|b| b.is_ascii_alphabetic()) {
        while let Some(byte) = scan.take_if(&mut width, |b| b.is_ascii_alphabetic()) {
            text.push(byte);
            let word = text.to_ascii_lowercase();
            let word = word.trim_ascii_start();
            let word = word
                .strip_prefix(b"-")
                .or(word.strip_prefix(b"+"))
                .unwrap_or(word);
            if word == b"nan" || word == b"infinity" {
                return Ok(text);
            }
            let more = width > 0 && scan.peek().is_some_and(|b| b.eq_ignore_ascii_case(&b'i'));
            if word == b"inf" && !more {
                return Ok(text);
            }
            if !b"nan".starts_with(word) && !b"infinity".starts_with(word) {
                return Err(End::Matching);
            }
        }
        return Err(End::Matching);
    }
    let mut hex = false;
    if let Some(zero) = scan.take_if(&mut width, |b| b == b'0') {
        text.push(zero);
        if let Some(x) = scan.take_if(&mut width, |b| b == b'x' || b == b'X') {
            text.push(x);
            hex = true;
        }
    }
    let is_digit = |hex: bool| {
        move |b: u8| {
            if hex {
                b.is_ascii_hexdigit()
            } else {
                b.is_ascii_digit()
            }
        }
    };
    let mut digits = usize::from(!text.is_empty() && !hex && text.ends_with(b"0"));
    while let Some(byte) = scan.take_if(&mut width, is_digit(hex)) {
        text.push(byte);
        digits += 1;
    }
    if let Some(point) = scan.take_if(&mut width, |b| b == b'.') {
        text.push(point);
        while let Some(byte) = scan.take_if(&mut width, is_digit(hex)) {
            text.push(byte);
            digits += 1;
        }
    }
    if digits == 0 {
        return Err(End::Matching);
    }
    let mark = if hex { b'p' } else { b'e' };
    if let Some(e) = scan.take_if(&mut width, |b| b.eq_ignore_ascii_case(&mark)) {
        text.push(e);
        text.extend(scan.take_if(&mut width, |b| b == b'+' || b == b'-'));
        // Without digits glibc takes the mark but not its meaning.
        while let Some(byte) = scan.take_if(&mut width, |b| b.is_ascii_digit()) {
            text.push(byte);
        }
    }
    Ok(text)
}
