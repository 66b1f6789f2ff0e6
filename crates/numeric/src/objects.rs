//! The objects and cells of a program: what there is to know something about.

use crate::layout::{Kind, Leaf, array_leaves, leaves};
use crate::num::Num;
use crate::value::{CellId, ObjId, Pointer, Value};
use cwolf_base::{Idx, IndexVec};
use cwolf_cwi::graph::{Analysed, Object};
use cwolf_cwi::{
    Base, BlockId, Branch, Definition, Expr, ExprKind, FuncId, InitValue, Place, Program, RESULT,
    RegId, StmtKind, TypeId, VarId, VarKind, value,
};
use cwolf_known::{Primitive, Row};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What {
    Var(VarId),
    Func(FuncId),
    /// What a call allocates.
    Heap(FuncId, BlockId),
}

/// Something that pointers lead to.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) what: What,
    pub(crate) leaves: Vec<Leaf>,
    /// The cell of the first leaf; the others follow.
    pub(crate) first: CellId,
    /// Bytes, if that is known.
    pub(crate) size: Option<i128>,
    /// Whether it stands for one object at any time. Of others nothing is known.
    pub(crate) single: bool,
}

impl Entry {
    pub(crate) fn cell(&self, leaf: usize) -> CellId {
        CellId::new(self.first.index() + leaf)
    }
    pub(crate) fn cells(&self) -> impl Iterator<Item = CellId> + use<> {
        let first = self.first.index();
        (first..first + self.leaves.len()).map(CellId::new)
    }
}

/// A scalar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) kind: Kind,
    /// The function whose calls alone see it.
    pub(crate) private: Option<FuncId>,
}

/// All objects and cells.
pub(crate) struct Objects {
    pub(crate) all: IndexVec<ObjId, Entry>,
    pub(crate) ids: FxHashMap<What, ObjId>,
    pub(crate) cells: IndexVec<CellId, Cell>,
    regs: FxHashMap<(FuncId, RegId), CellId>,
    /// What the last call returned.
    pub(crate) result: CellId,
    /// Variables whose address is taken.
    pub(crate) taken: FxHashSet<VarId>,
    /// Functions that may be called again before they return.
    pub(crate) recursive: FxHashSet<FuncId>,
    /// What is known of functions by their names.
    pub(crate) rows: IndexVec<FuncId, Option<&'static Row>>,
}

impl Objects {
    /// Those of the functions that are reached from `entry`.
    pub(crate) fn new(program: &Analysed, functions: &[FuncId], once: &Once) -> Objects {
        let calls = program.calls();
        let mut objects = Objects {
            all: IndexVec::new(),
            ids: FxHashMap::default(),
            cells: IndexVec::new(),
            regs: FxHashMap::default(),
            result: CellId::new(0),
            taken: program.address_taken(),
            recursive: functions
                .iter()
                .copied()
                .filter(|f| calls.is_recursive(*f))
                .collect(),
            rows: program
                .funcs
                .iter()
                .map(|f| cwolf_known::lookup(&f.name))
                .collect(),
        };
        objects.cells.push(Cell {
            kind: Kind::Other,
            private: None,
        });
        // Functions are objects without cells.
        for func in program.funcs.ids() {
            objects.add(What::Func(func), Vec::new(), Some(0), true);
        }
        let hints = hints(program, functions);
        for var in variables(program, functions) {
            objects.variable(program, var);
        }
        for func in functions {
            objects.function(program, *func, once, &hints);
        }
        objects
    }

    fn add(&mut self, what: What, leaves: Vec<Leaf>, size: Option<i128>, single: bool) -> ObjId {
        let first = CellId::new(self.cells.len());
        for leaf in &leaves {
            self.cells.push(Cell {
                kind: leaf.kind,
                private: None,
            });
        }
        let id = self.all.push(Entry {
            what,
            leaves,
            first,
            size,
            single,
        });
        self.ids.insert(what, id);
        id
    }

