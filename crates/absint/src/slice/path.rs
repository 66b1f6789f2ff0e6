//! Slicing one way through the program backwards from conditions on it: what they depend on.

use super::{Fields, Leaf, LeafId, Leaves};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{Base, BlockId, Branch, Callee, Expr, FuncId, RESULT, StmtKind, Type, VarId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// A scalar of a variable: the variable, and the fields that lead to it.
pub type CellKey = (VarId, Vec<u32>);

/// The cells that decide whether control comes to the blocks at some `positions` of a way, and
/// whether what is `demanded` on it holds: a condition before a statement of the block at a position. A
/// position past the last block is about what its branch reads.
pub fn path_cells(
    program: &Analysed,
    way: &[(FuncId, BlockId)],
    positions: &[usize],
    demanded: &[(usize, usize, Expr)],
) -> BTreeSet<CellKey> {
    let mut leaves = Leaves::new(program, Fields::ByType);
    let mut wanted: FxHashSet<LeafId> = FxHashSet::default();
    let mut all: FxHashSet<LeafId> = FxHashSet::default();
    let last = positions.iter().max().copied().unwrap_or(0).min(way.len());
    for at in (0..way.len().min(last + 1)).rev() {
        let (func, block) = way[at];
        let Some(body) = &program.funcs[func].body else {
            continue;
        };
        let code = &body.blocks[block];
        let mut need = |found: Vec<LeafId>, wanted: &mut FxHashSet<LeafId>| {
            all.extend(found.iter().copied());
            wanted.extend(found);
        };
        let mut own: Vec<(usize, &Expr)> = (demanded.iter())
            .filter(|(position, ..)| *position == at)
            .map(|(_, index, e)| (*index, e))
            .collect();
        own.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
        let mut own = own.into_iter().peekable();
        if positions.contains(&(at + 1)) {
            match &code.branch {
                Branch::If { cond: e, .. }
                | Branch::Switch { on: e, .. }
                | Branch::Call {
                    callee: Callee::Indirect(e),
                    ..
                } => {
                    let reads = leaves.reads(func, block, e);
                    need(reads, &mut wanted);
                }
                _ => {}
            }
        }
        match &code.branch {
            Branch::Call { callee, args, .. } => {
                let (targets, _) = program.points_to().callees(func, block, callee);
                for target in targets {
                    // What a jump gives is the result of the call that it comes back from.
                    if program
                        .known(target)
                        .is_some_and(|row| row.jumps().is_some())
                        && let (Some(value), Some((to, next))) = (args.get(1), way.get(at + 1))
                    {
                        let result = leaves.intern(Leaf::Result(*to, *next));
                        if wanted.remove(&result) {
                            let reads = leaves.reads(func, block, value);
                            need(reads, &mut wanted);
                        }
                    }
                    for (param, arg) in program.funcs[target].params.iter().zip(args) {
                        let own = leaves.variable(*param);
                        if own.iter().any(|l| wanted.contains(l)) {
                            wanted.retain(|l| !own.contains(l));
                            let reads = leaves.reads(func, block, arg);
                            need(reads, &mut wanted);
                        }
                    }
                }
            }
            Branch::Return(Some(e)) => {
                if let Some((caller, next)) = way.get(at + 1) {
                    let result = leaves.intern(Leaf::Result(*caller, *next));
                    if wanted.remove(&result) {
                        let reads = leaves.reads(func, block, e);
                        need(reads, &mut wanted);
                    }
                }
            }
            _ => {}
        }
        for (index, stmt) in code.stmts.iter().enumerate().rev() {
            while let Some((_, e)) = own.next_if(|(before, _)| *before > index) {
                let reads = leaves.reads(func, block, e);
                need(reads, &mut wanted);
            }
            let (written, strong) = match &stmt.kind {
                StmtKind::Assign(place, _) => {
                    let is_scalar =
                        |v: VarId| !matches!(program.types[program.vars[v].ty], Type::Array { .. });
                    let strong = matches!(place.base, Base::Var(v) if is_scalar(v));
                    (leaves.place(func, block, place), strong)
                }
                StmtKind::SetReg(RESULT, _) => {
                    (vec![leaves.intern(Leaf::Result(func, block))], false)
                }
                StmtKind::SetReg(reg, _) => (vec![leaves.register(func, block, *reg)], true),
                _ => continue,
            };
            if !written.iter().any(|l| wanted.contains(l)) {
                continue;
            }
            if strong {
                wanted.retain(|l| !written.contains(l));
            }
            let mut reads = Vec::new();
            stmt.kind
                .for_each_expr(&mut |e| reads.extend(leaves.reads(func, block, e)));
            need(reads, &mut wanted);
        }
        for (_, e) in own {
            let reads = leaves.reads(func, block, e);
            need(reads, &mut wanted);
        }
    }
    let mut cells: BTreeSet<CellKey> = BTreeSet::new();
    for leaf in all {
        if let Leaf::Cell(var, path) = leaves.get(leaf) {
            cells.insert((*var, path.clone()));
        }
    }
    cells
}
