//! The walk over the program: blocks in an order in which everything that leads to a block comes
//! before it, states merged where paths meet, calls entered on the way.

use crate::encoder::Encoder;
use crate::expr::Content;
use crate::object::{ContextId, ObjId, ObjectKind};
use crate::region::{Cut, Exit, Obligation, Region, Why};
use crate::state::State;
use cwolf_base::{Budget, Exhausted, Idx};
use cwolf_cwi::CheckKind;
use cwolf_cwi::{
    BlockId, Body, Branch, Callee, CheckId, Expr, FuncId, LocId, Program, RESULT, StmtKind, TypeId,
    VarId,
};
use cwolf_logic::{Term, Terms};
use std::collections::BTreeMap;

/// Terms made between two looks at the budget.
const PAUSE: usize = 20_000;

/// Where control is in one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) context: ContextId,
    pub(crate) block: BlockId,
    /// How often each loop around the block has gone round.
    rounds: Vec<u32>,
    /// How often with an open condition.
    open: Vec<u32>,
    /// The guard at the head of each loop, this round.
    guards: Vec<Term>,
    /// Whether the last jump back depended on an open condition.
    opened: bool,
}

impl Frame {
    /// Whether the block may be reached again in this call.
    pub(crate) fn is_in_loop(&self) -> bool {
        !self.rounds.is_empty()
    }
}

/// A state that waits at the start of a block.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) frames: Vec<Frame>,
    pub(crate) guard: Term,
    pub(crate) state: State,
    pub(crate) result: Option<(Content, TypeId)>,
}

/// Where the walk is just now.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    pub(crate) guard: Term,
    pub(crate) state: State,
    pub(crate) context: ContextId,
    pub(crate) block: BlockId,
    /// The statement in the block; past the last, the branch.
    pub(crate) index: usize,
    pub(crate) loc: LocId,
    pub(crate) result: Option<(Content, TypeId)>,
}

/// How far loops and recursion are followed when unrolling.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Rounds of a loop whose condition is open, and depth of recursion.
    pub rounds: u32,
    /// Rounds of a loop whose condition is known.
    pub known_rounds: u32,
    /// Blocks in all.
    pub blocks: u64,
    /// Terms in all: past that, memory counts as used up.
    pub terms: usize,
}

/// Where an encoding starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the start of a function, with the program's first memory.
    Entry(FuncId),
    /// At a cut, with constants for the contents of memory.
    Cut(Cut),
}

/// Asked at each further round of a loop whether its condition can hold.
pub type Feasible<'f> = &'f mut dyn FnMut(&Terms, Term) -> Result<bool, Exhausted>;

