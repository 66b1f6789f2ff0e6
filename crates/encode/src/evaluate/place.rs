//! Where places lie.

use crate::cursor::Cursor;
use crate::evaluate::Evaluator;
use crate::memory::Address;
use crate::objects::OFFSET_BITS;
use crate::pointers::Target;
use cwolf_cwi::{Base, Place, Step, Type};
use cwolf_logic::{Term, Terms};

impl Evaluator<'_> {
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
        let checked = self.options.checks.bounds;
        let fine = self.defined(cur, checked, inside);
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

    /// Finds where a place lies and checks that it may be accessed: afterwards `cur.guard` says so.
    pub(crate) fn resolve(&mut self, cur: &mut Cursor, place: &Place) -> Address {
        let mut defined = Terms::TRUE;
        let (bit, more) = self.inward(cur, place, Some(&mut defined));
        let size = match crate::objects::scalar(&self.program.types, place.ty) {
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
}
