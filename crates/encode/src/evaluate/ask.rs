//! Values that a run asks for.

use crate::cursor::Cursor;
use crate::evaluate::Evaluator;
use crate::objects::{INDEX_BITS, Leaf, OBJECT_BITS, OFFSET_BITS, ObjId, Repr, scalar};
use cwolf_base::Idx;
use cwolf_cwi::graph::Chosen;
use cwolf_cwi::{ExprKind, InitValue, IntTy, Program, RecordKind, Type, TypeId, Types, value};
use cwolf_logic::{Sort, Term};
use std::collections::BTreeSet;

/// Numbers other than zero that the program makes pointers of.
struct Marks(BTreeSet<u128>);

impl Marks {
    fn new(program: &Program) -> Marks {
        let bits = program.target().pointer_bits();
        let word = IntTy::new(bits, false);
        let mut found = BTreeSet::new();
        let mut add = |n: i128| {
            let n = value::wrap(word, n);
            found.extend((n != 0).then_some(n as u128));
        };
        let is_pointer = |ty: TypeId| matches!(program.types[ty], Type::Pointer(_));
        for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
            body.for_each_expr(&mut |e| {
                e.walk(&mut |e| match &e.kind {
                    ExprKind::Cast(inner) if is_pointer(e.ty) => {
                        inner.as_int().into_iter().for_each(&mut add);
                    }
                    ExprKind::Int(n) if is_pointer(e.ty) => add(*n),
                    _ => {}
                });
            });
        }
        for var in program.vars.iter() {
            for item in &var.init {
                if let (InitValue::Int(n), true) = (&item.value, is_pointer(item.ty)) {
                    add(*n);
                }
            }
        }
        Marks(found)
    }
}

