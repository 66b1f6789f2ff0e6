//! Functions of the program that hand a format on with the arguments after it, as in
//! `void say(const char *format, ...)`: where they are called, the format can be looked at.

use crate::stubs::known_row;
use cwolf_cwi::{
    Branch, Callee, Expr, ExprKind, FuncId, Function, Origin, Program, StmtKind, Type, VarId,
};
use cwolf_known::{Format, FormatArgs, Requirement};
use rustc_hash::FxHashMap;

/// What a function does with a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    pub(crate) format: Format,
    /// Whether what is read may be of any length.
    pub(crate) open: bool,
}

/// The functions with code that hand on a format which they do not change.
pub(crate) fn forwards(program: &Program) -> FxHashMap<FuncId, Forward> {
    let mut found: FxHashMap<FuncId, Forward> = FxHashMap::default();
    loop {
        let mut more = Vec::new();
        for (id, function) in program.funcs.enumerate() {
            if function.origin == Origin::Program && !found.contains_key(&id) {
                more.extend(of(program, function, &found).map(|forward| (id, forward)));
            }
        }
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

fn of(
    program: &Program,
    function: &Function,
    known: &FxHashMap<FuncId, Forward>,
) -> Option<Forward> {
    let body = function.body.as_ref()?;
    body.blocks.iter().find_map(|block| {
        let Branch::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } = &block.branch
        else {
            return None;
        };
        let inner = known
            .get(callee)
            .copied()
            .or_else(|| by_row(program, *callee))?;
        let FormatArgs::List(list) = inner.format.args else {
            return None;
        };
        let param = parameter(function, args.get(inner.format.param)?)?;
        let variadic = matches!(&program.types[function.ty], Type::Func(ty) if ty.variadic);
        let rest = match parameter(function, args.get(list)?) {
            Some(list) => FormatArgs::List(list),
            None if variadic => FormatArgs::From(function.params.len()),
            None => return None,
        };
        stays(function, function.params[param]).then_some(Forward {
            format: Format {
                param,
                args: rest,
                ..inner.format
            },
            open: inner.open,
        })
    })
}

/// What a function of the library does with a format.
pub(crate) fn by_row(program: &Program, func: FuncId) -> Option<Forward> {
    let function = &program.funcs[func];
    let absent = function.body.is_none() || function.origin == Origin::Model;
    let row = known_row(program, func).filter(|_| absent)?;
    let format = row.requires.iter().find_map(|r| match r {
        Requirement::Format(format) => Some(*format),
        _ => None,
    })?;
    let open = row.is_open();
    Some(Forward { format, open })
}

/// The number of the parameter that an expression reads.
fn parameter(function: &Function, e: &Expr) -> Option<usize> {
    match &e.kind {
        ExprKind::Cast(inner) => parameter(function, inner),
        ExprKind::Load { place, .. } => {
            let var = place.as_var()?;
            function.params.iter().position(|p| *p == var)
        }
        _ => None,
    }
}

/// Whether a parameter keeps its first value.
fn stays(function: &Function, var: VarId) -> bool {
    let Some(body) = &function.body else {
        return false;
    };
    let mut stays = true;
    for stmt in body.blocks.iter().flat_map(|b| &b.stmts) {
        if let StmtKind::Assign(place, _) = &stmt.kind {
            stays &= place.root() != Some(var);
        }
    }
    body.for_each_expr(&mut |e| {
        e.walk(&mut |e| {
            if let ExprKind::AddrOf(place) = &e.kind {
                stays &= place.root() != Some(var);
            }
        });
    });
    stays
}
