//! The ranges of expressions, and what conditions say about ranges.

use super::{Interval, Key, Pass, Proven, State, meet};
use cwolf_cwi::{BinOp, Expr, ExprKind, IntTy, RESULT, Type, UnOp, value};

/// Evaluates in one state; `proven` notes what is certain.
pub(super) struct Eval<'e, 'p> {
    pub(super) pass: &'e Pass<'p>,
    pub(super) state: State,
    pub(super) proven: Option<&'e mut Proven>,
}

impl Eval<'_, '_> {
    pub(super) fn set(&mut self, key: Option<Key>, range: Option<Interval>) {
        match (key, range) {
            (Some(key), Some(range)) => {
                self.state.insert(key, range);
            }
            (Some(key), None) => {
                self.state.remove(&key);
            }
            (None, _) => {}
        }
    }

    pub(super) fn key_of(&self, e: &Expr) -> Option<Key> {
        match &e.kind {
            ExprKind::Load { place, volatile } if !volatile => self.pass.key(place),
            ExprKind::Reg(reg) if *reg != RESULT && self.pass.body.regs[*reg] == e.ty => {
                Some(Key::Reg(*reg))
            }
            // A conversion that keeps the value.
            ExprKind::Cast(inner) => {
                let key = self.key_of(inner)?;
                let whole = self.pass.range(inner.ty)?;
                let range = self.state.get(&key).copied().unwrap_or(whole);
                let room = self.pass.range(e.ty)?;
                (room.0 <= range.0 && range.1 <= room.1).then_some(key)
            }
            _ => None,
        }
    }

    /// The range of an expression, if it is a number.
    pub(super) fn expr(&mut self, e: &Expr) -> Option<Interval> {
        let types = &self.pass.program.types;
        let whole = self.pass.range(e.ty);
        let within = |range: Interval| match whole {
            Some(room) if room.0 <= range.0 && range.1 <= room.1 => Some(range),
            _ => whole,
        };
        match &e.kind {
            ExprKind::Int(n) => within((*n, *n)),
            ExprKind::Zero => within((0, 0)),
            ExprKind::Load { place, .. } => {
                let known = self.pass.key(place).and_then(|k| self.state.get(&k));
                known.copied().or(whole)
            }
            ExprKind::Reg(reg) => match *reg == RESULT || self.pass.body.regs[*reg] != e.ty {
                true => whole,
                false => self.state.get(&Key::Reg(*reg)).copied().or(whole),
            },
            ExprKind::AddrOf(_place) => whole,
            ExprKind::Unary(op, a) => {
                let range = self.expr(a);
                match (op, range, types.as_int(e.ty)) {
                    (UnOp::Neg, Some((lo, hi)), Some(ty)) => self.exact(ty, -hi, -lo),
                    (UnOp::Neg, ..) => whole,
                    (UnOp::Not, ..) => within((0, 1)),
                    _ => whole,
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b),
            ExprKind::Cast(a) => {
                let range = self.expr(a);
                match (&types[e.ty], range) {
                    (Type::Bool, _) => whole,
                    (_, Some(range)) => within(range),
                    _ => whole,
                }
            }
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.expr(ptr);
                self.expr(index);
                whole
            }
            ExprKind::PtrDiff { left, right, .. } => {
                self.expr(left);
                self.expr(right);
                whole
            }
            ExprKind::Memory(..) | ExprKind::Fits(_) => within((0, 1)),
            ExprKind::Float(_) | ExprKind::Choose | ExprKind::FuncAddr(_) | ExprKind::VarArgs => {
                whole
            }
        }
    }

    /// The result of signed or unsigned arithmetic that is `lo..=hi` if nothing wraps.
    fn exact(&mut self, ty: IntTy, lo: i128, hi: i128) -> Option<Interval> {
        if ty.bits >= 127 {
            return None;
        }
        let room = (value::min(ty), value::max(ty));
        let fits = room.0 <= lo && hi <= room.1;
        Some(if fits { (lo, hi) } else { room })
    }

