//! The operators of CWI on sets of integers: whatever `cwi::value` computes from members is in the
//! result.

use crate::num::{FEW, Few, Num, gcd};
use cwolf_cwi::{BinOp, IntTy, UnOp, value};

/// What an operator gives, and whether it may have no result (a division by zero, a bad shift).
#[derive(Clone, Debug, PartialEq)]
pub struct Result {
    /// All results; none if there is never one.
    pub num: Option<Num>,
    /// Whether some operands have no result.
    pub traps: bool,
}

/// All values of a type of at most 64 bits.
pub fn whole(ty: IntTy) -> Num {
    Num::range(value::min(ty), value::max(ty))
}

/// The sum, difference or product of bounds; none where it leaves all machine words by far.
fn exact(op: BinOp, a: i128, b: i128) -> Option<i128> {
    let v = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        _ => a.checked_mul(b),
    };
    v.filter(|v| v.unsigned_abs() < 1 << 126)
}

/// `left op right` on values of type `ty`; the right operand of a shift may be any integer.
pub fn binary(op: BinOp, ty: IntTy, left: &Num, right: &Num) -> Result {
    if let (Some(a), Some(b)) = (left.values(), right.values())
        && a.len() * b.len() <= FEW * FEW
    {
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y)));
        let all: Vec<_> = pairs
            .map(|(x, y)| value::int_binary(op, ty, x, y).ok())
            .collect();
        let traps = all.contains(&None);
        let num = Num::of(all.into_iter().flatten().collect());
        return Result { num, traps };
    }
    let sure = |num: Num| Result {
        num: Some(num),
        traps: false,
    };
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => sure(ring(op, ty, left, right)),
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => sure(bitwise(op, ty, left, right)),
        BinOp::Div | BinOp::Rem => divide(op, ty, left, right),
        BinOp::Shl | BinOp::Shr => shift(op, ty, left, right),
        _ => sure(test(compare(op, left, right))),
    }
}

/// `op operand` on values of type `ty`.
pub fn unary(op: UnOp, ty: IntTy, operand: &Num) -> Num {
    if let Some(values) = operand.values() {
        let all = values.iter().map(|v| value::int_unary(op, ty, *v));
        return Num::of(all.collect()).expect("not empty");
    }
    match op {
        UnOp::Neg => ring(BinOp::Sub, ty, &Num::constant(0), operand),
        // `-1 - x`
        UnOp::BitNot => {
            let mut num = ring(BinOp::Sub, ty, &Num::constant(-1), operand);
            let mask = u64::MAX >> (64 - ty.bits);
            num.zeros |= operand.ones & mask;
            num.ones |= operand.zeros & mask;
            num.reduced().expect("not empty")
        }
        UnOp::Not => test(truth(operand).map(|t| !t)),
    }
}

/// A test as a number.
pub fn test(holds: Option<bool>) -> Num {
    match holds {
        Some(holds) => Num::constant(holds.into()),
        None => Num::range(0, 1),
    }
}

/// Whether all values count as true, or as false.
pub fn truth(num: &Num) -> Option<bool> {
    match num.contains(0) {
        false => Some(true),
        true => (num.as_constant() == Some(0)).then_some(false),
    }
}

/// The values reduced to a type, as a conversion does it.
pub fn convert(ty: IntTy, num: &Num) -> Num {
    if let Some(values) = num.values() {
        let all = values.iter().map(|v| value::wrap(ty, *v));
        return Num::of(all.collect()).expect("not empty");
    }
    fit(ty, num.clone())
}

