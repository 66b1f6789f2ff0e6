//! Evaluates typed trees directly, strictly from left to right; the right side of a compound assignment first.

use super::state::{State, convert};
use crate::hir::{Expr, ExprKind, Function, LabelId, LocalInit, Stmt, StmtKind};
use cwolf_cwi::{Program, Types, value};

pub struct TreeRun<'a> {
    pub program: &'a Program,
    pub state: State,
}

/// How a statement ends.
enum Flow {
    On,
    Break,
    Continue,
    Goto(LabelId),
    Return(i128),
    /// Out of fuel.
    Stop,
}

impl TreeRun<'_> {
    pub fn run(&mut self, function: &Function) -> Option<i128> {
        match self.list(&function.body) {
            Flow::Return(value) => Some(value),
            Flow::Stop => None,
            _ => panic!("functions end by returning"),
        }
    }
    /// A block, with what is to be done at its end.
    fn list(&mut self, stmts: &[Stmt]) -> Flow {
        let flow = self.inside(stmts);
        self.clean_up(stmts);
        flow
    }
    /// Cleanups stand at the start of a block, before any jump.
    fn clean_up(&mut self, stmts: &[Stmt]) {
        for stmt in stmts.iter().rev() {
            if let StmtKind::Cleanup(e) = &stmt.kind {
                self.value(e);
            }
        }
    }
    fn inside(&mut self, stmts: &[Stmt]) -> Flow {
        let mut at = 0;
        while at < stmts.len() {
            match self.stmt(&stmts[at]) {
                Flow::On => at += 1,
                // All labels stand directly in the list that the goto is in, or further out.
                Flow::Goto(label) => {
                    let here = |s: &Stmt| matches!(s.kind, StmtKind::Label(l) if l == label);
                    match stmts.iter().position(here) {
                        Some(place) => at = place,
                        None => return Flow::Goto(label),
                    }
                }
                flow => return flow,
            }
        }
        Flow::On
    }
    fn truth(&mut self, e: &Expr) -> bool {
        self.value(e) != 0
    }
    fn rounds(
        &mut self,
        first: bool,
        cond: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
    ) -> Flow {
        let mut test = first;
        loop {
            if !self.state.burn() {
                return Flow::Stop;
            }
            if test && !cond.is_none_or(|c| self.truth(c)) {
                return Flow::On;
            }
            test = true;
            match self.stmt(body) {
                Flow::On | Flow::Continue => {}
                Flow::Break => return Flow::On,
                flow => return flow,
            }
            step.iter().for_each(|s| {
                self.value(s);
            });
        }
    }
    fn stmt(&mut self, stmt: &Stmt) -> Flow {
        match &stmt.kind {
            StmtKind::Expr(e) => {
                self.value(e);
                Flow::On
            }
            StmtKind::Declare { var, init } => {
                if let Some(LocalInit::Value(e)) = init {
                    let value = self.value(e);
                    self.state.store(State::address(*var, 0), value);
                }
                Flow::On
            }
            StmtKind::Block(stmts) => self.list(stmts),
            StmtKind::If { cond, then, els } => match (self.truth(cond), els) {
                (true, _) => self.stmt(then),
                (false, Some(els)) => self.stmt(els),
                (false, None) => Flow::On,
            },
            StmtKind::While { cond, body } => self.rounds(true, Some(cond), None, body),
            StmtKind::DoWhile { body, cond } => self.rounds(false, Some(cond), None, body),
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                self.list(init);
                self.rounds(true, cond.as_ref(), step.as_ref(), body)
            }
            StmtKind::Switch { on, body } => {
                let on = self.value(on);
                let StmtKind::Block(stmts) = &body.kind else {
                    panic!("switches have blocks here");
                };
                let hit =
                    |s: &Stmt| matches!(s.kind, StmtKind::Case { lo, hi } if lo <= on && on <= hi);
                let default = |s: &Stmt| matches!(s.kind, StmtKind::Default);
                let start = stmts.iter().position(hit);
                let Some(start) = start.or_else(|| stmts.iter().position(default)) else {
                    return Flow::On;
                };
                match self.list(&stmts[start..]) {
                    Flow::Break => Flow::On,
                    flow => flow,
                }
            }
            StmtKind::Empty
            | StmtKind::Case { .. }
            | StmtKind::Default
            | StmtKind::Label(_)
            | StmtKind::Cleanup(_) => Flow::On,
            StmtKind::Goto(label) => Flow::Goto(*label),
            StmtKind::Break => Flow::Break,
            StmtKind::Continue => Flow::Continue,
            StmtKind::Return(Some(e)) => Flow::Return(self.value(e)),
            other => panic!("not generated: {other:?}"),
        }
    }
    fn place(&mut self, e: &Expr) -> i128 {
        match &e.kind {
            ExprKind::Var(var) => State::address(*var, 0),
            ExprKind::Deref(pointer) => self.value(pointer),
            ExprKind::Index(base, index) => {
                let base = self.place(base);
                base + self.value(index)
            }
            other => panic!("not generated: {other:?}"),
        }
    }
    fn value(&mut self, e: &Expr) -> i128 {
        let types = &self.program.types;
        let int = |ty| value::int_type(types, ty).expect("a number");
        match &e.kind {
            ExprKind::Int(v) => *v,
            ExprKind::Load(place, _) => {
                let address = self.place(place);
                self.state.load(address)
            }
            ExprKind::AddrOf(place) => self.place(place),
            ExprKind::Cast(inner) => {
                let v = self.value(inner);
                convert(self.program, inner.ty, e.ty, v)
            }
            ExprKind::Unary(op, inner) => {
                let v = self.value(inner);
                value::int_unary(*op, int(inner.ty), v)
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.value(a), self.value(b));
                value::int_binary(*op, int(a.ty), x, y).expect("no trap here")
            }
            ExprKind::And(a, b) => i128::from(self.truth(a) && self.truth(b)),
            ExprKind::Or(a, b) => i128::from(self.truth(a) || self.truth(b)),
            ExprKind::Cond(c, a, b) => {
                if self.truth(c) {
                    self.value(a)
                } else {
                    self.value(b)
                }
            }
            ExprKind::Elvis { value, other } => match self.value(value) {
                0 => self.value(other),
                v => v,
            },
            ExprKind::Comma(a, b) => {
                self.value(a);
                self.value(b)
            }
            ExprKind::Assign { place, value, .. } => {
                let address = self.place(place);
                let v = self.value(value);
                self.state.store(address, v);
                v
            }
            ExprKind::AssignOp {
                place,
                op,
                value: right,
                post,
                ..
            } => {
                let right = self.value(right);
                let address = self.place(place);
                let old = self.state.load(address);
                let new = value::int_binary(*op, int(Types::INT), old, right).expect("no trap");
                self.state.store(address, new);
                if *post { old } else { new }
            }
            ExprKind::Call { args, .. } => {
                let args = args.iter().map(|a| self.value(a)).collect();
                self.state.call(args)
            }
            ExprKind::StmtExpr { body, value } => {
                // Jumps out of them are not generated.
                match self.inside(body) {
                    Flow::On => {}
                    _ => self.state.fuel = 0,
                }
                let value = self.value(value.as_ref().expect("with a value"));
                self.clean_up(body);
                value
            }
            other => panic!("not generated: {other:?}"),
        }
    }
}
