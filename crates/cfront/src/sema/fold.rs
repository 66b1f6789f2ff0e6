//! Building typed expressions. Every constructor folds what is constant, with the operators of
//! `cwi::value`, so that a constant expression is simply one that comes out as a number. What C
//! does not define (`INT_MAX + 1`, `1 / 0`, `1 << 40`) stays an operator, or no check would see
//! it; [`Cx::constant`] computes it where C insists on a constant.

use super::Cx;
use super::ctype::{CTypes, QType};
use crate::ast;
use crate::hir::{Expr, ExprKind, Scale};
use cwolf_base::Span;
use cwolf_cwi::value::{self, Value, defined};
use cwolf_cwi::{BinOp, FuncId, Type, TypeId, Types, UnOp, VarId};

/// How an operand may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    /// A value; a function designator is the value of its address.
    Value,
    /// An lvalue.
    Place,
    /// A part of a record value, such as `f().x`: can be read, not written.
    Part,
}

/// An expression with its C type.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub e: Expr,
    pub ty: QType,
    pub category: Category,
    /// The width, if it is (the value of) a bit-field.
    pub bits: Option<u16>,
}

impl Operand {
    pub fn value(e: Expr, ty: QType) -> Operand {
        Operand {
            e,
            ty,
            category: Category::Value,
            bits: None,
        }
    }
    pub fn place(e: Expr, ty: QType) -> Operand {
        Operand {
            e,
            ty,
            category: Category::Place,
            bits: None,
        }
    }
    pub fn error(span: Span) -> Operand {
        Operand::value(
            mk(Types::INT, ExprKind::Choose, span),
            QType::plain(CTypes::ERROR),
        )
    }
    pub fn is_error(&self) -> bool {
        self.ty.ty == CTypes::ERROR
    }
    pub fn is_bit_field(&self) -> bool {
        self.bits.is_some() && self.category != Category::Value
    }
    pub fn is_lvalue(&self) -> bool {
        self.category == Category::Place
    }
}

/// A constant known at link time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Const {
    Int(i128),
    Float(u128),
    Addr(VarId, i64),
    Func(FuncId),
}

pub(super) fn mk(ty: TypeId, kind: ExprKind, span: Span) -> Expr {
    Expr { ty, kind, span }
}

fn number(e: &Expr) -> Option<Value> {
    match e.kind {
        ExprKind::Int(v) => Some(Value::Int(v)),
        ExprKind::Float(v) => Some(Value::Float(v)),
        _ => None,
    }
}

fn number_kind(value: Value) -> ExprKind {
    match value {
        Value::Int(v) => ExprKind::Int(v),
        Value::Float(v) => ExprKind::Float(v),
    }
}

/// Whether an expression is a number.
pub(super) fn is_number(e: &Expr) -> bool {
    number(e).is_some()
}

/// Whether evaluating it twice, or not at all, makes no difference.
pub(super) fn is_pure(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Var(_)
        | ExprKind::FuncAddr(_)
        | ExprKind::VarArgs
        | ExprKind::LabelAddr(_) => true,
        ExprKind::Deref(a)
        | ExprKind::Field(a, _)
        | ExprKind::AddrOf(a)
        | ExprKind::Cast(a)
        | ExprKind::Unary(_, a) => is_pure(a),
        ExprKind::Load(a, volatile) => !volatile && is_pure(a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b) => is_pure(a) && is_pure(b),
        ExprKind::PtrAdd { ptr, index, scale } => {
            is_pure(ptr) && is_pure(index) && matches!(scale, Scale::Const(_))
        }
        ExprKind::Whole(pieces) => pieces.iter().all(|p| is_pure(&p.value)),
        _ => false,
    }
}

/// Whether evaluating an expression does nothing, and gives the same whatever is written in between: it reads no memory.
pub(super) fn is_fixed(e: &Expr) -> bool {
    let mut loads = matches!(e.kind, ExprKind::Load(..));
    e.for_each_operand(&mut |o| loads = loads || !is_fixed(o));
    !loads && is_pure(e)
}

