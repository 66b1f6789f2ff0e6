//! Random code, well typed by construction.

use super::Generator;
use crate::code::{
    BinOp, Block, BlockId, Body, Branch, Callee, Case, Expr, ExprKind, FuncId, MemoryTest, Place,
    RESULT, RegId, Step, Stmt, StmtKind, UnOp, Unreachable, VarId,
};
use crate::program::{Check, CheckKind};
use crate::types::{FuncTy, Type, TypeId, Types};
use crate::value;
use cwolf_base::IndexVec;

/// What the code of one function may use.
struct Scope {
    vars: Vec<VarId>,
    regs: IndexVec<RegId, TypeId>,
    blocks: usize,
    /// The type of register 0 in the current block.
    result: Option<TypeId>,
}

impl Generator {
    pub(super) fn code(&mut self) {
        for func in self.funcs.clone() {
            if self.program.funcs[func].body.is_some() {
                let body = self.body(func);
                self.program.funcs[func].body = Some(body);
            }
        }
    }

    fn word(&mut self) -> TypeId {
        let word = self.program.target().word(true);
        self.program.types.intern(Type::Int(word))
    }

    fn scalar_type(&mut self) -> TypeId {
        let scalar = |t: &TypeId| self.program.types.is_scalar(*t);
        let scalars: Vec<_> = self.types.iter().copied().filter(scalar).collect();
        self.rng.pick(&scalars).expect("`int` is always there")
    }

    fn body(&mut self, func: FuncId) -> Body {
        let header = &self.program.funcs[func];
        let Type::Func(ty) = self.program.types[header.ty].clone() else {
            unreachable!("a function type");
        };
        let mut vars = self.globals.clone();
        vars.retain(|v| self.program.vars[*v].definition != crate::Definition::Declared);
        vars.extend(header.params.iter().chain(&header.locals));
        let mut regs = IndexVec::from(vec![Types::VOID]);
        for _ in 0..self.rng.below(5) {
            regs.push(self.scalar_type());
        }
        let blocks = 1 + self.rng.below(self.size + 1);
        let mut scope = Scope {
            vars,
            regs,
            blocks,
            result: None,
        };
        // Blocks after the first half are reached by calls only, if at all.
        let first_return = 1 + blocks / 2;
        let mut results: Vec<Option<TypeId>> = vec![None; blocks];
        let mut done: IndexVec<BlockId, Block> = IndexVec::new();
        for n in 0..blocks {
            scope.result = results[n];
            let stmts = (0..self.rng.below(4))
                .map(|_| self.stmt(func, &scope))
                .collect();
            let loc = self.loc();
            let branch = self.branch(&ty, &scope, n, first_return, &mut results);
            done.push(Block { stmts, loc, branch });
        }
        Body {
            regs: scope.regs,
            blocks: done,
        }
    }

    fn stmt(&mut self, func: FuncId, scope: &Scope) -> Stmt {
        let loc = self.loc();
        let header = &self.program.funcs[func];
        let locals: Vec<_> = header.locals.clone();
        let kind = match self.rng.below(5) {
            0 if !locals.is_empty() => {
                let local = locals[self.rng.below(locals.len())];
                match self.rng.one_in(2) {
                    true => StmtKind::Live(local),
                    false => StmtKind::Dead(local),
                }
            }
            0 => self.word_of_verification(scope),
            1 | 2 if scope.regs.len() > 1 => {
                let reg = RegId(1 + self.rng.below(scope.regs.len() - 1) as u32);
                let mut right = self.rhs(scope.regs[reg], scope);
                if let ExprKind::Load { volatile, .. } = &mut right.kind {
                    *volatile = self.rng.one_in(2);
                }
                StmtKind::SetReg(reg, right)
            }
            _ => {
                let place = self.place(scope, 2);
                let right = self.rhs(place.ty, scope);
                StmtKind::Assign(place, right)
            }
        };
        Stmt { loc, kind }
    }

