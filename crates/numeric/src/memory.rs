//! Reading and writing memory: where a place lies, which cells that touches, and what they hold
//! afterwards.

use crate::arith;
use crate::layout::{Kind, Overlap, bits_of};
use crate::num::Num;
use crate::objects::{Entry, What};
use crate::point::{At, Linear, Val};
use crate::value::{CellId, ObjId, Pointer, Value};
use cwolf_cwi::graph::Object;
use cwolf_cwi::{Base, BinOp, Expr, ExprKind, IntTy, Place, Step, Type, TypeId, VarId};

/// Where something is read or written.
pub(crate) struct Access {
    /// Objects, and bits from their start.
    targets: Vec<(ObjId, Num)>,
    /// Whether it surely lies inside of a live object.
    sure: bool,
    /// Whether something may be meant that is no object of this analysis.
    elsewhere: bool,
}

/// Offsets in bits, which no access leaves.
const BITS: IntTy = IntTy::new(64, true);

impl At<'_, '_> {
    /// Objects that a pointer of which nothing is known may lead to; whether there may be others.
    pub(crate) fn may_lead_to(&self, pointer: &Expr) -> (Vec<ObjId>, bool) {
        let points_to = self.world.program.points_to();
        let found = points_to.expr(self.func, self.block, pointer);
        self.own(found)
    }

    /// Those of the objects of a points-to analysis that this one has; whether there are others.
    pub(crate) fn own(&self, mut found: Vec<Object>) -> (Vec<ObjId>, bool) {
        let outside = found.contains(&Object::Outside);
        if outside {
            found.extend(self.world.program.points_to().escaped());
        }
        let mut all: Vec<ObjId> = found
            .iter()
            .filter_map(|o| self.world.objects.of(*o))
            .collect();
        all.sort_unstable();
        all.dedup();
        (all, outside)
    }

    /// Bits from the start of a place's base; whether every index is one of its array.
    fn inward(&self, place: &Place) -> (Option<Num>, bool) {
        let types = &self.world.program.types;
        let mut ty = match &place.base {
            Base::Var(v) => self.world.program.vars[*v].ty,
            Base::Deref(p) => types.pointee(p.ty).unwrap_or(cwolf_cwi::Types::CHAR),
        };
        let mut at = Some(Num::constant(0));
        let mut sure = true;
        for step in &place.path {
            let by = match (step, &types[ty]) {
                (Step::Field(n), Type::Record(r)) => {
                    let field = &types.records[*r].fields[*n as usize];
                    ty = field.ty;
                    Some(Num::constant(i128::from(field.bit_offset)))
                }
                (Step::Index(i), Type::Array { elem, len }) => {
                    ty = *elem;
                    let index = self.number(i);
                    let inside = |i: &Num| i.bounds().0 >= 0 && i.bounds().1 < i128::from(*len);
                    sure &= index.as_ref().is_some_and(inside);
                    let size = Num::constant(i128::from(types.size_of(*elem)) * 8);
                    index
                        .and_then(|i| near(arith::binary(BinOp::Mul, BITS, &i, &size).num))
                        .filter(|by| by.bounds().0 > -(1 << 40) && by.bounds().1 < 1 << 40)
                }
                _ => None,
            };
            at = match (at, by) {
                (Some(a), Some(b)) => near(arith::binary(BinOp::Add, BITS, &a, &b).num),
                _ => None,
            };
        }
        (at, sure)
    }

    /// The address of a place.
    pub(crate) fn address(&self, place: &Place) -> Pointer {
        let (at, _) = self.inward(place);
        let bytes =
            at.and_then(|bits| arith::binary(BinOp::Div, BITS, &bits, &Num::constant(8)).num);
        let start = match &place.base {
            Base::Var(v) => match self.world.objects.ids.get(&What::Var(*v)) {
                Some(object) => {
                    let mut p = Pointer::to(*object, Num::constant(0));
                    p.null = self.world.program.vars[*v].weak;
                    p
                }
                None => Pointer::SOME,
            },
            Base::Deref(p) => self.pointer(p),
        };
        match bytes {
            Some(bytes) => start.moved(&bytes),
            None => Pointer {
                null: true,
                ..Pointer::SOME
            },
        }
    }

