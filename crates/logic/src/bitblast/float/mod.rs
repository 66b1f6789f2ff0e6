//! Circuits for floating-point operations: operands are unpacked, the result is computed with more
//! digits than it has, rounded and packed. Each does what `cwolf_float` says, NaNs included, and is
//! tested against it.

mod compare;
mod convert;
mod divide;
mod integral;
mod multiply;
mod reduce;
mod round;
mod sum;
mod unpack;

#[cfg(test)]
mod tests;

use super::{BitBlaster, TRUE};
use crate::float::FloatOp;

impl BitBlaster {
    /// The bits of an operation on bits of its operands, the mode first.
    pub(super) fn float(&mut self, op: FloatOp, args: &[Vec<i32>]) -> Vec<i32> {
        match op {
            FloatOp::Add(f) => self.float_sum(f, &args[0], &args[1], &args[2], false),
            FloatOp::Sub(f) => self.float_sum(f, &args[0], &args[1], &args[2], true),
            FloatOp::Mul(f) => self.float_product(f, &args[0], &args[1], &args[2]),
            FloatOp::Div(f) => self.float_quotient(f, &args[0], &args[1], &args[2]),
            FloatOp::Fma(f) => self.float_fma(f, &args[0], [&args[1], &args[2], &args[3]]),
            FloatOp::Sqrt(f) => self.float_root(f, &args[0], &args[1]),
            FloatOp::RoundToIntegral(f) => self.float_integral(f, &args[0], &args[1]),
            FloatOp::Convert(from, to) => self.float_convert(from, to, &args[0], &args[1]),
            FloatOp::FromSigned(f) => self.float_from_integer(f, &args[0], &args[1], true),
            FloatOp::FromUnsigned(f) => self.float_from_integer(f, &args[0], &args[1], false),
            FloatOp::ToSigned(f, width) => {
                let (fits, bits) = self.float_to_integer(f, &args[0], &args[1], width, true);
                let mut least = vec![-TRUE; usize::from(width)];
                *least.last_mut().expect("a bit") = TRUE;
                self.choose(fits, &bits, &least)
            }
            FloatOp::ToUnsigned(f, width) => {
                let (fits, bits) = self.float_to_integer(f, &args[0], &args[1], width, false);
                bits.iter().map(|bit| self.and(fits, *bit)).collect()
            }
            FloatOp::Fmod(f) => self.float_remainder(f, &args[0], &args[1], false),
            FloatOp::Remainder(f) => self.float_remainder(f, &args[0], &args[1], true),
            FloatOp::Eq(f) => vec![self.float_equal(f, &args[0], &args[1])],
            FloatOp::Lt(f) => vec![self.float_less(f, &args[0], &args[1], false)],
            FloatOp::Le(f) => vec![self.float_less(f, &args[0], &args[1], true)],
        }
    }
}
