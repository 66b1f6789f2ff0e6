//! Equality and order.

use crate::build::fold;
use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp, mask, signed};

/// How far a comparison with a constant is pushed into nested choices.
const DEPTH: u32 = 60;

impl Terms {
    /// `a == b` on booleans and bit-vectors.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return Terms::TRUE;
        }
        match self.sort(a) {
            Sort::Bool => self.eq_bool(a, b),
            _ => self.eq_bv(a, b),
        }
    }

    /// `a != b`
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    fn eq_bool(&mut self, a: Term, b: Term) -> Term {
        for (x, y) in [(a, b), (b, a)] {
            match self.as_bool(x) {
                Some(true) => return y,
                Some(false) => return self.not(y),
                None => {}
            }
        }
        if self.opposite(a, b) {
            return Terms::FALSE;
        }
        let ((a, pa), (b, pb)) = (self.strip(a), self.strip(b));
        let same = self.bin(BinOp::Eq, a.min(b), a.max(b), Sort::Bool);
        if pa == pb { same } else { self.not(same) }
    }

    fn eq_bv(&mut self, a: Term, b: Term) -> Term {
        if let Some((x, y)) = self.two(a, b) {
            return self.bool(x == y);
        }
        let (a, b) = if self.as_bv(a).is_some() {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(k) = self.as_bv(b) {
            return self.eq_value(a, b, k);
        }
        match (self.node(a), self.node(b)) {
            (
                Node::Extend {
                    signed: s, of: x, ..
                },
                Node::Extend {
                    signed: r, of: y, ..
                },
            ) if s == r && self.sort(x) == self.sort(y) => return self.eq(x, y),
            (Node::Bin(BinOp::Concat, p, q), Node::Bin(BinOp::Concat, r, s))
                if self.sort(p) == self.sort(r) =>
            {
                let high = self.eq(p, r);
                let low = self.eq(q, s);
                return self.and(high, low);
            }
            (Node::Ite(c, p, q), _) if p == b || q == b => {
                let (other, c) = if p == b { (q, c) } else { (p, self.not(c)) };
                let same = self.eq(other, b);
                return self.or(c, same);
            }
            (_, Node::Ite(_, p, q)) if p == a || q == a => return self.eq_bv(b, a),
            (Node::Ite(c, p, q), Node::Ite(d, r, s)) if c == d => {
                let then = self.eq(p, r);
                let els = self.eq(q, s);
                return self.ite(c, then, els);
            }
            _ => {}
        }
        // x + k == y + m: bring the constant to one side, cancel what both have.
        if self.is_sum(a) || self.is_sum(b) {
            let difference = self.sub(a, b);
            if let Some(k) = self.as_bv(difference) {
                return self.bool(k == 0);
            }
            if let Some((l, r)) = self.sides(difference)
                && (l, r) != (a, b)
                && (r, l) != (a, b)
            {
                if self.two(l, r).is_some() || self.as_bv(r).is_some() || self.as_bv(l).is_some() {
                    return self.eq(l, r);
                }
                return self.bin(BinOp::Eq, l.min(r), l.max(r), Sort::Bool);
            }
        }
        self.bin(BinOp::Eq, a.min(b), a.max(b), Sort::Bool)
    }

    /// `a == k`, where `b` is the constant `k`.
    fn eq_value(&mut self, a: Term, b: Term, k: u128) -> Term {
        let width = self.width(a);
        match self.node(a) {
            Node::Bin(BinOp::Add, x, c) => {
                if let Some(c) = self.as_bv(c) {
                    let k = self.bv(width, k.wrapping_sub(c));
                    return self.eq(x, k);
                }
            }
            Node::Un(UnOp::Neg, x) => {
                let k = self.bv(width, k.wrapping_neg());
                return self.eq(x, k);
            }
            Node::Un(UnOp::BvNot, x) => {
                let k = self.bv(width, !k);
                return self.eq(x, k);
            }
            Node::Bin(BinOp::BvXor, x, c) => {
                if let Some(c) = self.as_bv(c) {
                    let k = self.bv(width, k ^ c);
                    return self.eq(x, k);
                }
            }
            Node::Bin(BinOp::Mul, c, x) => {
                // An odd factor has an inverse.
                if let Some(c) = self.as_bv(c)
                    && c & 1 == 1
                {
                    let k = self.bv(width, k.wrapping_mul(inverse(c)));
                    return self.eq(x, k);
                }
            }
            Node::Extend {
                signed: s, of: x, ..
            } => {
                let narrow = self.width(x);
                let low = k & mask(narrow);
                let back = if s {
                    signed(narrow, low) as u128 & mask(width)
                } else {
                    low
                };
                if back != k {
                    return Terms::FALSE;
                }
                let low = self.bv(narrow, low);
                return self.eq(x, low);
            }
            Node::Bin(BinOp::Concat, x, y) => {
                let low_width = self.width(y);
                let high_width = self.width(x);
                let high = self.bv(high_width, k >> low_width);
                let low = self.bv(low_width, k);
                let high = self.eq(x, high);
                let low = self.eq(y, low);
                return self.and(high, low);
            }
            Node::Ite(..) => {
                if let Some(t) = self.push_test(BinOp::Eq, a, b, false, DEPTH) {
                    return t;
                }
            }
            _ => {}
        }
        self.bin(BinOp::Eq, a, b, Sort::Bool)
    }

    /// A comparison of a choice with the constant `k` as a boolean choice, if that decides one
    /// of its sides at once.
    fn push_test(&mut self, op: BinOp, a: Term, k: Term, swap: bool, depth: u32) -> Option<Term> {
        let Node::Ite(c, x, y) = self.node(a) else {
            return None;
        };
        if depth == 0 {
            return None;
        }
        if self.as_bv(x).is_none() && self.as_bv(y).is_none() {
            return None;
        }
        let mut side = |t: Term| {
            if self.as_bv(t).is_none()
                && matches!(self.node(t), Node::Ite(..))
                && let Some(t) = self.push_test(op, t, k, swap, depth - 1)
            {
                return t;
            }
            let width = self.width(k);
            if let Some((l, r)) = self.two(t, k) {
                let (l, r) = if swap { (r, l) } else { (l, r) };
                return self.bool(fold(op, width, l, r) == 1);
            }
            match swap {
                false => self.compare(op, t, k, depth == DEPTH),
                true => self.compare(op, k, t, depth == DEPTH),
            }
        };
        let then = side(x);
        let els = side(y);
        Some(self.ite(c, then, els))
    }

    fn compare(&mut self, op: BinOp, a: Term, b: Term, simplify: bool) -> Term {
        match (op, simplify) {
            (BinOp::Eq, true) if !matches!(self.node(a), Node::Ite(..)) => self.eq(a, b),
            (BinOp::Ult, true) => self.less(false, a, b, false),
            (BinOp::Slt, true) => self.less(true, a, b, false),
            _ => self.bin(op, a, b, Sort::Bool),
        }
    }

    /// Unsigned `a < b`.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.less(false, a, b, true)
    }
    /// Unsigned `a <= b`.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let more = self.ult(b, a);
        self.not(more)
    }
    /// Signed `a < b`.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.less(true, a, b, true)
    }
    /// Signed `a <= b`.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let more = self.slt(b, a);
        self.not(more)
    }

    fn less(&mut self, sign: bool, a: Term, b: Term, push: bool) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        let op = if sign { BinOp::Slt } else { BinOp::Ult };
        let width = self.width(a);
        if a == b {
            return Terms::FALSE;
        }
        if let Some((x, y)) = self.two(a, b) {
            return self.bool(fold(op, width, x, y) == 1);
        }
        let (least, most) = match sign {
            true => (
                1u128 << (width - 1),
                mask(width - 1 + u16::from(width == 1)) >> u32::from(width == 1),
            ),
            false => (0, mask(width)),
        };
        if self.as_bv(b) == Some(least) || self.as_bv(a) == Some(most) {
            return Terms::FALSE;
        }
        if self.as_bv(b) == Some(least.wrapping_add(1) & mask(width)) {
            let least = self.bv(width, least);
            return self.eq(a, least);
        }
        if self.as_bv(a) == Some(most.wrapping_sub(1) & mask(width)) {
            let most = self.bv(width, most);
            return self.eq(b, most);
        }
        if let Some(t) = self.less_extended(sign, a, b) {
            return t;
        }
        if push {
            let pushed = match (self.node(a), self.node(b)) {
                (Node::Ite(..), Node::Bv { .. }) => self.push_test(op, a, b, false, DEPTH),
                (Node::Bv { .. }, Node::Ite(..)) => self.push_test(op, b, a, true, DEPTH),
                _ => None,
            };
            if let Some(t) = pushed {
                return t;
            }
        }
        self.bin(op, a, b, Sort::Bool)
    }

    /// Comparisons of widened values are comparisons of the narrow ones.
    fn less_extended(&mut self, sign: bool, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let ext = |this: &Terms, t: Term| match this.node(t) {
            Node::Extend { signed, of, .. } => Some((signed, of)),
            _ => None,
        };
        match (ext(self, a), ext(self, b)) {
            (Some((s, x)), Some((r, y))) if s == r && self.sort(x) == self.sort(y) => {
                Some(self.less(s && sign, x, y, true)).filter(|_| sign || !s)
            }
            (Some((s, x)), None) => {
                let k = self.as_bv(b)?;
                let narrow = self.width(x);
                self.less_narrow(sign, s, x, narrow, width, k, false)
            }
            (None, Some((s, y))) => {
                let k = self.as_bv(a)?;
                let narrow = self.width(y);
                self.less_narrow(sign, s, y, narrow, width, k, true)
            }
            _ => None,
        }
    }

    /// `extend(x) < k`, or `k < extend(x)` if `swap`.
    #[allow(clippy::too_many_arguments)]
    fn less_narrow(
        &mut self,
        sign: bool,
        extended_signed: bool,
        x: Term,
        narrow: u16,
        width: u16,
        k: u128,
        swap: bool,
    ) -> Option<Term> {
        if extended_signed && !sign {
            return None;
        }
        // The range of the widened value and the constant, as mathematical numbers.
        let number = if sign {
            signed(width, k)
        } else {
            i128::try_from(k).ok()?
        };
        let (low, high) = match extended_signed {
            true => (-(1i128 << (narrow - 1)), (1i128 << (narrow - 1)) - 1),
            false => (0, i128::try_from(mask(narrow)).ok()?),
        };
        if number > high {
            return Some(self.bool(!swap));
        }
        if number < low {
            return Some(self.bool(swap));
        }
        let k = self.bv(narrow, k);
        Some(match swap {
            false => self.less(extended_signed, x, k, true),
            true => self.less(extended_signed, k, x, true),
        })
    }
}

/// The inverse of an odd number modulo any power of two.
fn inverse(odd: u128) -> u128 {
    let mut x = odd;
    for _ in 0..7 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}