    fn word_of_verification(&mut self, scope: &Scope) -> StmtKind {
        match self.rng.below(3) {
            0 => {
                let kind = CheckKind::ALL[self.rng.below(CheckKind::ALL.len())];
                let (loc, text) = (self.loc(), self.text());
                let check = self.program.checks.push(Check { kind, loc, text });
                let cond = self.expr(Types::INT, scope, 3);
                StmtKind::Assert { check, cond }
            }
            1 => {
                let ty = self.scalar_type();
                StmtKind::Assume(self.expr(ty, scope, 3))
            }
            _ => StmtKind::Havoc {
                ptr: self.pointer(scope),
                size: match self.rng.one_in(2) {
                    true => Some(self.byte_count(scope)),
                    false => None,
                },
            },
        }
    }

    fn pointer(&mut self, scope: &Scope) -> Expr {
        let ty = self.any_complete();
        let ty = self.program.types.pointer(ty);
        self.expr(ty, scope, 1)
    }

    fn byte_count(&mut self, scope: &Scope) -> Expr {
        let word = self.program.target().word(false);
        let word = self.program.types.intern(Type::Int(word));
        self.expr(word, scope, 1)
    }

    fn rhs(&mut self, ty: TypeId, scope: &Scope) -> Expr {
        if scope.result == Some(ty) && self.rng.one_in(2) {
            return Expr::reg(ty, RESULT);
        }
        if self.rng.one_in(8) {
            return Expr {
                ty,
                kind: ExprKind::Choose,
            };
        }
        self.expr(ty, scope, 3)
    }

    fn branch(
        &mut self,
        func: &FuncTy,
        scope: &Scope,
        own: usize,
        first_return: usize,
        results: &mut [Option<TypeId>],
    ) -> Branch {
        let target =
            |g: &mut Generator| BlockId(g.rng.below(first_return.min(scope.blocks)) as u32);
        match self.rng.below(10) {
            0 => Branch::Goto(target(self)),
            1 | 2 => {
                let ty = self.scalar_type();
                let cond = self.expr(ty, scope, 3);
                Branch::If {
                    cond,
                    then: target(self),
                    els: target(self),
                }
            }
            3 => {
                let ty = self.types[[0, 2, 3, 9][self.rng.below(4)]];
                let on = self.expr(ty, scope, 2);
                let int = self.program.types.as_int(ty).expect("an integer");
                let mut values: Vec<i128> = (0..self.rng.below(6)).map(|_| self.int(ty)).collect();
                values.sort_by_key(|v| {
                    if int.signed {
                        *v as u128 ^ 1 << 127
                    } else {
                        *v as u128
                    }
                });
                values.dedup();
                let cases = values.chunks(2).map(|c| Case {
                    lo: c[0],
                    hi: c[c.len() - 1],
                    target: target(self),
                });
                let cases = cases.collect();
                Branch::Switch {
                    on,
                    cases,
                    default: target(self),
                }
            }
            4 | 5 => self.call(scope, own, first_return, results),
            6 => Branch::Halt(Expr::int(Types::INT, self.rng.below(3) as i128)),
            7 => {
                use Unreachable::{BadGoto, Promised, Returned, Trap};
                Branch::Unreachable([Promised, Trap, BadGoto, Returned][self.rng.below(4)])
            }
            _ if func.ret == Types::VOID => Branch::Return(None),
            _ => Branch::Return(Some(self.expr(func.ret, scope, 3))),
        }
    }

    fn call(
        &mut self,
        scope: &Scope,
        own: usize,
        first_return: usize,
        results: &mut [Option<TypeId>],
    ) -> Branch {
        let direct = self.funcs[self.rng.below(self.funcs.len())];
        let (callee, ty) = match self.rng.pick(&self.func_types) {
            Some(ty) if self.rng.one_in(3) => {
                let pointer = self.program.types.pointer(ty);
                (Callee::Indirect(self.expr(pointer, scope, 2)), ty)
            }
            _ => (Callee::Direct(direct), self.program.funcs[direct].ty),
        };
        let Type::Func(ty) = self.program.types[ty].clone() else {
            unreachable!("a function type");
        };
        let mut args: Vec<_> = ty.params.iter().map(|p| self.expr(*p, scope, 2)).collect();
        if ty.variadic {
            for _ in 0..self.rng.below(3) {
                let ty = self.scalar_type();
                args.push(self.expr(ty, scope, 2));
            }
        }
        // A later block whose only callers so far return the same.
        let later: Vec<usize> = (first_return.max(own + 1)..scope.blocks)
            .filter(|n| results[*n].is_none_or(|r| r == ty.ret))
            .collect();
        let next = self.rng.pick(&later);
        if let Some(next) = next {
            results[next] = Some(ty.ret);
        }
        Branch::Call {
            callee,
            args,
            ret: ty.ret,
            next: next.map(|n| BlockId(n as u32)),
        }
    }

