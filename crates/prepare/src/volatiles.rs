//! Volatile reads: the world outside may have changed what is there.

use cwolf_cwi::{Body, ExprKind, Place, Program, StmtKind, VarId};
use rustc_hash::FxHashSet;

/// A volatile read gives any value. The world outside does not know locals whose address nobody
/// takes: they are volatile for the sake of `longjmp`.
pub(crate) fn choose_volatiles(program: &mut Program) {
    let (types, vars) = (&program.types, &program.vars);
    for function in program.funcs.iter_mut() {
        let Some(body) = &mut function.body else {
            continue;
        };
        let taken = taken(body);
        let own = |place: &Place| {
            let own = |v: VarId| vars[v].kind.is_automatic() && !taken.contains(&v);
            place.root().is_some_and(own)
        };
        for block in body.blocks.iter_mut() {
            for stmt in &mut block.stmts {
                if let StmtKind::SetReg(_, value) = &mut stmt.kind
                    && let ExprKind::Load {
                        place,
                        volatile: true,
                    } = &value.kind
                    && !own(place)
                    && types.pointee(value.ty).is_none()
                {
                    value.kind = ExprKind::Choose;
                }
            }
        }
    }
}

/// The variables whose address the code takes.
pub(crate) fn taken(body: &Body) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    body.for_each_expr(&mut |e| {
        e.walk(&mut |e| {
            if let ExprKind::AddrOf(place) = &e.kind {
                found.extend(place.root());
            }
        });
    });
    found
}
