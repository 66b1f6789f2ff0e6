//! Whether a call fits the function that it reaches.
//!
//! C leaves a call undefined whose type is not that of the function. Where both only name the same bits
//! differently (`void *` for `char *`, `int` for `unsigned`), every machine does what is meant, and much C counts on
//! it. What is demanded here is the rest: arguments that are missing or lie elsewhere, and results that nobody made.

use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::{Branch, Callee, Expr, FuncId, Program, Type, TypeId};

/// Functions that calls through pointers must not reach, as far as it is known where pointers lead.
pub(crate) struct CallTypes {
    points_to: Option<PointsTo>,
}

impl CallTypes {
    /// Looks where pointers lead only if that is `wanted` and there is a call that would not fit all functions.
    pub(crate) fn new(program: &Program, wanted: bool) -> CallTypes {
        let all: Vec<FuncId> = program.funcs.ids().filter(|_| wanted).collect();
        let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
        let mut calls = bodies
            .flat_map(|b| b.blocks.iter())
            .filter_map(|b| match &b.branch {
                Branch::Call {
                    callee: Callee::Indirect(_),
                    args,
                    ret,
                    ..
                } => Some((args, *ret)),
                _ => None,
            });
        let doubtful = calls.any(|(args, ret)| all.iter().any(|f| !fits(program, *f, args, ret)));
        CallTypes {
            points_to: doubtful.then(|| PointsTo::new(program)),
        }
    }

    /// The functions that a pointer may lead to and that such a call does not fit.
    pub(crate) fn misfits(
        &self,
        program: &Program,
        (func, block): (FuncId, cwolf_cwi::BlockId),
        (pointer, args, ret): (&Expr, &[Expr], TypeId),
    ) -> Vec<FuncId> {
        let Some(points_to) = &self.points_to else {
            return Vec::new();
        };
        let objects = points_to.expr(func, block, pointer).into_iter();
        let funcs = objects.filter_map(|o| match o {
            Object::Func(f) => Some(f),
            _ => None,
        });
        funcs.filter(|f| !fits(program, *f, args, ret)).collect()
    }
}

/// Whether a function finds its arguments and leaves its result where a call with these arguments and a result of
/// this type (void if nobody looks at it) has them.
pub(crate) fn fits(program: &Program, func: FuncId, args: &[Expr], ret: TypeId) -> bool {
    let types = &program.types;
    let function = &program.funcs[func];
    let Type::Func(ty) = &types[function.ty] else {
        return true;
    };
    let params: Vec<TypeId> = match function.body {
        Some(_) => function
            .params
            .iter()
            .map(|v| program.vars[*v].ty)
            .collect(),
        None => ty.params.clone(),
    };
    if args.len() < params.len() {
        return false;
    }
    // Arguments that no prototype tells the type of have been promoted, and the function takes that back.
    let promoted = ty.variadic;
    let found = args.iter().zip(&params).all(|(arg, param)| {
        match (class(program, arg.ty), class(program, *param)) {
            (Class::Word(given), Class::Word(taken)) => given >= taken || taken <= 32,
            (Class::Float(_), Class::Float(_)) if promoted => true,
            (given, taken) => given == taken,
        }
    });
    let left = match (class(program, ty.ret), class(program, ret)) {
        (_, Class::Nothing) => true,
        (Class::Word(made), Class::Word(used)) => made >= used,
        (made, used) => made == used,
    };
    found && left
}

/// How a value is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Nothing,
    /// A number or a pointer of so many bits.
    Word(u64),
    Float(u64),
    /// Anything else, of so many bytes.
    Memory(u64),
}

fn class(program: &Program, ty: TypeId) -> Class {
    let types = &program.types;
    let size = types.size_of(ty);
    match &types[ty] {
        Type::Void => Class::Nothing,
        Type::Bool | Type::Pointer(_) => Class::Word(size * 8),
        Type::Int(int) => Class::Word(int.bits.into()),
        Type::Float(_) => Class::Float(size * 8),
        _ => Class::Memory(size),
    }
}
