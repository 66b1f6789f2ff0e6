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

use crate::cursor::{Content, Cursor};
use crate::memory::State;
use crate::objects::{CellId, ContextId, ObjectKind};
use crate::region::{Cut, Entered, Region, Why};
use crate::walk::frame::Frame;
use crate::walk::procedures::{Point, Procedures};
use crate::walk::{Bounds, Encoder, Item, Walk};
use cwolf_base::{Budget, Exhausted, Idx};
use cwolf_cwi::{BlockId, Body, Branch, Callee, Expr, FuncId, TypeId};
use cwolf_logic::{Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Another constant for a cell than the one at the start of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Copy {
    /// What it held when the procedure started.
    Old,
    /// What it holds after the call that the block starts with.
    After,
}

/// What an encoder of procedures knows.
#[derive(Default)]
pub(crate) struct Modular {
    /// What a call of each procedure may change, as far as known.
    changes: FxHashMap<FuncId, BTreeSet<CellId>>,
    /// The call that the block starts with, and which callee it is about: a procedure, or all
    /// that are none.
    call: Option<(BlockId, Option<FuncId>)>,
    copies: FxHashMap<(CellId, Copy), Term>,
    copied: FxHashMap<Term, (CellId, Copy)>,
    pub(super) results: FxHashMap<FuncId, Term>,
    /// The types of results that are pending at the start of a block.
    pub(super) pending: FxHashMap<(ContextId, BlockId), (TypeId, CellId)>,
    /// A result was lost.
    pub(super) lost: bool,
}

impl Encoder<'_> {
    pub(super) fn apart(&self) -> &Modular {
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
        let procedures = self.options.mode.procedures();
        procedures.expect("procedures by themselves")
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
        let context = self.context(None, func);
        self.condition_in(context, e)
    }

    /// A condition on the memory at a cut of a call.
    pub fn condition_in(&mut self, context: ContextId, e: &Expr) -> Term {
        self.from_constants = true;
        let func = self.contexts[context.index()].func;
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
        self.by_identity = true;
        let t = self.condition(&mut cur, e);
        self.by_identity = false;
        self.out = Region::default();
        t
    }

    /// Where the walk stops before the statements of a block.
    pub(crate) fn stops_before(&self, frames: &[Frame], head: bool) -> Option<Point> {
        let procedures = self.options.mode.procedures()?;
        let [frame] = frames else {
            return None;
        };
        let func = self.contexts[frame.context.index()].func;
        (head || procedures.is_cut_everywhere()).then_some(Point::Head(func, frame.block))
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
            .map(|f| self.program.defined(f))
            .filter(|f| self.procedures().contains(*f) && !self.options.error_functions.contains(f))
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
                None => self.procedures().contains(func),
            },
            _ => false,
        }
    }

    /// Whether a call is not entered.
    pub(crate) fn is_apart(&self, func: FuncId) -> bool {
        let procedures = self.options.mode.procedures();
        procedures.is_some_and(|p| p.contains(func))
    }

    /// Whether what the walk's procedure allocates may be allocated several times.
    pub(crate) fn allocates_often(&self, frames: &[Frame]) -> bool {
        let func = self.contexts[frames[0].context.index()].func;
        let procedures = self.options.mode.procedures();
        procedures.is_some_and(|p| p.is_called_often(func))
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

    /// The head of a loop of a procedure, if the point is one.
    pub fn loop_head(&mut self, point: Point) -> Option<Cut> {
        let Point::Head(func, block) = point else {
            return None;
        };
        let head = self.flow(func).is_head(block);
        let context = self.context(None, func);
        head.then_some(Cut { context, block })
    }

    /// Whether something was encoded that stands for several objects or for a value that was
    /// lost: a path may then be possible though no run takes it.
    pub fn is_imprecise(&self) -> bool {
        self.apart().lost || self.objects.iter().any(|o| o.summary)
    }
}
