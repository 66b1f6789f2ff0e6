//! One step: from a program point and an environment to all that may come next.

use super::Code;
use super::assign::Written;
use super::eval::Context;
use super::heap::Rename;
use super::labels::Outcome;
use super::layout::{Point, int_ty};
use super::objects::is_typed;
use super::scratch::{Scratch, Tracked};
use crate::domain::{Kind, Value};
use crate::map::Event;
use cwolf_base::Idx;
use cwolf_cwi::{
    BinOp, BlockId, Branch, Callee, Case, Expr, FuncId, LocId, Stmt, StmtKind, Type, TypeId,
    Unreachable,
};
use std::rc::Rc;

/// What a step does: labels, then where it goes.
#[derive(Debug)]
pub(crate) struct Effect {
    pub labels: Vec<String>,
    pub to: To,
}

/// Where a step goes.
#[derive(Debug)]
pub(crate) enum To {
    /// On in the same frame.
    Go { location: u32, env: Scratch },
    /// Into a function.
    Enter {
        location: u32,
        /// The call that waits; none if the callee takes over the frame.
        frame: Option<u32>,
        /// What the caller keeps.
        caller: Tracked,
        /// The callee's frame.
        inside: Tracked,
        global: Tracked,
        /// New names of allocated objects in the frames below the caller's.
        rename: Option<Rc<Rename>>,
    },
    /// Back to the caller, with a result.
    Return {
        result: Option<(TypeId, Value)>,
        global: Tracked,
    },
    /// The end of the program.
    Halt { status: Value },
    /// `longjmp`, with the environment of the function that called it, and what `setjmp`
    /// returns then.
    Jump {
        env: Scratch,
        value: Value,
        loc: LocId,
    },
}

/// What steps do that the machine does not follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfollowed {
    /// Code outside may run functions of the program: events in them are not seen.
    pub callbacks: bool,
    /// A function of the program that the compiler refused may run: events in it are not seen.
    pub refused: bool,
    /// An object was freed, and it is not known which: it still seems to live.
    pub frees: bool,
}

impl std::ops::BitOrAssign for Unfollowed {
    fn bitor_assign(&mut self, other: Unfollowed) {
        self.callbacks |= other.callbacks;
        self.refused |= other.refused;
        self.frees |= other.frees;
    }
}

/// Parts that one step follows to the end of a block; beyond that, they end in the middle of it. Each statement may take
/// all of them apart again.
const MOST_PARTS: usize = 1000;

/// A step under way: what it does, and what the user should know about it.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub effects: Vec<Effect>,
    pub notes: Vec<(LocId, String)>,
    /// What it does not follow.
    pub unfollowed: Unfollowed,
    /// How many parts of what was taken apart went on by themselves.
    parts: usize,
}

/// Where code stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here {
    pub func: FuncId,
    pub block: BlockId,
    /// Whether no caller waits.
    pub outermost: bool,
}

impl Step {
    pub fn emit(&mut self, labels: Vec<String>, to: To) {
        self.effects.push(Effect { labels, to });
    }
    pub fn note(&mut self, loc: LocId, text: String) {
        self.notes.push((loc, text));
    }
}

