//! Lives of objects: how they begin and end, and what becomes of pointers to what has ended.
//!
//! Each object has one cell that says whether it may be accessed. A local variable of a call that
//! is made again, or of a block that is entered again, has several lives in the same place; where
//! a new one begins, all pointers that still lead to an earlier one are redirected to the
//! *dangling* object, which may never be accessed. Pointers that cannot be rewritten one by one
//! (in arrays and in objects whose contents are not followed) may be dangling from then on.
//!
//! An allocation in a loop has two objects: the newest one, which is followed like any other, and one
//! that stands for all before it. Where another is made, pointers to the newest are redirected to the
//! older ones, or dangle if it was freed.

use crate::cursor::Cursor;
use crate::memory::{Memory, State};
use crate::objects::{CellId, ContextId, OBJECT_BITS, OFFSET_BITS, ObjId, ObjectKind, Repr};
use crate::pointers::Redirect;
use cwolf_base::Idx;
use cwolf_cwi::VarId;
use cwolf_cwi::graph::Object;
use cwolf_logic::{Sort, Term, Terms};

impl Memory<'_> {
    /// A local variable comes to life: it holds anything.
    pub(crate) fn undefine(&mut self, state: &mut State, object: ObjId) {
        self.lay_out(object, None);
        let info = &self.objects[object.index()];
        let valid = info.valid_cell;
        let layout = info.layout.as_ref().expect("laid out").clone();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            let t = self.undefined(leaf.sort(), leaf.repr);
            state.set(*cell, t);
        }
        if let Some(cell) = valid {
            state.set(cell, Terms::TRUE);
        }
        self.take_back(state, object);
    }

    /// A call of a function begins, perhaps again from the same place: its variables begin new lives,
    /// which pointers to those of an earlier call do not lead to.
    pub(crate) fn begin_call(&mut self, state: &mut State, again: bool, context: ContextId) {
        if !self.follows_lives() {
            return;
        }
        let function = &self.program.funcs[self.contexts[context.index()].func];
        let all: Vec<VarId> = function
            .params
            .iter()
            .chain(&function.locals)
            .copied()
            .collect();
        for v in all {
            if !self.may_be_dead(v) {
                continue;
            }
            let object = self.object(ObjectKind::Local(context, v));
            if again && self.lives().may_outlive_call(Object::Var(v)) {
                self.redirect(state, object, None);
            }
            if let Some(cell) = self.objects[object.index()].valid_cell {
                state.set(cell, Terms::TRUE);
            }
            self.take_back(state, object);
        }
    }

    /// A variable of a block, perhaps one of a loop, begins a life.
    pub(crate) fn begin_in_block(&mut self, cur: &mut Cursor, v: VarId, in_loop: bool) {
        if !self.may_be_dead(v) || !self.lives().may_outlive_block(Object::Var(v)) {
            return;
        }
        if !in_loop {
            return;
        }
        let object = self.object(ObjectKind::Local(cur.context, v));
        self.redirect(&mut cur.state, object, None);
    }

    /// An object's life ends: nothing may be read or written through pointers to it.
    pub(crate) fn end_life(&mut self, state: &mut State, object: ObjId) {
        if let Some(cell) = self.objects[object.index()].valid_cell {
            state.set(cell, Terms::FALSE);
        }
    }

    /// A call ends, and with it its variables and its memory on the stack.
    pub(crate) fn end_call(&mut self, state: &mut State, context: ContextId) {
        let function = &self.program.funcs[self.contexts[context.index()].func];
        let all: Vec<VarId> = function
            .params
            .iter()
            .chain(&function.locals)
            .copied()
            .collect();
        for v in all {
            if self.may_be_dead(v) {
                let object = self.object(ObjectKind::Local(context, v));
                self.end_life(state, object);
            }
        }
        for object in self.stack_of.get(&context).cloned().unwrap_or_default() {
            self.end_life(state, object);
        }
    }

    /// The newest object of an allocation in a loop becomes one of the older ones, since another is made.
    pub(crate) fn retire(&mut self, state: &mut State, newest: ObjId, older: ObjId) {
        // What it holds is held by one of them, and what code outside knows of it, it knows of one of them.
        let mut pointers = self.pointed_from(state, newest);
        pointers.extend(self.vague_domain(newest));
        self.holds_objects(older, pointers);
        if self.may_be_given(newest) {
            let given = self.given_away(state, newest);
            self.give(state, older, given);
        }
        let lives = match self.objects[newest.index()].valid_cell {
            Some(cell) => self.content(state, cell),
            None => Terms::TRUE,
        };
        self.redirect(state, newest, Some((older, lives)));
    }

    /// What pointers to an object led to has ended, and the object begins another life. They are dangling
    /// from now on, or lead to another object where a condition holds.
    fn redirect(&mut self, state: &mut State, object: ObjId, to: Option<(ObjId, Term)>) {
        if self.redirected.insert(object) && !self.options.mode.unrolls() {
            self.changes += 1;
        }
        let mut redirect = Redirect::new(object, to);
        for n in 0..self.cells.len() {
            let cell = CellId::new(n);
            if self.cells[n].repr != Repr::Pointer {
                continue;
            }
            let Some(t) = self.pointer_in(state, cell, object) else {
                continue;
            };
            let new = self.redirected(t, &mut redirect);
            if new != t {
                state.set(cell, new);
            }
        }
    }

    /// What a cell of pointers holds, unless that cannot be the address of `object`.
    fn pointer_in(&mut self, state: &State, cell: CellId, object: ObjId) -> Option<Term> {
        if let Some(t) = state.get(cell) {
            return Some(t);
        }
        // When the program starts, nothing leads to a local variable.
        if !self.from_constants {
            return None;
        }
        self.may_hold(cell, object)
            .then(|| self.content(state, cell))
    }

    /// Whether two pointers are equal; unknown for two into an object that stands for several.
    /// Nor is anything known where one of them leads to what has ended.
    pub(crate) fn same_pointer(&mut self, state: &State, p: Term, q: Term) -> Term {
        let same = self.terms.eq(p, q);
        let stale = self.stale(state, p, q);
        let touching = match self.by_identity {
            true => Terms::FALSE,
            false => self.touching(state, p, q),
        };
        let open = self.terms.or(stale, touching);
        if open == Terms::FALSE && self.terms.as_bool(same).is_some() {
            return same;
        }
        let vague = self.vague(p, q, true);
        let vague = self.terms.or(vague, open);
        if vague == Terms::FALSE {
            return same;
        }
        let any = self.terms.fresh("same", Sort::Bool);
        self.terms.ite(vague, any, same)
    }

    /// When two pointers that lead to different objects may be equal all the same: one to the end of an object, after which
    /// another may start, or into literals of which one is the end of the other.
    fn touching(&mut self, state: &State, p: Term, q: Term) -> Term {
        if p == q {
            return Terms::FALSE;
        }
        let left = self.touching_side(state, p, q);
        let right = self.touching_side(state, q, p);
        self.terms.or(left, right)
    }

    fn touching_side(&mut self, state: &State, p: Term, q: Term) -> Term {
        let others = self.objects_of(q);
        let ((op, fp), (oq, fq)) = (self.split(p), self.split(q));
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let starts = self.terms.eq(fq, zero);
        let mut touching = Terms::FALSE;
        for object in self.objects_of(p) {
            let rivals = others.iter().filter(|o| **o != object);
            let rivals: Vec<ObjId> = rivals.filter(|o| self.has_place(**o)).copied().collect();
            if rivals.is_empty() || !self.has_place(object) {
                continue;
            }
            let number = self.terms.bv(OBJECT_BITS, object.0.into());
            let here = self.terms.eq(op, number);
            let elsewhere = self.terms.eq(oq, number);
            let elsewhere = self.terms.not(elsewhere);
            let here = self.terms.and(here, elsewhere);
            let ends = match self.size_of(state, object) {
                Some(size) => self.terms.eq(fp, size),
                None => {
                    let begins = self.terms.eq(fp, zero);
                    self.terms.not(begins)
                }
            };
            let ends = self.terms.and(ends, starts);
            let both = self.terms.and(here, ends);
            touching = self.terms.or(touching, both);
            for other in rivals {
                if self.literals_share(object, other) {
                    let number = self.terms.bv(OBJECT_BITS, other.0.into());
                    let there = self.terms.eq(oq, number);
                    let both = self.terms.and(here, there);
                    touching = self.terms.or(touching, both);
                }
            }
        }
        touching
    }

    /// Whether an object lies at a place that others may lie beside. What comes from outside is anywhere anyway.
    fn has_place(&self, object: ObjId) -> bool {
        let kind = self.objects[object.index()].kind;
        !matches!(kind, ObjectKind::Outside) && !kind.has_no_bytes()
    }

    /// How many bytes an object has; none if nobody knows.
    fn size_of(&mut self, state: &State, object: ObjId) -> Option<Term> {
        let info = &self.objects[object.index()];
        match (info.size, info.size_cell) {
            (Some(size), _) => Some(self.terms.bv(OFFSET_BITS, size.into())),
            (None, Some(cell)) if !info.summary => Some(self.content(state, cell)),
            _ => None,
        }
    }

    fn literals_share(&self, a: ObjId, b: ObjId) -> bool {
        let [a, b] = [a, b].map(|o| match self.objects[o.index()].kind {
            ObjectKind::Global(var) => Some(var),
            _ => None,
        });
        let both = a.zip(b);
        both.is_some_and(|(a, b)| self.program.literals_share(a, b))
    }

    /// When a comparison of two pointers says nothing, since one of them leads to what has ended:
    /// another object may be there now.
    pub(crate) fn stale(&mut self, state: &State, p: Term, q: Term) -> Term {
        let (number, _) = self.split(p);
        let gone = self.terms.as_bv(number) == Some(ObjId::DANGLING.0.into());
        // Two that are dangling for certain may have led to different objects.
        if p == q && !gone {
            return Terms::FALSE;
        }
        let left = self.stale_side(state, p, q);
        let right = self.stale_side(state, q, p);
        self.terms.or(left, right)
    }

    fn stale_side(&mut self, state: &State, p: Term, q: Term) -> Term {
        let others = self.objects_of(q);
        let mut stale = Terms::FALSE;
        for object in self.objects_of(p) {
            let dangling = object == ObjId::DANGLING;
            let rival = |o: &ObjId| *o != ObjId::NULL && (dangling || *o != object);
            if !others.iter().any(rival) {
                continue;
            }
            let info = &self.objects[object.index()];
            let ended = match (dangling, info.valid_cell, info.summary) {
                (true, ..) => Terms::TRUE,
                (false, Some(cell), false) => {
                    let alive = self.content(state, cell);
                    self.terms.not(alive)
                }
                // One of the objects that it stands for may have ended, and one that was made since lie there.
                (false, Some(_), true)
                    if self.may_have_ended(object) && others.iter().any(|o| self.begins(*o)) =>
                {
                    Terms::TRUE
                }
                _ => continue,
            };
            if ended == Terms::FALSE {
                continue;
            }
            let (op, _) = self.split(p);
            let (oq, _) = self.split(q);
            let id = self.terms.bv(OBJECT_BITS, object.0.into());
            let null = self.terms.bv(OBJECT_BITS, 0);
            let here = self.terms.eq(op, id);
            let mut when = self.terms.and(ended, here);
            let not_null = self.terms.ne(oq, null);
            when = self.terms.and(when, not_null);
            if !dangling {
                let elsewhere = self.terms.ne(oq, id);
                when = self.terms.and(when, elsewhere);
            }
            stale = self.terms.or(stale, when);
        }
        stale
    }
}
