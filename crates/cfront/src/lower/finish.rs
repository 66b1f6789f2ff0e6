//! What can be done only when the whole file has been read: old C lets a function be called
//! before its type is known.

use cwolf_cwi::{Branch, Callee, Expr, ExprKind, FuncId, FuncTy, Program, Type, TypeId};

/// Turns each call by name whose arguments are not as the function's final type says into one
/// by address, with the type that the call assumed.
pub(crate) fn finish(program: &mut Program) {
    let ids: Vec<FuncId> = program.funcs.ids().collect();
    for id in ids {
        let Some(mut body) = program.funcs[id].body.take() else {
            continue;
        };
        for block in body.blocks.iter_mut() {
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
