//! Terms as and-inverter graphs: the gates that the bit-blaster makes, without its solver.

use super::{BitBlaster, TRUE};
use crate::aig::{Aig, Wire};
use crate::term::{Sort, Term, Terms};
use cwolf_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// What the constants of terms are in a circuit. Those that are not mentioned are inputs.
#[derive(Debug, Default)]
pub struct Leaves {
    /// The bits of constants, lowest first.
    pub bits: FxHashMap<Term, Vec<Wire>>,
    /// The elements of arrays, from the first on. What is read elsewhere may be anything.
    pub arrays: FxHashMap<Term, Vec<Vec<Wire>>>,
}

/// A gate of the bit-blaster. Every other variable is a bit of a constant or of a read.
enum Gate {
    And(i32, i32),
    Xor(i32, i32),
    Mux(i32, i32, i32),
    Majority(i32, i32, i32),
    All(Vec<i32>),
    /// A bit of a value that is read, with the read's number.
    Read(usize, usize),
}

/// A read of an array.
struct ReadOf {
    array: Term,
    index: Vec<i32>,
    /// Inputs for the bits, once they are needed.
    free: Option<Vec<Wire>>,
    width: usize,
}

/// The bits of boolean and bit-vector terms as wires, lowest first.
///
/// # Errors
/// When the budget ran out.
pub fn circuit(
    terms: &Terms,
    roots: &[Term],
    leaves: &Leaves,
    aig: &mut Aig,
    budget: &Budget,
) -> Result<Vec<Vec<Wire>>, Exhausted> {
    let mut blaster = BitBlaster::within(budget);
    blaster.only_gates = true;
    for root in roots {
        blaster.translate(terms, *root);
        if let Some(why) = blaster.stopped {
            return Err(why);
        }
    }
    let mut wiring = Wiring::new(&blaster, terms, leaves, aig);
    let mut all = Vec::new();
    for root in roots {
        let bits = blaster.bits_of(terms, *root);
        all.push(bits.iter().map(|l| wiring.wire(*l)).collect());
    }
    Ok(all)
}

struct Wiring<'a> {
    leaves: &'a Leaves,
    aig: &'a mut Aig,
    gates: FxHashMap<i32, Gate>,
    reads: Vec<ReadOf>,
    /// Reads of each array whose contents are inputs, as far as they are made.
    done: FxHashMap<Term, Vec<usize>>,
    wires: FxHashMap<i32, Wire>,
}

