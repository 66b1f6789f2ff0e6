//! Which variables live as long as a block: those that its own statements declare, and the
//! compound literals in its own expressions.

use crate::hir::{Expr, ExprKind, LocalInit, Stmt, StmtKind};
use cwolf_cwi::VarId;

/// The variables of a block, in order. Blocks inside it have their own.
pub(super) fn declared(stmts: &[Stmt]) -> Vec<VarId> {
    declared_with(stmts, None)
}

/// The same for a statement expression, whose value is computed in its block.
pub(super) fn declared_with(stmts: &[Stmt], value: Option<&Expr>) -> Vec<VarId> {
    let mut found = Vec::new();
    stmts.iter().for_each(|s| statement(s, &mut found));
    value.iter().for_each(|e| expression(e, &mut found));
    found
}

/// Statements inside others are blocks of their own; only conditions and the like count.
fn statement(stmt: &Stmt, found: &mut Vec<VarId>) {
    match &stmt.kind {
        StmtKind::Declare { var, init } => {
            found.push(*var);
            init.iter().for_each(|i| initialiser(i, found));
        }
        StmtKind::Expr(e)
        | StmtKind::Cleanup(e)
        | StmtKind::DeclareVla { size: e, .. }
        | StmtKind::If { cond: e, .. }
        | StmtKind::While { cond: e, .. }
        | StmtKind::DoWhile { cond: e, .. }
        | StmtKind::Switch { on: e, .. }
        | StmtKind::ComputedGoto(e)
        | StmtKind::Return(Some(e)) => expression(e, found),
        StmtKind::For {
            cond, step, init, ..
        } => {
            // What the first part declares lives in the loop's own scope.
            for stmt in init {
                if !matches!(stmt.kind, StmtKind::Declare { .. }) {
                    statement(stmt, found);
                }
            }
            cond.iter().chain(step).for_each(|e| expression(e, found));
        }
        StmtKind::Asm {
            inputs, outputs, ..
        } => inputs
            .iter()
            .chain(outputs)
            .for_each(|e| expression(e, found)),
        StmtKind::Block(_)
        | StmtKind::Case { .. }
        | StmtKind::Default
        | StmtKind::Empty
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(None) => {}
    }
}

fn initialiser(init: &LocalInit, found: &mut Vec<VarId>) {
    match init {
        LocalInit::Value(e) => expression(e, found),
        LocalInit::Pieces { pieces, .. } => {
            pieces.iter().for_each(|p| expression(&p.value, found));
        }
    }
}

fn expression(e: &Expr, found: &mut Vec<VarId>) {
    if let ExprKind::Compound(var, init) = &e.kind {
        found.push(*var);
        initialiser(init, found);
        return;
    }
    e.for_each_operand(&mut |e| expression(e, found));
}
