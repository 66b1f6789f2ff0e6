//! Functions that the encoder knows by name, and those that nobody defines.

use crate::encoder::Encoder;
use crate::expr::Content;
use crate::memory::{Address, Target};
use crate::object::{ContextId, Leaf, OFFSET_BITS, ObjId, ObjectKind, scalar};
use crate::region::Why;
use crate::run::Cursor;
use cwolf_base::Idx;
use cwolf_cwi::CheckKind;
use cwolf_cwi::{BlockId, Expr, ExprKind, FuncId, StmtKind, Type, TypeId, Types};
use cwolf_logic::{Term, Terms};

/// What came of a call that the encoder knows.
pub(crate) enum Native {
    /// It returns.
    Done(Option<Content>),
    /// It never returns.
    Ends,
    /// The encoder does not know it: it has a body.
    None,
}

/// Functions that the encoder handles itself, so that their models in C are not needed.
const NATIVE: [&str; 10] = [
    "malloc",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "memmove",
    "alloca",
    "realloc",
    "stack_save",
    "stack_restore",
];

/// Functions without effect on memory that the program sees, whose result the interpreter
/// computes without asking.
const QUIET: [&str; 15] = [
    "printf", "puts", "putchar", "fprintf", "putc", "fputc", "fputs", "fflush", "perror",
    "vprintf", "printk", "clock", "srand", "sleep", "usleep",
];

/// Functions that end the program.
const ENDS: [&str; 6] = ["abort", "exit", "_exit", "_Exit", "trap", "quick_exit"];

/// Functions that report a failed assertion.
const ASSERTIONS: [&str; 4] = [
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__assert_perror_fail",
];

/// Whether the encoding of a call of this function, without a body, covers all that it does. Any
/// other is taken to return anything and to change nothing.
pub fn is_known(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let lists: [&[&str]; 4] = [&NATIVE, &QUIET, &ENDS, &ASSERTIONS];
    plain == "expect" || lists.iter().any(|list| list.contains(&plain))
}

/// Whether calls of the function so named are encoded without a body.
pub fn is_native(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    NATIVE.contains(&plain)
}

