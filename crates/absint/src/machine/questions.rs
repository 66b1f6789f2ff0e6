//! Questions about memory and overflow, as checks ask them. The answer is yes where that is certain; no certain answer
//! is always right, as both ways are followed then.

use super::eval::{Context, object_bits};
use super::layout::int_ty;
use super::scratch::Scratch;
use crate::domain::{Address, Target, Trilog, Value};
use cwolf_cwi::{BinOp, Expr, ExprKind, IntTy, MemoryTest, UnOp, VarId, VarKind, value};

impl Context<'_> {
    /// The answer to a question about memory.
    pub(super) fn memory(&self, env: &Scratch, test: MemoryTest, args: &[Expr]) -> Value {
        if test.is_census() {
            return Trilog::MAYBE.value();
        }
        let pointer = self.eval(env, &args[0]);
        if pointer == Value::Bottom {
            return Value::Bottom;
        }
        let Some(list) = self.universe.addresses(pointer) else {
            return Trilog::MAYBE.value();
        };
        let bytes = match (test, args.get(1)) {
            (MemoryTest::Inside, Some(n)) => {
                let n_ty = int_ty(self.program, n.ty);
                let bounds = self.universe.bounds(n_ty, self.eval(env, n));
                bounds.map(|(_, most)| most)
            }
            _ => None,
        };
        let certain = list.iter().all(|at| match test {
            MemoryTest::Live => self.is_live(*at),
            MemoryTest::Inside => bytes.is_some_and(|n| self.is_inside(*at, n)),
            MemoryTest::Mutable => self.is_mutable(*at),
            MemoryTest::Freeable => self.is_freeable(*at),
            MemoryTest::Callable => {
                matches!(at.target(), Target::Function(_)) && at.offset() == Some(0)
            }
            MemoryTest::Apart
            | MemoryTest::Text
            | MemoryTest::WideText
            | MemoryTest::Open
            | MemoryTest::Tracked
            | MemoryTest::Kept
            | MemoryTest::Cleaned => false,
        });
        match certain {
            true => Trilog::TRUE.value(),
            false => Trilog::MAYBE.value(),
        }
    }
    /// Whether an object lives for certain that an address leads to or one past.
    fn is_live(&self, at: Address) -> bool {
        let Target::Object(var) = at.target() else {
            return false;
        };
        let bits = object_bits(self.program, VarId(var));
        let within = |o: i64| o == 0 || bits.is_some_and(|b| (0..=b / 8).contains(&i128::from(o)));
        at.offset().is_some_and(within) && self.layout.lasting.contains(&VarId(var))
    }
    fn is_inside(&self, at: Address, bytes: i128) -> bool {
        match (at.target(), at.offset()) {
            // Whether it leads anywhere is another question.
            (Target::Freed, _) | (Target::Absolute, Some(0)) => true,
            (Target::Object(var), Some(offset)) => {
                let size = object_bits(self.program, VarId(var)).map(|bits| bits / 8);
                offset >= 0 && size.is_some_and(|size| i128::from(offset) + bytes <= size)
            }
            _ => false,
        }
    }
    fn is_mutable(&self, at: Address) -> bool {
        match at.target() {
            Target::Freed => true,
            Target::Absolute => at == Address::NULL,
            Target::Object(var) => {
                let var = &self.program.vars[VarId(var)];
                !var.constant && var.kind != VarKind::Literal
            }
            Target::Function(_) => false,
        }
    }
    fn is_freeable(&self, at: Address) -> bool {
        match at.target() {
            Target::Absolute => at == Address::NULL,
            Target::Object(var) => {
                let var = VarId(var);
                let own = self.program.heap.objects.contains_key(&var);
                own && at.offset() == Some(0) && self.layout.lasting.contains(&var)
            }
            _ => false,
        }
    }
    /// A pointer without the addresses that do not live for certain.
    pub(super) fn only_live(&self, pointer: Value) -> Option<Value> {
        let list = self.universe.addresses(pointer)?;
        let gone = |a: &Address| *a == Address::NULL || a.target() == Target::Freed;
        Some(
            self.universe
                .address_set(list.into_iter().filter(|a| !gone(a))),
        )
    }
    /// Whether the outermost operator of an expression gives a value of its type.
    pub(super) fn fits(&self, env: &Scratch, e: &Expr) -> Value {
        let Some(ty) = value::int_type(&self.program.types, e.ty).filter(|ty| ty.bits <= 64) else {
            return Trilog::MAYBE.value();
        };
        let bounds = |e: &Expr| {
            let own = int_ty(self.program, e.ty);
            let v = match self.eval(env, e) {
                Value::Address(_) | Value::Addresses(_) => Value::Top,
                v => v,
            };
            match own.bits <= 64 {
                true => self.universe.bounds(own, v),
                false => None,
            }
        };
        let results = match &e.kind {
            ExprKind::Unary(UnOp::Neg, a) => bounds(a).map(|(lo, hi)| (-hi, -lo)),
            ExprKind::Binary(op, a, b) => match (bounds(a), bounds(b)) {
                (Some(a), Some(b)) => results(*op, ty, a, b),
                _ => None,
            },
            _ => None,
        };
        match results {
            Some((lo, hi)) if value::min(ty) <= lo && hi <= value::max(ty) => Trilog::TRUE.value(),
            Some((lo, hi)) if hi < value::min(ty) || value::max(ty) < lo => Trilog::FALSE.value(),
            _ => Trilog::MAYBE.value(),
        }
    }
}

/// Bounds of an operator's results in unbounded numbers.
fn results(op: BinOp, ty: IntTy, a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let product = |(x, y): (i128, i128)| x.checked_mul(y);
    match op {
        BinOp::Add => Some((a.0 + b.0, a.1 + b.1)),
        BinOp::Sub => Some((a.0 - b.1, a.1 - b.0)),
        BinOp::Mul => {
            let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
            let corners = corners.map(product);
            let all: Vec<i128> = corners.into_iter().collect::<Option<_>>()?;
            Some((*all.iter().min()?, *all.iter().max()?))
        }
        // Only the smallest number by -1 leaves the type.
        BinOp::Div | BinOp::Rem => {
            let leaves = a.0 == value::min(ty) && b.0 <= -1 && b.1 >= -1;
            (!leaves).then_some((0, 0))
        }
        BinOp::Shl if a.0 >= 0 && b.0 >= 0 && b.1 < 63 => Some((a.0 << b.0, a.1 << b.1)),
        _ => None,
    }
}