    fn resolve(&self, place: &Place) -> Access {
        let (at, inside) = self.inward(place);
        let any = || Num::range(-(1 << 40), 1 << 40);
        let at = at.unwrap_or_else(any);
        let mut access = match &place.base {
            Base::Var(v) => {
                let object = self.world.objects.ids.get(&What::Var(*v));
                Access {
                    targets: object.map(|o| (*o, at)).into_iter().collect(),
                    sure: inside,
                    elsewhere: object.is_none(),
                }
            }
            Base::Deref(e) => {
                let p = self.pointer(e);
                let mut access = Access {
                    targets: Vec::new(),
                    sure: inside && !p.null && !p.stale && !p.other,
                    elsewhere: p.other,
                };
                for (object, offset) in &p.targets {
                    let eight = Num::constant(8);
                    let bits = near(arith::binary(BinOp::Mul, BITS, offset, &eight).num);
                    let sum = bits.and_then(|b| near(arith::binary(BinOp::Add, BITS, &b, &at).num));
                    access.targets.push((*object, sum.unwrap_or_else(any)));
                }
                if p.other {
                    access.targets.clear();
                    let (objects, _) = self.may_lead_to(e);
                    access
                        .targets
                        .extend(objects.into_iter().map(|o| (o, any())));
                }
                access
            }
        };
        let bits = self.bits(place.ty);
        for (object, at) in &access.targets {
            let size = self.world.objects.all[*object].size;
            let (lo, hi) = at.bounds();
            access.sure &= size.is_some_and(|s| 0 <= lo && hi + bits <= s * 8);
        }
        access
    }

    /// Whether accesses that are not surely inside an object end the run, or are checked before.
    fn trusts(&self, access: &Access) -> bool {
        access.sure || self.world.options.trusts_accesses()
    }

    /// Bits that a value of a type takes.
    fn bits(&self, ty: TypeId) -> i128 {
        bits_of(&self.world.program.types, ty)
    }

    /// The one cell that a place is.
    pub(crate) fn cell(&self, place: &Place) -> Option<CellId> {
        let access = self.resolve(place);
        let [(object, at)] = access.targets.as_slice() else {
            return None;
        };
        if access.elsewhere || !self.trusts(&access) {
            return None;
        }
        let entry = &self.world.objects.all[*object];
        let bits = self.bits(place.ty);
        at.as_constant()?;
        let mut exact = (entry.leaves.iter().enumerate())
            .filter(|(_, leaf)| leaf.is_alone() && leaf.overlap(at, bits) == Overlap::Exact);
        let (n, _) = exact.next()?;
        // Members of a union are several cells for the same bits.
        (entry.single && exact.next().is_none()).then(|| entry.cell(n))
    }

    /// What a place holds.
    pub(crate) fn load(&self, place: &Place) -> Val {
        let access = self.resolve(place);
        if access.elsewhere || !self.trusts(&access) || access.targets.is_empty() {
            return self.whole(place.ty);
        }
        let mut all: Option<Val> = None;
        for (object, at) in &access.targets {
            let value = self.load_at(&self.world.objects.all[*object], at, place.ty);
            all = Some(match (all, value) {
                (None, value) => value,
                (Some(Some(a)), Some(b)) => a.join(&b),
                _ => None,
            });
        }
        match all.flatten() {
            Some(value) => Some(value),
            None => self.whole(place.ty),
        }
    }

