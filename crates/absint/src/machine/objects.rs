//! Rules about every object of a type (`watch(struct conn.state == OPEN)`): which objects a step reads or writes. In
//! conditions and labels the object is a register that no function has; its value is found here.

use super::assign::Written;
use super::eval::{At, Context};
use super::layout::Layout;
use super::scratch::Scratch;
use crate::domain::{Address, Target, Value};
use crate::map::{
    Event, LabelMap, Seen, accessed, base_object, bits_below, is_own, object_of, objects_in,
};
use cwolf_cwi::{Base, Expr, ExprKind, Place, Program, RecordId, TypeId, VarId};
use rustc_hash::FxHashMap;

/// Of more objects that a step may touch, nothing is said.
const MOST_OBJECTS: usize = 64;

/// The types that rules are about, and where variables have objects of them.
#[derive(Debug, Default)]
pub(crate) struct Typed {
    pub records: Vec<RecordId>,
    objects: FxHashMap<VarId, Vec<(RecordId, u64)>>,
}

impl Typed {
    pub fn new(program: &Program, labels: &LabelMap) -> Typed {
        let mut typed = Typed::default();
        for rule in &labels.rules {
            if let Event::Read(seen) | Event::Write(seen) | Event::Watch(seen, _) = &rule.event {
                typed.records.extend(seen.members.iter().map(|m| m.record));
            }
        }
        typed.records.sort_unstable();
        typed.records.dedup();
        for record in &typed.records {
            for (var, v) in program.vars.enumerate().filter(|(_, v)| is_own(v)) {
                let list = objects_in(&program.types, v.ty, *record).unwrap_or_default();
                if !list.is_empty() {
                    let own = list.into_iter().map(|at| (*record, at));
                    typed.objects.entry(var).or_default().extend(own);
                }
            }
        }
        typed
    }
    /// Where a variable has objects of a type, in bits.
    pub fn of(&self, var: VarId, record: RecordId) -> impl Iterator<Item = u64> + '_ {
        let all = self.objects.get(&var).into_iter().flatten();
        all.filter(move |o| o.0 == record).map(|o| o.1)
    }
    /// The variables that have objects of a type.
    pub fn vars(&self, record: RecordId) -> impl Iterator<Item = VarId> + '_ {
        let own = move |list: &Vec<(RecordId, u64)>| list.iter().any(|o| o.0 == record);
        let all = self.objects.iter();
        all.filter(move |(_, list)| own(list)).map(|(var, _)| *var)
    }
}

/// An object of a type that an access touches, and the bits in it.
struct Touched {
    record: RecordId,
    /// Where it is, if that is known.
    at: Option<Address>,
    from: i128,
    to: i128,
}

/// The objects that a step is about.
#[derive(Default)]
pub(crate) struct Objects {
    list: Vec<Touched>,
    /// What was written, if that is one scalar: its first bit in the object.
    value: Option<(i128, TypeId, Value)>,
}

impl Objects {
    /// Whether what a rule looks at is touched.
    pub fn are_seen(&self, seen: &Seen) -> bool {
        let hit = |t: &Touched| {
            let same = |m: &&crate::map::Member| {
                m.record == t.record && i128::from(m.from) < t.to && t.from < i128::from(m.to)
            };
            seen.members.iter().any(|m| same(&m))
        };
        self.list.iter().any(hit)
    }
}

/// Rules that are about objects of types.
pub(super) fn is_typed(layout: &Layout) -> bool {
    !layout.typed.records.is_empty()
}

