//! `__sync_…` and `__atomic_…`: the model has no interleaving inside one expression, so they are
//! plain reads and writes, with a note.

use super::super::Cx;
use super::super::conv::Why;
use super::super::ctype::{CTypes, QType};
use super::super::fold::{Category, Operand, mk};
use crate::ast;
use crate::hir;
use cwolf_base::Span;
use cwolf_cwi::{BinOp, UnOp};

/// An operation on memory that gives back a value.
#[derive(Clone, Copy)]
enum Update {
    Op(BinOp),
    Nand,
}

fn update(word: &str) -> Option<Update> {
    Some(match word {
        "add" => Update::Op(BinOp::Add),
        "sub" => Update::Op(BinOp::Sub),
        "and" => Update::Op(BinOp::BitAnd),
        "or" => Update::Op(BinOp::BitOr),
        "xor" => Update::Op(BinOp::BitXor),
        "nand" => Update::Nand,
        _ => return None,
    })
}

impl Cx<'_> {
    pub(super) fn atomic(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Operand {
        if self.func.is_none() && self.unevaluated == 0 {
            self.error(span, format!("'{name}' is used outside of a function"));
            return Operand::error(span);
        }
        let args: Vec<Operand> = args
            .iter()
            .map(|a| {
                let operand = self.expr(a);
                self.rvalue(operand)
            })
            .collect();
        if args.iter().any(Operand::is_error) {
            return Operand::error(span);
        }
        let is_fence = name.ends_with("_fence") || name == "__sync_synchronize";
        if !is_fence && !name.ends_with("lock_free") {
            self.note(
                span,
                format!("'{name}' is treated as plain reads and writes"),
            );
        }
        if let Some(result) = self.atomic_call(name, &args, span) {
            return result;
        }
        self.unsupported(span, format!("the built-in function '{name}'"));
        Operand::error(span)
    }
    fn atomic_call(&mut self, name: &str, args: &[Operand], span: Span) -> Option<Operand> {
        if name.ends_with("_fence") || name == "__sync_synchronize" {
            return Some(self.sequence_void(Vec::new(), span));
        }
        if name.ends_with("lock_free") {
            return Some(self.int_operand(1, span));
        }
        let mut body = Vec::new();
        let pointer = self.once(args.first()?.clone(), &mut body, span);
        let mut place = self.pointed(&pointer, span)?;
        let value = |n: usize| args.get(n).cloned();
        let short = name
            .strip_prefix("__sync_")
            .or_else(|| name.strip_prefix("__atomic_"))?;
        let is_sync = name.starts_with("__sync_");
        match short {
            "load_n" => {
                let value = self.rvalue(place);
                Some(self.sequence(body, value, span))
            }
            "load" => {
                let to = self.pointed(&value(1)?, span)?;
                let read = self.rvalue(place);
                self.store(to, read, &mut body, span);
                Some(self.sequence_void(body, span))
            }
            "store_n" => {
                self.store(place, value(1)?, &mut body, span);
                Some(self.sequence_void(body, span))
            }
            "store" => {
                let from = self.pointed(&value(1)?, span)?;
                self.store(place, from, &mut body, span);
                Some(self.sequence_void(body, span))
            }
            "exchange_n" | "lock_test_and_set" => {
                let new = value(1)?;
                Some(self.exchange(place, new, body, span))
            }
            "exchange" => {
                let new = self.pointed(&value(1)?, span)?;
                let to = self.pointed(&value(2)?, span)?;
                let old = self.rvalue(place.clone());
                let old = self.stored(old, &mut body, span);
                self.store(place, new, &mut body, span);
                self.store(to, old, &mut body, span);
                Some(self.sequence_void(body, span))
            }
            "compare_exchange_n" | "compare_exchange" => {
                let expected = self.once(value(1)?, &mut body, span);
                let expected = self.pointed(&expected, span)?;
                let new = if short == "compare_exchange" {
                    self.pointed(&value(2)?, span)?
                } else {
                    value(2)?
                };
                Some(self.compare_exchange(place, expected, new, body, span))
            }
            "bool_compare_and_swap" | "val_compare_and_swap" => {
                let (old, new) = (value(1)?, value(2)?);
                let bool_result = short.starts_with("bool");
                Some(self.compare_and_swap(place, old, new, bool_result, body, span))
            }
            "lock_release" | "clear" | "test_and_set" => {
                if !is_sync {
                    place = self.as_byte(&pointer, span);
                }
                let old = self.rvalue(place.clone());
                let old = self.stored(old, &mut body, span);
                let new = self.int_operand(i128::from(short == "test_and_set"), span);
                self.store(place, new, &mut body, span);
                if short == "test_and_set" {
                    let old = self.convert(old, QType::plain(CTypes::BOOL));
                    return Some(self.sequence(body, old, span));
                }
                Some(self.sequence_void(body, span))
            }
            _ => {
                let (op, after) = match (short.strip_prefix("fetch_"), short.strip_suffix("_fetch"))
                {
                    (Some(rest), _) => (update(rest.trim_start_matches("and_"))?, false),
                    (_, Some(rest)) => (update(rest.trim_end_matches("_and"))?, true),
                    _ => return None,
                };
                Some(self.fetch_op(place, op, value(1)?, after, body, span))
            }
        }
    }
    /// What a pointer argument points to.
    fn pointed(&mut self, pointer: &Operand, span: Span) -> Option<Operand> {
        let to = self.types.pointee(pointer.ty.ty)?;
        if self.types.is_void(to.ty) {
            return Some(self.as_byte(pointer, span));
        }
        let place = self.deref_op(pointer.clone(), span);
        (place.category == Category::Place).then_some(place)
    }
    fn as_byte(&mut self, pointer: &Operand, span: Span) -> Operand {
        let ty = self.pointer_to(QType::plain(CTypes::UCHAR));
        let pointer = self.convert(pointer.clone(), ty);
        self.deref_op(pointer, span)
    }
    fn store(&mut self, place: Operand, value: Operand, body: &mut Vec<hir::Stmt>, span: Span) {
        let value = self.rvalue(value);
        let store = self.plain_assign(place, value, span);
        self.effect(store.e, body);
    }
    fn exchange(
        &mut self,
        place: Operand,
        new: Operand,
        mut body: Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let new = self.once(new, &mut body, span);
        let old = self.rvalue(place.clone());
        let old = self.stored(old, &mut body, span);
        self.store(place, new, &mut body, span);
        self.sequence(body, old, span)
    }
    fn fetch_op(
        &mut self,
        place: Operand,
        op: Update,
        value: Operand,
        after: bool,
        mut body: Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let ty = place.ty.unqualified();
        let id = place.e.ty;
        // Pointers count in bytes here, so they are computed as words. Signed integers wrap (C11 7.17.7.5), so they are
        // computed as unsigned ones.
        let word = match self.types.int_ty(ty.ty) {
            _ if self.types.is_pointer(ty.ty) => self.types.size_t(),
            Some(int) if int.signed => self.types.int_of_bits(int.bits, false),
            _ => self.types.strip_enum(ty.ty),
        };
        let word = QType::plain(word);
        let value = self.convert(value, word);
        let value = self.once(value, &mut body, span);
        let old = self.rvalue(place.clone());
        let old = self.stored(old, &mut body, span);
        let left = self.convert(old.clone(), word);
        let computed = match op {
            Update::Op(op) => self.binary(op, left.e, value.e),
            Update::Nand => {
                let both = self.binary(BinOp::BitAnd, left.e, value.e);
                self.unary(UnOp::BitNot, both)
            }
        };
        let computed = Operand::value(self.cast(computed, id), ty);
        let computed = self.stored(computed, &mut body, span);
        self.store(place, computed.clone(), &mut body, span);
        self.sequence(body, if after { computed } else { old }, span)
    }
    fn compare_and_swap(
        &mut self,
        place: Operand,
        old: Operand,
        new: Operand,
        bool_result: bool,
        mut body: Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let ty = place.ty.unqualified();
        let wanted = Operand::value(self.assign_convert(old, ty, Why::Argument(2)), ty);
        let wanted = self.once(wanted, &mut body, span);
        let new = Operand::value(self.assign_convert(new, ty, Why::Argument(3)), ty);
        let new = self.once(new, &mut body, span);
        let found = self.rvalue(place.clone());
        let found = self.stored(found, &mut body, span);
        let same = self.binary(BinOp::Eq, found.e.clone(), wanted.e);
        let next = self.cond(same.clone(), new.e, found.e.clone());
        self.store(place, Operand::value(next, ty), &mut body, span);
        let result = if bool_result {
            let bool_ty = QType::plain(CTypes::BOOL);
            self.convert(Operand::value(same, QType::plain(CTypes::INT)), bool_ty)
        } else {
            found
        };
        self.sequence(body, result, span)
    }
    fn compare_exchange(
        &mut self,
        place: Operand,
        expected: Operand,
        new: Operand,
        mut body: Vec<hir::Stmt>,
        span: Span,
    ) -> Operand {
        let ty = place.ty.unqualified();
        let new = self.rvalue(new);
        let new = Operand::value(self.assign_convert(new, ty, Why::Argument(3)), ty);
        let new = self.stored(new, &mut body, span);
        let found = self.rvalue(place.clone());
        let found = self.stored(found, &mut body, span);
        let wanted = self.rvalue(expected.clone());
        let wanted = self.convert(wanted, ty);
        if !self.types.is_scalar(ty.ty) {
            self.unsupported(span, "an atomic comparison of records");
            return Operand::error(span);
        }
        let same = self.binary(BinOp::Eq, found.e.clone(), wanted.e);
        let same = self.stored(
            Operand::value(same, QType::plain(CTypes::INT)),
            &mut body,
            span,
        );
        let next = self.cond(same.e.clone(), new.e, found.e.clone());
        self.store(place, Operand::value(next, ty), &mut body, span);
        let old = self.rvalue(expected.clone());
        let kept = self.cond(same.e.clone(), old.e, mk(found.e.ty, found.e.kind, span));
        self.store(expected, Operand::value(kept, ty), &mut body, span);
        let result = self.convert(same, QType::plain(CTypes::BOOL));
        self.sequence(body, result, span)
    }
}
