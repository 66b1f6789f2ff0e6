//! Choices of values.

use cwolf_cwi::{Expr, ExprKind, LocId, Place, Stmt, StmtKind};

/// `place = any value`.
pub(crate) fn assign_unknown(place: Place, loc: LocId) -> Stmt {
    let value = Expr {
        ty: place.ty,
        kind: ExprKind::Choose,
    };
    Stmt {
        loc,
        kind: StmtKind::Assign(place, value),
    }
}
