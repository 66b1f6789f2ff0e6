//! Arithmetic that reports overflow: computed exactly in a type wide enough, then compared.

use super::super::Cx;
use super::super::ctype::{CKind, CTy, CTypes, IntKind, QType};
use super::super::fold::Operand;
use crate::ast;
use crate::hir::{self, Expr};
use cwolf_base::Span;
use cwolf_cwi::{BinOp, UnOp, value};

fn operator(name: &str) -> Option<(BinOp, &str)> {
    let ops = [
        ("add", BinOp::Add),
        ("sub", BinOp::Sub),
        ("mul", BinOp::Mul),
    ];
    ops.into_iter()
        .find_map(|(word, op)| Some((op, name.strip_prefix(word)?)))
}

impl Cx<'_> {
    /// `add_overflow`, `umulll_overflow`, `sub_overflow_p`, ….
    pub(super) fn overflow_builtin(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let stem = name.strip_suffix("_overflow");
        let (typed, op, predicate) = match (stem, name.strip_suffix("_overflow_p")) {
            (Some(stem), _) => match operator(stem) {
                Some((op, "")) => (None, op, false),
                Some(_) => return None,
                None => {
                    let signed = match stem.as_bytes().first()? {
                        b's' => true,
                        b'u' => false,
                        _ => return None,
                    };
                    let (op, longs) = operator(&stem[1..])?;
                    let kind = match longs {
                        "" => IntKind::Int,
                        "l" => IntKind::Long,
                        "ll" => IntKind::LongLong,
                        _ => return None,
                    };
                    (Some(CTypes::int_id(kind.with_sign(signed))), op, false)
                }
            },
            (None, Some(stem)) => match operator(stem)? {
                (op, "") => (None, op, true),
                _ => return None,
            },
            _ => return None,
        };
        let [a, b, result] = args else {
            return Some(self.too_few(name, span));
        };
        let (a, b) = (self.expr(a), self.expr(b));
        let result = self.expr(result);
        Some(self.overflow(op, typed, [a, b, result], predicate, span))
    }
    fn overflow(
        &mut self,
        op: BinOp,
        typed: Option<CTy>,
        operands: [Operand; 3],
        predicate: bool,
        span: Span,
    ) -> Operand {
        let [a, b, result] = operands.map(|o| self.rvalue(o));
        if a.is_error() || b.is_error() || result.is_error() {
            return Operand::error(span);
        }
        let (mut a, mut b) = (a, b);
        if let Some(ty) = typed {
            a = self.convert(a, QType::plain(ty));
            b = self.convert(b, QType::plain(ty));
        }
        let target = if predicate {
            Some(result.ty)
        } else {
            self.types.pointee(result.ty.ty)
        };
        let (Some(x), Some(y), Some(target)) = (self.operand_int(&a), self.operand_int(&b), target)
        else {
            self.error(
                span,
                "this built-in needs integers, and a pointer to one for the result",
            );
            return Operand::error(span);
        };
        let Some(z) = self.types.int_ty(target.ty) else {
            self.error(span, "the result must be stored in an integer");
            return Operand::error(span);
        };
        let widest = x.bits.max(y.bits).max(z.bits);
        if widest > 64 {
            return self.wide_overflow(op, [a, b, result], target, predicate, span);
        }
        // A difference may be negative; a product of unsigned numbers needs the last bit.
        let signed = !(op == BinOp::Mul && !x.signed && !y.signed);
        let wide = match (widest <= 32, signed) {
            (true, true) => IntKind::LongLong,
            (true, false) => IntKind::ULongLong,
            (false, true) => IntKind::Int128,
            (false, false) => IntKind::UInt128,
        };
        let wide = QType::plain(CTypes::int_id(wide));
        let (a, b) = (self.convert(a, wide), self.convert(b, wide));
        let exact = Operand::value(self.binary(op, a.e, b.e), wide);
        let mut body = Vec::new();
        let exact = if self.func.is_some() {
            self.once(exact, &mut body, span)
        } else {
            exact
        };
        let narrow = self.convert(exact.clone(), target.unqualified());
        if !predicate {
            let pointer = self.once(result, &mut body, span);
            let place = self.deref_op(pointer, span);
            let store = self.plain_assign(place, narrow.clone(), span);
            self.effect(store.e, &mut body);
        }
        let back = self.convert(narrow, wide);
        let test = self.binary(BinOp::Ne, back.e, exact.e);
        let bool_ty = QType::plain(CTypes::BOOL);
        let value = self.convert(Operand::value(test, QType::plain(CTypes::INT)), bool_ty);
        self.sequence(body, value, span)
    }
    /// The same where no type is wide enough: sign and size of each operand, then those of the result.
    fn wide_overflow(
        &mut self,
        op: BinOp,
        [a, b, result]: [Operand; 3],
        target: QType,
        predicate: bool,
        span: Span,
    ) -> Operand {
        if self.func.is_none() {
            self.error(span, "this is not a constant");
            return Operand::error(span);
        }
        let mut body = Vec::new();
        let (minus_a, a) = self.sign_and_size(a, &mut body, span);
        let (minus_b, b) = self.sign_and_size(b, &mut body, span);
        let wide = a.ty;
        let keep = |cx: &mut Self, e: Expr, body: &mut Vec<hir::Stmt>| {
            cx.once(Operand::value(e, QType::plain(CTypes::ERROR)), body, span)
                .e
        };
        let zero = self.zero(wide, span);
        let minus_b = match op {
            BinOp::Sub => self.unary(UnOp::Not, minus_b),
            _ => minus_b,
        };
        let differ = self.binary(BinOp::Ne, minus_a.clone(), minus_b.clone());
        let differ = keep(self, differ, &mut body);
        let (minus, size, lost) = match op {
            BinOp::Mul => {
                let size = self.binary(BinOp::Mul, a.clone(), b.clone());
                let size = keep(self, size, &mut body);
                // Divided by the first factor, which is not zero, it must be the second again.
                let some = self.binary(BinOp::Ne, a.clone(), zero.clone());
                let back = self.binary(BinOp::Div, size.clone(), a);
                let other = self.binary(BinOp::Ne, back, b);
                let lost = self.logical(true, some, other);
                (differ, size, lost)
            }
            _ => {
                let less = self.binary(BinOp::Lt, a.clone(), b.clone());
                let sum = self.binary(BinOp::Add, a.clone(), b.clone());
                let (down, up) = (
                    self.binary(BinOp::Sub, a.clone(), b.clone()),
                    self.binary(BinOp::Sub, b, a.clone()),
                );
                let apart = self.cond(less.clone(), up, down);
                let size = self.cond(differ.clone(), apart, sum);
                let size = keep(self, size, &mut body);
                let same = self.unary(UnOp::Not, differ.clone());
                let wrapped = self.binary(BinOp::Lt, size.clone(), a);
                let lost = self.logical(true, same, wrapped);
                let turned = self.logical(true, differ, less);
                let minus = self.cond(turned, minus_b, minus_a);
                (minus, size, lost)
            }
        };
        let minus = keep(self, minus, &mut body);
        let lost = keep(self, lost, &mut body);
        let negated = self.unary(UnOp::Neg, size.clone());
        let value = self.cond(minus.clone(), negated, size.clone());
        let plain = QType::plain(CTypes::int_id(IntKind::UInt128));
        let value = self.convert(Operand::value(value, plain), target.unqualified());
        let int = self.types.int_ty(target.ty).expect("asked before");
        let most = value::max(int);
        let least = match int.signed {
            true => self.int_expr(wide, most.wrapping_add(1), span),
            false => zero,
        };
        let most = self.int_expr(wide, most, span);
        let limit = self.cond(minus, least, most);
        let large = self.binary(BinOp::Gt, size, limit);
        let test = self.logical(false, lost, large);
        let test = keep(self, test, &mut body);
        if !predicate {
            let pointer = self.once(result, &mut body, span);
            let place = self.deref_op(pointer, span);
            let store = self.plain_assign(place, value, span);
            self.effect(store.e, &mut body);
        }
        let truth = Operand::value(test, QType::plain(CTypes::INT));
        let truth = self.convert(truth, QType::plain(CTypes::BOOL));
        self.sequence(body, truth, span)
    }
    /// Whether an integer is negative, and its size without the sign.
    fn sign_and_size(
        &mut self,
        operand: Operand,
        body: &mut Vec<hir::Stmt>,
        span: Span,
    ) -> (Expr, Expr) {
        let operand = self.once(operand, body, span);
        let zero = self.zero(operand.e.ty, span);
        let negative = self.binary(BinOp::Lt, operand.e.clone(), zero);
        let wide = QType::plain(CTypes::int_id(IntKind::UInt128));
        let size = self.convert(operand, wide);
        let negated = self.unary(UnOp::Neg, size.e.clone());
        let size = self.cond(negative.clone(), negated, size.e);
        let size = self.once(Operand::value(size, wide), body, span);
        let negative = Operand::value(negative, QType::plain(CTypes::INT));
        (self.once(negative, body, span).e, size.e)
    }
    fn operand_int(&self, operand: &Operand) -> Option<cwolf_cwi::IntTy> {
        match self.types.kind(operand.ty.ty) {
            CKind::Bool | CKind::Int(_) | CKind::Enum(_) | CKind::Wide { .. } => {
                self.types.int_ty(operand.ty.ty)
            }
            _ => None,
        }
    }
}
