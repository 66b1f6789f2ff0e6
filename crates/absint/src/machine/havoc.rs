//! What a call of unknown code may change.

use super::Code;
use super::calls::Call;
use super::eval::Context;
use super::layout::Home;
use super::scratch::Scratch;
use super::step::Step;
use crate::domain::Value;
use cwolf_cwi::Expr;
use cwolf_cwi::graph::Object;
use rustc_hash::FxHashSet;

impl Code<'_> {
    /// All that the arguments of a call lead to becomes ⊤, and all that such calls were ever
    /// given: they may have kept it.
    pub(super) fn havoc(&self, call: &Call<'_>, env: &mut Scratch, name: &str, step: &mut Step) {
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
        self.forget_objects(&context, seen, env);
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
        step.unfollowed.callbacks = true;
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
        self.forget_objects(context, seen, env);
    }
    fn forget_objects(
        &self,
        context: &Context<'_>,
        objects: impl IntoIterator<Item = Object>,
        env: &mut Scratch,
    ) {
        for object in objects {
            for var in object.variables(self.program) {
                for slot in context.slots(var) {
                    if let Home::Global(_) = slot.home {
                        env.set(slot.home, Value::Top);
                    }
                }
            }
        }
    }
}
