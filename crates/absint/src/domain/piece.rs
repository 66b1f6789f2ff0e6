//! Arithmetic progressions: what every abstract integer is made of.
//!
//! A range is one progression of step 1, a remainder class one of step `k`, an exact value one
//! of a single member. All domains meet here: an operator is written once, on two pieces, and
//! works for every pair of domains.

use cwolf_cwi::{IntTy, value};

/// How many members a piece may have to be handled one by one.
pub(super) const FEW: u128 = 16;
/// Into how many parts a result that leaves its type is cut before only its step is kept.
const MAX_LAPS: i128 = 16;

/// `lo, lo + step, …, hi`: mathematical integers, not yet reduced to a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The smallest member.
    pub lo: i128,
    /// The largest member.
    pub hi: i128,
    /// The distance of neighbours; 0 if and only if there is one member.
    pub step: i128,
}

/// The greatest common divisor, never negative; `gcd(0, x) = |x|`.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    if a <= 1 || b <= 1 {
        // Steps are 0 or 1 nearly always, and 128-bit division is slow.
        return if a == 0 {
            b as i128
        } else if b == 0 {
            a as i128
        } else {
            1
        };
    }
    while b != 0 {
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return i128::from(gcd_word(x, y));
        }
        (a, b) = (b, a % b);
    }
    a as i128
}

/// As [`gcd`], on words.
fn gcd_word(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Piece {
    /// One value.
    pub const fn single(value: i128) -> Piece {
        Piece {
            lo: value,
            hi: value,
            step: 0,
        }
    }
    /// All values from `lo` to `hi`, if there are any.
    pub const fn interval(lo: i128, hi: i128) -> Option<Piece> {
        if lo > hi {
            return None;
        }
        let step = if lo == hi { 0 } else { 1 };
        Some(Piece { lo, hi, step })
    }
    /// The members of `lo, lo + step, …` up to `hi`, if there are any; `step` is not negative.
    pub fn new(lo: i128, hi: i128, step: i128) -> Option<Piece> {
        if lo > hi {
            return None;
        }
        if step <= 1 {
            let hi = if step == 0 { lo } else { hi };
            return Piece::interval(lo, hi);
        }
        let hi = hi - (hi - lo) % step;
        let step = if lo == hi { 0 } else { step };
        Some(Piece { lo, hi, step })
    }
    /// All values of a type of up to 64 bits.
    pub fn all(ty: IntTy) -> Piece {
        Piece {
            lo: value::min(ty),
            hi: value::max(ty),
            step: 1,
        }
    }
    /// How many members it has.
    pub fn count(self) -> u128 {
        match self.step {
            0 => 1,
            1 => (self.hi - self.lo) as u128 + 1,
            s => ((self.hi - self.lo) / s) as u128 + 1,
        }
    }
    /// Whether `v` is a member.
    pub fn contains(self, v: i128) -> bool {
        self.lo <= v && v <= self.hi && (self.step <= 1 || (v - self.lo) % self.step == 0)
    }
    /// All members, in rising order.
    pub fn members(self) -> impl Iterator<Item = i128> {
        let mut next = Some(self.lo);
        std::iter::from_fn(move || {
            let v = next?;
            next = (v < self.hi).then(|| v + self.step);
            Some(v)
        })
    }
    /// The members between `lo` and `hi`.
    pub fn clip(self, lo: i128, hi: i128) -> Option<Piece> {
        if lo <= self.lo && self.hi <= hi {
            return Some(self);
        }
        if self.step <= 1 {
            return Piece::interval(self.lo.max(lo), self.hi.min(hi));
        }
        let start = if lo <= self.lo {
            self.lo
        } else {
            self.lo + (lo - self.lo + self.step - 1) / self.step * self.step
        };
        Piece::new(start, self.hi.min(hi), self.step)
    }
    /// Every member plus `distance`.
    pub fn shift(self, distance: i128) -> Piece {
        Piece {
            lo: self.lo + distance,
            hi: self.hi + distance,
            step: self.step,
        }
    }
    /// Every member negated.
    pub fn negate(self) -> Piece {
        Piece {
            lo: -self.hi,
            hi: -self.lo,
            step: self.step,
        }
    }
    /// The members below zero, and the rest.
    pub fn split_sign(self) -> (Option<Piece>, Option<Piece>) {
        (self.clip(i128::MIN, -1), self.clip(0, i128::MAX))
    }
    /// All members but `v`: what is left below and above it.
    pub fn without(self, v: i128) -> [Option<Piece>; 2] {
        if !self.contains(v) {
            return [Some(self), None];
        }
        [self.clip(self.lo, v - 1), self.clip(v + 1, self.hi)]
    }
    /// The common members.
    pub fn intersect(self, other: Piece) -> Option<Piece> {
        if other.step <= 1 {
            return self.clip(other.lo, other.hi);
        }
        if self.step <= 1 {
            return other.clip(self.lo, self.hi);
        }
        // Chinese remaindering: x = lo + step·t with x ≡ other.lo modulo other.step.
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        let common = gcd(self.step, other.step);
        let distance = other.lo - self.lo;
        if lo > hi || distance % common != 0 {
            return None;
        }
        let modulus = other.step / common;
        let inverse = invert((self.step / common).rem_euclid(modulus), modulus);
        let solved = (distance / common)
            .rem_euclid(modulus)
            .checked_mul(inverse)
            .zip(self.step.checked_mul(modulus));
        let Some((product, step)) = solved else {
            return self.clip(lo, hi); // More than asked for is still sound.
        };
        let first = self.lo + self.step * (product % modulus);
        let first = if first < lo {
            first + (lo - first + step - 1) / step * step
        } else {
            first
        };
        Piece::new(first, hi, step)
    }
    /// How many of the low bits are the same in all members.
    pub fn fixed_low_bits(self) -> u32 {
        match self.step {
            0 => 127,
            s => s.trailing_zeros(),
        }
    }
}

/// The inverse of `a` modulo `m`, for coprime numbers.
fn invert(a: i128, m: i128) -> i128 {
    let (mut r0, mut r1) = (m, a);
    let (mut t0, mut t1) = (0, 1);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (t0, t1) = (t1, t0 - q * t1);
    }
    t0.rem_euclid(m)
}

