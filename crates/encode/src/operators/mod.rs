//! What the operators of CWI are on terms: the one place that turns `+` on an `i32` into a term.
//! Both memory models use it, this crate's objects and cells and C2BP's locations.
//!
//! A number of type `ty` is a term of `ty.bits` bits. What `cwi::value` says of numbers holds of
//! the terms, and is tested. Where `cwi::value` gives no result (a divisor of zero, the smallest
//! number divided by -1, a shift out of range) an operator gives some value of its type, and
//! [`divides`], [`quotient_fits`] and [`shift_amount_fits`] say where that is.

use cwolf_cwi::{BinOp, IntTy, UnOp};
use cwolf_logic::{Term, Terms};

mod float;

pub use float::{
    float_binary, float_compare, float_fits_int, float_from_int, float_function, float_is_true,
    float_neg, float_to_float, float_to_int,
};

#[cfg(test)]
mod float_tests;
#[cfg(test)]
mod tests;

/// The comparison `s op t` of two numbers as a truth value; none if `op` is no comparison.
pub fn compare(terms: &mut Terms, op: BinOp, signed: bool, s: Term, t: Term) -> Option<Term> {
    Some(match (op, signed) {
        (BinOp::Eq, _) => terms.eq(s, t),
        (BinOp::Ne, _) => terms.ne(s, t),
        (BinOp::Lt, true) => terms.slt(s, t),
        (BinOp::Lt, false) => terms.ult(s, t),
        (BinOp::Le, true) => terms.sle(s, t),
        (BinOp::Le, false) => terms.ule(s, t),
        (BinOp::Gt, true) => terms.slt(t, s),
        (BinOp::Gt, false) => terms.ult(t, s),
        (BinOp::Ge, true) => terms.sle(t, s),
        (BinOp::Ge, false) => terms.ule(t, s),
        _ => return None,
    })
}

/// `-t` or `~t` on a number.
///
/// # Panics
/// If `op` is `!`, which is no operator on numbers but on truth values.
pub fn unary(terms: &mut Terms, op: UnOp, t: Term) -> Term {
    match op {
        UnOp::Neg => terms.neg(t),
        UnOp::BitNot => terms.bvnot(t),
        UnOp::Not => panic!("`!` is on truth values"),
    }
}

/// `s op t` on numbers of type `ty`; the amount of a shift has a width of its own.
///
/// # Panics
/// If `op` is a comparison, `&&` or `||`, which give truth values.
pub fn binary(terms: &mut Terms, op: BinOp, ty: IntTy, s: Term, t: Term) -> Term {
    match (op, ty.signed) {
        (BinOp::Add, _) => terms.add(s, t),
        (BinOp::Sub, _) => terms.sub(s, t),
        (BinOp::Mul, _) => terms.mul(s, t),
        (BinOp::Div, true) => terms.sdiv(s, t),
        (BinOp::Div, false) => terms.udiv(s, t),
        (BinOp::Rem, true) => terms.srem(s, t),
        (BinOp::Rem, false) => terms.urem(s, t),
        (BinOp::BitAnd, _) => terms.bvand(s, t),
        (BinOp::BitOr, _) => terms.bvor(s, t),
        (BinOp::BitXor, _) => terms.bvxor(s, t),
        (BinOp::Shl | BinOp::Shr, _) => {
            // Amounts below the width are the same in any width.
            let amount = terms.resize(ty.bits, false, t);
            match (op, ty.signed) {
                (BinOp::Shl, _) => terms.shl(s, amount),
                (_, true) => terms.ashr(s, amount),
                (_, false) => terms.lshr(s, amount),
            }
        }
        _ => panic!("`{}` gives a truth value", op.symbol()),
    }
}

/// A number of type `from` as one of type `to`.
pub fn convert(terms: &mut Terms, from: IntTy, to: IntTy, t: Term) -> Term {
    terms.resize(to.bits, from.signed, t)
}

/// Whether a divisor is not zero.
pub fn divides(terms: &mut Terms, divisor: Term) -> Term {
    terms.nonzero(divisor)
}

/// Whether a quotient is a number of its type: the smallest one divided by -1 is none, and has no
/// remainder either.
pub fn quotient_fits(terms: &mut Terms, ty: IntTy, s: Term, t: Term) -> Term {
    if !ty.signed {
        return Terms::TRUE;
    }
    let least = terms.bv(ty.bits, 1 << (ty.bits - 1));
    let minus = terms.bv(ty.bits, u128::MAX);
    let worst = terms.eq(s, least);
    let by = terms.eq(t, minus);
    let bad = terms.and(worst, by);
    terms.not(bad)
}

/// Whether a number of type `ty` may be shifted by an amount: it is not negative, and less than
/// the width.
pub fn shift_amount_fits(terms: &mut Terms, ty: IntTy, amount: Term, signed: bool) -> Term {
    let bits = terms.width(amount);
    let magnitude = bits - u16::from(signed);
    if magnitude >= 128 || u128::from(ty.bits) < 1u128 << magnitude {
        // As an unsigned number, a negative amount is large.
        let width = terms.bv(bits, ty.bits.into());
        return terms.ult(amount, width);
    }
    // No amount of its type reaches the width.
    match signed {
        true => {
            let zero = terms.bv(bits, 0);
            terms.sle(zero, amount)
        }
        false => Terms::TRUE,
    }
}

/// Whether `op t`, in unbounded numbers, is a number of type `ty`.
pub fn unary_fits(terms: &mut Terms, op: UnOp, ty: IntTy, t: Term) -> Term {
    match (op, ty.signed) {
        (UnOp::Neg, true) => {
            let least = terms.bv(ty.bits, 1 << (ty.bits - 1));
            terms.ne(t, least)
        }
        (UnOp::Neg, false) => {
            let zero = terms.bv(ty.bits, 0);
            terms.eq(t, zero)
        }
        _ => Terms::TRUE,
    }
}