    fn load_at(&self, entry: &Entry, at: &Num, ty: TypeId) -> Val {
        let bits = self.bits(ty);
        let size = entry.size? * 8;
        // Offsets that lie outside end the run.
        let at = at.meet(&Num::raw(0, (size - bits).max(0)))?;
        let mut all: Option<Value> = None;
        let mut found = Vec::new();
        for (n, leaf) in entry.leaves.iter().enumerate() {
            match leaf.overlap(&at, bits) {
                Overlap::None => {}
                Overlap::Exact => found.push(n),
                // A part of a scalar; another member of a union may be the whole.
                Overlap::Partial if at.as_constant().is_some() => {}
                Overlap::Partial => return None,
            }
        }
        if at.as_constant().is_some() {
            found.truncate(1);
        }
        if !covers(entry, &found, &at) {
            return None;
        }
        for n in found {
            let kind = entry.leaves[n].kind;
            let alike = match (kind, self.world.kind(ty)) {
                (Kind::Int(_), Kind::Int(_)) => true,
                (a, b) => a == b,
            };
            let value = self.state.get(entry.cell(n)).filter(|_| alike)?;
            let value = self.taken_for(Some(value), ty, false)?;
            all = match all {
                None => Some(value),
                Some(old) => Some(old.join(&value)?),
            };
        }
        all
    }

    /// A place gets a value. A sum that it is of other cells is remembered, if given.
    pub(crate) fn store(&mut self, place: &Place, value: Val, sum: Option<Linear>) {
        let access = self.resolve(place);
        let bits = self.bits(place.ty);
        let trusted = self.trusts(&access);
        let one = access.targets.len() == 1 && !access.elsewhere && trusted;
        let world = self.world;
        let mut changes: Vec<(CellId, Val, bool)> = Vec::new();
        for (object, at) in &access.targets {
            let entry = &world.objects.all[*object];
            for (n, leaf) in entry.leaves.iter().enumerate() {
                let cell = entry.cell(n);
                let overlap = leaf.overlap(at, bits);
                if overlap == Overlap::None {
                    continue;
                }
                let new = match overlap {
                    Overlap::Exact => self.as_kind(leaf.kind, place.ty, value.as_ref()),
                    _ => None,
                };
                let whole = one && entry.single && leaf.is_alone() && at.as_constant().is_some();
                let strong = whole && overlap == Overlap::Exact;
                let new = match (strong, new) {
                    (true, new) => new,
                    (false, Some(new)) => self.state.get(cell).and_then(|old| old.join(&new)),
                    (false, None) => None,
                };
                changes.push((cell, new, strong));
            }
        }
        match changes.as_slice() {
            [(cell, value, true)] => self.set_sum(*cell, place.ty, value.clone(), sum),
            _ => {
                for (cell, value, _) in changes {
                    self.state.set(&world.packs, cell, value);
                }
            }
        }
    }

    /// A cell gets what a value of a type is there, which was a sum of other cells, if given. If the
    /// cell keeps another type (a number written through a pointer to its unsigned twin), it is not
    /// that sum any more.
    pub(crate) fn set_sum(&mut self, cell: CellId, ty: TypeId, value: Val, sum: Option<Linear>) {
        let same = self.world.objects.cells[cell].kind == self.world.kind(ty);
        match sum.filter(|_| same && value.is_some()) {
            Some(sum) => {
                self.state.put(cell, value);
                self.relate(cell, &sum);
            }
            None => self.state.set(&self.world.packs, cell, value),
        }
    }

    /// A value as a cell of some kind keeps it.
    pub(crate) fn as_kind(&self, kind: Kind, ty: TypeId, value: Option<&Value>) -> Val {
        match (kind, self.world.kind(ty), value?) {
            (Kind::Int(int), Kind::Int(_) | Kind::Bool, Value::Num(num)) => {
                Some(Value::Num(arith::convert(int, num)))
            }
            (Kind::Bool, Kind::Bool, Value::Num(num)) => Some(Value::Num(num.clone())),
            (Kind::Pointer, Kind::Pointer, value @ Value::Pointer(_)) => Some(value.clone()),
            _ => None,
        }
    }

