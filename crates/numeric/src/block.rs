//! What one block does to a state: its statements, then where its branch leads.

use crate::point::At;
use crate::state::State;
use crate::step::{Called, Recorder};
use cwolf_cwi::{Block, BlockId, Branch, Callee, ExprKind, FuncId};

/// Where states go.
pub(crate) enum Out {
    Block(BlockId, State),
    /// To the start of a function; its context is not chosen yet.
    Call(FuncId, State),
    /// Behind the call that ends the block, which did not need any code.
    Done(State),
    Return(State),
    /// What is known before a call, for when it returns.
    Before(State),
}

/// Runs the code of a block.
pub(crate) fn run_block(mut at: At<'_, '_>, block: &Block, record: &mut dyn Recorder) -> Vec<Out> {
    for stmt in &block.stmts {
        if !at.statement(stmt, record) {
            return Vec::new();
        }
    }
    let result = at.world.objects.result;
    // The result of a call is read in the block after it.
    let clear = |mut state: State| {
        state.put(result, None);
        state
    };
    match &block.branch {
        Branch::Goto(to) => vec![Out::Block(*to, clear(at.state))],
        Branch::If { cond, then, els } => {
            let mut out = Vec::new();
            for (to, holds) in [(*then, true), (*els, false)] {
                let mut side = at.clone();
                if side.assume(cond, holds) {
                    out.push(Out::Block(to, clear(side.state)));
                }
            }
            out
        }
        Branch::Switch { on, cases, default } => {
            let mut out = Vec::new();
            let mut rest = Some(at.clone());
            for case in cases {
                let mut side = at.clone();
                if side.assume_case(on, case.lo, case.hi) {
                    out.push(Out::Block(case.target, clear(side.state)));
                }
                rest = rest.and_then(|mut rest| {
                    rest.assume_not_case(on, case.lo, case.hi).then_some(rest)
                });
            }
            out.extend(rest.map(|rest| Out::Block(*default, clear(rest.state))));
            out
        }
        Branch::Call {
            callee, args, ret, ..
        } => call(at, callee, args, *ret, record),
        Branch::Return(e) => {
            let value = e.as_ref().and_then(|e| at.eval(e));
            at.state.put(result, value);
            let function = &at.world.program.funcs[at.func];
            for var in function.params.iter().chain(&function.locals) {
                at.renew(*var);
            }
            if let Some(body) = &function.body {
                for reg in body.regs.ids().skip(1) {
                    if let Some(cell) = at.world.objects.reg(at.func, reg) {
                        at.state.set(&at.world.packs, cell, None);
                    }
                }
            }
            vec![Out::Return(at.state)]
        }
        Branch::Halt(_) | Branch::Unreachable(_) => Vec::new(),
    }
}

fn call(
    mut at: At<'_, '_>,
    callee: &Callee,
    args: &[cwolf_cwi::Expr],
    ret: cwolf_cwi::TypeId,
    record: &mut dyn Recorder,
) -> Vec<Out> {
    let program = at.world.program;
    // Whether code that the program does not show may be called.
    let mut outside = false;
    let targets: Vec<FuncId> = match callee {
        Callee::Direct(f) => vec![*f],
        Callee::Indirect(e) => {
            let direct = match e.kind {
                ExprKind::FuncAddr(f) => Some(f),
                _ => None,
            };
            let p = at.pointer(e);
            match direct {
                Some(f) => vec![f],
                None => {
                    let calls = program.calls().calls_in(at.func);
                    let known = calls.iter().find(|c| c.block == at.block);
                    let Some(known) = known else {
                        record.incomplete("a call of an unknown function".into());
                        return Vec::new();
                    };
                    outside = known.unknown && p.other;
                    let told = |a: &cwolf_cwi::Expr| !program.types.is_aggregate(a.ty);
                    if outside && (at.world.options.follow_undefined || !args.iter().all(told)) {
                        record.incomplete("a call through a pointer from outside".into());
                        return Vec::new();
                    }
                    if (p.other || p.null || p.stale) && !at.world.options.trusts_accesses() {
                        record.incomplete(
                            "a call through an invalid pointer, which is not checked".into(),
                        );
                        return Vec::new();
                    }
                    let meant = |f: &FuncId| {
                        p.other
                            || p.targets.iter().any(|(o, _)| {
                                at.world.objects.all[*o].what == crate::objects::What::Func(*f)
                            })
                    };
                    // Of memory outside it is not known where the program wrote what it calls. What it wrote as what it is,
                    // a call of another type does not find.
                    let recast = &at.world.recast;
                    let fits =
                        |f: &FuncId| !outside || !known.misfits.contains(f) || recast.contains(f);
                    let targets = known.targets.iter().copied();
                    targets.filter(meant).filter(fits).collect()
                }
            }
        }
    };
    let mut out = Vec::new();
    let mut entered = false;
    if outside {
        let mut here = at.clone();
        here.call_outside(args);
        let value = here.whole(ret);
        here.state.put(here.world.objects.result, value);
        out.push(Out::Done(here.state));
    }
    for target in targets {
        let func = program.defined(target);
        let mut here = at.clone();
        match here.native(func, args, ret, record) {
            Called::Ends => {}
            Called::Returns(value) => {
                let value = here.taken_for(value.as_ref(), ret, true);
                here.state.put(here.world.objects.result, value);
                out.push(Out::Done(here.state));
            }
            Called::Code => {
                entered = true;
                let related = !here.world.objects.recursive.contains(&func);
                here.pass(func, args, related);
                for local in &program.funcs[func].locals {
                    if !related || here.world.objects.taken.contains(local) {
                        here.renew(*local);
                    }
                }
                if !related {
                    forget_registers(&mut here, func);
                }
                here.state.put(here.world.objects.result, None);
                out.push(Out::Call(func, here.state));
            }
        }
    }
    if entered {
        at.state.put(at.world.objects.result, None);
        out.push(Out::Before(at.state));
    }
    out
}

fn forget_registers(at: &mut At<'_, '_>, func: FuncId) {
    if let Some(body) = &at.world.program.funcs[func].body {
        for reg in body.regs.ids().skip(1) {
            if let Some(cell) = at.world.objects.reg(func, reg) {
                at.state.set(&at.world.packs, cell, None);
            }
        }
    }
}
