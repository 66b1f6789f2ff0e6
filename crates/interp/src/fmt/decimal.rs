//! A float as exact decimal digits. Every binary fraction is a finite decimal one:
//! m / 2^k = m * 5^k / 10^k, so the digits are those of an integer.

use cwolf_cwi::FloatTy;

/// What kind of number an encoding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Zero,
    Subnormal,
    Normal,
    Infinite,
    Nan,
}

/// An encoding taken apart: `mantissa * 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub negative: bool,
    pub class: Class,
    pub mantissa: u128,
    pub exponent: i32,
}

impl Parts {
    /// Takes an encoding apart.
    pub fn new(ty: FloatTy, bits: u128) -> Parts {
        // Stored fraction bits, exponent bits, and whether the leading one is stored.
        let (fraction, width, explicit) = match ty {
            FloatTy::F16 => (10, 5, false),
            FloatTy::F32 => (23, 8, false),
            FloatTy::F64 => (52, 11, false),
            FloatTy::F80 => (64, 15, true),
            FloatTy::F128 => (112, 15, false),
        };
        let negative = bits >> (fraction + width) & 1 == 1;
        let raw = (bits >> fraction & ((1 << width) - 1)) as i32;
        let low = bits & ((1u128 << fraction) - 1);
        let top = (1 << width) - 1;
        let bias = (1 << (width - 1)) - 1;
        let shift = if explicit { fraction - 1 } else { fraction };
        let leading = 1u128 << shift;
        let rest = if explicit { low & !leading } else { low };
        let class = match (raw, low) {
            (raw, _) if raw == top && rest == 0 => Class::Infinite,
            (raw, _) if raw == top => Class::Nan,
            (0, 0) => Class::Zero,
            (0, _) => Class::Subnormal,
            _ => Class::Normal,
        };
        let mantissa = match class {
            Class::Normal if !explicit => low | leading,
            _ => low,
        };
        let exponent = raw.max(1) - bias - shift;
        Parts {
            negative,
            class,
            mantissa,
            exponent,
        }
    }

    /// The digits: the number is `0.d1d2d3... * 10^point`, the first digit not zero.
    pub fn digits(&self) -> (Vec<u8>, i32) {
        if self.mantissa == 0 {
            return (vec![0], 1);
        }
        let zeros = self.mantissa.trailing_zeros();
        let mantissa = self.mantissa >> zeros;
        let exponent = self.exponent + zeros as i32;
        let mut big = Big::new(mantissa);
        big.power(if exponent >= 0 { 2 } else { 5 }, exponent.unsigned_abs());
        let digits = big.digits();
        let point = digits.len() as i32 + exponent.min(0);
        (digits, point)
    }
}

/// A natural number in base 10^9, lowest part first.
struct Big {
    parts: Vec<u32>,
}

const BASE: u64 = 1_000_000_000;

impl Big {
    fn new(mut value: u128) -> Big {
        let mut parts = Vec::new();
        while value > 0 {
            parts.push((value % u128::from(BASE)) as u32);
            value /= u128::from(BASE);
        }
        Big { parts }
    }
    fn multiply(&mut self, by: u32) {
        let mut carry = 0;
        for part in &mut self.parts {
            let product = u64::from(*part) * u64::from(by) + carry;
            *part = (product % BASE) as u32;
            carry = product / BASE;
        }
        while carry > 0 {
            self.parts.push((carry % BASE) as u32);
            carry /= BASE;
        }
    }
    /// Multiplies by `base^count`.
    fn power(&mut self, base: u32, count: u32) {
        // The largest powers below 2^32.
        let (chunk, times) = if base == 2 {
            (1 << 31, 31)
        } else {
            (1_220_703_125, 13)
        };
        for _ in 0..count / times {
            self.multiply(chunk);
        }
        self.multiply(base.pow(count % times));
    }
    fn digits(&self) -> Vec<u8> {
        let mut text = String::new();
        for (n, part) in self.parts.iter().rev().enumerate() {
            match n {
                0 => text.push_str(&part.to_string()),
                _ => text.push_str(&format!("{part:09}")),
            }
        }
        text.bytes().map(|b| b - b'0').collect()
    }
}

/// Keeps `count` digits (which may be none or negative), rounding half to even; the point may
/// move by one when the carry runs out at the front.
pub(super) fn round(digits: &mut Vec<u8>, point: &mut i32, count: i64) {
    let Ok(count) = usize::try_from(count) else {
        *digits = Vec::new();
        return;
    };
    if count >= digits.len() {
        return;
    }
    let rest = &digits[count..];
    let half = rest[0] == 5 && rest[1..].iter().all(|d| *d == 0);
    let odd = count > 0 && digits[count - 1] % 2 == 1;
    let up = if half { odd } else { rest[0] >= 5 };
    digits.truncate(count);
    if !up {
        return;
    }
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
    digits.truncate(count.max(1));
    *point += 1;
}
