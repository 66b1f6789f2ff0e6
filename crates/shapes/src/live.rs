//! Which local variables may still be read: what others hold does not matter, and keeps no two states apart.

use cwolf_base::Idx;
use cwolf_cwi::{Base, BlockId, Body, Expr, ExprKind, FuncId, Place, Program, StmtKind, VarId};
use rustc_hash::FxHashSet;

/// The local variables of a function, whose addresses nobody takes, that may be read before they are set again.
pub(crate) struct LiveVars {
    /// At the start of each block.
    start: Vec<FxHashSet<VarId>>,
    /// During the call that ends a block.
    during: Vec<FxHashSet<VarId>>,
    followed: FxHashSet<VarId>,
}

impl LiveVars {
    pub(crate) fn new(
        program: &Program,
        func: FuncId,
        body: &Body,
        taken: &FxHashSet<VarId>,
    ) -> LiveVars {
        let function = &program.funcs[func];
        let own = function.params.iter().chain(&function.locals).copied();
        let mut live = LiveVars {
            start: vec![FxHashSet::default(); body.blocks.len()],
            during: vec![FxHashSet::default(); body.blocks.len()],
            followed: own.filter(|v| !taken.contains(v)).collect(),
        };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for block in body.blocks.ids().rev() {
                let now = live.before(body, block);
                if now != live.start[block.index()] {
                    live.start[block.index()] = now;
                    changed = true;
                }
            }
        }
        for block in body.blocks.ids() {
            live.during[block.index()] = live.after(body, block);
        }
        live
    }

    /// Whether what a variable holds at the start of a block does not matter.
    pub(crate) fn is_dead(&self, var: VarId, block: BlockId) -> bool {
        self.followed.contains(&var) && !self.start[block.index()].contains(&var)
    }

    /// Whether what a variable holds during the call that ends a block does not matter.
    pub(crate) fn is_dead_during(&self, var: VarId, block: BlockId) -> bool {
        self.followed.contains(&var) && !self.during[block.index()].contains(&var)
    }

    fn before(&self, body: &Body, block: BlockId) -> FxHashSet<VarId> {
        let code = &body.blocks[block];
        let mut live = self.after(body, block);
        code.branch.for_each_expr(&mut |e| read(e, &mut live));
        for stmt in code.stmts.iter().rev() {
            match &stmt.kind {
                StmtKind::Assign(place, _) => match place.as_var() {
                    Some(var) => {
                        live.remove(&var);
                    }
                    // What is not written of it stays.
                    None => live.extend(root(place)),
                },
                StmtKind::Live(var) | StmtKind::Dead(var) => {
                    live.remove(var);
                }
                _ => {}
            }
            stmt.kind.for_each_expr(&mut |e| read(e, &mut live));
        }
        live
    }

    fn after(&self, body: &Body, block: BlockId) -> FxHashSet<VarId> {
        let mut live = FxHashSet::default();
        body.blocks[block].branch.for_each_successor(|next| {
            live.extend(self.start[next.index()].iter().copied());
        });
        live
    }
}

fn root(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Var(var) => Some(var),
        Base::Deref(_) => None,
    }
}

fn read(e: &Expr, live: &mut FxHashSet<VarId>) {
    e.walk(&mut |e| {
        if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
            live.extend(root(place));
        }
    });
}
