//! Pointers as terms: the number of an object above an offset in bytes.
//!
//! For each pointer it is known which objects it may lead to (its *domain*); an access is a case
//! split over them.

mod compare;
mod domains;
mod numbers;

pub use compare::object_test;
pub(crate) use domains::Redirect;

use crate::objects::{OBJECT_BITS, OFFSET_BITS, ObjId, Objects, POINTER_BITS};
use cwolf_cwi::graph::Object;
use cwolf_logic::{BinOp, Node, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

/// An object that an access may go to, and where in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) guard: Term,
    pub(crate) object: ObjId,
    pub(crate) offset: Term,
}

/// Terms, and what is known of those that are pointers. Stands on the tables.
pub struct Pointers<'p> {
    tables: Objects<'p>,
    /// The terms.
    pub terms: Terms,
    splits: FxHashMap<Term, (Term, Term)>,
    possible: FxHashMap<Term, Vec<ObjId>>,
    /// What pointers that are constants may point to.
    pub(crate) domains: FxHashMap<Term, Vec<ObjId>>,
    /// What was written to objects whose contents are not followed.
    held: FxHashMap<ObjId, BTreeSet<ObjId>>,
    bases: FxHashMap<Term, ObjId>,
    /// Those that are the address of one object only.
    fixed: FxHashSet<Term>,
    /// Whether numbers may be addresses of objects.
    numbers_point: bool,
    // Results of walks over chosen pointers: without them, nested choices cost exponential time.
    moves: FxHashMap<(Term, Term), Term>,
    offsets: FxHashMap<(Term, ObjId), Term>,
    addresses: FxHashMap<Term, Term>,
    made: FxHashMap<(Term, Vec<Object>, Vec<Object>), Term>,
}

impl<'p> Deref for Pointers<'p> {
    type Target = Objects<'p>;
    fn deref(&self) -> &Objects<'p> {
        &self.tables
    }
}

impl DerefMut for Pointers<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.tables
    }
}

