//! Hands out the values of the command line.

use crate::args::{Chosen, Repeated};
use cwolf_cwi::value::{self, Value, float};
use cwolf_cwi::{IntTy, Type, TypeId, Types};
use cwolf_interp::Oracle;
use std::collections::VecDeque;

/// The listed values in order, then zeros.
pub struct Values {
    values: VecDeque<Repeated>,
    memory: bool,
}

impl Values {
    /// `memory` says whether functions without a body write values of the list.
    pub fn new(values: &[Repeated], memory: bool) -> Values {
        Values {
            values: values.iter().copied().collect(),
            memory,
        }
    }

    fn next(&mut self) -> Option<Chosen> {
        while self.values.front().is_some_and(|v| v.times == 0) {
            self.values.pop_front();
        }
        let first = self.values.front_mut()?;
        first.times -= 1;
        Some(first.value)
    }
}

impl Oracle for Values {
    fn changes_memory(&self) -> bool {
        self.memory
    }
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        let chosen = self.next().unwrap_or(Chosen::Int(0));
        if let Type::Float(f) = types[ty] {
            return Value::Float(match chosen {
                Chosen::Int(v) => float::from_int(f, IntTy::new(128, true), v),
                Chosen::Float(v) => float::from_f64(f, v),
                Chosen::Bits(bits) => bits,
            });
        }
        let number = match chosen {
            Chosen::Int(v) => v,
            Chosen::Float(v) => v as i128,
            Chosen::Bits(bits) => bits as i128,
        };
        Value::Int(match types[ty] {
            Type::Bool => i128::from(number != 0),
            _ => value::int_type(types, ty).map_or(0, |int| value::wrap(int, number)),
        })
    }
}
