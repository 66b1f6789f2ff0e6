//! Calls and returns (R12 to R14).

use super::Code;
use super::assign::Written;
use super::eval::{At, Context};
use super::labels::Outcome;
use super::operands::{self, Operands};
use super::scratch::{Scratch, Tracked};
use super::step::{Here, Step, To};
use crate::domain::{Kind, Target, Value};
use crate::map::{Event, Variance};
use cwolf_base::Idx;
use cwolf_cwi::graph::is_tail_call;
use cwolf_cwi::{
    BlockId, Branch, Callee, Expr, ExprKind, FuncId, LocId, RESULT, Type, TypeId, VarId,
};

/// The parts of a call.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub here: Here,
    pub func: FuncId,
    pub block: BlockId,
    callee: &'c Callee,
    pub args: &'c [Expr],
    pub next: Option<BlockId>,
}

impl Code<'_> {
    pub(super) fn call(&self, here: Here, env: Scratch, labels: Vec<String>, step: &mut Step) {
        let Here { func, block, .. } = here;
        let program = self.program;
        let body = program.funcs[func].body.as_ref().expect("it has blocks");
        let Branch::Call {
            callee, args, next, ..
        } = &body.blocks[block].branch
        else {
            unreachable!("the branch is a call")
        };
        let call = Call {
            here,
            func,
            block,
            callee,
            args,
            next: *next,
        };
        let (targets, outside) = self.targets(&call, &env);
        for target in targets {
            let context = self.context(func, block);
            let called = |event: &Event| matches!(event, Event::Call(f) if f.contains(&target));
            let outcome = vec![(env.clone(), labels.clone())];
            let fired = self.fire_about(&context, outcome, Operands::Arguments(args), called);
            for (env, labels) in fired {
                if program.funcs[target].body.is_some() {
                    self.enter(&call, target, env, labels, step);
                } else {
                    self.enter_outside(&call, target, env, labels, step);
                }
            }
        }
        if outside {
            let mut env = env;
            self.havoc(&call, &mut env, "a function that is not known", step);
            env.local.set(RESULT.index(), Value::Top);
            if let Some(next) = call.next {
                self.go(here, next, env, labels, step);
            }
        }
    }
    /// The functions that a call may reach, and whether it may reach unknown code.
    fn targets(&self, call: &Call<'_>, env: &Scratch) -> (Vec<FuncId>, bool) {
        // As liveness and all engines see it: code that is not shown leaves no function where its type does not fit.
        let any = || {
            let mut calls = self.calls.calls_in(call.func).iter();
            let found = calls.find(|c| c.block == call.block);
            let found = found.expect("the call graph has every call");
            (found.targets.clone(), found.unknown)
        };
        let Callee::Indirect(e) = call.callee else {
            return any();
        };
        let context = self.context(call.func, call.block);
        match self.universe.addresses(context.eval(env, e)) {
            Some(list) => {
                let mut funcs = Vec::new();
                for address in list {
                    if let Target::Function(f) = address.target() {
                        funcs.push(FuncId(f));
                    }
                }
                funcs.sort_unstable();
                funcs.dedup();
                (funcs, false)
            }
            None => any(),
        }
    }
    /// R12: a new frame, or, for a tail call, the same frame again. Giving the parameters their
    /// values is a write to each.
    fn enter(
        &self,
        call: &Call<'_>,
        target: FuncId,
        env: Scratch,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        let caller = self.context(call.func, call.block);
        let callee = self.context(target, cwolf_cwi::Body::ENTRY);
        let mut inside = Scratch {
            local: Tracked::fresh(self.layout.frame_size(target)),
            global: env.global.clone(),
        };
        for var in &self.layout.exposed[target] {
            callee.forget(&mut inside, *var, (i128::MIN, i128::MAX), &mut Vec::new());
        }
        let rules = &self.labels.rules;
        let mut outcomes: Vec<Outcome> = vec![(inside, labels)];
        let params = &self.program.funcs[target].params;
        for (param, arg) in params.iter().zip(call.args) {
            let mut written = Written::new();
            for (inside, _) in &mut outcomes {
                written.clear();
                if !bind(&caller, &env, &callee, inside, *param, arg, &mut written) {
                    return;
                }
            }
            let split = |(inside, labels): Outcome| {
                let all = callee.split(inside, &written).into_iter();
                all.map(move |inside| (inside, labels.clone()))
                    .collect::<Vec<_>>()
            };
            outcomes = outcomes.into_iter().flat_map(split).collect();
            outcomes = callee.written(outcomes, rules, &written, true);
        }
        let body = self.program.funcs[target].body.as_ref();
        let first = &body.expect("it has a body").blocks[cwolf_cwi::Body::ENTRY];
        let to = first.stmts.first().map_or(first.loc, |s| s.loc);
        outcomes = self.arrive(&callee, outcomes, self.call_loc(call), to);
        let frame = match self.replaces_frame(call) {
            true => None,
            false => Some(self.points.block(call.func, call.block)),
        };
        let kept = self.suspend(call, env.local);
        for (mut inside, labels) in outcomes {
            self.seal(target, cwolf_cwi::Body::ENTRY, 0, &mut inside);
            let to = To::Enter {
                location: self.points.entry(target),
                frame,
                caller: kept.clone(),
                inside: inside.local,
                global: inside.global,
                rename: None,
            };
            step.emit(labels, to);
        }
    }
    pub(super) fn call_loc(&self, call: &Call<'_>) -> LocId {
        let body = self.program.funcs[call.func].body.as_ref();
        body.expect("it has blocks").blocks[call.block].loc
    }
    fn replaces_frame(&self, call: &Call<'_>) -> bool {
        let body = self.program.funcs[call.func].body.as_ref();
        let seen =
            self.labels.rules.iter().any(
                |rule| matches!(&rule.event, Event::Return(funcs) if funcs.contains(&call.func)),
            );
        let lines = self
            .labels
            .rules
            .iter()
            .any(|rule| matches!(rule.event, Event::Exec(..)));
        let ret = |f: FuncId| match &self.program.types[self.program.funcs[f].ty] {
            Type::Func(ty) => Some(ty.ret),
            _ => None,
        };
        let same = matches!(call.callee, Callee::Direct(f) if ret(*f) == ret(call.func));
        same && !call.here.outermost
            && self.options.tail_calls
            // Its caller stands for many.
            && self.variances[call.func] != Variance::Location
            && self.layout.exposed[call.func].is_empty()
            && self.same_result(call)
            && !seen
            && !lines
            && body.is_some_and(|body| is_tail_call(body, call.block))
            // `longjmp` may come back to this frame.
            && self.setjmp_calls(call.func).is_empty()
    }
    /// Whether a result would not be abstracted further on its way through the caller.
    fn same_result(&self, call: &Call<'_>) -> bool {
        let own = self.returns.get(&call.func);
        match call.callee {
            Callee::Direct(target) => own.is_none() || own == self.returns.get(target),
            Callee::Indirect(_) => own.is_none(),
        }
    }
    /// What a caller keeps while it waits.
    pub(super) fn suspend(&self, call: &Call<'_>, mut local: Tracked) -> Tracked {
        local.set(RESULT.index(), Value::Top);
        match call.next {
            // `longjmp` may come back to elsewhere in this frame.
            _ if !self.setjmp_calls(call.func).is_empty() => {
                self.drop_unkept_local(call.func, &mut local);
            }
            Some(next) => self.seal_local(call.func, next, 0, &mut local),
            None => local.fill_top(),
        }
        local
    }
    /// R13 and R14. To return from the first function is to call `exit`, if that does something.
    pub(super) fn returns(
        &self,
        here: Here,
        value: Option<&Expr>,
        env: Scratch,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        let Here { func, block, .. } = here;
        let context = self.context(func, block);
        let scalar = |e: &&Expr| self.program.types.is_scalar(e.ty);
        let v = value
            .filter(scalar)
            .map_or(Value::Top, |e| context.eval(&env, e));
        if v == Value::Bottom {
            return;
        }
        let happens = |event: &Event| matches!(event, Event::Return(f) if f.contains(&func));
        if let Some(exit) = self.exit.filter(|_| here.outermost) {
            // Its frame stays below: the result is evaluated there.
            let call = Call {
                here,
                func,
                block,
                callee: &Callee::Direct(exit),
                args: value.map_or(&[], std::slice::from_ref),
                next: None,
            };
            let fired = self.fire_about(
                &context,
                vec![(env, labels)],
                Operands::Result(value),
                happens,
            );
            for (env, labels) in fired {
                self.enter(&call, exit, env, labels, step);
            }
            return;
        }
        let fired = self.fire_about(
            &context,
            vec![(env, labels)],
            Operands::Result(value),
            happens,
        );
        for (mut env, labels) in fired {
            // A guard or a label may have told more about it.
            let v = match value.filter(scalar) {
                Some(e) => context.eval(&env, e),
                None => v,
            };
            for var in &self.layout.exposed[func] {
                context.forget(&mut env, *var, (i128::MIN, i128::MAX), &mut Vec::new());
            }
            if here.outermost {
                self.halt(here, v, env, labels, step);
                continue;
            }
            let result = match (value, self.returns.get(&func)) {
                (Some(e), Some(kind)) => self.context(func, block).keep(e.ty, *kind, v),
                _ => v,
            };
            self.leave(value.map(|e| (e.ty, result)), env.global, labels, step);
        }
    }
    /// The labels of a call or return with these operands.
    pub(super) fn fire_about(
        &self,
        context: &Context<'_>,
        outcomes: Vec<Outcome>,
        operands: Operands<'_>,
        happens: impl Fn(&Event) -> bool,
    ) -> Vec<Outcome> {
        let rules = operands::about(&self.program.types, &self.labels.rules, operands, happens);
        context.fire_all(outcomes, rules.iter().map(|r| (&**r, true)).collect())
    }
    pub(super) fn leave(
        &self,
        result: Option<(TypeId, Value)>,
        mut global: Tracked,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        self.drop_unkept(&mut global);
        step.emit(labels, To::Return { result, global });
    }
    /// Goes on in a suspended caller, with the result in register 0.
    pub fn resume(
        &self,
        here: Here,
        (result, from): (Option<(TypeId, Value)>, Option<LocId>),
        mut env: Scratch,
        step: &mut Step,
    ) {
        let Here { func, block, .. } = here;
        let body = self.program.funcs[func]
            .body
            .as_ref()
            .expect("it has blocks");
        let Branch::Call {
            ret,
            next: Some(next),
            ..
        } = &body.blocks[block].branch
        else {
            // The function was declared never to return.
            return;
        };
        let result = match result {
            Some((ty, v)) if ty == *ret => self.context(func, block).keep(ty, Kind::Free, v),
            _ => Value::Top,
        };
        env.local.set(RESULT.index(), result);
        let from = from.unwrap_or(body.blocks[block].loc);
        self.go_from(here, (from, *next), env, Vec::new(), step);
    }
}