impl Cx<'_> {
    pub(super) fn int_expr(&self, ty: TypeId, v: i128, span: Span) -> Expr {
        let int = value::int_type(&self.program.types, ty);
        let v = int.map_or(v, |int| value::wrap(int, v));
        mk(ty, ExprKind::Int(v), span)
    }
    /// An unsigned word, C's `size_t`.
    pub(super) fn word_expr(&mut self, v: u64, span: Span) -> Expr {
        let ty = self.types.size_t();
        let ty = self.cwi(ty);
        self.int_expr(ty, v.into(), span)
    }
    pub(super) fn size_operand(&mut self, v: u64, span: Span) -> Operand {
        let ty = QType::plain(self.types.size_t());
        let e = self.word_expr(v, span);
        Operand::value(e, ty)
    }
    pub(super) fn int_operand(&mut self, v: i128, span: Span) -> Operand {
        let id = self.cwi(CTypes::INT);
        let e = self.int_expr(id, v, span);
        Operand::value(e, QType::plain(CTypes::INT))
    }
    /// The result of a test, which has 32 bits in the intermediate code, as an `int` of the machine.
    pub(super) fn int_truth(&mut self, test: Expr) -> Operand {
        let id = self.cwi(CTypes::INT);
        Operand::value(self.cast(test, id), QType::plain(CTypes::INT))
    }
    /// The zero of a type; of an aggregate, anything.
    pub(super) fn zero(&self, ty: TypeId, span: Span) -> Expr {
        let kind = match self.program.types[ty] {
            Type::Float(_) => ExprKind::Float(0),
            Type::Array { .. } | Type::Record(_) | Type::Func(_) | Type::Void => ExprKind::Choose,
            _ => ExprKind::Int(0),
        };
        mk(ty, kind, span)
    }
    pub(super) fn cast(&self, e: Expr, to: TypeId) -> Expr {
        if e.ty == to {
            return e;
        }
        let types = &self.program.types;
        let span = e.span;
        if types.is_scalar(e.ty) && types.is_scalar(to) {
            if let Some(v) = number(&e)
                && defined::cast(types, e.ty, to, v)
            {
                let v = value::cast(types, e.ty, to, v);
                return mk(to, number_kind(v), span);
            }
            // Through a wider integer type is as good as directly.
            if let ExprKind::Cast(inner) = &e.kind
                && let (Some(a), Some(b)) = (types.as_int(inner.ty), types.as_int(e.ty))
                && (b.bits > a.bits && (b.signed || !a.signed)
                    || (b.bits >= a.bits && b.signed == a.signed))
                && types.as_int(to).is_some()
            {
                let ExprKind::Cast(inner) = e.kind else {
                    unreachable!("matched above")
                };
                return self.cast(*inner, to);
            }
        }
        mk(to, ExprKind::Cast(Box::new(e)), span)
    }
    pub(super) fn unary(&self, op: UnOp, e: Expr) -> Expr {
        let span = e.span;
        let ty = if op == UnOp::Not { Types::INT } else { e.ty };
        let types = &self.program.types;
        if let Some(v) = number(&e)
            && defined::unary(types, op, e.ty, v)
        {
            let v = value::unary(types, op, e.ty, v);
            return mk(ty, number_kind(v), span);
        }
        mk(ty, ExprKind::Unary(op, Box::new(e)), span)
    }
    /// `a op b` on operands already converted; not for `&&` and `||`.
    pub(super) fn binary(&self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let span = a.span.to(b.span);
        let ty = if op.is_test() { Types::INT } else { a.ty };
        let types = &self.program.types;
        if let (Some(x), Some(y)) = (number(&a), number(&b))
            && defined::binary(types, op, a.ty, x, y)
            && let Ok(v) = value::binary(types, op, a.ty, x, y)
        {
            return mk(ty, number_kind(v), span);
        }
        if op.is_comparison()
            && !is_number(&a)
            && let (Some(x), Some(y)) = (self.address(&a), self.address(&b))
            && let Some(v) = compare_addresses(op, x, y)
        {
            return mk(ty, ExprKind::Int(i128::from(v)), span);
        }
        mk(ty, ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
    }
    /// The truth of a constant, if it is one.
    pub(super) fn truth(&self, e: &Expr) -> Option<bool> {
        if let Some(v) = number(e) {
            return Some(value::is_true(&self.program.types, e.ty, v));
        }
        match self.address(e)? {
            Const::Addr(..) | Const::Func(_) => Some(true),
            _ => None,
        }
    }
    /// `a && b` or `a || b`, with C's order of evaluation.
    pub(super) fn logical(&self, and: bool, a: Expr, b: Expr) -> Expr {
        let span = a.span.to(b.span);
        match (self.truth(&a), self.truth(&b)) {
            (Some(left), _) if left != and => {
                return mk(Types::INT, ExprKind::Int(i128::from(left)), span);
            }
            (Some(_), Some(right)) => {
                return mk(Types::INT, ExprKind::Int(i128::from(right)), span);
            }
            _ => {}
        }
        let (a, b) = (Box::new(a), Box::new(b));
        let kind = if and {
            ExprKind::And(a, b)
        } else {
            ExprKind::Or(a, b)
        };
        mk(Types::INT, kind, span)
    }
    pub(super) fn cond(&self, c: Expr, a: Expr, b: Expr) -> Expr {
        match self.truth(&c) {
            Some(true) => a,
            Some(false) => b,
            None => {
                let (ty, span) = (a.ty, c.span.to(b.span));
                let kind = ExprKind::Cond(Box::new(c), Box::new(a), Box::new(b));
                mk(ty, kind, span)
            }
        }
    }
    pub(super) fn comma(&self, a: Expr, b: Expr) -> Expr {
        if is_number(&a) {
            return b;
        }
        let (ty, span) = (b.ty, a.span.to(b.span));
        mk(ty, ExprKind::Comma(Box::new(a), Box::new(b)), span)
    }
    /// `ptr + index * scale`; the index is a signed word.
    pub(super) fn ptr_add(&self, ptr: Expr, index: Expr, scale: Scale) -> Expr {
        let (ty, span) = (ptr.ty, ptr.span.to(index.span));
        if let (ExprKind::Int(p), ExprKind::Int(i), Scale::Const(n)) =
            (&ptr.kind, &index.kind, &scale)
        {
            let sum = p.wrapping_add(i.wrapping_mul(i128::from(*n)));
            return self.int_expr(ty, sum, span);
        }
        if matches!(index.kind, ExprKind::Int(0)) {
            return ptr;
        }
        let kind = ExprKind::PtrAdd {
            ptr: Box::new(ptr),
            index: Box::new(index),
            scale,
        };
        mk(ty, kind, span)
    }
    pub(super) fn load(&self, place: Expr, volatile: bool) -> Expr {
        let (ty, span) = (place.ty, place.span);
        if let Some(v) = self.literal_char(&place) {
            return self.int_expr(ty, v, span);
        }
        mk(ty, ExprKind::Load(Box::new(place), volatile), span)
    }
    /// A character of a string literal.
    fn literal_char(&self, place: &Expr) -> Option<i128> {
        let ExprKind::Index(base, index) = &place.kind else {
            return None;
        };
        let (ExprKind::Var(var), ExprKind::Int(index)) = (&base.kind, &index.kind) else {
            return None;
        };
        let var = &self.program.vars[*var];
        let [item] = var.init.as_slice() else {
            return None;
        };
        match (&item.value, var.kind, var.constant) {
            (cwolf_cwi::InitValue::Bytes(bytes), cwolf_cwi::VarKind::Literal, true) => {
                let len = self.program.types.size_of(var.ty);
                let ty = self.program.types.as_int(place.ty)?;
                let index = u64::try_from(*index).ok().filter(|i| *i < len)?;
                Some(
                    bytes
                        .get(index as usize)
                        .map_or(0, |&b| value::wrap(ty, b.into())),
                )
            }
            _ => None,
        }
    }
    /// The address of a place, as a pointer of type `ty`.
    pub(super) fn addr_of(&self, place: Expr, ty: TypeId) -> Expr {
        let span = place.span;
        if let ExprKind::Deref(ptr) = place.kind {
            return self.cast(*ptr, ty);
        }
        if let Some(address) = self.fixed_address(&place) {
            return self.int_expr(ty, address, span);
        }
        mk(ty, ExprKind::AddrOf(Box::new(place)), span)
    }
    /// The address of a place inside an object at a fixed address, as in `&((T *)0)->f`.
    fn fixed_address(&self, place: &Expr) -> Option<i128> {
        match &place.kind {
            ExprKind::Deref(ptr) => match ptr.kind {
                ExprKind::Int(v) => Some(v),
                _ => None,
            },
            ExprKind::Field(base, field) => {
                Some(self.fixed_address(base)? + i128::from(self.field_offset(base.ty, *field)))
            }
            ExprKind::Index(base, index) => {
                let ExprKind::Int(i) = index.kind else {
                    return None;
                };
                let size = i128::from(self.program.types.size_of(place.ty));
                Some(self.fixed_address(base)?.wrapping_add(i.wrapping_mul(size)))
            }
            _ => None,
        }
    }
    /// A field's offset in bytes.
    pub(super) fn field_offset(&self, record: TypeId, field: u32) -> u64 {
        let id = self
            .program
            .types
            .as_record(record)
            .expect("fields are in records");
        self.program.types.records[id].fields[field as usize].bit_offset / 8
    }
    /// What `ptr` points to, as a place of type `ty`.
    pub(super) fn deref(&self, ptr: Expr, ty: TypeId) -> Expr {
        let span = ptr.span;
        match ptr.kind {
            ExprKind::AddrOf(place) if place.ty == ty => *place,
            ExprKind::AddrOf(place) if self.is_array_of(place.ty, ty) => {
                let zero = self.signed_word(0, span);
                mk(ty, ExprKind::Index(place, Box::new(zero)), span)
            }
            ExprKind::PtrAdd {
                ptr: base,
                index,
                scale,
            } => {
                let steps = matches!(scale, Scale::Const(n) if n == self.program.types.size_of(ty));
                match base.kind {
                    ExprKind::AddrOf(place) if steps && self.is_array_of(place.ty, ty) => {
                        mk(ty, ExprKind::Index(place, index), span)
                    }
                    kind => {
                        let base = Box::new(mk(base.ty, kind, base.span));
                        let kind = ExprKind::PtrAdd {
                            ptr: base,
                            index,
                            scale,
                        };
                        let ptr = mk(ptr.ty, kind, span);
                        mk(ty, ExprKind::Deref(Box::new(ptr)), span)
                    }
                }
            }
            kind => {
                let ptr = mk(ptr.ty, kind, span);
                mk(ty, ExprKind::Deref(Box::new(ptr)), span)
            }
        }
    }
    fn is_array_of(&self, array: TypeId, elem: TypeId) -> bool {
        matches!(self.program.types[array], Type::Array { elem: e, .. } if e == elem)
    }
    pub(super) fn signed_word(&self, v: i128, span: Span) -> Expr {
        let word = self.types.target.word(true);
        let ty = self.program.types.lookup(&Type::Int(word));
        mk(ty.unwrap_or(Types::INT), ExprKind::Int(v), span)
    }
    pub(super) fn var_place(&self, var: VarId, ty: TypeId, span: Span) -> Expr {
        mk(ty, ExprKind::Var(var), span)
    }
    /// The value of a variable.
    pub(super) fn var_value(&self, var: VarId, span: Span) -> Expr {
        let ty = self.program.vars[var].ty;
        let place = self.var_place(var, ty, span);
        mk(ty, ExprKind::Load(Box::new(place), false), span)
    }
    pub(super) fn assign_expr(&self, place: Expr, value: Expr, volatile: bool) -> Expr {
        let (ty, span) = (place.ty, place.span.to(value.span));
        let kind = ExprKind::Assign {
            place: Box::new(place),
            value: Box::new(value),
            volatile,
        };
        mk(ty, kind, span)
    }
    /// A constant that may be compared here: a number, or an address that is surely not null.
    fn address(&self, e: &Expr) -> Option<Const> {
        let found = self.any_address(e)?;
        let absent = match found {
            Const::Addr(var, _) => self.weak.contains(&var),
            // An alias has the address of what it names.
            Const::Func(func) => {
                self.weak_funcs.contains(&func) || self.program.funcs[func].alias.is_some()
            }
            _ => false,
        };
        (!absent).then_some(found)
    }
    fn any_address(&self, e: &Expr) -> Option<Const> {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => self.constant(e),
            ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) | ExprKind::PtrAdd { .. } => {
                self.constant(e)
            }
            ExprKind::Cast(inner) if self.program.types.pointee(e.ty).is_some() => {
                self.program.types.pointee(inner.ty)?;
                self.any_address(inner)
            }
            _ => None,
        }
    }
    /// The value of an expression that is a number or an address known at link time.
    pub(super) fn constant(&self, e: &Expr) -> Option<Const> {
        let types = &self.program.types;
        match &e.kind {
            ExprKind::Int(v) => Some(Const::Int(*v)),
            ExprKind::Float(v) => Some(Const::Float(*v)),
            ExprKind::FuncAddr(f) => Some(Const::Func(*f)),
            ExprKind::LabelAddr(label) => {
                let taken = &self.func.as_ref()?.address_taken;
                let at = taken.iter().position(|l| l == label)?;
                Some(Const::Int(at as i128 + 1))
            }
            ExprKind::AddrOf(place) => self.place_address(place),
            ExprKind::Cast(inner) => match self.constant(inner)? {
                Const::Int(v) if types.is_scalar(e.ty) => Some(from_value(value::cast(
                    types,
                    inner.ty,
                    e.ty,
                    Value::Int(v),
                ))),
                Const::Float(v) if types.is_scalar(e.ty) => Some(from_value(value::cast(
                    types,
                    inner.ty,
                    e.ty,
                    Value::Float(v),
                ))),
                _ if e.ty == Types::BOOL => Some(Const::Int(1)),
                address => {
                    let wide = types
                        .as_int(e.ty)
                        .is_some_and(|t| t.bits >= types.target().pointer_bits());
                    (wide || types.pointee(e.ty).is_some()).then_some(address)
                }
            },
            ExprKind::PtrAdd {
                ptr,
                index,
                scale: Scale::Const(scale),
            } => {
                let Const::Int(i) = self.constant(index)? else {
                    return None;
                };
                self.constant(ptr)?
                    .offset(i.checked_mul(i128::from(*scale))?)
            }
            ExprKind::PtrDiff {
                left,
                right,
                scale: Scale::Const(scale),
            } if *scale > 0 => {
                let distance = match (self.constant(left)?, self.constant(right)?) {
                    (Const::Addr(a, m), Const::Addr(b, n)) if a == b => {
                        i128::from(m) - i128::from(n)
                    }
                    (Const::Int(m), Const::Int(n)) => m.wrapping_sub(n),
                    _ => return None,
                };
                Some(Const::Int(distance / i128::from(*scale)))
            }
            ExprKind::Unary(op, a) => {
                let v = to_value(self.constant(a)?)?;
                Some(from_value(value::unary(types, *op, a.ty, v)))
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let and = matches!(e.kind, ExprKind::And(..));
                let mut truth = self.constant_truth(a)?;
                if truth == and {
                    truth = self.constant_truth(b)?;
                }
                Some(Const::Int(truth.into()))
            }
            ExprKind::Cond(c, a, b) => {
                let side = if self.constant_truth(c)? { a } else { b };
                self.constant(side)
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.constant(a)?, self.constant(b)?);
                if let (Some(x), Some(y)) = (to_value(x), to_value(y)) {
                    return value::binary(types, *op, a.ty, x, y).ok().map(from_value);
                }
                match (op, x, y) {
                    (BinOp::Add, address, Const::Int(n)) | (BinOp::Add, Const::Int(n), address) => {
                        address.offset(n)
                    }
                    (BinOp::Sub, address, Const::Int(n)) => address.offset(n.checked_neg()?),
                    (BinOp::Sub, Const::Addr(a, m), Const::Addr(b, n)) if a == b => {
                        Some(Const::Int(i128::from(m) - i128::from(n)))
                    }
                    _ => None,
                }
            }
            ExprKind::Comma(..) | ExprKind::StmtExpr { .. } => None,
            _ => None,
        }
    }
    /// The truth of an expression that [`Cx::constant`] knows.
    fn constant_truth(&self, e: &Expr) -> Option<bool> {
        match to_value(self.constant(e)?) {
            Some(v) => Some(value::is_true(&self.program.types, e.ty, v)),
            None => self.truth(e),
        }
    }
    pub(super) fn place_address(&self, place: &Expr) -> Option<Const> {
        match &place.kind {
            ExprKind::Var(var) => {
                let info = &self.program.vars[*var];
                (!info.kind.is_automatic() && !info.thread_local).then_some(Const::Addr(*var, 0))
            }
            ExprKind::Deref(ptr) => self.constant(ptr),
            ExprKind::Field(base, field) => {
                let offset = self.field_offset(base.ty, *field);
                self.place_address(base)?.offset(offset.into())
            }
            ExprKind::Index(base, index) => {
                let Const::Int(i) = self.constant(index)? else {
                    return None;
                };
                let size = i128::from(self.program.types.size_of(place.ty));
                self.place_address(base)?.offset(i.checked_mul(size)?)
            }
            _ => None,
        }
    }
    /// An integer constant expression, with its C type; anything else is reported.
    pub(super) fn int_constant(&mut self, e: &ast::Expr, what: &str) -> Option<(i128, QType)> {
        let operand = self.expr(e);
        let operand = self.rvalue(operand);
        if operand.is_error() {
            return None;
        }
        if !self.types.is_integer(operand.ty.ty) {
            self.error(e.span, format!("{what} must be an integer"));
            return None;
        }
        match self.constant(&operand.e) {
            Some(Const::Int(v)) => Some((v, operand.ty)),
            _ => {
                self.error(e.span, format!("{what} must be a constant"));
                None
            }
        }
    }
}

