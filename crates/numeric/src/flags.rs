//! Flags whose value nobody reads any more: states that differ in nothing else are one.

use crate::order::Order;
use crate::point::World;
use crate::value::CellId;
use cwolf_cwi::{Block, BlockId, ExprKind, FuncId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which flags that belong to a function are never asked for again, by block.
pub(crate) fn dead_flags(
    world: &World<'_>,
    orders: &FxHashMap<FuncId, Order>,
    flags: &[CellId],
) -> FxHashMap<(FuncId, BlockId), Vec<CellId>> {
    let program = world.program;
    let mut found: FxHashMap<(FuncId, BlockId), Vec<CellId>> = FxHashMap::default();
    for func in orders.keys() {
        let function = &program.funcs[*func];
        let Some(body) = &function.body else { continue };
        for var in &function.locals {
            let Some(entry) = world.objects.var(*var) else {
                continue;
            };
            let cell = entry.first;
            if entry.leaves.len() != 1 || !flags.contains(&cell) {
                continue;
            }
            debug_assert!(!matches!(program.vars[*var].kind, VarKind::Global));
            // Backwards from blocks that read it, as far as nothing writes it.
            let mut live: FxHashSet<BlockId> = FxHashSet::default();
            let reads = |block: &Block| {
                let mut reads = false;
                for stmt in &block.stmts {
                    stmt.kind.for_each_expr(&mut |e| reads |= mentions(e, *var));
                    if let cwolf_cwi::StmtKind::Assign(place, _) = &stmt.kind
                        && place.as_var() == Some(*var)
                        && !reads
                    {
                        return false;
                    }
                }
                block
                    .branch
                    .for_each_expr(&mut |e| reads |= mentions(e, *var));
                reads
            };
            let writes = |block: &Block| {
                block.stmts.iter().any(|stmt| {
                    matches!(&stmt.kind, cwolf_cwi::StmtKind::Assign(place, _) if place.as_var() == Some(*var))
                })
            };
            let mut changed = true;
            while changed {
                changed = false;
                for (id, block) in body.blocks.enumerate() {
                    if live.contains(&id) {
                        continue;
                    }
                    let later = block.branch.successors().iter().any(|b| live.contains(b));
                    if reads(block) || later && !writes(block) {
                        live.insert(id);
                        changed = true;
                    }
                }
            }
            for id in body.blocks.ids().filter(|b| !live.contains(b)) {
                found.entry((*func, id)).or_default().push(cell);
            }
        }
    }
    found
}

fn mentions(e: &cwolf_cwi::Expr, var: cwolf_cwi::VarId) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
            found |= place.root() == Some(var);
        }
    });
    found
}
