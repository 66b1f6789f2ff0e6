//! Bitwise operators, parts of bit-vectors, widening.

use crate::build::arith::Sum;
use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp, mask, signed};

impl Terms {
    /// `~a`
    pub fn bvnot(&mut self, a: Term) -> Term {
        let width = self.width(a);
        if let Some(v) = self.as_bv(a) {
            return self.bv(width, !v);
        }
        if let Some((c, x, y)) = self.choice(a) {
            let x = self.bv(width, !x);
            let y = self.bv(width, !y);
            return self.ite(c, x, y);
        }
        match self.node(a) {
            Node::Un(UnOp::BvNot, inner) => inner,
            _ => self.intern(Node::Un(UnOp::BvNot, a), Sort::Bv(width)),
        }
    }

    fn bitwise(&mut self, op: BinOp, a: Term, b: Term) -> Result<(Term, Term), Term> {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(t) = self.fold_bv(op, a, b) {
            return Err(t);
        }
        // A constant on the right, else in order.
        Ok(match (self.as_bv(a), self.as_bv(b)) {
            (Some(_), _) => (b, a),
            (None, Some(_)) => (a, b),
            _ => (a.min(b), a.max(b)),
        })
    }

    /// `a & b`
    pub fn bvand(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = match self.bitwise(BinOp::BvAnd, a, b) {
            Ok(ordered) => ordered,
            Err(done) => return done,
        };
        let width = self.width(a);
        if a == b || self.as_bv(b) == Some(mask(width)) {
            return a;
        }
        if let Some(m) = self.as_bv(b) {
            if m == 0 {
                return b;
            }
            if m & (m + 1) == 0 {
                let low = self.extract((m.count_ones() - 1) as u16, 0, a);
                return self.zext(width, low);
            }
            if let Node::Bin(BinOp::BvAnd, x, n) = self.node(a)
                && let Some(n) = self.as_bv(n)
            {
                let both = self.bv(width, m & n);
                return self.bvand(x, both);
            }
        }
        self.bin(BinOp::BvAnd, a, b, Sort::Bv(width))
    }

    /// `a | b`
    pub fn bvor(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = match self.bitwise(BinOp::BvOr, a, b) {
            Ok(ordered) => ordered,
            Err(done) => return done,
        };
        let width = self.width(a);
        if a == b || self.as_bv(b) == Some(0) {
            return a;
        }
        if self.as_bv(b) == Some(mask(width)) {
            return b;
        }
        self.bin(BinOp::BvOr, a, b, Sort::Bv(width))
    }

    /// `a ^ b`
    pub fn bvxor(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = match self.bitwise(BinOp::BvXor, a, b) {
            Ok(ordered) => ordered,
            Err(done) => return done,
        };
        let width = self.width(a);
        if a == b {
            return self.bv(width, 0);
        }
        if self.as_bv(b) == Some(0) {
            return a;
        }
        if self.as_bv(b) == Some(mask(width)) {
            return self.bvnot(a);
        }
        self.bin(BinOp::BvXor, a, b, Sort::Bv(width))
    }

    /// `a` above `b`.
    ///
    /// # Panics
    /// When the result would have more than 128 bits.
    pub fn concat(&mut self, a: Term, b: Term) -> Term {
        let (wa, wb) = (self.width(a), self.width(b));
        let width = wa + wb;
        assert!(width <= 128, "a bit-vector of {width} bits");
        if let Some((x, y)) = self.two(a, b) {
            return self.bv(width, (x << wb) | y);
        }
        if self.as_bv(a) == Some(0) {
            return self.zext(width, b);
        }
        match (self.node(a), self.node(b)) {
            (
                Node::Extract { hi, lo, of },
                Node::Extract {
                    hi: h,
                    lo: l,
                    of: o,
                },
            ) if of == o && lo == h + 1 => return self.extract(hi, l, of),
            (Node::Ite(c, x, y), Node::Ite(d, z, w)) if c == d => {
                let then = self.concat(x, z);
                let els = self.concat(y, w);
                return self.ite(c, then, els);
            }
            (Node::Ite(c, x, y), Node::Bv { .. }) if self.two(x, y).is_some() => {
                let then = self.concat(x, b);
                let els = self.concat(y, b);
                return self.ite(c, then, els);
            }
            _ => {}
        }
        self.bin(BinOp::Concat, a, b, Sort::Bv(width))
    }

