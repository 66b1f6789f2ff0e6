//! What is read off the code before the analysis: which numbers bounds stop at, which cells are
//! related, which flags tell states apart, what functions change.

use crate::layout::Kind;
use crate::objects::{Objects, What};
use crate::state::Packs;
use crate::step::ends_objects;
use crate::value::{CellId, ObjId};
use cwolf_base::Idx;
use cwolf_cwi::graph::{Analysed, Object};
use cwolf_cwi::{
    Base, BinOp, Branch, Callee, Expr, ExprKind, FuncId, Place, Program, Step, StmtKind, Type,
    VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// No more numbers than this are stops for bounds.
const STOPS: usize = 200;
/// Cells that are related to each other, at most.
const PACK: usize = 9;
/// Flags that tell states apart, at most.
const FLAGS: usize = 6;

/// Numbers of the program, and their neighbours.
pub(crate) fn stops(program: &Program, functions: &[FuncId]) -> Vec<i128> {
    let mut counts: FxHashMap<i128, usize> = FxHashMap::default();
    for body in functions
        .iter()
        .filter_map(|f| program.funcs[*f].body.as_ref())
    {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::Int(n) = e.kind {
                    *counts.entry(n).or_default() += 1;
                }
            });
        });
    }
    let mut by_use: Vec<(i128, usize)> = counts.into_iter().collect();
    by_use.sort_unstable_by_key(|(n, count)| (usize::MAX - count, *n));
    let chosen = by_use.into_iter().take(STOPS / 3);
    let mut all: BTreeSet<i128> = chosen
        .flat_map(|(n, _)| [n.saturating_sub(1), n, n.saturating_add(1)])
        .collect();
    for bits in [8, 16, 32, 64] {
        all.extend([
            (1i128 << bits) - 1,
            (1i128 << (bits - 1)) - 1,
            -(1i128 << (bits - 1)),
        ]);
    }
    all.extend([-1, 0, 1]);
    all.into_iter().collect()
}

/// The cell that a place is, if the code alone says so.
fn cell_of(program: &Program, objects: &Objects, place: &Place) -> Option<CellId> {
    let Base::Var(v) = place.base else {
        return None;
    };
    let mut ty = program.vars[v].ty;
    let mut at = 0i128;
    for step in &place.path {
        match (step, &program.types[ty]) {
            (Step::Field(n), Type::Record(r)) => {
                let field = &program.types.records[*r].fields[*n as usize];
                at += i128::from(field.bit_offset);
                ty = field.ty;
            }
            (Step::Index(i), Type::Array { elem, .. }) => {
                at += i.as_int()? * i128::from(program.types.size_of(*elem)) * 8;
                ty = *elem;
            }
            _ => return None,
        }
    }
    let entry = objects.var(v)?;
    let n = entry
        .leaves
        .iter()
        .position(|l| l.is_alone() && l.at == at)?;
    Some(entry.cell(n)).filter(|c| matches!(objects.cells[*c].kind, Kind::Int(_)))
}

/// The cells in an expression that is a sum of cells and numbers.
fn summands(program: &Program, objects: &Objects, func: FuncId, e: &Expr, out: &mut Vec<CellId>) {
    match &e.kind {
        ExprKind::Load { place, .. } => out.extend(cell_of(program, objects, place)),
        ExprKind::Reg(reg) => {
            let cell = objects.reg(func, *reg);
            out.extend(cell.filter(|c| matches!(objects.cells[*c].kind, Kind::Int(_))));
        }
        ExprKind::Cast(a) | ExprKind::Unary(_, a) => summands(program, objects, func, a, out),
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            summands(program, objects, func, a, out);
            summands(program, objects, func, b, out);
        }
        _ => {}
    }
}

