//! What can be done only when the whole file has been read: old C lets a function be called
//! before its type is known.

use cwolf_cwi::{
    Block, BlockId, Body, Branch, Callee, Definition, Expr, ExprKind, FuncId, FuncTy, Program,
    RESULT, Type, TypeId,
};
use rustc_hash::FxHashSet;

/// Turns each call by name whose arguments are not as the function's final type says into one
/// by address, with the type that the call assumed. A function that this file only declares may
/// be one that everybody knows by its name (`assert`), so such a call converts if it can.
pub(crate) fn finish(program: &mut Program) {
    let ids: Vec<FuncId> = program.funcs.ids().collect();
    for id in ids {
        let Some(mut body) = program.funcs[id].body.take() else {
            continue;
        };
        let used = reads_result(&body);
        for block in body.blocks.iter_mut() {
            if convert(program, &mut block.branch, &used) {
                continue;
            }
            if let Branch::Call {
                callee, args, ret, ..
            } = &mut block.branch
                && let Callee::Direct(target) = *callee
                && !fits(program, target, args, *ret)
            {
                let params = args.iter().map(|a| a.ty).collect();
                *callee = Callee::Indirect(assumed(program, target, params, *ret));
            }
        }
        program.funcs[id].body = Some(body);
    }
}

/// The blocks that read the result of the call before them.
fn reads_result(body: &Body) -> FxHashSet<BlockId> {
    let reads = |block: &Block| {
        let mut found = false;
        block.for_each_expr(&mut |e| {
            e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Reg(RESULT)));
        });
        found
    };
    let blocks = body.blocks.enumerate();
    blocks.filter(|(_, b)| reads(b)).map(|(id, _)| id).collect()
}

/// Gives a call of a function that is only declared the arguments that its final type asks for,
/// if only integers or only pointers must be converted and nobody looks at a result of another
/// type. Says whether the call is fine now.
fn convert(program: &Program, branch: &mut Branch, used: &FxHashSet<BlockId>) -> bool {
    let Branch::Call {
        callee: Callee::Direct(target),
        args,
        ret,
        next,
    } = branch
    else {
        return false;
    };
    let function = &program.funcs[*target];
    let Type::Func(ty) = &program.types[function.ty] else {
        return false;
    };
    let alike = |arg: &Expr, param: TypeId| {
        let kind = |ty: TypeId| match program.types[ty] {
            Type::Int(_) | Type::Bool => 1,
            Type::Pointer(_) => 2,
            _ => 0,
        };
        arg.ty == param || kind(arg.ty) == kind(param) && kind(param) > 0
    };
    let counts = args.len() == ty.params.len() || args.len() > ty.params.len() && ty.variadic;
    let dropped = next.is_none_or(|next| !used.contains(&next));
    let possible = function.definition == Definition::Declared
        && counts
        && (*ret == ty.ret || dropped)
        && args.iter().zip(&ty.params).all(|(a, p)| alike(a, *p));
    if possible {
        *ret = ty.ret;
        for (arg, param) in args.iter_mut().zip(&ty.params) {
            let value = std::mem::replace(arg, Expr::int(*param, 0));
            *arg = Expr::cast(*param, value);
        }
    }
    possible
}

fn fits(program: &Program, target: FuncId, args: &[Expr], ret: TypeId) -> bool {
    let Type::Func(ty) = &program.types[program.funcs[target].ty] else {
        return false;
    };
    let named = args.len().min(ty.params.len());
    ty.ret == ret
        && (args.len() == ty.params.len() || args.len() > ty.params.len() && ty.variadic)
        && args[..named]
            .iter()
            .zip(&ty.params)
            .all(|(arg, param)| arg.ty == *param)
}

fn assumed(program: &mut Program, target: FuncId, params: Vec<TypeId>, ret: TypeId) -> Expr {
    let func = program.types.intern(Type::Func(FuncTy {
        ret,
        params,
        variadic: false,
    }));
    Expr {
        ty: program.types.pointer(func),
        kind: ExprKind::FuncAddr(target),
    }
}
