//! Quotients and square roots, digit by digit.

use super::super::gates::constant;
use super::super::{BitBlaster, TRUE};
use super::round::{Exact, Reach};
use cwolf_float::Format;

impl BitBlaster {
    pub(super) fn float_quotient(
        &mut self,
        f: Format,
        mode: &[i32],
        a: &[i32],
        b: &[i32],
    ) -> Vec<i32> {
        let mode = self.rounding(mode);
        let (x, y) = (self.unpack(f, a), self.unpack(f, b));
        let negative = self.xor(x.negative, y.negative);
        let (x_exponent, x_digits) = self.normal_parts(&x);
        let (y_exponent, y_digits) = self.normal_parts(&y);
        // Both are from one to two, so that the quotient is from a half to two: its first digit is
        // that of ones.
        let precision = usize::from(f.precision());
        let divisor = BitBlaster::widened(&y_digits, precision + 1);
        let mut rest = BitBlaster::widened(&x_digits, precision + 1);
        let mut digits = Vec::with_capacity(precision + 3);
        for _ in 0..precision + 2 {
            let fits = -self.less(&rest, &divisor);
            let less = self.minus(&rest, &divisor);
            rest = self.choose(fits, &less, &rest);
            // Less than the divisor: the highest bit is free.
            rest.pop();
            rest.insert(0, -TRUE);
            digits.push(fits);
        }
        digits.push(self.any(&rest));
        digits.reverse();
        let width = x_exponent.len() + 1;
        let extend = |bits: &[i32]| {
            let mut wide = bits.to_vec();
            wide.resize(width, *bits.last().expect("a sign"));
            wide
        };
        let difference = self.minus(&extend(&x_exponent), &extend(&y_exponent));
        let exponent = self.plus(&difference, &constant(width, f.bias() as u128), -TRUE);
        let exact = Exact {
            negative,
            exponent,
            significand: digits,
            reach: Reach::Below,
        };
        let bits = self.rounded(f, &mode, exact);
        let (x_zero, y_zero) = (self.is_zero(&x), self.is_zero(&y));
        let mut nothing = vec![-TRUE; bits.len() - 1];
        nothing.push(negative);
        let zero = self.or(x_zero, y.infinite);
        let bits = self.choose(zero, &nothing, &bits);
        let infinite = self.or(x.infinite, y_zero);
        let bits = self.choose(infinite, &BitBlaster::infinity(f, negative), &bits);
        let invalid = self.and(zero, infinite);
        let bits = self.choose(invalid, &BitBlaster::default_nan(f), &bits);
        let nan = self.or(x.nan, y.nan);
        let propagated = self.propagated(f, &[(a, x.nan), (b, y.nan)]);
        self.choose(nan, &propagated, &bits)
    }

    pub(super) fn float_root(&mut self, f: Format, mode: &[i32], a: &[i32]) -> Vec<i32> {
        let mode = self.rounding(mode);
        let x = self.unpack(f, a);
        let (exponent, digits) = self.normal_parts(&x);
        // With an even exponent, the root has half of it. The bias is odd.
        let odd = -exponent[0];
        let precision = usize::from(f.precision());
        let mut radicand = BitBlaster::widened(&digits, precision + 1);
        let mut doubled = vec![-TRUE];
        doubled.extend_from_slice(&digits);
        radicand = self.choose(odd, &doubled, &radicand);
        // Two digits of the radicand make one of the root.
        let length = precision + 2;
        let mut source = radicand;
        let (mut root, mut rest): (Vec<i32>, Vec<i32>) = (Vec::new(), Vec::new());
        for _ in 0..length {
            let high = source.pop().unwrap_or(-TRUE);
            let low = source.pop().unwrap_or(-TRUE);
            let mut next = vec![low, high];
            next.extend_from_slice(&rest);
            let mut trial = vec![TRUE, -TRUE];
            trial.extend_from_slice(&root);
            let width = next.len().max(trial.len());
            let next = BitBlaster::widened(&next, width);
            let trial = BitBlaster::widened(&trial, width);
            let fits = -self.less(&next, &trial);
            let less = self.minus(&next, &trial);
            rest = self.choose(fits, &less, &next);
            root.insert(0, fits);
            // What is left is at most twice the root.
            rest.truncate(root.len() + 1);
        }
        let sticky = self.any(&rest);
        root.insert(0, sticky);
        let width = exponent.len() + 1;
        let mut wide = exponent;
        wide.resize(width, *wide.last().expect("a sign"));
        // (e - bias - odd) / 2 + bias
        let bias = constant(width, f.bias() as u128);
        let unbiased = self.minus(&wide, &bias);
        let mut half = unbiased[1..].to_vec();
        half.push(*half.last().expect("a sign"));
        let exponent = self.plus(&half, &bias, -TRUE);
        let exact = Exact {
            negative: -TRUE,
            exponent,
            significand: root,
            reach: Reach::Normal,
        };
        let bits = self.rounded(f, &mode, exact);
        let zero = self.is_zero(&x);
        let same = self.or(zero, x.infinite);
        let bits = self.choose(same, a, &bits);
        let invalid = self.and(x.negative, -zero);
        let bits = self.choose(invalid, &BitBlaster::default_nan(f), &bits);
        let propagated = self.propagated(f, &[(a, x.nan)]);
        self.choose(x.nan, &propagated, &bits)
    }
}
