//! Functions that mean something where they are called (`free`, `memset`, `__VERIFIER_assert`), and that
//! are called through pointers too: who takes the address gets that of a function that makes the call.

use crate::checks::Checked;
use crate::glue::plain_function;
use cwolf_cwi::{
    Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, InitValue, Place, Program,
    RESULT, Type, VarKind,
};
use cwolf_known::{Primitive, Row};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the name of such a function ends with.
pub const BY_POINTER: &str = "$pointer";

/// Lets pointers lead to functions that call the words themselves, so that what is checked at a
/// call is checked at every call.
pub(crate) fn call_words_directly(program: &mut Program) {
    let words = Checked::new(program, &[]).words;
    let taken = addressed(program);
    let mut made: FxHashMap<FuncId, FuncId> = FxHashMap::default();
    for (func, row) in words {
        if taken.contains(&func)
            && can_be_called_for(row)
            && let Some(caller) = caller(program, func)
        {
            made.insert(func, caller);
        }
    }
    if !made.is_empty() {
        redirect(program, &made);
    }
}

/// Whether a call from another function does the same: memory on the stack and marks to jump back
/// to belong to the function that asks for them.
fn can_be_called_for(row: &Row) -> bool {
    let stack = matches!(
        row.primitive(),
        Some(Primitive::AllocateOnStack | Primitive::SaveStack | Primitive::RestoreStack)
    );
    !stack && row.marks().is_none() && !row.returns_twice()
}

/// Functions whose address is taken.
pub fn addressed(program: &Program) -> FxHashSet<FuncId> {
    let mut taken = FxHashSet::default();
    for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::FuncAddr(func) = e.kind {
                    taken.insert(func);
                }
            });
        });
    }
    for item in program.vars.iter().flat_map(|v| &v.init) {
        if let InitValue::Func(func) = item.value {
            taken.insert(func);
        }
    }
    taken
}

/// `return f(…);` with the parameters of `f`.
fn caller(program: &mut Program, func: FuncId) -> Option<FuncId> {
    let function = &program.funcs[func];
    let (ty, loc) = (function.ty, function.loc);
    let name = format!("{}{BY_POINTER}", function.name);
    let Type::Func(signature) = program.types[ty].clone() else {
        return None;
    };
    if signature.variadic {
        return None;
    }
    let own = plain_function(program, &name, loc);
    let params = signature.params.iter().enumerate().map(|(n, ty)| {
        let name = format!("argument{}", n + 1);
        program.add_variable(name, *ty, VarKind::Param(own), loc)
    });
    let params: Vec<_> = params.collect();
    let load = |v: &cwolf_cwi::VarId| Expr::load(Place::var(program.vars[*v].ty, *v));
    let call = Branch::Call {
        callee: Callee::Direct(func),
        args: params.iter().map(load).collect(),
        ret: signature.ret,
        next: Some(BlockId(1)),
    };
    let result = match program.types[signature.ret] {
        Type::Void => None,
        _ => Some(Expr::reg(signature.ret, RESULT)),
    };
    let block = |branch| Block {
        stmts: Vec::new(),
        loc,
        branch,
    };
    let body = Body::new(vec![block(call), block(Branch::Return(result))]);
    let function = &mut program.funcs[own];
    function.ty = ty;
    function.params = params;
    function.body = Some(body);
    Some(own)
}

fn redirect(program: &mut Program, made: &FxHashMap<FuncId, FuncId>) {
    let mut node = |e: &mut Expr| {
        if let ExprKind::FuncAddr(func) = &mut e.kind
            && let Some(caller) = made.get(func)
        {
            *func = *caller;
        }
    };
    for body in program.funcs.iter_mut().filter_map(|f| f.body.as_mut()) {
        for block in body.blocks.iter_mut() {
            for stmt in &mut block.stmts {
                stmt.kind.for_each_expr_mut(&mut |e| e.walk_mut(&mut node));
            }
            block
                .branch
                .for_each_expr_mut(&mut |e| e.walk_mut(&mut node));
        }
    }
    for item in program.vars.iter_mut().flat_map(|v| &mut v.init) {
        if let InitValue::Func(func) = &mut item.value
            && let Some(caller) = made.get(func)
        {
            *func = *caller;
        }
    }
}
