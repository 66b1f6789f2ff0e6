//! `setjmp` and `longjmp`.

use super::Code;
use super::calls::Call;
use super::scratch::Scratch;
use crate::domain::{Kind, Value};
use cwolf_cwi::{BinOp, BlockId, Branch, Callee, FuncId, IntTy, Program, Type};

pub(super) fn is_longjmp(program: &Program, func: FuncId) -> bool {
    program.known(func).is_some_and(|row| row.jumps().is_some())
}

pub(super) fn is_setjmp(program: &Program, func: FuncId) -> bool {
    program.known(func).is_some_and(|row| row.marks().is_some())
}

impl Code<'_> {
    /// What `setjmp` returns after a `longjmp`: its second argument, but one for zero.
    pub(super) fn jump_value(&self, call: &Call<'_>, env: &Scratch) -> Value {
        let Some(e) = call.args.get(1) else {
            return Value::Top;
        };
        let (int, u) = (IntTy::INT, self.universe);
        let v = self.context(call.func, call.block).eval(env, e);
        let address = matches!(v, Value::Address(_) | Value::Addresses(_));
        if address || !matches!(self.program.types[e.ty], Type::Int(ty) if ty == int) {
            return Value::Top;
        }
        let zero = u.constrain(BinOp::Eq, int, v, Value::Int(0), Kind::Free);
        let rest = u.constrain(BinOp::Ne, int, v, Value::Int(0), Kind::Free);
        match (zero, rest) {
            (Value::Bottom, rest) => rest,
            (_, Value::Bottom) => Value::Int(1),
            (_, rest) => u.join(int, Kind::Free, rest, Value::Int(1)),
        }
    }
    /// The calls of `setjmp` in a function: `longjmp` goes to after any of them.
    pub fn setjmp_calls(&self, func: FuncId) -> Vec<BlockId> {
        let Some(body) = &self.program.funcs[func].body else {
            return Vec::new();
        };
        let calls = body
            .blocks
            .enumerate()
            .filter_map(|(block, b)| match &b.branch {
                Branch::Call {
                    callee: Callee::Direct(f),
                    next: Some(_),
                    ..
                } if is_setjmp(self.program, *f) => Some(block),
                _ => None,
            });
        calls.collect()
    }
}
