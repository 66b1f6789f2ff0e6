//! Which lives matter: variables whose address may be kept where it outlives them, memory on the
//! stack likewise, and allocations that may be freed.
//!
//! An object whose address nothing keeps longer than it lives needs no care when it is born again,
//! so that most programs pay nothing for lives.

use cwolf_cwi::graph::{CallGraph, Object, PointsTo};
use cwolf_cwi::{
    Base, Block, Branch, Expr, ExprKind, FuncId, Program, RESULT, RegId, StmtKind, VarId,
};
use cwolf_known::Row;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the program may do with lives.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    taken: FxHashSet<VarId>,
    /// Objects whose address may be kept longer than the call that they belong to lasts.
    outlive_call: FxHashSet<Object>,
    /// The same of the block that they belong to.
    outlive_block: FxHashSet<Object>,
    freed: FxHashSet<Object>,
}

/// How long what holds an address lasts, compared with the object there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lasts {
    /// It ends no later.
    Shorter,
    /// It belongs to the same call, so that it may outlive a block of it.
    SameCall,
    Longer,
}

/// Which functions calls lead to, found once for each.
struct Reach<'g> {
    graph: &'g CallGraph,
    known: FxHashMap<FuncId, FxHashSet<FuncId>>,
}

impl<'g> Reach<'g> {
    fn new(graph: &'g CallGraph) -> Reach<'g> {
        Reach {
            graph,
            known: FxHashMap::default(),
        }
    }

    /// Whether a call of one function may lead to one of another.
    fn leads(&mut self, from: FuncId, to: FuncId) -> bool {
        let graph = self.graph;
        let find = || graph.reachable(&[from]).into_iter().collect();
        self.known.entry(from).or_insert_with(find).contains(&to)
    }
}

impl Lives {
    pub(crate) fn new(program: &Program, points_to: &PointsTo, calls: &CallGraph) -> Lives {
        let mut lives = Lives {
            taken: program.address_taken(),
            ..Lives::default()
        };
        lives.find_holders(program, points_to, calls);
        lives.find_frees(program, points_to);
        lives
    }

    /// Whether the code takes the address of a variable.
    pub(crate) fn is_taken(&self, v: VarId) -> bool {
        self.taken.contains(&v)
    }
    /// Whether a pointer may outlive the call that its object belongs to.
    pub(crate) fn may_outlive_call(&self, object: Object) -> bool {
        self.outlive_call.contains(&object)
    }
    /// Whether a pointer may outlive the block that its object belongs to.
    pub(crate) fn may_outlive_block(&self, object: Object) -> bool {
        self.outlive_block.contains(&object)
    }
    /// Whether an allocation may be freed.
    pub(crate) fn may_be_freed(&self, object: Object) -> bool {
        self.freed.contains(&object)
    }
    /// A variable that a pointer may outlive, the first by number. Of those with a shorter life
    /// than their call, `ends_early` says which there are.
    pub(crate) fn outlived(&self, ends_early: &FxHashSet<VarId>) -> Option<VarId> {
        let variable = |o: &Object| match o {
            Object::Var(v) => Some(*v),
            _ => None,
        };
        let by_call = self.outlive_call.iter().filter_map(variable);
        let by_block = self.outlive_block.iter().filter_map(variable);
        by_call
            .chain(by_block.filter(|v| ends_early.contains(v)))
            .min()
    }

