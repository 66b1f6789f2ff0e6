//! Procedures by themselves: blocks between the points where a procedure is cut, calls not
//! entered.
//!
//! A procedure is cut at its entry, at the heads of its loops, before calls of procedures and at
//! its exit. A call starts a block of its own: the callee gets its parameters, and what it may
//! change holds anything afterwards ([`Copy::After`]); who uses the block says what. Functions
//! without loops that call only such functions are no procedures but are entered in place, unless
//! every basic block is wanted by itself.
//!
//! A local variable of a procedure that calls itself is one of several of its name. As long as no
//! pointer leads to it, the calls keep theirs apart; otherwise nothing is known of its contents.

use crate::encoder::Encoder;
use crate::expr::Content;
use crate::flow::Flow;
use crate::object::{CellId, CellKind, ContextId, ObjectKind, Repr, cell_width, scalar};
use crate::region::{Cut, Region, Why};
use crate::run::{Bounds, Cursor, Frame, Item, Walk};
use crate::state::State;
use cwolf_base::{Budget, Exhausted, Idx};
use cwolf_cwi::graph::{CallGraph, Object, PointsTo};
use cwolf_cwi::{
    Base, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Program, Type, TypeId, VarId,
};
use cwolf_logic::{Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A place where a procedure is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// Where it starts.
    Entry(FuncId),
    /// The start of a block: the head of a loop, or any.
    Head(FuncId, BlockId),
    /// Before the call that ends a block.
    Call(FuncId, BlockId),
    /// Where it ends.
    Exit(FuncId),
}

impl Point {
    /// The procedure.
    pub fn func(self) -> FuncId {
        match self {
            Point::Entry(f) | Point::Head(f, _) | Point::Call(f, _) | Point::Exit(f) => f,
        }
    }
}

/// A way out of a block.
#[derive(Clone, Debug)]
pub struct End {
    /// Where it leads.
    pub to: Point,
    /// When control goes this way.
    pub guard: Term,
    /// The memory then.
    pub state: State,
    /// At an exit: what is returned, if that is known.
    pub result: Option<Term>,
}

/// The call that a block starts with.
#[derive(Clone, Debug)]
pub struct Entered {
    /// Who is called.
    pub callee: FuncId,
    /// When.
    pub guard: Term,
    /// What the callee's parameters hold.
    pub params: Vec<(CellId, Term)>,
    /// How many choices were made before.
    pub choices: usize,
    /// How many steps.
    pub steps: usize,
    /// How many obligations come before.
    pub obligations: usize,
    /// How much of what is not encoded.
    pub incomplete: usize,
}

/// Another constant for a cell than the one at the start of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Copy {
    /// What it held when the procedure started.
    Old,
    /// What it holds after the call that the block starts with.
    After,
}

/// Which functions are procedures.
#[derive(Clone, Debug)]
pub struct Procedures {
    apart: FxHashSet<FuncId>,
    recursive: FxHashSet<FuncId>,
    taken: FxHashSet<VarId>,
    entry: FuncId,
    basic: bool,
}

/// A function of more blocks, with those that it calls, is not entered in place.
const LARGEST: usize = 120;

