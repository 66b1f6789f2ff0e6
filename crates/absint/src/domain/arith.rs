//! `+`, `-`, `*` and the unary operators on pieces. Results wrap around exactly.

use super::piece::{FEW, Piece, gcd, wrap};
use cwolf_cwi::{IntTy, value};

/// `a + b`.
pub(super) fn add(ty: IntTy, a: Piece, b: Piece, emit: &mut impl FnMut(Piece)) {
    let (few, many) = if a.count() < b.count() {
        (a, b)
    } else {
        (b, a)
    };
    let gaps = few.step != many.step && few.step != 0 && !fills(few, many) && !fills(many, few);
    if gaps && few.count() <= FEW {
        return few.members().for_each(|v| wrap(ty, many.shift(v), emit));
    }
    let sum = Piece::new(a.lo + b.lo, a.hi + b.hi, gcd(a.step, b.step));
    wrap(ty, sum.expect("in order"), emit);
}

/// Whether `a` is a run without gaps that is as long as the steps of `b`.
fn fills(a: Piece, b: Piece) -> bool {
    a.step == 1 && a.count() >= b.step.unsigned_abs()
}

/// `a - b`.
pub(super) fn sub(ty: IntTy, a: Piece, b: Piece, emit: &mut impl FnMut(Piece)) {
    add(ty, a, b.negate(), emit);
}

/// `a * b`.
pub(super) fn mul(ty: IntTy, a: Piece, b: Piece, emit: &mut impl FnMut(Piece)) {
    let (few, many) = if a.count() < b.count() {
        (a, b)
    } else {
        (b, a)
    };
    if few.count() <= FEW {
        return few
            .members()
            .for_each(|factor| mul_exact(ty, many, factor, emit));
    }
    let corners = || {
        let products = [
            a.lo.checked_mul(b.lo)?,
            a.lo.checked_mul(b.hi)?,
            a.hi.checked_mul(b.lo)?,
            a.hi.checked_mul(b.hi)?,
        ];
        let (lo, hi) = (*products.iter().min()?, *products.iter().max()?);
        // (lo + s·i)(lo' + s'·j) = lo·lo' + s·lo'·i + s'·lo·j + s·s'·i·j
        let step = gcd(
            gcd(a.step.checked_mul(b.lo)?, b.step.checked_mul(a.lo)?),
            a.step.checked_mul(b.step)?,
        );
        let small = lo > i128::MIN / 2 && hi < i128::MAX / 2;
        small.then_some(Piece::new(lo, hi, step)?)
    };
    match corners() {
        Some(product) => wrap(ty, product, emit),
        None => {
            // Too large for 128 bits; keep the factors of two.
            let twos = |p: Piece| p.lo.trailing_zeros().min(p.fixed_low_bits());
            let twos = twos(a).saturating_add(twos(b)).min(u32::from(ty.bits));
            let start = value::min(ty);
            let multiples = match twos < u32::from(ty.bits) {
                true => Piece::new(start, value::max(ty), 1 << twos),
                false => Some(Piece::single(0)),
            };
            multiples.into_iter().for_each(emit);
        }
    }
}

/// `a * factor`, without loss.
fn mul_exact(ty: IntTy, a: Piece, factor: i128, emit: &mut impl FnMut(Piece)) {
    // Congruent modulo the type's size, and the product stays within 128 bits.
    let factor = if factor >= 1 << 63 {
        factor - (1 << ty.bits)
    } else {
        factor
    };
    let (x, y) = (a.lo * factor, a.hi * factor);
    let product = Piece::new(x.min(y), x.max(y), a.step * factor.abs());
    wrap(ty, product.expect("in order"), emit);
}

/// `-a`; the smallest number is its own negation.
pub(super) fn neg(ty: IntTy, a: Piece, emit: &mut impl FnMut(Piece)) {
    wrap(ty, a.negate(), emit);
}

/// `~a`, which is `-a - 1`.
pub(super) fn bit_not(ty: IntTy, a: Piece, emit: &mut impl FnMut(Piece)) {
    wrap(ty, a.negate().shift(-1), emit);
}

/// `|a|`; the smallest number stays as it is.
pub(super) fn abs(ty: IntTy, a: Piece, emit: &mut impl FnMut(Piece)) {
    let (negative, rest) = a.split_sign();
    rest.into_iter().for_each(&mut *emit);
    if let Some(p) = negative {
        wrap(ty, p.negate(), emit);
    }
}
