//! Variables that stand for several objects: pointers to them may differ though they lead to the same variable.

use cwolf_base::Idx;
use cwolf_cwi::graph::{CallGraph, Cfg, Object, PointsTo};
use cwolf_cwi::{
    BlockId, Body, Branch, Callee, Definition, FuncId, Program, StmtKind, Var, VarId, VarKind,
};
use cwolf_known::Primitive;
use rustc_hash::{FxHashMap, FxHashSet};

/// The summaries of allocated objects, and locals that each of several calls in progress has. Where addresses of
/// objects are compared whose life is over (`stray`), also locals that a pointer may outlive.
pub(super) fn several(
    program: &Program,
    (calls, points_to): (&CallGraph, &PointsTo),
    exposed: &FxHashSet<VarId>,
    stray: bool,
) -> FxHashSet<VarId> {
    let mut found: FxHashSet<VarId> = program.heap.summaries.iter().copied().collect();
    let mut local: Vec<(VarId, FuncId)> = Vec::new();
    for var in exposed {
        let kind = program.vars[*var].kind;
        let Some(func) = kind.function().filter(|_| kind.is_automatic()) else {
            continue;
        };
        match calls.is_recursive(func) {
            true => drop(found.insert(*var)),
            false => local.push((*var, func)),
        }
    }
    if !stray || local.is_empty() {
        return found;
    }
    let holders = holders(program, points_to);
    let mut below: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    for (var, func) in local {
        let inside = below
            .entry(func)
            .or_insert_with(|| calls.reachable(&[func]));
        // Who holds its address must end before it does.
        let ends_before = |holder: &Object| match holder {
            Object::Var(v) => {
                let kind = program.vars[*v].kind;
                let own = kind.function().filter(|_| kind.is_automatic());
                own.is_some_and(|f| inside.binary_search(&f).is_ok())
            }
            _ => false,
        };
        let known = holders.get(&Object::Var(var));
        let held = known.is_some_and(|list| !list.iter().all(ends_before));
        if held || returned(program, points_to, func, var) || begins_again(program, func, var) {
            found.insert(var);
        }
    }
    found
}

/// Objects that live for certain where a pointer leads to them: what is freed is no longer one of them, and `several`
/// knows the locals that a pointer may outlive.
pub(super) fn lasting(
    program: &Program,
    several: &FxHashSet<VarId>,
    stray: bool,
) -> FxHashSet<VarId> {
    let mut ends: FxHashSet<VarId> = several.clone();
    for function in program.funcs.iter() {
        let blocks = function.body.iter().flat_map(|b| b.blocks.iter());
        for stmt in blocks.flat_map(|b| &b.stmts) {
            if let StmtKind::Dead(var) = stmt.kind {
                ends.insert(var);
            }
        }
    }
    // What lies on the stack goes with its function.
    for ((func, block), site) in &program.heap.sites {
        let body = program.funcs[*func].body.as_ref().expect("it calls");
        if let Branch::Call {
            callee: Callee::Direct(callee),
            ..
        } = &body.blocks[*block].branch
            && let Some(row) = program.known(*callee)
            && row.primitive() != Some(Primitive::AllocateOnStack)
        {
            continue;
        }
        ends.extend(site.groups.iter().flat_map(|g| g.newest.iter().copied()));
    }
    let lasts = |(id, var): &(VarId, &Var)| {
        let local = var.kind.is_automatic();
        !ends.contains(id) && (stray || !local) && var.definition != Definition::Declared
    };
    let all = program.vars.enumerate().filter(lasts);
    all.map(|(id, _)| id).collect()
}

/// What may hold a pointer to each object.
fn holders(program: &Program, points_to: &PointsTo) -> FxHashMap<Object, Vec<Object>> {
    let mut found: FxHashMap<Object, Vec<Object>> = FxHashMap::default();
    let heap = (program.heap.sites.keys()).map(|(func, block)| Object::Heap(*func, *block));
    let vars = program.vars.ids().map(Object::Var);
    for holder in vars.chain(heap).chain([Object::Outside]) {
        for object in points_to.contents(holder) {
            found.entry(object).or_default().push(holder);
        }
    }
    for object in points_to.escaped() {
        found.entry(object).or_default().push(Object::Outside);
    }
    found
}

/// Whether a function may return the address of one of its variables.
fn returned(program: &Program, points_to: &PointsTo, func: FuncId, var: VarId) -> bool {
    let body = program.funcs[func].body.iter();
    let mut blocks = body.flat_map(|b| b.blocks.enumerate());
    blocks.any(|(id, block)| match &block.branch {
        Branch::Return(Some(e)) => {
            let objects = points_to.expr(func, id, e);
            objects.contains(&Object::Var(var))
        }
        _ => false,
    })
}

/// Whether a local may begin its life more than once in one call of its function.
fn begins_again(program: &Program, func: FuncId, var: VarId) -> bool {
    // A parameter lives as long as the call.
    if matches!(program.vars[var].kind, VarKind::Param(_)) {
        return false;
    }
    let Some(body) = &program.funcs[func].body else {
        return false;
    };
    let begins = |block: &BlockId| {
        let mut stmts = body.blocks[*block].stmts.iter();
        stmts.any(|s| matches!(&s.kind, StmtKind::Live(v) if *v == var))
    };
    let blocks: Vec<BlockId> = body.blocks.ids().filter(begins).collect();
    blocks.iter().any(|b| comes_again(body, *b, &blocks))
}

/// Whether control may come from a block to one of several.
fn comes_again(body: &Body, from: BlockId, to: &[BlockId]) -> bool {
    let cfg = Cfg::new(body);
    let mut seen = vec![false; body.blocks.len()];
    let mut todo: Vec<BlockId> = cfg.successors(from).to_vec();
    while let Some(block) = todo.pop() {
        if to.contains(&block) {
            return true;
        }
        if !std::mem::replace(&mut seen[block.index()], true) {
            todo.extend(cfg.successors(block));
        }
    }
    false
}
