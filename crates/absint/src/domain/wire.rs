//! Abstract values as bytes that mean the same in every process.
//!
//! A value is small integers, or a tag with what it holds as numbers of variable length. What a
//! universe keeps under numbers of its own is written out, so equal values are equal bytes
//! whoever wrote them.

use super::value::{Classes, PartId, Value, WordsId};
use super::{Address, Target, Universe};

/// Integers below this are one byte.
pub(crate) const SMALL: u8 = 192;
/// Bytes from [`SMALL`] to below this are not values.
pub(crate) const TAGS: u8 = 224;

const INT: u8 = TAGS;
const BOTTOM: u8 = TAGS + 1;
const TOP: u8 = TAGS + 2;
const RANGE: u8 = TAGS + 3;
const MASK: u8 = TAGS + 4;
const BITS: u8 = TAGS + 5;
const DIV: u8 = TAGS + 6;
const SET: u8 = TAGS + 7;
const FAR_SET: u8 = TAGS + 8;
const ADDRESS: u8 = TAGS + 9;
const ADDRESSES: u8 = TAGS + 10;
const FLOAT: u8 = TAGS + 11;
const NAN: u8 = TAGS + 12;

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes such a number off the front.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = take_byte(bytes)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

pub(crate) fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number << 1 ^ number >> 63) as u64);
}

