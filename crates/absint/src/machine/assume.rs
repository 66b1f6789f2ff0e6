//! Constraint analysis (thesis, 3.9.9): what a condition that holds tells about variables.
//!
//! A condition is taken apart down to comparisons; each side of a comparison is constrained by
//! the other, and what is learnt of an expression is carried down to the variables and registers
//! in it, through casts, `x + c`, `x - c`, `c - x`, `x ^ c`, `-x` and `~x`.

use super::eval::Context;
use super::layout::{effective, int_ty};
use super::scratch::Scratch;
use crate::domain::{Kind, Target, Value, opposite};
use cwolf_base::Idx;
use cwolf_cwi::{BinOp, Expr, ExprKind, MemoryTest, Type, UnOp, VarId, value};

impl Context<'_> {
    /// The environment in which `e` is (or is not) true; none if that cannot be.
    pub fn assume(&self, env: &Scratch, e: &Expr, truth: bool) -> Option<Scratch> {
        let now = self.truth(e.ty, self.eval(env, e));
        if !(if truth {
            now.may_be_true()
        } else {
            now.may_be_false()
        }) {
            return None;
        }
        let mut env = env.clone();
        self.constrain(&mut env, e, truth).then_some(env)
    }
    /// The environment in which `e` is true, where some of it may read through a pointer that
    /// leads nowhere, and is not true then.
    pub fn assume_readable(&self, env: &Scratch, e: &Expr) -> Option<Scratch> {
        let mut env = env.clone();
        self.constrain(&mut env, e, true).then_some(env)
    }
    /// The environment in which `e` is one of `v`; none if that cannot be.
    pub fn narrow(&self, env: &Scratch, e: &Expr, v: Value) -> Option<Scratch> {
        let mut env = env.clone();
        self.refine(&mut env, e, v, None).then_some(env)
    }
    /// Puts into `env` that `e` is one of `v`; false if that cannot be.
    pub fn learns(&self, env: &mut Scratch, e: &Expr, v: Value) -> bool {
        self.refine(env, e, v, None)
    }
    /// Puts what is known into `env`; false if the condition cannot be.
    fn constrain(&self, env: &mut Scratch, e: &Expr, truth: bool) -> bool {
        match &e.kind {
            ExprKind::Unary(UnOp::Not, inner) => self.constrain(env, inner, !truth),
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                if (*op == BinOp::And) == truth {
                    // What the right side tells may tell more about the left one.
                    return self.constrain(env, a, truth)
                        && self.constrain(env, b, truth)
                        && self.may_be(env, a, truth)
                        && self.constrain(env, a, truth);
                }
                let (mut left, mut right) = (env.clone(), env.clone());
                let left_is = self.may_be(env, a, truth) && self.constrain(&mut left, a, truth);
                let right_is = self.may_be(env, b, truth) && self.constrain(&mut right, b, truth);
                *env = match (left_is, right_is) {
                    (true, true) => self.join_envs(&left, &right),
                    (true, false) => left,
                    (false, true) => right,
                    (false, false) => return false,
                };
                true
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                // A comparison with NaN fails both ways, so a float's failure tells nothing.
                if self.is_float(a.ty) && !truth {
                    return true;
                }
                let op = match truth {
                    true => *op,
                    false => opposite(*op).expect("a comparison"),
                };
                self.relate(env, op, a, b)
            }
            ExprKind::Memory(MemoryTest::Live, args) if truth => {
                match self.only_live(self.eval(env, &args[0])) {
                    Some(live) => self.refine(env, &args[0], live, None),
                    None => true,
                }
            }
            ExprKind::Cast(inner) if self.keeps_truth(inner.ty, e.ty) => {
                self.constrain(env, inner, truth)
            }
            _ if self.is_float(e.ty) => true,
            _ => {
                let op = if truth { BinOp::Ne } else { BinOp::Eq };
                let zero = Expr::int(e.ty, 0);
                self.relate(env, op, e, &zero)
            }
        }
    }
    fn may_be(&self, env: &Scratch, e: &Expr, truth: bool) -> bool {
        let now = self.truth(e.ty, self.eval(env, e));
        if truth {
            now.may_be_true()
        } else {
            now.may_be_false()
        }
    }
    /// Whether a cast makes zero of zero only.
    fn keeps_truth(&self, from: cwolf_cwi::TypeId, to: cwolf_cwi::TypeId) -> bool {
        let types = &self.program.types;
        if types[to] == Type::Bool {
            return true;
        }
        match (value::int_type(types, from), value::int_type(types, to)) {
            (Some(a), Some(b)) => b.bits >= a.bits,
            _ => false,
        }
    }
    /// Both sides of `a op b` constrained by each other.
    fn relate(&self, env: &mut Scratch, op: BinOp, a: &Expr, b: &Expr) -> bool {
        let u = self.universe;
        let (x, y) = (self.eval(env, a), self.eval(env, b));
        let (x2, y2) = match self.program.types[a.ty] {
            Type::Float(ty) => (
                u.constrain_floats(op, ty, x, y),
                u.constrain_floats(crate::domain::mirror(op), ty, y, x),
            ),
            Type::Pointer(_) => {
                let sizes = self.sizes();
                (
                    u.constrain_pointers(op, x, y, &sizes),
                    u.constrain_pointers(crate::domain::mirror(op), y, x, &sizes),
                )
            }
            _ => u.constrain_both(op, int_ty(self.program, a.ty), x, y),
        };
        if x2 == Value::Bottom || y2 == Value::Bottom {
            return false;
        }
        // Interior points that an interval cannot leave out, a partition perhaps can.
        let (by_left, by_right) = match op {
            BinOp::Ne => (self.hole(a, y), self.hole(b, x)),
            _ => (None, None),
        };
        self.refine(env, a, x2, by_left) && self.refine(env, b, y2, by_right)
    }
    /// The value that `e` is known not to have.
    fn hole(&self, e: &Expr, other: Value) -> Option<i128> {
        match self.program.types[e.ty] {
            Type::Int(ty) if ty.bits <= 64 => self.universe.exact(ty, other),
            _ => None,
        }
    }
    /// Carries down that `e` is one of `v`, and not `hole`.
    fn refine(&self, env: &mut Scratch, e: &Expr, v: Value, hole: Option<i128>) -> bool {
        if v == Value::Bottom {
            return false;
        }
        match &e.kind {
            ExprKind::Reg(reg) => {
                if reg.index() >= env.local.len() {
                    return true;
                }
                let old = env.local.get(reg.index());
                let new = self.meet(e.ty, Kind::Free, old, v, hole);
                env.local.set(reg.index(), self.keep(e.ty, Kind::Free, new));
                new != Value::Bottom
            }
            ExprKind::Load {
                place,
                volatile: false,
            } => {
                let list = self.locate(env, place).unwrap_or_default();
                let [at] = list[..] else {
                    return true;
                };
                let (Target::Object(var), Some(bits)) = (at.target, at.bits) else {
                    return true;
                };
                if self.program.heap.summaries.contains(&VarId(var)) {
                    return true;
                }
                let slots = self.slots(VarId(var));
                for slot in slots {
                    if i128::from(slot.cell.bit_offset) == i128::from(bits) && slot.cell.ty == e.ty
                    {
                        let kind = match slot.cell.kind {
                            Kind::Top => Kind::Free,
                            kind => kind,
                        };
                        let old = env.get(slot.home);
                        let new = self.meet(e.ty, kind, old, v, hole);
                        if new == Value::Bottom {
                            return false;
                        }
                        env.set(slot.home, self.hold(slot, new));
                    }
                }
                true
            }
            ExprKind::Cast(inner) => self.refine_cast(env, e, inner, v, hole),
            // `p + 1 < end`: what is known of the sum, moved back.
            ExprKind::PtrAdd { ptr, index, scale } => {
                let int = int_ty(self.program, index.ty);
                let by = self.universe.exact(int, self.eval(env, index));
                let Some(by) = by.filter(|_| self.universe.addresses(v).is_some()) else {
                    return true;
                };
                let back = Value::Int(value::wrap(int, -by) as u64);
                let moved = self.universe.pointer_add(v, int, back, *scale);
                self.refine(env, ptr, moved, None)
            }
            ExprKind::Unary(op @ (UnOp::Neg | UnOp::BitNot), inner) => match self.plain(e) {
                Some(ty) => {
                    let back = self.universe.unary((*op).into(), ty, v);
                    self.refine(env, inner, back, None)
                }
                None => true,
            },
            ExprKind::Binary(op, a, b) if op.is_test() => {
                let truth = self.truth(e.ty, v);
                let _ = (a, b);
                match (truth.may_be_true(), truth.may_be_false()) {
                    (true, false) => self.constrain(env, e, true),
                    (false, true) => self.constrain(env, e, false),
                    _ => true,
                }
            }
            ExprKind::Unary(UnOp::Not, inner) => {
                let truth = self.truth(e.ty, v);
                match (truth.may_be_true(), truth.may_be_false()) {
                    (true, false) => self.constrain(env, inner, false),
                    (false, true) => self.constrain(env, inner, true),
                    _ => true,
                }
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::BitXor), a, b) => {
                self.refine_sum(env, e, *op, (a, b), v, hole)
            }
            _ => true,
        }
    }
    /// `a + c`, `a - c`, `c - b`, `a ^ c` are one to one, wrap-around included.
    fn refine_sum(
        &self,
        env: &mut Scratch,
        e: &Expr,
        op: BinOp,
        (a, b): (&Expr, &Expr),
        v: Value,
        hole: Option<i128>,
    ) -> bool {
        let Some(ty) = self.plain(e) else {
            return true;
        };
        let u = self.universe;
        let exact = |env: &Scratch, side: &Expr| u.exact(ty, self.eval(env, side));
        let back = |op: BinOp, x: Value, y: Value| u.binary(op, ty, x, ty, y).value;
        let number = |n: i128| Value::Int(n as u64);
        let undo = match op {
            BinOp::Add => BinOp::Sub,
            BinOp::Sub => BinOp::Add,
            other => other,
        };
        if let Some(c) = exact(env, b) {
            let hole = hole.and_then(|h| value::int_binary(undo, ty, h, c).ok());
            return self.refine(env, a, back(undo, v, number(c)), hole);
        }
        if let Some(c) = exact(env, a) {
            return match op {
                BinOp::Sub => self.refine(env, b, back(BinOp::Sub, number(c), v), None),
                _ => self.refine(env, b, back(undo, v, number(c)), None),
            };
        }
        true
    }
    fn refine_cast(
        &self,
        env: &mut Scratch,
        e: &Expr,
        inner: &Expr,
        v: Value,
        hole: Option<i128>,
    ) -> bool {
        let types = &self.program.types;
        match (&types[inner.ty], &types[e.ty]) {
            (Type::Pointer(_), Type::Pointer(_)) => self.refine(env, inner, v, None),
            (Type::Int(from), Type::Int(to)) if from.bits <= 64 && to.bits <= 64 => {
                let u = self.universe;
                let Some((lo, hi)) = u.bounds(*from, self.eval(env, inner)) else {
                    return false;
                };
                if lo < value::min(*to) || hi > value::max(*to) {
                    // Some value changes on the way: nothing simple can be said.
                    return true;
                }
                let fits = u.between(*to, v, value::min(*from), value::max(*from), Kind::Free);
                self.refine(env, inner, u.cast(*to, *from, fits), hole)
            }
            (_, Type::Bool) => {
                let truth = self.truth(e.ty, v);
                match (truth.may_be_true(), truth.may_be_false()) {
                    (true, false) => self.constrain(env, inner, true),
                    (false, true) => self.constrain(env, inner, false),
                    _ => true,
                }
            }
            _ => true,
        }
    }
    fn plain(&self, e: &Expr) -> Option<cwolf_cwi::IntTy> {
        match self.program.types[e.ty] {
            Type::Int(ty) if ty.bits <= 64 => Some(ty),
            _ => None,
        }
    }
    fn meet(
        &self,
        ty: cwolf_cwi::TypeId,
        kind: Kind,
        old: Value,
        v: Value,
        hole: Option<i128>,
    ) -> Value {
        let int = int_ty(self.program, ty);
        let kind = effective(self.program, ty, kind);
        let address = |v| matches!(v, Value::Address(_) | Value::Addresses(_));
        // An integer that holds an address may equal any number.
        if !self.is_pointer(ty) && (address(old) || address(v)) {
            return old;
        }
        let met = self.universe.meet(int, kind, old, v);
        match hole {
            Some(n) => {
                let kind = if kind == Kind::Pointer {
                    Kind::Free
                } else {
                    kind
                };
                self.universe.outside(int, met, n, n, kind)
            }
            None => met,
        }
    }
}
