//! A point of the program with what is known there, and what can be read off it.

use crate::Options;
use crate::arith;
use crate::layout::Kind;
use crate::num::Num;
use crate::objects::{Objects, What, is_constant};
use crate::octagon::Signed;
use crate::state::{Packs, State};
use crate::value::{CellId, Pointer, Value};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BinOp, BlockId, Expr, ExprKind, FuncId, MemoryTest, RESULT, TypeId, UnOp, value};
use rustc_hash::FxHashSet;

/// What never changes during an analysis.
pub(crate) struct World<'p> {
    pub(crate) program: &'p Analysed,
    pub(crate) options: &'p Options,
    pub(crate) objects: Objects,
    pub(crate) packs: Packs,
    /// Numbers that bounds are widened to, in rising order.
    pub(crate) steps: Vec<i128>,
    /// Functions that calls of another type may reach.
    pub(crate) recast: FxHashSet<FuncId>,
}

impl World<'_> {
    pub(crate) fn kind(&self, ty: TypeId) -> Kind {
        Kind::of(&self.program.types, ty)
    }
}

/// A state at a point.
#[derive(Clone)]
pub(crate) struct At<'w, 'p> {
    pub(crate) world: &'w World<'p>,
    pub(crate) func: FuncId,
    pub(crate) block: BlockId,
    pub(crate) state: State,
}

/// What an expression may be: nothing is known of what has no value.
pub(crate) type Val = Option<Value>;

/// A sum of at most two cells, each with a sign, and a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    pub(crate) cells: Vec<(CellId, bool)>,
    pub(crate) more: i128,
}

impl Linear {
    /// The difference of two sums.
    pub(crate) fn minus(&self, other: &Linear) -> Option<Linear> {
        self.clone().plus(other.clone().negated())
    }
    fn negated(mut self) -> Linear {
        self.cells.iter_mut().for_each(|c| c.1 = !c.1);
        self.more = -self.more;
        self
    }
    fn plus(mut self, other: Linear) -> Option<Linear> {
        for (cell, negative) in other.cells {
            match self.cells.iter().position(|c| *c == (cell, !negative)) {
                Some(n) => {
                    self.cells.remove(n);
                }
                None => self.cells.push((cell, negative)),
            }
        }
        self.more = self.more.checked_add(other.more)?;
        (self.cells.len() <= 2 && self.more.unsigned_abs() < 1 << 70).then_some(self)
    }
}

impl At<'_, '_> {
    /// All values of a type.
    pub(crate) fn whole(&self, ty: TypeId) -> Val {
        self.world
            .kind(ty)
            .room()
            .map(|(lo, hi)| Value::Num(Num::range(lo, hi)))
    }

