//! Writing to places (rules R1 to R6, made sound): strong updates where the place is known,
//! weak ones where it is one of several, and ⊤ wherever an unknown pointer may lead.

use super::bulk::{Bytes, Extent};
use super::eval::{At, Context, object_bits};
use super::layout::{Slot, bits_of, effective, int_ty};
use super::scratch::{Scratch, Tracked};
use crate::domain::{Address, Kind, Target, Value};
use crate::map::Cell;
use cwolf_cwi::{Base, Expr, ExprKind, Place, TypeId, VarId};

/// What a statement wrote: variables with bit ranges.
pub(crate) type Written = Vec<(VarId, i128, i128)>;

/// A pointer that runs through an object of more elements than this has no offset there.
const MAX_WALK: i128 = 64;
/// A pointer that may lead to more places than this is unknown.
pub(super) const MAX_PLACES: usize = 32;

const EVERYWHERE: (i128, i128) = (i128::MIN, i128::MAX);

impl Context<'_> {
    /// `place = e`. False if the run cannot go on: the value or the place does not exist.
    pub fn assign(
        &self,
        env: &mut Scratch,
        place: &Place,
        e: &Expr,
        written: &mut Written,
    ) -> bool {
        if self.program.types.is_scalar(place.ty) {
            let v = self.eval(env, e);
            if v == Value::Bottom {
                return false;
            }
            let Some(list) = self.locate(env, place) else {
                self.forget_pointed(env, place, written);
                return true;
            };
            return self.write(env, &list, place.ty, v, written);
        }
        self.copy(env, place, e, written)
    }
    /// A scalar written to one of several places.
    pub fn write(
        &self,
        env: &mut Scratch,
        list: &[At],
        ty: TypeId,
        v: Value,
        written: &mut Written,
    ) -> bool {
        let size = i128::from(bits_of(self.program, ty));
        let list = self.accessed(list, bits_of(self.program, ty));
        for at in &list {
            let Target::Object(var) = at.target else {
                continue;
            };
            let var = VarId(var);
            let Some(bits) = at.bits else {
                self.look_at(env, var);
                self.forget(env, var, EVERYWHERE, written);
                continue;
            };
            let (from, to) = (i128::from(bits), i128::from(bits) + size);
            written.push((var, from, to));
            for slot in self.slots(var).filter(|s| s.overlaps(from, to)) {
                let new = self.overwrite(slot, from, size, ty, v);
                let new = match list.len() == 1 && !self.program.heap.summaries.contains(&var) {
                    true => new,
                    // A cell that may be written may also stay as it is.
                    false => self.join_kept(slot, env.get(slot.home), new),
                };
                env.set(slot.home, new);
            }
        }
        !list.is_empty()
    }
    /// What a slot holds after a write over it.
    fn overwrite(&self, slot: &Slot, from: i128, size: i128, ty: TypeId, v: Value) -> Value {
        let exact = i128::from(slot.cell.bit_offset) == from && i128::from(slot.bits) == size;
        if !exact || self.is_float(ty) != self.is_float(slot.cell.ty) {
            return Value::Top;
        }
        let bool_ty = |t: TypeId| t == cwolf_cwi::Types::BOOL;
        let v = match slot.cell.ty == ty {
            true => v,
            false if self.is_float(ty) || bool_ty(ty) || bool_ty(slot.cell.ty) => Value::Top,
            false => self.cast(ty, slot.cell.ty, v),
        };
        self.hold(slot, v)
    }
    /// A value as it is held until the state is sealed: what the map drops is still there for
    /// the labels of this statement.
    pub fn hold(&self, slot: &Slot, v: Value) -> Value {
        let kind = match slot.cell.kind {
            Kind::Top => Kind::Free,
            kind => kind,
        };
        let kept = self.keep(slot.cell.ty, kind, v);
        match slot.by_default {
            true => self.bounded(slot, kept),
            false => kept,
        }
    }
    /// A pointer that no map mentions, without offsets if it is a flag, or into objects that it runs through if they
    /// are large or it has left them; and unknown if it may lead to too many places.
    fn bounded(&self, slot: &Slot, v: Value) -> Value {
        let (Value::Address(_) | Value::Addresses(_)) = v else {
            return v;
        };
        let list = self.universe.addresses(v).unwrap_or_default();
        let large = |a: &Address| match (a.target(), slot.walks) {
            (Target::Object(_), _) if slot.flag => true,
            (Target::Object(var), Some(step)) => {
                let bits = object_bits(self.program, VarId(var));
                let left = |bits: i128| {
                    let offset = a.offset().map(i128::from);
                    offset.is_some_and(|offset| !(0..=bits / 8).contains(&offset))
                };
                bits.is_none_or(|bits| bits / 8 / i128::from(step) > MAX_WALK || left(bits))
            }
            _ => false,
        };
        let kept = match list.iter().any(large) {
            true => self
                .universe
                .address_set(list.iter().map(|a| match a.offset() {
                    None => *a,
                    Some(0) if !slot.flag => *a,
                    Some(_) if large(a) => Address::new(a.target(), None),
                    Some(_) => *a,
                })),
            false => v,
        };
        if self
            .universe
            .addresses(kept)
            .is_some_and(|l| l.len() > MAX_PLACES)
        {
            self.lost.add(slot.cell.var);
            return Value::Top;
        }
        kept
    }
    pub fn join_kept(&self, slot: &Slot, a: Value, b: Value) -> Value {
        if a == Value::Top || b == Value::Top {
            return Value::Top;
        }
        let kind = match slot.cell.kind {
            Kind::Top => Kind::Free,
            kind => kind,
        };
        let ty = slot.cell.ty;
        let kind = effective(self.program, ty, kind);
        let int = int_ty(self.program, ty);
        let joined = self.universe.join(int, kind, a, b);
        self.hold(slot, joined)
    }
    /// The union of two environments, slot by slot.
    pub fn join_envs(&self, a: &Scratch, b: &Scratch) -> Scratch {
        let mut joined = a.clone();
        let regs = self.layout.regs[self.func] as usize;
        joined
            .local
            .join(&b.local, |n, a, b| match n.checked_sub(regs) {
                // A register has no type of its own here.
                None => Value::Top,
                Some(n) => {
                    let cell = &self.layout.locals[self.func][n];
                    self.join_cell(cell.ty, cell.kind, a, b)
                }
            });
        joined.global.join(&b.global, |n, a, b| {
            let cell = &self.layout.globals[n];
            self.join_cell(cell.ty, cell.kind, a, b)
        });
        joined
    }
    /// The union of two states' environments: local and global values. With `widen`, what
    /// differs becomes ⊤.
    pub fn merge_envs(&self, a: &Scratch, b: &Scratch, widen: bool) -> (Vec<Value>, Vec<Value>) {
        let regs = self.layout.regs[self.func] as usize;
        let join = |cell: Option<&Cell>, a: Value, b: Value| match cell {
            _ if a == b => a,
            Some(cell) if !widen => self.join_cell(cell.ty, cell.kind, a, b),
            _ => Value::Top,
        };
        let merge = |x: &Tracked, y: &Tracked, first: usize, cells: &[Cell]| {
            let pairs = x.values().iter().zip(y.values()).enumerate();
            let cell = |n: usize| n.checked_sub(first).map(|n| &cells[n]);
            pairs.map(|(n, (a, b))| join(cell(n), *a, *b)).collect()
        };
        (
            merge(&a.local, &b.local, regs, &self.layout.locals[self.func]),
            merge(&a.global, &b.global, 0, &self.layout.globals),
        )
    }
    fn join_cell(&self, ty: TypeId, kind: Kind, a: Value, b: Value) -> Value {
        if a == Value::Top || b == Value::Top {
            return Value::Top;
        }
        let kind = if kind == Kind::Top { Kind::Free } else { kind };
        let kind = effective(self.program, ty, kind);
        let joined = self.universe.join(int_ty(self.program, ty), kind, a, b);
        self.keep(ty, kind, joined)
    }
    /// Everything in a range of a variable becomes ⊤.
    pub fn forget(
        &self,
        env: &mut Scratch,
        var: VarId,
        (from, to): (i128, i128),
        written: &mut Written,
    ) {
        written.push((var, from, to));
        for slot in self.slots(var).filter(|s| s.overlaps(from, to)) {
            env.set(slot.home, Value::Top);
        }
    }
    /// Everything that the place's unknown pointer may lead to becomes ⊤.
    fn forget_pointed(&self, env: &mut Scratch, place: &Place, written: &mut Written) {
        // The thesis' R6.
        if self.ignore_unknown_writes {
            return;
        }
        match &place.base {
            Base::Var(var) => {
                self.look_at(env, *var);
                self.forget(env, *var, EVERYWHERE, written);
            }
            Base::Deref(pointer) => {
                for var in self.may_point_to(pointer) {
                    self.look_at(env, var);
                    self.forget(env, var, EVERYWHERE, written);
                }
            }
        }
    }
    /// `place = e` for structs, unions and arrays. False if there is no such place.
    fn copy(&self, env: &mut Scratch, place: &Place, e: &Expr, written: &mut Written) -> bool {
        let extent = Extent::exactly(i128::from(self.program.types.size_of(place.ty)) * 8);
        let source = match &e.kind {
            ExprKind::Load {
                place: source,
                volatile: false,
            } => self.source(env, source, extent),
            _ => None,
        };
        let Some(list) = self.locate(env, place) else {
            self.forget_pointed(env, place, written);
            return true;
        };
        let bytes = match (&e.kind, &source) {
            (ExprKind::Zero, _) => Bytes::Fill(0),
            (_, Some(list)) => Bytes::Copy(list),
            _ => Bytes::Unknown,
        };
        self.write_bytes(env, &list, extent, &bytes, written)
    }
    /// Where a struct may be that is copied.
    fn source(&self, env: &Scratch, place: &Place, extent: Extent) -> Option<Vec<At>> {
        let list = self.locate(env, place);
        match (&list, &place.base) {
            _ if !self.partial => {}
            (Some(list), _) => self.look_at_bits(env, list, extent.most),
            (None, Base::Var(var)) => self.look_at(env, *var),
            (None, Base::Deref(pointer)) => {
                for var in self.may_point_to(pointer) {
                    self.look_at(env, var);
                }
            }
        }
        list
    }
    /// The all-zero value of a scalar type.
    pub fn zero(&self, ty: TypeId) -> Value {
        match self.program.types[ty] {
            cwolf_cwi::Type::Float(float) => self.universe.float_constant(float, 0),
            cwolf_cwi::Type::Pointer(_) => self.universe.null(),
            _ => Value::Int(0),
        }
    }
}