    fn find_holders(&mut self, program: &Program, points_to: &PointsTo, calls: &CallGraph) {
        let calls = &mut Reach::new(calls);
        let names = self.names_of_allocations(program);
        for (id, var) in program.vars.enumerate() {
            let by = var.kind.function();
            for object in points_to.var(id) {
                if !names.contains(&(id, object)) {
                    self.hold(program, calls, object, by);
                }
            }
        }
        for (func, function) in program.funcs.enumerate() {
            for object in points_to.contents(Object::VarArgs(func)) {
                self.hold(program, calls, object, Some(func));
            }
            for (id, block) in function.body.iter().flat_map(|b| b.blocks.enumerate()) {
                match &block.branch {
                    Branch::Call { .. } => {
                        for object in points_to.contents(Object::Heap(func, id)) {
                            self.hold(program, calls, object, None);
                        }
                    }
                    Branch::Return(Some(e)) => {
                        for object in points_to.expr(func, id, e) {
                            if self.owner(program, object) == Some(func) {
                                self.outlive_call.insert(object);
                                self.outlive_block.insert(object);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        for object in points_to.escaped() {
            self.hold(program, calls, object, None);
        }
    }

    /// Variables that name what an allocation just made, as the one behind a variable-length array
    /// does: they are set anew whenever it is made, and nothing else sets them.
    fn names_of_allocations(&self, program: &Program) -> FxHashSet<(VarId, Object)> {
        let mut set: FxHashMap<VarId, usize> = FxHashMap::default();
        let mut found = FxHashSet::default();
        for (func, function) in program.funcs.enumerate() {
            for (id, block) in function.body.iter().flat_map(|b| b.blocks.enumerate()) {
                for stmt in &block.stmts {
                    if let StmtKind::Assign(place, _) = &stmt.kind
                        && let Base::Var(v) = place.base
                    {
                        *set.entry(v).or_default() += 1;
                    }
                }
                let Branch::Call {
                    next: Some(next), ..
                } = &block.branch
                else {
                    continue;
                };
                let blocks = function.body.iter().map(|b| &b.blocks[*next]);
                for v in blocks.flat_map(named_after) {
                    found.insert((v, Object::Heap(func, id)));
                }
            }
        }
        found.retain(|(v, _)| set.get(v) == Some(&1) && !self.taken.contains(v));
        found
    }

    /// Notes that something holds the address of an object; `by` is the function whose calls it
    /// lives in.
    fn hold(
        &mut self,
        program: &Program,
        calls: &mut Reach<'_>,
        object: Object,
        by: Option<FuncId>,
    ) {
        let Some(own) = self.owner(program, object) else {
            return;
        };
        let lasts = match by {
            None => Lasts::Longer,
            // Other calls of the same function may be in progress.
            Some(f) if f == own && calls.graph.is_recursive(f) => Lasts::Longer,
            Some(f) if f == own => Lasts::SameCall,
            Some(f) if calls.leads(f, own) => Lasts::Longer,
            Some(_) => Lasts::Shorter,
        };
        if lasts == Lasts::Longer {
            self.outlive_call.insert(object);
        }
        if lasts != Lasts::Shorter {
            self.outlive_block.insert(object);
        }
    }

    /// The function whose calls an object may belong to. Allocations count, since memory on the
    /// stack is one.
    fn owner(&self, program: &Program, object: Object) -> Option<FuncId> {
        match object {
            Object::Var(v) if self.taken.contains(&v) => program.vars[v].kind.function(),
            Object::Heap(func, _) => Some(func),
            _ => None,
        }
    }

    fn find_frees(&mut self, program: &Program, points_to: &PointsTo) {
        for (func, function) in program.funcs.enumerate() {
            for (id, block) in function.body.iter().flat_map(|b| b.blocks.enumerate()) {
                let Branch::Call { callee, args, .. } = &block.branch else {
                    continue;
                };
                let (callees, _) = points_to.callees(func, id, callee);
                let row = |f: &FuncId| cwolf_known::lookup(&program.funcs[*f].name);
                let ended = callees.iter().filter_map(row).flat_map(Row::ended);
                for (at, pointer) in ended.filter_map(|at| Some((at, args.get(at.param)?))) {
                    let mut objects = points_to.expr(func, id, pointer);
                    if at.itself().is_none() {
                        let inside = objects.into_iter();
                        objects = inside.flat_map(|o| points_to.contents(o)).collect();
                    }
                    if objects.contains(&Object::Outside) {
                        self.freed.extend(points_to.escaped());
                    }
                    self.freed.extend(objects);
                }
            }
        }
    }
}

/// The variables that a block sets to the result of the call before it.
fn named_after(block: &Block) -> Vec<VarId> {
    let mut holds = FxHashSet::from_iter([RESULT]);
    let mut found = Vec::new();
    let is_result = |e: &Expr, holds: &FxHashSet<RegId>| {
        let mut e = e;
        while let ExprKind::Cast(inner) = &e.kind {
            e = inner;
        }
        matches!(e.kind, ExprKind::Reg(r) if holds.contains(&r))
    };
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::SetReg(r, e) => {
                match is_result(e, &holds) {
                    true => holds.insert(*r),
                    false => holds.remove(r),
                };
            }
            StmtKind::Assign(place, e) if place.path.is_empty() && is_result(e, &holds) => {
                if let Base::Var(v) = place.base {
                    found.push(v);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables whose addresses may outlive their call, and those that may outlive a block.
    fn outlived(text: &str) -> (Vec<String>, Vec<String>) {
        let options = cwolf_cfront::Options::default();
        let compiled = cwolf_cfront::compile_text("t.c", text.as_bytes(), &options);
        let program = compiled.program.expect("a program");
        let points_to = PointsTo::new(&program);
        let calls = CallGraph::with(&program, &points_to);
        let lives = Lives::new(&program, &points_to, &calls);
        let names = |set: &FxHashSet<Object>| {
            let mut found: Vec<String> = set
                .iter()
                .filter_map(|o| match o {
                    Object::Var(v) => Some(program.vars[*v].name.to_string()),
                    _ => None,
                })
                .collect();
            found.sort();
            found
        };
        (names(&lives.outlive_call), names(&lives.outlive_block))
    }

    #[test]
    fn addresses_that_only_callees_hold_outlive_nothing() {
        let (call, block) =
            outlived("void g(int *p) { *p = 1; } int main(void) { int x; g(&x); return x; }");
        assert!(call.is_empty() && block.is_empty());
    }

    #[test]
    fn holders_of_the_same_call_outlive_blocks_only() {
        let (call, block) = outlived("int main(void) { int x = 1; int *p = &x; return *p; }");
        assert!(call.is_empty());
        assert_eq!(block, ["x"]);
    }

    #[test]
    fn globals_results_and_callers_outlive_calls() {
        let (call, _) = outlived(
            "int *k; void a(void) { int x; k = &x; } int *b(void) { int y; return &y; }\
             void c(int **p) { int z; *p = &z; }\
             int main(void) { int *q; a(); b(); c(&q); return 0; }",
        );
        assert_eq!(call, ["x", "y", "z"]);
    }

    #[test]
    fn calls_of_the_same_function_may_hold_each_others_addresses() {
        let (call, _) = outlived(
            "int f(int *p, int n) { int x = n; return n ? f(&x, n - 1) : *p; }\
             int main(void) { int y = 2; return f(&y, 3); }",
        );
        assert_eq!(call, ["x"]);
    }
}
