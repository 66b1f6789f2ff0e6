//! Encodings taken apart, and NaNs.

use super::super::gates::constant;
use super::super::{BitBlaster, TRUE};
use cwolf_float::{Format, nan};

/// A number: `significand * 2^(exponent - bias - (precision - 1))` where it is finite.
#[derive(Clone)]
pub(super) struct Number {
    pub(super) nan: i32,
    pub(super) infinite: i32,
    pub(super) negative: i32,
    /// As encoded, but one for subnormal numbers.
    pub(super) exponent: Vec<i32>,
    /// Of `precision` bits; the highest is not set in subnormal numbers.
    pub(super) significand: Vec<i32>,
}

/// A rounding mode, decoded.
pub(super) struct Rounding {
    pub(super) nearest_even: i32,
    pub(super) nearest_away: i32,
    pub(super) down: i32,
    pub(super) up: i32,
}

impl BitBlaster {
    /// Whether one is true.
    pub(super) fn any(&mut self, lits: &[i32]) -> i32 {
        let none: Vec<i32> = lits.iter().map(|l| -l).collect();
        -self.all(&none)
    }

    pub(super) fn unpack(&mut self, f: Format, bits: &[i32]) -> Number {
        let fraction_bits = usize::from(f.fraction_bits());
        let digits = usize::from(f.precision()) - 1;
        let fraction = &bits[..digits];
        let field = &bits[fraction_bits..bits.len() - 1];
        let normal = self.any(field);
        let ends = self.all(field);
        let (leading, unnormal) = match f.has_integer_bit() {
            true => (bits[digits], self.and(normal, -bits[digits])),
            false => (normal, -TRUE),
        };
        let some = self.any(fraction);
        let over = self.and(ends, some);
        let nan = self.or(over, unnormal);
        let infinite = self.and(ends, -nan);
        let mut significand = fraction.to_vec();
        significand.push(leading);
        let mut exponent = field.to_vec();
        exponent[0] = self.or(exponent[0], -normal);
        Number {
            nan,
            infinite,
            negative: bits[bits.len() - 1],
            exponent,
            significand,
        }
    }

    pub(super) fn is_zero(&mut self, x: &Number) -> i32 {
        -self.any(&x.significand.clone())
    }

    pub(super) fn rounding(&mut self, mode: &[i32]) -> Rounding {
        let [low, middle, high] = mode else {
            unreachable!("a mode has three bits")
        };
        let nearest = self.all(&[-low, -middle, -high]);
        Rounding {
            nearest_even: nearest,
            nearest_away: *high,
            down: self.all(&[*low, -middle, -high]),
            up: self.all(&[-low, *middle, -high]),
        }
    }

    /// Which NaN an operation on these operands gives, if one of them is one.
    pub(super) fn propagated(&mut self, f: Format, operands: &[(&[i32], i32)]) -> Vec<i32> {
        let quiet = constant(f.bits().into(), nan::quiet(f, 0));
        let quieted = |bits: &[i32]| -> Vec<i32> {
            let both = bits.iter().zip(&quiet);
            both.map(|(bit, set)| if *set == TRUE { TRUE } else { *bit })
                .collect()
        };
        let ((last, _), others) = operands.split_last().expect("an operand");
        let mut result = quieted(last);
        if nan::first_counts(f) {
            for (bits, is_nan) in others.iter().rev() {
                result = self.choose(*is_nan, &quieted(bits), &result);
            }
            return result;
        }
        // Of two, the one with the larger significand; of equal ones, the positive.
        let digits = usize::from(f.fraction_bits());
        let mut have = operands[operands.len() - 1].1;
        for (bits, is_nan) in others.iter().rev() {
            let other = quieted(bits);
            let less = self.less(&result[..digits], &other[..digits]);
            let same = self.equal(&result[..digits], &other[..digits]);
            let sign = result.len() - 1;
            let positive = self.and(same, -other[sign]);
            let better = self.or(less, positive);
            let first = self.or(better, -have);
            let take = self.and(*is_nan, first);
            result = self.choose(take, &other, &result);
            have = self.or(have, *is_nan);
        }
        result
    }

    /// The default NaN.
    pub(super) fn default_nan(f: Format) -> Vec<i32> {
        constant(f.bits().into(), nan::default(f))
    }

    /// An infinity with a sign.
    pub(super) fn infinity(f: Format, negative: i32) -> Vec<i32> {
        let mut bits = constant(f.bits().into(), f.infinity());
        *bits.last_mut().expect("a sign") = negative;
        bits
    }

    /// `a` with zeros above, as a non-negative number of `width` bits.
    pub(super) fn widened(a: &[i32], width: usize) -> Vec<i32> {
        let mut bits = a.to_vec();
        bits.resize(width.max(a.len()), -TRUE);
        bits
    }

    /// A signed number as a vector of `width` bits.
    pub(super) fn signed_constant(width: usize, value: i64) -> Vec<i32> {
        constant(width, (i128::from(value)) as u128)
    }

    /// The significand moved up so that its highest bit is set (unless it is zero), and by how much.
    pub(super) fn normalised(&mut self, significand: &[i32]) -> (Vec<i32>, Vec<i32>) {
        let width = significand.len();
        let stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
        let mut bits = significand.to_vec();
        let mut amount = vec![-TRUE; stages];
        for stage in (0..stages).rev() {
            let step = 1usize << stage;
            if step >= width {
                continue;
            }
            let empty = -self.any(&bits[width - step..]);
            amount[stage] = empty;
            let moved: Vec<i32> = (0..width)
                .map(|at| if at >= step { bits[at - step] } else { -TRUE })
                .collect();
            bits = self.choose(empty, &moved, &bits);
        }
        (bits, amount)
    }

    /// Exponent and significand of a number, the highest bit of the significand set; the exponent is
    /// a signed number of two bits more.
    pub(super) fn normal_parts(&mut self, x: &Number) -> (Vec<i32>, Vec<i32>) {
        let (significand, amount) = self.normalised(&x.significand);
        let width = x.exponent.len() + 2;
        let exponent = BitBlaster::widened(&x.exponent, width);
        let amount = BitBlaster::widened(&amount, width);
        (self.minus(&exponent, &amount), significand)
    }

    /// `a` moved down by a non-negative amount; whether a bit that was set fell out is in the lowest.
    pub(super) fn sticky_shift(&mut self, a: &[i32], amount: &[i32]) -> Vec<i32> {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut lost = -TRUE;
        for (stage, by) in amount.iter().enumerate() {
            if *by == -TRUE {
                continue;
            }
            let step = 1usize.checked_shl(stage as u32).unwrap_or(width).min(width);
            let out = self.any(&bits[..step]);
            let falls = self.and(*by, out);
            lost = self.or(lost, falls);
            let moved: Vec<i32> = (0..width)
                .map(|at| *bits.get(at + step).unwrap_or(&-TRUE))
                .collect();
            bits = self.choose(*by, &moved, &bits);
        }
        bits[0] = self.or(bits[0], lost);
        bits
    }
}
