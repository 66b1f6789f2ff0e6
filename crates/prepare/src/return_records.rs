//! Structs that functions return, as plain code: the function puts its result into a variable, and who called it
//! takes it from there. So an engine that keeps scalars needs no register that holds a struct.

use cwolf_cwi::{
    BlockId, Branch, Callee, Expr, ExprKind, FuncId, Place, Program, RESULT, Stmt, StmtKind,
    TypeId, VarId, VarKind,
};
use rustc_hash::FxHashMap;

/// Rewrites returns of structs in functions with a body, and the blocks after direct calls of them.
pub(crate) fn return_records(program: &mut Program) {
    let mut results: FxHashMap<TypeId, VarId> = FxHashMap::default();
    for func in program.funcs.ids() {
        let returned: Vec<(BlockId, Expr)> = (program.funcs[func].body.iter())
            .flat_map(|body| body.blocks.enumerate())
            .filter_map(|(id, block)| match &block.branch {
                Branch::Return(Some(e)) if program.types.is_aggregate(e.ty) => {
                    Some((id, e.clone()))
                }
                _ => None,
            })
            .collect();
        for (block, e) in returned {
            let place = place_of(program, &mut results, e.ty, func);
            let body = program.funcs[func].body.as_mut();
            let block = &mut body.expect("it returns").blocks[block];
            let loc = block.loc;
            let kind = StmtKind::Assign(place.clone(), e);
            block.stmts.push(Stmt { loc, kind });
            block.branch = Branch::Return(Some(Expr::load(place)));
        }
    }
    for func in program.funcs.ids() {
        for (block, ty) in after_calls(program, func) {
            let Some(var) = results.get(&ty) else {
                continue;
            };
            let load = Expr::load(Place::var(ty, *var));
            let body = program.funcs[func].body.as_mut();
            let block = &mut body.expect("it calls").blocks[block];
            let mut replace = |e: &mut Expr| {
                if e.kind == ExprKind::Reg(RESULT) && e.ty == ty {
                    *e = load.clone();
                }
            };
            for stmt in &mut block.stmts {
                stmt.kind
                    .for_each_expr_mut(&mut |e| e.walk_mut(&mut replace));
            }
            (block.branch).for_each_expr_mut(&mut |e| e.walk_mut(&mut replace));
        }
    }
}

/// The variable that holds results of a type.
fn place_of(
    program: &mut Program,
    results: &mut FxHashMap<TypeId, VarId>,
    ty: TypeId,
    func: FuncId,
) -> Place {
    let loc = program.funcs[func].loc;
    let make = || program.add_variable("result#", ty, VarKind::Global, loc);
    let var = *results.entry(ty).or_insert_with(make);
    Place::var(ty, var)
}

/// The blocks that only calls of functions with a body lead to, all of which return such a struct.
fn after_calls(program: &Program, func: FuncId) -> Vec<(BlockId, TypeId)> {
    let Some(body) = &program.funcs[func].body else {
        return Vec::new();
    };
    let mut found: FxHashMap<BlockId, Option<TypeId>> = FxHashMap::default();
    for block in body.blocks.iter() {
        if let Branch::Call {
            callee,
            ret,
            next: Some(next),
            ..
        } = &block.branch
        {
            let own = matches!(callee, Callee::Direct(f) if program.funcs[*f].body.is_some());
            let ty = (own && program.types.is_aggregate(*ret)).then_some(*ret);
            let known = found.entry(*next).or_insert(ty);
            if *known != ty {
                *known = None;
            }
        }
    }
    for block in body.blocks.iter() {
        if !matches!(block.branch, Branch::Call { .. }) {
            block.branch.for_each_successor(|next| {
                found.insert(next, None);
            });
        }
    }
    let mut list: Vec<(BlockId, TypeId)> = (found.into_iter())
        .filter_map(|(block, ty)| Some((block, ty?)))
        .collect();
    list.sort_unstable_by_key(|(block, _)| block.0);
    list
}
