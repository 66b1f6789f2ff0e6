//! Allocations that may fail: every call of an allocator may return null instead, by a choice that
//! engines and runs share.

use cwolf_cwi::{
    Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Linkage, Origin, Place, Program,
    RESULT, Stmt, StmtKind, Type, Types, VarKind,
};
use rustc_hash::FxHashMap;

/// Lets every call of a function without code whose row says so fail. Models in C of others call
/// these, so that they fail too.
pub fn let_allocations_fail(program: &mut Program) {
    let fails = |name: &str| {
        let row = cwolf_known::lookup(name);
        row.is_some_and(|r| r.may_fail && r.allocates().is_some())
    };
    let own = program.funcs.enumerate();
    let own = own.filter(|(_, f)| f.body.is_none() && fails(&f.name));
    let own: Vec<FuncId> = own.map(|(id, _)| id).collect();
    let wrapped: FxHashMap<FuncId, FuncId> =
        own.into_iter().map(|f| (f, wrapper(program, f))).collect();
    let wrappers: Vec<FuncId> = wrapped.values().copied().collect();
    for (id, function) in program.funcs.iter_mut().enumerate() {
        let Some(body) = &mut function.body else {
            continue;
        };
        if wrappers.contains(&FuncId(id as u32)) {
            continue;
        }
        for block in body.blocks.iter_mut() {
            if let Branch::Call { callee, .. } = &mut block.branch
                && let Callee::Direct(func) = callee
                && let Some(with) = wrapped.get(func)
            {
                *func = *with;
            }
        }
    }
}

/// `if (any) return 0; return f(…);`
fn wrapper(program: &mut Program, func: FuncId) -> FuncId {
    let mut function = program.funcs[func].clone();
    let Type::Func(ty) = program.types[function.ty].clone() else {
        return func;
    };
    let loc = function.loc;
    let id = program.funcs.next_id();
    let mut variable = |name: &str, ty, kind| program.add_variable(name, ty, kind, loc);
    let params: Vec<_> = ty
        .params
        .iter()
        .map(|ty| variable("argument", *ty, VarKind::Param(id)))
        .collect();
    let any = variable("fails", Types::BOOL, VarKind::Local(id));
    let load = |v| Expr::load(Place::var(program.vars[v].ty, v));
    let args: Vec<Expr> = params.iter().map(|v| load(*v)).collect();
    let choose = Expr {
        ty: Types::BOOL,
        kind: ExprKind::Choose,
    };
    let choice = Stmt {
        loc,
        kind: StmtKind::Assign(Place::var(Types::BOOL, any), choose),
    };
    let block = |stmts, branch| Block { stmts, loc, branch };
    let test = Branch::If {
        cond: load(any),
        then: BlockId(1),
        els: BlockId(2),
    };
    let null = Expr::int(ty.ret, 0);
    let call = Branch::Call {
        callee: Callee::Direct(func),
        args,
        ret: ty.ret,
        next: Some(BlockId(3)),
    };
    let result = Expr::reg(ty.ret, RESULT);
    let body = Body::new(vec![
        block(vec![choice], test),
        block(Vec::new(), Branch::Return(Some(null))),
        block(Vec::new(), call),
        block(Vec::new(), Branch::Return(Some(result))),
    ]);
    // A name of its own, or it would be taken for what defines the function that it calls.
    function.name += "$may_fail";
    function.params = params;
    function.locals = vec![any];
    function.body = Some(body);
    function.linkage = Linkage::Internal;
    function.definition = cwolf_cwi::Definition::Defined;
    function.origin = Origin::Glue;
    program.funcs.push(function)
}
