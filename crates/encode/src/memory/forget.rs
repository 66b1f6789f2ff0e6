//! Memory of which nothing is known any more.

use crate::cursor::Cursor;
use crate::memory::{Memory, State};
use crate::objects::{INDEX_BITS, Leaf, OFFSET_BITS, ObjId, ObjectKind, Repr};
use cwolf_base::Idx;
use cwolf_logic::{Term, Terms};
use std::ops::Range;

impl Memory<'_> {
    /// The object holds anything, where `guard` holds.
    pub(crate) fn forget(&mut self, state: &mut State, object: ObjId, guard: Term) {
        self.forget_to(state, object, guard, &[]);
    }

    /// The object holds anything; pointers in it may also lead to `known`.
    pub(crate) fn forget_to(
        &mut self,
        state: &mut State,
        object: ObjId,
        guard: Term,
        known: &[ObjId],
    ) {
        self.forget_bits(state, object, guard, known, 0..u64::MAX);
    }

    /// The same for the bits in a range: what lies outside stays as it is.
    fn forget_bits(
        &mut self,
        state: &mut State,
        object: ObjId,
        guard: Term,
        known: &[ObjId],
        bits: Range<u64>,
    ) {
        self.lay_out(object, None);
        let layout = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out")
            .clone();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            if leaf.end() <= bits.start || leaf.bit >= bits.end {
                continue;
            }
            let old = self.content(state, *cell);
            if let Some(new) = self.forget_elements(leaf, old, &bits) {
                let new = self.terms.ite(guard, new, old);
                state.set(*cell, new);
                continue;
            }
            let any = match leaf.repr {
                Repr::Pointer => {
                    let mut domain = self.vague_domain(object);
                    domain.extend(self.objects_in(old));
                    domain.extend(known);
                    domain.push(ObjId::NULL);
                    domain.sort_unstable();
                    domain.dedup();
                    let t = self.terms.fresh("any", leaf.sort());
                    self.domains.insert(t, domain);
                    t
                }
                _ if leaf.array.is_some() => self.terms.fresh("any", leaf.sort()),
                repr => self.any(leaf.bits, repr, &[]),
            };
            let new = self.terms.ite(guard, any, old);
            state.set(*cell, new);
        }
    }

    /// An array of numbers some elements of which hold anything; none if that is not one, or of all
    /// or too many of its elements.
    fn forget_elements(&mut self, leaf: &Leaf, old: Term, bits: &Range<u64>) -> Option<Term> {
        const MOST: u64 = 64;
        let (stride, count) = leaf.array?;
        let whole = bits.start <= leaf.bit && leaf.end() <= bits.end;
        if whole || leaf.repr == Repr::Pointer {
            return None;
        }
        let step = stride * 8;
        let first = bits.start.saturating_sub(leaf.bit) / step;
        let last = (bits.end - leaf.bit).div_ceil(step).min(count);
        if last.saturating_sub(first) > MOST {
            return None;
        }
        let mut new = old;
        for n in first..last {
            let index = self.terms.bv(INDEX_BITS, n.into());
            let any = self.any(leaf.bits, leaf.repr, &[]);
            new = self.terms.store(new, index, any);
        }
        Some(new)
    }

    /// What a function that nobody knows may do with a pointer: all that it leads to, through
    /// any number of pointers, holds anything afterwards. Constants stay.
    pub(crate) fn havoc(&mut self, cur: &mut Cursor, p: Term) {
        let reached = self.objects_of(p);
        self.havoc_from(cur, reached);
    }

    /// The same with all pointers that such functions were given before, or may have been.
    pub(crate) fn havoc_known(&mut self, cur: &mut Cursor) {
        let known = self.all_instances(&[cwolf_cwi::graph::Object::Outside]);
        self.havoc_from(cur, known);
    }

    fn havoc_from(&mut self, cur: &mut Cursor, mut work: Vec<ObjId>) {
        let mut seen = Vec::new();
        let mut state = std::mem::take(&mut cur.state);
        let known = self.all_instances(&[cwolf_cwi::graph::Object::Outside]);
        while let Some(object) = work.pop() {
            if seen.contains(&object) {
                continue;
            }
            seen.push(object);
            let constant = match self.objects[object.index()].kind {
                ObjectKind::Null
                | ObjectKind::Dangling
                | ObjectKind::Outside
                | ObjectKind::Func(_) => continue,
                ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                    let var = &self.program.vars[v];
                    var.constant || var.kind == cwolf_cwi::VarKind::Literal
                }
                ObjectKind::VarArgs(_) | ObjectKind::Heap(..) => false,
            };
            work.extend(self.vague_domain(object));
            work.extend(self.pointed_from(&state, object));
            if !constant {
                self.forget_to(&mut state, object, Terms::TRUE, &known);
            }
        }
        cur.state = state;
    }

    /// Some bytes from a pointer on hold anything afterwards.
    pub(crate) fn havoc_bytes(&mut self, cur: &mut Cursor, p: Term, size: Term) {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let size = self.terms.zext(OFFSET_BITS, size);
        if size == zero {
            return;
        }
        let mut state = std::mem::take(&mut cur.state);
        for target in self.targets(p, zero) {
            let kind = self.objects[target.object.index()].kind;
            if kind.has_no_bytes() || kind == ObjectKind::Outside {
                continue;
            }
            let some = self.terms.ne(size, zero);
            let when = self.terms.and(target.guard, some);
            let bits = match (self.terms.as_bv(target.offset), self.terms.as_bv(size)) {
                (Some(start), Some(size)) if start < 1 << 56 && size < 1 << 56 => {
                    let start = start as u64 * 8;
                    start..start + size as u64 * 8
                }
                _ => 0..u64::MAX,
            };
            self.forget_bits(&mut state, target.object, when, &[ObjId::OUTSIDE], bits);
        }
        cur.state = state;
    }

    /// What the pointers that an object holds just now may point to.
    pub(crate) fn pointed_from(&mut self, state: &State, object: ObjId) -> Vec<ObjId> {
        let Some(layout) = self.objects[object.index()].layout.clone() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            if leaf.repr == Repr::Pointer {
                let t = self.content(state, *cell);
                found.extend(self.objects_in(t));
            }
        }
        found
    }

    /// The objects that a pointer may lead to hold anything.
    pub(crate) fn havoc_reached(&mut self, cur: &mut Cursor, p: Term) {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let mut state = std::mem::take(&mut cur.state);
        for target in self.targets(p, zero) {
            let kind = self.objects[target.object.index()].kind;
            if !kind.has_no_bytes() && kind != ObjectKind::Outside {
                self.forget(&mut state, target.object, target.guard);
            }
        }
        cur.state = state;
    }

    /// What one pointer leads to may hold the pointers that are where another leads to.
    pub(crate) fn mix_pointers(&mut self, cur: &Cursor, to: Term, from: Term) {
        for source in self.objects_of(from) {
            let mut pointers = self.pointed_from(&cur.state, source);
            pointers.extend(self.vague_domain(source));
            for object in self.objects_of(to) {
                self.holds_objects(object, pointers.clone());
            }
        }
    }
}
