//! Puts code into a program between its statements.

use crate::place::{CallSite, Spot};
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Expr, ExprKind, FuncId, LocId, Place, Program, RESULT,
    RegId, Stmt, StmtKind, TypeId, UnOp, VarId,
};

/// A place between two blocks: the first one goes on to the second, and nowhere else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub func: FuncId,
    pub from: BlockId,
    pub to: BlockId,
}

/// A program that code is put into.
pub(crate) struct Weaver<'p> {
    pub program: &'p mut Program,
}

impl Weaver<'_> {
    fn body(&mut self, func: FuncId) -> &mut Body {
        let body = self.program.funcs[func].body.as_mut();
        body.expect("a function with code")
    }
    pub fn block(&mut self, func: FuncId, stmts: Vec<Stmt>, branch: Branch, loc: LocId) -> BlockId {
        self.body(func).blocks.push(Block { stmts, loc, branch })
    }

    /// Opens gaps at spots, in their order; none where code cannot be put.
    pub fn open(&mut self, spots: &[Spot]) -> Vec<Option<Gap>> {
        let mut gaps: Vec<Option<Gap>> = vec![None; spots.len()];
        // Edges first: their ends still have their names. Then from the ends of blocks to their starts.
        let mut order: Vec<usize> = (0..spots.len()).collect();
        order.sort_by_key(|n| (spots[*n].from.is_none(), std::cmp::Reverse(spots[*n].index)));
        for n in order {
            let spot = &spots[n];
            gaps[n] = match &spot.from {
                Some(from) => self.on_edges(spot, from),
                None => self.split(spot),
            };
        }
        gaps
    }

    fn on_edges(&mut self, spot: &Spot, from: &[BlockId]) -> Option<Gap> {
        let (func, to) = (spot.func, spot.block);
        let body = self.body(func);
        // The result of a call does not come further than to the next block.
        if reads_result(&body.blocks[to], 0).is_some() {
            return None;
        }
        let loc = body.blocks[to].loc;
        let new = body.blocks.push(Block {
            stmts: Vec::new(),
            loc,
            branch: Branch::Goto(to),
        });
        for &block in from {
            // Code may have been put on the edge already.
            let direct = body.blocks[block].branch.successors();
            let through = direct
                .iter()
                .copied()
                .find(|s| !direct.contains(&to) && body.blocks[*s].branch == Branch::Goto(to));
            let block = through.unwrap_or(block);
            let change = |target: &mut BlockId| {
                if *target == to {
                    *target = new;
                }
            };
            body.blocks[block].branch.for_each_successor_mut(change);
        }
        Some(Gap {
            func,
            from: new,
            to,
        })
    }

    fn split(&mut self, spot: &Spot) -> Option<Gap> {
        let Spot {
            func, block, index, ..
        } = *spot;
        let kept = reads_result(&self.body(func).blocks[block], index);
        if kept.is_some_and(|ty| !self.program.types.is_scalar(ty)) {
            return None;
        }
        let body = self.body(func);
        let register = kept.map(|ty| (body.regs.push(ty), ty));
        let here = &mut body.blocks[block];
        let stmts = here.stmts.split_off(index);
        let loc = stmts.first().map_or(here.loc, |s| s.loc);
        let mut rest = Block {
            stmts,
            loc: here.loc,
            branch: Branch::Goto(block),
        };
        std::mem::swap(&mut rest.branch, &mut here.branch);
        here.loc = loc;
        if let Some((reg, ty)) = register {
            let kind = StmtKind::SetReg(reg, Expr::reg(ty, RESULT));
            here.stmts.push(Stmt { loc, kind });
            replace_result(&mut rest, reg);
        }
        let to = body.blocks.push(rest);
        body.blocks[block].branch = Branch::Goto(to);
        Some(Gap {
            func,
            from: block,
            to,
        })
    }

    /// The gap after a call, and the register that has its result there.
    pub fn after_call(&mut self, call: CallSite) -> Option<(Gap, RegId, TypeId)> {
        let CallSite { func, block } = call;
        let body = self.body(func);
        let loc = body.blocks[block].loc;
        let Branch::Call {
            ret,
            next: Some(next),
            ..
        } = body.blocks[block].branch
        else {
            return None;
        };
        if !self.program.types.is_scalar(ret) {
            return None;
        }
        let body = self.body(func);
        // Other calls go on there too, and have results of their own.
        let others = body
            .blocks
            .enumerate()
            .filter(|(id, b)| *id != block && b.branch.successors().contains(&next));
        let shared = others.count() > 0;
        let reads = reads_result(&body.blocks[next], 0);
        if shared && reads.is_some() {
            return None;
        }
        let reg = body.regs.push(ret);
        let kind = StmtKind::SetReg(reg, Expr::reg(ret, RESULT));
        let new = body.blocks.push(Block {
            stmts: vec![Stmt { loc, kind }],
            loc,
            branch: Branch::Goto(next),
        });
        if reads.is_some() {
            replace_result(&mut body.blocks[next], reg);
        }
        if let Branch::Call { next, .. } = &mut body.blocks[block].branch {
            *next = Some(new);
        }
        Some((
            Gap {
                func,
                from: new,
                to: next,
            },
            reg,
            ret,
        ))
    }

    /// Fills a gap with code that starts at a block and goes on to the gap's end.
    pub fn fill(&mut self, gap: Gap, start: BlockId) {
        self.body(gap.func).blocks[gap.from].branch = Branch::Goto(start);
    }

    /// Code that goes to one of two blocks, as a condition says; only what C evaluates is evaluated.
    pub fn test(
        &mut self,
        func: FuncId,
        cond: &Expr,
        yes: BlockId,
        no: BlockId,
        loc: LocId,
    ) -> BlockId {
        match &cond.kind {
            ExprKind::Binary(BinOp::And, a, b) => {
                let second = self.test(func, b, yes, no, loc);
                self.test(func, a, second, no, loc)
            }
            ExprKind::Binary(BinOp::Or, a, b) => {
                let second = self.test(func, b, yes, no, loc);
                self.test(func, a, yes, second, loc)
            }
            ExprKind::Unary(UnOp::Not, inner) => self.test(func, inner, no, yes, loc),
            _ => {
                let branch = Branch::If {
                    cond: cond.clone(),
                    then: yes,
                    els: no,
                };
                self.block(func, Vec::new(), branch, loc)
            }
        }
    }
}

