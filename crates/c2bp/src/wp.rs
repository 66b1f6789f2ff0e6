//! Weakest preconditions, by Morris' general axiom of assignment.
//!
//! For an assignment `x = e` and a location `y` that a predicate reads, the predicate after the
//! assignment means: if `&x == &y` the same with `e` for `y`, else the same. Instead of writing
//! out the paper's 2^k disjuncts for k locations, a read of `y` after the write becomes the term
//! `&x == &y ? e : y`; where points-to sets or types say that the two are never the same, just
//! `y`. Writes in a row are looked through from the newest to the oldest, so that a sequence of
//! statements has a weakest precondition too.

use crate::encode::Encoder;
use crate::place::{Class, Location, Relation};
use cwolf_cwi::graph::Object;
use cwolf_cwi::{Expr, ExprKind, Place, StmtKind, TypeId, Types};
use cwolf_logic::{Sort, Term};

/// A write to a location.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    to: Location,
    value: Value,
}

/// What is written.
#[derive(Clone, Debug)]
enum Value {
    /// A scalar.
    Scalar(Term),
    /// A record or array: what the other location held after so many writes.
    Copy(Location, usize),
    /// Zeros all over.
    Zero,
    /// Anything.
    Unknown,
    /// Anything, in all of the objects that the location may lie in.
    Anything,
}

