//! Unnamed arguments. All of them lie in one area, one after the other; a `va_list` is a pointer
//! into it, where the ABI has a record in the field of it that leads to the stack.

use super::Cx;
use super::ctype::{CTypes, QType};
use super::fold::{Category, Operand, is_fixed, mk};
use crate::ast;
use crate::hir::{self, Expr, ExprKind, Scale, StmtKind};
use cwolf_base::Span;
use cwolf_cwi::{Types, VaList};

impl Cx<'_> {
    /// The place that points to the next unnamed argument; effects of finding it go to `out`.
    fn area_of(&mut self, list: Operand, out: &mut Vec<hir::Stmt>, span: Span) -> Option<Operand> {
        if list.is_error() {
            return None;
        }
        let va_list = self.va_list_type();
        let area = match self.types.target.va_list {
            VaList::Pointer => None,
            VaList::X86 => Some(2),
            VaList::Aarch64 => Some(0),
        };
        match area {
            None => {
                if list.ty.ty != va_list.ty || list.category != Category::Place {
                    let shown = self.show(list.ty);
                    self.error(span, format!("a 'va_list' is needed here, not {shown}"));
                    return None;
                }
                if is_fixed(&list.e) {
                    return Some(list);
                }
                let pointer = self.address_op(list, span);
                let pointer = self.once(pointer, out, span);
                Some(self.deref_op(pointer, span))
            }
            Some(area) => {
                let (tag, _) = self.types.as_array(va_list.ty).expect("an array of one");
                let pointer = self.rvalue(list);
                if self.types.pointee(pointer.ty.ty).map(|to| to.ty) != Some(tag.ty) {
                    let shown = self.show(pointer.ty);
                    self.error(span, format!("a 'va_list' is needed here, not {shown}"));
                    return None;
                }
                let pointer = self.once(pointer, out, span);
                let record = self.deref_op(pointer, span);
                Some(self.field_of(record, area, span))
            }
        }
    }
    /// The same value, computed once into a hidden variable. What depends on no memory is left as it is; anything else
    /// might be changed by what the built-in function writes, `__builtin_add_overflow(a, b, &a)`.
    pub(super) fn once(&mut self, value: Operand, out: &mut Vec<hir::Stmt>, span: Span) -> Operand {
        if is_fixed(&value.e) {
            return value;
        }
        self.stored(value, out, span)
    }
    /// The same value, computed now into a hidden variable.
    pub(super) fn stored(
        &mut self,
        value: Operand,
        out: &mut Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let temp = self.new_temp(value.e.ty, span);
        let place = self.var_place(temp, value.e.ty, span);
        let assign = self.assign_expr(place, value.e, false);
        out.push(hir::Stmt {
            kind: StmtKind::Expr(assign),
            span,
        });
        let e = self.var_value(temp, span);
        Operand::value(e, value.ty)
    }
    /// `({ body; value; })`
    pub(super) fn sequence(&self, body: Vec<hir::Stmt>, value: Operand, span: Span) -> Operand {
        if body.is_empty() {
            return value;
        }
        let kind = ExprKind::StmtExpr {
            body,
            value: Some(Box::new(value.e.clone())),
        };
        Operand::value(mk(value.e.ty, kind, span), value.ty)
    }
    /// Statements as an expression without a value.
    pub(super) fn sequence_void(&self, body: Vec<hir::Stmt>, span: Span) -> Operand {
        let kind = ExprKind::StmtExpr { body, value: None };
        Operand::value(mk(Types::VOID, kind, span), QType::plain(CTypes::VOID))
    }
    pub(super) fn effect(&self, e: Expr, out: &mut Vec<hir::Stmt>) {
        out.push(hir::Stmt {
            span: e.span,
            kind: StmtKind::Expr(e),
        });
    }
    pub(super) fn va_start(&mut self, list: &ast::Expr, span: Span) -> Operand {
        let variadic = self.func.as_ref().is_some_and(|f| f.variadic);
        if !variadic {
            self.error(span, "'va_start' needs a function with '...' parameters");
            return Operand::error(span);
        }
        let list = self.expr(list);
        let mut body = Vec::new();
        let Some(area) = self.area_of(list, &mut body, span) else {
            return Operand::error(span);
        };
        let value = mk(area.e.ty, ExprKind::VarArgs, span);
        let assign = self.assign_expr(area.e, value, false);
        self.effect(assign, &mut body);
        self.sequence_void(body, span)
    }
    pub(super) fn va_copy(&mut self, to: &ast::Expr, from: &ast::Expr, span: Span) -> Operand {
        let (to, from) = (self.expr(to), self.expr(from));
        let mut body = Vec::new();
        let to = self.area_of(to, &mut body, span);
        let from = self.area_of(from, &mut body, span);
        let (Some(to), Some(from)) = (to, from) else {
            return Operand::error(span);
        };
        let from = self.rvalue(from);
        let assign = self.assign_expr(to.e, from.e, false);
        self.effect(assign, &mut body);
        self.sequence_void(body, span)
    }
    /// `va_arg(list, type)`
    pub(super) fn va_arg(&mut self, list: &ast::Expr, ty: &ast::TypeName, span: Span) -> Operand {
        let (ty, _) = self.type_with_effects(ty);
        let list = self.expr(list);
        if self.types.is_error(ty.ty) || list.is_error() {
            return Operand::error(span);
        }
        if let Some(what) = self.types.unsupported(ty.ty) {
            self.unsupported(span, what);
            return Operand::error(span);
        }
        let Some(size) = self
            .size_of(ty.ty)
            .filter(|_| self.types.is_complete(ty.ty))
        else {
            let shown = self.show(ty);
            self.error(span, format!("'va_arg' cannot fetch the type {shown}"));
            return Operand::error(span);
        };
        if self.func.is_none() {
            self.error(span, "'va_arg' is used outside of a function");
            return Operand::error(span);
        }
        let mut body = Vec::new();
        let Some(area) = self.area_of(list, &mut body, span) else {
            return Operand::error(span);
        };
        let step = size.next_multiple_of(self.types.target.pointer_size());
        let old = self.rvalue(area.clone());
        let old = self.stored(old, &mut body, span);
        let next = self.ptr_add(old.e.clone(), self.signed_word(1, span), Scale::Const(step));
        let advance = self.assign_expr(area.e, next, false);
        self.effect(advance, &mut body);
        let pointer = self.pointer_to(ty);
        let pointer = self.convert(old, pointer);
        let place = self.deref_op(pointer, span);
        let value = self.rvalue(place);
        self.sequence(body, value, span)
    }
}
