//! Rules 7 to 13: the code of functions.

use super::tables::{fits_float, is_canonical, is_complete, is_visible};
use super::{Checker, MAX_EXPR_DEPTH};
use crate::code::{
    Base, BinOp, Block, Body, Branch, Callee, Case, Expr, ExprKind, FuncId, MemoryTest, Place,
    RESULT, RegId, Step, StmtKind, UnOp,
};
use crate::types::{FuncTy, IntTy, Type, TypeId, Types};
use crate::typing::{natural, place_type};
use cwolf_base::{Idx, IndexVec};

/// Where an expression stands, which decides what it may be.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// The whole right side of a register's assignment.
    ToReg,
    /// The whole right side of another assignment.
    ToPlace,
    /// Anywhere else.
    Inner,
}

/// What leads to a block.
#[derive(Clone, Copy, PartialEq)]
enum Arrival {
    Nothing,
    /// Calls with this result only.
    Call(TypeId),
    /// Something else too.
    Mixed,
}

struct Code<'c, 'a> {
    checker: &'c mut Checker<'a>,
    func: FuncId,
    regs: &'a IndexVec<RegId, TypeId>,
    blocks: usize,
    arrival: Arrival,
}

impl<'a> Checker<'a> {
    pub(super) fn bodies(&mut self) {
        let program = self.program;
        for (id, func) in program.funcs.enumerate() {
            if let Some(body) = &func.body {
                self.func = Some(id);
                self.body(id, func.ty, body);
                (self.func, self.block, self.stmt, self.loc) = (None, None, None, None);
            }
        }
    }

    fn body(&mut self, func: FuncId, ty: TypeId, body: &'a Body) {
        let types = &self.program.types;
        let Type::Func(ty) = &types[ty] else {
            return;
        };
        self.check(!body.blocks.is_empty(), || {
            "there is no block to enter".into()
        });
        let first = body.regs.get(RESULT) == Some(&Types::VOID);
        self.check(first, || "register 0 is missing or has a type".into());
        for reg in body.regs.iter().skip(1) {
            let scalar = types.contains(*reg) && types.is_scalar(*reg);
            self.check(scalar, || "a register is not scalar".into());
        }
        if !self.found.is_empty() {
            return;
        }
        let mut arrivals = vec![Arrival::Nothing; body.blocks.len()];
        if let Some(entry) = arrivals.first_mut() {
            *entry = Arrival::Mixed;
        }
        for block in body.blocks.iter() {
            let by_call = match block.branch {
                Branch::Call { ret, .. } => Arrival::Call(ret),
                _ => Arrival::Mixed,
            };
            block.branch.for_each_successor(|b| {
                if let Some(slot) = arrivals.get_mut(b.index()) {
                    *slot = match *slot {
                        Arrival::Nothing => by_call,
                        same if same == by_call => same,
                        _ => Arrival::Mixed,
                    };
                }
            });
        }
        for (id, block) in body.blocks.enumerate() {
            self.block = Some(id);
            let mut code = Code {
                func,
                regs: &body.regs,
                blocks: body.blocks.len(),
                arrival: arrivals[id.index()],
                checker: &mut *self,
            };
            code.block(block, ty);
        }
    }
}

