//! Statements.

use super::lives::declared;
use super::scope::Item;
use super::{Cases, Lower, Target};
use crate::hir::{self, Stmt, StmtKind as H};
use cwolf_base::Span;
use cwolf_cwi::{BlockId, Branch, Case, Expr, ExprKind, LocId, StmtKind, Types, VarId};

impl<'a> Lower<'a> {
    /// One after the other, in the scope of the caller.
    pub(super) fn stmts(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }
    fn stmt(&mut self, stmt: &'a Stmt) {
        let outer = std::mem::take(&mut self.temps);
        self.any_stmt(stmt);
        self.temps = outer;
    }
    /// The full expression ends, and with it the lives of temporaries that it has made.
    fn end_temporaries(&mut self, loc: LocId) {
        for var in std::mem::take(&mut self.temps) {
            self.code.emit(loc, StmtKind::Dead(var));
        }
    }
    fn any_stmt(&mut self, stmt: &'a Stmt) {
        let span = stmt.span;
        self.height = 0;
        let loc = self.loc(span);
        match &stmt.kind {
            H::Expr(e) => {
                self.effect(e);
                self.end_temporaries(loc);
            }
            H::Declare { var, init } => match init {
                Some(init) => {
                    self.initialise(loc, *var, init);
                    self.end_temporaries(loc);
                }
                // At its first declaration it is indeterminate anyway.
                None if self.survey.repeated.contains(var) => {
                    self.code.emit(loc, StmtKind::Live(*var));
                }
                None => {}
            },
            H::DeclareVla { pointer, size } => self.declare_vla(*pointer, size, span),
            H::Block(stmts) => {
                let depth = self.enter_scope();
                self.begin_lives(declared(stmts), span);
                self.stmts(stmts);
                self.exit_scope(depth, end_of(span));
            }
            H::Cleanup(e) => self.on_exit(e),
            H::If { cond, then, els } => self.if_stmt(loc, cond, then, els.as_deref()),
            H::While { cond, body } => self.for_loop(loc, Some(cond), None, body),
            H::DoWhile { body, cond } => self.do_while(loc, body, cond),
            H::For {
                init,
                cond,
                step,
                body,
            } => {
                let depth = self.enter_scope();
                self.begin_lives(declared(init), span);
                self.stmts(init);
                self.for_loop(loc, cond.as_ref(), step.as_ref(), body);
                self.exit_scope(depth, end_of(span));
            }
            H::Switch { on, body } => self.switch(loc, on, body),
            H::Case { lo, hi } => {
                let target = self.case_block(loc);
                let switch = self.switches.last_mut().expect("a case is in a switch");
                let (lo, hi) = (*lo, *hi);
                switch.cases.push(Case { lo, hi, target });
            }
            H::Default => {
                let target = self.case_block(loc);
                let switch = self.switches.last_mut().expect("a default is in a switch");
                switch.default = Some(target);
            }
            H::Label(label) => self.label(*label, loc),
            // Blocks that do nothing are dropped, so something is done.
            H::Empty => {
                let reg = self.code.new_reg(Types::INT);
                let zero = Expr::int(Types::INT, 0);
                self.code.emit(loc, StmtKind::SetReg(reg, zero));
            }
            H::Goto(label) => self.goto(*label, span),
            H::ComputedGoto(address) => self.computed_goto(address, loc),
            H::Break => {
                let target = self.targets.last().expect("break is in a loop or switch");
                self.jump_out(loc, span, target.break_to, target.depth);
            }
            H::Continue => {
                let mut loops = self.targets.iter().rev();
                let (target, depth) = loops
                    .find_map(|t| Some((t.continue_to?, t.depth)))
                    .expect("continue is in a loop");
                self.jump_out(loc, span, target, depth);
            }
            H::Return(value) => self.return_stmt(loc, span, value.as_ref()),
            H::Asm {
                inputs,
                outputs,
                labels,
            } => {
                inputs.iter().for_each(|e| self.effect(e));
                for output in outputs {
                    let place = self.place(output);
                    let unknown = Expr {
                        ty: place.ty,
                        kind: ExprKind::Choose,
                    };
                    self.write(loc, place, unknown);
                }
                self.maybe_goto(labels, span);
            }
        }
    }
    fn jump_out(&mut self, loc: LocId, span: Span, target: BlockId, depth: usize) {
        self.leave_scope(depth, span);
        self.stop(loc, Branch::Goto(target));
    }
    fn return_stmt(&mut self, loc: LocId, span: Span, value: Option<&'a hir::Expr>) {
        let value = match value {
            Some(e) if e.ty == Types::VOID => {
                self.effect(e);
                None
            }
            Some(e) => {
                let mut value = self.value(e);
                let mark = self.code.mark();
                self.leave_function(span);
                self.settle(span, mark, &mut value);
                self.stop(loc, Branch::Return(Some(value)));
                return;
            }
            None => None,
        };
        self.leave_function(span);
        let ret = self.return_type();
        let value = match value {
            // `return;` in a function with a value: undefined only if the value is used.
            None if ret != Types::VOID => Some(self.unknown(loc, ret)),
            value => value,
        };
        self.stop(loc, Branch::Return(value));
    }
    fn if_stmt(&mut self, loc: LocId, cond: &'a hir::Expr, then: &'a Stmt, els: Option<&'a Stmt>) {
        let yes = self.code.new_block();
        let after = self.code.new_block();
        let no = match els {
            Some(_) => self.code.new_block(),
            None => after,
        };
        self.branch_on(cond, yes, no);
        self.code.start(yes);
        self.sub_stmt(then);
        self.code.goto(loc, after);
        if let Some(els) = els {
            self.code.start(no);
            self.sub_stmt(els);
            self.code.goto(loc, after);
        }
        self.code.start(after);
    }
    fn for_loop(
        &mut self,
        loc: LocId,
        cond: Option<&'a hir::Expr>,
        step: Option<&'a hir::Expr>,
        body: &'a Stmt,
    ) {
        let head = self.code.new_block();
        let inside = self.code.new_block();
        let next = match step {
            Some(_) => self.code.new_block(),
            None => head,
        };
        let after = self.code.new_block();
        self.code.fall_into(loc, head);
        match cond {
            Some(cond) => self.branch_on(cond, inside, after),
            None => self.code.goto(loc, inside),
        }
        self.code.start(inside);
        self.loop_body(body, after, next);
        self.code.goto(loc, next);
        if let Some(step) = step {
            self.code.start(next);
            self.effect(step);
            self.code.goto(loc, head);
        }
        self.code.start(after);
    }
    fn do_while(&mut self, loc: LocId, body: &'a Stmt, cond: &'a hir::Expr) {
        let head = self.code.new_block();
        let test = self.code.new_block();
        let after = self.code.new_block();
        self.code.fall_into(loc, head);
        self.loop_body(body, after, test);
        self.code.fall_into(loc, test);
        self.branch_on(cond, head, after);
        self.code.start(after);
    }
    fn loop_body(&mut self, body: &'a Stmt, break_to: BlockId, continue_to: BlockId) {
        self.targets.push(Target {
            break_to,
            continue_to: Some(continue_to),
            depth: self.scope.len(),
        });
        self.sub_stmt(body);
        self.targets.pop();
    }
    /// A statement inside another one, which is a block even without braces.
    fn sub_stmt(&mut self, stmt: &'a Stmt) {
        // A block begins the lives of its own variables.
        if self.survey.compounds == 0 || matches!(stmt.kind, H::Block(_)) {
            return self.stmt(stmt);
        }
        let depth = self.enter_scope();
        self.begin_lives(declared(std::slice::from_ref(stmt)), stmt.span);
        self.stmt(stmt);
        self.exit_scope(depth, end_of(stmt.span));
    }
    fn switch(&mut self, loc: LocId, on: &'a hir::Expr, body: &'a Stmt) {
        let on = self.value(on);
        let after = self.code.new_block();
        // The cases are known only after the body; what stands before the first of them is
        // reached by jumps only.
        let head = self.code.suspend();
        self.switches.push(Cases {
            depth: self.scope.len(),
            ..Cases::default()
        });
        self.targets.push(Target {
            break_to: after,
            continue_to: None,
            depth: self.scope.len(),
        });
        self.sub_stmt(body);
        self.targets.pop();
        let mut found = self.switches.pop().expect("pushed above");
        self.code.goto(loc, after);
        found.cases.sort_unstable_by_key(|case| case.lo);
        self.code.resume(head);
        let branch = Branch::Switch {
            on,
            cases: found.cases,
            default: found.default.unwrap_or(after),
        };
        self.code.end(loc, branch);
        self.code.start(after);
    }
    /// A new block here, and the one that the switch leads to: the lives of variables begin on
    /// the way if the case stands in a block of theirs.
    fn case_block(&mut self, loc: LocId) -> BlockId {
        let block = self.code.new_block();
        self.code.fall_into(loc, block);
        let depth = self.switches.last().map_or(0, |s| s.depth);
        let entered: Vec<VarId> = self.scope[depth..].iter().filter_map(Item::ends).collect();
        if entered.is_empty() {
            return block;
        }
        let open = self.code.suspend();
        let way = self.code.current();
        for var in entered {
            self.code.emit(loc, StmtKind::Live(var));
        }
        self.code.goto(loc, block);
        self.code.resume(open);
        way
    }
}

/// The closing brace of a block.
fn end_of(span: Span) -> Span {
    Span::new(span.hi.saturating_sub(1).max(span.lo), span.hi)
}
