//! Writing memory.

use crate::memory::touched::MISFIT;
use crate::memory::{Address, Memory, State};
use crate::objects::{INDEX_BITS, ObjId, Repr, bit_of, cell_width};
use crate::pointers::Target;
use cwolf_base::Idx;
use cwolf_logic::{Term, Terms};

impl Memory<'_> {
    /// Writes a scalar of so many bits in memory.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        at: &Address,
        bits: u16,
        repr: Repr,
        value: Term,
    ) {
        let single = at.targets.len() == 1;
        for target in at.targets.clone() {
            let guard = if single { Terms::TRUE } else { target.guard };
            self.store_to(state, &target, guard, at, bits, repr, value);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn store_to(
        &mut self,
        state: &mut State,
        target: &Target,
        guard: Term,
        at: &Address,
        bits: u16,
        repr: Repr,
        value: Term,
    ) {
        let object = target.object;
        self.lay_out(object, at.hint);
        let info = &self.objects[object.index()];
        if info.summary || info.layout.as_ref().expect("laid out").opaque {
            self.holds(object, value, repr);
            // What is written outside the program, code there can read.
            if object == ObjId::OUTSIDE && repr == Repr::Pointer {
                for told in self.objects_of(value) {
                    self.give(state, told, guard);
                }
            }
            return;
        }
        if let Some(offset) = self.terms.as_bv(target.offset) {
            let bit = bit_of(offset, at.bit);
            return self.store_at(state, object, bit, bits, repr, value, guard);
        }
        let (touched, complete) = self.touched(object, target.offset, at.bit, bits, repr);
        if !complete {
            // Where it is at none of them, whatever it may touch holds anything afterwards.
            self.assume_text(MISFIT);
            let mut elsewhere = guard;
            for t in &touched {
                let not = self.terms.not(t.when);
                elsewhere = self.terms.and(elsewhere, not);
            }
            self.forget(state, object, elsewhere);
        }
        let single = touched.len() == 1 && complete;
        for t in touched {
            let when = match single {
                true => guard,
                false => self.terms.and(guard, t.when),
            };
            self.store_leaf(state, object, t.leaf, t.index, repr, value, when);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn store_leaf(
        &mut self,
        state: &mut State,
        object: ObjId,
        n: usize,
        index: Option<Term>,
        repr: Repr,
        value: Term,
        guard: Term,
    ) {
        let (leaf, cell) = self.leaf(object, n);
        let (to, bits) = (leaf.repr, leaf.bits);
        debug_assert_eq!(self.terms.width(value), cell_width(repr, bits));
        let value = self.view(value, repr, to, bits, object);
        let old = self.content(state, cell);
        let new = match index {
            Some(index) => self.terms.store(old, index, value),
            None => value,
        };
        let new = self.terms.ite(guard, new, old);
        state.set(cell, new);
    }

    #[allow(clippy::too_many_arguments)]
    fn store_at(
        &mut self,
        state: &mut State,
        object: ObjId,
        bit: u64,
        bits: u16,
        repr: Repr,
        value: Term,
        guard: Term,
    ) {
        if let Some((n, index)) = self.exact(object, bit, bits, repr) {
            let index = index.map(|i| self.terms.bv(INDEX_BITS, i.into()));
            return self.store_leaf(state, object, n, index, repr, value, guard);
        }
        let value = self.view(value, repr, Repr::Int, bits, object);
        let machine = self.program.target();
        let mut at = bit;
        let end = bit.saturating_add(u64::from(bits));
        while at < end {
            let Some((n, index, start, len)) = self.covering(object, at) else {
                at += 1;
                continue;
            };
            let stop = end.min(start + u64::from(len));
            let width = stop - at;
            let low = machine.low_bit(bits.into(), at - bit, width) as u16;
            let piece = (self.terms).extract(low + width as u16 - 1, low, value);
            let index = index.map(|i| self.terms.bv(INDEX_BITS, i.into()));
            let mut whole = piece;
            if stop - at < u64::from(len) {
                let old = self.load_leaf(state, object, n, index, Repr::Int);
                let low = machine.low_bit(len.into(), at - start, width) as u16;
                if low > 0 {
                    let below = self.terms.extract(low - 1, 0, old);
                    whole = self.terms.concat(whole, below);
                }
                if low + (width as u16) < len {
                    let above = self.terms.extract(len - 1, low + width as u16, old);
                    whole = self.terms.concat(above, whole);
                }
            }
            self.store_leaf(state, object, n, index, Repr::Int, whole, guard);
            at = stop;
        }
    }
}
