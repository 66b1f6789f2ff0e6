//! Symbolic memory graphs (Dudka, Peringer, Vojnar, SAS 2013): objects, what they hold, and where that leads.
//!
//! An object is one piece of memory, or a *segment*: a run of any number of like nodes, each linked to the
//! next. A value that is read and written is a number, an address, or unknown; unknown numbers have names, so
//! that two cells are known to hold the same.

use cwolf_cwi::{BlockId, FuncId, RegId, VarId};
use cwolf_numeric::Num;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Names an object of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjId(pub(crate) u32);

/// Names an unknown number of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SymId(pub(crate) u32);

/// Which node of a segment an address leads to. Of other objects, always the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum End {
    First,
    Last,
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ptr {
    pub(crate) obj: ObjId,
    pub(crate) end: End,
    /// Bytes from the object's start: from the first to the second number.
    pub(crate) at: (i64, i64),
}

impl Ptr {
    /// So many bytes into an object.
    pub(crate) fn to(obj: ObjId, at: i64) -> Ptr {
        let end = End::First;
        Ptr {
            obj,
            end,
            at: (at, at),
        }
    }
    /// How far it leads into its object, if that is known.
    pub(crate) fn exact(&self) -> Option<i64> {
        (self.at.0 == self.at.1).then_some(self.at.0)
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Val {
    /// A number in the canonical form of its type, or an address that is one (null is 0).
    Const(i128),
    /// The unknown number so named.
    Sym(SymId),
    /// One of these numbers, without a name: in a segment, each node has its own.
    In(Rc<Num>),
    Ptr(Ptr),
    Func(FuncId),
    /// Nothing is known, not even its form.
    Any,
}

/// What lies at one place of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) bits: i64,
    pub(crate) val: Val,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Var(VarId),
    Heap,
    /// Allocated on the stack: ends with its call, and is never freed.
    Stack,
}

/// A run of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Where a node has the address of the next, in bits.
    pub(crate) next: i64,
    /// Where it has the address of the one before, in bits, if it has.
    pub(crate) prev: Option<i64>,
    /// How many bytes into a node these addresses lead.
    pub(crate) head: i64,
    /// There are at least so many nodes, at most [`MOST`].
    pub(crate) min: u8,
}

/// Longer runs are not told apart.
pub(crate) const MOST: u8 = 2;

/// An object. The cells of a segment are those of each node, but for the links: `next` is that of the last
/// node, `prev` that of the first. An address of the segment itself in any other cell means the same node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    /// Bytes.
    pub(crate) size: Rc<Num>,
    /// Its life lasts.
    pub(crate) valid: bool,
    /// When its life ended, as the graph counts: the newest object at that time.
    pub(crate) ended: u32,
    /// What no cell says is zero, else unknown.
    pub(crate) zero: bool,
    /// By their first bits; they do not overlap.
    pub(crate) cells: BTreeMap<i64, Cell>,
    pub(crate) seg: Option<Segment>,
    /// Each node of this segment has an object like this one, which only it leads to.
    pub(crate) owner: Option<ObjId>,
}

impl Object {
    pub(crate) fn new(kind: Kind, size: Num, zero: bool) -> Object {
        Object {
            kind,
            size: Rc::new(size),
            valid: true,
            ended: 0,
            zero,
            cells: BTreeMap::new(),
            seg: None,
            owner: None,
        }
    }

    /// The size, if it is known.
    pub(crate) fn exact_size(&self) -> Option<i64> {
        self.size.as_constant().and_then(|s| i64::try_from(s).ok())
    }

    /// The least number of bytes that it has.
    pub(crate) fn least_size(&self) -> i128 {
        self.size.bounds().0
    }

    /// The cells that have bits from `from` up to `to`.
    pub(crate) fn overlapping(&self, from: i64, to: i64) -> Vec<i64> {
        let mut found = Vec::new();
        for (at, cell) in self.cells.range(..to).rev() {
            if at + cell.bits > from {
                found.push(*at);
            } else {
                // Cells do not overlap, so that none before this one reaches so far.
                break;
            }
        }
        found
    }

