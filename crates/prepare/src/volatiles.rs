//! Volatile reads: the world outside may have changed what is there.

use cwolf_cwi::{ExprKind, Program, StmtKind};

/// A volatile read gives any value.
pub(crate) fn choose_volatiles(program: &mut Program) {
    let types = &program.types;
    for function in program.funcs.iter_mut() {
        let Some(body) = &mut function.body else {
            continue;
        };
        for block in body.blocks.iter_mut() {
            for stmt in &mut block.stmts {
                if let StmtKind::SetReg(_, value) = &mut stmt.kind
                    && let ExprKind::Load { volatile: true, .. } = value.kind
                    && types.pointee(value.ty).is_none()
                {
                    value.kind = ExprKind::Choose;
                }
            }
        }
    }
}