impl Procedures {
    /// Chooses them; with `basic`, every function with a body is one, cut at every block; with
    /// `all`, every one is, but not cut there.
    pub fn new(
        program: &Program,
        points_to: &PointsTo,
        calls: &CallGraph,
        entry: FuncId,
        basic: bool,
        all: bool,
    ) -> Procedures {
        let with_body = || {
            let all = program.funcs.enumerate();
            all.filter_map(|(id, f)| f.body.as_ref().map(|b| (id, b)))
        };
        let mut apart: FxHashSet<FuncId> = FxHashSet::default();
        apart.insert(entry);
        for (id, body) in with_body() {
            let flow = Flow::new(body);
            let loops = (0..body.blocks.len()).any(|b| !flow.loops[b].is_empty());
            if basic || all || loops || calls.is_recursive(id) {
                apart.insert(id);
            }
        }
        // Callees first, so that sizes and choices are known where they are asked for.
        let mut order: Vec<(FuncId, &Body)> = with_body().collect();
        order.sort_by_key(|(f, _)| (calls.component(*f), *f));
        let mut size: FxHashMap<FuncId, usize> = FxHashMap::default();
        for (func, body) in order {
            let mut total = body.blocks.len();
            for (id, block) in body.blocks.enumerate() {
                let Branch::Call { callee, .. } = &block.branch else {
                    continue;
                };
                for callee in points_to.callees(func, id, callee).0 {
                    let callee = crate::run::defined(program, callee);
                    if apart.contains(&callee) {
                        apart.insert(func);
                    }
                    total += size.get(&callee).copied().unwrap_or(0);
                }
            }
            if total > LARGEST {
                apart.insert(func);
            }
            size.insert(func, total);
        }
        let recursive = program.funcs.ids().filter(|f| calls.is_recursive(*f));
        Procedures {
            apart,
            recursive: recursive.collect(),
            taken: address_taken(program),
            entry,
            basic,
        }
    }
    /// Whether a function is a procedure.
    pub fn contains(&self, func: FuncId) -> bool {
        self.apart.contains(&func)
    }
    /// Whether a local variable has several instances that pointers may lead to.
    fn is_several(&self, func: FuncId, v: VarId) -> bool {
        self.recursive.contains(&func) && self.taken.contains(&v)
    }
}

/// The variables whose addresses the code takes.
pub(crate) fn address_taken(program: &Program) -> FxHashSet<VarId> {
    let mut taken = FxHashSet::default();
    let mut look = |e: &Expr| {
        if let ExprKind::AddrOf(place) = &e.kind
            && let Base::Var(v) = place.base
        {
            taken.insert(v);
        }
    };
    for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
        body.for_each_expr(&mut |e| e.walk(&mut look));
    }
    taken
}

/// What an encoder of procedures knows.
pub(crate) struct Modular {
    procedures: Procedures,
    /// What a call of each procedure may change, as far as known.
    changes: FxHashMap<FuncId, BTreeSet<CellId>>,
    /// The call that the block starts with, and which callee it is about: a procedure, or all
    /// that are none.
    call: Option<(BlockId, Option<FuncId>)>,
    copies: FxHashMap<(CellId, Copy), Term>,
    copied: FxHashMap<Term, (CellId, Copy)>,
    results: FxHashMap<FuncId, Term>,
    /// The types of results that are pending at the start of a block.
    pending: FxHashMap<(ContextId, BlockId), (TypeId, CellId)>,
    /// A result was lost.
    lost: bool,
}

