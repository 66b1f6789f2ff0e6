//! Descriptors: the system hands out none that is open, and closes none that is not. Engines know nothing of that;
//! the interpreter does, so that runs in which it is otherwise are not reported.

use super::maker::{Maker, is_zero};
use super::{Freedom, known_stub};
use cwolf_cwi::{BinOp, Branch, CheckKind, Expr, Program, StmtKind, TypeId, Types};

/// The functions of the interpreter that know which descriptors are open.
const NEW: &str = "__cwolf_descriptor";
const SHUT: &str = "__cwolf_shut";

impl Maker<'_, '_> {
    /// If the row says so: the descriptor that the system gives where `value` is wanted.
    pub(super) fn opened(&mut self, value: Expr) -> Expr {
        if !self.row.opens() || self.program.types.as_int(value.ty).is_none() {
            return value;
        }
        let place = self.local("descriptor", value.ty);
        self.assign(place.clone(), value.clone());
        let made = Expr::binary(BinOp::Ge, value.clone(), Expr::int(value.ty, 0));
        self.when(made, |maker| {
            let wanted = Expr::cast(Types::INT, value);
            if let Some(given) = maker.call(NEW, vec![wanted], Types::INT) {
                let given = Expr::cast(place.ty, given);
                maker.push(StmtKind::Assign(place.clone(), given));
            }
        });
        Expr::load(place)
    }

    /// A descriptor that is not open cannot be closed.
    pub(super) fn shuts(&mut self, ret: TypeId) {
        let Some(given) = self.row.shuts().and_then(|n| self.given.args.get(n)) else {
            return;
        };
        let given = Expr::cast(Types::INT, given.clone());
        let Some(was_open) = self.call(SHUT, vec![given], Types::INT) else {
            return;
        };
        self.when(is_zero(&was_open), |maker| {
            maker.set_errno();
            maker.seal(Branch::Return(Some(Expr::int(ret, -1))));
        });
    }
}

/// Gives these functions a body for engines, where stubs call them.
pub(crate) fn approximate(program: &mut Program, kinds: &[CheckKind]) {
    for name in [NEW, SHUT] {
        let lacking = |f: &_| program.funcs[*f].body.is_none();
        let func = program.function(name).filter(lacking);
        if let (Some(func), Some(row)) = (func, cwolf_known::lookup(name)) {
            known_stub(program, func, row, kinds, None, Freedom::Approximation);
        }
    }
}
