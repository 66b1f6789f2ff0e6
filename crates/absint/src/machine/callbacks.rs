//! What functions of the program may change that code outside calls: callbacks and signal handlers. They run inside
//! calls of functions that nobody knows, and nobody follows them there.

use super::library::may_write;
use cwolf_cwi::graph::{CallGraph, Object, PointsTo};
use cwolf_cwi::{Base, Branch, FuncId, Program, StmtKind, VarId};
use rustc_hash::FxHashSet;

/// The variables that may change in functions that code outside may call.
#[derive(Debug, Default)]
pub(crate) struct Callbacks {
    pub changed: Vec<VarId>,
}

impl Callbacks {
    pub fn new(program: &Program, calls: &CallGraph, points_to: &PointsTo) -> Callbacks {
        let escaped = points_to.escaped();
        let funcs: Vec<FuncId> = (escaped.iter())
            .filter_map(|object| match object {
                Object::Func(f) if program.funcs[*f].body.is_some() => Some(*f),
                _ => None,
            })
            .collect();
        let mut objects: FxHashSet<Object> = FxHashSet::default();
        for func in calls.reachable(&funcs) {
            let body = program.funcs[func].body.iter();
            for (block, code) in body.flat_map(|b| b.blocks.enumerate()) {
                for stmt in &code.stmts {
                    match &stmt.kind {
                        StmtKind::Assign(place, _) => match &place.base {
                            Base::Var(var) => {
                                objects.insert(Object::Var(*var));
                            }
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
        Callbacks { changed }
    }
}
