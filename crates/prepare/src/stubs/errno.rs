//! `errno`, in programs that look at it.

use super::maker::{Maker, is_not_zero};
use cwolf_cwi::{Base, BinOp, Expr, FuncId, Function, Place, Program, Type, Types};
use cwolf_known::Row;

/// The largest number of an error.
const LAST: i128 = 133;

impl Maker<'_, '_> {
    /// A call that has failed says why. One that is defined by its arguments says it natively, and one that found
    /// nothing has not failed.
    pub(super) fn set_errno(&mut self) {
        match self.row.is_open() && !self.row.may_find_nothing() {
            true => self.store_errno(),
            false => self.may_set_errno(),
        }
    }

    /// Other calls may leave any number of an error there, but never zero (C11 7.5).
    pub(super) fn may_set_errno(&mut self) {
        if self.row.sets_errno() && errno_location(self.program).is_some() {
            let set = self.choose(Types::BOOL);
            self.when(is_not_zero(&set), Self::store_errno);
        }
    }

    fn store_errno(&mut self) {
        if !self.row.sets_errno() {
            return;
        }
        let Some(location) = errno_location(self.program) else {
            return;
        };
        let name = self.program.funcs[location].name.clone();
        let ty = self.program.types.pointer(Types::INT);
        let Some(at) = self.call(&name, Vec::new(), ty) else {
            return;
        };
        let number = self.choose(Types::INT);
        let limit = |op: BinOp, n: i128| Expr::binary(op, number.clone(), Expr::int(Types::INT, n));
        self.assume(Expr::binary(
            BinOp::And,
            limit(BinOp::Ge, 1),
            limit(BinOp::Le, LAST),
        ));
        let place = Place {
            ty: Types::INT,
            base: Base::Deref(Box::new(at)),
            path: Vec::new(),
        };
        self.assign(place, number);
    }
}

/// The function that the program asks where `errno` is; none if it never asks.
pub(crate) fn errno_location(program: &Program) -> Option<FuncId> {
    let mut all = program.funcs.enumerate();
    let is_asked = |f: &Function| {
        let row = cwolf_known::lookup(&f.name);
        let plain = matches!(&program.types[f.ty], Type::Func(ty) if ty.params.is_empty());
        f.body.is_some() && row.is_some_and(Row::is_errno) && plain
    };
    all.find(|(_, f)| is_asked(f)).map(|(id, _)| id)
}
