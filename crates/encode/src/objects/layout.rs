//! How objects are made of cells, and which cell lies where.

use crate::objects::{
    CellId, CellKind, ContextId, ENDLESS, Layout, Leaf, ObjId, ObjectKind, Objects, Repr,
    array_leaves, leaves,
};
use cwolf_base::Idx;
use cwolf_cwi::{Type, TypeId, VarId};

impl Objects<'_> {
    /// Lays an object out, if that is not done yet; `hint` is what an access takes it for.
    pub(crate) fn lay_out(&mut self, id: ObjId, hint: Option<TypeId>) {
        if self.objects[id.index()].layout.is_some() {
            return;
        }
        let types = &self.program.types;
        let kind = self.objects[id.index()].kind;
        let found = match kind {
            ObjectKind::Null | ObjectKind::Dangling | ObjectKind::Func(_) | ObjectKind::Outside => {
                None
            }
            ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                let var = &self.program.vars[v];
                match (var.extra, types.as_record(var.ty)) {
                    (0, _) => leaves(types, var.ty),
                    (_, Some(_)) => self.flexible(var.ty, types.size_of(var.ty) + var.extra),
                    _ => None,
                }
            }
            ObjectKind::VarArgs(_) => None,
            ObjectKind::Heap(..) => {
                let elem = hint.filter(|t| types.size_of(*t) > 0);
                let elem = elem.filter(|t| !matches!(types[*t], Type::Void | Type::Func(_)));
                let elem = elem.unwrap_or(cwolf_cwi::Types::CHAR);
                let step = types.size_of(elem);
                match self.objects[id.index()].size {
                    None => array_leaves(types, elem, ENDLESS / step.max(1)),
                    Some(0) => None,
                    Some(size) if size % step == 0 => array_leaves(types, elem, size / step),
                    Some(size) if size > step => self.flexible(elem, size),
                    Some(size) => array_leaves(types, cwolf_cwi::Types::CHAR, size),
                }
            }
        };
        self.set_layout(id, found);
    }

    /// The leaves of a record with a flexible array at its end, or with loose bytes there.
    fn flexible(&self, ty: TypeId, size: u64) -> Option<Vec<Leaf>> {
        let types = &self.program.types;
        let mut all = leaves(types, ty)?;
        let step = types.size_of(ty);
        let tail = types
            .as_record(ty)
            .and_then(|r| types.records[r].fields.last());
        let (elem, start) = match tail.map(|f| (&types[f.ty], f.bit_offset)) {
            Some((Type::Array { elem, len: 0 }, bit)) => (*elem, bit / 8),
            _ => (cwolf_cwi::Types::CHAR, step),
        };
        let count = (size.saturating_sub(start)) / types.size_of(elem).max(1);
        for mut leaf in array_leaves(types, elem, count)? {
            leaf.bit += start * 8;
            all.push(leaf);
        }
        all.sort_by_key(|l| l.bit);
        Some(all)
    }

    pub(crate) fn set_layout(&mut self, id: ObjId, leaves: Option<Vec<Leaf>>) {
        let opaque = leaves.is_none();
        if self.older.contains_key(&id) {
            // Where it was allocated, what it holds was not forgotten: these cells were not known.
            self.changes += 1;
        }
        let leaves = leaves.unwrap_or_default();
        let mut cells = Vec::with_capacity(leaves.len());
        for (n, leaf) in leaves.iter().enumerate() {
            cells.push(self.cell(CellKind::Leaf(id, n as u32), leaf.sort(), leaf.repr));
        }
        self.objects[id.index()].layout = Some(Layout {
            leaves,
            cells,
            opaque,
        });
    }

    /// The cell of a whole variable, if it is a scalar.
    pub fn var_cell(&mut self, context: Option<ContextId>, v: VarId) -> Option<CellId> {
        let kind = match context {
            Some(context) => ObjectKind::Local(context, v),
            None => ObjectKind::Global(v),
        };
        let id = self.object(kind);
        self.lay_out(id, None);
        let layout = self.objects[id.index()].layout.as_ref()?;
        match layout.cells.as_slice() {
            [one] if layout.leaves[0].array.is_none() => Some(*one),
            _ => None,
        }
    }

    pub(crate) fn leaf(&self, object: ObjId, n: usize) -> (&Leaf, CellId) {
        let layout = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out");
        (&layout.leaves[n], layout.cells[n])
    }

    /// The leaf, and its element, that lies exactly there.
    pub(crate) fn exact(
        &self,
        object: ObjId,
        bit: u64,
        bits: u16,
        repr: Repr,
    ) -> Option<(usize, Option<u64>)> {
        let (n, index, start, len) = self.covering(object, bit)?;
        let (leaf, _) = self.leaf(object, n);
        let fits = start == bit && len == bits;
        // A byte of a truth value is not just any byte.
        let alike = leaf.repr == repr || leaf.repr != Repr::Bool && repr != Repr::Bool;
        (fits && alike).then_some((n, index))
    }

    /// The leaf that covers a bit: its number, the element, where that starts, its bits.
    pub(crate) fn covering(
        &self,
        object: ObjId,
        bit: u64,
    ) -> Option<(usize, Option<u64>, u64, u16)> {
        let layout = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out");
        let upper = layout.leaves.partition_point(|l| l.bit <= bit);
        for n in (0..upper).rev() {
            let leaf = &layout.leaves[n];
            match leaf.array {
                None => {
                    if bit < leaf.bit + u64::from(leaf.bits) {
                        return Some((n, None, leaf.bit, leaf.bits));
                    }
                }
                Some((stride, count)) => {
                    let index = (bit - leaf.bit) / (stride * 8);
                    let start = leaf.bit + index * stride * 8;
                    if index < count && bit < start + u64::from(leaf.bits) {
                        return Some((n, Some(index), start, leaf.bits));
                    }
                }
            }
        }
        None
    }
}
