//! Conversions: lvalues to values, promotions, the usual arithmetic conversions, and what
//! assignment allows.

use super::Cx;
use super::ctype::{CKind, CTy, CTypes, FloatKind, IntKind, QType, Quals};
use super::fold::{Category, Operand, mk};
use crate::hir::{Expr, ExprKind, LocalInit, PathStep, Piece};
use cwolf_base::Span;
use cwolf_cwi::{IntTy, Types, VarKind};

/// Why a value is converted, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum Why {
    Assign,
    Init,
    Return,
    /// The argument with this number, from 1.
    Argument(usize),
}

impl Why {
    fn words(self) -> String {
        match self {
            Why::Assign => "assignment".into(),
            Why::Init => "initialisation".into(),
            Why::Return => "return".into(),
            Why::Argument(n) => format!("argument {n}"),
        }
    }
}

impl Cx<'_> {
    /// The value of an operand: places are loaded, arrays and functions become pointers.
    pub(super) fn rvalue(&mut self, operand: Operand) -> Operand {
        let Operand {
            e,
            ty,
            category,
            bits,
        } = operand;
        match *self.types.kind(ty.ty) {
            CKind::Func(_) => Operand::value(e, self.pointer_to(ty)),
            CKind::Array { elem, .. } => {
                let pointer = self.pointer_to(elem);
                let pointer_id = self.cwi(pointer.ty);
                if category == Category::Value && !matches!(e.kind, ExprKind::Choose) {
                    // Only a record's value can have array parts; they are places.
                    return Operand::value(self.addr_of(e, pointer_id), pointer);
                }
                let e = if matches!(e.kind, ExprKind::Choose) {
                    mk(pointer_id, ExprKind::Choose, e.span)
                } else {
                    self.addr_of(e, pointer_id)
                };
                Operand::value(e, pointer)
            }
            CKind::Unsupported { name, .. } => {
                self.unsupported(e.span, name);
                Operand::error(e.span)
            }
            CKind::Void if category != Category::Value => {
                // `*p` of a `void *` is allowed where no value is needed.
                let nothing = mk(Types::INT, ExprKind::Int(0), e.span);
                let e = mk(Types::VOID, ExprKind::Cast(Box::new(nothing)), e.span);
                Operand::value(e, QType::plain(CTypes::VOID))
            }
            CKind::Record(id) if !self.types.records[id].complete => {
                let shown = self.show(ty);
                self.error(e.span, format!("the incomplete type {shown} has no value"));
                Operand::error(e.span)
            }
            CKind::Record(id) if self.types.records[id].runtime.is_some() => {
                self.no_runtime_value(e.span)
            }
            _ => {
                let e = match category {
                    Category::Value => e,
                    _ if matches!(e.kind, ExprKind::Choose) => e,
                    _ => self.load(e, ty.is_volatile()),
                };
                let e = if bits.is_some() {
                    let declared = self.cwi(ty.ty);
                    self.cast(e, declared)
                } else {
                    e
                };
                Operand {
                    e,
                    ty: ty.unqualified(),
                    category: Category::Value,
                    bits,
                }
            }
        }
    }
    /// The type after integer promotion.
    fn promoted(&mut self, ty: CTy, bits: Option<u16>) -> CTy {
        let base = self.types.strip_enum(ty);
        let Some(int) = self.types.int_ty(base) else {
            return base;
        };
        if let Some(bits) = bits {
            let whole = self.types.target.int_bits;
            return match bits {
                bits if bits < whole => CTypes::INT,
                bits if bits == whole && int.signed => CTypes::INT,
                bits if bits == whole => CTypes::UINT,
                _ if bits == int.bits => base,
                // gcc computes with the field's own width.
                _ => self.types.intern(CKind::Wide {
                    bits,
                    signed: int.signed,
                }),
            };
        }
        match self.types.kind(base) {
            CKind::Bool => CTypes::INT,
            CKind::Int(kind) if kind.rank() < IntKind::Int.rank() => {
                self.types.promoted_small(*kind)
            }
            _ => base,
        }
    }
    /// The value after integer promotion.
    pub(super) fn promote(&mut self, operand: Operand) -> Operand {
        let operand = self.rvalue(operand);
        if !self.types.is_integer(operand.ty.ty) {
            return operand;
        }
        let ty = self.promoted(operand.ty.ty, operand.bits);
        self.convert(operand, QType::plain(ty))
    }
    /// The value as an argument that no prototype describes.
    pub(super) fn default_promote(&mut self, operand: Operand) -> Operand {
        let operand = self.promote(operand);
        match self.types.kind(operand.ty.ty) {
            CKind::Float(FloatKind::Float) => self.convert(operand, QType::plain(CTypes::DOUBLE)),
            _ => self.drop_excess(operand),
        }
    }
    /// The value rounded to its own type.
    pub(super) fn drop_excess(&mut self, operand: Operand) -> Operand {
        let own = self.types.without_excess(operand.ty.ty);
        match own == operand.ty.ty {
            true => operand,
            false => self.convert(operand, QType::plain(own)),
        }
    }
    /// The type that two arithmetic operands are brought to.
    pub(super) fn common_type(&mut self, a: &Operand, b: &Operand) -> CTy {
        let parts = [a, b].map(|o| self.types.complex_part(o.ty.ty));
        if parts != [None, None] {
            let [x, y] = [(a, parts[0]), (b, parts[1])].map(|(o, part)| match part {
                Some(part) => part,
                None => self.promoted(o.ty.ty, o.bits),
            });
            let part = self.common_real(x, y);
            return self.complex_of(part);
        }
        let x = self.promoted(a.ty.ty, a.bits);
        let y = self.promoted(b.ty.ty, b.bits);
        self.common_real(x, y)
    }
    /// The same for two real types that are promoted already, or parts of complex ones, which are not.
    fn common_real(&mut self, x: CTy, y: CTy) -> CTy {
        match (self.types.kind(x), self.types.kind(y)) {
            (CKind::Float(x), CKind::Float(y)) => return computed_in(*x.max(y)),
            (CKind::Float(x), _) => return computed_in(*x),
            (_, CKind::Float(y)) => return computed_in(*y),
            _ => {}
        }
        if x == y {
            return x;
        }
        let (Some(p), Some(q)) = (self.types.int_ty(x), self.types.int_ty(y)) else {
            return CTypes::ERROR;
        };
        let rank = |ty: CTy, int: IntTy, types: &CTypes| match types.kind(ty) {
            CKind::Int(kind) => (int.bits, kind.rank()),
            _ => (int.bits, 0),
        };
        let (m, n) = (rank(x, p, &self.types), rank(y, q, &self.types));
        if p.signed == q.signed {
            return if m >= n { x } else { y };
        }
        let (signed, signed_bits, s, unsigned, unsigned_bits, u) = if p.signed {
            (x, p.bits, m, y, q.bits, n)
        } else {
            (y, q.bits, n, x, p.bits, m)
        };
        if u >= s {
            unsigned
        } else if signed_bits > unsigned_bits {
            signed
        } else {
            match self.types.kind(signed) {
                CKind::Int(kind) => CTypes::int_id(kind.with_sign(false)),
                _ => unsigned,
            }
        }
    }
    /// A value converted to `ty` as a cast does; both are scalar or complex, or the same record.
    pub(super) fn convert(&mut self, operand: Operand, ty: QType) -> Operand {
        let id = self.cwi(ty.ty);
        if !operand.is_error() {
            if let Some(part) = self.types.complex_part(ty.ty) {
                return self.make_complex(operand, part);
            }
            if self.types.complex_part(operand.ty.ty).is_some() && !self.types.is_error(ty.ty) {
                return self.make_real(operand, ty);
            }
        }
        let e = if operand.is_error() || self.types.is_error(ty.ty) {
            self.zero(id, operand.e.span)
        } else {
            self.cast(operand.e, id)
        };
        Operand::value(e, ty.unqualified())
    }
    /// A condition: any scalar.
    pub(super) fn condition(&mut self, e: &crate::ast::Expr) -> Expr {
        let operand = self.expr(e);
        let operand = self.rvalue(operand);
        let operand = match self.types.complex_part(operand.ty.ty) {
            Some(_) => {
                let truth = self.complex_truth(operand);
                Operand::value(truth, QType::plain(CTypes::INT))
            }
            None => operand,
        };
        if !operand.is_error() && !self.types.is_scalar(operand.ty.ty) {
            let shown = self.show(operand.ty);
            self.error(
                e.span,
                format!("a condition must be a number or pointer, not {shown}"),
            );
            return self.int_operand(0, e.span).e;
        }
        if let Some(truth) = self.truth(&operand.e) {
            return self.int_operand(i128::from(truth), e.span).e;
        }
        operand.e
    }
    pub(super) fn is_null_constant(&self, operand: &Operand) -> bool {
        if operand.ty.ty == CTypes::NULLPTR {
            return true;
        }
        if !matches!(operand.e.kind, ExprKind::Int(0)) {
            return false;
        }
        match self.types.kind(operand.ty.ty) {
            CKind::Pointer(to) => *to == QType::plain(CTypes::VOID),
            _ => self.types.is_integer(operand.ty.ty),
        }
    }
    /// A value converted to `to` as if by assignment. What C forbids but gcc lets pass is a
    /// warning; the rest is an error.
    pub(super) fn assign_convert(&mut self, operand: Operand, to: QType, why: Why) -> Expr {
        let span = operand.e.span;
        let operand = self.rvalue(operand);
        let id = self.cwi(to.ty);
        if operand.is_error() || self.types.is_error(to.ty) {
            return self.zero(id, span);
        }
        let from = operand.ty;
        if let Some(name) = self.types.unsupported(to.ty) {
            self.unsupported(span, name);
            return self.zero(id, span);
        }
        if self.types.is_number(to.ty) && self.types.is_number(from.ty) {
            return self.convert(operand, to).e;
        }
        match (
            self.types.kind(to.ty).clone(),
            self.types.kind(from.ty).clone(),
        ) {
            (CKind::Record(a), CKind::Record(b)) if a == b => return operand.e,
            (CKind::Vector { .. }, CKind::Vector { .. }) if self.vectors_agree(to.ty, from.ty) => {
                return self.make_vector(operand, to.ty).e;
            }
            (CKind::Record(union), _) if self.types.records[union].transparent => {
                if let Some(e) = self.transparent(&operand, to, union) {
                    return e;
                }
            }
            (CKind::Pointer(t), CKind::Pointer(f)) => {
                if !self.is_null_constant(&operand) {
                    self.check_pointers(t, f, to, from, span, why);
                }
                return self.convert(operand, to).e;
            }
            (CKind::Pointer(_) | CKind::Nullptr, CKind::Nullptr)
            | (CKind::Bool, CKind::Pointer(_) | CKind::Nullptr) => {
                return self.convert(operand, to).e;
            }
            (CKind::Pointer(_), _) if self.types.is_integer(from.ty) => {
                if !self.is_null_constant(&operand) {
                    self.warn_conversion(span, why, to, from, "makes a pointer from an integer");
                }
                return self.convert(operand, to).e;
            }
            (_, CKind::Pointer(_)) if self.types.is_integer(to.ty) => {
                self.warn_conversion(span, why, to, from, "makes an integer from a pointer");
                return self.convert(operand, to).e;
            }
            (CKind::Nullptr, _) if self.is_null_constant(&operand) => {
                return self.convert(operand, to).e;
            }
            _ => {}
        }
        let (to_name, from_name) = (self.show(to), self.show(from));
        let words = why.words();
        let message = if self.types.is_void(from.ty) {
            format!("{words}: a value of type {to_name} is needed, but this has none ('void')")
        } else {
            format!("{words}: {from_name} cannot be converted to {to_name}")
        };
        self.error(span, message);
        self.zero(id, span)
    }
    fn warn_conversion(&mut self, span: Span, why: Why, to: QType, from: QType, what: &str) {
        let (to, from) = (self.show(to), self.show(from));
        let words = why.words();
        self.warn(
            span,
            format!("{words} {what} without a cast ({to} from {from})"),
        );
    }
    /// The qualifiers of what a pointer points to; an array's are its elements'.
    fn target_quals(&self, ty: QType) -> Quals {
        match self.types.as_array(ty.ty) {
            Some((elem, _)) => self.target_quals(elem),
            None => ty.quals,
        }
    }
    fn check_pointers(&mut self, t: QType, f: QType, to: QType, from: QType, span: Span, why: Why) {
        let ignored = Quals::RESTRICT.with(Quals::ATOMIC);
        let lost = self
            .target_quals(f)
            .without(self.target_quals(t))
            .without(ignored);
        if self.pointers_agree(t, f) {
            if !lost.is_empty() && !self.types.is_func(f.ty) {
                let what = format!("loses the qualifier '{}'", lost.words().trim_end());
                self.warn_conversion(span, why, to, from, &what);
            }
        } else {
            self.warn_conversion(span, why, to, from, "has an incompatible pointer type");
        }
    }
    /// Whether pointers to `t` and `f` convert into each other silently (gcc does not mind
    /// different signs by default).
    pub(super) fn pointers_agree(&mut self, t: QType, f: QType) -> bool {
        if self.types.is_void(t.ty) || self.types.is_void(f.ty) {
            return true;
        }
        let unsigned = |types: &CTypes, ty: CTy| match types.kind(types.strip_enum(ty)) {
            CKind::Int(kind) => CTypes::int_id(kind.with_sign(false)),
            _ => ty,
        };
        let (a, b) = (unsigned(&self.types, t.ty), unsigned(&self.types, f.ty));
        if self.types.compatible(a, b) {
            return true;
        }
        // Arrays whose elements differ only in qualifiers.
        match (self.types.as_array(t.ty), self.types.as_array(f.ty)) {
            (Some((p, _)), Some((q, _))) => self.pointers_agree(p.unqualified(), q.unqualified()),
            _ => false,
        }
    }
    /// A value passed for a transparent union: the union that holds it.
    fn transparent(
        &mut self,
        operand: &Operand,
        to: QType,
        union: cwolf_cwi::RecordId,
    ) -> Option<Expr> {
        let fields = self.types.records[union].fields.clone();
        let fits = |cx: &mut Self, ty: QType| {
            let both = (cx.types.pointee(ty.ty), cx.types.pointee(operand.ty.ty));
            match both {
                (Some(a), Some(b)) => cx.pointers_agree(a, b),
                (Some(_), None) => cx.is_null_constant(operand),
                _ => cx.types.compatible(ty.ty, operand.ty.ty),
            }
        };
        let number = fields.iter().position(|f| fits(self, f.ty))?;
        let member = fields[number].ty;
        let value = self.convert(operand.clone(), member).e;
        let func = self.func.as_ref()?.id;
        let span = value.span;
        let id = self.cwi(to.ty);
        let var = self.new_var("union#".into(), id, VarKind::Temp(func), span);
        let init = LocalInit::Pieces {
            zero: true,
            pieces: vec![Piece {
                path: vec![PathStep::Field(number as u32)],
                ty: value.ty,
                value,
            }],
        };
        let place = mk(id, ExprKind::Compound(var, Box::new(init)), span);
        Some(self.load(place, false))
    }
}

/// The type in which arithmetic on floats of a kind is done.
fn computed_in(kind: FloatKind) -> CTy {
    CTypes::float_id(match kind {
        FloatKind::Float16 => FloatKind::Float16Excess,
        kind => kind,
    })
}
