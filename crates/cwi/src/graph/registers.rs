//! Which registers may still be read: a pointer in one of these is held, however short it is kept.

use crate::{BlockId, Body, Branch, Expr, ExprKind, RESULT, RegId, StmtKind};
use cwolf_base::Idx;
use rustc_hash::FxHashSet;

/// The registers that may be read before they are set again.
#[derive(Clone, Debug)]
pub struct LiveRegisters {
    /// At the start of each block.
    start: Vec<FxHashSet<RegId>>,
}

impl LiveRegisters {
    /// Those of a function.
    pub fn new(body: &Body) -> LiveRegisters {
        let mut live = LiveRegisters {
            start: vec![FxHashSet::default(); body.blocks.len()],
        };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for block in body.blocks.ids().rev() {
                let now = live.before(body, block, 0);
                if now != live.start[block.index()] {
                    live.start[block.index()] = now;
                    changed = true;
                }
            }
        }
        live
    }

    /// While the call that ends a block is in progress.
    pub fn during_call(&self, body: &Body, block: BlockId) -> FxHashSet<RegId> {
        let mut live = self.after(body, block);
        live.remove(&RESULT);
        live
    }

    /// Before a statement of a block; past the last, before its branch.
    pub fn before(&self, body: &Body, block: BlockId, index: usize) -> FxHashSet<RegId> {
        let code = &body.blocks[block];
        let mut live = self.after(body, block);
        if matches!(code.branch, Branch::Call { .. }) {
            live.remove(&RESULT);
        }
        code.branch.for_each_expr(&mut |e| read(e, &mut live));
        for stmt in code.stmts.iter().skip(index).rev() {
            if let StmtKind::SetReg(reg, _) = &stmt.kind {
                live.remove(reg);
            }
            stmt.kind.for_each_expr(&mut |e| read(e, &mut live));
        }
        live
    }

    fn after(&self, body: &Body, block: BlockId) -> FxHashSet<RegId> {
        let mut live = FxHashSet::default();
        body.blocks[block].branch.for_each_successor(|next| {
            live.extend(self.start[next.index()].iter().copied());
        });
        live
    }
}

fn read(e: &Expr, live: &mut FxHashSet<RegId>) {
    e.walk(&mut |e| {
        if let ExprKind::Reg(reg) = e.kind {
            live.insert(reg);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Types;
    use crate::{Block, FuncId, LocId, Stmt};

    fn set(reg: u32, value: Expr) -> Stmt {
        let kind = StmtKind::SetReg(RegId(reg), value);
        Stmt {
            loc: LocId(0),
            kind,
        }
    }

    fn block(stmts: Vec<Stmt>, branch: Branch) -> Block {
        let loc = LocId(0);
        Block { stmts, loc, branch }
    }

    fn call(next: u32) -> Branch {
        Branch::Call {
            callee: crate::Callee::Direct(FuncId(0)),
            args: Vec::new(),
            ret: Types::INT,
            next: Some(BlockId(next)),
        }
    }

    /// `f(f(), f())` keeps the first result in a register while the second call is made.
    #[test]
    fn an_argument_to_be_is_held_during_the_next_call() {
        let reg = |n| Expr::reg(Types::INT, RegId(n));
        let body = Body::new(vec![
            block(Vec::new(), call(1)),
            block(vec![set(1, reg(0)), set(2, reg(1))], call(2)),
            block(vec![set(2, reg(0))], Branch::Return(Some(reg(1)))),
        ]);
        let live = LiveRegisters::new(&body);
        let list = |set: FxHashSet<RegId>| {
            let mut list: Vec<u32> = set.into_iter().map(|r| r.0).collect();
            list.sort_unstable();
            list
        };
        assert_eq!(list(live.during_call(&body, BlockId(0))), [0; 0]);
        assert_eq!(list(live.during_call(&body, BlockId(1))), [1]);
        assert_eq!(list(live.before(&body, BlockId(1), 0)), [0]);
        assert_eq!(list(live.before(&body, BlockId(1), 1)), [1]);
    }
}