/// A set of exact results (not reduced; bits are those of the low word) as values of a type.
fn fit(ty: IntTy, mut raw: Num) -> Num {
    let (min, max) = (value::min(ty), value::max(ty));
    let size = 1i128 << ty.bits;
    let inside = min <= raw.lo && raw.hi <= max;
    let turn = (raw.lo - min).div_euclid(size);
    if inside {
        // As it is.
    } else if turn == (raw.hi - min).div_euclid(size) {
        let by = turn * size;
        raw.lo -= by;
        raw.hi -= by;
        if raw.step == 0 {
            raw.rem -= by;
        } else {
            raw.rem = (raw.rem - by).rem_euclid(raw.step);
        }
        raw.few = match raw.few {
            Few::Not(values) => Few::Not(values.into_iter().map(|v| v - by).collect()),
            _ => Few::Any,
        };
    } else {
        raw.lo = min;
        raw.hi = max;
        raw.step = gcd(raw.step, size);
        raw.rem = raw.rem.rem_euclid(raw.step);
        raw.few = Few::Any;
    }
    if !inside {
        let mask = u64::MAX >> (64 - ty.bits);
        let sign = 1u64 << (ty.bits - 1);
        let above = |known: u64| match ty.signed && known & sign != 0 {
            true => (known & mask) | !mask,
            false => known & mask,
        };
        (raw.zeros, raw.ones) = (above(raw.zeros), above(raw.ones));
        if !ty.signed {
            raw.zeros |= !mask;
        }
    }
    raw.reduced().unwrap_or_else(|| whole(ty))
}

/// Bits below which everything is known in both.
fn low(a: &Num, b: &Num) -> u64 {
    let known = (a.zeros | a.ones) & (b.zeros | b.ones);
    (1 << known.trailing_ones().min(63)) - 1
}

fn ring(op: BinOp, ty: IntTy, a: &Num, b: &Num) -> Num {
    let ends = match op {
        BinOp::Add => vec![exact(op, a.lo, b.lo), exact(op, a.hi, b.hi)],
        BinOp::Sub => vec![exact(op, a.lo, b.hi), exact(op, a.hi, b.lo)],
        _ => vec![
            exact(op, a.lo, b.lo),
            exact(op, a.lo, b.hi),
            exact(op, a.hi, b.lo),
            exact(op, a.hi, b.hi),
        ],
    };
    let ends: Option<Vec<i128>> = ends.into_iter().collect();
    let Some(ends) = ends else {
        return whole(ty);
    };
    let mut raw = Num::raw(
        *ends.iter().min().expect("ends"),
        *ends.iter().max().expect("ends"),
    );
    let congruence = match op {
        BinOp::Mul => {
            let product = |x: i128, y: i128| exact(BinOp::Mul, x, y);
            match (
                product(a.step, b.step),
                product(a.step, b.rem),
                product(a.rem, b.step),
                product(a.rem, b.rem),
            ) {
                (Some(p), Some(q), Some(r), Some(rem)) => (gcd(gcd(p, q), r), rem),
                _ => (1, 0),
            }
        }
        _ => {
            let rem = exact(op, a.rem, b.rem).unwrap_or(0);
            (gcd(a.step, b.step), rem)
        }
    };
    (raw.step, raw.rem) = congruence;
    if raw.step > 0 {
        raw.rem = raw.rem.rem_euclid(raw.step);
    }
    let mask = low(a, b);
    let word = match op {
        BinOp::Add => a.ones.wrapping_add(b.ones),
        BinOp::Sub => a.ones.wrapping_sub(b.ones),
        _ => a.ones.wrapping_mul(b.ones),
    };
    raw.ones = word & mask;
    raw.zeros = !word & mask;
    if op == BinOp::Mul {
        let twos = a.zeros.trailing_ones() + b.zeros.trailing_ones();
        raw.zeros |= (1u64 << twos.min(63)) - 1;
        raw.ones &= !raw.zeros;
    } else if let (Some(v), shifted) | (shifted, Some(v)) = (a.as_constant(), b.as_constant())
        && shifted.is_none()
    {
        // Values that are left out move along, too.
        let other = if a.as_constant().is_some() { b } else { a };
        let of = |x: i128| match (op, a.as_constant().is_some()) {
            (BinOp::Add, _) => v + x,
            (_, true) => v - x,
            (_, false) => x - v,
        };
        if let Few::Not(values) = &other.few {
            let mut moved: Vec<i128> = values.iter().map(|x| of(*x)).collect();
            moved.sort_unstable();
            raw.few = Few::Not(moved);
        }
    }
    fit(ty, raw)
}

