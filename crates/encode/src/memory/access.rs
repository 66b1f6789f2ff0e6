//! Where an access goes, and where C defines it.

use crate::cursor::Cursor;
use crate::memory::{Memory, State};
use crate::objects::{OFFSET_BITS, ObjId, ObjectKind};
use crate::pointers::Target;
use cwolf_base::Idx;
use cwolf_cwi::TypeId;
use cwolf_logic::{Sort, Term, Terms};

/// Where a place lies: in one of several objects; bit-fields start some bits further.
pub(crate) struct Address {
    pub(crate) targets: Vec<Target>,
    pub(crate) bit: u64,
    pub(crate) hint: Option<TypeId>,
    /// Where C defines the access, if a run may go on after one that it does not.
    pub(crate) defined: Term,
}

impl Memory<'_> {
    /// The targets that an access of `size` bytes may go to, and where it is defined.
    pub(crate) fn admit(
        &mut self,
        cur: &mut Cursor,
        targets: Vec<Target>,
        size: u64,
    ) -> (Vec<Target>, Term) {
        let mut valid = Terms::FALSE;
        let mut inside = Terms::TRUE;
        let mut kept = Vec::with_capacity(targets.len());
        for target in targets {
            let kind = self.objects[target.object.index()].kind;
            if kind.has_no_bytes() {
                continue;
            }
            let lasts = self.lasts(cur, target.object);
            let alive = self.terms.and(target.guard, lasts);
            if alive == Terms::FALSE {
                continue;
            }
            valid = self.terms.or(valid, alive);
            let fits = self.fits(&cur.state, target.object, target.offset, size);
            let ok = self.terms.implies(target.guard, fits);
            inside = self.terms.and(inside, ok);
            if fits != Terms::FALSE {
                kept.push(target);
            }
        }
        let checks = self.options.checks;
        let valid = self.defined(cur, checks.pointer, valid);
        let inside = self.defined(cur, checks.bounds, inside);
        (kept, self.terms.and(valid, inside))
    }

    /// Whether an object's life lasts.
    pub(crate) fn lasts(&mut self, cur: &Cursor, object: ObjId) -> Term {
        let info = &self.objects[object.index()];
        match (info.valid_cell, info.summary) {
            (None, _) => Terms::TRUE,
            (Some(cell), false) => self.content(&cur.state, cell),
            // Some of the objects that it stands for may have ended.
            (Some(_), true) if self.may_have_ended(object) => self.terms.fresh("alive", Sort::Bool),
            (Some(_), true) => Terms::TRUE,
        }
    }

    /// Whether `size` bytes at `offset` lie inside an object.
    pub(crate) fn fits(&mut self, state: &State, object: ObjId, offset: Term, size: u64) -> Term {
        let needed = self.terms.bv(OFFSET_BITS, size.into());
        self.fits_count(state, object, offset, needed)
    }

    /// The same for a number of bytes that is a term.
    pub(crate) fn fits_count(
        &mut self,
        state: &State,
        object: ObjId,
        offset: Term,
        needed: Term,
    ) -> Term {
        let info = &self.objects[object.index()];
        if matches!(info.kind, ObjectKind::Outside) {
            return Terms::TRUE;
        }
        let (fixed, cell) = (info.size, info.size_cell);
        if info.summary && fixed.is_none() {
            // Each of the objects that it stands for has a size of its own.
            return self.terms.fresh("fits", Sort::Bool);
        }
        let whole = match (fixed, cell) {
            (Some(whole), _) => self.terms.bv(OFFSET_BITS, whole.into()),
            (None, Some(cell)) => self.content(state, cell),
            (None, None) => return Terms::TRUE,
        };
        let room = self.terms.ule(needed, whole);
        let last = self.terms.sub(whole, needed);
        let before = self.terms.ule(offset, last);
        self.terms.and(room, before)
    }

    /// What is left to tell apart after a step that C defines only where `ok` holds: nothing if an
    /// `Assert` demanded it, or if a run that breaks the rule is not looked at.
    pub(crate) fn defined(&mut self, cur: &mut Cursor, checked: bool, ok: Term) -> Term {
        if self.options.checks.follow_undefined && !checked {
            return ok;
        }
        self.only(cur, ok);
        Terms::TRUE
    }

    /// `t` where `ok` holds, else any value.
    pub(crate) fn where_defined(&mut self, ok: Term, t: Term) -> Term {
        if ok == Terms::TRUE {
            return t;
        }
        let sort = self.terms.sort(t);
        let any = self.terms.fresh("undefined", sort);
        self.terms.ite(ok, t, any)
    }

    /// A run goes on only where `ok` holds.
    pub(crate) fn only(&mut self, cur: &mut Cursor, ok: Term) {
        cur.guard = self.terms.and(cur.guard, ok);
    }
}