impl Encoder<'_> {
    /// Back to the state before.
    pub fn restart(&mut self) {
        self.writes.clear();
    }
    /// The state after one more statement.
    pub fn step(&mut self, stmt: &StmtKind) {
        let at = self.writes.len();
        match stmt {
            StmtKind::Assign(place, value) => self.assign(place, value, at),
            StmtKind::SetReg(reg, value) => {
                let to = self.register(*reg, value.ty);
                let value = Value::Scalar(self.value(value, at));
                self.writes.push(Write { to, value });
            }
            // Conditions are the block's concern, not a change of state.
            StmtKind::Assert { .. } | StmtKind::Assume(_) => {}
            // Whole objects, wherever in them: only those that pointers lead to can be among them.
            StmtKind::Havoc { ptr, .. } => {
                let (func, block) = (self.func, self.block);
                let objects = self.points_to.changed_outside(func, block, ptr);
                let void = Place::deref(Types::VOID, ptr.clone());
                let to = Location {
                    objects,
                    ..self.locate(&void, at)
                };
                let value = Value::Anything;
                self.writes.push(Write { to, value });
            }
            StmtKind::Live(var) | StmtKind::Dead(var) => {
                let to = self.locate(&Place::var(self.program.vars[*var].ty, *var), at);
                let value = Value::Unknown;
                self.writes.push(Write { to, value });
            }
        }
    }
    fn assign(&mut self, place: &Place, value: &Expr, at: usize) {
        let to = self.locate(place, at);
        let scalar = self.program.types.is_scalar(place.ty);
        let value = match &value.kind {
            _ if scalar => Value::Scalar(self.value(value, at)),
            ExprKind::Load { place: from, .. } => Value::Copy(self.locate(from, at), at),
            ExprKind::Zero => Value::Zero,
            _ => Value::Unknown,
        };
        self.writes.push(Write { to, value });
    }
    /// What holds after the writes so far, said of the state before: the weakest precondition of
    /// a condition.
    pub fn weakest(&mut self, condition: &Expr) -> Term {
        let at = self.writes.len();
        self.truth(condition, at)
    }
    /// The condition itself, in the state before.
    pub fn now(&mut self, condition: &Expr) -> Term {
        self.truth(condition, 0)
    }
    /// What a location holds after the first `at` writes.
    pub(crate) fn read(&mut self, location: &Location, at: usize) -> Term {
        let Some(newest) = at.checked_sub(1) else {
            return self.initial(location);
        };
        let write = self.writes[newest].clone();
        if let Value::Scalar(value) = write.value {
            let to = &write.to;
            let share = || self.may_share(&to.objects, &location.objects);
            return match to.relation(location, share) {
                Relation::Never => self.read(location, newest),
                Relation::Same => {
                    let same = self.terms.eq(to.address, location.address);
                    match self.terms.as_bool(same) {
                        Some(true) => self.fit(value, location.ty),
                        Some(false) => self.read(location, newest),
                        None => {
                            let old = self.read(location, newest);
                            let value = self.fit(value, location.ty);
                            self.terms.ite(same, value, old)
                        }
                    }
                }
                Relation::Overlap => {
                    let lost = self.lost(newest, location);
                    let old = self.read(location, newest);
                    let touched = self.overlap(to, location);
                    let mut result = self.terms.ite(touched, lost, old);
                    if to.class == location.class {
                        let same = self.terms.eq(to.address, location.address);
                        let value = self.fit(value, location.ty);
                        result = self.terms.ite(same, value, result);
                    }
                    result
                }
            };
        }
        self.read_aggregate(&write, location, newest)
    }
    /// A read after a record or an array was written.
    fn read_aggregate(&mut self, write: &Write, location: &Location, newest: usize) -> Term {
        let to = &write.to;
        if to.region != location.region
            || (to.region == crate::place::Region::Memory
                && !self.may_share(&to.objects, &location.objects))
        {
            return self.read(location, newest);
        }
        if let Value::Anything = write.value {
            return self.lost(newest, location);
        }
        let old = self.read(location, newest);
        let inside = self.overlap(to, location);
        // The location as a part of what was written, if it is seen as one.
        let part = location.prefixes.iter().find(|(ty, _)| *ty == to.ty);
        let new = match (&write.value, part) {
            (Value::Zero, _) => {
                let width = self.width(location.ty);
                self.terms.bv(width, 0)
            }
            (Value::Copy(from, at), Some((_, start))) => {
                let delta = self.terms.sub(location.address, *start);
                let record = match (from.region, location.record) {
                    (crate::place::Region::Memory, Some(record)) => {
                        let delta = self.terms.sub(record, *start);
                        Some(self.terms.add(from.address, delta))
                    }
                    _ => None,
                };
                let source = Location {
                    region: from.region,
                    address: self.terms.add(from.address, delta),
                    objects: from.objects.clone(),
                    record,
                    prefixes: Vec::new(),
                    in_union: location.in_union || from.in_union,
                    ..location.clone()
                };
                let copied = self.read(&source, *at);
                let whole = self.terms.eq(*start, to.address);
                let lost = self.lost(newest, location);
                self.terms.ite(whole, copied, lost)
            }
            _ => self.lost(newest, location),
        };
        self.terms.ite(inside, new, old)
    }
    /// A written scalar read as another type of the same size.
    fn fit(&mut self, value: Term, ty: TypeId) -> Term {
        let width = self.width(ty);
        match self.terms.width(value) == width {
            true => value,
            false => self.terms.resize(width, false, value),
        }
    }
    /// What is left in a location that was overwritten in part.
    fn lost(&mut self, write: usize, location: &Location) -> Term {
        let width = self.width(location.ty);
        let class = location.class.name();
        let name = format!("lost#{write}.{}.{class}.{width}", location.address.0);
        self.terms.constant(&name, Sort::Bv(width))
    }
    /// Whether two locations share a byte.
    fn overlap(&mut self, a: &Location, b: &Location) -> Term {
        if self.narrow {
            // Narrow addresses say nothing about what lies side by side.
            return cwolf_logic::Terms::TRUE;
        }
        let one_byte = |c: Class| c.size().max(1);
        let word = self.word();
        let (x, y) = (a.address, b.address);
        let size = |this: &mut Self, l: &Location| {
            let size = one_byte(l.class);
            this.terms.bv(word, size.into())
        };
        let (a_size, b_size) = (size(self, a), size(self, b));
        let (a_end, b_end) = (self.terms.add(x, a_size), self.terms.add(y, b_size));
        let (left, right) = (self.terms.slt(x, b_end), self.terms.slt(y, a_end));
        self.terms.and(left, right)
    }
    /// Whether two sets of objects have a common member.
    pub(crate) fn may_share(&self, a: &[Object], b: &[Object]) -> bool {
        let outside = |set: &[Object]| set.contains(&Object::Outside);
        if a.iter().any(|o| b.contains(o)) {
            return true;
        }
        if !outside(a) && !outside(b) {
            return false;
        }
        let hidden = |set: &[Object]| set.iter().any(|o| self.points_to.has_escaped(*o));
        (outside(a) && hidden(b)) || (outside(b) && hidden(a))
    }
}
