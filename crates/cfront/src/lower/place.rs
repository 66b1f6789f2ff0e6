//! Places: variables, what pointers point to, and the parts of both.

use super::Lower;
use crate::hir::{self, ExprKind as H, LocalInit, PathStep};
use cwolf_cwi::{Base, Expr, ExprKind, LocId, Place, Step, StmtKind, Type, TypeId, VarId, VarKind};

impl<'a> Lower<'a> {
    /// The place that `e` names. For a record value, the place that it lies in.
    pub(super) fn place(&mut self, e: &'a hir::Expr) -> Place {
        match &e.kind {
            H::Var(var) => Place::var(e.ty, *var),
            H::Compound(var, init) => {
                let loc = self.loc(e.span);
                self.initialise(loc, *var, init);
                Place::var(e.ty, *var)
            }
            H::Deref(pointer) => {
                let pointer = self.value(pointer);
                self.dereference(e.ty, pointer)
            }
            H::Field(base, field) => {
                let mut place = self.place(base);
                place.path.push(Step::Field(*field));
                place.ty = e.ty;
                place
            }
            H::Index(base, index) => {
                let mut place = self.place(base);
                let mark = self.code.mark();
                let at = self.value(index);
                self.settle_place(base.span, mark, &mut place);
                place.path.push(Step::Index(at));
                place.ty = e.ty;
                place
            }
            // The place of a value that was loaded is where it was loaded from.
            _ => match self.value(e) {
                Expr {
                    kind: ExprKind::Load { place, .. },
                    ..
                } => place,
                value => {
                    let loc = self.loc(e.span);
                    let place = Place::var(e.ty, self.temp(loc, e.ty));
                    self.write(loc, place.clone(), value);
                    place
                }
            },
        }
    }
    /// What `pointer` points to, as a `ty`.
    pub(super) fn dereference(&mut self, ty: TypeId, pointer: Expr) -> Place {
        match pointer.kind {
            ExprKind::AddrOf(place) if place.ty == ty => place,
            _ => {
                let pointer_type = self.program.types.pointer(ty);
                Place::deref(ty, Expr::cast(pointer_type, pointer))
            }
        }
    }
    /// The address of a place (or of an array's first element), as a `ty`.
    pub(super) fn address(&mut self, ty: TypeId, place: &'a hir::Expr) -> Expr {
        let (mark, loc) = (self.code.mark(), self.loc(place.span));
        let mut place = self.place(place);
        if let Some(var) = place.root() {
            // The survey does not see the temporaries that hold record values.
            let kind = self.program.vars[var].kind;
            if kind.is_automatic()
                && self.survey.address_taken.insert(var)
                && matches!(kind, VarKind::Temp(_))
            {
                self.code.emit_at(mark, loc, StmtKind::Live(var));
                self.temps.push(var);
            }
        }
        let pointee = self.program.types.pointee(ty);
        match self.program.types[place.ty] {
            // The length of an incomplete array may become known later, so its type says nothing.
            Type::Array { elem, len } if Some(elem) == pointee || len == 0 => {
                let word = self.word();
                place.path.push(Step::Index(Expr::int(word, 0)));
                place.ty = elem;
            }
            _ => {}
        }
        match place.base {
            Base::Deref(pointer) if place.path.is_empty() => Expr::cast(ty, *pointer),
            _ => {
                let own = self.program.types.pointer(place.ty);
                let address = Expr {
                    ty: own,
                    kind: ExprKind::AddrOf(place),
                };
                Expr::cast(ty, address)
            }
        }
    }
    /// Gives `var` its first value.
    pub(super) fn initialise(&mut self, loc: LocId, var: VarId, init: &'a LocalInit) {
        let ty = self.program.vars[var].ty;
        match init {
            LocalInit::Value(value) => {
                let value = self.value(value);
                self.write(loc, Place::var(ty, var), value);
            }
            LocalInit::Pieces { zero, pieces } => {
                if *zero {
                    let zero = self.zero(ty);
                    self.write(loc, Place::var(ty, var), zero);
                }
                self.pieces(var, pieces);
            }
        }
    }
    /// Sets pieces of `var`, which their values do not read.
    pub(super) fn pieces(&mut self, var: VarId, pieces: &'a [hir::Piece]) {
        for piece in pieces {
            let value = self.value(&piece.value);
            let loc = self.loc(piece.value.span);
            let place = self.piece(var, piece.ty, &piece.path);
            self.write(loc, place, value);
        }
    }
    fn piece(&mut self, var: VarId, ty: TypeId, path: &[PathStep]) -> Place {
        let word = self.word();
        let step = |step: &PathStep| match *step {
            PathStep::Field(field) => Step::Field(field),
            PathStep::Index(at) => Step::Index(Expr::int(word, i128::from(at))),
        };
        Place {
            ty,
            base: Base::Var(var),
            path: path.iter().map(step).collect(),
        }
    }
}
