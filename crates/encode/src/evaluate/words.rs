//! The words of verification: what must hold, what is assumed, questions about memory.

use crate::cursor::Cursor;
use crate::evaluate::Evaluator;
use crate::memory::Address;
use crate::objects::{Leaf, OFFSET_BITS, ObjId, ObjectKind, Repr};
use crate::operators;
use crate::pointers::Target;
use crate::region::{Obligation, Why};
use cwolf_base::Idx;
use cwolf_cwi::{
    CheckId, CheckKind, Expr, ExprKind, FuncId, HANDLE, LocId, MemoryTest, Type, VarKind, WIDE,
};
use cwolf_logic::{Sort, Term, Terms};

impl Evaluator<'_> {
    /// An obligation; afterwards the condition holds.
    pub(crate) fn assert(&mut self, cur: &mut Cursor, check: CheckId, cond: &Expr) {
        let holds = self.condition(cur, cond);
        if holds == Terms::TRUE {
            return;
        }
        if !self.options.proved.contains(&check) {
            let not = self.terms.not(holds);
            let fails = self.terms.and(cur.guard, not);
            let kind = self.program.checks[check].kind;
            self.oblige(cur.loc, kind, Some(check), None, fails);
        }
        cur.guard = self.terms.and(cur.guard, holds);
    }

    /// Only what satisfies the condition goes on.
    pub(crate) fn assume(&mut self, cur: &mut Cursor, cond: &Expr) {
        let holds = self.condition(cur, cond);
        cur.guard = self.terms.and(cur.guard, holds);
    }

    pub(crate) fn oblige(
        &mut self,
        loc: LocId,
        kind: CheckKind,
        check: Option<CheckId>,
        function: Option<FuncId>,
        fails: Term,
    ) {
        if fails != Terms::FALSE {
            self.out.obligations.push(Obligation {
                kind,
                loc,
                check,
                function,
                fails,
                choices: self.out.asked.len(),
                steps: self.out.steps.len(),
                loads: self.out.loads.len(),
            });
        }
    }

    /// Goes on where `ok` holds; a run that breaks a rule that is not checked is not followed.
    pub(crate) fn only_or_give_up(&mut self, cur: &mut Cursor, ok: Term, what: &str) {
        let checked = self.options.checks.pointer;
        let fine = self.defined(cur, checked, ok);
        if fine != Terms::TRUE {
            let not = self.terms.not(fine);
            let guard = self.terms.and(cur.guard, not);
            let why = Why::Unsupported(format!("{what}, which is not checked"));
            self.out.incomplete.push((guard, why));
            self.only(cur, fine);
        }
    }

    /// The answer to a question about memory, as a number.
    pub(crate) fn memory_test(
        &mut self,
        cur: &mut Cursor,
        test: MemoryTest,
        args: &[Expr],
    ) -> Term {
        if test.is_census() {
            let holds = self.census(cur, test);
            return self.terms.from_bool(32, holds);
        }
        let values: Vec<Term> = args.iter().map(|e| self.eval(cur, e)).collect();
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let count = values.last().filter(|_| test.counts());
        let count = count.map(|n| self.terms.zext(OFFSET_BITS, *n));
        let targets = self.targets(values[0], zero);
        let holds = match test {
            MemoryTest::Live => self.is_live(cur, &targets),
            MemoryTest::Inside => self.is_inside(cur, &targets, count.unwrap_or(zero)),
            MemoryTest::Mutable => self.is_mutable(&targets),
            MemoryTest::Freeable => self.is_freeable(cur, values[0], &targets),
            MemoryTest::Open => self.is_open(cur, &targets),
            MemoryTest::Callable => self.is_callable(&targets),
            MemoryTest::Apart => self.do_not_overlap(values[0], values[1], count.unwrap_or(zero)),
            MemoryTest::Text => self.is_text(cur, &targets, 1),
            MemoryTest::WideText => self.is_text(cur, &targets, WIDE),
            MemoryTest::Tracked | MemoryTest::Kept | MemoryTest::Cleaned => {
                unreachable!("without pointers")
            }
        };
        self.terms.from_bool(32, holds)
    }

    fn is_live(&mut self, cur: &Cursor, targets: &[Target]) -> Term {
        let mut live = Terms::FALSE;
        for target in targets {
            let kind = self.objects[target.object.index()].kind;
            if kind.has_no_bytes() {
                continue;
            }
            let lasts = self.lasts(cur, target.object);
            let here = self.terms.and(target.guard, lasts);
            live = self.terms.or(live, here);
        }
        live
    }

    fn is_inside(&mut self, cur: &Cursor, targets: &[Target], count: Term) -> Term {
        let mut inside = Terms::TRUE;
        for target in targets {
            let kind = self.objects[target.object.index()].kind;
            if kind.has_no_bytes() {
                continue;
            }
            let fits = self.fits_count(&cur.state, target.object, target.offset, count);
            let ok = self.terms.implies(target.guard, fits);
            inside = self.terms.and(inside, ok);
        }
        inside
    }

    fn is_mutable(&mut self, targets: &[Target]) -> Term {
        let mut mutable = Terms::TRUE;
        for target in targets {
            if let ObjectKind::Global(v) | ObjectKind::Local(_, v) =
                self.objects[target.object.index()].kind
                && (self.program.vars[v].constant || self.program.vars[v].kind == VarKind::Literal)
            {
                let elsewhere = self.terms.not(target.guard);
                mutable = self.terms.and(mutable, elsewhere);
            }
        }
        mutable
    }

    fn is_freeable(&mut self, cur: &Cursor, p: Term, targets: &[Target]) -> Term {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let null = self.null();
        let mut ok = self.terms.eq(p, null);
        for target in targets {
            if !self.is_heap(target.object) {
                continue;
            }
            let start = self.terms.eq(target.offset, zero);
            let lasts = self.lasts(cur, target.object);
            let mut fine = self.terms.and(target.guard, start);
            fine = self.terms.and(fine, lasts);
            ok = self.terms.or(ok, fine);
        }
        ok
    }

    fn is_open(&mut self, cur: &Cursor, targets: &[Target]) -> Term {
        let start = self.terms.bv(OFFSET_BITS, HANDLE.into());
        let mut open = Terms::FALSE;
        for target in targets {
            if !self.is_heap(target.object) {
                continue;
            }
            let mut here = target.guard;
            if self.objects[target.object.index()].kind != ObjectKind::Outside {
                let at = self.terms.eq(target.offset, start);
                let lasts = self.lasts(cur, target.object);
                here = self.terms.and(here, at);
                here = self.terms.and(here, lasts);
            }
            open = self.terms.or(open, here);
        }
        open
    }

    fn is_callable(&mut self, targets: &[Target]) -> Term {
        let mut ok = Terms::FALSE;
        for target in targets {
            let kind = self.objects[target.object.index()].kind;
            if matches!(kind, ObjectKind::Func(_) | ObjectKind::Outside) {
                ok = self.terms.or(ok, target.guard);
            }
        }
        ok
    }

    /// Whether a zero comes before the end of the object, in elements of so many bytes. Objects that are long,
    /// or of which nothing is known, may hold a text or not.
    fn is_text(&mut self, cur: &Cursor, targets: &[Target], element: u64) -> Term {
        const LONGEST: u64 = 64;
        let mut text = Terms::FALSE;
        for target in targets {
            let info = &self.objects[target.object.index()];
            if matches!(info.kind, ObjectKind::Null | ObjectKind::Func(_)) {
                continue;
            }
            let short = |s: &u64| *s <= LONGEST * element && !info.summary;
            let size = info.size.filter(short);
            let here = match (size, info.kind) {
                (Some(size), kind) if kind != ObjectKind::Outside => {
                    self.zero_follows(cur, target, size, element)
                }
                _ => {
                    let ends = self.last_is_zero(cur, target, element);
                    let any = self.terms.fresh("text", Sort::Bool);
                    self.terms.or(ends, any)
                }
            };
            let here = self.terms.and(target.guard, here);
            text = self.terms.or(text, here);
        }
        text
    }

    /// Whether the last element of an object, or of an array in it, is zero and not before the target; no
    /// if that cannot be told.
    fn last_is_zero(&mut self, cur: &Cursor, target: &Target, element: u64) -> Term {
        let info = &self.objects[target.object.index()];
        if info.summary || info.kind == ObjectKind::Outside {
            return Terms::FALSE;
        }
        let size = match (info.size, info.size_cell) {
            (Some(size), _) => self.terms.bv(OFFSET_BITS, size.into()),
            (None, Some(cell)) => self.content(&cur.state, cell),
            (None, None) => return Terms::FALSE,
        };
        let one = self.terms.bv(OFFSET_BITS, element.into());
        let last = self.terms.sub(size, one);
        let mut ends = vec![last];
        for byte in self.ends_of_arrays(target.object, element) {
            ends.push(self.terms.bv(OFFSET_BITS, byte.into()));
        }
        let mut found = Terms::FALSE;
        for end in ends {
            let here = self.zero_from(cur, target, end, element);
            found = self.terms.or(found, here);
        }
        found
    }

    /// Where the last elements of the first few arrays of such elements in an object lie.
    fn ends_of_arrays(&self, object: ObjId, element: u64) -> Vec<u64> {
        const MOST: usize = 8;
        let layout = self.objects[object.index()].layout.as_ref();
        let leaves = layout.into_iter().flat_map(|l| &l.leaves);
        let such = |leaf: &&Leaf| u64::from(leaf.bits) == element * 8 && leaf.array.is_some();
        let ends = leaves
            .filter(such)
            .map(|leaf| (leaf.end() / 8).saturating_sub(element));
        ends.filter(|end| *end < 1 << 32).take(MOST).collect()
    }

    /// Whether an element of an object is zero and one of those that begin at the target.
    fn zero_from(&mut self, cur: &Cursor, target: &Target, offset: Term, element: u64) -> Term {
        let zero = self.zero_at(cur, target, offset, element);
        let after = self.terms.ule(target.offset, offset);
        let mut here = self.terms.and(zero, after);
        if element > 1 {
            let way = self.terms.sub(offset, target.offset);
            // A power of two.
            let rest = self.terms.extract(element.ilog2() as u16 - 1, 0, way);
            let between = self.terms.nonzero(rest);
            let whole = self.terms.not(between);
            here = self.terms.and(here, whole);
        }
        here
    }

    fn zero_at(&mut self, cur: &Cursor, target: &Target, offset: Term, element: u64) -> Term {
        let at = Address {
            targets: vec![Target {
                guard: Terms::TRUE,
                object: target.object,
                offset,
            }],
            bit: 0,
            hint: None,
            defined: Terms::TRUE,
        };
        let value = self.load(&cur.state, &at, 8 * element as u16, Repr::Int);
        let some = self.terms.nonzero(value);
        self.terms.not(some)
    }

    fn zero_follows(&mut self, cur: &Cursor, target: &Target, size: u64, element: u64) -> Term {
        let mut found = Terms::FALSE;
        let start = self.terms.as_bv(target.offset).map(|at| at as u64);
        let mut n = start.map_or(0, |at| at % element);
        // Elements begin where the target is, or nobody knows where.
        let step = if start.is_some() { element } else { 1 };
        while n + element <= size {
            let offset = self.terms.bv(OFFSET_BITS, n.into());
            let here = self.zero_from(cur, target, offset, element);
            found = self.terms.or(found, here);
            n += step;
        }
        found
    }

    /// Different objects never overlap; one that stands for several may be two.
    fn do_not_overlap(&mut self, p: Term, q: Term, count: Term) -> Term {
        let (op, fp) = self.split(p);
        let (oq, fq) = self.split(q);
        let same = self.terms.eq(op, oq);
        let (forth, back) = (self.terms.sub(fp, fq), self.terms.sub(fq, fp));
        let after = self.terms.ule(count, forth);
        let before = self.terms.ule(count, back);
        let zero = self.terms.bv(OFFSET_BITS, 0);
        let nothing = self.terms.eq(count, zero);
        let far = self.terms.and(after, before);
        let far = self.terms.or(far, nothing);
        let elsewhere = self.terms.not(same);
        let apart = self.terms.or(elsewhere, far);
        let vague = self.vague(p, q, true);
        if vague == Terms::FALSE {
            return apart;
        }
        let any = self.terms.fresh("apart", Sort::Bool);
        self.terms.ite(vague, any, apart)
    }

    /// Whether the outermost operator of an expression fits its type, as a number.
    pub(crate) fn fits_type(&mut self, cur: &mut Cursor, e: &Expr) -> Term {
        let holds = match (&e.kind, &self.program.types[e.ty]) {
            (ExprKind::Unary(op, a), Type::Int(ty)) => {
                let t = self.eval(cur, a);
                operators::unary_fits(&mut self.terms, *op, *ty, t)
            }
            (ExprKind::Binary(op, a, b), Type::Int(ty)) => {
                let (s, t) = (self.eval(cur, a), self.eval(cur, b));
                let signed = self.is_signed(b.ty);
                operators::binary_fits(&mut self.terms, *op, *ty, s, (t, signed))
            }
            _ => Terms::TRUE,
        };
        self.terms.from_bool(32, holds)
    }
}
