//! New variables, and choices of their values.

use cwolf_cwi::{
    Definition, Expr, ExprKind, Linkage, LocId, Place, Program, Stmt, StmtKind, TypeId, Var, VarId,
    VarKind,
};

/// A new variable of the program, without an initialiser.
pub(crate) fn variable(
    program: &mut Program,
    name: String,
    ty: TypeId,
    kind: VarKind,
    loc: LocId,
) -> VarId {
    let align = program.types.align_of(ty);
    program.vars.push(Var {
        name,
        ty,
        kind,
        linkage: Linkage::Internal,
        definition: Definition::Defined,
        volatile: false,
        constant: false,
        thread_local: false,
        align,
        extra: 0,
        init: Vec::new(),
        alias: None,
        weak: false,
        loc,
    })
}

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
