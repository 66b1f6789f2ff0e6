//! Where allocated memory is asked for: an object that nothing leads to any more stays lost, so it is enough to
//! look where a run ends, and at the heads of loops for runs that do not end.

use crate::checks::target;
use crate::property::{Kind, Selection};
use cwolf_cwi::graph::{CallGraph, Cfg};
use cwolf_cwi::{
    Block, BlockId, Body, Branch, Check, Expr, ExprKind, FuncId, MemoryTest, Origin, Phase, Place,
    Program, Stmt, StmtKind, VarKind,
};
use cwolf_known::{Effect, End, Outcome, Row};

/// Puts the checks in. Tells which ends of runs are not looked at.
pub(crate) fn check_leaks(
    program: &mut Program,
    entry: FuncId,
    selection: &Selection,
) -> Vec<String> {
    let (leak, cleanup) = (selection.has(Kind::Leak), selection.has(Kind::Cleanup));
    if !leak && !cleanup {
        return Vec::new();
    }
    let calls = CallGraph::new(program);
    let reached = calls.reachable(&[entry]);
    if !reached.iter().any(|f| allocates(program, *f)) {
        return Vec::new();
    }
    let mut left_out = Vec::new();
    let at_exit = |f: &FuncId| {
        let row = cwolf_known::lookup(&program.funcs[*f].name);
        row.is_some_and(crate::start::runs_at_exit)
    };
    let late = !program.runs_in(Phase::Destructor).is_empty() || reached.iter().any(at_exit);
    if late {
        left_out.push("what is freed by functions that run at the exit".to_owned());
    }
    if !calls.callers(entry).is_empty() {
        left_out.push(
            "the end of the function that the program starts at, which is called again".into(),
        );
    }
    let (all, returns) = (!late, left_out.is_empty());
    for func in reached {
        let origin = program.funcs[func].origin;
        if !matches!(origin, Origin::Program | Origin::Rule | Origin::Glue) {
            continue;
        }
        let Some(mut body) = program.funcs[func].body.take() else {
            continue;
        };
        let heads = match leak {
            true => heads(&body),
            false => Vec::new(),
        };
        for block in body.blocks.ids() {
            let mut tests = Vec::new();
            match &body.blocks[block].branch {
                Branch::Return(_) if func == entry && returns => {
                    keep_value(program, func, &mut body, block);
                    tests.extend(leak.then_some((Kind::Leak, MemoryTest::Kept)));
                    tests.extend(cleanup.then_some((Kind::Cleanup, MemoryTest::Cleaned)));
                }
                Branch::Call { callee, args, .. } if all => {
                    let called = target(callee);
                    let row = called.and_then(|f| ending(program, f, args.len()));
                    let end = row.and_then(Row::ends);
                    tests.extend(
                        (end.is_some() && leak).then_some((Kind::Leak, MemoryTest::Tracked)),
                    );
                    // An aborted run stands for one that is not of interest, unless it reports an error.
                    let error = row.is_some_and(|row| row.fails().is_some());
                    let normal = matches!(end, Some(End::Exit | End::ExitNow)) || error;
                    tests.extend(
                        (normal && cleanup).then_some((Kind::Cleanup, MemoryTest::Cleaned)),
                    );
                }
                _ => {}
            }
            for (kind, test) in tests {
                let loc = body.blocks[block].loc;
                let stmt = assert(program, kind, test, loc);
                body.blocks[block].stmts.push(stmt);
            }
        }
        for head in heads {
            let loc = body.blocks[head].loc;
            let stmt = assert(program, Kind::Leak, MemoryTest::Tracked, loc);
            body.blocks[head].stmts.insert(0, stmt);
        }
        program.funcs[func].body = Some(body);
    }
    left_out
}

/// Whether a function without code of the user may make an object on the heap.
fn allocates(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    let row = cwolf_known::lookup(&function.name).filter(|_| function.body.is_none());
    let stored = |row: &Row| {
        let fresh = |value: &[Outcome]| value.iter().any(|o| matches!(o, Outcome::Fresh { .. }));
        let sets = |e: &Effect| matches!(e, Effect::Sets { value, .. } if fresh(value));
        row.effects.iter().any(sets) || row.ended().next().is_some()
    };
    row.is_some_and(|row| row.allocates().is_some() || stored(row))
}

/// The row of a function whose call ends the run. A declaration without parameters counts, too.
fn ending(program: &Program, func: FuncId, args: usize) -> Option<&'static Row> {
    let function = &program.funcs[func];
    let absent = function.body.is_none() || function.origin == Origin::Model;
    let row = cwolf_known::lookup(&function.name).filter(|row| absent && row.accepts(args));
    row.filter(|row| matches!(row.ends(), Some(End::Exit | End::ExitNow | End::Abort)))
}

/// The heads of loops, and where control jumps back to in others.
fn heads(body: &Body) -> Vec<BlockId> {
    let mut heads: Vec<BlockId> = Cfg::new(body)
        .retreating_edges()
        .into_iter()
        .map(|(_, to)| to)
        .collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

/// Computes what a block returns before anybody looks at memory: nothing else is held at the end.
fn keep_value(program: &mut Program, func: FuncId, body: &mut Body, block: BlockId) {
    let Block { stmts, branch, loc } = &mut body.blocks[block];
    let Branch::Return(Some(value)) = branch else {
        return;
    };
    if matches!(value.kind, ExprKind::Int(_)) || !program.types.is_scalar(value.ty) {
        return;
    }
    let ty = value.ty;
    let var = program.add_variable("returned", ty, VarKind::Temp(func), *loc);
    program.funcs[func].locals.push(var);
    let place = Place::var(ty, var);
    let value = std::mem::replace(value, Expr::load(place.clone()));
    let kind = StmtKind::Assign(place, value);
    stmts.push(Stmt { loc: *loc, kind });
}

fn assert(program: &mut Program, kind: Kind, test: MemoryTest, loc: cwolf_cwi::LocId) -> Stmt {
    let text = match kind {
        Kind::Cleanup => "all allocated memory is freed",
        _ => "no allocated memory is leaked",
    };
    let text = text.to_owned();
    let check = program.checks.push(Check { kind, loc, text });
    let cond = Expr::memory(test, Vec::new());
    Stmt {
        loc,
        kind: StmtKind::Assert { check, cond },
    }
}
