//! Evaluating expressions in an environment (thesis, Figure 3.3), with places as sets of
//! addresses.

use super::Lost;
use super::layout::{Home, Layout, Slot, bits_of, effective, int_ty};
use super::objects::Objects;
use super::scratch::Scratch;
use crate::domain::{Address, Kind, Objects as Sized, Target, Trilog, Universe, Value};
use cwolf_base::Idx;
use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::{
    Base, BinOp, BlockId, Definition, Expr, ExprKind, FuncId, Place, Program, Step, Type, TypeId,
    Types, UnOp, VarId, value,
};

/// How many elements of arrays an index is followed to.
const MAX_INDICES: u128 = 256;

/// What an evaluation refers to, all of it fixed.
#[derive(Clone, Copy)]
pub(crate) struct Context<'m> {
    pub program: &'m Program,
    pub universe: &'m Universe,
    pub layout: &'m Layout,
    pub points_to: &'m PointsTo,
    pub lost: &'m Lost,
    /// Where the code stands: local variables and registers are those of this function.
    pub func: FuncId,
    pub block: BlockId,
    /// Writes through pointers that may lead anywhere are not made (unsound).
    pub ignore_unknown_writes: bool,
    /// Look at all cells that an access may touch, even if nothing is learnt from them.
    pub thorough: bool,
    /// What is copied counts as read, even if the copy is not kept here.
    pub partial: bool,
    /// How many labels a value in a label may make.
    pub label_values: u32,
    /// Operators that C leaves undefined give any value.
    pub follow_undefined: bool,
    /// Addresses outside of objects are computed and compared.
    pub stray: bool,
    /// The objects that rules about types are about.
    pub objects: Option<&'m Objects>,
}

/// Where a place may be: in an object, at a bit offset if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub target: Target,
    pub bits: Option<i64>,
}

impl From<Address> for At {
    fn from(address: Address) -> At {
        At {
            target: address.target(),
            bits: address.offset().and_then(|o| o.checked_mul(8)),
        }
    }
}

/// Sizes of objects, for comparing pointers.
pub(crate) struct Sizes<'p>(&'p Program, &'p Layout);

impl Sized for Sizes<'_> {
    fn size(&self, target: Target) -> Option<u64> {
        match target {
            // No object is empty.
            Target::Object(n) if self.0.heap.objects.get(&VarId(n)) == Some(&false) => Some(1),
            Target::Object(n) => {
                let var = self.0.vars.get(VarId(n))?;
                Some(self.0.types.size_of(var.ty).saturating_add(var.extra))
            }
            Target::Function(_) | Target::Freed => Some(1),
            Target::Absolute => None,
        }
    }
    fn is_one(&self, target: Target) -> bool {
        !matches!(target, Target::Object(n) if self.1.several.contains(&VarId(n)))
    }
    fn are_apart(&self, s: Target, t: Target) -> bool {
        // The place of a local whose life a pointer outlives may be another's by now.
        let outlived = |target| match target {
            Target::Object(n) => {
                let local = self.0.vars[VarId(n)].kind.is_automatic();
                local && self.1.checked && !self.1.lasting.contains(&VarId(n))
            }
            _ => false,
        };
        let shared = match (s, t) {
            (Target::Object(a), Target::Object(b)) => self.0.literals_share(VarId(a), VarId(b)),
            _ => false,
        };
        !outlived(s) && !outlived(t) && !shared
    }
}

/// How many bits a variable has, if that is known.
pub(crate) fn object_bits(program: &Program, var: VarId) -> Option<i128> {
    let known = program.vars.get(var)?;
    let bytes = program.types.size_of(known.ty).saturating_add(known.extra);
    // Others may declare more elements.
    let whole = known.definition != Definition::Declared || known.kind.is_automatic();
    let sized = program.heap.objects.get(&var) != Some(&false);
    (whole && sized && bytes > 0).then(|| i128::from(bytes) * 8)
}

