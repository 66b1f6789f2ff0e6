//! Sums, products, quotients. Short sums are kept in a normal form: each summand once with its
//! factor, in rising order, the constant last.

use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp, mask};

/// Sums with more summands are left as they are: flattening them again and again would cost
/// more than it finds.
const SUMMANDS: usize = 8;

/// `Σ factor·term + constant`.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) summands: Vec<(Term, u128)>,
    pub(super) constant: u128,
}

impl Terms {
    /// Whether `t` is a sum, difference or multiple.
    pub(super) fn is_sum(&self, t: Term) -> bool {
        match self.node(t) {
            Node::Bin(BinOp::Add, ..) | Node::Un(UnOp::Neg, _) => true,
            Node::Bin(BinOp::Mul, c, _) => self.as_bv(c).is_some(),
            _ => false,
        }
    }

    /// `t` as a sum: its summands with their factors, and its constant; all modulo the width.
    /// A term that is no short sum is its own only summand.
    pub fn linear(&self, t: Term) -> (Vec<(Term, u128)>, u128) {
        match self.sum(t) {
            Some(sum) => {
                let cut = mask(self.width(t));
                let kept = sum.summands.into_iter().map(|(t, f)| (t, f & cut));
                (kept.filter(|(_, f)| *f != 0).collect(), sum.constant & cut)
            }
            None => (vec![(t, 1)], 0),
        }
    }

    /// `t` as a sum; none if it has too many summands.
    pub(super) fn sum(&self, t: Term) -> Option<Sum> {
        let mut sum = Sum::default();
        self.collect(t, 1, &mut sum, 0).then_some(sum)
    }

    fn collect(&self, t: Term, factor: u128, sum: &mut Sum, depth: usize) -> bool {
        match self.node(t) {
            Node::Bv { value, .. } => {
                sum.constant = sum.constant.wrapping_add(value.wrapping_mul(factor));
                return true;
            }
            Node::Bin(BinOp::Add, a, b) if depth <= SUMMANDS => {
                return self.collect(a, factor, sum, depth + 1)
                    && self.collect(b, factor, sum, depth + 1);
            }
            Node::Un(UnOp::Neg, a) if depth <= SUMMANDS => {
                return self.collect(a, factor.wrapping_neg(), sum, depth + 1);
            }
            Node::Bin(BinOp::Mul, c, x) if depth <= SUMMANDS => {
                if let Some(c) = self.as_bv(c) {
                    return self.collect(x, factor.wrapping_mul(c), sum, depth + 1);
                }
            }
            _ => {}
        }
        if depth > SUMMANDS {
            return false;
        }
        match sum.summands.iter_mut().find(|(s, _)| *s == t) {
            Some((_, f)) => *f = f.wrapping_add(factor),
            None => sum.summands.push((t, factor)),
        }
        sum.summands.len() <= SUMMANDS
    }

    pub(super) fn build_sum(&mut self, width: u16, mut sum: Sum) -> Term {
        let cut = mask(width);
        sum.summands.sort_unstable();
        let mut result: Option<Term> = None;
        for (t, factor) in sum.summands {
            let factor = factor & cut;
            if factor == 0 {
                continue;
            }
            let item = self.multiple(width, factor, t);
            result = Some(match result {
                None => item,
                Some(sum) => self.bin(BinOp::Add, sum, item, Sort::Bv(width)),
            });
        }
        let constant = self.bv(width, sum.constant);
        match result {
            None => constant,
            Some(t) if sum.constant & cut == 0 => t,
            Some(t) => self.bin(BinOp::Add, t, constant, Sort::Bv(width)),
        }
    }

    fn multiple(&mut self, width: u16, factor: u128, t: Term) -> Term {
        if factor == 1 {
            return t;
        }
        if factor == mask(width) {
            return self.intern(Node::Un(UnOp::Neg, t), Sort::Bv(width));
        }
        let c = self.bv(width, factor);
        self.bin(BinOp::Mul, c, t, Sort::Bv(width))
    }

    /// `l`, `r` with `l == r` exactly when the sum `t` is zero: summands with negative factors
    /// on one side, the others on the other.
    pub(super) fn sides(&mut self, t: Term) -> Option<(Term, Term)> {
        let width = self.width(t);
        let sum = self.sum(t)?;
        let negative = |f: u128| (f >> (width - 1)) & 1 == 1;
        let (mut left, mut right) = (Sum::default(), Sum::default());
        for (t, f) in sum.summands {
            match negative(f) {
                true => right.summands.push((t, f.wrapping_neg())),
                false => left.summands.push((t, f)),
            }
        }
        match left.summands.is_empty() {
            true => left.constant = sum.constant,
            false => right.constant = sum.constant.wrapping_neg(),
        }
        let left = self.build_sum(width, left);
        let right = self.build_sum(width, right);
        Some((left, right))
    }

