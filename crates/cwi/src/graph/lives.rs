//! Which variables of inner blocks a jump ends.

use crate::{BlockId, Body, StmtKind, VarId};
use cwolf_base::Idx;
use rustc_hash::FxHashSet;

/// The variables of inner blocks that are not under way where the call that ends a block returns: to jump
/// back to there ends them.
pub fn ended_at(body: &Body, mark: BlockId) -> Vec<VarId> {
    let mut begun: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); body.blocks.len()];
    let mut all: Vec<VarId> = Vec::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (id, block) in body.blocks.enumerate() {
            let mut now = begun[id.index()].clone();
            for stmt in &block.stmts {
                match stmt.kind {
                    StmtKind::Live(v) => {
                        now.insert(v);
                        all.push(v);
                    }
                    StmtKind::Dead(v) => drop(now.remove(&v)),
                    _ => {}
                }
            }
            for next in block.branch.successors() {
                let there = &mut begun[next.index()];
                let before = there.len();
                there.extend(&now);
                changed |= there.len() != before;
            }
        }
    }
    let next = body.blocks[mark].branch.successors();
    all.sort_unstable();
    all.dedup();
    all.retain(|v| next.iter().all(|b| !begun[b.index()].contains(v)));
    all
}