impl Encoder<'_> {
    /// Encodes everything from `start` to the next cuts, or (when unrolling) to the bounds.
    ///
    /// # Errors
    /// When the budget ran out.
    pub fn region(
        &mut self,
        start: Start,
        bounds: Bounds,
        budget: &Budget,
        feasible: Feasible<'_>,
    ) -> Result<Region, Exhausted> {
        self.out = Region::default();
        self.from_constants = matches!(start, Start::Cut(_));
        self.allocations = 0;
        let mut walk = Walk {
            waiting: BTreeMap::new(),
            bounds,
            at_branch: false,
        };
        match start {
            Start::Entry(func) => {
                let context = self.context(None, func);
                let mut state = State::default();
                self.entry_arguments(context, &mut state);
                let frames = vec![];
                self.enter(&mut walk, frames, context, Terms::TRUE, state, true);
                self.walk_on(&mut walk, false, budget, feasible)?;
            }
            Start::Cut(cut) => {
                let frames = self.frames_of(cut);
                let item = Item {
                    frames,
                    guard: Terms::TRUE,
                    state: State::default(),
                    result: None,
                };
                self.walk(&mut walk, item, budget, feasible)?;
            }
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Goes from a block, which is no end even if it is cut there, as far as it goes.
    pub(crate) fn walk(
        &mut self,
        walk: &mut Walk,
        item: Item,
        budget: &Budget,
        feasible: Feasible<'_>,
    ) -> Result<(), Exhausted> {
        let key = self.key(&item.frames);
        walk.waiting.insert(key, item);
        self.walk_on(walk, true, budget, feasible)
    }

    fn walk_on(
        &mut self,
        walk: &mut Walk,
        mut first: bool,
        budget: &Budget,
        feasible: Feasible<'_>,
    ) -> Result<(), Exhausted> {
        let mut count = 0u64;
        let mut looked = self.terms.len();
        while let Some((_, item)) = walk.waiting.pop_first() {
            count += 1;
            // One block may make many terms, when arrays are long.
            if count.is_multiple_of(64) || self.terms.len() > looked + PAUSE {
                looked = self.terms.len();
                budget.check(0)?;
                if self.terms.len() > walk.bounds.terms {
                    return Err(Exhausted::Memory);
                }
            }
            if count > walk.bounds.blocks {
                self.out.incomplete.push((item.guard, Why::Unwinding));
                continue;
            }
            self.visit(walk, item, std::mem::take(&mut first), feasible)?;
        }
        Ok(())
    }

    /// The parameters of the function that runs start at.
    fn entry_arguments(&mut self, context: ContextId, state: &mut State) {
        let func = self.contexts[context.index()].func;
        let params = self.program.funcs[func].params.clone();
        for param in params {
            let object = self.object(ObjectKind::Local(context, param));
            self.lay_out(object, None);
            let layout = self.objects[object.index()]
                .layout
                .as_ref()
                .expect("laid out")
                .clone();
            for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
                if leaf.array.is_none() {
                    let any = self.any(leaf.bits, leaf.repr, &[Encoder::OUTSIDE]);
                    state.set(*cell, any);
                }
            }
        }
    }

    /// The calls in progress at a cut.
    pub(crate) fn frames_of(&mut self, cut: Cut) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut at = Some((cut.context, cut.block));
        while let Some((context, block)) = at {
            let info = &self.contexts[context.index()];
            let (func, caller) = (info.func, info.caller);
            let depth = self.flow(func).loops[block.index()].len();
            frames.push(Frame {
                context,
                block,
                rounds: vec![0; depth],
                open: vec![0; depth],
                guards: vec![Terms::TRUE; depth],
                opened: false,
            });
            at = caller;
        }
        frames.reverse();
        frames
    }

    /// The place of a state in the order of the walk.
    fn key(&mut self, frames: &[Frame]) -> Vec<u32> {
        let mut key = Vec::new();
        for frame in frames {
            let func = self.contexts[frame.context.index()].func;
            let flow = self.flow(func);
            let heads = &flow.loops[frame.block.index()];
            for (head, round) in heads.iter().zip(&frame.rounds) {
                key.push(flow.rank[head.index()]);
                key.push(*round);
            }
            key.push(flow.rank[frame.block.index()]);
            // Callees in the order of their contexts.
            key.push(frame.context.0);
        }
        key
    }

    /// Puts a state at the start of a block, merging it with one that waits there.
    fn wait(&mut self, walk: &mut Walk, item: Item) {
        if item.guard == Terms::FALSE {
            return;
        }
        let key = self.key(&item.frames);
        let merged = match walk.waiting.remove(&key) {
            None => item,
            Some(other) => self.merge(other, item),
        };
        walk.waiting.insert(key, merged);
    }

    /// What is left to tell apart after a step that C defines only where `ok` holds: nothing if an
    /// `Assert` demanded it, or if a run that breaks the rule is not looked at.
    pub(crate) fn defined(&mut self, cur: &mut Cursor, checked: bool, ok: Term) -> Term {
        if self.options.checks.follow_undefined && !checked {
            return ok;
        }
        self.only(cur, ok);
        Terms::TRUE
    }

    /// Goes on where `ok` holds; a run that breaks a rule that is not checked is not followed.
    pub(crate) fn only_or_give_up(&mut self, cur: &mut Cursor, ok: Term, what: &str) {
        let fine = self.defined(cur, self.options.checks.pointer, ok);
        if fine != Terms::TRUE {
            let not = self.terms.not(fine);
            let guard = self.terms.and(cur.guard, not);
            let why = Why::Unsupported(format!("{what}, which is not checked"));
            self.out.incomplete.push((guard, why));
            self.only(cur, fine);
        }
    }

    /// `t` where `ok` holds, else any value.
    pub(crate) fn where_defined(&mut self, ok: Term, t: Term) -> Term {
        if ok == Terms::TRUE {
            return t;
        }
        let sort = self.terms.sort(t);
        let any = self.terms.fresh("undefined", sort);
        self.terms.ite(ok, t, any)
    }

    /// A run goes on only where `ok` holds.
    pub(crate) fn only(&mut self, cur: &mut Cursor, ok: Term) {
        cur.guard = self.terms.and(cur.guard, ok);
    }

    pub(crate) fn oblige(
        &mut self,
        loc: LocId,
        kind: CheckKind,
        check: Option<CheckId>,
        function: Option<FuncId>,
        fails: Term,
    ) {
        if fails != Terms::FALSE {
            self.out.obligations.push(Obligation {
                kind,
                loc,
                check,
                function,
                fails,
                choices: self.out.asked.len(),
                steps: self.out.steps.len(),
                loads: self.out.loads.len(),
            });
        }
    }

    /// Encodes one block.
    fn visit(
        &mut self,
        walk: &mut Walk,
        item: Item,
        first: bool,
        feasible: Feasible<'_>,
    ) -> Result<(), Exhausted> {
        let frame = item.frames.last().expect("a call in progress").clone();
        let func = self.contexts[frame.context.index()].func;
        let program = self.program;
        let body = program.funcs[func].body.as_ref().expect("a body");
        let flow = self.flow(func);
        let head = flow.is_head(frame.block);
        if !first && let Some(point) = self.stops_before(&item.frames, head) {
            self.end_at(point, item);
            return Ok(());
        }
        if head && !self.options.unroll && !first {
            self.leave_at(
                Cut {
                    context: frame.context,
                    block: frame.block,
                },
                item,
            );
            return Ok(());
        }
        if head && self.options.unroll && frame.rounds.last() != Some(&0) {
            let round = *frame.rounds.last().expect("a loop");
            let open = *frame.open.last().expect("a loop");
            let over = open > walk.bounds.rounds || round > walk.bounds.known_rounds;
            if frame.opened && !feasible(&self.terms, item.guard)? {
                return Ok(());
            }
            if over {
                self.out.incomplete.push((item.guard, Why::Unwinding));
                return Ok(());
            }
        }
        let block = &body.blocks[frame.block];
        let mut cur = Cursor {
            guard: item.guard,
            state: item.state,
            context: frame.context,
            block: frame.block,
            index: 0,
            loc: block.stmts.first().map_or(block.loc, |s| s.loc),
            result: item.result,
        };
        let at_branch = std::mem::take(&mut walk.at_branch);
        let stmts = match at_branch {
            true => &[],
            false => block.stmts.as_slice(),
        };
        self.out.steps.push((cur.guard, cur.loc));
        for (n, stmt) in stmts.iter().enumerate() {
            if cur.guard == Terms::FALSE {
                return Ok(());
            }
            cur.index = n;
            cur.loc = stmt.loc;
            match &stmt.kind {
                StmtKind::Assign(place, e) => {
                    let value = self.eval_any(&mut cur, e);
                    self.write(&mut cur, place, value);
                }
                StmtKind::SetReg(reg, e) => {
                    let value = self.eval(&mut cur, e);
                    if *reg == RESULT {
                        cur.result = Some((Content::Scalar(value), e.ty));
                    } else {
                        let value = self.memory_form(e.ty, value);
                        let cell = self.reg_cell(cur.context, *reg, body.regs[*reg]);
                        cur.state.set(cell, value);
                    }
                }
                StmtKind::Live(v) => {
                    self.begin_in_block(&mut cur, *v);
                    let object = self.object(ObjectKind::Local(cur.context, *v));
                    self.undefine(&mut cur.state, object);
                }
                StmtKind::Dead(v) => {
                    let object = self.object(ObjectKind::Local(cur.context, *v));
                    self.end_life(&mut cur.state, object);
                }
                StmtKind::Assert { check, cond } => self.assert(&mut cur, *check, cond),
                StmtKind::Assume(cond) => self.assume(&mut cur, cond),
                StmtKind::Havoc { ptr, size } => {
                    let p = self.eval(&mut cur, ptr);
                    match size {
                        Some(size) => {
                            let size = self.eval(&mut cur, size);
                            self.havoc_bytes(&mut cur, p, size);
                        }
                        None if ptr.is_null() => self.havoc_known(&mut cur),
                        None => self.havoc(&mut cur, p),
                    }
                }
            }
        }
        cur.index = block.stmts.len();
        cur.loc = block.loc;
        if !at_branch && let Some(point) = self.stops_after(&item.frames, &block.branch) {
            let item = Item {
                frames: item.frames,
                guard: cur.guard,
                state: cur.state,
                result: cur.result,
            };
            self.end_at(point, item);
            return Ok(());
        }
        self.branch(walk, item.frames, cur, &block.branch, func)
    }

    fn leave_at(&mut self, to: Cut, item: Item) {
        match self.out.exits.iter().position(|e| e.to == to) {
            None => self.out.exits.push(Exit {
                to,
                guard: item.guard,
                state: item.state,
            }),
            Some(n) => {
                let other = self.out.exits.remove(n);
                let frames = Vec::new();
                let known = Item {
                    frames: frames.clone(),
                    guard: other.guard,
                    state: other.state,
                    result: None,
                };
                let new = Item {
                    frames,
                    result: None,
                    ..item
                };
                let merged = self.merge(known, new);
                self.out.exits.push(Exit {
                    to,
                    guard: merged.guard,
                    state: merged.state,
                });
            }
        }
    }

    /// A local variable comes to life: it holds anything.
    fn undefine(&mut self, state: &mut State, object: ObjId) {
        self.lay_out(object, None);
        let info = &self.objects[object.index()];
        let valid = info.valid_cell;
        let layout = info.layout.as_ref().expect("laid out").clone();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            let t = self.undefined(leaf.sort(), leaf.repr);
            state.set(*cell, t);
        }
        if let Some(cell) = valid {
            state.set(cell, Terms::TRUE);
        }
    }

    /// Goes on at a block of the same call.
    fn go(&mut self, walk: &mut Walk, frames: &[Frame], cur: &Cursor, guard: Term, to: BlockId) {
        self.go_with(walk, frames, cur, guard, to, None);
    }

    pub(crate) fn go_with(
        &mut self,
        walk: &mut Walk,
        frames: &[Frame],
        cur: &Cursor,
        guard: Term,
        to: BlockId,
        result: Option<(Content, TypeId)>,
    ) {
        if guard == Terms::FALSE {
            return;
        }
        let mut frames = frames.to_vec();
        let frame = frames.last_mut().expect("a call in progress");
        let func = self.contexts[frame.context.index()].func;
        let flow = self.flow(func);
        let old = &flow.loops[frame.block.index()];
        let new = &flow.loops[to.index()];
        let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let again = old.contains(&to);
        frame.rounds.truncate(common);
        frame.open.truncate(common);
        frame.guards.truncate(common);
        frame.rounds.resize(new.len(), 0);
        frame.open.resize(new.len(), 0);
        frame.guards.resize(new.len(), guard);
        if again {
            *frame.rounds.last_mut().expect("a loop") += 1;
            // A round counts only if the way here was not the only one.
            let start = frame.guards.last_mut().expect("a loop");
            frame.opened = *start != guard;
            if frame.opened {
                *frame.open.last_mut().expect("a loop") += 1;
            }
            *start = guard;
        }
        frame.block = to;
        let item = Item {
            frames,
            guard,
            state: cur.state.clone(),
            result,
        };
        self.wait(walk, item);
    }

    fn branch(
        &mut self,
        walk: &mut Walk,
        frames: Vec<Frame>,
        mut cur: Cursor,
        branch: &Branch,
        func: FuncId,
    ) -> Result<(), Exhausted> {
        match branch {
            Branch::Goto(to) => self.go(walk, &frames, &cur, cur.guard, *to),
            Branch::If { cond, then, els } => {
                let c = self.condition(&mut cur, cond);
                let not = self.terms.not(c);
                let yes = self.terms.and(cur.guard, c);
                let no = self.terms.and(cur.guard, not);
                if then == els {
                    self.go(walk, &frames, &cur, cur.guard, *then);
                } else {
                    self.go(walk, &frames, &cur, yes, *then);
                    self.go(walk, &frames, &cur, no, *els);
                }
            }
            Branch::Switch { on, cases, default } => {
                let t = self.eval(&mut cur, on);
                let signed = self.program.types.as_int(on.ty).is_some_and(|i| i.signed);
                let bits = self.terms.width(t);
                let mut rest = cur.guard;
                for case in cases {
                    let lo = self.terms.bv(bits, case.lo as u128);
                    let hi = self.terms.bv(bits, case.hi as u128);
                    let hit = match case.lo == case.hi {
                        true => self.terms.eq(t, lo),
                        false if signed => {
                            let (a, b) = (self.terms.sle(lo, t), self.terms.sle(t, hi));
                            self.terms.and(a, b)
                        }
                        false => {
                            let (a, b) = (self.terms.ule(lo, t), self.terms.ule(t, hi));
                            self.terms.and(a, b)
                        }
                    };
                    let guard = self.terms.and(cur.guard, hit);
                    self.go(walk, &frames, &cur, guard, case.target);
                    let miss = self.terms.not(hit);
                    rest = self.terms.and(rest, miss);
                }
                self.go(walk, &frames, &cur, rest, *default);
            }
            Branch::Call {
                callee,
                args,
                ret,
                next,
            } => {
                self.call(walk, frames, cur, callee, args, *ret, *next)?;
            }
            Branch::Return(value) => {
                let result = value.as_ref().map(|e| (self.eval_any(&mut cur, e), e.ty));
                self.return_from(walk, frames, cur, func, result);
            }
            Branch::Halt(e) => {
                if self.program.types.is_scalar(e.ty) {
                    self.eval(&mut cur, e);
                }
            }
            Branch::Unreachable(_) => {}
        }
        Ok(())
    }

    fn return_from(
        &mut self,
        walk: &mut Walk,
        mut frames: Vec<Frame>,
        mut cur: Cursor,
        func: FuncId,
        result: Option<(Content, TypeId)>,
    ) {
        if let Some(cells) = self.owned.get(&cur.context) {
            for cell in cells {
                cur.state.unset(*cell);
            }
        }
        if self.options.checks.follows_lives() {
            self.end_call(&mut cur.state, cur.context);
        }
        let own = frames.pop();
        let Some(frame) = frames.last() else {
            if self.modular.is_some() {
                let item = Item {
                    frames: own.into_iter().collect(),
                    guard: cur.guard,
                    state: cur.state,
                    result,
                };
                self.end_at(crate::modular::Point::Exit(func), item);
            }
            return;
        };
        let caller = self.contexts[frame.context.index()].func;
        let program = self.program;
        let body = program.funcs[caller].body.as_ref().expect("a body");
        let Branch::Call {
            next: Some(next), ..
        } = &body.blocks[frame.block].branch
        else {
            return;
        };
        self.go_with(walk, &frames, &cur, cur.guard, *next, result);
    }

    /// Starts a call in a context whose parameters are set.
    fn enter(
        &mut self,
        walk: &mut Walk,
        mut frames: Vec<Frame>,
        context: ContextId,
        guard: Term,
        mut state: State,
        entry: bool,
    ) {
        let func = self.contexts[context.index()].func;
        let flow = self.flow(func);
        let block = Body::ENTRY;
        let depth = flow.loops[block.index()].len();
        let function = &self.program.funcs[func];
        self.begin_call(&mut state, &frames, context);
        // Locals of an earlier call from the same place are gone.
        if !entry || self.options.checks.follows_lives() {
            let locals = function.locals.clone();
            for v in locals {
                let object = self.object(ObjectKind::Local(context, v));
                if self.objects[object.index()].layout.is_some() {
                    self.undefine(&mut state, object);
                }
            }
        }
        frames.push(Frame {
            context,
            block,
            rounds: vec![0; depth],
            open: vec![0; depth],
            guards: vec![guard; depth],
            opened: false,
        });
        let item = Item {
            frames,
            guard,
            state,
            result: None,
        };
        self.wait(walk, item);
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        walk: &mut Walk,
        frames: Vec<Frame>,
        mut cur: Cursor,
        callee: &Callee,
        args: &[Expr],
        ret: TypeId,
        next: Option<BlockId>,
    ) -> Result<(), Exhausted> {
        let called = match callee {
            Callee::Direct(f) => vec![(Terms::TRUE, *f)],
            Callee::Indirect(e) => self.called(&mut cur, e),
        };
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.eval_any(&mut cur, arg));
        }
        for (when, func) in called {
            let guard = self.terms.and(cur.guard, when);
            if guard == Terms::FALSE {
                continue;
            }
            let mut here = Cursor {
                guard,
                ..cur.clone()
            };
            let func = defined(self.program, func);
            if self.skips(&frames, func) {
                continue;
            }
            if self.options.error_functions.contains(&func) {
                self.oblige(here.loc, CheckKind::UnreachCall, None, Some(func), guard);
                continue;
            }
            let in_loop = frames.iter().any(Frame::is_in_loop) || self.allocates_often(&frames);
            match self.native(&mut here, func, args, &values, ret, next, in_loop) {
                crate::calls::Native::Done(result) => {
                    if let Some(next) = next {
                        let result = result.map(|r| (r, ret));
                        self.go_with(walk, &frames, &here, here.guard, next, result);
                    }
                }
                crate::calls::Native::Ends => {}
                crate::calls::Native::None if self.is_apart(func) => {
                    self.step_over(walk, &frames, here, func, args, &values, next);
                }
                crate::calls::Native::None => {
                    self.inline(walk, &frames, here, func, args, &values);
                }
            }
        }
        Ok(())
    }

    fn inline(
        &mut self,
        walk: &mut Walk,
        frames: &[Frame],
        mut here: Cursor,
        func: FuncId,
        args: &[Expr],
        values: &[Content],
    ) {
        let function = &self.program.funcs[func];
        let context = self.context(Some((here.context, here.block)), func);
        let recursion = self.contexts[context.index()].recursion;
        let limit = if self.options.unroll {
            walk.bounds.rounds
        } else {
            0
        };
        if recursion > limit {
            let why = match self.options.unroll {
                true => Why::Unwinding,
                false => Why::Unsupported(format!("{} calls itself", function.name)),
            };
            self.out.incomplete.push((here.guard, why));
            return;
        }
        let params = function.params.clone();
        let variadic = matches!(&self.program.types[function.ty],
            cwolf_cwi::Type::Func(f) if f.variadic);
        let state = self.pass(&mut here, context, &params, args, values);
        let mut inner = Cursor {
            state,
            context,
            ..here
        };
        if variadic && values.len() >= params.len() {
            self.pass_unnamed(
                &mut inner,
                context,
                &args[params.len()..],
                &values[params.len()..],
            );
        }
        self.enter(
            walk,
            frames.to_vec(),
            context,
            inner.guard,
            inner.state,
            false,
        );
    }

    /// The memory in which the parameters of a call hold their arguments.
    pub(crate) fn pass(
        &mut self,
        here: &mut Cursor,
        context: ContextId,
        params: &[VarId],
        args: &[Expr],
        values: &[Content],
    ) -> State {
        let mut stores = Vec::new();
        for (n, param) in params.iter().enumerate() {
            let ty = self.program.vars[*param].ty;
            let value = match (values.get(n), args.get(n)) {
                (Some(v), Some(e)) => self.convert_argument(here, v.clone(), e.ty, ty, e),
                _ => match self.program.types.is_scalar(ty) {
                    true => Content::Scalar(self.any_value(ty)),
                    false => Content::Parts(Vec::new()),
                },
            };
            stores.push((*param, ty, value));
        }
        let mut inner = Cursor {
            context,
            ..here.clone()
        };
        for (param, ty, value) in stores {
            let object = self.object(ObjectKind::Local(context, param));
            if let Some(cell) = self.objects[object.index()].valid_cell {
                inner.state.set(cell, Terms::TRUE);
            }
            let place = cwolf_cwi::Place::var(ty, param);
            self.write(&mut inner, &place, value);
        }
        here.guard = inner.guard;
        inner.state
    }

    /// The functions that a call through a pointer may go to, and when.
    fn called(&mut self, cur: &mut Cursor, e: &Expr) -> Vec<(Term, FuncId)> {
        let p = self.eval(cur, e);
        let zero = self.terms.bv(crate::object::OFFSET_BITS, 0);
        let targets = self.targets(p, zero);
        let mut found = Vec::new();
        let mut valid = Terms::FALSE;
        for target in targets {
            match self.objects[target.object.index()].kind {
                ObjectKind::Func(f) => {
                    valid = self.terms.or(valid, target.guard);
                    found.push((target.guard, f));
                }
                ObjectKind::Outside => {
                    // Code that the program does not show.
                    let guard = self.terms.and(cur.guard, target.guard);
                    let why = Why::Unsupported("a call through a pointer from outside".into());
                    self.out.incomplete.push((guard, why));
                }
                _ => {}
            }
        }
        self.only_or_give_up(cur, valid, "a call through an invalid pointer");
        found
    }
}

/// The function that defines a name, if the program declares it more than once.
pub(crate) fn defined(program: &Program, func: FuncId) -> FuncId {
    let function = &program.funcs[func];
    if function.body.is_some() {
        return func;
    }
    let name = function.alias.as_deref().unwrap_or(&function.name);
    let mut others = program.funcs.enumerate();
    let other = others.find(|(_, f)| f.name == name && f.body.is_some());
    other.map_or(func, |(id, _)| id)
}

/// States that wait, by their place in the order.
pub(crate) struct Walk {
    pub(crate) waiting: BTreeMap<Vec<u32>, Item>,
    pub(crate) bounds: Bounds,
    /// The first block is done but for its branch.
    pub(crate) at_branch: bool,
}