fn bitwise(op: BinOp, ty: IntTy, a: &Num, b: &Num) -> Num {
    let mut raw = Num::raw(value::min(ty), value::max(ty));
    match op {
        BinOp::BitAnd => {
            raw.zeros = a.zeros | b.zeros;
            raw.ones = a.ones & b.ones;
            // A part of either one that is not negative.
            let limits = [a, b].into_iter().filter(|n| n.lo >= 0).map(|n| n.hi);
            if let Some(limit) = limits.min() {
                raw.lo = 0;
                raw.hi = limit;
            } else {
                raw.hi = if a.hi < 0 && b.hi < 0 {
                    -1
                } else {
                    a.hi.max(b.hi)
                };
            }
        }
        BinOp::BitOr => {
            raw.zeros = a.zeros & b.zeros;
            raw.ones = a.ones | b.ones;
            if a.lo >= 0 && b.lo >= 0 {
                raw.lo = a.lo.max(b.lo);
            } else if a.hi < 0 || b.hi < 0 {
                raw.hi = -1;
            }
        }
        _ => {
            raw.zeros = a.zeros & b.zeros | a.ones & b.ones;
            raw.ones = a.zeros & b.ones | a.ones & b.zeros;
            if a.lo >= 0 && b.lo >= 0 {
                raw.lo = 0;
            }
        }
    }
    raw.reduced().unwrap_or_else(|| whole(ty))
}

fn divide(op: BinOp, ty: IntTy, a: &Num, b: &Num) -> Result {
    let min = value::min(ty);
    let overflow = ty.signed && a.contains(min) && b.contains(-1);
    let traps = b.contains(0) || overflow;
    // Divisors of each sign.
    let parts = [(b.lo, b.hi.min(-1)), (b.lo.max(1), b.hi)];
    let parts: Vec<(i128, i128)> = parts.into_iter().filter(|(lo, hi)| lo <= hi).collect();
    if parts.is_empty() {
        return Result { num: None, traps };
    }
    let num = match op {
        BinOp::Div => {
            let mut ends = Vec::new();
            for (c, d) in parts {
                for x in [a.lo, a.hi] {
                    ends.extend([x / c, x / d]);
                }
                if a.lo <= 0 && 0 <= a.hi {
                    ends.push(0);
                }
            }
            let (lo, hi) = (
                ends.iter().min().expect("ends"),
                ends.iter().max().expect("ends"),
            );
            let mut raw = Num::raw((*lo).max(min), (*hi).min(value::max(ty)));
            if let Some(d) = b.as_constant()
                && a.step > 0
                && a.step % d == 0
                && a.rem % d == 0
            {
                raw.step = (a.step / d).abs();
                raw.rem = (a.rem / d).rem_euclid(raw.step);
            }
            raw
        }
        _ => {
            let most = b.lo.unsigned_abs().max(b.hi.unsigned_abs()) as i128 - 1;
            let least = parts.iter().map(|(c, d)| c.abs().min(d.abs())).min();
            let least = least.expect("a part");
            if -least < a.lo && a.hi < least {
                // Smaller than every divisor: itself.
                return Result {
                    num: Some(a.clone()),
                    traps,
                };
            }
            let lo = if a.lo < 0 { a.lo.max(-most) } else { 0 };
            let hi = if a.hi > 0 { a.hi.min(most) } else { 0 };
            let mut raw = Num::raw(lo, hi);
            let step = gcd(gcd(a.step, b.step), b.rem);
            if step > 0 {
                raw.step = step;
                raw.rem = a.rem.rem_euclid(step);
            }
            raw
        }
    };
    let num = Some(num.reduced().unwrap_or_else(|| whole(ty)));
    Result { num, traps }
}

