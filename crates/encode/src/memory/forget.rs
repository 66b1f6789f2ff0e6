//! Memory of which nothing is known any more.

use crate::cursor::Cursor;
use crate::memory::{Memory, State};
use crate::objects::{INDEX_BITS, Leaf, OBJECT_BITS, OFFSET_BITS, ObjId, ObjectKind, Repr};
use cwolf_base::Idx;
use cwolf_logic::{Term, Terms};
use std::collections::BTreeMap;
use std::ops::Range;

/// What pointers may lead to in memory of which nothing is known any more, beside what the points-to analysis
/// says of it.
#[derive(Clone, Copy)]
enum Told<'o> {
    /// These objects.
    Also(&'o [ObjId]),
    /// These objects, as far as code outside knows where they are: it wrote the memory.
    Outside(&'o [ObjId]),
}

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
        self.forget_bits(state, object, guard, Told::Also(known), 0..u64::MAX);
    }

    /// The same for the bits in a range: what lies outside stays as it is.
    fn forget_bits(
        &mut self,
        state: &mut State,
        object: ObjId,
        guard: Term,
        told: Told<'_>,
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
                    let (Told::Also(more) | Told::Outside(more)) = told;
                    domain.extend(more);
                    domain.push(ObjId::NULL);
                    domain.sort_unstable();
                    domain.dedup();
                    let t = self.terms.fresh("any", leaf.sort());
                    self.domains.insert(t, domain);
                    match told {
                        Told::Outside(_) if leaf.array.is_none() => self.only_to_given(state, t),
                        _ => t,
                    }
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
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let targets = self.targets(p, zero);
        let reached = targets.iter().map(|t| (t.object, t.guard)).collect();
        self.havoc_from(cur, reached);
    }

    /// The same with all pointers that such functions were given before.
    pub(crate) fn havoc_known(&mut self, cur: &mut Cursor) {
        let mut known = Vec::new();
        for object in self.all_instances(&[cwolf_cwi::graph::Object::Outside]) {
            let given = self.given_away(&cur.state, object);
            if given != Terms::FALSE {
                known.push((object, given));
            }
        }
        self.havoc_from(cur, known);
    }

    /// When code outside knows where an object is.
    pub(super) fn given_away(&mut self, state: &State, object: ObjId) -> Term {
        match self.given_cell(object) {
            Some(cell) => self.content(state, cell),
            None => Terms::TRUE,
        }
    }

    /// Code outside gets to know where an object is, where `guard` holds.
    pub(super) fn give(&mut self, state: &mut State, object: ObjId, guard: Term) {
        if let Some(cell) = self.given_cell(object) {
            let old = self.content(state, cell);
            let new = self.terms.or(old, guard);
            state.set(cell, new);
        }
    }

    /// Nobody knows yet where an object is whose life begins.
    pub(crate) fn take_back(&mut self, state: &mut State, object: ObjId) {
        let info = &self.objects[object.index()];
        if let (Some(cell), false) = (info.given_cell, info.summary) {
            state.set(cell, Terms::FALSE);
        }
    }

    /// What can be reached from objects, each where a condition holds, holds anything; from now on code
    /// outside knows where it is.
    fn havoc_from(&mut self, cur: &mut Cursor, mut work: Vec<(ObjId, Term)>) {
        // After so many ways to an object, it counts as reached.
        const MOST: u32 = 3;
        let mut seen: BTreeMap<ObjId, (Term, u32)> = BTreeMap::new();
        let mut state = std::mem::take(&mut cur.state);
        while let Some((object, guard)) = work.pop() {
            let kind = self.objects[object.index()].kind;
            if guard == Terms::FALSE || kind.has_no_bytes() || kind == ObjectKind::Outside {
                continue;
            }
            let (old, ways) = seen.get(&object).copied().unwrap_or((Terms::FALSE, 0));
            let all = match ways < MOST {
                true => self.terms.or(old, guard),
                false => Terms::TRUE,
            };
            if all == old {
                continue;
            }
            seen.insert(object, (all, ways + 1));
            self.lay_out(object, None);
            work.extend(self.leads_from(&state, object, all));
            self.give(&mut state, object, all);
        }
        let known = self.all_instances(&[cwolf_cwi::graph::Object::Outside]);
        for (object, (guard, _)) in seen {
            let constant = match self.objects[object.index()].kind {
                ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                    let var = &self.program.vars[v];
                    var.constant || var.kind == cwolf_cwi::VarKind::Literal
                }
                _ => false,
            };
            if !constant {
                let bits = 0..u64::MAX;
                self.forget_bits(&mut state, object, guard, Told::Outside(&known), bits);
            }
        }
        cur.state = state;
    }

    /// What the pointers in an object lead to, where a condition holds, and when.
    fn leads_from(&mut self, state: &State, object: ObjId, guard: Term) -> Vec<(ObjId, Term)> {
        let mut found = Vec::new();
        if !self.holds_what_it_shows(object) {
            let domain = self.vague_domain(object);
            found.extend(domain.into_iter().map(|o| (o, guard)));
        }
        let layout = self.objects[object.index()].layout.clone();
        let Some(layout) = layout else {
            return found;
        };
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            if leaf.repr != Repr::Pointer {
                continue;
            }
            let t = self.content(state, *cell);
            for to in self.objects_in(t) {
                let mut when = guard;
                if leaf.array.is_none() {
                    let (number, _) = self.split(t);
                    let id = self.terms.bv(OBJECT_BITS, to.0.into());
                    let there = self.terms.eq(number, id);
                    when = self.terms.and(guard, there);
                }
                found.push((to, when));
            }
        }
        found
    }

    /// A pointer that code outside wrote leads to nothing that it does not know.
    fn only_to_given(&mut self, state: &State, p: Term) -> Term {
        let (number, _) = self.split(p);
        let mut unknown = Terms::FALSE;
        for object in self.objects_of(p) {
            let kind = self.objects[object.index()].kind;
            if kind.has_no_bytes() || kind == ObjectKind::Outside {
                continue;
            }
            let given = self.given_away(state, object);
            let id = self.terms.bv(OBJECT_BITS, object.0.into());
            let (there, not) = (self.terms.eq(number, id), self.terms.not(given));
            let wrong = self.terms.and(there, not);
            unknown = self.terms.or(unknown, wrong);
        }
        let null = self.null();
        self.terms.ite(unknown, null, p)
    }

    /// Whether all pointers in an object are those in its cells.
    fn holds_what_it_shows(&self, object: ObjId) -> bool {
        let info = &self.objects[object.index()];
        let opaque = info.layout.as_ref().is_none_or(|l| l.opaque);
        !info.summary && !opaque && !self.numbers_may_point()
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
            self.forget_bits(
                &mut state,
                target.object,
                when,
                Told::Also(&[ObjId::OUTSIDE]),
                bits,
            );
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
