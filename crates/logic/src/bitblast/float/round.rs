//! Rounding and packing: every operation ends here.

use super::super::gates::constant;
use super::super::{BitBlaster, TRUE};
use super::unpack::Rounding;
use cwolf_float::Format;

/// A result with all its digits, before it is rounded.
pub(super) struct Exact {
    pub(super) negative: i32,
    /// The exponent as it would be encoded if the highest bit of the significand were set: a
    /// signed number.
    pub(super) exponent: Vec<i32>,
    /// As many bits as there are; the lowest may stand for all that are less.
    pub(super) significand: Vec<i32>,
    pub(super) reach: Reach,
}

/// How small an exact result may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Zero or normal: the significand may be moved up until its highest bit is set.
    Normal,
    /// Its exponent is not less than the least one, but the highest bits may be zero.
    Subnormal,
    /// Its exponent may be less than the least one.
    Below,
}

impl BitBlaster {
    /// The encoding of the number next to `x`.
    pub(super) fn rounded(&mut self, f: Format, mode: &Rounding, x: Exact) -> Vec<i32> {
        let precision = usize::from(f.precision());
        let mut significand = x.significand;
        while significand.len() < precision + 2 {
            significand.insert(0, -TRUE);
        }
        // One bit more than the exponent, so that nothing wraps.
        let mut exponent = x.exponent;
        let width = exponent.len().max(usize::from(f.exponent_bits()) + 2) + 1;
        let sign = *exponent.last().expect("a sign");
        exponent.resize(width, sign);
        let (exponent, significand) = match x.reach {
            Reach::Below => self.limited(&exponent, &significand, true),
            Reach::Subnormal => self.limited(&exponent, &significand, false),
            Reach::Normal => {
                let (significand, amount) = self.normalised(&significand);
                let amount = BitBlaster::widened(&amount, width);
                (self.minus(&exponent, &amount), significand)
            }
        };
        let top = significand.len() - precision;
        let (kept, rest) = (&significand[top..], &significand[..top]);
        let guard = rest[top - 1];
        let sticky = self.any(&rest[..top - 1]);
        let up = self.goes_up(mode, x.negative, kept[0], guard, sticky);
        // A carry out of the digits goes into the exponent, which is what it should do.
        let leading = kept[precision - 1];
        let mut packed = kept[..precision - 1].to_vec();
        packed.extend(
            exponent
                .iter()
                .map(|bit| self.and(leading, *bit))
                .collect::<Vec<_>>(),
        );
        let zero = constant(packed.len(), 0);
        let packed = self.plus(&packed, &zero, up);
        let (fraction, field) = packed.split_at(precision - 1);
        let most = BitBlaster::signed_constant(field.len(), f.exponent_mask() as i64 - 1);
        // The field is not negative where the leading bit is set.
        let over = self.less(&most, field);
        let field = &field[..usize::from(f.exponent_bits())];
        let mut bits = fraction.to_vec();
        if f.has_integer_bit() {
            bits.push(self.any(field));
        }
        bits.extend_from_slice(field);
        bits.push(x.negative);
        let away = {
            let towards = self.mux(x.negative, mode.down, mode.up);
            let nearest = self.or(mode.nearest_even, mode.nearest_away);
            self.or(nearest, towards)
        };
        let infinity = BitBlaster::infinity(f, x.negative);
        let mut largest = constant(f.bits().into(), f.largest());
        *largest.last_mut().expect("a sign") = x.negative;
        let outside = self.choose(away, &infinity, &largest);
        self.choose(over, &outside, &bits)
    }

    /// Whether digits are rounded away from zero, by the last one that is kept and what is dropped.
    pub(super) fn goes_up(
        &mut self,
        mode: &Rounding,
        negative: i32,
        last: i32,
        guard: i32,
        sticky: i32,
    ) -> i32 {
        let odd = self.or(sticky, last);
        let even = self.and(guard, odd);
        let even = self.and(mode.nearest_even, even);
        let away = self.and(mode.nearest_away, guard);
        let towards = self.mux(negative, mode.down, mode.up);
        let inexact = self.or(guard, sticky);
        let towards = self.and(towards, inexact);
        let nearest = self.or(even, away);
        self.or(nearest, towards)
    }

    /// The significand moved up as far as its zeros and the least exponent allow, or, if its exponent
    /// may be below that, down to it.
    fn limited(
        &mut self,
        exponent: &[i32],
        significand: &[i32],
        below: bool,
    ) -> (Vec<i32>, Vec<i32>) {
        let width = exponent.len();
        let one = constant(width, 1);
        // How far up it may go; negative if it must go down.
        let mut room = self.minus(exponent, &one);
        let down = *room.last().expect("a sign");
        let length = significand.len();
        let stages = (usize::BITS - (length - 1).leading_zeros()) as usize;
        let mut bits = significand.to_vec();
        for stage in (0..stages).rev() {
            let step = 1usize << stage;
            if step >= length {
                continue;
            }
            let empty = -self.any(&bits[length - step..]);
            let by = constant(width, step as u128);
            let left = self.minus(&room, &by);
            let enough = -*left.last().expect("a sign");
            let go = self.and(empty, enough);
            let moved: Vec<i32> = (0..length)
                .map(|at| if at >= step { bits[at - step] } else { -TRUE })
                .collect();
            bits = self.choose(go, &moved, &bits);
            room = self.choose(go, &left, &room);
        }
        if !below {
            return (self.plus(&room, &one, -TRUE), bits);
        }
        let amount = self.negate(&room);
        let amount: Vec<i32> = amount[..width - 1]
            .iter()
            .map(|bit| self.and(down, *bit))
            .collect();
        let bits = self.sticky_shift(&bits, &amount);
        let exponent = self.plus(&room, &one, -TRUE);
        let exponent = self.choose(down, &one, &exponent);
        (exponent, bits)
    }
}
