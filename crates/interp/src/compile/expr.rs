//! Expressions. The last instruction of an expression writes its destination, so the
//! destination may be a variable that the expression reads.

use super::{Compiler, MAX_DEPTH, Refused, Val, scalar};
use crate::code::{FitsOp, I32, Instr, Scalar, Slot, Slow};
use cwolf_cwi::{BinOp, Expr, ExprKind, FloatTy, IntTy, Type, UnOp};

impl Compiler<'_> {
    /// The expression's value, in some slot.
    pub(super) fn operand(&mut self, expr: &Expr) -> Result<Slot, Refused> {
        let val = self.expr(expr, None)?;
        Ok(self.force(val))
    }

    /// Puts a value into a slot unless it is in one.
    pub(super) fn force(&mut self, val: Val) -> Slot {
        match val {
            Val::Slot(slot) => slot,
            Val::Const(_) => {
                let dst = self.take(1);
                self.put(val, dst);
                dst
            }
            Val::Wide(_) => {
                let dst = self.take(2);
                self.put(val, dst);
                dst
            }
        }
    }

    fn put(&mut self, val: Val, dst: Slot) {
        match val {
            Val::Slot(a) if a == dst => {}
            Val::Slot(a) => self.emit(Instr::Mov { dst, a }),
            Val::Const(value) => self.emit(Instr::Const { dst, value }),
            Val::Wide(value) => {
                self.emit(Instr::Const {
                    dst,
                    value: value as u64,
                });
                self.emit(Instr::Const {
                    dst: dst + 1,
                    value: (value >> 64) as u64,
                });
            }
        }
    }

    /// The expression's value, in the slot `dst`.
    pub(super) fn expr_into(&mut self, expr: &Expr, dst: Slot) -> Result<(), Refused> {
        let val = self.expr(expr, Some(dst))?;
        let wide = scalar(self.types, expr.ty).is_some_and(Scalar::is_wide);
        match val {
            Val::Slot(a) if wide && a != dst => self.emit_slow(Slow::MovWide { dst, a }),
            val => self.put(val, dst),
        }
        Ok(())
    }

    /// The expression's value; if it takes an instruction, the result goes to `dst`.
    pub(super) fn expr(&mut self, expr: &Expr, dst: Option<Slot>) -> Result<Val, Refused> {
        if self.depth >= MAX_DEPTH {
            return Err("an expression nested too deeply".into());
        }
        self.depth += 1;
        let val = self.expr_inner(expr, dst);
        self.depth -= 1;
        val
    }

    fn expr_inner(&mut self, expr: &Expr, dst: Option<Slot>) -> Result<Val, Refused> {
        let Some(own) = scalar(self.types, expr.ty) else {
            return Err("an aggregate where a scalar is needed".into());
        };
        match &expr.kind {
            ExprKind::Int(value) if own.is_wide() => Ok(Val::Wide(*value as u128)),
            ExprKind::Int(value) => Ok(Val::Const(*value as u64)),
            ExprKind::Float(bits) if own.is_wide() => Ok(Val::Wide(*bits)),
            ExprKind::Float(bits) => Ok(Val::Const(*bits as u64)),
            ExprKind::Zero if own.is_wide() => Ok(Val::Wide(0)),
            ExprKind::Zero => Ok(Val::Const(0)),
            ExprKind::Choose => {
                let dst = dst.unwrap_or_else(|| self.take(own.slots()));
                let (ty, wide) = (expr.ty, own.is_wide());
                self.emit_slow(Slow::Choose { dst, ty, wide });
                Ok(Val::Slot(dst))
            }
            ExprKind::Reg(reg) => {
                let slot = self.regs.get(reg.0 as usize);
                Ok(Val::Slot(*slot.ok_or("a register that does not exist")?))
            }
            ExprKind::Load { place, .. } => self.load(place, dst),
            ExprKind::AddrOf(place) => {
                let located = self.locate(place)?;
                self.address_value(located.addr)
            }
            ExprKind::FuncAddr(func) => {
                let address = self.cx.functions.get(func.0 as usize);
                Ok(Val::Const(*address.ok_or("no such function")?))
            }
            ExprKind::VarArgs => {
                let dst = dst.unwrap_or_else(|| self.take(1));
                self.emit_slow(Slow::VarArgs { dst });
                Ok(Val::Slot(dst))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, own, dst),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, own, dst),
            ExprKind::Cast(operand) => self.cast(expr, operand, own, dst),
            ExprKind::PtrAdd { ptr, index, scale } => {
                let a = self.operand(ptr)?;
                if let Some(bytes) = index
                    .as_int()
                    .and_then(|n| n.checked_mul(i128::from(*scale)))
                    && let Ok(offset) = i64::try_from(bytes)
                {
                    let dst = dst.unwrap_or_else(|| self.take(1));
                    self.add_offset(dst, a, offset);
                    return Ok(Val::Slot(dst));
                }
                let b = self.operand(index)?;
                let dst = dst.unwrap_or_else(|| self.take(1));
                self.lea(dst, a, b, *scale);
                Ok(Val::Slot(dst))
            }
            ExprKind::Memory(test, _) if test.is_census() => {
                Err("a question about all objects outside of a check".into())
            }
            ExprKind::Memory(test, args) => {
                let (test, args) = (*test, self.memory_args(args)?);
                let dst = dst.unwrap_or_else(|| self.take(1));
                self.emit_slow(Slow::Memory { test, dst, args });
                Ok(Val::Slot(dst))
            }
            ExprKind::Fits(e) => self.fits(e, dst),
            ExprKind::PtrDiff { left, right, scale } => {
                let a = self.operand(left)?;
                let b = self.operand(right)?;
                let dst = dst.unwrap_or_else(|| self.take(1));
                let ty = match own {
                    Scalar::Int(ty) => ty,
                    Scalar::Float(_) => return Err("a distance that is a float".into()),
                };
                self.emit_slow(Slow::PtrDiff {
                    dst,
                    a,
                    b,
                    scale: (*scale).max(1),
                    ty,
                });
                Ok(Val::Slot(dst))
            }
        }
    }

    /// The slots of the arguments of a question about memory.
    pub(super) fn memory_args(&mut self, args: &[Expr]) -> Result<[Slot; 3], Refused> {
        let mut slots = [0; 3];
        for (slot, arg) in slots.iter_mut().zip(args) {
            *slot = self.operand(arg)?;
        }
        Ok(slots)
    }

    fn fits(&mut self, e: &Expr, dst: Option<Slot>) -> Result<Val, Refused> {
        let int = |this: &Self, e: &Expr| match scalar(this.types, e.ty) {
            Some(Scalar::Int(ty)) => Ok(ty),
            _ => Err(Refused::from("`fits` of no integer")),
        };
        let (op, a, b) = match &e.kind {
            ExprKind::Unary(op, a) => (FitsOp::Unary(*op), a, a),
            ExprKind::Binary(op, a, b) => (FitsOp::Binary(*op), a, b),
            _ => return Err("`fits` of no operator".into()),
        };
        let (ty, amount) = (int(self, a)?, int(self, b)?);
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let dst = dst.unwrap_or_else(|| self.take(1));
        self.emit_slow(Slow::Fits {
            op,
            ty,
            amount,
            dst,
            a,
            b,
        });
        Ok(Val::Slot(dst))
    }

    fn unary(
        &mut self,
        op: UnOp,
        operand: &Expr,
        own: Scalar,
        dst: Option<Slot>,
    ) -> Result<Val, Refused> {
        let ty = scalar(self.types, operand.ty).ok_or("an operator on an aggregate")?;
        let a = self.operand(operand)?;
        let dst = dst.unwrap_or_else(|| self.take(own.slots()));
        match (op, ty) {
            (UnOp::Not, Scalar::Int(t)) if t.bits <= 64 => self.emit(Instr::Not { dst, a }),
            (UnOp::Neg, Scalar::Int(ty)) if ty.bits <= 64 => self.emit(Instr::Neg { dst, a, ty }),
            (UnOp::BitNot, Scalar::Int(ty)) if ty.bits <= 64 => {
                self.emit(Instr::BitNot { dst, a, ty });
            }
            (UnOp::BitNot, Scalar::Float(_)) => return Err("~ on a float".into()),
            _ => self.emit_slow(Slow::Unary { op, ty, dst, a }),
        }
        Ok(Val::Slot(dst))
    }

    fn cast(
        &mut self,
        expr: &Expr,
        operand: &Expr,
        to: Scalar,
        dst: Option<Slot>,
    ) -> Result<Val, Refused> {
        let from = scalar(self.types, operand.ty).ok_or("a conversion of an aggregate")?;
        let boolean = matches!(self.types[expr.ty], Type::Bool);
        if let (false, Scalar::Int(f), Scalar::Int(t)) = (boolean, from, to)
            && f.bits <= 64
            && t.bits <= 64
            && keeps_word(f, t)
        {
            return self.expr(operand, dst);
        }
        let val = self.expr(operand, None)?;
        let a = self.force(val);
        let dst = dst.unwrap_or_else(|| self.take(to.slots()));
        let instr = match (boolean, from, to) {
            (true, Scalar::Int(f), _) if f.bits <= 64 => Instr::Truth { dst, a },
            (false, Scalar::Int(f), Scalar::Int(t)) if f.bits <= 64 => match (t.bits, t.signed) {
                (8, true) => Instr::Ext8S { dst, a },
                (8, false) => Instr::Ext8U { dst, a },
                (16, true) => Instr::Ext16S { dst, a },
                (16, false) => Instr::Ext16U { dst, a },
                (32, true) => Instr::Ext32S { dst, a },
                (32, false) => Instr::Ext32U { dst, a },
                _ => return Ok(self.slow_cast(from, to, boolean, dst, a)),
            },
            _ => return Ok(self.slow_cast(from, to, boolean, dst, a)),
        };
        self.emit(instr);
        Ok(Val::Slot(dst))
    }

    fn slow_cast(&mut self, from: Scalar, to: Scalar, boolean: bool, dst: Slot, a: Slot) -> Val {
        self.emit_slow(Slow::Cast {
            from,
            to,
            boolean,
            dst,
            a,
        });
        Val::Slot(dst)
    }

    /// Checks that C says whether two pointers are equal, if somebody wants to know.
    pub(super) fn comparable(&mut self, op: BinOp, left: &Expr, sides: [Val; 2]) {
        let equality = matches!(op, BinOp::Eq | BinOp::Ne) && self.cx.unspecified_stops;
        let null = |val: &Val| *val == Val::Const(0);
        if equality && self.types.pointee(left.ty).is_some() && !sides.iter().any(null) {
            let [a, b] = sides.map(|val| self.force(val));
            self.emit_slow(Slow::Comparable { a, b });
        }
    }

    fn binary(
        &mut self,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        own: Scalar,
        dst: Option<Slot>,
    ) -> Result<Val, Refused> {
        let ty = scalar(self.types, left.ty).ok_or("an operator on an aggregate")?;
        let amount = scalar(self.types, right.ty).ok_or("an operator on an aggregate")?;
        if op.is_logical() {
            let a = self.truth(left, ty)?;
            let b = self.truth(right, amount)?;
            let dst = dst.unwrap_or_else(|| self.take(1));
            self.emit(match op {
                BinOp::And => Instr::LogAnd { dst, a, b },
                _ => Instr::LogOr { dst, a, b },
            });
            return Ok(Val::Slot(dst));
        }
        if let Scalar::Float(_) = ty
            && !(op.is_comparison()
                || matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div))
        {
            return Err(format!("{} on floats", op.symbol()));
        }
        let (mut op, mut x, mut y) = (op, self.expr(left, None)?, self.expr(right, None)?);
        self.comparable(op, left, [x, y]);
        if let (Val::Const(_), Val::Slot(_), Some(swapped)) = (x, y, mirrored(op)) {
            (op, x, y) = (swapped, y, x);
        }
        let a = self.force(x);
        if let (Scalar::Int(t), Scalar::Int(n)) = (ty, amount)
            && n.bits <= 64
        {
            if let Some(c) = small(y)
                && let Some(make) = with_constant(op, t)
            {
                let dst = dst.unwrap_or_else(|| self.take(own.slots()));
                self.emit(make(dst, a, c));
                return Ok(Val::Slot(dst));
            }
            if let Some(make) = with_slots(op, t) {
                let b = self.force(y);
                let dst = dst.unwrap_or_else(|| self.take(own.slots()));
                self.emit(make(dst, a, b));
                return Ok(Val::Slot(dst));
            }
        }
        let b = self.force(y);
        let dst = dst.unwrap_or_else(|| self.take(own.slots()));
        if ty == Scalar::Float(FloatTy::F64) {
            self.emit(Instr::Float64 { op, dst, a, b });
        } else {
            self.emit_slow(Slow::Binary {
                op,
                ty,
                amount,
                dst,
                a,
                b,
            });
        }
        Ok(Val::Slot(dst))
    }

    /// A slot that is zero exactly if the expression is.
    pub(super) fn truth(&mut self, expr: &Expr, ty: Scalar) -> Result<Slot, Refused> {
        let a = self.operand(expr)?;
        match ty {
            Scalar::Int(t) if t.bits <= 64 => Ok(a),
            _ => {
                let dst = self.take(1);
                self.slow_cast(ty, Scalar::Int(I32), true, dst, a);
                Ok(dst)
            }
        }
    }
}

