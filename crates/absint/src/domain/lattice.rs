//! α, γ and the order of abstract values: ⊑, ⊔ and ⊓ (3.5, 3.7.9).
//!
//! `a ⊑ b` if and only if γ(a) ⊆ γ(b), also between values of different domains.

use super::bits::{ones, ones_of};
use super::piece::Piece;
use super::sets::window_pieces;
use super::sink::Sink;
use super::value::{Kind, Value};
use super::{Universe, number};
use cwolf_cwi::{IntTy, value};

/// Addresses and floating numbers are compared among themselves, never as integers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Integers,
    Pointers,
    Floats,
}

fn family(a: Value, b: Value) -> Family {
    let of = |v: Value| match v {
        Value::Address(_) | Value::Addresses(_) => Family::Pointers,
        Value::Float { .. } | Value::NaN => Family::Floats,
        _ => Family::Integers,
    };
    match of(a) {
        Family::Integers => of(b),
        other => other,
    }
}

impl Universe {
    /// ⊤ of a domain: any value of the type. What an absent variable holds.
    pub fn top(&self, ty: IntTy, kind: Kind) -> Value {
        if ty.bits > 64 || kind.classes().is_none() {
            return Value::Top;
        }
        self.alpha_pieces(ty, kind, [Piece::all(ty)])
    }
    /// α of one concrete value in canonical form.
    pub fn constant(&self, ty: IntTy, kind: Kind, v: i128) -> Value {
        self.alpha(ty, kind, [v])
    }
    /// α: the smallest value of a domain that covers all of `values`, in canonical form.
    pub fn alpha(&self, ty: IntTy, kind: Kind, values: impl IntoIterator<Item = i128>) -> Value {
        self.alpha_pieces(ty, kind, values.into_iter().map(Piece::single))
    }
    /// α of a union of pieces that lie in the type.
    pub fn alpha_pieces(
        &self,
        ty: IntTy,
        kind: Kind,
        pieces: impl IntoIterator<Item = Piece>,
    ) -> Value {
        let mut pieces = pieces.into_iter().peekable();
        if ty.bits > 64 {
            return pieces.next().map_or(Value::Bottom, |_| Value::Top);
        }
        let kind = match (kind, pieces.peek()) {
            // A constant assigned to a free variable is of the domain Z.
            (Kind::Free, Some(p)) if p.step == 0 => Kind::Int,
            _ => kind,
        };
        let mut sink = Sink::new(self, ty, kind);
        pieces.for_each(|p| sink.add(p));
        sink.finish()
    }
    /// γ: calls `visit` with disjoint pieces that together are the value. With `merge`,
    /// neighbouring intervals of a partition come as one piece.
    pub(super) fn pieces(&self, ty: IntTy, v: Value, merge: bool, mut visit: impl FnMut(Piece)) {
        let visit = &mut visit;
        let mut bounds = |lo, hi| {
            let piece = Piece::interval(number(ty, lo), number(ty, hi));
            visit(piece.expect("bounds in order"));
        };
        match v {
            Value::Bottom => {}
            Value::Int(v) => visit(Piece::single(number(ty, v))),
            Value::Range { lo, hi } | Value::Div { lo, hi, .. } => bounds(lo, hi),
            Value::Mask { classes, bits } => {
                self.mask_pieces(classes, ty, ones(bits), merge, visit);
            }
            Value::Bits { classes, words } => {
                let words = self.words.get(words.0);
                self.mask_pieces(classes, ty, ones_of(words), merge, visit);
            }
            Value::Set { base, mask, .. } => window_pieces(number(ty, base), mask, visit),
            Value::FarSet { words, .. } => {
                let words = self.words.get(words.0).iter();
                words.for_each(|w| visit(Piece::single(number(ty, *w))));
            }
            // An address or a float used as an integer may be any integer.
            Value::Top
            | Value::Address(_)
            | Value::Addresses(_)
            | Value::Float { .. }
            | Value::NaN => visit(Piece::all(ty)),
        }
    }
    /// γ as a list of disjoint pieces, for reading a value; the type has up to 64 bits.
    pub fn gamma(&self, ty: IntTy, v: Value) -> Vec<Piece> {
        let mut list = Vec::new();
        self.pieces(ty, v, true, |p| list.push(p));
        list
    }
    /// Whether `member`, in canonical form, is in γ(v).
    pub fn contains(&self, ty: IntTy, v: Value, member: i128) -> bool {
        match v {
            Value::Bottom => false,
            Value::Top => true,
            Value::Int(w) => number(ty, w) == member,
            _ if ty.bits > 64 => true,
            _ => {
                let mut found = false;
                self.pieces(ty, v, true, |p| found |= p.contains(member));
                found
            }
        }
    }
    /// How many members γ(v) has; none for types of more than 64 bits.
    pub fn count(&self, ty: IntTy, v: Value) -> Option<u128> {
        if ty.bits > 64 {
            return None;
        }
        let mut count = 0;
        self.pieces(ty, v, true, |p| count += p.count());
        Some(count)
    }
    /// The members of γ(v), if there are at most `limit`, in no particular order.
    pub fn members(&self, ty: IntTy, v: Value, limit: u128) -> Option<Vec<i128>> {
        if self.count(ty, v)? > limit {
            return None;
        }
        let mut list = Vec::new();
        self.pieces(ty, v, true, |p| list.extend(p.members()));
        Some(list)
    }
    /// ⌊v⌋ and ⌈v⌉: the smallest and largest member (3.6.3, but exact); none for ⊥. Types of
    /// more than 64 bits have no useful bounds.
    pub fn bounds(&self, ty: IntTy, v: Value) -> Option<(i128, i128)> {
        match v {
            Value::Bottom => None,
            Value::Int(w) => Some((number(ty, w), number(ty, w))),
            Value::Range { lo, hi } => Some((number(ty, lo), number(ty, hi))),
            _ if ty.bits > 64 => Some((i128::MIN, i128::MAX)),
            Value::Top => Some((value::min(ty), value::max(ty))),
            _ => {
                let (mut lo, mut hi) = (i128::MAX, i128::MIN);
                self.pieces(ty, v, true, |p| {
                    lo = lo.min(p.lo);
                    hi = hi.max(p.hi);
                });
                (lo <= hi).then_some((lo, hi))
            }
        }
    }
    /// The only member, if there is exactly one.
    pub fn exact(&self, ty: IntTy, v: Value) -> Option<i128> {
        if let Value::Int(w) = v {
            return Some(number(ty, w));
        }
        self.bounds(ty, v)
            .filter(|(lo, hi)| lo == hi)
            .map(|(lo, _)| lo)
    }
    /// Whether nothing is known: every value of the type is a member.
    pub fn is_top(&self, ty: IntTy, v: Value) -> bool {
        v == Value::Top || self.count(ty, v) == Some(1 << ty.bits.min(64))
    }
    /// `a ⊑ b`: γ(a) ⊆ γ(b).
    pub fn leq(&self, ty: IntTy, a: Value, b: Value) -> bool {
        if a == b || a == Value::Bottom || b == Value::Top {
            return true;
        }
        match (a, b) {
            (_, Value::Bottom) => false,
            _ if family(a, b) == Family::Pointers => self.leq_pointers(a, b),
            _ if family(a, b) == Family::Floats => self.leq_floats(a, b),
            _ if ty.bits > 64 => true,
            (
                Value::Mask {
                    classes: x,
                    bits: a,
                },
                Value::Mask {
                    classes: y,
                    bits: b,
                },
            ) if x == y => a & !b == 0,
            _ => {
                // The pieces of each side are disjoint, so members can be counted.
                let mut missing = 0;
                self.pieces(ty, a, true, |p| {
                    missing += p.count();
                    self.pieces(ty, b, true, |q| {
                        missing -= p.intersect(q).map_or(0, Piece::count);
                    });
                });
                missing == 0
            }
        }
    }
    /// `a ⊔ b` in the domain `kind`: the smallest value of it that covers both.
    pub fn join(&self, ty: IntTy, kind: Kind, a: Value, b: Value) -> Value {
        if a == b && (kind == Kind::Free || self.kind_of(a) == kind) {
            return a;
        }
        match (a, b) {
            _ if family(a, b) == Family::Pointers => {
                self.convert(ty, self.join_pointers(a, b), kind)
            }
            _ if family(a, b) == Family::Floats => self.convert(ty, self.join_floats(a, b), kind),
            _ if kind == Kind::Free => self.join_free(ty, a, b),
            (Value::Bottom, v) | (v, Value::Bottom) => self.convert(ty, v, kind),
            (
                Value::Mask {
                    classes,
                    bits: left,
                },
                Value::Mask {
                    classes: other,
                    bits: right,
                },
            ) if classes == other && classes.kind() == kind => Value::Mask {
                classes,
                bits: left | right,
            },
            _ if ty.bits > 64 => Value::Top,
            _ => {
                let mut sink = Sink::new(self, ty, kind);
                self.pieces(ty, a, true, |p| sink.add(p));
                self.pieces(ty, b, true, |p| sink.add(p));
                sink.finish()
            }
        }
    }
    fn join_free(&self, ty: IntTy, a: Value, b: Value) -> Value {
        if self.leq(ty, a, b) {
            return b;
        }
        if self.leq(ty, b, a) {
            return a;
        }
        match self.mix(self.kind_of(a), self.kind_of(b)) {
            Kind::Int => self.join(ty, Kind::MinMax, a, b),
            kind => self.join(ty, kind, a, b),
        }
    }
    /// `a ⊓ b` in the domain `kind`: the smallest value of it that covers what both have in
    /// common.
    pub fn meet(&self, ty: IntTy, kind: Kind, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Bottom, _) | (_, Value::Bottom) => return Value::Bottom,
            (Value::Top, v) | (v, Value::Top) => return self.convert(ty, v, kind),
            _ if family(a, b) == Family::Pointers => {
                return self.convert(ty, self.meet_pointers(a, b), kind);
            }
            _ if family(a, b) == Family::Floats => {
                return self.convert(ty, self.meet_floats(a, b), kind);
            }
            _ if ty.bits > 64 => return Value::Top,
            _ => {}
        }
        let kind = match kind {
            // No domain of its own: take the operand that keeps more.
            Kind::Free if self.leq(ty, b, a) => return b,
            Kind::Free => self.kind_of(a),
            kind => kind,
        };
        let mut sink = Sink::new(self, ty, kind);
        self.pieces(ty, a, true, |p| {
            self.pieces(ty, b, true, |q| {
                if let Some(common) = p.intersect(q) {
                    sink.add(common);
                }
            });
        });
        sink.finish()
    }
    /// Whether γ(a) and γ(b) have a common member.
    pub fn overlaps(&self, ty: IntTy, a: Value, b: Value) -> bool {
        match (a, b) {
            (Value::Bottom, _) | (_, Value::Bottom) => false,
            (Value::Top, _) | (_, Value::Top) => true,
            // Different addresses may be equal numbers.
            _ if family(a, b) != Family::Integers => true,
            (Value::Int(x), Value::Int(y)) => x == y,
            (
                Value::Mask {
                    classes: x,
                    bits: a,
                },
                Value::Mask {
                    classes: y,
                    bits: b,
                },
            ) if x == y => a & b != 0,
            _ if ty.bits > 64 => true,
            _ => {
                let mut found = false;
                self.pieces(ty, a, true, |p| {
                    self.pieces(ty, b, true, |q| found = found || p.intersect(q).is_some());
                });
                found
            }
        }
    }
}
