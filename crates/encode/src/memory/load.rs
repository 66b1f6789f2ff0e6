//! Reading memory.

use crate::memory::touched::MISFIT;
use crate::memory::{Address, Memory, State};
use crate::objects::{INDEX_BITS, ObjId, Repr, bit_of};
use crate::pointers::Target;
use cwolf_base::Idx;
use cwolf_cwi::TypeId;
use cwolf_logic::{Sort, Term};

impl Memory<'_> {
    /// Reads a scalar of so many bits in memory.
    pub(crate) fn load(&mut self, state: &State, at: &Address, bits: u16, repr: Repr) -> Term {
        let mut result: Option<Term> = None;
        for target in &at.targets {
            let value = self.load_from(state, target, at.bit, bits, repr, at.hint);
            result = Some(match result {
                None => value,
                Some(other) => self.terms.ite(target.guard, value, other),
            });
        }
        match result {
            Some(t) => t,
            None => self.any(bits, repr, &[]),
        }
    }

    fn load_from(
        &mut self,
        state: &State,
        target: &Target,
        bit: u64,
        bits: u16,
        repr: Repr,
        hint: Option<TypeId>,
    ) -> Term {
        let object = target.object;
        self.lay_out(object, hint);
        let info = &self.objects[object.index()];
        let layout = info.layout.as_ref().expect("laid out");
        if info.summary || layout.opaque {
            let domain = self.vague_domain(object);
            return self.any(bits, repr, &domain);
        }
        if let Some(offset) = self.terms.as_bv(target.offset) {
            return self.load_at(state, object, bit_of(offset, bit), bits, repr);
        }
        let (touched, complete) = self.touched(object, target.offset, bit, bits, repr);
        let mut result = None;
        if !complete || touched.is_empty() {
            self.assume_text(MISFIT);
            let domain = self.vague_domain(object);
            result = Some(self.any(bits, repr, &domain));
        }
        for t in touched {
            let value = self.load_leaf(state, object, t.leaf, t.index, repr);
            result = Some(match result {
                None => value,
                Some(other) => self.terms.ite(t.when, value, other),
            });
        }
        result.expect("one at least")
    }

    pub(super) fn load_leaf(
        &mut self,
        state: &State,
        object: ObjId,
        n: usize,
        index: Option<Term>,
        repr: Repr,
    ) -> Term {
        let (leaf, cell) = self.leaf(object, n);
        let (from, bits) = (leaf.repr, leaf.bits);
        let content = self.content(state, cell);
        let value = match index {
            Some(index) => self.terms.select(content, index),
            None => content,
        };
        self.view(value, from, repr, bits, object)
    }

    /// A value of one kind seen as another of as many bits.
    pub(super) fn view(
        &mut self,
        value: Term,
        from: Repr,
        to: Repr,
        _bits: u16,
        object: ObjId,
    ) -> Term {
        match (from, to) {
            (Repr::Pointer, Repr::Pointer) => value,
            (Repr::Pointer, _) => self.reinterpret(value),
            (_, Repr::Pointer) => {
                if self.terms.as_bv(value).is_some() {
                    return self.pointer_at(value, &[], &[]);
                }
                let domain = self.held_by(object);
                let chosen = self.points_to().chosen();
                self.pointer_at(value, &domain, &chosen)
            }
            _ => value,
        }
    }

    /// Reads at a constant place: a leaf, an element, or bits put together.
    pub(crate) fn load_at(
        &mut self,
        state: &State,
        object: ObjId,
        bit: u64,
        bits: u16,
        repr: Repr,
    ) -> Term {
        if let Some((n, index)) = self.exact(object, bit, bits, repr) {
            let index = index.map(|i| self.terms.bv(INDEX_BITS, i.into()));
            return self.load_leaf(state, object, n, index, repr);
        }
        let machine = self.program.target();
        let mut at = bit;
        // An offset that went below zero is far outside every object.
        let Some(end) = bit.checked_add(u64::from(bits)) else {
            let value = self.terms.fresh("outside", Sort::Bv(bits));
            return self.view(value, Repr::Int, repr, bits, object);
        };
        let mut result: Option<Term> = None;
        while at < end {
            let (piece, width) = match self.covering(object, at) {
                Some((n, index, start, len)) => {
                    let index = index.map(|i| self.terms.bv(INDEX_BITS, i.into()));
                    let value = self.load_leaf(state, object, n, index, Repr::Int);
                    let stop = end.min(start + u64::from(len));
                    let width = (stop - at) as u16;
                    let low = machine.low_bit(len.into(), at - start, width.into()) as u16;
                    (self.terms.extract(low + width - 1, low, value), width)
                }
                None => {
                    self.assume_text("bytes between the members of structures have any values");
                    (self.terms.fresh("padding", Sort::Bv(1)), 1)
                }
            };
            at += u64::from(width);
            result = Some(match result {
                None => piece,
                Some(before) if machine.is_big() => self.terms.concat(before, piece),
                Some(before) => self.terms.concat(piece, before),
            });
        }
        let value = result.expect("at least a bit");
        self.view(value, Repr::Int, repr, bits, object)
    }
}