    fn binary(&mut self, e: &Expr, op: BinOp, a: &Expr, b: &Expr) -> Option<Interval> {
        let pass = self.pass;
        let whole = pass.range(e.ty);
        let x = self.expr(a);
        if op.is_logical() {
            // The right side counts only where the left one does not decide.
            let before = self.state.clone();
            if let Some(state) = self.under(a, op == BinOp::And) {
                self.state = state;
                self.expr(b);
            }
            self.state = before;
            return Some((0, 1));
        }
        let y = self.expr(b);
        if op.is_test() {
            return Some((0, 1));
        }
        let Type::Int(ty) = pass.program.types[a.ty] else {
            return whole;
        };
        let (Some((a, b)), Some((c, d))) = (x, y) else {
            return whole;
        };
        if op == BinOp::Mul && ty.bits > 63 {
            return whole;
        }
        match op {
            BinOp::Add => self.exact(ty, a + c, b + d),
            BinOp::Sub => self.exact(ty, a - d, b - c),
            BinOp::Mul => {
                let ends = [a * c, a * d, b * c, b * d];
                let (lo, hi) = (ends.iter().min()?, ends.iter().max()?);
                self.exact(ty, *lo, *hi)
            }
            BinOp::Div | BinOp::Rem => {
                let result = match op {
                    BinOp::Div if c > 0 => {
                        let ends = [a / c, a / d, b / c, b / d];
                        (*ends.iter().min()?, *ends.iter().max()?)
                    }
                    // As the dividend, and smaller than the divisor.
                    BinOp::Rem if c > 0 => {
                        let below = if a < 0 { -(d - 1).min(-a) } else { 0 };
                        (below, if b > 0 { b.min(d - 1) } else { 0 })
                    }
                    _ => return whole,
                };
                Some(result)
            }
            BinOp::BitAnd if a >= 0 && c >= 0 => Some((0, b.min(d))),
            BinOp::BitAnd if c >= 0 => Some((0, d)),
            BinOp::BitAnd if a >= 0 => Some((0, b)),
            BinOp::BitOr | BinOp::BitXor if a >= 0 && c >= 0 => {
                let top = (b | d) as u128;
                let ones = u128::MAX >> top.leading_zeros().min(127);
                Some((0, if top == 0 { 0 } else { ones as i128 }))
            }
            BinOp::Shl | BinOp::Shr => match op {
                BinOp::Shr if a >= 0 && (0..64).contains(&c) => Some((0, b >> c)),
                _ => whole,
            },
            _ => whole,
        }
    }

    /// Whether a condition cannot but hold.
    pub(super) fn certain(&mut self, cond: &Expr) -> bool {
        match &cond.kind {
            ExprKind::Fits(e) => self.surely_fits(e),
            ExprKind::Binary(BinOp::And, a, b) => self.certain(a) && self.certain(b),
            ExprKind::Binary(BinOp::Or, a, b) => {
                if self.certain(a) {
                    return true;
                }
                let Some(state) = self.under(a, false) else {
                    return true;
                };
                let before = std::mem::replace(&mut self.state, state);
                let holds = self.certain(b);
                self.state = before;
                holds
            }
            _ => self.under(cond, false).is_none(),
        }
    }