/// Gives a parameter its argument; false if the argument traps.
fn bind(
    caller: &Context<'_>,
    env: &Scratch,
    callee: &Context<'_>,
    inside: &mut Scratch,
    param: VarId,
    arg: &Expr,
    written: &mut Written,
) -> bool {
    let program = caller.program;
    let ty = program.vars[param].ty;
    if !program.types.is_scalar(ty) {
        let size = i128::from(program.types.size_of(ty)) * 8;
        written.push((param, 0, size));
        let source = match &arg.kind {
            ExprKind::Load { place, .. } if arg.ty == ty => caller.locate(env, place),
            _ => None,
        };
        for slot in callee.slots(param) {
            let moved = |at: &At| At {
                bits: at
                    .bits
                    .and_then(|b| b.checked_add_unsigned(slot.cell.bit_offset)),
                ..*at
            };
            let v = match &source {
                Some(list) => {
                    let list: Vec<At> = list.iter().map(moved).collect();
                    caller.read_at(env, &list, slot.cell.ty)
                }
                None => Value::Top,
            };
            let v = if v == Value::Bottom { Value::Top } else { v };
            inside.set(slot.home, callee.hold(slot, v));
        }
        return true;
    }
    let v = match program.types.is_scalar(arg.ty) {
        true => caller.eval(env, arg),
        false => Value::Top,
    };
    if v == Value::Bottom {
        return false;
    }
    let v = if arg.ty == ty { v } else { Value::Top };
    let at = At {
        target: Target::Object(param.0),
        bits: Some(0),
    };
    callee.write(inside, &[at], ty, v, written)
}
