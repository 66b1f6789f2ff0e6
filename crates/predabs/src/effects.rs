//! Which objects a call may change: a modification side-effect analysis on points-to sets.

use crate::encode::address_taken;
use crate::signature::assigned;
use cwolf_cwi::graph::{CallGraph, Object, PointsTo, changes_nothing};
use cwolf_cwi::{Base, BlockId, Branch, Callee, Expr, FuncId, Place, Program, StmtKind, VarId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// What every function may change.
pub struct Effects {
    /// Objects, by function; with `Outside`, all that escaped as well.
    changed: Vec<BTreeSet<Object>>,
    /// Variables that are assigned somewhere or whose address is taken.
    unsteady: FxHashSet<VarId>,
    /// Variables that pointers may point to.
    pub(crate) taken: FxHashSet<VarId>,
    escaped: FxHashSet<Object>,
}

impl Effects {
    /// Analyses the whole program.
    pub fn new(program: &Program, points_to: &PointsTo, calls: &CallGraph) -> Effects {
        let taken = address_taken(program);
        let mut unsteady = taken.clone();
        for func in program.funcs.ids() {
            unsteady.extend(assigned(program, func));
        }
        let mut this = Effects {
            changed: vec![BTreeSet::new(); program.funcs.len()],
            unsteady,
            taken,
            escaped: points_to.escaped().into_iter().collect(),
        };
        for func in program.funcs.ids() {
            let own = this.own(program, points_to, func);
            this.changed[func.0 as usize] = own;
        }
        // Callees' effects are callers' effects.
        let mut work: Vec<FuncId> = program.funcs.ids().collect();
        while let Some(func) = work.pop() {
            for caller in calls.callers(func).to_vec() {
                let (from, to) = (func.0 as usize, caller.0 as usize);
                let added: Vec<Object> = this.changed[from]
                    .difference(&this.changed[to])
                    .copied()
                    .collect();
                if !added.is_empty() {
                    this.changed[to].extend(added);
                    work.push(caller);
                }
            }
        }
        this
    }
    fn own(&self, program: &Program, points_to: &PointsTo, func: FuncId) -> BTreeSet<Object> {
        let mut found = BTreeSet::new();
        let Some(body) = &program.funcs[func].body else {
            return found;
        };
        // Nobody else sees these, and each activation has its own.
        let private = |o: &Object| match o {
            Object::Var(v) => program.vars[*v].kind.is_automatic() && !self.taken.contains(v),
            _ => false,
        };
        for (id, block) in body.blocks.enumerate() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, _) => found.extend(objects(points_to, func, id, place)),
                    StmtKind::Undef(v) => {
                        found.insert(Object::Var(*v));
                    }
                    StmtKind::SetReg(..) => {}
                }
            }
            if let Branch::Call { callee, args, .. } = &block.branch {
                let (callees, outside) = points_to.callees(func, id, callee);
                let named = matches!(callee, Callee::Direct(_));
                for callee in callees {
                    let target = &program.funcs[callee];
                    if target.body.is_none() && !(named && changes_nothing(&target.name)) {
                        found.extend(reachable(points_to, func, id, args));
                    }
                }
                if outside {
                    found.extend(reachable(points_to, func, id, args));
                }
            }
        }
        found.retain(|o| !private(o));
        found
    }
    /// What a call of `func`, which has a body, may change.
    pub(crate) fn of(&self, func: FuncId) -> &BTreeSet<Object> {
        &self.changed[func.0 as usize]
    }
    /// Whether a variable may change after its first value.
    pub(crate) fn is_changed(&self, var: VarId) -> bool {
        self.unsteady.contains(&var)
    }
    /// Whether `object` is among those changed.
    pub(crate) fn touches(&self, changed: &BTreeSet<Object>, object: Object) -> bool {
        changed.contains(&object)
            || (changed.contains(&Object::Outside) && self.escaped.contains(&object))
            || (object == Object::Outside && changed.iter().any(|o| self.escaped.contains(o)))
    }
    /// Whether an expression of `func` reads something that is among those changed.
    pub(crate) fn may_change(
        &self,
        points_to: &PointsTo,
        func: FuncId,
        changed: &BTreeSet<Object>,
        expr: &Expr,
    ) -> bool {
        let mut found = false;
        crate::predicate::for_each_place(expr, &mut |place, read| {
            if read && !found {
                let own = objects(points_to, func, BlockId(0), place);
                found = own.iter().any(|o| self.touches(changed, *o));
            }
        });
        found
    }
}

/// The objects that a place may lie in.
fn objects(points_to: &PointsTo, func: FuncId, block: BlockId, place: &Place) -> Vec<Object> {
    match &place.base {
        Base::Var(v) => vec![Object::Var(*v)],
        Base::Deref(pointer) => points_to.expr(func, block, pointer),
    }
}

/// What code that the program does not show may reach through arguments.
pub(crate) fn reachable(
    points_to: &PointsTo,
    func: FuncId,
    block: BlockId,
    args: &[Expr],
) -> BTreeSet<Object> {
    let mut found = BTreeSet::new();
    let mut todo: Vec<Object> = Vec::new();
    for arg in args {
        todo.extend(points_to.expr(func, block, arg));
    }
    while let Some(object) = todo.pop() {
        if found.insert(object) {
            match object {
                Object::Outside => todo.extend(points_to.escaped()),
                other => todo.extend(points_to.contents(other)),
            }
        }
    }
    found
}
