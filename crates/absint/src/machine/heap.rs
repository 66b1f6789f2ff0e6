//! Allocated objects (thesis, 7.1.1): for each allocating call and caller the newest ones, one by one, and one for
//! all others (recency abstraction).
//!
//! `newest[0]` is the object that was made last, `newest[1]` the one before it, and so on; how many there are, a
//! counter says. A new object pushes the others on by one, the oldest into the rest; a freed one lets those behind it
//! move up. So what a program allocates in a loop has the same names each time round. Pointers follow: those in
//! this frame and in the global environment here, those in the frames of callers in the worker.

use super::Code;
use super::calls::Call;
use super::eval::{At, Context};
use super::layout::{Home, Slot};
use super::scratch::Scratch;
use super::step::Step;
use crate::domain::{Address, Kind, Target, Universe, Value};
use cwolf_cwi::{FuncId, Group, IntTy, Type, VarId};
use cwolf_known::{Contents, Effect, Primitive};
use std::rc::Rc;

/// New names of objects: for some of them another object, or none if it is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rename(Vec<(VarId, Option<VarId>)>);

impl Rename {
    pub fn new(pairs: Vec<(VarId, Option<VarId>)>) -> Rename {
        Rename(pairs)
    }
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    fn target(&self, target: Target) -> Target {
        let Target::Object(var) = target else {
            return target;
        };
        match self.0.iter().find(|(from, _)| from.0 == var) {
            Some((_, Some(to))) => Target::Object(to.0),
            Some((_, None)) => Target::Freed,
            None => target,
        }
    }
    /// A value with the new names.
    pub fn apply(&self, universe: &Universe, v: Value) -> Value {
        match v {
            Value::Address(_) | Value::Addresses(_) => {
                universe.rename(v, &|target| self.target(target))
            }
            v => v,
        }
    }
    /// This one, then another.
    fn then(mut self, next: Rename) -> Rename {
        for (_, to) in &mut self.0 {
            if let Some(var) = *to
                && let Some((_, further)) = next.0.iter().find(|(from, _)| *from == var)
            {
                *to = *further;
            }
        }
        for (from, to) in next.0 {
            if self.0.iter().all(|(known, _)| *known != from) {
                self.0.push((from, to));
            }
        }
        self
    }
}

/// What a call that makes or ends an object did.
pub(super) struct Changed {
    pub env: Scratch,
    pub result: Value,
    pub rename: Option<Rc<Rename>>,
}

