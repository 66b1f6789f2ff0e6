//! Making terms. Each constructor simplifies: it folds constants, orders operands of commutative
//! operators, and applies the rules that control flow and C's promotions call for most often.

mod arith;
mod array;
mod bits;
mod boolean;
mod compare;

use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp, mask, signed};

/// The value of an operator on bit-vector constants of `width` bits; comparisons give 0 or 1.
/// Not for `And`, `Eq` on booleans, `Concat` and `Select`.
pub(crate) fn fold(op: BinOp, width: u16, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(width, a), signed(width, b));
    let bits = u128::from(width);
    let result = match op {
        BinOp::Eq => u128::from(a == b),
        BinOp::Ult => u128::from(a < b),
        BinOp::Slt => u128::from(sa < sb),
        BinOp::Add => a.wrapping_add(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Udiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinOp::Urem => a.checked_rem(b).unwrap_or(a),
        // By zero: as SMT-LIB defines them from the unsigned ones.
        BinOp::Sdiv if b == 0 => (if sa < 0 { 1 } else { -1i128 }) as u128,
        BinOp::Sdiv => sa.wrapping_div(sb) as u128,
        BinOp::Srem if b == 0 => a,
        BinOp::Srem => sa.wrapping_rem(sb) as u128,
        BinOp::BvAnd => a & b,
        BinOp::BvOr => a | b,
        BinOp::BvXor => a ^ b,
        BinOp::Shl if b < bits => a << b,
        BinOp::Lshr if b < bits => a >> b,
        BinOp::Shl | BinOp::Lshr => 0,
        BinOp::Ashr => (sa >> b.min(bits - 1)) as u128,
        BinOp::And | BinOp::Concat | BinOp::Select => unreachable!("not on two equal widths"),
    };
    result & mask(width)
}

impl Terms {
    pub(crate) fn bin(&mut self, op: BinOp, a: Term, b: Term, sort: Sort) -> Term {
        self.intern(Node::Bin(op, a, b), sort)
    }

    /// Both constants.
    fn two(&self, a: Term, b: Term) -> Option<(u128, u128)> {
        Some((self.as_bv(a)?, self.as_bv(b)?))
    }

    /// Whether `t` is a choice between two bit-vector constants.
    fn choice(&self, t: Term) -> Option<(Term, u128, u128)> {
        match self.node(t) {
            Node::Ite(c, a, b) => self.two(a, b).map(|(x, y)| (c, x, y)),
            _ => None,
        }
    }

    /// Folds `op` on constants, also through a choice between two constants.
    fn fold_bv(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        if let Some((x, y)) = self.two(a, b) {
            return Some(self.bv(width, fold(op, width, x, y)));
        }
        if let (Some((c, x, y)), Some(k)) = (self.choice(a), self.as_bv(b)) {
            let then = self.bv(width, fold(op, width, x, k));
            let els = self.bv(width, fold(op, width, y, k));
            return Some(self.ite(c, then, els));
        }
        if let (Some(k), Some((c, x, y))) = (self.as_bv(a), self.choice(b)) {
            let then = self.bv(width, fold(op, width, k, x));
            let els = self.bv(width, fold(op, width, k, y));
            return Some(self.ite(c, then, els));
        }
        None
    }

    /// The term with the given operator on one operand.
    pub fn unary(&mut self, op: UnOp, a: Term) -> Term {
        match op {
            UnOp::Not => self.not(a),
            UnOp::BvNot => self.bvnot(a),
            UnOp::Neg => self.neg(a),
        }
    }

    /// The term with the given operator on two operands.
    pub fn binary(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        match op {
            BinOp::And => self.and(a, b),
            BinOp::Eq => self.eq(a, b),
            BinOp::Ult => self.ult(a, b),
            BinOp::Slt => self.slt(a, b),
            BinOp::Add => self.add(a, b),
            BinOp::Mul => self.mul(a, b),
            BinOp::Udiv => self.udiv(a, b),
            BinOp::Urem => self.urem(a, b),
            BinOp::Sdiv => self.sdiv(a, b),
            BinOp::Srem => self.srem(a, b),
            BinOp::BvAnd => self.bvand(a, b),
            BinOp::BvOr => self.bvor(a, b),
            BinOp::BvXor => self.bvxor(a, b),
            BinOp::Shl => self.shl(a, b),
            BinOp::Lshr => self.lshr(a, b),
            BinOp::Ashr => self.ashr(a, b),
            BinOp::Concat => self.concat(a, b),
            BinOp::Select => self.select(a, b),
        }
    }
}
