//! Floating numbers as intervals of doubles, with a mark for NaN.
//!
//! Rounding to nearest is monotone, so the corners of an operation bound all its results, and
//! for `float` and `double` the bounds are exact. The wider formats are rounded outwards. The
//! order is total, with -0 below +0, so that signed zeros stay apart.

use super::trilog::Trilog;
use super::value::Value;
use super::{Kind, Universe};
use cwolf_cwi::value::{Value as Concrete, float};
use cwolf_cwi::{BinOp, FloatTy, IntTy, value};
use std::cmp::Ordering;

/// A set of floating numbers: bounds, if there are numbers at all, and NaN.
#[derive(Clone, Copy)]
struct Interval {
    bounds: Option<(f64, f64)>,
    nan: bool,
}

impl Interval {
    const EMPTY: Interval = Interval {
        bounds: None,
        nan: false,
    };
    const ALL: Interval = Interval {
        bounds: Some((f64::NEG_INFINITY, f64::INFINITY)),
        nan: true,
    };
    fn of(v: Value) -> Interval {
        match v {
            Value::Bottom => Interval::EMPTY,
            Value::NaN => Interval {
                bounds: None,
                nan: true,
            },
            Value::Float { lo, hi, nan } => Interval {
                bounds: Some((f64::from_bits(lo), f64::from_bits(hi))),
                nan,
            },
            _ => Interval::ALL,
        }
    }
    fn value(self) -> Value {
        match self.bounds {
            None if self.nan => Value::NaN,
            None => Value::Bottom,
            Some((lo, hi)) if self.nan && lo == f64::NEG_INFINITY && hi == f64::INFINITY => {
                Value::Top
            }
            Some((lo, hi)) => Value::Float {
                lo: lo.to_bits(),
                hi: hi.to_bits(),
                nan: self.nan,
            },
        }
    }
    /// Adds one number of format `ty`, rounded outwards to doubles.
    fn add(&mut self, ty: FloatTy, bits: u128) {
        let near = float::to_f64(ty, bits);
        if near.is_nan() {
            self.nan = true;
            return;
        }
        let order = float::compare(ty, float::from_f64(ty, near), bits);
        let (below, above) = match order {
            Some(Ordering::Less) => (near, near.next_up()),
            Some(Ordering::Greater) => (near.next_down(), near),
            _ => (near, near),
        };
        self.widen(below, above);
    }
    fn widen(&mut self, below: f64, above: f64) {
        let (lo, hi) = self.bounds.unwrap_or((below, above));
        let lo = if below.total_cmp(&lo).is_lt() {
            below
        } else {
            lo
        };
        let hi = if above.total_cmp(&hi).is_gt() {
            above
        } else {
            hi
        };
        self.bounds = Some((lo, hi));
    }
    /// The numbers below zero with -0, and those from +0 up.
    fn signs(self) -> impl Iterator<Item = (f64, f64)> {
        let (lo, hi) = self.bounds.unwrap_or((1.0, -1.0));
        let in_order = |(a, b): &(f64, f64)| a.total_cmp(b).is_le();
        let least = |a: f64, b: f64| if a.total_cmp(&b).is_lt() { a } else { b };
        let most = |a: f64, b: f64| if a.total_cmp(&b).is_gt() { a } else { b };
        [(lo, least(hi, -0.0)), (most(lo, 0.0), hi)]
            .into_iter()
            .filter(in_order)
    }
    fn has(self, v: f64) -> bool {
        self.bounds
            .is_some_and(|(lo, hi)| lo.total_cmp(&v).is_le() && v.total_cmp(&hi).is_le())
    }
    fn has_zero(self) -> bool {
        self.has(0.0) || self.has(-0.0)
    }
}

