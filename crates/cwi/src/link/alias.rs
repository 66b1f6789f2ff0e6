//! Gives aliases the body of the function they name.

use crate::code::{Base, Body, Expr, ExprKind, Place};
use crate::code::{FuncId, StmtKind, VarId};
use crate::program::{Definition, Function, Program, Refusal, VarKind};
use rustc_hash::FxHashMap;

/// Gives each alias in `program`, one file, the body (or refusal) of its target. C wants the
/// target in the same file; where it is not, or aliases name each other in a circle, the alias
/// is refused, so that no later file can change what it means.
pub(super) fn resolve(program: &mut Program) {
    let mut named: FxHashMap<&str, FuncId> = FxHashMap::default();
    for (id, func) in program.funcs.enumerate() {
        if func.definition != Definition::Declared {
            named.entry(&func.name).or_insert(id);
        }
    }
    let mut targets = Vec::new();
    for (id, func) in program.funcs.enumerate() {
        let Some(name) = &func.alias else {
            continue;
        };
        let mut target = named.get(&**name).copied();
        // An alias of an alias; as many steps as there are functions means a circle.
        for _ in 0..program.funcs.len() {
            let Some(next) = target.and_then(|t| program.funcs[t].alias.as_ref()) else {
                break;
            };
            target = named.get(&**next).copied();
        }
        targets.push((id, target.filter(|t| program.funcs[*t].alias.is_none())));
    }
    for (id, target) in targets {
        match target {
            Some(target) => copy(program, id, target),
            None => refuse(&mut program.funcs[id]),
        }
    }
}

fn refuse(func: &mut Function) {
    if let Some(name) = func.alias.take() {
        let reason = format!("it is an alias of `{name}`, which its file does not define");
        func.refused = Some(Refusal {
            reason,
            loc: func.loc,
        });
    }
}

fn copy(program: &mut Program, id: FuncId, target: FuncId) {
    let from = program.funcs[target].clone();
    let mut renamed: FxHashMap<VarId, VarId> = FxHashMap::default();
    let mut copied = |program: &mut Program, list: &[VarId]| -> Vec<VarId> {
        let one = |var: &VarId| {
            let mut copy = program.vars[*var].clone();
            copy.kind = match copy.kind {
                VarKind::Param(_) => VarKind::Param(id),
                VarKind::Temp(_) => VarKind::Temp(id),
                _ => VarKind::Local(id),
            };
            let new = program.vars.push(copy);
            renamed.insert(*var, new);
            new
        };
        list.iter().map(one).collect()
    };
    let params = copied(program, &from.params);
    let locals = copied(program, &from.locals);
    let body = from.body.map(|mut body| {
        rename(&mut body, &renamed);
        body
    });
    let func = &mut program.funcs[id];
    (func.ty, func.params, func.locals) = (from.ty, params, locals);
    (func.body, func.refused, func.alias) = (body, from.refused, None);
}

fn rename(body: &mut Body, renamed: &FxHashMap<VarId, VarId>) {
    let var = |var: &mut VarId| *var = renamed.get(var).copied().unwrap_or(*var);
    let own = |place: &mut Place| {
        if let Base::Var(v) = &mut place.base {
            var(v);
        }
    };
    let mut node = |e: &mut Expr| match &mut e.kind {
        ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => own(place),
        _ => {}
    };
    for block in body.blocks.iter_mut() {
        for stmt in &mut block.stmts {
            match &mut stmt.kind {
                StmtKind::Assign(place, _) => own(place),
                StmtKind::Live(v) | StmtKind::Dead(v) => var(v),
                _ => {}
            }
            stmt.kind.for_each_expr_mut(&mut |e| e.walk_mut(&mut node));
        }
        block
            .branch
            .for_each_expr_mut(&mut |e| e.walk_mut(&mut node));
    }
}
