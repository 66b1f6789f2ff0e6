//! Conversions between domains (3.6) and casts between integer types.

use super::piece::wrap;
use super::sink::Sink;
use super::value::{Kind, Value};
use super::{Universe, number, word};
use cwolf_cwi::{IntTy, value};

impl Universe {
    /// `v` in the domain `kind`: the smallest value of it that covers γ(v).
    pub fn convert(&self, ty: IntTy, v: Value, kind: Kind) -> Value {
        match (v, kind) {
            (_, Kind::Free) | (Value::Bottom, _) => v,
            (_, Kind::Top) => Value::Top,
            (Value::Address(_) | Value::Addresses(_), Kind::Pointer) => v,
            (Value::Float { .. } | Value::NaN, Kind::Float) => v,
            (Value::Int(_), Kind::Int) => v,
            (Value::Int(w), Kind::Pointer) => self.integer_address(w),
            (_, Kind::Pointer | Kind::Float) => Value::Top,
            (Value::Mask { classes, .. } | Value::Bits { classes, .. }, _)
                if classes.kind() == kind =>
            {
                v
            }
            _ if ty.bits > 64 => Value::Top,
            _ => {
                let mut sink = Sink::new(self, ty, kind);
                self.pieces(ty, v, true, |p| sink.add(p));
                sink.finish()
            }
        }
    }
    /// `v` of type `from`, cast to type `to`, in the domain it came in.
    pub fn cast(&self, from: IntTy, to: IntTy, v: Value) -> Value {
        match v {
            Value::Bottom => v,
            _ if from == to => v,
            // C code keeps pointers in integers of their size.
            Value::Address(_) | Value::Addresses(_) if from.bits == to.bits => v,
            _ if to.bits > 64 => Value::Top,
            _ if from.bits > 64 => self.top(to, self.kind_of(v)),
            Value::Int(w) => Value::Int(word(value::wrap(to, number(from, w)))),
            _ => {
                let sink = self.cast_sink(from, to, v, self.kind_of(v));
                sink.finish_natural()
            }
        }
    }
    /// `v` of type `from`, cast to type `to`, in the domain `kind`.
    pub fn cast_to(&self, from: IntTy, to: IntTy, v: Value, kind: Kind) -> Value {
        if kind == Kind::Free || from.bits > 64 || to.bits > 64 {
            return self.convert(to, self.cast(from, to, v), kind);
        }
        self.cast_sink(from, to, v, kind).finish()
    }
    fn cast_sink(&self, from: IntTy, to: IntTy, v: Value, kind: Kind) -> Sink<'_> {
        let mut sink = Sink::new(self, to, kind);
        self.pieces(from, v, true, |p| wrap(to, p, &mut |q| sink.add(q)));
        sink
    }
    /// `v` cast to C's `_Bool`: 0 or 1.
    pub fn cast_to_bool(&self, from: IntTy, v: Value) -> Value {
        self.truth(from, v).value()
    }
}