    fn surely_fits(&mut self, e: &Expr) -> bool {
        let Type::Int(ty) = self.pass.program.types[e.ty] else {
            return false;
        };
        let ends: Vec<i128> = match &e.kind {
            ExprKind::Unary(UnOp::Neg, a) => match self.quiet(a) {
                Some((lo, hi)) => vec![-lo, -hi],
                None => return false,
            },
            ExprKind::Binary(op, a, b) => {
                let (Some((a, b)), Some((c, d))) = (self.quiet(a), self.quiet(b)) else {
                    return false;
                };
                match op {
                    BinOp::Add => vec![a + c, b + d],
                    BinOp::Sub => vec![a - d, b - c],
                    BinOp::Mul if ty.bits <= 63 => vec![a * c, a * d, b * c, b * d],
                    BinOp::Div | BinOp::Rem => {
                        return !(ty.signed && a == value::min(ty) && c <= -1 && -1 <= d);
                    }
                    BinOp::Shl if a >= 0 && (0..64).contains(&c) && (0..64).contains(&d) => {
                        match ty.bits <= 63 {
                            true => vec![a << c, b << d],
                            false => return false,
                        }
                    }
                    _ => return false,
                }
            }
            _ => return false,
        };
        ty.bits < 127
            && ends
                .iter()
                .all(|v| value::min(ty) <= *v && *v <= value::max(ty))
    }

    /// The range of an expression, without a note about it.
    fn quiet(&mut self, e: &Expr) -> Option<Interval> {
        let mut quiet = Eval {
            pass: self.pass,
            state: std::mem::take(&mut self.state),
            proven: None,
        };
        let range = quiet.expr(e);
        self.state = quiet.state;
        range
    }

    /// The state where a condition holds or fails; none if it cannot.
    pub(super) fn under(&self, cond: &Expr, holds: bool) -> Option<State> {
        let mut quiet = Eval {
            pass: self.pass,
            state: self.state.clone(),
            proven: None,
        };
        quiet.assume(cond, holds).then_some(quiet.state)
    }

    /// Narrows ranges by a condition; false if it cannot be.
    fn assume(&mut self, cond: &Expr, holds: bool) -> bool {
        match &cond.kind {
            ExprKind::Unary(UnOp::Not, a) => self.assume(a, !holds),
            ExprKind::Binary(BinOp::And, a, b) if holds => {
                self.assume(a, true) && self.assume(b, true)
            }
            ExprKind::Binary(BinOp::Or, a, b) if !holds => {
                self.assume(a, false) && self.assume(b, false)
            }
            ExprKind::Binary(op, a, b) if op.is_test() && !op.is_logical() => {
                let op = if holds { Some(*op) } else { negated(*op) };
                let Some(op) = op else {
                    return true;
                };
                self.compare(op, a, b) && self.compare(mirrored(op), b, a)
            }
            _ => {
                let Some(range) = self.expr(cond) else {
                    return true;
                };
                let key = self.key_of(cond);
                match (key, holds) {
                    (Some(key), false) => meet(&mut self.state, key, (0, 0), self.pass),
                    (_, true) => range != (0, 0),
                    (None, false) => range.0 <= 0 && 0 <= range.1,
                }
            }
        }
    }

    /// `a op b` holds: narrows `a`.
    fn compare(&mut self, op: BinOp, a: &Expr, b: &Expr) -> bool {
        if !matches!(self.pass.program.types[a.ty], Type::Int(_) | Type::Bool) {
            return true;
        }
        let (Some((x, y)), Some((lo, hi))) = (self.expr(a), self.expr(b)) else {
            return true;
        };
        let bounds = match op {
            BinOp::Eq => (lo, hi),
            BinOp::Lt => (i128::MIN, hi - 1),
            BinOp::Le => (i128::MIN, hi),
            BinOp::Gt => (lo + 1, i128::MAX),
            BinOp::Ge => (lo, i128::MAX),
            BinOp::Ne if lo == hi && x == lo => (lo + 1, i128::MAX),
            BinOp::Ne if lo == hi && y == lo => (i128::MIN, lo - 1),
            _ => return true,
        };
        if x > bounds.1 || y < bounds.0 {
            return false;
        }
        match self.key_of(a) {
            Some(key) => meet(&mut self.state, key, bounds, self.pass),
            None => true,
        }
    }
}

fn negated(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Ge => BinOp::Lt,
        BinOp::Gt => BinOp::Le,
        BinOp::Le => BinOp::Gt,
        _ => return None,
    })
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
