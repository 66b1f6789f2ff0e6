//! Arithmetic that reports overflow: computed exactly in a type wide enough, then compared.

use super::super::Cx;
use super::super::ctype::{CKind, CTy, CTypes, IntKind, QType};
use super::super::fold::Operand;
use crate::ast;
use cwolf_base::Span;
use cwolf_cwi::BinOp;

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
            self.unsupported(span, "overflow checks on 128-bit integers");
            return Operand::error(span);
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
    fn operand_int(&self, operand: &Operand) -> Option<cwolf_cwi::IntTy> {
        match self.types.kind(operand.ty.ty) {
            CKind::Bool | CKind::Int(_) | CKind::Enum(_) | CKind::Wide { .. } => {
                self.types.int_ty(operand.ty.ty)
            }
            _ => None,
        }
    }
}