    /// What lies at exactly this place; none if that is not known.
    pub(crate) fn get(&self, at: i64, bits: i64) -> Option<Val> {
        if let Some(cell) = self.cells.get(&at)
            && cell.bits == bits
        {
            return Some(cell.val.clone());
        }
        let zero = |n: &i64| self.cells[n].val == Val::Const(0);
        let all = self.overlapping(at, at + bits);
        // A part of zeros is zero, and so are zeros side by side.
        (self.zero && all.iter().all(zero)).then_some(Val::Const(0))
    }

    /// Nothing is known of these bits any more.
    pub(crate) fn forget(&mut self, from: i64, to: i64) {
        self.cut(from, to);
        if self.zero {
            let bits = to - from;
            self.cells.insert(
                from,
                Cell {
                    bits,
                    val: Val::Any,
                },
            );
        }
    }

    /// Takes the cells of these bits away, with what is left of those that lie there in part.
    fn cut(&mut self, from: i64, to: i64) {
        for at in self.overlapping(from, to) {
            let cell = self.cells.remove(&at).expect("just found");
            let end = at + cell.bits;
            let rest = |val: &Val| match val {
                Val::Const(0) => Val::Const(0),
                _ => Val::Any,
            };
            if at < from {
                let bits = from - at;
                let val = rest(&cell.val);
                self.cells.insert(at, Cell { bits, val });
            }
            if end > to {
                let bits = end - to;
                let val = rest(&cell.val);
                self.cells.insert(to, Cell { bits, val });
            }
        }
    }

    /// These bits hold a value from now on.
    pub(crate) fn set(&mut self, at: i64, bits: i64, val: Val) {
        self.cut(at, at + bits);
        self.cells.insert(at, Cell { bits, val });
    }

    /// These bits are zero from now on.
    pub(crate) fn clear(&mut self, from: i64, to: i64) {
        self.cut(from, to);
        if !self.zero && from < to {
            let bits = to - from;
            let val = Val::Const(0);
            self.cells.insert(from, Cell { bits, val });
        }
    }
}

/// A call in progress.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) func: FuncId,
    /// Where it is, or which block's call is in progress.
    pub(crate) block: BlockId,
    pub(crate) vars: BTreeMap<VarId, ObjId>,
    pub(crate) regs: BTreeMap<RegId, Val>,
    /// What it has allocated on the stack.
    pub(crate) stack: Vec<ObjId>,
}

/// A state of memory, or rather a set of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) objects: BTreeMap<ObjId, Rc<Object>>,
    /// What unknown numbers may be.
    pub(crate) syms: BTreeMap<SymId, Rc<Num>>,
    /// Variables of the whole run that were used; others are as they were at the start.
    pub(crate) globals: BTreeMap<VarId, ObjId>,
    pub(crate) frames: Vec<Frame>,
    /// There may be allocated objects that nothing leads to any more.
    pub(crate) lost: bool,
    /// Results of operators that have names, so that computing them again gives the same.
    pub(crate) results: Vec<(Operation, Val)>,
    pub(crate) count: u32,
    /// Bits of an address.
    pub(crate) word: i64,
}

/// An operator with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    /// Tells the operator and the type apart.
    pub(crate) what: (u32, u32),
    pub(crate) args: Vec<Val>,
}

