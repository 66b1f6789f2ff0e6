//! Connectives and choices.

use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp};

/// How many conjuncts a new conjunct is compared with.
const LOOK: usize = 24;

/// What one conjunct says about a new one.
enum Verdict {
    Implied,
    Refuted,
    Silent,
}

impl Terms {
    /// `!a`
    pub fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Bool(b) => self.bool(!b),
            Node::Un(UnOp::Not, inner) => inner,
            _ => self.intern(Node::Un(UnOp::Not, a), Sort::Bool),
        }
    }

    /// `a && b`
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        if a == Terms::FALSE || b == Terms::FALSE {
            return Terms::FALSE;
        }
        if a == Terms::TRUE || a == b {
            return b;
        }
        if b == Terms::TRUE {
            return a;
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.against(x, y) {
                Verdict::Implied => return x,
                Verdict::Refuted => return Terms::FALSE,
                Verdict::Silent => {}
            }
            if let Some(t) = self.absorb(x, y) {
                return t;
            }
        }
        if let Some(t) = self.factor(a, b) {
            return t;
        }
        self.bin(BinOp::And, a.min(b), a.max(b), Sort::Bool)
    }

    /// What the conjuncts of `known` say about `new`.
    fn against(&self, known: Term, new: Term) -> Verdict {
        let mut work = vec![known];
        let mut looked = 0;
        while let Some(t) = work.pop() {
            looked += 1;
            if looked > LOOK {
                break;
            }
            if t == new {
                return Verdict::Implied;
            }
            if self.opposite(t, new) {
                return Verdict::Refuted;
            }
            match self.node(t) {
                Node::Bin(BinOp::And, x, y) => work.extend([x, y]),
                Node::Bin(BinOp::Eq, x, k) if self.as_bv(k).is_some() => {
                    let (atom, positive) = self.strip(new);
                    if let Node::Bin(BinOp::Eq, y, m) = self.node(atom)
                        && x == y
                        && self.as_bv(m).is_some()
                        && k != m
                    {
                        return match positive {
                            true => Verdict::Refuted,
                            false => Verdict::Implied,
                        };
                    }
                }
                _ => {}
            }
        }
        Verdict::Silent
    }

    /// `t` without its negation, and whether it had none.
    pub fn strip(&self, t: Term) -> (Term, bool) {
        match self.node(t) {
            Node::Un(UnOp::Not, inner) => (inner, false),
            _ => (t, true),
        }
    }

    /// Whether one is the other's negation.
    pub fn opposite(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Un(UnOp::Not, b) || self.node(b) == Node::Un(UnOp::Not, a)
    }

    /// `x && !(x && z)` is `x && !z`; `x && !(!x && z)` is `x`.
    fn absorb(&mut self, x: Term, y: Term) -> Option<Term> {
        let (inner, false) = self.strip(y) else {
            return None;
        };
        let Node::Bin(BinOp::And, p, q) = self.node(inner) else {
            return None;
        };
        for (p, q) in [(p, q), (q, p)] {
            if p == x {
                let rest = self.not(q);
                return Some(self.and(x, rest));
            }
            if self.opposite(p, x) {
                return Some(x);
            }
        }
        None
    }

    /// `!(a && p) && !(a && q)` is `!(a && (p || q))`.
    fn factor(&mut self, x: Term, y: Term) -> Option<Term> {
        let ((x, false), (y, false)) = (self.strip(x), self.strip(y)) else {
            return None;
        };
        let (Node::Bin(BinOp::And, a, b), Node::Bin(BinOp::And, c, d)) =
            (self.node(x), self.node(y))
        else {
            return None;
        };
        let (common, p, q) = match () {
            () if a == c => (a, b, d),
            () if a == d => (a, b, c),
            () if b == c => (b, a, d),
            () if b == d => (b, a, c),
            () => return None,
        };
        let either = self.or(p, q);
        let all = self.and(common, either);
        Some(self.not(all))
    }

    /// `a || b`
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_b = self.not(b);
        let fails = self.and(a, not_b);
        self.not(fails)
    }

    /// The conjunction of all.
    pub fn and_all(&mut self, all: impl IntoIterator<Item = Term>) -> Term {
        all.into_iter().fold(Terms::TRUE, |t, a| self.and(t, a))
    }

    /// The disjunction of all.
    pub fn or_all(&mut self, all: impl IntoIterator<Item = Term>) -> Term {
        all.into_iter().fold(Terms::FALSE, |t, a| self.or(t, a))
    }

    /// The conjuncts of `t`, which has no conjunction among them.
    pub fn conjuncts(&self, t: Term) -> Vec<Term> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.node(t) {
                Node::Bin(BinOp::And, a, b) => work.extend([b, a]),
                Node::Bool(true) => {}
                _ => found.push(t),
            }
        }
        found
    }

    /// `c ? a : b`, of any sort.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        if a == b || c == Terms::TRUE {
            return a;
        }
        if c == Terms::FALSE {
            return b;
        }
        if let (inner, false) = self.strip(c) {
            return self.ite(inner, b, a);
        }
        if self.sort(a) == Sort::Bool {
            return self.ite_bool(c, a, b);
        }
        // Choices by the same condition inside.
        let a = match self.node(a) {
            Node::Ite(d, x, _) if d == c => x,
            _ => a,
        };
        let b = match self.node(b) {
            Node::Ite(d, _, y) if d == c => y,
            _ => b,
        };
        if a == b {
            return a;
        }
        // c ? x : (d ? x : y) is (c || d) ? x : y, and the three like it.
        if let Node::Ite(d, x, y) = self.node(b) {
            if x == a {
                let either = self.or(c, d);
                return self.ite(either, a, y);
            }
            if y == a {
                let not_d = self.not(d);
                let either = self.or(c, not_d);
                return self.ite(either, a, x);
            }
        }
        if let Node::Ite(d, x, y) = self.node(a) {
            if y == b {
                let both = self.and(c, d);
                return self.ite(both, x, b);
            }
            if x == b {
                let not_d = self.not(d);
                let both = self.and(c, not_d);
                return self.ite(both, y, b);
            }
        }
        let sort = self.sort(a);
        self.intern(Node::Ite(c, a, b), sort)
    }

    fn ite_bool(&mut self, c: Term, a: Term, b: Term) -> Term {
        if a == Terms::TRUE || a == c {
            return self.or(c, b);
        }
        if b == Terms::FALSE || b == c {
            return self.and(c, a);
        }
        if a == Terms::FALSE || self.opposite(a, c) {
            let not_c = self.not(c);
            return self.and(not_c, b);
        }
        if b == Terms::TRUE || self.opposite(b, c) {
            return self.implies(c, a);
        }
        if self.opposite(a, b) {
            return self.eq(c, a);
        }
        self.intern(Node::Ite(c, a, b), Sort::Bool)
    }
}
