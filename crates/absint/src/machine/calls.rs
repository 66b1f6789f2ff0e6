//! Calls, returns and the end of the program (R12 to R15), and functions that the program does
//! not show.

use super::assign::Written;
use super::eval::{At, Context};
use super::heap::Changed;
use super::labels::Outcome;
use super::layout::Home;
use super::library::Done;
use super::operands::{self, Operands};
use super::scratch::{Scratch, Tracked};
use super::step::{Here, Step, To};
use super::{Code, Extern};
use crate::domain::{Address, Kind, Target, Value};
use crate::map::{Event, Variance};
use cwolf_base::Idx;
use cwolf_cwi::graph::{Object, is_tail_call};
use cwolf_cwi::{
    BinOp, BlockId, Branch, Callee, Expr, ExprKind, FuncId, InitValue, IntTy, LocId, RESULT, Type,
    TypeId, VarId, VarKind,
};
use cwolf_known::End;
use rustc_hash::FxHashSet;

/// The status of a program that was stopped by SIGABRT, as a shell reports it.
pub(super) const ABORTED: u64 = 134;

/// What a function without a body is known for.
enum Known {
    Exit,
    Abort,
    Assume,
    Event,
    LongJump,
    Other,
}

fn known(name: &str) -> Known {
    let Some(row) = cwolf_known::lookup(name) else {
        return Known::Other;
    };
    match row.ends() {
        _ if row.is_event() => Known::Event,
        _ if row.assumes().is_some() => Known::Assume,
        _ if row.jumps().is_some() => Known::LongJump,
        Some(End::Exit | End::ExitNow) => Known::Exit,
        Some(End::Abort) => Known::Abort,
        _ => Known::Other,
    }
}

/// Whether the machine knows what a function without a body does.
pub fn is_known(name: &str) -> bool {
    !matches!(known(name), Known::Other) || is_setjmp(name) || is_choice(name)
}

