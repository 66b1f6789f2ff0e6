//! Whether unbounded integers may be decided as bit-vectors: if linear constraints have an
//! integer solution at all, they have a small one (Seshia and Bryant, LICS 2004). With n unknowns
//! of which constraints other than `x - y >= c` relate at most w, k such constraints at a time (no
//! more than n can be independent), factors up to a and constants up to b, some solution stays
//! within `(n + 2) * (n + 1) * (b + 1) * (a * w)^k`.

use crate::encode::{INTEGER_BITS, INTEGER_WIDTH, NARROW};
use cwolf_logic::{BinOp, Node, Sort, Term, Terms, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// The shape of the linear constraints of a question.
#[derive(Default)]
struct Shape {
    seen: FxHashSet<Term>,
    unknowns: FxHashSet<Term>,
    /// Constraints that are more than a difference.
    general: u32,
    widest: usize,
    factor: u128,
    constant: u128,
    /// The indices at which each array is read.
    reads: FxHashMap<Term, Vec<Term>>,
    strange: bool,
}

/// A sum of unknowns with factors, and a constant.
#[derive(Clone, Default)]
struct Linear {
    parts: FxHashMap<Term, i128>,
    constant: i128,
}

/// Whether the solver's answer to a question made of `roots` holds for unbounded integers.
pub(crate) fn fits(terms: &Terms, roots: &[Term]) -> bool {
    let mut shape = Shape {
        factor: 1,
        // Sizes of objects stand in facts about addresses.
        constant: 1 << 12,
        ..Shape::default()
    };
    for root in roots {
        shape.boolean(terms, *root);
    }
    shape.congruence(terms);
    if shape.strange {
        return false;
    }
    let log = |n: u128| f64::from(128 - n.leading_zeros());
    let n = shape.unknowns.len() as u128;
    let k = f64::from(shape.general.min(n as u32));
    let basis = log(shape.factor * shape.widest.max(1) as u128);
    let bits = log(n + 2) + log(n + 1) + log(shape.constant + 1) + k * basis + 1.0;
    // No sum may leave the word either.
    let reach = f64::from(INTEGER_BITS) + log(shape.factor) + log(shape.widest.max(2) as u128);
    bits <= f64::from(INTEGER_BITS) && reach < f64::from(INTEGER_WIDTH) - 1.0
}

/// How many narrow pointers a question speaks of.
pub(crate) fn pointers(terms: &Terms, roots: &[Term]) -> usize {
    let mut seen = FxHashSet::default();
    let mut work = roots.to_vec();
    let mut count = 0;
    while let Some(t) = work.pop() {
        if seen.insert(t) {
            let symbol = matches!(terms.node(t), Node::Const(_) | Node::Bin(BinOp::Select, ..));
            count += usize::from(symbol && terms.sort(t) == Sort::Bv(NARROW));
            terms.for_each_operand(t, |o| work.push(o));
        }
    }
    count
}

impl Shape {
    fn boolean(&mut self, terms: &Terms, t: Term) {
        if !self.seen.insert(t) {
            return;
        }
        match terms.node(t) {
            Node::Bool(_) => {}
            Node::Const(_) => {}
            Node::Un(UnOp::Not, a) => self.boolean(terms, a),
            Node::Bin(BinOp::And, a, b) => {
                self.boolean(terms, a);
                self.boolean(terms, b);
            }
            Node::Ite(c, a, b) => {
                for part in [c, a, b] {
                    self.boolean(terms, part);
                }
            }
            Node::Bin(BinOp::Eq, a, b) if terms.sort(a) == Sort::Bool => {
                self.boolean(terms, a);
                self.boolean(terms, b);
            }
            Node::Bin(BinOp::Eq | BinOp::Slt | BinOp::Ult, a, b) => self.constraint(terms, a, b),
            _ => self.strange = true,
        }
    }
    fn constraint(&mut self, terms: &Terms, a: Term, b: Term) {
        // Floating-point numbers and other bare words are only ever compared for equality.
        if terms.width(a) != INTEGER_WIDTH {
            self.words(terms, a);
            self.words(terms, b);
            return;
        }
        let mut sum = Linear::default();
        self.linear(terms, a, 1, &mut sum);
        self.linear(terms, b, -1, &mut sum);
        self.note(&sum);
    }
    fn note(&mut self, sum: &Linear) {
        let parts: Vec<i128> = sum.parts.values().copied().filter(|f| *f != 0).collect();
        let factor = parts.iter().map(|f| f.unsigned_abs()).max().unwrap_or(1);
        self.factor = self.factor.max(factor);
        self.constant = self.constant.max(sum.constant.unsigned_abs());
        self.widest = self.widest.max(parts.len());
        let difference = match parts[..] {
            [] => true,
            [f] => f.abs() == 1,
            [f, g] => f.abs() == 1 && f == -g,
            _ => false,
        };
        self.general += u32::from(!difference);
    }
    /// Words that are no numbers: symbols, and what tables hold.
    fn words(&mut self, terms: &Terms, t: Term) {
        match terms.node(t) {
            Node::Bv { .. } | Node::Const(_) => {}
            Node::Ite(c, a, b) => {
                self.boolean(terms, c);
                self.words(terms, a);
                self.words(terms, b);
            }
            Node::Bin(BinOp::Select, ..) => self.unknown(terms, t),
            _ => self.strange = true,
        }
    }
    fn unknown(&mut self, terms: &Terms, t: Term) {
        if !self.unknowns.insert(t) {
            return;
        }
        if let Node::Bin(BinOp::Select, array, index) = terms.node(t) {
            self.reads.entry(array).or_default().push(index);
        }
    }
    fn linear(&mut self, terms: &Terms, t: Term, factor: i128, sum: &mut Linear) {
        match terms.node(t) {
            Node::Bv { .. } => {
                let value = terms.as_signed(t).expect("a constant");
                sum.constant = sum.constant.saturating_add(value.saturating_mul(factor));
            }
            Node::Bin(BinOp::Add, a, b) => {
                self.linear(terms, a, factor, sum);
                self.linear(terms, b, factor, sum);
            }
            Node::Un(UnOp::Neg, a) => self.linear(terms, a, -factor, sum),
            Node::Bin(BinOp::Mul, a, b) => match (terms.as_signed(a), terms.as_signed(b)) {
                (Some(n), _) => self.linear(terms, b, factor.saturating_mul(n), sum),
                (_, Some(n)) => self.linear(terms, a, factor.saturating_mul(n), sum),
                _ => self.strange = true,
            },
            Node::Bin(BinOp::Shl, a, b) => match terms.as_bv(b) {
                Some(n) if n < 40 => self.linear(terms, a, factor.saturating_mul(1 << n), sum),
                _ => self.strange = true,
            },
            // A choice is an unknown that equals one side or the other.
            Node::Ite(c, a, b) => {
                *sum.parts.entry(t).or_default() += factor;
                if self.unknowns.insert(t) {
                    self.boolean(terms, c);
                    for side in [a, b] {
                        let mut equal = Linear::default();
                        equal.parts.insert(t, 1);
                        self.linear(terms, side, -1, &mut equal);
                        self.note(&equal);
                    }
                }
            }
            Node::Const(_) | Node::Bin(BinOp::Select, ..) => {
                *sum.parts.entry(t).or_default() += factor;
                self.unknown(terms, t);
            }
            _ => self.strange = true,
        }
    }
    /// Equal indices give equal elements: each pair of reads is a constraint or two.
    fn congruence(&mut self, terms: &Terms) {
        let mut done: FxHashMap<Term, usize> = FxHashMap::default();
        // Indices may hold further reads.
        loop {
            let arrays: Vec<Term> = self.reads.keys().copied().collect();
            let mut grown = false;
            for array in arrays {
                let indices = self.reads[&array].clone();
                let start = done.insert(array, indices.len()).unwrap_or(0);
                for (n, a) in indices.iter().enumerate() {
                    for b in &indices[(n + 1).max(start)..] {
                        grown = true;
                        self.equal_indices(terms, *a, *b);
                    }
                }
                if indices.len() == 1 && start == 0 {
                    grown = true;
                    self.equal_indices(terms, indices[0], indices[0]);
                }
            }
            if !grown {
                return;
            }
        }
    }
    fn equal_indices(&mut self, terms: &Terms, a: Term, b: Term) {
        match (terms.node(a), terms.node(b)) {
            (Node::Bin(BinOp::Concat, a1, a2), Node::Bin(BinOp::Concat, b1, b2))
                if terms.width(a2) == terms.width(b2) =>
            {
                self.equal_indices(terms, a1, b1);
                self.equal_indices(terms, a2, b2);
            }
            _ if terms.width(a) == INTEGER_WIDTH => self.constraint(terms, a, b),
            (Node::Bv { .. }, _) | (_, Node::Bv { .. }) => {}
            _ => {
                self.words(terms, a);
                self.words(terms, b);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_questions_fit_and_huge_factors_do_not() {
        let mut terms = Terms::new();
        let word = Sort::Bv(INTEGER_WIDTH);
        let (x, y) = (terms.constant("x", word), terms.constant("y", word));
        let (two, five) = (terms.bv(INTEGER_WIDTH, 2), terms.bv(INTEGER_WIDTH, 5));
        let double = terms.mul(x, two);
        let sum = terms.add(double, y);
        let small = terms.slt(sum, five);
        assert!(fits(&terms, &[small]));
        let product = terms.mul(x, y);
        let strange = terms.slt(product, five);
        assert!(!fits(&terms, &[strange]), "products are not linear");
        let huge = terms.bv(INTEGER_WIDTH, 1 << 50);
        let far = terms.slt(x, huge);
        assert!(!fits(&terms, &[far]), "the solution may lie outside");
    }
}
