//! The tables: calls in progress, objects, and the cells that hold their contents. Nothing here
//! is a term; what is in the tables only grows, and a part that has to be encoded again because of
//! that is known by [`Objects::revision`].

mod cells;
mod instances;
mod layout;
mod life;
mod object;

pub(crate) use object::{
    Cell, CellKind, ENDLESS, INDEX_BITS, Layout, Leaf, OBJECT_BITS, OLDER, Object, POINTER_BITS,
    array_leaves, bit_of, cell_width, leaves, scalar,
};
pub use object::{CellId, ContextId, OFFSET_BITS, ObjId, ObjectKind, Repr};

use crate::cursor::Cursor;
use crate::lives::Lives;
use crate::options::Options;
use cwolf_base::Idx;
use cwolf_cwi::graph::{Analysed, PointsTo};
use cwolf_cwi::{BlockId, FuncId, LocId, Program, RegId, TypeId, VarId};
use cwolf_logic::Sort;
use life::Rows;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What an object of a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// A variable.
    Var(VarId),
    /// What the call at a place allocated.
    Heap(LocId),
    /// A function.
    Func(FuncId),
}

/// A call in progress.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) func: FuncId,
    pub(crate) caller: Option<(ContextId, BlockId)>,
    /// How often the function is in progress already.
    pub(crate) recursion: u32,
}

/// The tables of an encoding.
pub struct Objects<'p> {
    pub(crate) program: &'p Program,
    pub(crate) options: Options,
    pub(crate) contexts: Vec<Context>,
    context_ids: FxHashMap<(Option<(ContextId, BlockId)>, FuncId), ContextId>,
    pub(crate) objects: Vec<Object>,
    object_ids: FxHashMap<ObjectKind, ObjId>,
    pub(crate) cells: Vec<Cell>,
    reg_cells: FxHashMap<(ContextId, RegId), CellId>,
    /// Cells that end with a call.
    pub(crate) owned: FxHashMap<ContextId, Vec<CellId>>,
    locals_of: FxHashMap<VarId, Vec<ObjId>>,
    var_args_of: FxHashMap<FuncId, Vec<ObjId>>,
    heap_of: FxHashMap<(FuncId, BlockId), Vec<ObjId>>,
    /// Memory that ends with a call.
    pub(crate) stack_of: FxHashMap<ContextId, Vec<ObjId>>,
    /// Objects with several lives: pointers to an earlier one are dangling.
    pub(crate) redirected: BTreeSet<ObjId>,
    /// The newest objects of allocations in loops, each with the one that stands for all before it.
    pub(crate) older: FxHashMap<ObjId, ObjId>,
    analyses: &'p Analysed,
    lives: Option<Arc<Lives>>,
    rows: Arc<Rows>,
    assumptions: BTreeSet<String>,
    /// How often something that was encoded before turned out otherwise.
    pub(crate) changes: usize,
}

impl<'p> Objects<'p> {
    /// Tables with only what every program has.
    pub(crate) fn new(program: &'p Analysed, options: Options) -> Objects<'p> {
        let mut this = Objects {
            program,
            options,
            contexts: Vec::new(),
            context_ids: FxHashMap::default(),
            objects: Vec::new(),
            object_ids: FxHashMap::default(),
            cells: Vec::new(),
            reg_cells: FxHashMap::default(),
            owned: FxHashMap::default(),
            locals_of: FxHashMap::default(),
            var_args_of: FxHashMap::default(),
            heap_of: FxHashMap::default(),
            stack_of: FxHashMap::default(),
            redirected: BTreeSet::new(),
            older: FxHashMap::default(),
            analyses: program,
            lives: None,
            rows: program.analysis(|p| Rows::new(p)),
            assumptions: BTreeSet::new(),
            changes: 0,
        };
        for (kind, id) in [
            (ObjectKind::Null, ObjId::NULL),
            (ObjectKind::Outside, ObjId::OUTSIDE),
            (ObjectKind::Dangling, ObjId::DANGLING),
        ] {
            let made = this.object(kind);
            debug_assert_eq!(made, id);
        }
        this
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// A number that grows whenever what was encoded before may need to be encoded again: when
    /// objects are added or turn out to have another size.
    pub fn revision(&self) -> usize {
        self.objects.len() + self.changes
    }

    /// What was approximated or assumed, as plain sentences.
    pub fn assumptions(&self) -> Vec<String> {
        self.assumptions.iter().cloned().collect()
    }

    pub(crate) fn assume_text(&mut self, text: impl Into<String>) {
        self.assumptions.insert(text.into());
    }

    /// The program with what is known about it.
    pub(crate) fn analyses(&self) -> &'p Analysed {
        self.analyses
    }

    pub(crate) fn points_to(&self) -> &'p PointsTo {
        self.analyses.points_to()
    }

