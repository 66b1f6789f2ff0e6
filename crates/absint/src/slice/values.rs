//! What the values in labels are made of: the cells that a label reads, the cells that are stored there, and so on. This is data
//! dependence alone; which way control takes does not count.

use super::{CellKey, Fields, Leaf, LeafId, Leaves};
use crate::machine::{at_all_places, mentions_operands, values};
use crate::map::{Event, Rule, instances};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{Block, BlockId, Body, Branch, ExprKind, FuncId, RESULT, StmtKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The cells that the labels of these rules read, then the cells that are stored in those, and so on.
pub fn value_cells(program: &Analysed, rules: &[&Rule]) -> Vec<BTreeSet<CellKey>> {
    let mut leaves = Leaves::new(program, Fields::ByType);
    let mut layer: BTreeSet<LeafId> = BTreeSet::new();
    for rule in rules {
        if !mentions_operands(rule) {
            for e in values(rule) {
                e.walk(&mut |e| {
                    if let ExprKind::Load { place, .. } = &e.kind {
                        for place in instances(program, place) {
                            layer.extend(leaves.place(FuncId(0), Body::ENTRY, &place));
                        }
                    }
                });
            }
            continue;
        }
        for (func, block, rule) in at_all_places(program, rule) {
            if !may_happen(program, &rule.event, func, block) {
                continue;
            }
            for e in values(&rule) {
                layer.extend(leaves.reads(func, block, e));
            }
        }
    }
    let mut known: FxHashSet<LeafId> = FxHashSet::default();
    let mut layers: Vec<BTreeSet<CellKey>> = Vec::new();
    while !layer.is_empty() {
        known.extend(layer.iter().copied());
        let cells: BTreeSet<CellKey> = (layer.iter())
            .filter_map(|leaf| match leaves.get(*leaf) {
                Leaf::Cell(var, path) => Some((*var, path.clone())),
                _ => None,
            })
            .collect();
        if !cells.is_empty() {
            layers.push(cells);
        }
        let from = sources(program, &mut leaves, &layer);
        layer = from.into_iter().filter(|l| !known.contains(l)).collect();
    }
    layers
}

/// Whether an event may be the branch of a block.
fn may_happen(program: &Analysed, event: &Event, func: FuncId, block: BlockId) -> bool {
    let body = program.funcs[func].body.as_ref();
    match (event, body.map(|b| &b.blocks[block].branch)) {
        (Event::Call(funcs), Some(Branch::Call { callee, .. })) => {
            let (targets, outside) = program.points_to().callees(func, block, callee);
            outside || targets.iter().any(|f| funcs.contains(f))
        }
        (Event::Return(funcs), _) => funcs.contains(&func),
        _ => true,
    }
}

/// What is stored in some leaves.
fn sources(
    program: &Analysed,
    leaves: &mut Leaves<'_>,
    wanted: &BTreeSet<LeafId>,
) -> BTreeSet<LeafId> {
    let mut found = BTreeSet::new();
    for (func, f) in program.funcs.enumerate() {
        for (block, code) in f.body.iter().flat_map(|b| b.blocks.enumerate()) {
            for stmt in &code.stmts {
                let (written, e) = match &stmt.kind {
                    StmtKind::Assign(place, e) => (leaves.place(func, block, place), e),
                    StmtKind::SetReg(RESULT, e) => {
                        (vec![leaves.intern(Leaf::Result(func, block))], e)
                    }
                    StmtKind::SetReg(reg, e) => (vec![leaves.register(func, block, *reg)], e),
                    _ => continue,
                };
                if written.iter().any(|l| wanted.contains(l)) {
                    found.extend(leaves.reads(func, block, e));
                }
            }
            found.extend(passed(program, leaves, wanted, (func, block, code)));
        }
    }
    found
}

/// What a call gives to parameters, and what its callees return.
fn passed(
    program: &Analysed,
    leaves: &mut Leaves<'_>,
    wanted: &BTreeSet<LeafId>,
    (func, block, code): (FuncId, BlockId, &Block),
) -> Vec<LeafId> {
    let Branch::Call {
        callee, args, next, ..
    } = &code.branch
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let result = next.map(|next| leaves.intern(Leaf::Result(func, next)));
    let is_wanted = result.is_some_and(|l| wanted.contains(&l));
    let (targets, _) = program.points_to().callees(func, block, callee);
    for target in targets {
        let function = &program.funcs[target];
        for (param, arg) in function.params.iter().zip(args) {
            if leaves.variable(*param).iter().any(|l| wanted.contains(l)) {
                found.extend(leaves.reads(func, block, arg));
            }
        }
        for (block, code) in function.body.iter().flat_map(|b| b.blocks.enumerate()) {
            if let Branch::Return(Some(e)) = &code.branch
                && is_wanted
            {
                found.extend(leaves.reads(target, block, e));
            }
        }
    }
    found
}
