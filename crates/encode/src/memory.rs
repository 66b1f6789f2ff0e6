//! Reading and writing memory.

use crate::encoder::Encoder;
use crate::object::{
    CellId, ENDLESS, INDEX_BITS, Leaf, OBJECT_BITS, OFFSET_BITS, ObjId, ObjectKind, Repr,
    cell_width,
};
use crate::run::Cursor;
use crate::state::State;
use cwolf_base::Idx;
use cwolf_cwi::{Base, Place, Step, Type, TypeId};
use cwolf_logic::{Node, Sort, Term, Terms};

/// What accesses that do not fit the parts of an object do, in words.
const MISFIT: &str =
    "accesses at places that are not known, to parts of numbers, may read or leave anything";

/// An object that an access may go to, and where in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) guard: Term,
    pub(crate) object: ObjId,
    pub(crate) offset: Term,
}

/// Where a place lies: in one of several objects; bit-fields start some bits further.
pub(crate) struct Address {
    pub(crate) targets: Vec<Target>,
    pub(crate) bit: u64,
    pub(crate) hint: Option<TypeId>,
    /// Where C defines the access, if a run may go on after one that it does not.
    pub(crate) defined: Term,
}

/// A leaf that an access may touch.
struct Touched {
    leaf: usize,
    /// When the access is to this leaf.
    when: Term,
    /// Which element of an array.
    index: Option<Term>,
}

