//! What a call of a function without a body does where the abstraction map says it
//! (`extern f returns {1,2} writes *1;`).

use super::Code;
use super::assign::Written;
use super::calls::Call;
use super::eval::Context;
use super::labels::Outcome;
use super::layout::int_ty;
use super::scratch::Scratch;
use super::step::Step;
use crate::domain::{Address, Kind, Target, Value};
use crate::map::{Called, Outside, Results, Writes};
use cwolf_cwi::graph::Object;
use cwolf_cwi::{Expr, FuncId, Type, Types, VarId};

/// A set of results with at most so many numbers makes a step for each.
const MAX_STEPS: u128 = 16;
/// A larger one is kept exactly up to here.
const MAX_SET: u128 = 4096;

impl Code<'_> {
    /// The effect of a call on memory, with the labels of what it writes.
    pub(super) fn declared_call(
        &self,
        call: &Call<'_>,
        target: FuncId,
        (mut env, labels): Outcome,
        step: &mut Step,
    ) -> Vec<Outcome> {
        let Some(said) = self.outside.get(&target) else {
            return vec![(env, labels)];
        };
        let name = format!("`{}`", self.program.funcs[target].name);
        if self.calls_back(call, said) {
            self.called_back(call, &name, &mut env, step);
        }
        let context = self.context(call.func, call.block);
        let rules = &self.labels.rules;
        let Some(writes) = &said.writes else {
            let done = self.write_by_default(call, target, &mut env, step);
            let outcome = vec![(env, labels)];
            return match done {
                Some(done) => context.written(outcome, rules, &done.written, done.certain),
                None => outcome,
            };
        };
        let mut written = Written::new();
        self.write(&context, call, writes, &mut env, &mut written);
        // It may write the same value again, or nothing at all.
        context.written(vec![(env, labels)], rules, &written, false)
    }
    /// Whether functions of the program may run inside the call.
    fn calls_back(&self, call: &Call<'_>, said: &Outside) -> bool {
        let has_body = |f: FuncId| self.program.funcs[f].body.is_some();
        let leads_to_code = |arg: &Expr| {
            let objects = self.points_to.expr(call.func, call.block, arg);
            (objects.iter()).any(|o| matches!(o, Object::Func(f) if has_body(*f)))
        };
        match &said.calls {
            None => said.writes.is_some() && call.args.iter().any(leads_to_code),
            Some(list) => list.iter().any(|called| match called {
                Called::Function(f) => has_body(*f),
                Called::Argument(n) => call.args.get(*n as usize - 1).is_none_or(leads_to_code),
            }),
        }
    }
    fn write(
        &self,
        context: &Context<'_>,
        call: &Call<'_>,
        writes: &Writes,
        env: &mut Scratch,
        written: &mut Written,
    ) {
        let whole = (i128::MIN, i128::MAX);
        for var in &writes.variables {
            context.forget(env, *var, whole, written);
        }
        for n in &writes.arguments {
            // Of unnamed arguments there may be fewer.
            let Some(arg) = call.args.get(*n as usize - 1) else {
                continue;
            };
            let list = self.universe.addresses(context.eval(env, arg));
            let Some(list) = list else {
                for var in context.may_point_to(arg) {
                    context.look_at(env, var);
                    context.forget(env, var, whole, written);
                }
                continue;
            };
            let several = list.len() > 1;
            for at in list {
                if let Target::Object(var) = at.target() {
                    // Where more is known it may be another one that is written.
                    if several {
                        context.look_at(env, VarId(var));
                    }
                    let range = self.pointed_to(arg, at).unwrap_or(whole);
                    context.forget(env, VarId(var), range, written);
                }
            }
        }
    }
    /// The bits that a pointer's type says it points to; none if it may be an array.
    fn pointed_to(&self, arg: &Expr, at: Address) -> Option<(i128, i128)> {
        let types = &self.program.types;
        let to = types.pointee(arg.ty)?;
        if !matches!(types[to], Type::Record(_)) {
            return None;
        }
        let from = i128::from(at.offset()?) * 8;
        let size = i128::from(types.size_of(to)) * 8;
        (size > 0).then_some((from, from + size))
    }
    /// The results of a call that the map speaks of, one for each step that it makes.
    pub(super) fn declared_results(&self, target: FuncId) -> Option<Vec<Value>> {
        let numbers = match self.outside.get(&target)?.returns.as_ref()? {
            Results::Any | Results::NotNull => return Some(vec![Value::Top]),
            Results::Null => {
                let null = Address::new(Target::Absolute, Some(0));
                return Some(vec![self.universe.address_set([null])]);
            }
            Results::Numbers(list) => list,
        };
        let Type::Func(ty) = &self.program.types[self.program.funcs[target].ty] else {
            return None;
        };
        let int = int_ty(self.program, ty.ret);
        if ty.ret == Types::VOID || int.bits > 64 {
            return None;
        }
        let count: u128 = numbers.iter().map(|(lo, hi)| (hi - lo) as u128 + 1).sum();
        let members = || numbers.iter().flat_map(|(lo, hi)| *lo..=*hi);
        if count <= MAX_STEPS {
            let mut all: Vec<i128> = members().collect();
            all.sort_unstable();
            all.dedup();
            return Some(all.into_iter().map(|n| Value::Int(n as u64)).collect());
        }
        let set = Kind::set(count.min(MAX_SET) as u64).unwrap_or(Kind::MinMax);
        Some(vec![match count <= MAX_SET {
            true => self.universe.alpha(int, set, members()),
            false => {
                let ends = numbers.iter().flat_map(|(lo, hi)| [*lo, *hi]);
                self.universe.alpha(int, Kind::MinMax, ends)
            }
        }])
    }
}
