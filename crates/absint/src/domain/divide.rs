//! `/` and `%` on pieces. C rounds towards zero, and a remainder has the sign of the dividend.
//! Operands that trap (a zero divisor, the smallest number by -1) have no result.

use super::piece::{FEW, Piece, gcd};
use cwolf_cwi::{IntTy, value};

/// Divisors up to this size are taken one by one, as quotients by them are far apart.
const SMALL_DIVISOR: i128 = 8;
/// Into how many parts a dividend is cut where its remainder starts again.
const MAX_LAPS: i128 = 8;

/// `a / b`.
pub(super) fn div(ty: IntTy, a: Piece, b: Piece, emit: &mut impl FnMut(Piece)) {
    each_divisor(b, &mut |divisor| {
        if divisor.step == 0 {
            return div_exact(ty, a, divisor.lo, emit);
        }
        let (negative, rest) = a.split_sign();
        for a in [negative, rest].into_iter().flatten() {
            let corners = [
                a.lo / divisor.lo,
                a.lo / divisor.hi,
                a.hi / divisor.lo,
                a.hi / divisor.hi,
            ];
            let (lo, hi) = (corners.iter().min(), corners.iter().max());
            let quotients = lo.zip(hi).and_then(|(lo, hi)| Piece::interval(*lo, *hi));
            emit(quotients.expect("four corners"));
        }
    });
}

/// `a % b`.
pub(super) fn rem(ty: IntTy, a: Piece, b: Piece, emit: &mut impl FnMut(Piece)) {
    each_divisor(b, &mut |divisor| {
        if divisor.step == 0 {
            return rem_exact(ty, a, divisor.lo, emit);
        }
        // The divisor's sign does not matter.
        let divisor = if divisor.lo < 0 {
            divisor.negate()
        } else {
            divisor
        };
        let (negative, rest) = a.split_sign();
        if let Some(a) = rest {
            rem_positive(a, divisor, emit);
        }
        if let Some(a) = negative {
            rem_positive(a.negate(), divisor, &mut |p| emit(p.negate()));
        }
    });
}

/// Calls `visit` for pieces of the nonzero divisors: single ones, or several of one sign,
/// never with -1 among them.
fn each_divisor(b: Piece, visit: &mut impl FnMut(Piece)) {
    let mut either = |p: Option<Piece>| match p {
        Some(p) if p.count() <= FEW => p.members().for_each(|d| visit(Piece::single(d))),
        Some(p) => visit(p),
        None => {}
    };
    either(b.clip(i128::MIN, -SMALL_DIVISOR - 1));
    either(b.clip(-SMALL_DIVISOR, -1));
    either(b.clip(1, SMALL_DIVISOR));
    either(b.clip(SMALL_DIVISOR + 1, i128::MAX));
}

/// The dividends that `divisor` does not trap on.
fn dividends(ty: IntTy, a: Piece, divisor: i128) -> Option<Piece> {
    if divisor == -1 && ty.signed {
        a.clip(value::min(ty) + 1, value::max(ty))
    } else {
        Some(a)
    }
}

fn div_exact(ty: IntTy, a: Piece, divisor: i128, emit: &mut impl FnMut(Piece)) {
    let Some(a) = dividends(ty, a, divisor) else {
        return;
    };
    let size = divisor.abs();
    let (negative, rest) = a.split_sign();
    for a in [negative, rest].into_iter().flatten() {
        if a.step > size && a.step % size != 0 && a.count() <= FEW {
            a.members().for_each(|v| emit(Piece::single(v / divisor)));
            continue;
        }
        let (x, y) = (a.lo / divisor, a.hi / divisor);
        // Steps no longer than the divisor leave out no quotient.
        let step = if a.step % size == 0 { a.step / size } else { 1 };
        Piece::new(x.min(y), x.max(y), step)
            .into_iter()
            .for_each(&mut *emit);
    }
}

fn rem_exact(ty: IntTy, a: Piece, divisor: i128, emit: &mut impl FnMut(Piece)) {
    let Some(a) = dividends(ty, a, divisor) else {
        return;
    };
    let (negative, rest) = a.split_sign();
    if let Some(a) = rest {
        rem_positive_exact(a, divisor.abs(), emit);
    }
    if let Some(a) = negative {
        rem_positive_exact(a.negate(), divisor.abs(), &mut |p| emit(p.negate()));
    }
}

fn rem_positive_exact(a: Piece, divisor: i128, emit: &mut impl FnMut(Piece)) {
    let (first, last) = (a.lo / divisor, a.hi / divisor);
    if last - first <= MAX_LAPS {
        for lap in first..=last {
            let start = lap * divisor;
            if let Some(part) = a.clip(start, start + divisor - 1) {
                emit(part.shift(-start));
            }
        }
        return;
    }
    if a.count() <= FEW {
        return a.members().for_each(|v| emit(Piece::single(v % divisor)));
    }
    let step = gcd(a.step, divisor);
    let rest = Piece::new(a.lo % step, divisor - 1, step);
    rest.into_iter().for_each(emit);
}

/// Remainders of dividends that are not negative by several positive divisors.
fn rem_positive(a: Piece, divisor: Piece, emit: &mut impl FnMut(Piece)) {
    // A dividend below the divisor is its own remainder.
    if let Some(own) = a.clip(0, divisor.hi - 1) {
        emit(own);
    }
    if let Some(reduced) = a.clip(divisor.lo, i128::MAX) {
        // What was reduced is less than half of what it was.
        let hi = (divisor.hi - 1).min((reduced.hi - 1) / 2);
        let step = gcd(reduced.step, gcd(divisor.lo, divisor.step));
        let start = if step == 0 { 0 } else { reduced.lo % step };
        let rest = Piece::new(start, hi, step.max(1));
        rest.into_iter().for_each(emit);
    }
}
