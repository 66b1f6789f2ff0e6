//! `&`, `|`, `^`, `<<` and `>>` on pieces.
//!
//! The bounds of a bitwise operator on two intervals are found exactly, from the highest bit
//! down (3.35 to 3.37 only guess them from the signs); the low bits that are fixed in both
//! operands give the step.

use super::piece::{FEW, Piece, wrap};
use cwolf_cwi::{BinOp, IntTy, value};

/// `a op b` for a bitwise operator.
pub(super) fn bitwise(ty: IntTy, op: BinOp, a: Piece, b: Piece, emit: &mut impl FnMut(Piece)) {
    let one_by_one = a.count().saturating_mul(b.count()) <= 4 * FEW;
    if one_by_one {
        for x in a.members() {
            for y in b.members() {
                emit(Piece::single(apply(op, x, y)));
            }
        }
        return;
    }
    let signs = |p: Piece| {
        let (negative, rest) = p.split_sign();
        [negative, rest].into_iter().flatten()
    };
    for a in signs(a) {
        for b in signs(b) {
            same_sign(ty, op, a, b, emit);
        }
    }
}

/// The operator on numbers of any size, as two's complement with infinitely many bits.
fn apply(op: BinOp, x: i128, y: i128) -> i128 {
    match op {
        BinOp::BitAnd => x & y,
        BinOp::BitOr => x | y,
        _ => x ^ y,
    }
}

/// Both operands keep their sign, so the result has one sign and its bits are in order.
fn same_sign(ty: IntTy, op: BinOp, a: Piece, b: Piece, emit: &mut impl FnMut(Piece)) {
    let unsigned = |v: i128| v as u64;
    let (x, y) = (
        (unsigned(a.lo), unsigned(a.hi)),
        (unsigned(b.lo), unsigned(b.hi)),
    );
    let sign = apply(op, a.lo, b.lo) < 0;
    let number = |w: u64| {
        let high = if sign { u128::MAX << 64 } else { 0 };
        (u128::from(w) | high) as i128
    };
    let high = !(u64::MAX >> (64 - ty.bits)) & (apply(op, a.lo, b.lo) as u64);
    let lo = number(extreme(op, ty.bits, x, y, false) | high);
    let hi = number(extreme(op, ty.bits, x, y, true) | high);
    let fixed = fixed_low_bits(op, a, b).min(u32::from(ty.bits) - 1);
    let step = 1_i128 << fixed;
    let start = lo + (apply(op, a.lo, b.lo) - lo).rem_euclid(step);
    Piece::new(start, hi, step).into_iter().for_each(emit);
}

/// How many low bits of the result are the same for all operands.
fn fixed_low_bits(op: BinOp, a: Piece, b: Piece) -> u32 {
    let known = |p: Piece| {
        let mask = (1_u128 << p.fixed_low_bits()) - 1;
        (mask, p.lo as u128)
    };
    let ((known_a, a), (known_b, b)) = (known(a), known(b));
    let both = known_a & known_b;
    let fixed = match op {
        BinOp::BitAnd => both | known_a & !a | known_b & !b,
        BinOp::BitOr => both | known_a & a | known_b & b,
        _ => both,
    };
    fixed.trailing_ones()
}

/// The smallest or largest `x op y` for `x` and `y` between their bounds, in the low `bits`.
fn extreme(op: BinOp, bits: u16, x: (u64, u64), y: (u64, u64), largest: bool) -> u64 {
    let all = u64::MAX >> (64 - bits);
    let word = |x: u64, y: u64| apply(op, i128::from(x), i128::from(y)) as u64;
    let differ = ((x.0 ^ x.1) | (y.0 ^ y.1)) & all;
    if differ == 0 {
        return word(x.0, y.0) & all;
    }
    let first = 63 - differ.leading_zeros();
    let below = |bit: u32| u64::MAX >> (63 - bit);
    let mut result = word(x.0, y.0) & all & !below(first);
    // A state says which of the four bounds the bits chosen so far still touch; a set of
    // states is a mask of sixteen bits. All states in the set share the best result so far.
    let mut states: u16 = 1 << 15;
    for bit in (0..=first).rev() {
        if let Some(rest) = rest(op, states, x, y, largest) {
            return result | rest & below(bit);
        }
        let at = |w: u64| (w >> bit & 1) as u8;
        let bounds = [at(x.0), at(x.1), at(y.0), at(y.1)];
        // Next states, by the bit that the result gets.
        let mut next = [0_u16; 2];
        for state in super::bits::ones(states.into()) {
            for choice in 0..4_u8 {
                let (bx, by) = (choice & 1, choice >> 1);
                if let Some(state) = step(state as u8, bounds, bx, by) {
                    let out = word(bx.into(), by.into()) as usize;
                    next[out] |= 1 << state;
                }
            }
        }
        let wanted = usize::from(largest);
        let got = if next[wanted] != 0 {
            wanted
        } else {
            1 - wanted
        };
        states = next[got];
        result |= (got as u64) << bit;
    }
    result
}

