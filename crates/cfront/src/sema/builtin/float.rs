//! Floating constants and classification.

use super::super::Cx;
use super::super::ctype::{CKind, CTypes, FloatKind, IntKind, QType};
use super::super::fold::{Operand, mk};
use crate::ast;
use crate::hir::{self, Expr, ExprKind, Scale};
use cwolf_base::Span;
use cwolf_cwi::{BinOp, FloatTy, Types, UnOp};

fn infinity(ty: FloatTy) -> u128 {
    ty.format().infinity()
}

fn not_a_number(ty: FloatTy, signaling: bool) -> u128 {
    let (quiet, loud) = match ty {
        FloatTy::F16 => (0x7e00, 0x7d00),
        FloatTy::F32 => (0x7fc0_0000, 0x7fa0_0000),
        FloatTy::F64 => (0x7ff8_0000_0000_0000, 0x7ff4_0000_0000_0000),
        FloatTy::F80 => (0x7fff_c000_0000_0000_0000, 0x7fff_a000_0000_0000_0000),
        FloatTy::F128 => (0xffff << 111, 0x1_fffd << 110),
    };
    if signaling { loud } else { quiet }
}

/// The smallest normal number.
fn smallest(ty: FloatTy) -> u128 {
    match ty {
        FloatTy::F16 => 1 << 10,
        FloatTy::F32 => 1 << 23,
        FloatTy::F64 => 1 << 52,
        FloatTy::F80 => 0x0001_8000_0000_0000_0000,
        FloatTy::F128 => 1 << 112,
    }
}

/// The type that a builtin's suffix asks for.
fn suffix_kind(suffix: &str) -> Option<FloatKind> {
    Some(match suffix {
        "" => FloatKind::Double,
        "f" => FloatKind::Float,
        "l" => FloatKind::LongDouble,
        "f16" => FloatKind::Float16,
        "f32" => FloatKind::Float32,
        "f64" => FloatKind::Float64,
        "f32x" => FloatKind::Float32x,
        "f64x" => FloatKind::Float64x,
        "f128" | "q" => FloatKind::Float128,
        _ => return None,
    })
}

