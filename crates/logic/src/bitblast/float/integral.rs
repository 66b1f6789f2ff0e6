//! Rounding to integers: in the same format, and to integer types.

use super::super::gates::constant;
use super::super::{BitBlaster, TRUE};
use super::round::{Exact, Reach};
use cwolf_float::Format;

impl BitBlaster {
    pub(super) fn float_integral(&mut self, f: Format, mode: &[i32], a: &[i32]) -> Vec<i32> {
        let mode = self.rounding(mode);
        let x = self.unpack(f, a);
        let precision = usize::from(f.precision());
        let width = x.exponent.len() + 1;
        // How many digits are behind the point.
        let whole = f.bias() as u128 + precision as u128 - 1;
        let exponent = BitBlaster::widened(&x.exponent, width);
        let behind = self.minus(&constant(width, whole), &exponent);
        let integral = *behind.last().expect("a sign");
        let mut digits = vec![-TRUE; 2];
        digits.extend_from_slice(&x.significand);
        let digits = self.sticky_shift(&digits, &behind[..width - 1]);
        let up = self.goes_up(&mode, x.negative, digits[2], digits[1], digits[0]);
        let mut kept = digits[2..].to_vec();
        kept.push(-TRUE);
        let zero = vec![-TRUE; kept.len()];
        let significand = self.plus(&kept, &zero, up);
        let exact = Exact {
            negative: x.negative,
            exponent: constant(width + 1, whole + 1),
            significand,
            reach: Reach::Normal,
        };
        let bits = self.rounded(f, &mode, exact);
        let same = self.or(integral, x.infinite);
        let bits = self.choose(same, a, &bits);
        let propagated = self.propagated(f, &[(a, x.nan)]);
        self.choose(x.nan, &propagated, &bits)
    }

    /// Whether there is an integer of so many bits next to a number, and its bits.
    pub(super) fn float_to_integer(
        &mut self,
        f: Format,
        mode: &[i32],
        a: &[i32],
        width: u16,
        signed: bool,
    ) -> (i32, Vec<i32>) {
        let mode = self.rounding(mode);
        let x = self.unpack(f, a);
        let precision = usize::from(f.precision());
        let width = usize::from(width);
        // Moved up from where its highest digit is the second one behind the point; what is less than
        // that is only "something".
        let bits = (x.exponent.len() + 2).max(9);
        let exponent = BitBlaster::widened(&x.exponent, bits);
        let low = constant(bits, (f.bias() - 2) as u128);
        let amount = self.minus(&exponent, &low);
        let tiny = *amount.last().expect("a sign");
        // Past this many, the number is too large whatever its digits are.
        let most = width + 2;
        let limit = BitBlaster::signed_constant(bits, most as i64);
        let large = self.less(&limit, &amount);
        let large = self.and(large, -tiny);
        let stages = (usize::BITS - most.leading_zeros()) as usize;
        let length = precision + most;
        let mut moved = BitBlaster::widened(&x.significand, length);
        for (stage, by) in amount.iter().enumerate().take(stages.min(bits - 1)) {
            let step = 1usize << stage;
            let up: Vec<i32> = (0..length)
                .map(|at| if at >= step { moved[at - step] } else { -TRUE })
                .collect();
            moved = self.choose(*by, &up, &moved);
        }
        // Two digits behind the point: the highest digit was at `precision - 1` for 2^-2.
        let point = precision + 1;
        let some = self.any(&x.significand);
        let guard = self.and(-tiny, moved[point - 1]);
        let rest = self.any(&moved[..point - 1]);
        let sticky = self.mux(tiny, some, rest);
        let mut whole: Vec<i32> = moved[point..]
            .iter()
            .map(|bit| self.and(-tiny, *bit))
            .collect();
        // One digit more than a number that is too large can have: rounding up carries into it.
        whole.resize(width + 2, -TRUE);
        let up = self.goes_up(&mode, x.negative, whole[0], guard, sticky);
        let zero = vec![-TRUE; width + 2];
        let whole = self.plus(&whole, &zero, up);
        let (magnitude, over) = (&whole[..width], self.any(&whole[width..]));
        let nothing = -self.any(&whole.clone());
        let negated = self.negate(magnitude);
        let result = self.choose(x.negative, &negated, magnitude);
        let in_range = match signed {
            // Above zero the sign bit is free; below, only the least number has it.
            true => {
                let sign = magnitude[width - 1];
                let more = self.any(&magnitude[..width - 1]);
                let least = self.and(x.negative, -more);
                let small = self.or(-sign, least);
                self.and(-over, small)
            }
            false => {
                let positive = self.or(-x.negative, nothing);
                self.and(-over, positive)
            }
        };
        let number = self.all(&[-x.nan, -x.infinite, -large]);
        (self.and(number, in_range), result)
    }
}
