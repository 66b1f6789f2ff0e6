//! Branches: conditions fused with their comparison, switches as tables, calls.

use super::expr::{mirrored, small};
use super::{Compiler, Label, Refused, arrange, scalar};
use crate::code::{
    Expects, Instr, Scalar, Site, Slot, Slow, Source, SwitchTable, Target, with_operators,
};
use cwolf_cwi::{
    BinOp, BlockId, Branch, Callee, Case, Expr, ExprKind, Type, TypeId, Types, UnOp, Unreachable,
};

/// Types of the aggregates in a branch that are not in memory and must be put there.
pub(super) fn aggregate_temporaries(types: &Types, branch: &Branch) -> Vec<TypeId> {
    let mut found = Vec::new();
    branch.for_each_expr(&mut |e| {
        if !types.is_scalar(e.ty) && !matches!(e.kind, ExprKind::Load { .. }) {
            found.push(e.ty);
        }
    });
    found
}

/// Tables with more entries than this (and than four for each case) are searched instead.
const DENSE: i128 = 4096;

impl Compiler<'_> {
    /// The cost of the block, once.
    fn take_cost(&mut self) -> u16 {
        let cost = self.cost.min(u32::from(u16::MAX));
        self.cost -= cost;
        cost as u16
    }

    pub(super) fn branch(&mut self, id: BlockId, branch: &Branch) -> Result<(), Refused> {
        while self.cost > u32::from(u16::MAX) {
            let cost = self.take_cost();
            let to = self.new_label();
            self.emit(Instr::Jump { to, cost });
            self.bind(to);
        }
        let next = id.0 + 1;
        match branch {
            Branch::Goto(to) => {
                let cost = self.take_cost();
                self.emit(Instr::Jump { to: to.0, cost });
            }
            Branch::If { cond, then, els } => self.condition(cond, then.0, els.0, next, 0)?,
            Branch::Switch { on, cases, default } => self.switch(on, cases, *default)?,
            Branch::Call {
                callee,
                args,
                ret,
                next: after,
            } => {
                self.call(id, callee, args, *ret)?;
                match after {
                    Some(to) if to.0 == next => {}
                    Some(to) => self.emit(Instr::Jump { to: to.0, cost: 0 }),
                    None => self.emit(Instr::Unreachable {
                        why: Unreachable::Returned,
                    }),
                }
            }
            Branch::Return(value) => self.leave(value.as_ref())?,
            Branch::Halt(status) => {
                let a = self.operand(status)?;
                self.emit(Instr::Halt { a });
            }
            Branch::Unreachable(why) => self.emit(Instr::Unreachable { why: *why }),
        }
        Ok(())
    }

    /// Goes on at `yes` or `no`; `next` is the label that follows this code.
    fn condition(
        &mut self,
        cond: &Expr,
        yes: Label,
        no: Label,
        next: Label,
        depth: u32,
    ) -> Result<(), Refused> {
        if depth > super::MAX_DEPTH {
            return Err("a condition nested too deeply".into());
        }
        match &cond.kind {
            ExprKind::Unary(UnOp::Not, inner) => {
                return self.condition(inner, no, yes, next, depth + 1);
            }
            ExprKind::Binary(BinOp::And, a, b) => {
                let second = self.new_label();
                self.condition(a, second, no, second, depth + 1)?;
                return self.second(b, second, [yes, no, next], depth);
            }
            ExprKind::Binary(BinOp::Or, a, b) => {
                let second = self.new_label();
                self.condition(a, yes, second, second, depth + 1)?;
                return self.second(b, second, [yes, no, next], depth);
            }
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                if let Some(Scalar::Int(ty)) = scalar(self.types, left.ty)
                    && ty.bits <= 64
                {
                    return self.comparison(*op, left, right, ty.signed, [yes, no, next]);
                }
            }
            _ => {}
        }
        let ty = scalar(self.types, cond.ty).ok_or("a condition that is an aggregate")?;
        let a = self.truth(cond, ty)?;
        let cost = self.take_cost();
        if yes == next {
            self.emit(Instr::BrFalse { a, to: no, cost });
        } else {
            self.emit(Instr::BrTrue { a, to: yes, cost });
            self.fall(no, next);
        }
        Ok(())
    }

    /// The second part of a condition, which may be skipped: what it ensures is not sure later.
    fn second(
        &mut self,
        cond: &Expr,
        here: Label,
        [yes, no, next]: [Label; 3],
        depth: u32,
    ) -> Result<(), Refused> {
        self.bind(here);
        let ensured = self.ensured.clone();
        self.condition(cond, yes, no, next, depth + 1)?;
        self.ensured = ensured;
        Ok(())
    }

    /// Goes on at `to`, which needs no jump if it follows.
    fn fall(&mut self, to: Label, next: Label) {
        if to != next {
            self.emit(Instr::Jump { to, cost: 0 });
        }
    }

    fn comparison(
        &mut self,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        signed: bool,
        [yes, no, next]: [Label; 3],
    ) -> Result<(), Refused> {
        let (mut op, mut x, mut y) = (op, self.expr(left, None)?, self.expr(right, None)?);
        self.comparable(op, left, [x, y]);
        if let (Some(_), None, Some(swapped)) = (small(x), small(y), mirrored(op)) {
            (op, x, y) = (swapped, y, x);
        }
        let (to, other) = if yes == next {
            op = negated(op);
            (no, yes)
        } else {
            (yes, no)
        };
        let a = self.force(x);
        let constant = small(y);
        let b = match constant {
            Some(_) => 0,
            None => self.force(y),
        };
        let cost = self.take_cost();
        macro_rules! pick {
            ($([$op:pat, $signed:pat] $slots:ident $constant:ident;)*) => {
                match (op, signed, constant) {
                    $(($op, $signed, Some(c)) => Instr::$constant { a, c, to, cost },
                    ($op, $signed, None) => Instr::$slots { a, b, to, cost },)*
                    _ => return Err("not a comparison".into()),
                }
            };
        }
        let instr = pick! {
            [BinOp::Eq, _] BrEq BrEqC;
            [BinOp::Ne, _] BrNe BrNeC;
            [BinOp::Lt, true] BrLtS BrLtSC;
            [BinOp::Le, true] BrLeS BrLeSC;
            [BinOp::Gt, true] BrGtS BrGtSC;
            [BinOp::Ge, true] BrGeS BrGeSC;
            [BinOp::Lt, false] BrLtU BrLtUC;
            [BinOp::Le, false] BrLeU BrLeUC;
            [BinOp::Gt, false] BrGtU BrGtUC;
            [BinOp::Ge, false] BrGeU BrGeUC;
        };
        self.emit(instr);
        self.fall(other, next);
        Ok(())
    }

    fn switch(&mut self, on: &Expr, cases: &[Case], default: BlockId) -> Result<(), Refused> {
        let Some(Scalar::Int(ty)) = scalar(self.types, on.ty) else {
            return Err("a switch on something that is not an integer".into());
        };
        let a = self.operand(on)?;
        let cost = self.take_cost();
        let mut table = SwitchTable {
            ty,
            lo: cases.first().map_or(0, |c| c.lo),
            dense: Vec::new(),
            ranges: Vec::new(),
            default: default.0,
        };
        let span = cases
            .last()
            .map_or(Some(0), |c| c.hi.checked_sub(table.lo)?.checked_add(1));
        match span {
            Some(span) if span <= DENSE.min(8 + 4 * cases.len() as i128) => {
                table.dense = vec![default.0; span as usize];
                for case in cases {
                    for value in case.lo..=case.hi {
                        if let Some(entry) = table.dense.get_mut((value - table.lo) as usize) {
                            *entry = case.target.0;
                        }
                    }
                }
            }
            _ => table.ranges = cases.iter().map(|c| (c.lo, c.hi, c.target.0)).collect(),
        }
        let index = self.switches.len() as u32;
        self.switches.push(table);
        self.emit(Instr::Switch {
            a,
            table: index,
            cost,
        });
        Ok(())
    }

    fn call(
        &mut self,
        id: BlockId,
        callee: &Callee,
        args: &[Expr],
        ret: TypeId,
    ) -> Result<(), Refused> {
        let target = match callee {
            Callee::Direct(func) => {
                self.cx.program.funcs.get(*func).ok_or("no such function")?;
                Target::Direct(*func)
            }
            Callee::Indirect(pointer) => {
                let slot = self.operand(pointer)?;
                Target::Indirect(slot)
            }
        };
        let (list, slots) = arrange(self.types, args.iter().map(|e| e.ty));
        let base = self.take(slots.max(2));
        for (expr, arg) in args.iter().zip(&list) {
            let floor = self.scratch;
            if arg.scalar.is_some() {
                self.expr_into(expr, base + arg.at)?;
            } else {
                let source = self.aggregate(expr)?;
                let (slot, offset) = self.settle(source, expr.ty)?;
                self.add_offset(base + arg.at, slot, offset);
            }
            self.scratch = floor;
        }
        let exact = match target {
            Target::Direct(func) => self.exact(func, &list),
            Target::Indirect(_) => false,
        };
        let cost = self.take_cost();
        let site = self.sites.len() as u32;
        self.sites.push(Site {
            target,
            base,
            args: list,
            expects: Expects {
                ret,
                scalar: scalar(self.types, ret),
                used: self.live.result_live.contains(&id.0),
            },
            exact,
        });
        self.emit(Instr::Call { site, cost });
        Ok(())
    }

    /// Whether the arguments are exactly what the function's body takes.
    fn exact(&self, func: cwolf_cwi::FuncId, args: &[crate::code::Arg]) -> bool {
        let function = &self.cx.program.funcs[func];
        let vars = &self.cx.program.vars;
        let variadic = matches!(&self.types[function.ty], Type::Func(f) if f.variadic);
        let same = |(var, arg): (&cwolf_cwi::VarId, &crate::code::Arg)| vars[*var].ty == arg.ty;
        function.body.is_some()
            && !variadic
            && function.params.len() == args.len()
            && function.params.iter().zip(args).all(same)
    }

    /// The address of an aggregate, copied to a hidden temporary if it has none.
    fn settle(&mut self, source: Source, ty: TypeId) -> Result<(Slot, i64), Refused> {
        if let Source::Memory(slot, offset) = source {
            return Ok((slot, offset));
        }
        let size = self.types.size_of(ty);
        let free = |o: &(usize, &crate::code::FrameObject)| {
            o.1.var.is_none() && o.1.size == size && !self.ensured.contains(&(o.0 as u32))
        };
        let found = self.objects.iter().enumerate().find(free);
        let object = found.ok_or("an aggregate without a place")?.0 as u32;
        let slot = self.ensure(object);
        self.emit_slow(Slow::Copy {
            to: slot,
            offset: 0,
            from: source,
            size,
            ty,
        });
        Ok((slot, 0))
    }

    fn leave(&mut self, value: Option<&Expr>) -> Result<(), Refused> {
        let Some(value) = value else {
            let cost = self.take_cost();
            self.emit(Instr::ReturnNone { cost });
            return Ok(());
        };
        match scalar(self.types, value.ty) {
            Some(ty) => {
                let a = self.operand(value)?;
                let cost = self.take_cost();
                self.emit(match ty.is_wide() {
                    true => Instr::ReturnWide { a, cost },
                    false => Instr::Return { a, cost },
                });
            }
            None if self.types[value.ty] == Type::Void => {
                let cost = self.take_cost();
                self.emit(Instr::ReturnNone { cost });
            }
            None => {
                let source = self.aggregate(value)?;
                if let Source::Result = source {
                    let cost = self.take_cost();
                    self.emit(Instr::ReturnResult { cost });
                    return Ok(());
                }
                let (slot, offset) = self.settle(source, value.ty)?;
                let a = self.take(1);
                self.add_offset(a, slot, offset);
                let size = u32::try_from(self.types.size_of(value.ty));
                let size = size.map_err(|_| "an aggregate that is too large")?;
                let cost = self.take_cost();
                self.emit(Instr::ReturnBytes { a, size, cost });
            }
        }
        Ok(())
    }

    /// Turns labels into positions.
    pub(super) fn resolve_labels(&mut self) -> Result<(), Refused> {
        let labels = &self.labels;
        let find = |label: u32| match labels.get(label as usize) {
            Some(at) if *at != u32::MAX => Ok(*at),
            _ => Err(Refused::from("a jump to a block that does not exist")),
        };
        for instr in &mut self.instrs {
            if let Some(to) = target(instr) {
                *to = find(*to)?;
            }
        }
        for table in &mut self.switches {
            for to in &mut table.dense {
                *to = find(*to)?;
            }
            for (_, _, to) in &mut table.ranges {
                *to = find(*to)?;
            }
            table.default = find(table.default)?;
        }
        Ok(())
    }
}

fn negated(op: BinOp) -> BinOp {
    match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Ge => BinOp::Lt,
        BinOp::Gt => BinOp::Le,
        _ => BinOp::Gt,
    }
}

macro_rules! define_target {
    ([$($plain:tt)*] [$($slots:ident $constant:ident $op:ident $ty:ident;)*]) => {
        /// Where the instruction may jump.
        fn target(instr: &mut Instr) -> Option<&mut u32> {
            match instr {
                $(Instr::$slots { to, .. } | Instr::$constant { to, .. } => Some(to),)*
                Instr::Jump { to, .. } | Instr::BrTrue { to, .. } | Instr::BrFalse { to, .. } => Some(to),
                _ => None,
            }
        }
    };
}
with_operators!(define_target);