fn shift(op: BinOp, ty: IntTy, a: &Num, b: &Num) -> Result {
    let width = i128::from(ty.bits);
    let traps = b.lo < 0 || b.hi >= width;
    let (least, most) = (b.lo.max(0), b.hi.min(width - 1));
    if least > most {
        return Result { num: None, traps };
    }
    let num = match op {
        BinOp::Shl => {
            let by = Num::of((least..=most).map(|n| 1i128 << n).collect());
            match (least == most, by) {
                (true, Some(by)) => ring(BinOp::Mul, ty, a, &by),
                (false, Some(by)) => {
                    let mut num = ring(BinOp::Mul, ty, a, &by);
                    num.zeros |= (1u64 << least) - 1;
                    num.reduced().unwrap_or_else(|| whole(ty))
                }
                _ => whole(ty),
            }
        }
        _ => {
            let ends = [a.lo >> least, a.lo >> most, a.hi >> least, a.hi >> most];
            let (lo, hi) = (
                ends.iter().min().expect("ends"),
                ends.iter().max().expect("ends"),
            );
            let mut raw = Num::raw(*lo, *hi);
            if least == most {
                // The words of negative numbers are filled up with ones.
                let by = least as u32;
                let fill = |known: u64, top: bool| match top {
                    true => ((known as i64) >> by) as u64,
                    false => known >> by,
                };
                let negative = a.hi < 0;
                let positive = a.lo >= 0;
                raw.zeros = fill(a.zeros, false);
                raw.ones = fill(a.ones, false);
                if positive {
                    raw.zeros |= !(u64::MAX >> by);
                } else if negative {
                    raw.ones |= !(u64::MAX >> by);
                }
            }
            raw.reduced().unwrap_or_else(|| whole(ty))
        }
    };
    Result {
        num: Some(num),
        traps,
    }
}

/// What a comparison always says, if it does.
pub fn compare(op: BinOp, a: &Num, b: &Num) -> Option<bool> {
    match op {
        BinOp::Eq => match (a.as_constant(), b.as_constant()) {
            (Some(x), Some(y)) => Some(x == y),
            _ => a.meet(b).is_none().then_some(false),
        },
        BinOp::Ne => compare(BinOp::Eq, a, b).map(|t| !t),
        BinOp::Lt if a.hi < b.lo => Some(true),
        BinOp::Lt if a.lo >= b.hi => Some(false),
        BinOp::Le if a.hi <= b.lo => Some(true),
        BinOp::Le if a.lo > b.hi => Some(false),
        BinOp::Gt => compare(BinOp::Lt, b, a),
        BinOp::Ge => compare(BinOp::Le, b, a),
        BinOp::And => match (truth(a), truth(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        BinOp::Or => match (truth(a), truth(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Whether `left op right` is, in unbounded numbers, a value of the type: always, never, or neither.
pub fn binary_fits(op: BinOp, ty: IntTy, left: &Num, right: &Num) -> Option<bool> {
    if let (Some(a), Some(b)) = (left.values(), right.values()) {
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y)));
        let mut all = pairs.map(|(x, y)| value::binary_fits(op, ty, x, y));
        let first = all.next()?;
        return all.all(|t| t == first).then_some(first);
    }
    let (a, b) = (left, right);
    let ends: Vec<Option<i128>> = match op {
        BinOp::Add => vec![exact(op, a.lo, b.lo), exact(op, a.hi, b.hi)],
        BinOp::Sub => vec![exact(op, a.lo, b.hi), exact(op, a.hi, b.lo)],
        BinOp::Mul => [a.lo, a.hi]
            .into_iter()
            .flat_map(|x| [exact(op, x, b.lo), exact(op, x, b.hi)])
            .collect(),
        BinOp::Div | BinOp::Rem => {
            let bad = ty.signed && a.contains(value::min(ty)) && b.contains(-1);
            return (!bad).then_some(true);
        }
        BinOp::Shl if ty.signed => {
            if a.lo < 0 {
                return (a.hi < 0 && b.lo >= 0 && b.hi < ty.bits.into()).then_some(false);
            }
            let most = b.hi.min(i128::from(ty.bits) - 1);
            return (most < 0 || (a.hi << most.min(62)) <= value::max(ty) && most <= 62)
                .then_some(true);
        }
        _ => return Some(true),
    };
    let ends: Vec<i128> = ends.into_iter().collect::<Option<_>>()?;
    let (lo, hi) = (ends.iter().min()?, ends.iter().max()?);
    let (min, max) = (value::min(ty), value::max(ty));
    match () {
        () if min <= *lo && *hi <= max => Some(true),
        () if *hi < min || *lo > max => Some(false),
        () => None,
    }
}

/// Whether `op operand` is, in unbounded numbers, a value of the type.
pub fn unary_fits(op: UnOp, ty: IntTy, operand: &Num) -> Option<bool> {
    match op {
        UnOp::Neg => binary_fits(BinOp::Sub, ty, &Num::constant(0), operand),
        UnOp::BitNot | UnOp::Not => Some(true),
    }
}
