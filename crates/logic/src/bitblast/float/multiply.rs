//! Products, and products with a summand.

use super::super::gates::constant;
use super::super::{BitBlaster, TRUE};
use super::round::{Exact, Reach};
use super::sum::Summand;
use super::unpack::Number;
use cwolf_float::Format;

impl BitBlaster {
    pub(super) fn float_product(
        &mut self,
        f: Format,
        mode: &[i32],
        a: &[i32],
        b: &[i32],
    ) -> Vec<i32> {
        let mode = self.rounding(mode);
        let (x, y) = (self.unpack(f, a), self.unpack(f, b));
        let negative = self.xor(x.negative, y.negative);
        let significand = self.digits_product(&x.significand, &y.significand);
        let exponent = self.product_exponent(f, &x.exponent, &y.exponent);
        let exact = Exact {
            negative,
            exponent,
            significand,
            reach: Reach::Below,
        };
        let bits = self.rounded(f, &mode, exact);
        let (infinite, invalid) = self.product_specials(&x, &y);
        let bits = self.choose(infinite, &BitBlaster::infinity(f, negative), &bits);
        let bits = self.choose(invalid, &BitBlaster::default_nan(f), &bits);
        let nan = self.or(x.nan, y.nan);
        let propagated = self.propagated(f, &[(a, x.nan), (b, y.nan)]);
        self.choose(nan, &propagated, &bits)
    }

    /// Whether a product of numbers is infinite, and whether it has no meaning.
    fn product_specials(&mut self, x: &Number, y: &Number) -> (i32, i32) {
        let infinite = self.or(x.infinite, y.infinite);
        let (x_zero, y_zero) = (self.is_zero(x), self.is_zero(y));
        let zero = self.or(x_zero, y_zero);
        (infinite, self.and(infinite, zero))
    }

    /// The product of two significands, twice as long. The same whichever comes first.
    fn digits_product(&mut self, a: &[i32], b: &[i32]) -> Vec<i32> {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let width = a.len() + b.len();
        self.times(
            &BitBlaster::widened(a, width),
            &BitBlaster::widened(b, width),
        )
    }

    /// The exponent of a product of significands, if its highest bit is set.
    fn product_exponent(&mut self, f: Format, a: &[i32], b: &[i32]) -> Vec<i32> {
        let width = a.len().max(b.len()) + 2;
        let extend = |bits: &[i32]| {
            let mut wide = bits.to_vec();
            // Encoded exponents are not negative; those of normalised numbers have their sign.
            let fill = match bits.len() > usize::from(f.exponent_bits()) {
                true => *bits.last().expect("a sign"),
                false => -TRUE,
            };
            wide.resize(width, fill);
            wide
        };
        let sum = self.plus(&extend(a), &extend(b), TRUE);
        let bias = constant(width, f.bias() as u128);
        self.minus(&sum, &bias)
    }

    /// `a * b + c`, rounded once.
    pub(super) fn float_fma(&mut self, f: Format, mode: &[i32], args: [&[i32]; 3]) -> Vec<i32> {
        let mode = self.rounding(mode);
        let [a, b, c] = args;
        let (x, y, z) = (self.unpack(f, a), self.unpack(f, b), self.unpack(f, c));
        let negative = self.xor(x.negative, y.negative);
        // With the highest bit of both set, that of the product or the next one is.
        let (x_exponent, x_digits) = self.normal_parts(&x);
        let (y_exponent, y_digits) = self.normal_parts(&y);
        let product = self.digits_product(&x_digits, &y_digits);
        let exponent = self.product_exponent(f, &x_exponent, &y_exponent);
        let width = exponent.len() + 1;
        let mut exponent = exponent;
        let sign = *exponent.last().expect("a sign");
        exponent.resize(width, sign);
        let length = product.len();
        let full = product[length - 1];
        let mut moved = vec![-TRUE];
        moved.extend_from_slice(&product[..length - 1]);
        let less = self.minus(&exponent, &constant(width, 1));
        let digits = self.choose(full, &product, &moved);
        let exponent = self.choose(full, &exponent, &less);
        // Nothing must not push digits of the summand out.
        let (x_zero, y_zero) = (self.is_zero(&x), self.is_zero(&y));
        let nothing = self.or(x_zero, y_zero);
        let least = BitBlaster::signed_constant(width, -(1 << (width - 2)));
        let exponent = self.choose(nothing, &least, &exponent);
        let (z_exponent, z_digits) = self.normal_parts(&z);
        let mut z_wide = z_exponent;
        z_wide.resize(width, *z_wide.last().expect("a sign"));
        let z_zero = self.is_zero(&z);
        let z_exponent = self.choose(z_zero, &least, &z_wide);
        let mut summand = vec![-TRUE; length - z_digits.len()];
        summand.extend_from_slice(&z_digits);
        let product = Summand {
            negative,
            exponent,
            significand: digits.iter().map(|bit| self.and(-nothing, *bit)).collect(),
        };
        let summand = Summand {
            negative: z.negative,
            exponent: z_exponent,
            significand: summand,
        };
        let sum = self.exact_sum(&mode, product, summand, Reach::Below);
        let bits = self.rounded(f, &mode, sum);
        let (infinite, invalid) = self.product_specials(&x, &y);
        let bits = self.choose(z.infinite, &BitBlaster::infinity(f, z.negative), &bits);
        let bits = self.choose(infinite, &BitBlaster::infinity(f, negative), &bits);
        let differ = self.xor(negative, z.negative);
        let clash = self.all(&[infinite, z.infinite, differ]);
        let invalid = self.or(invalid, clash);
        let bits = self.choose(invalid, &BitBlaster::default_nan(f), &bits);
        let nan = -self.all(&[-x.nan, -y.nan, -z.nan]);
        let propagated = self.propagated(f, &[(a, x.nan), (b, y.nan), (c, z.nan)]);
        self.choose(nan, &propagated, &bits)
    }
}