    /// The variable that an object is, or where it was allocated, by number.
    pub fn site(&self, object: u64) -> Option<Site> {
        match self.objects.get(object as usize)?.kind {
            ObjectKind::Global(v) | ObjectKind::Local(_, v) => Some(Site::Var(v)),
            ObjectKind::Func(f) => Some(Site::Func(f)),
            ObjectKind::Heap(context, block, _) => {
                let func = self.contexts[context.index()].func;
                let body = self.program.funcs[func].body.as_ref()?;
                Some(Site::Heap(body.blocks.get(block)?.loc))
            }
            _ => None,
        }
    }

    pub(crate) fn context(
        &mut self,
        caller: Option<(ContextId, BlockId)>,
        func: FuncId,
    ) -> ContextId {
        if let Some(&id) = self.context_ids.get(&(caller, func)) {
            return id;
        }
        let mut recursion = 0;
        let mut at = caller;
        while let Some((context, _)) = at {
            let up = &self.contexts[context.index()];
            recursion += u32::from(up.func == func);
            at = up.caller;
        }
        let id = ContextId::new(self.contexts.len());
        self.contexts.push(Context {
            func,
            caller,
            recursion,
        });
        self.context_ids.insert((caller, func), id);
        id
    }

    /// The function and block of a context's call.
    pub fn context_func(&self, context: ContextId) -> FuncId {
        self.contexts[context.index()].func
    }

