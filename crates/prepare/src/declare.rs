//! Known functions that the program calls without a prototype get the parameters that it passes, so
//! that what they require of their arguments is checked: `gets(b)` where no header declares it.

use cwolf_cwi::{Branch, Callee, Expr, ExprKind, FuncId, FuncTy, Program, Type, TypeId, Types};
use cwolf_known::Row;

/// Gives these functions parameters, as far as all calls fit the function of that name.
pub(crate) fn declare_known(program: &mut Program) {
    for func in program.funcs.ids() {
        if let Some(row) = undeclared(program, func)
            && let Some(params) = parameters(program, func, row)
        {
            convert_arguments(program, func, &params);
            let ret = function_type(program, func).map_or(Types::INT, |f| f.ret);
            let ty = FuncTy {
                ret,
                params,
                variadic: row.prototype.variadic,
            };
            program.funcs[func].ty = program.types.intern(Type::Func(ty));
        }
    }
}

fn function_type(program: &Program, func: FuncId) -> Option<&FuncTy> {
    match &program.types[program.funcs[func].ty] {
        Type::Func(ty) => Some(ty),
        _ => None,
    }
}

/// The row of a function without code of whose parameters the program says nothing.
fn undeclared(program: &Program, func: FuncId) -> Option<&'static Row> {
    let function = &program.funcs[func];
    let ty = function_type(program, func)?;
    let open = ty.params.is_empty() && ty.variadic;
    let absent = function.body.is_none() && function.refused.is_none() && function.alias.is_none();
    let row = cwolf_known::lookup(&function.name).filter(|_| open && absent)?;
    // What becomes a statement, or more than a call, needs no parameters.
    let plain = !row.is_word() && row.primitive().is_none();
    plain.then_some(row)
}

/// Parameters that take what all calls pass; none if one of them cannot be a call of this function.
fn parameters(program: &mut Program, func: FuncId, row: &Row) -> Option<Vec<TypeId>> {
    let count = row.prototype.params.len();
    let mut params: Vec<Option<TypeId>> = vec![None; count];
    let memory = program.types.pointer(Types::CHAR);
    let types = &program.types;
    for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
        let mut taken = false;
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| taken |= matches!(e.kind, ExprKind::FuncAddr(f) if f == func));
        });
        if taken {
            return None;
        }
        for block in body.blocks.iter() {
            let Branch::Call { callee, args, .. } = &block.branch else {
                continue;
            };
            if *callee != Callee::Direct(func) {
                continue;
            }
            if !row.accepts(args.len()) {
                return None;
            }
            for (n, arg) in args.iter().enumerate().take(count) {
                let pointer = types.pointee(arg.ty).is_some();
                let wanted = row.prototype.is_pointer(n);
                // A constant may be the null pointer.
                let null = wanted && arg.as_int() == Some(0);
                if !types.is_scalar(arg.ty) || pointer != wanted && !null {
                    return None;
                }
                let own = if null { memory } else { arg.ty };
                params[n] = match params[n] {
                    Some(other) if other != own && wanted => Some(memory),
                    Some(other) => Some(other),
                    None => Some(own),
                };
            }
        }
    }
    params.into_iter().collect()
}

fn convert_arguments(program: &mut Program, func: FuncId, params: &[TypeId]) {
    let bodies = program.funcs.iter_mut().filter_map(|f| f.body.as_mut());
    for block in bodies.flat_map(|body| body.blocks.iter_mut()) {
        if let Branch::Call { callee, args, .. } = &mut block.branch
            && *callee == Callee::Direct(func)
        {
            for (arg, ty) in args.iter_mut().zip(params) {
                if arg.ty != *ty {
                    *arg = Expr::cast(*ty, arg.clone());
                }
            }
        }
    }
}
