//! Locals that may be read before they are written get any value where they come to life: every
//! engine and the interpreter then choose it at the same step.

use crate::liveness::{live_at_start, revived};
use crate::variable::assign_unknown;
use cwolf_cwi::{Block, BlockId, Body, Branch, LocId, Place, Program, Stmt, StmtKind, VarId};
use rustc_hash::FxHashSet;

/// Gives locals that may be read before they are written any value where they come to life.
pub(crate) fn choose_uninitialised(program: &mut Program) {
    for id in program.funcs.ids() {
        let Some(mut body) = program.funcs[id].body.take() else {
            continue;
        };
        let locals: FxHashSet<VarId> = program.funcs[id].locals.iter().copied().collect();
        let open = read_before_written(program, &body, &locals);
        let choose = |program: &Program, var: VarId, loc: LocId| {
            let ty = program.vars[var].ty;
            assign_unknown(Place::var(ty, var), loc)
        };
        for block in body.blocks.iter_mut() {
            for stmt in std::mem::take(&mut block.stmts) {
                let chosen = match stmt.kind {
                    StmtKind::Live(var) if open.contains(&var) => {
                        Some(choose(program, var, stmt.loc))
                    }
                    _ => None,
                };
                block.stmts.push(stmt);
                block.stmts.extend(chosen);
            }
        }
        let mut first: Vec<Stmt> = Vec::new();
        for var in &program.funcs[id].locals {
            if open.contains(var) {
                first.push(choose(program, *var, program.vars[*var].loc));
            }
        }
        if !first.is_empty() {
            at_entry(&mut body, first);
        }
        program.funcs[id].body = Some(body);
    }
}

/// Puts statements where control enters, and only there.
fn at_entry(body: &mut Body, first: Vec<Stmt>) {
    let mut again = false;
    for block in body.blocks.iter() {
        block
            .branch
            .for_each_successor(|b| again |= b == Body::ENTRY);
    }
    let entry = &mut body.blocks[Body::ENTRY];
    if !again {
        entry.stmts.splice(0..0, first);
        return;
    }
    // Control comes back to the first block: it moves, so that it can be entered twice.
    let loc = entry.loc;
    let moved = BlockId(body.blocks.len() as u32);
    let start = Block {
        stmts: first,
        loc,
        branch: Branch::Goto(moved),
    };
    let old = std::mem::replace(&mut body.blocks[Body::ENTRY], start);
    body.blocks.push(old);
    for (id, block) in body.blocks.iter_mut().enumerate() {
        if id > 0 {
            block.branch.for_each_successor_mut(|b| {
                if *b == Body::ENTRY {
                    *b = moved;
                }
            });
        }
    }
}

/// Locals that a path from the entry may read (in part, or by taking their address) before it
/// writes all of them.
fn read_before_written(
    program: &Program,
    body: &Body,
    locals: &FxHashSet<VarId>,
) -> FxHashSet<VarId> {
    let (live, reborn) = live_at_start(program, body, locals);
    let mut open = live[0].clone();
    open.extend(reborn);
    open.extend(revived(body).into_iter().filter(|v| locals.contains(v)));
    // What nobody can hold is nothing to choose.
    open.retain(|var| program.types.size_of(program.vars[*var].ty) > 0);
    open
}