/// Whether `s op t`, in unbounded numbers, is a number of type `ty`. Divisions by zero and shifts
/// by bad amounts fit: those are other mistakes.
pub fn binary_fits(
    terms: &mut Terms,
    op: BinOp,
    ty: IntTy,
    s: Term,
    (t, signed): (Term, bool),
) -> Term {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => arithmetic_fits(terms, op, ty, s, t),
        BinOp::Div | BinOp::Rem => quotient_fits(terms, ty, s, t),
        BinOp::Shl if ty.signed => left_shift_fits(terms, ty, s, t, signed),
        _ => Terms::TRUE,
    }
}

/// No bit is lost, and none comes into the sign.
fn left_shift_fits(terms: &mut Terms, ty: IntTy, s: Term, amount: Term, signed: bool) -> Term {
    let good = shift_amount_fits(terms, ty, amount, signed);
    let bad = terms.not(good);
    let zero = terms.bv(ty.bits, 0);
    let amount = terms.resize(ty.bits, false, amount);
    let shifted = terms.shl(s, amount);
    let back = terms.ashr(shifted, amount);
    let kept = terms.eq(back, s);
    let positive = terms.sle(zero, s);
    let fits = terms.and(kept, positive);
    terms.or(bad, fits)
}

/// The widest terms.
const WIDEST: u16 = 128;

fn arithmetic_fits(terms: &mut Terms, op: BinOp, ty: IntTy, s: Term, t: Term) -> Term {
    let bits = ty.bits;
    let wide = match op {
        BinOp::Mul => bits * 2,
        _ => bits + 1,
    };
    if wide > WIDEST {
        return match op {
            BinOp::Mul => wide_product_fits(terms, ty, s, t),
            _ => wide_sum_fits(terms, op, ty, s, t),
        };
    }
    let (x, y) = match ty.signed {
        true => (terms.sext(wide, s), terms.sext(wide, t)),
        false => (terms.zext(wide, s), terms.zext(wide, t)),
    };
    let exact = match op {
        BinOp::Add => terms.add(x, y),
        BinOp::Sub => terms.sub(x, y),
        _ => terms.mul(x, y),
    };
    if !ty.signed {
        let high = terms.bv(wide, (1u128 << bits) - 1);
        return terms.ule(exact, high);
    }
    let low = terms.bv(wide, (-(1i128 << (bits - 1))) as u128);
    let high = terms.bv(wide, (1u128 << (bits - 1)) - 1);
    let above = terms.sle(low, exact);
    let below = terms.sle(exact, high);
    terms.and(above, below)
}

/// The same for sums without a wider type: a sum that wraps lies on the wrong side of a summand.
fn wide_sum_fits(terms: &mut Terms, op: BinOp, ty: IntTy, s: Term, t: Term) -> Term {
    let sum = binary(terms, op, ty, s, t);
    match (op, ty.signed) {
        (BinOp::Add, false) => terms.ule(s, sum),
        (_, false) => terms.ule(t, s),
        (_, true) => {
            let zero = terms.bv(ty.bits, 0);
            let falls = terms.slt(sum, s);
            let should = match op {
                BinOp::Add => terms.slt(t, zero),
                _ => terms.slt(zero, t),
            };
            let (both, neither) = (terms.and(falls, should), terms.or(falls, should));
            let neither = terms.not(neither);
            terms.or(both, neither)
        }
    }
}

/// The same for products: one that wraps is not a multiple of a factor, or not the right one.
fn wide_product_fits(terms: &mut Terms, ty: IntTy, s: Term, t: Term) -> Term {
    let product = terms.mul(s, t);
    let back = binary(terms, BinOp::Div, ty, product, t);
    let right = terms.eq(back, s);
    let fine = quotient_fits(terms, ty, s, t);
    let right = terms.and(right, fine);
    let zero = terms.bv(ty.bits, 0);
    let nothing = terms.eq(t, zero);
    terms.or(nothing, right)
}

/// The bytes that `index` steps of `scale` bytes are, in `width` bits.
pub fn bytes_of_steps(terms: &mut Terms, width: u16, index: Term, scale: u64) -> Term {
    let index = terms.resize(width, true, index);
    let scale = terms.bv(width, scale.into());
    terms.mul(scale, index)
}

/// How many steps of `scale` bytes a number of bytes is.
pub fn steps_of_bytes(terms: &mut Terms, bytes: Term, scale: u64) -> Term {
    match scale {
        1 => bytes,
        _ => {
            let scale = terms.bv(terms.width(bytes), scale.into());
            terms.sdiv(bytes, scale)
        }
    }
}

/// The same without a division, where each summand is plainly a number of whole steps. That is right
/// of bytes inside an object, where no sum wraps around.
pub fn whole_steps(terms: &mut Terms, bytes: Term, scale: u64) -> Option<Term> {
    let width = terms.width(bytes);
    let (parts, constant) = terms.linear(bytes);
    let unused = 128 - u32::from(width);
    let signed = |f: u128| ((f << unused) as i128) >> unused;
    let scale = i128::from(scale);
    let whole = parts.iter().all(|(_, f)| signed(*f) % scale == 0) && signed(constant) % scale == 0;
    if !whole {
        return None;
    }
    let mut sum = terms.bv(width, (signed(constant) / scale) as u128);
    for (t, f) in parts {
        let f = terms.bv(width, (signed(f) / scale) as u128);
        let part = terms.mul(f, t);
        sum = terms.add(sum, part);
    }
    Some(sum)
}