fn take_signed(bytes: &mut &[u8]) -> Option<i64> {
    let number = take(bytes)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

/// Canonical words are small numbers, of either sign.
fn put_words(out: &mut Vec<u8>, words: &[u64]) {
    put(out, words.len() as u64);
    words.iter().for_each(|w| put_signed(out, *w as i64));
}

impl Universe {
    /// Appends a value.
    pub(crate) fn put(&self, value: Value, out: &mut Vec<u8>) {
        let pair = |out: &mut Vec<u8>, tag, lo: u64, hi: u64| {
            out.push(tag);
            put_signed(out, lo as i64);
            put_signed(out, hi as i64);
        };
        match value {
            Value::Int(n) if n < u64::from(SMALL) => out.push(n as u8),
            Value::Int(n) => {
                out.push(INT);
                put_signed(out, n as i64);
            }
            Value::Bottom => out.push(BOTTOM),
            Value::Top => out.push(TOP),
            Value::Range { lo, hi } => pair(out, RANGE, lo, hi),
            Value::Mask { classes, bits } => {
                out.push(MASK);
                self.put_classes(classes, out);
                put(out, bits);
            }
            Value::Bits { classes, words } => {
                out.push(BITS);
                self.put_classes(classes, out);
                put_words(out, self.words.get(words.0));
            }
            Value::Div { k, lo, hi } => {
                pair(out, DIV, lo, hi);
                put(out, u64::from(k));
            }
            Value::Set { limit, base, mask } => {
                out.push(SET);
                put(out, u64::from(limit));
                put_signed(out, base as i64);
                put(out, mask);
            }
            Value::FarSet { limit, words } => {
                out.push(FAR_SET);
                put(out, u64::from(limit));
                put_words(out, self.words.get(words.0));
            }
            Value::Address(address) => {
                out.push(ADDRESS);
                let (kind, id) = match address.target() {
                    Target::Absolute => (0, 0),
                    Target::Object(id) => (1, id),
                    Target::Function(id) => (2, id),
                    Target::Freed => (3, 0),
                };
                let anywhere = u64::from(address.offset().is_none());
                put(out, u64::from(id) << 3 | kind << 1 | anywhere);
                put_signed(out, address.offset().unwrap_or(0));
            }
            Value::Addresses(words) => {
                out.push(ADDRESSES);
                put_words(out, self.words.get(words.0));
            }
            Value::Float { lo, hi, nan } => {
                out.push(FLOAT);
                out.extend(lo.to_le_bytes());
                out.extend(hi.to_le_bytes());
                out.push(u8::from(nan));
            }
            Value::NaN => out.push(NAN),
        }
    }
    /// Takes a value off the front; none if the bytes are not one.
    pub(crate) fn take(&self, bytes: &mut &[u8]) -> Option<Value> {
        let tag = take_byte(bytes)?;
        let word = |bytes: &mut &[u8]| take_signed(bytes).map(|n| n as u64);
        Some(match tag {
            0..SMALL => Value::Int(u64::from(tag)),
            INT => Value::Int(word(bytes)?),
            BOTTOM => Value::Bottom,
            TOP => Value::Top,
            RANGE => Value::Range {
                lo: word(bytes)?,
                hi: word(bytes)?,
            },
            MASK => Value::Mask {
                classes: self.take_classes(bytes)?,
                bits: take(bytes)?,
            },
            BITS => Value::Bits {
                classes: self.take_classes(bytes)?,
                words: self.take_words(bytes)?,
            },
            DIV => {
                let (lo, hi) = (word(bytes)?, word(bytes)?);
                let k = u32::try_from(take(bytes)?).ok()?;
                Value::Div { k, lo, hi }
            }
            SET => Value::Set {
                limit: u16::try_from(take(bytes)?).ok()?,
                base: word(bytes)?,
                mask: take(bytes)?,
            },
            FAR_SET => Value::FarSet {
                limit: u16::try_from(take(bytes)?).ok()?,
                words: self.take_words(bytes)?,
            },
            ADDRESS => {
                let packed = take(bytes)?;
                let offset = take_signed(bytes)?;
                let id = u32::try_from(packed >> 3).ok().filter(|id| id >> 29 == 0)?;
                let target = match packed >> 1 & 3 {
                    0 => Target::Absolute,
                    1 => Target::Object(id),
                    2 => Target::Function(id),
                    _ => Target::Freed,
                };
                Value::Address(Address::new(target, (packed & 1 == 0).then_some(offset)))
            }
            ADDRESSES => Value::Addresses(self.take_words(bytes)?),
            FLOAT => {
                let mut float = || {
                    let (first, rest) = bytes.split_first_chunk()?;
                    *bytes = rest;
                    Some(u64::from_le_bytes(*first))
                };
                let (lo, hi) = (float()?, float()?);
                let nan = take_byte(bytes)? != 0;
                Value::Float { lo, hi, nan }
            }
            NAN => Value::NaN,
            _ => return None,
        })
    }
    /// Partitions are made while a program is explored, so their numbers mean nothing elsewhere.
    fn put_classes(&self, classes: Classes, out: &mut Vec<u8>) {
        match classes {
            Classes::Bool => out.push(0),
            Classes::Mod(k) => {
                out.push(1);
                put(out, u64::from(k));
            }
            Classes::Part(part) => {
                out.push(2);
                let points = self.break_points(part);
                put(out, points.len() as u64);
                for point in points {
                    // Between the smallest signed and the largest unsigned word.
                    out.push(u8::from(*point < 0));
                    put(out, point.unsigned_abs() as u64);
                }
            }
        }
    }
    fn take_classes(&self, bytes: &mut &[u8]) -> Option<Classes> {
        Some(match take_byte(bytes)? {
            0 => Classes::Bool,
            1 => Classes::Mod(u32::try_from(take(bytes)?).ok()?),
            2 => {
                let count = take(bytes)?;
                let point = |bytes: &mut &[u8]| {
                    let negative = take_byte(bytes)? != 0;
                    let size = i128::from(take(bytes)?);
                    Some(if negative { -size } else { size })
                };
                let points: Option<Vec<i128>> = (0..count).map(|_| point(bytes)).collect();
                Classes::Part(PartId(self.parts.intern(&points?)))
            }
            _ => return None,
        })
    }
    fn take_words(&self, bytes: &mut &[u8]) -> Option<WordsId> {
        let count = take(bytes)?;
        let word = |_| take_signed(bytes).map(|n| n as u64);
        let words: Option<Vec<u64>> = (0..count).map(word).collect();
        Some(self.words.intern(&words?).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind of value comes back in another universe, whose numbers are others.
    #[test]
    fn values_mean_the_same_elsewhere() {
        let (here, there) = (Universe::default(), Universe::default());
        here.part(&[5, 6]).expect("a partition");
        there.words.intern(&[1, 2, 3]);
        let kind = here
            .part(&[-3, 0, i128::from(u64::MAX)])
            .expect("a partition");
        let classes = kind.classes().expect("a partition has classes");
        let words: WordsId = here.words.intern(&[1, u64::MAX, 1 << 40]).into();
        let object = Address::new(Target::Object(7), Some(-4));
        let values = [
            Value::Int(0),
            Value::Int(191),
            Value::Int(192),
            Value::Int(u64::MAX),
            Value::Bottom,
            Value::Top,
            Value::Range {
                lo: u64::MAX,
                hi: 3,
            },
            Value::Mask { classes, bits: 5 },
            Value::Mask {
                classes: Classes::Mod(7),
                bits: 1 << 63,
            },
            Value::Bits {
                classes: Classes::Bool,
                words,
            },
            Value::Div {
                k: 10,
                lo: 0,
                hi: 9,
            },
            Value::Set {
                limit: 4,
                base: 2,
                mask: 9,
            },
            Value::FarSet { limit: 3, words },
            Value::Address(object),
            Value::Address(Address::new(Target::Function(1), None)),
            Value::Addresses(words),
            Value::Float {
                lo: 1.5f64.to_bits(),
                hi: 2f64.to_bits(),
                nan: true,
            },
            Value::NaN,
        ];
        for value in values {
            let mut bytes = Vec::new();
            here.put(value, &mut bytes);
            let mut rest = &bytes[..];
            let moved = there.take(&mut rest).expect("a value");
            assert!(rest.is_empty(), "{value:?}");
            let mut again = Vec::new();
            there.put(moved, &mut again);
            assert_eq!(bytes, again, "{value:?}");
            let mut back = &again[..];
            assert_eq!(here.take(&mut back), Some(value));
            for cut in 0..bytes.len() {
                assert_eq!(
                    there.take(&mut &bytes[..cut]),
                    None,
                    "{value:?} cut at {cut}"
                );
            }
        }
    }
}
