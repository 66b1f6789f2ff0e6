//! What a condition that holds, or fails, says about cells.

use crate::arith;
use crate::layout::Kind;
use crate::num::Num;
use crate::octagon::Signed;
use crate::point::At;
use crate::value::{CellId, Pointer, Value};
use cwolf_cwi::{BinOp, Expr, ExprKind, MemoryTest, UnOp};

impl At<'_, '_> {
    /// Only what satisfies the condition (or does not); false if nothing does.
    pub(crate) fn assume(&mut self, cond: &Expr, holds: bool) -> bool {
        match self.truth(cond) {
            Some(known) if known != holds => return false,
            Some(_) => {
                // Certain, and yet it may say more of pointers or relations than is known: rarely.
                return true;
            }
            None => {}
        }
        match &cond.kind {
            ExprKind::Unary(UnOp::Not, a) => self.assume(a, !holds),
            ExprKind::Binary(BinOp::And, a, b) if holds => {
                self.assume(a, true) && self.assume(b, true)
            }
            ExprKind::Binary(BinOp::Or, a, b) if !holds => {
                self.assume(a, false) && self.assume(b, false)
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                // One of the two decides.
                let first = *op == BinOp::Or;
                let mut one = self.clone();
                let left = one.assume(a, first);
                let right = self.assume(a, !first) && self.assume(b, first);
                match (left, right) {
                    (true, true) => self.state = one.state.join(&self.state, &self.world.packs),
                    (true, false) => self.state = one.state,
                    (false, right) => return right,
                }
                true
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let op = if holds { *op } else { negated(*op) };
                self.compare(op, a, b)
            }
            ExprKind::Cast(a)
                if self.world.kind(cond.ty) == Kind::Bool || self.keeps_truth(cond, a) =>
            {
                self.assume(a, holds)
            }
            ExprKind::Memory(test, args) if holds => self.assume_memory(*test, args),
            ExprKind::Fits(_) | ExprKind::Memory(..) => true,
            _ => match self.world.kind(cond.ty) {
                Kind::Pointer => self.narrow_pointer(cond, !holds),
                Kind::Int(_) | Kind::Bool => {
                    let Some(num) = self.number(cond) else {
                        return true;
                    };
                    let zero = Num::constant(0);
                    let left = if holds {
                        num.without(0)
                    } else {
                        num.meet(&zero)
                    };
                    left.is_some_and(|left| self.narrow(cond, &left))
                }
                Kind::Other => true,
            },
        }
    }

    /// Whether a conversion is true exactly where its operand is.
    fn keeps_truth(&self, cast: &Expr, operand: &Expr) -> bool {
        let (Some(to), Some(num)) = (self.world.kind(cast.ty).room(), self.number(operand)) else {
            return false;
        };
        to.0 <= num.lo && num.hi <= to.1
    }

    /// `a op b` holds.
    fn compare(&mut self, op: BinOp, a: &Expr, b: &Expr) -> bool {
        if self.world.kind(a.ty) == Kind::Pointer {
            let equal = match op {
                BinOp::Eq => true,
                BinOp::Ne => false,
                _ => return true,
            };
            let null = |e: &Expr, at: &Self| at.eval(e) == Some(Value::Pointer(Pointer::NULL));
            return match (null(a, self), null(b, self)) {
                (_, true) => self.narrow_pointer(a, equal),
                (true, _) => self.narrow_pointer(b, equal),
                _ => true,
            };
        }
        let (Some(x), Some(y)) = (self.number(a), self.number(b)) else {
            return true;
        };
        let sides = [
            (a, one_side(op, &x, &y)),
            (b, one_side(mirrored(op), &y, &x)),
        ];
        // Relations first: they are about values as they were.
        if !self.relate_sides(op, a, b) {
            return false;
        }
        for (e, left) in sides {
            let Some(left) = left else {
                return false;
            };
            if !self.narrow(e, &left) {
                return false;
            }
        }
        true
    }

    /// Tells the octagons about `a op b`.
    fn relate_sides(&mut self, op: BinOp, a: &Expr, b: &Expr) -> bool {
        let (Some(x), Some(y)) = (self.linear(a), self.linear(b)) else {
            return true;
        };
        // a - b <= most, or b - a <= most.
        let limits: &[(bool, i128)] = match op {
            BinOp::Lt => &[(false, -1)],
            BinOp::Le => &[(false, 0)],
            BinOp::Gt => &[(true, -1)],
            BinOp::Ge => &[(true, 0)],
            BinOp::Eq => &[(false, 0), (true, 0)],
            _ => {
                return self.exclude(&x, &y);
            }
        };
        for (swapped, most) in limits {
            let (x, y) = if *swapped { (&y, &x) } else { (&x, &y) };
            if !self.limit(x, y, *most) {
                return false;
            }
        }
        true
    }

