//! The statements and branches of a block (sections 4.3 and 4.4).

use crate::options::Layout;
use crate::procedure::{Procedure, Scoped};
use crate::region::{Region, regions};
use crate::shape::{Arm, Code, Exit, Item};
use cwolf_base::Exhausted;
use cwolf_boolprog::{Expr as BExpr, StmtKind as BStmt, Var};
use cwolf_cwi::{BinOp, Block, BlockId, Branch, Case, Expr, ExprKind, Stmt, Types};
use cwolf_logic::Term;
use rustc_hash::FxHashMap;

/// All blocks of the procedure.
pub(crate) fn all(procedure: &mut Procedure) -> Result<Vec<Code>, Exhausted> {
    let context = procedure.context;
    let function = &context.program.funcs[procedure.func];
    let body = function.body.as_ref().expect("a body");
    let mut arrivals = vec![0u32; body.blocks.len()];
    for block in body.blocks.iter() {
        block
            .branch
            .for_each_successor(|b| arrivals[b.0 as usize] += 1);
    }
    // What calls return is known in the block after the call, if there is no other way to it.
    let mut returned: FxHashMap<BlockId, (Vec<Scoped>, Vec<Var>)> = FxHashMap::default();
    let mut code: Vec<Option<Code>> = body.blocks.iter().map(|_| None).collect();
    for (id, block) in body.blocks.enumerate() {
        context.options.budget.tell(|| {
            let calls = procedure.prover.stats.prover_calls;
            format!("abstracting {}: {calls} prover calls", function.name)
        });
        // A block after a call may stand before it in the list.
        let known = returned.remove(&id);
        if known.is_none() && code[id.0 as usize].is_some() {
            continue;
        }
        let mut next = Some((id, block, known.unwrap_or_default()));
        while let Some((id, block, known)) = next.take() {
            (procedure.returned, procedure.updated) = known;
            code[id.0 as usize] = Some(one(procedure, id, block)?);
            if let Branch::Call { next: Some(to), .. } = &block.branch
                && arrivals[to.0 as usize] == 1
                && !procedure.returned.is_empty()
            {
                let known = std::mem::take(&mut procedure.returned);
                let known = (known, std::mem::take(&mut procedure.updated));
                match *to <= id {
                    true => next = Some((*to, &body.blocks[*to], known)),
                    false => {
                        returned.insert(*to, known);
                    }
                }
            }
        }
    }
    Ok(code
        .into_iter()
        .map(|c| c.expect("every block is made"))
        .collect())
}

fn one(p: &mut Procedure, id: BlockId, block: &Block) -> Result<Code, Exhausted> {
    let together = p.context.options.regions;
    let list = regions(block, together, &|v| p.is_hidden(v));
    let mut items = Vec::new();
    let mut with_branch: Vec<Item> = Vec::new();
    p.encoder.restart();
    p.encoder.block = id;
    for region in list {
        let stmts = &block.stmts[region.start..region.end];
        let (item, changed) = assignment(p, id, &region, stmts)?;
        if region.branch {
            let mut item = item;
            let names = std::mem::take(&mut item.labels);
            item.point = None;
            with_branch.push(item);
            // The condition is asked of the state before, and the writes are still there.
            let exit = branch(p, block, &with_branch)?;
            // The choice comes first, so that it stands for the first of the statements.
            let mut code = code(p, id, block, items, exit);
            code.point = region.start;
            code.labels.extend(names);
            return Ok(code);
        }
        items.push(item);
        // What was returned and is changed now is forgotten.
        let mut kept = std::mem::take(&mut p.returned);
        kept.retain(|t| p.encoder.weakest(&t.condition) == t.term);
        p.returned = kept;
        p.encoder.restart();
        let last = region.end == block.stmts.len();
        if !last || !matches!(block.branch, Branch::Goto(_) | Branch::Return(_)) {
            items.extend(p.agreement(&|_| true, Some(&changed))?);
        }
    }
    let exit = match &block.branch {
        Branch::Call {
            callee,
            args,
            ret,
            next,
        } => {
            let (more, exit) = crate::call::call(p, id, block.loc, callee, args, *ret, *next)?;
            let mut more = more;
            if let Some(first) = more.first_mut() {
                let point = block.stmts.len();
                first.point = Some(point);
                first.labels = labels(p, id, point);
            }
            items.extend(more);
            exit
        }
        _ => branch(p, block, &[])?,
    };
    Ok(code(p, id, block, items, exit))
}

fn labels(p: &Procedure, block: BlockId, point: usize) -> Vec<String> {
    let found = p.context.labels.get(&(p.func, block, point));
    found.cloned().unwrap_or_default()
}

fn code(p: &Procedure, id: BlockId, block: &Block, items: Vec<Item>, exit: Exit) -> Code {
    let point = block.stmts.len();
    let call = matches!(block.branch, Branch::Call { .. });
    let goto = matches!(block.branch, Branch::Goto(_));
    Code {
        items,
        source: match goto {
            true => None,
            false => p.source(block.loc, true),
        },
        labels: match call && !matches!(exit, Exit::Arms(_)) {
            true => Vec::new(),
            false => labels(p, id, point),
        },
        exit,
        point,
    }
}

