//! Which statements of a block are abstracted together. A value that passes through a register or
//! a variable that no predicate names is lost between two boolean statements; so the statement
//! that sets it, the one that uses it, and all between them become one.

use cwolf_cwi::{Base, Block, Branch, Expr, ExprKind, Place, RegId, Stmt, StmtKind, VarId};
use rustc_hash::FxHashSet;

/// More statements are not put together.
const LONGEST: usize = 12;

/// Something that holds a value for a while.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Reg(RegId),
    Var(VarId),
}

/// Statements `start..end` of a block; with `branch`, the condition at its end is asked together
/// with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub start: usize,
    pub end: usize,
    pub branch: bool,
}

/// Cuts a block into regions. `hidden` tells whether a variable has no predicate and no pointer.
pub(crate) fn regions(
    block: &Block,
    together: bool,
    hidden: &dyn Fn(VarId) -> bool,
) -> Vec<Region> {
    let count = block.stmts.len();
    // For each statement, the last one that belongs to the same region.
    let mut last: Vec<usize> = (0..count).collect();
    if together {
        for (n, stmt) in block.stmts.iter().enumerate() {
            if let Some(holder) = set_by(stmt, hidden)
                && let Some(user) = last_user(block, n, holder)
            {
                last[n] = user;
            }
        }
    }
    let mut regions = Vec::new();
    let mut start = 0;
    while start < count {
        let mut end = start;
        let mut at = start;
        while at <= end && at < count {
            end = end.max(last[at]);
            at += 1;
        }
        let branch = end >= count;
        let end = end.min(count - 1) + 1;
        if end - start > LONGEST {
            regions.push(Region {
                start,
                end: start + 1,
                branch: false,
            });
            start += 1;
            continue;
        }
        regions.push(Region { start, end, branch });
        start = end;
    }
    regions
}

fn set_by(stmt: &Stmt, hidden: &dyn Fn(VarId) -> bool) -> Option<Holder> {
    match &stmt.kind {
        StmtKind::SetReg(reg, _) => Some(Holder::Reg(*reg)),
        StmtKind::Assign(place, _) => place.as_var().filter(|v| hidden(*v)).map(Holder::Var),
        _ => None,
    }
}

/// The last statement after `n` that uses the value which statement `n` gave `holder`; as many as
/// there are statements stands for the branch.
fn last_user(block: &Block, n: usize, holder: Holder) -> Option<usize> {
    let mut user = None;
    for (m, stmt) in block.stmts.iter().enumerate().skip(n + 1) {
        let mut used = false;
        let set = match &stmt.kind {
            StmtKind::Assign(place, e) => {
                place.for_each_operand(&mut |e| used |= uses(e, holder));
                used |= uses(e, holder);
                place.as_var().map(Holder::Var) == Some(holder)
            }
            StmtKind::SetReg(reg, e) => {
                used = uses(e, holder);
                Holder::Reg(*reg) == holder
            }
            StmtKind::Live(v) | StmtKind::Dead(v) => Holder::Var(*v) == holder,
            other => {
                other.for_each_expr(&mut |e| used |= uses(e, holder));
                false
            }
        };
        if used {
            user = Some(m);
        }
        if set {
            return user;
        }
    }
    match &block.branch {
        Branch::If { cond: e, .. } | Branch::Switch { on: e, .. } if uses(e, holder) => {
            Some(block.stmts.len())
        }
        _ => user,
    }
}

fn uses(e: &Expr, holder: Holder) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        let own = match &e.kind {
            ExprKind::Reg(reg) => Holder::Reg(*reg) == holder,
            ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => root(place) == Some(holder),
            _ => false,
        };
        found |= own;
    });
    found
}

fn root(place: &Place) -> Option<Holder> {
    match place.base {
        Base::Var(v) => Some(Holder::Var(v)),
        Base::Deref(_) => None,
    }
}

/// The variables that a list of conditions names.
pub(crate) fn named<'e>(conditions: impl Iterator<Item = &'e Expr>) -> FxHashSet<VarId> {
    conditions.flat_map(crate::predicate::vars).collect()
}
