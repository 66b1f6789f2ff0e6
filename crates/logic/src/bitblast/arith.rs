//! Adders, multipliers, dividers, shifters.

use super::gates::{as_number, constant};
use super::{BitBlaster, TRUE};

impl BitBlaster {
    /// `a + b + carry`
    pub(super) fn plus(&mut self, a: &[i32], b: &[i32], carry: i32) -> Vec<i32> {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (n, (x, y)) in a.iter().zip(b).enumerate() {
            let half = self.xor(*x, *y);
            sum.push(self.xor(half, carry));
            if n + 1 < a.len() {
                carry = self.majority(*x, *y, carry);
            }
        }
        sum
    }

    pub(super) fn negate(&mut self, a: &[i32]) -> Vec<i32> {
        let flipped: Vec<i32> = a.iter().map(|l| -l).collect();
        self.plus(&flipped, &constant(a.len(), 0), TRUE)
    }

    pub(super) fn minus(&mut self, a: &[i32], b: &[i32]) -> Vec<i32> {
        let flipped: Vec<i32> = b.iter().map(|l| -l).collect();
        self.plus(a, &flipped, TRUE)
    }

    pub(super) fn times(&mut self, a: &[i32], b: &[i32]) -> Vec<i32> {
        if let Some(k) = as_number(a) {
            return self.times_number(b, k);
        }
        if let Some(k) = as_number(b) {
            return self.times_number(a, k);
        }
        // The operand with more constant bits selects the rows.
        let constants = |bits: &[i32]| bits.iter().filter(|l| l.abs() == TRUE).count();
        let (a, b) = if constants(a) > constants(b) {
            (b, a)
        } else {
            (a, b)
        };
        let width = a.len();
        let mut sum = constant(width, 0);
        for (n, y) in b.iter().enumerate() {
            if *y == -TRUE {
                continue;
            }
            let row: Vec<i32> = a[..width - n].iter().map(|x| self.and(*x, *y)).collect();
            let high = self.plus(&sum[n..], &row, -TRUE);
            sum.truncate(n);
            sum.extend(high);
        }
        sum
    }

    /// Signed digits of the factor that are not zero: few, since runs of ones become two.
    fn times_number(&mut self, a: &[i32], factor: u128) -> Vec<i32> {
        let width = a.len();
        let mut sum = constant(width, 0);
        let mut rest = factor;
        let mut at = 0;
        while rest != 0 && at < width {
            if rest & 1 == 1 {
                let subtract = rest & 3 == 3 && at + 1 < width;
                let row = &a[..width - at];
                let high = sum[at..].to_vec();
                let high = match subtract {
                    true => self.minus(&high, row),
                    false => self.plus(&high, row, -TRUE),
                };
                sum.truncate(at);
                sum.extend(high);
                rest = if subtract {
                    (rest >> 1).wrapping_add(1)
                } else {
                    rest >> 1
                };
            } else {
                rest >>= 1;
            }
            at += 1;
        }
        sum
    }

    /// Quotient and remainder; by zero all ones and the dividend.
    pub(super) fn unsigned_divide(&mut self, a: &[i32], b: &[i32]) -> (Vec<i32>, Vec<i32>) {
        let width = a.len();
        match as_number(b) {
            Some(0) => return (constant(width, u128::MAX), a.to_vec()),
            Some(k) if !self.only_gates => return self.divide_by_number(a, k),
            _ => {}
        }
        // Long division, highest bit first; the remainder needs one bit more than the divisor.
        let mut wide = b.to_vec();
        wide.push(-TRUE);
        let mut remainder = constant(width + 1, 0);
        let mut quotient = vec![-TRUE; width];
        for n in (0..width).rev() {
            remainder.pop();
            remainder.insert(0, a[n]);
            let fits = -self.less(&remainder, &wide);
            let less = self.minus(&remainder, &wide);
            remainder = self.choose(fits, &less, &remainder);
            quotient[n] = fits;
        }
        remainder.truncate(width);
        (quotient, remainder)
    }

    /// A quotient and remainder that multiply back: cheaper than a divider.
    fn divide_by_number(&mut self, a: &[i32], k: u128) -> (Vec<i32>, Vec<i32>) {
        let width = a.len();
        let most = u128::MAX >> (128 - width);
        let quotient: Vec<i32> = (0..width).map(|_| self.sat.fresh()).collect();
        let remainder: Vec<i32> = (0..width).map(|_| self.sat.fresh()).collect();
        // quotient <= most / k and remainder < k, so that the product does not overflow; the
        // sum must not either.
        let largest = constant(width, most / k);
        let over = self.less(&largest, &quotient);
        self.sat.clause(&[-over]);
        let small = self.less(&remainder, &constant(width, k));
        self.sat.clause(&[small]);
        let product = self.times_number(&quotient, k);
        let sum = self.plus(&product, &remainder, -TRUE);
        let wrapped = self.less(&sum, &product);
        self.sat.clause(&[-wrapped]);
        for (x, y) in sum.iter().zip(a) {
            self.sat.clause(&[-x, *y]);
            self.sat.clause(&[*x, -y]);
        }
        (quotient, remainder)
    }

    pub(super) fn signed_divide(&mut self, a: &[i32], b: &[i32]) -> (Vec<i32>, Vec<i32>) {
        let (sa, sb) = (*a.last().expect("a bit"), *b.last().expect("a bit"));
        let minus_a = self.negate(a);
        let minus_b = self.negate(b);
        let size_a = self.choose(sa, &minus_a, a);
        let size_b = self.choose(sb, &minus_b, b);
        let (quotient, remainder) = self.unsigned_divide(&size_a, &size_b);
        let differ = self.xor(sa, sb);
        let minus_quotient = self.negate(&quotient);
        let minus_remainder = self.negate(&remainder);
        (
            self.choose(differ, &minus_quotient, &quotient),
            self.choose(sa, &minus_remainder, &remainder),
        )
    }

    /// `a` shifted by `b`, right or left, filling with `fill`.
    pub(super) fn shift(&mut self, a: &[i32], b: &[i32], right: bool, fill: i32) -> Vec<i32> {
        let width = a.len();
        // Amounts of `stages` bits or less move bits by powers of two; larger ones move all out.
        let stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
        let mut bits = a.to_vec();
        for (n, by) in b.iter().enumerate().take(stages) {
            let step = 1usize << n;
            let moved: Vec<i32> = (0..width)
                .map(|at| match right {
                    true => *bits.get(at + step).unwrap_or(&fill),
                    false if at >= step => bits[at - step],
                    false => fill,
                })
                .collect();
            bits = self.choose(*by, &moved, &bits);
        }
        let mut large: Vec<i32> = b.iter().skip(stages).map(|l| -l).collect();
        // With a width that is no power of two, the low bits alone may be too large as well.
        if !width.is_power_of_two() {
            let low = &b[..stages.min(b.len())];
            let limit = constant(low.len(), width as u128);
            large.push(self.less(low, &limit));
        }
        let fits = self.all(&large);
        let gone = vec![fill; width];
        self.choose(fits, &bits, &gone)
    }
}