impl Graph {
    pub(crate) fn frame(&self) -> &Frame {
        self.frames.last().expect("a call is in progress")
    }
    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a call is in progress")
    }

    pub(crate) fn add(&mut self, object: Object) -> ObjId {
        self.count += 1;
        let id = ObjId(self.count);
        self.objects.insert(id, Rc::new(object));
        id
    }

    /// A new unknown number.
    pub(crate) fn name(&mut self, num: Num) -> Val {
        if let Some(v) = num.as_constant() {
            return Val::Const(v);
        }
        self.count += 1;
        let id = SymId(self.count);
        self.syms.insert(id, Rc::new(num));
        Val::Sym(id)
    }

    /// Whether two objects were there at the same time, one of which is gone: then they have addresses of
    /// their own. Memory that was freed may be given away again.
    pub(crate) fn met(&self, a: ObjId, b: ObjId) -> bool {
        let (x, y) = (self.object(a), self.object(b));
        match (x.valid, y.valid) {
            (true, false) => x.seg.is_none() && a.0 <= y.ended,
            (false, true) => y.seg.is_none() && b.0 <= x.ended,
            _ => false,
        }
    }

    pub(crate) fn object(&self, id: ObjId) -> &Object {
        &self.objects[&id]
    }

    pub(crate) fn object_mut(&mut self, id: ObjId) -> &mut Object {
        Rc::make_mut(self.objects.get_mut(&id).expect("an object of this graph"))
    }

    /// The numbers that a value may be, if it is a number.
    pub(crate) fn num(&self, val: &Val) -> Option<Num> {
        match val {
            Val::Const(v) => Some(Num::constant(*v)),
            Val::Sym(s) => Some((*self.syms[s]).clone()),
            Val::In(num) => Some((**num).clone()),
            Val::Ptr(_) | Val::Func(_) | Val::Any => None,
        }
    }

    /// Puts what `change` gives in the place of every value.
    pub(crate) fn map_values(&mut self, change: &dyn Fn(Holder, &Val) -> Option<Val>) {
        for (id, object) in &mut self.objects {
            let mut new = Vec::new();
            for (at, cell) in &object.cells {
                if let Some(val) = change(Holder::Object(*id, *at), &cell.val) {
                    new.push((*at, val));
                }
            }
            if !new.is_empty() {
                let object = Rc::make_mut(object);
                for (at, val) in new {
                    object.cells.get_mut(&at).expect("just seen").val = val;
                }
            }
        }
        for frame in &mut self.frames {
            for val in frame.regs.values_mut() {
                if let Some(new) = change(Holder::Register, val) {
                    *val = new;
                }
            }
        }
        for (operation, result) in &mut self.results {
            for val in operation.args.iter_mut().chain([result]) {
                if let Some(new) = change(Holder::Register, val) {
                    *val = new;
                }
            }
        }
    }

    /// Calls `visit` for each value of an object or a register.
    pub(crate) fn for_each_value(&self, visit: &mut dyn FnMut(Holder, &Val)) {
        for (id, object) in &self.objects {
            for (at, cell) in &object.cells {
                visit(Holder::Object(*id, *at), &cell.val);
            }
        }
        for frame in &self.frames {
            for val in frame.regs.values() {
                visit(Holder::Register, val);
            }
        }
    }

    /// A named number is this value from now on.
    pub(crate) fn substitute(&mut self, sym: SymId, val: &Val) {
        self.map_values(&|_, v| (*v == Val::Sym(sym)).then(|| val.clone()));
        self.syms.remove(&sym);
    }

    /// Only these numbers are looked at from now on.
    pub(crate) fn limit(&mut self, sym: SymId, num: Num) {
        match num.as_constant() {
            Some(v) => self.substitute(sym, &Val::Const(v)),
            None => {
                self.syms.insert(sym, Rc::new(num));
            }
        }
    }

    /// How large the graph is: its objects, cells and numbers.
    pub(crate) fn parts(&self) -> usize {
        let cells: usize = self.objects.values().map(|o| 1 + o.cells.len()).sum();
        cells + self.syms.len()
    }

    /// The objects that are still allocated.
    pub(crate) fn allocated(&self) -> impl Iterator<Item = ObjId> + '_ {
        let heap = |o: &Object| o.kind == Kind::Heap && o.valid;
        let all = self.objects.iter();
        all.filter(move |(_, o)| heap(o)).map(|(id, _)| *id)
    }
}

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// In an object, at this bit.
    Object(ObjId, i64),
    Register,
}
