//! GNU C's vectors: a record of one array, computed with element by element.

use super::Cx;
use super::ctype::{CKind, CTy, CTypes, QType};
use super::fold::{Category, Operand, is_pure, mk};
use super::whole::Use;
use crate::ast::{self, UnaryOp};
use crate::hir::{self, Expr, ExprKind};
use cwolf_base::Span;
use cwolf_cwi::{BinOp, IntTy, UnOp, value};

const MANY: Use = Use {
    many: true,
    later: false,
};

impl Cx<'_> {
    pub(super) fn vector_of(&mut self, elem: CTy, len: u64) -> CTy {
        self.types.intern(CKind::Vector { elem, len })
    }
    /// What `vector_size(size)` makes of a type: of a pointer, array or function, a vector of what is
    /// behind it.
    pub(super) fn vector_type(&mut self, ty: QType, size: u64, span: Span) -> QType {
        let inner = match *self.types.kind(ty.ty) {
            CKind::Pointer(to) => {
                let to = self.vector_type(to, size, span);
                self.types.pointer(to)
            }
            CKind::Array { elem, len } => {
                let elem = self.vector_type(elem, size, span);
                self.types.array(elem, len)
            }
            CKind::Func(ref func) => {
                let mut func = (**func).clone();
                func.ret = self.vector_type(func.ret, size, span);
                self.types.intern(CKind::Func(std::rc::Rc::new(func)))
            }
            CKind::Error => ty.ty,
            _ => {
                let fits = self.types.is_arithmetic(ty.ty) && ty.ty != CTypes::BOOL;
                let step = self.size_of(ty.ty).unwrap_or(1).max(1);
                let len = size / step;
                if !fits || !size.is_multiple_of(step) || !len.is_power_of_two() {
                    let shown = self.show(ty);
                    self.error(
                        span,
                        format!("there is no vector of {size} bytes of {shown}"),
                    );
                    return QType::plain(CTypes::ERROR);
                }
                let elem = self.types.strip_enum(ty.ty);
                self.vector_of(elem, len)
            }
        };
        QType { ty: inner, ..ty }
    }
    /// Whether a value of one vector type may stand for one of another without a cast.
    pub(super) fn vectors_agree(&self, a: CTy, b: CTy) -> bool {
        let (Some((x, m)), Some((y, n))) = (self.types.as_vector(a), self.types.as_vector(b))
        else {
            return false;
        };
        let bits = |ty: CTy| self.types.int_ty(ty).map(|t| t.bits);
        m == n && (x == y || bits(x).is_some() && bits(x) == bits(y))
    }
    /// A vector as another vector type of the same size: the same bits.
    pub(super) fn make_vector(&mut self, operand: Operand, to: CTy) -> Operand {
        let span = operand.e.span;
        if operand.ty.ty == to {
            return operand;
        }
        let (elem, _) = self.parts_of(operand.ty.ty).expect("a vector");
        let (target, len) = self.types.as_vector(to).expect("a vector");
        let mut body = Vec::new();
        let parts = match (self.types.int_ty(elem), self.types.int_ty(target)) {
            (Some(from), Some(into)) => {
                let usage = match from.bits > into.bits {
                    true => MANY,
                    false => Use::ONCE,
                };
                let parts = self.parts(operand, usage, &mut body);
                self.regroup(parts, from, into, target, span)
            }
            _ if self.cwi(elem) == self.cwi(target) => self.parts(operand, Use::ONCE, &mut body),
            _ => return self.same_bits(operand, to, span),
        };
        debug_assert_eq!(parts.len() as u64, len, "the sizes are the same");
        let value = self.whole(to, parts, span);
        self.after(body, value, span)
    }
    /// Integers of one width as integers of another, as they lie in memory.
    fn regroup(
        &mut self,
        parts: Vec<Expr>,
        from: IntTy,
        into: IntTy,
        target: CTy,
        span: Span,
    ) -> Vec<Expr> {
        let id = self.cwi(target);
        if from.bits == into.bits {
            return parts.into_iter().map(|p| self.cast(p, id)).collect();
        }
        let plain = |cx: &mut Self, bits: u16| cx.program.types.int(bits, false);
        let (narrow, wide) = (from.bits.min(into.bits), from.bits.max(into.bits));
        let (small, large) = (plain(self, narrow), plain(self, wide));
        let group = usize::from(wide / narrow);
        let machine = self.types.target;
        let above = |n: usize| {
            let narrow = u64::from(narrow);
            machine.low_bit(u64::from(wide), n as u64 * narrow, narrow)
        };
        let shift = |n: usize| mk(large, ExprKind::Int(above(n).into()), span);
        let mut out = Vec::new();
        if from.bits > into.bits {
            for part in parts {
                let part = self.cast(part, large);
                for n in 0..group {
                    let moved = match above(n) {
                        0 => part.clone(),
                        _ => self.binary(BinOp::Shr, part.clone(), shift(n)),
                    };
                    let low = self.cast(moved, small);
                    out.push(self.cast(low, id));
                }
            }
            return out;
        }
        for parts in parts.chunks(group) {
            let mut sum = self.zero(large, span);
            for (n, part) in parts.iter().enumerate() {
                let bits = self.cast(part.clone(), small);
                let bits = self.cast(bits, large);
                let moved = match above(n) {
                    0 => bits,
                    _ => self.binary(BinOp::Shl, bits, shift(n)),
                };
                sum = match n {
                    0 => moved,
                    _ => self.binary(BinOp::BitOr, sum, moved),
                };
            }
            out.push(self.cast(sum, id));
        }
        out
    }
    /// The bits of a value as another type of the same size, by way of memory.
    fn same_bits(&mut self, operand: Operand, to: CTy, span: Span) -> Operand {
        if self.func.is_none() {
            self.error(span, "these bits are no constant here");
            return Operand::error(span);
        }
        let mut body = Vec::new();
        let kept = self.stored(operand, &mut body, span);
        let ExprKind::Load(place, _) = kept.e.kind else {
            return Operand::error(span);
        };
        let pointer = self.pointer_to(QType::plain(to));
        let id = self.cwi(to);
        let pointer = self.cwi(pointer.ty);
        let own = self.program.types.pointer(place.ty);
        let address = mk(own, ExprKind::AddrOf(place), span);
        let address = self.cast(address, pointer);
        let place = mk(id, ExprKind::Deref(Box::new(address)), span);
        let value = self.load(place, false);
        self.after(body, Operand::value(value, QType::plain(to)), span)
    }
    /// A cast to or from a vector, if the sizes are the same.
    pub(super) fn vector_cast(&mut self, operand: Operand, ty: QType, span: Span) -> Operand {
        let sizes = (self.size_of(operand.ty.ty), self.size_of(ty.ty));
        let simple =
            |cx: &Self, ty: CTy| cx.types.as_vector(ty).is_some() || cx.types.is_integer(ty);
        if sizes.0 != sizes.1 || !simple(self, operand.ty.ty) || !simple(self, ty.ty) {
            let (to, from) = (self.show(ty), self.show(operand.ty));
            self.error(span, format!("{from} cannot be cast to {to}"));
            return Operand::error(span);
        }
        match (
            self.types.as_vector(operand.ty.ty),
            self.types.as_vector(ty.ty),
        ) {
            (Some(_), Some(_)) => self.make_vector(operand, ty.ty),
            // An integer is a vector of one element.
            (None, _) => {
                let elem = self.types.strip_enum(operand.ty.ty);
                let one = self.vector_of(elem, 1);
                let value = self.whole(one, vec![operand.e], span);
                self.make_vector(value, ty.ty)
            }
            (Some(_), None) => {
                let elem = self.types.strip_enum(ty.ty);
                let one = self.vector_of(elem, 1);
                let value = self.make_vector(operand, one);
                let mut body = Vec::new();
                let mut parts = self.parts(value, Use::ONCE, &mut body);
                let value = Operand::value(parts.remove(0), ty.unqualified());
                self.after(body, value, span)
            }
        }
    }
    /// `v[i]`
    pub(super) fn vector_index(&mut self, base: Operand, index: Operand, span: Span) -> Operand {
        let index = self.promote(index);
        if index.is_error() {
            return index;
        }
        let Some((elem, len)) = self.types.as_vector(base.ty.ty) else {
            return Operand::error(span);
        };
        if !self.types.is_integer(index.ty.ty) {
            let shown = self.show(index.ty);
            self.error(span, format!("an index must be an integer, not {shown}"));
            return Operand::error(span);
        }
        let word = self.types.ptrdiff_t();
        let word = self.cwi(word);
        let at = self.cast(index.e, word);
        let id = self.cwi(elem);
        let array = self.program.types.array(id, len);
        let category = match base.category {
            Category::Place => Category::Place,
            _ => Category::Part,
        };
        let quals = base.ty.quals;
        let place = match base.e.kind {
            ExprKind::Load(place, _) if base.category == Category::Value => *place,
            kind => mk(base.e.ty, kind, span),
        };
        let elements = mk(array, ExprKind::Field(Box::new(place), 0), span);
        let e = mk(id, ExprKind::Index(Box::new(elements), Box::new(at)), span);
        Operand {
            e,
            ty: self.types.qualify(QType::plain(elem), quals),
            category,
            bits: None,
        }
    }
    pub(super) fn vector_unary(&mut self, op: UnaryOp, operand: Operand, span: Span) -> Operand {
        let ty = operand.ty.ty;
        let Some((elem, _)) = self.types.as_vector(ty) else {
            return Operand::error(span);
        };
        let op = match op {
            UnaryOp::Plus => return operand,
            UnaryOp::Neg => UnOp::Neg,
            _ if self.types.is_float(elem) => {
                let shown = self.show(operand.ty);
                self.error(span, format!("this operator does not apply to {shown}"));
                return Operand::error(span);
            }
            _ => UnOp::BitNot,
        };
        self.each(operand, ty, span, |cx, e| cx.unary(op, e))
    }
    /// The vector of type `ty` whose elements are a function of another's.
    pub(super) fn each(
        &mut self,
        operand: Operand,
        ty: CTy,
        span: Span,
        mut make: impl FnMut(&mut Self, Expr) -> Expr,
    ) -> Operand {
        let mut body = Vec::new();
        let parts = self.parts(operand, Use::ONCE, &mut body);
        let parts = parts.into_iter().map(|p| make(self, p)).collect();
        let value = self.whole(ty, parts, span);
        self.after(body, value, span)
    }
    /// The same of two vectors of the same length; elements may be used several times.
    pub(super) fn zip(
        &mut self,
        (a, b): (Operand, Operand),
        many: bool,
        ty: CTy,
        span: Span,
        mut make: impl FnMut(&mut Self, Expr, Expr) -> Expr,
    ) -> Operand {
        let mut body = Vec::new();
        let usage = Use {
            many,
            later: !is_pure(&b.e),
        };
        let left = self.parts(a, usage, &mut body);
        let usage = Use { many, later: false };
        let right = self.parts(b, usage, &mut body);
        let mut parts = Vec::new();
        for (x, y) in left.into_iter().zip(right) {
            parts.push(make(self, x, y));
        }
        let value = self.whole(ty, parts, span);
        self.after(body, value, span)
    }
    /// A number in every element.
    pub(super) fn splat(
        &mut self,
        operand: Operand,
        ty: CTy,
        body: &mut Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let (elem, len) = self.types.as_vector(ty).expect("a vector");
        let value = self.convert(operand, QType::plain(elem));
        let value = self.part(value.e, MANY, body);
        self.whole(ty, vec![value; len as usize], span)
    }
    /// An operator of which at least one operand is a vector, the other one or a number.
    pub(super) fn vector_binary(
        &mut self,
        op: BinOp,
        a: Operand,
        b: Operand,
        span: Span,
    ) -> Operand {
        let mut body = Vec::new();
        let (left, right) = (self.types.as_vector(a.ty.ty), self.types.as_vector(b.ty.ty));
        let (a, b) = match (left, right) {
            (Some(_), Some(_)) if op.is_shift() && left.map(|l| l.1) == right.map(|r| r.1) => {
                (a, b)
            }
            (Some(_), Some(_)) if self.vectors_agree(a.ty.ty, b.ty.ty) => {
                let ty = a.ty.ty;
                (a, self.make_vector(b, ty))
            }
            (Some(_), None) if self.types.is_arithmetic(b.ty.ty) => {
                let ty = a.ty.ty;
                let a = match is_pure(&b.e) || self.func.is_none() {
                    true => a,
                    false => self.stored(a, &mut body, span),
                };
                (a, self.splat(b, ty, &mut body, span))
            }
            (None, Some(_)) if self.types.is_arithmetic(a.ty.ty) => {
                let ty = b.ty.ty;
                (self.splat(a, ty, &mut body, span), b)
            }
            _ => return self.bad_operands(op, &a, &b, span),
        };
        let ty = a.ty.ty;
        let (elem, len) = self.types.as_vector(ty).expect("a vector");
        let integers_only = op.is_shift()
            || matches!(
                op,
                BinOp::Rem | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor
            );
        if integers_only && self.types.is_float(elem) {
            return self.bad_operands(op, &a, &b, span);
        }
        let value = if op.is_comparison() {
            let mask = self.mask_type(elem, len);
            let (truth, _) = self.types.as_vector(mask).expect("a vector");
            let id = self.cwi(truth);
            self.zip((a, b), false, mask, span, |cx, x, y| {
                let test = cx.binary(op, x, y);
                let one = cx.cast(test, id);
                cx.unary(UnOp::Neg, one)
            })
        } else {
            self.zip((a, b), false, ty, span, |cx, x, y| cx.binary(op, x, y))
        };
        self.after(body, value, span)
    }
    /// The signed integers that a comparison of such elements gives: all ones, or all zeros.
    pub(super) fn mask_type(&mut self, elem: CTy, len: u64) -> CTy {
        let bits = self.size_of(elem).unwrap_or(4) as u16 * 8;
        let truth = self.types.int_of_bits(bits, true);
        self.vector_of(truth, len)
    }
    /// `__builtin_convertvector(v, type)`
    pub(super) fn convert_vector(
        &mut self,
        operand: &ast::Expr,
        ty: &ast::TypeName,
        span: Span,
    ) -> Operand {
        let operand = self.expr(operand);
        let operand = self.rvalue(operand);
        let (ty, _) = self.type_with_effects(ty);
        if operand.is_error() {
            return operand;
        }
        let lengths = [operand.ty, ty].map(|ty| self.types.as_vector(ty.ty));
        match lengths {
            [Some((_, m)), Some((elem, n))] if m == n => {
                let id = self.cwi(elem);
                self.each(operand, ty.ty, span, |cx, e| cx.cast(e, id))
            }
            _ => {
                self.error(
                    span,
                    "'__builtin_convertvector' needs two vectors of one length",
                );
                Operand::error(span)
            }
        }
    }
    /// `__builtin_shuffle(a, mask)` and `__builtin_shuffle(a, b, mask)`
    pub(super) fn shuffle(&mut self, args: &[ast::Expr], span: Span) -> Operand {
        let mut all = Vec::new();
        for arg in args {
            let operand = self.expr(arg);
            all.push(self.rvalue(operand));
        }
        if all.iter().any(Operand::is_error) {
            return Operand::error(span);
        }
        let lengths: Vec<_> = all.iter().map(|o| self.types.as_vector(o.ty.ty)).collect();
        let len = lengths[0].map(|(_, n)| n);
        let same = lengths
            .iter()
            .all(|l| l.is_some() && l.map(|(_, n)| n) == len);
        let two = all.len() == 3;
        let (Some(len), true) = (len, same && (two || all.len() == 2)) else {
            self.error(span, "'__builtin_shuffle' needs vectors of one length");
            return Operand::error(span);
        };
        if two && !self.vectors_agree(all[0].ty.ty, all[1].ty.ty) || self.func.is_none() {
            self.error(span, "'__builtin_shuffle' needs two vectors of one type");
            return Operand::error(span);
        }
        let mask = all.pop().expect("counted above");
        let ty = all[0].ty.ty;
        let mut body = Vec::new();
        let mut elements = Vec::new();
        let later = Use {
            many: true,
            later: true,
        };
        for vector in all {
            elements.extend(self.parts(vector, later, &mut body));
        }
        let (elem, _) = self.types.as_vector(ty).expect("a vector");
        let count = elements.len() as u64;
        let indices = self.parts(mask, MANY, &mut body);
        let constant: Option<Vec<usize>> = indices
            .iter()
            .map(|e| match e.kind {
                ExprKind::Int(n) => Some((n as u64 & (count - 1)) as usize),
                _ => None,
            })
            .collect();
        let parts = match constant {
            Some(numbers) => numbers.into_iter().map(|n| elements[n].clone()).collect(),
            None => {
                let all = self.vector_of(elem, count);
                let pool = self.whole(all, elements, span);
                let pool = self.stored(pool, &mut body, span);
                let mut parts = Vec::new();
                for index in indices {
                    let last = self.int_expr(index.ty, i128::from(count) - 1, span);
                    let index = self.binary(BinOp::BitAnd, index, last);
                    let ty = self.index_type(&index);
                    let index = Operand::value(index, ty);
                    let part = self.vector_index(pool.clone(), index, span);
                    parts.push(self.load(part.e, false));
                }
                parts
            }
        };
        debug_assert_eq!(parts.len() as u64, len, "one for each element of the mask");
        let value = self.whole(ty, parts, span);
        self.after(body, value, span)
    }
    /// A C type for an integer of some width.
    fn index_type(&self, e: &Expr) -> QType {
        let int = value::int_type(&self.program.types, e.ty);
        let int = int.unwrap_or(IntTy::new(32, true));
        QType::plain(self.types.int_of_bits(int.bits, int.signed))
    }
    /// `__builtin_shufflevector(a, b, 0, 4, …)`
    pub(super) fn shuffle_vector(&mut self, args: &[ast::Expr], span: Span) -> Operand {
        let [a, b, indices @ ..] = args else {
            self.error(span, "too few arguments to '__builtin_shufflevector'");
            return Operand::error(span);
        };
        let mut body = Vec::new();
        let mut elements = Vec::new();
        let mut elem = None;
        let later = Use {
            many: true,
            later: true,
        };
        for vector in [a, b] {
            let operand = self.expr(vector);
            let operand = self.rvalue(operand);
            let Some((own, _)) = self.types.as_vector(operand.ty.ty) else {
                if !operand.is_error() {
                    self.error(span, "'__builtin_shufflevector' needs two vectors");
                }
                return Operand::error(span);
            };
            elem = elem.or(Some(own));
            elements.extend(self.parts(operand, later, &mut body));
        }
        let elem = elem.expect("set above");
        let id = self.cwi(elem);
        let mut parts = Vec::new();
        for index in indices {
            let Some((n, _)) = self.int_constant(index, "an index of a shuffle") else {
                return Operand::error(span);
            };
            parts.push(
                match usize::try_from(n).ok().and_then(|n| elements.get(n)) {
                    Some(e) => self.cast(e.clone(), id),
                    None if n == -1 => mk(id, ExprKind::Choose, span),
                    None => {
                        self.error(index.span, "the index lies outside of both vectors");
                        return Operand::error(span);
                    }
                },
            );
        }
        let ty = self.vector_of(elem, parts.len() as u64);
        let value = self.whole(ty, parts, span);
        self.after(body, value, span)
    }
    /// Whether a cast or an operator has to do with vectors.
    pub(super) fn is_vector(&self, ty: QType) -> bool {
        self.types.as_vector(ty.ty).is_some()
    }
}
