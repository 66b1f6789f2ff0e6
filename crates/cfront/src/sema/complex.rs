//! Complex numbers: a record of two parts, computed with in plain arithmetic. What gcc does is done:
//! a real operand stays real (its imaginary part is not a zero that might meet an infinity), and a
//! product or quotient of floating numbers that comes out as no number at all is computed again by
//! the functions of C's Annex G in `library/complex-arithmetic.c`.

use super::Cx;
use super::ctype::{CKind, CTy, CTypes, QType};
use super::fold::{Operand, is_number, is_pure, mk};
use super::whole::Use;
use crate::ast::UnaryOp;
use crate::hir::{self, Expr, ExprKind};
use cwolf_base::Span;
use cwolf_cwi::{BinOp, FloatTy, UnOp};

impl Cx<'_> {
    pub(super) fn complex_of(&mut self, part: CTy) -> CTy {
        self.types.intern(CKind::Complex(part))
    }
    pub(super) fn complex(&mut self, part: CTy, real: Expr, imag: Expr, span: Span) -> Operand {
        let ty = self.complex_of(part);
        self.whole(ty, vec![real, imag], span)
    }
    /// A number as `_Complex part`.
    pub(super) fn make_complex(&mut self, operand: Operand, part: CTy) -> Operand {
        let span = operand.e.span;
        let id = self.cwi(part);
        match self.types.complex_part(operand.ty.ty) {
            Some(same) if same == part => operand,
            Some(_) => {
                let mut body = Vec::new();
                let parts = self.parts(operand, Use::ONCE, &mut body);
                let parts = parts.into_iter().map(|p| self.cast(p, id)).collect();
                let ty = self.complex_of(part);
                let value = self.whole(ty, parts, span);
                self.after(body, value, span)
            }
            None => {
                let (real, imag) = (self.cast(operand.e, id), self.zero(id, span));
                self.complex(part, real, imag, span)
            }
        }
    }
    /// A complex number as a real type: its real part, or whether it is not zero.
    pub(super) fn make_real(&mut self, operand: Operand, ty: QType) -> Operand {
        let span = operand.e.span;
        let id = self.cwi(ty.ty);
        if ty.ty == CTypes::BOOL {
            let truth = self.complex_truth(operand);
            return Operand::value(self.cast(truth, id), ty.unqualified());
        }
        let mut body = Vec::new();
        let mut parts = self.parts(operand, Use::ONCE, &mut body);
        let real = parts.swap_remove(0);
        let imag = parts.swap_remove(0);
        let real = match is_pure(&imag) {
            true => real,
            false => self.comma(imag, real),
        };
        let value = Operand::value(self.cast(real, id), ty.unqualified());
        self.after(body, value, span)
    }
    /// Whether a complex number is not zero, as an `int`.
    pub(super) fn complex_truth(&mut self, operand: Operand) -> Expr {
        let span = operand.e.span;
        let mut body = Vec::new();
        let parts = self.parts(operand, Use::ONCE, &mut body);
        let mut tests = Vec::new();
        for part in parts {
            let zero = self.zero(part.ty, span);
            tests.push(self.binary(BinOp::Ne, part, zero));
        }
        let imag = tests.pop().expect("two parts");
        let real = tests.pop().expect("two parts");
        let truth = self.logical(false, real, imag);
        let truth = Operand::value(truth, QType::plain(CTypes::INT));
        self.after(body, truth, span).e
    }
    /// `__real__ e` and `__imag__ e`; a part of a place is a place.
    pub(super) fn complex_part(&mut self, operand: Operand, number: u64, span: Span) -> Operand {
        let Some(part) = self.types.complex_part(operand.ty.ty) else {
            let shown = self.show(operand.ty);
            self.error(
                span,
                format!("'__real__' and '__imag__' do not apply to {shown}"),
            );
            return Operand::error(span);
        };
        if operand.is_lvalue() {
            let ty = self.types.qualify(QType::plain(part), operand.ty.quals);
            let e = self.part_place(operand.e, operand.ty.ty, number);
            return Operand::place(e, ty);
        }
        let operand = self.rvalue(operand);
        let mut body = Vec::new();
        let mut parts = self.parts(operand, Use::ONCE, &mut body);
        let other = parts.remove(1 - number as usize);
        let mut value = parts.remove(0);
        if !is_pure(&other) {
            value = self.comma(other, value);
        }
        self.after(body, Operand::value(value, QType::plain(part)), span)
    }
    /// `+z`, `-z` and GNU's `~z`, the conjugate.
    pub(super) fn complex_unary(&mut self, op: UnaryOp, operand: Operand, span: Span) -> Operand {
        if op == UnaryOp::Plus {
            return operand;
        }
        let ty = operand.ty.ty;
        let mut body = Vec::new();
        let mut parts = self.parts(operand, Use::ONCE, &mut body);
        let first = usize::from(op == UnaryOp::BitNot);
        for part in &mut parts[first..] {
            let value = std::mem::replace(part, mk(part.ty, ExprKind::Choose, span));
            *part = self.unary(UnOp::Neg, value);
        }
        let value = self.whole(ty, parts, span);
        self.after(body, value, span)
    }
    /// `c ?: b` where one of them is complex.
    pub(super) fn complex_elvis(&mut self, c: Operand, b: Operand, span: Span) -> Operand {
        let common = self.common_type(&c, &b);
        let ty = QType::plain(common);
        let mut body = Vec::new();
        let c = match self.func.is_some() {
            true => self.once(c, &mut body, span),
            false => c,
        };
        let truth = match self.types.complex_part(c.ty.ty) {
            Some(_) => self.complex_truth(c.clone()),
            None => c.e.clone(),
        };
        let (c, b) = (self.convert(c, ty), self.convert(b, ty));
        let value = Operand::value(self.cond(truth, c.e, b.e), ty);
        self.after(body, value, span)
    }
    /// An operator of which at least one operand is complex, the other any number.
    pub(super) fn complex_binary(
        &mut self,
        op: BinOp,
        a: Operand,
        b: Operand,
        span: Span,
    ) -> Operand {
        let known = matches!(
            op,
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Eq | BinOp::Ne
        );
        if !known {
            return self.bad_operands(op, &a, &b, span);
        }
        let common = self.common_type(&a, &b);
        let Some(part) = self.types.complex_part(common) else {
            return Operand::error(span);
        };
        let float = self.types.is_float(part);
        // Who is real stays real; integers do not care.
        let stays = |cx: &Self, o: &Operand| float && cx.types.complex_part(o.ty.ty).is_none();
        let (left_real, right_real) = (stays(self, &a), stays(self, &b));
        let left_real = left_real && op != BinOp::Div && !op.is_comparison();
        let right_real = right_real && !op.is_comparison();
        let product = matches!(op, BinOp::Mul | BinOp::Div);
        let later = !is_pure(&b.e);
        let mut body = Vec::new();
        let a = self.complex_operand(a, part, left_real, product, later, &mut body);
        let b = self.complex_operand(b, part, right_real, product, false, &mut body);
        if op.is_comparison() {
            return self.complex_comparison(op, a, b, body, span);
        }
        let value = match (op, &a[..], &b[..]) {
            (BinOp::Mul, [_, _], [_, _]) => self.complex_product(part, a, b, &mut body, span),
            (BinOp::Div, [_, _], [_, _]) => self.complex_quotient(part, a, b, &mut body, span),
            (BinOp::Mul | BinOp::Div, [x, y], [r]) => {
                let real = self.binary(op, x.clone(), r.clone());
                let imag = self.binary(op, y.clone(), r.clone());
                self.complex(part, real, imag, span)
            }
            (BinOp::Mul, [r], [x, y]) => {
                let real = self.binary(op, r.clone(), x.clone());
                let imag = self.binary(op, r.clone(), y.clone());
                self.complex(part, real, imag, span)
            }
            (_, [x, y], [r]) => {
                let real = self.binary(op, x.clone(), r.clone());
                self.complex(part, real, y.clone(), span)
            }
            (_, [r], [x, y]) => {
                let real = self.binary(op, r.clone(), x.clone());
                let imag = match op {
                    BinOp::Sub => self.unary(UnOp::Neg, y.clone()),
                    _ => y.clone(),
                };
                self.complex(part, real, imag, span)
            }
            (_, [x, y], [u, v]) => {
                let real = self.binary(op, x.clone(), u.clone());
                let imag = self.binary(op, y.clone(), v.clone());
                self.complex(part, real, imag, span)
            }
            _ => Operand::error(span),
        };
        self.after(body, value, span)
    }
    /// An operand's parts: one, if it stays real.
    fn complex_operand(
        &mut self,
        operand: Operand,
        part: CTy,
        real: bool,
        many: bool,
        later: bool,
        body: &mut Vec<hir::Stmt>,
    ) -> Vec<Expr> {
        let usage = Use { many, later };
        if real {
            let value = self.convert(operand, QType::plain(part));
            return vec![self.part(value.e, usage, body)];
        }
        let value = self.make_complex(operand, part);
        self.parts(value, usage, body)
    }
    fn complex_comparison(
        &mut self,
        op: BinOp,
        a: Vec<Expr>,
        b: Vec<Expr>,
        body: Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let mut tests = Vec::new();
        for (x, y) in a.into_iter().zip(b) {
            tests.push(self.binary(op, x, y));
        }
        let imag = tests.pop().expect("two parts");
        let real = tests.pop().expect("two parts");
        let e = self.logical(op == BinOp::Eq, real, imag);
        let truth = self.int_truth(e);
        self.after(body, truth, span)
    }
    fn complex_product(
        &mut self,
        part: CTy,
        a: Vec<Expr>,
        b: Vec<Expr>,
        body: &mut Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let term =
            |cx: &Self, n: usize, m: usize| cx.binary(BinOp::Mul, a[n].clone(), b[m].clone());
        let (ac, bd) = (term(self, 0, 0), term(self, 1, 1));
        let (ad, bc) = (term(self, 0, 1), term(self, 1, 0));
        let real = self.binary(BinOp::Sub, ac, bd);
        let imag = self.binary(BinOp::Add, ad, bc);
        if !self.types.is_float(part) {
            return self.complex(part, real, imag, span);
        }
        let many = Use {
            many: true,
            later: false,
        };
        let real = self.part(real, many, body);
        let imag = self.part(imag, many, body);
        let no_number = |cx: &Self, e: &Expr| cx.binary(BinOp::Ne, e.clone(), e.clone());
        let neither = self.logical(true, no_number(self, &real), no_number(self, &imag));
        let plain = self.complex(part, real, imag, span);
        if self.func.is_none() || self.truth(&neither) == Some(false) {
            return plain;
        }
        let again = self.complex_call("__mul", part, a, b, span);
        let e = self.cond(neither, again.e, plain.e);
        Operand::value(e, plain.ty)
    }
    fn complex_quotient(
        &mut self,
        part: CTy,
        a: Vec<Expr>,
        b: Vec<Expr>,
        body: &mut Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        if !self.types.is_float(part) {
            return self.complex_integer_quotient(part, a, b, body, span);
        }
        let constant = a.iter().chain(&b).all(is_number);
        if self.func.is_some() && !constant {
            return self.complex_call("__div", part, a, b, span);
        }
        let term = |cx: &Self, x: &Expr, y: &Expr| cx.binary(BinOp::Mul, x.clone(), y.clone());
        let (ac, bd) = (term(self, &a[0], &b[0]), term(self, &a[1], &b[1]));
        let (bc, ad) = (term(self, &a[1], &b[0]), term(self, &a[0], &b[1]));
        let (cc, dd) = (term(self, &b[0], &b[0]), term(self, &b[1], &b[1]));
        let square = self.binary(BinOp::Add, cc, dd);
        let real = self.binary(BinOp::Add, ac, bd);
        let imag = self.binary(BinOp::Sub, bc, ad);
        let real = self.binary(BinOp::Div, real, square.clone());
        let imag = self.binary(BinOp::Div, imag, square);
        let finite =
            |e: &Expr| self.truth(&self.binary(BinOp::Eq, e.clone(), e.clone())) == Some(true);
        if self.func.is_some() && !(finite(&real) && finite(&imag)) {
            return self.complex_call("__div", part, a, b, span);
        }
        self.complex(part, real, imag, span)
    }
    /// As gcc divides complex integers: Smith's method, its ratio truncated like any integer.
    fn complex_integer_quotient(
        &mut self,
        part: CTy,
        a: Vec<Expr>,
        b: Vec<Expr>,
        body: &mut Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let many = Use {
            many: true,
            later: false,
        };
        let id = self.cwi(part);
        let zero = self.zero(id, span);
        let size = |cx: &Self, e: &Expr| {
            let negative = cx.binary(BinOp::Lt, e.clone(), zero.clone());
            let minus = cx.unary(UnOp::Neg, e.clone());
            cx.cond(negative, minus, e.clone())
        };
        let smaller = self.binary(BinOp::Lt, size(self, &b[0]), size(self, &b[1]));
        let smaller = self.part(smaller, many, body);
        let pick =
            |cx: &Self, yes: &Expr, no: &Expr| cx.cond(smaller.clone(), yes.clone(), no.clone());
        // The larger part of the divisor is divided by; in the other case real and imaginary change places.
        let (large, small) = (pick(self, &b[1], &b[0]), pick(self, &b[0], &b[1]));
        let large = self.part(large, many, body);
        let small = self.part(small, many, body);
        let ratio = self.binary(BinOp::Div, small.clone(), large.clone());
        let ratio = self.part(ratio, many, body);
        let scaled = self.binary(BinOp::Mul, small, ratio.clone());
        let divisor = self.binary(BinOp::Add, scaled, large);
        let divisor = self.part(divisor, many, body);
        let by_ratio = |cx: &Self, e: &Expr| cx.binary(BinOp::Mul, e.clone(), ratio.clone());
        let (re, im) = (by_ratio(self, &a[0]), by_ratio(self, &a[1]));
        let real = pick(
            self,
            &self.binary(BinOp::Add, re.clone(), a[1].clone()),
            &self.binary(BinOp::Add, im.clone(), a[0].clone()),
        );
        let imag = pick(
            self,
            &self.binary(BinOp::Sub, im, a[0].clone()),
            &self.binary(BinOp::Sub, a[1].clone(), re),
        );
        let real = self.binary(BinOp::Div, real, divisor.clone());
        let imag = self.binary(BinOp::Div, imag, divisor);
        self.complex(part, real, imag, span)
    }
    /// A call of the compiler's own function for a product or quotient.
    fn complex_call(
        &mut self,
        stem: &str,
        part: CTy,
        a: Vec<Expr>,
        b: Vec<Expr>,
        span: Span,
    ) -> Operand {
        let mode = match self.types.kind(part) {
            CKind::Float(kind) => match kind.float_ty(self.types.target) {
                FloatTy::F16 => 'h',
                FloatTy::F32 => 's',
                FloatTy::F64 => 'd',
                FloatTy::F80 => 'x',
                FloatTy::F128 => 't',
            },
            _ => return Operand::error(span),
        };
        let plain = QType::plain(part);
        let complex = self.complex_of(part);
        let ty = self.func_type(QType::plain(complex), vec![plain; 4], false);
        let args = a
            .into_iter()
            .chain(b)
            .map(|e| Operand::value(e, plain))
            .collect();
        let mut result = self.call_known(&format!("{stem}{mode}c3"), ty, false, args, span);
        result.ty = QType::plain(complex);
        result
    }
}