    /// A cell, whose value is set already, is now the sum that was taken before.
    fn relate(&mut self, cell: CellId, sum: &Linear) {
        let world = self.world;
        let Some((pack, n)) = world.packs.of(cell) else {
            return;
        };
        let size = world.packs.cells[pack].len();
        let within = |cell: CellId| world.packs.of(cell).filter(|p| p.0 == pack).map(|p| p.1);
        let signed = |var, negative| crate::octagon::Signed { var, negative };
        let fine = match sum.cells.as_slice() {
            [(from, negative)] if within(*from).is_some() => {
                let from = within(*from).expect("just looked");
                self.state.change(pack, size, |octagon| {
                    octagon.assign(n, signed(from, *negative), sum.more);
                })
            }
            [(x, neg_x), (y, neg_y)] if *x != cell && *y != cell => {
                // cell - x lies between the bounds of y, and the other way round.
                let room = |c: CellId| match self.state.get(c) {
                    Some(Value::Num(num)) => num.bounds(),
                    _ => world.objects.room(c),
                };
                let pairs = [
                    (*x, *neg_x, room(*y), *neg_y),
                    (*y, *neg_y, room(*x), *neg_x),
                ];
                let more = sum.more;
                self.state.change(pack, size, |octagon| {
                    octagon.forget(n);
                    for (near, negative, (lo, hi), far) in pairs {
                        let Some(m) = within(near) else { continue };
                        let (lo, hi) = if far { (-hi, -lo) } else { (lo, hi) };
                        let plus = crate::octagon::Signed::plus(n);
                        let minus = crate::octagon::Signed::minus(n);
                        octagon.limit(plus, signed(m, !negative), hi + more);
                        octagon.limit(minus, signed(m, negative), -(lo + more));
                    }
                })
            }
            _ => self.state.change(pack, size, |octagon| octagon.forget(n)),
        };
        if !fine {
            self.state.unrelate(&world.packs, cell);
        }
    }

    /// A place of an aggregate type gets what an expression is.
    pub(crate) fn store_aggregate(&mut self, place: &Place, e: &Expr) {
        let access = self.resolve(place);
        let trusted = self.trusts(&access);
        let bits = self.bits(place.ty);
        let world = self.world;
        let source = match &e.kind {
            ExprKind::Load { place, volatile } if !volatile => Some(self.resolve(place)),
            _ => None,
        };
        let source = source
            .filter(|s| !s.elsewhere && self.trusts(s) && s.targets.len() == 1)
            .and_then(|s| Some((s.targets[0].0, s.targets[0].1.as_constant()?)));
        let zero = e.kind == ExprKind::Zero;
        let one = access.targets.len() == 1 && !access.elsewhere && trusted;
        let mut changes: Vec<(CellId, Val)> = Vec::new();
        for (object, at) in &access.targets {
            let entry = &world.objects.all[*object];
            let start = at.as_constant().filter(|_| one && entry.single);
            for (n, leaf) in entry.leaves.iter().enumerate() {
                if leaf.overlap(at, bits) == Overlap::None {
                    continue;
                }
                let covered = start.filter(|s| leaf.is_within(*s, *s + bits));
                let new = match (covered, source) {
                    (Some(_), _) if zero => leaf.kind.zero(),
                    (Some(start), Some((from, by))) => {
                        let from = &world.objects.all[from];
                        let twin = from.leaves.iter().position(|l| {
                            l.at - by == leaf.at - start
                                && l.bits == leaf.bits
                                && l.kind == leaf.kind
                                && l.dims == leaf.dims
                        });
                        twin.filter(|_| from.single)
                            .and_then(|n| self.state.get(from.cell(n)).cloned())
                    }
                    _ => None,
                };
                changes.push((entry.cell(n), new));
            }
        }
        for (cell, value) in changes {
            self.state.set(&world.packs, cell, value);
        }
    }