impl Encoder<'_> {
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn native(
        &mut self,
        cur: &mut Cursor,
        func: FuncId,
        args: &[Expr],
        values: &[Content],
        ret: TypeId,
        next: Option<BlockId>,
        in_loop: bool,
    ) -> Native {
        let function = &self.program.funcs[func];
        let name = function.name.as_str();
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let scalar_at = |n: usize| match values.get(n) {
            Some(Content::Scalar(t)) => Some((*t, args[n].ty)),
            _ => None,
        };
        if is_native(name) && (function.body.is_none() || self.is_model(func)) {
            if plain == "stack_restore" {
                if let Some(saved) = args.first() {
                    self.restore_stack(cur, saved);
                }
                return Native::Done(None);
            }
            let done = self.memory_call(cur, plain, &scalar_at, next, in_loop);
            if let Some(result) = done {
                return result;
            }
            // Of a size that is not known, without a model: whatever is there holds anything.
            if let (None, Some((p, _)), "memset" | "memcpy" | "memmove") =
                (&function.body, scalar_at(0), plain)
            {
                if let Some((from, _)) = scalar_at(1).filter(|_| plain != "memset") {
                    self.mix_pointers(cur, p, from);
                }
                self.havoc_reached(cur, p);
                return Native::Done(Some(Content::Scalar(p)));
            }
        }
        if function.body.is_some() {
            return Native::None;
        }
        match plain {
            _ if ENDS.contains(&plain) => return Native::Ends,
            _ if ASSERTIONS.contains(&plain) => {
                if self.options.checks.assertions {
                    self.oblige(cur.loc, CheckKind::Assertion, None, None, cur.guard);
                }
                return Native::Ends;
            }
            "__VERIFIER_assert" => {
                if let Some((t, ty)) = scalar_at(0) {
                    let holds = self.is_true(ty, t);
                    if self.options.checks.assertions {
                        let not = self.terms.not(holds);
                        let fails = self.terms.and(cur.guard, not);
                        self.oblige(cur.loc, CheckKind::Assertion, None, None, fails);
                    }
                    self.only(cur, holds);
                }
                return Native::Done(None);
            }
            "__VERIFIER_assume" => {
                if let Some((t, ty)) = scalar_at(0) {
                    let holds = self.is_true(ty, t);
                    cur.guard = self.terms.and(cur.guard, holds);
                }
                return Native::Done(None);
            }
            "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => return Native::Done(None),
            "expect" => return Native::Done(values.first().cloned()),
            _ => {}
        }
        if let Some(refusal) = &function.refused {
            let why = format!("{name} is not supported: {}", refusal.reason);
            self.out.incomplete.push((cur.guard, Why::Unsupported(why)));
            return Native::Ends;
        }
        if function.noreturn {
            return Native::Ends;
        }
        let asks = !QUIET.contains(&plain);
        if asks && !name.starts_with("__VERIFIER_nondet") {
            let text = format!("{name} has no body: it returns any value and changes nothing");
            self.assume_text(text);
        }
        if self.program.types.is_scalar(ret) {
            let t = match asks {
                true => self.ask(cur, ret),
                false => self.any_value(ret),
            };
            return Native::Done(Some(Content::Scalar(t)));
        }
        Native::Done(match self.program.types[ret] {
            Type::Void => None,
            _ => Some(Content::Parts(Vec::new())),
        })
    }

    /// Whether a function's body is a model that ships with the tool.
    fn is_model(&self, func: FuncId) -> bool {
        self.program.funcs[func].origin == cwolf_cwi::Origin::Model
    }

    fn memory_call(
        &mut self,
        cur: &mut Cursor,
        name: &str,
        arg: &dyn Fn(usize) -> Option<(Term, TypeId)>,
        next: Option<BlockId>,
        in_loop: bool,
    ) -> Option<Native> {
        let word = |this: &mut Self, n: usize| {
            let (t, ty) = arg(n)?;
            let signed = this.program.types.as_int(ty).is_some_and(|i| i.signed);
            Some(this.terms.resize(OFFSET_BITS, signed, t))
        };
        Some(match name {
            "malloc" => {
                let size = word(self, 0)?;
                let (p, _) = self.allocate(cur, size, false, next, in_loop);
                Native::Done(Some(Content::Scalar(p)))
            }
            "alloca" => {
                let size = word(self, 0)?;
                let (p, object) = self.allocate(cur, size, false, next, in_loop);
                self.put_on_stack(cur.context, object);
                Native::Done(Some(Content::Scalar(p)))
            }
            "stack_save" => Native::Done(Some(Content::Scalar(self.null()))),
            "calloc" => {
                let (count, size) = (word(self, 0)?, word(self, 1)?);
                let size = self.terms.mul(count, size);
                let (p, _) = self.allocate(cur, size, true, next, in_loop);
                Native::Done(Some(Content::Scalar(p)))
            }
            "realloc" => {
                let (old, _) = arg(0)?;
                let size = word(self, 1)?;
                let p = self.reallocate(cur, old, size, next, in_loop);
                Native::Done(Some(Content::Scalar(p)))
            }
            "free" => {
                let (p, _) = arg(0)?;
                self.free(cur, p);
                Native::Done(None)
            }
            "memset" => {
                let ((p, _), (byte, _), size) = (arg(0)?, arg(1)?, word(self, 2)?);
                let byte = self.terms.as_bv(byte)? as u8;
                let size = self.terms.as_bv(size)? as u64;
                self.fill(cur, p, byte, size)?;
                Native::Done(Some(Content::Scalar(p)))
            }
            "memcpy" | "memmove" => {
                let ((to, _), (from, _), size) = (arg(0)?, arg(1)?, word(self, 2)?);
                let size = self.terms.as_bv(size)? as u64;
                self.copy(cur, to, from, size)?;
                Native::Done(Some(Content::Scalar(to)))
            }
            _ => return None,
        })
    }

    /// A new object of `size` bytes.
    pub(crate) fn allocate(
        &mut self,
        cur: &mut Cursor,
        size: Term,
        zeroed: bool,
        next: Option<BlockId>,
        in_loop: bool,
    ) -> (Term, ObjId) {
        let serial = match self.options.unroll {
            true => {
                self.allocations += 1;
                self.allocations
            }
            false => 0,
        };
        let fixed = self.terms.as_bv(size).map(|s| s as u64);
        let object = self.heap(cur.context, cur.block, serial, fixed);
        let info = &mut self.objects[object.index()];
        if self.options.unroll && info.zeroed != zeroed {
            // An object of an earlier unrolling, of which something else was known.
            info.zeroed = zeroed;
            info.layout = None;
        }
        info.zeroed |= zeroed;
        info.born = Some(cur.guard);
        if in_loop && !self.options.unroll {
            info.summary = true;
        }
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
        // The contents of an object that was here before are not those of this one.
        if laid && !self.options.unroll {
            let layout = self.objects[object.index()]
                .layout
                .as_ref()
                .expect("laid out")
                .clone();
            for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
                let t = match zeroed {
                    true => self.zero(leaf.sort()),
                    false => self.undefined(leaf.sort(), leaf.repr),
                };
                cur.state.set(*cell, t);
            }
        }
        let zero = self.terms.bv(OFFSET_BITS, 0);
        (self.pointer(object, zero), object)
    }

    /// What the result of the call that ends a block is cast to a pointer to.
    fn cast_of_result(&self, cur: &Cursor, next: BlockId) -> Option<TypeId> {
        let func = self.contexts[cur.context.index()].func;
        let body = self.program.funcs[func].body.as_ref()?;
        let mut found = None;
        let types = &self.program.types;
        let mut look = |e: &Expr| {
            if let ExprKind::Cast(inner) = &e.kind
                && inner.kind == ExprKind::Reg(cwolf_cwi::RESULT)
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

    /// Where a copy or fill goes.
    fn region_of(&mut self, cur: &mut Cursor, p: Term, size: u64) -> Vec<Target> {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let targets = self.targets(p, zero);
        let (targets, defined) = self.admit(cur, targets, size);
        self.only_or_give_up(cur, defined, "a copy to or from invalid memory");
        targets
    }

    /// `memset`.
    fn fill(&mut self, cur: &mut Cursor, p: Term, byte: u8, size: u64) -> Option<()> {
        if size == 0 {
            return Some(());
        }
        let targets = self.region_of(cur, p, size);
        let single = targets.len() == 1;
        for target in targets {
            let guard = if single { Terms::TRUE } else { target.guard };
            let object = target.object;
            let info = &mut self.objects[object.index()];
            if info.summary || info.kind == ObjectKind::Outside {
                continue;
            }
            let start = self.terms.as_bv(target.offset);
            // A fresh object that nobody has looked at is filled as a whole.
            if info.layout.is_none()
                && byte == 0
                && start == Some(0)
                && info.size == Some(size)
                && guard == Terms::TRUE
                && info.born == Some(cur.guard)
                && self.options.unroll
                && matches!(info.kind, ObjectKind::Heap(..))
            {
                info.zeroed = true;
                continue;
            }
            self.lay_out(object, None);
            let layout = self.objects[object.index()].layout.as_ref()?.clone();
            let Some(start) = start else {
                let mut state = std::mem::take(&mut cur.state);
                self.forget(&mut state, object, guard);
                cur.state = state;
                continue;
            };
            let (from, to) = (start as u64 * 8, (start as u64 + size) * 8);
            for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
                if leaf.end() <= from || leaf.bit >= to {
                    continue;
                }
                let inside = leaf.bit >= from && leaf.end() <= to;
                let new = match inside {
                    true => self.filled(leaf, byte),
                    false => self.undefined(leaf.sort(), leaf.repr),
                };
                let old = self.content(&cur.state, *cell);
                let new = self.terms.ite(guard, new, old);
                cur.state.set(*cell, new);
            }
        }
        Some(())
    }

    fn filled(&mut self, leaf: &Leaf, byte: u8) -> Term {
        if byte == 0 {
            return self.zero(leaf.sort());
        }
        if leaf.repr == crate::object::Repr::Pointer {
            return self.undefined(leaf.sort(), leaf.repr);
        }
        let all = u128::from_le_bytes([byte; 16]);
        let value = self.terms.bv(leaf.bits, all);
        match leaf.array {
            None => value,
            Some(_) => self.terms.const_array(crate::object::INDEX_BITS, value),
        }
    }

    /// `memcpy` of a known number of bytes: by the parts of the target's layout.
    fn copy(&mut self, cur: &mut Cursor, to: Term, from: Term, size: u64) -> Option<()> {
        if size == 0 {
            return Some(());
        }
        let source = self.region_of(cur, from, size);
        let target = self.region_of(cur, to, size);
        // Pointers that come to lie where contents are not followed, or are forgotten below.
        for into in &target {
            for one in &source {
                let mut pointers = self.pointed_from(&cur.state, one.object);
                pointers.extend(self.vague_domain(one.object));
                self.holds_objects(into.object, pointers);
            }
        }
        let [into] = target.as_slice() else {
            let mut state = std::mem::take(&mut cur.state);
            for t in target {
                self.forget(&mut state, t.object, t.guard);
            }
            cur.state = state;
            return Some(());
        };
        let into = *into;
        if self.objects[into.object.index()].kind == ObjectKind::Outside {
            return Some(());
        }
        // A fresh target takes the shape of the source.
        if self.objects[into.object.index()].layout.is_none()
            && let [one] = source.as_slice()
            && let ObjectKind::Global(v) | ObjectKind::Local(_, v) =
                self.objects[one.object.index()].kind
        {
            let ty = self.program.vars[v].ty;
            self.lay_out(into.object, Some(ty));
        }
        self.lay_out(into.object, None);
        let start = self.terms.as_bv(into.offset);
        let layout = self.objects[into.object.index()].layout.as_ref()?.clone();
        let mut state = std::mem::take(&mut cur.state);
        let Some(start) = start else {
            self.forget(&mut state, into.object, Terms::TRUE);
            cur.state = state;
            return Some(());
        };
        let (first, last) = (start as u64 * 8, (start as u64 + size) * 8);
        let at = Address {
            targets: source,
            bit: 0,
            hint: None,
            defined: Terms::TRUE,
        };
        let before = state.clone();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            if leaf.end() <= first || leaf.bit >= last {
                continue;
            }
            let whole = leaf.bit >= first && leaf.end() <= last;
            if !whole {
                let t = self.undefined(leaf.sort(), leaf.repr);
                state.set(*cell, t);
                continue;
            }
            let mut part = leaf.clone();
            part.bit -= first;
            let parts = self.parts(&before, &at, &[part]);
            match parts.as_slice() {
                [(_, _, _, t)] if self.terms.sort(*t) == leaf.sort() => state.set(*cell, *t),
                elements => {
                    let mut array = self.undefined(leaf.sort(), leaf.repr);
                    let stride = leaf.array.map_or(1, |(s, _)| s);
                    for (bit, _, _, t) in elements {
                        let n = (bit + first - leaf.bit) / (stride * 8);
                        let index = self.terms.bv(crate::object::INDEX_BITS, n.into());
                        array = self.terms.store(array, index, *t);
                    }
                    state.set(*cell, array);
                }
            }
        }
        cur.state = state;
        Some(())
    }

    /// Lays the unnamed arguments of a call out.
    pub(crate) fn pass_unnamed(
        &mut self,
        cur: &mut Cursor,
        context: ContextId,
        args: &[Expr],
        values: &[Content],
    ) {
        let types = &self.program.types;
        let word = types.target().pointer_size();
        let object: ObjId = self.object(ObjectKind::VarArgs(context));
        let mut leaves = Vec::new();
        let mut terms = Vec::new();
        let mut at = 0;
        for (arg, value) in args.iter().zip(values) {
            if let (Some((bits, repr)), Content::Scalar(t)) = (scalar(types, arg.ty), value) {
                let path = String::new();
                leaves.push(Leaf {
                    bit: at * 8,
                    bits,
                    repr,
                    signed: false,
                    array: None,
                    path,
                });
                terms.push((arg.ty, *t));
            }
            at += types.size_of(arg.ty).next_multiple_of(word);
        }
        if self.objects[object.index()].layout.is_none() {
            self.objects[object.index()].size = Some(at);
            self.set_layout(object, Some(leaves));
        }
        let cells = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out")
            .cells
            .clone();
        for ((ty, t), cell) in terms.into_iter().zip(cells) {
            let t = self.memory_form(ty, t);
            cur.state.set(cell, t);
        }
    }
}
