//! What a branch tells about the operands of its condition (3.7.9, 3.9.9): only those members
//! are kept that have a partner on the other side.

use super::Universe;
use super::piece::Piece;
use super::sink::Sink;
use super::value::{Kind, Value};
use cwolf_cwi::{BinOp, IntTy};

/// The comparison with its sides exchanged.
pub fn mirror(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}

/// The comparison that holds when `op` does not.
pub fn opposite(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        _ => return None,
    })
}

impl Universe {
    /// The members of `a` for which `a op b` holds with some member of `b`, in the domain
    /// `kind` (that of the variable that holds `a`).
    pub fn constrain(&self, op: BinOp, ty: IntTy, a: Value, b: Value, kind: Kind) -> Value {
        if a == Value::Bottom || b == Value::Bottom {
            return Value::Bottom;
        }
        if ty.bits > 64 || !op.is_comparison() {
            return a;
        }
        // An address may equal any integer; pointers and floats have constraints of their own.
        let other = |v| matches!(self.kind_of(v), Kind::Pointer | Kind::Float);
        if other(a) || other(b) {
            return a;
        }
        let Some((lo, hi)) = self.bounds(ty, b) else {
            return Value::Bottom;
        };
        match op {
            BinOp::Eq => self.meet(ty, kind, a, b),
            BinOp::Ne => match self.exact(ty, b) {
                Some(v) => self.filter(ty, a, kind, |p| p.without(v)),
                None => a,
            },
            BinOp::Lt => self.filter(ty, a, kind, |p| [p.clip(p.lo, hi - 1), None]),
            BinOp::Le => self.filter(ty, a, kind, |p| [p.clip(p.lo, hi), None]),
            BinOp::Gt => self.filter(ty, a, kind, |p| [p.clip(lo + 1, p.hi), None]),
            _ => self.filter(ty, a, kind, |p| [p.clip(lo, p.hi), None]),
        }
    }
    /// Both sides of `a op b` constrained by each other, each in the domain it came in.
    pub fn constrain_both(&self, op: BinOp, ty: IntTy, a: Value, b: Value) -> (Value, Value) {
        let left = self.constrain(op, ty, a, b, Kind::Free);
        let right = self.constrain(mirror(op), ty, b, a, Kind::Free);
        if left == Value::Bottom || right == Value::Bottom {
            return (Value::Bottom, Value::Bottom);
        }
        (left, right)
    }
    /// The members of `v` that are between two bounds: a case of a switch, with `Free` for the
    /// domain it came in.
    pub fn between(&self, ty: IntTy, v: Value, lo: i128, hi: i128, kind: Kind) -> Value {
        if ty.bits > 64 {
            return v;
        }
        self.filter(ty, v, kind, |p| [p.clip(lo, hi), None])
    }
    /// The members of `v` that are not between two bounds: the default of a switch.
    pub fn outside(&self, ty: IntTy, v: Value, lo: i128, hi: i128, kind: Kind) -> Value {
        if ty.bits > 64 || lo > hi {
            return v;
        }
        self.filter(ty, v, kind, |p| {
            let below = lo.checked_sub(1).and_then(|end| p.clip(p.lo, end));
            let above = hi.checked_add(1).and_then(|start| p.clip(start, p.hi));
            [below, above]
        })
    }
    /// The members of `v` that count as true, or those that count as false.
    pub fn assume(&self, ty: IntTy, v: Value, truth: bool, kind: Kind) -> Value {
        let op = if truth { BinOp::Ne } else { BinOp::Eq };
        self.constrain(op, ty, v, Value::Int(0), kind)
    }
    fn filter(
        &self,
        ty: IntTy,
        v: Value,
        kind: Kind,
        keep: impl Fn(Piece) -> [Option<Piece>; 2],
    ) -> Value {
        let kind = match kind {
            Kind::Free => self.kind_of(v),
            kind => kind,
        };
        let mut sink = Sink::new(self, ty, kind);
        self.pieces(ty, v, true, |p| {
            keep(p).into_iter().flatten().for_each(|q| sink.add(q));
        });
        sink.finish()
    }
}
