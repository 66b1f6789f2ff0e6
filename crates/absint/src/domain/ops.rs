//! The operators of Table 3.7 on abstract values, and which domain a result is in (3.7.8).

use super::piece::Piece;
use super::piece::wrap;
use super::sink::Sink;
use super::trilog::Trilog;
use super::value::{Kind, Outcome, Value};
use super::{Universe, arith, bitwise, divide, number, word};
use cwolf_cwi::value::word::narrow;
use cwolf_cwi::{BinOp, IntTy, UnOp, value};

/// Operators on one operand. CWI spells `++` and `--` as `+ 1` and `- 1`; the thesis has them
/// as operators of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `+`: in C the operand itself (the thesis takes it for the absolute value).
    Plus,
    /// The absolute value, as C's `abs` computes it.
    Abs,
    /// `++`
    Inc,
    /// `--`
    Dec,
    /// `~`
    BitNot,
    /// `!`; the result is an `int`.
    Not,
}

impl UnaryOp {
    /// All of them.
    pub const ALL: [UnaryOp; 7] = [
        UnaryOp::Neg,
        UnaryOp::Plus,
        UnaryOp::Abs,
        UnaryOp::Inc,
        UnaryOp::Dec,
        UnaryOp::BitNot,
        UnaryOp::Not,
    ];
    /// As C writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Plus => "+",
            UnaryOp::Abs => "abs",
            UnaryOp::Inc => "++",
            UnaryOp::Dec => "--",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "!",
        }
    }
    /// What it does to a concrete value of type `ty`.
    pub fn apply(self, ty: IntTy, v: i128) -> i128 {
        match self {
            UnaryOp::Neg => value::int_unary(UnOp::Neg, ty, v),
            UnaryOp::Plus => v,
            UnaryOp::Abs if ty.signed && v < 0 => value::int_unary(UnOp::Neg, ty, v),
            UnaryOp::Abs => v,
            UnaryOp::Inc => value::wrap(ty, v.wrapping_add(1)),
            UnaryOp::Dec => value::wrap(ty, v.wrapping_sub(1)),
            UnaryOp::BitNot => value::int_unary(UnOp::BitNot, ty, v),
            UnaryOp::Not => value::int_unary(UnOp::Not, ty, v),
        }
    }
}

impl From<UnOp> for UnaryOp {
    fn from(op: UnOp) -> UnaryOp {
        match op {
            UnOp::Neg => UnaryOp::Neg,
            UnOp::BitNot => UnaryOp::BitNot,
            UnOp::Not => UnaryOp::Not,
        }
    }
}

impl Trilog {
    /// As an `int`: 0, 1, or one of the two.
    pub fn value(self) -> Value {
        match self {
            Trilog::NONE => Value::Bottom,
            Trilog::FALSE => Value::Int(0),
            Trilog::TRUE => Value::Int(1),
            _ => Value::Set {
                limit: 2,
                base: 0,
                mask: 3,
            },
        }
    }
}