/// Chooses what octagons are about: cells that are compared or computed from each other, those first
/// that are so most often.
pub(crate) fn packs(program: &Program, objects: &Objects, functions: &[FuncId]) -> Packs {
    let mut weights: FxHashMap<(CellId, CellId), u32> = FxHashMap::default();
    let mut relate = |cells: &[CellId], weight: u32| {
        for (n, a) in cells.iter().enumerate() {
            for b in &cells[n + 1..] {
                if a != b {
                    *weights.entry((*a.min(b), *a.max(b))).or_default() += weight;
                }
            }
        }
    };
    for func in functions {
        let Some(body) = &program.funcs[*func].body else {
            continue;
        };
        let look = |e: &Expr| {
            let mut compared = Vec::new();
            if let ExprKind::Binary(op, a, b) = &e.kind
                && op.is_comparison()
            {
                summands(program, objects, *func, a, &mut compared);
                summands(program, objects, *func, b, &mut compared);
            }
            compared
        };
        let mut found: Vec<Vec<CellId>> = Vec::new();
        body.for_each_expr(&mut |e| e.walk(&mut |e| found.push(look(e))));
        for cells in found.iter().filter(|c| c.len() < 5) {
            relate(cells, 4);
        }
        for block in body.blocks.iter() {
            // Numbers that are counted up or down together.
            let mut counters = Vec::new();
            for stmt in &block.stmts {
                let mut cells = Vec::new();
                match &stmt.kind {
                    StmtKind::Assign(place, e) => {
                        let to = cell_of(program, objects, place);
                        summands(program, objects, *func, e, &mut cells);
                        if cells.len() == 1 && cells.first() == to.as_ref() {
                            counters.extend(to);
                        }
                        cells.extend(to);
                    }
                    StmtKind::SetReg(reg, e) => {
                        cells.extend(objects.reg(*func, *reg));
                        summands(program, objects, *func, e, &mut cells);
                    }
                    _ => continue,
                }
                if cells.len() < 5 {
                    relate(&cells, 2);
                }
            }
            counters.dedup();
            if counters.len() <= PACK {
                relate(&counters, 1);
            }
            if let Branch::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } = &block.branch
                && !objects.recursive.contains(callee)
            {
                let params = program.funcs[*callee].params.iter();
                for (param, arg) in params.zip(args) {
                    let ty = program.vars[*param].ty;
                    let mut cells = Vec::new();
                    cells.extend(cell_of(program, objects, &Place::var(ty, *param)));
                    summands(program, objects, *func, arg, &mut cells);
                    if cells.len() < 4 {
                        relate(&cells, 1);
                    }
                }
            }
        }
    }
    group(weights, objects.cells.len())
}

/// Greedily: the strongest relation first, as long as packs stay small.
fn group(weights: FxHashMap<(CellId, CellId), u32>, cells: usize) -> Packs {
    let mut pairs: Vec<((CellId, CellId), u32)> = weights.into_iter().collect();
    pairs.sort_unstable_by_key(|(pair, weight)| (u32::MAX - weight, *pair));
    let mut of: Vec<Option<u32>> = vec![None; cells];
    let mut groups: Vec<Vec<CellId>> = Vec::new();
    for ((a, b), _) in pairs {
        match (of[a.index()], of[b.index()]) {
            (None, None) => {
                let n = groups.len() as u32;
                groups.push(vec![a, b]);
                of[a.index()] = Some(n);
                of[b.index()] = Some(n);
            }
            (Some(n), None) | (None, Some(n)) => {
                let new = if of[a.index()].is_none() { a } else { b };
                if groups[n as usize].len() < PACK {
                    groups[n as usize].push(new);
                    of[new.index()] = Some(n);
                }
            }
            (Some(n), Some(m)) if n != m => {
                let (n, m) = (n.min(m), n.max(m));
                if groups[n as usize].len() + groups[m as usize].len() <= PACK {
                    let moved = std::mem::take(&mut groups[m as usize]);
                    for cell in &moved {
                        of[cell.index()] = Some(n);
                    }
                    groups[n as usize].extend(moved);
                }
            }
            _ => {}
        }
    }
    groups.retain(|g| g.len() > 1);
    let mut packs = Packs {
        of: vec![None; cells],
        cells: groups,
    };
    for (n, cells) in packs.cells.iter().enumerate() {
        for (k, cell) in cells.iter().enumerate() {
            packs.of[cell.index()] = Some((n as u32, k as u32));
        }
    }
    packs
}