/// A parallel assignment for a region of statements, and the variables whose predicates they may
/// change; the encoder keeps the writes.
fn assignment(
    p: &mut Procedure,
    id: BlockId,
    region: &Region,
    stmts: &[Stmt],
) -> Result<(Item, Vec<Var>), Exhausted> {
    if !p.is_blind() {
        stmts.iter().for_each(|s| p.encoder.step(&s.kind));
    }
    let updated = std::mem::take(&mut p.updated);
    let available = p.available(&|s| !updated.contains(&s.var));
    let all = p.context.options.layout == Layout::Paper && updated.is_empty();
    let skip = p.context.options.optimisations.unchanged && !all;
    let (mut targets, mut values) = (Vec::new(), Vec::new());
    let mut changed = Vec::new();
    for scoped in p.scope.clone() {
        let goal = p.encoder.weakest(&scoped.condition);
        match goal == scoped.term {
            true if skip => continue,
            true => {}
            false => changed.push(scoped.var),
        }
        targets.push(scoped.var);
        values.push(p.choose(goal, &available)?);
    }
    let kind = match targets.is_empty() || (all && changed.is_empty()) {
        true => BStmt::Skip,
        false => BStmt::Assign {
            targets,
            values,
            constrain: None,
        },
    };
    let mut source = p.source(stmts[0].loc, false);
    let mut texts: Vec<String> = Vec::new();
    for stmt in stmts {
        let text = p.source(stmt.loc, false).map(|s| s.text);
        texts.extend(text.filter(|t| !texts.contains(t)));
    }
    if let Some(source) = &mut source {
        source.text = texts.join(" ");
    }
    let mut item = p.item(kind, source);
    item.point = Some(region.start);
    item.labels = (region.start..region.end)
        .flat_map(|n| labels(p, id, n))
        .collect();
    Ok((item, changed))
}

/// The branch at the end of a block, after `items`, which belong to each way on.
fn branch(p: &mut Procedure, block: &Block, items: &[Item]) -> Result<Exit, Exhausted> {
    let at = p.encoder.writes.len();
    Ok(match &block.branch {
        Branch::Goto(next) => Exit::Goto(*next),
        Branch::If {
            cond: on,
            then,
            els,
        } if p.is_blind() && depends(on) => {
            let ways = [*then, *els];
            Exit::Arms(ways.map(|to| any_way(items, to)).into())
        }
        Branch::Switch { on, cases, default } if p.is_blind() && depends(on) => {
            let mut ways: Vec<BlockId> = Vec::new();
            for to in cases.iter().map(|c| c.target).chain([*default]) {
                if !ways.contains(&to) {
                    ways.push(to);
                }
            }
            Exit::Arms(ways.into_iter().map(|to| any_way(items, to)).collect())
        }
        Branch::If { cond, then, els } => {
            let holds = p.encoder.truth(cond, at);
            let fails = p.encoder.terms.not(holds);
            let mut arms = Vec::new();
            for (condition, target) in [(holds, then), (fails, els)] {
                arms.push(Arm {
                    assume: p.weaken(condition)?,
                    items: items.to_vec(),
                    target: Some(*target),
                });
            }
            Exit::Arms(arms)
        }
        Branch::Switch { on, cases, default } => {
            let mut arms = Vec::new();
            for (condition, target) in switch(p, on, cases, *default, at) {
                arms.push(Arm {
                    assume: p.weaken(condition)?,
                    items: items.to_vec(),
                    target: Some(target),
                });
            }
            Exit::Arms(arms)
        }
        Branch::Return(_) => {
            let context = p.context;
            let returns = &context.signatures[p.func.0 as usize].returns;
            let value = |n: &usize| {
                let scoped = p.scope.iter().find(|s| s.number == Some(*n));
                BExpr::Var(scoped.expect("returned predicates are in scope").var)
            };
            Exit::Return(returns.iter().map(value).collect())
        }
        Branch::Halt(_) | Branch::Unreachable(_) => Exit::Stop,
        Branch::Call { .. } => unreachable!("calls are made elsewhere"),
    })
}

/// A way on about which nothing is known.
fn any_way(items: &[Item], target: BlockId) -> Arm {
    Arm {
        assume: BExpr::TRUE,
        items: items.to_vec(),
        target: Some(target),
    }
}

/// Whether the state has a say in the value of an expression.
fn depends(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Reg(_)));
    found
}

/// The condition of each block that a switch leads to.
fn switch(
    p: &mut Procedure,
    on: &Expr,
    cases: &[Case],
    default: BlockId,
    at: usize,
) -> Vec<(Term, BlockId)> {
    let mut ways: Vec<(Term, BlockId)> = Vec::new();
    let mut none = cwolf_logic::Terms::TRUE;
    let mut add = |p: &mut Procedure, condition: Term, target: BlockId| match ways
        .iter_mut()
        .find(|w| w.1 == target)
    {
        Some(way) => way.0 = p.encoder.terms.or(way.0, condition),
        None => ways.push((condition, target)),
    };
    for case in cases {
        let limit = |n: i128| Box::new(Expr::int(on.ty, n));
        let test = |op: BinOp, n: i128| Expr {
            ty: Types::INT,
            kind: ExprKind::Binary(op, Box::new(on.clone()), limit(n)),
        };
        let condition = match case.lo == case.hi {
            true => p.encoder.truth(&test(BinOp::Eq, case.lo), at),
            false => {
                let least = p.encoder.truth(&test(BinOp::Ge, case.lo), at);
                let most = p.encoder.truth(&test(BinOp::Le, case.hi), at);
                p.encoder.terms.and(least, most)
            }
        };
        let otherwise = p.encoder.terms.not(condition);
        none = p.encoder.terms.and(none, otherwise);
        add(p, condition, case.target);
    }
    add(p, none, default);
    ways
}
