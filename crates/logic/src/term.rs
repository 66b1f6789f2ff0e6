//! Hash-consed terms: the arena and its nodes. How they are made is in `build`.

use crate::float::{FloatArgs, FloatOp};
use rustc_hash::FxHashMap;

/// A term: a number in its [`Terms`]; equal terms have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u32);

/// What kind of value a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// True or false.
    Bool,
    /// A bit-vector of 1 to 128 bits.
    Bv(u16),
    /// A map from bit-vectors to bit-vectors.
    Array {
        /// Bits of an index.
        index: u16,
        /// Bits of an element.
        elem: u16,
    },
}

/// Operators on one term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnOp {
    /// Of a boolean.
    Not,
    /// Every bit flipped.
    BvNot,
    /// Two's complement negation.
    Neg,
}

/// Operators on two terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinOp {
    /// Of booleans. There is no disjunction node: it is a negated conjunction.
    And,
    /// Of booleans or bit-vectors.
    Eq,
    /// Unsigned `<`.
    Ult,
    /// Signed `<`.
    Slt,
    /// Sum, wrapping.
    Add,
    /// Product, wrapping.
    Mul,
    /// Unsigned quotient; all ones by zero.
    Udiv,
    /// Unsigned remainder; the dividend by zero.
    Urem,
    /// Signed quotient, towards zero.
    Sdiv,
    /// Signed remainder, with the dividend's sign.
    Srem,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Shift left; zero when the amount reaches the width.
    Shl,
    /// Shift right, filling with zeros.
    Lshr,
    /// Shift right, filling with the sign.
    Ashr,
    /// The first operand above the second.
    Concat,
    /// The array's element at the index; the array is always a constant symbol.
    Select,
}

/// What a term is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A boolean value.
    Bool(bool),
    /// A bit-vector value; bits past the width are zero.
    Bv {
        /// Bits.
        width: u16,
        /// The value.
        value: u128,
    },
    /// An uninterpreted constant, by its number.
    Const(u32),
    /// An operator on one term.
    Un(UnOp, Term),
    /// An operator on two terms.
    Bin(BinOp, Term, Term),
    /// If the first holds the second, else the third; of any sort.
    Ite(Term, Term, Term),
    /// Bits `hi` down to `lo`.
    Extract {
        /// The highest bit.
        hi: u16,
        /// The lowest bit.
        lo: u16,
        /// Of what.
        of: Term,
    },
    /// Widened with zeros, or with the sign.
    Extend {
        /// With the sign?
        signed: bool,
        /// The new width.
        width: u16,
        /// What.
        of: Term,
    },
    /// The array with one element replaced: array, index, element.
    Store(Term, Term, Term),
    /// A floating-point operation.
    Float(FloatOp, FloatArgs),
    /// The array that holds the same element everywhere.
    ConstArray {
        /// Bits of an index.
        index: u16,
        /// The element.
        of: Term,
    },
}

