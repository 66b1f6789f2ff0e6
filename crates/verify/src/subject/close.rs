//! Closes a program: what C leaves open becomes an explicit choice (`Unknown`), in an order that
//! every engine and the interpreter share.

use super::given::{holds_pointer, pointers};
use super::{Extern, PrepareError, unnamed};
use crate::names::place_of;
use crate::property::Kind;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{
    Block, BlockId, Body, Branch, Callee, Definition, Expr, ExprKind, FuncId, Linkage, LocId,
    Origin, Place, Program, Stmt, StmtKind, Type, TypeId, Types, Var, VarId, VarKind,
};
use cwolf_known::Row;
use cwolf_prepare::{Freedom, Printed, known_row, known_stub};
use cwolf_report::Assumption;
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a function without a body is a word of verification, or one that engines do themselves.
fn is_primitive(program: &Program, func: FuncId) -> bool {
    let name = program.funcs[func].name.as_str();
    let word = name.starts_with("__cwolf_")
        || cwolf_known::lookup(name).is_some_and(|row| row.is_word() && !row.changes_memory());
    // Nobody follows threads, processes, handlers and other stacks.
    let elsewhere = |row: &Row| row.starts_something() || row.returns_twice();
    let elsewhere = cwolf_known::lookup(name).is_some_and(elsewhere);
    word || elsewhere || cwolf_encode::is_native(name)
}

/// What is known of a function without a body, and how its stub runs. A function that is defined by
/// its arguments, and that the interpreter cannot run, is as good as one that nobody knows.
fn known(program: &Program, func: FuncId) -> Option<(&'static Row, Freedom)> {
    let row = known_row(program, func)?;
    let native = cwolf_interp::is_native(&program.funcs[func].name);
    match (row.is_open(), native) {
        (true, _) => Some((row, Freedom::Open)),
        (false, true) => Some((row, Freedom::Approximation)),
        (false, false) => Some((row, Freedom::Open)),
    }
}

/// Gives functions without a body one, as `externs` says.
pub(super) fn externs(
    program: &mut Program,
    entry: FuncId,
    how: &Outside<'_>,
    assumptions: &mut Vec<Assumption>,
    uncovered: &mut Vec<String>,
) -> Result<Vec<FuncId>, PrepareError> {
    let externs = how.externs;
    let graph = CallGraph::new(program);
    let absent: Vec<FuncId> = graph
        .reachable(&[entry])
        .into_iter()
        .filter(|f| {
            let function = &program.funcs[*f];
            let absent = function.body.is_none() && function.refused.is_none();
            absent && function.alias.is_none() && !is_primitive(program, *f)
        })
        .collect();
    let (rows, missing): (Vec<_>, Vec<_>) = absent
        .into_iter()
        .map(|f| (f, known(program, f)))
        .partition(|(_, row)| row.is_some());
    let missing: Vec<FuncId> = missing.into_iter().map(|(f, _)| f).collect();
    if externs == Extern::Error && !missing.is_empty() {
        let describe = |f: &FuncId| {
            let function = &program.funcs[*f];
            let place = program.locations.describe(function.loc);
            format!("{} ({place})", function.name)
        };
        let all: Vec<String> = missing.iter().map(describe).collect();
        return Err(PrepareError::Extern(all.join(", ")));
    }
    for func in &missing {
        let function = &program.funcs[*func];
        let words = match externs {
            Extern::Havoc if takes_pointer(program, *func) => {
                "has no body: it returns any value and may write what its arguments point to"
            }
            Extern::Havoc => "has no body: it returns any value and changes nothing else",
            Extern::Pure | Extern::Error => {
                "has no body: it returns any value and changes nothing (--extern=pure)"
            }
        };
        assumptions.push(Assumption {
            text: format!("{} {words}", function.name),
            place: Some(place_of(program, function.loc)),
        });
    }
    for func in &missing {
        stub(program, *func, externs);
    }
    let mut chosen = missing;
    let mut writers = chosen.clone();
    for (func, row) in rows {
        let Some((row, freedom)) = row else { continue };
        let printed = how.printed.get(&func).copied();
        let bound = printed.unwrap_or_default();
        known_stub(program, func, row, how.kinds, bound, freedom);
        if freedom == Freedom::Open {
            chosen.push(func);
        }
        // A format that cannot be read, or stores something, may write through any argument.
        if row.scans().is_some() || (row.formatted().is_some() && printed.is_none()) {
            writers.push(func);
        }
    }
    if externs == Extern::Havoc {
        unnamed::arguments(program, &writers, &graph);
    }
    let calls_back = |f: &&FuncId| takes_function(program, **f);
    let backs = chosen.iter().filter(calls_back);
    uncovered.extend(backs.map(|f| format!("what {} calls", program.funcs[*f].name)));
    Ok(chosen)
}