/// The type of the call's result, if a block reads it from a statement on.
fn reads_result(block: &Block, index: usize) -> Option<TypeId> {
    let mut found = None;
    let mut look = |e: &Expr| {
        if e.kind == ExprKind::Reg(RESULT) {
            found = Some(e.ty);
        }
    };
    for stmt in block.stmts.iter().skip(index) {
        stmt.kind.for_each_expr(&mut |e| e.walk(&mut |e| look(e)));
        if matches!(stmt.kind, StmtKind::SetReg(RESULT, _)) {
            return found;
        }
    }
    block
        .branch
        .for_each_expr(&mut |e| e.walk(&mut |e| look(e)));
    found
}

fn replace_result(block: &mut Block, reg: RegId) {
    let change = |e: &mut Expr| {
        if e.kind == ExprKind::Reg(RESULT) {
            e.kind = ExprKind::Reg(reg);
        }
    };
    for stmt in &mut block.stmts {
        stmt.kind
            .for_each_expr_mut(&mut |e| e.walk_mut(&mut |e| change(e)));
        if matches!(stmt.kind, StmtKind::SetReg(RESULT, _)) {
            return;
        }
    }
    block
        .branch
        .for_each_expr_mut(&mut |e| e.walk_mut(&mut |e| change(e)));
}

/// What a variable holds.
pub(crate) fn value_of(program: &Program, var: VarId) -> Expr {
    Expr::load(Place::var(program.vars[var].ty, var))
}
