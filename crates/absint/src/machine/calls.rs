//! Calls, returns and the end of the program (R12 to R15), and functions that the program does
//! not show.

use super::eval::{At, Context, Scratch};
use super::layout::{Home, Point, Points};
use super::{Extern, Frame, Machine, State, Successor};
use crate::domain::{Kind, Target, Value};
use crate::map::Event;
use cwolf_base::Idx;
use cwolf_cwi::graph::{Object, is_tail_call};
use cwolf_cwi::{
    BinOp, BlockId, Branch, Callee, Expr, ExprKind, FuncId, InitValue, IntTy, RESULT, Type, TypeId,
    VarId, VarKind,
};
use rustc_hash::FxHashSet;

/// The status of a program that was stopped by SIGABRT, as a shell reports it.
pub(super) const ABORTED: u64 = 134;

/// Functions of the C library that write nothing that the program can see.
const HARMLESS: [&str; 18] = [
    "getc", "fgetc", "getchar", "_IO_getc", "putc", "fputc", "putchar", "_IO_putc", "puts",
    "fputs", "fflush", "fclose", "feof", "ferror", "free", "malloc", "perror", "ungetc",
];

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
    match name {
        "exit" | "_exit" | "_Exit" | "quick_exit" => Known::Exit,
        "abort" | "__assert_fail" | "__assert" | "__VERIFIER_error" | "reach_error" => Known::Abort,
        "__VERIFIER_assume" => Known::Assume,
        "_cwolf_event" => Known::Event,
        "longjmp" | "_longjmp" | "siglongjmp" => Known::LongJump,
        _ => Known::Other,
    }
}

fn is_setjmp(name: &str) -> bool {
    matches!(
        name,
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "__builtin_setjmp"
    )
}

/// The parts of a call.
#[derive(Clone, Copy)]
struct Call<'c> {
    state: State,
    func: FuncId,
    block: BlockId,
    callee: &'c Callee,
    args: &'c [Expr],
    next: Option<BlockId>,
}

