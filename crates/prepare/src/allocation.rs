//! Allocations that may fail: every call of an allocator may return null instead, by a choice that
//! engines and runs share.

use crate::glue::plain_function;
use crate::stubs::errno_location;
use crate::variable::assign_unknown;
use cwolf_cwi::{
    Base, Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Linkage, Origin, Place,
    Program, RESULT, Stmt, StmtKind, Type, Types, VarKind,
};
use cwolf_known::{Effect, Row};
use rustc_hash::FxHashMap;

/// What the name of a function ends with that allocates, or fails by a choice.
pub const MAY_FAIL: &str = "$may_fail";

/// The number of the error, on Linux.
const ENOMEM: i128 = 12;

/// Lets every call of a function without code whose row says so fail. Models in C of others call
/// these, so that they fail too.
pub fn let_allocations_fail(program: &mut Program) {
    let own = |program: &Program, wanted: fn(&Row) -> bool| -> Vec<FuncId> {
        let fails = |name: &str| cwolf_known::lookup(name).is_some_and(|r| r.may_fail && wanted(r));
        let all = program.funcs.enumerate();
        let all = all.filter(|(_, f)| f.body.is_none() && fails(&f.name));
        all.map(|(id, _)| id).collect()
    };
    let numbers = own(program, |row| row.allocates().is_none());
    for func in numbers {
        if let Some(failing) = failing(program, func) {
            fail_instead(program, func, failing);
        }
    }
    let own = own(program, |row| row.allocates().is_some());
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

/// What a call that returns a number does when it fails (`asprintf`): it says so by -1, and what it should have set
/// holds anything.
fn failing(program: &mut Program, func: FuncId) -> Option<FuncId> {
    let function = &program.funcs[func];
    let row = cwolf_known::lookup(&function.name)?;
    let Type::Func(ty) = program.types[function.ty].clone() else {
        return None;
    };
    cwolf_cwi::value::int_type(&program.types, ty.ret).filter(|int| int.signed)?;
    // What it should have set; the program's types may say nothing of that.
    let mut sets = Vec::new();
    for effect in &row.effects {
        let Effect::Sets { at, .. } = effect else {
            continue;
        };
        let pointer = program.types.pointee(*ty.params.get(at.param)?);
        let to = pointer.filter(|to| program.types.is_scalar(*to))?;
        sets.push((at.param, to));
    }
    let (name, loc) = (format!("{}$fails", function.name), function.loc);
    let own = plain_function(program, &name, loc);
    let mut params = Vec::new();
    for ty in &ty.params {
        params.push(program.add_variable("argument", *ty, VarKind::Param(own), loc));
    }
    let mut stmts = Vec::new();
    for (param, to) in sets {
        let param = params[param];
        let place = Place {
            ty: to,
            base: Base::Deref(Box::new(Expr::load(Place::var(
                program.vars[param].ty,
                param,
            )))),
            path: Vec::new(),
        };
        stmts.push(assign_unknown(place, loc));
    }
    let failed = Branch::Return(Some(Expr::int(ty.ret, -1)));
    let block = Block {
        stmts,
        loc,
        branch: failed,
    };
    let function_type = program.types.function(ty.ret, ty.params);
    let function = &mut program.funcs[own];
    function.ty = function_type;
    function.params = params;
    function.body = Some(Body::new(vec![block]));
    Some(own)
}

/// `if (any) failing(…); else f(…);` wherever `f` is called by its name.
fn fail_instead(program: &mut Program, func: FuncId, failing: FuncId) {
    let named = program.funcs[failing].params.len();
    for caller in program.funcs.ids() {
        let calls = |b: &Block| matches!(&b.branch, Branch::Call { callee: Callee::Direct(f), .. } if *f == func);
        let blocks = program.funcs[caller]
            .body
            .iter()
            .flat_map(|b| b.blocks.enumerate());
        let at: Vec<BlockId> = blocks.filter(|(_, b)| calls(b)).map(|(id, _)| id).collect();
        for id in at {
            let loc = program.funcs[caller].loc;
            let any = program.add_variable("fails", Types::BOOL, VarKind::Local(caller), loc);
            let function = &mut program.funcs[caller];
            function.locals.push(any);
            let body = function.body.as_mut().expect("it calls");
            let (call, loc) = (body.blocks[id].branch.clone(), body.blocks[id].loc);
            let mut fails = call.clone();
            if let Branch::Call { callee, args, .. } = &mut fails {
                *callee = Callee::Direct(failing);
                args.truncate(named);
            }
            let then = BlockId(body.blocks.len() as u32);
            for branch in [fails, call] {
                let stmts = Vec::new();
                body.blocks.push(Block { stmts, loc, branch });
            }
            let place = Place::var(Types::BOOL, any);
            let block = &mut body.blocks[id];
            block.stmts.push(assign_unknown(place.clone(), loc));
            block.branch = Branch::If {
                cond: Expr::load(place),
                then,
                els: BlockId(then.0 + 1),
            };
        }
    }
}

/// `if (any) return 0; return f(…);`, and the reason in `errno` if the program looks at that.
fn wrapper(program: &mut Program, func: FuncId) -> FuncId {
    let mut function = program.funcs[func].clone();
    let Type::Func(ty) = program.types[function.ty].clone() else {
        return func;
    };
    let loc = function.loc;
    let errno = errno_location(program);
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
    let mut blocks = vec![
        block(vec![choice], test),
        block(Vec::new(), Branch::Return(Some(null.clone()))),
        block(Vec::new(), call),
        block(Vec::new(), Branch::Return(Some(result))),
    ];
    if let Some(location) = errno {
        let at = program.types.pointer(Types::INT);
        let why = Place::deref(Types::INT, Expr::reg(at, RESULT));
        let kind = StmtKind::Assign(why, Expr::int(Types::INT, ENOMEM));
        blocks[1].branch = Branch::Call {
            callee: Callee::Direct(location),
            args: Vec::new(),
            ret: at,
            next: Some(BlockId(4)),
        };
        let stmts = vec![Stmt { loc, kind }];
        blocks.push(block(stmts, Branch::Return(Some(null))));
    }
    let body = Body::new(blocks);
    // A name of its own, or it would be taken for what defines the function that it calls.
    function.name += MAY_FAIL;
    function.params = params;
    function.locals = vec![any];
    function.body = Some(body);
    function.linkage = Linkage::Internal;
    function.definition = cwolf_cwi::Definition::Defined;
    function.origin = Origin::Glue;
    program.funcs.push(function)
}
