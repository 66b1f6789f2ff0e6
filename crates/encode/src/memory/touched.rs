//! Which parts of an object an access at a variable place may touch.

use crate::memory::Memory;
use crate::objects::{ENDLESS, INDEX_BITS, OFFSET_BITS, ObjId, Repr};
use crate::operators;
use cwolf_base::Idx;
use cwolf_logic::{Node, Term, Terms};

/// What accesses that do not fit the parts of an object do, in words.
pub(super) const MISFIT: &str =
    "accesses at places that are not known, to parts of numbers, may read or leave anything";

/// A leaf that an access may touch.
pub(super) struct Touched {
    pub(super) leaf: usize,
    /// When the access is to this leaf.
    pub(super) when: Term,
    /// Which element of an array.
    pub(super) index: Option<Term>,
}

impl Memory<'_> {
    /// The leaves that an access at a variable offset may be to, and whether there are no
    /// others that it may touch.
    pub(super) fn touched(
        &mut self,
        object: ObjId,
        offset: Term,
        bit: u64,
        bits: u16,
        repr: Repr,
    ) -> (Vec<Touched>, bool) {
        let (summands, constant) = self.terms.linear(offset);
        let step = self.step(&summands);
        let info = &self.objects[object.index()];
        let size = info.size;
        let leaves = info.layout.as_ref().expect("laid out").leaves.clone();
        let mut found = Vec::new();
        let mut complete = true;
        let access = bit.saturating_add(u64::from(bits)).div_ceil(8);
        let mut covered = 0u64;
        for (n, leaf) in leaves.iter().enumerate() {
            let base = leaf.bit / 8;
            let alike = leaf.bits == bits
                && leaf.bit % 8 == bit
                && (leaf.repr == repr || leaf.repr != Repr::Bool && repr != Repr::Bool);
            let modulus = match leaf.array {
                Some((stride, _)) => gcd(step, stride),
                None => step,
            };
            // Places of the access, modulo the step, against those of the leaf. The access may start before it: a
            // difference that wraps around is another number modulo anything but a power of two.
            let ahead = i128::from(constant as u64 as i64) - i128::from(base);
            let distance = ahead.rem_euclid(i128::from(modulus.max(1))) as u64;
            let aligned = modulus == 0 || distance == 0;
            if !alike || !aligned {
                let width = u64::from(leaf.bits).div_ceil(8).max(1);
                // Ranges [distance, distance + access) and [0, width) on a circle.
                let apart = modulus > 0 && distance >= width && distance + access <= modulus;
                complete &= apart;
                if apart {
                    continue;
                }
                if !alike {
                    continue;
                }
            }
            let start = self.terms.bv(OFFSET_BITS, base.into());
            match leaf.array {
                None => {
                    let when = self.terms.eq(offset, start);
                    if when != Terms::FALSE {
                        found.push(Touched {
                            leaf: n,
                            when,
                            index: None,
                        });
                    }
                    covered += 1;
                }
                Some((stride, count)) => {
                    let way = self.terms.sub(offset, start);
                    let (index, mut when) = self.index(way, &summands, stride);
                    let whole = leaves.len() == 1 && base == 0
                        || count >= ENDLESS / stride.max(1) / 2 && base < stride;
                    if !whole && size != Some(stride * count) {
                        let limit = self.terms.bv(OFFSET_BITS, (stride * count).into());
                        let inside = self.terms.ult(way, limit);
                        when = self.terms.and(when, inside);
                    }
                    if modulus != stride {
                        complete = false;
                    }
                    found.push(Touched {
                        leaf: n,
                        when,
                        index: Some(index),
                    });
                    covered += 1;
                }
            }
        }
        // With one leaf for every place that the access may be at, the last needs no test.
        let _ = covered;
        (found, complete)
    }

    /// A number that divides the distance between any two values of a sum.
    fn step(&self, summands: &[(Term, u128)]) -> u64 {
        let mut step = 0u64;
        for (t, factor) in summands {
            let narrow = match self.terms.node(*t) {
                Node::Extend { of, .. } => self.terms.width(of) <= 48,
                _ => false,
            };
            let factor = *factor as u64 as i64;
            let size = factor.unsigned_abs();
            // Where the product may wrap around, only powers of two stay divisors.
            let zeros = self.low_zeros(*t, 12);
            let divisor = match narrow && size < 1 << 15 && zeros < 32 {
                true => size << zeros,
                false => 1 << (size.trailing_zeros() + zeros).min(62),
            };
            step = gcd(step, divisor);
        }
        step
    }

    /// How many of the lowest bits of a number are plainly zero.
    fn low_zeros(&self, t: Term, depth: u32) -> u32 {
        if depth == 0 {
            return 0;
        }
        match self.terms.node(t) {
            Node::Bv { value: 0, .. } => 32,
            Node::Bv { value, .. } => value.trailing_zeros().min(32),
            Node::Ite(_, a, b) | Node::Bin(cwolf_logic::BinOp::Add, a, b) => self
                .low_zeros(a, depth - 1)
                .min(self.low_zeros(b, depth - 1)),
            Node::Bin(cwolf_logic::BinOp::Mul, a, b) => {
                (self.low_zeros(a, depth - 1) + self.low_zeros(b, depth - 1)).min(32)
            }
            Node::Extend { of, .. } | Node::Un(cwolf_logic::UnOp::Neg, of) => {
                self.low_zeros(of, depth - 1)
            }
            _ => 0,
        }
    }

    /// The element of an array `way` bytes after its start, and whether it starts there.
    fn index(&mut self, way: Term, summands: &[(Term, u128)], stride: u64) -> (Term, Term) {
        let step = self.step(summands);
        if stride.is_power_of_two() {
            let low = stride.trailing_zeros() as u16;
            let index = self.terms.extract(low + INDEX_BITS - 1, low, way);
            let when = match low {
                0 => Terms::TRUE,
                _ => {
                    let rest = self.terms.extract(low - 1, 0, way);
                    let zero = self.terms.bv(low, 0);
                    self.terms.eq(rest, zero)
                }
            };
            return (index, when);
        }
        let size = self.terms.bv(OFFSET_BITS, stride.into());
        if step.is_multiple_of(stride)
            && let Some(index) = operators::whole_steps(&mut self.terms, way, stride)
        {
            return (self.terms.extract(INDEX_BITS - 1, 0, index), Terms::TRUE);
        }
        let index = self.terms.udiv(way, size);
        let rest = self.terms.urem(way, size);
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let when = self.terms.eq(rest, zero);
        (self.terms.extract(INDEX_BITS - 1, 0, index), when)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
