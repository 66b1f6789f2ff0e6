//! Expressions.

use crate::graph::{Kind, Operation, Ptr, Val};
use crate::memory::{At, same_node};
use crate::world::{Res, Stop, give_up};
use cwolf_cwi::{BinOp, Expr, ExprKind, HANDLE, MemoryTest, TypeId, UnOp, WIDE, value};
use cwolf_numeric::{Num, arith};

/// Names of operators among results, besides those of CWI.
pub(crate) const NOT: u32 = 1000;
pub(crate) const TRUTH: u32 = 1010;

impl At<'_, '_> {
    /// The value of a scalar expression.
    pub(crate) fn eval(&mut self, e: &Expr) -> Res<Val> {
        match &e.kind {
            ExprKind::Int(v) => Ok(Val::Const(*v)),
            ExprKind::Float(_) => Ok(Val::Any),
            ExprKind::Zero => Ok(self.as_type(Val::Const(0), e.ty)),
            ExprKind::Choose => Ok(self.unknown(e.ty)),
            ExprKind::Reg(reg) => {
                let val = self.g.frame().regs.get(reg).cloned();
                match val {
                    Some(val) => Ok(self.as_type(val, e.ty)),
                    None => Ok(self.unknown(e.ty)),
                }
            }
            ExprKind::Load { place, .. } => self.load(place),
            ExprKind::AddrOf(place) => {
                let (base, at) = self.address(place)?;
                if at.0 % 8 != 0 || at.1 % 8 != 0 {
                    return give_up("the address of a bit-field");
                }
                Ok(self.shift(&base, (at.0 / 8, at.1 / 8), e.ty))
            }
            ExprKind::FuncAddr(f) => Ok(Val::Func(*f)),
            ExprKind::VarArgs => give_up("unnamed arguments"),
            ExprKind::Unary(op, a) => self.unary(*op, a, e.ty),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.ty),
            ExprKind::Cast(a) => {
                let val = self.eval(a)?;
                self.cast(val, a.ty, e.ty)
            }
            ExprKind::PtrAdd { ptr, index, scale } => {
                let p = self.eval(ptr)?;
                let n = self.eval(index)?;
                self.advance(&p, &n, *scale, index.ty, e.ty)
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                if let (Val::Ptr(p), Val::Ptr(q)) = (&a, &b)
                    && p.obj == q.obj
                    && same_node(p, q, &self.g)?
                    && self.g.object(p.obj).valid
                {
                    let lo = (p.at.0 - q.at.1) / *scale as i64;
                    let hi = (p.at.1 - q.at.0) / *scale as i64;
                    let exact = p.exact().and(q.exact()).is_some();
                    if exact || *scale == 1 {
                        return Ok(self.g.name(Num::range(lo.into(), hi.into())));
                    }
                    return Ok(self
                        .g
                        .name(Num::range(i128::from(lo) - 1, i128::from(hi) + 1)));
                }
                Ok(self.unknown(e.ty))
            }
            ExprKind::Memory(test, args) => {
                let holds = self.memory_test(*test, args)?;
                Ok(self.g.name(arith::test(holds)))
            }
            ExprKind::Fits(a) => {
                let holds = self.fits(a)?;
                Ok(self.g.name(arith::test(holds)))
            }
        }
    }

    /// The numbers that an expression may be.
    pub(crate) fn number(&mut self, e: &Expr) -> Res<Option<Num>> {
        let val = self.eval(e)?;
        Ok(self.g.num(&val))
    }

    /// Whether a value counts as true.
    pub(crate) fn truth(&self, val: &Val) -> Res<Option<bool>> {
        match val {
            Val::Ptr(p) => {
                self.settled(p)?;
                let object = self.g.object(p.obj);
                let inside = p.at.0 >= 0 && i128::from(p.at.1) <= object.least_size();
                Ok(inside.then_some(true))
            }
            Val::Func(_) => Ok(Some(true)),
            Val::Any => Ok(None),
            _ => Ok(arith::truth(&self.g.num(val).expect("a number"))),
        }
    }

    fn unary(&mut self, op: UnOp, a: &Expr, ty: TypeId) -> Res<Val> {
        let val = self.eval(a)?;
        if op == UnOp::Not {
            let truth = self.truth(&val)?.map(|t| !t);
            return Ok(self.known_as((NOT, 0), vec![val], arith::test(truth)));
        }
        match (self.int(a.ty), self.g.num(&val)) {
            (Some(int), Some(num)) => {
                let result = arith::unary(op, int, &num);
                let what = (1001 + u32::from(op == UnOp::Neg), ty.0);
                Ok(self.known_as(what, vec![val], result))
            }
            _ => Ok(self.unknown(ty)),
        }
    }

    /// A result with the name that it had when it was computed before.
    fn known_as(&mut self, what: (u32, u32), args: Vec<Val>, num: Num) -> Val {
        if num.as_constant().is_some() {
            return self.g.name(num);
        }
        let operation = Operation { what, args };
        let known = self.g.results.iter().find(|(o, _)| *o == operation);
        if let Some((_, Val::Const(v))) = known {
            return Val::Const(*v);
        }
        if let Some((_, Val::Sym(s))) = known {
            let s = *s;
            // The operands may be known better than before.
            if let Some(both) = num.meet(&self.g.syms[&s]) {
                let exact = both.as_constant();
                self.g.limit(s, both);
                return exact.map_or(Val::Sym(s), Val::Const);
            }
            return Val::Sym(s);
        }
        let named = operation.args.contains(&Val::Any);
        let val = self.g.name(num);
        if !named {
            self.g.results.push((operation, val.clone()));
        }
        val
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, ty: TypeId) -> Res<Val> {
        if op.is_logical() {
            let left = self.eval(a)?;
            let left = self.truth(&left)?;
            let decides = op == BinOp::Or;
            if left == Some(decides) {
                return Ok(Val::Const(decides.into()));
            }
            let right = self.eval(b)?;
            let right = self.truth(&right)?;
            let all = match (left, right) {
                (_, Some(r)) if r == decides => Some(decides),
                (Some(_), r) => r,
                _ => None,
            };
            return Ok(self.g.name(arith::test(all)));
        }
        let (left, right) = (self.eval(a)?, self.eval(b)?);
        if op.is_comparison() {
            let holds = self.compare(op, &left, &right)?;
            let what = (op as u32, 0);
            return Ok(self.known_as(what, vec![left, right], arith::test(holds)));
        }
        let Some(int) = self.int(a.ty) else {
            return Ok(Val::Any);
        };
        let (Some(x), Some(y)) = (self.g.num(&left), self.g.num(&right)) else {
            return self.on_addresses(op, left, right, ty);
        };
        let result = arith::binary(op, int, &x, &y);
        if result.traps && self.world.options.follow_undefined {
            return give_up("a division or a shift that C may not define");
        }
        match result.num {
            Some(num) => Ok(self.known_as((op as u32, ty.0), vec![left, right], num)),
            None => self.undefined("a division or a shift that C does not define"),
        }
    }

    /// Sums of numbers and of addresses that were converted to numbers.
    fn on_addresses(&mut self, op: BinOp, left: Val, right: Val, ty: TypeId) -> Res<Val> {
        let by = |val: &Val| match val {
            Val::Const(v) => i64::try_from(*v)
                .ok()
                .filter(|v| v.unsigned_abs() < 1 << 32),
            _ => None,
        };
        match (op, &left, &right) {
            (BinOp::Add, Val::Ptr(_), n) | (BinOp::Add, n, Val::Ptr(_)) if by(n).is_some() => {
                let n = by(n).expect("just looked");
                let p = if matches!(left, Val::Ptr(_)) {
                    &left
                } else {
                    &right
                };
                Ok(self.shift(&p.clone(), (n, n), ty))
            }
            (BinOp::Sub, Val::Ptr(_), n) if by(n).is_some() => {
                let n = by(n).expect("just looked");
                Ok(self.shift(&left, (-n, -n), ty))
            }
            (BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, ..)
                if self.world.options.follow_undefined =>
            {
                give_up("arithmetic on an unknown number that C may not define")
            }
            _ => Ok(self.unknown(ty)),
        }
    }

    fn cast(&mut self, val: Val, from: TypeId, to: TypeId) -> Res<Val> {
        use cwolf_cwi::Type;
        let types = &self.world.program.types;
        if matches!(types[to], Type::Bool) {
            let truth = match self.int(from) {
                Some(_) => self.truth(&val)?,
                None => None,
            };
            return Ok(self.known_as((TRUTH, 0), vec![val], arith::test(truth)));
        }
        if self.int(from).is_none() {
            return Ok(self.unknown(to));
        }
        let converted = self.as_type(val.clone(), to);
        // The same conversion of the same number has one result.
        if let (Val::Sym(s), Val::Sym(t)) = (&val, &converted)
            && s != t
        {
            let num = (*self.g.syms[t]).clone();
            return Ok(self.known_as((1011, to.0), vec![val], num));
        }
        Ok(converted)
    }

    fn advance(&mut self, p: &Val, n: &Val, scale: u64, index: TypeId, ty: TypeId) -> Res<Val> {
        let Some(num) = self.g.num(n) else {
            return Ok(self.unknown(ty));
        };
        let (lo, hi) = num.bounds();
        // An unsigned index that is negative in two's complement.
        let signed = |v: i128| match self.int(index) {
            Some(int) if !int.signed && v > value::max(int) / 2 => v - value::max(int) - 1,
            _ => v,
        };
        let scale = scale as i128;
        let (lo, hi) = match lo == hi {
            true => (signed(lo), signed(lo)),
            false => (lo, hi),
        };
        let (lo, hi) = (lo.checked_mul(scale), hi.checked_mul(scale));
        let near = |v: Option<i128>| v.and_then(|v| i64::try_from(v).ok());
        match (near(lo), near(hi)) {
            (Some(lo), Some(hi)) if lo.unsigned_abs().max(hi.unsigned_abs()) < 1 << 40 => {
                if let (Val::Sym(s), Val::Ptr(_)) = (n, p)
                    && hi - lo < 16 * scale as i64
                {
                    return Err(Stop::Each(*s));
                }
                Ok(self.shift(p, (lo, hi), ty))
            }
            _ => Ok(self.unknown(ty)),
        }
    }

    /// Whether a comparison holds; none if it may or may not.
    pub(crate) fn compare(&mut self, op: BinOp, a: &Val, b: &Val) -> Res<Option<bool>> {
        if let (Some(x), Some(y)) = (self.g.num(a), self.g.num(b)) {
            if a == b && matches!(a, Val::Sym(_)) {
                return Ok(Some(matches!(op, BinOp::Eq | BinOp::Le | BinOp::Ge)));
            }
            return Ok(arith::compare(op, &x, &y));
        }
        let equal = self.same_address(a, b)?;
        Ok(match op {
            BinOp::Eq => equal,
            BinOp::Ne => equal.map(|e| !e),
            _ => match (a, b) {
                (Val::Ptr(p), Val::Ptr(q))
                    if p.obj == q.obj && p.end == q.end && self.ordered(p) && self.ordered(q) =>
                {
                    let num = |p: &Ptr| Num::range(p.at.0.into(), p.at.1.into());
                    arith::compare(op, &num(p), &num(q))
                }
                _ => None,
            },
        })
    }

    /// Whether an address lies inside its object or at its end, so that it does not wrap around.
    fn ordered(&self, p: &Ptr) -> bool {
        let object = self.g.object(p.obj);
        object.valid && p.at.0 >= 0 && i128::from(p.at.1) <= object.least_size()
    }

    /// Whether two values that are not both numbers are the same.
    fn same_address(&self, a: &Val, b: &Val) -> Res<Option<bool>> {
        match (a, b) {
            (Val::Ptr(p), Val::Ptr(q)) => {
                if p.obj == q.obj && p.end == q.end {
                    if let (Some(x), Some(y)) = (p.exact(), q.exact()) {
                        return Ok(Some(x == y));
                    }
                    let apart = p.at.1 < q.at.0 || q.at.1 < p.at.0;
                    return Ok(apart.then_some(false));
                }
                self.settled(p)?;
                self.settled(q)?;
                if same_node(p, q, &self.g)? {
                    return Ok(None);
                }
                let lasts = |p: &Ptr| self.g.object(p.obj).valid;
                let apart = lasts(p) && lasts(q) || self.g.met(p.obj, q.obj);
                Ok((apart && self.is_inside(p) && self.is_inside(q)).then_some(false))
            }
            (Val::Ptr(p), Val::Const(0)) | (Val::Const(0), Val::Ptr(p)) => {
                Ok(self.truth(&Val::Ptr(*p))?.map(|t| !t))
            }
            (Val::Ptr(p), Val::Func(_)) | (Val::Func(_), Val::Ptr(p)) => {
                self.settled(p)?;
                let lasts = self.g.object(p.obj).valid && self.is_inside(p);
                Ok(lasts.then_some(false))
            }
            (Val::Func(f), Val::Func(h)) if f == h => Ok(Some(true)),
            (Val::Func(_), Val::Const(0)) | (Val::Const(0), Val::Func(_)) => Ok(Some(false)),
            (Val::Ptr(p), _) | (_, Val::Ptr(p)) => {
                self.settled(p)?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn fits(&mut self, e: &Expr) -> Res<Option<bool>> {
        match &e.kind {
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.number(a)?, self.number(b)?);
                Ok(match (self.int(a.ty), x, y) {
                    (Some(int), Some(x), Some(y)) => arith::binary_fits(*op, int, &x, &y),
                    _ => None,
                })
            }
            ExprKind::Unary(op, a) => {
                let x = self.number(a)?;
                Ok(match (self.int(a.ty), x) {
                    (Some(int), Some(x)) => arith::unary_fits(*op, int, &x),
                    _ => None,
                })
            }
            _ => Ok(None),
        }
    }

    fn memory_test(&mut self, test: MemoryTest, args: &[Expr]) -> Res<Option<bool>> {
        if test.is_census() {
            return self.census(test).map(Some);
        }
        let p = self.eval(&args[0])?;
        if let Val::Ptr(p) = &p {
            self.settled(p)?;
        }
        let count = match args.last().filter(|_| test.counts()) {
            Some(n) => self.number(n)?,
            None => None,
        };
        let program = self.world.program;
        Ok(match (test, &p) {
            (MemoryTest::Live, Val::Ptr(p)) => {
                let object = self.g.object(p.obj);
                let near = p.at.0 >= 0 && i128::from(p.at.1) <= object.least_size();
                (object.valid && near).then_some(true)
            }
            (MemoryTest::Inside, Val::Ptr(p)) => {
                let object = self.g.object(p.obj);
                match (object.valid, count) {
                    (true, Some(n)) => {
                        let end = i128::from(p.at.1) + n.bounds().1;
                        (p.at.0 >= 0 && end <= object.least_size()).then_some(true)
                    }
                    _ => None,
                }
            }
            (MemoryTest::Inside | MemoryTest::Mutable, Val::Const(0)) => Some(true),
            (MemoryTest::Mutable, Val::Ptr(p)) => match self.g.object(p.obj).kind {
                Kind::Var(v) => {
                    let decl = &program.vars[v];
                    let literal = matches!(decl.kind, cwolf_cwi::VarKind::Literal);
                    (!decl.constant && !literal).then_some(true)
                }
                _ => Some(true),
            },
            (MemoryTest::Freeable, Val::Const(0)) => Some(true),
            (MemoryTest::Freeable, Val::Ptr(p)) => {
                let object = self.g.object(p.obj);
                let fresh = object.kind == Kind::Heap && object.valid;
                (fresh && p.exact() == Some(0)).then_some(true)
            }
            (MemoryTest::Callable, Val::Func(_)) => Some(true),
            (MemoryTest::Apart, Val::Ptr(p)) => {
                let q = self.eval(&args[1])?;
                let (Val::Ptr(q), Some(n)) = (&q, count) else {
                    return Ok(None);
                };
                self.settled(q)?;
                let n = n.bounds().1;
                let ends = |p: &Ptr| {
                    let object = self.g.object(p.obj);
                    object.valid && p.at.0 >= 0 && i128::from(p.at.1) + n <= object.least_size()
                };
                let one = p.obj == q.obj && same_node(p, q, &self.g)?;
                let apart = |p: &Ptr, q: &Ptr| i128::from(p.at.1) + n <= i128::from(q.at.0);
                match one {
                    true => (apart(p, q) || apart(q, p)).then_some(true),
                    false => (ends(p) && ends(q)).then_some(true),
                }
            }
            (MemoryTest::Open, Val::Ptr(p)) => {
                let object = self.g.object(p.obj);
                let made = object.kind == Kind::Heap && object.valid;
                (made && p.exact() == Some(HANDLE as i64)).then_some(true)
            }
            (MemoryTest::Text, Val::Ptr(p)) => self.has_text(p, 1),
            (MemoryTest::WideText, Val::Ptr(p)) => self.has_text(p, WIDE as i64),
            _ => None,
        })
    }

    /// Whether there is surely a zero from an address on, in elements of so many bytes.
    fn has_text(&self, p: &Ptr, element: i64) -> Option<bool> {
        let object = self.g.object(p.obj);
        let at = p.exact().filter(|at| *at >= 0 && object.valid)?;
        if object.seg.is_some() {
            return None;
        }
        let size = object.exact_size()?.min(at + 4096);
        let mut zero = false;
        for n in (at..=size - element).step_by(element as usize) {
            zero |= object.get(n * 8, element * 8) == Some(Val::Const(0));
        }
        zero.then_some(true)
    }
}