/// Whether a function is given functions of the program, which it may call.
fn takes_function(program: &Program, func: FuncId) -> bool {
    let function = |ty: &TypeId| {
        let to = program.types.pointee(*ty);
        to.is_some_and(|to| matches!(program.types[to], Type::Func(_)))
    };
    match &program.types[program.funcs[func].ty] {
        Type::Func(ty) => ty.params.iter().any(function),
        _ => false,
    }
}

/// What is known of code outside the program.
pub(super) struct Outside<'o> {
    pub(super) externs: Extern,
    /// Kinds that are checked.
    pub(super) kinds: &'o [Kind],
    /// How much calls print at most.
    pub(super) printed: &'o Printed,
}

fn takes_pointer(program: &Program, func: FuncId) -> bool {
    match &program.types[program.funcs[func].ty] {
        Type::Func(ty) => ty.variadic || ty.params.iter().any(|p| holds_pointer(program, *p)),
        _ => false,
    }
}

/// The body of a function that does anything it may.
fn stub(program: &mut Program, func: FuncId, externs: Extern) {
    let Type::Func(ty) = program.types[program.funcs[func].ty].clone() else {
        return;
    };
    let loc = program.funcs[func].loc;
    let params: Vec<VarId> = ty
        .params
        .iter()
        .enumerate()
        .map(|(n, ty)| {
            let kind = VarKind::Param(func);
            variable(program, format!("argument{}", n + 1), *ty, kind, loc)
        })
        .collect();
    let mut body = Body::default();
    body.regs.push(Types::VOID);
    let mut stmts = Vec::new();
    if externs == Extern::Havoc {
        for param in &params {
            let value = Expr::load(Place::var(program.vars[*param].ty, *param));
            for ptr in pointers(program, &value) {
                let kind = StmtKind::Havoc { ptr, size: None };
                stmts.push(Stmt { loc, kind });
            }
        }
    }
    let mut locals = Vec::new();
    let mut value = None;
    if !matches!(program.types[ty.ret], Type::Void) {
        let kind = VarKind::Local(func);
        let var = variable(program, "result".into(), ty.ret, kind, loc);
        locals.push(var);
        let place = Place::var(ty.ret, var);
        stmts.push(assign_unknown(place.clone(), loc));
        value = Some(Expr::load(place));
    }
    let branch = match program.funcs[func].noreturn {
        true => Branch::Halt(Expr::int(Types::INT, 1)),
        false => Branch::Return(value),
    };
    body.blocks.push(Block { stmts, loc, branch });
    let function = &mut program.funcs[func];
    function.params = params;
    function.locals = locals;
    function.body = Some(body);
    function.definition = Definition::Defined;
    function.origin = Origin::Stub;
}

/// A new variable.
pub(super) fn variable(
    program: &mut Program,
    name: String,
    ty: TypeId,
    kind: VarKind,
    loc: LocId,
) -> VarId {
    let align = program.types.align_of(ty);
    program.vars.push(Var {
        name,
        ty,
        kind,
        linkage: Linkage::Internal,
        definition: Definition::Defined,
        volatile: false,
        constant: false,
        weak: false,
        thread_local: false,
        align,
        extra: 0,
        init: Vec::new(),
        alias: None,
        loc,
    })
}

