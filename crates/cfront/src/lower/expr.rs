//! Expressions: for their value, or for their effects only.

use super::Lower;
use super::lives::declared_with;
use super::shape::Shape;
use crate::hir::{self, ExprKind as H, Scale};
use cwolf_cwi::{
    BinOp, Branch, Check, CheckKind, Expr, ExprKind, FuncId, Place, StmtKind, Type, TypeId, Types,
    UnOp, Unreachable,
};

/// Expressions deeper than this many levels of C are cut by a register. Each level makes a few
/// of CWI, whose verifier sets a limit.
pub(super) const MAX_HEIGHT: usize = 80;

impl<'a> Lower<'a> {
    /// The value of `e`. Nothing that runs later may change what the result is computed from
    /// before it is used; see [`Lower::settle`].
    pub(super) fn value(&mut self, e: &'a hir::Expr) -> Expr {
        let beside = std::mem::take(&mut self.height);
        let mut value = self.any_value(e);
        self.height += 1;
        if self.height > MAX_HEIGHT {
            let leaf = matches!(value.kind, ExprKind::Int(_) | ExprKind::Reg(_));
            if !leaf && self.program.types.is_scalar(value.ty) {
                let loc = self.loc(e.span);
                value = self.keep(loc, value);
            }
            self.height = 1;
        }
        self.height = self.height.max(beside);
        value
    }
    fn any_value(&mut self, e: &'a hir::Expr) -> Expr {
        let ty = e.ty;
        if ty == Types::VOID {
            self.effect(e);
            return Expr::int(Types::INT, 0);
        }
        match &e.kind {
            H::Int(value) => Expr::int(ty, *value),
            H::Float(bits) => Expr {
                ty,
                kind: ExprKind::Float(*bits),
            },
            H::Choose => {
                let loc = self.loc(e.span);
                self.unknown(loc, ty)
            }
            H::Var(_) | H::Deref(_) | H::Field(..) | H::Index(..) | H::Compound(..) => {
                Expr::load(self.place(e))
            }
            H::Whole(pieces) => {
                let loc = self.loc(e.span);
                let whole = self.temp(loc, ty);
                self.pieces(whole, pieces);
                Expr::load(Place::var(ty, whole))
            }
            H::Load(place, volatile) => {
                let place = self.place(place);
                if !*volatile {
                    return Expr::load(place);
                }
                let loc = self.loc(e.span);
                self.volatile_value(loc, place)
            }
            H::AddrOf(place) => self.address(ty, place),
            H::FuncAddr(id) => self.function_address(ty, *id),
            H::Cast(inner) => {
                let value = self.value(inner);
                Expr::cast(ty, value)
            }
            H::Unary(op, inner) => {
                let kind = ExprKind::Unary(*op, Box::new(self.value(inner)));
                Expr { ty, kind }
            }
            H::Binary(op, left, right) => {
                let (left, right) = self.pair(left, right);
                let kind = ExprKind::Binary(*op, Box::new(left), Box::new(right));
                Expr { ty, kind }
            }
            H::And(..) | H::Or(..) => self.logical(e),
            H::Cond(cond, then, els) => self.choice(e, cond, then, els),
            H::Elvis { value, other } => self.elvis(e, value, other),
            H::Comma(first, second) => {
                self.effect(first);
                self.value(second)
            }
            H::PtrAdd { ptr, index, scale } => {
                let (ptr, index) = self.pair(ptr, index);
                self.step(ty, ptr, index, scale)
            }
            H::Within(index, length) => self.within(index, length),
            H::PtrDiff { left, right, scale } => self.distance(ty, left, right, scale),
            H::Assign {
                place,
                value,
                volatile,
            } => self.assign(e, place, value, *volatile),
            H::AssignOp { .. } => self.assign_op(e, true),
            H::Call {
                callee,
                args,
                noreturn,
            } => self.call(e, callee, args, *noreturn, true),
            H::StmtExpr { body, value } => self.stmt_expr(e, body, value.as_deref()),
            H::VarArgs => Expr {
                ty,
                kind: ExprKind::VarArgs,
            },
            H::LabelAddr(label) => Expr::int(ty, self.survey.label_number(*label)),
            // Typed `void` by rights; control does not go on in any case.
            H::Unreachable | H::Trap | H::Halt(_) => {
                self.effect(e);
                let loc = self.loc(e.span);
                self.unknown(loc, ty)
            }
        }
    }
    /// Evaluates `e` for its effects. A value that is dropped is still computed if that may
    /// fail.
    pub(super) fn effect(&mut self, e: &'a hir::Expr) {
        let loc = self.loc(e.span);
        match &e.kind {
            H::Cast(inner) if e.ty == Types::VOID => self.effect(inner),
            H::Load(place, false) if !self.program.types.is_scalar(e.ty) => {
                self.place(place);
            }
            H::Comma(first, second) => {
                self.effect(first);
                self.effect(second);
            }
            H::Cond(cond, then, els) => {
                let (yes, no, after) = self.fork();
                self.branch_on(cond, yes, no);
                for (block, side) in [(yes, then), (no, els)] {
                    self.code.start(block);
                    self.effect(side);
                    self.code.goto(loc, after);
                }
                self.code.start(after);
            }
            H::And(left, right) | H::Or(left, right) if self.shape(e) == Shape::Effects => {
                let more = self.code.new_block();
                let after = self.code.new_block();
                match e.kind {
                    H::And(..) => self.branch_on(left, more, after),
                    _ => self.branch_on(left, after, more),
                }
                self.code.start(more);
                self.effect(right);
                self.code.fall_into(loc, after);
            }
            H::Elvis { value, other } => {
                let more = self.code.new_block();
                let after = self.code.new_block();
                self.branch_on(value, after, more);
                self.code.start(more);
                self.effect(other);
                self.code.fall_into(loc, after);
            }
            H::AssignOp { .. } => {
                self.assign_op(e, false);
            }
            H::Assign {
                place,
                value,
                volatile: _,
            } => {
                self.store(loc, place, value);
            }
            H::Call {
                callee,
                args,
                noreturn,
            } => {
                self.call(e, callee, args, *noreturn, false);
            }
            H::StmtExpr { body, value } => {
                let depth = self.enter_scope();
                self.begin_lives(declared_with(body, value.as_deref()), e.span);
                self.stmts(body);
                value.iter().for_each(|v| self.effect(v));
                self.exit_scope(depth, e.span);
            }
            H::Unreachable => self.stop(loc, Branch::Unreachable(Unreachable::Promised)),
            H::Trap => self.stop(loc, Branch::Unreachable(Unreachable::Trap)),
            H::Halt(status) => {
                let status = self.value(status);
                self.stop(loc, Branch::Halt(status));
            }
            _ if e.ty == Types::VOID => self.void(e),
            _ => {
                let value = self.value(e);
                self.drop_value(e, value);
            }
        }
    }
    /// A `void` expression that is none of the usual ones, such as `*p` of a `void *`.
    fn void(&mut self, e: &'a hir::Expr) {
        match &e.kind {
            H::Deref(inner) | H::Load(inner, _) => self.effect(inner),
            _ => {}
        }
    }
    fn drop_value(&mut self, e: &hir::Expr, value: Expr) {
        let vars = &self.program.vars;
        let types = &self.program.types;
        let fails = || value.may_trap(types, &|v| vars[v].ty) || may_overflow(types, &value);
        if types.is_scalar(value.ty) && fails() {
            let loc = self.loc(e.span);
            self.keep(loc, value);
        }
    }
    /// Control does not go on from here.
    pub(super) fn stop(&mut self, loc: cwolf_cwi::LocId, branch: Branch) {
        self.code.end(loc, branch);
        self.code.start_dead();
    }
    /// Two operands, left to right.
    fn pair(&mut self, left: &'a hir::Expr, right: &'a hir::Expr) -> (Expr, Expr) {
        let mut first = self.value(left);
        let mark = self.code.mark();
        let second = self.value(right);
        self.settle(left.span, mark, &mut first);
        (first, second)
    }
    /// An index of which a check says that it is inside of its array: the array may be part of an object, so that nobody
    /// else would see it.
    fn within(&mut self, index: &'a hir::Expr, length: &'a hir::Expr) -> Expr {
        let loc = self.loc(index.span);
        let (index, length) = self.pair(index, length);
        // A negative index is a large unsigned number.
        let place = Expr::cast(length.ty, index.clone());
        let check = self.program.checks.push(Check {
            kind: CheckKind::Bounds,
            loc,
            text: "the index stays inside its array".into(),
        });
        let cond = Expr::binary(BinOp::Lt, place, length);
        self.code.emit(loc, StmtKind::Assert { check, cond });
        index
    }
    /// `pointer + index * scale`.
    pub(super) fn step(&mut self, ty: TypeId, ptr: Expr, index: Expr, scale: &'a Scale) -> Expr {
        let (index, scale) = match scale {
            Scale::Const(bytes) => (index, *bytes),
            Scale::Runtime(bytes) => {
                let bytes = self.value(bytes);
                let bytes = Expr::cast(index.ty, bytes);
                (Expr::binary(BinOp::Mul, index, bytes), 1)
            }
        };
        let (ptr, index) = (Box::new(Expr::cast(ty, ptr)), Box::new(index));
        let kind = ExprKind::PtrAdd { ptr, index, scale };
        Expr { ty, kind }
    }
    fn distance(
        &mut self,
        ty: TypeId,
        left: &'a hir::Expr,
        right: &'a hir::Expr,
        scale: &'a Scale,
    ) -> Expr {
        let (left, right) = self.pair(left, right);
        let right = Expr::cast(left.ty, right);
        let (left, right) = (Box::new(left), Box::new(right));
        // GNU C lets pointers to empty records be subtracted; the result means nothing.
        let bytes = match scale {
            Scale::Const(bytes) => (*bytes).max(1),
            Scale::Runtime(_) => 1,
        };
        let kind = ExprKind::PtrDiff {
            left,
            right,
            scale: bytes,
        };
        let distance = Expr { ty, kind };
        match scale {
            Scale::Const(_) => distance,
            Scale::Runtime(bytes) => {
                let bytes = self.value(bytes);
                Expr::binary(BinOp::Div, distance, Expr::cast(ty, bytes))
            }
        }
    }
    /// The address of a function as a `ty`, which need not be the function's own type.
    fn function_address(&mut self, ty: TypeId, id: FuncId) -> Expr {
        let types = &mut self.program.types;
        let to_function = types.pointee(ty).map(|to| &types[to]);
        let own = match to_function {
            Some(Type::Func(_)) => ty,
            _ => types.pointer(self.program.funcs[id].ty),
        };
        let address = Expr {
            ty: own,
            kind: ExprKind::FuncAddr(id),
        };
        Expr::cast(ty, address)
    }
    /// `({ … })` with a value.
    fn stmt_expr(
        &mut self,
        e: &'a hir::Expr,
        body: &'a [hir::Stmt],
        value: Option<&'a hir::Expr>,
    ) -> Expr {
        let depth = self.enter_scope();
        self.begin_lives(declared_with(body, value), e.span);
        self.stmts(body);
        let mut result = match value {
            Some(value) => self.value(value),
            None => {
                let loc = self.loc(e.span);
                self.unknown(loc, e.ty)
            }
        };
        let mark = self.code.mark();
        self.exit_scope(depth, e.span);
        // What a cleanup frees or changes is read before.
        self.settle(e.span, mark, &mut result);
        result
    }
    /// `value` as an `int` that is zero if and only if `value` is zero or null.
    pub(super) fn truth(&self, value: Expr) -> Expr {
        if value.ty == Types::INT {
            return value;
        }
        let zero = self.zero(value.ty);
        Expr::binary(BinOp::Ne, value, zero)
    }
    /// The constant zero of any type.
    pub(super) fn zero(&self, ty: TypeId) -> Expr {
        let kind = match self.program.types[ty] {
            Type::Float(_) => ExprKind::Float(0),
            _ if self.program.types.is_scalar(ty) => ExprKind::Int(0),
            _ => ExprKind::Zero,
        };
        Expr { ty, kind }
    }
    /// `-value`, computed now if it is a constant.
    pub(super) fn negate(&self, value: Expr) -> Expr {
        match (value.as_int(), self.program.types.as_int(value.ty)) {
            (Some(n), Some(ty)) => {
                Expr::int(value.ty, cwolf_cwi::value::wrap(ty, n.wrapping_neg()))
            }
            _ => Expr::unary(UnOp::Neg, value),
        }
    }
    /// Stores a value; both are ready.
    pub(super) fn write(&mut self, loc: cwolf_cwi::LocId, place: Place, value: Expr) {
        self.code.emit(loc, StmtKind::Assign(place, value));
    }
}

/// Whether computing it may leave a signed type.
fn may_overflow(types: &Types, e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        let arithmetic = match e.kind {
            ExprKind::Binary(op, ..) => matches!(
                op,
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Shl
            ),
            ExprKind::Unary(op, _) => op == UnOp::Neg,
            _ => false,
        };
        found |= arithmetic && types.as_int(e.ty).is_some_and(|ty| ty.signed);
    });
    found
}
