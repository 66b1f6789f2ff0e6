//! Finite partitions of the integers: `bool`, `mod(k)` and `part(a1,…,ak)`.
//!
//! A class has the same number in every integer type, so that most conversions keep the mask;
//! a class that has no member in a type is never part of a value of that type.

use super::piece::{Piece, gcd};
use super::value::{Classes, Value};
use super::{Universe, bits::BitBuf};
use cwolf_cwi::{IntTy, value};

/// The number of the class of zero in `bool`.
pub(super) const FALSE: usize = 0;
/// The number of the class of all else in `bool`.
pub(super) const TRUE: usize = 1;

impl Universe {
    /// How many classes the partition has, counted over all types of this signedness.
    pub(super) fn class_count(&self, classes: Classes, signed: bool) -> usize {
        match classes {
            Classes::Bool => 2,
            // First the remainders 0 to k-1, then -1 to 1-k.
            Classes::Mod(k) if signed => 2 * k as usize - 1,
            Classes::Mod(k) => k as usize,
            Classes::Part(id) => self.break_points(id).len() + 1,
        }
    }
    /// Adds the classes that have a member in `p` (which lies in the type) to `mask`.
    pub(super) fn cover(&self, classes: Classes, p: Piece, mask: &mut BitBuf) {
        match classes {
            Classes::Bool => {
                if p.contains(0) {
                    mask.set(FALSE);
                }
                if p.lo != 0 || p.hi != 0 {
                    mask.set(TRUE);
                }
            }
            Classes::Mod(k) => {
                let (negative, rest) = p.split_sign();
                if let Some(p) = rest {
                    cover_remainders(k, p, |r| mask.set(r));
                }
                if let Some(p) = negative {
                    let offset = k as usize - 1;
                    let number = |r: usize| if r == 0 { 0 } else { offset + r };
                    cover_remainders(k, p.negate(), |r| mask.set(number(r)));
                }
            }
            Classes::Part(id) => {
                let points = self.break_points(id);
                let (first, last) = (block_of(points, p.lo), block_of(points, p.hi));
                if p.step <= 1 || last - first <= 1 {
                    return mask.set_range(first, last);
                }
                mask.set(first);
                mask.set(last);
                for block in first + 1..last {
                    // (3.53) looks at the ends only and misses these.
                    if p.clip(points[block - 1], points[block] - 1).is_some() {
                        mask.set(block);
                    }
                }
            }
        }
    }
    /// All classes that have members in the type.
    pub(super) fn full_mask(&self, classes: Classes, ty: IntTy) -> BitBuf {
        let mut mask = BitBuf::new(self.class_count(classes, ty.signed));
        match classes {
            Classes::Mod(k) if value::max(ty) >= i128::from(k) => {
                mask.set_range(0, self.class_count(classes, ty.signed) - 1);
            }
            _ => self.cover(classes, Piece::all(ty), &mut mask),
        }
        mask
    }
    /// Calls `visit` for the members of class `number` that lie in `ty`.
    fn class_pieces(
        &self,
        classes: Classes,
        ty: IntTy,
        number: usize,
        visit: &mut impl FnMut(Piece),
    ) {
        let (min, max) = (value::min(ty), value::max(ty));
        match classes {
            Classes::Bool if number == FALSE => visit(Piece::single(0)),
            Classes::Bool => {
                let both = [Piece::interval(min, -1), Piece::interval(1, max)];
                both.into_iter().flatten().for_each(visit);
            }
            Classes::Mod(k) => {
                let (k, number) = (i128::from(k), number as i128);
                let piece = if number == 0 {
                    Piece::new(-(-min / k * k), max, k)
                } else if number < k {
                    Piece::new(number, max, k)
                } else {
                    Piece::new(number - k + 1, -min, k).map(Piece::negate)
                };
                piece.into_iter().for_each(visit);
            }
            Classes::Part(id) => {
                let (lo, hi) = self.block(id, ty, number);
                Piece::interval(lo, hi).into_iter().for_each(visit);
            }
        }
    }
    /// The bounds of block `number` within `ty`; crossed if none of it lies there.
    pub(super) fn block(&self, id: super::PartId, ty: IntTy, number: usize) -> (i128, i128) {
        let points = self.break_points(id);
        let lo = number.checked_sub(1).map_or(i128::MIN, |n| points[n]);
        let hi = points.get(number).map_or(i128::MAX, |p| p - 1);
        (lo.max(value::min(ty)), hi.min(value::max(ty)))
    }
    /// Calls `visit` for the disjoint pieces of a union of classes. With `merge`, neighbouring
    /// intervals come as one piece.
    pub(super) fn mask_pieces(
        &self,
        classes: Classes,
        ty: IntTy,
        numbers: impl Iterator<Item = usize>,
        merge: bool,
        visit: &mut impl FnMut(Piece),
    ) {
        let Classes::Part(id) = classes else {
            numbers.for_each(|n| self.class_pieces(classes, ty, n, visit));
            return;
        };
        let mut pending: Option<(i128, i128)> = None;
        for number in numbers {
            let (lo, hi) = self.block(id, ty, number);
            pending = match pending {
                Some((start, end)) if merge && end + 1 == lo => Some((start, hi)),
                done => {
                    if let Some((lo, hi)) = done {
                        Piece::interval(lo, hi).into_iter().for_each(&mut *visit);
                    }
                    Some((lo, hi))
                }
            };
        }
        if let Some((lo, hi)) = pending {
            Piece::interval(lo, hi).into_iter().for_each(visit);
        }
    }
    /// The value that stands for the classes in `mask`.
    pub(super) fn mask_value(&self, classes: Classes, mask: &BitBuf) -> Value {
        match mask {
            BitBuf::Small(0) => Value::Bottom,
            BitBuf::Small(bits) => Value::Mask {
                classes,
                bits: *bits,
            },
            BitBuf::Large(words) if words.iter().all(|w| *w == 0) => Value::Bottom,
            BitBuf::Large(words) => Value::Bits {
                classes,
                words: self.words.intern(words).into(),
            },
        }
    }
}

/// The number of the interval that `v` lies in.
fn block_of(points: &[i128], v: i128) -> usize {
    points.partition_point(|p| *p <= v)
}

/// Calls `visit` for the remainders by `k` of a piece without negative members.
fn cover_remainders(k: u32, p: Piece, mut visit: impl FnMut(usize)) {
    // Members fit in 64 bits, where division is fast.
    let (lo, step, k) = (p.lo as u64, p.step as u64, u64::from(k));
    let common = gcd(p.step, i128::from(k)) as u64;
    if p.step != 0 && p.count() >= u128::from(k / common) {
        let mut r = lo % common;
        while r < k {
            visit(r as usize);
            r += common;
        }
        return;
    }
    let (mut r, stride) = (lo % k, step % k);
    for _ in 0..p.count() {
        visit(r as usize);
        r = (r + stride) % k;
    }
}
