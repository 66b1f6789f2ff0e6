//! Conditions that are taken for granted: a branch that is taken, an assumption.

use crate::eval::{NOT, TRUTH};
use crate::graph::Val;
use crate::memory::At;
use crate::world::Res;
use cwolf_cwi::{BinOp, Expr, ExprKind, UnOp};
use cwolf_numeric::Num;

impl At<'_, '_> {
    /// Only runs in which a condition has this truth are looked at; false if there are none.
    pub(crate) fn assume(&mut self, e: &Expr, wanted: bool) -> Res<bool> {
        match &e.kind {
            ExprKind::Unary(UnOp::Not, a) => self.assume(a, !wanted),
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                if (*op == BinOp::And) == wanted {
                    return Ok(self.assume(a, wanted)? && self.assume(b, wanted)?);
                }
                // One of both is not as the operator needs it.
                let left = self.eval(a)?;
                if self.truth(&left)? == Some(!wanted) {
                    return self.assume(b, wanted);
                }
                let right = self.eval(b)?;
                if self.truth(&right)? == Some(!wanted) {
                    return self.assume(a, wanted);
                }
                Ok(true)
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let (left, right) = (self.eval(a)?, self.eval(b)?);
                let op = if wanted { *op } else { negated(*op) };
                let floats = self.int(a.ty).is_none();
                match floats {
                    true => Ok(true),
                    false => self.relate(op, &left, &right),
                }
            }
            // A conversion to a type that has all values keeps the truth.
            ExprKind::Cast(a) => {
                let wide = match (self.int(a.ty), self.int(e.ty)) {
                    (Some(from), Some(to)) => from.bits <= to.bits,
                    _ => false,
                };
                match wide {
                    true => self.assume(a, wanted),
                    false => self.assume_value(e, wanted),
                }
            }
            _ => self.assume_value(e, wanted),
        }
    }

    fn assume_value(&mut self, e: &Expr, wanted: bool) -> Res<bool> {
        let val = self.eval(e)?;
        if self.int(e.ty).is_none() {
            return Ok(true);
        }
        let op = if wanted { BinOp::Ne } else { BinOp::Eq };
        self.relate(op, &val, &Val::Const(0))
    }

    /// Only runs in which a comparison holds are looked at; false if there are none.
    fn relate(&mut self, op: BinOp, a: &Val, b: &Val) -> Res<bool> {
        if let Some(holds) = self.compare(op, a, b)? {
            return Ok(holds);
        }
        let (Some(x), Some(y)) = (self.g.num(a), self.g.num(b)) else {
            return Ok(true);
        };
        let test = self.test_of(a).filter(|_| *b == Val::Const(0));
        let (Some(new_x), Some(new_y)) = (within(op, &x, &y), within(mirrored(op), &y, &x)) else {
            return Ok(false);
        };
        if let Val::Sym(s) = a
            && new_x != x
        {
            self.g.limit(*s, new_x.clone());
        }
        if let Val::Sym(s) = b
            && new_y != y
        {
            self.g.limit(*s, new_y);
        }
        // Two names for one number.
        if let (BinOp::Eq, Val::Sym(s), Val::Sym(t)) = (op, a, b)
            && self.g.syms.contains_key(s)
            && self.g.syms.contains_key(t)
        {
            let (s, t) = (*s, *t);
            self.g.substitute(t, &Val::Sym(s));
        }
        // The result of a test says what was tested.
        if let (Some((tested, left, right)), BinOp::Eq | BinOp::Ne) = (test, op) {
            let tested = if op == BinOp::Ne {
                tested
            } else {
                negated(tested)
            };
            return self.relate(tested, &left, &right);
        }
        Ok(true)
    }

    /// The comparison that a number is the result of.
    fn test_of(&self, val: &Val) -> Option<(BinOp, Val, Val)> {
        if !matches!(val, Val::Sym(_)) {
            return None;
        }
        let (operation, _) = self.g.results.iter().find(|(_, t)| t == val)?;
        let zero = || Val::Const(0);
        match (operation.what, operation.args.as_slice()) {
            ((NOT, _), [a]) => Some((BinOp::Eq, a.clone(), zero())),
            ((TRUTH, _), [a]) => Some((BinOp::Ne, a.clone(), zero())),
            ((n, _), [a, b]) => {
                let op = BinOp::ALL.into_iter().find(|op| *op as u32 == n)?;
                op.is_comparison().then(|| (op, a.clone(), b.clone()))
            }
            _ => None,
        }
    }
}

fn negated(op: BinOp) -> BinOp {
    match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        other => other,
    }
}

fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}

/// The members of `x` that some member of `y` may be related to.
fn within(op: BinOp, x: &Num, y: &Num) -> Option<Num> {
    let (lo, hi) = y.bounds();
    let (least, most) = x.bounds();
    match op {
        BinOp::Eq => x.meet(y),
        BinOp::Ne => match y.as_constant() {
            Some(v) => x.without(v),
            None => Some(x.clone()),
        },
        BinOp::Lt => (least < hi).then(|| x.meet(&Num::range(least, most.min(hi - 1))))?,
        BinOp::Le => (least <= hi).then(|| x.meet(&Num::range(least, most.min(hi))))?,
        BinOp::Gt => (most > lo).then(|| x.meet(&Num::range(least.max(lo + 1), most)))?,
        BinOp::Ge => (most >= lo).then(|| x.meet(&Num::range(least.max(lo), most)))?,
        _ => Some(x.clone()),
    }
}
