//! Functions that passes add to a program.

use cwolf_cwi::{
    Definition, FuncId, FuncTy, Function, Linkage, LocId, Origin, Program, Type, Types,
};

/// A new function of nobody's source, without parameters, result and body.
pub(crate) fn plain_function(program: &mut Program, name: &str, loc: LocId) -> FuncId {
    let ty = program.types.intern(Type::Func(FuncTy {
        ret: Types::VOID,
        params: Vec::new(),
        variadic: false,
    }));
    program.funcs.push(Function {
        name: name.into(),
        ty,
        linkage: Linkage::Internal,
        definition: Definition::Defined,
        params: Vec::new(),
        locals: Vec::new(),
        body: None,
        refused: None,
        noreturn: false,
        weak: false,
        alias: None,
        origin: Origin::Glue,
        loc,
    })
}