    fn variable(&mut self, program: &Program, id: VarId) {
        let var = &program.vars[id];
        let own = var.kind.function().filter(|_| var.kind.is_automatic());
        let taken = self.taken.contains(&id);
        let several = own.is_some_and(|f| self.recursive.contains(&f)) && taken;
        let hidden = var.volatile || var.thread_local || var.extra > 0 || several;
        let found = match hidden {
            true => Vec::new(),
            false => leaves(&program.types, var.ty).unwrap_or_default(),
        };
        let size = i128::from(program.types.size_of(var.ty)) + i128::from(var.extra);
        let size = (var.definition != Definition::Declared).then_some(size);
        let object = self.add(What::Var(id), found, size, !several);
        if let (Some(func), false) = (own, taken) {
            for cell in self.all[object].cells() {
                self.cells[cell].private = Some(func);
            }
        }
    }

    fn function(
        &mut self,
        program: &Program,
        func: FuncId,
        once: &Once,
        hints: &FxHashMap<Object, TypeId>,
    ) {
        let Some(body) = &program.funcs[func].body else {
            return;
        };
        for (reg, ty) in body.regs.enumerate() {
            if reg == RESULT {
                continue;
            }
            let cell = self.cells.push(Cell {
                kind: Kind::of(&program.types, *ty),
                private: Some(func),
            });
            self.regs.insert((func, reg), cell);
        }
        for (block, code) in body.blocks.enumerate() {
            let Branch::Call { callee, args, .. } = &code.branch else {
                continue;
            };
            let cwolf_cwi::Callee::Direct(called) = callee else {
                continue;
            };
            let primitive = self.rows[*called].and_then(Row::primitive);
            let size = match (primitive, args.as_slice()) {
                (Some(Primitive::Allocate), [size]) => size.as_int(),
                (Some(Primitive::AllocateZeroed), [count, size]) => count
                    .as_int()
                    .zip(size.as_int())
                    .and_then(|(n, s)| n.checked_mul(s)),
                _ => continue,
            };
            let size = size.filter(|s| (0..1 << 30).contains(s));
            let single = once.is_once(func, block) && size.is_some();
            let elem = hints.get(&Object::Heap(func, block));
            let elem = elem.copied().unwrap_or(cwolf_cwi::Types::CHAR);
            let step = i128::from(program.types.size_of(elem)).max(1);
            let leaves = match (single, size) {
                (true, Some(size)) if size % step == 0 => {
                    array_leaves(&program.types, elem, size / step).unwrap_or_default()
                }
                _ => Vec::new(),
            };
            self.add(What::Heap(func, block), leaves, size, single);
        }
    }

    /// The object that the points-to analysis means, if there are cells for it.
    pub(crate) fn of(&self, object: Object) -> Option<ObjId> {
        let what = match object {
            Object::Var(v) => What::Var(v),
            Object::Func(f) => What::Func(f),
            Object::Heap(f, b) => What::Heap(f, b),
            Object::VarArgs(_) | Object::Outside => return None,
        };
        self.ids.get(&what).copied()
    }

    pub(crate) fn reg(&self, func: FuncId, reg: RegId) -> Option<CellId> {
        match reg {
            RESULT => Some(self.result),
            reg => self.regs.get(&(func, reg)).copied(),
        }
    }

    pub(crate) fn var(&self, var: VarId) -> Option<&Entry> {
        self.ids.get(&What::Var(var)).map(|id| &self.all[*id])
    }

    /// The values that a cell may have at all.
    pub(crate) fn room(&self, cell: CellId) -> (i128, i128) {
        let room = self.cells[cell].kind.room();
        room.unwrap_or((-(1 << 63), 1 << 64))
    }

