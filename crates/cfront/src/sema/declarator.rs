//! Declarators: `*a[3]` and `f(int, …)` read as types, from the base type outward.

use super::Cx;
use super::ctype::{CFunc, CKind, CTypes, Len, QType, Quals};
use super::fold::Const;
use super::scope::{Entity, EntityKind};
use crate::ast::{ArraySize, Declarator, Derived, Ident, Param, Params};
use cwolf_base::{Diagnostic, Span};
use std::rc::Rc;

/// A parameter as declared, its type adjusted to a pointer where C says so.
#[derive(Clone, Debug)]
pub(super) struct ParamInfo {
    pub name: Option<Ident>,
    pub ty: QType,
    pub span: Span,
}

impl Cx<'_> {
    /// The type that `declarator` makes of `base`.
    pub(super) fn declarator(&mut self, base: QType, declarator: &Declarator) -> QType {
        self.derive(base, &declarator.derived, declarator.span)
    }
    /// Applies derivations, the last one first.
    pub(super) fn derive(&mut self, base: QType, derived: &[Derived], span: Span) -> QType {
        let mut ty = base;
        for step in derived.iter().rev() {
            ty = match step {
                Derived::Pointer { quals, attributes } => {
                    let attrs = self.attributes(&[attributes]);
                    let to = self.types.pointer(ty);
                    let pointer = QType::plain(to).aligned(attrs.aligned);
                    self.types.qualify(pointer, Quals::from_ast(*quals))
                }
                Derived::Array { size, span, .. } => {
                    let len = self.array_len(size, *span);
                    self.array_of(ty, len, *span)
                }
                Derived::Function { params, .. } => {
                    if !self.check_return_type(ty, span) {
                        return QType::plain(CTypes::ERROR);
                    }
                    self.scopes.push();
                    let (params, func) = self.params(ty, params);
                    drop(params);
                    self.scopes.pop();
                    QType::plain(self.types.intern(CKind::Func(Rc::new(func))))
                }
            };
        }
        ty
    }
    pub(super) fn check_return_type(&mut self, ty: QType, span: Span) -> bool {
        if self.types.is_func(ty.ty) {
            self.error(span, "a function cannot return a function");
            return false;
        }
        if self.types.as_array(ty.ty).is_some() {
            self.error(span, "a function cannot return an array");
            return false;
        }
        true
    }
    /// The array type of `len` elements, if there can be one.
    pub(super) fn array_of(&mut self, elem: QType, len: Len, span: Span) -> QType {
        if self.types.is_error(elem.ty) {
            return elem;
        }
        if self.types.is_func(elem.ty) {
            self.error(span, "an array's elements cannot be functions");
            return QType::plain(CTypes::ERROR);
        }
        if !self.types.is_complete(elem.ty) {
            let shown = self.show(elem);
            let message = format!("an array's elements cannot have the incomplete type {shown}");
            self.error(span, message);
            return QType::plain(CTypes::ERROR);
        }
        if let (Len::Known(n), Some(size)) = (len, self.size_of(elem.ty)) {
            let whole = size.checked_mul(n);
            if whole.is_none_or(|bytes| bytes > self.max_object_size()) {
                self.error(span, "the array is larger than any object can be");
                return QType::plain(CTypes::ERROR);
            }
        }
        QType::plain(self.types.array(elem, len))
    }
    fn array_len(&mut self, size: &ArraySize, span: Span) -> Len {
        let e = match size {
            ArraySize::None => return Len::Unknown,
            ArraySize::Star => return Len::Star,
            ArraySize::Expr(e) => e,
        };
        let operand = self.expr(e);
        let operand = self.rvalue(operand);
        if operand.is_error() {
            return Len::Known(1);
        }
        if !self.types.is_integer(operand.ty.ty) {
            self.error(e.span, "an array's size must be an integer");
            return Len::Known(1);
        }
        if let Some(Const::Int(n)) = self.constant(&operand.e) {
            let signed = self.types.int_ty(operand.ty.ty).is_some_and(|t| t.signed);
            if n < 0 && signed {
                self.error(e.span, "an array's size cannot be negative");
                return Len::Known(1);
            }
            return Len::Known(u64::try_from(n).unwrap_or(u64::MAX));
        }
        if self.prototypes > 0 {
            return Len::Star;
        }
        if self.func.is_none() {
            self.error(
                span,
                "outside functions, an array's size must be a constant",
            );
            return Len::Known(1);
        }
        let word = self.types.size_t();
        let word = self.cwi(word);
        let count = self.new_temp(word, e.span);
        let value = self.cast(operand.e, word);
        let place = self.var_place(count, word, e.span);
        let assign = self.assign_expr(place, value, false);
        self.effects.push(assign);
        Len::Vla(count)
    }
    /// Reads parameters in the innermost scope, where their names are bound (without
    /// storage), and makes the function's type.
    pub(super) fn params(&mut self, ret: QType, params: &Params) -> (Vec<ParamInfo>, CFunc) {
        let func = |params: Vec<QType>, variadic, prototype| CFunc {
            ret,
            params,
            variadic,
            prototype,
        };
        match params {
            Params::Unknown => (Vec::new(), func(Vec::new(), false, false)),
            Params::Names(names) => {
                let infos = names.iter().map(|name| ParamInfo {
                    name: Some(*name),
                    ty: QType::plain(CTypes::INT),
                    span: name.span,
                });
                (infos.collect(), func(Vec::new(), false, false))
            }
            Params::Typed { params, variadic } => {
                self.prototypes += 1;
                let mut infos = Vec::with_capacity(params.len());
                for param in params {
                    let info = self.param(param);
                    let alone = params.len() == 1 && info.name.is_none();
                    if self.types.is_void(info.ty.ty) {
                        if alone && info.ty.quals.is_empty() {
                            break;
                        }
                        self.error(info.span, "a parameter cannot have type 'void'");
                        infos.push(ParamInfo {
                            ty: QType::plain(CTypes::ERROR),
                            ..info
                        });
                        continue;
                    }
                    infos.push(info);
                }
                self.prototypes -= 1;
                let types = infos.iter().map(|p| p.ty.unqualified()).collect();
                (infos, func(types, *variadic, true))
            }
        }
    }
    fn param(&mut self, param: &Param) -> ParamInfo {
        let base = self.specifiers(&param.specs, false);
        let ty = self.declarator(base.ty, &param.declarator);
        let attrs = self.attributes(&[&param.attributes]);
        let ty = self.apply_mode(ty, &attrs, param.declarator.span);
        let ty = self.adjust_param(ty, &param.declarator.derived);
        let span = match param.declarator.name {
            Some(name) => name.span,
            None => param.specs.span,
        };
        if let Some(name) = param.declarator.name {
            self.bind_param(name, ty, EntityKind::Unbound);
        }
        ParamInfo {
            name: param.declarator.name,
            ty,
            span,
        }
    }
    pub(super) fn bind_param(&mut self, name: Ident, ty: QType, kind: EntityKind) {
        if let Some(old) = self.scopes.lookup_here(name.name) {
            let before = self.entities[old].span;
            let text = format!("redefinition of parameter '{}'", self.text(name.name));
            let d = Diagnostic::error(name.span, text).related(before, "first defined here");
            self.error_with(d);
        }
        let entity = Entity {
            name: name.name,
            ty,
            span: name.span,
            kind,
        };
        let id = self.entities.push(entity);
        self.scopes.bind(name.name, id);
    }
    /// Arrays and functions as parameters are pointers.
    pub(super) fn adjust_param(&mut self, ty: QType, derived: &[Derived]) -> QType {
        if let Some((elem, _)) = self.types.as_array(ty.ty) {
            let quals = match derived.first() {
                Some(Derived::Array { quals, .. }) => Quals::from_ast(*quals),
                _ => Quals::NONE,
            };
            let pointer = self.pointer_to(elem);
            return self.types.qualify(pointer, quals);
        }
        if self.types.is_func(ty.ty) {
            return self.pointer_to(ty);
        }
        ty
    }
}