impl Encoder<'_> {
    /// The constant and variable parts of the way from the start of a place; bits and bytes. If the
    /// place is accessed, each index must be one of its array, also where the array is only a part
    /// of an object.
    fn inward(
        &mut self,
        cur: &mut Cursor,
        place: &Place,
        mut accessed: Option<&mut Term>,
    ) -> (u64, Option<Term>) {
        let types = &self.program.types;
        let mut ty = match &place.base {
            Base::Var(v) => self.program.vars[*v].ty,
            Base::Deref(p) => self
                .program
                .types
                .pointee(p.ty)
                .unwrap_or(cwolf_cwi::Types::CHAR),
        };
        let mut bit = 0u64;
        let mut more: Option<Term> = None;
        let mut last = matches!(place.base, Base::Deref(_));
        let checks = self.options.checks;
        let bounded = accessed.is_some() && (checks.bounds || checks.follow_undefined);
        for step in &place.path {
            match (step, &types[ty]) {
                (Step::Field(n), Type::Record(r)) => {
                    let fields = &types.records[*r].fields;
                    let field = &fields[*n as usize];
                    last &= *n as usize + 1 == fields.len();
                    bit += field.bit_offset;
                    ty = field.ty;
                }
                (Step::Index(i), Type::Array { elem, len }) => {
                    let size = types.size_of(*elem);
                    // An array of one element at the end of a structure stands for any length.
                    let limit = *len;
                    let bounded = bounded && limit != 0 && !(last && limit == 1);
                    last = false;
                    ty = *elem;
                    if let Some(i) = i.as_int() {
                        if bounded && !(0..i128::from(limit)).contains(&i) {
                            self.index_defined(cur, accessed.as_deref_mut(), Terms::FALSE);
                        }
                        bit = bit.wrapping_add((i as i64 as u64).wrapping_mul(size * 8));
                        continue;
                    }
                    let i = self.eval(cur, i);
                    let i = self.terms.sext(OFFSET_BITS, i);
                    if bounded {
                        let limit = self.terms.bv(OFFSET_BITS, limit.into());
                        let inside = self.terms.ult(i, limit);
                        self.index_defined(cur, accessed.as_deref_mut(), inside);
                    }
                    let size = self.terms.bv(OFFSET_BITS, size.into());
                    let way = self.terms.mul(size, i);
                    more = Some(match more {
                        None => way,
                        Some(sum) => self.terms.add(sum, way),
                    });
                }
                _ => {}
            }
        }
        (bit, more)
    }

    fn index_defined(&mut self, cur: &mut Cursor, all: Option<&mut Term>, inside: Term) {
        let fine = self.defined(cur, self.options.checks.bounds, inside);
        if let Some(all) = all {
            *all = self.terms.and(*all, fine);
        }
    }

    /// The pointer to a place.
    pub(crate) fn address_of(&mut self, cur: &mut Cursor, place: &Place) -> Term {
        let (bit, more) = self.inward(cur, place, None);
        let mut way = self.terms.bv(OFFSET_BITS, (bit as i64 / 8) as u128);
        if let Some(more) = more {
            way = self.terms.add(way, more);
        }
        match &place.base {
            Base::Var(v) => {
                let object = self.var_object(cur, *v);
                self.pointer(object, way)
            }
            Base::Deref(p) => {
                let p = self.eval(cur, p);
                self.moved(p, way)
            }
        }
    }

    /// `p` moved by `way` bytes.
    pub(crate) fn moved(&mut self, p: Term, way: Term) -> Term {
        if self.terms.as_bv(way) == Some(0) {
            return p;
        }
        if let Node::Ite(c, a, b) = self.terms.node(p) {
            if let Some(&known) = self.moves.get(&(p, way)) {
                return known;
            }
            let a = self.moved(a, way);
            let b = self.moved(b, way);
            let moved = self.terms.ite(c, a, b);
            self.moves.insert((p, way), moved);
            return moved;
        }
        let (object, offset) = self.split(p);
        let offset = self.terms.add(offset, way);
        self.terms.concat(object, offset)
    }

    pub(crate) fn var_object(&mut self, cur: &Cursor, v: cwolf_cwi::VarId) -> ObjId {
        match self.program.vars[v].kind.is_automatic() {
            true => self.object(ObjectKind::Local(cur.context, v)),
            false => self.object(ObjectKind::Global(v)),
        }
    }

    /// Finds where a place lies and checks that it may be accessed: afterwards `cur.guard` says so.
    pub(crate) fn resolve(&mut self, cur: &mut Cursor, place: &Place) -> Address {
        let mut defined = Terms::TRUE;
        let (bit, more) = self.inward(cur, place, Some(&mut defined));
        let size = match crate::object::scalar(&self.program.types, place.ty) {
            Some((bits, _)) => (bit % 8 + u64::from(bits)).div_ceil(8),
            None => self.program.types.size_of(place.ty),
        };
        let start = (bit as i64).div_euclid(8);
        let bit = (bit as i64).rem_euclid(8) as u64;
        let mut way = self.terms.bv(OFFSET_BITS, start as u128);
        if let Some(more) = more {
            way = self.terms.add(way, more);
        }
        match &place.base {
            Base::Var(v) => {
                let object = self.var_object(cur, *v);
                let target = Target {
                    guard: Terms::TRUE,
                    object,
                    offset: way,
                };
                let (targets, fine) = self.admit(cur, vec![target], size);
                Address {
                    targets,
                    bit,
                    hint: None,
                    defined: self.terms.and(defined, fine),
                }
            }
            Base::Deref(p) => {
                let hint = self.program.types.pointee(p.ty);
                let p = self.eval(cur, p);
                let targets = self.targets(p, way);
                let (targets, fine) = self.admit(cur, targets, size);
                let defined = self.terms.and(defined, fine);
                Address {
                    targets,
                    bit,
                    hint,
                    defined,
                }
            }
        }
    }

    /// Where a pointer moved by `way` may lead.
    pub(crate) fn targets(&mut self, p: Term, way: Term) -> Vec<Target> {
        let objects = self.objects_of(p);
        let (number, _) = self.split(p);
        let mut targets = Vec::with_capacity(objects.len());
        for object in objects {
            let id = self.terms.bv(OBJECT_BITS, object.0.into());
            let guard = self.terms.eq(number, id);
            if guard == Terms::FALSE {
                continue;
            }
            let offset = self.offset_in(p, object);
            let offset = self.terms.add(offset, way);
            targets.push(Target {
                guard,
                object,
                offset,
            });
        }
        targets
    }

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

    /// Reads a scalar of so many bits in memory.
    pub(crate) fn load(&mut self, state: &State, at: &Address, bits: u16, repr: Repr) -> Term {
        let mut result: Option<Term> = None;
        for target in &at.targets {
            let value = self.load_from(state, target, at.bit, bits, repr, at.hint);
            result = Some(match result {
                None => value,
                Some(other) => self.terms.ite(target.guard, value, other),
            });
        }
        match result {
            Some(t) => t,
            None => self.any(bits, repr, &[]),
        }
    }

    /// Any value; a pointer only to `domain` or null.
    pub(crate) fn any(&mut self, bits: u16, repr: Repr, domain: &[ObjId]) -> Term {
        match repr {
            Repr::Pointer => self.any_pointer("any", domain.to_vec()),
            Repr::Bool => {
                let bit = self.terms.fresh("any", Sort::Bv(1));
                self.terms.zext(8, bit)
            }
            Repr::Int | Repr::Float => self.terms.fresh("any", Sort::Bv(bits)),
        }
    }

    fn load_from(
        &mut self,
        state: &State,
        target: &Target,
        bit: u64,
        bits: u16,
        repr: Repr,
        hint: Option<TypeId>,
    ) -> Term {
        let object = target.object;
        self.lay_out(object, hint);
        let info = &self.objects[object.index()];
        let layout = info.layout.as_ref().expect("laid out");
        if info.summary || layout.opaque {
            let domain = self.vague_domain(object);
            return self.any(bits, repr, &domain);
        }
        if let Some(offset) = self.terms.as_bv(target.offset) {
            return self.load_at(state, object, offset as u64 * 8 + bit, bits, repr);
        }
        let (touched, complete) = self.touched(object, target.offset, bit, bits, repr);
        let mut result = None;
        if !complete || touched.is_empty() {
            self.assume_text(MISFIT);
            let domain = self.vague_domain(object);
            result = Some(self.any(bits, repr, &domain));
        }
        for t in touched {
            let value = self.load_leaf(state, object, t.leaf, t.index, repr);
            result = Some(match result {
                None => value,
                Some(other) => self.terms.ite(t.when, value, other),
            });
        }
        result.expect("one at least")
    }

    /// What pointers read from an object of which nothing is known may point to.
    pub(crate) fn vague_domain(&mut self, object: ObjId) -> Vec<ObjId> {
        let objects = self.held_by(object);
        let mut all = self.instances(&objects);
        all.extend(self.held.get(&object).into_iter().flatten());
        self.add_dangling(&mut all);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What the pointers in an object may point to, as the points-to analysis names it.
    fn held_by(&mut self, object: ObjId) -> Vec<cwolf_cwi::graph::Object> {
        use cwolf_cwi::graph::Object as To;
        let points_to = self.points_to();
        match self.objects[object.index()].kind {
            ObjectKind::Global(v) | ObjectKind::Local(_, v) => points_to.var(v),
            ObjectKind::Heap(context, block, _) => {
                points_to.contents(To::Heap(self.contexts[context.index()].func, block))
            }
            ObjectKind::VarArgs(context) => {
                points_to.contents(To::VarArgs(self.contexts[context.index()].func))
            }
            _ => vec![To::Outside],
        }
    }

    fn leaf(&self, object: ObjId, n: usize) -> (&Leaf, CellId) {
        let layout = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out");
        (&layout.leaves[n], layout.cells[n])
    }

    fn load_leaf(
        &mut self,
        state: &State,
        object: ObjId,
        n: usize,
        index: Option<Term>,
        repr: Repr,
    ) -> Term {
        let (leaf, cell) = self.leaf(object, n);
        let (from, bits) = (leaf.repr, leaf.bits);
        let content = self.content(state, cell);
        let value = match index {
            Some(index) => self.terms.select(content, index),
            None => content,
        };
        self.view(value, from, repr, bits, object)
    }

    /// A value of one kind seen as another of as many bits.
    fn view(&mut self, value: Term, from: Repr, to: Repr, _bits: u16, object: ObjId) -> Term {
        match (from, to) {
            (Repr::Pointer, Repr::Pointer) => value,
            (Repr::Pointer, _) => self.reinterpret(value),
            (_, Repr::Pointer) => {
                if self.terms.as_bv(value).is_some() {
                    return self.pointer_at(value, &[]);
                }
                let domain = self.held_by(object);
                self.pointer_at(value, &domain)
            }
            _ => value,
        }
    }

    /// Reads at a constant place: a leaf, an element, or bits put together.
    pub(crate) fn load_at(
        &mut self,
        state: &State,
        object: ObjId,
        bit: u64,
        bits: u16,
        repr: Repr,
    ) -> Term {
        if let Some((n, index)) = self.exact(object, bit, bits, repr) {
            let index = index.map(|i| self.terms.bv(INDEX_BITS, i.into()));
            return self.load_leaf(state, object, n, index, repr);
        }
        let mut at = bit;
        // An offset that went below zero is far outside every object.
        let Some(end) = bit.checked_add(u64::from(bits)) else {
            let value = self.terms.fresh("outside", Sort::Bv(bits));
            return self.view(value, Repr::Int, repr, bits, object);
        };
        let mut result: Option<Term> = None;
        while at < end {
            let (piece, width) = match self.covering(object, at) {
                Some((n, index, start, len)) => {
                    let index = index.map(|i| self.terms.bv(INDEX_BITS, i.into()));
                    let value = self.load_leaf(state, object, n, index, Repr::Int);
                    let low = (at - start) as u16;
                    let high = (end.min(start + u64::from(len)) - start - 1) as u16;
                    (self.terms.extract(high, low, value), high - low + 1)
                }
                None => {
                    self.assume_text("bytes between the members of structures have any values");
                    (self.terms.fresh("padding", Sort::Bv(1)), 1)
                }
            };
            at += u64::from(width);
            result = Some(match result {
                None => piece,
                Some(low) => self.terms.concat(piece, low),
            });
        }
        let value = result.expect("at least a bit");
        self.view(value, Repr::Int, repr, bits, object)
    }

    /// The leaf, and its element, that lies exactly there.
    fn exact(
        &self,
        object: ObjId,
        bit: u64,
        bits: u16,
        repr: Repr,
    ) -> Option<(usize, Option<u64>)> {
        let (n, index, start, len) = self.covering(object, bit)?;
        let (leaf, _) = self.leaf(object, n);
        let fits = start == bit && len == bits;
        // A byte of a truth value is not just any byte.
        let alike = leaf.repr == repr || leaf.repr != Repr::Bool && repr != Repr::Bool;
        (fits && alike).then_some((n, index))
    }

    /// The leaf that covers a bit: its number, the element, where that starts, its bits.
    fn covering(&self, object: ObjId, bit: u64) -> Option<(usize, Option<u64>, u64, u16)> {
        let layout = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out");
        let upper = layout.leaves.partition_point(|l| l.bit <= bit);
        for n in (0..upper).rev() {
            let leaf = &layout.leaves[n];
            match leaf.array {
                None => {
                    if bit < leaf.bit + u64::from(leaf.bits) {
                        return Some((n, None, leaf.bit, leaf.bits));
                    }
                }
                Some((stride, count)) => {
                    let index = (bit - leaf.bit) / (stride * 8);
                    let start = leaf.bit + index * stride * 8;
                    if index < count && bit < start + u64::from(leaf.bits) {
                        return Some((n, Some(index), start, leaf.bits));
                    }
                }
            }
        }
        None
    }

    /// The leaves that an access at a variable offset may be to, and whether there are no
    /// others that it may touch.
    fn touched(
        &mut self,
        object: ObjId,
        offset: Term,
        bit: u64,
        bits: u16,
        repr: Repr,
    ) -> (Vec<Touched>, bool) {
        let (summands, constant) = self.terms.linear(offset);
        let step = self.step(&summands);
        let info = &self.objects[object.index()];
        let size = info.size;
        let leaves = info.layout.as_ref().expect("laid out").leaves.clone();
        let mut found = Vec::new();
        let mut complete = true;
        let access = bit.saturating_add(u64::from(bits)).div_ceil(8);
        let mut covered = 0u64;
        for (n, leaf) in leaves.iter().enumerate() {
            let base = leaf.bit / 8;
            let alike = leaf.bits == bits
                && leaf.bit % 8 == bit
                && (leaf.repr == repr || leaf.repr != Repr::Bool && repr != Repr::Bool);
            let modulus = match leaf.array {
                Some((stride, _)) => gcd(step, stride),
                None => step,
            };
            // Places of the access, modulo the step, against those of the leaf.
            let distance = (constant as u64).wrapping_sub(base) % modulus.max(1);
            let aligned = modulus == 0 || distance == 0;
            if !alike || !aligned {
                let width = u64::from(leaf.bits).div_ceil(8).max(1);
                // Ranges [distance, distance + access) and [0, width) on a circle.
                let apart = modulus > 0 && distance >= width && distance + access <= modulus;
                complete &= apart;
                if apart {
                    continue;
                }
                if !alike {
                    continue;
                }
            }
            let start = self.terms.bv(OFFSET_BITS, base.into());
            match leaf.array {
                None => {
                    let when = self.terms.eq(offset, start);
                    if when != Terms::FALSE {
                        found.push(Touched {
                            leaf: n,
                            when,
                            index: None,
                        });
                    }
                    covered += 1;
                }
                Some((stride, count)) => {
                    let way = self.terms.sub(offset, start);
                    let (index, mut when) = self.index(way, &summands, stride);
                    let whole = leaves.len() == 1 && base == 0
                        || count >= ENDLESS / stride.max(1) / 2 && base < stride;
                    if !whole && size != Some(stride * count) {
                        let limit = self.terms.bv(OFFSET_BITS, (stride * count).into());
                        let inside = self.terms.ult(way, limit);
                        when = self.terms.and(when, inside);
                    }
                    if modulus != stride {
                        complete = false;
                    }
                    found.push(Touched {
                        leaf: n,
                        when,
                        index: Some(index),
                    });
                    covered += 1;
                }
            }
        }
        // With one leaf for every place that the access may be at, the last needs no test.
        let _ = covered;
        (found, complete)
    }

    /// A number that divides the distance between any two values of a sum.
    fn step(&self, summands: &[(Term, u128)]) -> u64 {
        let mut step = 0u64;
        for (t, factor) in summands {
            let narrow = match self.terms.node(*t) {
                Node::Extend { of, .. } => self.terms.width(of) <= 48,
                _ => false,
            };
            let factor = *factor as u64 as i64;
            let size = factor.unsigned_abs();
            // Where the product may wrap around, only powers of two stay divisors.
            let zeros = self.low_zeros(*t, 12);
            let divisor = match narrow && size < 1 << 15 && zeros < 32 {
                true => size << zeros,
                false => 1 << (size.trailing_zeros() + zeros).min(62),
            };
            step = gcd(step, divisor);
        }
        step
    }

    /// How many of the lowest bits of a number are plainly zero.
    fn low_zeros(&self, t: Term, depth: u32) -> u32 {
        if depth == 0 {
            return 0;
        }
        match self.terms.node(t) {
            Node::Bv { value: 0, .. } => 32,
            Node::Bv { value, .. } => value.trailing_zeros().min(32),
            Node::Ite(_, a, b) | Node::Bin(cwolf_logic::BinOp::Add, a, b) => self
                .low_zeros(a, depth - 1)
                .min(self.low_zeros(b, depth - 1)),
            Node::Bin(cwolf_logic::BinOp::Mul, a, b) => {
                (self.low_zeros(a, depth - 1) + self.low_zeros(b, depth - 1)).min(32)
            }
            Node::Extend { of, .. } | Node::Un(cwolf_logic::UnOp::Neg, of) => {
                self.low_zeros(of, depth - 1)
            }
            _ => 0,
        }
    }

    /// The element of an array `way` bytes after its start, and whether it starts there.
    fn index(&mut self, way: Term, summands: &[(Term, u128)], stride: u64) -> (Term, Term) {
        let step = self.step(summands);
        if stride.is_power_of_two() {
            let low = stride.trailing_zeros() as u16;
            let index = self.terms.extract(low + INDEX_BITS - 1, low, way);
            let when = match low {
                0 => Terms::TRUE,
                _ => {
                    let rest = self.terms.extract(low - 1, 0, way);
                    let zero = self.terms.bv(low, 0);
                    self.terms.eq(rest, zero)
                }
            };
            return (index, when);
        }
        let size = self.terms.bv(OFFSET_BITS, stride.into());
        if step.is_multiple_of(stride) {
            let (parts, constant) = self.terms.linear(way);
            let signed = |f: u128| f as u64 as i64;
            if parts.iter().all(|(_, f)| signed(*f) % stride as i64 == 0)
                && signed(constant) % stride as i64 == 0
            {
                let mut index = self
                    .terms
                    .bv(OFFSET_BITS, (signed(constant) / stride as i64) as u128);
                for (t, f) in parts {
                    let factor = self
                        .terms
                        .bv(OFFSET_BITS, (signed(f) / stride as i64) as u128);
                    let part = self.terms.mul(factor, t);
                    index = self.terms.add(index, part);
                }
                return (self.terms.extract(INDEX_BITS - 1, 0, index), Terms::TRUE);
            }
        }
        let index = self.terms.udiv(way, size);
        let rest = self.terms.urem(way, size);
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let when = self.terms.eq(rest, zero);
        (self.terms.extract(INDEX_BITS - 1, 0, index), when)
    }

    /// Writes a scalar of so many bits in memory.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        at: &Address,
        bits: u16,
        repr: Repr,
        value: Term,
    ) {
        let single = at.targets.len() == 1;
        for target in at.targets.clone() {
            let guard = if single { Terms::TRUE } else { target.guard };
            self.store_to(state, &target, guard, at, bits, repr, value);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn store_to(
        &mut self,
        state: &mut State,
        target: &Target,
        guard: Term,
        at: &Address,
        bits: u16,
        repr: Repr,
        value: Term,
    ) {
        let object = target.object;
        self.lay_out(object, at.hint);
        let info = &self.objects[object.index()];
        if info.summary || info.layout.as_ref().expect("laid out").opaque {
            self.holds(object, value, repr);
            return;
        }
        if let Some(offset) = self.terms.as_bv(target.offset) {
            let bit = offset as u64 * 8 + at.bit;
            return self.store_at(state, object, bit, bits, repr, value, guard);
        }
        let (touched, complete) = self.touched(object, target.offset, at.bit, bits, repr);
        if !complete {
            // Whatever else it may touch holds anything afterwards.
            self.assume_text(MISFIT);
            self.forget(state, object, guard);
        }
        let single = touched.len() == 1 && complete;
        for t in touched {
            let when = match single {
                true => guard,
                false => self.terms.and(guard, t.when),
            };
            self.store_leaf(state, object, t.leaf, t.index, repr, value, when);
        }
    }

    /// The object holds anything, where `guard` holds.
    pub(crate) fn forget(&mut self, state: &mut State, object: ObjId, guard: Term) {
        self.forget_to(state, object, guard, &[]);
    }

    /// The object holds anything; pointers in it may also lead to `known`.
    pub(crate) fn forget_to(
        &mut self,
        state: &mut State,
        object: ObjId,
        guard: Term,
        known: &[ObjId],
    ) {
        self.lay_out(object, None);
        let layout = self.objects[object.index()]
            .layout
            .as_ref()
            .expect("laid out")
            .clone();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            let old = self.content(state, *cell);
            let any = match leaf.repr {
                Repr::Pointer => {
                    let mut domain = self.vague_domain(object);
                    domain.extend(self.objects_in(old));
                    domain.extend(known);
                    domain.push(ObjId(0));
                    domain.sort_unstable();
                    domain.dedup();
                    let t = self.terms.fresh("any", leaf.sort());
                    self.domains.insert(t, domain);
                    t
                }
                _ if leaf.array.is_some() => self.terms.fresh("any", leaf.sort()),
                repr => self.any(leaf.bits, repr, &[]),
            };
            let new = self.terms.ite(guard, any, old);
            state.set(*cell, new);
        }
    }

    /// What a function that nobody knows may do with a pointer: all that it leads to, through
    /// any number of pointers, holds anything afterwards. Constants stay.
    pub(crate) fn havoc(&mut self, cur: &mut Cursor, p: Term) {
        let reached = self.objects_of(p);
        self.havoc_from(cur, reached);
    }

    /// The same with all pointers that such functions were given before, or may have been.
    pub(crate) fn havoc_known(&mut self, cur: &mut Cursor) {
        let known = self.all_instances(&[cwolf_cwi::graph::Object::Outside]);
        self.havoc_from(cur, known);
    }

    fn havoc_from(&mut self, cur: &mut Cursor, mut work: Vec<ObjId>) {
        let mut seen = Vec::new();
        let mut state = std::mem::take(&mut cur.state);
        let known = self.all_instances(&[cwolf_cwi::graph::Object::Outside]);
        while let Some(object) = work.pop() {
            if seen.contains(&object) {
                continue;
            }
            seen.push(object);
            let constant = match self.objects[object.index()].kind {
                ObjectKind::Null
                | ObjectKind::Dangling
                | ObjectKind::Outside
                | ObjectKind::Func(_) => continue,
                ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                    let var = &self.program.vars[v];
                    var.constant || var.kind == cwolf_cwi::VarKind::Literal
                }
                ObjectKind::VarArgs(_) | ObjectKind::Heap(..) => false,
            };
            work.extend(self.vague_domain(object));
            work.extend(self.pointed_from(&state, object));
            if !constant {
                self.forget_to(&mut state, object, Terms::TRUE, &known);
            }
        }
        cur.state = state;
    }

    /// Some bytes from a pointer on hold anything afterwards.
    pub(crate) fn havoc_bytes(&mut self, cur: &mut Cursor, p: Term, size: Term) {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let size = self.terms.zext(OFFSET_BITS, size);
        if size == zero {
            return;
        }
        let mut state = std::mem::take(&mut cur.state);
        for target in self.targets(p, zero) {
            let kind = self.objects[target.object.index()].kind;
            if kind.has_no_bytes() || kind == ObjectKind::Outside {
                continue;
            }
            let some = self.terms.ne(size, zero);
            let when = self.terms.and(target.guard, some);
            self.forget_to(&mut state, target.object, when, &[Encoder::OUTSIDE]);
        }
        cur.state = state;
    }

    /// What the pointers that an object holds just now may point to.
    pub(crate) fn pointed_from(&mut self, state: &State, object: ObjId) -> Vec<ObjId> {
        let Some(layout) = self.objects[object.index()].layout.clone() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            if leaf.repr == Repr::Pointer {
                let t = self.content(state, *cell);
                found.extend(self.objects_in(t));
            }
        }
        found
    }

    #[allow(clippy::too_many_arguments)]
    fn store_leaf(
        &mut self,
        state: &mut State,
        object: ObjId,
        n: usize,
        index: Option<Term>,
        repr: Repr,
        value: Term,
        guard: Term,
    ) {
        let (leaf, cell) = self.leaf(object, n);
        let (to, bits) = (leaf.repr, leaf.bits);
        debug_assert_eq!(self.terms.width(value), cell_width(repr, bits));
        let value = self.view(value, repr, to, bits, object);
        let old = self.content(state, cell);
        let new = match index {
            Some(index) => self.terms.store(old, index, value),
            None => value,
        };
        let new = self.terms.ite(guard, new, old);
        state.set(cell, new);
    }

    #[allow(clippy::too_many_arguments)]
    fn store_at(
        &mut self,
        state: &mut State,
        object: ObjId,
        bit: u64,
        bits: u16,
        repr: Repr,
        value: Term,
        guard: Term,
    ) {
        if let Some((n, index)) = self.exact(object, bit, bits, repr) {
            let index = index.map(|i| self.terms.bv(INDEX_BITS, i.into()));
            return self.store_leaf(state, object, n, index, repr, value, guard);
        }
        let value = self.view(value, repr, Repr::Int, bits, object);
        let mut at = bit;
        let end = bit.saturating_add(u64::from(bits));
        while at < end {
            let Some((n, index, start, len)) = self.covering(object, at) else {
                at += 1;
                continue;
            };
            let stop = end.min(start + u64::from(len));
            let piece = self
                .terms
                .extract((stop - bit - 1) as u16, (at - bit) as u16, value);
            let index = index.map(|i| self.terms.bv(INDEX_BITS, i.into()));
            let mut whole = piece;
            if stop - at < u64::from(len) {
                let old = self.load_leaf(state, object, n, index, Repr::Int);
                if at > start {
                    let low = self.terms.extract((at - start - 1) as u16, 0, old);
                    whole = self.terms.concat(whole, low);
                }
                if stop < start + u64::from(len) {
                    let high = self.terms.extract(len - 1, (stop - start) as u16, old);
                    whole = self.terms.concat(high, whole);
                }
            }
            self.store_leaf(state, object, n, index, Repr::Int, whole, guard);
            at = stop;
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
