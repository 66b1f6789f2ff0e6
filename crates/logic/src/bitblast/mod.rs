//! Bit-blasting: each bit of a term is a literal of a SAT solver. Reads of one array are made
//! consistent lazily: when a model reads two values at one index, a lemma forbids that pair.

mod arith;
pub(crate) mod circuit;
mod float;
mod gates;
mod sums;

use crate::eval::Model;
use crate::sat::{Phase, Sat};
use crate::solver::{Answer, Lit, Solver};
use crate::term::{BinOp, Node, Sort, Term, Terms, UnOp};
use cwolf_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use sums::Chain;

/// The literal that is always true.
const TRUE: i32 = 1;

/// Terms translated between two looks at the budget.
const PAUSE: usize = 2048;

/// A read of an array constant: the bits of its index and of its value.
struct Read {
    index: Vec<i32>,
    value: Vec<i32>,
}

/// Decides terms by translation to propositional logic.
pub struct BitBlaster {
    sat: Sat,
    /// Limits of translation, which may take long and much memory itself.
    budget: Budget,
    /// Why a term was not translated: from then on there are no answers.
    stopped: Option<Exhausted>,
    /// Where the bits of a term start, plus one; zero if it is not translated.
    starts: Vec<u32>,
    bits: Vec<i32>,
    ands: FxHashMap<(i32, i32), i32>,
    xors: FxHashMap<(i32, i32), i32>,
    alls: FxHashMap<Vec<i32>, i32>,
    muxes: FxHashMap<(i32, i32, i32), i32>,
    majorities: FxHashMap<(i32, i32, i32), i32>,
    /// Translated uninterpreted constants.
    constants: Vec<Term>,
    reads: FxHashMap<Term, Vec<Read>>,
    /// Every bit is a function of the constants' bits: no constraints besides.
    only_gates: bool,
    /// Whether the SAT solver's answer is fresh, so that its model or core may be read.
    checks: u64,
}

impl Default for BitBlaster {
    fn default() -> BitBlaster {
        BitBlaster::new()
    }
}

impl BitBlaster {
    /// A solver that knows nothing yet.
    pub fn new() -> BitBlaster {
        BitBlaster::within(&Budget::unlimited())
    }
    /// The same; when the budget is used up while terms are translated, every later check says so.
    pub fn within(budget: &Budget) -> BitBlaster {
        BitBlaster::trying(Phase::default(), budget)
    }
    /// The same, with models of the kind that `phase` says where there is a choice.
    pub fn trying(phase: Phase, budget: &Budget) -> BitBlaster {
        let mut sat = Sat::new(phase);
        let yes = sat.fresh();
        debug_assert_eq!(yes, TRUE);
        sat.clause(&[TRUE]);
        BitBlaster {
            sat,
            budget: budget.clone(),
            stopped: None,
            starts: Vec::new(),
            bits: Vec::new(),
            ands: FxHashMap::default(),
            xors: FxHashMap::default(),
            alls: FxHashMap::default(),
            muxes: FxHashMap::default(),
            majorities: FxHashMap::default(),
            constants: Vec::new(),
            reads: FxHashMap::default(),
            only_gates: false,
            checks: 0,
        }
    }
    /// How many variables the SAT solver has.
    pub fn variables(&self) -> usize {
        self.sat.vars() as usize
    }
    /// How often it was asked.
    pub fn checks(&self) -> u64 {
        self.checks
    }

    fn known(&self, t: Term) -> Option<usize> {
        match self.starts.get(t.0 as usize) {
            Some(&start) if start > 0 => Some(start as usize - 1),
            _ => None,
        }
    }

    fn bits_of(&self, terms: &Terms, t: Term) -> Vec<i32> {
        let start = self.known(t).expect("a translated term");
        let len = match terms.sort(t) {
            Sort::Bool => 1,
            Sort::Bv(width) => width as usize,
            Sort::Array { .. } => 0,
        };
        self.bits[start..start + len].to_vec()
    }

    fn set(&mut self, t: Term, bits: &[i32]) {
        let n = t.0 as usize;
        if self.starts.len() <= n {
            self.starts.resize(n + 1, 0);
        }
        self.starts[n] = self.bits.len() as u32 + 1;
        self.bits.extend_from_slice(bits);
    }