    fn place(&mut self, scope: &Scope, depth: u32) -> Place {
        let var = self.rng.pick(&scope.vars);
        let mut place = match var {
            Some(var) if depth == 0 || !self.rng.one_in(3) => {
                Place::var(self.program.vars[var].ty, var)
            }
            _ => {
                let ty = self.any_complete();
                let pointer = self.program.types.pointer(ty);
                Place::deref(ty, self.expr(pointer, scope, depth.saturating_sub(1)))
            }
        };
        while !self.rng.one_in(4) {
            let step = match self.program.types[place.ty].clone() {
                Type::Record(record) => {
                    let fields = &self.program.types.records[record].fields;
                    if fields.is_empty() {
                        break;
                    }
                    let n = self.rng.below(fields.len());
                    place.ty = fields[n].ty;
                    Step::Field(n as u32)
                }
                Type::Array { elem, .. } => {
                    let word = self.word();
                    place.ty = elem;
                    // No operands below depth 0, or this would not end.
                    Step::Index(match depth {
                        0 => Expr::int(word, self.rng.below(4) as i128),
                        _ => self.expr(word, scope, depth - 1),
                    })
                }
                _ => break,
            };
            place.path.push(step);
        }
        place
    }

    fn any_complete(&mut self) -> TypeId {
        self.types[self.rng.below(self.types.len())]
    }

    fn is_bit_field(&self, place: &Place) -> bool {
        crate::typing::place_type(&self.program, &place.base, &place.path).is_ok_and(|p| p.1)
    }

