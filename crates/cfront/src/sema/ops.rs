//! Operators.

use super::Cx;
use super::conv::Why;
use super::ctype::{CKind, CTypes, Len, QType, Quals};
use super::fold::{Category, Operand, is_number, mk};
use crate::ast::{self, TypeName, UnaryOp};
use crate::hir::{Expr, ExprKind, Scale};
use cwolf_base::Span;
use cwolf_cwi::{BinOp, UnOp};

impl Cx<'_> {
    pub(super) fn unary_expr(&mut self, op: UnaryOp, inner: &ast::Expr, span: Span) -> Operand {
        match op {
            UnaryOp::AddrOf => {
                let operand = self.expr(inner);
                self.address_op(operand, span)
            }
            UnaryOp::Deref => {
                let operand = self.expr(inner);
                self.deref_op(operand, span)
            }
            UnaryOp::Extension => self.expr(inner),
            UnaryOp::Real => {
                let operand = self.expr(inner);
                match self.types.is_arithmetic(operand.ty.ty) || operand.is_error() {
                    true => operand,
                    false => self.complex_part(operand, 0, span),
                }
            }
            UnaryOp::Imag => {
                let operand = self.expr(inner);
                if !self.types.is_arithmetic(operand.ty.ty) && !operand.is_error() {
                    return self.complex_part(operand, 1, span);
                }
                let operand = self.rvalue(operand);
                let id = self.cwi(operand.ty.ty);
                let zero = self.zero(id, span);
                Operand::value(self.comma(operand.e, zero), operand.ty)
            }
            UnaryOp::Not => {
                let e = self.condition(inner);
                let e = self.unary(UnOp::Not, e);
                self.int_truth(e)
            }
            UnaryOp::Plus | UnaryOp::Neg | UnaryOp::BitNot => {
                let operand = self.expr(inner);
                let operand = self.promote(operand);
                if operand.is_error() {
                    return operand;
                }
                if self.types.complex_part(operand.ty.ty).is_some() {
                    return self.complex_unary(op, operand, span);
                }
                if self.is_vector(operand.ty) {
                    return self.vector_unary(op, operand, span);
                }
                let float = self.types.is_float(operand.ty.ty);
                let fits = self.types.is_integer(operand.ty.ty) || (float && op != UnaryOp::BitNot);
                if !fits {
                    let shown = self.show(operand.ty);
                    self.error(span, format!("this operator does not apply to {shown}"));
                    return Operand::error(span);
                }
                let mut e = match op {
                    UnaryOp::Plus => operand.e,
                    UnaryOp::Neg => self.unary(UnOp::Neg, operand.e),
                    _ => self.unary(UnOp::BitNot, operand.e),
                };
                e.span = span;
                self.warn_overflow(&e, operand.ty, span);
                Operand::value(e, operand.ty)
            }
        }
    }
    pub(super) fn address_op(&mut self, operand: Operand, span: Span) -> Operand {
        if operand.is_error() {
            return operand;
        }
        if self.types.is_func(operand.ty.ty) {
            return self.rvalue(operand);
        }
        if operand.is_bit_field() {
            self.error(span, "a bit-field has no address");
            return Operand::error(span);
        }
        if !operand.is_lvalue() {
            self.error(span, "this value is stored nowhere, so it has no address");
            return Operand::error(span);
        }
        let ty = self.pointer_to(operand.ty);
        let id = self.cwi(ty.ty);
        if matches!(operand.e.kind, ExprKind::Choose) {
            return Operand::value(mk(id, ExprKind::Choose, span), ty);
        }
        let mut e = self.addr_of(operand.e, id);
        // The address of what comes after the last element is fine, and nobody uses that of others.
        allow_any_index(&mut e);
        e.span = span;
        Operand::value(e, ty)
    }
    pub(super) fn deref_op(&mut self, operand: Operand, span: Span) -> Operand {
        let operand = self.rvalue(operand);
        if operand.is_error() {
            return operand;
        }
        let Some(to) = self.types.pointee(operand.ty.ty) else {
            let shown = self.show(operand.ty);
            self.error(span, format!("'*' needs a pointer, not {shown}"));
            return Operand::error(span);
        };
        if self.types.is_func(to.ty) {
            return Operand::value(operand.e, to);
        }
        let id = self.cwi(to.ty);
        let mut e = self.deref(operand.e, id);
        e.span = span;
        Operand::place(e, to)
    }
    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Operand {
        let base = self.expr(base);
        let index = self.expr(index);
        self.index_op(base, index, span)
    }
    pub(super) fn index_op(&mut self, base: Operand, index: Operand, span: Span) -> Operand {
        if self.is_vector(base.ty) {
            return self.vector_index(base, index, span);
        }
        let part = base.category != Category::Place && self.types.as_array(base.ty.ty).is_some();
        let lengths = [&base, &index].map(|array| self.length_inside(array, span));
        let (mut base, mut index) = (self.rvalue(base), self.rvalue(index));
        match lengths {
            [Some(length), _] => index = self.within(index, length),
            [None, Some(length)] => base = self.within(base, length),
            [None, None] => {}
        }
        if base.is_error() || index.is_error() {
            return Operand::error(span);
        }
        let (pointer, index) = if self.types.is_pointer(base.ty.ty) {
            (base, index)
        } else {
            (index, base)
        };
        if !self.types.is_pointer(pointer.ty.ty) || !self.types.is_integer(index.ty.ty) {
            let (a, b) = (self.show(pointer.ty), self.show(index.ty));
            self.error(
                span,
                format!("'[]' needs an array or pointer and an integer, not {a} and {b}"),
            );
            return Operand::error(span);
        }
        let sum = self.pointer_add(pointer, index, false, span);
        let mut place = self.deref_op(sum, span);
        if part && place.category == Category::Place {
            place.category = Category::Part;
        }
        place
    }
    /// How many elements an array has, if that is known at run time only and the array may be a part of an object: its end is not
    /// where the object ends, nor is it in its CWI type.
    fn length_inside(&mut self, base: &Operand, span: Span) -> Option<Expr> {
        let (elem, len) = self.types.as_array(base.ty.ty)?;
        let ExprKind::Deref(pointer) = &base.e.kind else {
            return None;
        };
        // A variable is behind another that points to its first element.
        let first = self.pointer_to(elem);
        let is_variable = self.cwi(first.ty) == pointer.ty
            && matches!(&pointer.kind, ExprKind::Load(place, _) if matches!(place.kind, ExprKind::Var(_)));
        match self.types.is_vla(base.ty.ty) && !is_variable {
            true => self.length(len, span),
            false => None,
        }
    }
    /// How many elements an array has, as an unsigned word; none if nobody knows.
    pub(super) fn length(&mut self, len: Len, span: Span) -> Option<Expr> {
        match len {
            Len::Known(n) => Some(self.word_expr(n, span)),
            Len::Vla(var) => {
                let size = QType::plain(self.types.size_t());
                let place = self.variable(var, size, span);
                Some(self.load(place, false))
            }
            Len::Unknown | Len::Star => None,
        }
    }
    fn within(&mut self, index: Operand, length: Expr) -> Operand {
        if index.is_error() || !self.types.is_integer(index.ty.ty) {
            return index;
        }
        let span = index.e.span;
        let word = self.types.ptrdiff_t();
        let e = self.step(index, false);
        let kind = ExprKind::Within(Box::new(e), Box::new(length));
        Operand::value(mk(self.cwi(word), kind, span), QType::plain(word))
    }
    /// Bytes in a step of a pointer to `ty`.
    pub(super) fn scale_of(&mut self, ty: QType, span: Span) -> Option<Scale> {
        if self.types.is_vla(ty.ty) {
            let size = self.runtime_size(ty, span);
            return Some(Scale::Runtime(Box::new(size)));
        }
        match self.size_of(ty.ty) {
            Some(size) => Some(Scale::Const(size)),
            None => {
                let shown = self.show(ty);
                let message = format!(
                    "pointer arithmetic needs to know the size of {shown}, which is incomplete"
                );
                self.error(span, message);
                None
            }
        }
    }
    /// An integer as a signed word, negated if asked.
    fn step(&mut self, index: Operand, negate: bool) -> Expr {
        let word = self.types.ptrdiff_t();
        let word = self.cwi(word);
        let index = self.promote(index);
        let e = self.cast(index.e, word);
        if negate {
            return self.unary(UnOp::Neg, e);
        }
        // A negation that the program makes itself may overflow; the one above never does, and is told by where it is.
        match e.kind {
            ExprKind::Unary(UnOp::Neg, _) => {
                let unsigned = self.types.size_t();
                let unsigned = self.cwi(unsigned);
                let e = self.cast(e, unsigned);
                self.cast(e, word)
            }
            _ => e,
        }
    }
    fn pointer_add(
        &mut self,
        pointer: Operand,
        index: Operand,
        negate: bool,
        span: Span,
    ) -> Operand {
        let to = self.types.pointee(pointer.ty.ty).expect("a pointer");
        let Some(scale) = self.scale_of(to, span) else {
            return Operand::error(span);
        };
        let index = self.step(index, negate);
        let mut e = self.ptr_add(pointer.e, index, scale);
        e.span = span;
        Operand::value(e, pointer.ty)
    }
    pub(super) fn binary_op(&mut self, op: BinOp, a: Operand, b: Operand, span: Span) -> Operand {
        let (a, b) = (self.rvalue(a), self.rvalue(b));
        if a.is_error() || b.is_error() {
            return Operand::error(span);
        }
        if self.types.is_arithmetic(a.ty.ty) && self.types.is_arithmetic(b.ty.ty) {
            return self.arithmetic(op, a, b, span);
        }
        if self.types.is_number(a.ty.ty) && self.types.is_number(b.ty.ty) {
            return self.complex_binary(op, a, b, span);
        }
        if self.is_vector(a.ty) || self.is_vector(b.ty) {
            return self.vector_binary(op, a, b, span);
        }
        let (left, right) = (self.types.pointee(a.ty.ty), self.types.pointee(b.ty.ty));
        match (op, left, right) {
            (BinOp::Add, Some(_), None) if self.types.is_integer(b.ty.ty) => {
                return self.pointer_add(a, b, false, span);
            }
            (BinOp::Add, None, Some(_)) if self.types.is_integer(a.ty.ty) => {
                return self.pointer_add(b, a, false, span);
            }
            (BinOp::Sub, Some(_), None) if self.types.is_integer(b.ty.ty) => {
                return self.pointer_add(a, b, true, span);
            }
            (BinOp::Sub, Some(p), Some(q)) => return self.pointer_diff(a, b, p, q, span),
            _ if op.is_comparison() => {
                if let Some(result) = self.pointer_comparison(op, a.clone(), b.clone(), span) {
                    return result;
                }
            }
            _ => {}
        }
        self.bad_operands(op, &a, &b, span)
    }
    pub(super) fn bad_operands(
        &mut self,
        op: BinOp,
        a: &Operand,
        b: &Operand,
        span: Span,
    ) -> Operand {
        let (x, y) = (self.show(a.ty), self.show(b.ty));
        self.error(
            span,
            format!("'{}' does not apply to {x} and {y}", op.symbol()),
        );
        Operand::error(span)
    }
    fn arithmetic(&mut self, op: BinOp, a: Operand, b: Operand, span: Span) -> Operand {
        if op.is_shift() {
            let (a, b) = (self.promote(a), self.promote(b));
            if !self.types.is_integer(a.ty.ty) || !self.types.is_integer(b.ty.ty) {
                return self.bad_operands(op, &a, &b, span);
            }
            let ty = a.ty;
            self.check_shift(&a, &b, span);
            return Operand::value(self.binary(op, a.e, b.e), ty);
        }
        let common = QType::plain(self.common_type(&a, &b));
        let integers_only = matches!(
            op,
            BinOp::Rem | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor
        );
        if integers_only && self.types.is_float(common.ty) {
            return self.bad_operands(op, &a, &b, span);
        }
        let (a, b) = (self.convert(a, common), self.convert(b, common));
        if matches!(op, BinOp::Div | BinOp::Rem) && matches!(b.e.kind, ExprKind::Int(0)) {
            self.warn(span, "division by zero");
        }
        let e = self.binary(op, a.e, b.e);
        self.warn_overflow(&e, common, span);
        match op.is_test() {
            true => self.int_truth(e),
            false => Operand::value(e, common),
        }
    }
    /// An operator on constants that was not folded has no result that C defines.
    fn warn_overflow(&mut self, e: &Expr, ty: QType, span: Span) {
        let overflows = match &e.kind {
            ExprKind::Binary(BinOp::Div | BinOp::Rem, _, b)
                if matches!(b.kind, ExprKind::Int(0)) =>
            {
                false
            }
            ExprKind::Binary(op, a, b) => !op.is_shift() && is_number(a) && is_number(b),
            ExprKind::Unary(_, a) => is_number(a),
            _ => false,
        };
        if overflows && self.unevaluated == 0 {
            let ty = self.show(ty);
            self.warn(span, format!("the result does not fit in its type {ty}"));
        }
    }
    fn check_shift(&mut self, a: &Operand, b: &Operand, span: Span) {
        if let ExprKind::Int(n) = b.e.kind
            && let Some(int) = self.types.int_ty(a.ty.ty)
            && !(0..i128::from(int.bits)).contains(&n)
        {
            self.warn(
                span,
                "the shift's amount is negative or not less than the width",
            );
        }
    }
    fn pointer_diff(&mut self, a: Operand, b: Operand, p: QType, q: QType, span: Span) -> Operand {
        if !self.pointers_agree(p, q) {
            return self.bad_operands(BinOp::Sub, &a, &b, span);
        }
        let scale = match self.scale_of(p, span) {
            // gcc divides by zero here; one byte is as good.
            Some(Scale::Const(0)) => Scale::Const(1),
            Some(scale) => scale,
            None => return Operand::error(span),
        };
        let ty = QType::plain(self.types.ptrdiff_t());
        let id = self.cwi(ty.ty);
        let right = self.cast(b.e, a.e.ty);
        if let (ExprKind::Int(x), ExprKind::Int(y), Scale::Const(n)) =
            (&a.e.kind, &right.kind, &scale)
        {
            let distance = (x - y) / i128::from(*n);
            return Operand::value(self.int_expr(id, distance, span), ty);
        }
        let kind = ExprKind::PtrDiff {
            left: Box::new(a.e),
            right: Box::new(right),
            scale,
        };
        Operand::value(mk(id, kind, span), ty)
    }
    fn pointer_comparison(
        &mut self,
        op: BinOp,
        a: Operand,
        b: Operand,
        span: Span,
    ) -> Option<Operand> {
        let left = self.types.pointee(a.ty.ty);
        let right = self.types.pointee(b.ty.ty);
        let (a, b) = match (left, right) {
            (Some(p), Some(q)) => {
                let null = self.is_null_constant(&a) || self.is_null_constant(&b);
                if !null && !self.pointers_agree(p, q) {
                    let (x, y) = (self.show(a.ty), self.show(b.ty));
                    self.warn(
                        span,
                        format!("comparison of distinct pointer types {x} and {y}"),
                    );
                }
                let ty = a.ty;
                (a, self.convert(b, ty))
            }
            (Some(_), None) => {
                self.pointer_and_integer(&b, span)?;
                let ty = a.ty;
                (a, self.convert(b, ty))
            }
            (None, Some(_)) => {
                self.pointer_and_integer(&a, span)?;
                let ty = b.ty;
                (self.convert(a, ty), b)
            }
            (None, None) => {
                let both = [&a, &b];
                if !both.iter().all(|o| self.is_null_constant(o)) {
                    return None;
                }
                let ty = QType::plain(CTypes::NULLPTR);
                (self.convert(a, ty), self.convert(b, ty))
            }
        };
        let e = self.binary(op, a.e, b.e);
        Some(self.int_truth(e))
    }
    fn pointer_and_integer(&mut self, other: &Operand, span: Span) -> Option<()> {
        if self.is_null_constant(other) {
            return Some(());
        }
        if !self.types.is_integer(other.ty.ty) {
            return None;
        }
        self.warn(span, "comparison between a pointer and an integer");
        Some(())
    }
    /// Checks that a place can be assigned to.
    fn check_assignable(&mut self, place: &Operand, span: Span) -> bool {
        if place.is_error() {
            return false;
        }
        if !place.is_lvalue() || self.types.is_func(place.ty.ty) {
            self.error(span, "only something stored in memory can be assigned to");
            return false;
        }
        if self.types.as_array(place.ty.ty).is_some() {
            self.error(span, "an array cannot be assigned to as a whole");
            return false;
        }
        if place.ty.quals.has(Quals::CONST) {
            self.error(span, "this is 'const', so it cannot be changed");
            return false;
        }
        if !self.types.is_complete(place.ty.ty) {
            let shown = self.show(place.ty);
            self.error(
                span,
                format!("the incomplete type {shown} cannot be assigned"),
            );
            return false;
        }
        true
    }
    pub(super) fn assign(
        &mut self,
        op: Option<BinOp>,
        place: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Operand {
        let place_span = place.span;
        let place = self.expr(place);
        let value = self.expr(value);
        match op {
            None => {
                if !self.check_assignable(&place, place_span) {
                    self.rvalue(value);
                    return Operand::error(span);
                }
                self.plain_assign(place, value, span)
            }
            Some(op) => self.assign_op(op, place, value, false, span),
        }
    }
    pub(super) fn plain_assign(&mut self, place: Operand, value: Operand, span: Span) -> Operand {
        if self.runtime_record(place.ty).is_some() {
            return self.copy_runtime(place, value, span);
        }
        let value = self.assign_convert(value, place.ty, Why::Assign);
        let value = self.cast(value, place.e.ty);
        let volatile = place.ty.is_volatile();
        let mut e = self.assign_expr(place.e, value, volatile);
        e.span = span;
        Operand {
            e,
            ty: place.ty.unqualified(),
            category: Category::Value,
            bits: place.bits,
        }
    }
    fn assign_op(
        &mut self,
        op: BinOp,
        place: Operand,
        value: Operand,
        post: bool,
        span: Span,
    ) -> Operand {
        let value = self.rvalue(value);
        if !self.check_assignable(&place, span) || value.is_error() {
            return Operand::error(span);
        }
        let has_parts = |ty: QType| self.parts_of(ty.ty).is_some();
        if has_parts(place.ty) || has_parts(value.ty) {
            return self.assign_op_of_parts(op, place, value, post, span);
        }
        let volatile = place.ty.is_volatile();
        let plain = place.ty.unqualified();
        let (value, ty, scale) = if let Some(to) = self.types.pointee(plain.ty) {
            let fits = matches!(op, BinOp::Add | BinOp::Sub) && self.types.is_integer(value.ty.ty);
            if !fits {
                let left = Operand::value(place.e, plain);
                return self.bad_operands(op, &left, &value, span);
            }
            let Some(scale) = self.scale_of(to, span) else {
                return Operand::error(span);
            };
            (self.step(value, false), place.e.ty, Some(scale))
        } else {
            let left = Operand {
                e: mk(place.e.ty, ExprKind::Choose, span),
                ty: plain,
                category: Category::Value,
                bits: place.bits,
            };
            let both = self.types.is_arithmetic(plain.ty) && self.types.is_arithmetic(value.ty.ty);
            // `p += x` where the left side is an integer and the right a pointer is wrong.
            if !both {
                return self.bad_operands(op, &left, &value, span);
            }
            if op.is_shift() {
                let (left, value) = (self.promote(left), self.promote(value));
                if !self.types.is_integer(left.ty.ty) || !self.types.is_integer(value.ty.ty) {
                    return self.bad_operands(op, &left, &value, span);
                }
                self.check_shift(&left, &value, span);
                let ty = self.cwi(left.ty.ty);
                (value.e, ty, None)
            } else {
                let common = QType::plain(self.common_type(&left, &value));
                let integers_only = matches!(
                    op,
                    BinOp::Rem | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor
                );
                if integers_only && self.types.is_float(common.ty) {
                    return self.bad_operands(op, &left, &value, span);
                }
                let value = self.convert(value, common);
                if matches!(op, BinOp::Div | BinOp::Rem) && matches!(value.e.kind, ExprKind::Int(0))
                {
                    self.warn(span, "division by zero");
                }
                let ty = self.cwi(common.ty);
                (value.e, ty, None)
            }
        };
        let id = place.e.ty;
        let truth = place.bits.is_some() && matches!(self.types.kind(plain.ty), CKind::Bool);
        let kind = ExprKind::AssignOp {
            place: Box::new(place.e),
            truth,
            op,
            value: Box::new(value),
            ty,
            scale,
            post,
            volatile,
        };
        Operand {
            e: mk(id, kind, span),
            ty: plain,
            category: Category::Value,
            bits: place.bits,
        }
    }
    pub(super) fn inc_dec(
        &mut self,
        operand: &ast::Expr,
        increment: bool,
        prefix: bool,
        span: Span,
    ) -> Operand {
        let place = self.expr(operand);
        let one = self.int_operand(1, span);
        let op = if increment { BinOp::Add } else { BinOp::Sub };
        self.assign_op(op, place, one, !prefix, span)
    }
    pub(super) fn cast_expr(&mut self, ty: &TypeName, inner: &ast::Expr, span: Span) -> Operand {
        let (ty, effects) = self.type_with_effects(ty);
        let operand = self.expr(inner);
        let mut result = self.cast_op(operand, ty, span);
        result.e.span = span;
        self.with_effects(effects, result)
    }
    pub(super) fn cast_op(&mut self, operand: Operand, ty: QType, span: Span) -> Operand {
        if self.types.is_error(ty.ty) {
            return Operand::error(span);
        }
        if self.types.is_void(ty.ty) {
            let e = self.for_effect(operand);
            let e = self.cast(e, cwolf_cwi::Types::VOID);
            return Operand::value(e, QType::plain(CTypes::VOID));
        }
        let operand = self.rvalue(operand);
        if operand.is_error() {
            return operand;
        }
        if let Some(what) = self.types.unsupported(ty.ty) {
            self.unsupported(span, what);
            return Operand::error(span);
        }
        let from = operand.ty;
        let complex = |cx: &Self, ty: QType| cx.types.complex_part(ty.ty).is_some();
        if self.types.is_number(ty.ty)
            && self.types.is_number(from.ty)
            && (complex(self, ty) || complex(self, from))
        {
            return self.convert(operand, ty);
        }
        if self.is_vector(ty) || self.is_vector(from) {
            return self.vector_cast(operand, ty, span);
        }
        let scalars = self.types.is_scalar(ty.ty) && self.types.is_scalar(from.ty);
        let float_pointer = |cx: &Self, a: QType, b: QType| {
            cx.types.is_float(a.ty) && (cx.types.is_pointer(b.ty) || b.ty == CTypes::NULLPTR)
        };
        if scalars && !float_pointer(self, ty, from) && !float_pointer(self, from, ty) {
            // gcc extends the sign of a pointer.
            if self.types.target.pointer_bits < 64
                && self.types.is_pointer(from.ty)
                && self
                    .types
                    .int_ty(ty.ty)
                    .is_some_and(|t| t.bits > self.types.target.pointer_bits)
            {
                let word = self.types.ptrdiff_t();
                let word = self.convert(operand, QType::plain(word));
                return self.convert(word, ty);
            }
            return self.convert(operand, ty);
        }
        match self.types.as_record(ty.ty) {
            Some(record) if ty.ty == from.ty => {
                debug_assert!(self.types.records[record].complete || is_number(&operand.e));
                return operand;
            }
            Some(record) if self.types.records[record].union => {
                if let Some(operand) = self.cast_to_union(&operand, ty, record, span) {
                    return operand;
                }
            }
            _ => {}
        }
        let (to, from) = (self.show(ty), self.show(from));
        self.error(span, format!("{from} cannot be cast to {to}"));
        Operand::error(span)
    }
    /// GNU C's cast to a union: the member of the operand's type is set.
    fn cast_to_union(
        &mut self,
        operand: &Operand,
        ty: QType,
        record: cwolf_cwi::RecordId,
        span: Span,
    ) -> Option<Operand> {
        use crate::hir::{LocalInit, PathStep, Piece};
        let fields = &self.types.records[record].fields;
        let same = |f: &super::ctype::CField| self.types.compatible(f.ty.ty, operand.ty.ty);
        let number = fields.iter().position(same)?;
        let func = self.func.as_ref()?.id;
        let id = self.cwi(ty.ty);
        let kind = cwolf_cwi::VarKind::Temp(func);
        let var = self.new_var("union#".into(), id, kind, span);
        // A bit-field has fewer bits than its type.
        let member = self.program.types.records[record].fields[number].ty;
        let value = self.cast(operand.e.clone(), member);
        let init = LocalInit::Pieces {
            zero: true,
            pieces: vec![Piece {
                path: vec![PathStep::Field(number as u32)],
                ty: value.ty,
                value,
            }],
        };
        let place = mk(id, ExprKind::Compound(var, Box::new(init)), span);
        Some(Operand::value(self.load(place, false), ty.unqualified()))
    }
    pub(super) fn conditional(
        &mut self,
        c: &ast::Expr,
        a: Option<&ast::Expr>,
        b: &ast::Expr,
        span: Span,
    ) -> Operand {
        let Some(a) = a else {
            return self.elvis(c, b, span);
        };
        let c = self.condition(c);
        let a = self.expr(a);
        let a = self.rvalue(a);
        let b = self.expr(b);
        let b = self.rvalue(b);
        if a.is_error() || b.is_error() {
            return Operand::error(span);
        }
        let Some(ty) = self.conditional_type(&a, &b, span) else {
            return Operand::error(span);
        };
        let id = self.cwi(ty.ty);
        let [a, b] = [a, b].map(|o| match self.types.complex_part(ty.ty) {
            Some(part) => self.make_complex(o, part).e,
            None => self.cast(o.e, id),
        });
        let mut e = self.cond(c, a, b);
        e.span = span;
        Operand::value(e, ty)
    }
    /// `c ?: b`
    fn elvis(&mut self, c: &ast::Expr, b: &ast::Expr, span: Span) -> Operand {
        let c = self.expr(c);
        let c = self.rvalue(c);
        let b = self.expr(b);
        let b = self.rvalue(b);
        if c.is_error() || b.is_error() {
            return Operand::error(span);
        }
        if self.types.is_number(c.ty.ty)
            && self.types.is_number(b.ty.ty)
            && (self.types.complex_part(c.ty.ty).is_some()
                || self.types.complex_part(b.ty.ty).is_some())
        {
            return self.complex_elvis(c, b, span);
        }
        if !self.types.is_scalar(c.ty.ty) {
            let shown = self.show(c.ty);
            self.error(
                span,
                format!("a condition must be a number or pointer, not {shown}"),
            );
            return Operand::error(span);
        }
        let Some(ty) = self.conditional_type(&c, &b, span) else {
            return Operand::error(span);
        };
        let id = self.cwi(ty.ty);
        let other = self.cast(b.e, id);
        let e = match self.truth(&c.e) {
            Some(true) => self.cast(c.e, id),
            Some(false) => other,
            None => {
                let kind = ExprKind::Elvis {
                    value: Box::new(c.e),
                    other: Box::new(other),
                };
                mk(id, kind, span)
            }
        };
        Operand::value(e, ty)
    }
    /// The type of `c ? a : b`.
    fn conditional_type(&mut self, a: &Operand, b: &Operand, span: Span) -> Option<QType> {
        let (x, y) = (a.ty, b.ty);
        if self.types.is_number(x.ty) && self.types.is_number(y.ty) {
            return Some(QType::plain(self.common_type(a, b)));
        }
        if self.types.is_void(x.ty) || self.types.is_void(y.ty) {
            return Some(QType::plain(CTypes::VOID));
        }
        if x.ty == y.ty {
            return Some(x);
        }
        match (self.types.kind(x.ty).clone(), self.types.kind(y.ty).clone()) {
            (CKind::Pointer(p), CKind::Pointer(q)) => {
                if self.is_null_constant(a) {
                    return Some(y);
                }
                if self.is_null_constant(b) {
                    return Some(x);
                }
                let quals = p.quals.with(q.quals);
                let to = if self.types.is_void(p.ty) {
                    p
                } else if self.types.is_void(q.ty) {
                    q
                } else if self.types.compatible(p.ty, q.ty) {
                    self.composite(p, q)
                } else if self.pointers_agree(p, q) {
                    p
                } else {
                    let (m, n) = (self.show(x), self.show(y));
                    self.warn(
                        span,
                        format!("'?:' with distinct pointer types {m} and {n}"),
                    );
                    QType::plain(CTypes::VOID)
                };
                let to = self.types.qualify(to.without_quals(), quals);
                Some(self.pointer_to(to))
            }
            (CKind::Pointer(_), _) if self.is_null_constant(b) => Some(x),
            (_, CKind::Pointer(_)) if self.is_null_constant(a) => Some(y),
            (CKind::Pointer(_), _) if self.types.is_integer(y.ty) => {
                self.warn(span, "'?:' mixes a pointer and an integer");
                Some(x)
            }
            (_, CKind::Pointer(_)) if self.types.is_integer(x.ty) => {
                self.warn(span, "'?:' mixes a pointer and an integer");
                Some(y)
            }
            _ => {
                let (m, n) = (self.show(x), self.show(y));
                self.error(span, format!("'?:' cannot give both {m} and {n}"));
                None
            }
        }
    }
}

/// Takes the check of an index away whose element is not used.
fn allow_any_index(address: &mut Expr) {
    match &mut address.kind {
        ExprKind::Cast(inner) => allow_any_index(inner),
        ExprKind::PtrAdd { index, .. } => {
            if let ExprKind::Within(number, _) = &index.kind {
                let number = number.as_ref().clone();
                **index = number;
            }
        }
        _ => {}
    }
}