/// `place = any value`.
pub(super) fn assign_unknown(place: Place, loc: LocId) -> Stmt {
    let value = Expr {
        ty: place.ty,
        kind: ExprKind::Choose,
    };
    Stmt {
        loc,
        kind: StmtKind::Assign(place, value),
    }
}

/// Gives locals that may be read before they are written any value where they come to life.
pub(super) fn uninitialised(program: &mut Program) {
    for id in program.funcs.ids() {
        let Some(mut body) = program.funcs[id].body.take() else {
            continue;
        };
        let locals: FxHashSet<VarId> = program.funcs[id].locals.iter().copied().collect();
        let open = read_before_written(program, &body, &locals);
        let choose = |program: &Program, var: VarId, loc: LocId| {
            let ty = program.vars[var].ty;
            assign_unknown(Place::var(ty, var), loc)
        };
        for block in body.blocks.iter_mut() {
            for stmt in std::mem::take(&mut block.stmts) {
                let chosen = match stmt.kind {
                    StmtKind::Live(var) if open.contains(&var) => {
                        Some(choose(program, var, stmt.loc))
                    }
                    _ => None,
                };
                block.stmts.push(stmt);
                block.stmts.extend(chosen);
            }
        }
        let mut first: Vec<Stmt> = Vec::new();
        for var in &program.funcs[id].locals {
            if open.contains(var) {
                first.push(choose(program, *var, program.vars[*var].loc));
            }
        }
        if !first.is_empty() {
            at_entry(&mut body, first);
        }
        program.funcs[id].body = Some(body);
    }
}

/// Puts statements where control enters, and only there.
fn at_entry(body: &mut Body, first: Vec<Stmt>) {
    let mut again = false;
    for block in body.blocks.iter() {
        block
            .branch
            .for_each_successor(|b| again |= b == Body::ENTRY);
    }
    let entry = &mut body.blocks[Body::ENTRY];
    if !again {
        entry.stmts.splice(0..0, first);
        return;
    }
    // Control comes back to the first block: it moves, so that it can be entered twice.
    let loc = entry.loc;
    let moved = BlockId(body.blocks.len() as u32);
    let start = Block {
        stmts: first,
        loc,
        branch: Branch::Goto(moved),
    };
    let old = std::mem::replace(&mut body.blocks[Body::ENTRY], start);
    body.blocks.push(old);
    for (id, block) in body.blocks.iter_mut().enumerate() {
        if id > 0 {
            block.branch.for_each_successor_mut(|b| {
                if *b == Body::ENTRY {
                    *b = moved;
                }
            });
        }
    }
}

/// What is live at the start of each block, and what is where it comes to life again.
fn live_at_start(
    program: &Program,
    body: &Body,
    locals: &FxHashSet<VarId>,
) -> (Vec<FxHashSet<VarId>>, FxHashSet<VarId>) {
    let blocks = body.blocks.len();
    let mut live: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); blocks];
    let mut reborn = FxHashSet::default();
    let mut changed = true;
    while changed {
        changed = false;
        for n in (0..blocks).rev() {
            let block = &body.blocks[BlockId(n as u32)];
            let mut now = FxHashSet::default();
            block
                .branch
                .for_each_successor(|b| now.extend(&live[b.0 as usize]));
            backwards(program, block, locals, &mut now, &mut reborn);
            if now.len() != live[n].len() {
                live[n] = now;
                changed = true;
            }
        }
    }
    (live, reborn)
}

