//! Variables that code outside the program may change.

use crate::Type;
use crate::code::{ExprKind, StmtKind, VarId};
use crate::program::{InitValue, Program};
use rustc_hash::FxHashSet;

/// Variables that may hold what code outside wrote without being told where: those whose address is taken, and those that whole
/// structs are copied to, if anything is given to such code (`Havoc` without a size) at all.
pub fn shared_with_outside(program: &Program) -> FxHashSet<VarId> {
    let mut taken = FxHashSet::default();
    let bodies = || program.funcs.iter().filter_map(|f| f.body.as_ref());
    let gives = |kind: &StmtKind| matches!(kind, StmtKind::Havoc { size: None, .. });
    let mut blocks = bodies().flat_map(|body| body.blocks.iter());
    if !blocks.any(|block| block.stmts.iter().any(|stmt| gives(&stmt.kind))) {
        return taken;
    }
    for body in bodies() {
        for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
            if let StmtKind::Assign(to, from) = &stmt.kind
                && matches!(program.types[from.ty], Type::Record(_) | Type::Array { .. })
            {
                taken.extend(to.root());
            }
        }
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::AddrOf(place) = &e.kind {
                    taken.extend(place.root());
                }
            });
        });
    }
    for item in program.vars.iter().flat_map(|var| &var.init) {
        if let InitValue::Addr(var, _) = item.value {
            taken.insert(var);
        }
    }
    taken
}