/// The best remaining bits, when a state leaves an operand free and the other one free or
/// fixed.
fn rest(op: BinOp, states: u16, x: (u64, u64), y: (u64, u64), largest: bool) -> Option<u64> {
    /// The states that do not touch the bounds of the first, the second operand.
    const X_FREE: u16 = 0b0001_0001_0001_0001;
    const Y_FREE: u16 = 0b0000_0000_0000_1111;
    let fixed = if states & X_FREE & Y_FREE != 0 {
        None
    } else if states & X_FREE != 0 && y.0 == y.1 {
        Some(y.0)
    } else if states & Y_FREE != 0 && x.0 == x.1 {
        Some(x.0)
    } else {
        return None;
    };
    Some(match (op, fixed) {
        (BinOp::BitAnd, Some(word)) if largest => word,
        (BinOp::BitOr, Some(word)) if !largest => word,
        _ if largest => u64::MAX,
        _ => 0,
    })
}

/// The state after choosing one more bit of each operand; none if a bound forbids it.
fn step(state: u8, bounds: [u8; 4], bx: u8, by: u8) -> Option<u8> {
    let chosen = [bx, bx, by, by];
    let mut next = 0;
    for (n, (bound, chosen)) in bounds.into_iter().zip(chosen).enumerate() {
        if state >> n & 1 == 0 {
            continue;
        }
        let lower = n % 2 == 0;
        match chosen.cmp(&bound) {
            std::cmp::Ordering::Equal => next |= 1 << n,
            std::cmp::Ordering::Less if lower => return None,
            std::cmp::Ordering::Greater if !lower => return None,
            _ => {}
        }
    }
    Some(next)
}

/// `a << amount` for each amount that is in range.
pub(super) fn shl(ty: IntTy, a: Piece, amount: Piece, emit: &mut impl FnMut(Piece)) {
    each_amount(ty, amount, |n| {
        let factor = 1_i128 << n;
        // The bits beyond the type are lost anyway; without them 128 bits are enough.
        let keep = 1_i128 << (u32::from(ty.bits) - n);
        if a.hi - a.lo >= keep && a.step <= 1 {
            let all = Piece::new(value::min(ty), value::max(ty), factor);
            return all.into_iter().for_each(&mut *emit);
        }
        let shifted = Piece {
            lo: a.lo << n,
            hi: a.hi << n,
            step: a.step << n,
        };
        wrap(ty, shifted, emit);
    });
}

/// `a >> amount` for each amount that is in range; rounds down.
pub(super) fn shr(ty: IntTy, a: Piece, amount: Piece, emit: &mut impl FnMut(Piece)) {
    each_amount(ty, amount, |n| {
        let size = 1_i128 << n;
        if a.step > size && a.step % size != 0 && a.count() <= FEW {
            return a.members().for_each(|v| emit(Piece::single(v >> n)));
        }
        let step = if a.step % size == 0 { a.step >> n } else { 1 };
        Piece::new(a.lo >> n, a.hi >> n, step)
            .into_iter()
            .for_each(&mut *emit);
    });
}

fn each_amount(ty: IntTy, amount: Piece, mut visit: impl FnMut(u32)) {
    if let Some(p) = amount.clip(0, i128::from(ty.bits) - 1) {
        p.members().for_each(|n| visit(n as u32));
    }
}
