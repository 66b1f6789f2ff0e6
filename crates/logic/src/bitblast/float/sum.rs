//! Sums and differences.

use super::super::{BitBlaster, TRUE};
use super::round::{Exact, Reach};
use super::unpack::Rounding;
use cwolf_float::Format;

/// Bits below the digits: enough to round a difference right.
const EXTRA: usize = 3;

/// A summand: its sign, its exponent as a signed number, its significand.
pub(super) struct Summand {
    pub(super) negative: i32,
    pub(super) exponent: Vec<i32>,
    pub(super) significand: Vec<i32>,
}

impl BitBlaster {
    pub(super) fn float_sum(
        &mut self,
        f: Format,
        mode: &[i32],
        a: &[i32],
        b: &[i32],
        subtract: bool,
    ) -> Vec<i32> {
        let mode = self.rounding(mode);
        let (x, y) = (self.unpack(f, a), self.unpack(f, b));
        let other = if subtract { -y.negative } else { y.negative };
        let width = x.exponent.len() + 1;
        let summand = |n: &super::unpack::Number, negative| Summand {
            negative,
            exponent: BitBlaster::widened(&n.exponent, width),
            significand: n.significand.clone(),
        };
        let sum = self.exact_sum(
            &mode,
            summand(&x, x.negative),
            summand(&y, other),
            Reach::Subnormal,
        );
        // With exponents that are not less than the least, a sum that is subnormal is exact, and
        // the digits have room to move up to there only.
        let bits = self.rounded(f, &mode, sum);
        let differ = self.xor(x.negative, other);
        let infinite = self.or(x.infinite, y.infinite);
        let sign = self.mux(x.infinite, x.negative, other);
        let bits = self.choose(infinite, &BitBlaster::infinity(f, sign), &bits);
        let invalid = self.all(&[x.infinite, y.infinite, differ]);
        let bits = self.choose(invalid, &BitBlaster::default_nan(f), &bits);
        let nan = self.or(x.nan, y.nan);
        let propagated = self.propagated(f, &[(a, x.nan), (b, y.nan)]);
        self.choose(nan, &propagated, &bits)
    }

    /// The sum of two numbers with significands of one length and signed exponents of one length. Both
    /// must be normalised, except where their exponents are equal or that of zero is the least.
    pub(super) fn exact_sum(
        &mut self,
        mode: &Rounding,
        x: Summand,
        y: Summand,
        reach: Reach,
    ) -> Exact {
        let order = |this: &mut BitBlaster, s: &Summand, t: &Summand| {
            let key = |s: &Summand| {
                let mut key = s.significand.clone();
                key.extend(&s.exponent);
                let sign = key.last_mut().expect("a sign");
                *sign = -*sign;
                key
            };
            this.less(&key(s), &key(t))
        };
        let swap = order(self, &x, &y);
        let negative = self.mux(swap, y.negative, x.negative);
        let exponent = self.choose(swap, &y.exponent, &x.exponent);
        let small_exponent = self.choose(swap, &x.exponent, &y.exponent);
        let large = self.choose(swap, &y.significand, &x.significand);
        let small = self.choose(swap, &x.significand, &y.significand);
        let distance = {
            // The larger number has the larger exponent, unless its significand is zero: then both are.
            let (mut p, mut q) = (exponent.clone(), small_exponent);
            for bits in [&mut p, &mut q] {
                let sign = *bits.last().expect("a sign");
                bits.push(sign);
            }
            let mut distance = self.minus(&p, &q);
            distance.pop();
            distance
        };
        let wide = |bits: &[i32]| {
            let mut wide = vec![-TRUE; EXTRA];
            wide.extend_from_slice(bits);
            wide.push(-TRUE);
            wide
        };
        let large = wide(&large);
        let small = self.sticky_shift(&wide(&small), &distance);
        let differ = self.xor(x.negative, y.negative);
        let flipped: Vec<i32> = small.iter().map(|bit| self.xor(*bit, differ)).collect();
        let significand = self.plus(&large, &flipped, differ);
        // A difference of nothing has the sign that the mode says.
        let some = self.any(&significand);
        let nothing = self.and(differ, -some);
        let negative = self.mux(nothing, mode.down, negative);
        // The highest bit is that of the carry.
        let mut exponent = exponent;
        let sign = *exponent.last().expect("a sign");
        exponent.push(sign);
        let zero = vec![-TRUE; exponent.len()];
        let exponent = self.plus(&exponent, &zero, TRUE);
        Exact {
            negative,
            exponent,
            significand,
            reach,
        }
    }
}