    /// What an expression may be.
    pub(crate) fn eval(&self, e: &Expr) -> Val {
        let types = &self.world.program.types;
        match &e.kind {
            ExprKind::Int(n) => match self.world.kind(e.ty) {
                Kind::Pointer if *n == 0 => Some(Value::Pointer(Pointer::NULL)),
                Kind::Pointer => Some(Value::Pointer(Pointer::SOME)),
                Kind::Int(_) | Kind::Bool => Some(Value::Num(Num::constant(*n))),
                Kind::Other => None,
            },
            ExprKind::Float(_) | ExprKind::Zero | ExprKind::Choose => self.whole(e.ty),
            ExprKind::Reg(reg) => {
                let cell = self.world.objects.reg(self.func, *reg);
                let known = cell.and_then(|c| self.state.get(c));
                self.taken_for(known, e.ty, *reg == RESULT)
            }
            ExprKind::Load { volatile: true, .. } => self.whole(e.ty),
            ExprKind::Load { place, .. } => self.load(place),
            ExprKind::AddrOf(place) => Some(Value::Pointer(self.address(place)))
                .filter(|v| !matches!(v, Value::Pointer(p) if p.other && p.null)),
            ExprKind::FuncAddr(f) => {
                let object = self.world.objects.ids.get(&What::Func(*f))?;
                let null = self.world.program.funcs[*f].weak;
                let mut p = Pointer::to(*object, Num::constant(0));
                p.null = null;
                Some(Value::Pointer(p))
            }
            ExprKind::VarArgs => Some(Value::Pointer(Pointer::SOME)),
            ExprKind::Unary(op, a) => {
                if *op == UnOp::Not {
                    return Some(Value::Num(arith::test(self.truth(a).map(|t| !t))));
                }
                match (types.as_int(e.ty), self.number(a)) {
                    (Some(ty), Some(num)) if ty.bits <= 64 => {
                        Some(Value::Num(arith::unary(*op, ty, &num)))
                    }
                    _ => self.whole(e.ty),
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b),
            ExprKind::Cast(a) => self.cast(e.ty, a),
            ExprKind::PtrAdd { ptr, index, scale } => {
                let word = self.world.program.target().word(true);
                let by = self.number(index)?;
                let scale = Num::constant(value::wrap(word, i128::from(*scale)));
                let by = arith::binary(BinOp::Mul, word, &by, &scale).num?;
                match self.eval(ptr) {
                    Some(Value::Pointer(p)) => {
                        let p = p.moved(&by);
                        (!(p.other && p.null)).then_some(Value::Pointer(p))
                    }
                    _ => None,
                }
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let known = self.distance(left, right).and_then(|bytes| {
                    let word = self.world.program.target().word(true);
                    let scale = Num::constant(i128::from(*scale));
                    arith::binary(BinOp::Div, word, &bytes, &scale).num
                });
                let ty = types.as_int(e.ty);
                match (known, ty) {
                    (Some(num), Some(ty)) if ty.bits <= 64 => {
                        Some(Value::Num(arith::convert(ty, &num)))
                    }
                    _ => self.whole(e.ty),
                }
            }
            ExprKind::Memory(test, args) => {
                Some(Value::Num(arith::test(self.memory_test(*test, args))))
            }
            ExprKind::Fits(a) => Some(Value::Num(arith::test(self.fits(a)))),
        }
    }

    /// A value that is read as something of type `ty`; `loosely` if it may have been something else.
    pub(crate) fn taken_for(&self, known: Option<&Value>, ty: TypeId, loosely: bool) -> Val {
        match (known, self.world.kind(ty)) {
            (Some(Value::Num(num)), Kind::Int(int)) => Some(Value::Num(arith::convert(int, num))),
            (Some(Value::Num(num)), Kind::Bool) if !loosely || (num.lo >= 0 && num.hi <= 1) => {
                Some(Value::Num(num.clone()))
            }
            (Some(Value::Pointer(p)), Kind::Pointer) => Some(Value::Pointer(p.clone())),
            _ => self.whole(ty),
        }
    }

    /// The numbers that an expression may be, if it has at most 64 bits.
    pub(crate) fn number(&self, e: &Expr) -> Option<Num> {
        match self.eval(e)? {
            Value::Num(num) => Some(num),
            Value::Pointer(_) => None,
        }
    }

    /// What a pointer may be.
    pub(crate) fn pointer(&self, e: &Expr) -> Pointer {
        match self.eval(e) {
            Some(Value::Pointer(p)) => p,
            _ => Pointer {
                null: true,
                stale: true,
                ..Pointer::SOME
            },
        }
    }

    fn binary(&self, e: &Expr, op: BinOp, a: &Expr, b: &Expr) -> Val {
        if op.is_test() {
            return Some(Value::Num(arith::test(self.truth(e))));
        }
        let (Some(ty), Some(x), Some(y)) =
            (self.world.kind(e.ty).int(), self.number(a), self.number(b))
        else {
            return self.whole(e.ty);
        };
        let result = arith::binary(op, ty, &x, &y);
        let mut num = match result.num {
            // A run that goes on after such a step has any result.
            Some(num) if !(result.traps && self.world.options.follow_undefined) => num,
            _ => return self.whole(e.ty),
        };
        if matches!(op, BinOp::Add | BinOp::Sub)
            && let Some(linear) = self.linear(e)
            && let Some((lo, hi)) = self.bounds(&linear)
            && lo.max(num.lo) <= hi.min(num.hi)
            && let Some(met) = num.meet(&Num::raw(lo.max(num.lo), hi.min(num.hi)))
        {
            num = met;
        }
        Some(Value::Num(num))
    }

    fn cast(&self, ty: TypeId, a: &Expr) -> Val {
        let from = self.world.kind(a.ty);
        match (self.world.kind(ty), from) {
            (Kind::Bool, _) => Some(Value::Num(arith::test(self.truth(a)))),
            (Kind::Int(int), Kind::Int(_) | Kind::Bool) => {
                Some(Value::Num(arith::convert(int, &self.number(a)?)))
            }
            (Kind::Int(int), Kind::Pointer) => match self.eval(a) {
                Some(Value::Pointer(p)) if p == Pointer::NULL => Some(Value::Num(Num::constant(0))),
                _ => Some(Value::Num(arith::whole(int))),
            },
            (Kind::Pointer, Kind::Pointer) => self.eval(a),
            (Kind::Pointer, Kind::Int(_) | Kind::Bool) => {
                let num = self.number(a)?;
                match num.as_constant() {
                    Some(0) => Some(Value::Pointer(Pointer::NULL)),
                    _ => None,
                }
            }
            _ => self.whole(ty),
        }
    }

    /// Whether a scalar is always true, or always false.
    pub(crate) fn truth(&self, e: &Expr) -> Option<bool> {
        match &e.kind {
            ExprKind::Unary(UnOp::Not, a) => self.truth(a).map(|t| !t),
            ExprKind::Binary(BinOp::And, a, b) => match self.truth(a) {
                Some(false) => Some(false),
                Some(true) => self.truth(b),
                None => (self.truth(b) == Some(false)).then_some(false),
            },
            ExprKind::Binary(BinOp::Or, a, b) => match self.truth(a) {
                Some(true) => Some(true),
                Some(false) => self.truth(b),
                None => (self.truth(b) == Some(true)).then_some(true),
            },
            ExprKind::Binary(op, a, b) if op.is_comparison() => self.comparison(*op, a, b),
            _ => match self.eval(e)? {
                Value::Num(num) => arith::truth(&num),
                Value::Pointer(p) => self.null_test(&p).map(|null| !null),
            },
        }
    }

    /// Whether a pointer is null: always, never, or neither.
    fn null_test(&self, p: &Pointer) -> Option<bool> {
        if *p == Pointer::NULL {
            return Some(true);
        }
        // An address outside of its object may be any number.
        (!p.null && !p.stale && self.is_near(p)).then_some(false)
    }

    /// Whether a pointer leads into its objects, or to their ends.
    fn is_near(&self, p: &Pointer) -> bool {
        p.targets.iter().all(|(object, offset)| {
            let size = self.world.objects.all[*object].size.unwrap_or(0);
            0 <= offset.lo && offset.hi <= size
        })
    }

    /// The distance of two pointers into one object, in bytes.
    fn distance(&self, a: &Expr, b: &Expr) -> Option<Num> {
        let (p, q) = (self.pointer(a), self.pointer(b));
        let plain = |p: &Pointer| !p.null && !p.other && !p.stale && p.targets.len() == 1;
        if !plain(&p) || !plain(&q) || p.targets[0].0 != q.targets[0].0 {
            return None;
        }
        if !self.world.objects.all[p.targets[0].0].single {
            return None;
        }
        let word = self.world.program.target().word(true);
        arith::binary(BinOp::Sub, word, &p.targets[0].1, &q.targets[0].1).num
    }

    fn comparison(&self, op: BinOp, a: &Expr, b: &Expr) -> Option<bool> {
        if self.world.kind(a.ty) == Kind::Pointer {
            return self.compare_pointers(op, a, b);
        }
        let (x, y) = (self.number(a)?, self.number(b)?);
        if let Some(known) = arith::compare(op, &x, &y) {
            return Some(known);
        }
        // a - b, in unbounded numbers.
        let difference = self.linear(a)?.plus(self.linear(b)?.negated())?;
        let (lo, hi) = self.bounds(&difference)?;
        if lo > hi {
            return None;
        }
        arith::compare(op, &Num::raw(lo, hi), &Num::constant(0))
            .filter(|_| op != BinOp::Eq && op != BinOp::Ne || lo == hi || lo > 0 || hi < 0)
    }

    fn compare_pointers(&self, op: BinOp, a: &Expr, b: &Expr) -> Option<bool> {
        if let Some(bytes) = self.distance(a, b) {
            let equality = matches!(op, BinOp::Eq | BinOp::Ne);
            let near = bytes.lo > -(1 << 30) && bytes.hi < 1 << 30;
            return match equality {
                true if near => arith::compare(op, &bytes, &Num::constant(0)),
                _ => None,
            };
        }
        let (x, y) = (self.pointer(a), self.pointer(b));
        let equal = if x == Pointer::NULL {
            self.null_test(&y)
        } else if y == Pointer::NULL {
            self.null_test(&x)
        } else {
            None
        };
        match op {
            BinOp::Eq => equal,
            BinOp::Ne => equal.map(|t| !t),
            _ => None,
        }
    }

    /// The expression as a sum, if it is one in unbounded numbers, too.
    pub(crate) fn linear(&self, e: &Expr) -> Option<Linear> {
        // Operands are looked at again and again.
        const MOST: usize = 9;
        let mut size = 0;
        e.walk(&mut |_| size += 1);
        (size <= MOST).then(|| self.sum(e)).flatten()
    }

    fn sum(&self, e: &Expr) -> Option<Linear> {
        let room = self.world.kind(e.ty).room()?;
        match &e.kind {
            ExprKind::Int(n) => Some(Linear {
                cells: Vec::new(),
                more: *n,
            }),
            ExprKind::Load { place, volatile } if !volatile => {
                let cell = self.cell(place)?;
                let same = self.world.objects.cells[cell].kind == self.world.kind(e.ty);
                same.then(|| Linear {
                    cells: vec![(cell, false)],
                    more: 0,
                })
            }
            ExprKind::Reg(reg) => {
                let cell = self.world.objects.reg(self.func, *reg)?;
                let same = self.world.objects.cells[cell].kind == self.world.kind(e.ty);
                same.then(|| Linear {
                    cells: vec![(cell, false)],
                    more: 0,
                })
            }
            ExprKind::Cast(a) => {
                let num = self.number(a)?;
                let keeps = room.0 <= num.lo && num.hi <= room.1;
                let plain = self.world.kind(e.ty) != Kind::Bool;
                (keeps && plain).then(|| self.sum(a)).flatten()
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let ty = self.world.kind(e.ty).int()?;
                let right = self.sum(b)?;
                let right = if *op == BinOp::Sub {
                    right.negated()
                } else {
                    right
                };
                let sum = self.sum(a)?.plus(right)?;
                let (x, y) = (self.number(a)?, self.number(b)?);
                // `x - y` of unsigned numbers does not wrap around where x >= y.
                let fits = arith::binary_fits(*op, ty, &x, &y) == Some(true) || {
                    let (lo, hi) = self.bounds(&sum)?;
                    room.0 <= lo && hi <= room.1
                };
                fits.then_some(sum)
            }
            ExprKind::Unary(UnOp::Neg, a) => {
                let ty = self.world.kind(e.ty).int()?;
                let num = self.number(a)?;
                let fits = arith::unary_fits(UnOp::Neg, ty, &num) == Some(true);
                fits.then(|| self.sum(a).map(Linear::negated)).flatten()
            }
            _ => None,
        }
    }

    /// The bounds of a sum, by intervals and octagons.
    pub(crate) fn bounds(&self, sum: &Linear) -> Option<(i128, i128)> {
        let (mut lo, mut hi) = (sum.more, sum.more);
        for (cell, negative) in &sum.cells {
            let (a, b) = match self.state.get(*cell) {
                Some(Value::Num(num)) => num.bounds(),
                _ => self.world.objects.room(*cell),
            };
            let (a, b) = if *negative { (-b, -a) } else { (a, b) };
            lo += a;
            hi += b;
        }
        if let [(x, neg_x), (y, neg_y)] = sum.cells.as_slice()
            && let (Some((pack, n)), Some((other, m))) =
                (self.world.packs.of(*x), self.world.packs.of(*y))
            && pack == other
            && let Some(octagon) = self.state.octagon(pack)
        {
            let signed = |var, negative| Signed { var, negative };
            let mut octagon = octagon.clone();
            if octagon.close() {
                if let Some(most) = octagon.most(signed(n, *neg_x), signed(m, *neg_y)) {
                    hi = hi.min(most + sum.more);
                }
                if let Some(most) = octagon.most(signed(n, !neg_x), signed(m, !neg_y)) {
                    lo = lo.max(sum.more - most);
                }
            }
        }
        Some((lo, hi))
    }

    /// Whether the outermost operator gives, in unbounded numbers, a value of its type.
    fn fits(&self, e: &Expr) -> Option<bool> {
        let Some(ty) = self.world.program.types.as_int(e.ty) else {
            return Some(true);
        };
        if ty.bits > 64 {
            return None;
        }
        match &e.kind {
            ExprKind::Unary(op, a) => arith::unary_fits(*op, ty, &self.number(a)?),
            ExprKind::Binary(op, a, b) => {
                let known = arith::binary_fits(*op, ty, &self.number(a)?, &self.number(b)?);
                if known.is_some() || !matches!(op, BinOp::Add | BinOp::Sub) {
                    return known;
                }
                let right = self.linear(b)?;
                let right = if *op == BinOp::Sub {
                    right.negated()
                } else {
                    right
                };
                let (lo, hi) = self.bounds(&self.linear(a)?.plus(right)?)?;
                (value::min(ty) <= lo && hi <= value::max(ty)).then_some(true)
            }
            _ => Some(true),
        }
    }

    fn memory_test(&self, test: MemoryTest, args: &[Expr]) -> Option<bool> {
        let objects = &self.world.objects;
        // What is about no pointer is about all of the heap.
        let p = self.pointer(args.first()?);
        if p.other {
            return None;
        }
        let is_data = |what: What| !matches!(what, What::Func(_));
        match test {
            MemoryTest::Live => {
                let data = p.targets.iter().filter(|t| is_data(objects.all[t.0].what));
                let (data, all) = (data.count(), p.targets.len());
                let nowhere = p.null || p.stale || data < all;
                match (data > 0, nowhere) {
                    (true, false) => self.is_near(&p).then_some(true),
                    (false, _) => Some(false),
                    (true, true) => None,
                }
            }
            MemoryTest::Inside => {
                let count = self.number(args.get(1)?)?;
                // A handle or a function has no bytes; a null pointer leads nowhere.
                let mut all = true;
                let mut none = !p.targets.is_empty() && !p.null && !p.stale;
                for (object, offset) in &p.targets {
                    let entry = &objects.all[*object];
                    if !is_data(entry.what) {
                        none = false;
                        continue;
                    }
                    let size = entry.size?;
                    all &= 0 <= offset.lo && offset.hi + count.hi <= size;
                    none &= offset.hi < 0 || offset.lo + count.lo > size;
                }
                match (all, none) {
                    (true, _) => Some(true),
                    (_, true) => Some(false),
                    _ => None,
                }
            }
            MemoryTest::Mutable => {
                let constant =
                    |what: What| matches!(what, What::Var(v) if is_constant(self.world.program, v));
                let any = p.targets.iter().any(|t| constant(objects.all[t.0].what));
                (!any && !p.stale).then_some(true)
            }
            MemoryTest::Freeable => {
                let start = |(object, offset): &(_, Num)| {
                    let entry: &crate::objects::Entry = &objects.all[*object];
                    matches!(entry.what, What::Heap(..)) && offset.as_constant() == Some(0)
                };
                (!p.stale && p.targets.iter().all(start)).then_some(true)
            }
            MemoryTest::Callable => {
                let start = |t: &(_, Num)| t.1.as_constant() == Some(0);
                let mut targets = p.targets.iter();
                let all = targets.all(|t| !is_data(objects.all[t.0].what) && start(t));
                (all && !p.null && !p.stale && !p.targets.is_empty()).then_some(true)
            }
            MemoryTest::Apart
            | MemoryTest::Text
            | MemoryTest::WideText
            | MemoryTest::Open
            | MemoryTest::Tracked
            | MemoryTest::Kept
            | MemoryTest::Cleaned => None,
        }
    }
}