    /// An expression of type `ty`.
    fn expr(&mut self, ty: TypeId, scope: &Scope, depth: u32) -> Expr {
        let leaf = self.leaf(ty, scope);
        if depth == 0 || self.rng.one_in(5) {
            return leaf;
        }
        let d = depth - 1;
        let kind = self.program.types[ty].clone();
        match (self.rng.below(6), kind) {
            (0, Type::Int(_)) => {
                let op = [
                    BinOp::Add,
                    BinOp::Sub,
                    BinOp::Mul,
                    BinOp::Div,
                    BinOp::Rem,
                    BinOp::BitAnd,
                    BinOp::BitOr,
                    BinOp::BitXor,
                ][self.rng.below(8)];
                Expr::binary(op, leaf, self.expr(ty, scope, d))
            }
            (1, Type::Int(_)) if ty == Types::INT && self.rng.one_in(3) => {
                if self.rng.one_in(3) {
                    let ty = self.types[[0, 2, 3, 9][self.rng.below(4)]];
                    let (a, b) = (self.leaf(ty, scope), self.expr(ty, scope, d));
                    return Expr::fits(Expr::binary(BinOp::Mul, a, b));
                }
                let test = MemoryTest::ALL[self.rng.below(MemoryTest::ALL.len())];
                let mut args: Vec<_> = (0..test.pointers()).map(|_| self.pointer(scope)).collect();
                if test.counts() {
                    args.push(self.byte_count(scope));
                }
                Expr::memory(test, args)
            }
            (1, Type::Int(_)) if ty == Types::INT => {
                let operand = self.scalar_type();
                let op = [
                    BinOp::Eq,
                    BinOp::Ne,
                    BinOp::Lt,
                    BinOp::Le,
                    BinOp::Gt,
                    BinOp::Ge,
                    BinOp::And,
                    BinOp::Or,
                ][self.rng.below(8)];
                let left = self.expr(operand, scope, d);
                Expr::binary(op, left, self.expr(operand, scope, d))
            }
            (1, Type::Int(int)) if int == self.program.target().word(true) => {
                let pointee = self.any_complete();
                let ptr = self.program.types.pointer(pointee);
                let left = Box::new(self.expr(ptr, scope, d));
                let right = Box::new(self.expr(ptr, scope, d));
                let scale = self.scale(pointee).max(1);
                Expr {
                    ty,
                    kind: ExprKind::PtrDiff { left, right, scale },
                }
            }
            (1, Type::Int(_)) => {
                let amount = self.types[self.rng.below(4)];
                let op = if self.rng.one_in(2) {
                    BinOp::Shl
                } else {
                    BinOp::Shr
                };
                let amount = self.expr(amount, scope, d);
                Expr::binary(op, self.expr(ty, scope, d), amount)
            }
            (2, Type::Int(_)) => {
                let op = if self.rng.one_in(2) {
                    UnOp::Neg
                } else {
                    UnOp::BitNot
                };
                Expr::unary(op, self.expr(ty, scope, d))
            }
            (2, _) if ty == Types::INT => {
                let operand = self.scalar_type();
                Expr::unary(UnOp::Not, self.expr(operand, scope, d))
            }
            (0, Type::Float(_)) => {
                let op = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div][self.rng.below(4)];
                Expr::binary(op, self.expr(ty, scope, d), leaf)
            }
            (1, Type::Float(_)) => Expr::unary(UnOp::Neg, self.expr(ty, scope, d)),
            (0 | 1, Type::Pointer(to)) => {
                let word = self.word();
                let ptr = Box::new(self.expr(ty, scope, d));
                let index = Box::new(self.expr(word, scope, d));
                let scale = self.scale(to);
                Expr {
                    ty,
                    kind: ExprKind::PtrAdd { ptr, index, scale },
                }
            }
            (3 | 4, ref to) if self.program.types.is_scalar(ty) => {
                let from = self.scalar_type();
                let (from_float, from_pointer) = match self.program.types[from] {
                    Type::Float(_) => (true, false),
                    Type::Pointer(_) => (false, true),
                    _ => (false, false),
                };
                let bad = from_float && matches!(to, Type::Pointer(_))
                    || from_pointer && matches!(to, Type::Float(_));
                if bad {
                    return leaf;
                }
                let operand = Box::new(self.expr(from, scope, d));
                Expr {
                    ty,
                    kind: ExprKind::Cast(operand),
                }
            }
            (5, _) => {
                let ptr = self.program.types.pointer(ty);
                Expr::load(Place::deref(ty, self.expr(ptr, scope, d)))
            }
            _ => leaf,
        }
    }

    fn scale(&mut self, to: TypeId) -> u64 {
        if self.rng.one_in(3) {
            self.rng.below(9) as u64
        } else {
            self.program.types.size_of(to)
        }
    }

    /// An expression of type `ty` without operands.
    fn leaf(&mut self, ty: TypeId, scope: &Scope) -> Expr {
        for _ in 0..6 {
            match self.rng.below(4) {
                0 | 1 if !scope.vars.is_empty() => {
                    let place = self.place(scope, 0);
                    if place.ty == ty {
                        return Expr::load(place);
                    }
                    let address = self.program.types.lookup(&Type::Pointer(place.ty));
                    if address == Some(ty) && !self.is_bit_field(&place) {
                        return Expr {
                            ty,
                            kind: ExprKind::AddrOf(place),
                        };
                    }
                }
                2 => {
                    let same = |(_, t): &(RegId, &TypeId)| **t == ty;
                    let regs: Vec<_> = scope
                        .regs
                        .enumerate()
                        .skip(1)
                        .filter(same)
                        .map(|r| r.0)
                        .collect();
                    if let Some(reg) = self.rng.pick(&regs) {
                        return Expr::reg(ty, reg);
                    }
                    if scope.result == Some(ty) {
                        return Expr::reg(ty, RESULT);
                    }
                }
                _ => {
                    let to = self.program.types.pointee(ty);
                    if let Some(Type::Func(_)) = to.map(|to| &self.program.types[to]) {
                        let func = self.funcs[self.rng.below(self.funcs.len())];
                        return Expr {
                            ty,
                            kind: ExprKind::FuncAddr(func),
                        };
                    }
                    if to.is_some() && self.rng.one_in(4) {
                        return Expr {
                            ty,
                            kind: ExprKind::VarArgs,
                        };
                    }
                }
            }
        }
        let kind = match self.program.types[ty] {
            Type::Float(f) => ExprKind::Float(self.float(f)),
            Type::Array { .. } | Type::Record(_) => ExprKind::Zero,
            _ => ExprKind::Int(self.int(ty)),
        };
        debug_assert!(
            value::int_type(&self.program.types, ty).is_some() || !matches!(kind, ExprKind::Int(_))
        );
        Expr { ty, kind }
    }
}
