//! Why a term has the value that a model gives it: comparisons that suffice.

use crate::eval::Model;
use crate::substitute::Substitution;
use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values of all parts of a term under a model.
pub struct Justify<'m> {
    model: &'m Model,
    values: FxHashMap<Term, u128>,
    resolved: FxHashMap<Term, Term>,
}

impl<'m> Justify<'m> {
    /// For one model.
    pub fn new(model: &'m Model) -> Justify<'m> {
        Justify {
            model,
            values: FxHashMap::default(),
            resolved: FxHashMap::default(),
        }
    }

    /// Whether a boolean term is true in the model.
    pub fn holds(&mut self, terms: &Terms, t: Term) -> bool {
        self.model.value(terms, t, &mut self.values) == 1
    }

    /// Literals, true in the model, that make `t` true; `t` must be true in the model.
    pub fn literals(&mut self, terms: &mut Terms, t: Term, out: &mut Vec<Term>) {
        // Each call gives all conditions that it needs itself.
        self.resolved.clear();
        let mut work = vec![t];
        let mut seen = FxHashSet::default();
        while let Some(t) = work.pop() {
            if !seen.insert(t) || t == Terms::TRUE {
                continue;
            }
            match terms.node(t) {
                Node::Bin(BinOp::And, a, b) => work.extend([a, b]),
                Node::Un(UnOp::Not, inner) => match terms.node(inner) {
                    Node::Bin(BinOp::And, a, b) => {
                        let side = if self.holds(terms, a) { b } else { a };
                        work.push(terms.not(side));
                    }
                    Node::Ite(c, a, b) if terms.sort(a) == Sort::Bool => {
                        let (c, side) = self.side(terms, c, a, b);
                        work.push(c);
                        work.push(terms.not(side));
                    }
                    Node::Bin(BinOp::Eq, a, b) if terms.sort(a) == Sort::Bool => {
                        self.both(terms, a, b, &mut work);
                    }
                    Node::Bin(op, a, b) => self.atom(terms, op, a, b, false, out, &mut work),
                    _ => out.push(t),
                },
                Node::Ite(c, a, b) => {
                    let (c, side) = self.side(terms, c, a, b);
                    work.extend([c, side]);
                }
                Node::Bin(BinOp::Eq, a, b) if terms.sort(a) == Sort::Bool => {
                    self.both(terms, a, b, &mut work);
                }
                Node::Bin(op, a, b) => self.atom(terms, op, a, b, true, out, &mut work),
                _ => out.push(t),
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    fn side(&mut self, terms: &mut Terms, c: Term, a: Term, b: Term) -> (Term, Term) {
        match self.holds(terms, c) {
            true => (c, a),
            false => (terms.not(c), b),
        }
    }

    fn both(&mut self, terms: &mut Terms, a: Term, b: Term, work: &mut Vec<Term>) {
        for t in [a, b] {
            let literal = if self.holds(terms, t) {
                t
            } else {
                terms.not(t)
            };
            work.push(literal);
        }
    }

    /// A comparison of numbers whose choices are made as in the model.
    #[allow(clippy::too_many_arguments)]
    fn atom(
        &mut self,
        terms: &mut Terms,
        op: BinOp,
        a: Term,
        b: Term,
        positive: bool,
        out: &mut Vec<Term>,
        work: &mut Vec<Term>,
    ) {
        let a = self.resolve(terms, a, work);
        let b = self.resolve(terms, b, work);
        let t = terms.binary(op, a, b);
        let t = if positive { t } else { terms.not(t) };
        // Simplification may leave a combination again.
        match terms.node(terms.strip(t).0) {
            Node::Bin(BinOp::Eq | BinOp::Ult | BinOp::Slt, x, _) if terms.sort(x) != Sort::Bool => {
                out.push(t);
            }
            _ => work.push(t),
        }
    }

    /// A number without choices: each made as in the model, its condition put on `work`.
    fn resolve(&mut self, terms: &mut Terms, t: Term, work: &mut Vec<Term>) -> Term {
        if terms.sort(t) == Sort::Bool {
            return t;
        }
        if let Some(&known) = self.resolved.get(&t) {
            return known;
        }
        let result = match terms.node(t) {
            Node::Ite(c, a, b) => {
                let (c, side) = self.side(terms, c, a, b);
                work.push(c);
                self.resolve(terms, side, work)
            }
            _ => {
                let mut operands = Vec::new();
                terms.for_each_operand(t, |o| operands.push(o));
                let mut pairs = Vec::new();
                for o in operands {
                    pairs.push((o, self.resolve(terms, o, work)));
                }
                match pairs.iter().all(|(a, b)| a == b) {
                    true => t,
                    false => Substitution::new(pairs).apply(terms, t),
                }
            }
        };
        self.resolved.insert(t, result);
        result
    }
}