    /// `x != y`: a bound that they reach only by being equal moves.
    fn exclude(&mut self, x: &crate::point::Linear, y: &crate::point::Linear) -> bool {
        let Some(difference) = x.minus(y) else {
            return true;
        };
        match self.bounds(&difference) {
            Some((0, 0)) => false,
            Some((0, _)) => self.limit(y, x, -1),
            Some((_, 0)) => self.limit(x, y, -1),
            _ => true,
        }
    }

    /// `x - y <= most`.
    fn limit(&mut self, x: &crate::point::Linear, y: &crate::point::Linear, most: i128) -> bool {
        let Some(difference) = x.minus(y) else {
            return true;
        };
        let bound = most - difference.more;
        let world = self.world;
        let [(c, neg_c), (d, neg_d)] = difference.cells.as_slice() else {
            return true;
        };
        let (Some((pack, n)), Some((other, m))) = (world.packs.of(*c), world.packs.of(*d)) else {
            return true;
        };
        if pack != other {
            return true;
        }
        let signed = |var, negative: bool| Signed { var, negative };
        let size = world.packs.cells[pack].len();
        self.state.change(pack, size, |octagon| {
            octagon.limit(signed(n, *neg_c), signed(m, *neg_d), bound);
        }) && self.state.exchange(&world.packs, pack)
    }

    /// The values of an expression are among `to`; false if that cannot be.
    fn narrow(&mut self, e: &Expr, to: &Num) -> bool {
        match &e.kind {
            ExprKind::Int(n) => to.contains(*n),
            ExprKind::Load { place, volatile } if !volatile => match self.cell(place) {
                Some(cell) => self.narrow_cell(cell, e, to),
                None => true,
            },
            ExprKind::Reg(reg) => match self.world.objects.reg(self.func, *reg) {
                Some(cell) => self.narrow_cell(cell, e, to),
                None => true,
            },
            ExprKind::Cast(a) => {
                let (Some(num), Some(room)) = (self.number(a), self.world.kind(e.ty).room()) else {
                    return true;
                };
                if self.world.kind(e.ty) == Kind::Bool {
                    return match arith::truth(to) {
                        Some(holds) => self.assume(a, holds),
                        None => true,
                    };
                }
                if room.0 <= num.lo && num.hi <= room.1 {
                    return match num.meet(to) {
                        Some(left) => self.narrow(a, &left),
                        None => false,
                    };
                }
                self.narrow_wrapped(a, &num, to, room)
            }
            ExprKind::Unary(UnOp::Not, a) => match arith::truth(to) {
                Some(holds) => self.assume(a, !holds),
                None => true,
            },
            ExprKind::Unary(op @ (UnOp::Neg | UnOp::BitNot), a) => {
                let (Some(ty), Some(num)) = (self.world.kind(e.ty).int(), self.number(a)) else {
                    return true;
                };
                match num.meet(&arith::unary(*op, ty, to)) {
                    Some(left) => self.narrow(a, &left),
                    None => false,
                }
            }
            ExprKind::Binary(op, a, b) => self.narrow_operands(e, *op, a, b, to),
            _ => true,
        }
    }

    /// The operand of a conversion that may change the value. Those that it does not change and those
    /// that it does are looked at together.
    fn narrow_wrapped(&mut self, a: &Expr, num: &Num, to: &Num, room: (i128, i128)) -> bool {
        let size = room.1 - room.0 + 1;
        let turn = |v: i128| (v - room.0).div_euclid(size);
        let (first, last) = (turn(num.lo), turn(num.hi));
        if last - first > 2 {
            return true;
        }
        let mut left: Option<Num> = None;
        for k in first..=last {
            let moved = Num::raw(to.lo + k * size, to.hi + k * size);
            if let Some(part) = num.meet(&moved) {
                left = Some(left.map_or(part.clone(), |l| l.join(&part)));
            }
        }
        match left {
            Some(left) => self.narrow(a, &left),
            None => false,
        }
    }

