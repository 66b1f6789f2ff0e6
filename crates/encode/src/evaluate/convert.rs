//! Conversions between scalar types.

use crate::cursor::{Content, Cursor};
use crate::evaluate::Evaluator;
use crate::operators;
use cwolf_base::Idx;
use cwolf_cwi::{Expr, IntTy, Type, TypeId};
use cwolf_logic::Term;

impl Evaluator<'_> {
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
                    return self.pointer_at(number, &[], &[]);
                }
                let points_to = self.points_to();
                let func = self.contexts[cur.context.index()].func;
                let objects = points_to.expr(func, cur.block, e);
                let chosen = points_to.chosen_at(func, cur.block);
                self.pointer_at(number, &objects, &chosen)
            }
            (Type::Int(int), Type::Int(want)) => {
                operators::convert(&mut self.terms, *int, *want, t)
            }
            (Type::Bool, Type::Int(want)) => {
                operators::convert(&mut self.terms, IntTy::new(1, false), *want, t)
            }
            _ => self.float_convert(t, from, to),
        }
    }

    fn float_convert(&mut self, t: Term, from: TypeId, to: TypeId) -> Term {
        let mode = self.rounding_mode();
        let types = &self.program.types;
        let terms = &mut self.memory.terms;
        match (&types[from], &types[to]) {
            (Type::Float(from), Type::Float(to)) => {
                operators::float_to_float(terms, mode, *from, *to, t)
            }
            (Type::Float(from), Type::Int(to)) => {
                let integer = operators::float_to_int(terms, *from, *to, t);
                // Runs that end at undefined steps still have this one: what is measured there
                // runs on x86.
                if !self.options.checks.follow_undefined {
                    return integer;
                }
                let fits = operators::float_fits_int(&mut self.terms, *from, *to, t);
                self.where_defined(fits, integer)
            }
            (Type::Int(from), Type::Float(to)) => {
                operators::float_from_int(terms, mode, *from, *to, t)
            }
            (Type::Bool, Type::Float(to)) => {
                operators::float_from_int(terms, mode, IntTy::new(1, false), *to, t)
            }
            // C has no other conversions of scalars.
            _ => self.any_value(to),
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
        match (value, self.program.types.is_scalar(to)) {
            (Content::Scalar(t), true) => Content::Scalar(self.convert(cur, t, from, to, e)),
            // A call through a pointer of another type: C says nothing about what arrives.
            (Content::Scalar(_), false) => Content::Parts(Vec::new()),
            (Content::Parts(_), true) => Content::Scalar(self.any_value(to)),
            (parts, false) => parts,
        }
    }
}
