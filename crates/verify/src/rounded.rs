//! Runs that change the rounding mode. The interpreter rounds to nearest, always: what it shows of a run
//! that computes with floating-point numbers in another mode is not what the program does.

use crate::concrete::Visited;
use cwolf_cwi::{Block, BlockId, Branch, Callee, Expr, FuncId, Program, Type, TypeId};
use cwolf_known::Row;

/// The function that changed the mode, if a run called one and computed with such numbers.
pub(crate) fn changed_by<'p>(program: &'p Program, visited: &Visited) -> Option<&'p str> {
    let made =
        |func: FuncId, id: BlockId, block: &Block| visited.contains(&(func, id, block.stmts.len()));
    let blocks = || {
        let bodies = program.funcs.enumerate();
        let bodies = bodies.filter_map(|(func, f)| Some((func, f.body.as_ref()?)));
        let all = bodies.flat_map(|(func, body)| {
            let blocks = body.blocks.enumerate();
            blocks.map(move |(id, block)| (func, id, block))
        });
        all.filter(|(func, id, block)| made(*func, *id, block))
    };
    let changer = blocks().find_map(|(_, _, block)| changes(program, &block.branch))?;
    let computes = |block: &Block| {
        let mut found = false;
        block.for_each_expr(&mut |e| {
            e.walk(&mut |e| found |= is_float(program, e.ty) && !is_constant(e));
        });
        found
    };
    let mut blocks = blocks();
    blocks
        .any(|(_, _, block)| computes(block))
        .then_some(changer)
}

/// The function that a branch calls, if that may set another mode than to nearest.
fn changes<'p>(program: &'p Program, branch: &Branch) -> Option<&'p str> {
    let Branch::Call {
        callee: Callee::Direct(func),
        args,
        ..
    } = branch
    else {
        return None;
    };
    let name = program.funcs[*func].name.as_str();
    let row = cwolf_known::lookup(name).filter(|row: &&Row| row.changes_rounding())?;
    // To nearest is 0 for all of them that take a number.
    let nearest = row.accepts(args.len()) && args.first().and_then(Expr::as_int) == Some(0);
    (!nearest).then_some(name)
}

fn is_float(program: &Program, ty: TypeId) -> bool {
    matches!(program.types[ty], Type::Float(_))
}

fn is_constant(e: &Expr) -> bool {
    matches!(e.kind, cwolf_cwi::ExprKind::Float(_))
}