    fn narrow_operands(&mut self, e: &Expr, op: BinOp, a: &Expr, b: &Expr, to: &Num) -> bool {
        if op.is_test() {
            return match arith::truth(to) {
                Some(holds) => self.assume(e, holds),
                None => true,
            };
        }
        let (Some(ty), Some(x), Some(y)) =
            (self.world.kind(e.ty).int(), self.number(a), self.number(b))
        else {
            return true;
        };
        match op {
            BinOp::Add | BinOp::Sub | BinOp::BitXor => {
                // Each operand is what undoes the other: also where results wrap around.
                let (undo_a, undo_b) = match op {
                    BinOp::Add => (
                        arith::binary(BinOp::Sub, ty, to, &y),
                        arith::binary(BinOp::Sub, ty, to, &x),
                    ),
                    BinOp::Sub => (
                        arith::binary(BinOp::Add, ty, to, &y),
                        arith::binary(BinOp::Sub, ty, &x, to),
                    ),
                    _ => (
                        arith::binary(BinOp::BitXor, ty, to, &y),
                        arith::binary(BinOp::BitXor, ty, to, &x),
                    ),
                };
                for (e, old, undone) in [(a, &x, undo_a), (b, &y, undo_b)] {
                    let Some(undone) = undone.num else {
                        continue;
                    };
                    match old.meet(&undone) {
                        Some(left) if left != *old => {
                            if !self.narrow(e, &left) {
                                return false;
                            }
                        }
                        Some(_) => {}
                        None => return false,
                    }
                }
                true
            }
            BinOp::BitAnd => {
                // Bits under a constant mask are those of the result.
                let (e, num, mask) = match (x.as_constant(), y.as_constant()) {
                    (None, Some(mask)) => (a, &x, mask),
                    (Some(mask), None) => (b, &y, mask),
                    _ => return true,
                };
                let mask = mask as u64 & (u64::MAX >> (64 - ty.bits));
                let mut known = Num::raw(num.lo, num.hi);
                known.zeros = to.zeros & mask;
                known.ones = to.ones & mask;
                match num.meet(&known) {
                    Some(left) => self.narrow(e, &left),
                    None => false,
                }
            }
            BinOp::Rem => {
                // x = y * n + r: with r and y known, x is r modulo y.
                let (Some(y), Some(r)) = (y.as_constant(), to.as_constant()) else {
                    return true;
                };
                if y == 0 {
                    return true;
                }
                let mut known = Num::raw(x.lo, x.hi);
                (known.step, known.rem) = (y.abs(), r.rem_euclid(y.abs()));
                if r > 0 {
                    known.lo = known.lo.max(r);
                } else if r < 0 {
                    known.hi = known.hi.min(r);
                }
                if known.lo > known.hi {
                    return false;
                }
                match x.meet(&known) {
                    Some(left) => self.narrow(a, &left),
                    None => false,
                }
            }
            BinOp::Mul => {
                let (e, num, by) = match (x.as_constant(), y.as_constant()) {
                    (None, Some(by)) => (a, &x, by),
                    (Some(by), None) => (b, &y, by),
                    _ => return true,
                };
                let fits = arith::binary_fits(op, ty, &x, &y) == Some(true);
                if by == 0 || !fits {
                    return true;
                }
                let ends = [to.lo.div_euclid(by), to.hi.div_euclid(by)];
                let (lo, hi) = (ends[0].min(ends[1]) - 1, ends[0].max(ends[1]) + 1);
                // Exactly, where the bounds allow it.
                let lo = (lo..=lo + 2)
                    .find(|v| v * by >= to.lo && v * by <= to.hi)
                    .unwrap_or(lo);
                let hi = (hi - 2..=hi)
                    .rev()
                    .find(|v| v * by >= to.lo && v * by <= to.hi)
                    .unwrap_or(hi);
                if lo > hi {
                    return true;
                }
                match num.meet(&Num::raw(lo, hi)) {
                    Some(left) => self.narrow(e, &left),
                    None => false,
                }
            }
            _ => true,
        }
    }

    fn narrow_cell(&mut self, cell: CellId, e: &Expr, to: &Num) -> bool {
        let info = self.world.objects.cells[cell];
        // What is read may be another form of what the cell keeps.
        let to = match (info.kind, self.world.kind(e.ty)) {
            (a, b) if a == b => to.clone(),
            (Kind::Int(own), Kind::Int(_)) => arith::convert(own, to),
            _ => return true,
        };
        let room = self.world.objects.room(cell);
        let old = match self.state.get(cell) {
            Some(Value::Num(num)) => num.clone(),
            Some(Value::Pointer(_)) => return true,
            None => Num::range(room.0, room.1),
        };
        let Some(left) = old.meet(&to) else {
            return false;
        };
        if left == old {
            return true;
        }
        self.state.put(cell, Some(Value::Num(left)));
        match self.world.packs.of(cell) {
            Some((pack, _)) if self.state.octagon(pack).is_some() => {
                self.state.exchange(&self.world.packs, pack)
            }
            _ => true,
        }
    }

