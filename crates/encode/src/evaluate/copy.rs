//! `memset` and `memcpy`.

use crate::cursor::Cursor;
use crate::evaluate::Evaluator;
use crate::memory::Address;
use crate::memory::State;
use crate::objects::{CellId, INDEX_BITS, Leaf, OFFSET_BITS, ObjectKind, bit_of};
use crate::pointers::Target;
use cwolf_base::Idx;
use cwolf_logic::{Term, Terms};

impl Evaluator<'_> {
    /// Where a copy or fill goes.
    fn region_of(&mut self, cur: &mut Cursor, p: Term, size: u64) -> Vec<Target> {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let targets = self.targets(p, zero);
        let (targets, defined) = self.admit(cur, targets, size);
        self.only_or_give_up(cur, defined, "a copy to or from invalid memory");
        targets
    }

    /// `memset`.
    pub(crate) fn fill(&mut self, cur: &mut Cursor, p: Term, byte: u8, size: u64) -> Option<()> {
        if size == 0 {
            return Some(());
        }
        let targets = self.region_of(cur, p, size);
        let single = targets.len() == 1;
        for target in targets {
            let guard = if single { Terms::TRUE } else { target.guard };
            let object = target.object;
            let (start, unrolls) = (self.terms.as_bv(target.offset), self.options.mode.unrolls());
            let info = &mut self.objects[object.index()];
            if info.summary || info.kind == ObjectKind::Outside {
                continue;
            }
            // A fresh object that nobody has looked at is filled as a whole.
            if info.layout.is_none()
                && byte == 0
                && start == Some(0)
                && info.size == Some(size)
                && guard == Terms::TRUE
                && info.born == Some(cur.guard)
                && unrolls
                && matches!(info.kind, ObjectKind::Heap(..))
            {
                info.zeroed = true;
                continue;
            }
            self.lay_out(object, None);
            let layout = self.objects[object.index()].layout.as_ref()?.clone();
            let Some(start) = start else {
                let mut state = std::mem::take(&mut cur.state);
                self.forget(&mut state, object, guard);
                cur.state = state;
                continue;
            };
            let from = bit_of(start, 0);
            let to = from.saturating_add(size.saturating_mul(8));
            for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
                if leaf.end() <= from || leaf.bit >= to {
                    continue;
                }
                let inside = leaf.bit >= from && leaf.end() <= to;
                let old = self.content(&cur.state, *cell);
                let new = match (inside, elements(leaf, from, to)) {
                    (true, _) => self.filled(leaf, byte),
                    (false, None) => self.undefined(leaf.sort(), leaf.repr),
                    (false, Some(elements)) => {
                        self.with_elements(old, elements, |this, leaf| this.filled(leaf, byte))
                    }
                };
                let new = self.terms.ite(guard, new, old);
                cur.state.set(*cell, new);
            }
        }
        Some(())
    }

    fn filled(&mut self, leaf: &Leaf, byte: u8) -> Term {
        if byte == 0 {
            return self.zero(leaf.sort());
        }
        if leaf.repr == crate::objects::Repr::Pointer {
            return self.undefined(leaf.sort(), leaf.repr);
        }
        // A bit-field starts somewhere in its byte.
        let (start, bits) = (leaf.bit % 8, leaf.bits.into());
        let all = self.program.target().bits(&[byte; 17], start, bits);
        let value = self.terms.bv(leaf.bits, all);
        match leaf.array {
            None => value,
            Some(_) => self.terms.const_array(INDEX_BITS, value),
        }
    }

    /// `memcpy` of a known number of bytes: by the parts of the target's layout.
    pub(crate) fn copy(&mut self, cur: &mut Cursor, to: Term, from: Term, size: u64) -> Option<()> {
        if size == 0 {
            return Some(());
        }
        let source = self.region_of(cur, from, size);
        let target = self.region_of(cur, to, size);
        // Pointers that come to lie where contents are not followed, or are forgotten below.
        for into in &target {
            for one in &source {
                let mut pointers = self.pointed_from(&cur.state, one.object);
                pointers.extend(self.vague_domain(one.object));
                self.holds_objects(into.object, pointers);
            }
        }
        let [into] = target.as_slice() else {
            let mut state = std::mem::take(&mut cur.state);
            for t in target {
                self.forget(&mut state, t.object, t.guard);
            }
            cur.state = state;
            return Some(());
        };
        let into = *into;
        if self.objects[into.object.index()].kind == ObjectKind::Outside {
            return Some(());
        }
        // A fresh target takes the shape of the source.
        if self.objects[into.object.index()].layout.is_none()
            && let [one] = source.as_slice()
            && let ObjectKind::Global(v) | ObjectKind::Local(_, v) =
                self.objects[one.object.index()].kind
        {
            let ty = self.program.vars[v].ty;
            self.lay_out(into.object, Some(ty));
        }
        self.lay_out(into.object, None);
        let start = self.terms.as_bv(into.offset);
        let layout = self.objects[into.object.index()].layout.as_ref()?.clone();
        let mut state = std::mem::take(&mut cur.state);
        let Some(start) = start else {
            self.forget(&mut state, into.object, Terms::TRUE);
            cur.state = state;
            return Some(());
        };
        let first = bit_of(start, 0);
        let last = first.saturating_add(size.saturating_mul(8));
        let at = Address {
            targets: source,
            bit: 0,
            hint: None,
            defined: Terms::TRUE,
        };
        let before = state.clone();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            if leaf.end() <= first || leaf.bit >= last {
                continue;
            }
            let whole = leaf.bit >= first && leaf.end() <= last;
            if !whole {
                let t = self.copied_in_part(&before, &at, (leaf, *cell), (first, last));
                state.set(*cell, t);
                continue;
            }
            let mut part = leaf.clone();
            part.bit -= first;
            let parts = self.parts(&before, &at, &[part]);
            match parts.as_slice() {
                [(_, _, _, t)] if self.terms.sort(*t) == leaf.sort() => state.set(*cell, *t),
                elements => {
                    let mut array = self.undefined(leaf.sort(), leaf.repr);
                    let stride = leaf.array.map_or(1, |(s, _)| s);
                    for (bit, _, _, t) in elements {
                        let n = (bit + first - leaf.bit) / (stride * 8);
                        let index = self.terms.bv(INDEX_BITS, n.into());
                        array = self.terms.store(array, index, *t);
                    }
                    state.set(*cell, array);
                }
            }
        }
        cur.state = state;
        Some(())
    }

    /// What a leaf holds after bytes that do not cover it were copied to the bits from `first` to `last`.
    fn copied_in_part(
        &mut self,
        before: &State,
        at: &Address,
        (leaf, cell): (&Leaf, CellId),
        (first, last): (u64, u64),
    ) -> Term {
        let Some(elements) = elements(leaf, first, last) else {
            return self.undefined(leaf.sort(), leaf.repr);
        };
        let old = self.content(before, cell);
        self.with_elements(old, elements, |this, element| {
            let mut part = element.clone();
            part.bit -= first;
            match this.parts(before, at, &[part]).as_slice() {
                [(_, _, _, t)] if this.terms.sort(*t) == element.sort() => *t,
                _ => this.undefined(element.sort(), element.repr),
            }
        })
    }

    /// An array in which some elements are others; those that are not written as a whole are undefined.
    fn with_elements(
        &mut self,
        mut array: Term,
        elements: Vec<Element>,
        mut written: impl FnMut(&mut Self, &Leaf) -> Term,
    ) -> Term {
        for Element { n, leaf, whole } in elements {
            let value = match whole {
                true => written(self, &leaf),
                false => self.undefined(leaf.sort(), leaf.repr),
            };
            let index = self.terms.bv(INDEX_BITS, n.into());
            array = self.terms.store(array, index, value);
        }
        array
    }
}

/// An element of an array that some bits overlap.
struct Element {
    n: u64,
    leaf: Leaf,
    /// Whether they cover it.
    whole: bool,
}

/// The elements of an array that the bits from `first` to `last` overlap; none if it is no array, or if they are many.
fn elements(leaf: &Leaf, first: u64, last: u64) -> Option<Vec<Element>> {
    const MOST: u64 = 512;
    let (stride, count) = leaf.array?;
    let step = stride.checked_mul(8).filter(|step| *step > 0)?;
    let from = first.saturating_sub(leaf.bit) / step;
    let to = last.saturating_sub(leaf.bit).div_ceil(step).min(count);
    if to.saturating_sub(from) > MOST {
        return None;
    }
    let element = |n: u64| {
        let mut element = leaf.clone();
        element.array = None;
        element.bit += n * step;
        let whole = element.bit >= first && element.end() <= last;
        Element {
            n,
            leaf: element,
            whole,
        }
    };
    let overlaps = |e: &Element| e.leaf.bit < last && e.leaf.end() > first;
    Some((from..to).map(element).filter(overlaps).collect())
}
