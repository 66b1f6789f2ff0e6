//! Remainders: long division over the whole range of exponents. Large, and only for formats up to
//! doubles: who makes terms asks `cwolf_float` for the others.

use super::super::gates::constant;
use super::super::{BitBlaster, TRUE};
use super::round::{Exact, Reach};
use cwolf_float::{Format, Mode};

impl BitBlaster {
    /// C's `fmod`, or the remainder of IEEE 754 if `nearest`.
    pub(super) fn float_remainder(
        &mut self,
        f: Format,
        a: &[i32],
        b: &[i32],
        nearest: bool,
    ) -> Vec<i32> {
        let (x, y) = (self.unpack(f, a), self.unpack(f, b));
        let precision = usize::from(f.precision());
        let (x_exponent, x_digits) = self.normal_parts(&x);
        let (y_exponent, y_digits) = self.normal_parts(&y);
        let width = x_exponent.len() + 1;
        let extend = |bits: &[i32]| {
            let mut wide = bits.to_vec();
            wide.resize(width, *bits.last().expect("a sign"));
            wide
        };
        let (p, q) = (extend(&x_exponent), extend(&y_exponent));
        let steps = self.minus(&p, &q);
        let below = *steps.last().expect("a sign");
        let divisor = BitBlaster::widened(&y_digits, precision + 1);
        let mut rest = BitBlaster::widened(&x_digits, precision + 1);
        let most = (1usize << f.exponent_bits()) - 3 + precision;
        let mut odd = -TRUE;
        for step in (0..=most).rev() {
            // The dividend has a digit here if the exponents differ by so much.
            let count = constant(width - 1, step as u128);
            let later = self.less(&steps[..width - 1], &count);
            let active = self.and(-later, -below);
            let fits = -self.less(&rest, &divisor);
            let less = self.minus(&rest, &divisor);
            let mut next = self.choose(fits, &less, &rest);
            odd = self.mux(active, fits, odd);
            if step > 0 {
                next.pop();
                next.insert(0, -TRUE);
            }
            rest = self.choose(active, &next, &rest);
        }
        let mut significand = rest;
        let mut negative = x.negative;
        // In halves of the divisor's last digit.
        significand.insert(0, -TRUE);
        let mut same = below;
        if nearest {
            // One less than the divisor's exponent: the dividend may still be more than half of it.
            let minus_one = constant(width, u128::MAX);
            let next = self.equal(&steps, &minus_one);
            let halves: Vec<i32> = BitBlaster::widened(&x_digits, precision + 2);
            significand = self.choose(next, &halves, &significand);
            same = self.and(below, -next);
            odd = self.and(odd, -below);
            let mut twice = vec![-TRUE];
            twice.extend_from_slice(&divisor);
            let other = self.minus(&twice, &significand);
            let more = self.less(&other, &significand);
            let tie = self.equal(&other, &significand);
            let tie = self.and(tie, odd);
            let over = self.or(more, tie);
            significand = self.choose(over, &other, &significand);
            negative = self.xor(negative, over);
            let some = self.any(&significand);
            negative = self.mux(some, negative, x.negative);
        }
        // The lowest bit is half a digit of the divisor: the highest would be twice its leading one.
        let exponent = self.plus(&q, &constant(width, 1), -TRUE);
        let exact = Exact {
            negative,
            exponent,
            significand,
            reach: Reach::Below,
        };
        let mode = self.rounding(&constant(Mode::BITS.into(), Mode::NearestEven as u128));
        let bits = self.rounded(f, &mode, exact);
        let (x_zero, y_zero) = (self.is_zero(&x), self.is_zero(&y));
        let same = -self.all(&[-same, -x_zero, -y.infinite]);
        let bits = self.choose(same, a, &bits);
        let invalid = self.or(x.infinite, y_zero);
        let bits = self.choose(invalid, &BitBlaster::default_nan(f), &bits);
        let nan = self.or(x.nan, y.nan);
        let propagated = self.propagated(f, &[(a, x.nan), (b, y.nan)]);
        self.choose(nan, &propagated, &bits)
    }
}
