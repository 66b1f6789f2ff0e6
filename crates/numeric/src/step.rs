//! What statements and known functions do to a state.

use crate::arith;
use crate::num::Num;
use crate::objects::What;
use crate::point::{At, Val};
use crate::value::{Pointer, Value};
use cwolf_cwi::{BinOp, CheckId, Expr, FuncId, Function, Origin, Place, Stmt, StmtKind, TypeId};
use cwolf_known::{Failure, Primitive, Row};

/// Who is told what may fail.
pub(crate) trait Recorder {
    /// A check is reached; whether it always holds.
    fn check(&mut self, check: CheckId, holds: bool);
    /// A failure without a check is reached.
    fn failure(&mut self);
    /// Something is not followed.
    fn incomplete(&mut self, why: String);
}

/// What came of a call.
pub(crate) enum Called {
    /// It returns this.
    Returns(Val),
    /// It never returns.
    Ends,
    /// Its code has to be followed.
    Code,
}

impl At<'_, '_> {
    /// Runs a statement; false if no run gets past it.
    pub(crate) fn statement(&mut self, stmt: &Stmt, record: &mut dyn Recorder) -> bool {
        match &stmt.kind {
            StmtKind::Assign(place, e) => self.assign(place, e),
            StmtKind::SetReg(reg, e) => {
                if let Some(cell) = self.world.objects.reg(self.func, *reg) {
                    let kind = self.world.objects.cells[cell].kind;
                    let value = self.eval(e);
                    let sum = self.linear(e);
                    let value = self.as_kind(kind, e.ty, value.as_ref());
                    self.set_sum(cell, e.ty, value, sum);
                }
            }
            StmtKind::Live(v) | StmtKind::Dead(v) => self.renew(*v),
            StmtKind::Assert { check, cond } => {
                let holds = self.certain(cond);
                record.check(*check, holds);
                return holds || self.assume(cond, true);
            }
            StmtKind::Assume(cond) => return self.assume(cond, true),
            StmtKind::Havoc { ptr, size } => match size {
                Some(size) => {
                    let size = self.number(size);
                    let most = Num::constant(1 << 40);
                    self.overwrite(ptr, Some(size.as_ref().unwrap_or(&most)), false);
                }
                None => {
                    let points_to = self.world.program.points_to();
                    let changed = points_to.changed_outside(self.func, self.block, ptr);
                    let (mut objects, _) = self.own(changed);
                    if let Some(Value::Pointer(p)) = self.eval(ptr) {
                        objects.extend(p.targets.iter().map(|t| t.0));
                    }
                    self.forget_objects(&objects);
                }
            },
        }
        true
    }

    /// Whether a condition holds whatever happens.
    pub(crate) fn certain(&self, cond: &Expr) -> bool {
        match self.truth(cond) {
            Some(holds) => holds,
            None => !self.clone().assume(cond, false),
        }
    }

    fn assign(&mut self, place: &Place, e: &Expr) {
        if self.world.program.types.is_aggregate(place.ty) {
            return self.store_aggregate(place, e);
        }
        let value = self.eval(e);
        let sum = self.linear(e);
        self.store(place, value, sum);
    }

    /// Parameters get their values.
    pub(crate) fn pass(&mut self, func: FuncId, args: &[Expr], related: bool) {
        let program = self.world.program;
        let function = &program.funcs[func];
        let mut values: Vec<_> = Vec::new();
        for (param, arg) in function.params.iter().zip(args) {
            let aggregate = program.types.is_aggregate(arg.ty);
            let value = if aggregate { None } else { self.eval(arg) };
            let sum = self.linear(arg).filter(|_| related);
            values.push((*param, arg, aggregate, value, sum));
        }
        for (param, arg, aggregate, value, sum) in values {
            let ty = program.vars[param].ty;
            let place = Place::var(ty, param);
            match aggregate || program.types.is_aggregate(ty) {
                true if related && arg.ty == ty => self.store_aggregate(&place, arg),
                true => self.renew(param),
                false => {
                    let value = match self.world.kind(arg.ty) == self.world.kind(ty) {
                        true => value,
                        false => self.taken_for(value.as_ref(), ty, true),
                    };
                    let sum = sum.filter(|_| self.world.kind(arg.ty) == self.world.kind(ty));
                    self.store(&place, value, sum);
                }
            }
        }
        for param in function.params.iter().skip(args.len()) {
            self.renew(*param);
        }
    }

    /// Code that the program does not show is called by an address that came from there. As a function without a body
    /// does for SV-COMP, it may change all that its arguments lead to.
    pub(crate) fn call_outside(&mut self, args: &[Expr]) {
        let points_to = self.world.program.points_to();
        for arg in args {
            let (mut objects, _) = self.own(points_to.changed_outside(self.func, self.block, arg));
            if let Some(Value::Pointer(p)) = self.eval(arg) {
                objects.extend(p.targets.iter().map(|t| t.0));
            }
            self.forget_objects(&objects);
        }
    }

