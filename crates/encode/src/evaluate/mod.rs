//! Expressions as terms, in the memory of a [`Cursor`].
//!
//! What a step asks for, must not do or cannot be encoded is put down in a [`Region`].

mod allocate;
mod arguments;
mod ask;
mod census;
mod convert;
mod copy;
mod operate;
mod place;
mod words;

use crate::cursor::{Content, Cursor};
use crate::memory::{Address, Memory};
use crate::objects::{OFFSET_BITS, ObjId, ObjectKind, leaves, scalar};
use crate::operators;
use crate::region::Region;
use cwolf_cwi::graph::shared_with_outside;
use cwolf_cwi::{Base, Expr, ExprKind, Place, RESULT, Type, TypeId, VarId};
use cwolf_logic::{Sort, Term, Terms};
use rustc_hash::FxHashSet;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Variables that code outside may change.
struct Shared(FxHashSet<VarId>);

/// Makes terms of expressions. Stands on memory.
pub struct Evaluator<'p> {
    memory: Memory<'p>,
    /// Variables that code outside may change.
    shared: Arc<Shared>,
    pub(crate) out: Region,
    /// How many objects were allocated since the encoding started.
    pub(crate) allocations: u32,
}

impl<'p> Deref for Evaluator<'p> {
    type Target = Memory<'p>;
    fn deref(&self) -> &Memory<'p> {
        &self.memory
    }
}

impl DerefMut for Evaluator<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.memory
    }
}

impl<'p> Evaluator<'p> {
    pub(crate) fn new(memory: Memory<'p>) -> Evaluator<'p> {
        let program = memory.analyses();
        let shared = program.analysis(|p| Shared(shared_with_outside(p)));
        Evaluator {
            shared,
            memory,
            out: Region::default(),
            allocations: 0,
        }
    }

    /// The value of a scalar expression. Errors on the way become obligations; afterwards
    /// `cur.guard` says that there was none.
    pub(crate) fn eval(&mut self, cur: &mut Cursor, e: &Expr) -> Term {
        match &e.kind {
            ExprKind::Int(n) => match &self.program.types[e.ty] {
                Type::Pointer(_) => {
                    let bits = self.program.target().pointer_bits();
                    let number = self.terms.bv(bits, *n as u128);
                    self.pointer_at(number, &[], &[])
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
            ExprKind::Choose => self.ask_any(cur, e.ty),
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
                let way = operators::bytes_of_steps(&mut self.terms, OFFSET_BITS, i, *scale);
                self.moved(p, way)
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let p = self.eval(cur, left);
                let q = self.eval(cur, right);
                self.distance(p, q, *scale)
            }
        }
    }

    /// Reads a scalar place.
    pub(crate) fn read(&mut self, cur: &mut Cursor, place: &Place) -> Term {
        let Some((bits, repr)) = scalar(&self.program.types, place.ty) else {
            return self.terms.fresh("any", Sort::Bv(32));
        };
        let at = self.resolve(cur, place);
        let mut t = self.load(&cur.state, &at, bits, repr);
        if at.defined != Terms::TRUE {
            let any = self.any(bits, repr, &[ObjId::OUTSIDE]);
            t = self.terms.ite(at.defined, t, any);
        }
        let term = self.value_form(place.ty, t);
        let open = match &place.base {
            Base::Deref(_) => true,
            Base::Var(v) => self.shared.0.contains(v),
        };
        if open && !self.is_approximate(cur) {
            self.out.loads.push(crate::region::Asked {
                guard: cur.guard,
                term,
                ty: place.ty,
                elements: None,
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
                            sort @ Sort::Array { .. } => self.undefined(sort, *repr),
                            _ => self.any(*bits, *repr, &[ObjId::OUTSIDE]),
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
                let all = self.ask_parts(cur, e.ty, &parts);
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

    /// Whether a scalar is not zero.
    pub(crate) fn is_true(&mut self, ty: TypeId, t: Term) -> Term {
        match self.program.types[ty] {
            Type::Float(f) => operators::float_is_true(&mut self.terms, f, t),
            _ => self.terms.nonzero(t),
        }
    }

    /// A truth value for an expression: comparisons are not made numbers and back.
    pub(crate) fn condition(&mut self, cur: &mut Cursor, e: &Expr) -> Term {
        let t = self.eval(cur, e);
        self.is_true(e.ty, t)
    }

    /// Any value of a scalar type, about which nobody is asked.
    pub(crate) fn any_value(&mut self, ty: TypeId) -> Term {
        match scalar(&self.program.types, ty) {
            Some((bits, repr)) => {
                let t = self.any(bits, repr, &[ObjId::OUTSIDE]);
                self.value_form(ty, t)
            }
            None => self.terms.fresh("any", Sort::Bv(32)),
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
}
