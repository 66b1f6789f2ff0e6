//! Failures that the interpreter itself lets pass, because the model gives them a meaning:
//! signed overflow (it wraps) and indices outside an array that stay inside its object.

use crate::property::Kind;
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{
    Base, BinOp, Branch, Callee, Expr, ExprKind, Place, Step, StmtKind, Type, TypeId, Types, UnOp,
};
use cwolf_interp::{At, View};

/// What fails in the statement or branch that is about to run.
pub(super) fn look(
    at: At,
    view: &View<'_, '_>,
    overflow: bool,
    bounds: bool,
) -> Option<(Kind, String)> {
    let program = view.program();
    let block = &program.funcs[at.func].body.as_ref()?.blocks[at.block];
    let look = Look {
        view,
        types: &program.types,
        overflow,
        bounds,
    };
    let Some(stmt) = block.stmts.get(at.index) else {
        return match &block.branch {
            Branch::If { cond, .. } => look.expr(cond),
            Branch::Switch { on, .. } => look.expr(on),
            Branch::Call { callee, args, .. } => {
                let callee = match callee {
                    Callee::Indirect(e) => look.expr(e),
                    Callee::Direct(_) => None,
                };
                callee.or_else(|| args.iter().find_map(|a| look.expr(a)))
            }
            Branch::Return(Some(e)) | Branch::Halt(e) => look.expr(e),
            Branch::Goto(_) | Branch::Return(None) | Branch::Unreachable(_) => None,
        };
    };
    match &stmt.kind {
        StmtKind::Assign(place, value) => {
            let found = look.expr(value);
            found.or_else(|| look.place(place, true))
        }
        StmtKind::SetReg(_, value) => look.expr(value),
        StmtKind::Assert { cond: e, .. } | StmtKind::Assume(e) => look.expr(e),
        StmtKind::Havoc { ptr, .. } => look.expr(ptr),
        StmtKind::Live(_) | StmtKind::Dead(_) => None,
    }
}

struct Look<'v, 'a, 'p> {
    view: &'v View<'a, 'p>,
    types: &'v Types,
    overflow: bool,
    bounds: bool,
}

impl Look<'_, '_, '_> {
    fn int(&self, e: &Expr) -> Option<i128> {
        match self.view.eval(e)? {
            Value::Int(v) => Some(v),
            Value::Float(_) => None,
        }
    }

    fn expr(&self, e: &Expr) -> Option<(Kind, String)> {
        match &e.kind {
            ExprKind::Load { place, .. } => return self.place(place, true),
            ExprKind::AddrOf(place) => return self.place(place, false),
            // The right side is evaluated only if the left one does not decide.
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                let found = self.expr(a);
                if found.is_some() {
                    return found;
                }
                let left = value::is_true(self.types, a.ty, self.view.eval(a)?);
                return match left == (*op == BinOp::And) {
                    true => self.expr(b),
                    false => None,
                };
            }
            _ => {}
        }
        let mut found = None;
        e.for_each_operand(&mut |operand| {
            if found.is_none() {
                found = self.expr(operand);
            }
        });
        found.or_else(|| self.overflow(e))
    }

    fn overflow(&self, e: &Expr) -> Option<(Kind, String)> {
        if !self.overflow {
            return None;
        }
        let ty = self.types.as_int(e.ty).filter(|ty| ty.signed)?;
        let (exact, words) = match &e.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                let (x, y) = (self.int(a)?, self.int(b)?);
                let exact = match op {
                    BinOp::Add => x.checked_add(y),
                    BinOp::Sub => x.checked_sub(y),
                    _ => x.checked_mul(y),
                };
                (exact, format!("{x} {} {y}", op.symbol()))
            }
            ExprKind::Unary(UnOp::Neg, a) => {
                let x = self.int(a)?;
                (x.checked_neg(), format!("-({x})"))
            }
            _ => return None,
        };
        let fits = exact.is_some_and(|v| (value::min(ty)..=value::max(ty)).contains(&v));
        (!fits).then(|| {
            let bits = ty.bits;
            let words = format!("{words} does not fit in {bits} signed bits");
            (Kind::Overflow, words)
        })
    }

    /// The indices of a place that is accessed, or (if not) whose address is taken.
    fn place(&self, place: &Place, accessed: bool) -> Option<(Kind, String)> {
        let mut found = None;
        place.for_each_operand(&mut |operand| {
            if found.is_none() {
                found = self.expr(operand);
            }
        });
        if found.is_some() || !self.bounds || !accessed {
            return found;
        }
        let program = self.view.program();
        let (mut ty, pointer): (TypeId, bool) = match &place.base {
            Base::Var(var) => (program.vars[*var].ty, false),
            Base::Deref(e) => (self.types.pointee(e.ty)?, true),
        };
        let mut last = pointer;
        for step in &place.path {
            match (step, &self.types[ty]) {
                (Step::Field(n), Type::Record(record)) => {
                    let fields = &self.types.records[*record].fields;
                    last = last && *n as usize + 1 == fields.len();
                    ty = fields.get(*n as usize)?.ty;
                }
                (Step::Index(index), Type::Array { elem, len }) => {
                    let n = self.int(index)?;
                    // An array of one element at the end of a structure stands for any length.
                    let open = *len == 0 || (last && *len == 1);
                    if !open && !(0..i128::from(*len)).contains(&n) {
                        let words = format!("index {n} of an array of {len} elements");
                        return Some((Kind::Bounds, words));
                    }
                    last = false;
                    ty = *elem;
                }
                _ => return None,
            }
        }
        None
    }
}
