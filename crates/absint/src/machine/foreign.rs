//! Calls of functions that the program does not show.

use super::calls::Call;
use super::ends::ABORTED;
use super::heap::Changed;
use super::jumps::is_setjmp;
use super::labels::Outcome;
use super::library::Done;
use super::operands::Operands;
use super::scratch::{Scratch, Tracked};
use super::step::{Step, To};
use super::{Code, Extern};
use crate::domain::Value;
use crate::map::Event;
use cwolf_base::Idx;
use cwolf_cwi::{Expr, FuncId, Origin, Program, RESULT, Type};
use cwolf_known::{End, Row};

/// What a function without a body is known for.
enum Known {
    Exit,
    Abort,
    Assume,
    Event,
    LongJump,
    Other,
}

fn known(row: Option<&Row>) -> Known {
    let Some(row) = row else {
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
pub fn is_known(program: &Program, func: FuncId) -> bool {
    let row = program.known(func);
    !matches!(known(row), Known::Other) || is_setjmp(program, func) || is_choice(row)
}

/// Whether a function without a body ends the program, or leaves its caller by a jump.
pub(crate) fn ends_program(program: &Program, func: FuncId) -> bool {
    let found = known(program.known(func));
    matches!(found, Known::Exit | Known::Abort | Known::LongJump)
}

/// Whether all that a function does is to return any value.
fn is_choice(row: Option<&Row>) -> bool {
    row.is_some_and(|row| row.chooses() && !row.changes_memory())
}

impl Code<'_> {
    pub(super) fn enter_outside(
        &self,
        call: &Call<'_>,
        target: FuncId,
        mut env: Scratch,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        let function = &self.program.funcs[target];
        let here = call.here;
        // A function of the program's own may have the name of one in the library.
        let row = self.program.known(target);
        let found = known(row.filter(|r| r.accepts(call.args.len())));
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
            Known::Event => return self.show_event(call, env, labels, step),
            Known::LongJump => {
                self.drop_unkept_local(call.func, &mut env.local);
                self.drop_unkept(&mut env.global);
                let value = self.jump_value(call, &env);
                return step.emit(
                    labels,
                    To::Jump {
                        env,
                        value,
                        loc: self.call_loc(call),
                    },
                );
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
        let harmless = is_choice(row) || is_setjmp(self.program, target);
        if let Some(list) = self.heap_call(call, target, &env, step) {
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
        if !harmless && done.is_none() && function.origin != Origin::Assembly {
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
            step.unfollowed.refused = true;
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
        let row = self.program.known(target);
        let harmless = is_choice(row) || is_setjmp(self.program, target);
        if self.options.externs == Extern::Pure || harmless {
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
            Some(_) if is_setjmp(self.program, target) => vec![Value::Int(0)],
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
}