    /// Translates `root` and everything in it.
    fn translate(&mut self, terms: &Terms, root: Term) {
        let mut work = vec![root];
        let mut count = 0usize;
        while let Some(&t) = work.last() {
            if self.known(t).is_some() {
                work.pop();
                continue;
            }
            count += 1;
            if count.is_multiple_of(PAUSE) && self.stopped.is_none() {
                self.stopped = self.budget.check_but_steps().err();
            }
            if self.stopped.is_some() {
                return;
            }
            let before = work.len();
            let mut need = |o: Term| {
                if !matches!(terms.sort(o), Sort::Array { .. }) && self.known(o).is_none() {
                    work.push(o);
                }
            };
            let chain = Chain::of(terms, t);
            match &chain {
                Some(chain) => chain.operands().for_each(&mut need),
                None => terms.for_each_operand(t, &mut need),
            }
            if work.len() > before {
                continue;
            }
            work.pop();
            let bits = match &chain {
                Some(chain) => self.chosen_sum(terms, chain),
                None => self.step(terms, t),
            };
            self.set(t, &bits);
        }
    }

    fn step(&mut self, terms: &Terms, t: Term) -> Vec<i32> {
        let node = terms.node(t);
        let get = |this: &BitBlaster, t: Term| this.bits_of(terms, t);
        match node {
            Node::Bool(b) => vec![if b { TRUE } else { -TRUE }],
            Node::Bv { width, value } => gates::constant(width as usize, value),
            Node::Const(_) => {
                self.constants.push(t);
                let len = match terms.sort(t) {
                    Sort::Bool => 1,
                    Sort::Bv(width) => width,
                    Sort::Array { .. } => 0,
                };
                (0..len).map(|_| self.sat.fresh()).collect()
            }
            Node::Un(UnOp::Not | UnOp::BvNot, a) => get(self, a).iter().map(|l| -l).collect(),
            Node::Un(UnOp::Neg, a) => {
                let a = get(self, a);
                self.negate(&a)
            }
            Node::Bin(BinOp::Select, array, i) => {
                let index = get(self, i);
                let value: Vec<i32> = (0..terms.width(t)).map(|_| self.sat.fresh()).collect();
                let read = Read {
                    index,
                    value: value.clone(),
                };
                self.reads.entry(array).or_default().push(read);
                value
            }
            Node::Bin(BinOp::Concat, a, b) => {
                let mut bits = get(self, b);
                bits.extend(get(self, a));
                bits
            }
            Node::Bin(op, a, b) => {
                let (a, b) = (get(self, a), get(self, b));
                self.binary(op, &a, &b)
            }
            Node::Ite(c, a, b) => {
                let c = get(self, c)[0];
                let (a, b) = (get(self, a), get(self, b));
                self.choose(c, &a, &b)
            }
            Node::Extract { hi, lo, of } => get(self, of)[lo as usize..=hi as usize].to_vec(),
            Node::Extend { signed, width, of } => {
                let mut bits = get(self, of);
                let fill = if signed {
                    *bits.last().expect("a bit")
                } else {
                    -TRUE
                };
                bits.resize(width as usize, fill);
                bits
            }
            Node::Float(op, args) => {
                let operands = args[..op.arity()].iter().map(|t| get(self, *t));
                let operands: Vec<Vec<i32>> = operands.collect();
                self.float(op, &operands)
            }
            Node::Store(..) | Node::ConstArray { .. } => {
                unreachable!("reads are pushed through writes when they are made")
            }
        }
    }

    fn chosen_sum(&mut self, terms: &Terms, chain: &Chain) -> Vec<i32> {
        let common = self.bits_of(terms, chain.common);
        let mut summand = match chain.last {
            Some(last) => self.bits_of(terms, last),
            None => vec![-TRUE; common.len()],
        };
        for (when, other) in chain.choices.iter().rev() {
            let when = self.bits_of(terms, *when)[0];
            let other = self.bits_of(terms, *other);
            summand = self.choose(when, &other, &summand);
        }
        self.plus(&summand, &common, -TRUE)
    }

