//! Parts of a program as they are when nothing special is said of them.

use crate::{
    Block, Body, Definition, FuncTy, Function, Linkage, LocId, Origin, Program, Type, TypeId,
    Types, Var, VarId, VarKind,
};

impl Types {
    /// The type of functions with just these parameters.
    pub fn function(&mut self, ret: TypeId, params: Vec<TypeId>) -> TypeId {
        let variadic = false;
        self.intern(Type::Func(FuncTy {
            ret,
            params,
            variadic,
        }))
    }
}

impl Function {
    /// A function that is declared only.
    pub fn declared(name: impl Into<String>, ty: TypeId, loc: LocId) -> Function {
        Function {
            name: name.into(),
            ty,
            linkage: Linkage::External,
            definition: Definition::Declared,
            params: Vec::new(),
            locals: Vec::new(),
            body: None,
            refused: None,
            noreturn: false,
            weak: false,
            alias: None,
            origin: Origin::Program,
            loc,
        }
    }
    /// A function of nobody's source; its body is still to come.
    pub fn glue(name: impl Into<String>, ty: TypeId, loc: LocId) -> Function {
        Function {
            linkage: Linkage::Internal,
            definition: Definition::Defined,
            origin: Origin::Glue,
            ..Function::declared(name, ty, loc)
        }
    }
}

impl Var {
    /// A variable of this file without an initialiser, aligned to `align` bytes.
    pub fn plain(
        name: impl Into<String>,
        ty: TypeId,
        kind: VarKind,
        align: u64,
        loc: LocId,
    ) -> Var {
        Var {
            name: name.into(),
            ty,
            kind,
            linkage: Linkage::Internal,
            definition: Definition::Defined,
            volatile: false,
            constant: false,
            weak: false,
            thread_local: false,
            align,
            extra: 0,
            init: Vec::new(),
            alias: None,
            loc,
        }
    }
}

impl Program {
    /// A new variable without an initialiser. A function that it belongs to still has to list it.
    pub fn add_variable(
        &mut self,
        name: impl Into<String>,
        ty: TypeId,
        kind: VarKind,
        loc: LocId,
    ) -> VarId {
        let align = self.types.align_of(ty);
        self.vars.push(Var::plain(name, ty, kind, align, loc))
    }
}

impl Body {
    /// Code that needs no register but the one for results.
    pub fn new(blocks: Vec<Block>) -> Body {
        Body {
            regs: vec![Types::VOID].into(),
            blocks: blocks.into(),
        }
    }
}
