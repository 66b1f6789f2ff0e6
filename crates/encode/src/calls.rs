//! Functions that the encoder knows by name, and those that nobody defines.

use crate::cursor::{Content, Cursor};
use crate::evaluate::Evaluator;
use crate::objects::OFFSET_BITS;
use crate::region::Why;
use cwolf_cwi::{BlockId, CheckKind, Expr, FuncId, Type, TypeId};
use cwolf_known::{Failure, Primitive, Row};
use cwolf_logic::Term;

/// What came of a call that the encoder knows.
pub(crate) enum Native {
    /// It returns.
    Done(Option<Content>),
    /// It never returns.
    Ends,
    /// The encoder does not know it: it has a body.
    None,
}

impl Evaluator<'_> {
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
        let row = self.row(func);
        let scalar_at = |n: usize| match values.get(n) {
            Some(Content::Scalar(t)) => Some((*t, args[n].ty)),
            _ => None,
        };
        if let Some(primitive) = row.and_then(Row::primitive)
            && (function.body.is_none() || self.is_model(func))
        {
            if primitive == Primitive::RestoreStack {
                if let Some(saved) = args.first() {
                    self.restore_stack(cur, saved);
                }
                return Native::Done(None);
            }
            let done = self.memory_call(cur, primitive, &scalar_at, next, in_loop);
            if let Some(result) = done {
                return result;
            }
            // Of a size that is not known, without a model: whatever is there holds anything.
            if let (None, Some((p, _)), Primitive::Fill | Primitive::Copy | Primitive::Move) =
                (&function.body, scalar_at(0), primitive)
            {
                if let Some((from, _)) = scalar_at(1).filter(|_| primitive != Primitive::Fill) {
                    self.mix_pointers(cur, p, from);
                }
                self.havoc_reached(cur, p);
                return Native::Done(Some(Content::Scalar(p)));
            }
        }
        if function.body.is_some() {
            return Native::None;
        }
        if let Some(row) = row.filter(|row| row.accepts(args.len())) {
            if row.fails() == Some(Failure::Assertion) {
                if self.options.checks.assertions {
                    self.oblige(cur.loc, CheckKind::Assertion, None, None, cur.guard);
                }
                return Native::Ends;
            }
            if row.ends().is_some() {
                return Native::Ends;
            }
            if let Some(n) = row.asserts() {
                if let Some((t, ty)) = scalar_at(n) {
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
            if let Some(n) = row.assumes() {
                if let Some((t, ty)) = scalar_at(n) {
                    let holds = self.is_true(ty, t);
                    cur.guard = self.terms.and(cur.guard, holds);
                }
                return Native::Done(None);
            }
            // `__builtin_expect`
            if let Some(n) = row.returns_value().filter(|_| row.is_pure()) {
                return Native::Done(values.get(n).cloned());
            }
        }
        if let Some(refusal) = &function.refused {
            let why = format!("{name} is not supported: {}", refusal.reason);
            self.out.incomplete.push((cur.guard, Why::Unsupported(why)));
            return Native::Ends;
        }
        if function.noreturn {
            return Native::Ends;
        }
        // Functions without effect on memory that the program sees, whose result the interpreter
        // computes without asking.
        let quiet = |row: &Row| row.is_quiet() && !row.chooses() && !row.returns_pointer();
        let asks = !row.is_some_and(quiet);
        if asks && !row.is_some_and(Row::is_word) {
            let text = format!("{name} has no body: it returns any value and changes nothing");
            self.assume_text(text);
        }
        if self.program.types.is_scalar(ret) {
            let t = match asks {
                true if row.is_some_and(Row::chooses) => self.ask_any(cur, ret),
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
        primitive: Primitive,
        arg: &dyn Fn(usize) -> Option<(Term, TypeId)>,
        next: Option<BlockId>,
        in_loop: bool,
    ) -> Option<Native> {
        let word = |this: &mut Self, n: usize| {
            let (t, ty) = arg(n)?;
            let signed = this.program.types.as_int(ty).is_some_and(|i| i.signed);
            Some(this.terms.resize(OFFSET_BITS, signed, t))
        };
        Some(match primitive {
            Primitive::Allocate => {
                let size = word(self, 0)?;
                let (p, _) = self.allocate(cur, size, false, next, in_loop);
                let p = self.unless_too_large(size, p);
                Native::Done(Some(Content::Scalar(p)))
            }
            Primitive::AllocateOnStack => {
                let size = word(self, 0)?;
                let (p, object) = self.allocate(cur, size, false, next, in_loop);
                self.put_on_stack(cur.context, object);
                Native::Done(Some(Content::Scalar(p)))
            }
            Primitive::SaveStack => Native::Done(Some(Content::Scalar(self.null()))),
            Primitive::AllocateZeroed => {
                let (count, size) = (word(self, 0)?, word(self, 1)?);
                let all = self.product(count, size);
                let size = self.terms.mul(count, size);
                let (p, _) = self.allocate(cur, size, true, next, in_loop);
                let p = self.unless_too_large(all, p);
                Native::Done(Some(Content::Scalar(p)))
            }
            Primitive::Resize => {
                let (old, _) = arg(0)?;
                let size = word(self, 1)?;
                let p = self.reallocate(cur, old, size, next, in_loop);
                Native::Done(Some(Content::Scalar(p)))
            }
            Primitive::Free => {
                let (p, _) = arg(0)?;
                self.free(cur, p);
                Native::Done(None)
            }
            Primitive::Fill => {
                let ((p, _), (byte, _), size) = (arg(0)?, arg(1)?, word(self, 2)?);
                let byte = self.terms.as_bv(byte)? as u8;
                let size = self.terms.as_bv(size)? as u64;
                self.fill(cur, p, byte, size)?;
                Native::Done(Some(Content::Scalar(p)))
            }
            Primitive::Copy | Primitive::Move => {
                let ((to, _), (from, _), size) = (arg(0)?, arg(1)?, word(self, 2)?);
                let size = self.terms.as_bv(size)? as u64;
                self.copy(cur, to, from, size)?;
                Native::Done(Some(Content::Scalar(to)))
            }
            Primitive::Float(function) => {
                Native::Done(Some(Content::Scalar(self.float_call(function, arg)?)))
            }
            Primitive::RestoreStack => return None,
        })
    }
}
