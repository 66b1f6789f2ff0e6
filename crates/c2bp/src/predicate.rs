//! What the expressions of predicates mention.

use cwolf_cwi::{Base, Expr, ExprKind, Place, Program, Step, Type, VarId};
use rustc_hash::FxHashSet;

/// Calls `visit` for every place that an expression reads or takes the address of, outermost
/// first; `read` tells which.
pub(crate) fn for_each_place<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Place, bool)) {
    match &expr.kind {
        ExprKind::Load { place, .. } => visit(place, true),
        ExprKind::AddrOf(place) => visit(place, false),
        _ => {}
    }
    expr.for_each_operand(&mut |e| for_each_place(e, visit));
}

/// The paper's vars(e): the variables referenced in an expression.
pub(crate) fn vars(expr: &Expr) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for_each_place(expr, &mut |place, _| {
        if let Base::Var(v) = place.base {
            found.insert(v);
        }
    });
    found
}

/// The paper's drfs(e): the variables dereferenced in an expression.
pub(crate) fn dereferenced(expr: &Expr) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for_each_place(expr, &mut |place, read| {
        if let (Base::Deref(pointer), true) = (&place.base, read) {
            found.extend(vars(pointer));
        }
    });
    found
}

/// Whether an expression compares floating-point numbers, whose order is not total.
pub(crate) fn has_floats(program: &Program, expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |e| found |= matches!(program.types[e.ty], Type::Float(_)));
    found
}

/// `expr` with variables replaced by values; none if one of them is used as more than a value.
pub(crate) fn substitute(expr: &Expr, values: &dyn Fn(VarId) -> Option<Expr>) -> Option<Expr> {
    let place = |place: &Place| -> Option<Place> {
        let mut steps = Vec::new();
        for step in &place.path {
            steps.push(match step {
                Step::Field(n) => Step::Field(*n),
                Step::Index(i) => Step::Index(substitute(i, values)?),
            });
        }
        let base = match &place.base {
            Base::Deref(pointer) => Base::Deref(Box::new(substitute(pointer, values)?)),
            Base::Var(v) => match values(*v) {
                None => Base::Var(*v),
                // A part of a record that is passed by value.
                Some(Expr {
                    kind: ExprKind::Load { place: whole, .. },
                    ..
                }) if !steps.is_empty() => {
                    let mut all = whole.path;
                    all.append(&mut steps);
                    steps = all;
                    whole.base
                }
                Some(_) => return None,
            },
        };
        Some(Place {
            ty: place.ty,
            base,
            path: steps,
        })
    };
    let kind = match &expr.kind {
        ExprKind::Load { place: p, volatile } => {
            if let Some(value) = p.as_var().and_then(values) {
                return Some(Expr::cast(expr.ty, value));
            }
            ExprKind::Load {
                place: place(p)?,
                volatile: *volatile,
            }
        }
        ExprKind::AddrOf(p) => {
            if let Base::Var(v) = p.base
                && values(v).is_some()
            {
                return None;
            }
            ExprKind::AddrOf(place(p)?)
        }
        ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(substitute(a, values)?)),
        ExprKind::Cast(a) => ExprKind::Cast(Box::new(substitute(a, values)?)),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(
            *op,
            Box::new(substitute(a, values)?),
            Box::new(substitute(b, values)?),
        ),
        ExprKind::PtrAdd { ptr, index, scale } => ExprKind::PtrAdd {
            ptr: Box::new(substitute(ptr, values)?),
            index: Box::new(substitute(index, values)?),
            scale: *scale,
        },
        ExprKind::PtrDiff { left, right, scale } => ExprKind::PtrDiff {
            left: Box::new(substitute(left, values)?),
            right: Box::new(substitute(right, values)?),
            scale: *scale,
        },
        other => other.clone(),
    };
    Some(Expr { ty: expr.ty, kind })
}
