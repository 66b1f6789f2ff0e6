//! Which functions can run: the headers of a driver have thousands that nobody calls, and a
//! boolean program of all of them is a thing that nobody can read.

use crate::options::Options;
use cwolf_base::Idx;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{ExprKind, FuncId, InitValue, Linkage, Predicate, Program};

/// By function: whether other files see it, a predicate or the user names it, its address is in
/// an initialiser, or such a function calls it or takes its address. If there is no such
/// function, all count.
pub(crate) fn used(
    program: &Program,
    calls: &CallGraph,
    predicates: &[Predicate],
    options: &Options,
) -> Vec<bool> {
    let mut used = vec![false; program.funcs.len()];
    let seen = |f: &FuncId| {
        let func = &program.funcs[*f];
        func.linkage == Linkage::External || options.entry.as_ref() == Some(&func.name)
    };
    let mut work: Vec<FuncId> = program.funcs.ids().filter(seen).collect();
    work.extend(predicates.iter().filter_map(|p| p.scope));
    for item in program.vars.iter().flat_map(|v| &v.init) {
        if let InitValue::Func(f) = item.value {
            work.push(f);
        }
    }
    while let Some(f) = work.pop() {
        if std::mem::replace(&mut used[f.index()], true) {
            continue;
        }
        work.extend(calls.callees(f));
        if let Some(body) = &program.funcs[f].body {
            body.for_each_expr(&mut |e| {
                e.walk(&mut |e| {
                    if let ExprKind::FuncAddr(f) = e.kind {
                        work.push(f);
                    }
                });
            });
        }
    }
    let any = program
        .funcs
        .ids()
        .any(|f| used[f.index()] && program.funcs[f].body.is_some());
    if any { used } else { vec![true; used.len()] }
}
