//! Pointers made numbers, and numbers made pointers.

use crate::objects::{OBJECT_BITS, OFFSET_BITS, ObjId};
use crate::pointers::Pointers;
use cwolf_cwi::graph::{Chosen, Object};
use cwolf_cwi::{Base, Expr, ExprKind, Program, Type};
use cwolf_logic::{Node, Sort, Term, Terms};

impl Pointers<'_> {
    /// The bits of a pointer read as a number: from now on, numbers may be addresses.
    pub(crate) fn reinterpret(&mut self, p: Term) -> Term {
        if self.terms.as_bv(p).is_none() && !self.numbers_point {
            self.numbers_point = true;
            self.changes += 1;
        }
        self.address(p)
    }

    /// Whether numbers may be addresses of objects.
    pub(crate) fn numbers_may_point(&self) -> bool {
        self.numbers_point
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
            if id == ObjId::NULL {
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
        let several = self.objects[id.0 as usize].summary
            || self.older.contains_key(&id)
            || id == ObjId::DANGLING;
        let base = match several {
            false => self.terms.constant(&format!("&{}", id.0), sort),
            // Each of the objects that it stands for has an address of its own.
            true => self.terms.fresh("address", sort),
        };
        if !several {
            self.fixed.insert(base);
        }
        self.bases.insert(base, id);
        base
    }

    /// Whether a constant is the address of an object, which is the same in every step of a run.
    pub fn is_base(&self, constant: Term) -> bool {
        self.fixed.contains(&constant)
    }

    /// What a constant that stands for no cell is in a step of a run: addresses stay as they are, and what is
    /// chosen is chosen anew.
    pub fn value_at(&mut self, constant: Term, step: usize) -> Term {
        match self.is_base(constant) {
            true => constant,
            false => self.terms.copy_at(constant, step),
        }
    }

    /// The pointer that a number stands for, where it may point to what `objects` says, or to what is `chosen` if
    /// nothing is known of it.
    pub(crate) fn pointer_at(
        &mut self,
        number: Term,
        objects: &[Object],
        chosen: &[Object],
    ) -> Term {
        let key = (number, objects.to_vec(), chosen.to_vec());
        if let Some(&known) = self.made.get(&key) {
            return known;
        }
        let p = match self.terms.node(number) {
            Node::Ite(c, a, b) => {
                let a = self.pointer_at(a, objects, chosen);
                let b = self.pointer_at(b, objects, chosen);
                self.terms.ite(c, a, b)
            }
            _ => self.new_pointer_at(number, objects, chosen),
        };
        self.made.insert(key, p);
        p
    }

    fn new_pointer_at(&mut self, number: Term, objects: &[Object], chosen: &[Object]) -> Term {
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
        let constant = self.terms.as_bv(number).is_some();
        // Nothing is known of it: it may be any address.
        let open = !constant && (objects.is_empty() || objects.contains(&Object::Outside));
        let plain = !based && (objects.is_empty() || !self.numbers_point);
        if open && !based && self.points_to().mode() == Chosen::Anywhere {
            let more = match plain {
                true => Vec::new(),
                false => self.all_instances(objects),
            };
            return self.anywhere(number, &more);
        }
        let mut domain = match open {
            true => self.instances(chosen),
            false => Vec::new(),
        };
        let followed = !self.options.checks.pointer && !constant;
        if followed {
            domain.push(ObjId::OUTSIDE);
        }
        if plain && (constant || domain.len() == usize::from(followed)) {
            let offset = self.terms.zext(OFFSET_BITS, number);
            let nowhere = self.pointer(ObjId::NULL, offset);
            if !followed {
                return nowhere;
            }
            // A number that nobody knows may be an address outside; following it is not checked.
            let zero = self.terms.bv(self.terms.width(number), 0);
            let null = self.terms.eq(number, zero);
            let outside = self.pointer(ObjId::OUTSIDE, offset);
            return self.terms.ite(null, nowhere, outside);
        }
        self.assume_text("numbers that are made pointers may point anywhere their parts do");
        if !plain {
            domain.extend(self.all_instances(objects));
        }
        domain.sort_unstable();
        domain.dedup();
        self.any_pointer("made", domain)
    }

    /// The objects that a pointer may lead to of which nothing is known.
    pub(crate) fn chosen(&mut self) -> Vec<ObjId> {
        let objects = self.points_to().chosen();
        self.instances(&objects)
    }

    /// The pointer at an address of which nothing is known: into the object that lies there, which may be one
    /// of `more`, or nowhere but with that number.
    pub(crate) fn anywhere(&mut self, number: Term, more: &[ObjId]) -> Term {
        let nowhere = self.terms.zext(OFFSET_BITS, number);
        let mut p = self.pointer(ObjId::NULL, nowhere);
        // What cannot be told apart from others is any number of bytes long.
        const LONGEST: u64 = 1 << 32;
        let mut objects = self.chosen();
        objects.extend(more);
        objects.sort_unstable();
        objects.dedup();
        for object in objects {
            if matches!(object, ObjId::NULL | ObjId::DANGLING | ObjId::OUTSIDE) {
                continue;
            }
            let base = self.base(object);
            let way = self.terms.sub(number, base);
            let size = self.objects[object.0 as usize].size.unwrap_or(LONGEST);
            let size = self.terms.bv(self.terms.width(number), size.into());
            let inside = self.terms.ule(way, size);
            let offset = self.terms.zext(OFFSET_BITS, way);
            let there = self.pointer_from_address(object, offset);
            p = self.terms.ite(inside, there, p);
        }
        let zero = self.terms.bv(self.terms.width(number), 0);
        let null = self.terms.eq(number, zero);
        let nothing = self.null();
        self.terms.ite(null, nothing, p)
    }

    /// What holds of addresses: no object lies at null or over the end of memory, and those that never
    /// end lie apart. Others may lie where one was that has ended.
    pub(super) fn addresses_apart(&mut self, constants: &[Term]) -> Term {
        const MOST: usize = 16;
        let mut bases: Vec<(Term, u64, bool)> = Vec::new();
        for constant in constants {
            if let Some(id) = self.bases.get(constant).copied() {
                let size = self.objects[id.0 as usize].size.unwrap_or(1).max(1);
                bases.push((*constant, size, self.stays(id)));
            }
        }
        let mut all = Terms::TRUE;
        let mut placed: Vec<(Term, Term)> = Vec::new();
        for (base, size, fixed) in bases {
            let bits = self.terms.width(base);
            let (zero, size) = (self.terms.bv(bits, 0), self.terms.bv(bits, size.into()));
            let end = self.terms.add(base, size);
            let (some, fits) = (self.terms.ne(base, zero), self.terms.ule(base, end));
            let fine = self.terms.and(some, fits);
            all = self.terms.and(all, fine);
            for (start, last) in placed.iter().take(MOST).filter(|_| fixed) {
                let (after, before) = (self.terms.ule(*last, base), self.terms.ule(end, *start));
                let apart = self.terms.or(after, before);
                all = self.terms.and(all, apart);
            }
            if fixed {
                placed.push((base, end));
            }
        }
        all
    }

    /// The address of each object in a model, where anybody asked for it, and its size.
    pub fn addresses_of_objects(&self) -> Vec<(Term, u64, Option<u64>)> {
        let all = self.bases.iter();
        let mut all: Vec<_> = all
            .map(|(base, id)| (*base, u64::from(id.0), self.objects[id.0 as usize].size))
            .collect();
        all.sort_unstable();
        all
    }

    /// A pointer made of a number that was the address of an object: the object may have begun
    /// another life since.
    pub(crate) fn pointer_from_address(&mut self, object: ObjId, offset: Term) -> Term {
        let p = self.pointer(object, offset);
        if !self.redirected.contains(&object) {
            return p;
        }
        let stale = self.terms.fresh("stale", Sort::Bool);
        let mut elsewhere = self.pointer(ObjId::DANGLING, offset);
        if let Some(&older) = self.older.get(&object) {
            let lives = self.terms.fresh("older", Sort::Bool);
            let older = self.pointer(older, offset);
            elsewhere = self.terms.ite(lives, older, elsewhere);
        }
        self.terms.ite(stale, elsewhere, p)
    }
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