/// Whether some function may read memory that was never written: a local before it is written, a
/// new object, the result of a function that returns none. If not, none ever does.
pub(crate) fn may_read_unset(program: &Program, entry: FuncId) -> bool {
    const ALLOCATE: [&str; 4] = ["malloc", "realloc", "alloca", "aligned_alloc"];
    let unset = |func: FuncId| {
        let function = &program.funcs[func];
        let name = function.name.as_str();
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let Some(body) = &function.body else {
            let known = name.starts_with("__VERIFIER_") || name.starts_with("__cwolf_");
            let quiet = [
                "calloc",
                "free",
                "abort",
                "exit",
                "__assert_fail",
                "reach_error",
            ];
            return !known && !quiet.contains(&plain);
        };
        let returns = matches!(&program.types[function.ty],
            Type::Func(ty) if !matches!(program.types[ty.ret], Type::Void));
        let lost = body
            .blocks
            .iter()
            .any(|block| returns && matches!(block.branch, Branch::Return(None)));
        let locals: FxHashSet<VarId> = function.locals.iter().copied().collect();
        let (live, reborn) = live_at_start(program, body, &locals);
        let again = revived(body);
        // Somebody may still know the address of a variable that comes to life again.
        let mut kept = false;
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::AddrOf(place) = &e.kind {
                    kept |= place.root().is_some_and(|var| again.contains(&var));
                }
            });
        });
        ALLOCATE.contains(&plain) || lost || kept || !live[0].is_empty() || !reborn.is_empty()
    };
    let reached = CallGraph::new(program).reachable(&[entry]);
    reached.into_iter().any(unset)
}

/// Variables that come to life again without having died: pointers from before still lead there.
fn revived(body: &Body) -> FxHashSet<VarId> {
    let (mut begun, mut ended) = (FxHashSet::default(), FxHashSet::default());
    for stmt in body.blocks.iter().flat_map(|block| &block.stmts) {
        match stmt.kind {
            StmtKind::Live(var) => drop(begun.insert(var)),
            StmtKind::Dead(var) => drop(ended.insert(var)),
            _ => {}
        }
    }
    begun.retain(|var| !ended.contains(var));
    begun
}

/// Locals that a path from the entry may read (in part, or by taking their address) before it
/// writes all of them.
fn read_before_written(
    program: &Program,
    body: &Body,
    locals: &FxHashSet<VarId>,
) -> FxHashSet<VarId> {
    let (live, reborn) = live_at_start(program, body, locals);
    let mut open = live[0].clone();
    open.extend(reborn);
    open.extend(revived(body).into_iter().filter(|v| locals.contains(v)));
    // What nobody can hold is nothing to choose.
    open.retain(|var| program.types.size_of(program.vars[*var].ty) > 0);
    open
}

/// The statements of a block that together write all of an aggregate, element by element with
/// nothing between that looks at it: the first of each such group, and all of them.
fn whole_writes(
    program: &Program,
    block: &Block,
    locals: &FxHashSet<VarId>,
) -> (FxHashSet<usize>, FxHashSet<usize>) {
    let types = &program.types;
    let (mut firsts, mut all) = (FxHashSet::default(), FxHashSet::default());
    // For each variable: the statements so far, the paths that they write, and the bits.
    type Group<'b> = (Vec<usize>, Vec<&'b [cwolf_cwi::Step]>, u64);
    let mut groups: FxHashMap<VarId, Group<'_>> = FxHashMap::default();
    for (n, stmt) in block.stmts.iter().enumerate() {
        let mut mentioned = Vec::new();
        let mut mention = |e: &Expr| {
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
                    mentioned.extend(place.root());
                }
            });
        };
        let StmtKind::Assign(place, value) = &stmt.kind else {
            if let StmtKind::SetReg(_, value) = &stmt.kind {
                mention(value);
            }
            for var in mentioned {
                groups.remove(&var);
            }
            continue;
        };
        place.for_each_operand(&mut mention);
        mention(value);
        for var in mentioned {
            groups.remove(&var);
        }
        let constant = |step: &cwolf_cwi::Step| match step {
            cwolf_cwi::Step::Field(_) => true,
            cwolf_cwi::Step::Index(e) => e.as_int().is_some(),
        };
        let Some(var) = place.root().filter(|v| locals.contains(v)) else {
            continue;
        };
        if place.path.is_empty() || !place.path.iter().all(constant) || !types.is_scalar(place.ty) {
            continue;
        }
        let group = groups.entry(var).or_default();
        if !group.1.contains(&&*place.path) {
            group.1.push(&place.path);
            group.2 += types.size_of(place.ty);
        }
        group.0.push(n);
        // A bit-field counts with its whole unit, so only plain members may sum up.
        if group.2 == types.size_of(program.vars[var].ty) && no_bit_fields(program, var) {
            firsts.insert(group.0[0]);
            all.extend(group.0.drain(..));
            groups.remove(&var);
        }
        // Long lists of elements are not worth the comparison.
        if groups.get(&var).is_some_and(|group| group.1.len() > 64) {
            groups.remove(&var);
        }
    }
    (firsts, all)
}

