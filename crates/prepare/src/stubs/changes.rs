//! What a call changes: memory, lives, and places that get values of a kind.

use super::maker::{Maker, is_not_zero};
use crate::checks::Bound;
use crate::formats::Store;
use cwolf_cwi::{Base, BinOp, Expr, ExprKind, Place, Step, Type, Types};
use cwolf_known::{Amount, Contents, Effect, FormatArgs, Outcome, Path, Range, Subject};

impl Maker<'_, '_> {
    /// What changes whatever the result is.
    pub(super) fn effects(&mut self) {
        for effect in self.row.effects.clone() {
            match effect {
                Effect::Writes { bytes, .. } if bytes.mentions_print() => {}
                Effect::Writes {
                    at,
                    bytes: Amount::Pointee(_),
                    ..
                } if self.is_set(&at) => {}
                Effect::Writes { at, bytes, .. } | Effect::Copies { to: at, bytes, .. } => {
                    match self.given.pointer(self.program, &at) {
                        // Where nothing is written, the count may lie behind a null pointer as well.
                        Some(ptr) if self.row.nullable(at.param) => {
                            self.when(is_not_zero(&ptr), |this| {
                                let size = this.amount(&bytes);
                                this.havoc(ptr, size);
                            });
                        }
                        Some(ptr) => {
                            let size = self.amount(&bytes);
                            self.havoc(ptr, size);
                        }
                        None => self.havoc_param(at.param),
                    }
                }
                Effect::Havocs(param, bytes) => {
                    let size = bytes.and_then(|b| self.amount(&b));
                    if let Some(ptr) = self.given.args.get(param).cloned() {
                        self.havoc(ptr, size);
                    }
                }
                Effect::Sets { at, .. } => self.forget_behind(&at),
                Effect::Moves(at) => self.moves(&at),
                Effect::Frees(at) => match self.given.pointer(self.program, &at) {
                    Some(p) => self.free(p),
                    None => self.havoc_param(at.param),
                },
                Effect::Closes(param) => match self.given.args.get(param).cloned() {
                    Some(handle) if self.row.is_made_by_library(param) => {
                        self.close(handle, self.row.handle_kind(param));
                    }
                    _ => self.havoc_param(param),
                },
                Effect::Keeps(at) => self.havoc_param(at.param),
                Effect::Through(param) => self.havoc_param(param),
                Effect::Unmaps(param) => {
                    let (p, bytes) = (self.given.args.get(param), self.given.args.get(param + 1));
                    match (p.cloned(), bytes.cloned()) {
                        (Some(p), Some(bytes)) => self.unmap(p, bytes),
                        _ => self.havoc_param(param),
                    }
                }
                Effect::Anything => {
                    (0..self.given.args.len()).for_each(|n| self.havoc_param(n));
                }
                Effect::Formatted(_)
                | Effect::Errno
                | Effect::State(_)
                | Effect::Channel(..)
                | Effect::Draws(_)
                | Effect::Connects
                | Effect::Opens
                | Effect::Shuts(_)
                | Effect::Output
                | Effect::Calls(_)
                | Effect::CallsLater(..)
                | Effect::Locks(_)
                | Effect::Unlocks(_)
                | Effect::Counts(..) => {}
            }
        }
    }

    /// Whether all that an argument points to gets its values by another effect.
    fn is_set(&self, at: &Subject) -> bool {
        let behind = Subject {
            param: at.param,
            path: Path::Behind,
        };
        let whole = |e: &Effect| matches!(e, Effect::Sets { at, .. } if *at == behind);
        at.itself().is_some() && self.row.effects.iter().any(whole)
    }

    /// What an argument leads to holds anything, through any number of pointers.
    fn havoc_param(&mut self, param: usize) {
        if let Some(ptr) = self.given.args.get(param).cloned() {
            self.havoc(ptr, None);
        }
    }

    /// A place that the call may set holds anything, until it is known whether the call succeeds.
    pub(super) fn forget_behind(&mut self, at: &Subject) {
        if at.is_result() || self.settled.contains(at) {
            return;
        }
        let Some(place) = self.given.place(self.program, at) else {
            return self.havoc_param(at.param);
        };
        let size = self.program.types.size_of(place.ty);
        let word = self.word();
        let ptr = Expr {
            ty: self.program.types.pointer(place.ty),
            kind: ExprKind::AddrOf(place),
        };
        self.havoc(ptr, Some(Expr::int(word, size.into())));
    }

    /// What conversions of the format store through unnamed arguments; anything that they lead to if
    /// the format cannot be read.
    pub(super) fn stores(&mut self, bound: Option<&Bound>) {
        let Some(format) = self.row.formatted() else {
            return;
        };
        if let FormatArgs::List(list) = format.args {
            return self.havoc_param(list);
        }
        let area = Expr {
            ty: self.program.types.pointer(Types::VOID),
            kind: ExprKind::VarArgs,
        };
        let Some(bound) = bound else {
            return self.havoc(area, None);
        };
        for store in bound.stores.clone() {
            let to = self.stored_at(&store);
            self.store(&store, to);
        }
    }

    /// The address that an unnamed argument gives.
    pub(super) fn stored_at(&mut self, store: &Store) -> Expr {
        let bytes = self.program.types.pointer(Types::CHAR);
        let area = Expr {
            ty: self.program.types.pointer(Types::VOID),
            kind: ExprKind::VarArgs,
        };
        let at = self.beside(area, store.offset as i64);
        let at = Expr::cast(self.program.types.pointer(bytes), at);
        self.keep(Expr::load(Place::deref(bytes, at)))
    }