impl Code<'_> {
    /// One step from a program point with an environment.
    pub fn step(&self, point: Point, outermost: bool, env: Scratch) -> Step {
        let mut step = Step::default();
        match point {
            Point::Halted => {}
            Point::Outside(func) => self.return_outside(func, env, &mut step),
            Point::Code { func, block, index } => {
                let here = Here {
                    func,
                    block,
                    outermost,
                };
                self.run(here, index, env, &mut step);
            }
        }
        step
    }
    fn run(&self, here: Here, index: u32, mut env: Scratch, step: &mut Step) {
        let Here { func, block, .. } = here;
        let body = self.program.funcs[func].body.as_ref();
        let code = &body.expect("only functions with a body have blocks").blocks[block];
        for n in index as usize..code.stmts.len() {
            let stmt = &code.stmts[n];
            let next = code.stmts.get(n + 1).map_or(code.loc, |s| s.loc);
            let context = self.context(func, block);
            let outcomes = self.execute(&context, env, stmt);
            let outcomes = self.arrive(&context, outcomes, stmt.loc, next);
            match <[Outcome; 1]>::try_from(outcomes) {
                Ok([(only, labels)]) if labels.is_empty() => env = only,
                Ok(one) => return self.stop(here, n as u32 + 1, one.into(), step),
                // What was taken apart goes on by itself, as one step each.
                Err(many)
                    if self.layout.splits
                        && step.parts < MOST_PARTS
                        && many.iter().all(|o| o.1.is_empty()) =>
                {
                    step.parts += many.len();
                    for (env, _) in many {
                        self.run(here, n as u32 + 1, env, step);
                    }
                    return;
                }
                Err(many) => return self.stop(here, n as u32 + 1, many, step),
            }
        }
        self.branch(here, env, step);
    }
    /// Ends the step in the middle of a block.
    fn stop(&self, here: Here, index: u32, outcomes: Vec<Outcome>, step: &mut Step) {
        let Here { func, block, .. } = here;
        for (mut env, labels) in outcomes {
            self.seal(func, block, index, &mut env);
            let location = self.points.block(func, block) + index;
            step.emit(labels, To::Go { location, env });
        }
    }
    /// The labels of coming to a line.
    pub(super) fn arrive(
        &self,
        context: &Context<'_>,
        outcomes: Vec<Outcome>,
        from: LocId,
        to: LocId,
    ) -> Vec<Outcome> {
        let here = |loc: LocId| {
            let loc = self.program.locations[loc];
            (loc.file, loc.line)
        };
        let (before, after) = (here(from), here(to));
        if before == after {
            return outcomes;
        }
        context.fire(outcomes, &self.labels.rules, true, &|event| {
            matches!(event, Event::Exec(files, line)
                if files.contains(&after.0) && *line == after.1)
        })
    }
    fn reading(&self, context: &Context<'_>, env: Scratch, operands: &[&Expr]) -> Vec<Outcome> {
        let before = env.clone();
        let read;
        let context = &match is_typed(&self.layout) {
            true => {
                read = context.objects_read(&before, operands);
                Context {
                    objects: Some(&read),
                    ..*context
                }
            }
            false => *context,
        };
        let mut outcomes = vec![(env, Vec::new())];
        for rule in &self.labels.rules {
            let Event::Read(spots) = &rule.event else {
                continue;
            };
            if operands.iter().any(|e| context.reads(&before, e, spots)) {
                let mut all = operands.iter();
                let surely = all.any(|e| context.reads_surely(&before, e, spots));
                outcomes = context.fire(outcomes, std::slice::from_ref(rule), surely, &|_| true);
            }
        }
        outcomes
    }
    fn execute(&self, context: &Context<'_>, env: Scratch, stmt: &Stmt) -> Vec<Outcome> {
        let rules = &self.labels.rules;
        match &stmt.kind {
            StmtKind::Assume(e) => {
                let found = self.reading(context, env, &[e]).into_iter();
                let holds = |(env, labels): Outcome| Some((context.assume(&env, e, true)?, labels));
                found.filter_map(holds).collect()
            }
            // Going on where it fails adds runs and loses none that a model is about: a run that
            // ends in a failure is one that `verify` looks for.
            StmtKind::Assert { cond: e, .. } => self.reading(context, env, &[e]),
            StmtKind::Havoc { ptr, .. } => {
                let mut env = env;
                self.forget_reachable(context, ptr, &mut env);
                vec![(env, Vec::new())]
            }
            StmtKind::Live(var) | StmtKind::Dead(var) => {
                let mut env = env;
                context.forget(&mut env, *var, (i128::MIN, i128::MAX), &mut Vec::new());
                vec![(env, Vec::new())]
            }
            StmtKind::SetReg(reg, e) => {
                let mut done = Vec::new();
                for (mut env, labels) in self.reading(context, env, &[e]) {
                    if !context.accessing(&mut env, e) {
                        continue;
                    }
                    let v = context.eval(&env, e);
                    if v != Value::Bottom {
                        env.local
                            .set(reg.index(), context.keep(e.ty, Kind::Free, v));
                        done.push((env, labels));
                    }
                }
                done
            }
            StmtKind::Assign(place, e) => {
                let mut operands = vec![e];
                place.for_each_operand(&mut |e| operands.push(e));
                let mut done = Vec::new();
                for (mut env, labels) in self.reading(context, env, &operands) {
                    if !(context.accessing(&mut env, e) && context.accessing_place(&mut env, place))
                    {
                        continue;
                    }
                    // A write to one of several places may miss the one that is seen.
                    let certain = context.is_exact(&env, place);
                    let mut written = Written::new();
                    let typed = is_typed(&self.layout);
                    let before = typed.then(|| context.objects_at(&env, place, Some(e)));
                    if !context.assign(&mut env, place, e, &mut written) {
                        continue;
                    }
                    let objects = before.map(|o| context.with_written(o, &written));
                    let context = Context {
                        objects: objects.as_ref(),
                        ..*context
                    };
                    for env in context.split(env, &written) {
                        let outcome = vec![(env, labels.clone())];
                        done.extend(context.written(outcome, rules, &written, certain));
                    }
                }
                done
            }
        }
    }
    fn branch(&self, here: Here, env: Scratch, step: &mut Step) {
        let Here { func, block, .. } = here;
        let body = self.program.funcs[func].body.as_ref();
        let code = &body.expect("only functions with a body have blocks").blocks[block];
        let mut operands: Vec<&Expr> = Vec::new();
        match &code.branch {
            Branch::If { cond, .. } => operands.push(cond),
            Branch::Switch { on, .. } => operands.push(on),
            Branch::Call { args, callee, .. } => {
                operands.extend(args);
                if let Callee::Indirect(e) = callee {
                    operands.push(e);
                }
            }
            Branch::Return(Some(e)) | Branch::Halt(e) => operands.push(e),
            _ => {}
        }
        let context = self.context(func, block);
        for (mut env, labels) in self.reading(&context, env, &operands) {
            if !operands.iter().all(|e| context.accessing(&mut env, e)) {
                continue;
            }
            match &code.branch {
                Branch::Goto(next) => self.go(here, *next, env, labels, step),
                Branch::If { cond, then, els } => {
                    // R8 and R9: both may fire.
                    for (truth, next) in [(true, *then), (false, *els)] {
                        let found = self.context(func, block).assume(&env, cond, truth);
                        if let Some(env) = found {
                            self.go(here, next, env, labels.clone(), step);
                        }
                    }
                }
                Branch::Switch { on, cases, default } => {
                    for (next, env) in self.switch(func, block, &env, on, cases, *default) {
                        self.go(here, next, env, labels.clone(), step);
                    }
                }
                Branch::Call { .. } => self.call(here, env, labels, step),
                Branch::Return(e) => self.returns(here, e.as_ref(), env, labels, step),
                Branch::Halt(e) => {
                    let v = self.context(func, block).eval(&env, e);
                    self.halt(here, v, env, labels, step);
                }
                Branch::Unreachable(Unreachable::Trap) => {
                    let status = Value::Int(super::ends::ABORTED);
                    self.halt(here, status, env, labels, step);
                }
                Branch::Unreachable(_) => {}
            }
        }
    }
    /// On to another block of the same function.
    pub(super) fn go(
        &self,
        here: Here,
        next: BlockId,
        env: Scratch,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        let body = self.program.funcs[here.func].body.as_ref();
        let from = body.expect("it has blocks").blocks[here.block].loc;
        self.go_from(here, (from, next), env, labels, step);
    }
    /// The same, from a place that may be elsewhere.
    pub(super) fn go_from(
        &self,
        here: Here,
        (from, next): (LocId, BlockId),
        env: Scratch,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        let Here { func, block, .. } = here;
        let body = self.program.funcs[func]
            .body
            .as_ref()
            .expect("it has blocks");
        let target = &body.blocks[next];
        let to = target.stmts.first().map_or(target.loc, |s| s.loc);
        let context = self.context(func, block);
        for (mut env, labels) in self.arrive(&context, vec![(env, labels)], from, to) {
            self.seal(func, next, 0, &mut env);
            let location = self.points.block(func, next);
            step.emit(labels, To::Go { location, env });
        }
    }
    /// R10 and R11: each case that the value may be in, then the default.
    fn switch(
        &self,
        func: FuncId,
        block: BlockId,
        env: &Scratch,
        on: &Expr,
        cases: &[Case],
        default: BlockId,
    ) -> Vec<(BlockId, Scratch)> {
        let context = self.context(func, block);
        let ty = int_ty(self.program, on.ty);
        let wide = !matches!(self.program.types[on.ty], Type::Int(_) | Type::Bool) || ty.bits > 64;
        let compare = |op, n: i128| Expr::binary(op, on.clone(), Expr::int(on.ty, n));
        let mut found = Vec::new();
        let mut rest = Some(env.clone());
        let mut v = context.eval(env, on);
        for case in cases {
            let inside = match case.lo == case.hi {
                true => compare(BinOp::Eq, case.lo),
                false => Expr::binary(
                    BinOp::And,
                    compare(BinOp::Ge, case.lo),
                    compare(BinOp::Le, case.hi),
                ),
            };
            if let Some(env) = context.assume(env, &inside, true) {
                found.push((case.target, env));
            }
            if !wide {
                v = self.universe.outside(ty, v, case.lo, case.hi, Kind::Free);
            }
            rest = rest.and_then(|env| context.assume(&env, &inside, false));
        }
        if let Some(env) = rest.filter(|_| v != Value::Bottom) {
            found.push((default, env));
        }
        found
    }
}
