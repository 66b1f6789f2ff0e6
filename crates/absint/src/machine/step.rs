//! One step: from a state to its successors.

use super::assign::Written;
use super::eval::{Context, Scratch};
use super::labels::{Outcome, writes};
use super::layout::{Point, int_ty};
use super::{Machine, PENDING, State, Successor};
use crate::domain::{Kind, Value};
use crate::map::Event;
use cwolf_base::Idx;
use cwolf_cwi::{
    BinOp, BlockId, Branch, Case, Expr, FuncId, LocId, Stmt, StmtKind, Type, Unreachable,
};

impl Machine<'_> {
    /// The successors of a state, in the order of the program.
    pub fn successors(&mut self, state: State) -> Vec<Successor> {
        if state.location >= PENDING {
            let (labels, then) = self.pending.get(state.location - PENDING).clone();
            let label = labels[0].clone();
            let location = self.pend(&labels[1..], then);
            return vec![Successor {
                label: Some(label),
                state: State { location, ..state },
            }];
        }
        let mut out = Vec::new();
        match self.points.get(state.location) {
            Point::Halted => {}
            Point::Outside(func) => self.return_outside(state, func, &mut out),
            Point::Code { func, block, index } => {
                let env = self.open(state, func);
                self.run(state, func, block, index, env, &mut out);
            }
        }
        out
    }
    /// The location from which these labels are shown one by one before `then`.
    fn pend(&mut self, labels: &[String], then: u32) -> u32 {
        if labels.is_empty() {
            return then;
        }
        PENDING + self.pending.insert((labels.to_vec(), then)).0
    }
    /// A successor with the labels of its step: the first on the transition, the rest after it.
    pub(super) fn emit(&mut self, labels: &[String], state: State, out: &mut Vec<Successor>) {
        let (first, rest) = match labels {
            [] => (None, labels),
            [first, rest @ ..] => (Some(first.clone()), rest),
        };
        let location = self.pend(rest, state.location);
        let successor = Successor {
            label: first,
            state: State { location, ..state },
        };
        if !out.contains(&successor) {
            out.push(successor);
        }
    }
    fn run(
        &mut self,
        state: State,
        func: FuncId,
        block: BlockId,
        index: u32,
        mut env: Scratch,
        out: &mut Vec<Successor>,
    ) {
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
                Ok(one) => return self.stop(state, func, block, n as u32 + 1, one.into(), out),
                Err(many) => return self.stop(state, func, block, n as u32 + 1, many, out),
            }
        }
        self.branch(state, func, block, env, out);
    }
    /// Ends the step in the middle of a block.
    fn stop(
        &mut self,
        state: State,
        func: FuncId,
        block: BlockId,
        index: u32,
        outcomes: Vec<Outcome>,
        out: &mut Vec<Successor>,
    ) {
        for (env, labels) in outcomes {
            let next = State {
                location: self.points.block(func, block) + index,
                caller: state.caller,
                local: self.seal_local(func, block, index, env.local),
                global: self.seal_global(env.global),
            };
            self.emit(&labels, next, out);
        }
    }
    /// The labels of coming to a line.
    fn arrive(
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
    pub(super) fn reading(
        &self,
        context: &Context<'_>,
        env: Scratch,
        operands: &[&Expr],
    ) -> Vec<Outcome> {
        let before = env.clone();
        let outcomes = vec![(env, Vec::new())];
        let rules = &self.labels.rules;
        let surely = |event: &Event| match event {
            Event::Read(spots) => operands
                .iter()
                .any(|e| context.reads_surely(&before, e, spots)),
            _ => false,
        };
        let perhaps = |event: &Event| match event {
            Event::Read(spots) => {
                !surely(event) && operands.iter().any(|e| context.reads(&before, e, spots))
            }
            _ => false,
        };
        let outcomes = context.fire(outcomes, rules, true, &surely);
        context.fire(outcomes, rules, false, &perhaps)
    }
    fn execute(&self, context: &Context<'_>, env: Scratch, stmt: &Stmt) -> Vec<Outcome> {
        let rules = &self.labels.rules;
        match &stmt.kind {
            StmtKind::Undef(var) => {
                let mut env = env;
                context.forget(&mut env, *var, (i128::MIN, i128::MAX), &mut Vec::new());
                vec![(env, Vec::new())]
            }
            StmtKind::SetReg(reg, e) => {
                let mut done = Vec::new();
                for (mut env, labels) in self.reading(context, env, &[e]) {
                    let v = context.eval(&env, e);
                    if v != Value::Bottom {
                        env.local[reg.index()] = context.keep(e.ty, Kind::Free, v);
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
                    // A write to one of several places may miss the one that is seen.
                    let certain = context.is_exact(&env, place);
                    let mut written = Written::new();
                    if !context.assign(&mut env, place, e, &mut written) {
                        continue;
                    }
                    let outcomes = context.fire(
                        vec![(env, labels)],
                        rules,
                        certain,
                        &|event| matches!(event, Event::Write(spots) if writes(spots, &written)),
                    );
                    done.extend(context.watch(outcomes, rules, &written, certain));
                }
                done
            }
        }
    }
    fn branch(
        &mut self,
        state: State,
        func: FuncId,
        block: BlockId,
        env: Scratch,
        out: &mut Vec<Successor>,
    ) {
        let body = self.program.funcs[func].body.as_ref();
        let code = &body.expect("only functions with a body have blocks").blocks[block];
        let mut operands: Vec<&Expr> = Vec::new();
        match &code.branch {
            Branch::If { cond, .. } => operands.push(cond),
            Branch::Switch { on, .. } => operands.push(on),
            Branch::Call { args, .. } => operands.extend(args),
            Branch::Return(Some(e)) | Branch::Halt(e) => operands.push(e),
            _ => {}
        }
        let outcomes = self.reading(&self.context(func, block), env, &operands);
        for (env, labels) in outcomes {
            match &code.branch {
                Branch::Goto(next) => self.go(state, (func, block), *next, env, labels, out),
                Branch::If { cond, then, els } => {
                    // R8 and R9: both may fire.
                    for (truth, next) in [(true, *then), (false, *els)] {
                        let found = self.context(func, block).assume(&env, cond, truth);
                        if let Some(env) = found {
                            self.go(state, (func, block), next, env, labels.clone(), out);
                        }
                    }
                }
                Branch::Switch { on, cases, default } => {
                    for (next, env) in self.switch(func, block, &env, on, cases, *default) {
                        self.go(state, (func, block), next, env, labels.clone(), out);
                    }
                }
                Branch::Call { .. } => self.call(state, func, block, env, labels, out),
                Branch::Return(e) => self.returns(state, func, block, e.as_ref(), env, labels, out),
                Branch::Halt(e) => {
                    let v = self.context(func, block).eval(&env, e);
                    self.halt((func, block), v, env, labels, out);
                }
                Branch::Unreachable(Unreachable::Trap) => {
                    let status = Value::Int(super::calls::ABORTED);
                    self.halt((func, block), status, env, labels, out);
                }
                Branch::Unreachable(_) => {}
            }
        }
    }
    pub(super) fn go(
        &mut self,
        state: State,
        (func, block): (FuncId, BlockId),
        next: BlockId,
        env: Scratch,
        labels: Vec<String>,
        out: &mut Vec<Successor>,
    ) {
        let body = self.program.funcs[func]
            .body
            .as_ref()
            .expect("it has blocks");
        let target = &body.blocks[next];
        let to = target.stmts.first().map_or(target.loc, |s| s.loc);
        let context = self.context(func, block);
        for (env, labels) in self.arrive(&context, vec![(env, labels)], body.blocks[block].loc, to)
        {
            let next = State {
                location: self.points.block(func, next),
                caller: state.caller,
                local: self.seal_local(func, next, 0, env.local),
                global: self.seal_global(env.global),
            };
            self.emit(&labels, next, out);
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