/// Owns terms. All terms given to one method must be of one `Terms`.
#[derive(Clone, Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    ids: FxHashMap<Node, Term>,
    names: Vec<String>,
    symbols: FxHashMap<String, Term>,
    /// Constants that stand for another one in a step of a run, and what they stand for.
    copies: FxHashMap<(Term, usize), Term>,
    originals: FxHashMap<Term, Term>,
    /// Reads of chosen arrays that are done: without it, nested choices cost exponential time.
    pub(crate) reads: FxHashMap<(Term, Term), Term>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// The term `false` of every `Terms`.
    pub const FALSE: Term = Term(0);
    /// The term `true` of every `Terms`.
    pub const TRUE: Term = Term(1);

    /// No terms but `false` and `true`.
    pub fn new() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            sorts: Vec::new(),
            ids: FxHashMap::default(),
            names: Vec::new(),
            symbols: FxHashMap::default(),
            copies: FxHashMap::default(),
            originals: FxHashMap::default(),
            reads: FxHashMap::default(),
        };
        terms.intern(Node::Bool(false), Sort::Bool);
        terms.intern(Node::Bool(true), Sort::Bool);
        terms
    }
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Never: the truth values are always there.
    pub fn is_empty(&self) -> bool {
        false
    }
    /// What `t` is made of.
    pub fn node(&self, t: Term) -> Node {
        self.nodes[t.0 as usize]
    }
    /// The sort of `t`.
    pub fn sort(&self, t: Term) -> Sort {
        self.sorts[t.0 as usize]
    }
    /// The width of a bit-vector.
    ///
    /// # Panics
    /// When `t` is not a bit-vector.
    pub fn width(&self, t: Term) -> u16 {
        match self.sort(t) {
            Sort::Bv(width) => width,
            sort => panic!("a bit-vector was expected, not a {sort:?}"),
        }
    }
    /// The value of a bit-vector constant.
    pub fn as_bv(&self, t: Term) -> Option<u128> {
        match self.node(t) {
            Node::Bv { value, .. } => Some(value),
            _ => None,
        }
    }
    /// The value of a bit-vector constant read as a signed number.
    pub fn as_signed(&self, t: Term) -> Option<i128> {
        match self.node(t) {
            Node::Bv { value, width } => Some(signed(width, value)),
            _ => None,
        }
    }
    /// A number that an unsigned bit-vector surely does not exceed, as far as its form shows.
    pub fn at_most(&self, t: Term) -> u128 {
        // Terms can be deep, and only the uppermost operators matter.
        self.at_most_within(t, 8)
    }

    fn at_most_within(&self, t: Term, depth: u32) -> u128 {
        let width = self.width(t);
        let all = u128::MAX >> (128 - u32::from(width.clamp(1, 128)));
        if depth == 0 {
            return all;
        }
        let of = |t: Term| self.at_most_within(t, depth - 1);
        let bound = match self.node(t) {
            Node::Bv { value, .. } => value,
            Node::Extend {
                signed: false,
                of: t,
                ..
            } => of(t),
            Node::Bin(BinOp::Add, a, b) => of(a).saturating_add(of(b)),
            Node::Bin(BinOp::Mul, a, b) => of(a).saturating_mul(of(b)),
            Node::Bin(BinOp::BvAnd, a, b) => of(a).min(of(b)),
            Node::Bin(BinOp::Udiv, a, b) if self.as_bv(b).is_some_and(|n| n > 0) => of(a),
            Node::Bin(BinOp::Lshr, a, _) => of(a),
            Node::Bin(BinOp::Urem, _, b) if self.as_bv(b).is_some_and(|n| n > 0) => of(b),
            Node::Bin(BinOp::Concat, a, b) => {
                let low = self.width(b);
                of(a)
                    .checked_shl(low.into())
                    .map_or(all, |a| a.saturating_add(of(b)))
            }
            Node::Ite(_, a, b) => of(a).max(of(b)),
            _ => all,
        };
        // A sum or product that does not fit wraps.
        if bound > all { all } else { bound }
    }

    /// The value of a boolean constant.
    pub fn as_bool(&self, t: Term) -> Option<bool> {
        match self.node(t) {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }
    /// A truth value.
    pub fn bool(&self, value: bool) -> Term {
        if value { Terms::TRUE } else { Terms::FALSE }
    }
    /// A bit-vector constant; bits past the width are cut off.
    pub fn bv(&mut self, width: u16, value: u128) -> Term {
        debug_assert!((1..=128).contains(&width));
        let value = value & mask(width);
        self.intern(Node::Bv { width, value }, Sort::Bv(width))
    }
    /// The uninterpreted constant called `name`.
    ///
    /// # Panics
    /// When the name already stands for a constant of another sort.
    pub fn constant(&mut self, name: &str, sort: Sort) -> Term {
        if let Some(&t) = self.symbols.get(name) {
            assert_eq!(self.sort(t), sort, "two sorts for {name}");
            return t;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        let t = self.intern(Node::Const(number), sort);
        self.symbols.insert(name.to_owned(), t);
        t
    }
    /// A new uninterpreted constant whose name starts with `hint`.
    pub fn fresh(&mut self, hint: &str, sort: Sort) -> Term {
        let mut name = format!("{hint}!{}", self.names.len());
        while self.symbols.contains_key(&name) {
            name.push('\'');
        }
        self.constant(&name, sort)
    }
    /// The uninterpreted constant that stands for another one in a step of a run: the same for the same step.
    pub fn copy_at(&mut self, constant: Term, step: usize) -> Term {
        if let Some(&known) = self.copies.get(&(constant, step)) {
            return known;
        }
        let name = format!("{}@{step}", self.name(constant).unwrap_or_default());
        let copy = match self.symbols.contains_key(&name) {
            false => self.constant(&name, self.sort(constant)),
            true => self.fresh(&name, self.sort(constant)),
        };
        self.copies.insert((constant, step), copy);
        self.originals.insert(copy, constant);
        copy
    }
    /// Whether a constant stands for another one in some step.
    pub fn is_copy(&self, constant: Term) -> bool {
        self.originals.contains_key(&constant)
    }
    /// The name of an uninterpreted constant.
    pub fn name(&self, t: Term) -> Option<&str> {
        match self.node(t) {
            Node::Const(number) => Some(&self.names[number as usize]),
            _ => None,
        }
    }
    /// Calls `visit` for each direct operand of `t`.
    pub fn for_each_operand(&self, t: Term, mut visit: impl FnMut(Term)) {
        match self.node(t) {
            Node::Bool(_) | Node::Bv { .. } | Node::Const(_) => {}
            Node::Un(_, a)
            | Node::Extract { of: a, .. }
            | Node::Extend { of: a, .. }
            | Node::ConstArray { of: a, .. } => visit(a),
            Node::Bin(_, a, b) => {
                visit(a);
                visit(b);
            }
            Node::Float(op, args) => args[..op.arity()].iter().for_each(|t| visit(*t)),
            Node::Ite(a, b, c) | Node::Store(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
        }
    }
    /// The uninterpreted constants in the given terms, in rising order.
    pub fn constants(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut work = roots.to_vec();
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            if matches!(self.node(t), Node::Const(_)) {
                found.push(t);
            }
            self.for_each_operand(t, |o| work.push(o));
        }
        found.sort_unstable();
        found
    }
    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(&t) = self.ids.get(&node) {
            return t;
        }
        let t = Term(self.nodes.len() as u32);
        self.nodes.push(node);
        self.sorts.push(sort);
        self.ids.insert(node, t);
        t
    }
}

/// The bits that a width has.
pub(crate) fn mask(width: u16) -> u128 {
    u128::MAX >> (128 - width)
}

/// `value` of `width` bits as a signed number.
pub(crate) fn signed(width: u16, value: u128) -> i128 {
    ((value << (128 - width)) as i128) >> (128 - width)
}
