//! What statements, branches and known functions do.

use crate::graph::{Frame, Graph, Val};
use crate::memory::At;
use crate::world::{Res, Stop, World, give_up};
use cwolf_cwi::{
    BlockId, Branch, Callee, CheckId, Expr, ExprKind, FuncId, Function, LocId, Origin, Place,
    RESULT, Stmt, StmtKind, TypeId, Unreachable, VarId,
};
use cwolf_known::{Failure, Row};
use cwolf_numeric::Num;
use std::collections::BTreeMap;

/// More calls in progress than this are not followed.
const DEPTH: usize = 60;
/// More calls of one function in progress than this are not followed.
const RECURSION: usize = 10;
/// More cases of one block than this are not followed.
const CASES: usize = 1000;

/// Something that may fail.
#[derive(Clone, Debug)]
pub(crate) enum Unproved {
    Check(CheckId),
    Call(LocId),
}

/// Why the analysis stops without an answer.
pub(crate) enum Halt {
    Unproved(Unproved),
    Stop(Stop),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

/// A step with its outcomes: each is where control is then (the newest call's block).
type Outcomes = Result<Vec<Graph>, Halt>;

/// Runs the block that the newest call is at, and gives the states at the starts of the next ones.
pub(crate) fn run_block(world: &World<'_>, start: Graph) -> Outcomes {
    let (func, block) = (start.frame().func, start.frame().block);
    let body = world.program.funcs[func].body.as_ref();
    let code = &body.expect("only functions with code are followed").blocks[block];
    let mut done = Vec::new();
    let mut work: Vec<(usize, Graph)> = vec![(0, start)];
    let mut steps = 0;
    while let Some((n, g)) = work.pop() {
        steps += 1;
        if steps > CASES || work.len() > CASES {
            return Err(Stop::GiveUp("too many cases".into()).into());
        }
        let mut at = At {
            world,
            g: g.clone(),
        };
        let outcome = match code.stmts.get(n) {
            Some(stmt) => at.statement(stmt).map(|goes_on| {
                if goes_on {
                    work.push((n + 1, at.g.clone()));
                }
            }),
            None => at
                .branch(code.loc, &code.branch)
                .map(|all| done.extend(all)),
        };
        match outcome {
            Ok(()) => {}
            Err(Halt::Stop(Stop::Split(obj, end))) => {
                work.extend(g.split(obj, end).into_iter().map(|g| (n, g)));
            }
            Err(Halt::Stop(Stop::Each(sym))) => {
                // Evaluating has only given names: the number may have come up in this very step. If nothing
                // remembers it, it has another name next time.
                let named = Val::Sym(sym);
                let result = at.g.results.iter().any(|(_, val)| *val == named);
                let all = match g.syms.contains_key(&sym) || result {
                    true => each(&at.g, sym),
                    false => None,
                };
                match all {
                    Some(all) => work.extend(all.into_iter().map(|g| (n, g))),
                    None => return Err(Stop::GiveUp("an unknown index".into()).into()),
                }
            }
            Err(Halt::Stop(Stop::Ends)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(done)
}

/// The cases of a number that has few values.
fn each(g: &Graph, sym: crate::graph::SymId) -> Option<Vec<Graph>> {
    let num = g.syms.get(&sym)?;
    let (lo, hi) = num.bounds();
    let values = (lo..=hi).filter(|v| num.contains(*v));
    let one = |v: i128| {
        let mut g = g.clone();
        g.substitute(sym, &Val::Const(v));
        g
    };
    Some(values.map(one).collect())
}

impl At<'_, '_> {
    /// Runs a statement; false if no run gets past it.
    fn statement(&mut self, stmt: &Stmt) -> Result<bool, Halt> {
        match &stmt.kind {
            StmtKind::Assign(place, e) => self.assign(place, e)?,
            StmtKind::SetReg(reg, e) => {
                let val = self.eval(e)?;
                self.g.frame_mut().regs.insert(*reg, val);
            }
            StmtKind::Live(var) | StmtKind::Dead(var) => self.renew(*var),
            StmtKind::Assert { check, cond } => {
                let val = self.eval(cond)?;
                let holds = match self.int(cond.ty) {
                    Some(_) => self.truth(&val)?,
                    None => None,
                };
                if holds == Some(true) {
                    return Ok(true);
                }
                if !self.world.options.proved.contains(check) && self.may_fail(cond)? {
                    return Err(Halt::Unproved(Unproved::Check(*check)));
                }
                return Ok(self.assume(cond, true)?);
            }
            StmtKind::Assume(cond) => return Ok(self.assume(cond, true)?),
            StmtKind::Havoc { ptr, size } => self.havoc(ptr, size.as_ref())?,
        }
        Ok(true)
    }

    fn may_fail(&self, cond: &Expr) -> Res<bool> {
        self.clone().assume(cond, false)
    }

    fn assign(&mut self, place: &Place, e: &Expr) -> Res<()> {
        let types = &self.world.program.types;
        if !types.is_aggregate(place.ty) {
            let val = self.eval(e)?;
            return self.store(place, val);
        }
        let copied = match &e.kind {
            ExprKind::Load { place, .. } => {
                let (obj, from, to) = self.whole_piece(place)?;
                Some(self.copy_out(obj, from, to))
            }
            ExprKind::Zero | ExprKind::Choose => None,
            _ => return give_up("a structure that is returned"),
        };
        let (obj, from, to) = self.whole_piece(place)?;
        match copied {
            Some(copied) => self.copy_in(obj, from, copied),
            None if e.kind == ExprKind::Zero => self.g.object_mut(obj).clear(from, to),
            None => self.g.object_mut(obj).forget(from, to),
        }
        Ok(())
    }

    /// A variable's life begins or ends: pointers to it lead nowhere from now on.
    fn renew(&mut self, var: VarId) {
        if let Some(id) = self.g.frame_mut().vars.remove(&var) {
            self.g.end(id);
        }
    }

    fn havoc(&mut self, ptr: &Expr, size: Option<&Expr>) -> Res<()> {
        let p = self.eval(ptr)?;
        match (&p, size) {
            // Nothing was given to code outside: that is not followed.
            (Val::Const(_) | Val::Func(_), _) => Ok(()),
            (Val::Ptr(q), Some(size)) => {
                let q = *q;
                self.settled(&q)?;
                if !self.g.object(q.obj).valid {
                    return Ok(());
                }
                let Some(size) = self.number(size)? else {
                    return give_up("an unknown number of bytes is written");
                };
                self.overwrite(&p, &size, false)
            }
            _ => give_up("code outside may change memory"),
        }
    }

    fn go(&self, block: BlockId) -> Graph {
        let mut g = self.g.clone();
        g.frame_mut().block = block;
        g
    }

    fn branch(&mut self, loc: LocId, branch: &Branch) -> Outcomes {
        match branch {
            Branch::Goto(block) => Ok(vec![self.go(*block)]),
            Branch::If { cond, then, els } => {
                let mut all = Vec::new();
                for (wanted, block) in [(true, *then), (false, *els)] {
                    let mut side = self.clone();
                    if side.assume(cond, wanted)? {
                        all.push(side.go(block));
                    }
                }
                Ok(all)
            }
            Branch::Switch { on, cases, default } => {
                let val = self.eval(on)?;
                let Some(num) = self.g.num(&val) else {
                    return Err(Stop::GiveUp("a switch on an address".into()).into());
                };
                let mut all = Vec::new();
                let mut rest = Some(num.clone());
                for case in cases {
                    if let Some(here) = num.meet(&Num::range(case.lo, case.hi)) {
                        let mut g = self.go(case.target);
                        if let Val::Sym(s) = val {
                            g.limit(s, here);
                        }
                        all.push(g);
                    }
                    for v in case.lo..=case.hi.min(case.lo + 16) {
                        rest = rest.and_then(|r| r.without(v));
                    }
                    let covers = |r: &Num| case.lo <= r.bounds().0 && r.bounds().1 <= case.hi;
                    rest = rest.filter(|r| !covers(r));
                }
                if let Some(rest) = rest {
                    let mut g = self.go(*default);
                    if let Val::Sym(s) = val {
                        g.limit(s, rest);
                    }
                    all.push(g);
                }
                Ok(all)
            }
            Branch::Call {
                callee,
                args,
                ret,
                next,
            } => self.call(loc, callee, args, *ret, *next),
            Branch::Return(value) => self.leave(value.as_ref()),
            Branch::Halt(_) => Ok(Vec::new()),
            Branch::Unreachable(Unreachable::Trap) => Ok(Vec::new()),
            Branch::Unreachable(_) => Ok(self.undefined("control comes where it never should")?),
        }
    }

    /// The newest call returns.
    fn leave(&mut self, value: Option<&Expr>) -> Outcomes {
        let val = match value {
            Some(e) if self.world.program.types.is_aggregate(e.ty) => {
                return Err(Stop::GiveUp("a structure is returned".into()).into());
            }
            Some(e) => Some(self.eval(e)?),
            None => None,
        };
        let frame = self.g.frames.pop().expect("a call is in progress");
        for id in frame.vars.values().chain(&frame.stack) {
            self.g.end(*id);
        }
        if self.g.frames.is_empty() {
            return Ok(Vec::new());
        }
        let (func, block) = (self.g.frame().func, self.g.frame().block);
        let body = self.world.program.funcs[func].body.as_ref();
        let body = body.expect("only functions with code are followed");
        let Branch::Call { next, .. } = &body.blocks[block].branch else {
            unreachable!("a call is in progress");
        };
        self.give(val, *next)
    }

    /// Control comes back from a call.
    fn give(&mut self, val: Option<Val>, next: Option<BlockId>) -> Outcomes {
        let Some(next) = next else {
            return Ok(self.undefined("a function returns that never should")?);
        };
        match val {
            Some(val) => self.g.frame_mut().regs.insert(RESULT, val),
            None => self.g.frame_mut().regs.remove(&RESULT),
        };
        Ok(vec![self.go(next)])
    }

    fn call(
        &mut self,
        loc: LocId,
        callee: &Callee,
        args: &[Expr],
        ret: TypeId,
        next: Option<BlockId>,
    ) -> Outcomes {
        let func = match callee {
            Callee::Direct(f) => *f,
            Callee::Indirect(e) => match self.eval(e)? {
                Val::Func(f) => f,
                _ => return Err(Stop::GiveUp("an unknown function is called".into()).into()),
            },
        };
        let program = self.world.program;
        let func = program.defined(func);
        if self.world.options.error_functions.contains(&func) {
            return Err(Halt::Unproved(Unproved::Call(loc)));
        }
        let function: &Function = &program.funcs[func];
        let row = self.world.rows.get(&func).copied();
        if let Some(primitive) = row.and_then(Row::primitive)
            && (function.body.is_none() || function.origin == Origin::Model)
        {
            let mut all = Vec::new();
            for (mut at, val) in self.primitive(primitive, args, ret)? {
                all.extend(at.give(val, next)?);
            }
            return Ok(all);
        }
        if function.body.is_some() {
            self.enter(func, args)?;
            return Ok(vec![self.g.clone()]);
        }
        if let Some(row) = row.filter(|row| row.accepts(args.len())) {
            if row.fails() == Some(Failure::Assertion) {
                return match self.world.options.assertions {
                    true => Err(Halt::Unproved(Unproved::Call(loc))),
                    false => Ok(Vec::new()),
                };
            }
            if row.ends().is_some() {
                return Ok(Vec::new());
            }
            if let Some(n) = row.asserts() {
                if self.world.options.assertions && self.may_fail(&args[n])? {
                    return Err(Halt::Unproved(Unproved::Call(loc)));
                }
                return match self.assume(&args[n], true)? {
                    true => self.give(None, next),
                    false => Ok(Vec::new()),
                };
            }
            if let Some(n) = row.assumes() {
                return match self.assume(&args[n], true)? {
                    true => self.give(None, next),
                    false => Ok(Vec::new()),
                };
            }
        }
        if function.noreturn && function.refused.is_none() {
            return Ok(Vec::new());
        }
        if row.is_some_and(changes_nothing) && !program.types.is_aggregate(ret) {
            let val = self.unknown(ret);
            return self.give(Some(val), next);
        }
        Err(Stop::GiveUp(format!("`{}` has no code", function.name)).into())
    }

    /// A call of a function with code begins.
    fn enter(&mut self, func: FuncId, args: &[Expr]) -> Res<()> {
        let program = self.world.program;
        let function = &program.funcs[func];
        let same = self.g.frames.iter().filter(|f| f.func == func).count();
        if self.g.frames.len() > DEPTH || same > RECURSION {
            return give_up("calls nest too deeply");
        }
        if args.len() > function.params.len() {
            return give_up("unnamed arguments");
        }
        let mut passed = Vec::new();
        for (param, arg) in function.params.iter().zip(args) {
            let ty = program.vars[*param].ty;
            if program.types.is_aggregate(arg.ty) || program.types.is_aggregate(ty) {
                let ExprKind::Load { place, .. } = &arg.kind else {
                    return give_up("a structure is passed");
                };
                if arg.ty != ty {
                    return give_up("a structure is passed for another");
                }
                let (obj, from, to) = self.whole_piece(place)?;
                passed.push((*param, None, Some(self.copy_out(obj, from, to))));
                continue;
            }
            let val = self.eval(arg)?;
            let val = self.as_type(val, ty);
            passed.push((*param, Some(val), None));
        }
        self.g.frames.push(Frame {
            func,
            block: cwolf_cwi::Body::ENTRY,
            vars: BTreeMap::new(),
            regs: BTreeMap::new(),
            stack: Vec::new(),
        });
        for (param, val, copied) in passed {
            let id = self.variable(param)?;
            let bits = self.bits(program.vars[param].ty);
            if let Some(val) = val {
                self.g.object_mut(id).set(0, bits, val);
            }
            if let Some(copied) = copied {
                self.copy_in(id, 0, copied);
            }
        }
        Ok(())
    }
}

/// Whether a function without code returns something and does no more.
fn changes_nothing(row: &Row) -> bool {
    let chosen = row.chooses() && !row.changes_memory();
    let ends = row.ended().next().is_some() || !row.frees().is_empty() || !row.closes().is_empty();
    let calls = !row.calls().is_empty() || !row.calls_later().is_empty() || row.may_end().is_some();
    let quiet = row.writes_nothing() && !row.returns_twice() && row.jumps().is_none();
    (chosen || quiet) && !ends && !calls && row.allocates().is_none() && row.formatted().is_none()
}
