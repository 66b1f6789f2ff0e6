//! Live variables: the locals that may be read before they are written, at the start of each block.
//! An aggregate is written where all of it is, also element by element.

use cwolf_cwi::{
    Block, BlockId, Body, Branch, Callee, Expr, ExprKind, Program, StmtKind, Type, TypeId, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is live at the start of each block, and what is where it comes to life again.
pub(crate) fn live_at_start(
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

/// Variables that come to life again without having died: pointers from before still lead there.
pub(crate) fn revived(body: &Body) -> FxHashSet<VarId> {
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
