//! Functions that passes add to a program.

use cwolf_cwi::{Block, Body, FuncId, Function, LocId, Program, Refusal, Types, VarId};

/// A new function of nobody's source, without parameters, result and body.
pub(crate) fn plain_function(program: &mut Program, name: &str, loc: LocId) -> FuncId {
    let ty = program.types.function(Types::VOID, Vec::new());
    program.funcs.push(Function::glue(name, ty, loc))
}

/// Gives a function its code.
pub(crate) fn define(program: &mut Program, func: FuncId, locals: Vec<VarId>, blocks: Vec<Block>) {
    let function = &mut program.funcs[func];
    function.locals = locals;
    function.body = Some(Body::new(blocks));
}

/// A function that stands for the unknown: whoever calls it goes where nobody follows.
pub(crate) fn not_followed(program: &mut Program, name: &str, reason: &str) -> FuncId {
    if let Some(func) = program.function(name) {
        return func;
    }
    let func = plain_function(program, name, LocId(0));
    program.funcs[func].refused = Some(Refusal {
        reason: reason.into(),
        loc: LocId(0),
    });
    func
}
