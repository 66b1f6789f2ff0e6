//! Byte order and internet addresses as text.

use super::{Call, Native, Ret};
use crate::error::Stop;
use cwolf_cwi::Order;
use std::net::{Ipv4Addr, Ipv6Addr};

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "htons" | "ntohs" => |c| Ok(Ret::Int(network(c, c.int(0)? as u32, 16).into())),
        "htonl" | "ntohl" => |c| Ok(Ret::Int(network(c, c.int(0)? as u32, 32).into())),
        "inet_aton" => inet_aton,
        "inet_addr" => inet_addr,
        "inet_network" => inet_network,
        "inet_ntoa" => inet_ntoa,
        "inet_pton" => inet_pton,
        "inet_ntop" => inet_ntop,
        _ => return None,
    })
}

/// A number of so many bits whose bytes lie as networks send them, the highest first; and back.
fn network(call: &Call<'_, '_>, number: u32, bits: u32) -> u32 {
    match call.m.program.target().order {
        Order::Big => number << (32 - bits) >> (32 - bits),
        Order::Little => number.swap_bytes() >> (32 - bits),
    }
}

const INET: i32 = 2;
const INET6: i32 = 10;
const ENOSPC: i32 = 28;
const EAFNOSUPPORT: i32 = 97;

/// The number at the start of a text, as C writes numbers, and what follows.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let (base, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let count = digits
        .iter()
        .take_while(|b| char::from(**b).is_digit(base))
        .count();
    if count == 0 {
        return None;
    }
    let word = std::str::from_utf8(&digits[..count]).ok()?;
    let digit = |c: char| u64::from(c.to_digit(base).unwrap_or(0));
    let value = word.chars().fold(0u64, |sum, c| {
        sum.saturating_mul(base.into()).saturating_add(digit(c))
    });
    Some((value, &digits[count..]))
}

/// An address of one to four parts, the last of which fills what is left.
fn classic(text: &[u8]) -> Option<u32> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (value, after) = number(rest)?;
        parts.push(value);
        rest = match after {
            [b'.', more @ ..] if parts.len() < 4 => more,
            other => {
                let ends = other.first().is_none_or(|b| super::scanf::is_space(*b));
                if !ends {
                    return None;
                }
                break;
            }
        };
    }
    let last = parts.pop()?;
    let left = 32 - 8 * parts.len() as u32;
    if parts.iter().any(|p| *p > 255) || last >= 1 << left {
        return None;
    }
    let high = parts.iter().fold(0, |sum, part| sum << 8 | part);
    Some((high.checked_shl(left).unwrap_or(0) | last) as u32)
}

fn inet_aton(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.string(call.ptr(0)?)?;
    let to = call.ptr(1)?;
    let Some(address) = classic(&text) else {
        return Ok(Ret::Int(0));
    };
    if to != 0 {
        call.m.memory.store(to, &address.to_be_bytes())?;
    }
    Ok(Ret::Int(1))
}

fn inet_addr(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.string(call.ptr(0)?)?;
    let address = classic(&text).unwrap_or(u32::MAX);
    Ok(Ret::Int(network(call, address, 32).into()))
}

fn inet_network(call: C<'_, '_, '_>) -> Result<Ret> {
    let text = call.string(call.ptr(0)?)?;
    let mut value: u32 = 0;
    for (n, part) in text.split(|b| *b == b'.').enumerate() {
        match number(part) {
            // Parts are kept in 32 bits and wrap around.
            Some((byte, [])) if n < 4 && byte as u32 <= 255 => value = value << 8 | byte as u32,
            _ => return Ok(Ret::Int(u32::MAX.into())),
        }
    }
    Ok(Ret::Int(value.into()))
}

fn inet_ntoa(call: C<'_, '_, '_>) -> Result<Ret> {
    // The structure of one word arrives by address.
    let at = call.ptr(0)?;
    let bytes: [u8; 4] = call
        .m
        .memory
        .written_bytes(at, 4)?
        .try_into()
        .unwrap_or_default();
    let text = Ipv4Addr::from(bytes).to_string();
    Ok(call.static_string("the text of inet_ntoa", 18, text.as_bytes())?)
}

/// An address in its binary form; the text must be the canonical kind, without shortcuts.
fn parse(family: i32, text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    match family {
        INET => text.parse::<Ipv4Addr>().ok().map(|a| a.octets().to_vec()),
        _ => text.parse::<Ipv6Addr>().ok().map(|a| a.octets().to_vec()),
    }
}

fn inet_pton(call: C<'_, '_, '_>) -> Result<Ret> {
    let family = call.int32(0)?;
    let text = call.string(call.ptr(1)?)?;
    let to = call.ptr(2)?;
    if family != INET && family != INET6 {
        call.m.set_errno(EAFNOSUPPORT)?;
        return Ok(Ret::Int(-1));
    }
    match parse(family, &text) {
        Some(bytes) => {
            call.m.memory.store(to, &bytes)?;
            Ok(Ret::Int(1))
        }
        None => Ok(Ret::Int(0)),
    }
}

/// IPv6 as glibc writes it: the longest run of two or more zero groups is cut, and addresses that
/// contain one of IPv4 end in its form.
fn text6(bytes: &[u8; 16]) -> String {
    let address = Ipv6Addr::from(*bytes);
    let groups = address.segments();
    let zeros = groups[..6].iter().all(|g| *g == 0);
    if zeros && groups[6] != 0 {
        let [.., a, b, c, d] = *bytes;
        return format!("::{}", Ipv4Addr::new(a, b, c, d));
    }
    address.to_string()
}

fn inet_ntop(call: C<'_, '_, '_>) -> Result<Ret> {
    let family = call.int32(0)?;
    let (from, to, size) = (call.ptr(1)?, call.ptr(2)?, call.int(3)? as u32);
    let text = match family {
        INET => {
            let bytes = call.m.memory.written_bytes(from, 4)?;
            bytes
                .try_into()
                .map_or(String::new(), |b: [u8; 4]| Ipv4Addr::from(b).to_string())
        }
        INET6 => {
            let bytes = call.m.memory.written_bytes(from, 16)?;
            bytes.try_into().map_or(String::new(), |b| text6(&b))
        }
        _ => {
            call.m.set_errno(EAFNOSUPPORT)?;
            return Ok(Ret::Int(0));
        }
    };
    if text.len() as u64 >= u64::from(size) {
        call.m.set_errno(ENOSPC)?;
        return Ok(Ret::Int(0));
    }
    call.store_string(to, text.as_bytes())?;
    Ok(Ret::Int(to.into()))
}
