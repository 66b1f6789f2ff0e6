//! Procedure calls (section 4.5.3).

use crate::effects::reachable;
use crate::options::Layout;
use crate::predicate::substitute;
use crate::procedure::{Procedure, Scoped};
use crate::shape::{Arm, Exit, Item};
use cwolf_base::Exhausted;
use cwolf_boolprog::{Expr as BExpr, StmtKind as BStmt, Var};
use cwolf_cwi::graph::{Object, known};
use cwolf_cwi::{BinOp, BlockId, Callee, Expr, ExprKind, FuncId, LocId, RESULT, TypeId, VarId};
use cwolf_known::{Failure, Row};
use std::collections::BTreeSet;

/// The boolean statements of a call, and how control goes on.
pub(crate) fn call(
    p: &mut Procedure,
    block: BlockId,
    loc: LocId,
    callee: &Callee,
    args: &[Expr],
    ret: TypeId,
    next: Option<BlockId>,
) -> Result<(Vec<Item>, Exit), Exhausted> {
    let after = next.map_or(Exit::Stop, Exit::Goto);
    let context = p.context;
    let calls = context.calls.calls_in(p.func);
    let place = calls.binary_search_by_key(&block, |c| c.block);
    let found = &calls[place.expect("every call is in the graph")];
    let misfits = &found.misfits;
    if let ([one], [], false) = (&found.targets[..], &misfits[..], found.unknown) {
        let named = matches!(callee, Callee::Direct(_));
        let items = one_callee(p, block, loc, *one, named, args, ret)?;
        return Ok((items, after));
    }
    let Callee::Indirect(pointer) = callee else {
        unreachable!("a call by name has one callee");
    };
    let mut arms = Vec::new();
    let incoming = p.returned.clone();
    for &callee in &found.targets {
        let address = Expr {
            ty: pointer.ty,
            kind: ExprKind::FuncAddr(callee),
        };
        let test = Expr::binary(BinOp::Eq, pointer.clone(), address);
        p.returned.clone_from(&incoming);
        let assume = match p.is_blind() {
            true => BExpr::TRUE,
            false => {
                let condition = p.encoder.now(&test);
                p.weaken(condition)?
            }
        };
        let items = match misfits.contains(&callee) {
            true => misfit(p, block, loc, callee, args)?,
            false => one_callee(p, block, loc, callee, false, args, ret)?,
        };
        arms.push(Arm {
            assume,
            items,
            target: next,
        });
    }
    if found.unknown {
        p.returned.clone_from(&incoming);
        let items = unknown_callee(p, block, loc, args)?;
        arms.push(Arm {
            assume: BExpr::TRUE,
            items,
            target: next,
        });
    }
    // Which of them was called is not known afterwards.
    p.returned.clear();
    match arms.len() {
        0 => Ok((Vec::new(), Exit::Stop)),
        _ => Ok((Vec::new(), Exit::Arms(arms))),
    }
}

fn one_callee(
    p: &mut Procedure,
    block: BlockId,
    loc: LocId,
    callee: FuncId,
    named: bool,
    args: &[Expr],
    ret: TypeId,
) -> Result<Vec<Item>, Exhausted> {
    let function = &p.context.program.funcs[callee];
    if function.body.is_some() {
        return defined(p, loc, callee, args, ret);
    }
    let row = known(function, args.len()).filter(|_| named);
    let fails = row.and_then(Row::fails);
    if matches!(fails, Some(Failure::Assertion | Failure::Error)) {
        p.returned.clear();
        let fails = p.item(BStmt::Assert(BExpr::FALSE), p.source(loc, true));
        return Ok(vec![fails, p.item(BStmt::Assume(BExpr::FALSE), None)]);
    }
    if let Some(condition) = row.and_then(Row::assumes).and_then(|n| args.get(n)) {
        let holds = p.encoder.now(condition);
        let assume = p.weaken(holds)?;
        p.returned.clear();
        return Ok(vec![p.item(BStmt::Assume(assume), p.source(loc, false))]);
    }
    if row.is_some_and(Row::writes_nothing) {
        p.returned.clear();
        return Ok(vec![p.item(BStmt::Skip, p.source(loc, false))]);
    }
    unknown_callee(p, block, loc, args)
}

/// A call of a function that takes other arguments: it may be given and may return anything.
fn misfit(
    p: &mut Procedure,
    block: BlockId,
    loc: LocId,
    callee: FuncId,
    args: &[Expr],
) -> Result<Vec<Item>, Exhausted> {
    let context = p.context;
    let Some(proc) = context.procs[callee.0 as usize] else {
        return unknown_callee(p, block, loc, args);
    };
    p.returned.clear();
    let formals = &context.signatures[callee.0 as usize].formals;
    let call = BStmt::Call {
        results: Vec::new(),
        callee: proc,
        args: vec![BExpr::Unknown; formals.len()],
    };
    let mut items = vec![p.item(call, p.source(loc, false))];
    let touched = touched(p, context.effects.of(callee), false);
    if let Some(kind) = update(p, &touched)? {
        items.push(p.item(kind, None));
    }
    Ok(items)
}