impl Universe {
    /// The domain that a value comes from. What is ⊤ counts as `minmax`, so that an operator
    /// on something unknown still finds bounds.
    pub fn kind_of(&self, v: Value) -> Kind {
        match v {
            Value::Bottom | Value::Int(_) => Kind::Int,
            Value::Top | Value::Range { .. } => Kind::MinMax,
            Value::Mask { classes, .. } | Value::Bits { classes, .. } => classes.kind(),
            Value::Div { k, .. } => Kind::Div(k),
            Value::Set { limit, .. } | Value::FarSet { limit, .. } => Kind::Set(limit),
            Value::Address(_) | Value::Addresses(_) => Kind::Pointer,
            Value::Float { .. } | Value::NaN => Kind::Float,
        }
    }
    /// `D1 ⊔ D2`: the domain of a mixed operator's result (Table 3.8, extended).
    pub fn mix(&self, a: Kind, b: Kind) -> Kind {
        use Kind::*;
        match (a, b) {
            // Quotients are bounds, and bounds are not rounded before they are stored.
            (Div(_), _) | (_, Div(_)) => MinMax,
            _ if a == b => a,
            (Int, Set(_) | Part(_) | Mod(_)) => b,
            (Set(_) | Part(_) | Mod(_), Int) => a,
            (Set(n), Set(m)) => Set(n.max(m)),
            (Mod(k), Mod(m)) => match super::piece::gcd(k.into(), m.into()) {
                1 => MinMax, // Every number has the same remainder by 1.
                common => Mod(common as u32),
            },
            (Mod(_), Part(_) | Set(_) | Bool) => a,
            (Part(_) | Set(_) | Bool, Mod(_)) => b,
            (Part(x), Part(y)) => self.mix_parts(x, y),
            (Part(_), Set(_) | Bool) => a,
            (Set(_) | Bool, Part(_)) => b,
            _ => MinMax,
        }
    }
    /// The common refinement of two partitions, unless it gets too large for a mask; then what
    /// they have in common.
    fn mix_parts(&self, x: super::PartId, y: super::PartId) -> Kind {
        let (x, y) = (self.break_points(x), self.break_points(y));
        let mut points = [x, y].concat();
        points.sort_unstable();
        points.dedup();
        if points.len() >= 64 {
            points.retain(|p| x.binary_search(p).is_ok() && y.binary_search(p).is_ok());
        }
        self.part(&points).unwrap_or(Kind::MinMax)
    }
    /// The truth of a value: may it be nonzero, may it be zero (3.4).
    pub fn truth(&self, ty: IntTy, v: Value) -> Trilog {
        match v {
            Value::Bottom => Trilog::NONE,
            Value::Top => Trilog::MAYBE,
            Value::Int(w) => Trilog::new(w != 0, w == 0),
            _ => {
                let zero = self.contains(ty, v, 0);
                let other = !zero || self.exact(ty, v).is_none();
                Trilog::new(other, zero)
            }
        }
    }
    /// `op v`, in the domain of `v`; `!` yields an `int`.
    pub fn unary(&self, op: UnaryOp, ty: IntTy, v: Value) -> Value {
        match (op, v) {
            (UnaryOp::Not, _) => self.truth(ty, v).negate().value(),
            (UnaryOp::Plus, _) | (_, Value::Bottom) => v,
            (_, Value::Int(w)) => Value::Int(word(op.apply(ty, number(ty, w)))),
            _ if ty.bits > 64 => Value::Top,
            _ => {
                let kind = self.unary_kind(op, self.kind_of(v));
                self.unary_sink(op, ty, v, kind).finish_natural()
            }
        }
    }
    /// The domain of `op v` for a `v` of the domain `kind`.
    pub fn unary_kind(&self, op: UnaryOp, kind: Kind) -> Kind {
        match (op, kind) {
            (UnaryOp::Not, _) => Kind::Set(2),
            (UnaryOp::Plus, _) => kind,
            (_, Kind::Div(_)) => Kind::MinMax,
            // Zero has a neighbour that `bool` cannot tell from the rest.
            (UnaryOp::Inc | UnaryOp::Dec | UnaryOp::BitNot, Kind::Bool) => Kind::MinMax,
            _ => kind,
        }
    }
    /// `op v`, in the domain `kind`: never less precise than to convert afterwards.
    pub fn unary_to(&self, op: UnaryOp, ty: IntTy, v: Value, kind: Kind) -> Value {
        if op == UnaryOp::Not {
            return self.convert(IntTy::INT, self.unary(op, ty, v), kind);
        }
        if kind == Kind::Free || ty.bits > 64 {
            return self.unary(op, ty, v);
        }
        self.unary_sink(op, ty, v, kind).finish()
    }
    fn unary_sink(&self, op: UnaryOp, ty: IntTy, v: Value, kind: Kind) -> Sink<'_> {
        let mut sink = Sink::new(self, ty, kind);
        let mut emit = |p| sink.add(p);
        self.pieces(ty, v, true, |p| match op {
            UnaryOp::Neg => arith::neg(ty, p, &mut emit),
            UnaryOp::Abs if ty.signed => arith::abs(ty, p, &mut emit),
            UnaryOp::Inc => wrap(ty, p.shift(1), &mut emit),
            UnaryOp::Dec => wrap(ty, p.shift(-1), &mut emit),
            UnaryOp::BitNot => arith::bit_not(ty, p, &mut emit),
            UnaryOp::Plus | UnaryOp::Abs | UnaryOp::Not => emit(p),
        });
        sink
    }
    /// `a op b`, in the domain that Table 3.8 gives. Both operands have type `ty`, but a
    /// shift's amount has type `right`.
    pub fn binary(&self, op: BinOp, ty: IntTy, a: Value, right: IntTy, b: Value) -> Outcome {
        match (a, b) {
            (Value::Bottom, _) | (_, Value::Bottom) => return Value::Bottom.into(),
            (Value::Int(x), Value::Int(y)) if ty.bits <= 64 && right.bits <= 64 => {
                return match narrow::binary(op, ty, x, y) {
                    Ok(result) => Value::Int(result).into(),
                    Err(_) => Outcome {
                        value: Value::Bottom,
                        may_trap: true,
                    },
                };
            }
            _ => {}
        }
        if op.is_test() {
            return self.test(op, ty, a, b).value().into();
        }
        let kind = self.mix(self.kind_of(a), self.kind_of(b));
        let may_trap = self.may_trap(op, ty, a, right, b);
        let value = if ty.bits > 64 || right.bits > 64 {
            Value::Top
        } else {
            self.binary_sink(op, ty, a, right, b, kind).finish_natural()
        };
        Outcome { value, may_trap }
    }
    /// `a op b`, in the domain `kind`: never less precise than to convert afterwards.
    pub fn binary_to(
        &self,
        op: BinOp,
        ty: IntTy,
        a: Value,
        right: IntTy,
        b: Value,
        kind: Kind,
    ) -> Outcome {
        if kind == Kind::Free {
            return self.binary(op, ty, a, right, b);
        }
        if op.is_test() {
            let truth = self.test(op, ty, a, b).value();
            return self.convert(IntTy::INT, truth, kind).into();
        }
        if a == Value::Bottom || b == Value::Bottom {
            return Value::Bottom.into();
        }
        let may_trap = self.may_trap(op, ty, a, right, b);
        let value = if ty.bits > 64 || right.bits > 64 {
            Value::Top
        } else {
            self.binary_sink(op, ty, a, right, b, kind).finish()
        };
        Outcome { value, may_trap }
    }
    fn binary_sink(
        &self,
        op: BinOp,
        ty: IntTy,
        a: Value,
        right: IntTy,
        b: Value,
        kind: Kind,
    ) -> Sink<'_> {
        let mut sink = Sink::new(self, ty, kind);
        // A sum of neighbours is the neighbours' sum; other operators gain from small pieces.
        let merge = matches!(op, BinOp::Add | BinOp::Sub);
        self.pieces(ty, a, merge, |p| {
            self.pieces(right, b, merge, |q| {
                if !sink.is_full() {
                    apply(op, ty, p, q, &mut |r| sink.add(r));
                }
            });
        });
        sink
    }
    /// Whether some operands of the operator trap.
    pub fn may_trap(&self, op: BinOp, ty: IntTy, a: Value, right: IntTy, b: Value) -> bool {
        if a == Value::Bottom || b == Value::Bottom {
            return false;
        }
        match op {
            BinOp::Div | BinOp::Rem => {
                let overflow = || {
                    ty.signed && self.contains(ty, b, -1) && self.contains(ty, a, value::min(ty))
                };
                self.contains(ty, b, 0) || overflow()
            }
            BinOp::Shl | BinOp::Shr => self
                .bounds(right, b)
                .is_some_and(|(lo, hi)| lo < 0 || hi >= i128::from(ty.bits)),
            _ => false,
        }
    }
    /// A comparison, `&&` or `||` (3.7.2, 3.7.3): the outcomes that some members have.
    pub fn test(&self, op: BinOp, ty: IntTy, a: Value, b: Value) -> Trilog {
        if op.is_logical() {
            let (a, b) = (self.truth(ty, a), self.truth(ty, b));
            return if op == BinOp::And { a.and(b) } else { a.or(b) };
        }
        if a == Value::Bottom || b == Value::Bottom {
            return Trilog::NONE;
        }
        if ty.bits > 64 {
            return Trilog::MAYBE;
        }
        if matches!(op, BinOp::Eq | BinOp::Ne) {
            let equal = self.overlaps(ty, a, b);
            let exact = || {
                self.exact(ty, a)
                    .is_some_and(|v| self.exact(ty, b) == Some(v))
            };
            let outcome = Trilog::new(equal, !(equal && exact()));
            return if op == BinOp::Eq {
                outcome
            } else {
                outcome.negate()
            };
        }
        let (Some((a_lo, a_hi)), Some((b_lo, b_hi))) = (self.bounds(ty, a), self.bounds(ty, b))
        else {
            return Trilog::NONE;
        };
        match op {
            BinOp::Lt => Trilog::new(a_lo < b_hi, a_hi >= b_lo),
            BinOp::Le => Trilog::new(a_lo <= b_hi, a_hi > b_lo),
            BinOp::Gt => Trilog::new(a_hi > b_lo, a_lo <= b_hi),
            _ => Trilog::new(a_hi >= b_lo, a_lo < b_hi),
        }
    }
}

/// An arithmetic or bitwise operator on two pieces.
fn apply(op: BinOp, ty: IntTy, a: Piece, b: Piece, emit: &mut impl FnMut(Piece)) {
    match op {
        BinOp::Add => arith::add(ty, a, b, emit),
        BinOp::Sub => arith::sub(ty, a, b, emit),
        BinOp::Mul => arith::mul(ty, a, b, emit),
        BinOp::Div => divide::div(ty, a, b, emit),
        BinOp::Rem => divide::rem(ty, a, b, emit),
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => bitwise::bitwise(ty, op, a, b, emit),
        BinOp::Shl => bitwise::shl(ty, a, b, emit),
        BinOp::Shr => bitwise::shr(ty, a, b, emit),
        _ => unreachable!("tests do not come here"),
    }
}
