//! Expressions as terms.

use crate::encoder::Encoder;
use crate::memory::{Address, Target};
use crate::object::{OFFSET_BITS, ObjectKind, Repr, float_bits, leaves, scalar};
use crate::run::Cursor;
use crate::state::State;
use cwolf_base::Idx;
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{Base, BinOp, Expr, ExprKind, FloatTy, IntTy, Place, RESULT, Type, TypeId, UnOp};
use cwolf_logic::{Sort, Term, Terms};

/// A value of any type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// A scalar, as wide as its type computes.
    Scalar(Term),
    /// An aggregate: the bits from its start, bits in memory, kind and value of each part.
    Parts(Vec<(u64, u16, Repr, Term)>),
}

impl Encoder<'_> {
    /// The value of a scalar expression. Errors on the way become obligations; afterwards
    /// `cur.guard` says that there was none.
    pub(crate) fn eval(&mut self, cur: &mut Cursor, e: &Expr) -> Term {
        match &e.kind {
            ExprKind::Int(n) => match &self.program.types[e.ty] {
                Type::Pointer(_) => {
                    let bits = self.program.target().pointer_bits();
                    let number = self.terms.bv(bits, *n as u128);
                    self.pointer_at(number, &[])
                }
                _ => {
                    let bits = self.value_bits(e.ty);
                    self.terms.bv(bits, *n as u128)
                }
            },
            ExprKind::Float(bits) => {
                let width = self.value_bits(e.ty);
                self.terms.bv(width, *bits)
            }
            ExprKind::Zero => {
                let bits = self.value_bits(e.ty);
                self.terms.bv(bits, 0)
            }
            ExprKind::Choose if self.is_approximate(cur) => self.any_value(e.ty),
            ExprKind::Choose => self.ask(cur, e.ty),
            ExprKind::Reg(RESULT) => match cur.result.clone() {
                Some((Content::Scalar(t), ty)) => self.convert(cur, t, ty, e.ty, e),
                _ => self.any_value(e.ty),
            },
            ExprKind::Reg(reg) => {
                let cell = self.reg_cell(cur.context, *reg, e.ty);
                let t = self.content(&cur.state, cell);
                self.value_form(e.ty, t)
            }
            ExprKind::Load { place, volatile } => {
                if *volatile {
                    self.assume_text("volatile memory changes only by the program itself");
                }
                self.read(cur, place)
            }
            ExprKind::AddrOf(place) => self.address_of(cur, place),
            ExprKind::FuncAddr(f) => {
                let object = self.object(ObjectKind::Func(*f));
                let zero = self.terms.bv(OFFSET_BITS, 0);
                self.pointer(object, zero)
            }
            ExprKind::VarArgs => {
                let object = self.object(ObjectKind::VarArgs(cur.context));
                let zero = self.terms.bv(OFFSET_BITS, 0);
                self.pointer(object, zero)
            }
            ExprKind::Memory(test, args) => self.memory_test(cur, *test, args),
            ExprKind::Fits(e) => self.fits_type(cur, e),
            ExprKind::Unary(op, a) => self.unary(cur, *op, a),
            ExprKind::Binary(op, a, b) => self.binary(cur, *op, a, b),
            ExprKind::Cast(a) => {
                let t = self.eval(cur, a);
                self.convert(cur, t, a.ty, e.ty, a)
            }
            ExprKind::PtrAdd { ptr, index, scale } => {
                let p = self.eval(cur, ptr);
                let i = self.eval(cur, index);
                let i = self.terms.sext(OFFSET_BITS, i);
                let scale = self.terms.bv(OFFSET_BITS, (*scale).into());
                let way = self.terms.mul(scale, i);
                self.moved(p, way)
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let p = self.eval(cur, left);
                let q = self.eval(cur, right);
                self.distance(p, q, *scale)
            }
        }
    }

    fn distance(&mut self, p: Term, q: Term, scale: u64) -> Term {
        let bits = self.program.target().pointer_bits();
        let (op, fp) = self.split(p);
        let (oq, fq) = self.split(q);
        let same = self.terms.eq(op, oq);
        let way = self.terms.sub(fp, fq);
        let (parts, constant) = self.terms.linear(way);
        let signed = |f: u128| f as u64 as i64;
        let even = parts.iter().all(|(_, f)| signed(*f) % scale as i64 == 0)
            && signed(constant) % scale as i64 == 0;
        let steps = match even {
            true => {
                let mut sum = self
                    .terms
                    .bv(OFFSET_BITS, (signed(constant) / scale as i64) as u128);
                for (t, f) in parts {
                    let f = self
                        .terms
                        .bv(OFFSET_BITS, (signed(f) / scale as i64) as u128);
                    let part = self.terms.mul(f, t);
                    sum = self.terms.add(sum, part);
                }
                sum
            }
            false => {
                let scale = self.terms.bv(OFFSET_BITS, scale.into());
                self.terms.sdiv(way, scale)
            }
        };
        let steps = self.terms.resize(bits, true, steps);
        let vague = self.vague(p, q, false);
        let apart = self.terms.not(vague);
        let same = self.terms.and(same, apart);
        if same == Terms::TRUE {
            return steps;
        }
        let any = self.terms.fresh("distance", Sort::Bv(bits));
        self.terms.ite(same, steps, any)
    }

    /// Bits that a scalar type computes in.
    pub(crate) fn value_bits(&self, ty: TypeId) -> u16 {
        match &self.program.types[ty] {
            Type::Bool => 1,
            Type::Int(int) => int.bits,
            Type::Float(f) => float_bits(*f),
            Type::Pointer(_) => crate::object::POINTER_BITS,
            _ => 32,
        }
    }

    /// The value of a scalar as it is in memory.
    pub(crate) fn memory_form(&mut self, ty: TypeId, t: Term) -> Term {
        match self.program.types[ty] {
            Type::Bool => self.terms.zext(8, t),
            _ => t,
        }
    }

    /// The value of what is in memory.
    pub(crate) fn value_form(&mut self, ty: TypeId, t: Term) -> Term {
        match self.program.types[ty] {
            Type::Bool => self.terms.extract(0, 0, t),
            _ => t,
        }
    }

    /// Any value of a scalar type, about which nobody is asked.
    pub(crate) fn any_value(&mut self, ty: TypeId) -> Term {
        match scalar(&self.program.types, ty) {
            Some((bits, repr)) => {
                let t = self.any(bits, repr, &[Encoder::OUTSIDE]);
                self.value_form(ty, t)
            }
            None => self.terms.fresh("any", Sort::Bv(32)),
        }
    }

    /// Whether the code only approximates a function that the interpreter runs itself.
    fn is_approximate(&self, cur: &Cursor) -> bool {
        let func = self.contexts[cur.context.index()].func;
        self.program.funcs[func].origin == cwolf_cwi::Origin::Approximation
    }

    /// A value that the run asks for.
    pub(crate) fn ask(&mut self, cur: &Cursor, ty: TypeId) -> Term {
        let term = match self.program.types[ty] {
            Type::Pointer(_) => {
                self.assume_text("pointers from outside point apart from the program's objects");
                self.any_pointer("asked", vec![Encoder::OUTSIDE])
            }
            _ => {
                let bits = self.value_bits(ty);
                self.terms.fresh("asked", Sort::Bv(bits))
            }
        };
        self.out.asked.push(crate::region::Asked {
            guard: cur.guard,
            term,
            ty,
        });
        term
    }

    /// Reads a scalar place.
    pub(crate) fn read(&mut self, cur: &mut Cursor, place: &Place) -> Term {
        let Some((bits, repr)) = scalar(&self.program.types, place.ty) else {
            return self.terms.fresh("any", Sort::Bv(32));
        };
        let at = self.resolve(cur, place);
        let mut t = self.load(&cur.state, &at, bits, repr);
        if at.defined != Terms::TRUE {
            let any = self.any(bits, repr, &[Encoder::OUTSIDE]);
            t = self.terms.ite(at.defined, t, any);
        }
        let term = self.value_form(place.ty, t);
        let open = match &place.base {
            Base::Deref(_) => true,
            Base::Var(v) => self.is_shared(*v),
        };
        if open && !self.is_approximate(cur) {
            self.out.loads.push(crate::region::Asked {
                guard: cur.guard,
                term,
                ty: place.ty,
            });
        }
        term
    }

    /// The value of an expression of any type.
    pub(crate) fn eval_any(&mut self, cur: &mut Cursor, e: &Expr) -> Content {
        if self.program.types.is_scalar(e.ty) {
            return Content::Scalar(self.eval(cur, e));
        }
        let parts = leaves(&self.program.types, e.ty).unwrap_or_default();
        match &e.kind {
            ExprKind::Load { place, .. } => {
                let at = self.resolve(cur, place);
                let mut all = self.parts(&cur.state, &at, &parts);
                for (_, bits, repr, t) in &mut all {
                    if at.defined != Terms::TRUE {
                        let any = match self.terms.sort(*t) {
                            Sort::Array { .. } => self.undefined(self.terms.sort(*t), *repr),
                            _ => self.any(*bits, *repr, &[Encoder::OUTSIDE]),
                        };
                        *t = self.terms.ite(at.defined, *t, any);
                    }
                }
                Content::Parts(all)
            }
            ExprKind::Reg(RESULT) => match cur.result.clone() {
                Some((content @ Content::Parts(_), _)) => content,
                _ => Content::Parts(Vec::new()),
            },
            ExprKind::Choose => {
                let mut all = Vec::new();
                self.ask_parts(cur, e.ty, 0, &mut all);
                Content::Parts(all)
            }
            _ => {
                let mut all = Vec::new();
                for leaf in parts {
                    let zero = self.zero(leaf.sort());
                    all.push((leaf.bit, leaf.bits, leaf.repr, zero));
                }
                Content::Parts(all)
            }
        }
    }

    fn ask_parts(
        &mut self,
        cur: &Cursor,
        ty: TypeId,
        bit: u64,
        out: &mut Vec<(u64, u16, Repr, Term)>,
    ) {
        let types = &self.program.types;
        if let Some((bits, repr)) = scalar(types, ty) {
            let t = self.ask(cur, ty);
            let t = self.memory_form(ty, t);
            out.push((bit, bits, repr, t));
            return;
        }
        match &types[ty] {
            Type::Array { elem, len } => {
                let (elem, len, size) = (*elem, *len, types.size_of(*elem));
                for n in 0..len {
                    self.ask_parts(cur, elem, bit + n * size * 8, out);
                }
            }
            Type::Record(r) => {
                for field in &types.records[*r].fields {
                    self.ask_parts(cur, field.ty, bit + field.bit_offset, out);
                }
            }
            _ => {}
        }
    }

    /// Reads the parts of an aggregate; whole arrays where the object has the same ones.
    pub(crate) fn parts(
        &mut self,
        state: &State,
        at: &Address,
        leaves: &[crate::object::Leaf],
    ) -> Vec<(u64, u16, Repr, Term)> {
        let mut all = Vec::new();
        for leaf in leaves {
            if let Some((stride, count)) = leaf.array {
                if let Some(whole) = self.whole_array(state, at, leaf) {
                    all.push((leaf.bit, leaf.bits, leaf.repr, whole));
                    continue;
                }
                for n in 0..count.min(512) {
                    let t =
                        self.load_part(state, at, leaf.bit + n * stride * 8, leaf.bits, leaf.repr);
                    all.push((leaf.bit + n * stride * 8, leaf.bits, leaf.repr, t));
                }
                continue;
            }
            let t = self.load_part(state, at, leaf.bit, leaf.bits, leaf.repr);
            all.push((leaf.bit, leaf.bits, leaf.repr, t));
        }
        all
    }

    fn inner(&mut self, at: &Address, bit: u64) -> Address {
        let bytes = self.terms.bv(OFFSET_BITS, (bit / 8).into());
        let targets = at.targets.iter().map(|t| {
            let offset = self.terms.add(t.offset, bytes);
            Target { offset, ..*t }
        });
        Address {
            targets: targets.collect(),
            bit: bit % 8,
            hint: at.hint,
            defined: at.defined,
        }
    }

    fn load_part(&mut self, state: &State, at: &Address, bit: u64, bits: u16, repr: Repr) -> Term {
        let at = self.inner(at, bit);
        self.load(state, &at, bits, repr)
    }

    fn whole_array(
        &mut self,
        state: &State,
        at: &Address,
        leaf: &crate::object::Leaf,
    ) -> Option<Term> {
        let (_, cell) = self.same_array(at, leaf)?;
        Some(self.content(state, cell))
    }

    /// The cell of the only target that holds just the array `leaf`.
    fn same_array(
        &mut self,
        at: &Address,
        leaf: &crate::object::Leaf,
    ) -> Option<(crate::object::ObjId, crate::object::CellId)> {
        let [target] = at.targets.as_slice() else {
            return None;
        };
        let target = *target;
        self.lay_out(target.object, at.hint);
        let offset = self.terms.as_bv(target.offset)? as u64;
        let layout = self.objects[target.object.index()].layout.as_ref()?;
        let n = layout.leaves.iter().position(|l| {
            l.bit == leaf.bit + offset * 8
                && (l.bits, l.repr, l.array) == (leaf.bits, leaf.repr, leaf.array)
        })?;
        Some((target.object, layout.cells[n]))
    }

    /// Writes a value of any type.
    pub(crate) fn write(&mut self, cur: &mut Cursor, place: &Place, value: Content) {
        let at = self.resolve(cur, place);
        let before = (at.defined != Terms::TRUE).then(|| cur.state.clone());
        self.write_at(cur, place, &at, value);
        if let Some(before) = before {
            // Where the access is not defined, nothing that is known changes.
            for cell in cur.state.differences(&before) {
                let (new, old) = (self.content(&cur.state, cell), self.content(&before, cell));
                let t = self.terms.ite(at.defined, new, old);
                cur.state.set(cell, t);
            }
        }
    }

    fn write_at(&mut self, cur: &mut Cursor, place: &Place, at: &Address, value: Content) {
        match value {
            Content::Scalar(t) => {
                let (bits, repr) = scalar(&self.program.types, place.ty).expect("a scalar");
                let t = self.memory_form(place.ty, t);
                let mut state = std::mem::take(&mut cur.state);
                self.store(&mut state, at, bits, repr, t);
                cur.state = state;
            }
            Content::Parts(parts) => self.write_parts(cur, place.ty, at, parts),
        }
    }

    pub(crate) fn write_parts(
        &mut self,
        cur: &mut Cursor,
        ty: TypeId,
        at: &Address,
        parts: Vec<(u64, u16, Repr, Term)>,
    ) {
        let leaves = leaves(&self.program.types, ty);
        if leaves.is_none() || parts.is_empty() && leaves.as_ref().is_some_and(|l| !l.is_empty()) {
            // Nothing is known of the value.
            let mut state = std::mem::take(&mut cur.state);
            for target in at.targets.clone() {
                self.forget(&mut state, target.object, target.guard);
            }
            cur.state = state;
            return;
        }
        let leaves = leaves.unwrap_or_default();
        let mut state = std::mem::take(&mut cur.state);
        for (bit, bits, repr, t) in parts {
            if let Sort::Array { .. } = self.terms.sort(t) {
                let leaf = leaves.iter().find(|l| l.bit == bit && l.array.is_some());
                match leaf.and_then(|l| self.same_array(at, l)) {
                    Some((_, cell)) => state.set(cell, t),
                    None => {
                        for target in at.targets.clone() {
                            self.forget(&mut state, target.object, target.guard);
                        }
                    }
                }
                continue;
            }
            let at = self.inner(at, bit);
            self.store(&mut state, &at, bits, repr, t);
        }
        cur.state = state;
    }

    /// Whether a scalar is not zero.
    pub(crate) fn is_true(&mut self, ty: TypeId, t: Term) -> Term {
        match self.program.types[ty] {
            Type::Float(f) => match self.terms.as_bv(t) {
                Some(bits) => self.terms.bool(!value::float::is_zero(f, bits)),
                None => self.float_test(),
            },
            _ => self.terms.nonzero(t),
        }
    }

    /// A truth value for an expression: comparisons are not made numbers and back.
    pub(crate) fn condition(&mut self, cur: &mut Cursor, e: &Expr) -> Term {
        let t = self.eval(cur, e);
        self.is_true(e.ty, t)
    }

    fn float_test(&mut self) -> Term {
        self.assume_text("floating-point numbers that are not constant may have any value");
        self.terms.fresh("float", Sort::Bool)
    }

    fn float_any(&mut self, bits: u16) -> Term {
        self.assume_text("floating-point numbers that are not constant may have any value");
        self.terms.fresh("float", Sort::Bv(bits))
    }

    fn unary(&mut self, cur: &mut Cursor, op: UnOp, a: &Expr) -> Term {
        let t = self.eval(cur, a);
        if op == UnOp::Not {
            let holds = self.is_true(a.ty, t);
            let not = self.terms.not(holds);
            return self.terms.from_bool(32, not);
        }
        if let Type::Float(f) = self.program.types[a.ty] {
            return match self.terms.as_bv(t) {
                Some(bits) => {
                    let width = float_bits(f);
                    self.terms.bv(width, value::float::neg(f, bits))
                }
                None => self.float_any(float_bits(f)),
            };
        }
        match op {
            UnOp::BitNot => self.terms.bvnot(t),
            _ => self.terms.neg(t),
        }
    }

    fn binary(&mut self, cur: &mut Cursor, op: BinOp, a: &Expr, b: &Expr) -> Term {
        if op.is_logical() {
            return self.logical(cur, op, a, b);
        }
        let s = self.eval(cur, a);
        let t = self.eval(cur, b);
        match self.program.types[a.ty] {
            Type::Float(f) => self.float_binary(op, f, s, t),
            Type::Pointer(_) => self.pointer_binary(cur, op, s, t),
            Type::Bool => self.int_binary(cur, op, IntTy::new(1, false), s, t),
            Type::Int(int) => self.int_binary(cur, op, int, s, t),
            _ => self.terms.fresh("any", Sort::Bv(32)),
        }
    }

    /// `&&` or `||`: what is demanded of the right side counts only where the left one does not decide.
    fn logical(&mut self, cur: &mut Cursor, op: BinOp, a: &Expr, b: &Expr) -> Term {
        let s = self.condition(cur, a);
        let open = match op {
            BinOp::And => s,
            _ => self.terms.not(s),
        };
        let before = cur.guard;
        cur.guard = self.terms.and(before, open);
        let entered = cur.guard;
        let t = self.condition(cur, b);
        if cur.guard == entered {
            cur.guard = before;
        } else {
            let decided = self.terms.not(open);
            let decided = self.terms.and(before, decided);
            cur.guard = self.terms.or(decided, cur.guard);
        }
        let both = match op {
            BinOp::And => self.terms.and(s, t),
            _ => self.terms.or(s, t),
        };
        self.terms.from_bool(32, both)
    }

    fn float_binary(&mut self, op: BinOp, f: FloatTy, s: Term, t: Term) -> Term {
        if let (Some(x), Some(y)) = (self.terms.as_bv(s), self.terms.as_bv(t)) {
            return match value::float::binary(op, f, x, y) {
                Value::Int(n) => self.terms.bv(32, n as u128),
                Value::Float(bits) => {
                    let width = float_bits(f);
                    self.terms.bv(width, bits)
                }
            };
        }
        match op.is_test() {
            true => {
                let any = self.float_test();
                self.terms.from_bool(32, any)
            }
            false => self.float_any(float_bits(f)),
        }
    }

    fn pointer_binary(&mut self, cur: &Cursor, op: BinOp, p: Term, q: Term) -> Term {
        let holds = match op {
            BinOp::Eq => self.same_pointer(&cur.state, p, q),
            BinOp::Ne => {
                let same = self.same_pointer(&cur.state, p, q);
                self.terms.not(same)
            }
            BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => {
                let (p, q) = match op {
                    BinOp::Lt | BinOp::Ge => (p, q),
                    _ => (q, p),
                };
                let (op_, fp) = self.split(p);
                let (oq, fq) = self.split(q);
                let vague = self.vague(p, q, false);
                let apart = self.terms.not(vague);
                let same = self.terms.eq(op_, oq);
                let same = self.terms.and(same, apart);
                let less = self.terms.slt(fp, fq);
                let less = match same {
                    Terms::TRUE => less,
                    _ => {
                        let any = self.terms.fresh("order", Sort::Bool);
                        self.terms.ite(same, less, any)
                    }
                };
                match op {
                    BinOp::Lt | BinOp::Gt => less,
                    _ => self.terms.not(less),
                }
            }
            // C has no other operators on pointers.
            _ => self.terms.fresh("any", Sort::Bool),
        };
        self.terms.from_bool(32, holds)
    }

    fn int_binary(&mut self, cur: &mut Cursor, op: BinOp, ty: IntTy, s: Term, t: Term) -> Term {
        let terms = &mut self.terms;
        let test = match (op, ty.signed) {
            (BinOp::Eq, _) => Some(terms.eq(s, t)),
            (BinOp::Ne, _) => Some(terms.ne(s, t)),
            (BinOp::Lt, true) => Some(terms.slt(s, t)),
            (BinOp::Lt, false) => Some(terms.ult(s, t)),
            (BinOp::Le, true) => Some(terms.sle(s, t)),
            (BinOp::Le, false) => Some(terms.ule(s, t)),
            (BinOp::Gt, true) => Some(terms.slt(t, s)),
            (BinOp::Gt, false) => Some(terms.ult(t, s)),
            (BinOp::Ge, true) => Some(terms.sle(t, s)),
            (BinOp::Ge, false) => Some(terms.ule(t, s)),
            _ => None,
        };
        if let Some(test) = test {
            return terms.from_bool(32, test);
        }
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => match op {
                BinOp::Add => self.terms.add(s, t),
                BinOp::Sub => self.terms.sub(s, t),
                _ => self.terms.mul(s, t),
            },
            BinOp::Div | BinOp::Rem => {
                let nonzero = self.terms.nonzero(t);
                let mut fine = self.defined(cur, self.options.checks.division, nonzero);
                if ty.signed {
                    let least = self.terms.bv(ty.bits, 1 << (ty.bits - 1));
                    let minus = self.terms.bv(ty.bits, u128::MAX);
                    let worst = self.terms.eq(s, least);
                    let by = self.terms.eq(t, minus);
                    let bad = self.terms.and(worst, by);
                    let ok = self.terms.not(bad);
                    let ok = self.defined(cur, self.options.checks.overflow, ok);
                    fine = self.terms.and(fine, ok);
                }
                let result = match (op, ty.signed) {
                    (BinOp::Div, true) => self.terms.sdiv(s, t),
                    (BinOp::Div, false) => self.terms.udiv(s, t),
                    (_, true) => self.terms.srem(s, t),
                    (_, false) => self.terms.urem(s, t),
                };
                self.where_defined(fine, result)
            }
            BinOp::BitAnd => self.terms.bvand(s, t),
            BinOp::BitOr => self.terms.bvor(s, t),
            BinOp::BitXor => self.terms.bvxor(s, t),
            _ => self.shift(cur, op, ty, s, t),
        }
    }

    fn shift(&mut self, cur: &mut Cursor, op: BinOp, ty: IntTy, s: Term, amount: Term) -> Term {
        let bits = self.terms.width(amount);
        let mut fine = Terms::TRUE;
        // An amount type that cannot hold the width is always in range.
        if bits >= 128 || u128::from(ty.bits) < 1u128 << bits {
            let width = self.terms.bv(bits, ty.bits.into());
            let ok = self.terms.ult(amount, width);
            fine = self.defined(cur, self.options.checks.shift, ok);
        }
        let amount = self.terms.resize(ty.bits, false, amount);
        let result = match (op, ty.signed) {
            (BinOp::Shl, _) => self.terms.shl(s, amount),
            (_, true) => self.terms.ashr(s, amount),
            (_, false) => self.terms.lshr(s, amount),
        };
        self.where_defined(fine, result)
    }

    /// `t` of scalar type `from` as a `to`; `e` is the expression it came from.
    pub(crate) fn convert(
        &mut self,
        cur: &Cursor,
        t: Term,
        from: TypeId,
        to: TypeId,
        e: &Expr,
    ) -> Term {
        if from == to {
            return t;
        }
        let types = &self.program.types;
        match (&types[from], &types[to]) {
            (_, Type::Bool) => {
                let holds = self.is_true(from, t);
                self.terms.from_bool(1, holds)
            }
            (Type::Pointer(_), Type::Pointer(_)) => t,
            (Type::Pointer(_), Type::Int(int)) => {
                let number = self.address(t);
                self.terms.resize(int.bits, false, number)
            }
            (Type::Int(_) | Type::Bool, Type::Pointer(_)) => {
                let signed = types.as_int(from).is_some_and(|i| i.signed);
                let bits = self.program.target().pointer_bits();
                let number = self.terms.resize(bits, signed, t);
                if self.terms.as_bv(number).is_some() {
                    return self.pointer_at(number, &[]);
                }
                let points_to = self.points_to();
                let func = self.contexts[cur.context.index()].func;
                let objects = points_to.expr(func, cur.block, e);
                self.pointer_at(number, &objects)
            }
            (Type::Int(int), Type::Int(want)) => {
                let (signed, bits) = (int.signed, want.bits);
                self.terms.resize(bits, signed, t)
            }
            (Type::Bool, Type::Int(want)) => {
                let bits = want.bits;
                self.terms.zext(bits, t)
            }
            _ => self.float_convert(t, from, to),
        }
    }

    fn float_convert(&mut self, t: Term, from: TypeId, to: TypeId) -> Term {
        let types = &self.program.types;
        let Some(number) = self.terms.as_bv(t) else {
            let bits = self.value_bits(to);
            return self.float_any(bits);
        };
        if !types.is_scalar(from) || !types.is_scalar(to) {
            return self.terms.fresh("any", Sort::Bv(32));
        }
        let value = match types[from] {
            Type::Float(_) => Value::Float(number),
            _ => {
                let int = value::int_type(types, from).expect("a scalar type");
                Value::Int(value::wrap(int, number as i128))
            }
        };
        let bits = self.value_bits(to);
        match value::cast(types, from, to, value) {
            Value::Int(n) => self.terms.bv(bits, n as u128),
            Value::Float(b) => self.terms.bv(bits, b),
        }
    }

    /// The sort that holds a value of a leaf's kind, for who needs to make one.
    pub(crate) fn convert_argument(
        &mut self,
        cur: &Cursor,
        value: Content,
        from: TypeId,
        to: TypeId,
        e: &Expr,
    ) -> Content {
        match value {
            Content::Scalar(t) if self.program.types.is_scalar(to) => {
                Content::Scalar(self.convert(cur, t, from, to, e))
            }
            other => other,
        }
    }
}