    /// What a function does that has no code here, or is done better without.
    pub(crate) fn native(
        &mut self,
        func: FuncId,
        args: &[Expr],
        ret: TypeId,
        record: &mut dyn Recorder,
    ) -> Called {
        let program = self.world.program;
        if self.world.options.error_functions.contains(&func) {
            record.failure();
            return Called::Ends;
        }
        let function: &Function = &program.funcs[func];
        let row = self.world.objects.rows[func];
        if let Some(primitive) = row.and_then(Row::primitive)
            && (function.body.is_none() || function.origin == Origin::Model)
        {
            return Called::Returns(self.primitive(primitive, args, ret));
        }
        if function.body.is_some() {
            return Called::Code;
        }
        if let Some(row) = row.filter(|row| row.accepts(args.len())) {
            if row.fails() == Some(Failure::Assertion) {
                if self.world.options.assertions {
                    record.failure();
                }
                return Called::Ends;
            }
            if row.ends().is_some() {
                return Called::Ends;
            }
            if let Some(n) = row.asserts() {
                let arg = &args[n];
                if self.world.options.assertions && !self.certain(arg) {
                    record.failure();
                }
                return match self.assume(arg, true) {
                    true => Called::Returns(None),
                    false => Called::Ends,
                };
            }
            if let Some(n) = row.assumes() {
                return match self.assume(&args[n], true) {
                    true => Called::Returns(None),
                    false => Called::Ends,
                };
            }
            if let Some(n) = row.returns_value().filter(|_| row.is_pure()) {
                return Called::Returns(args.get(n).and_then(|a| self.eval(a)));
            }
        }
        if let Some(refusal) = &function.refused {
            record.incomplete(format!(
                "{} is not supported: {}",
                function.name, refusal.reason
            ));
            return Called::Ends;
        }
        if function.noreturn {
            return Called::Ends;
        }
        Called::Returns(self.whole(ret))
    }

    fn primitive(&mut self, primitive: Primitive, args: &[Expr], ret: TypeId) -> Val {
        match primitive {
            Primitive::Allocate | Primitive::AllocateZeroed => {
                let what = What::Heap(self.func, self.block);
                let object = *self.world.objects.ids.get(&what)?;
                let entry = &self.world.objects.all[object];
                self.forget_objects(&[object]);
                if primitive == Primitive::AllocateZeroed && entry.single {
                    for (n, leaf) in entry.leaves.iter().enumerate() {
                        self.state.put(entry.cell(n), leaf.kind.zero());
                    }
                }
                let mut p = Pointer::to(object, Num::constant(0));
                // Too large an object is none.
                p.null = entry.size.is_none() && self.too_large(args);
                Some(Value::Pointer(p))
            }
            Primitive::AllocateOnStack => Some(Value::Pointer(Pointer::SOME)),
            Primitive::Free => {
                self.end(args.first()?);
                None
            }
            Primitive::Resize => {
                self.end(args.first()?);
                None
            }
            Primitive::Fill | Primitive::Copy | Primitive::Move => {
                let size = self.number(args.get(2)?);
                let zero = primitive == Primitive::Fill
                    && self.number(&args[1]).and_then(|b| b.as_constant()) == Some(0);
                let result = self.eval(&args[0]);
                let any = Num::constant(1 << 40);
                let size = size.unwrap_or(any);
                self.overwrite(&args[0], Some(&size), zero);
                result
            }
            Primitive::SaveStack | Primitive::Float(_) => self.whole(ret),
            Primitive::RestoreStack => None,
        }
    }

    fn too_large(&self, args: &[Expr]) -> bool {
        let word = self.world.program.target().word(false);
        let mut all = Num::constant(1);
        for arg in args {
            let Some(num) = self.number(arg) else {
                return true;
            };
            if arith::binary_fits(BinOp::Mul, word, &all, &num) != Some(true) {
                return true;
            }
            match arith::binary(BinOp::Mul, word, &all, &num).num {
                Some(product) => all = product,
                None => return true,
            }
        }
        all.bounds().1 >= 1 << (word.bits - 1)
    }

    /// The object that a pointer leads to ends.
    fn end(&mut self, pointer: &Expr) {
        let p = self.pointer(pointer);
        let (objects, sure) = match p.other {
            true => (self.may_lead_to(pointer).0, false),
            false => {
                let objects: Vec<_> = p.targets.iter().map(|t| t.0).collect();
                let sure = objects.len() == 1 && !p.null && !p.stale;
                (objects, sure)
            }
        };
        for object in objects {
            let entry = &self.world.objects.all[object];
            if matches!(entry.what, What::Heap(..)) {
                let all = sure && entry.single;
                self.outlive(object, all);
            }
        }
    }
}

/// Whether a function that the library has frees something, or gives it another place.
pub(crate) fn ends_objects(row: Option<&Row>) -> bool {
    matches!(
        row.and_then(Row::primitive),
        Some(Primitive::Free | Primitive::Resize)
    )
}
