//! α, piece by piece: a sink takes the pieces of a result and ends as the smallest value of
//! one domain that covers them all.

use super::bits::BitBuf;
use super::piece::Piece;
use super::sets::SetBuf;
use super::value::{Classes, Kind, Value};
use super::{Universe, word};
use cwolf_cwi::{IntTy, value};

/// Where the pieces of a result go.
pub(super) struct Sink<'u> {
    universe: &'u Universe,
    ty: IntTy,
    kind: Kind,
    /// Bounds of all pieces so far; crossed while there are none.
    lo: i128,
    hi: i128,
    detail: Detail,
    /// How many pieces were added.
    pieces: u32,
    /// The mask of all classes, once it was asked for.
    full: u64,
}

/// After how many pieces to find out whether all classes are there.
const LOOK_AFTER: u32 = 8;

enum Detail {
    /// The bounds say it all.
    Hull,
    Classes(Classes, BitBuf),
    Set(SetBuf),
    /// There are more values than the set may hold.
    Overfull,
}

impl<'u> Sink<'u> {
    /// An empty sink for values of `kind` on a type of up to 64 bits.
    pub(super) fn new(universe: &'u Universe, ty: IntTy, kind: Kind) -> Sink<'u> {
        let detail = match kind.classes() {
            Some(classes) => {
                let len = universe.class_count(classes, ty.signed);
                Detail::Classes(classes, BitBuf::new(len))
            }
            None if matches!(kind, Kind::Set(_)) => Detail::Set(SetBuf::Empty),
            None => Detail::Hull,
        };
        Sink {
            universe,
            ty,
            kind,
            lo: i128::MAX,
            hi: i128::MIN,
            detail,
            pieces: 0,
            full: 0,
        }
    }
    /// Adds the members of a piece that lies in the type.
    pub(super) fn add(&mut self, p: Piece) {
        debug_assert!(value::min(self.ty) <= p.lo && p.hi <= value::max(self.ty));
        self.pieces = self.pieces.saturating_add(1);
        self.lo = self.lo.min(p.lo);
        self.hi = self.hi.max(p.hi);
        match &mut self.detail {
            Detail::Classes(classes, mask) => self.universe.cover(*classes, p, mask),
            Detail::Set(set) => {
                let Kind::Set(limit) = self.kind else {
                    unreachable!("only set(n) collects a set")
                };
                if p.count() <= u128::from(limit) {
                    p.members().for_each(|v| set.insert(v));
                }
                if p.count() > u128::from(limit) || set.len() > usize::from(limit) {
                    self.detail = Detail::Overfull;
                }
            }
            Detail::Hull | Detail::Overfull => {}
        }
    }
    /// Whether it is known that nothing more can change the result.
    pub(super) fn is_full(&mut self) -> bool {
        match &self.detail {
            Detail::Classes(classes, BitBuf::Small(mask)) => {
                // Most results have few pieces, and then it does not pay to ask.
                if self.pieces >= LOOK_AFTER
                    && self.full == 0
                    && let BitBuf::Small(full) = self.universe.full_mask(*classes, self.ty)
                {
                    self.full = full;
                }
                *mask == self.full && *mask != 0
            }
            Detail::Classes(..) | Detail::Set(_) => false,
            Detail::Hull | Detail::Overfull => {
                self.lo <= value::min(self.ty) && self.hi >= value::max(self.ty)
            }
        }
    }
    /// The smallest value of the domain that covers everything added.
    pub(super) fn finish(self) -> Value {
        self.end(Value::Top)
    }
    /// As [`finish`](Self::finish), but too many values for a set end as their bounds.
    pub(super) fn finish_natural(self) -> Value {
        let bounds = self.range();
        self.end(bounds)
    }
    fn end(self, overfull: Value) -> Value {
        if self.lo > self.hi {
            return Value::Bottom;
        }
        match (&self.detail, self.kind) {
            (Detail::Classes(classes, mask), _) => self.universe.mask_value(*classes, mask),
            (Detail::Set(set), Kind::Set(limit)) => set.finish(self.universe, limit),
            (Detail::Overfull, _) => overfull,
            (_, Kind::Int) if self.lo == self.hi => Value::Int(word(self.lo)),
            (_, Kind::Top | Kind::Int) => Value::Top,
            (_, Kind::Div(k)) => self.quotients(k),
            _ => self.range(),
        }
    }
    fn range(&self) -> Value {
        self.between(self.lo, self.hi, |lo, hi| Value::Range { lo, hi })
    }
    /// Widens the bounds to whole quotients.
    fn quotients(&self, k: u32) -> Value {
        let k = i128::from(k);
        // C rounds towards zero: quotient q has the values q·k to q·k+k-1, and zero has both
        // sides.
        let lo = match self.lo / k {
            q if q > 0 => q * k,
            q => q * k - (k - 1),
        };
        let hi = match self.hi / k {
            q if q < 0 => q * k,
            q => q * k + (k - 1),
        };
        let k = k as u32;
        self.between(lo, hi, |lo, hi| Value::Div { k, lo, hi })
    }
    fn between(&self, lo: i128, hi: i128, make: impl FnOnce(u64, u64) -> Value) -> Value {
        let (min, max) = (value::min(self.ty), value::max(self.ty));
        if lo <= min && hi >= max {
            return Value::Top;
        }
        make(word(lo.max(min)), word(hi.min(max)))
    }
}