/// Flags: numbers that get only constants and that branches ask for, the most asked first.
pub(crate) fn flags(program: &Program, objects: &Objects, functions: &[FuncId]) -> Vec<CellId> {
    let mut asked: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut spoilt: FxHashSet<VarId> = FxHashSet::default();
    for func in functions {
        let function = &program.funcs[*func];
        // Parameters get anything.
        spoilt.extend(&function.params);
        let Some(body) = &function.body else { continue };
        for block in body.blocks.iter() {
            let mut look = |e: &Expr| {
                e.walk(&mut |e| {
                    if let ExprKind::Load { place, .. } = &e.kind
                        && let Some(v) = place.as_var()
                    {
                        *asked.entry(v).or_default() += 1;
                    }
                });
            };
            match &block.branch {
                Branch::If { cond, .. } => look(cond),
                Branch::Switch { on, .. } => look(on),
                _ => {}
            }
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, e) => {
                        let constant = is_constant(e);
                        if let Some(v) = place.root()
                            && !(constant && place.path.is_empty())
                        {
                            spoilt.insert(v);
                        }
                    }
                    StmtKind::Assert { cond, .. } | StmtKind::Assume(cond) => look(cond),
                    _ => {}
                }
            }
        }
    }
    let plain = |v: &VarId| {
        !spoilt.contains(v)
            && !objects.taken.contains(v)
            && Kind::of(&program.types, program.vars[*v].ty)
                .int()
                .is_some()
    };
    let mut chosen: Vec<(VarId, usize)> = asked.into_iter().filter(|(v, _)| plain(v)).collect();
    chosen.sort_unstable_by_key(|(v, count)| (usize::MAX - count, *v));
    let cells = chosen.into_iter().filter_map(|(v, _)| {
        let entry = objects.var(v)?;
        entry.leaves.first().map(|_| entry.cell(0))
    });
    cells.take(FLAGS).collect()
}

fn is_constant(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) => true,
        ExprKind::Cast(a) => is_constant(a),
        _ => false,
    }
}

/// What a function and those that it calls may change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) objects: FxHashSet<ObjId>,
    /// Whether objects may be freed.
    pub(crate) frees: bool,
}

pub(crate) fn changes(
    program: &Analysed,
    objects: &Objects,
    functions: &[FuncId],
) -> FxHashMap<FuncId, Changes> {
    let points_to = program.points_to();
    let calls = program.calls();
    let mut all: FxHashMap<FuncId, Changes> = FxHashMap::default();
    for func in functions {
        let mut own = Changes::default();
        let mut add = |found: Vec<Object>| {
            let mut found = found;
            if found.contains(&Object::Outside) {
                found.extend(points_to.escaped());
            }
            own.objects
                .extend(found.iter().filter_map(|o| objects.of(*o)));
        };
        let Some(body) = &program.funcs[*func].body else {
            continue;
        };
        for (id, block) in body.blocks.enumerate() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, _) => match &place.base {
                        Base::Var(v) => add(vec![Object::Var(*v)]),
                        Base::Deref(p) => add(points_to.expr(*func, id, p)),
                    },
                    StmtKind::Live(v) | StmtKind::Dead(v) => add(vec![Object::Var(*v)]),
                    StmtKind::Havoc { ptr, size } => match size {
                        Some(_) => add(points_to.expr(*func, id, ptr)),
                        None => add(points_to.changed_outside(*func, id, ptr)),
                    },
                    _ => {}
                }
            }
            if let Branch::Call { callee, args, .. } = &block.branch {
                add(vec![Object::Heap(*func, id)]);
                let (targets, outside) = points_to.callees(*func, id, callee);
                for arg in args.iter().filter(|_| outside) {
                    add(points_to.changed_outside(*func, id, arg));
                }
                for target in targets {
                    if let Some(first) = args.first()
                        && objects.rows[target].is_some_and(|r| r.primitive().is_some())
                    {
                        add(points_to.expr(*func, id, first));
                    }
                }
            }
        }
        let function = &program.funcs[*func];
        let locals = function.params.iter().chain(&function.locals);
        add(locals.map(|v| Object::Var(*v)).collect());
        own.frees = calls
            .callees(*func)
            .iter()
            .any(|f| ends_objects(objects.rows[*f]));
        all.insert(*func, own);
    }
    // Callees first, and circles until nothing is new.
    let mut order = functions.to_vec();
    order.sort_unstable_by_key(|f| calls.component(*f));
    let mut changed = true;
    while changed {
        changed = false;
        for func in &order {
            let mut sum = all.get(func).cloned().unwrap_or_default();
            let before = (sum.objects.len(), sum.frees);
            for callee in calls.callees(*func) {
                let callee = program.defined(*callee);
                if let Some(other) = all.get(&callee) {
                    sum.objects.extend(&other.objects);
                    sum.frees |= other.frees;
                }
            }
            if before != (sum.objects.len(), sum.frees) {
                changed = true;
                all.insert(*func, sum);
            }
        }
    }
    all
}

/// The variable that a cell belongs to, with its place there.
pub(crate) fn spots(objects: &Objects) -> FxHashMap<CellId, (VarId, i128)> {
    let mut found = FxHashMap::default();
    for entry in objects.all.iter() {
        if let What::Var(v) = entry.what {
            for (n, leaf) in entry.leaves.iter().enumerate() {
                if leaf.is_alone() {
                    found.insert(entry.cell(n), (v, leaf.at));
                }
            }
        }
    }
    found
}
