//! The encoder: tables of contexts, objects and cells, and their first contents.

use crate::check::Checks;
use crate::flow::Flow;
use crate::intervals::Proven;
use crate::lives::Lives;
use crate::object::{
    Cell, CellId, CellKind, ContextId, ENDLESS, INDEX_BITS, Layout, Leaf, OFFSET_BITS, ObjId,
    Object, ObjectKind, POINTER_BITS, Repr, array_leaves, leaves, scalar,
};
use crate::region::Region;
use crate::state::State;
use cwolf_base::Idx;
use cwolf_cwi::graph::PointsTo;
use cwolf_cwi::{
    BlockId, Definition, FuncId, InitValue, Program, RegId, Type, TypeId, VarId, VarKind,
};
use cwolf_logic::{Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// How to encode.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which steps are errors.
    pub checks: Checks,
    /// Functions whose call is an error.
    pub error_functions: Vec<FuncId>,
    /// Follow loops and recursion as far as asked, each allocation an object of its own; else
    /// stop at the heads of loops.
    pub unroll: bool,
}

/// A call in progress.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) func: FuncId,
    pub(crate) caller: Option<(ContextId, BlockId)>,
    /// How often the function is in progress already.
    pub(crate) recursion: u32,
}

/// Makes terms of a program.
pub struct Encoder<'p> {
    /// The terms.
    pub terms: Terms,
    pub(crate) program: &'p Program,
    pub(crate) options: Options,
    /// Checks that need no solver.
    pub(crate) proven: Proven,
    pub(crate) contexts: Vec<Context>,
    pub(crate) context_ids: FxHashMap<(Option<(ContextId, BlockId)>, FuncId), ContextId>,
    pub(crate) objects: Vec<Object>,
    object_ids: FxHashMap<ObjectKind, ObjId>,
    pub(crate) cells: Vec<Cell>,
    reg_cells: FxHashMap<(ContextId, RegId), CellId>,
    /// Cells that end with a call.
    pub(crate) owned: FxHashMap<ContextId, Vec<CellId>>,
    pub(crate) locals_of: FxHashMap<VarId, Vec<ObjId>>,
    pub(crate) var_args_of: FxHashMap<FuncId, Vec<ObjId>>,
    pub(crate) heap_of: FxHashMap<(FuncId, BlockId), Vec<ObjId>>,
    pub(crate) splits: FxHashMap<Term, (Term, Term)>,
    pub(crate) possible: FxHashMap<Term, Vec<ObjId>>,
    /// What pointers that are constants may point to.
    pub(crate) domains: FxHashMap<Term, Vec<ObjId>>,
    /// What cells hold at cuts beyond what the points-to analysis says.
    pub(crate) arrived: FxHashMap<CellId, BTreeSet<ObjId>>,
    /// What was written to objects whose contents are not followed.
    pub(crate) held: FxHashMap<ObjId, BTreeSet<ObjId>>,
    pub(crate) bases: FxHashMap<Term, ObjId>,
    flows: FxHashMap<FuncId, Rc<Flow>>,
    points_to: Option<Rc<PointsTo>>,
    pub(crate) lives: Option<Rc<Lives>>,
    /// Variables that code outside may change.
    shared: Option<FxHashSet<VarId>>,
    /// Objects with several lives: pointers to an earlier one are dangling.
    pub(crate) redirected: BTreeSet<ObjId>,
    /// Memory that ends with a call.
    pub(crate) stack_of: FxHashMap<ContextId, Vec<ObjId>>,
    assumptions: BTreeSet<String>,
    canonical: FxHashMap<CellId, Term>,
    pub(crate) cell_of: FxHashMap<Term, CellId>,
    initial: FxHashMap<CellId, Term>,
    /// Whether cells that nothing was put in hold their constant, not their first contents.
    pub(crate) from_constants: bool,
    pub(crate) out: Region,
    pub(crate) allocations: u32,
    /// How often something that was encoded before turned out otherwise.
    pub(crate) changes: usize,
    /// Whether numbers may be addresses of objects.
    pub(crate) numbers_point: bool,
    pinned: FxHashMap<CellId, Term>,
    /// For procedures by themselves.
    pub(crate) modular: Option<crate::modular::Modular>,
    // Results of walks over chosen pointers: without them, nested choices cost exponential time.
    pub(crate) moves: FxHashMap<(Term, Term), Term>,
    pub(crate) offsets: FxHashMap<(Term, ObjId), Term>,
    pub(crate) addresses: FxHashMap<Term, Term>,
    pub(crate) made: FxHashMap<(Term, Vec<cwolf_cwi::graph::Object>), Term>,
}

