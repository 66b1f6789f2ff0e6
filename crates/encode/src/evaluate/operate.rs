//! Operators on values of every kind. Those on numbers are [`crate::operators`].

use crate::cursor::Cursor;
use crate::evaluate::Evaluator;
use crate::operators;
use cwolf_cwi::{BinOp, Expr, FloatTy, IntTy, Program, Type, TypeId, UnOp};
use cwolf_known::{FloatFunction, Row, lookup};
use cwolf_logic::{Mode, Sort, Term, Terms};

/// Whether a function of the program may change how results are rounded.
struct ChangesRounding(bool);

impl ChangesRounding {
    fn new(program: &Program) -> ChangesRounding {
        let mut rows = program.funcs.iter().filter_map(|f| lookup(&f.name));
        ChangesRounding(rows.any(Row::changes_rounding))
    }
}

impl Evaluator<'_> {
    pub(super) fn unary(&mut self, cur: &mut Cursor, op: UnOp, a: &Expr) -> Term {
        let t = self.eval(cur, a);
        if op == UnOp::Not {
            let holds = self.is_true(a.ty, t);
            let not = self.terms.not(holds);
            return self.terms.from_bool(32, not);
        }
        if let Type::Float(f) = self.program.types[a.ty] {
            return operators::float_neg(&mut self.terms, f, t);
        }
        operators::unary(&mut self.terms, op, t)
    }

    pub(super) fn binary(&mut self, cur: &mut Cursor, op: BinOp, a: &Expr, b: &Expr) -> Term {
        if op.is_logical() {
            return self.logical(cur, op, a, b);
        }
        let s = self.eval(cur, a);
        let t = self.eval(cur, b);
        match self.program.types[a.ty] {
            Type::Float(f) => self.float_binary(op, f, s, t),
            Type::Pointer(_) => self.pointer_binary(cur, op, s, t),
            Type::Bool => self.int_binary(cur, op, IntTy::new(1, false), s, (t, false)),
            Type::Int(int) => {
                let signed = self.is_signed(b.ty);
                self.int_binary(cur, op, int, s, (t, signed))
            }
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
        match operators::float_compare(&mut self.terms, op, f, s, t) {
            Some(holds) => self.terms.from_bool(32, holds),
            None => {
                let mode = self.rounding_mode();
                operators::float_binary(&mut self.terms, mode, op, f, s, t)
            }
        }
    }

    /// How results are rounded: to nearest, unless something in the program may change that.
    pub(super) fn rounding_mode(&mut self) -> Term {
        let changes = self.analyses().analysis(|p| ChangesRounding::new(p)).0;
        if !changes {
            return self.terms.mode(Mode::NearestEven);
        }
        self.assume_text("where the rounding mode may change, results may be rounded in any way");
        let mode = self.terms.fresh("mode", Sort::Bv(2));
        self.terms.zext(Mode::BITS, mode)
    }

    /// A function of floating-point numbers whose result IEEE 754 fixes.
    pub(crate) fn float_call(
        &mut self,
        function: FloatFunction,
        arg: &dyn Fn(usize) -> Option<(Term, TypeId)>,
    ) -> Option<Term> {
        let (x, ty) = arg(0)?;
        let Type::Float(f) = self.program.types[ty] else {
            return None;
        };
        let mut args = vec![x];
        for n in 1..3 {
            args.extend(arg(n).map(|(t, _)| t));
        }
        let mode = self.rounding_mode();
        match operators::float_function(&mut self.terms, mode, function, f, &args) {
            Some(t) => Some(t),
            None => {
                self.assume_text("remainders of long doubles may have any value");
                Some(self.any_value(ty))
            }
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

    fn int_binary(
        &mut self,
        cur: &mut Cursor,
        op: BinOp,
        ty: IntTy,
        s: Term,
        (t, signed): (Term, bool),
    ) -> Term {
        let checks = self.options.checks;
        let terms = &mut self.terms;
        if let Some(holds) = operators::compare(terms, op, ty.signed, s, t) {
            return terms.from_bool(32, holds);
        }
        let fine = match op {
            BinOp::Div | BinOp::Rem => {
                let nonzero = operators::divides(terms, t);
                let fine = self.defined(cur, checks.division, nonzero);
                let fits = operators::quotient_fits(&mut self.terms, ty, s, t);
                let fits = self.defined(cur, checks.overflow, fits);
                self.terms.and(fine, fits)
            }
            BinOp::Shl | BinOp::Shr => {
                let fits = operators::shift_amount_fits(terms, ty, t, signed);
                self.defined(cur, checks.shift, fits)
            }
            _ => Terms::TRUE,
        };
        let result = operators::binary(&mut self.terms, op, ty, s, t);
        self.where_defined(fine, result)
    }
}
