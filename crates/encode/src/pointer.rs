//! Pointers as terms: the number of an object above an offset in bytes.

use crate::encoder::Encoder;
use crate::object::{CellId, OBJECT_BITS, OFFSET_BITS, ObjId, ObjectKind, POINTER_BITS, Repr};
use crate::state::State;
use cwolf_cwi::graph::Object;
use cwolf_cwi::{Base, Expr, ExprKind, Program, Type};
use cwolf_logic::{BinOp, Node, Sort, Term, Terms};
use rustc_hash::FxHashSet;

impl Encoder<'_> {
    /// The pointer to `offset` bytes into an object.
    pub(crate) fn pointer(&mut self, object: ObjId, offset: Term) -> Term {
        let object = self.terms.bv(OBJECT_BITS, object.0.into());
        self.terms.concat(object, offset)
    }

    pub(crate) fn null(&mut self) -> Term {
        self.terms.bv(POINTER_BITS, 0)
    }

    /// The object's number and the offset.
    pub(crate) fn split(&mut self, p: Term) -> (Term, Term) {
        if let Some(&known) = self.splits.get(&p) {
            return known;
        }
        let parts = match self.terms.node(p) {
            Node::Bin(BinOp::Concat, object, offset) if self.terms.width(offset) == OFFSET_BITS => {
                (object, offset)
            }
            Node::Ite(c, a, b) => {
                let (oa, fa) = self.split(a);
                let (ob, fb) = self.split(b);
                (self.terms.ite(c, oa, ob), self.terms.ite(c, fa, fb))
            }
            _ => {
                let object = self.terms.extract(POINTER_BITS - 1, OFFSET_BITS, p);
                (object, self.terms.extract(OFFSET_BITS - 1, 0, p))
            }
        };
        self.splits.insert(p, parts);
        parts
    }

    /// The objects that a pointer may point to.
    pub(crate) fn objects_of(&mut self, p: Term) -> Vec<ObjId> {
        if let Some(known) = self.possible.get(&p) {
            return known.clone();
        }
        let mut found = match self.terms.node(p) {
            Node::Ite(_, a, b) => {
                let mut all = self.objects_of(a);
                all.extend(self.objects_of(b));
                all
            }
            _ => {
                let (object, _) = self.split(p);
                self.numbers(object)
            }
        };
        found.sort_unstable();
        found.dedup();
        self.possible.insert(p, found.clone());
        found
    }

    /// The values that the term of an object's number may have.
    fn numbers(&self, object: Term) -> Vec<ObjId> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![object];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.terms.node(t) {
                Node::Bv { value, .. } => found.push(ObjId(value as u32)),
                Node::Ite(_, a, b) => work.extend([a, b]),
                Node::Extract { of, .. } => match self.terms.node(of) {
                    Node::Ite(_, a, b) => {
                        // The number inside a chosen pointer that was not split.
                        for side in [a, b] {
                            found.extend(self.roots(side));
                        }
                    }
                    _ => found.extend(self.roots(of)),
                },
                _ => found.extend(self.roots(t)),
            }
        }
        found
    }

    /// What the constant that a pointer was taken from may point to.
    fn roots(&self, t: Term) -> Vec<ObjId> {
        let mut found = Vec::new();
        for constant in self.terms.constants(&[t]) {
            match self.domains.get(&constant) {
                Some(domain) => found.extend(domain.iter().copied()),
                None => {
                    if !matches!(self.terms.sort(constant), Sort::Bool | Sort::Bv(_)) {
                        continue;
                    }
                }
            }
        }
        if let Some(value) = self.terms.as_bv(t) {
            found.push(ObjId((value >> OFFSET_BITS) as u32));
        }
        found
    }

    /// The offset of `p` where it points into `object`.
    pub(crate) fn offset_in(&mut self, p: Term, object: ObjId) -> Term {
        if let Node::Ite(c, a, b) = self.terms.node(p) {
            if let Some(&known) = self.offsets.get(&(p, object)) {
                return known;
            }
            let left = self.objects_of(a).contains(&object);
            let right = self.objects_of(b).contains(&object);
            let offset = match (left, right) {
                (true, false) => self.offset_in(a, object),
                (false, true) => self.offset_in(b, object),
                _ => {
                    let x = self.offset_in(a, object);
                    let y = self.offset_in(b, object);
                    self.terms.ite(c, x, y)
                }
            };
            self.offsets.insert((p, object), offset);
            return offset;
        }
        self.split(p).1
    }

    /// The bits of a pointer read as a number: from now on, numbers may be addresses.
    pub(crate) fn reinterpret(&mut self, p: Term) -> Term {
        if self.terms.as_bv(p).is_none() && !self.numbers_point {
            self.numbers_point = true;
            self.changes += 1;
        }
        self.address(p)
    }

    /// The number of the address that a pointer stands for.
    pub(crate) fn address(&mut self, p: Term) -> Term {
        let bits = self.program.target().pointer_bits();
        if let Node::Ite(c, a, b) = self.terms.node(p) {
            if let Some(&known) = self.addresses.get(&p) {
                return known;
            }
            let a = self.address(a);
            let b = self.address(b);
            let number = self.terms.ite(c, a, b);
            self.addresses.insert(p, number);
            return number;
        }
        let (object, offset) = self.split(p);
        let offset = self.terms.resize(bits, true, offset);
        let mut result = offset;
        for id in self.numbers(object) {
            if id == ObjId(0) {
                continue;
            }
            let base = self.base(id);
            let number = self.terms.bv(OBJECT_BITS, id.0.into());
            let here = self.terms.eq(object, number);
            let address = self.terms.add(base, offset);
            result = self.terms.ite(here, address, result);
        }
        result
    }

    /// The unknown address of an object.
    fn base(&mut self, id: ObjId) -> Term {
        let sort = Sort::Bv(self.program.target().pointer_bits());
        let several = self.objects[id.0 as usize].summary || id == Encoder::DANGLING;
        let base = match several {
            false => self.terms.constant(&format!("&{}", id.0), sort),
            // Each of the objects that it stands for has an address of its own.
            true => self.terms.fresh("address", sort),
        };
        self.bases.insert(base, id);
        base
    }

    /// The pointer that a number stands for, where it may point to what `objects` says.
    pub(crate) fn pointer_at(&mut self, number: Term, objects: &[Object]) -> Term {
        let key = (number, objects.to_vec());
        if let Some(&known) = self.made.get(&key) {
            return known;
        }
        let p = match self.terms.node(number) {
            Node::Ite(c, a, b) => {
                let a = self.pointer_at(a, objects);
                let b = self.pointer_at(b, objects);
                self.terms.ite(c, a, b)
            }
            _ => self.new_pointer_at(number, objects),
        };
        self.made.insert(key, p);
        p
    }

    fn new_pointer_at(&mut self, number: Term, objects: &[Object]) -> Term {
        let (summands, _) = self.terms.linear(number);
        let bases: Vec<(Term, ObjId)> = summands
            .iter()
            .filter(|(_, f)| *f == 1)
            .filter_map(|(t, _)| self.bases.get(t).map(|o| (*t, *o)))
            .collect();
        if let [(base, object)] = bases.as_slice() {
            let offset = self.terms.sub(number, *base);
            if self
                .terms
                .constants(&[offset])
                .iter()
                .all(|c| !self.bases.contains_key(c))
            {
                let offset = self.terms.sext(OFFSET_BITS, offset);
                return self.pointer_from_address(*object, offset);
            }
        }
        let based = self
            .terms
            .constants(&[number])
            .iter()
            .any(|c| self.bases.contains_key(c));
        let plain = !based && (objects.is_empty() || !self.numbers_point);
        let followed = !self.options.checks.pointer && self.terms.as_bv(number).is_none();
        if plain {
            let offset = self.terms.zext(OFFSET_BITS, number);
            if !followed {
                return self.pointer(ObjId(0), offset);
            }
            // A number that nobody knows may be an address outside; following it is not checked.
            let zero = self.terms.bv(self.terms.width(number), 0);
            let null = self.terms.eq(number, zero);
            let nowhere = self.pointer(ObjId(0), offset);
            let outside = self.pointer(Encoder::OUTSIDE, offset);
            return self.terms.ite(null, nowhere, outside);
        }
        self.assume_text("numbers that are made pointers may point anywhere their parts do");
        let mut domain = self.all_instances(objects);
        if followed {
            domain.push(Encoder::OUTSIDE);
        }
        self.any_pointer("made", domain)
    }

    /// A pointer that points to one of `domain`, nothing else being known.
    pub(crate) fn any_pointer(&mut self, hint: &str, mut domain: Vec<ObjId>) -> Term {
        let p = self.terms.fresh(hint, Sort::Bv(POINTER_BITS));
        domain.push(ObjId(0));
        self.domains.insert(p, domain);
        p
    }

    /// All objects that those of the points-to analysis stand for.
    pub(crate) fn instances(&mut self, objects: &[Object]) -> Vec<ObjId> {
        let mut found = Vec::new();
        for object in objects {
            match *object {
                Object::Func(f) => {
                    let id = self.object(ObjectKind::Func(f));
                    found.push(id);
                }
                Object::Outside => found.push(Encoder::OUTSIDE),
                Object::Var(v) if !self.program.vars[v].kind.is_automatic() => {
                    let id = self.object(ObjectKind::Global(v));
                    found.push(id);
                }
                Object::Var(v) => {
                    if let Some(list) = self.locals_of.get(&v) {
                        found.extend(list.iter().copied());
                    }
                }
                Object::VarArgs(f) => {
                    if let Some(list) = self.var_args_of.get(&f) {
                        found.extend(list.iter().copied());
                    }
                }
                Object::Heap(f, b) => {
                    if let Some(list) = self.heap_of.get(&(f, b)) {
                        found.extend(list.iter().copied());
                    }
                }
            }
        }
        self.add_dangling(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The same, with all that code outside the program may know: the analysis does not list it
    /// beside *outside* itself.
    pub(crate) fn all_instances(&mut self, objects: &[Object]) -> Vec<ObjId> {
        let mut found = self.instances(objects);
        if objects.contains(&Object::Outside) {
            let escaped = self.points_to().escaped();
            found.extend(self.instances(&escaped));
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// What the pointers in a term may point to: one pointer, or an array of them.
    pub(crate) fn objects_in(&mut self, t: Term) -> Vec<ObjId> {
        if matches!(self.terms.sort(t), Sort::Bv(_)) {
            return self.objects_of(t);
        }
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.terms.node(t) {
                Node::Store(under, _, value) => {
                    work.push(under);
                    found.extend(self.objects_of(value));
                }
                Node::ConstArray { of, .. } => found.extend(self.objects_of(of)),
                Node::Ite(_, a, b) => work.extend([a, b]),
                _ => found.extend(self.roots(t)),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Notes that the pointers in `t` come to lie in a cell that is read at a cut, whatever the
    /// points-to analysis says: it knows nothing of pointers that are never set, and does not list
    /// what has escaped.
    pub fn arrives(&mut self, cell: CellId, t: Term) {
        let Some(constant) = self.known_constant(cell) else {
            return;
        };
        let Some(domain) = self.domains.get(&constant).cloned() else {
            return;
        };
        for object in self.objects_in(t) {
            if !domain.contains(&object) && self.arrived.entry(cell).or_default().insert(object) {
                self.changes += 1;
            }
        }
    }

    /// Whether a constant stands for all that the pointers in `t` may be.
    pub fn admits(&mut self, constant: Term, t: Term) -> bool {
        let Some(domain) = self.domains.get(&constant).cloned() else {
            return true;
        };
        self.objects_in(t).iter().all(|o| domain.contains(o))
    }

    /// Notes that an object whose contents are not followed holds the pointers in `t`, as such or as
    /// a number.
    pub(crate) fn holds(&mut self, object: ObjId, t: Term, repr: Repr) {
        let objects = match repr {
            Repr::Pointer => self.objects_in(t),
            _ if !self.numbers_point => return,
            _ => {
                let constants = self.terms.constants(&[t]);
                let bases = constants.iter().filter_map(|c| self.bases.get(c).copied());
                bases.collect()
            }
        };
        self.holds_objects(object, objects);
    }

    pub(crate) fn holds_objects(&mut self, object: ObjId, objects: Vec<ObjId>) {
        for to in objects {
            if self.held.entry(object).or_default().insert(to) {
                self.changes += 1;
            }
        }
    }

    /// Whether two pointers are equal; unknown for two into an object that stands for several.
    /// Nor is anything known where one of them leads to what has ended.
    pub(crate) fn same_pointer(&mut self, state: &State, p: Term, q: Term) -> Term {
        let same = self.terms.eq(p, q);
        let stale = self.stale(state, p, q);
        if stale == Terms::FALSE && self.terms.as_bool(same).is_some() {
            return same;
        }
        let vague = self.vague(p, q, true);
        let vague = self.terms.or(vague, stale);
        if vague == Terms::FALSE {
            return same;
        }
        let any = self.terms.fresh("same", Sort::Bool);
        self.terms.ite(vague, any, same)
    }

    /// Whether a constant is a pointer into an object that stands for several: at another cut, the
    /// same constant may be another pointer.
    pub fn leads_to_several(&mut self, cell: CellId, t: Term) -> bool {
        self.is_pointer(cell)
            && self
                .objects_in(t)
                .iter()
                .any(|o| self.objects[o.0 as usize].summary || *o == Encoder::DANGLING)
    }

    /// When two pointers lead into one object that stands for several, so that they may yet lead to
    /// different ones; also into memory outside, if that counts. The very same term is the same
    /// pointer even then.
    pub(crate) fn vague(&mut self, p: Term, q: Term, outside: bool) -> Term {
        if p == q {
            return Terms::FALSE;
        }
        let right = self.objects_of(q);
        let mut shared = self.objects_of(p);
        shared.retain(|o| {
            let several = self.objects[o.0 as usize].summary || outside && *o == Self::OUTSIDE;
            several && right.contains(o)
        });
        let (op, _) = self.split(p);
        let (oq, _) = self.split(q);
        let mut several = Terms::FALSE;
        for o in shared {
            let number = self.terms.bv(OBJECT_BITS, o.0.into());
            let (here, there) = (self.terms.eq(op, number), self.terms.eq(oq, number));
            let both = self.terms.and(here, there);
            several = self.terms.or(several, both);
        }
        several
    }
}

impl Encoder<'_> {
    /// Forgets what pointers may point to, since objects were added: for another round of
    /// encoding.
    pub fn forget_domains(&mut self) {
        self.possible.clear();
        self.made.clear();
        self.offsets.clear();
        self.addresses.clear();
        let constants: Vec<Term> = self.cell_of.keys().copied().collect();
        for constant in constants {
            if self.domains.remove(&constant).is_some() {
                self.forget_constant(constant);
            }
        }
    }

    /// What holds of the pointers that the given terms start from: each points to null or to
    /// what the points-to analysis says.
    pub fn given(&mut self, roots: &[Term]) -> Term {
        let mut all = Terms::TRUE;
        for constant in self.terms.constants(roots) {
            if self.terms.sort(constant) != Sort::Bv(POINTER_BITS) {
                continue;
            }
            let Some(domain) = self.domains.get(&constant).cloned() else {
                continue;
            };
            let (object, _) = self.split(constant);
            let mut one = Terms::FALSE;
            for id in domain {
                let number = self.terms.bv(OBJECT_BITS, id.0.into());
                let here = self.terms.eq(object, number);
                one = self.terms.or(one, here);
            }
            all = self.terms.and(all, one);
        }
        all
    }
}

/// The object's number and the object, where `t` asks whether a pointer leads into an object.
pub fn object_test(terms: &Terms, t: Term) -> Option<(Term, ObjId)> {
    let Node::Bin(BinOp::Eq, number, object) = terms.node(t) else {
        return None;
    };
    let object = terms.as_bv(object)?;
    let pointer = terms.width(number) == OBJECT_BITS && is_number_of_object(terms, number);
    pointer.then_some((number, ObjId(object as u32)))
}

/// Whether a term is an object's number in a pointer, or a choice of such.
fn is_number_of_object(terms: &Terms, t: Term) -> bool {
    let mut work = vec![t];
    let mut found = false;
    while let Some(t) = work.pop() {
        match terms.node(t) {
            Node::Ite(_, a, b) => work.extend([a, b]),
            Node::Extract { lo, of, .. } => {
                if lo != OFFSET_BITS || terms.width(of) != POINTER_BITS {
                    return false;
                }
                found = true;
            }
            Node::Bv { .. } => {}
            _ => return false,
        }
    }
    found
}

/// Whether a program converts pointers to objects to numbers, other than to compute the offset of
/// a member.
pub(crate) fn makes_numbers(program: &Program) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| {
        if let ExprKind::Cast(inner) = &e.kind
            && matches!(program.types[inner.ty], Type::Pointer(_))
            && matches!(program.types[e.ty], Type::Int(_))
        {
            found |= !is_offset(inner);
        }
    };
    for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
        body.for_each_expr(&mut |e| e.walk(&mut look));
    }
    found
}

/// Whether a pointer is made of a number only.
fn is_offset(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) => true,
        ExprKind::Cast(inner) => is_offset(inner),
        ExprKind::PtrAdd { ptr, .. } => is_offset(ptr),
        ExprKind::AddrOf(place) => match &place.base {
            Base::Deref(p) => is_offset(p),
            Base::Var(_) => false,
        },
        _ => false,
    }
}
