//! Assignments, plain and compound.

use super::Lower;
use super::volatile::volatile_load;
use crate::hir::{self, ExprKind as H};
use cwolf_cwi::{Base, BinOp, Expr, ExprKind, LocId, Place, TypeId, UnOp};

impl<'a> Lower<'a> {
    /// `place = value` whose own value is dropped.
    pub(super) fn store(&mut self, loc: LocId, place: &'a hir::Expr, value: &'a hir::Expr) {
        let (place, value) = self.place_and_value(place, value);
        self.write(loc, place, value);
    }
    /// `place = value` whose own value is used.
    pub(super) fn assign(
        &mut self,
        e: &'a hir::Expr,
        place: &'a hir::Expr,
        value: &'a hir::Expr,
        volatile: bool,
    ) -> Expr {
        let loc = self.loc(e.span);
        let (place, value) = self.place_and_value(place, value);
        self.write_and_use(loc, e.ty, place, value, volatile)
    }
    fn place_and_value(&mut self, place: &'a hir::Expr, value: &'a hir::Expr) -> (Place, Expr) {
        let mut to = self.place(place);
        let mark = self.code.mark();
        let value = self.value(value);
        self.settle_place(place.span, mark, &mut to);
        let value = self.convert(to.ty, value);
        (self.not_by_name(to), value)
    }
    /// C lets nobody assign to a constant by its name; who does so took its address, and only that
    /// was folded away. Its name stays for the place where it begins.
    fn not_by_name(&mut self, mut place: Place) -> Place {
        if let Base::Var(var) = place.base
            && self.program.vars[var].constant
        {
            let ty = self.program.vars[var].ty;
            let address = Expr {
                ty: self.program.types.pointer(ty),
                kind: ExprKind::AddrOf(Place::var(ty, var)),
            };
            place.base = Base::Deref(Box::new(address));
        }
        place
    }
    /// Between scalars of different types, a cast; aggregates are left alone.
    fn convert(&self, ty: TypeId, value: Expr) -> Expr {
        if self.program.types.is_scalar(ty) && self.program.types.is_scalar(value.ty) {
            Expr::cast(ty, value)
        } else {
            value
        }
    }
    /// Stores `value` and returns it, as a `ty`, without reading a volatile place again.
    fn write_and_use(
        &mut self,
        loc: LocId,
        ty: TypeId,
        place: Place,
        value: Expr,
        volatile: bool,
    ) -> Expr {
        let constant = matches!(
            value.kind,
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Reg(_)
        );
        let scalar = self.program.types.is_scalar(place.ty);
        // A whole variable can be read again; so can a record, unless it now lies elsewhere.
        let readable = if scalar {
            place.as_var().is_some() && !volatile
        } else {
            let mut moved = false;
            place.for_each_operand(&mut |e| moved = moved || self.clobbers(&place, e));
            !moved
        };
        let (value, result) = if constant && scalar {
            (value.clone(), value)
        } else if readable {
            (value, Expr::load(place.clone()))
        } else {
            let kept = self.keep(loc, value);
            (kept.clone(), kept)
        };
        self.write(loc, place, value);
        self.convert(ty, result)
    }
    /// `place op= value`, `++` and `--`. The result means something only if it is `used`.
    pub(super) fn assign_op(&mut self, e: &'a hir::Expr, used: bool) -> Expr {
        let H::AssignOp {
            place,
            truth,
            op,
            value,
            ty,
            scale,
            post,
            volatile,
        } = &e.kind
        else {
            panic!("only called for compound assignments");
        };
        let loc = self.loc(e.span);
        // C leaves the order open. Compilers call what is on the right first: `x += f()` adds to what f left in x.
        let mut right = self.value(value);
        let mark = self.code.mark();
        let to = self.place(place);
        let to = self.not_by_name(to);
        self.settle(e.span, mark, &mut right);
        let mut old = if *volatile {
            self.keep(loc, volatile_load(to.clone()))
        } else {
            Expr::load(to.clone())
        };
        if *post && used && !matches!(old.kind, ExprKind::Reg(_)) {
            old = self.keep(loc, old);
        }
        let result = old.clone();
        let left = Expr::cast(*ty, old);
        let new = match scale {
            Some(scale) => {
                let word = self.word();
                let right = Expr::cast(word, right);
                let index = match op {
                    BinOp::Sub => self.negate(right),
                    // `p += -n` negates a number, `p -= n` does not: only that is a negation right below the step.
                    _ if matches!(right.kind, ExprKind::Unary(UnOp::Neg, _)) => {
                        let bits = self.program.target().word(false).bits;
                        let unsigned = self.program.types.int(bits, false);
                        Expr::cast(word, Expr::cast(unsigned, right))
                    }
                    _ => right,
                };
                self.step(*ty, left, index, scale)
            }
            None => Expr {
                ty: if op.is_test() {
                    cwolf_cwi::Types::INT
                } else {
                    *ty
                },
                kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)),
            },
        };
        let new = match truth {
            true => Expr::cast(cwolf_cwi::Types::BOOL, new),
            false => new,
        };
        let new = Expr::cast(to.ty, new);
        if used && !*post {
            return self.write_and_use(loc, e.ty, to, new, *volatile);
        }
        self.write(loc, to, new);
        Expr::cast(e.ty, result)
    }
}