impl<'a> Code<'_, 'a> {
    fn check(&mut self, holds: bool, message: impl FnOnce() -> String) -> bool {
        self.checker.check(holds, message)
    }
    fn types(&self) -> &'a Types {
        &self.checker.program.types
    }
    fn same(&mut self, what: &str, found: TypeId, wanted: TypeId) -> bool {
        let types = self.types();
        self.check(found == wanted, || {
            let (found, wanted) = (types.name(found), types.name(wanted));
            format!("{what} has type `{found}`, not `{wanted}`")
        })
    }

    fn block(&mut self, block: &'a Block, func: &FuncTy) {
        for (n, stmt) in block.stmts.iter().enumerate() {
            self.checker.stmt = Some(n);
            self.checker.at(stmt.loc);
            self.stmt(&stmt.kind);
        }
        self.checker.stmt = Some(block.stmts.len());
        self.checker.at(block.loc);
        let blocks = self.blocks;
        block.branch.for_each_successor(|b| {
            self.checker
                .check(b.index() < blocks, || format!("there is no block_{}", b.0));
        });
        self.branch(&block.branch, func);
    }

    fn stmt(&mut self, stmt: &'a StmtKind) {
        match stmt {
            StmtKind::Assign(place, expr) => {
                if self.place(place, 0).is_some() && self.expr(expr, Role::ToPlace, 0) {
                    self.same("the right side", expr.ty, place.ty);
                    let complete = is_complete(self.types(), place.ty);
                    self.check(complete, || "an incomplete object is assigned".into());
                }
            }
            StmtKind::SetReg(reg, expr) => {
                self.check(*reg != RESULT, || "register 0 is assigned".into());
                match self.regs.get(*reg) {
                    None => {
                        self.check(false, || format!("there is no register {}", reg.0));
                    }
                    Some(ty) => {
                        if self.expr(expr, Role::ToReg, 0) {
                            self.same("the right side", expr.ty, *ty);
                        }
                    }
                }
            }
            StmtKind::Live(var) | StmtKind::Dead(var) => {
                let var = self.checker.program.vars.get(*var);
                let own = var.is_some_and(|v| v.kind.is_automatic() && is_visible(v, self.func));
                self.check(own, || {
                    "only lives of own automatic variables begin and end".into()
                });
            }
            StmtKind::Assert { check, cond } => {
                let known = self.checker.program.checks.get(*check).is_some();
                self.check(known, || format!("there is no check number {}", check.0));
                self.condition(cond);
            }
            StmtKind::Assume(cond) => self.condition(cond),
            StmtKind::Havoc { ptr, size } => {
                if self.expr(ptr, Role::Inner, 0) {
                    let pointer = self.types().pointee(ptr.ty).is_some();
                    self.check(pointer, || "`havoc` of no pointer".into());
                }
                if let Some(size) = size
                    && self.expr(size, Role::Inner, 0)
                {
                    self.byte_count(size);
                }
            }
        }
    }

    fn branch(&mut self, branch: &'a Branch, func: &FuncTy) {
        match branch {
            Branch::Goto(_) | Branch::Unreachable(_) => {}
            Branch::If { cond, .. } => self.condition(cond),
            Branch::Switch { on, cases, .. } => {
                if self.expr(on, Role::Inner, 0) {
                    match self.types().as_int(on.ty) {
                        Some(ty) => self.cases(ty, on.ty, cases),
                        None => {
                            self.check(false, || "a switch is not on an integer".into());
                        }
                    }
                }
            }
            Branch::Call {
                callee, args, ret, ..
            } => self.call(callee, args, *ret),
            Branch::Return(None) => {
                let void = func.ret == Types::VOID;
                self.check(void, || "a value should be returned".into());
            }
            Branch::Return(Some(value)) => {
                if self.expr(value, Role::Inner, 0) {
                    self.same("the returned value", value.ty, func.ret);
                }
            }
            Branch::Halt(status) => {
                if self.expr(status, Role::Inner, 0) {
                    let int = self.types().as_int(status.ty).is_some();
                    self.check(int, || "the exit status is not an integer".into());
                }
            }
        }
    }

    fn condition(&mut self, cond: &'a Expr) {
        if self.expr(cond, Role::Inner, 0) {
            let scalar = self.types().is_scalar(cond.ty);
            self.check(scalar, || "a condition is not scalar".into());
        }
    }

    fn byte_count(&mut self, count: &Expr) -> bool {
        let word = self.types().target().word(false);
        let good = self.types().as_int(count.ty) == Some(word);
        self.check(good, || "a count of bytes is not an unsigned word".into())
    }

    /// The arguments of a question about memory.
    fn memory(&mut self, test: MemoryTest, args: &'a [Expr], depth: u32) -> bool {
        let pointers = test.pointers();
        let count = args.len() == pointers + usize::from(test.counts());
        self.check(count, || format!("`{}` has other arguments", test.name()))
            && args.iter().all(|e| self.expr(e, Role::Inner, depth))
            && args[..pointers].iter().all(|e| {
                let pointer = self.types().pointee(e.ty).is_some();
                self.check(pointer, || format!("`{}` of no pointer", test.name()))
            })
            && args[pointers..].iter().all(|e| self.byte_count(e))
    }

    fn cases(&mut self, int: IntTy, ty: TypeId, cases: &[Case]) {
        // Unsigned values of 128 bits may look negative.
        let less = |a: i128, b: i128| {
            if int.signed {
                a < b
            } else {
                (a as u128) < (b as u128)
            }
        };
        let types = self.types();
        let canonical = |v| is_canonical(types, ty, v);
        let good = cases.iter().all(|c| canonical(c.lo) && canonical(c.hi))
            && cases.iter().all(|c| !less(c.hi, c.lo))
            && cases.windows(2).all(|w| less(w[0].hi, w[1].lo));
        self.check(good, || {
            "cases are not canonical, disjoint and rising".into()
        });
    }

    fn call(&mut self, callee: &'a Callee, args: &'a [Expr], ret: TypeId) {
        let types = self.types();
        let ty = match callee {
            Callee::Direct(f) => self.checker.program.funcs.get(*f).map(|f| f.ty),
            Callee::Indirect(e) => {
                if !self.expr(e, Role::Inner, 0) {
                    return;
                }
                types.pointee(e.ty)
            }
        };
        let Some(Type::Func(ty)) = ty.map(|ty| &types[ty]) else {
            self.check(false, || "what is called is not a function".into());
            return;
        };
        if self.check(types.contains(ret), || "there is no such type".into()) {
            self.same("the result", ret, ty.ret);
        }
        let count = args.len() == ty.params.len() || args.len() > ty.params.len() && ty.variadic;
        self.check(count, || {
            let (given, wanted) = (args.len(), ty.params.len());
            format!("{given} arguments are given where {wanted} are taken")
        });
        for (n, arg) in args.iter().enumerate() {
            if !self.expr(arg, Role::Inner, 0) {
                continue;
            }
            match ty.params.get(n) {
                Some(param) => {
                    self.same("an argument", arg.ty, *param);
                }
                None => {
                    let complete = is_complete(types, arg.ty);
                    self.check(complete, || "an argument is not an object".into());
                }
            }
        }
    }

    /// Checks a place; its type, and whether it is a bit-field.
    fn place(&mut self, place: &'a Place, depth: u32) -> Option<(TypeId, bool)> {
        let program = self.checker.program;
        if !self.check(program.types.contains(place.ty), || {
            format!("there is no type number {}", place.ty.0)
        }) {
            return None;
        }
        match &place.base {
            Base::Var(var) => {
                let visible = program.vars.get(*var).map(|v| is_visible(v, self.func));
                if !self.check(visible == Some(true), || {
                    format!("variable number {} is not seen here", var.0)
                }) {
                    return None;
                }
            }
            Base::Deref(ptr) => {
                if !self.expr(ptr, Role::Inner, depth + 1) {
                    return None;
                }
            }
        }
        for step in &place.path {
            if let Step::Index(index) = step
                && !self.index(index, depth)
            {
                return None;
            }
        }
        match place_type(program, &place.base, &place.path) {
            Ok((ty, bit_field)) => self
                .same("a place", place.ty, ty)
                .then_some((ty, bit_field)),
            Err(message) => {
                self.check(false, || message);
                None
            }
        }
    }

    fn index(&mut self, index: &'a Expr, depth: u32) -> bool {
        let word = self.types().target().word(true);
        self.expr(index, Role::Inner, depth + 1) && {
            let good = self.types().as_int(index.ty) == Some(word);
            self.check(good, || "an index is not a signed word".into())
        }
    }

    /// Checks an expression and everything in it; whether its type can be relied on.
    fn expr(&mut self, expr: &'a Expr, role: Role, depth: u32) -> bool {
        let types = self.types();
        if !self.check(depth < MAX_EXPR_DEPTH, || {
            "an expression is nested too deeply".into()
        }) {
            return false;
        }
        if !self.check(types.contains(expr.ty), || {
            format!("there is no type number {}", expr.ty.0)
        }) {
            return false;
        }
        self.operands(expr, role, depth + 1) && self.result(expr)
    }

    fn operands(&mut self, expr: &'a Expr, role: Role, depth: u32) -> bool {
        let types = self.types();
        match &expr.kind {
            ExprKind::Int(v) => self.check(is_canonical(types, expr.ty, *v), || {
                format!("{v} is not a constant of type `{}`", types.name(expr.ty))
            }),
            ExprKind::Float(bits) => self.check(fits_float(types, expr.ty, *bits), || {
                format!("{bits:#x} encodes no `{}`", types.name(expr.ty))
            }),
            ExprKind::Zero => self.check(types.is_aggregate(expr.ty), || {
                "`zero` is not an aggregate".into()
            }),
            ExprKind::Choose => self.check(role != Role::Inner, || {
                "`unknown` is not a whole right side".into()
            }),
            ExprKind::Reg(RESULT) => {
                let arrival = self.arrival;
                let good = match arrival {
                    Arrival::Nothing => true,
                    Arrival::Call(ty) => ty == expr.ty,
                    Arrival::Mixed => false,
                };
                self.check(good && expr.ty != Types::VOID, || {
                    "register 0 is read but not only calls with that result lead here".into()
                })
            }
            ExprKind::Reg(reg) => self.check(self.regs.get(*reg).is_some(), || {
                format!("there is no register {}", reg.0)
            }),
            ExprKind::Load { place, volatile } => {
                self.check(!volatile || role == Role::ToReg, || {
                    "a volatile load is not the whole right side of a register".into()
                }) && self.place(place, depth).is_some()
                    && self.check(is_complete(types, place.ty), || {
                        "an incomplete object is read".into()
                    })
            }
            ExprKind::AddrOf(place) => match self.place(place, depth) {
                None => false,
                Some((_, bit_field)) => {
                    self.check(!bit_field, || "the address of a bit-field is taken".into())
                }
            },
            ExprKind::FuncAddr(f) => {
                let known = self.checker.program.funcs.get(*f).is_some();
                self.check(known, || format!("there is no function number {}", f.0))
            }
            ExprKind::VarArgs => true,
            ExprKind::Unary(op, e) => {
                self.expr(e, Role::Inner, depth) && {
                    let good = match (op, &types[e.ty]) {
                        (UnOp::Not, _) => types.is_scalar(e.ty),
                        (UnOp::Neg, Type::Float(_)) => true,
                        (_, ty) => matches!(ty, Type::Int(_) | Type::Bool),
                    };
                    self.check(good, || {
                        format!("no `{}` on `{}`", op.symbol(), types.name(e.ty))
                    })
                }
            }
            ExprKind::Binary(op, left, right) => {
                self.expr(left, Role::Inner, depth)
                    && self.expr(right, Role::Inner, depth)
                    && self.binary(*op, left.ty, right.ty)
            }
            ExprKind::Cast(e) => {
                self.expr(e, Role::Inner, depth) && {
                    let scalar = types.is_scalar(e.ty) && types.is_scalar(expr.ty);
                    let mixed = |a: TypeId, b: TypeId| {
                        matches!((&types[a], &types[b]), (Type::Float(_), Type::Pointer(_)))
                    };
                    let good = scalar && !mixed(e.ty, expr.ty) && !mixed(expr.ty, e.ty);
                    self.check(good, || {
                        let (from, to) = (types.name(e.ty), types.name(expr.ty));
                        format!("no conversion from `{from}` to `{to}`")
                    })
                }
            }
            ExprKind::Memory(test, args) => self.memory(*test, args, depth),
            ExprKind::Fits(e) => {
                self.expr(e, Role::Inner, depth) && {
                    let good = matches!(e.kind, ExprKind::Unary(..) | ExprKind::Binary(..))
                        && matches!(types[e.ty], Type::Int(_));
                    self.check(good, || "`fits` of no operator on integers".into())
                }
            }
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.expr(ptr, Role::Inner, depth) && self.index(index, depth - 1) && {
                    let pointer = types.pointee(ptr.ty).is_some();
                    self.check(pointer, || "`PtrAdd` on no pointer".into())
                }
            }
            ExprKind::PtrDiff { left, right, scale } => {
                self.expr(left, Role::Inner, depth) && self.expr(right, Role::Inner, depth) && {
                    let good = left.ty == right.ty && types.pointee(left.ty).is_some();
                    self.check(good, || "`PtrDiff` of different or no pointers".into())
                        && self.check(*scale != 0, || "the scale of `PtrDiff` is 0".into())
                }
            }
        }
    }

    fn binary(&mut self, op: BinOp, left: TypeId, right: TypeId) -> bool {
        let types = self.types();
        let int = |ty: TypeId| matches!(types[ty], Type::Int(_) | Type::Bool);
        let good = if op.is_shift() {
            int(left) && int(right)
        } else if left != right {
            false
        } else if op.is_test() {
            types.is_scalar(left)
        } else {
            use BinOp::{Add, Div, Mul, Sub};
            int(left)
                || matches!(types[left], Type::Float(_)) && matches!(op, Add | Sub | Mul | Div)
        };
        self.check(good, || {
            let (a, b) = (types.name(left), types.name(right));
            format!("no `{}` on `{a}` and `{b}`", op.symbol())
        })
    }

    /// Checks that the type of `expr`, whose operands are sound, is the one that follows.
    fn result(&mut self, expr: &Expr) -> bool {
        let program = self.checker.program;
        let types = &program.types;
        match &expr.kind {
            // Checked with the constant.
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::FuncAddr(_) => {
                let to = types.pointee(expr.ty).map(|ty| &types[ty]);
                self.check(matches!(to, Some(Type::Func(_))), || {
                    "the address of a function is not a pointer to one".into()
                })
            }
            ExprKind::VarArgs => self.check(types.pointee(expr.ty).is_some(), || {
                "`VarArgs` is not a pointer".into()
            }),
            kind => match natural(program, self.regs, kind) {
                None => self.check(expr.ty != Types::VOID, || {
                    "an expression has no value".into()
                }),
                Some(ty) => match ty.lookup(types) {
                    Some(ty) => self.same("an expression", expr.ty, ty),
                    None => self.check(false, || {
                        format!("an expression has the wrong type `{}`", types.name(expr.ty))
                    }),
                },
            },
        }
    }
}