/// Whether every canonical word of `from` is the canonical word of the converted value.
fn keeps_word(from: IntTy, to: IntTy) -> bool {
    to.bits == 64
        || (from.signed == to.signed && from.bits <= to.bits)
        || (!from.signed && from.bits < to.bits)
}

/// A constant that fits an instruction.
pub(super) fn small(val: Val) -> Option<i32> {
    match val {
        Val::Const(word) => i32::try_from(word as i64).ok(),
        _ => None,
    }
}

/// The operator with its operands exchanged.
pub(super) fn mirrored(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Add | BinOp::Mul | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => op,
        BinOp::Eq | BinOp::Ne => op,
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        _ => return None,
    })
}

/// The fast instruction for an operator on a type, if there is one. Comparisons and bitwise
/// operators do not depend on the width of canonical words, only on their sign.
macro_rules! choose_instr {
    ($name:ident, $last:ident: $last_ty:ty, $($i32:ident $u32:ident $i64:ident $u64:ident $op:ident;)* @any $($signed:ident $unsigned:ident $any:ident;)*) => {
        fn $name(op: BinOp, ty: IntTy) -> Option<fn(Slot, Slot, $last_ty) -> Instr> {
            let found: fn(Slot, Slot, $last_ty) -> Instr = match (op, ty.signed, ty.bits) {
                $((BinOp::$op, true, 32) => |dst, a, $last| Instr::$i32 { dst, a, $last },
                (BinOp::$op, false, 32) => |dst, a, $last| Instr::$u32 { dst, a, $last },
                (BinOp::$op, true, 64) => |dst, a, $last| Instr::$i64 { dst, a, $last },
                (BinOp::$op, false, 64) => |dst, a, $last| Instr::$u64 { dst, a, $last },)*
                $((BinOp::$any, true, 1..=64) => |dst, a, $last| Instr::$signed { dst, a, $last },
                (BinOp::$any, false, 1..=64) => |dst, a, $last| Instr::$unsigned { dst, a, $last },)*
                _ => return None,
            };
            Some(found)
        }
    };
}

