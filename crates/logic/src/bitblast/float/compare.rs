//! Comparisons.

use super::super::{BitBlaster, TRUE};
use super::unpack::Number;
use cwolf_float::Format;

impl BitBlaster {
    /// Exponent and significand as one number that orders numbers without their signs.
    fn magnitude(x: &Number) -> Vec<i32> {
        let mut bits = x.significand.clone();
        bits.extend(&x.exponent);
        bits
    }

    pub(super) fn float_equal(&mut self, f: Format, a: &[i32], b: &[i32]) -> i32 {
        let (x, y) = (self.unpack(f, a), self.unpack(f, b));
        let same = self.equal(&BitBlaster::magnitude(&x), &BitBlaster::magnitude(&y));
        let signs = -self.xor(x.negative, y.negative);
        let zero = self.is_zero(&x);
        let either = self.or(signs, zero);
        self.all(&[-x.nan, -y.nan, same, either])
    }

    /// Whether `a < b`, or `a <= b` if `equal` counts.
    pub(super) fn float_less(&mut self, f: Format, a: &[i32], b: &[i32], equal: bool) -> i32 {
        let (x, y) = (self.unpack(f, a), self.unpack(f, b));
        // Read with its sign as two's complement of its magnitude, a number is a signed integer:
        // `x < y` where both are positive, `y < x` on magnitudes where both are negative.
        let (p, q) = (BitBlaster::magnitude(&x), BitBlaster::magnitude(&y));
        let below = self.less(&p, &q);
        let above = self.less(&q, &p);
        let (x_zero, y_zero) = (self.is_zero(&x), self.is_zero(&y));
        let zeros = self.and(x_zero, y_zero);
        let same_sign = self.mux(x.negative, above, below);
        let signs = self.xor(x.negative, y.negative);
        let less = self.mux(signs, x.negative, same_sign);
        let less = self.and(less, -zeros);
        let holds = match equal {
            true => {
                let same = self.all(&[-signs, -below, -above]);
                let same = self.or(same, zeros);
                self.or(less, same)
            }
            false => less,
        };
        self.all(&[-x.nan, -y.nan, holds, TRUE])
    }
}