impl<'p> Encoder<'p> {
    /// The object of all memory that the program does not show.
    pub(crate) const OUTSIDE: ObjId = ObjId(1);
    /// The object of pointers to what has ended while another object took its place.
    pub(crate) const DANGLING: ObjId = ObjId(2);

    /// An encoder that has encoded nothing yet.
    pub fn new(program: &'p Program, options: Options) -> Encoder<'p> {
        let mut this = Encoder {
            terms: Terms::new(),
            program,
            proven: match options.checks.has_arithmetic() {
                true => Proven::new(program),
                false => Proven::default(),
            },
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
            splits: FxHashMap::default(),
            possible: FxHashMap::default(),
            domains: FxHashMap::default(),
            arrived: FxHashMap::default(),
            held: FxHashMap::default(),
            bases: FxHashMap::default(),
            flows: FxHashMap::default(),
            points_to: None,
            lives: None,
            shared: None,
            redirected: BTreeSet::new(),
            stack_of: FxHashMap::default(),
            assumptions: BTreeSet::new(),
            canonical: FxHashMap::default(),
            cell_of: FxHashMap::default(),
            initial: FxHashMap::default(),
            from_constants: false,
            out: Region::default(),
            allocations: 0,
            changes: 0,
            numbers_point: crate::pointer::makes_numbers(program),
            made: FxHashMap::default(),
            pinned: FxHashMap::default(),
            modular: None,
            moves: FxHashMap::default(),
            offsets: FxHashMap::default(),
            addresses: FxHashMap::default(),
        };
        let null = this.object(ObjectKind::Null);
        debug_assert_eq!(null, ObjId(0));
        let outside = this.object(ObjectKind::Outside);
        debug_assert_eq!(outside, Encoder::OUTSIDE);
        let dangling = this.object(ObjectKind::Dangling);
        debug_assert_eq!(dangling, Encoder::DANGLING);
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

    pub(crate) fn flow(&mut self, func: FuncId) -> Rc<Flow> {
        let program = self.program;
        let make = || {
            let body = program.funcs[func]
                .body
                .as_ref()
                .expect("a function with a body");
            Rc::new(Flow::new(body))
        };
        self.flows.entry(func).or_insert_with(make).clone()
    }

    pub(crate) fn points_to(&mut self) -> Rc<PointsTo> {
        let program = self.program;
        self.points_to
            .get_or_insert_with(|| Rc::new(PointsTo::new(program)))
            .clone()
    }

    /// The variable that an object is, by number.
    pub fn variable(&self, object: u64) -> Option<VarId> {
        match self.objects.get(object as usize)?.kind {
            ObjectKind::Global(v) | ObjectKind::Local(_, v) => Some(v),
            _ => None,
        }
    }

    /// Whether code outside may change a variable.
    pub(crate) fn is_shared(&mut self, v: VarId) -> bool {
        let program = self.program;
        let all = || cwolf_cwi::graph::shared_with_outside(program);
        self.shared.get_or_insert_with(all).contains(&v)
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
            CellKind::Size(_) | CellKind::Valid(_) => None,
        };
        if let Some(context) = owner {
            self.owned.entry(context).or_default().push(id);
        }
        if repr == Repr::Pointer && !self.redirected.is_empty() && !self.options.unroll {
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
        let sort = Sort::Bv(crate::object::cell_width(repr, bits));
        let id = self.cell(CellKind::Reg(context, reg), sort, repr);
        self.reg_cells.insert((context, reg), id);
        id
    }

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

    /// What a cell holds.
    pub(crate) fn content(&mut self, state: &State, cell: CellId) -> Term {
        match state.get(cell) {
            Some(t) => t,
            None if self.from_constants => match self.pinned.get(&cell) {
                Some(t) => *t,
                None => self.constant_of(cell),
            },
            None => self.initial(cell),
        }
    }

    /// Says what cells are known to hold at the cut that the next region starts from; others hold
    /// their constant there.
    pub fn pin(&mut self, pinned: FxHashMap<CellId, Term>) {
        self.pinned = pinned;
    }

    /// All cells so far.
    pub fn cells(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.cells.len() as u32).map(CellId)
    }

    /// What a cell holds when the program starts, if that is a constant.
    pub fn first_constant(&mut self, cell: CellId) -> Option<Term> {
        let fixed = match &self.cells[cell.index()].kind {
            CellKind::Leaf(object, _) => {
                matches!(self.objects[object.index()].kind, ObjectKind::Global(_))
            }
            CellKind::Valid(_) => true,
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

    /// The cell that a constant stands for.
    pub fn cell_of(&self, constant: Term) -> Option<CellId> {
        self.cell_of.get(&constant).copied()
    }

    /// The constant that stands for a cell at a cut.
    pub fn constant_of(&mut self, cell: CellId) -> Term {
        if let Some(&t) = self.canonical.get(&cell) {
            return t;
        }
        let name = format!("{}#{}", self.cell_name(cell), cell.0);
        let sort = self.cells[cell.index()].sort;
        let t = self.terms.constant(&name, sort);
        self.canonical.insert(cell, t);
        self.cell_of.insert(t, cell);
        if self.cells[cell.index()].repr == Repr::Pointer {
            let mut domain = self.domain_of(cell);
            domain.extend(self.arrived.get(&cell).into_iter().flatten());
            // Never set: unless that is checked, following it leads anywhere.
            let global = matches!(&self.cells[cell.index()].kind, CellKind::Leaf(o, _)
                if matches!(self.objects[o.index()].kind, ObjectKind::Global(_)));
            if domain.is_empty() && !global && !self.options.checks.pointer {
                domain.push(Encoder::OUTSIDE);
            }
            self.add_dangling(&mut domain);
            domain.push(ObjId(0));
            domain.sort_unstable();
            domain.dedup();
            self.domains.insert(t, domain);
        }
        t
    }

    /// Whether a cell is read at a cut.
    pub fn is_read(&self, cell: CellId) -> bool {
        self.canonical.contains_key(&cell)
    }

    /// The constant that stands for a cell at a cut, if anybody asked for it.
    pub(crate) fn known_constant(&self, cell: CellId) -> Option<Term> {
        self.canonical.get(&cell).copied()
    }

    pub(crate) fn forget_constant(&mut self, constant: Term) {
        if let Some(cell) = self.cell_of.get(&constant) {
            self.canonical.remove(cell);
        }
    }

    /// Whether a cell that nothing was put in may hold a pointer to an object.
    pub(crate) fn may_hold(&mut self, cell: CellId, object: ObjId) -> bool {
        if let Some(&t) = self.pinned.get(&cell) {
            return self.objects_in(t).contains(&object);
        }
        if let Some(domain) = self.canonical.get(&cell).and_then(|t| self.domains.get(t)) {
            return domain.contains(&object);
        }
        let arrived = self.arrived.get(&cell);
        arrived.is_some_and(|a| a.contains(&object)) || self.domain_of(cell).contains(&object)
    }

    /// What a pointer in a cell may point to.
    fn domain_of(&mut self, cell: CellId) -> Vec<ObjId> {
        let points_to = self.points_to();
        let kind = self.cells[cell.index()].kind.clone();
        let objects = match kind {
            CellKind::Reg(context, reg) => {
                let func = self.contexts[context.index()].func;
                points_to.reg(func, BlockId(0), reg)
            }
            CellKind::Result(context, block) => {
                let func = self.contexts[context.index()].func;
                points_to.reg(func, block, cwolf_cwi::RESULT)
            }
            CellKind::Leaf(object, _) => match self.objects[object.index()].kind {
                ObjectKind::Global(v) | ObjectKind::Local(_, v) => points_to.var(v),
                ObjectKind::Heap(context, block, _) => {
                    let func = self.contexts[context.index()].func;
                    points_to.contents(cwolf_cwi::graph::Object::Heap(func, block))
                }
                ObjectKind::VarArgs(context) => {
                    let func = self.contexts[context.index()].func;
                    points_to.contents(cwolf_cwi::graph::Object::VarArgs(func))
                }
                _ => vec![cwolf_cwi::graph::Object::Outside],
            },
            CellKind::Size(_) | CellKind::Valid(_) => Vec::new(),
        };
        self.instances(&objects)
    }

    /// A cell's name as C writes it, as far as it has one.
    pub fn cell_name(&self, cell: CellId) -> String {
        match &self.cells[cell.index()].kind {
            CellKind::Reg(context, reg) => format!("r{}.{}", reg.0, context.0),
            CellKind::Result(_, block) => format!("result.{}", block.0),
            CellKind::Size(object) => format!("size.{}", object.0),
            CellKind::Valid(object) => format!("valid.{}", object.0),
            CellKind::Leaf(object, n) => {
                let info = &self.objects[object.index()];
                let path = info
                    .layout
                    .as_ref()
                    .map_or("", |l| &l.leaves[*n as usize].path);
                match info.kind {
                    ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                        format!("{}{path}", self.program.vars[v].name)
                    }
                    _ => format!("heap{}{path}", object.0),
                }
            }
        }
    }

    /// The variable that a cell lies in, and whether C can name the cell.
    pub fn cell_var(&self, cell: CellId) -> Option<(VarId, bool)> {
        match &self.cells[cell.index()].kind {
            CellKind::Leaf(object, _) => match self.objects[object.index()].kind {
                ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                    let kind = self.program.vars[v].kind;
                    Some((v, !matches!(kind, VarKind::Temp(_) | VarKind::Literal)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The bits of a number in a cell of an object, and whether it may be negative.
    pub fn cell_number(&self, cell: CellId) -> Option<(u16, bool)> {
        let CellKind::Leaf(object, n) = &self.cells[cell.index()].kind else {
            return None;
        };
        let layout = self.objects[object.index()].layout.as_ref()?;
        let leaf = &layout.leaves[*n as usize];
        let number = matches!(leaf.repr, Repr::Int | Repr::Bool) && leaf.array.is_none();
        number.then_some((leaf.bits, leaf.signed))
    }

    /// The function whose call a cell belongs to; none for what all can see.
    pub fn cell_context(&self, cell: CellId) -> Option<ContextId> {
        match &self.cells[cell.index()].kind {
            CellKind::Leaf(object, _) => match self.objects[object.index()].kind {
                ObjectKind::Local(context, _) => Some(context),
                _ => None,
            },
            CellKind::Reg(context, _) | CellKind::Result(context, _) => Some(*context),
            _ => None,
        }
    }

    /// Whether a cell holds a pointer.
    pub fn is_pointer(&self, cell: CellId) -> bool {
        self.cells[cell.index()].repr == Repr::Pointer
    }

    /// The sort of a cell.
    pub fn cell_sort(&self, cell: CellId) -> Sort {
        self.cells[cell.index()].sort
    }

    pub(crate) fn undefined(&mut self, sort: Sort, repr: Repr) -> Term {
        let t = self.terms.fresh("undef", sort);
        if repr == Repr::Pointer {
            // Nothing says where it points: following it is an error, or else leads anywhere.
            let domain = match self.options.checks.pointer {
                true => vec![ObjId(0)],
                false => vec![ObjId(0), Encoder::OUTSIDE],
            };
            self.domains.insert(t, domain);
        }
        t
    }

    fn initial(&mut self, cell: CellId) -> Term {
        if let Some(&t) = self.initial.get(&cell) {
            return t;
        }
        let Cell { kind, sort, repr } = self.cells[cell.index()].clone();
        let t = match kind {
            CellKind::Valid(_) => Terms::TRUE,
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
                self.domains.insert(t, vec![ObjId(0), Encoder::OUTSIDE]);
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

    fn first_scalar(&mut self, v: VarId, bit: u64, leaf: &Leaf) -> Term {
        let program = self.program;
        let bits = leaf.bits;
        let mut image = 0u128;
        for item in &program.vars[v].init {
            let size = match &item.value {
                InitValue::Bytes(bytes) => bytes.len() as u64 * 8,
                _ => scalar(&program.types, item.ty).map_or(0, |(b, _)| b.into()),
            };
            if item.bit_offset + size <= bit
                || item.bit_offset >= bit.saturating_add(u64::from(bits))
            {
                continue;
            }
            let number = match &item.value {
                InitValue::Int(n) => *n as u128 & (u128::MAX >> (128 - size)),
                InitValue::Float(f) => *f,
                InitValue::Bytes(bytes) => {
                    for (n, byte) in bytes.iter().enumerate() {
                        let at = item.bit_offset + n as u64 * 8;
                        if at >= bit && at < bit.saturating_add(u64::from(bits)) {
                            image |= u128::from(*byte) << (at - bit);
                        }
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
            match item.bit_offset >= bit {
                true => image |= number << (item.bit_offset - bit),
                false => image |= number >> (bit - item.bit_offset),
            }
        }
        let image = image & (u128::MAX >> (128 - bits));
        let width = match leaf.repr {
            Repr::Pointer => POINTER_BITS,
            _ => bits,
        };
        self.terms.bv(width, image)
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

    /// The function and block of a context's call.
    pub fn context_func(&self, context: ContextId) -> FuncId {
        self.contexts[context.index()].func
    }
}
