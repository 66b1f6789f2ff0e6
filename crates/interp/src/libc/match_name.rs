//! `fnmatch`: names against patterns with `*`, `?` and `[...]`.

use super::{Call, Native, Ret};
use crate::error::Stop;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "fnmatch" => fnmatch,
        _ => return None,
    })
}

const PATHNAME: i32 = 1;
const NOESCAPE: i32 = 2;
const PERIOD: i32 = 4;
const LEADING_DIR: i32 = 8;
const CASEFOLD: i32 = 16;

fn fnmatch(call: &mut Call<'_, '_>) -> Result<Ret, Stop> {
    let pattern = call.string(call.ptr(0)?)?;
    let name = call.string(call.ptr(1)?)?;
    let flags = call.int32(2)?;
    let found = matches(&pattern, &name, 0, flags);
    Ok(Ret::Int((!found).into()))
}

fn fold(byte: u8, flags: i32) -> u8 {
    match flags & CASEFOLD {
        0 => byte,
        _ => byte.to_ascii_lowercase(),
    }
}

/// Whether a dot at `at` may only be matched by a dot in the pattern.
fn hidden(name: &[u8], at: usize, flags: i32) -> bool {
    let leads = at == 0 || (flags & PATHNAME != 0 && name[at - 1] == b'/');
    flags & PERIOD != 0 && leads && name.get(at) == Some(&b'.')
}

fn matches(pattern: &[u8], name: &[u8], mut at: usize, flags: i32) -> bool {
    let mut p = 0;
    while p < pattern.len() {
        let here = name.get(at).copied();
        match pattern[p] {
            b'?' => {
                let slash = here == Some(b'/') && flags & PATHNAME != 0;
                if here.is_none() || slash || hidden(name, at, flags) {
                    return false;
                }
                at += 1;
                p += 1;
            }
            b'*' => {
                if hidden(name, at, flags) {
                    return false;
                }
                let rest = &pattern[p + 1..];
                for end in at..=name.len() {
                    if matches(rest, name, end, flags) {
                        return true;
                    }
                    if flags & PATHNAME != 0 && name.get(end) == Some(&b'/') {
                        break;
                    }
                }
                return false;
            }
            b'[' => {
                let Some(byte) = here else { return false };
                if (byte == b'/' && flags & PATHNAME != 0) || hidden(name, at, flags) {
                    return false;
                }
                match bracket(&pattern[p..], byte, flags) {
                    Some((true, used)) => p += used,
                    Some((false, _)) => return false,
                    // Not closed: an ordinary character.
                    None if byte == b'[' => p += 1,
                    None => return false,
                }
                at += 1;
            }
            byte => {
                let mut byte = byte;
                if byte == b'\\' && flags & NOESCAPE == 0 {
                    p += 1;
                    match pattern.get(p) {
                        Some(next) => byte = *next,
                        None => return false,
                    }
                }
                if here.is_none_or(|h| fold(h, flags) != fold(byte, flags)) {
                    return false;
                }
                at += 1;
                p += 1;
            }
        }
    }
    at == name.len() || (flags & LEADING_DIR != 0 && name[at] == b'/')
}

/// Whether `[...]` accepts a byte, and how much of the pattern it is; none if it never closes.
fn bracket(pattern: &[u8], byte: u8, flags: i32) -> Option<(bool, usize)> {
    let mut p = 1;
    let negated = matches!(pattern.get(p), Some(b'!' | b'^'));
    p += usize::from(negated);
    let byte = fold(byte, flags);
    let mut found = false;
    let start = p;
    loop {
        let first = *pattern.get(p)?;
        if first == b']' && p > start {
            return Some((found != negated, p + 1));
        }
        if first == b'/' && flags & PATHNAME != 0 {
            return None;
        }
        if first == b'[' && pattern.get(p + 1) == Some(&b':') {
            let end = pattern[p + 2..].windows(2).position(|w| w == b":]")?;
            found |= class(&pattern[p + 2..p + 2 + end], byte);
            p += end + 4;
            continue;
        }
        let low = item(pattern, &mut p, flags)?;
        if pattern.get(p) == Some(&b'-') && pattern.get(p + 1).is_some_and(|b| *b != b']') {
            p += 1;
            let high = item(pattern, &mut p, flags)?;
            found |= (fold(low, flags)..=fold(high, flags)).contains(&byte);
        } else {
            found |= fold(low, flags) == byte;
        }
    }
}

fn item(pattern: &[u8], p: &mut usize, flags: i32) -> Option<u8> {
    if pattern.get(*p) == Some(&b'\\') && flags & NOESCAPE == 0 {
        *p += 1;
    }
    *p += 1;
    pattern.get(*p - 1).copied()
}

fn class(name: &[u8], byte: u8) -> bool {
    match name {
        b"alpha" => byte.is_ascii_alphabetic(),
        b"digit" => byte.is_ascii_digit(),
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"upper" => byte.is_ascii_uppercase(),
        b"lower" => byte.is_ascii_lowercase(),
        b"space" => super::scanf::is_space(byte),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"punct" => byte.is_ascii_punctuation(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"graph" => byte.is_ascii_graphic(),
        b"cntrl" => byte.is_ascii_control(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => false,
    }
}