impl Cx<'_> {
    fn float_operand(&mut self, kind: FloatKind, bits: u128, span: Span) -> Operand {
        let ty = CTypes::float_id(kind);
        let id = self.cwi(ty);
        Operand::value(mk(id, ExprKind::Float(bits), span), QType::plain(ty))
    }
    /// `__builtin_iround` and the like, which the library does not have: rounded, then made an integer.
    fn rounded_builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Operand> {
        let (stem, function, to) = [
            ("iround", "lround", IntKind::Int),
            ("irint", "lrint", IntKind::Int),
            ("ifloor", "floor", IntKind::Int),
            ("iceil", "ceil", IntKind::Int),
            ("lfloor", "floor", IntKind::Long),
            ("lceil", "ceil", IntKind::Long),
            ("llfloor", "floor", IntKind::LongLong),
            ("llceil", "ceil", IntKind::LongLong),
        ]
        .into_iter()
        .find(|(stem, ..)| {
            let rest = name.strip_prefix(stem);
            rest.is_some_and(|rest| matches!(rest, "" | "f" | "l"))
        })?;
        let [arg] = args else {
            return Some(self.too_few(name, span));
        };
        let suffix = &name[stem.len()..];
        let float = match suffix {
            "f" => "f",
            "l" => "D",
            _ => "d",
        };
        let result = if function.starts_with('l') {
            "l"
        } else {
            float
        };
        let arg = self.expr(arg);
        let proto = format!("{result}{float}");
        let number = self.call_proto(&format!("{function}{suffix}"), &proto, vec![arg], span);
        Some(self.convert(number, QType::plain(CTypes::int_id(to))))
    }
    pub(super) fn float_builtin(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        for (stem, nan, signaling) in [
            ("huge_val", false, false),
            ("inf", false, false),
            ("nans", true, true),
            ("nan", true, false),
        ] {
            if let Some(kind) = name.strip_prefix(stem).and_then(suffix_kind) {
                let ty = kind.float_ty(self.types.target);
                let bits = if nan {
                    not_a_number(ty, signaling)
                } else {
                    infinity(ty)
                };
                if nan && args.len() != 1 {
                    return Some(self.too_few(name, span));
                }
                return Some(self.float_operand(kind, bits, span));
            }
        }
        let comparison = match name {
            "isgreater" => Some(BinOp::Gt),
            "isgreaterequal" => Some(BinOp::Ge),
            "isless" => Some(BinOp::Lt),
            "islessequal" => Some(BinOp::Le),
            _ => None,
        };
        if let (Some(op), [a, b]) = (comparison, args) {
            let (a, b) = (self.expr(a), self.expr(b));
            return Some(self.binary_op(op, a, b, span));
        }
        if let ("isunordered" | "islessgreater" | "iseqsig", [a, b]) = (name, args) {
            return Some(self.two_floats(name, a, b, span));
        }
        if name == "fpclassify" {
            return Some(self.fpclassify(args, span));
        }
        if let Some(number) = self.rounded_builtin(name, args, span) {
            return Some(number);
        }
        let (stem, kind) = [
            "isnan",
            "isinf_sign",
            "isinf",
            "isfinite",
            "finite",
            "isnormal",
            "signbit",
        ]
        .into_iter()
        .find_map(|stem| Some((stem, suffix_kind(name.strip_prefix(stem)?)?)))?;
        let [arg] = args else {
            return Some(self.too_few(name, span));
        };
        let value = self.expr(arg);
        let value = self.rvalue(value);
        if value.is_error() {
            return Some(value);
        }
        if !self.types.is_arithmetic(value.ty.ty) {
            self.error(span, format!("'__builtin_{name}' needs a floating number"));
            return Some(Operand::error(span));
        }
        // Without a suffix it takes any floating type; integers count as double.
        let value = if name == stem && self.types.is_float(value.ty.ty) {
            value
        } else {
            self.convert(value, QType::plain(CTypes::float_id(kind)))
        };
        let mut body = Vec::new();
        let value = if self.func.is_some() {
            self.once_number(value, &mut body, span)
        } else {
            value
        };
        let test = self.classify(stem, &value, &mut body, span);
        let result = self.int_truth(test);
        Some(self.sequence(body, result, span))
    }
    /// Like `once`, but numbers stay numbers, so that tests on them fold.
    fn once_number(&mut self, value: Operand, body: &mut Vec<hir::Stmt>, span: Span) -> Operand {
        match value.e.kind {
            ExprKind::Float(_) => value,
            _ => self.stored(value, body, span),
        }
    }
    fn kind_of(&self, value: &Operand) -> FloatTy {
        match self.types.kind(value.ty.ty) {
            CKind::Float(kind) => kind.float_ty(self.types.target),
            _ => FloatTy::F64,
        }
    }
    fn classify(
        &mut self,
        stem: &str,
        value: &Operand,
        body: &mut Vec<hir::Stmt>,
        span: Span,
    ) -> Expr {
        let ty = self.kind_of(value);
        let x = value.e.clone();
        let number = |bits| mk(x.ty, ExprKind::Float(bits), span);
        let inf = number(infinity(ty));
        let minus_inf = self.unary(UnOp::Neg, inf.clone());
        let test = |cx: &Self, op, a: &Expr, b: &Expr| cx.binary(op, a.clone(), b.clone());
        match stem {
            "isnan" => test(self, BinOp::Ne, &x, &x),
            "isinf" => {
                let a = test(self, BinOp::Eq, &x, &inf);
                let b = test(self, BinOp::Eq, &x, &minus_inf);
                self.logical(false, a, b)
            }
            "isinf_sign" => {
                let a = test(self, BinOp::Eq, &x, &inf);
                let b = test(self, BinOp::Eq, &x, &minus_inf);
                self.binary(BinOp::Sub, a, b)
            }
            "isfinite" | "finite" => {
                let a = test(self, BinOp::Lt, &x, &inf);
                let b = test(self, BinOp::Gt, &x, &minus_inf);
                self.logical(true, a, b)
            }
            "isnormal" => {
                let least = number(smallest(ty));
                let minus = self.unary(UnOp::Neg, least.clone());
                let (a, b) = (
                    test(self, BinOp::Ge, &x, &least),
                    test(self, BinOp::Le, &x, &minus),
                );
                let large = self.logical(false, a, b);
                let (a, b) = (
                    test(self, BinOp::Lt, &x, &inf),
                    test(self, BinOp::Gt, &x, &minus_inf),
                );
                let finite = self.logical(true, a, b);
                self.logical(true, large, finite)
            }
            _ => self.signbit(value, ty, body, span),
        }
    }
    /// The sign bit, read from memory.
    fn signbit(
        &mut self,
        value: &Operand,
        ty: FloatTy,
        body: &mut Vec<hir::Stmt>,
        span: Span,
    ) -> Expr {
        if let ExprKind::Float(bits) = value.e.kind {
            let negative = bits & ty.format().sign_bit() != 0;
            return self.int_expr(Types::INT, i128::from(negative), span);
        }
        if self.func.is_none() {
            return mk(Types::INT, ExprKind::Choose, span);
        }
        let value = self.stored(value.clone(), body, span);
        let ExprKind::Load(place, _) = value.e.kind else {
            unreachable!("just stored");
        };
        let (kind, offset) = match ty {
            FloatTy::F16 => (IntKind::Short, 0),
            FloatTy::F32 => (IntKind::Int, 0),
            FloatTy::F64 => (IntKind::LongLong, 0),
            FloatTy::F80 => (IntKind::Short, 8),
            FloatTy::F128 => (IntKind::LongLong, 8),
        };
        let chars = self.program.types.pointer(Types::CHAR);
        let address_ty = self.program.types.pointer(place.ty);
        let address = self.addr_of(*place, address_ty);
        let address = self.cast(address, chars);
        let address = self.ptr_add(address, self.signed_word(offset, span), Scale::Const(1));
        let word = self.cwi(CTypes::int_id(kind));
        let pointer = self.program.types.pointer(word);
        let address = self.cast(address, pointer);
        let bits = self.deref(address, word);
        let bits = self.load(bits, false);
        let zero = self.int_expr(word, 0, span);
        self.binary(BinOp::Lt, bits, zero)
    }
    fn two_floats(&mut self, name: &str, a: &ast::Expr, b: &ast::Expr, span: Span) -> Operand {
        let (a, b) = (self.expr(a), self.expr(b));
        let (a, b) = (self.rvalue(a), self.rvalue(b));
        if a.is_error() || b.is_error() {
            return Operand::error(span);
        }
        let common = QType::plain(self.common_type(&a, &b));
        if !self.types.is_float(common.ty) {
            self.error(span, format!("'__builtin_{name}' needs floating numbers"));
            return Operand::error(span);
        }
        let (a, b) = (self.convert(a, common), self.convert(b, common));
        let mut body = Vec::new();
        let (a, b) = if self.func.is_some() {
            (
                self.once_number(a, &mut body, span).e,
                self.once_number(b, &mut body, span).e,
            )
        } else {
            (a.e, b.e)
        };
        let test = match name {
            "isunordered" => {
                let x = self.binary(BinOp::Ne, a.clone(), a);
                let y = self.binary(BinOp::Ne, b.clone(), b);
                self.logical(false, x, y)
            }
            "iseqsig" => self.binary(BinOp::Eq, a, b),
            _ => {
                let x = self.binary(BinOp::Lt, a.clone(), b.clone());
                let y = self.binary(BinOp::Gt, a, b);
                self.logical(false, x, y)
            }
        };
        let value = self.int_truth(test);
        self.sequence(body, value, span)
    }
    /// `fpclassify(nan, infinite, normal, subnormal, zero, x)`
    fn fpclassify(&mut self, args: &[ast::Expr], span: Span) -> Operand {
        let [nan, infinite, normal, subnormal, zero, x] = args else {
            return self.too_few("fpclassify", span);
        };
        let int = QType::plain(CTypes::INT);
        let answers = [nan, infinite, normal, subnormal, zero].map(|e| {
            let e = self.expr(e);
            self.convert_arg(e, int)
        });
        let value = self.expr(x);
        let value = self.rvalue(value);
        if !self.types.is_float(value.ty.ty) {
            if !value.is_error() {
                self.error(span, "'__builtin_fpclassify' needs a floating number");
            }
            return Operand::error(span);
        }
        let mut body = Vec::new();
        let value = if self.func.is_some() {
            self.once_number(value, &mut body, span)
        } else {
            value
        };
        let [nan, infinite, normal, subnormal, zero] = answers;
        let id = value.e.ty;
        let is_zero = self.binary(BinOp::Eq, value.e.clone(), mk(id, ExprKind::Float(0), span));
        let is_normal = self.classify("isnormal", &value, &mut body, span);
        let is_inf = self.classify("isinf", &value, &mut body, span);
        let is_nan = self.classify("isnan", &value, &mut body, span);
        let e = self.cond(is_zero, zero, subnormal);
        let e = self.cond(is_normal, normal, e);
        let e = self.cond(is_inf, infinite, e);
        let e = self.cond(is_nan, nan, e);
        self.sequence(body, Operand::value(e, int), span)
    }
}