impl<'a> Wiring<'a> {
    fn new(
        blaster: &BitBlaster,
        terms: &Terms,
        leaves: &'a Leaves,
        aig: &'a mut Aig,
    ) -> Wiring<'a> {
        let mut gates = FxHashMap::default();
        gates.extend(blaster.ands.iter().map(|(k, o)| (*o, Gate::And(k.0, k.1))));
        gates.extend(blaster.xors.iter().map(|(k, o)| (*o, Gate::Xor(k.0, k.1))));
        let muxes = blaster.muxes.iter();
        gates.extend(muxes.map(|(k, o)| (*o, Gate::Mux(k.0, k.1, k.2))));
        let majorities = blaster.majorities.iter();
        gates.extend(majorities.map(|(k, o)| (*o, Gate::Majority(k.0, k.1, k.2))));
        let alls = blaster.alls.iter();
        gates.extend(alls.map(|(k, o)| (*o, Gate::All(k.clone()))));
        let mut reads = Vec::new();
        let mut arrays: Vec<Term> = blaster.reads.keys().copied().collect();
        arrays.sort_unstable();
        for array in arrays {
            for read in &blaster.reads[&array] {
                for (n, bit) in read.value.iter().enumerate() {
                    gates.insert(*bit, Gate::Read(reads.len(), n));
                }
                reads.push(ReadOf {
                    array,
                    index: read.index.clone(),
                    free: None,
                    width: read.value.len(),
                });
            }
        }
        let mut wires = FxHashMap::default();
        wires.insert(TRUE, Wire::TRUE);
        for constant in &blaster.constants {
            let name = terms.name(*constant).unwrap_or_default();
            let number = terms.sort(*constant) != Sort::Bool;
            let known = leaves.bits.get(constant);
            for (n, bit) in blaster.bits_of(terms, *constant).into_iter().enumerate() {
                let wire = match known {
                    Some(bits) => bits[n],
                    None if number => aig.input(format!("{name}[{n}]")),
                    None => aig.input(name),
                };
                wires.insert(bit, wire);
            }
        }
        Wiring {
            leaves,
            aig,
            gates,
            reads,
            done: FxHashMap::default(),
            wires,
        }
    }

    fn known(&self, lit: i32) -> Option<Wire> {
        let wire = *self.wires.get(&lit.abs())?;
        Some(if lit < 0 { !wire } else { wire })
    }

    fn get(&self, lit: i32) -> Wire {
        self.known(lit).expect("operands come first")
    }

    /// The wire of a literal; what it is made of comes first, without recursion: circuits are deep.
    fn wire(&mut self, lit: i32) -> Wire {
        let mut work = vec![lit.abs()];
        while let Some(&var) = work.last() {
            if self.wires.contains_key(&var) {
                work.pop();
                continue;
            }
            let before = work.len();
            let operands = self.operands(var);
            work.extend(
                operands
                    .iter()
                    .map(|l| l.abs())
                    .filter(|l| !self.wires.contains_key(l)),
            );
            if work.len() == before {
                let wire = self.gate(var);
                self.wires.insert(var, wire);
                work.pop();
            }
        }
        self.get(lit)
    }

    fn operands(&self, var: i32) -> Vec<i32> {
        match self.gates.get(&var) {
            Some(Gate::And(a, b) | Gate::Xor(a, b)) => vec![*a, *b],
            Some(Gate::Mux(a, b, c) | Gate::Majority(a, b, c)) => vec![*a, *b, *c],
            Some(Gate::All(list)) => list.clone(),
            Some(Gate::Read(read, _)) => self.reads[*read].index.clone(),
            None => Vec::new(),
        }
    }

    fn gate(&mut self, var: i32) -> Wire {
        match self.gates.get(&var) {
            Some(&Gate::And(a, b)) => {
                let (a, b) = (self.get(a), self.get(b));
                self.aig.and(a, b)
            }
            Some(&Gate::Xor(a, b)) => {
                let (a, b) = (self.get(a), self.get(b));
                self.aig.xor(a, b)
            }
            Some(&Gate::Mux(c, a, b)) => {
                let (c, a, b) = (self.get(c), self.get(a), self.get(b));
                self.aig.mux(c, a, b)
            }
            Some(&Gate::Majority(a, b, c)) => {
                let (a, b, c) = (self.get(a), self.get(b), self.get(c));
                let (either, both) = (self.aig.or(a, b), self.aig.and(a, b));
                let third = self.aig.and(either, c);
                self.aig.or(both, third)
            }
            Some(Gate::All(list)) => {
                let wires: Vec<Wire> = list.iter().map(|l| self.get(*l)).collect();
                let all = wires.into_iter();
                all.fold(Wire::TRUE, |all, w| self.aig.and(all, w))
            }
            Some(&Gate::Read(read, bit)) => self.read(read)[bit],
            // Nothing is known of it.
            None => self.aig.input("free"),
        }
    }

    /// The bits of what is read, whose index is made already.
    fn read(&mut self, n: usize) -> Vec<Wire> {
        if let Some(bits) = &self.reads[n].free {
            return bits.clone();
        }
        let array = self.reads[n].array;
        let index: Vec<Wire> = self.reads[n].index.iter().map(|l| self.get(*l)).collect();
        let width = self.reads[n].width;
        let mut bits: Vec<Wire> = Vec::new();
        let exact = self.leaves.arrays.get(&array);
        for bit in 0..width {
            bits.push(self.aig.input(format!("element{n}[{bit}]")));
        }
        if let Some(elements) = exact {
            for (at, element) in elements.iter().enumerate() {
                let here = self.aig.is_number(&index, at as u128);
                for (bit, value) in bits.iter_mut().zip(element) {
                    *bit = self.aig.mux(here, *value, *bit);
                }
            }
        } else {
            // Two reads at one index give one value (Ackermann).
            for other in self.done.entry(array).or_default().clone() {
                let at: Vec<Wire> = self.reads[other]
                    .index
                    .iter()
                    .map(|l| self.get(*l))
                    .collect();
                let mut same = Wire::TRUE;
                for (a, b) in index.iter().zip(at) {
                    let differ = self.aig.xor(*a, b);
                    same = self.aig.and(same, !differ);
                }
                let value = self.reads[other].free.clone().expect("it was made");
                for (bit, value) in bits.iter_mut().zip(value) {
                    *bit = self.aig.mux(same, value, *bit);
                }
            }
            self.done.entry(array).or_default().push(n);
        }
        self.reads[n].free = Some(bits.clone());
        bits
    }
}