impl<'m> Context<'m> {
    fn types(&self) -> &'m Types {
        &self.program.types
    }
    /// What is known of objects when pointers are compared.
    pub fn sizes(&self) -> Sizes<'m> {
        Sizes(self.program, self.layout)
    }
    /// Whether the current frame has this slot.
    pub fn in_sight(&self, slot: &Slot) -> bool {
        match slot.home {
            Home::Global(_) => true,
            Home::Local(_) => self.program.vars[slot.cell.var].kind.function() == Some(self.func),
        }
    }
    pub fn slots(&self, var: VarId) -> impl Iterator<Item = &'m Slot> + use<'m> {
        let this = *self;
        self.layout.vars[var]
            .iter()
            .filter(move |s| this.in_sight(s))
    }
    /// A value as it is kept in a cell: in the cell's domain, and ⊤ in one form only.
    pub fn keep(&self, ty: TypeId, kind: Kind, v: Value) -> Value {
        let int = int_ty(self.program, ty);
        let kind = effective(self.program, ty, kind);
        let kept = self.universe.convert(int, v, kind);
        let plain = !matches!(
            kept,
            Value::Address(_) | Value::Addresses(_) | Value::Float { .. } | Value::NaN
        );
        if plain && kept != Value::Bottom && int.bits <= 64 && self.universe.is_top(int, kept) {
            return Value::Top;
        }
        kept
    }
    pub fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.types()[ty], Type::Float(_))
    }
    pub fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.types()[ty], Type::Pointer(_))
    }
    /// The truth of a value of a scalar type.
    pub fn truth(&self, ty: TypeId, v: Value) -> Trilog {
        match self.types()[ty] {
            Type::Float(_) => self.universe.float_truth(v),
            Type::Pointer(_) => self.universe.pointer_truth(v, &self.sizes()),
            _ => self.universe.truth(int_ty(self.program, ty), v),
        }
    }
    /// The value of a scalar expression; bottom if its evaluation traps for certain.
    pub fn eval(&self, env: &Scratch, e: &Expr) -> Value {
        let u = self.universe;
        match &e.kind {
            ExprKind::Int(n) if self.is_pointer(e.ty) => {
                u.address_set([Address::new(Target::Absolute, Some(*n as i64))])
            }
            ExprKind::Int(n) => match int_ty(self.program, e.ty).bits {
                0..=64 => Value::Int(*n as u64),
                _ => Value::Top,
            },
            ExprKind::Float(bits) => match self.types()[e.ty] {
                Type::Float(ty) => u.float_constant(ty, *bits),
                _ => Value::Top,
            },
            ExprKind::Zero | ExprKind::Choose | ExprKind::VarArgs => Value::Top,
            ExprKind::Memory(test, args) => self.memory(env, *test, args),
            ExprKind::Fits(e) => self.fits(env, e),
            ExprKind::Reg(reg) if reg.index() < env.local.len() => env.local.get(reg.index()),
            ExprKind::Reg(_) => self.object(e),
            ExprKind::Load { volatile: true, .. } => Value::Top,
            ExprKind::Load { place, .. } => self.read(env, place),
            ExprKind::AddrOf(place) => match self.locate_as(env, place, self.stray) {
                None => Value::Top,
                Some(list) => u.address_set(
                    list.iter()
                        .map(|at| Address::new(at.target, at.bits.map(|b| b.div_euclid(8)))),
                ),
            },
            ExprKind::FuncAddr(f) => u.address_set([Address::new(Target::Function(f.0), Some(0))]),
            ExprKind::Unary(op, a) => self.unary(*op, a.ty, self.eval(env, a)),
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.eval(env, a), self.eval(env, b));
                self.binary(*op, a.ty, x, b.ty, y)
            }
            ExprKind::Cast(a) => self.cast(a.ty, e.ty, self.eval(env, a)),
            ExprKind::PtrAdd { ptr, index, scale } => {
                let (p, i) = (self.eval(env, ptr), self.eval(env, index));
                if p == Value::Bottom || i == Value::Bottom {
                    return Value::Bottom;
                }
                u.pointer_add(p, int_ty(self.program, index.ty), i, *scale)
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let (p, q) = (self.eval(env, left), self.eval(env, right));
                if p == Value::Bottom || q == Value::Bottom {
                    return Value::Bottom;
                }
                u.pointer_diff(int_ty(self.program, e.ty), p, q, *scale, &self.sizes())
                    .value
            }
        }
    }
    fn unary(&self, op: UnOp, ty: TypeId, v: Value) -> Value {
        match op {
            UnOp::Not => self.truth(ty, v).negate().value(),
            UnOp::Neg if self.is_float(ty) => self.universe.float_neg(v),
            _ if self.is_pointer(ty) => Value::Top,
            _ => {
                let int = int_ty(self.program, ty);
                let v = self.number(v);
                (self.universe).unary(op.into(), int, self.exactly(int, v).unwrap_or(v))
            }
        }
    }
    fn binary(&self, op: BinOp, ty: TypeId, a: Value, right: TypeId, b: Value) -> Value {
        let u = self.universe;
        if op.is_logical() {
            let (a, b) = (self.truth(ty, a), self.truth(right, b));
            let both = if op == BinOp::And { a.and(b) } else { a.or(b) };
            return both.value();
        }
        if op.is_comparison() {
            return self.compare(op, ty, a, b).value();
        }
        match self.types()[ty] {
            Type::Float(float) => u.float_binary(op, float, a, b),
            Type::Pointer(_) if a == Value::Bottom || b == Value::Bottom => Value::Bottom,
            Type::Pointer(_) => Value::Top,
            _ => {
                let (left, right) = (int_ty(self.program, ty), int_ty(self.program, right));
                let (a, b) = (self.number(a), self.number(b));
                let (a, b) = match (self.exactly(left, a), self.exactly(right, b)) {
                    (Some(a), Some(b)) => (a, b),
                    _ => (a, b),
                };
                let none = a == Value::Bottom || b == Value::Bottom;
                let outcome = u.binary(op, left, a, right, b);
                match outcome.may_trap && self.follow_undefined && !none {
                    true => Value::Top,
                    false => outcome.value,
                }
            }
        }
    }
    /// A value that is one number only, as that number: an operator on such values gives one, in
    /// whatever domain they came.
    fn exactly(&self, ty: cwolf_cwi::IntTy, v: Value) -> Option<Value> {
        match v {
            Value::Int(_) => Some(v),
            Value::Top | Value::Bottom => None,
            _ if ty.bits > 64 => None,
            v => self.universe.exact(ty, v).map(|n| Value::Int(n as u64)),
        }
    }
    /// Addresses in integers take no part in arithmetic.
    fn number(&self, v: Value) -> Value {
        match v {
            Value::Address(_) | Value::Addresses(_) | Value::Float { .. } | Value::NaN => {
                Value::Top
            }
            v => v,
        }
    }
    /// A comparison of two scalars of type `ty`.
    pub fn compare(&self, op: BinOp, ty: TypeId, a: Value, b: Value) -> Trilog {
        match self.types()[ty] {
            Type::Float(_) => self.universe.float_test(op, a, b),
            Type::Pointer(_) => self.universe.compare_pointers(op, a, b, &self.sizes()),
            _ => {
                let int = int_ty(self.program, ty);
                (self.universe).test(op, int, self.number(a), self.number(b))
            }
        }
    }
    /// A value converted from one scalar type to another.
    pub fn cast(&self, from: TypeId, to: TypeId, v: Value) -> Value {
        let u = self.universe;
        if v == Value::Bottom || from == to {
            return v;
        }
        let (a, b) = (int_ty(self.program, from), int_ty(self.program, to));
        match (&self.types()[from], &self.types()[to]) {
            (_, Type::Bool) => self.truth(from, v).value(),
            (Type::Float(x), Type::Float(y)) => u.float_cast(*x, *y, v),
            (Type::Float(_), Type::Int(_)) => u.float_to_int(b, v),
            (Type::Float(_), _) => Value::Top,
            (Type::Int(_) | Type::Bool, Type::Float(y)) => u.int_to_float(a, *y, self.number(v)),
            (_, Type::Float(_)) => Value::Top,
            (Type::Pointer(_), Type::Pointer(_)) => v,
            (Type::Pointer(_), _) => match u.addresses(v).as_deref() {
                Some([only]) if only.target() == Target::Absolute => match only.offset() {
                    Some(n) => u.cast(a, b, Value::Int(value::wrap(a, n.into()) as u64)),
                    None => Value::Top,
                },
                _ if a.bits == b.bits => v,
                _ => Value::Top,
            },
            (_, Type::Pointer(_)) => {
                let word = u.cast(a, b, v);
                u.convert(b, word, Kind::Pointer)
            }
            _ => u.cast(a, b, self.exactly(a, v).unwrap_or(v)),
        }
    }
    /// Where a place may be; none if it may be anywhere. Addresses that cannot be accessed are
    /// left in: who follows them drops them.
    pub fn locate(&self, env: &Scratch, place: &Place) -> Option<Vec<At>> {
        self.locate_as(env, place, false)
    }
    /// The same, where an unknown index may lead out of its object if addresses `stray`: nothing is accessed there.
    fn locate_as(&self, env: &Scratch, place: &Place, stray: bool) -> Option<Vec<At>> {
        let (mut list, mut ty) = match &place.base {
            Base::Var(var) => {
                let at = At {
                    target: Target::Object(var.0),
                    bits: Some(0),
                };
                (vec![at], self.program.vars[*var].ty)
            }
            Base::Deref(pointer) => {
                let all = self.universe.addresses(self.eval(env, pointer))?;
                let ty = match place.path.is_empty() {
                    true => place.ty,
                    false => self.types().pointee(pointer.ty)?,
                };
                (all.into_iter().map(At::from).collect(), ty)
            }
        };
        for step in &place.path {
            match (step, &self.types()[ty]) {
                (Step::Field(n), Type::Record(record)) => {
                    let field = self.types().records[*record].fields.get(*n as usize)?;
                    let offset = i64::try_from(field.bit_offset).ok()?;
                    list.iter_mut()
                        .for_each(|at| at.bits = at.bits.and_then(|b| b.checked_add(offset)));
                    ty = field.ty;
                }
                (Step::Index(index), Type::Array { elem, .. }) => {
                    let int = int_ty(self.program, index.ty);
                    let v = self.number(self.eval(env, index));
                    let size = i128::from(self.types().size_of(*elem)) * 8;
                    let members = self.universe.members(int, v, MAX_INDICES);
                    list = match members {
                        Some(members) => step_by(&list, &members, size),
                        None if stray => list.iter().map(|at| At { bits: None, ..*at }).collect(),
                        None => self.elements(&list, self.universe.bounds(int, v), size),
                    };
                    ty = *elem;
                }
                _ => return None,
            }
        }
        list.dedup();
        Some(list)
    }
    /// Each place moved by any index that leads into its object or one past it; anywhere in the object,
    /// if nothing there is looked at or that would be too many.
    fn elements(&self, list: &[At], bounds: Option<(i128, i128)>, size: i128) -> Vec<At> {
        let (lo, hi) = bounds.unwrap_or((i128::MIN, i128::MAX));
        let mut found = Vec::new();
        for at in list {
            let anywhere = At { bits: None, ..*at };
            let (Target::Object(var), Some(bits)) = (at.target, at.bits.map(i128::from)) else {
                found.push(anywhere);
                continue;
            };
            let var = VarId(var);
            let kept = !self.layout.vars[var].is_empty() || self.layout.constants.contains(&var);
            let total = object_bits(self.program, var).filter(|_| kept && size > 0);
            let Some(total) = total else {
                found.push(anywhere);
                continue;
            };
            let first = (-bits).div_euclid(size) + i128::from((-bits).rem_euclid(size) != 0);
            let (first, last) = (first.max(lo), (total - bits).div_euclid(size).min(hi));
            if first > last || last - first >= MAX_INDICES as i128 - found.len() as i128 {
                found.push(anywhere);
                continue;
            }
            let moved = |n: i128| i64::try_from(bits + n * size).ok();
            found.extend((first..=last).map(|n| At {
                bits: moved(n),
                ..*at
            }));
        }
        found
    }
    /// The places that an access of so many bits may touch. One that lies outside of its object is none, as C does not define
    /// the access; where runs go on after that, and there is no other, all cells of the object are meant.
    pub fn accessed<'l>(&self, list: &'l [At], size: u64) -> Vec<&'l At> {
        let inside = |at: &&At| match (at.target, at.bits) {
            (Target::Object(var), Some(bits)) => object_bits(self.program, VarId(var))
                .is_none_or(|total| bits >= 0 && i128::from(bits) + i128::from(size) <= total),
            // Reading or writing null or a function is an error: the run ends.
            (Target::Function(_) | Target::Freed, _) | (Target::Absolute, Some(0)) => false,
            _ => true,
        };
        let object = |at: &&At| matches!(at.target, Target::Object(_));
        let found: Vec<&At> = list.iter().filter(inside).collect();
        match found.is_empty() && self.follow_undefined {
            true => list.iter().filter(object).collect(),
            false => found,
        }
    }
    /// What a scalar place may hold.
    fn read(&self, env: &Scratch, place: &Place) -> Value {
        if let Some(v) = self.just_written(place) {
            return v;
        }
        match self.locate(env, place) {
            None => {
                if let (true, Base::Deref(pointer)) = (self.thorough, &place.base) {
                    for var in self.may_point_to(pointer) {
                        self.look_at(env, var);
                    }
                }
                Value::Top
            }
            Some(list) => self.read_at(env, &list, place.ty),
        }
    }
    /// Reads all cells of a variable.
    pub fn look_at(&self, env: &Scratch, var: VarId) {
        if self.thorough {
            self.slots(var).for_each(|slot| {
                env.get(slot.home);
            });
        }
    }
    /// Reads all cells that so many bits after one of several places are in; nobody knows how many if there is no number.
    pub fn look_at_bits(&self, env: &Scratch, list: &[At], most: Option<i128>) {
        for at in list {
            let (Target::Object(var), start) = (at.target, at.bits.map(i128::from)) else {
                continue;
            };
            let touched = |slot: &&Slot| {
                start.is_none_or(|from| {
                    let to = most.map_or(i128::MAX, |most| from.saturating_add(most));
                    slot.overlaps(from, to)
                })
            };
            self.slots(VarId(var)).filter(touched).for_each(|slot| {
                env.get(slot.home);
            });
        }
    }
    /// What is at one of several places; bottom if none of them can be read.
    pub fn read_at(&self, env: &Scratch, list: &[At], ty: TypeId) -> Value {
        let mut result = Value::Bottom;
        for at in self.accessed(list, bits_of(self.program, ty)) {
            let v = match (at.target, at.bits) {
                (Target::Object(var), Some(bits)) => self.read_cell(env, VarId(var), bits, ty),
                (Target::Object(var), None) if self.layout.constants.contains(&VarId(var)) => {
                    self.some_element(VarId(var), ty)
                }
                (Target::Object(var), None) => {
                    self.look_at(env, VarId(var));
                    Value::Top
                }
                _ => Value::Top,
            };
            result = self.join(ty, result, v);
            if result == Value::Top && !self.thorough {
                break;
            }
        }
        result
    }
    /// The union of two values of a scalar type.
    pub fn join(&self, ty: TypeId, a: Value, b: Value) -> Value {
        if a == b || b == Value::Bottom {
            return a;
        }
        if a == Value::Bottom {
            return b;
        }
        let kind = effective(self.program, ty, Kind::Free);
        let int = int_ty(self.program, ty);
        self.universe.join(int, kind, a, b)
    }
    fn read_cell(&self, env: &Scratch, var: VarId, bits: i64, ty: TypeId) -> Value {
        let size = bits_of(self.program, ty);
        if self.layout.constants.contains(&var) {
            return match u64::try_from(bits) {
                Ok(bits) => self.first_value(var, bits, ty),
                Err(_) => Value::Top,
            };
        }
        let exact = |s: &&Slot| i128::from(s.cell.bit_offset) == i128::from(bits) && s.bits == size;
        let same_type = self.slots(var).filter(exact).find(|s| s.cell.ty == ty);
        let Some(slot) = same_type.or_else(|| self.slots(var).find(exact)) else {
            return Value::Top;
        };
        let v = env.get(slot.home);
        let same = |a: TypeId, b: TypeId| {
            self.is_float(a) == self.is_float(b) && (self.types()[a] != Type::Bool || a == b)
        };
        match () {
            () if slot.cell.ty == ty => v,
            // The same bits under another type.
            () if self.is_float(ty)
                || !same(slot.cell.ty, ty)
                || self.types()[ty] == Type::Bool =>
            {
                Value::Top
            }
            () => self.cast(slot.cell.ty, ty, v),
        }
    }
    /// The variables that an unknown pointer may lead to.
    pub fn may_point_to(&self, pointer: &Expr) -> Vec<VarId> {
        let objects = self.points_to.expr(self.func, self.block, pointer);
        self.reachable_vars(objects)
    }
    fn reachable_vars(&self, mut objects: Vec<Object>) -> Vec<VarId> {
        if objects.contains(&Object::Outside) {
            objects.extend(self.points_to.escaped());
        }
        let vars = objects.iter();
        vars.flat_map(|o| o.variables(self.program)).collect()
    }
}

/// Each place moved by each index.
fn step_by(list: &[At], indices: &[i128], size: i128) -> Vec<At> {
    if indices.len() * list.len() > MAX_INDICES as usize {
        return list.iter().map(|at| At { bits: None, ..*at }).collect();
    }
    let moved = |at: &At, i: i128| {
        let distance = i.checked_mul(size).and_then(|d| i64::try_from(d).ok());
        let bits = at.bits.zip(distance).and_then(|(b, d)| b.checked_add(d));
        At { bits, ..*at }
    };
    list.iter()
        .flat_map(|at| indices.iter().map(move |i| moved(at, *i)))
        .collect()
}
