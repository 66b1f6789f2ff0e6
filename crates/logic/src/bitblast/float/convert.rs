//! Between formats, and from integers.

use super::super::gates::constant;
use super::super::{BitBlaster, TRUE};
use super::round::{Exact, Reach};
use cwolf_float::{Format, nan};

impl BitBlaster {
    pub(super) fn float_convert(
        &mut self,
        from: Format,
        to: Format,
        mode: &[i32],
        a: &[i32],
    ) -> Vec<i32> {
        if from == to {
            return a.to_vec();
        }
        let mode = self.rounding(mode);
        let x = self.unpack(from, a);
        let width = usize::from(from.exponent_bits().max(to.exponent_bits())) + 2;
        let exponent = BitBlaster::widened(&x.exponent, width);
        let other = i64::from(to.bias() - from.bias());
        let exponent = self.plus(&exponent, &BitBlaster::signed_constant(width, other), -TRUE);
        // Where exponents reach far lower, no number is subnormal.
        let reach = match other >= i64::from(from.precision()) {
            true => Reach::Normal,
            false => Reach::Below,
        };
        let exact = Exact {
            negative: x.negative,
            exponent,
            significand: x.significand.clone(),
            reach,
        };
        let bits = self.rounded(to, &mode, exact);
        let bits = self.choose(x.infinite, &BitBlaster::infinity(to, x.negative), &bits);
        let digits = usize::from(from.precision()) - 1;
        let wanted = usize::from(to.precision()) - 1;
        let mut payload = a[..digits].to_vec();
        match digits > wanted {
            true => drop(payload.drain(..digits - wanted)),
            false => drop(payload.splice(..0, vec![-TRUE; wanted - digits])),
        }
        let quiet = constant(to.bits().into(), nan::quiet(to, 0));
        let mut quieted: Vec<i32> = quiet;
        for (bit, digit) in quieted.iter_mut().zip(&payload) {
            if *bit != TRUE {
                *bit = *digit;
            }
        }
        *quieted.last_mut().expect("a sign") = x.negative;
        self.choose(x.nan, &quieted, &bits)
    }

    pub(super) fn float_from_integer(
        &mut self,
        f: Format,
        mode: &[i32],
        a: &[i32],
        signed: bool,
    ) -> Vec<i32> {
        let mode = self.rounding(mode);
        let negative = match signed {
            true => *a.last().expect("a bit"),
            false => -TRUE,
        };
        let minus = self.negate(a);
        let significand = self.choose(negative, &minus, a);
        let top = a.len() as i64 - 1;
        let width = usize::from(f.exponent_bits().max(8)) + 3;
        let exact = Exact {
            negative,
            exponent: BitBlaster::signed_constant(width, i64::from(f.bias()) + top),
            significand,
            reach: Reach::Normal,
        };
        self.rounded(f, &mode, exact)
    }
}