/// Whether the variable is a struct or array without unions, bit-fields and padding games.
fn no_bit_fields(program: &Program, var: VarId) -> bool {
    fn plain(program: &Program, ty: TypeId) -> bool {
        match &program.types[ty] {
            Type::Array { elem, .. } => plain(program, *elem),
            Type::Record(record) => {
                let record = &program.types.records[*record];
                record.kind == cwolf_cwi::RecordKind::Struct
                    && record
                        .fields
                        .iter()
                        .all(|f| !f.bit_field && plain(program, f.ty))
            }
            _ => true,
        }
    }
    plain(program, program.vars[var].ty)
}

fn backwards(
    program: &Program,
    block: &Block,
    locals: &FxHashSet<VarId>,
    live: &mut FxHashSet<VarId>,
    reborn: &mut FxHashSet<VarId>,
) {
    let (firsts, all) = whole_writes(program, block, locals);
    let read = |e: &Expr, live: &mut FxHashSet<VarId>| {
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind
                && let Some(var) = place.root().filter(|v| locals.contains(v))
            {
                live.insert(var);
            }
        });
    };
    match &block.branch {
        Branch::If { cond: e, .. }
        | Branch::Switch { on: e, .. }
        | Branch::Return(Some(e))
        | Branch::Halt(e) => read(e, live),
        Branch::Call { callee, args, .. } => {
            args.iter().for_each(|a| read(a, live));
            if let Callee::Indirect(e) = callee {
                read(e, live);
            }
        }
        Branch::Goto(_) | Branch::Return(None) | Branch::Unreachable(_) => {}
    }
    for (n, stmt) in block.stmts.iter().enumerate().rev() {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                match place
                    .as_var()
                    .or(place.root().filter(|_| firsts.contains(&n)))
                {
                    Some(var) => {
                        live.remove(&var);
                    }
                    None if all.contains(&n) => {}
                    // A part that is written leaves the rest open.
                    None => live.extend(place.root().filter(|v| locals.contains(v))),
                }
                place.for_each_operand(&mut |e| read(e, live));
                read(value, live);
            }
            StmtKind::SetReg(_, value) => read(value, live),
            StmtKind::Assert { cond: e, .. } | StmtKind::Assume(e) => read(e, live),
            StmtKind::Havoc { ptr, size } => {
                read(ptr, live);
                size.iter().for_each(|e| read(e, live));
            }
            StmtKind::Live(var) => {
                if live.remove(var) {
                    reborn.insert(*var);
                }
            }
            StmtKind::Dead(var) => {
                live.remove(var);
            }
        }
    }
}

/// A volatile read gives any value: the world outside may have changed it. It does not know locals
/// whose address nobody takes: they are volatile for the sake of `longjmp`.
pub(super) fn volatiles(program: &mut Program) {
    let (types, vars) = (&program.types, &program.vars);
    for function in program.funcs.iter_mut() {
        let Some(body) = &mut function.body else {
            continue;
        };
        let mut taken = FxHashSet::default();
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::AddrOf(place) = &e.kind {
                    taken.extend(place.root());
                }
            });
        });
        let own = |place: &Place| {
            let automatic = |v: &VarId| vars[*v].kind.is_automatic() && !taken.contains(v);
            place.root().as_ref().is_some_and(automatic)
        };
        for block in body.blocks.iter_mut() {
            for stmt in &mut block.stmts {
                if let StmtKind::SetReg(_, value) = &mut stmt.kind
                    && let ExprKind::Load {
                        place,
                        volatile: true,
                    } = &value.kind
                    && !own(place)
                    && types.pointee(value.ty).is_none()
                {
                    value.kind = ExprKind::Choose;
                }
            }
        }
    }
}