    fn binary(&mut self, op: BinOp, a: &[i32], b: &[i32]) -> Vec<i32> {
        match op {
            BinOp::And => vec![self.and(a[0], b[0])],
            BinOp::Eq => vec![self.equal(a, b)],
            BinOp::Ult => vec![self.less(a, b)],
            BinOp::Slt => {
                let (mut a, mut b) = (a.to_vec(), b.to_vec());
                // Flipping the sign bits turns the signed order into the unsigned one.
                for bits in [&mut a, &mut b] {
                    let sign = bits.last_mut().expect("a bit");
                    *sign = -*sign;
                }
                vec![self.less(&a, &b)]
            }
            BinOp::Add => self.plus(a, b, -TRUE),
            BinOp::Mul => self.times(a, b),
            BinOp::Udiv => self.unsigned_divide(a, b).0,
            BinOp::Urem => self.unsigned_divide(a, b).1,
            BinOp::Sdiv => self.signed_divide(a, b).0,
            BinOp::Srem => self.signed_divide(a, b).1,
            BinOp::BvAnd => a.iter().zip(b).map(|(x, y)| self.and(*x, *y)).collect(),
            BinOp::BvOr => a.iter().zip(b).map(|(x, y)| -self.and(-*x, -*y)).collect(),
            BinOp::BvXor => a.iter().zip(b).map(|(x, y)| self.xor(*x, *y)).collect(),
            BinOp::Shl => self.shift(a, b, false, -TRUE),
            BinOp::Lshr => self.shift(a, b, true, -TRUE),
            BinOp::Ashr => self.shift(a, b, true, *a.last().expect("a bit")),
            BinOp::Concat | BinOp::Select => unreachable!("done by the caller"),
        }
    }

    fn number(&self, bits: &[i32]) -> u128 {
        let ones = bits.iter().enumerate().filter(|(_, l)| self.sat.value(**l));
        ones.fold(0, |n, (at, _)| n | 1 << at)
    }

    /// Pairs of reads of one array that the model gives one index but two values.
    fn clashes(&self) -> Vec<(Term, usize, usize)> {
        let mut found = Vec::new();
        for (array, reads) in &self.reads {
            let mut seen: FxHashMap<u128, (usize, u128)> = FxHashMap::default();
            for (n, read) in reads.iter().enumerate() {
                let value = self.number(&read.value);
                let first = *seen.entry(self.number(&read.index)).or_insert((n, value));
                if first.1 != value {
                    found.push((*array, first.0, n));
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn forbid(&mut self, (array, m, n): (Term, usize, usize)) {
        let reads = &self.reads[&array];
        let (a, b) = (reads[m].index.clone(), reads[n].index.clone());
        let (v, w) = (reads[m].value.clone(), reads[n].value.clone());
        let same = self.equal(&a, &b);
        for (x, y) in v.into_iter().zip(w) {
            self.sat.clause(&[-same, -x, y]);
            self.sat.clause(&[-same, x, -y]);
        }
    }
}

impl Solver for BitBlaster {
    fn literal(&mut self, terms: &Terms, t: Term) -> Lit {
        debug_assert_eq!(terms.sort(t), Sort::Bool);
        self.translate(terms, t);
        match self.known(t) {
            Some(start) => Lit(self.bits[start]),
            None => self.fresh(),
        }
    }
    fn fresh(&mut self) -> Lit {
        Lit(self.sat.fresh())
    }
    fn clause(&mut self, lits: &[Lit]) {
        let lits: Vec<i32> = lits.iter().map(|l| l.0).collect();
        self.sat.clause(&lits);
    }
    fn check_limited(
        &mut self,
        _terms: &Terms,
        assumptions: &[Lit],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Result<Answer, Exhausted> {
        let assumptions: Vec<i32> = assumptions.iter().map(|l| l.0).collect();
        loop {
            if let Some(why) = self.stopped {
                return Err(why);
            }
            self.checks += 1;
            match self.sat.solve(&assumptions, conflicts, budget)? {
                None => return Ok(Answer::Unknown),
                Some(false) => return Ok(Answer::Unsat),
                Some(true) => {}
            }
            let clashes = self.clashes();
            if clashes.is_empty() {
                return Ok(Answer::Sat);
            }
            for clash in clashes {
                self.forbid(clash);
            }
        }
    }
    fn failed(&self, lit: Lit) -> bool {
        self.sat.failed(lit.0)
    }
    fn value(&self, lit: Lit) -> bool {
        self.sat.value(lit.0)
    }
    fn model(&self, terms: &Terms) -> Model {
        let mut model = Model::default();
        for &t in &self.constants {
            let bits = self.bits_of(terms, t);
            model.set(t, self.number(&bits));
        }
        for (array, reads) in &self.reads {
            for read in reads {
                model.set_element(*array, self.number(&read.index), self.number(&read.value));
            }
        }
        model
    }
}

#[cfg(test)]
mod tests;
