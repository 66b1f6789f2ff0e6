//! What a call of `scanf` stores. Its result says how far it came: conversions before that have stored a
//! value, and those after it have left everything as it was.

use super::maker::{Maker, is_not_zero};
use crate::checks::Bound;
use crate::formats::{Number, Store};
use cwolf_cwi::{BinOp, Branch, Expr, Place, Type, TypeId, Types};

/// How many characters of a text are chosen one by one.
const CHOSEN: u64 = 8;

impl Maker<'_, '_> {
    /// Stores what some of the conversions read, and returns how many did.
    pub(super) fn scans(&mut self, ret: TypeId, bound: &Bound) {
        let all = bound.stores.iter().filter(|s| s.counts).count();
        let result = self.choose(ret);
        let at_least = self.against(BinOp::Ge, &result, -1);
        let at_most = self.against(BinOp::Le, &result, all as i128);
        self.assume(Expr::binary(BinOp::And, at_least, at_most));
        for store in &bound.stores {
            let after = store.after as i128;
            let to = self.stored_at(store);
            let done = self.against(BinOp::Gt, &result, after);
            let done = match store.counts {
                true => done,
                false => {
                    let here = match after {
                        0 => None,
                        _ => Some(self.against(BinOp::Eq, &result, after)),
                    };
                    // What stands between the conversion before and this one may have failed.
                    let came = (!store.follows).then(|| is_not_zero(&self.choose(Types::BOOL)));
                    let here = match (here, came) {
                        (Some(here), Some(came)) => Expr::binary(BinOp::And, here, came),
                        (Some(one), None) | (None, Some(one)) => one,
                        (None, None) => Expr::int(Types::INT, 1),
                    };
                    Expr::binary(BinOp::Or, done, here)
                }
            };
            let done = self.keep(done);
            if store.allocates {
                // A conversion that fails may leave anything there.
                self.store(store, to.clone());
                self.when(done, |maker| maker.store_new(to));
                continue;
            }
            self.when(done, |maker| maker.converted(store, to));
        }
        self.may_set_errno();
        self.seal(Branch::Return(Some(result)));
    }

    pub(super) fn is_integer(&self, ty: TypeId) -> bool {
        self.program.types.as_int(ty).is_some()
    }

    fn against(&self, op: BinOp, value: &Expr, n: i128) -> Expr {
        Expr::binary(op, value.clone(), Expr::int(value.ty, n))
    }

    /// What a conversion stores that found what it asks for.
    fn converted(&mut self, store: &Store, to: Expr) {
        match (store.number, store.bytes) {
            (Some(number), _) => self.number(store, number, to),
            (None, Some(room)) if store.text => self.word_of_input(room, to),
            _ => self.store(store, to),
        }
    }

    fn number(&mut self, store: &Store, number: Number, to: Expr) {
        let types = &mut self.program.types;
        let ty = match number {
            Number::Integer(bits) => types.int(bits, true),
            Number::Float(float) => types.intern(Type::Float(float)),
        };
        let pointer = types.pointer(ty);
        let value = self.choose(ty);
        if !store.counts {
            // It counts characters, and each conversion before it took some.
            self.assume(self.against(BinOp::Ge, &value, store.after as i128));
        }
        self.assign(Place::deref(ty, Expr::cast(pointer, to)), value);
    }

    /// At least one character, and a zero after the last.
    fn word_of_input(&mut self, room: u64, to: Expr) {
        let word = self.word();
        let length = self.choose(word);
        let some = self.against(BinOp::Ge, &length, 1);
        let fits = self.against(BinOp::Lt, &length, room.into());
        self.assume(Expr::binary(BinOp::And, some, fits));
        let size = Expr::binary(BinOp::Add, length.clone(), Expr::int(word, 1));
        self.havoc(to.clone(), Some(size.clone()));
        // A run that fails says what it chose, but not what it left open.
        for n in 0..room.saturating_sub(1).min(CHOSEN) {
            let longer = self.against(BinOp::Gt, &length, n.into());
            let at = self.beside(to.clone(), n as i64);
            self.when(longer, |maker| {
                let c = maker.choose(Types::CHAR);
                maker.assign(Place::deref(Types::CHAR, at), c);
            });
        }
        self.end_text(to, size);
    }
}
