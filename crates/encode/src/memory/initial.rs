//! What cells hold when the program starts.

use crate::memory::Memory;
use crate::objects::{
    Cell, CellId, CellKind, INDEX_BITS, Leaf, OFFSET_BITS, ObjId, ObjectKind, POINTER_BITS, Repr,
    scalar,
};
use cwolf_base::Idx;
use cwolf_cwi::{Definition, InitItem, InitValue, VarId};
use cwolf_logic::{Sort, Term, Terms};
use std::collections::BTreeSet;

impl Memory<'_> {
    /// What a cell holds when the program starts, if that is a constant.
    pub fn first_constant(&mut self, cell: CellId) -> Option<Term> {
        let fixed = match &self.cells[cell.index()].kind {
            CellKind::Leaf(object, _) => {
                matches!(self.objects[object.index()].kind, ObjectKind::Global(_))
            }
            CellKind::Valid(_) | CellKind::Given(_) => true,
            CellKind::Reg(..) | CellKind::Result(..) | CellKind::Size(_) => false,
        };
        if !fixed {
            return None;
        }
        let t = self.initial(cell);
        (self.terms.as_bv(t).is_some() || self.terms.as_bool(t).is_some()).then_some(t)
    }

    /// What a cell holds when the program starts.
    pub fn first_value(&mut self, cell: CellId) -> Term {
        self.initial(cell)
    }

    pub(super) fn initial(&mut self, cell: CellId) -> Term {
        if let Some(&t) = self.initial.get(&cell) {
            return t;
        }
        let Cell { kind, sort, repr } = self.cells[cell.index()].clone();
        let t = match kind {
            // Who counts objects must know which are there.
            CellKind::Valid(object) if self.options.checks.leaks && self.is_heap(object) => {
                Terms::FALSE
            }
            CellKind::Valid(_) => Terms::TRUE,
            CellKind::Given(_) => Terms::FALSE,
            CellKind::Size(_) => self.terms.bv(OFFSET_BITS, 0),
            CellKind::Reg(..) | CellKind::Result(..) => self.undefined(sort, repr),
            CellKind::Leaf(object, n) => {
                let info = &self.objects[object.index()];
                match info.kind {
                    ObjectKind::Global(v) => {
                        let leaf =
                            info.layout.as_ref().expect("laid out").leaves[n as usize].clone();
                        self.first_contents(v, &leaf)
                    }
                    _ if info.zeroed => self.zero(sort),
                    ObjectKind::Heap(..) => self.unwritten(sort, repr),
                    _ => self.undefined(sort, repr),
                }
            }
        };
        self.initial.insert(cell, t);
        t
    }

    pub(crate) fn zero(&mut self, sort: Sort) -> Term {
        match sort {
            Sort::Bool => Terms::FALSE,
            Sort::Bv(width) => self.terms.bv(width, 0),
            Sort::Array { index, elem } => {
                let zero = self.terms.bv(elem, 0);
                self.terms.const_array(index, zero)
            }
        }
    }

    /// The first contents of a part of a static variable.
    fn first_contents(&mut self, v: VarId, leaf: &Leaf) -> Term {
        let var = &self.program.vars[v];
        if var.definition == Definition::Declared {
            let t = self.terms.fresh("extern", leaf.sort());
            if leaf.repr == Repr::Pointer {
                self.domains.insert(t, vec![ObjId::NULL, ObjId::OUTSIDE]);
            }
            self.assume_text(format!(
                "{} is defined nowhere: it holds any value",
                var.name
            ));
            return t;
        }
        let Some((stride, count)) = leaf.array else {
            return self.first_scalar(v, leaf.bit, leaf);
        };
        let mut array = self.zero(leaf.sort());
        // Only elements that an initialiser touches.
        let mut touched = BTreeSet::new();
        for item in &self.program.vars[v].init {
            let end = item.bit_offset + self.program.types.size_of(item.ty).max(1) * 8;
            let step = stride * 8;
            let first = item.bit_offset.saturating_sub(leaf.bit) / step;
            let last = end.saturating_sub(leaf.bit + 1) / step;
            if end > leaf.bit && item.bit_offset < leaf.end() {
                touched.extend(first..=last.min(count - 1));
            }
        }
        for n in touched {
            let value = self.first_scalar(v, leaf.bit + n * stride * 8, leaf);
            let index = self.terms.bv(INDEX_BITS, n.into());
            array = self.terms.store(array, index, value);
        }
        array
    }

    /// What a number that lies somewhere (its first bit, how many bits, its value) gives to the `bits`
    /// bits at `bit`.
    fn shared(&self, (at, size, number): (u64, u64, u128), bit: u64, bits: u16) -> u128 {
        let machine = self.program.target();
        let end = bit.saturating_add(bits.into());
        let (from, to) = (at.max(bit), (at + size).min(end));
        if from >= to {
            return 0;
        }
        let width = to - from;
        let part = number >> machine.low_bit(size, from - at, width) & (u128::MAX >> (128 - width));
        part << machine.low_bit(bits.into(), from - bit, width)
    }

    fn first_scalar(&mut self, v: VarId, bit: u64, leaf: &Leaf) -> Term {
        let program = self.program;
        let bits = leaf.bits;
        let mut image = 0u128;
        // They rise and do not overlap, and a table has thousands.
        let init = &program.vars[v].init;
        let size = |item: &InitItem| match &item.value {
            InitValue::Bytes(bytes) => bytes.len() as u64 * 8,
            _ => scalar(&program.types, item.ty).map_or(0, |(b, _)| b.into()),
        };
        let before = init.partition_point(|item| item.bit_offset + size(item) <= bit);
        let end = bit.saturating_add(u64::from(bits));
        let here = init[before..].iter();
        for item in here.take_while(|item| item.bit_offset < end) {
            let size = size(item);
            let number = match &item.value {
                InitValue::Int(n) => *n as u128 & (u128::MAX >> (128 - size)),
                InitValue::Float(f) => *f,
                InitValue::Bytes(bytes) => {
                    for (n, byte) in bytes.iter().enumerate() {
                        let at = item.bit_offset + n as u64 * 8;
                        image |= self.shared((at, 8, (*byte).into()), bit, bits);
                    }
                    continue;
                }
                InitValue::Addr(to, offset) if leaf.repr == Repr::Pointer => {
                    let object = self.object(ObjectKind::Global(*to));
                    let offset = self.terms.bv(OFFSET_BITS, *offset as u128);
                    return self.pointer(object, offset);
                }
                InitValue::Func(f) if leaf.repr == Repr::Pointer => {
                    let object = self.object(ObjectKind::Func(*f));
                    let zero = self.terms.bv(OFFSET_BITS, 0);
                    return self.pointer(object, zero);
                }
                InitValue::Addr(..) | InitValue::Func(_) => {
                    return self.undefined(leaf.sort(), leaf.repr);
                }
            };
            image |= self.shared((item.bit_offset, size, number), bit, bits);
        }
        let image = image & (u128::MAX >> (128 - bits));
        let width = match leaf.repr {
            Repr::Pointer => POINTER_BITS,
            _ => bits,
        };
        self.terms.bv(width, image)
    }
}
