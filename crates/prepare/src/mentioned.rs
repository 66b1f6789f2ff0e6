//! Which functions and variables a program speaks of.

use cwolf_cwi::{
    Body, Branch, Callee, ExprKind, FuncId, Function, InitValue, Origin, Program, StmtKind, VarId,
};
use rustc_hash::FxHashSet;

/// Functions that the program itself mentions.
pub(crate) fn mentioned(program: &Program) -> FxHashSet<FuncId> {
    let mut used = FxHashSet::default();
    for function in program.funcs.iter() {
        let Some(body) = function.body.as_ref() else {
            continue;
        };
        if function.origin == Origin::Model {
            continue;
        }
        for block in body.blocks.iter() {
            if let Branch::Call {
                callee: Callee::Direct(func),
                ..
            } = block.branch
            {
                used.insert(func);
            }
        }
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::FuncAddr(func) = e.kind {
                    used.insert(func);
                }
            });
        });
    }
    for item in program.vars.iter().flat_map(|v| &v.init) {
        if let InitValue::Func(func) = item.value {
            used.insert(func);
        }
    }
    used
}

/// Variables that initialisers mention, or the code of some functions.
pub(crate) fn variables(program: &Program, pick: impl Fn(&Function) -> bool) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    let functions = program.funcs.iter().filter(|f| pick(f));
    for body in functions.filter_map(|f| f.body.as_ref()) {
        found.extend(variables_in(body));
    }
    for item in program.vars.iter().flat_map(|var| &var.init) {
        if let InitValue::Addr(var, _) = item.value {
            found.insert(var);
        }
    }
    found
}

/// The variables that code reads, writes or takes the address of.
pub(crate) fn variables_in(body: &Body) -> Vec<VarId> {
    let mut found = Vec::new();
    for stmt in body.blocks.iter().flat_map(|b| &b.stmts) {
        if let StmtKind::Assign(place, _) = &stmt.kind {
            found.extend(place.root());
        }
    }
    body.for_each_expr(&mut |e| {
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
                found.extend(place.root());
            }
        });
    });
    found
}