impl Evaluator<'_> {
    /// A value that the run asks for.
    pub(crate) fn ask(&mut self, cur: &Cursor, ty: TypeId) -> Term {
        let term = match self.program.types[ty] {
            Type::Pointer(_) => {
                self.assume_text("pointers from outside point apart from the program's objects");
                self.some_pointer(vec![ObjId::OUTSIDE])
            }
            _ => {
                let bits = self.value_bits(ty);
                self.terms.fresh("asked", Sort::Bv(bits))
            }
        };
        self.note_asked(cur, term, ty);
        term
    }

    /// A pointer into one of these, or null. Nobody makes pointers that lead nowhere, but for numbers that the
    /// program makes pointers of, too: those may be marks that both know, like `(void *)-1`.
    fn some_pointer(&mut self, objects: Vec<ObjId>) -> Term {
        let p = self.any_pointer("asked", objects.clone());
        let (object, offset) = self.split(p);
        let mut possible = self.terms.bool(false);
        for id in objects {
            let id = self.terms.bv(OBJECT_BITS, id.0.into());
            let same = self.terms.eq(object, id);
            possible = self.terms.or(possible, same);
        }
        let marks = self.analyses().analysis(|p| Marks::new(p));
        for mark in &marks.0 {
            let mark = self.terms.bv(OFFSET_BITS, *mark);
            let same = self.terms.eq(offset, mark);
            possible = self.terms.or(possible, same);
        }
        let null = self.null();
        self.terms.ite(possible, p, null)
    }

    /// A value that the program's own code asks for: a pointer may be any address.
    pub(crate) fn ask_any(&mut self, cur: &Cursor, ty: TypeId) -> Term {
        let func = self.contexts[cur.context.index()].func;
        let own = self.program.funcs[func].origin == cwolf_cwi::Origin::Program;
        if !own || self.program.types.pointee(ty).is_none() {
            return self.ask(cur, ty);
        }
        match self.points_to().mode() {
            Chosen::Outside => self.ask(cur, ty),
            Chosen::Compared => {
                let objects = self.points_to().chosen_at(func, cur.block);
                let mut domain = self.instances(&objects);
                domain.push(ObjId::OUTSIDE);
                let p = self.some_pointer(domain);
                self.note_asked(cur, p, ty);
                p
            }
            Chosen::Anywhere => {
                let bits = self.program.target().pointer_bits();
                let number = self.terms.fresh("asked", Sort::Bv(bits));
                let p = self.anywhere(number, &[]);
                self.note_asked(cur, number, ty);
                p
            }
        }
    }

    fn note_asked(&mut self, cur: &Cursor, term: Term, ty: TypeId) {
        self.note_elements(cur, term, ty, None);
    }

    fn note_elements(&mut self, cur: &Cursor, term: Term, ty: TypeId, elements: Option<u64>) {
        self.out.asked.push(crate::region::Asked {
            guard: cur.guard,
            term,
            ty,
            elements,
        });
    }

    /// The parts of an aggregate that the run asks for, element by element; long arrays of numbers are one part
    /// each, of which the run asks for the elements.
    pub(super) fn ask_parts(&mut self, cur: &Cursor, ty: TypeId, leaves: &[Leaf]) -> Vec<Part> {
        let mut out = Vec::new();
        let mut arrays: Vec<(Leaf, Term)> = Vec::new();
        if !has_union(&self.program.types, ty) {
            for leaf in leaves {
                if leaf.array.is_some() && matches!(leaf.repr, Repr::Int | Repr::Float) {
                    let array = self.terms.fresh("asked", leaf.sort());
                    out.push((leaf.bit, leaf.bits, leaf.repr, array));
                    arrays.push((leaf.clone(), array));
                }
            }
        }
        self.ask_inside(cur, ty, 0, &arrays, &mut out);
        out
    }

    fn ask_inside(
        &mut self,
        cur: &Cursor,
        ty: TypeId,
        bit: u64,
        arrays: &[(Leaf, Term)],
        out: &mut Vec<Part>,
    ) {
        let types = &self.program.types;
        if let Some((bits, repr)) = scalar(types, ty) {
            let element = arrays.iter().find_map(|(leaf, array)| {
                let (stride, count) = leaf.array?;
                let way = bit.checked_sub(leaf.bit)?;
                let inside = way % (stride * 8) == 0 && way / (stride * 8) < count;
                (inside && leaf.bits == bits).then_some((*array, way / (stride * 8)))
            });
            if let Some((array, n)) = element {
                let index = self.terms.bv(INDEX_BITS, n.into());
                let t = self.terms.select(array, index);
                self.note_asked(cur, t, ty);
                return;
            }
            let t = self.ask_any(cur, ty);
            let t = self.memory_form(ty, t);
            out.push((bit, bits, repr, t));
            return;
        }
        match &types[ty] {
            Type::Array { elem, len } => {
                let (elem, len, size) = (*elem, *len, types.size_of(*elem));
                let (inner, count) = flat(types, ty);
                let whole = arrays.iter().find(|(leaf, _)| {
                    let same = scalar(types, inner).is_some_and(|s| s == (leaf.bits, leaf.repr));
                    same && leaf.bit == bit && leaf.array == Some((types.size_of(inner), count))
                });
                if let Some((_, array)) = whole {
                    self.note_elements(cur, *array, inner, Some(count));
                    return;
                }
                for n in 0..len {
                    self.ask_inside(cur, elem, bit + n * size * 8, arrays, out);
                }
            }
            Type::Record(r) => {
                for field in &types.records[*r].fields {
                    self.ask_inside(cur, field.ty, bit + field.bit_offset, arrays, out);
                }
            }
            _ => {}
        }
    }

    /// Whether the code only approximates a function that the interpreter runs itself.
    pub(super) fn is_approximate(&self, cur: &Cursor) -> bool {
        let func = self.contexts[cur.context.index()].func;
        self.program.funcs[func].origin == cwolf_cwi::Origin::Approximation
    }
}

/// A part of an aggregate: where it starts, its bits and how they are read, and what it holds.
type Part = (u64, u16, Repr, Term);

/// What an array of arrays holds in the end, and how many of them.
fn flat(types: &Types, ty: TypeId) -> (TypeId, u64) {
    match &types[ty] {
        Type::Array { elem, len } => {
            let (inner, count) = flat(types, *elem);
            (inner, count.saturating_mul(*len))
        }
        _ => (ty, 1),
    }
}

fn has_union(types: &Types, ty: TypeId) -> bool {
    match &types[ty] {
        Type::Array { elem, .. } => has_union(types, *elem),
        Type::Record(r) => {
            let record = &types.records[*r];
            record.kind == RecordKind::Union || record.fields.iter().any(|f| has_union(types, f.ty))
        }
        _ => false,
    }
}
