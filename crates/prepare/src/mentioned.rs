//! Which functions a program speaks of.

use cwolf_cwi::{Branch, Callee, ExprKind, FuncId, InitValue, Origin, Program};
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
