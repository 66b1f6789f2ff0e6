//! Allocations, on the heap and on the stack.

use crate::cursor::Cursor;
use crate::evaluate::Evaluator;
use crate::objects::{ContextId, OFFSET_BITS, ObjId, ObjectKind};
use cwolf_base::Idx;
use cwolf_cwi::{
    BlockId, Branch, Callee, Expr, ExprKind, RESULT, RegId, StmtKind, Type, TypeId, Types,
};
use cwolf_logic::{Term, Terms};

impl Evaluator<'_> {
    /// A new object of `size` bytes.
    pub(crate) fn allocate(
        &mut self,
        cur: &mut Cursor,
        size: Term,
        zeroed: bool,
        next: Option<BlockId>,
        in_loop: bool,
    ) -> (Term, ObjId) {
        let serial = match self.options.mode.unrolls() {
            true => {
                self.allocations += 1;
                self.allocations
            }
            false => 0,
        };
        let fixed = self.terms.as_bv(size).map(|s| s as u64);
        let object = self.heap(cur.context, cur.block, serial, fixed);
        let unrolls = self.options.mode.unrolls();
        let info = &mut self.objects[object.index()];
        if unrolls && info.zeroed != zeroed {
            // An object of an earlier unrolling, of which something else was known.
            info.zeroed = zeroed;
            info.layout = None;
        }
        info.zeroed |= zeroed;
        info.born = Some(cur.guard);
        // Procedures by themselves do not know what their callers hold.
        let apart = self.options.mode.procedures().is_some();
        let info = &mut self.objects[object.index()];
        if in_loop && apart {
            info.summary = true;
        } else if in_loop && !unrolls {
            let older = self.older(object, cur.context, cur.block, fixed);
            self.retire(&mut cur.state, object, older);
        }
        let info = &self.objects[object.index()];
        let (size_cell, valid_cell, laid) =
            (info.size_cell, info.valid_cell, info.layout.is_some());
        if let Some(hint) = next.and_then(|next| self.cast_of_result(cur, next)) {
            self.lay_out(object, Some(hint));
        }
        if let Some(cell) = size_cell {
            cur.state.set(cell, size);
        }
        if let Some(cell) = valid_cell {
            cur.state.set(cell, Terms::TRUE);
        }
        let mut state = std::mem::take(&mut cur.state);
        self.take_back(&mut state, object);
        cur.state = state;
        // The contents of an object that was here before are not those of this one.
        if laid && !self.options.mode.unrolls() {
            let layout = self.objects[object.index()]
                .layout
                .as_ref()
                .expect("laid out")
                .clone();
            for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
                let t = match zeroed {
                    true => self.zero(leaf.sort()),
                    false => self.unwritten(leaf.sort(), leaf.repr),
                };
                cur.state.set(*cell, t);
            }
        }
        let zero = self.terms.bv(OFFSET_BITS, 0);
        (self.pointer(object, zero), object)
    }

    /// The pointer to a new object of so many bytes, or null: no object is larger than half of the address
    /// space. SV-COMP's allocations never fail.
    pub(crate) fn unless_too_large(&mut self, size: Term, p: Term) -> Term {
        let largest = (1 << (self.program.target().word(false).bits - 1)) - 1;
        if !self.options.checks.follow_undefined || self.terms.at_most(size) <= largest {
            return p;
        }
        let width = self.terms.width(size);
        let limit = self.terms.bv(width, largest);
        let too_large = self.terms.ult(limit, size);
        let null = self.null();
        self.terms.ite(too_large, null, p)
    }

    /// The product of two sizes, with all of its bits.
    pub(crate) fn product(&mut self, a: Term, b: Term) -> Term {
        let bits = 2 * OFFSET_BITS;
        let (a, b) = (self.terms.zext(bits, a), self.terms.zext(bits, b));
        self.terms.mul(a, b)
    }

    /// What the result of the call that ends a block is cast to a pointer to.
    fn cast_of_result(&self, cur: &Cursor, next: BlockId) -> Option<TypeId> {
        let func = self.contexts[cur.context.index()].func;
        let body = self.program.funcs[func].body.as_ref()?;
        let mut found = None;
        let types = &self.program.types;
        let mut look = |e: &Expr| {
            if let ExprKind::Cast(inner) = &e.kind
                && inner.kind == ExprKind::Reg(RESULT)
                && let Some(to) = types.pointee(e.ty)
                && !matches!(types[to], Type::Void | Type::Func(_))
                && to != Types::CHAR
            {
                found = Some(to);
            }
        };
        for stmt in &body.blocks[next].stmts {
            if let StmtKind::Assign(_, e) | StmtKind::SetReg(_, e) = &stmt.kind {
                e.walk(&mut look);
            }
        }
        found
    }

    pub(crate) fn free(&mut self, cur: &mut Cursor, p: Term) {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let targets = self.targets(p, zero);
        let null = self.null();
        let mut ok = self.terms.eq(p, null);
        for target in &targets {
            if !self.is_heap(target.object) {
                continue;
            }
            let start = self.terms.eq(target.offset, zero);
            let mut fine = self.terms.and(target.guard, start);
            let alive = self.lasts(cur, target.object);
            fine = self.terms.and(fine, alive);
            let info = &self.objects[target.object.index()];
            if let (Some(cell), false) = (info.valid_cell, info.summary) {
                let here = self.terms.not(target.guard);
                let after = self.terms.and(here, alive);
                cur.state.set(cell, after);
            }
            ok = self.terms.or(ok, fine);
        }
        self.only_or_give_up(cur, ok, "freeing what cannot be freed");
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
}