choose_instr! { with_slots, b: Slot,
    AddI32 AddU32 AddW AddW Add;
    SubI32 SubU32 SubW SubW Sub;
    MulI32 MulU32 MulW MulW Mul;
    DivI32 DivU32 DivI64 DivU64 Div;
    RemI32 RemU32 RemI64 RemU64 Rem;
    ShlI32 ShlU32 ShlW ShlW Shl;
    ShrI32 ShrU32 ShrI64 ShrU64 Shr;
    @any
    AndW AndW BitAnd;
    OrW OrW BitOr;
    XorW XorW BitXor;
    EqW EqW Eq;
    NeW NeW Ne;
    LtS LtU Lt;
    LeS LeU Le;
    GtS GtU Gt;
    GeS GeU Ge;
}

choose_instr! { with_constant, c: i32,
    AddI32C AddU32C AddWC AddWC Add;
    SubI32C SubU32C SubWC SubWC Sub;
    MulI32C MulU32C MulWC MulWC Mul;
    DivI32C DivU32C DivI64C DivU64C Div;
    RemI32C RemU32C RemI64C RemU64C Rem;
    ShlI32C ShlU32C ShlWC ShlWC Shl;
    ShrI32C ShrU32C ShrI64C ShrU64C Shr;
    @any
    AndWC AndWC BitAnd;
    OrWC OrWC BitOr;
    XorWC XorWC BitXor;
    EqWC EqWC Eq;
    NeWC NeWC Ne;
    LtSC LtUC Lt;
    LeSC LeUC Le;
    GtSC GtUC Gt;
    GeSC GeUC Ge;
}