impl<'p> Encoder<'p> {
    /// Procedures by themselves from now on.
    pub fn by_procedures(mut self, procedures: Procedures) -> Encoder<'p> {
        self.modular = Some(Modular {
            procedures,
            changes: FxHashMap::default(),
            call: None,
            copies: FxHashMap::default(),
            copied: FxHashMap::default(),
            results: FxHashMap::default(),
            pending: FxHashMap::default(),
            lost: false,
        });
        self
    }

    fn apart(&self) -> &Modular {
        self.modular.as_ref().expect("procedures by themselves")
    }

    /// Says what a call of `func` may change; whether that is more than before.
    pub fn set_changes(&mut self, func: FuncId, cells: BTreeSet<CellId>) -> bool {
        let modular = self.modular.as_mut().expect("procedures by themselves");
        let known = modular.changes.entry(func).or_default();
        let before = known.len();
        known.extend(cells);
        known.len() > before
    }

    /// What a call of `func` may change.
    pub fn changes(&self, func: FuncId) -> BTreeSet<CellId> {
        self.apart().changes.get(&func).cloned().unwrap_or_default()
    }

    /// The functions that are procedures.
    pub fn procedures(&self) -> &Procedures {
        &self.apart().procedures
    }

    /// Encodes the block that starts at a point. At a call, it is about one procedure that may be
    /// called, or about everything else that may be.
    ///
    /// # Errors
    /// When the budget ran out.
    pub fn block(
        &mut self,
        from: Point,
        callee: Option<FuncId>,
        bounds: Bounds,
        budget: &Budget,
    ) -> Result<Region, Exhausted> {
        self.out = Region::default();
        self.from_constants = true;
        self.allocations = 0;
        let context = self.context(None, from.func());
        let block = match from {
            Point::Entry(_) => Body::ENTRY,
            Point::Head(_, b) | Point::Call(_, b) => b,
            Point::Exit(_) => return Ok(Region::default()),
        };
        let modular = self.modular.as_mut().expect("procedures by themselves");
        modular.call = match from {
            Point::Call(..) => Some((block, callee)),
            _ => None,
        };
        let pending = modular.pending.get(&(context, block)).copied();
        let result = match (from, pending) {
            (Point::Entry(_), _) | (_, None) => None,
            (_, Some((ty, cell))) => {
                let t = self.constant_of(cell);
                Some((Content::Scalar(self.value_form(ty, t)), ty))
            }
        };
        let frames = self.frames_of(Cut { context, block });
        let mut walk = Walk {
            waiting: BTreeMap::new(),
            bounds,
            at_branch: matches!(from, Point::Call(..)),
        };
        let item = Item {
            frames,
            guard: Terms::TRUE,
            state: State::default(),
            result,
        };
        self.walk(&mut walk, item, budget, &mut |_, _| Ok(true))?;
        self.modular
            .as_mut()
            .expect("procedures by themselves")
            .call = None;
        Ok(std::mem::take(&mut self.out))
    }

    /// A condition on the memory at a point of a procedure.
    pub fn condition_at(&mut self, func: FuncId, e: &Expr) -> Term {
        self.from_constants = true;
        let context = self.context(None, func);
        let mut cur = Cursor {
            guard: Terms::TRUE,
            state: State::default(),
            context,
            block: Body::ENTRY,
            // No statement of the program: nothing is proven of it.
            index: usize::MAX,
            loc: self.program.funcs[func].loc,
            result: None,
        };
        let t = self.condition(&mut cur, e);
        self.out = Region::default();
        t
    }

    /// Where the walk stops before the statements of a block.
    pub(crate) fn stops_before(&self, frames: &[Frame], head: bool) -> Option<Point> {
        let modular = self.modular.as_ref()?;
        let [frame] = frames else {
            return None;
        };
        let func = self.contexts[frame.context.index()].func;
        (head || modular.procedures.basic).then_some(Point::Head(func, frame.block))
    }

    /// Where the walk stops before the branch of a block: at a call of a procedure.
    pub(crate) fn stops_after(&mut self, frames: &[Frame], branch: &Branch) -> Option<Point> {
        self.modular.as_ref()?;
        let ([frame], Branch::Call { callee, .. }) = (frames, branch) else {
            return None;
        };
        let func = self.contexts[frame.context.index()].func;
        let point = Point::Call(func, frame.block);
        (!self.called_apart(point, callee).is_empty()).then_some(point)
    }

    /// The procedures that the call at a point may call.
    pub fn callees(&mut self, point: Point) -> Vec<FuncId> {
        let program = self.program;
        let Point::Call(func, block) = point else {
            return Vec::new();
        };
        let body = program.funcs[func].body.as_ref().expect("a body");
        match &body.blocks[block].branch {
            Branch::Call { callee, .. } => self.called_apart(point, callee),
            _ => Vec::new(),
        }
    }

    fn called_apart(&mut self, point: Point, callee: &Callee) -> Vec<FuncId> {
        let Point::Call(func, block) = point else {
            return Vec::new();
        };
        let points_to = self.points_to();
        let all = points_to.callees(func, block, callee).0.into_iter();
        let mut found: Vec<FuncId> = all
            .map(|f| crate::run::defined(self.program, f))
            .filter(|f| {
                self.apart().procedures.contains(*f) && !self.options.error_functions.contains(f)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a callee is left to another block.
    pub(crate) fn skips(&self, frames: &[Frame], func: FuncId) -> bool {
        let Some(modular) = &self.modular else {
            return false;
        };
        match (frames, modular.call) {
            ([frame], Some((block, callee))) if frame.block == block => match callee {
                Some(one) => func != one,
                None => modular.procedures.contains(func),
            },
            _ => false,
        }
    }

    /// Whether a call is not entered.
    pub(crate) fn is_apart(&self, func: FuncId) -> bool {
        let modular = self.modular.as_ref();
        modular.is_some_and(|m| m.procedures.contains(func))
    }

    /// Whether what the walk's procedure allocates may be allocated several times.
    pub(crate) fn allocates_often(&self, frames: &[Frame]) -> bool {
        let Some(modular) = &self.modular else {
            return false;
        };
        let func = self.contexts[frames[0].context.index()].func;
        func != modular.procedures.entry || modular.procedures.recursive.contains(&func)
    }

    /// Whether a local variable stands for several.
    pub(crate) fn is_several(&self, context: ContextId, v: VarId) -> bool {
        let func = self.contexts[context.index()].func;
        let modular = self.modular.as_ref();
        modular.is_some_and(|m| m.procedures.is_several(func, v))
    }

    /// The end of a block, merged with another end at the same point.
    pub(crate) fn end_at(&mut self, to: Point, mut item: Item) {
        let context = item.frames[0].context;
        if let Point::Head(_, block) | Point::Call(_, block) = to {
            self.keep_result(context, block, &mut item);
        }
        let result = match to {
            Point::Exit(f) => self.returned(f, item.result.take()),
            _ => None,
        };
        let known = self.out.ends.iter().position(|e| e.to == to);
        let Some(n) = known else {
            self.out.ends.push(End {
                to,
                guard: item.guard,
                state: item.state,
                result,
            });
            return;
        };
        let other = self.out.ends.remove(n);
        let as_result = |t: Option<Term>| t.map(|t| (Content::Scalar(t), cwolf_cwi::Types::INT));
        let old = Item {
            frames: item.frames.clone(),
            guard: other.guard,
            state: other.state,
            result: as_result(other.result),
        };
        item.result = as_result(result);
        let merged = self.merge(old, item);
        let result = match merged.result {
            Some((Content::Scalar(t), _)) => Some(t),
            _ => None,
        };
        self.out.ends.push(End {
            to,
            guard: merged.guard,
            state: merged.state,
            result,
        });
    }

    /// A result that is not used up when a block ends goes into a cell.
    fn keep_result(&mut self, context: ContextId, block: BlockId, item: &mut Item) {
        let Some((content, ty)) = item.result.take() else {
            return;
        };
        let (Content::Scalar(t), Some((bits, repr))) = (content, scalar(&self.program.types, ty))
        else {
            self.lose();
            return;
        };
        let t = self.memory_form(ty, t);
        let known = self.apart().pending.get(&(context, block)).copied();
        let cell = match known {
            Some((other, cell)) if other == ty => cell,
            Some(_) => {
                self.lose();
                return;
            }
            None => {
                let sort = Sort::Bv(cell_width(repr, bits));
                let cell = self.cell(CellKind::Result(context, block), sort, repr);
                let modular = self.modular.as_mut().expect("procedures by themselves");
                modular.pending.insert((context, block), (ty, cell));
                // Blocks that start there have to be encoded with it.
                self.changes += 1;
                cell
            }
        };
        item.state.set(cell, t);
    }

    fn lose(&mut self) {
        let modular = self.modular.as_mut().expect("procedures by themselves");
        modular.lost = true;
    }

    /// What a procedure returns, as its callers see it.
    fn returned(&mut self, func: FuncId, result: Option<(Content, TypeId)>) -> Option<Term> {
        let declared = self.return_type(func);
        let scalar = scalar(&self.program.types, declared).is_some();
        match result {
            Some((Content::Scalar(t), ty)) if ty == declared => Some(self.memory_form(ty, t)),
            _ => {
                if scalar || !matches!(self.program.types[declared], Type::Void) {
                    self.lose();
                }
                None
            }
        }
    }

    fn return_type(&self, func: FuncId) -> TypeId {
        match &self.program.types[self.program.funcs[func].ty] {
            Type::Func(f) => f.ret,
            _ => cwolf_cwi::Types::VOID,
        }
    }

    /// The constant that stands for what a procedure returns, if that is a scalar.
    pub fn result_of(&mut self, func: FuncId) -> Option<Term> {
        let declared = self.return_type(func);
        let (bits, repr) = scalar(&self.program.types, declared)?;
        if let Some(&t) = self.apart().results.get(&func) {
            return Some(t);
        }
        let name = format!("{}()#{}", self.program.funcs[func].name, func.0);
        let t = self.terms.constant(&name, Sort::Bv(cell_width(repr, bits)));
        if repr == Repr::Pointer {
            let domain = self.returned_objects(func);
            let mut domain = self.instances(&domain);
            domain.push(crate::object::ObjId(0));
            self.domains.insert(t, domain);
        }
        let modular = self.modular.as_mut().expect("procedures by themselves");
        modular.results.insert(func, t);
        Some(t)
    }

    fn returned_objects(&mut self, func: FuncId) -> Vec<Object> {
        let points_to = self.points_to();
        let declared = self.return_type(func);
        let mut found = Vec::new();
        let blocks = self.program.funcs[func].body.iter();
        for (id, block) in blocks.flat_map(|b| b.blocks.enumerate()) {
            if let Branch::Return(value) = &block.branch {
                match value {
                    Some(e) if e.ty == declared => found.extend(points_to.expr(func, id, e)),
                    // What is returned is lost.
                    _ => found.push(Object::Outside),
                }
            }
        }
        found
    }

    /// A call of a procedure: it gets its parameters, then all that it may change has changed.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn step_over(
        &mut self,
        walk: &mut Walk,
        frames: &[Frame],
        mut here: Cursor,
        func: FuncId,
        args: &[Expr],
        values: &[Content],
        next: Option<BlockId>,
    ) {
        let function = &self.program.funcs[func];
        if args.len() > function.params.len() {
            let why = format!("{} gets unnamed arguments", function.name);
            self.out
                .incomplete
                .push((here.guard, Why::Unsupported(why)));
            return;
        }
        let params = function.params.clone();
        let context = self.context(None, func);
        let inner = self.pass(&mut here, context, &params, args, values);
        let mut passed = Vec::new();
        for param in params {
            let object = self.object(ObjectKind::Local(context, param));
            let info = &self.objects[object.index()];
            if info.summary {
                continue;
            }
            let cells = info.layout.as_ref().map_or(Vec::new(), |l| l.cells.clone());
            for cell in cells {
                passed.push((cell, self.content(&inner, cell)));
            }
        }
        self.out.entered = Some(Entered {
            callee: func,
            guard: here.guard,
            params: passed,
            choices: self.out.asked.len(),
            steps: self.out.steps.len(),
            obligations: self.out.obligations.len(),
            incomplete: self.out.incomplete.len(),
        });
        for cell in self.changes(func) {
            let t = self.copy_of(cell, Copy::After);
            here.state.set(cell, t);
        }
        let Some(next) = next else {
            return;
        };
        let ty = self.return_type(func);
        let result = self
            .result_of(func)
            .map(|t| (Content::Scalar(self.value_form(ty, t)), ty));
        self.go_with(walk, frames, &here, here.guard, next, result);
    }

    /// Another constant for a cell.
    pub fn copy_of(&mut self, cell: CellId, copy: Copy) -> Term {
        if let Some(&t) = self.apart().copies.get(&(cell, copy)) {
            return t;
        }
        let mark = match copy {
            Copy::Old => "old",
            Copy::After => "after",
        };
        let name = format!("{} {mark}#{}", self.cell_name(cell), cell.0);
        let sort = self.cell_sort(cell);
        let t = self.terms.constant(&name, sort);
        let original = self.constant_of(cell);
        if let Some(domain) = self.domains.get(&original).cloned() {
            self.domains.insert(t, domain);
        }
        let modular = self.modular.as_mut().expect("procedures by themselves");
        modular.copies.insert((cell, copy), t);
        modular.copied.insert(t, (cell, copy));
        t
    }

    /// The cell that a constant is a copy of.
    pub fn copied(&self, constant: Term) -> Option<(CellId, Copy)> {
        self.apart().copied.get(&constant).copied()
    }

    /// Forgets constants that were made before objects were added.
    pub fn forget_copies(&mut self) {
        let modular = self.modular.as_mut().expect("procedures by themselves");
        let results = std::mem::take(&mut modular.results);
        modular.copies.clear();
        let copied = std::mem::take(&mut modular.copied);
        for t in copied.into_keys().chain(results.into_values()) {
            self.domains.remove(&t);
        }
    }

    /// The procedure in whose calls a cell lives; none for what outlives them.
    pub fn owner(&self, cell: CellId) -> Option<FuncId> {
        let context = match &self.cells[cell.index()].kind {
            CellKind::Reg(context, _) | CellKind::Result(context, _) => *context,
            CellKind::Leaf(object, _) | CellKind::Size(object) | CellKind::Valid(object) => {
                match self.objects[object.index()].kind {
                    ObjectKind::Local(context, _) | ObjectKind::VarArgs(context) => context,
                    _ => return None,
                }
            }
        };
        let mut at = context;
        while let Some((caller, _)) = self.contexts[at.index()].caller {
            at = caller;
        }
        Some(self.contexts[at.index()].func)
    }

    /// The head of a loop of a procedure, if the point is one.
    pub fn loop_head(&mut self, point: Point) -> Option<Cut> {
        let Point::Head(func, block) = point else {
            return None;
        };
        let head = self.flow(func).is_head(block);
        let context = self.context(None, func);
        head.then_some(Cut { context, block })
    }

    /// Whether a cell lies in a variable that pointers may lead to.
    pub fn is_taken(&self, cell: CellId) -> bool {
        let CellKind::Leaf(object, _) = &self.cells[cell.index()].kind else {
            return false;
        };
        match self.objects[object.index()].kind {
            ObjectKind::Local(_, v) => self.apart().procedures.taken.contains(&v),
            _ => false,
        }
    }

    /// Whether a cell is a parameter of the procedure that owns it.
    pub fn is_param(&self, cell: CellId) -> bool {
        let CellKind::Leaf(object, _) = &self.cells[cell.index()].kind else {
            return false;
        };
        match self.objects[object.index()].kind {
            ObjectKind::Local(context, v) => {
                let info = &self.contexts[context.index()];
                info.caller.is_none() && self.program.funcs[info.func].params.contains(&v)
            }
            _ => false,
        }
    }

    /// Whether something was encoded that stands for several objects or for a value that was
    /// lost: a path may then be possible though no run takes it.
    pub fn is_imprecise(&self) -> bool {
        self.apart().lost || self.objects.iter().any(|o| o.summary)
    }

    /// A local variable whose address may be kept where it outlives the variable.
    pub fn may_dangle(&mut self) -> Option<VarId> {
        let early = crate::life::ends_early(self.program);
        self.lives().outlived(&early)
    }
}
