//! Memory of which nothing is known any more.

use crate::cursor::Cursor;
use crate::memory::{Memory, State};
use crate::objects::{OFFSET_BITS, ObjId, ObjectKind, Repr};
use cwolf_base::Idx;
use cwolf_logic::{Term, Terms};

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
        self.lay_out(object, None);
        let layout = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out")
            .clone();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            let old = self.content(state, *cell);
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

    /// What a function that nobody knows may do with a pointer: all that it leads to, through
    /// any number of pointers, holds anything afterwards. Constants stay.
    pub(crate) fn havoc(&mut self, cur: &mut Cursor, p: Term) {
        let mut work = self.objects_of(p);
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
            self.forget_to(&mut state, target.object, when, &[ObjId::OUTSIDE]);
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