impl Universe {
    /// α of one floating number.
    pub fn float_constant(&self, ty: FloatTy, bits: u128) -> Value {
        let mut interval = Interval::EMPTY;
        interval.add(ty, bits);
        interval.value()
    }
    /// Whether γ(v) has this number.
    pub fn has_float(&self, ty: FloatTy, v: Value, bits: u128) -> bool {
        let own = Interval::of(self.float_constant(ty, bits));
        let v = Interval::of(v);
        match own.bounds {
            None => v.nan,
            Some((lo, hi)) => v.has(lo) && v.has(hi),
        }
    }
    /// `a ⊔ b` of floating values.
    pub fn join_floats(&self, a: Value, b: Value) -> Value {
        let (mut joined, b) = (Interval::of(a), Interval::of(b));
        if let Some((lo, hi)) = b.bounds {
            joined.widen(lo, hi);
        }
        joined.nan |= b.nan;
        joined.value()
    }
    /// `a ⊓ b` of floating values.
    pub fn meet_floats(&self, a: Value, b: Value) -> Value {
        let (a, b) = (Interval::of(a), Interval::of(b));
        let bounds = a.bounds.zip(b.bounds).and_then(|(a, b)| {
            let lo = if a.0.total_cmp(&b.0).is_gt() {
                a.0
            } else {
                b.0
            };
            let hi = if a.1.total_cmp(&b.1).is_lt() {
                a.1
            } else {
                b.1
            };
            lo.total_cmp(&hi).is_le().then_some((lo, hi))
        });
        let nan = a.nan && b.nan;
        Interval { bounds, nan }.value()
    }
    /// `a ⊑ b` of floating values.
    pub fn leq_floats(&self, a: Value, b: Value) -> bool {
        let (a, b) = (Interval::of(a), Interval::of(b));
        let inside = a.bounds.is_none_or(|(lo, hi)| b.has(lo) && b.has(hi));
        inside && (b.nan || !a.nan)
    }
    /// `-v`.
    pub fn float_neg(&self, v: Value) -> Value {
        let Interval { bounds, nan } = Interval::of(v);
        let bounds = bounds.map(|(lo, hi)| (-hi, -lo));
        Interval { bounds, nan }.value()
    }
    /// `a op b` for `+`, `-`, `*` and `/` on floating numbers of format `ty`.
    pub fn float_binary(&self, op: BinOp, ty: FloatTy, a: Value, b: Value) -> Value {
        if a == Value::Bottom || b == Value::Bottom {
            return Value::Bottom;
        }
        if !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div) {
            return Value::Top;
        }
        let (a, b) = (Interval::of(a), Interval::of(b));
        let mut result = Interval::EMPTY;
        // Zeros and infinities are corners, so a NaN that they make is found there.
        result.nan = a.nan || b.nan;
        for x in a.signs() {
            for y in b.signs() {
                for (p, q) in [(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)] {
                    let (p, q) = (float::from_f64(ty, p), float::from_f64(ty, q));
                    let Concrete::Float(bits) = float::binary(op, ty, p, q) else {
                        continue;
                    };
                    result.add(ty, bits);
                }
            }
        }
        result.value()
    }
    /// A comparison, `&&` or `||` of floating values; only `!=` holds for NaN.
    pub fn float_test(&self, op: BinOp, a: Value, b: Value) -> Trilog {
        if op.is_logical() {
            let (a, b) = (self.float_truth(a), self.float_truth(b));
            return if op == BinOp::And { a.and(b) } else { a.or(b) };
        }
        if a == Value::Bottom || b == Value::Bottom {
            return Trilog::NONE;
        }
        let (a, b) = (Interval::of(a), Interval::of(b));
        let unordered = match a.nan || b.nan {
            true if op == BinOp::Ne => Trilog::TRUE,
            true => Trilog::FALSE,
            false => Trilog::NONE,
        };
        let Some(((al, ah), (bl, bh))) = a.bounds.zip(b.bounds) else {
            return unordered;
        };
        let ordered = match op {
            BinOp::Lt => Trilog::new(al < bh, ah >= bl),
            BinOp::Le => Trilog::new(al <= bh, ah > bl),
            BinOp::Gt => Trilog::new(ah > bl, al <= bh),
            BinOp::Ge => Trilog::new(ah >= bl, al < bh),
            _ => {
                let may_equal = al <= bh && bl <= ah;
                let equal = Trilog::new(may_equal, !(al == ah && bl == bh && al == bl));
                if op == BinOp::Eq {
                    equal
                } else {
                    equal.negate()
                }
            }
        };
        ordered.join(unordered)
    }
    /// Whether a floating value may count as true, and as false.
    pub fn float_truth(&self, v: Value) -> Trilog {
        let interval = Interval::of(v);
        let other = interval.nan
            || interval
                .bounds
                .is_some_and(|(lo, hi)| lo != 0.0 || hi != 0.0);
        Trilog::new(other, interval.has_zero())
    }
    /// The numbers of `a` for which `a op b` holds with some number of `b`.
    pub fn constrain_floats(&self, op: BinOp, ty: FloatTy, a: Value, b: Value) -> Value {
        let (x, y) = (Interval::of(a), Interval::of(b));
        let Some((lo, hi)) = y.bounds else {
            // Only NaN, or nothing, to compare with.
            return if y.nan && op == BinOp::Ne {
                a
            } else {
                Value::Bottom
            };
        };
        // The wide formats have numbers between a double and the next.
        let strict = matches!(ty, FloatTy::F32 | FloatTy::F64);
        let (lo, hi) = match op {
            BinOp::Eq => (lo, hi),
            BinOp::Lt | BinOp::Le if !strict => (f64::NEG_INFINITY, hi),
            BinOp::Gt | BinOp::Ge if !strict => (lo, f64::INFINITY),
            BinOp::Lt => (f64::NEG_INFINITY, below(hi)),
            BinOp::Le => (f64::NEG_INFINITY, hi),
            BinOp::Gt => (above(lo), f64::INFINITY),
            BinOp::Ge => (lo, f64::INFINITY),
            _ => return a,
        };
        if lo > hi || lo.is_nan() || hi.is_nan() {
            return Value::Bottom;
        }
        // Zeros are equal, whatever their signs; and NaN satisfies none of these.
        let lo = if lo == 0.0 { -0.0 } else { lo };
        let hi = if hi == 0.0 { 0.0 } else { hi };
        let bounds = Interval {
            bounds: Some((lo, hi)),
            nan: false,
        };
        let kept = Interval { nan: false, ..x };
        self.meet_floats(kept.value(), bounds.value())
    }
    /// A floating value of format `from` in the format `to`.
    pub fn float_cast(&self, from: FloatTy, to: FloatTy, v: Value) -> Value {
        let old = Interval::of(v);
        let mut result = Interval::EMPTY;
        result.nan = old.nan;
        let wide = matches!(from, FloatTy::F80 | FloatTy::F128);
        if let Some((lo, hi)) = old.bounds {
            for bound in [lo, hi] {
                // Doubles are exact in the wide formats; a bound beyond `float` rounds.
                let source = if wide { from } else { FloatTy::F64 };
                let bits = float::from_f64(source, bound);
                result.add(to, float::convert(source, to, bits));
            }
        }
        result.value()
    }
    /// An integer of type `from` as a floating number.
    pub fn int_to_float(&self, from: IntTy, to: FloatTy, v: Value) -> Value {
        let mut result = Interval::EMPTY;
        if v == Value::Bottom {
            return v;
        }
        let (lo, hi) = match self.bounds(from, v) {
            Some(bounds) if from.bits <= 64 => bounds,
            _ => {
                return Interval {
                    nan: false,
                    ..Interval::ALL
                }
                .value();
            }
        };
        for bound in [lo, hi] {
            result.add(to, float::from_int(to, from, bound));
        }
        result.value()
    }
    /// A floating number, truncated to an integer, in the domain `minmax`.
    pub fn float_to_int(&self, to: IntTy, v: Value) -> Value {
        let interval = Interval::of(v);
        if v == Value::Bottom {
            return v;
        }
        let Some((lo, hi)) = interval.bounds.filter(|_| !interval.nan && to.bits <= 64) else {
            return Value::Top;
        };
        // Out of range, the machine's answer is not monotone.
        let fits = |v: f64| {
            let whole = v.trunc();
            whole >= value::min(to) as f64 && whole < (value::max(to) as f64 + 1.0).floor()
        };
        if !fits(lo) || !fits(hi) {
            return Value::Top;
        }
        let exact = |v: f64| float::to_int(FloatTy::F64, to, u128::from(v.to_bits()));
        let bounds = super::Piece::interval(exact(lo), exact(hi));
        self.alpha_pieces(to, Kind::MinMax, bounds)
    }
}

fn below(v: f64) -> f64 {
    if v == f64::NEG_INFINITY {
        f64::NAN
    } else {
        v.next_down()
    }
}

fn above(v: f64) -> f64 {
    if v == f64::INFINITY {
        f64::NAN
    } else {
        v.next_up()
    }
}