    /// The object of a kind, new or known.
    pub(crate) fn object(&mut self, kind: ObjectKind) -> ObjId {
        if let Some(&id) = self.object_ids.get(&kind) {
            return id;
        }
        let id = ObjId::new(self.objects.len());
        let types = &self.program.types;
        let size = match kind {
            ObjectKind::Null | ObjectKind::Dangling | ObjectKind::Func(_) | ObjectKind::Outside => {
                Some(0)
            }
            ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                let var = &self.program.vars[v];
                Some(types.size_of(var.ty).saturating_add(var.extra))
            }
            ObjectKind::VarArgs(_) | ObjectKind::Heap(..) => None,
        };
        self.objects.push(Object {
            kind,
            size,
            size_cell: None,
            valid_cell: None,
            given_cell: None,
            summary: false,
            on_stack: false,
            zeroed: false,
            born: None,
            layout: None,
        });
        self.object_ids.insert(kind, id);
        match kind {
            ObjectKind::Local(context, v) => {
                self.locals_of.entry(v).or_default().push(id);
                let func = self.contexts[context.index()].func;
                debug_assert_eq!(self.program.vars[v].kind.function(), Some(func));
                self.objects[id.index()].summary = self.is_several(context, v);
                if self.may_be_dead(v) {
                    self.valid_cell(id);
                }
            }
            ObjectKind::VarArgs(context) => {
                let func = self.contexts[context.index()].func;
                self.var_args_of.entry(func).or_default().push(id);
            }
            ObjectKind::Heap(context, block, _) => {
                let func = self.contexts[context.index()].func;
                self.heap_of.entry((func, block)).or_default().push(id);
            }
            _ => {}
        }
        id
    }

    fn valid_cell(&mut self, id: ObjId) {
        let cell = self.cell(CellKind::Valid(id), Sort::Bool, Repr::Bool);
        self.objects[id.index()].valid_cell = Some(cell);
    }

    /// The cell that says whether code outside was told where an object is. Procedures by themselves do
    /// not know what their callers gave away.
    pub(crate) fn given_cell(&mut self, id: ObjId) -> Option<CellId> {
        if self.options.mode.procedures().is_some() {
            return None;
        }
        if let Some(cell) = self.objects[id.index()].given_cell {
            return Some(cell);
        }
        let cell = self.cell(CellKind::Given(id), Sort::Bool, Repr::Bool);
        self.objects[id.index()].given_cell = Some(cell);
        Some(cell)
    }

    /// A piece of heap of so many bytes, if that is a constant.
    pub(crate) fn heap(
        &mut self,
        context: ContextId,
        block: BlockId,
        serial: u32,
        size: Option<u64>,
    ) -> ObjId {
        let id = self.object(ObjectKind::Heap(context, block, serial));
        let object = &mut self.objects[id.index()];
        if size.is_none() || object.size.is_some_and(|s| Some(s) != size) {
            if object.size.take().is_some() {
                // Its parts were those of the size that it seemed to have.
                object.layout = None;
                self.changes += 1;
            }
            if self.objects[id.index()].size_cell.is_none() {
                self.changes += 1;
                let cell = self.cell(CellKind::Size(id), Sort::Bv(OFFSET_BITS), Repr::Int);
                self.objects[id.index()].size_cell = Some(cell);
            }
        } else if object.size_cell.is_none() {
            object.size = size;
        }
        if self.options.checks.follows_lives() && self.objects[id.index()].valid_cell.is_none() {
            self.valid_cell(id);
        }
        id
    }

    pub(crate) fn cell(&mut self, kind: CellKind, sort: Sort, repr: Repr) -> CellId {
        let id = CellId::new(self.cells.len());
        let owner = match &kind {
            CellKind::Reg(context, _) | CellKind::Result(context, _) => Some(*context),
            CellKind::Leaf(object, _) => match self.objects[object.index()].kind {
                ObjectKind::Local(context, _) | ObjectKind::VarArgs(context) => Some(context),
                _ => None,
            },
            CellKind::Size(_) | CellKind::Valid(_) | CellKind::Given(_) => None,
        };
        if let Some(context) = owner {
            self.owned.entry(context).or_default().push(id);
        }
        if repr == Repr::Pointer && !self.redirected.is_empty() && !self.options.mode.unrolls() {
            // It may hold a pointer that had to be redirected before.
            self.changes += 1;
        }
        self.cells.push(Cell { kind, sort, repr });
        id
    }

    pub(crate) fn reg_cell(&mut self, context: ContextId, reg: RegId, ty: TypeId) -> CellId {
        if let Some(&id) = self.reg_cells.get(&(context, reg)) {
            return id;
        }
        let (bits, repr) = scalar(&self.program.types, ty).expect("registers are scalar");
        let sort = Sort::Bv(cell_width(repr, bits));
        let id = self.cell(CellKind::Reg(context, reg), sort, repr);
        self.reg_cells.insert((context, reg), id);
        id
    }

    /// The object of a variable; of one of a function that called the one under way (a condition that somebody adds may name it), that of its newest
    /// call.
    pub(crate) fn var_object(&mut self, cur: &Cursor, v: VarId) -> ObjId {
        let kind = self.program.vars[v].kind;
        match kind.is_automatic() {
            true => {
                let of = |c: &ContextId| kind.function() == Some(self.contexts[c.index()].func);
                let up = |c: &ContextId| self.contexts[c.index()].caller.map(|(c, _)| c);
                let own = std::iter::successors(Some(cur.context), up).find(of);
                self.object(ObjectKind::Local(own.unwrap_or(cur.context), v))
            }
            false => self.object(ObjectKind::Global(v)),
        }
    }

    /// An allocation is one on the stack of a call.
    pub(crate) fn put_on_stack(&mut self, context: ContextId, object: ObjId) {
        let older = self.older.get(&object).copied();
        for object in [Some(object), older].into_iter().flatten() {
            let info = &mut self.objects[object.index()];
            if !info.on_stack {
                info.on_stack = true;
                self.stack_of.entry(context).or_default().push(object);
            }
        }
    }

    /// The object that stands for all that an allocation in a loop made before the newest one.
    pub(crate) fn older(
        &mut self,
        newest: ObjId,
        context: ContextId,
        block: BlockId,
        size: Option<u64>,
    ) -> ObjId {
        let id = self.heap(context, block, OLDER, size);
        self.objects[id.index()].summary = true;
        self.older.insert(newest, id);
        id
    }
}

#[cfg(test)]
mod tests;
