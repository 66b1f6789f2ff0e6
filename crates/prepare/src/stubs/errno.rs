//! `errno`, in programs that look at it.

use super::maker::{Maker, is_not_zero};
use cwolf_cwi::{Base, BinOp, Expr, Place, Type, Types};
use cwolf_known::Row;

/// The largest number of an error.
const LAST: i128 = 133;

impl Maker<'_, '_> {
    /// A call that has failed says why. One that is defined by its arguments says it natively.
    pub(super) fn set_errno(&mut self) {
        match self.row.is_open() {
            true => self.store_errno(),
            false => self.may_set_errno(),
        }
    }

    /// Other calls may leave any number of an error there, but never zero (C11 7.5).
    pub(super) fn may_set_errno(&mut self) {
        if self.row.sets_errno() && self.errno_location().is_some() {
            let set = self.choose(Types::BOOL);
            self.when(is_not_zero(&set), Self::store_errno);
        }
    }

    fn store_errno(&mut self) {
        if !self.row.sets_errno() {
            return;
        }
        let Some(name) = self.errno_location() else {
            return;
        };
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

    /// The function that the program asks where `errno` is; none if it never asks.
    fn errno_location(&self) -> Option<String> {
        let mut all = self.program.funcs.iter();
        let found = all.find(|f| {
            let row = cwolf_known::lookup(&f.name);
            let returns = row.is_some_and(Row::is_errno);
            let plain = matches!(&self.program.types[f.ty], Type::Func(ty) if ty.params.is_empty());
            f.body.is_some() && returns && plain
        });
        found.map(|f| f.name.clone())
    }
}
