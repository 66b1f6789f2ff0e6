//! Calls that are entered in place, and returns from them.

use crate::cursor::{Content, Cursor};
use crate::memory::State;
use crate::objects::{ContextId, ObjectKind};
use crate::region::Why;
use crate::walk::frame::Frame;
use crate::walk::procedures::Point;
use crate::walk::{Encoder, Item, Walk};
use cwolf_base::{Exhausted, Idx};
use cwolf_cwi::{BlockId, Body, Branch, Callee, CheckKind, Expr, FuncId, TypeId};
use cwolf_logic::{Term, Terms};

impl Encoder<'_> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn call(
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
            Callee::Indirect(e) => {
                let called = self.called(&mut cur, e);
                self.only_expected(&cur, called)
            }
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
            let func = self.program.defined(func);
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

    /// The functions that the call graph expects here. That code outside put another where the pointer is read is not
    /// a way that the program goes, and no proof either.
    fn only_expected(&mut self, cur: &Cursor, called: Vec<(Term, FuncId)>) -> Vec<(Term, FuncId)> {
        let func = self.contexts[cur.context.index()].func;
        let expected = |f: FuncId| self.expects_call(func, cur.block, f);
        let (found, others): (Vec<_>, Vec<_>) = called.into_iter().partition(|(_, f)| expected(*f));
        for (when, _) in others {
            let guard = self.terms.and(cur.guard, when);
            let why = Why::Unsupported("a call through a pointer from outside".into());
            self.out.incomplete.push((guard, why));
        }
        found
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
        let unrolls = self.options.mode.unrolls();
        let (most, bounded) = self.most.within(walk.bounds.rounds, None);
        let limit = if unrolls { most } else { 0 };
        if recursion > limit && !self.follows(func) {
            let why = match unrolls {
                true => bounded,
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

    /// Starts a call in a context whose parameters are set.
    pub(super) fn enter(
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
        let again = frames.iter().any(Frame::is_in_loop);
        self.begin_call(&mut state, again, context);
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

    pub(super) fn return_from(
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
                self.end_at(Point::Exit(func), item);
            }
            return;
        };
        let caller = self.contexts[frame.context.index()].func;
        let program = self.program;
        let body = program.funcs[caller].body.as_ref().expect("a body");
        let Branch::Call {
            next: Some(next),
            ret,
            ..
        } = &body.blocks[frame.block].branch
        else {
            return;
        };
        // Called through a pointer of another type: C says nothing about what comes back.
        let result = match result {
            Some((Content::Parts(_), _)) if program.types.is_scalar(*ret) => {
                Some((Content::Scalar(self.any_value(*ret)), *ret))
            }
            other => other,
        };
        self.go_with(walk, &frames, &cur, cur.guard, *next, result);
    }
}
