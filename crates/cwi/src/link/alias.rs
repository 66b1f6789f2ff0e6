//! Gives aliases the body of the function they name, and finds the variables they name.

use crate::code::{Base, Body, Expr, ExprKind, Place};
use crate::code::{FuncId, StmtKind, VarId};
use crate::program::{Definition, Function, InitValue, Program, Refusal, VarKind};
use rustc_hash::FxHashMap;

/// Gives each alias in `program`, one file, the body (or refusal) of its target. C wants the
/// target in the same file; where it is not, or aliases name each other in a circle, the alias
/// is refused, so that no later file can change what it means. Returns the aliases with what they
/// name.
pub(super) fn resolve(program: &mut Program) -> Vec<(FuncId, FuncId)> {
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
    let mut found = Vec::new();
    for (id, target) in targets {
        match target {
            Some(target) => {
                copy(program, id, target);
                found.push((id, target));
            }
            None => refuse(&mut program.funcs[id]),
        }
    }
    found
}

/// Both names have one address, whoever asks for it. (Calls keep the name that they use.)
pub(super) fn share_addresses(program: &mut Program, same: &FxHashMap<FuncId, FuncId>) {
    if same.is_empty() {
        return;
    }
    let one = |func: &mut FuncId| *func = same.get(func).copied().unwrap_or(*func);
    let mut node = |e: &mut Expr| {
        if let ExprKind::FuncAddr(func) = &mut e.kind {
            one(func);
        }
    };
    for function in program.funcs.iter_mut() {
        for block in function.body.iter_mut().flat_map(|b| b.blocks.iter_mut()) {
            for stmt in &mut block.stmts {
                stmt.kind.for_each_expr_mut(&mut |e| e.walk_mut(&mut node));
            }
            block
                .branch
                .for_each_expr_mut(&mut |e| e.walk_mut(&mut node));
        }
    }
    for item in program.vars.iter_mut().flat_map(|v| &mut v.init) {
        if let InitValue::Func(func) = &mut item.value {
            one(func);
        }
    }
}

/// What each variable that is an alias stands for. One whose target its file does not define is
/// a declaration only.
pub(super) fn variables(program: &mut Program) -> FxHashMap<VarId, VarId> {
    let named: FxHashMap<&str, VarId> = program
        .vars
        .enumerate()
        .filter(|(_, v)| v.kind == VarKind::Global && v.definition != Definition::Declared)
        .map(|(id, v)| (v.name.as_str(), id))
        .collect();
    let target = |var: VarId| program.vars[var].alias.as_ref().map(|n| named.get(&**n));
    let mut found = FxHashMap::default();
    let mut lost = Vec::new();
    for (id, var) in program.vars.enumerate() {
        if var.alias.is_none() {
            continue;
        }
        let mut now = id;
        // An alias of an alias; as many steps as there are variables means a circle.
        for _ in 0..program.vars.len() {
            match target(now) {
                Some(Some(next)) => now = *next,
                _ => break,
            }
        }
        match program.vars[now].alias {
            None => {
                found.insert(id, now);
            }
            Some(_) => lost.push(id),
        }
    }
    for id in lost {
        let var = &mut program.vars[id];
        (var.alias, var.definition) = (None, Definition::Declared);
    }
    found
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