    /// What the cells of a variable hold when the program starts.
    pub(crate) fn initial(&self, program: &Program, var: VarId) -> Vec<(CellId, Option<Value>)> {
        let Some(entry) = self.var(var) else {
            return Vec::new();
        };
        let info = &program.vars[var];
        if info.kind.is_automatic() || info.definition == Definition::Declared {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (n, leaf) in entry.leaves.iter().enumerate() {
            found.push((entry.cell(n), self.first_value(program, var, leaf)));
        }
        found
    }

    fn first_value(&self, program: &Program, var: VarId, leaf: &Leaf) -> Option<Value> {
        let zero = match leaf.kind {
            Kind::Pointer => Value::Pointer(Pointer::NULL),
            Kind::Int(_) | Kind::Bool => Value::Num(Num::constant(0)),
            Kind::Other => return None,
        };
        let mut value: Option<Value> = None;
        let mut given = 0i128;
        let mut include = |v: Value| {
            let joined = match &value {
                None => Some(v),
                Some(old) => old.join(&v),
            };
            value = joined;
            value.is_some()
        };
        for item in &program.vars[var].init {
            let at = i128::from(item.bit_offset);
            let items: Vec<(i128, i128, Option<Value>)> = match &item.value {
                InitValue::Bytes(bytes) => {
                    let signed = match leaf.kind {
                        Kind::Int(ty) => ty.signed,
                        _ => false,
                    };
                    let number = |b: u8| match signed {
                        true => i128::from(b as i8),
                        false => i128::from(b),
                    };
                    let bytes = bytes.iter().enumerate();
                    bytes
                        .map(|(n, b)| {
                            let v = Value::Num(Num::constant(number(*b)));
                            (at + 8 * n as i128, 8, Some(v))
                        })
                        .collect()
                }
                InitValue::Int(v) => {
                    let kind = Kind::of(&program.types, item.ty);
                    let v = match (kind, leaf.kind) {
                        (Kind::Pointer, Kind::Pointer) if *v == 0 => {
                            Some(Value::Pointer(Pointer::NULL))
                        }
                        (Kind::Int(_) | Kind::Bool, Kind::Int(ty)) => {
                            Some(Value::Num(Num::constant(value::wrap(ty, *v))))
                        }
                        (Kind::Bool, Kind::Bool) => Some(Value::Num(Num::constant(*v))),
                        _ => None,
                    };
                    vec![(at, crate::layout::bits_of(&program.types, item.ty), v)]
                }
                InitValue::Addr(to, by) => {
                    let object = self.ids.get(&What::Var(*to));
                    let v = object
                        .filter(|_| leaf.kind == Kind::Pointer)
                        .map(|o| Value::Pointer(Pointer::to(*o, Num::constant(i128::from(*by)))));
                    vec![(at, crate::layout::bits_of(&program.types, item.ty), v)]
                }
                InitValue::Func(f) => {
                    let object = self.ids.get(&What::Func(*f));
                    let v = object
                        .filter(|_| leaf.kind == Kind::Pointer)
                        .map(|o| Value::Pointer(Pointer::to(*o, Num::constant(0))));
                    vec![(at, crate::layout::bits_of(&program.types, item.ty), v)]
                }
                InitValue::Float(_) => {
                    vec![(at, crate::layout::bits_of(&program.types, item.ty), None)]
                }
            };
            for (at, bits, v) in items {
                match leaf.overlap(&Num::constant(at), bits) {
                    crate::layout::Overlap::None => {}
                    crate::layout::Overlap::Exact => {
                        given += 1;
                        if !v.is_some_and(&mut include) {
                            return None;
                        }
                    }
                    crate::layout::Overlap::Partial => return None,
                }
            }
        }
        let count: i128 = leaf.dims.iter().map(|d| d.1).product();
        if given < count && !include(zero) {
            return None;
        }
        value
    }
}

/// Variables that the code of these functions mentions, or whose address such a variable holds.
fn variables(program: &Program, functions: &[FuncId]) -> Vec<VarId> {
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    let mut work: Vec<VarId> = Vec::new();
    for func in functions {
        let function = &program.funcs[*func];
        work.extend(function.params.iter().chain(&function.locals));
        let Some(body) = &function.body else { continue };
        let mut note = |place: &Place| {
            if let Base::Var(v) = place.base {
                work.push(v);
            }
        };
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| match &e.kind {
                ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => note(place),
                _ => {}
            });
        });
        for stmt in body.blocks.iter().flat_map(|b| &b.stmts) {
            if let StmtKind::Assign(place, _) = &stmt.kind {
                note(place);
            }
        }
    }
    while let Some(v) = work.pop() {
        if seen.insert(v) {
            let inits = program.vars[v].init.iter();
            work.extend(inits.filter_map(|item| match item.value {
                InitValue::Addr(to, _) => Some(to),
                _ => None,
            }));
        }
    }
    let mut all: Vec<VarId> = seen.into_iter().collect();
    all.sort_unstable();
    all
}