/// The text of a string literal.
fn text(program: &cwolf_cwi::Program, mut e: &Expr) -> Option<String> {
    while let ExprKind::Cast(inner) = &e.kind {
        e = inner;
    }
    let ExprKind::AddrOf(place) = &e.kind else {
        return None;
    };
    let var = &program.vars[place.root()?];
    if var.kind != VarKind::Literal {
        return None;
    }
    let InitValue::Bytes(bytes) = &var.init.first()?.value else {
        return None;
    };
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// Whether a program chooses the name of an event at run time.
pub fn chooses_event_names(program: &cwolf_cwi::Program) -> bool {
    let shows = |f: &FuncId| {
        let row = cwolf_known::lookup(&program.funcs[*f].name);
        row.is_some_and(|r| r.is_event())
    };
    let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
    let mut branches = bodies.flat_map(|b| b.blocks.iter().map(|block| &block.branch));
    branches.any(|branch| match branch {
        Branch::Call {
            callee: Callee::Direct(f),
            args,
            ..
        } if shows(f) => args.first().is_none_or(|e| text(program, e).is_none()),
        _ => false,
    })
}

/// Whether a program can show an event of this name: it calls a function that shows one, and has the text.
pub fn is_event_name(program: &cwolf_cwi::Program, name: &str) -> bool {
    let shows =
        |f: &cwolf_cwi::Function| cwolf_known::lookup(&f.name).is_some_and(|r| r.is_event());
    let is_text = |var: &cwolf_cwi::Var| match var.init.first().map(|i| &i.value) {
        Some(InitValue::Bytes(bytes)) => {
            bytes.strip_suffix(&[0]).unwrap_or(bytes) == name.as_bytes()
        }
        _ => false,
    };
    program.funcs.iter().any(shows) && program.vars.iter().any(is_text)
}

/// Whether a function without a body ends the program, or leaves its caller by a jump.
pub(crate) fn ends_program(name: &str) -> bool {
    matches!(known(name), Known::Exit | Known::Abort | Known::LongJump)
}

pub(super) fn is_longjmp(name: &str) -> bool {
    cwolf_known::lookup(name).is_some_and(|row| row.jumps().is_some())
}

pub(super) fn is_setjmp(name: &str) -> bool {
    cwolf_known::lookup(name).is_some_and(|row| row.marks().is_some())
}

/// Whether all that a function does is to return any value.
fn is_choice(name: &str) -> bool {
    cwolf_known::lookup(name).is_some_and(|row| row.chooses() && !row.changes_memory())
}

/// The parts of a call.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    here: Here,
    pub func: FuncId,
    pub block: BlockId,
    callee: &'c Callee,
    pub args: &'c [Expr],
    next: Option<BlockId>,
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
        let Callee::Indirect(e) = call.callee else {
            return self.points_to.callees(call.func, call.block, call.callee);
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
            None => self.points_to.callees(call.func, call.block, call.callee),
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
    fn call_loc(&self, call: &Call<'_>) -> LocId {
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
    fn suspend(&self, call: &Call<'_>, mut local: Tracked) -> Tracked {
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
    fn fire_about(
        &self,
        context: &Context<'_>,
        outcomes: Vec<Outcome>,
        operands: Operands<'_>,
        happens: impl Fn(&Event) -> bool,
    ) -> Vec<Outcome> {
        let rules = operands::about(&self.program.types, &self.labels.rules, operands, happens);
        context.fire_all(outcomes, rules.iter().map(|r| (&**r, true)).collect())
    }
    fn leave(
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
        result: Option<(TypeId, Value)>,
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
        self.go(here, *next, env, Vec::new(), step);
    }
    pub(super) fn return_outside(&self, target: FuncId, env: Scratch, step: &mut Step) {
        if self.program.funcs[target].noreturn {
            return;
        }
        let context = self.context(target, cwolf_cwi::Body::ENTRY);
        let happens = |event: &Event| matches!(event, Event::Return(f) if f.contains(&target));
        // Called, not jumped to, `setjmp` returns zero. What others return was found at the call,
        // or the map says it.
        let ret = match &self.program.types[self.program.funcs[target].ty] {
            Type::Func(ty) => Some(ty.ret),
            _ => None,
        };
        let results = match ret {
            Some(_) if is_setjmp(&self.program.funcs[target].name) => vec![Value::Int(0)],
            Some(_) => {
                let said = self.declared_results(target);
                said.unwrap_or_else(|| vec![env.local.get(RESULT.index())])
            }
            None => vec![Value::Top],
        };
        let operand = ret
            .filter(|ty| self.program.types.is_scalar(*ty))
            .map(|ty| Expr::reg(ty, RESULT));
        for result in results {
            let mut env = env.clone();
            env.local.set(RESULT.index(), result);
            let operands = Operands::Result(operand.as_ref());
            let outcome = vec![(env, Vec::new())];
            for (env, labels) in self.fire_about(&context, outcome, operands, happens) {
                let value = env.local.get(RESULT.index());
                let result = ret.filter(|_| value != Value::Top).map(|ty| (ty, value));
                self.leave(result, env.global, labels, step);
            }
        }
    }
    /// R15: the status is all that is left. Of the `exit` rules the first one wins whose
    /// comparison and guard both hold.
    pub(super) fn halt(
        &self,
        here: Here,
        status: Value,
        env: Scratch,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        if status == Value::Bottom {
            return;
        }
        let status = match status {
            Value::Address(_) | Value::Addresses(_) | Value::Float { .. } | Value::NaN => {
                Value::Top
            }
            v => v,
        };
        let context = self.context(here.func, here.block);
        let mut ends: Vec<(Vec<String>, Value)> = Vec::new();
        let mut end = |labels: Vec<String>, status: Value| match ends
            .iter_mut()
            .find(|(known, _)| *known == labels)
        {
            Some((_, known)) => {
                *known = self.universe.join(IntTy::INT, Kind::Free, *known, status);
            }
            None => ends.push((labels, status)),
        };
        for (block, holds) in self.exit_blocks(status) {
            let mut rest = vec![env.clone()];
            let exits = (self.labels.rules.iter()).filter(|r| matches!(r.event, Event::Exit(_)));
            for (rule, _) in exits.zip(&holds).filter(|(_, h)| **h) {
                let guard: Vec<Vec<&Expr>> = vec![rule.when.iter().collect()];
                for env in std::mem::take(&mut rest) {
                    for (truths, env) in context.cases(env, &guard, false) {
                        match truths[0] {
                            false => rest.push(env),
                            true => {
                                let mut fired = Vec::new();
                                context.label(rule, &env, &labels, &mut fired);
                                fired.into_iter().for_each(|(_, labels)| end(labels, block));
                            }
                        }
                    }
                }
            }
            if !rest.is_empty() {
                end(labels.clone(), block);
            }
        }
        for (labels, status) in ends {
            let status = match self.universe.exact(IntTy::INT, status) {
                Some(n) => Value::Int(n as u64),
                None => status,
            };
            step.emit(labels, To::Halt { status });
        }
    }
    /// A status split at the numbers that `exit` rules compare it with, and for each part which
    /// of these comparisons hold.
    fn exit_blocks(&self, status: Value) -> Vec<(Value, Vec<bool>)> {
        let int = IntTy::INT;
        let tests: Vec<Option<(BinOp, i128)>> = (self.labels.rules.iter())
            .filter_map(|rule| match &rule.event {
                Event::Exit(test) => Some(*test),
                _ => None,
            })
            .collect();
        let mut starts = vec![i128::from(i32::MIN)];
        for (_, n) in tests.iter().flatten() {
            starts.extend([*n, n.saturating_add(1)]);
        }
        starts.retain(|n| (i128::from(i32::MIN)..=i128::from(i32::MAX)).contains(n));
        starts.sort_unstable();
        starts.dedup();
        let mut blocks = Vec::new();
        for (at, lo) in starts.iter().enumerate() {
            let hi = starts.get(at + 1).map_or(i128::from(i32::MAX), |n| n - 1);
            let part = self.universe.between(int, status, *lo, hi, Kind::Free);
            if part != Value::Bottom {
                let holds =
                    |test: &Option<(BinOp, i128)>| test.is_none_or(|(op, n)| holds(op, *lo, n));
                blocks.push((part, tests.iter().map(holds).collect()));
            }
        }
        blocks
    }
    fn enter_outside(
        &self,
        call: &Call<'_>,
        target: FuncId,
        mut env: Scratch,
        mut labels: Vec<String>,
        step: &mut Step,
    ) {
        let function = &self.program.funcs[target];
        let here = call.here;
        // A function of the program's own may have the name of one in the library.
        let fits = cwolf_known::lookup(&function.name).is_some_and(|r| r.accepts(call.args.len()));
        let found = if fits {
            known(&function.name)
        } else {
            Known::Other
        };
        match found {
            Known::Exit => {
                let context = self.context(call.func, call.block);
                let status = (call.args.first()).map_or(Value::Top, |e| context.eval(&env, e));
                return self.halt(here, status, env, labels, step);
            }
            Known::Abort => {
                return self.halt(here, Value::Int(ABORTED), env, labels, step);
            }
            Known::Assume => {
                let Some(next) = call.next else { return };
                let context = self.context(call.func, call.block);
                let held = match call.args.first() {
                    Some(e) => context.assume(&env, e, true),
                    None => Some(env),
                };
                if let Some(env) = held {
                    self.go(here, next, env, labels, step);
                }
                return;
            }
            Known::Event => {
                let Some(names) = self.event_names(call, &env) else {
                    let text = "the name of this event is not known here: its label is `{?}`";
                    step.note(self.call_loc(call), text.to_owned());
                    labels.push("{?}".to_owned());
                    if let Some(next) = call.next {
                        self.go(here, next, env, labels, step);
                    }
                    return;
                };
                if let Some(next) = call.next {
                    for name in names {
                        let mut labels = labels.clone();
                        labels.push(cwolf_lts::literal(&name).into_owned());
                        self.go(here, next, env.clone(), labels, step);
                    }
                }
                return;
            }
            Known::LongJump => {
                self.drop_unkept_local(call.func, &mut env.local);
                self.drop_unkept(&mut env.global);
                let value = self.jump_value(call, &env);
                return step.emit(labels, To::Jump { env, value });
            }
            Known::Other => {}
        }
        if self.outside.contains_key(&target) {
            for (env, labels) in self.declared_call(call, target, (env, labels), step) {
                let changed = Changed {
                    env,
                    result: Value::Top,
                    rename: None,
                };
                self.enter_library(call, target, changed, labels, None, step);
            }
            return;
        }
        let name = function.name.clone();
        let harmless = is_choice(&name) || is_setjmp(&name);
        if let Some(list) = self.heap_call(call, target, &env) {
            for changed in list {
                self.enter_library(call, target, changed, labels.clone(), None, step);
            }
            return;
        }
        let done = self.write_by_default(call, target, &mut env, step);
        let result = done.as_ref().map_or(Value::Top, |done| done.result);
        if result == Value::Bottom {
            return;
        }
        let loc = self.call_loc(call);
        if !harmless && done.is_none() {
            let text = format!("`{name}` has no body: it may return anything");
            step.note(loc, text);
        }
        if let Some(refusal) = &self.program.funcs[target].refused {
            // Its code is the program's own, and may write all that it can name.
            env.global.fill_top();
            let text = format!(
                "`{name}` could not be translated ({}): all variables outside functions are \
                 unknown after it, and events in it are not seen",
                refusal.reason
            );
            step.note(loc, text);
        }
        let changed = Changed {
            env,
            result,
            rename: None,
        };
        self.enter_library(call, target, changed, labels, done, step);
    }
    /// What a function without a body writes when the map does not say it: what its row of the
    /// table says, or anything that it can reach.
    pub(super) fn write_by_default(
        &self,
        call: &Call<'_>,
        target: FuncId,
        env: &mut Scratch,
        step: &mut Step,
    ) -> Option<Done> {
        let name = &self.program.funcs[target].name;
        if self.options.externs == Extern::Pure || is_choice(name) || is_setjmp(name) {
            return None;
        }
        let done = self.library_call(call, target, env);
        if done.is_none() {
            self.havoc(call, env, &format!("`{name}`"), step);
        }
        done
    }
    /// Into a function that the program does not show, after what it did.
    fn enter_library(
        &self,
        call: &Call<'_>,
        target: FuncId,
        changed: Changed,
        labels: Vec<String>,
        done: Option<Done>,
        step: &mut Step,
    ) {
        let context = self.context(call.func, call.block);
        let mut outcomes: Vec<Outcome> = vec![(changed.env, labels)];
        if let Some(done) = done {
            let rules = &self.labels.rules;
            outcomes = context.written(outcomes, rules, &done.written, done.certain);
        }
        let mut inside = Tracked::fresh(self.layout.frame_size(target));
        inside.set(RESULT.index(), changed.result);
        for (mut env, labels) in outcomes {
            match call.next {
                Some(next) => self.seal_global(call.func, next, 0, &mut env.global),
                None => self.drop_unkept(&mut env.global),
            }
            let to = To::Enter {
                location: self.points.entry(target),
                frame: Some(self.points.block(call.func, call.block)),
                caller: self.suspend(call, env.local),
                inside: inside.clone(),
                global: env.global,
                rename: changed.rename.clone(),
            };
            step.emit(labels, to);
        }
    }
    /// What `setjmp` returns after a `longjmp`: its second argument, but one for zero.
    fn jump_value(&self, call: &Call<'_>, env: &Scratch) -> Value {
        let Some(e) = call.args.get(1) else {
            return Value::Top;
        };
        let (int, u) = (IntTy::INT, self.universe);
        let v = self.context(call.func, call.block).eval(env, e);
        let address = matches!(v, Value::Address(_) | Value::Addresses(_));
        if address || !matches!(self.program.types[e.ty], Type::Int(ty) if ty == int) {
            return Value::Top;
        }
        let zero = u.constrain(BinOp::Eq, int, v, Value::Int(0), Kind::Free);
        let rest = u.constrain(BinOp::Ne, int, v, Value::Int(0), Kind::Free);
        match (zero, rest) {
            (Value::Bottom, rest) => rest,
            (_, Value::Bottom) => Value::Int(1),
            (_, rest) => u.join(int, Kind::Free, rest, Value::Int(1)),
        }
    }
    /// All that the arguments of a call lead to becomes ⊤, and all that such calls were ever
    /// given: they may have kept it.
    fn havoc(&self, call: &Call<'_>, env: &mut Scratch, name: &str, step: &mut Step) {
        let mut todo: Vec<Object> = self.points_to.escaped();
        for arg in call.args {
            todo.extend(self.points_to.expr(call.func, call.block, arg));
        }
        let mut seen: FxHashSet<Object> = FxHashSet::default();
        let mut calls_back = false;
        while let Some(object) = todo.pop() {
            if !seen.insert(object) {
                continue;
            }
            match object {
                Object::Func(f) => calls_back |= self.program.funcs[f].body.is_some(),
                Object::Outside => todo.extend(self.points_to.escaped()),
                _ => {}
            }
            todo.extend(self.points_to.contents(object));
        }
        if calls_back {
            self.called_back(call, name, env, step);
        }
        let context = self.context(call.func, call.block);
        for object in seen {
            for var in self.layout.vars_of(self.program, object) {
                for slot in context.slots(var) {
                    if let Home::Global(_) = slot.home {
                        env.set(slot.home, Value::Top);
                    }
                }
            }
        }
    }
    /// The program's own functions may run inside the call.
    pub(super) fn called_back(
        &self,
        call: &Call<'_>,
        name: &str,
        env: &mut Scratch,
        step: &mut Step,
    ) {
        self.forget_callbacks(env);
        let text = format!(
            "{name} may call functions of the program: what they may change is unknown after it, and \
             events in them are not seen"
        );
        step.note(self.call_loc(call), text);
    }
    /// What functions may change that code outside calls becomes ⊤.
    fn forget_callbacks(&self, env: &mut Scratch) {
        for var in &self.callbacks.changed {
            for slot in &self.layout.vars[*var] {
                if let Home::Global(_) = slot.home {
                    env.set(slot.home, Value::Top);
                }
            }
        }
    }
    /// All that a pointer leads to, and all that code outside the program knows, becomes ⊤.
    pub(super) fn forget_reachable(&self, context: &Context<'_>, ptr: &Expr, env: &mut Scratch) {
        let mut seen = self.points_to.reachable(context.func, context.block, ptr);
        seen.extend(self.points_to.escaped());
        if seen
            .iter()
            .any(|o| matches!(o, Object::Func(f) if self.program.funcs[*f].body.is_some()))
        {
            self.forget_callbacks(env);
        }
        for object in seen {
            for var in self.layout.vars_of(self.program, object) {
                for slot in context.slots(var) {
                    if let Home::Global(_) = slot.home {
                        env.set(slot.home, Value::Top);
                    }
                }
            }
        }
    }
    /// The labels that an event may have: the texts that its argument may point to, if all of them are known.
    fn event_names(&self, call: &Call<'_>, env: &Scratch) -> Option<Vec<String>> {
        let name = call.args.first()?;
        let context = self.context(call.func, call.block);
        let texts = match self.text(name) {
            Some(text) => vec![text],
            None => {
                let text = |address: Address| {
                    let bytes = context.bytes_of(env, address.target())?;
                    let bytes = bytes.get(usize::try_from(address.offset()?).ok()?..)?;
                    let end = bytes.iter().position(|b| *b == Some(0))?;
                    let bytes = bytes[..end].iter().copied().collect::<Option<Vec<u8>>>()?;
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                };
                let addresses = self.universe.addresses(context.eval(env, name))?;
                addresses
                    .into_iter()
                    .map(text)
                    .collect::<Option<Vec<String>>>()?
            }
        };
        let mut names = texts;
        names.sort_unstable();
        names.dedup();
        let fit = |name: &String| !name.is_empty() && name != cwolf_lts::TAU_NAME;
        names.iter().all(fit).then_some(names)
    }
    /// The text of a string literal.
    pub(super) fn text(&self, e: &Expr) -> Option<String> {
        text(self.program, e)
    }
    /// The calls of `setjmp` in a function: `longjmp` goes to after any of them.
    pub fn setjmp_calls(&self, func: FuncId) -> Vec<BlockId> {
        let Some(body) = &self.program.funcs[func].body else {
            return Vec::new();
        };
        let calls = body
            .blocks
            .enumerate()
            .filter_map(|(block, b)| match &b.branch {
                Branch::Call {
                    callee: Callee::Direct(f),
                    next: Some(_),
                    ..
                } if is_setjmp(&self.program.funcs[*f].name) => Some(block),
                _ => None,
            });
        calls.collect()
    }
}

/// Whether a comparison of two numbers holds.
fn holds(op: BinOp, a: i128, b: i128) -> bool {
    match op {
        BinOp::Eq => a == b,
        BinOp::Ne => a != b,
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Gt => a > b,
        _ => a >= b,
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