/// Reduces every member of `p` to the type `ty`, as two's complement does: the result is cut
/// where it leaves the type, so that wrap-around costs no precision.
pub(super) fn wrap(ty: IntTy, p: Piece, emit: &mut impl FnMut(Piece)) {
    let (min, max) = (value::min(ty), value::max(ty));
    if min <= p.lo && p.hi <= max {
        return emit(p);
    }
    let modulus = 1_i128 << ty.bits;
    let lap_of = |v: i128| (v - min).div_euclid(modulus);
    let (first, last) = (lap_of(p.lo), lap_of(p.hi));
    if last - first > MAX_LAPS {
        if p.count() <= FEW {
            return p
                .members()
                .for_each(|v| emit(Piece::single(value::wrap(ty, v))));
        }
        // Enough laps to reach every value that the step allows.
        let step = gcd(p.step, modulus);
        let start = min + (p.lo - min).rem_euclid(step);
        return Piece::new(start, max, step).into_iter().for_each(emit);
    }
    for lap in first..=last {
        let start = lap * modulus;
        if let Some(part) = p.clip(min + start, max.saturating_add(start)) {
            emit(part.shift(-start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn piece() -> impl Strategy<Value = Piece> {
        (-300_i128..300, 0_i128..300, 0_i128..40)
            .prop_map(|(lo, span, step)| Piece::new(lo, lo + span, step).expect("lo <= hi"))
    }
    fn set(p: impl IntoIterator<Item = Piece>) -> BTreeSet<i128> {
        p.into_iter().flat_map(Piece::members).collect()
    }

    proptest! {
        #[test]
        fn common_members_are_exact(a in piece(), b in piece()) {
            let expect: BTreeSet<_> = set([a]).intersection(&set([b])).copied().collect();
            prop_assert_eq!(set(a.intersect(b)), expect);
        }
        #[test]
        fn counting_and_membership_agree(a in piece(), v in -700_i128..700) {
            prop_assert_eq!(a.count() as usize, set([a]).len());
            prop_assert_eq!(a.contains(v), set([a]).contains(&v));
            prop_assert!(!set(a.without(v).into_iter().flatten()).contains(&v));
        }
        #[test]
        fn wrapping_covers_and_is_exact_for_few_laps(
            a in piece(), bits in 1_u16..10, signed: bool
        ) {
            let ty = IntTy::new(bits, signed);
            let expect: BTreeSet<_> = a.members().map(|v| value::wrap(ty, v)).collect();
            let mut pieces = Vec::new();
            wrap(ty, a, &mut |p| pieces.push(p));
            let got = set(pieces);
            prop_assert!(got.is_superset(&expect));
            if (a.hi - a.lo) >> bits < 16 {
                prop_assert_eq!(got, expect);
            }
        }
    }
}