impl Code<'_> {
    /// A call that makes or ends objects; none if it is not one, or nothing is known of them.
    pub(super) fn heap_call(
        &self,
        call: &Call<'_>,
        target: FuncId,
        env: &Scratch,
        step: &mut Step,
    ) -> Option<Vec<Changed>> {
        let row = self.program.known(target)?;
        if !row.accepts(call.args.len()) {
            return None;
        }
        if row.primitive() == Some(Primitive::Free) {
            return Some(self.free_call(call, env, step));
        }
        let only_allocates = |e: &Effect| matches!(e, Effect::Errno | Effect::Moves(_));
        if !row.effects.iter().all(only_allocates) {
            return None;
        }
        let site = self.program.heap.sites.get(&(call.func, call.block))?;
        let context = self.context(call.func, call.block);
        let number = site.context.and_then(|var| {
            let slot = context.slots(var).next()?;
            self.universe.exact(IntTy::INT, env.get(slot.home))
        });
        let number = number.and_then(|n| usize::try_from(n).ok());
        // Objects of different callers have different sizes: where it is not known who calls, it may be any.
        let groups: Vec<&Group> = match number.and_then(|n| site.groups.get(n)) {
            Some(group) => vec![group],
            None => site.groups.iter().collect(),
        };
        if groups.is_empty() {
            return None;
        }
        let mut done = Vec::new();
        for group in groups {
            if row.primitive() == Some(Primitive::Resize) {
                done.extend(self.resize(call, group, env, step));
                continue;
            }
            let contents = row.allocates().map_or(Contents::Unset, |(_, c)| c);
            let mut env = env.clone();
            let (result, rename) = self.allocate(&context, &mut env, group, contents);
            done.push(Changed {
                env,
                result,
                rename: rename.map(Rc::new),
            });
        }
        if self.options.malloc_may_fail && row.may_fail {
            done.push(Changed {
                env: env.clone(),
                result: self.universe.null(),
                rename: None,
            });
        }
        Some(done)
    }
    /// Makes a new object of a group; what it is called, and what others are called now.
    fn allocate(
        &self,
        context: &Context<'_>,
        env: &mut Scratch,
        group: &Group,
        contents: Contents,
    ) -> (Value, Option<Rename>) {
        let used = self
            .counted(context, env, group.used)
            .filter(|_| self.distinct);
        let Some(used) = used.filter(|_| !group.newest.is_empty()) else {
            self.fold(context, env, group, |slot| first(context, slot, contents));
            return (pointer(self.universe, group.rest), None);
        };
        let last = group.newest.len() - 1;
        let used = used.min(group.newest.len());
        let next = |n: usize| group.newest.get(n + 1).copied().unwrap_or(group.rest);
        let pairs = (0..used).map(|n| (group.newest[n], Some(next(n))));
        let rename = Rename(pairs.collect());
        self.rename_env(context, env, &rename);
        if used > last {
            let old = self.contents(context, env, group.newest[last]);
            self.fold(context, env, group, |slot| find(&old, slot));
        }
        for n in (0..used.min(last)).rev() {
            self.put(context, env, group.newest[n + 1], Some(group.newest[n]));
        }
        for slot in context.slots(group.newest[0]) {
            let v = context.hold(slot, first(context, slot, contents));
            env.set(slot.home, v);
        }
        self.count(context, env, group.used, (used + 1).min(last + 1));
        let rename = (used > 0).then_some(rename);
        (pointer(self.universe, group.newest[0]), rename)
    }
    /// `free`, once for each object that it may be about.
    fn free_call(&self, call: &Call<'_>, env: &Scratch, step: &mut Step) -> Vec<Changed> {
        let context = self.context(call.func, call.block);
        let pointer = call.args.first().map(|e| context.eval(env, e));
        let same = |env: &Scratch| Changed {
            env: env.clone(),
            result: Value::Top,
            rename: None,
        };
        let Some(list) = pointer.and_then(|p| self.universe.addresses(p)) else {
            step.unfollowed.frees = true;
            return vec![same(env)];
        };
        let mut done: Vec<Changed> = Vec::new();
        let mut unchanged = false;
        for address in list {
            if address.target() == Target::Freed {
                // C does not define to free twice.
                continue;
            }
            let mut env = env.clone();
            match self.end(&context, &mut env, address) {
                Some(rename) => done.push(Changed {
                    env,
                    result: Value::Top,
                    rename: Some(Rc::new(rename)),
                }),
                None => {
                    step.unfollowed.frees |= self.is_named(address);
                    unchanged = true;
                }
            }
        }
        if unchanged {
            done.push(same(env));
        }
        done
    }
    /// Whether an address leads to an allocated object that has a name of its own.
    fn is_named(&self, address: Address) -> bool {
        let heap = &self.program.heap;
        let named = |var: &VarId| heap.objects.contains_key(var) && !heap.summaries.contains(var);
        matches!(address.target(), Target::Object(var) if named(&VarId(var)))
    }
    /// Ends an object that has a name of its own.
    fn end(&self, context: &Context<'_>, env: &mut Scratch, address: Address) -> Option<Rename> {
        let Target::Object(var) = address.target() else {
            return None;
        };
        let var = VarId(var);
        let groups = self.program.heap.sites.values().flat_map(|s| &s.groups);
        let group = groups.into_iter().find(|g| g.newest.contains(&var))?;
        let at = group.newest.iter().position(|v| *v == var)?;
        let used = self.counted(context, env, group.used)?;
        let used = used.min(group.newest.len());
        if at >= used || !self.distinct {
            return None;
        }
        let moved = (at + 1..used).map(|n| (group.newest[n], Some(group.newest[n - 1])));
        let rename = Rename([(var, None)].into_iter().chain(moved).collect());
        self.rename_env(context, env, &rename);
        for n in at + 1..used {
            self.put(context, env, group.newest[n - 1], Some(group.newest[n]));
        }
        self.put(context, env, group.newest[used - 1], None);
        self.count(context, env, group.used, used - 1);
        Some(rename)
    }
    /// `realloc`: a new object with what the old one holds, which is gone then.
    fn resize(
        &self,
        call: &Call<'_>,
        group: &Group,
        env: &Scratch,
        step: &mut Step,
    ) -> Vec<Changed> {
        let context = self.context(call.func, call.block);
        let old = call.args.first().map(|e| context.eval(env, e));
        let Some(list) = old.and_then(|p| self.universe.addresses(p)) else {
            step.unfollowed.frees = true;
            let mut env = env.clone();
            let (result, rename) = self.allocate(&context, &mut env, group, Contents::Unset);
            let rename = rename.map(Rc::new);
            return vec![Changed {
                env,
                result,
                rename,
            }];
        };
        let mut done = Vec::new();
        for address in list.into_iter().filter(|a| a.target() != Target::Freed) {
            let mut env = env.clone();
            let (result, rename) = self.allocate(&context, &mut env, group, Contents::Unset);
            let mut rename = rename.unwrap_or_default();
            let old = Address::new(rename.target(address.target()), address.offset());
            if let (Target::Object(_), Some(made)) = (old.target(), self.only(result)) {
                self.fill_from(&context, &mut env, made, At::from(old));
                match self.end(&context, &mut env, old) {
                    Some(ended) => rename = rename.then(ended),
                    None => step.unfollowed.frees |= self.is_named(old),
                }
            }
            // The new object is the first of its group, so its name stays.
            done.push(Changed {
                env,
                result,
                rename: (!rename.0.is_empty()).then(|| Rc::new(rename)),
            });
        }
        done
    }
    fn only(&self, v: Value) -> Option<VarId> {
        match self.universe.addresses(v)?[..] {
            [only] => match only.target() {
                Target::Object(var) => Some(VarId(var)),
                _ => None,
            },
            _ => None,
        }
    }
    /// Copies what is at a place into an object.
    fn fill_from(&self, context: &Context<'_>, env: &mut Scratch, to: VarId, from: At) {
        let mut updates = Vec::new();
        for slot in context.slots(to) {
            let by = slot.cell.bit_offset;
            let bits = from.bits.and_then(|b| b.checked_add_unsigned(by));
            let v = match context.read_at(env, &[At { bits, ..from }], slot.cell.ty) {
                // Beyond the end of the old object.
                Value::Bottom => Value::Top,
                v => v,
            };
            let v = match self.program.heap.summaries.contains(&to) {
                true => context.join_kept(slot, env.get(slot.home), context.hold(slot, v)),
                false => context.hold(slot, v),
            };
            updates.push((slot.home, v));
        }
        for (home, v) in updates {
            env.set(home, v);
        }
    }
    fn counted(&self, context: &Context<'_>, env: &Scratch, var: VarId) -> Option<usize> {
        let slot = context.slots(var).next()?;
        let number = self.universe.exact(IntTy::INT, env.get(slot.home))?;
        usize::try_from(number).ok()
    }
    fn count(&self, context: &Context<'_>, env: &mut Scratch, var: VarId, number: usize) {
        if let Some(slot) = context.slots(var).next() {
            env.set(slot.home, Value::Int(number as u64));
        }
    }
    fn contents(&self, context: &Context<'_>, env: &Scratch, var: VarId) -> Vec<(Slot, Value)> {
        let slots = context.slots(var);
        slots.map(|slot| (*slot, env.get(slot.home))).collect()
    }
    /// An object holds what another one does; without one, nothing is known of it.
    fn put(&self, context: &Context<'_>, env: &mut Scratch, to: VarId, from: Option<VarId>) {
        let values = from.map_or(Vec::new(), |from| self.contents(context, env, from));
        for slot in context.slots(to) {
            env.set(slot.home, context.hold(slot, find(&values, slot)));
        }
    }
    /// One more object is among the rest of a group.
    fn fold(
        &self,
        context: &Context<'_>,
        env: &mut Scratch,
        group: &Group,
        holds: impl Fn(&Slot) -> Value,
    ) {
        let empty = self.counted(context, env, group.more) == Some(0);
        for slot in context.slots(group.rest) {
            let new = context.hold(slot, holds(slot));
            let new = match empty {
                true => new,
                false => context.join_kept(slot, env.get(slot.home), new),
            };
            env.set(slot.home, new);
        }
        self.count(context, env, group.more, 1);
    }
    /// Gives objects other names in the environments of a step.
    fn rename_env(&self, context: &Context<'_>, env: &mut Scratch, rename: &Rename) {
        if rename.0.is_empty() {
            return;
        }
        let regs = self.layout.regs[context.func] as usize;
        let locals = self.layout.locals[context.func].iter().enumerate();
        let locals = locals.filter(|(_, cell)| self.may_hold_address(cell));
        let globals = self.layout.globals.iter().enumerate();
        let globals = globals.filter(|(_, cell)| self.may_hold_address(cell));
        let homes = (0..regs.min(env.local.len()))
            .map(|n| Home::Local(n as u32))
            .chain(locals.map(|(n, _)| Home::Local((regs + n) as u32)))
            .chain(globals.map(|(n, _)| Home::Global(n as u32)));
        for home in homes {
            let old = env.get(home);
            let new = rename.apply(self.universe, old);
            if new != old {
                env.set(home, new);
            }
        }
    }
    fn may_hold_address(&self, cell: &crate::map::Cell) -> bool {
        match self.program.types[cell.ty] {
            Type::Pointer(_) => true,
            Type::Int(int) => int.bits >= 32 && matches!(cell.kind, Kind::Free | Kind::Top),
            _ => false,
        }
    }
}

fn pointer(universe: &Universe, var: VarId) -> Value {
    universe.address_set([Address::new(Target::Object(var.0), Some(0))])
}

fn first(context: &Context<'_>, slot: &Slot, contents: Contents) -> Value {
    match contents {
        Contents::Zero => context.zero(slot.cell.ty),
        Contents::Unset | Contents::Set | Contents::Text => Value::Top,
    }
}

fn find(values: &[(Slot, Value)], slot: &Slot) -> Value {
    let same = |(other, _): &&(Slot, Value)| {
        (other.cell.bit_offset, other.cell.ty) == (slot.cell.bit_offset, slot.cell.ty)
    };
    values.iter().find(same).map_or(Value::Top, |(_, v)| *v)
}
