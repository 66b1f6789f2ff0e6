//! Functions whose addresses are seen under another type than their own. A call of that other type may reach them, and
//! works on real machines if only there are arguments too many.

use cwolf_cwi::{ExprKind, FuncId, InitValue, Program, Type, TypeId};
use rustc_hash::FxHashSet;

/// Those functions of a program.
pub(crate) fn recast(program: &Program) -> FxHashSet<FuncId> {
    let mut found = FxHashSet::default();
    // Types of which pointers are cast that may lead to any function.
    let mut types: FxHashSet<TypeId> = FxHashSet::default();
    let function = |ty: TypeId| {
        let to = program.types.pointee(ty);
        to.filter(|to| matches!(program.types[*to], Type::Func(_)))
    };
    for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                let ExprKind::Cast(inner) = &e.kind else {
                    return;
                };
                match (&inner.kind, function(inner.ty)) {
                    _ if e.ty == inner.ty => {}
                    (ExprKind::FuncAddr(f), _) => {
                        found.insert(*f);
                    }
                    (_, Some(ty)) => {
                        types.insert(ty);
                    }
                    _ => {}
                }
            });
        });
    }
    for item in program.vars.iter().flat_map(|v| &v.init) {
        if let InitValue::Func(f) = item.value
            && function(item.ty) != Some(program.funcs[f].ty)
        {
            found.insert(f);
        }
    }
    let of_type = |f: &FuncId| types.contains(&program.funcs[*f].ty);
    found.extend(program.funcs.ids().filter(of_type));
    found
}