    /// A pointer is null, or is not.
    fn narrow_pointer(&mut self, e: &Expr, null: bool) -> bool {
        let mut p = self.pointer(e);
        if null {
            // An address outside of its object may be any number.
            p = Pointer::NULL;
        } else {
            p.null = false;
            if p.targets.is_empty() && !p.stale && !p.other {
                return false;
            }
        }
        self.set_pointer(e, p);
        true
    }

    /// Notes what the pointer that an expression reads is known to be.
    fn set_pointer(&mut self, e: &Expr, p: Pointer) {
        let cell = match &e.kind {
            ExprKind::Load { place, volatile } if !volatile => self.cell(place),
            ExprKind::Reg(reg) if *reg != cwolf_cwi::RESULT => {
                self.world.objects.reg(self.func, *reg)
            }
            ExprKind::Cast(a) if self.world.kind(a.ty) == Kind::Pointer => {
                return self.set_pointer(a, p);
            }
            _ => None,
        };
        if let Some(cell) = cell
            && self.world.objects.cells[cell].kind == Kind::Pointer
        {
            self.state.put(cell, Some(Value::Pointer(p)));
        }
    }

    /// What a question about memory says of the pointer, once it is answered with yes.
    fn assume_memory(&mut self, test: MemoryTest, args: &[Expr]) -> bool {
        let Some(pointer) = args.first() else {
            return true;
        };
        let mut p = self.pointer(pointer);
        match test {
            MemoryTest::Live => {
                p.null = false;
                p.stale = false;
                if p.targets.is_empty() && !p.other {
                    return false;
                }
                self.set_pointer(pointer, p);
            }
            MemoryTest::Callable => {
                p.null = false;
                self.set_pointer(pointer, p);
            }
            _ => {}
        }
        true
    }
}

/// The values of the left side where `x op y`.
fn one_side(op: BinOp, x: &Num, y: &Num) -> Option<Num> {
    let within = |lo: i128, hi: i128| {
        let (lo, hi) = (lo.max(x.lo), hi.min(x.hi));
        (lo <= hi).then(|| x.meet(&Num::raw(lo, hi))).flatten()
    };
    match op {
        BinOp::Eq => x.meet(y),
        BinOp::Ne => match y.as_constant() {
            Some(v) => x.without(v),
            None => Some(x.clone()),
        },
        BinOp::Lt => within(x.lo, y.hi - 1),
        BinOp::Le => within(x.lo, y.hi),
        BinOp::Gt => within(y.lo + 1, x.hi),
        BinOp::Ge => within(y.lo, x.hi),
        _ => Some(x.clone()),
    }
}

fn negated(op: BinOp) -> BinOp {
    match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Ge => BinOp::Lt,
        BinOp::Gt => BinOp::Le,
        BinOp::Le => BinOp::Gt,
        other => other,
    }
}

fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Gt => BinOp::Lt,
        BinOp::Le => BinOp::Ge,
        BinOp::Ge => BinOp::Le,
        same => same,
    }
}

impl At<'_, '_> {
    /// A number is among the values of a case; false if it cannot be.
    pub(crate) fn assume_case(&mut self, on: &Expr, lo: i128, hi: i128) -> bool {
        let Some(num) = self.number(on) else {
            return true;
        };
        match num.meet(&Num::range(lo, hi)) {
            Some(left) => self.narrow(on, &left),
            None => false,
        }
    }

    /// A number is not among the values of a case.
    pub(crate) fn assume_not_case(&mut self, on: &Expr, lo: i128, hi: i128) -> bool {
        let Some(num) = self.number(on) else {
            return true;
        };
        let left = match lo == hi {
            true => num.without(lo),
            false if num.lo >= lo && num.lo <= hi => {
                let above = hi + 1;
                (above <= num.hi)
                    .then(|| num.meet(&Num::raw(above, num.hi)))
                    .flatten()
            }
            false if num.hi >= lo && num.hi <= hi => (lo > num.lo)
                .then(|| num.meet(&Num::raw(num.lo, lo - 1)))
                .flatten(),
            false => Some(num),
        };
        left.is_some_and(|left| self.narrow(on, &left))
    }
}