impl Context<'_> {
    /// The objects that a write through `place` is to, before it is made, with the value that is written.
    pub fn objects_at(&self, env: &Scratch, place: &Place, value: Option<&Expr>) -> Objects {
        let mut found = Objects::default();
        self.by_path(env, place, &mut found.list);
        if let Some(e) = value.filter(|_| self.program.types.is_scalar(place.ty)) {
            // The first bit is found when all objects are known.
            found.value = Some((0, place.ty, self.eval(env, e)));
        }
        found
    }
    /// These objects and those in what was written.
    pub fn with_written(&self, mut objects: Objects, written: &Written) -> Objects {
        self.by_layout(written, &mut objects.list);
        let first = objects.list.first().map(|t| t.from);
        let same = |t: &Touched| Some(t.from) == first;
        objects.value = match (first, objects.value) {
            (Some(first), Some((_, ty, v))) if objects.list.iter().all(same) => {
                Some((first, ty, v))
            }
            _ => None,
        };
        objects
    }
    /// The objects that expressions read.
    pub fn objects_read(&self, env: &Scratch, operands: &[&Expr]) -> Objects {
        let mut found = Objects::default();
        for e in operands {
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } = &e.kind {
                    found.list.extend(self.objects_in_place(env, place).list);
                }
            });
        }
        found
    }
    /// The objects that a place may be in.
    pub fn objects_in_place(&self, env: &Scratch, place: &Place) -> Objects {
        let mut found = Objects::default();
        self.by_path(env, place, &mut found.list);
        let ranges = self.ranges(env, place);
        self.by_layout(&ranges, &mut found.list);
        found
    }
    /// By the types that variables and allocated objects have.
    fn by_layout(&self, ranges: &Written, found: &mut Vec<Touched>) {
        let typed = &self.layout.typed;
        for (var, from, to) in ranges {
            for record in &typed.records {
                let bits = match self.program.types.lookup(&cwolf_cwi::Type::Record(*record)) {
                    Some(ty) => i128::from(self.program.types.size_of(ty)) * 8,
                    None => continue,
                };
                for at in typed.of(*var, *record).map(i128::from) {
                    if at < *to && *from < at + bits {
                        let bytes = i64::try_from(at / 8).ok();
                        found.push(Touched {
                            record: *record,
                            at: Some(Address::new(Target::Object(var.0), bytes)),
                            from: from.saturating_sub(at).max(0),
                            to: to.saturating_sub(at).min(bits),
                        });
                    }
                }
            }
        }
    }
    /// By the path of the access, in memory that has no such type.
    fn by_path(&self, env: &Scratch, place: &Place, found: &mut Vec<Touched>) {
        if matches!(place.base, Base::Var(_)) {
            return;
        }
        for record in &self.layout.typed.records {
            let Some((object, from, to)) = accessed(self.program, place, *record) else {
                continue;
            };
            let mut add = |at: Option<Address>| {
                found.push(Touched {
                    record: *record,
                    at,
                    from: from.into(),
                    to: to.into(),
                });
            };
            let Some(list) = self.locate(env, &object) else {
                add(None);
                continue;
            };
            for At { target, bits } in list {
                let Target::Object(var) = target else {
                    continue;
                };
                if self.layout.typed.of(VarId(var), *record).next().is_none() {
                    add(Some(Address::new(target, bits.map(|b| b.div_euclid(8)))));
                }
            }
        }
    }
    /// The address of the object of a type that the step is about.
    pub(super) fn object(&self, e: &Expr) -> Value {
        let (Some(record), Some(objects)) = (object_of(e), self.objects) else {
            return Value::Top;
        };
        let own = objects.list.iter().filter(|t| t.record == record);
        let at: Option<Vec<Address>> = own.map(|t| t.at).collect();
        match at {
            Some(mut list) if !list.is_empty() => {
                list.sort_unstable();
                list.dedup();
                match list.len() <= MOST_OBJECTS {
                    true => self.universe.address_set(list),
                    false => Value::Top,
                }
            }
            _ => Value::Top,
        }
    }
    /// What was just written there, whichever object it is.
    pub(super) fn just_written(&self, place: &Place) -> Option<Value> {
        let record = base_object(place)?;
        let (from, ty, v) = self.objects?.value?;
        let own = self
            .program
            .types
            .lookup(&cwolf_cwi::Type::Record(record))?;
        let fixed = |s: &cwolf_cwi::Step| match s {
            cwolf_cwi::Step::Field(_) => true,
            cwolf_cwi::Step::Index(e) => e.as_int().is_some(),
        };
        let (at, _) = bits_below(&self.program.types, own, &place.path)?;
        let same = i128::from(at) == from && place.ty == ty && place.path.iter().all(fixed);
        same.then_some(v)
    }
}
