//! Cleans up the blocks of a function. No pass changes what the function does, only how many
//! blocks it takes to say it.

use super::build::Builder;
use cwolf_base::{Idx, IndexVec};
use cwolf_cwi::{
    Block, BlockId, Body, Branch, Expr, ExprKind, RESULT, RegId, StmtKind, TypeId, Types,
};

type Blocks = IndexVec<BlockId, Block>;

/// All passes, in order.
pub(super) fn tidy(code: Builder) -> Body {
    let (mut blocks, order, regs) = code.finish();
    // First, so that what only a constant keeps alive is dropped below.
    fold_constants(&mut blocks);
    // Before unreachable blocks are dropped: the blocks that are jumped through become so.
    thread_jumps(&mut blocks, &order);
    let reachable = reachable(&blocks);
    // After that, so that a jump from dead code does not count as a second way in.
    let kept = merge_chains(&mut blocks, &order, &reachable);
    // Last, when it is known which blocks and registers are left.
    let blocks = renumber_blocks(blocks, &kept);
    renumber_registers(blocks, &regs)
}

/// An `if` or `switch` on a constant is a `goto`.
fn fold_constants(blocks: &mut Blocks) {
    for block in blocks.iter_mut() {
        let target = match &block.branch {
            Branch::If { cond, then, els } => cond
                .as_int()
                .map(|value| if value != 0 { *then } else { *els }),
            Branch::Switch { on, cases, default } => on.as_int().map(|value| {
                let hit = cases.iter().find(|c| c.lo <= value && value <= c.hi);
                hit.map_or(*default, |c| c.target)
            }),
            _ => None,
        };
        if let Some(target) = target {
            block.branch = Branch::Goto(target);
        }
    }
}

/// A jump to a block that only jumps on goes where that one goes. Empty blocks that go round in
/// a circle (`for (;;);`) become one block that jumps to itself.
fn thread_jumps(blocks: &mut Blocks, order: &[BlockId]) {
    const NEW: u32 = 0;
    let mut end: IndexVec<BlockId, Option<BlockId>> = IndexVec::from(vec![None; blocks.len()]);
    let mut visit: IndexVec<BlockId, u32> = IndexVec::from(vec![NEW; blocks.len()]);
    let next = |blocks: &Blocks, b: BlockId| match blocks[b] {
        Block {
            ref stmts,
            branch: Branch::Goto(to),
            ..
        } if stmts.is_empty() => Some(to),
        _ => None,
    };
    for (round, &start) in (NEW + 1..).zip(order) {
        let mut path = Vec::new();
        let mut at = start;
        let last = loop {
            if let Some(known) = end[at] {
                break known;
            }
            if visit[at] == round {
                break at;
            }
            visit[at] = round;
            path.push(at);
            match next(blocks, at) {
                Some(to) => at = to,
                None => break at,
            }
        };
        path.into_iter().for_each(|b| end[b] = Some(last));
    }
    for block in blocks.iter_mut() {
        let through = |b: &mut BlockId| *b = end[*b].unwrap_or(*b);
        block.branch.for_each_successor_mut(through);
    }
}

fn reachable(blocks: &Blocks) -> IndexVec<BlockId, bool> {
    let mut seen = IndexVec::from(vec![false; blocks.len()]);
    let mut work = vec![Body::ENTRY];
    seen[Body::ENTRY] = true;
    while let Some(block) = work.pop() {
        blocks[block].branch.for_each_successor(|b| {
            if !seen[b] {
                seen[b] = true;
                work.push(b);
            }
        });
    }
    seen
}

/// A block with one way in, a plain `goto`, becomes part of the block it is reached from.
/// Returns the blocks that are left, in order.
fn merge_chains(
    blocks: &mut Blocks,
    order: &[BlockId],
    reachable: &IndexVec<BlockId, bool>,
) -> Vec<BlockId> {
    let mut ways_in: IndexVec<BlockId, u32> = IndexVec::from(vec![0; blocks.len()]);
    ways_in[Body::ENTRY] = 1;
    let mut after_goto: IndexVec<BlockId, bool> = IndexVec::from(vec![false; blocks.len()]);
    for (id, block) in blocks.enumerate().filter(|(id, _)| reachable[*id]) {
        block.branch.for_each_successor(|b| ways_in[b] += 1);
        if let Branch::Goto(to) = block.branch {
            after_goto[to] = to != id;
        }
    }
    let joins = |b: BlockId| ways_in[b] == 1 && after_goto[b];
    let mut kept = Vec::new();
    for &head in order.iter().filter(|b| reachable[**b] && !joins(**b)) {
        // From the head of a chain on, so that each statement moves once.
        while let Branch::Goto(to) = blocks[head].branch {
            if !joins(to) {
                break;
            }
            let tail = &mut blocks[to];
            let (loc, stmts) = (tail.loc, std::mem::take(&mut tail.stmts));
            let branch = std::mem::replace(&mut tail.branch, Branch::Return(None));
            let block = &mut blocks[head];
            block.stmts.extend(stmts);
            block.loc = loc;
            block.branch = branch;
        }
        kept.push(head);
    }
    kept
}

/// Compact numbers, in the order of the source.
fn renumber_blocks(blocks: Blocks, kept: &[BlockId]) -> Blocks {
    let mut number = IndexVec::from(vec![Body::ENTRY; blocks.len()]);
    for (n, &block) in kept.iter().enumerate() {
        number[block] = BlockId::new(n);
    }
    let mut blocks: Vec<_> = blocks.into_vec().into_iter().map(Some).collect();
    let take = |id: &BlockId| {
        let mut block = blocks[id.index()].take().expect("a block is kept once");
        let renumber = |b: &mut BlockId| *b = number[*b];
        block.branch.for_each_successor_mut(renumber);
        block
    };
    kept.iter().map(take).collect()
}

/// Compact numbers for the registers that are left, in order of their first appearance.
fn renumber_registers(mut blocks: Blocks, regs: &IndexVec<RegId, TypeId>) -> Body {
    let mut number: IndexVec<RegId, Option<RegId>> = IndexVec::from(vec![None; regs.len()]);
    number[RESULT] = Some(RESULT);
    let mut left = IndexVec::new();
    left.push(Types::VOID);
    let mut renumber = |reg: &mut RegId| {
        let old = *reg;
        *reg = *number[old].get_or_insert_with(|| left.push(regs[old]));
    };
    let in_expr = |e: &mut Expr, renumber: &mut dyn FnMut(&mut RegId)| {
        e.walk_mut(&mut |e| {
            if let ExprKind::Reg(reg) = &mut e.kind {
                renumber(reg);
            }
        });
    };
    for block in blocks.iter_mut() {
        for stmt in &mut block.stmts {
            stmt.kind
                .for_each_expr_mut(&mut |e| in_expr(e, &mut renumber));
            if let StmtKind::SetReg(reg, _) = &mut stmt.kind {
                renumber(reg);
            }
        }
        block
            .branch
            .for_each_expr_mut(&mut |e| in_expr(e, &mut renumber));
    }
    Body { regs: left, blocks }
}