/// What allocated objects are taken for by those who use pointers to them: the largest type.
fn hints(program: &Analysed, functions: &[FuncId]) -> FxHashMap<Object, TypeId> {
    let types = &program.types;
    let mut found: FxHashMap<Object, TypeId> = FxHashMap::default();
    for func in functions {
        let Some(body) = &program.funcs[*func].body else {
            continue;
        };
        for (block, code) in body.blocks.enumerate() {
            let mut note = |pointer: &Expr| {
                let Some(to) = types.pointee(pointer.ty) else {
                    return;
                };
                let size = match &types[to] {
                    cwolf_cwi::Type::Void | cwolf_cwi::Type::Func(_) => return,
                    _ => types.size_of(to),
                };
                for object in program.points_to().expr(*func, block, pointer) {
                    if matches!(object, Object::Heap(..)) {
                        let old = found.entry(object).or_insert(to);
                        if types.size_of(*old) < size {
                            *old = to;
                        }
                    }
                }
            };
            code.for_each_expr(&mut |e| {
                e.walk(&mut |e| {
                    if let ExprKind::Load { place, .. } = &e.kind
                        && let Base::Deref(p) = &place.base
                    {
                        note(p);
                    }
                });
            });
            for stmt in &code.stmts {
                if let StmtKind::Assign(place, _) = &stmt.kind
                    && let Base::Deref(p) = &place.base
                {
                    note(p);
                }
            }
        }
    }
    found
}

/// Which blocks run at most once.
pub(crate) struct Once {
    functions: FxHashSet<FuncId>,
    looping: FxHashSet<(FuncId, BlockId)>,
}

impl Once {
    pub(crate) fn new(
        program: &Analysed,
        entry: FuncId,
        looping: FxHashSet<(FuncId, BlockId)>,
    ) -> Once {
        let calls = program.calls();
        let mut once = Once {
            functions: FxHashSet::default(),
            looping,
        };
        once.functions.insert(entry);
        // A function that one block calls, which runs at most once itself.
        let mut sites: FxHashMap<FuncId, Vec<(FuncId, BlockId)>> = FxHashMap::default();
        for call in calls.calls() {
            for target in &call.targets {
                sites
                    .entry(*target)
                    .or_default()
                    .push((call.caller, call.block));
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (func, from) in &sites {
                let [(caller, block)] = from.as_slice() else {
                    continue;
                };
                if *func != entry
                    && !calls.is_recursive(*func)
                    && once.is_once(*caller, *block)
                    && once.functions.insert(*func)
                {
                    changed = true;
                }
            }
        }
        if sites.contains_key(&entry) {
            once.functions.clear();
        }
        once
    }

    pub(crate) fn is_once(&self, func: FuncId, block: BlockId) -> bool {
        self.functions.contains(&func) && !self.looping.contains(&(func, block))
    }
}

/// Whether a variable may not be written.
pub(crate) fn is_constant(program: &Program, var: VarId) -> bool {
    program.vars[var].constant || program.vars[var].kind == VarKind::Literal
}