    /// `-a`
    pub fn neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        if let Some((c, x, y)) = self.choice(a) {
            let x = self.bv(width, x.wrapping_neg());
            let y = self.bv(width, y.wrapping_neg());
            return self.ite(c, x, y);
        }
        match self.sum(a) {
            Some(mut sum) => {
                sum.summands
                    .iter_mut()
                    .for_each(|(_, f)| *f = f.wrapping_neg());
                sum.constant = sum.constant.wrapping_neg();
                self.build_sum(width, sum)
            }
            None => match self.node(a) {
                Node::Un(UnOp::Neg, x) => x,
                _ => self.intern(Node::Un(UnOp::Neg, a), Sort::Bv(width)),
            },
        }
    }

    /// `a + b`
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(t) = self.fold_bv(BinOp::Add, a, b) {
            return t;
        }
        let width = self.width(a);
        let mut sum = Sum::default();
        if self.collect(a, 1, &mut sum, 0) && self.collect(b, 1, &mut sum, 0) {
            return self.build_sum(width, sum);
        }
        for (x, y) in [(a, b), (b, a)] {
            if self.as_bv(x) == Some(0) {
                return y;
            }
        }
        let (a, b) = match self.as_bv(a) {
            Some(_) => (b, a),
            None if self.as_bv(b).is_some() => (a, b),
            None => (a.min(b), a.max(b)),
        };
        self.bin(BinOp::Add, a, b, Sort::Bv(width))
    }

    /// `a - b`
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            let width = self.width(a);
            return self.bv(width, 0);
        }
        let b = self.neg(b);
        self.add(a, b)
    }

    /// `a * b`
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(t) = self.fold_bv(BinOp::Mul, a, b) {
            return t;
        }
        let width = self.width(a);
        let (a, b) = match self.as_bv(b) {
            Some(_) => (b, a),
            None => (a, b),
        };
        if let Some(c) = self.as_bv(a) {
            if c == 0 {
                return a;
            }
            if let Some(mut sum) = self.sum(b) {
                sum.summands
                    .iter_mut()
                    .for_each(|(_, f)| *f = f.wrapping_mul(c));
                sum.constant = sum.constant.wrapping_mul(c);
                return self.build_sum(width, sum);
            }
            return self.multiple(width, c, b);
        }
        self.bin(BinOp::Mul, a.min(b), a.max(b), Sort::Bv(width))
    }

    fn divide(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(t) = self.fold_bv(op, a, b) {
            return t;
        }
        let width = self.width(a);
        let remainder = matches!(op, BinOp::Urem | BinOp::Srem);
        if self.as_bv(b) == Some(1) {
            return if remainder { self.bv(width, 0) } else { a };
        }
        self.bin(op, a, b, Sort::Bv(width))
    }

    /// Unsigned `a / b`; all ones by zero.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        if let Some(d) = self.as_bv(b)
            && d.is_power_of_two()
        {
            let width = self.width(a);
            let amount = self.bv(width, d.trailing_zeros().into());
            return self.lshr(a, amount);
        }
        self.divide(BinOp::Udiv, a, b)
    }
    /// Unsigned `a % b`; `a` by zero.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        if let Some(d) = self.as_bv(b)
            && d.is_power_of_two()
        {
            let low = self.bv(self.width(a), d - 1);
            return self.bvand(a, low);
        }
        self.divide(BinOp::Urem, a, b)
    }
    /// Signed `a / b`, towards zero.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        if self.non_negative(a) && self.non_negative(b) {
            return self.udiv(a, b);
        }
        self.divide(BinOp::Sdiv, a, b)
    }
    /// Signed `a % b`, with the sign of `a`.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        if self.non_negative(a) && self.non_negative(b) {
            return self.urem(a, b);
        }
        self.divide(BinOp::Srem, a, b)
    }

    /// Whether the sign bit is plainly zero.
    pub(super) fn non_negative(&self, t: Term) -> bool {
        match self.node(t) {
            Node::Bv { width, value } => value >> (width - 1) == 0,
            Node::Extend { signed, of, .. } => !signed || self.non_negative(of),
            Node::Ite(_, a, b) => {
                self.as_bv(a).is_some() && self.as_bv(b).is_some() && {
                    self.non_negative(a) && self.non_negative(b)
                }
            }
            Node::Bin(BinOp::BvAnd, _, b) => self.as_bv(b).is_some() && self.non_negative(b),
            _ => false,
        }
    }

    /// A shift by a constant, or none.
    pub(super) fn shift_amount(&self, width: u16, amount: Term) -> Option<u16> {
        self.as_bv(amount).map(|n| n.min(u128::from(width)) as u16)
    }

    /// `a << b`; zero when `b` reaches the width.
    pub fn shl(&mut self, a: Term, b: Term) -> Term {
        if let Some(t) = self.fold_bv(BinOp::Shl, a, b) {
            return t;
        }
        let width = self.width(a);
        match self.shift_amount(width, b) {
            Some(n) if n >= width => self.bv(width, 0),
            Some(n) => {
                let factor = self.bv(width, 1 << n);
                self.mul(factor, a)
            }
            None => self.bin(BinOp::Shl, a, b, Sort::Bv(width)),
        }
    }
    /// `a >> b`, filling with zeros.
    pub fn lshr(&mut self, a: Term, b: Term) -> Term {
        if let Some(t) = self.fold_bv(BinOp::Lshr, a, b) {
            return t;
        }
        let width = self.width(a);
        match self.shift_amount(width, b) {
            Some(n) if n >= width => self.bv(width, 0),
            Some(n) => {
                let high = self.extract(width - 1, n, a);
                self.zext(width, high)
            }
            None => self.bin(BinOp::Lshr, a, b, Sort::Bv(width)),
        }
    }
    /// `a >> b`, filling with the sign.
    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        if let Some(t) = self.fold_bv(BinOp::Ashr, a, b) {
            return t;
        }
        let width = self.width(a);
        match self.shift_amount(width, b) {
            Some(n) => {
                let high = self.extract(width - 1, n.min(width - 1), a);
                self.sext(width, high)
            }
            None => self.bin(BinOp::Ashr, a, b, Sort::Bv(width)),
        }
    }
}
