//! Lives of objects: how they begin and end, and what becomes of pointers to what has ended.
//!
//! Each object has one cell that says whether it may be accessed. A local variable of a call that
//! is made again, or of a block that is entered again, has several lives in the same place; where
//! a new one begins, all pointers that still lead to an earlier one are redirected to the
//! *dangling* object, which may never be accessed. Pointers that cannot be rewritten one by one
//! (in arrays and in objects whose contents are not followed) may be dangling from then on.

use crate::encoder::Encoder;
use crate::lives::Lives;
use crate::object::{
    CellId, ContextId, OBJECT_BITS, OFFSET_BITS, ObjId, ObjectKind, POINTER_BITS, Repr,
};
use crate::run::{Cursor, Frame};
use crate::state::State;
use cwolf_base::Idx;
use cwolf_cwi::graph::Object;
use cwolf_cwi::{BlockId, Branch, Callee, Expr, ExprKind, RESULT, RegId, StmtKind, VarId};
use cwolf_logic::{Node, Sort, Term, Terms};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Encoder<'_> {
    /// What the lives of objects in the program are like.
    pub(crate) fn lives(&mut self) -> Rc<Lives> {
        if let Some(known) = &self.lives {
            return known.clone();
        }
        let (points_to, calls) = (self.points_to(), self.analysed.calls());
        let lives = Rc::new(Lives::new(self.program, points_to, calls));
        self.lives = Some(lives.clone());
        lives
    }

    /// Whether the ends of lives of local variables are followed here. Procedures by themselves
    /// are encoded only where no pointer outlives its object.
    fn follows_lives(&self) -> bool {
        self.options.checks.follows_lives() && self.modular.is_none()
    }

    /// Whether a local variable has a cell that says whether it lives.
    pub(crate) fn may_be_dead(&mut self, v: VarId) -> bool {
        self.follows_lives() && self.lives().is_taken(v)
    }

    /// The points-to analysis' name of an object, if it may end.
    fn analysed(&self, object: ObjId) -> Option<Object> {
        match self.objects[object.index()].kind {
            ObjectKind::Local(_, v) => Some(Object::Var(v)),
            ObjectKind::Heap(context, block, _) => {
                Some(Object::Heap(self.contexts[context.index()].func, block))
            }
            _ => None,
        }
    }

    /// Whether an object that stands for several may have been one that has ended.
    pub(crate) fn may_have_ended(&mut self, object: ObjId) -> bool {
        let Some(name) = self.analysed(object) else {
            return false;
        };
        let lives = self.lives();
        match self.objects[object.index()].on_stack {
            true => lives.may_outlive_block(name),
            false => lives.may_be_freed(name),
        }
    }

    /// A call of a function begins: its variables begin new lives, which pointers to those of an
    /// earlier call from the same place do not lead to.
    pub(crate) fn begin_call(&mut self, state: &mut State, callers: &[Frame], context: ContextId) {
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
        let again = callers.iter().any(Frame::is_in_loop);
        for v in all {
            if !self.may_be_dead(v) {
                continue;
            }
            let object = self.object(ObjectKind::Local(context, v));
            if again && self.lives().may_outlive_call(Object::Var(v)) {
                self.redirect(state, object);
            }
            if let Some(cell) = self.objects[object.index()].valid_cell {
                state.set(cell, Terms::TRUE);
            }
        }
    }

    /// A variable of a block begins a life.
    pub(crate) fn begin_in_block(&mut self, cur: &mut Cursor, v: VarId) {
        if !self.may_be_dead(v) || !self.lives().may_outlive_block(Object::Var(v)) {
            return;
        }
        let func = self.contexts[cur.context.index()].func;
        if self.flow(func).loops[cur.block.index()].is_empty() {
            return;
        }
        let object = self.object(ObjectKind::Local(cur.context, v));
        self.redirect(&mut cur.state, object);
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

    /// Memory on the stack ends with the block that saved where the stack ended: all that was
    /// allocated since.
    pub(crate) fn restore_stack(&mut self, cur: &mut Cursor, saved: &Expr) {
        let ExprKind::Reg(reg) = saved.kind else {
            return;
        };
        let since = self.allocated_since(cur.context, reg);
        for object in self.stack_of.get(&cur.context).cloned().unwrap_or_default() {
            let ObjectKind::Heap(_, block, _) = self.objects[object.index()].kind else {
                continue;
            };
            if since.contains(&block) {
                self.end_life(&mut cur.state, object);
            }
        }
    }

    /// The blocks between those that save the end of the stack in a register and those that
    /// restore it.
    fn allocated_since(&self, context: ContextId, reg: RegId) -> Vec<BlockId> {
        let func = self.contexts[context.index()].func;
        let Some(body) = &self.program.funcs[func].body else {
            return Vec::new();
        };
        let named = |callee: &Callee, name: &str| match callee {
            Callee::Direct(f) => self.program.funcs[*f].name == name,
            Callee::Indirect(_) => false,
        };
        let mut work: Vec<BlockId> = Vec::new();
        for block in body.blocks.iter() {
            if let Branch::Call {
                callee,
                next: Some(next),
                ..
            } = &block.branch
                && named(callee, "__builtin_stack_save")
                && body.blocks[*next].stmts.iter().any(|s| {
                    matches!(&s.kind, StmtKind::SetReg(r, e)
                        if *r == reg && e.kind == ExprKind::Reg(RESULT))
                })
            {
                work.push(*next);
            }
        }
        let mut found = Vec::new();
        while let Some(block) = work.pop() {
            if found.contains(&block) {
                continue;
            }
            found.push(block);
            let branch = &body.blocks[block].branch;
            let restores = matches!(branch, Branch::Call { callee, args, .. }
                if named(callee, "__builtin_stack_restore")
                    && args.first().is_some_and(|a| a.kind == ExprKind::Reg(reg)));
            if !restores {
                work.extend(branch.successors());
            }
        }
        found
    }

    /// An allocation is one on the stack of a call.
    pub(crate) fn put_on_stack(&mut self, context: ContextId, object: ObjId) {
        let info = &mut self.objects[object.index()];
        if !info.on_stack {
            info.on_stack = true;
            self.stack_of.entry(context).or_default().push(object);
        }
    }

    /// The objects that a pointer may lead to hold anything.
    pub(crate) fn havoc_reached(&mut self, cur: &mut Cursor, p: Term) {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let mut state = std::mem::take(&mut cur.state);
        for target in self.targets(p, zero) {
            let kind = self.objects[target.object.index()].kind;
            if !kind.has_no_bytes() && kind != ObjectKind::Outside {
                self.forget(&mut state, target.object, target.guard);
            }
        }
        cur.state = state;
    }

    /// What one pointer leads to may hold the pointers that are where another leads to.
    pub(crate) fn mix_pointers(&mut self, cur: &Cursor, to: Term, from: Term) {
        for source in self.objects_of(from) {
            let mut pointers = self.pointed_from(&cur.state, source);
            pointers.extend(self.vague_domain(source));
            for object in self.objects_of(to) {
                self.holds_objects(object, pointers.clone());
            }
        }
    }

    /// Whether an object is one that may be freed.
    pub(crate) fn is_heap(&self, object: ObjId) -> bool {
        let info = &self.objects[object.index()];
        matches!(info.kind, ObjectKind::Heap(..) | ObjectKind::Outside) && !info.on_stack
    }

    /// All pointers to an object are dangling from now on: what they led to has ended, and the
    /// object begins another life.
    fn redirect(&mut self, state: &mut State, object: ObjId) {
        if self.redirected.insert(object) && !self.options.unroll {
            self.changes += 1;
        }
        let mut known = FxHashMap::default();
        for n in 0..self.cells.len() {
            let cell = CellId::new(n);
            if self.cells[n].repr != Repr::Pointer {
                continue;
            }
            let Some(t) = self.pointer_in(state, cell, object) else {
                continue;
            };
            let new = self.redirected(t, object, &mut known);
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

    /// A pointer, or an array of pointers, that led to an object.
    fn redirected(&mut self, t: Term, object: ObjId, known: &mut FxHashMap<Term, Term>) -> Term {
        if let Some(&new) = known.get(&t) {
            return new;
        }
        let new = match (self.terms.sort(t), self.terms.node(t)) {
            (_, Node::Ite(c, a, b)) => {
                let a = self.redirected(a, object, known);
                let b = self.redirected(b, object, known);
                self.terms.ite(c, a, b)
            }
            (_, Node::Store(under, index, value)) => {
                let under = self.redirected(under, object, known);
                let value = self.redirected(value, object, known);
                self.terms.store(under, index, value)
            }
            (_, Node::ConstArray { index, of }) => {
                let of = self.redirected(of, object, known);
                self.terms.const_array(index, of)
            }
            _ if !self.objects_in(t).contains(&object) => t,
            (Sort::Bv(_), _) => {
                let (number, offset) = self.split(t);
                let id = self.terms.bv(OBJECT_BITS, object.0.into());
                let here = self.terms.eq(number, id);
                let nowhere = self.pointer(Encoder::DANGLING, offset);
                self.terms.ite(here, nowhere, t)
            }
            // Elements are not rewritten one by one: any of them may be any of these.
            (sort, _) => {
                let mut domain = self.objects_in(t);
                domain.extend([ObjId(0), Encoder::DANGLING]);
                domain.sort_unstable();
                domain.dedup();
                let array = self.terms.fresh("any", sort);
                self.domains.insert(array, domain);
                array
            }
        };
        known.insert(t, new);
        new
    }

    /// Pointers that may lead to an object that began another life may be dangling.
    pub(crate) fn add_dangling(&self, domain: &mut Vec<ObjId>) {
        let stale = domain.iter().any(|o| self.redirected.contains(o));
        if stale && !domain.contains(&Encoder::DANGLING) {
            domain.push(Encoder::DANGLING);
        }
    }

    /// A pointer made of a number that was the address of an object: the object may have begun
    /// another life since.
    pub(crate) fn pointer_from_address(&mut self, object: ObjId, offset: Term) -> Term {
        let p = self.pointer(object, offset);
        if !self.redirected.contains(&object) {
            return p;
        }
        let stale = self.terms.fresh("stale", Sort::Bool);
        let nowhere = self.pointer(Encoder::DANGLING, offset);
        self.terms.ite(stale, nowhere, p)
    }

    /// When a comparison of two pointers says nothing, since one of them leads to what has ended:
    /// another object may be there now.
    pub(crate) fn stale(&mut self, state: &State, p: Term, q: Term) -> Term {
        let (number, _) = self.split(p);
        let gone = self.terms.as_bv(number) == Some(Encoder::DANGLING.0.into());
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
            let dangling = object == Encoder::DANGLING;
            let rival = |o: &ObjId| *o != ObjId(0) && (dangling || *o != object);
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

    /// `realloc`: the old object ends, and a new one holds what it held. As in glibc, nothing is
    /// made of an old object when no bytes are wanted.
    pub(crate) fn reallocate(
        &mut self,
        cur: &mut Cursor,
        old: Term,
        size: Term,
        next: Option<BlockId>,
        in_loop: bool,
    ) -> Term {
        let before = cur.state.clone();
        if self.terms.as_bv(old) != Some(0) {
            self.free(cur, old);
        }
        let (p, object) = self.allocate(cur, size, false, next, in_loop);
        self.carry_over(cur, &before, old, object);
        let (null, zero) = (self.null(), self.terms.bv(OFFSET_BITS, 0));
        let nothing = self.terms.eq(size, zero);
        let had = self.terms.ne(old, null);
        let ends = self.terms.and(nothing, had);
        self.terms.ite(ends, null, p)
    }

    /// What `realloc` made of an old object holds what the old one held, as far as both reach.
    pub(crate) fn carry_over(&mut self, cur: &mut Cursor, before: &State, old: Term, new: ObjId) {
        debug_assert_eq!(self.terms.width(old), POINTER_BITS);
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let mut sources = self.targets(old, zero);
        sources.retain(|t| self.is_heap(t.object));
        let mut state = std::mem::take(&mut cur.state);
        for source in &sources {
            let mut pointers = self.pointed_from(before, source.object);
            pointers.extend(self.vague_domain(source.object));
            let exact = match sources.len() {
                1 => self.carry_exactly(&mut state, before, source.object, source.guard, new),
                _ => false,
            };
            if !exact {
                self.holds_objects(new, pointers.clone());
                self.forget_to(&mut state, new, source.guard, &pointers);
            }
        }
        cur.state = state;
    }

    /// Copies the bytes that two objects of known sizes share; not if anything is unknown.
    fn carry_exactly(
        &mut self,
        state: &mut State,
        before: &State,
        from: ObjId,
        when: Term,
        to: ObjId,
    ) -> bool {
        /// Elements of long arrays that are copied.
        const MOST: u64 = 512;
        let plain = |this: &Self, o: ObjId| {
            let info = &this.objects[o.index()];
            info.size.filter(|_| !info.summary)
        };
        let (Some(had), Some(has)) = (plain(self, from), plain(self, to)) else {
            return false;
        };
        let bytes = had.min(has);
        self.lay_out(from, None);
        self.lay_out(to, None);
        let opaque = |this: &Self, o: ObjId| {
            let layout = this.objects[o.index()].layout.as_ref();
            layout.is_none_or(|l| l.opaque)
        };
        if opaque(self, from) || opaque(self, to) || bytes > MOST * 8 {
            return false;
        }
        let layout = self.objects[to.index()].layout.clone().expect("laid out");
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            let (stride, count) = leaf.array.unwrap_or((0, 1));
            let mut content = self.content(state, *cell);
            for n in 0..count {
                let bit = leaf.bit + n * stride * 8;
                if bit + u64::from(leaf.bits) > bytes * 8 {
                    break;
                }
                let value = self.load_at(before, from, bit, leaf.bits, leaf.repr);
                content = match leaf.array {
                    None => self.terms.ite(when, value, content),
                    Some(_) => {
                        let index = self.terms.bv(crate::object::INDEX_BITS, n.into());
                        let old = self.terms.select(content, index);
                        let value = self.terms.ite(when, value, old);
                        self.terms.store(content, index, value)
                    }
                };
            }
            state.set(*cell, content);
        }
        true
    }
}

/// Local variables that end before the calls that they belong to.
pub(crate) fn ends_early(program: &cwolf_cwi::Program) -> rustc_hash::FxHashSet<VarId> {
    let mut found = rustc_hash::FxHashSet::default();
    let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
    for stmt in bodies.flat_map(|b| b.blocks.iter()).flat_map(|b| &b.stmts) {
        if let StmtKind::Live(v) | StmtKind::Dead(v) = stmt.kind {
            found.insert(v);
        }
    }
    found
}
