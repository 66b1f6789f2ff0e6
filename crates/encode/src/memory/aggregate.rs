//! Records and arrays as a whole.

use crate::cursor::Cursor;
use crate::memory::{Address, Memory, State};
use crate::objects::{OFFSET_BITS, Repr, bit_of, leaves};
use crate::pointers::Target;
use cwolf_base::Idx;
use cwolf_cwi::TypeId;
use cwolf_logic::{Sort, Term};

impl Memory<'_> {
    /// Reads the parts of an aggregate; whole arrays where the object has the same ones.
    pub(crate) fn parts(
        &mut self,
        state: &State,
        at: &Address,
        leaves: &[crate::objects::Leaf],
    ) -> Vec<(u64, u16, Repr, Term)> {
        let mut all = Vec::new();
        for leaf in leaves {
            if let Some((stride, count)) = leaf.array {
                if let Some(whole) = self.whole_array(state, at, leaf) {
                    all.push((leaf.bit, leaf.bits, leaf.repr, whole));
                    continue;
                }
                for n in 0..count.min(512) {
                    let t =
                        self.load_part(state, at, leaf.bit + n * stride * 8, leaf.bits, leaf.repr);
                    all.push((leaf.bit + n * stride * 8, leaf.bits, leaf.repr, t));
                }
                continue;
            }
            let t = self.load_part(state, at, leaf.bit, leaf.bits, leaf.repr);
            all.push((leaf.bit, leaf.bits, leaf.repr, t));
        }
        all
    }

    fn inner(&mut self, at: &Address, bit: u64) -> Address {
        let bytes = self.terms.bv(OFFSET_BITS, (bit / 8).into());
        let targets = at.targets.iter().map(|t| {
            let offset = self.terms.add(t.offset, bytes);
            Target { offset, ..*t }
        });
        Address {
            targets: targets.collect(),
            bit: bit % 8,
            hint: at.hint,
            defined: at.defined,
        }
    }

    fn load_part(&mut self, state: &State, at: &Address, bit: u64, bits: u16, repr: Repr) -> Term {
        let at = self.inner(at, bit);
        self.load(state, &at, bits, repr)
    }

    fn whole_array(
        &mut self,
        state: &State,
        at: &Address,
        leaf: &crate::objects::Leaf,
    ) -> Option<Term> {
        let (_, cell) = self.same_array(at, leaf)?;
        Some(self.content(state, cell))
    }

    /// The cell of the only target that holds just the array `leaf`.
    fn same_array(
        &mut self,
        at: &Address,
        leaf: &crate::objects::Leaf,
    ) -> Option<(crate::objects::ObjId, crate::objects::CellId)> {
        let [target] = at.targets.as_slice() else {
            return None;
        };
        let target = *target;
        self.lay_out(target.object, at.hint);
        let offset = self.terms.as_bv(target.offset)?;
        let layout = self.objects[target.object.index()].layout.as_ref()?;
        let n = layout.leaves.iter().position(|l| {
            l.bit == bit_of(offset, leaf.bit)
                && (l.bits, l.repr, l.array) == (leaf.bits, leaf.repr, leaf.array)
        })?;
        Some((target.object, layout.cells[n]))
    }

    pub(crate) fn write_parts(
        &mut self,
        cur: &mut Cursor,
        ty: TypeId,
        at: &Address,
        parts: Vec<(u64, u16, Repr, Term)>,
    ) {
        let leaves = leaves(&self.program.types, ty);
        if leaves.is_none() || parts.is_empty() && leaves.as_ref().is_some_and(|l| !l.is_empty()) {
            // Nothing is known of the value.
            let mut state = std::mem::take(&mut cur.state);
            for target in at.targets.clone() {
                self.forget(&mut state, target.object, target.guard);
            }
            cur.state = state;
            return;
        }
        let leaves = leaves.unwrap_or_default();
        let mut state = std::mem::take(&mut cur.state);
        for (bit, bits, repr, t) in parts {
            if let Sort::Array { .. } = self.terms.sort(t) {
                let leaf = leaves.iter().find(|l| l.bit == bit && l.array.is_some());
                match leaf.and_then(|l| self.same_array(at, l)) {
                    Some((_, cell)) => state.set(cell, t),
                    None => {
                        for target in at.targets.clone() {
                            self.forget(&mut state, target.object, target.guard);
                        }
                    }
                }
                continue;
            }
            let at = self.inner(at, bit);
            self.store(&mut state, &at, bits, repr, t);
        }
        cur.state = state;
    }
}
