//! Conditions: pure ones stay expressions, the others become control flow.

use super::Lower;
use super::expr::MAX_HEIGHT;
use super::shape::Shape;
use crate::hir::{self, ExprKind as H};
use cwolf_cwi::{BinOp, BlockId, Branch, Expr, Place, RegId, StmtKind, Type, Types, UnOp, VarId};

/// How many operands of `&&` or `||` one condition has at most.
const MAX_RUN: usize = MAX_HEIGHT / 2;

/// Where the two sides of a choice leave their value.
#[derive(Clone, Copy)]
enum Slot {
    Reg(RegId),
    Var(VarId),
}

impl<'a> Lower<'a> {
    /// Three new blocks: if yes, if no, and after both.
    pub(super) fn fork(&mut self) -> (BlockId, BlockId, BlockId) {
        let mut block = || self.code.new_block();
        (block(), block(), block())
    }
    /// Ends the current block: on at `then` if `e` is not zero, else at `els`.
    pub(super) fn branch_on(&mut self, e: &'a hir::Expr, then: BlockId, els: BlockId) {
        let loc = self.loc(e.span);
        match &e.kind {
            H::Int(value) => {
                let target = if *value != 0 { then } else { els };
                self.code.goto(loc, target);
            }
            H::Unary(UnOp::Not, inner) if self.shape(inner) != Shape::Plain => {
                self.branch_on(inner, els, then);
            }
            // A number is zero before it becomes a `_Bool` if and only if it is after.
            H::Cast(inner)
                if matches!(self.program.types[e.ty], Type::Bool)
                    && self.shape(inner) == Shape::Effects =>
            {
                self.branch_on(inner, then, els);
            }
            H::And(..) | H::Or(..) => self.branch_on_chain(e, then, els),
            H::Cond(cond, a, b) => {
                let yes = self.code.new_block();
                let no = self.code.new_block();
                self.branch_on(cond, yes, no);
                self.code.start(yes);
                self.branch_on(a, then, els);
                self.code.start(no);
                self.branch_on(b, then, els);
            }
            H::Comma(first, second) => {
                self.effect(first);
                self.branch_on(second, then, els);
            }
            _ => {
                let cond = self.value(e);
                self.code.end(loc, Branch::If { cond, then, els });
            }
        }
    }
    /// A chain of `&&`, or one of `||`: each run of plain operands becomes one condition, each
    /// of the others one of its own.
    fn branch_on_chain(&mut self, e: &'a hir::Expr, then: BlockId, els: BlockId) {
        let loc = self.loc(e.span);
        let (op, operands) = chain(e);
        let mut rest = &operands[..];
        while let Some((first, others)) = rest.split_first() {
            let run = rest.iter().take(MAX_RUN);
            let plain = run.take_while(|e| self.shape(e) == Shape::Plain).count();
            let (now, later) = rest.split_at(plain);
            rest = if plain > 0 { later } else { others };
            let more = (!rest.is_empty()).then(|| self.code.new_block());
            let (then, els) = match (op, more) {
                (BinOp::And, Some(more)) => (more, els),
                (_, Some(more)) => (then, more),
                (_, None) => (then, els),
            };
            if plain > 0 {
                let cond = self.plain_chain(op, now);
                self.code.end(loc, Branch::If { cond, then, els });
            } else {
                self.branch_on(first, then, els);
            }
            more.iter().for_each(|m| self.code.start(*m));
        }
    }
    fn plain_chain(&mut self, op: BinOp, operands: &[&'a hir::Expr]) -> Expr {
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            let value = self.value(operand);
            debug_assert!(
                !value.may_trap(&self.program.types, &|v| self.program.vars[v].ty),
                "a plain expression does not trap"
            );
            values.push(value);
        }
        self.height += values.len();
        if let [_] = values[..] {
            return values.remove(0);
        }
        let tests = values.into_iter().map(|v| self.truth(v));
        tests
            .reduce(|a, b| Expr::binary(op, a, b))
            .expect("a chain has operands")
    }
    /// The value of `a && b` or `a || b`.
    pub(super) fn logical(&mut self, e: &'a hir::Expr) -> Expr {
        let (op, operands) = chain(e);
        if operands.len() <= MAX_RUN && self.shape(e) == Shape::Plain {
            let value = self.plain_chain(op, &operands);
            return Expr::cast(e.ty, value);
        }
        let loc = self.loc(e.span);
        let (yes, no, after) = self.fork();
        let reg = self.code.new_reg(e.ty);
        self.branch_on_chain(e, yes, no);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.code.start(block);
            let value = Expr::int(e.ty, value);
            self.code.emit(loc, StmtKind::SetReg(reg, value));
            self.code.goto(loc, after);
        }
        self.code.start(after);
        Expr::reg(e.ty, reg)
    }
    /// The value of `cond ? then : els`.
    pub(super) fn choice(
        &mut self,
        e: &'a hir::Expr,
        cond: &'a hir::Expr,
        then: &'a hir::Expr,
        els: &'a hir::Expr,
    ) -> Expr {
        let loc = self.loc(e.span);
        let (yes, no, after) = self.fork();
        let slot = self.slot(e);
        self.branch_on(cond, yes, no);
        for (block, side) in [(yes, then), (no, els)] {
            self.code.start(block);
            let value = self.value(side);
            self.put(slot, side, value, e);
            self.code.goto(loc, after);
        }
        self.code.start(after);
        self.get(slot, e)
    }
    /// The value of `value ?: other`.
    pub(super) fn elvis(
        &mut self,
        e: &'a hir::Expr,
        value: &'a hir::Expr,
        other: &'a hir::Expr,
    ) -> Expr {
        let loc = self.loc(e.span);
        let (yes, no, after) = self.fork();
        let slot = self.slot(e);
        let first = self.value(value);
        let first = match first.kind {
            cwolf_cwi::ExprKind::Reg(_) | cwolf_cwi::ExprKind::Int(_) => first,
            _ => self.keep(loc, first),
        };
        let cond = first.clone();
        let (then, els) = (yes, no);
        self.code.end(loc, Branch::If { cond, then, els });
        self.code.start(yes);
        self.put(slot, value, first, e);
        self.code.goto(loc, after);
        self.code.start(no);
        let second = self.value(other);
        self.put(slot, other, second, e);
        self.code.fall_into(loc, after);
        self.get(slot, e)
    }
    fn slot(&mut self, e: &hir::Expr) -> Slot {
        if self.program.types.is_scalar(e.ty) {
            Slot::Reg(self.code.new_reg(e.ty))
        } else {
            let loc = self.loc(e.span);
            Slot::Var(self.temp(loc, e.ty))
        }
    }
    fn put(&mut self, slot: Slot, side: &hir::Expr, value: Expr, e: &hir::Expr) {
        if side.ty == Types::VOID {
            // Only a side that does not come back, such as `x ? y : abort()` in odd macros.
            return;
        }
        let loc = self.loc(side.span);
        match slot {
            Slot::Reg(reg) => {
                let value = Expr::cast(e.ty, value);
                self.code.emit(loc, StmtKind::SetReg(reg, value));
            }
            Slot::Var(var) => self.write(loc, Place::var(e.ty, var), value),
        }
    }
    fn get(&mut self, slot: Slot, e: &hir::Expr) -> Expr {
        match slot {
            Slot::Reg(reg) => Expr::reg(e.ty, reg),
            Slot::Var(var) => Expr::load(Place::var(e.ty, var)),
        }
    }
}

/// The operands of a chain of `&&` or of `||`, in order.
fn chain(e: &hir::Expr) -> (BinOp, Vec<&hir::Expr>) {
    let and = matches!(e.kind, H::And(..));
    let mut operands = Vec::new();
    let mut rest = e;
    loop {
        match &rest.kind {
            H::And(left, right) if and => {
                operands.push(&**right);
                rest = left;
            }
            H::Or(left, right) if !and => {
                operands.push(&**right);
                rest = left;
            }
            _ => break,
        }
    }
    operands.push(rest);
    operands.reverse();
    (if and { BinOp::And } else { BinOp::Or }, operands)
}