impl Const {
    fn offset(self, by: i128) -> Option<Const> {
        match self {
            Const::Int(v) => Some(Const::Int(v.checked_add(by)?)),
            Const::Addr(var, at) => {
                let at = i128::from(at).checked_add(by)?;
                Some(Const::Addr(var, i64::try_from(at).ok()?))
            }
            Const::Func(f) if by == 0 => Some(Const::Func(f)),
            _ => None,
        }
    }
}

fn to_value(c: Const) -> Option<Value> {
    match c {
        Const::Int(v) => Some(Value::Int(v)),
        Const::Float(v) => Some(Value::Float(v)),
        Const::Addr(..) | Const::Func(_) => None,
    }
}

fn from_value(v: Value) -> Const {
    match v {
        Value::Int(v) => Const::Int(v),
        Value::Float(v) => Const::Float(v),
    }
}

/// What a comparison of two addresses says, if the objects' places do not matter.
fn compare_addresses(op: BinOp, a: Const, b: Const) -> Option<bool> {
    let equal = match (a, b) {
        (Const::Addr(x, m), Const::Addr(y, n)) if x == y => {
            return Some(match op {
                BinOp::Eq => m == n,
                BinOp::Ne => m != n,
                BinOp::Lt => m < n,
                BinOp::Le => m <= n,
                BinOp::Gt => m > n,
                _ => m >= n,
            });
        }
        (Const::Func(x), Const::Func(y)) => x == y,
        (Const::Func(_), Const::Int(0)) | (Const::Int(0), Const::Func(_)) => false,
        (Const::Addr(..), Const::Int(0)) | (Const::Int(0), Const::Addr(..)) => false,
        _ => return None,
    };
    match op {
        BinOp::Eq => Some(equal),
        BinOp::Ne => Some(!equal),
        _ => None,
    }
}