impl Machine<'_> {
    pub(super) fn call(
        &mut self,
        state: State,
        func: FuncId,
        block: BlockId,
        env: Scratch,
        labels: Vec<String>,
        out: &mut Vec<Successor>,
    ) {
        let program = self.program;
        let body = program.funcs[func].body.as_ref().expect("it has blocks");
        let Branch::Call {
            callee, args, next, ..
        } = &body.blocks[block].branch
        else {
            unreachable!("the branch is a call")
        };
        let call = Call {
            state,
            func,
            block,
            callee,
            args,
            next: *next,
        };
        let (targets, outside) = self.targets(&call, &env);
        for target in targets {
            let context = self.context(func, block);
            let fired = context.fire(
                vec![(env.clone(), labels.clone())],
                &self.labels.rules,
                true,
                &|event| matches!(event, Event::Call(funcs) if funcs.contains(&target)),
            );
            for (env, labels) in fired {
                if program.funcs[target].body.is_some() {
                    self.enter(&call, target, env, labels, out);
                } else {
                    self.enter_outside(&call, target, env, labels, out);
                }
            }
        }
        if outside {
            let mut env = env;
            self.havoc(&call, &mut env, "a function that is not known");
            env.local[RESULT.index()] = Value::Top;
            if let Some(next) = call.next {
                self.go(state, (func, block), next, env, labels, out);
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
    /// R12: a new frame, or, for a tail call, the same frame again.
    fn enter(
        &mut self,
        call: &Call<'_>,
        target: FuncId,
        env: Scratch,
        labels: Vec<String>,
        out: &mut Vec<Successor>,
    ) {
        let caller = self.context(call.func, call.block);
        let callee = self.context(target, cwolf_cwi::Body::ENTRY);
        let mut inside = Scratch {
            local: self.layout.empty_frame(target),
            global: env.global.clone(),
        };
        for var in &self.layout.exposed[target] {
            callee.forget(&mut inside, *var, (i128::MIN, i128::MAX), &mut Vec::new());
        }
        let params = &self.program.funcs[target].params;
        for (param, arg) in params.iter().zip(call.args) {
            if !bind(&caller, &env, &callee, &mut inside, *param, arg) {
                return;
            }
        }
        let caller = match self.replaces_frame(call) {
            true => call.state.caller,
            false => self.push(call, env.local),
        };
        let entry = cwolf_cwi::Body::ENTRY;
        let next = State {
            location: self.points.entry(target),
            caller,
            local: self.seal_local(target, entry, 0, inside.local),
            global: self.seal_global(inside.global),
        };
        self.emit(&labels, next, out);
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
        same && call.state.caller != 0
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
    fn push(&mut self, call: &Call<'_>, mut local: Vec<Value>) -> u32 {
        local[RESULT.index()] = Value::Top;
        let local = match call.next {
            Some(next) => self.seal_local(call.func, next, 0, local),
            None => 0,
        };
        let frame = Frame {
            call: self.points.block(call.func, call.block),
            caller: call.state.caller,
            local,
        };
        self.frames.insert(frame).0
    }
    /// R13 and R14.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn returns(
        &mut self,
        state: State,
        func: FuncId,
        block: BlockId,
        value: Option<&Expr>,
        mut env: Scratch,
        labels: Vec<String>,
        out: &mut Vec<Successor>,
    ) {
        let context = self.context(func, block);
        let scalar = |e: &&Expr| self.program.types.is_scalar(e.ty);
        let v = value
            .filter(scalar)
            .map_or(Value::Top, |e| context.eval(&env, e));
        if v == Value::Bottom {
            return;
        }
        for var in &self.layout.exposed[func] {
            context.forget(&mut env, *var, (i128::MIN, i128::MAX), &mut Vec::new());
        }
        let happens = |event: &Event| matches!(event, Event::Return(f) if f.contains(&func));
        let fired = context.fire(vec![(env, labels)], &self.labels.rules, true, &happens);
        for (env, labels) in fired {
            if state.caller == 0 {
                self.halt((func, block), v, env, labels, out);
                continue;
            }
            let result = match (value, self.returns.get(&func)) {
                (Some(e), Some(kind)) => self.context(func, block).keep(e.ty, *kind, v),
                _ => v,
            };
            self.resume(
                state.caller,
                value.map(|e| (e.ty, result)),
                env.global,
                labels,
                out,
            );
        }
    }
    /// Goes on in a suspended caller, with the result in register 0.
    fn resume(
        &mut self,
        caller: u32,
        result: Option<(TypeId, Value)>,
        global: Vec<Value>,
        labels: Vec<String>,
        out: &mut Vec<Successor>,
    ) {
        let frame = *self.frames.get(caller);
        let Point::Code { func, block, .. } = self.points.get(frame.call) else {
            unreachable!("a frame is at a call")
        };
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
        let mut local = self.layout.empty_frame(func);
        self.envs.load(frame.local, &mut local);
        local[RESULT.index()] = match result {
            Some((ty, v)) if ty == *ret => self.context(func, block).keep(ty, Kind::Free, v),
            _ => Value::Top,
        };
        let state = State {
            location: frame.call,
            caller: frame.caller,
            local: 0,
            global: 0,
        };
        let env = Scratch { local, global };
        self.go(state, (func, block), *next, env, labels, out);
    }
    pub(super) fn return_outside(
        &mut self,
        state: State,
        target: FuncId,
        out: &mut Vec<Successor>,
    ) {
        if self.program.funcs[target].noreturn {
            return;
        }
        let env = self.open(state, target);
        let context = self.context(target, cwolf_cwi::Body::ENTRY);
        let happens = |event: &Event| matches!(event, Event::Return(f) if f.contains(&target));
        let rules = &self.labels.rules;
        let fired = context.fire(vec![(env, Vec::new())], rules, true, &happens);
        for (env, labels) in fired {
            self.resume(state.caller, None, env.global, labels, out);
        }
    }
    /// R15: the status is all that is left.
    pub(super) fn halt(
        &mut self,
        (func, block): (FuncId, BlockId),
        status: Value,
        env: Scratch,
        labels: Vec<String>,
        out: &mut Vec<Successor>,
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
        let int = IntTy::INT;
        let mut rest = status;
        let rules = &self.labels.rules;
        let mut ends: Vec<(Value, Vec<String>)> = Vec::new();
        for (n, rule) in rules.iter().enumerate() {
            let Event::Exit(test) = &rule.event else {
                continue;
            };
            let hit = match test {
                None => std::mem::replace(&mut rest, Value::Bottom),
                Some((op, n)) => {
                    let n = Value::Int(cwolf_cwi::value::wrap(int, *n) as u64);
                    let hit = self.universe.constrain(*op, int, rest, n, Kind::Free);
                    let other = crate::domain::opposite(*op).unwrap_or(BinOp::Ne);
                    rest = self.universe.constrain(other, int, rest, n, Kind::Free);
                    hit
                }
            };
            if hit != Value::Bottom {
                // One rule alone, so that its guard and its label's values are looked at.
                let context = self.context(func, block);
                let fired = context.fire(
                    vec![(env.clone(), labels.clone())],
                    &rules[n..=n],
                    true,
                    &|_| true,
                );
                ends.extend(fired.into_iter().map(|(_, labels)| (hit, labels)));
            }
            if rest == Value::Bottom {
                break;
            }
        }
        if rest != Value::Bottom {
            ends.push((rest, labels));
        }
        for (status, labels) in ends {
            let status = match self.universe.exact(int, status) {
                Some(n) => Value::Int(n as u64),
                None => status,
            };
            let local = self.envs.intern(&[status]);
            let next = State {
                location: Points::HALTED,
                caller: 0,
                local,
                global: 0,
            };
            self.emit(&labels, next, out);
        }
    }
    fn enter_outside(
        &mut self,
        call: &Call<'_>,
        target: FuncId,
        mut env: Scratch,
        mut labels: Vec<String>,
        out: &mut Vec<Successor>,
    ) {
        let function = &self.program.funcs[target];
        let at = (call.func, call.block);
        match known(&function.name) {
            Known::Exit => {
                let context = self.context(call.func, call.block);
                let status = (call.args.first()).map_or(Value::Top, |e| context.eval(&env, e));
                return self.halt(at, status, env, labels, out);
            }
            Known::Abort => return self.halt(at, Value::Int(ABORTED), env, labels, out),
            Known::Assume => {
                let Some(next) = call.next else { return };
                let context = self.context(call.func, call.block);
                let held = match call.args.first() {
                    Some(e) => context.assume(&env, e, true),
                    None => Some(env),
                };
                if let Some(env) = held {
                    self.go(call.state, at, next, env, labels, out);
                }
                return;
            }
            Known::Event => {
                if let Some(name) = call.args.first().and_then(|e| self.literal(e)) {
                    labels.push(name);
                    if let Some(next) = call.next {
                        self.go(call.state, at, next, env, labels, out);
                    }
                    return;
                }
            }
            Known::LongJump => return self.long_jump(call, env, labels, out),
            Known::Other => {}
        }
        let name = function.name.clone();
        if self.options.externs == Extern::Havoc && !HARMLESS.contains(&&*name) {
            self.havoc(call, &mut env, &format!("`{name}`"));
        }
        let loc = self.program.funcs[call.func]
            .body
            .as_ref()
            .expect("it has blocks")
            .blocks[call.block]
            .loc;
        if !name.starts_with("__VERIFIER_nondet") && !is_setjmp(&name) {
            let text = format!("`{name}` has no body: it may return anything");
            self.notes.add(loc, text);
        }
        if let Some(refusal) = &self.program.funcs[target].refused {
            // Its code is the program's own, and may write all that it can name.
            env.global.fill(Value::Top);
            let text = format!(
                "`{name}` could not be translated ({}): all variables outside functions are \
                 unknown after it, and events in it are not seen",
                refusal.reason
            );
            self.notes.add(loc, text);
        }
        let caller = self.push(call, env.local);
        let next = State {
            location: self.points.entry(target),
            caller,
            local: 0,
            global: self.seal_global(env.global),
        };
        self.emit(&labels, next, out);
    }
    /// All that the arguments of a call lead to becomes ⊤.
    fn havoc(&mut self, call: &Call<'_>, env: &mut Scratch, name: &str) {
        let mut todo: Vec<Object> = Vec::new();
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
        let body = self.program.funcs[call.func]
            .body
            .as_ref()
            .expect("it has blocks");
        let loc = body.blocks[call.block].loc;
        if calls_back {
            // The program's own functions may run inside the call.
            env.global.fill(Value::Top);
            let text = format!(
                "{name} may call functions of the program: all variables outside functions are \
                 unknown after it, and events in those functions are not seen"
            );
            self.notes.add(loc, text);
        }
        let context = self.context(call.func, call.block);
        for object in seen {
            if let Object::Var(var) = object {
                for slot in context.slots(var) {
                    if let Home::Global(_) = slot.home {
                        env.set(slot.home, Value::Top);
                    }
                }
            }
        }
    }
    /// The text of a string literal.
    fn literal(&self, e: &Expr) -> Option<String> {
        let mut e = e;
        while let ExprKind::Cast(inner) = &e.kind {
            e = inner;
        }
        let ExprKind::AddrOf(place) = &e.kind else {
            return None;
        };
        let var = &self.program.vars[place.root()?];
        if var.kind != VarKind::Literal {
            return None;
        }
        let InitValue::Bytes(bytes) = &var.init.first()?.value else {
            return None;
        };
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        (!text.is_empty() && text != cwolf_lts::TAU_NAME).then_some(text)
    }
    /// `longjmp`: to after any `setjmp` of any frame that is under way.
    fn long_jump(
        &mut self,
        call: &Call<'_>,
        env: Scratch,
        labels: Vec<String>,
        out: &mut Vec<Successor>,
    ) {
        let mut frame = (call.func, call.state.caller, env.local);
        loop {
            let (func, caller, local) = frame;
            for (block, next) in self.setjmp_calls(func) {
                let mut local = local.clone();
                local[RESULT.index()] = Value::Top;
                let env = Scratch {
                    local,
                    global: env.global.clone(),
                };
                let state = State {
                    caller,
                    ..call.state
                };
                self.go(state, (func, block), next, env, labels.clone(), out);
            }
            if caller == 0 {
                return;
            }
            let outer = *self.frames.get(caller);
            let Point::Code { func, .. } = self.points.get(outer.call) else {
                unreachable!("a frame is at a call")
            };
            let mut local = self.layout.empty_frame(func);
            self.envs.load(outer.local, &mut local);
            frame = (func, outer.caller, local);
        }
    }
    fn setjmp_calls(&self, func: FuncId) -> Vec<(BlockId, BlockId)> {
        let Some(body) = &self.program.funcs[func].body else {
            return Vec::new();
        };
        let calls = body
            .blocks
            .enumerate()
            .filter_map(|(block, b)| match &b.branch {
                Branch::Call {
                    callee: Callee::Direct(f),
                    next: Some(next),
                    ..
                } if is_setjmp(&self.program.funcs[*f].name) => Some((block, *next)),
                _ => None,
            });
        calls.collect()
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
) -> bool {
    let program = caller.program;
    let ty = program.vars[param].ty;
    let mut written = Vec::new();
    if !program.types.is_scalar(ty) {
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
    callee.write(inside, &[at], ty, v, &mut written)
}