    /// Memory behind a pointer gets any contents, or zeros: `size` bytes from there on, or as much as
    /// there is.
    pub(crate) fn overwrite(&mut self, pointer: &Expr, size: Option<&Num>, zero: bool) {
        let p = self.pointer(pointer);
        let world = self.world;
        let targets = match p.other {
            true => {
                let (objects, _) = self.may_lead_to(pointer);
                let any = || Num::range(-(1 << 30), 1 << 30);
                objects.into_iter().map(|o| (o, any())).collect()
            }
            false => p.targets.clone(),
        };
        let one = targets.len() == 1 && !p.other && world.options.trusts_accesses();
        for (object, offset) in targets {
            let entry = &world.objects.all[object];
            let (lo, hi) = offset.bounds();
            let end = size.map_or(1 << 40, |s| hi + s.bounds().1);
            let exact = size.and_then(Num::as_constant).zip(offset.as_constant());
            for (n, leaf) in entry.leaves.iter().enumerate() {
                if leaf.at >= end * 8 || leaf.end() <= lo * 8 {
                    continue;
                }
                let covered =
                    exact.is_some_and(|(size, at)| leaf.is_within(at * 8, (at + size) * 8));
                let value = match zero && covered && one && entry.single {
                    true => leaf.kind.zero(),
                    false => None,
                };
                self.state.set(&world.packs, entry.cell(n), value);
            }
        }
    }

    /// All of some objects gets any contents.
    pub(crate) fn forget_objects(&mut self, objects: &[ObjId]) {
        let world = self.world;
        for object in objects {
            for cell in world.objects.all[*object].cells() {
                self.state.set(&world.packs, cell, None);
            }
        }
    }

    /// A variable's life begins or ends: it holds anything, and pointers to it lead nowhere.
    pub(crate) fn renew(&mut self, var: VarId) {
        if let Some(object) = self.world.objects.ids.get(&What::Var(var)).copied() {
            self.forget_objects(&[object]);
            if self.world.objects.taken.contains(&var) {
                self.outlive(object, self.world.objects.all[object].single);
            }
        }
    }

    /// Pointers to an object are stale from now on: all of them, or some.
    pub(crate) fn outlive(&mut self, object: ObjId, all: bool) {
        self.state.change_all(|value| {
            let Value::Pointer(p) = value else {
                return None;
            };
            let n = p.targets.iter().position(|t| t.0 == object)?;
            let mut p = p.clone();
            p.stale = true;
            if all {
                p.targets.remove(n);
            }
            Some(Some(Value::Pointer(p)))
        });
    }
}

/// An offset that is not far away.
fn near(num: Option<Num>) -> Option<Num> {
    num.filter(|n| n.bounds().0 > -(1 << 50) && n.bounds().1 < 1 << 50)
}

/// Whether at every one of the offsets one of these leaves lies.
fn covers(entry: &Entry, leaves: &[usize], at: &Num) -> bool {
    const MANY: i128 = 64;
    let (lo, hi) = at.bounds();
    let (step, _) = at.congruence();
    if lo == hi {
        return leaves.iter().any(|n| entry.leaves[*n].starts_at(lo));
    }
    let step = step.max(1);
    if (hi - lo) / step <= MANY {
        let mut offset = lo;
        while offset <= hi {
            if !leaves.iter().any(|n| entry.leaves[*n].starts_at(offset)) {
                return false;
            }
            offset += step;
        }
        return true;
    }
    // One array that has all of them.
    leaves.iter().any(|n| {
        let leaf = &entry.leaves[*n];
        match leaf.dims.as_slice() {
            [(stride, count)] => {
                step % stride == 0
                    && (lo - leaf.at) % stride == 0
                    && leaf.at <= lo
                    && hi <= leaf.at + stride * (count - 1)
            }
            _ => false,
        }
    })
}