    /// Bits `hi` down to `lo` of `a`.
    pub fn extract(&mut self, hi: u16, lo: u16, a: Term) -> Term {
        let width = self.width(a);
        debug_assert!(lo <= hi && hi < width);
        let len = hi - lo + 1;
        if len == width {
            return a;
        }
        match self.node(a) {
            Node::Bv { value, .. } => return self.bv(len, value >> lo),
            Node::Extract { lo: l, of, .. } => return self.extract(hi + l, lo + l, of),
            Node::Bin(BinOp::Concat, x, y) => {
                let low = self.width(y);
                if hi < low {
                    return self.extract(hi, lo, y);
                }
                if lo >= low {
                    return self.extract(hi - low, lo - low, x);
                }
                let high = self.extract(hi - low, 0, x);
                let low = self.extract(low - 1, lo, y);
                return self.concat(high, low);
            }
            Node::Extend { signed: s, of, .. } => {
                let narrow = self.width(of);
                if hi < narrow {
                    return self.extract(hi, lo, of);
                }
                if lo < narrow {
                    let part = self.extract(narrow - 1, lo, of);
                    return match s {
                        true => self.sext(len, part),
                        false => self.zext(len, part),
                    };
                }
                if !s {
                    return self.bv(len, 0);
                }
                let sign = self.extract(narrow - 1, narrow - 1, of);
                return self.sext(len, sign);
            }
            Node::Ite(c, x, y) if self.light(x) && self.light(y) => {
                let then = self.extract(hi, lo, x);
                let els = self.extract(hi, lo, y);
                return self.ite(c, then, els);
            }
            Node::Bin(BinOp::Add | BinOp::Mul, ..) | Node::Un(UnOp::Neg, _) => {
                if let Some(t) = self.extract_sum(hi, lo, a) {
                    return t;
                }
            }
            Node::Bin(op @ (BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor), x, y)
                if self.light(x) && self.light(y) =>
            {
                let x = self.extract(hi, lo, x);
                let y = self.extract(hi, lo, y);
                return self.binary(op, x, y);
            }
            Node::Un(UnOp::BvNot, x) => {
                let x = self.extract(hi, lo, x);
                return self.bvnot(x);
            }
            _ => {}
        }
        self.intern(Node::Extract { hi, lo, of: a }, Sort::Bv(len))
    }

    /// Whether taking a part of `t` costs no new node.
    fn light(&self, t: Term) -> bool {
        match self.node(t) {
            Node::Bv { .. } | Node::Extend { .. } | Node::Extract { .. } => true,
            Node::Bin(BinOp::Concat, ..) => true,
            Node::Ite(_, a, b) => self.as_bv(a).is_some() && self.as_bv(b).is_some(),
            Node::Bin(BinOp::Mul, c, x) => self.as_bv(c).is_some() && self.light(x),
            _ => false,
        }
    }

    /// The low bits of a sum are the sum of the low bits; bits above a common power of two of
    /// all factors are those of the divided sum.
    fn extract_sum(&mut self, hi: u16, lo: u16, a: Term) -> Option<Term> {
        let width = self.width(a);
        let sum = self.sum(a)?;
        if lo > 0 {
            let low = mask(lo);
            if sum.constant & low != 0 || sum.summands.iter().any(|(_, f)| f & low != 0) {
                return None;
            }
            let divided = Sum {
                summands: sum
                    .summands
                    .iter()
                    .map(|(t, f)| (*t, (f & mask(width)) >> lo))
                    .collect(),
                constant: (sum.constant & mask(width)) >> lo,
            };
            let divided = self.build_sum(width, divided);
            return Some(self.extract(hi - lo, 0, divided));
        }
        let len = hi + 1;
        let kept: Vec<_> = sum
            .summands
            .into_iter()
            .filter(|(_, f)| f & mask(len) != 0)
            .collect();
        if !kept.iter().all(|(t, _)| self.light(*t)) {
            return None;
        }
        let mut total = self.bv(len, sum.constant);
        for (t, f) in kept {
            let part = self.extract(hi, 0, t);
            let factor = self.bv(len, f);
            let item = self.mul(factor, part);
            total = self.add(total, item);
        }
        Some(total)
    }

    /// `a` widened with zeros to `width`.
    pub fn zext(&mut self, width: u16, a: Term) -> Term {
        let from = self.width(a);
        debug_assert!(from <= width);
        if from == width {
            return a;
        }
        if let Some(v) = self.as_bv(a) {
            return self.bv(width, v);
        }
        if let Some((c, x, y)) = self.choice(a) {
            let x = self.bv(width, x);
            let y = self.bv(width, y);
            return self.ite(c, x, y);
        }
        let of = match self.node(a) {
            Node::Extend {
                signed: false, of, ..
            } => of,
            _ => a,
        };
        let node = Node::Extend {
            signed: false,
            width,
            of,
        };
        self.intern(node, Sort::Bv(width))
    }

    /// `a` widened with its sign to `width`.
    pub fn sext(&mut self, width: u16, a: Term) -> Term {
        let from = self.width(a);
        debug_assert!(from <= width);
        if from == width {
            return a;
        }
        if let Some(v) = self.as_bv(a) {
            return self.bv(width, signed(from, v) as u128);
        }
        if let Some((c, x, y)) = self.choice(a) {
            let x = self.bv(width, signed(from, x) as u128);
            let y = self.bv(width, signed(from, y) as u128);
            return self.ite(c, x, y);
        }
        let (sign, of) = match self.node(a) {
            Node::Extend { signed, of, .. } => (signed, of),
            _ => (true, a),
        };
        let node = Node::Extend {
            signed: sign,
            width,
            of,
        };
        self.intern(node, Sort::Bv(width))
    }

    /// `a` cut or widened to `width`, with its sign if `sign`.
    pub fn resize(&mut self, width: u16, sign: bool, a: Term) -> Term {
        let from = self.width(a);
        match () {
            () if from > width => self.extract(width - 1, 0, a),
            () if sign => self.sext(width, a),
            () => self.zext(width, a),
        }
    }

    /// A boolean as a bit-vector of `width` bits: 1 or 0.
    pub fn from_bool(&mut self, width: u16, a: Term) -> Term {
        let one = self.bv(width, 1);
        let zero = self.bv(width, 0);
        self.ite(a, one, zero)
    }

    /// Whether a bit-vector is not zero.
    pub fn nonzero(&mut self, a: Term) -> Term {
        let zero = self.bv(self.width(a), 0);
        self.ne(a, zero)
    }
}