    /// What a conversion may store.
    pub(super) fn store(&mut self, store: &Store, to: Expr) {
        let word = self.word();
        let size = store.bytes.map(|n| Expr::int(word, n.into()));
        self.havoc(to.clone(), size);
        if store.allocates {
            let made = self.choose(Types::BOOL);
            self.when(made, |maker| maker.store_new(to));
        }
    }

    /// A new text, whose address is stored.
    pub(super) fn store_new(&mut self, to: Expr) {
        let bytes = self.program.types.pointer(Types::CHAR);
        let place = Place::deref(bytes, Expr::cast(self.pointers(), to));
        let text = self.fresh(bytes, None, Contents::Text);
        self.assign(place, text);
    }

    fn pointers(&mut self) -> cwolf_cwi::TypeId {
        let bytes = self.program.types.pointer(Types::CHAR);
        self.program.types.pointer(bytes)
    }

    /// An object that ends when its contents move: to the result, which is for later, or to one that
    /// takes its place.
    fn moves(&mut self, at: &Subject) {
        if at.itself().is_some() {
            return;
        }
        let grown = self.row.effects.iter().find_map(|e| match e {
            Effect::Sets { at: place, value } if place == at => {
                value.iter().find_map(|outcome| match outcome {
                    Outcome::Fresh { bytes, .. } => Some(bytes.clone()),
                    _ => None,
                })
            }
            _ => None,
        });
        match grown {
            Some(bytes) => self.grow(at, bytes.as_ref()),
            None => self.forget_behind(at),
        }
    }

    /// Gives places their values after a call that succeeded; if that is not known, only those
    /// that are the result itself.
    pub(super) fn sets(&mut self, succeeded: bool) {
        for effect in self.row.effects.clone() {
            let Effect::Sets { at, value } = effect else {
                continue;
            };
            if self.settled.contains(&at) || !(succeeded || is_result(&value)) {
                continue;
            }
            let Some(place) = self.given.place(self.program, &at) else {
                continue;
            };
            let start = match at.is_result() {
                true => None,
                false => self.given.args.get(at.param).cloned(),
            };
            match start.filter(|_| self.row.nullable(at.param)) {
                Some(start) => self.when(is_not_zero(&start), |maker| maker.set(place, &value)),
                None => self.set(place, &value),
            }
        }
    }

    fn set(&mut self, place: Place, value: &[Outcome]) {
        let types = &self.program.types;
        if let (Type::Array { elem, len }, [text @ (Outcome::Text | Outcome::Nonempty)]) =
            (types[place.ty].clone(), value)
        {
            if types.size_of(elem) == 1 && len > 0 {
                let word = self.word();
                let ptr = Expr {
                    ty: self.program.types.pointer(place.ty),
                    kind: ExprKind::AddrOf(place.clone()),
                };
                self.end_text(ptr, Expr::int(word, len.into()));
                if *text == Outcome::Nonempty {
                    let mut first = place;
                    let word = self.program.target().word(true);
                    let word = self.program.types.intern(Type::Int(word));
                    first.path.push(Step::Index(Expr::int(word, 0)));
                    first.ty = elem;
                    self.assume(is_not_zero(&Expr::load(first)));
                }
            }
            return;
        }
        if !types.is_scalar(place.ty) {
            return;
        }
        if value == [Outcome::Text] && types.size_of(place.ty) == 1 {
            return self.hold_text(place);
        }
        // Numbers may be of a narrower type than the fact: then it holds anyway.
        let value = self.one_of(place.ty, value);
        self.assign(place, value);
    }

    /// The bytes that the call writes from a place on hold a text.
    fn hold_text(&mut self, place: Place) {
        let Base::Deref(start) = place.base else {
            return;
        };
        let room = self.row.effects.iter().find_map(|e| match e {
            Effect::Writes { at, bytes, .. } => {
                let same = self.given.pointer(self.program, at) == Some((*start).clone());
                same.then(|| bytes.clone())
            }
            _ => None,
        });
        let Some(room) = room.and_then(|bytes| self.amount(&bytes)) else {
            return;
        };
        let word = self.word();
        let length = self.choose(word);
        self.assume(Expr::binary(BinOp::Lt, length.clone(), room));
        let one = Expr::int(word, 1);
        let size = Expr::binary(BinOp::Add, length, one);
        self.end_text(*start, size);
    }

    /// One of several values.
    fn one_of(&mut self, ty: cwolf_cwi::TypeId, values: &[Outcome]) -> Expr {
        let [first, others @ ..] = values else {
            return self.choose(ty);
        };
        if others.is_empty() {
            return self.outcome(ty, Some(first));
        }
        let chosen = self.local("one", ty);
        let value = self.outcome(ty, Some(first));
        self.assign(chosen.clone(), value);
        for other in others {
            let instead = self.choose(Types::BOOL);
            self.when(instead, |maker| {
                let value = maker.outcome(ty, Some(other));
                maker.assign(chosen.clone(), value);
            });
        }
        Expr::load(chosen)
    }
}

/// Whether a place gets just what the call returns.
fn is_result(value: &[Outcome]) -> bool {
    matches!(value, [Outcome::Range(range)] if range_is_result(range))
}

pub(super) fn range_is_result(range: &Range) -> bool {
    range.single() == Some(&Amount::Result)
}
