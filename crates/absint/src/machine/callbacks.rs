//! What functions of the program may change that code outside calls: callbacks and signal handlers. They run inside
//! calls of functions that nobody knows, and nobody follows them there.

use super::library::may_write;
use crate::map::LabelMap;
use crate::slice::may_show;
use cwolf_cwi::graph::{Analysed, CallGraph, Object, PointsTo};
use cwolf_cwi::{Base, Branch, FuncId, Program, StmtKind, VarId};
use rustc_hash::FxHashSet;

/// The variables that may change in functions that code outside may call.
#[derive(Debug, Default)]
pub(crate) struct Callbacks {
    pub changed: Vec<VarId>,
}

impl Callbacks {
    pub fn new(program: &Program, calls: &CallGraph, points_to: &PointsTo) -> Callbacks {
        let funcs = given_away(program, points_to);
        let changed = changed(program, (calls, points_to), &funcs, &|_| true);
        Callbacks { changed }
    }
}

/// The functions of the program whose address code outside may have.
fn given_away(program: &Program, points_to: &PointsTo) -> Vec<FuncId> {
    (points_to.escaped().iter())
        .filter_map(|object| match object {
            Object::Func(f) if program.funcs[*f].body.is_some() => Some(*f),
            _ => None,
        })
        .collect()
}

/// The functions that code outside may call and whose events a model lacks; none if they show nothing and do not end the program.
pub fn unseen_callbacks(program: &Analysed, labels: &LabelMap) -> Vec<FuncId> {
    let mut found = given_away(program, program.points_to());
    found.retain(|f| may_show(program, &[*f], labels));
    found.sort_unstable();
    found
}

/// Whether a model has all that comes of functions which run beside the program or in between, such as signal handlers: they show nothing, and change nothing
/// but `volatile` variables, which have any value whenever they are read.
pub fn is_covered_beside(program: &Analysed, funcs: &[FuncId], labels: &LabelMap) -> bool {
    if may_show(program, funcs, labels) {
        return false;
    }
    let graphs = (program.calls(), program.points_to());
    // Each call has local variables of its own.
    let shared = |var: VarId| !program.vars[var].kind.is_automatic();
    let changed = changed(program, graphs, funcs, &shared);
    changed.iter().all(|v| program.vars[*v].volatile)
}

/// The variables that may change in some functions and all that they call; of those that are written by name, the `shared` ones.
fn changed(
    program: &Program,
    (calls, points_to): (&CallGraph, &PointsTo),
    funcs: &[FuncId],
    shared: &dyn Fn(VarId) -> bool,
) -> Vec<VarId> {
    let escaped = points_to.escaped();
    let mut objects: FxHashSet<Object> = FxHashSet::default();
    for func in calls.reachable(funcs) {
        let body = program.funcs[func].body.iter();
        for (block, code) in body.flat_map(|b| b.blocks.enumerate()) {
            for stmt in &code.stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, _) => match &place.base {
                        Base::Var(var) if shared(*var) => {
                            objects.insert(Object::Var(*var));
                        }
                        Base::Var(_) => {}
                        Base::Deref(ptr) => objects.extend(points_to.expr(func, block, ptr)),
                    },
                    StmtKind::Havoc { ptr, .. } => {
                        objects.extend(points_to.reachable(func, block, ptr));
                        objects.insert(Object::Outside);
                    }
                    _ => {}
                }
            }
            let Branch::Call { callee, args, .. } = &code.branch else {
                continue;
            };
            let (targets, unknown) = points_to.callees(func, block, callee);
            let hidden = targets.iter().filter(|f| program.funcs[**f].body.is_none());
            let mut anything = unknown;
            for target in hidden {
                match may_write(program, *target, args.len()) {
                    Some(list) => {
                        for arg in list.iter().filter_map(|n| args.get(*n)) {
                            objects.extend(points_to.expr(func, block, arg));
                        }
                    }
                    None => anything = true,
                }
            }
            if anything {
                for arg in args {
                    objects.extend(points_to.reachable(func, block, arg));
                }
                objects.insert(Object::Outside);
            }
        }
    }
    if objects.contains(&Object::Outside) {
        objects.extend(escaped);
    }
    let mut changed: Vec<VarId> = (objects.into_iter())
        .flat_map(|object| object.variables(program))
        .collect();
    changed.sort_unstable();
    changed.dedup();
    changed
}
