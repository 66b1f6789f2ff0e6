//! What becomes of the contents of an object that `realloc` moves.

use crate::cursor::Cursor;
use crate::memory::{Memory, State};
use crate::objects::{OFFSET_BITS, ObjId, POINTER_BITS};
use cwolf_base::Idx;
use cwolf_logic::Term;

impl Memory<'_> {
    /// What `realloc` made of an old object holds what the old one held, as far as both reach.
    pub(crate) fn carry_over(&mut self, cur: &mut Cursor, before: &State, old: Term, new: ObjId) {
        debug_assert_eq!(self.terms.width(old), POINTER_BITS);
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let mut sources = self.targets(old, zero);
        sources.retain(|t| self.is_heap(t.object));
        let mut state = std::mem::take(&mut cur.state);
        for source in &sources {
            let mut pointers = self.pointed_from(before, source.object);
            pointers.extend(self.vague_domain(source.object));
            let exact = match sources.len() {
                1 => self.carry_exactly(&mut state, before, source.object, source.guard, new),
                _ => false,
            };
            if !exact {
                self.holds_objects(new, pointers.clone());
                self.forget_to(&mut state, new, source.guard, &pointers);
            }
        }
        cur.state = state;
    }

    /// Copies the bytes that two objects of known sizes share; not if anything is unknown.
    fn carry_exactly(
        &mut self,
        state: &mut State,
        before: &State,
        from: ObjId,
        when: Term,
        to: ObjId,
    ) -> bool {
        /// Elements of long arrays that are copied.
        const MOST: u64 = 512;
        let plain = |this: &Self, o: ObjId| {
            let info = &this.objects[o.index()];
            info.size.filter(|_| !info.summary)
        };
        let (Some(had), Some(has)) = (plain(self, from), plain(self, to)) else {
            return false;
        };
        let bytes = had.min(has);
        self.lay_out(from, None);
        self.lay_out(to, None);
        let opaque = |this: &Self, o: ObjId| {
            let layout = this.objects[o.index()].layout.as_ref();
            layout.is_none_or(|l| l.opaque)
        };
        if opaque(self, from) || opaque(self, to) || bytes > MOST * 8 {
            return false;
        }
        let layout = self.objects[to.index()].layout.clone().expect("laid out");
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            let (stride, count) = leaf.array.unwrap_or((0, 1));
            let mut content = self.content(state, *cell);
            for n in 0..count {
                let bit = leaf.bit + n * stride * 8;
                if bit + u64::from(leaf.bits) > bytes * 8 {
                    break;
                }
                let value = self.load_at(before, from, bit, leaf.bits, leaf.repr);
                content = match leaf.array {
                    None => self.terms.ite(when, value, content),
                    Some(_) => {
                        let index = self.terms.bv(crate::objects::INDEX_BITS, n.into());
                        let old = self.terms.select(content, index);
                        let value = self.terms.ite(when, value, old);
                        self.terms.store(content, index, value)
                    }
                };
            }
            state.set(*cell, content);
        }
        true
    }
}
