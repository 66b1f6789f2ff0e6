//! What lowering a tree will need, found without lowering it.

use super::Lower;
use crate::hir::{Expr, ExprKind, Scale};
use cwolf_cwi::{BinOp, Type};

/// From the simplest to the hardest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// A pure expression that cannot trap: it may be computed where C would not compute it.
    Plain,
    /// A pure expression.
    Pure,
    /// Statements or control flow.
    Effects,
}

impl Lower<'_> {
    /// What lowering the value (or, for a place, its address) `e` will need.
    pub(super) fn shape(&self, e: &Expr) -> Shape {
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Var(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::VarArgs
            | ExprKind::LabelAddr(_) => Shape::Plain,
            ExprKind::Deref(a) | ExprKind::Field(a, _) | ExprKind::AddrOf(a) => self.shape(a),
            ExprKind::Index(a, b) => self.shape(a).max(self.shape(b)),
            ExprKind::Load(place, volatile) => {
                if *volatile {
                    return Shape::Effects;
                }
                let trap = if self.load_may_trap(place) {
                    Shape::Pure
                } else {
                    Shape::Plain
                };
                self.shape(place).max(trap)
            }
            ExprKind::Cast(a) if self.program.types.is_scalar(e.ty) => self.shape(a),
            ExprKind::Unary(_, a) => self.shape(a),
            ExprKind::Binary(op, a, b) => {
                let own = if self.operator_may_trap(*op, a, b) {
                    Shape::Pure
                } else {
                    Shape::Plain
                };
                own.max(self.shape(a)).max(self.shape(b))
            }
            ExprKind::PtrAdd {
                ptr: a,
                index: b,
                scale,
            } => self
                .shape(a)
                .max(self.shape(b))
                .max(self.scale_shape(scale)),
            ExprKind::PtrDiff {
                left: a,
                right: b,
                scale,
            } => {
                let scale = match scale {
                    Scale::Const(_) => Shape::Plain,
                    // A division.
                    Scale::Runtime(_) => self.scale_shape(scale).max(Shape::Pure),
                };
                self.shape(a).max(self.shape(b)).max(scale)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => match self.shape(b).max(self.shape(a)) {
                Shape::Plain => Shape::Plain,
                _ => Shape::Effects,
            },
            ExprKind::Choose
            | ExprKind::Within(..)
            | ExprKind::Cast(_)
            | ExprKind::Compound(..)
            | ExprKind::Whole(_)
            | ExprKind::Cond(..)
            | ExprKind::Elvis { .. }
            | ExprKind::Comma(..)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Call { .. }
            | ExprKind::StmtExpr { .. }
            | ExprKind::Unreachable
            | ExprKind::Trap
            | ExprKind::Halt(_) => Shape::Effects,
        }
    }
    fn scale_shape(&self, scale: &Scale) -> Shape {
        match scale {
            Scale::Const(_) => Shape::Plain,
            Scale::Runtime(e) => self.shape(e),
        }
    }
    fn operator_may_trap(&self, op: BinOp, left: &Expr, right: &Expr) -> bool {
        let types = &self.program.types;
        match op {
            BinOp::Div | BinOp::Rem => {
                let harmless = matches!(right.kind, ExprKind::Int(d) if d != 0 && d != -1);
                !harmless && !matches!(types[right.ty], Type::Float(_))
            }
            BinOp::Shl | BinOp::Shr => {
                let width = types.as_int(left.ty).map_or(0, |t| i128::from(t.bits));
                !matches!(right.kind, ExprKind::Int(n) if (0..width).contains(&n))
            }
            _ => false,
        }
    }
    fn load_may_trap(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(_) => false,
            ExprKind::Field(base, _) => self.load_may_trap(base),
            ExprKind::Index(base, index) => {
                // The variable's type counts: an expression may know an older, incomplete one.
                let ty = match base.kind {
                    ExprKind::Var(var) => self.program.vars[var].ty,
                    _ => base.ty,
                };
                let len = match self.program.types[ty] {
                    Type::Array { len, .. } => i128::from(len),
                    _ => 0,
                };
                !matches!(index.kind, ExprKind::Int(i) if (0..len).contains(&i))
                    || self.load_may_trap(base)
            }
            _ => true,
        }
    }
}
