//! Which objects a call may change: a modification side-effect analysis on points-to sets.

use crate::encode::address_taken;
use crate::signature::assigned;
use cwolf_base::strong_components;
use cwolf_cwi::graph::{CallGraph, Object, PointsTo, known};
use cwolf_cwi::{Base, BlockId, Branch, Callee, Expr, FuncId, Place, Program, StmtKind, VarId};
use cwolf_known::Row;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// What every function may change.
pub struct Effects {
    /// Objects, by component of the call graph; `Outside` stands for all that escaped, which is
    /// then not listed.
    changed: Vec<BTreeSet<Object>>,
    /// By function.
    component: Vec<u32>,
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
        let mut callees: Vec<Vec<u32>> = Vec::new();
        for func in program.funcs.ids() {
            callees.push(calls.callees(func).iter().map(|f| f.0).collect());
        }
        let component = strong_components(callees.len(), |n| &callees[n]);
        let mut this = Effects {
            changed: vec![BTreeSet::new(); component.len()],
            component,
            unsteady,
            taken,
            escaped: points_to.escaped().into_iter().collect(),
        };
        // Callees' effects are callers' effects, and callees come first.
        let part = |f: u32| this.component[f as usize];
        let mut order: Vec<u32> = program.funcs.ids().map(|f| f.0).collect();
        order.sort_by_key(|f| part(*f));
        for group in order.chunk_by(|a, b| part(*a) == part(*b)) {
            let mut found = BTreeSet::new();
            let mut called = BTreeSet::new();
            for &func in group {
                found.extend(this.own(program, points_to, calls, FuncId(func)));
                called.extend(callees[func as usize].iter().map(|f| part(*f)));
            }
            for callee in called {
                found.extend(&this.changed[callee as usize]);
            }
            // Large programs would list all that escaped for every function.
            if found.contains(&Object::Outside) {
                found.retain(|o| *o == Object::Outside || !this.escaped.contains(o));
            }
            let number = part(group[0]) as usize;
            this.changed[number] = found;
        }
        this
    }
    fn own(
        &self,
        program: &Program,
        points_to: &PointsTo,
        calls: &CallGraph,
        func: FuncId,
    ) -> BTreeSet<Object> {
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
                    StmtKind::Live(v) | StmtKind::Dead(v) => {
                        found.insert(Object::Var(*v));
                    }
                    StmtKind::Havoc { ptr, .. } => {
                        found.extend(points_to.changed_outside(func, id, ptr));
                    }
                    StmtKind::SetReg(..) | StmtKind::Assert { .. } | StmtKind::Assume(_) => {}
                }
            }
        }
        for call in calls.calls_in(func) {
            let Branch::Call { callee, args, .. } = &body.blocks[call.block].branch else {
                unreachable!("the graph has calls only");
            };
            let named = matches!(callee, Callee::Direct(_));
            let open = |f: &FuncId| {
                let target = &program.funcs[*f];
                let quiet = || known(target, args.len()).is_some_and(Row::writes_nothing);
                target.body.is_none() && !(named && quiet())
            };
            if call.unknown || call.targets.iter().any(open) {
                found.extend(reachable(points_to, func, call.block, args));
            }
        }
        found.retain(|o| !private(o));
        found
    }
    /// What a call of `func`, which has a body, may change.
    pub(crate) fn of(&self, func: FuncId) -> &BTreeSet<Object> {
        &self.changed[self.component[func.0 as usize] as usize]
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

/// What code that the program does not show may reach through arguments. `Outside` stands for all
/// that escaped.
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
        // Whatever has escaped may lead to all else that has.
        if points_to.has_escaped(object) {
            found.insert(Object::Outside);
        } else if found.insert(object) {
            todo.extend(points_to.contents(object));
        }
    }
    found
}