impl<'p> Pointers<'p> {
    pub(crate) fn new(tables: Objects<'p>) -> Pointers<'p> {
        Pointers {
            numbers_point: numbers::makes_numbers(tables.program),
            tables,
            terms: Terms::new(),
            splits: FxHashMap::default(),
            possible: FxHashMap::default(),
            domains: FxHashMap::default(),
            held: FxHashMap::default(),
            bases: FxHashMap::default(),
            fixed: FxHashSet::default(),
            moves: FxHashMap::default(),
            offsets: FxHashMap::default(),
            addresses: FxHashMap::default(),
            made: FxHashMap::default(),
        }
    }

    /// Forgets which objects pointers may lead to, since objects were added.
    pub(crate) fn forget_possible(&mut self) {
        self.possible.clear();
        self.made.clear();
        self.offsets.clear();
        self.addresses.clear();
    }

    /// The pointer to `offset` bytes into an object.
    pub(crate) fn pointer(&mut self, object: ObjId, offset: Term) -> Term {
        let object = self.terms.bv(OBJECT_BITS, object.0.into());
        self.terms.concat(object, offset)
    }

    pub(crate) fn null(&mut self) -> Term {
        self.terms.bv(POINTER_BITS, 0)
    }

    /// Whether a pointer is null or leads to the `n`-th of many places outside that are far apart.
    pub fn leads_outside_to(&mut self, p: Term, n: u64) -> Term {
        const APART: u64 = 1 << 20;
        let null = self.null();
        let offset = self.terms.bv(OFFSET_BITS, ((n + 1) * APART).into());
        let place = self.pointer(ObjId::OUTSIDE, offset);
        let (nothing, there) = (self.terms.eq(p, null), self.terms.eq(p, place));
        self.terms.or(nothing, there)
    }

    /// The object's number and the offset.
    pub(crate) fn split(&mut self, p: Term) -> (Term, Term) {
        if let Some(&known) = self.splits.get(&p) {
            return known;
        }
        let parts = match self.terms.node(p) {
            Node::Bin(BinOp::Concat, object, offset) if self.terms.width(offset) == OFFSET_BITS => {
                (object, offset)
            }
            Node::Ite(c, a, b) => {
                let (oa, fa) = self.split(a);
                let (ob, fb) = self.split(b);
                (self.terms.ite(c, oa, ob), self.terms.ite(c, fa, fb))
            }
            _ => {
                let object = self.terms.extract(POINTER_BITS - 1, OFFSET_BITS, p);
                (object, self.terms.extract(OFFSET_BITS - 1, 0, p))
            }
        };
        self.splits.insert(p, parts);
        parts
    }

    /// The objects that a pointer may point to.
    pub(crate) fn objects_of(&mut self, p: Term) -> Vec<ObjId> {
        if let Some(known) = self.possible.get(&p) {
            return known.clone();
        }
        let mut found = match self.terms.node(p) {
            Node::Ite(_, a, b) => {
                let mut all = self.objects_of(a);
                all.extend(self.objects_of(b));
                all
            }
            _ => {
                let (object, _) = self.split(p);
                self.numbers(object)
            }
        };
        found.sort_unstable();
        found.dedup();
        self.possible.insert(p, found.clone());
        found
    }

    /// The values that the term of an object's number may have.
    fn numbers(&self, object: Term) -> Vec<ObjId> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![object];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.terms.node(t) {
                Node::Bv { value, .. } => found.push(ObjId(value as u32)),
                Node::Ite(_, a, b) => work.extend([a, b]),
                Node::Extract { of, .. } => match self.terms.node(of) {
                    Node::Ite(_, a, b) => {
                        // The number inside a chosen pointer that was not split.
                        for side in [a, b] {
                            found.extend(self.roots(side));
                        }
                    }
                    _ => found.extend(self.roots(of)),
                },
                _ => found.extend(self.roots(t)),
            }
        }
        found
    }

    /// What the constant that a pointer was taken from may point to.
    fn roots(&self, t: Term) -> Vec<ObjId> {
        let mut found = Vec::new();
        for constant in self.terms.constants(&[t]) {
            match self.domains.get(&constant) {
                Some(domain) => found.extend(domain.iter().copied()),
                None => {
                    if !matches!(self.terms.sort(constant), Sort::Bool | Sort::Bv(_)) {
                        continue;
                    }
                }
            }
        }
        if let Some(value) = self.terms.as_bv(t) {
            found.push(ObjId((value >> OFFSET_BITS) as u32));
        }
        found
    }

    /// The offset of `p` where it points into `object`.
    pub(crate) fn offset_in(&mut self, p: Term, object: ObjId) -> Term {
        if let Node::Ite(c, a, b) = self.terms.node(p) {
            if let Some(&known) = self.offsets.get(&(p, object)) {
                return known;
            }
            let left = self.objects_of(a).contains(&object);
            let right = self.objects_of(b).contains(&object);
            let offset = match (left, right) {
                (true, false) => self.offset_in(a, object),
                (false, true) => self.offset_in(b, object),
                _ => {
                    let x = self.offset_in(a, object);
                    let y = self.offset_in(b, object);
                    self.terms.ite(c, x, y)
                }
            };
            self.offsets.insert((p, object), offset);
            return offset;
        }
        self.split(p).1
    }

    /// What the pointers in a term may point to: one pointer, or an array of them.
    pub(crate) fn objects_in(&mut self, t: Term) -> Vec<ObjId> {
        if matches!(self.terms.sort(t), Sort::Bv(_)) {
            return self.objects_of(t);
        }
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.terms.node(t) {
                Node::Store(under, _, value) => {
                    work.push(under);
                    found.extend(self.objects_of(value));
                }
                Node::ConstArray { of, .. } => found.extend(self.objects_of(of)),
                Node::Ite(_, a, b) => work.extend([a, b]),
                _ => found.extend(self.roots(t)),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// `p` moved by `way` bytes.
    pub(crate) fn moved(&mut self, p: Term, way: Term) -> Term {
        if self.terms.as_bv(way) == Some(0) {
            return p;
        }
        if let Node::Ite(c, a, b) = self.terms.node(p) {
            if let Some(&known) = self.moves.get(&(p, way)) {
                return known;
            }
            let a = self.moved(a, way);
            let b = self.moved(b, way);
            let moved = self.terms.ite(c, a, b);
            self.moves.insert((p, way), moved);
            return moved;
        }
        let (object, offset) = self.split(p);
        let offset = self.terms.add(offset, way);
        self.terms.concat(object, offset)
    }

    /// Where a pointer moved by `way` may lead.
    pub(crate) fn targets(&mut self, p: Term, way: Term) -> Vec<Target> {
        let objects = self.objects_of(p);
        let (number, _) = self.split(p);
        let mut targets = Vec::with_capacity(objects.len());
        for object in objects {
            let id = self.terms.bv(OBJECT_BITS, object.0.into());
            let guard = self.terms.eq(number, id);
            if guard == Terms::FALSE {
                continue;
            }
            let offset = self.offset_in(p, object);
            let offset = self.terms.add(offset, way);
            targets.push(Target {
                guard,
                object,
                offset,
            });
        }
        targets
    }
}

#[cfg(test)]
mod tests;