/// A call of code that the program does not show: it may change all that its arguments lead to.
fn unknown_callee(
    p: &mut Procedure,
    block: BlockId,
    loc: LocId,
    args: &[Expr],
) -> Result<Vec<Item>, Exhausted> {
    let changed = reachable(p.context.points_to, p.func, block, args);
    p.returned.clear();
    let source = p.source(loc, false);
    let touched = touched(p, &changed, true);
    Ok(match update(p, &touched)? {
        Some(kind) => vec![p.item(kind, source)],
        None => vec![p.item(BStmt::Skip, source)],
    })
}

fn defined(
    p: &mut Procedure,
    loc: LocId,
    callee: FuncId,
    args: &[Expr],
    ret: TypeId,
) -> Result<Vec<Item>, Exhausted> {
    let context = p.context;
    let signature = &context.signatures[callee.0 as usize];
    let params = &context.program.funcs[callee].params;
    let actual = |v: VarId| {
        let n = params.iter().position(|q| *q == v)?;
        args.get(n).cloned()
    };
    let missing = |e: &Expr| {
        let named = crate::predicate::vars(e);
        params.iter().skip(args.len()).any(|q| named.contains(q))
    };
    let mut items = Vec::new();
    let mut values = Vec::new();
    let available = p.available(&|_| true);
    for (k, &n) in signature.formals.iter().enumerate() {
        let condition = &context.predicates[n].condition;
        let translated = substitute(condition, &actual).filter(|_| !missing(condition));
        let value = match translated {
            Some(condition) => {
                let goal = p.encoder.now(&condition);
                p.choose(goal, &available)?
            }
            None => BExpr::Unknown,
        };
        if context.options.layout == Layout::Paper {
            let prm = p.temporary(&format!("prm{}", k + 1));
            items.push(p.item(assign(prm, value), None));
            values.push(BExpr::Var(prm));
        } else {
            values.push(value);
        }
    }
    let changed = context.effects.of(callee);
    let mut returned = Vec::new();
    let mut results = Vec::new();
    for (k, &n) in signature.returns.iter().enumerate() {
        let condition = &context.predicates[n].condition;
        // What an actual argument reads must still be what it was at the call.
        let steady = |v: VarId| {
            actual(v).is_none_or(|a| {
                !context
                    .effects
                    .may_change(context.points_to, p.func, changed, &a)
                    && !mentions_register(&a)
            })
        };
        let used = crate::predicate::vars(condition);
        let result = |v: VarId| match Some(v) == signature.result {
            true => Some(Expr::reg(ret, RESULT)),
            false => actual(v),
        };
        let usable = used
            .iter()
            .all(|v| Some(*v) == signature.result || steady(*v));
        let translated = match usable && !missing(condition) {
            true => substitute(condition, &result),
            false => None,
        };
        match translated {
            None => results.push(None),
            Some(condition) => {
                let var = p.temporary(&format!("t{}", k + 1));
                results.push(Some(var));
                let term = p.encoder.now(&condition);
                returned.push(Scoped {
                    number: None,
                    condition,
                    var,
                    term,
                });
            }
        }
    }
    let call = BStmt::Call {
        results,
        callee: context.procs[callee.0 as usize].expect("it has a body"),
        args: values,
    };
    items.push(p.item(call, p.source(loc, false)));
    p.returned = returned;
    let touched = touched(p, changed, false);
    items.extend(p.agreement(&|s| !touched.contains(&s.var), None)?);
    if let Some(kind) = update(p, &touched)? {
        items.push(p.item(kind, None));
    }
    items.extend(p.agreement(&|_| true, Some(&touched))?);
    if context.options.layout == Layout::Paper {
        p.updated = touched;
    }
    Ok(items)
}

fn assign(var: Var, value: BExpr) -> BStmt {
    BStmt::Assign {
        targets: vec![var],
        values: vec![value],
        constrain: None,
    }
}

fn mentions_register(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Reg(r) if r == RESULT));
    found
}

/// The predicates of the caller that a call may have changed. Global ones are the callee's work,
/// unless it is `unknown`.
fn touched(p: &Procedure, changed: &BTreeSet<Object>, unknown: bool) -> Vec<Var> {
    let context = p.context;
    let touched = |s: &&Scoped| {
        (unknown || matches!(s.var, Var::Local(_)))
            && context
                .effects
                .may_change(context.points_to, p.func, changed, &s.condition)
    };
    p.scope.iter().filter(touched).map(|s| s.var).collect()
}

/// Updates the predicates that a call touched, from those it did not and from what it returned.
fn update(p: &mut Procedure, touched: &[Var]) -> Result<Option<BStmt>, Exhausted> {
    let available = p.available(&|s| !touched.contains(&s.var));
    let (mut targets, mut values) = (Vec::new(), Vec::new());
    for scoped in p.scope.clone() {
        if touched.contains(&scoped.var) {
            targets.push(scoped.var);
            values.push(p.choose(scoped.term, &available)?);
        }
    }
    Ok(match targets.is_empty() {
        true => None,
        false => Some(BStmt::Assign {
            targets,
            values,
            constrain: None,
        }),
    })
}
