//! Where values come from that the program leaves open: `Unknown` expressions and
//! `__VERIFIER_nondet_*`.

use crate::trace::View;
use cwolf_cwi::value::{self, Value, float};
use cwolf_cwi::{Type, TypeId, Types};
use std::collections::VecDeque;

/// Chooses a value of a scalar type each time the program asks for any.
pub trait Oracle {
    /// A value of the scalar type `ty`, in canonical form.
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value;
    /// The same at a point of a run: a number may be the address of something there.
    fn choose_at(&mut self, view: &View<'_, '_>, ty: TypeId) -> Value {
        self.choose(&view.program().types, ty)
    }
    /// Whether functions that nobody knows change the objects that they are given, with values
    /// that are chosen too.
    fn changes_memory(&self) -> bool {
        false
    }
    /// Whether such functions also change what they, or their like, were given in earlier calls.
    fn changes_kept(&self) -> bool {
        true
    }
}

/// Pointers from here on, when an oracle chooses them, lead to memory outside the program that
/// is all zero at first.
pub const OUTSIDE: u64 = 0xfff0_0000;
/// How much memory outside the program there is.
pub const OUTSIDE_SIZE: u64 = 1 << 20;
/// How far apart pointers into it are that should not meet.
pub const OUTSIDE_STEP: u64 = 1 << 14;

/// Always zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zeros;

impl Oracle for Zeros {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        from_int(types, ty, 0)
    }
}

/// Pseudo-random values that depend only on the seed; small numbers and extremes come often.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }
    /// A number whose length in bits is by chance, too: of all sizes alike.
    pub fn of_any_size(&mut self) -> u64 {
        let bits = self.next() % 64;
        self.next() >> bits
    }
    // splitmix64: passes statistical tests, two lines, every seed is good.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Oracle for Random {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        let pick = self.next() % 8;
        let raw = i128::from(self.next()) | (i128::from(self.next()) << 64);
        match types[ty] {
            Type::Float(f) => Value::Float(match pick {
                0..4 => float::from_f64(f, (raw as i8).into()),
                4..6 => float::from_f64(f, f64::from(raw as i32) / 256.0),
                _ => float::from_f64(f, f64::from_bits(raw as u64)),
            }),
            // A made-up pointer would only ever be an error; null is the one useful value.
            Type::Pointer(_) => Value::Int(0),
            _ => {
                let int = value::int_type(types, ty).expect("a scalar type");
                Value::Int(match pick {
                    0..4 => value::wrap(int, raw.rem_euclid(16) - 4),
                    4 => value::min(int),
                    5 => value::max(int),
                    _ => value::wrap(int, raw),
                })
            }
        }
    }
}

/// The listed numbers in order, then zeros.
#[derive(Clone, Debug, Default)]
pub struct List {
    values: VecDeque<i128>,
}

impl List {
    /// Numbers to hand out; each is converted to the type that is asked for.
    pub fn new(values: impl IntoIterator<Item = i128>) -> List {
        List {
            values: values.into_iter().collect(),
        }
    }
    /// How many numbers are left.
    pub fn left(&self) -> usize {
        self.values.len()
    }
}

impl Oracle for List {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        from_int(types, ty, self.values.pop_front().unwrap_or(0))
    }
}

/// A given value as one of the type that is asked for; zero if none is given.
pub fn given(types: &Types, ty: TypeId, value: Option<Value>) -> Value {
    match (&types[ty], value) {
        (Type::Float(_), Some(Value::Float(bits))) => Value::Float(bits),
        (Type::Float(_), _) | (_, None | Some(Value::Float(_))) => from_int(types, ty, 0),
        (_, Some(Value::Int(number))) => from_int(types, ty, number),
    }
}

fn from_int(types: &Types, ty: TypeId, number: i128) -> Value {
    let wide = cwolf_cwi::IntTy::new(128, true);
    match types[ty] {
        Type::Float(f) => Value::Float(float::from_int(f, wide, number)),
        Type::Bool => Value::Int((number != 0).into()),
        _ => {
            let int = value::int_type(types, ty).expect("a scalar type");
            Value::Int(value::wrap(int, number))
        }
    }
}
