//! Values that are several numbers at once, complex ones and vectors: taken apart, computed with part
//! by part in plain arithmetic, put together again. Nobody after this knows that they were one.

use super::Cx;
use super::ctype::{CTy, QType};
use super::fold::{Operand, is_fixed, is_pure, mk};
use crate::hir::{self, Expr, ExprKind, PathStep, Piece, StmtKind};
use cwolf_base::Span;
use cwolf_cwi::BinOp;

/// How the parts of a value are going to be used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use {
    /// Each of them more than once: what is computed is computed once.
    pub many: bool,
    /// After other effects: what is read is read now.
    pub later: bool,
}

impl Use {
    pub const ONCE: Use = Use {
        many: false,
        later: false,
    };
}

/// Whether reading it again costs nothing.
fn is_leaf(e: &Expr) -> bool {
    fn named(place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(_) => true,
            ExprKind::Field(base, _) => named(base),
            ExprKind::Index(base, index) => named(base) && matches!(index.kind, ExprKind::Int(_)),
            _ => false,
        }
    }
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Load(place, false) => named(place),
        _ => false,
    }
}

impl Cx<'_> {
    /// The type of the parts of a complex number or vector, and how many there are.
    pub(super) fn parts_of(&self, ty: CTy) -> Option<(CTy, u64)> {
        match self.types.complex_part(ty) {
            Some(part) => Some((part, 2)),
            None => self.types.as_vector(ty),
        }
    }
    fn part_path(&self, ty: CTy, number: u64) -> Vec<PathStep> {
        match self.types.complex_part(ty) {
            Some(_) => vec![PathStep::Field(number as u32)],
            None => vec![PathStep::Field(0), PathStep::Index(number)],
        }
    }
    /// The place of a part of a place.
    pub(super) fn part_place(&mut self, place: Expr, ty: CTy, number: u64) -> Expr {
        let (part, len) = self.parts_of(ty).expect("it has parts");
        let span = place.span;
        let id = self.cwi(part);
        if self.types.complex_part(ty).is_some() {
            return mk(id, ExprKind::Field(Box::new(place), number as u32), span);
        }
        let array = self.program.types.array(id, len);
        let elements = mk(array, ExprKind::Field(Box::new(place), 0), span);
        let index = self.signed_word(number.into(), span);
        mk(
            id,
            ExprKind::Index(Box::new(elements), Box::new(index)),
            span,
        )
    }
    /// The value of type `ty` that has these parts.
    pub(super) fn whole(&mut self, ty: CTy, parts: Vec<Expr>, span: Span) -> Operand {
        let id = self.cwi(ty);
        let pieces = (0..).zip(parts).map(|(number, value)| Piece {
            path: self.part_path(ty, number),
            ty: value.ty,
            value,
        });
        let pieces = pieces.collect();
        Operand::value(mk(id, ExprKind::Whole(pieces), span), QType::plain(ty))
    }
    /// The parts of a value. What must be computed before goes to `out`.
    pub(super) fn parts(
        &mut self,
        value: Operand,
        usage: Use,
        out: &mut Vec<hir::Stmt>,
    ) -> Vec<Expr> {
        let ty = value.ty.ty;
        let (_, len) = self.parts_of(ty).expect("it has parts");
        let span = value.e.span;
        let inside = self.func.is_some();
        let mut e = value.e;
        loop {
            e = match e.kind {
                // What an operation before this one had to compute first.
                ExprKind::StmtExpr {
                    body,
                    value: Some(value),
                } if body.iter().all(|s| matches!(s.kind, StmtKind::Expr(_))) => {
                    out.extend(body);
                    *value
                }
                kind => {
                    e.kind = kind;
                    break;
                }
            };
        }
        match e.kind {
            ExprKind::Whole(pieces) => {
                let mut parts = Vec::with_capacity(pieces.len());
                for piece in pieces {
                    parts.push(self.part(piece.value, usage, out));
                }
                parts
            }
            ExprKind::Load(place, false)
                if is_pure(&place)
                    && !(usage.later && inside)
                    && (len == 2 || is_leaf_place(&place)) =>
            {
                let numbers = 0..len;
                let part = |cx: &mut Self, n| {
                    let place = cx.part_place((*place).clone(), ty, n);
                    cx.load(place, false)
                };
                numbers.map(|n| part(self, n)).collect()
            }
            kind => {
                let e = mk(e.ty, kind, span);
                let place = match inside {
                    true => {
                        let kept = self.stored(Operand::value(e, value.ty), out, span);
                        match kept.e.kind {
                            ExprKind::Load(place, _) => *place,
                            kind => mk(kept.e.ty, kind, span),
                        }
                    }
                    // Nothing is computed out here: whoever wants a constant will say that this is none.
                    false => e,
                };
                let mut parts = Vec::new();
                for n in 0..len {
                    let place = self.part_place(place.clone(), ty, n);
                    parts.push(self.load(place, false));
                }
                parts
            }
        }
    }
    /// A number as one of the operands of several operations.
    pub(super) fn part(&mut self, e: Expr, usage: Use, out: &mut Vec<hir::Stmt>) -> Expr {
        let changes = usage.later && !is_fixed(&e);
        let costs = usage.many && !is_leaf(&e);
        if self.func.is_none() || is_pure(&e) && !changes && !costs {
            return e;
        }
        let (ty, span) = (QType::plain(super::ctype::CTypes::ERROR), e.span);
        self.stored(Operand::value(e, ty), out, span).e
    }
    /// The value after what had to be computed before it.
    pub(super) fn after(&self, body: Vec<hir::Stmt>, value: Operand, span: Span) -> Operand {
        self.sequence(body, value, span)
    }
    /// `place op= value`, `++` and `--` where either side has parts: the place is found once.
    pub(super) fn assign_op_of_parts(
        &mut self,
        op: BinOp,
        place: Operand,
        value: Operand,
        post: bool,
        span: Span,
    ) -> Operand {
        if place.is_bit_field() {
            self.unsupported(span, "a compound assignment of this kind to a bit-field");
            return Operand::error(span);
        }
        let mut body = Vec::new();
        let inside = self.func.is_some();
        let value = match inside {
            true => self.once(value, &mut body, span),
            false => value,
        };
        let place = match is_fixed(&place.e) || !inside {
            true => place,
            false => {
                let pointer = self.address_op(place, span);
                let pointer = self.once(pointer, &mut body, span);
                self.deref_op(pointer, span)
            }
        };
        let old = self.rvalue(place.clone());
        let old = match post && inside {
            true => self.stored(old, &mut body, span),
            false => old,
        };
        let new = self.binary_op(op, old.clone(), value, span);
        if new.is_error() {
            return new;
        }
        let assign = self.plain_assign(place, new, span);
        if post {
            self.effect(assign.e, &mut body);
            return self.after(body, old, span);
        }
        self.after(body, assign, span)
    }
}

fn is_leaf_place(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Var(_) => true,
        ExprKind::Field(base, _) => is_leaf_place(base),
        _ => false,
    }
}
