//! New variables.

use cwolf_cwi::{Definition, Linkage, LocId, Program, TypeId, Var, VarId, VarKind};

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
