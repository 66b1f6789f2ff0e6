//! Evaluation of terms under a model.

use crate::build::fold;
use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp, mask, signed};
use rustc_hash::FxHashMap;

/// Values for uninterpreted constants; what is not listed is false or zero.
#[derive(Clone, Debug, Default)]
pub struct Model {
    values: FxHashMap<Term, u128>,
    arrays: FxHashMap<Term, FxHashMap<u128, u128>>,
}

impl Model {
    /// Sets a boolean (0 or 1) or bit-vector constant.
    pub fn set(&mut self, constant: Term, value: u128) {
        self.values.insert(constant, value);
    }
    /// Sets one element of an array constant.
    pub fn set_element(&mut self, array: Term, index: u128, value: u128) {
        self.arrays.entry(array).or_default().insert(index, value);
    }
    /// The value of a boolean term.
    pub fn bool(&self, terms: &Terms, t: Term) -> bool {
        self.bv(terms, t) == 1
    }
    /// The value of a boolean (0 or 1) or bit-vector term.
    pub fn bv(&self, terms: &Terms, t: Term) -> u128 {
        self.all(terms, &[t])[0]
    }
    /// The values of several terms, shared parts once.
    pub fn all(&self, terms: &Terms, roots: &[Term]) -> Vec<u128> {
        let mut known = FxHashMap::default();
        let values = roots.iter().map(|t| self.value(terms, *t, &mut known));
        values.collect()
    }
    /// The value of one element of an array constant.
    pub fn element(&self, array: Term, index: u128) -> u128 {
        let elements = self.arrays.get(&array);
        elements.and_then(|e| e.get(&index).copied()).unwrap_or(0)
    }
    /// The value of an uninterpreted constant as a term.
    pub fn term(&self, terms: &mut Terms, constant: Term) -> Term {
        let value = self.values.get(&constant).copied().unwrap_or(0);
        match terms.sort(constant) {
            Sort::Bool => terms.bool(value == 1),
            Sort::Bv(width) => terms.bv(width, value),
            Sort::Array { index, elem } => {
                let zero = terms.bv(elem, 0);
                let mut array = terms.const_array(index, zero);
                let elements = self.arrays.get(&constant).into_iter().flatten();
                let mut elements: Vec<(u128, u128)> = elements.map(|(i, v)| (*i, *v)).collect();
                elements.sort_unstable();
                for (i, v) in elements {
                    let (i, v) = (terms.bv(index, i), terms.bv(elem, v));
                    array = terms.store(array, i, v);
                }
                array
            }
        }
    }

    /// The value of a term; `known` has the values of parts that were asked for before.
    pub(crate) fn value(
        &self,
        terms: &Terms,
        root: Term,
        known: &mut FxHashMap<Term, u128>,
    ) -> u128 {
        let mut work = vec![root];
        while let Some(&t) = work.last() {
            if known.contains_key(&t) {
                work.pop();
                continue;
            }
            let before = work.len();
            match terms.node(t) {
                // Only the index of a read has a value.
                Node::Bin(BinOp::Select, _, i) => {
                    if !known.contains_key(&i) {
                        work.push(i);
                    }
                }
                _ => terms.for_each_operand(t, |o| {
                    if !known.contains_key(&o) {
                        work.push(o);
                    }
                }),
            }
            if work.len() > before {
                continue;
            }
            work.pop();
            let value = self.step(terms, t, known);
            known.insert(t, value);
        }
        known[&root]
    }

    fn step(&self, terms: &Terms, t: Term, known: &FxHashMap<Term, u128>) -> u128 {
        let get = |t: Term| known[&t];
        match terms.node(t) {
            Node::Bool(b) => b.into(),
            Node::Bv { value, .. } => value,
            Node::Const(_) => self.values.get(&t).copied().unwrap_or(0),
            Node::Un(UnOp::Not, a) => 1 - get(a),
            Node::Un(UnOp::BvNot, a) => !get(a) & mask(terms.width(t)),
            Node::Un(UnOp::Neg, a) => get(a).wrapping_neg() & mask(terms.width(t)),
            Node::Bin(BinOp::And, a, b) => get(a) & get(b),
            Node::Bin(BinOp::Eq, a, b) => u128::from(get(a) == get(b)),
            Node::Bin(BinOp::Concat, a, b) => (get(a) << terms.width(b)) | get(b),
            Node::Bin(BinOp::Select, a, i) => self.element(a, get(i)),
            Node::Bin(op, a, b) => fold(op, terms.width(a), get(a), get(b)),
            Node::Ite(c, a, b) => {
                if get(c) == 1 {
                    get(a)
                } else {
                    get(b)
                }
            }
            Node::Extract { hi, lo, of } => (get(of) >> lo) & mask(hi - lo + 1),
            Node::Extend {
                signed: true,
                width,
                of,
            } => signed(terms.width(of), get(of)) as u128 & mask(width),
            Node::Extend { of, .. } => get(of),
            Node::Float(op, args) => {
                let mut values = [0; 4];
                for (value, t) in values.iter_mut().zip(&args[..op.arity()]) {
                    *value = get(*t);
                }
                op.apply(values, terms.integer_width(op, &args))
            }
            // Whole arrays have no value here: reads are always of constants.
            Node::Store(..) | Node::ConstArray { .. } => 0,
        }
    }
}
