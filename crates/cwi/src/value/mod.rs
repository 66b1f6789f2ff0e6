//! What the operators mean: the one place that says what `+` does on a `u7` or when `/` traps.
//! The interpreter, every constant folder and the exact abstract domain call these functions;
//! every other engine is tested against them.
//!
//! An integer is kept in *canonical form*: its mathematical value, so that a signed type's
//! value is sign-extended and an unsigned type's is zero-extended (an unsigned 128-bit value
//! past `i128::MAX` appears negative in an `i128`). Signed overflow wraps. [`word`] holds the
//! operators on machine words for speed; the functions here are the same on `i128`.

pub mod defined;
pub mod float;
pub mod word;

use crate::code::{BinOp, UnOp};
use crate::types::{FloatTy, IntTy, Type, TypeId, Types};

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Trap {
    /// The divisor is zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The smallest number divided by -1.
    #[error("division overflow")]
    DivisionOverflow,
    /// The amount is negative or not less than the width.
    #[error("shift amount out of range")]
    ShiftOutOfRange,
}

/// A scalar value; its type is kept beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An integer, boolean or pointer in canonical form.
    Int(i128),
    /// A floating number's encoding.
    Float(u128),
}

/// `value` reduced to the width of `ty`, in canonical form.
pub const fn wrap(ty: IntTy, value: i128) -> i128 {
    word::wide::wrap(ty, value as u128) as i128
}

/// The smallest value of `ty`, in canonical form.
pub const fn min(ty: IntTy) -> i128 {
    if ty.signed {
        i128::MIN >> (128 - ty.bits)
    } else {
        0
    }
}

/// The largest value of `ty`, in canonical form.
pub const fn max(ty: IntTy) -> i128 {
    let unsigned = u128::MAX >> (128 - ty.bits);
    (if ty.signed { unsigned >> 1 } else { unsigned }) as i128
}

/// `left op right` on integers of type `ty`; for a shift, `right` is any canonical integer.
pub fn int_binary(op: BinOp, ty: IntTy, left: i128, right: i128) -> Result<i128, Trap> {
    word::wide::binary(op, ty, left as u128, right as u128).map(|v| v as i128)
}

/// `op operand` on an integer of type `ty`.
pub fn int_unary(op: UnOp, ty: IntTy, operand: i128) -> i128 {
    word::wide::unary(op, ty, operand as u128) as i128
}

/// Whether `left op right`, in unbounded numbers, is a value of type `ty`. Operators that cannot
/// leave their type fit, and so do divisions by zero and shifts by bad amounts: those are other
/// mistakes. A left shift of a signed number fits if no bit is lost and the sign stays.
pub fn binary_fits(op: BinOp, ty: IntTy, left: i128, right: i128) -> bool {
    let exact = match op {
        BinOp::Add if ty.signed => left.checked_add(right),
        BinOp::Sub if ty.signed => left.checked_sub(right),
        BinOp::Mul if ty.signed => left.checked_mul(right),
        BinOp::Div | BinOp::Rem if ty.signed && right == -1 => left.checked_neg(),
        BinOp::Shl if ty.signed => {
            if !(0..i128::from(ty.bits)).contains(&right) {
                return true;
            }
            let shifted = left.checked_mul(1i128.checked_shl(right as u32).unwrap_or(0));
            shifted.filter(|_| left >= 0 && (right < 127 || left == 0))
        }
        BinOp::Add | BinOp::Sub | BinOp::Mul => {
            let (a, b) = (left as u128, right as u128);
            let exact = match op {
                BinOp::Add => a.checked_add(b),
                BinOp::Sub => a.checked_sub(b),
                _ => a.checked_mul(b),
            };
            return exact.is_some_and(|v| ty.bits == 128 || v >> ty.bits == 0);
        }
        _ => return true,
    };
    exact.is_some_and(|v| min(ty) <= v && v <= max(ty))
}

/// Whether `op operand`, in unbounded numbers, is a value of type `ty`.
pub fn unary_fits(op: UnOp, ty: IntTy, operand: i128) -> bool {
    match op {
        UnOp::Neg => binary_fits(BinOp::Sub, ty, 0, operand),
        UnOp::BitNot | UnOp::Not => true,
    }
}

/// The integer type that `ty` computes in: its own, one unsigned bit for `Bool`, an unsigned
/// word for a pointer.
pub fn int_type(types: &Types, ty: TypeId) -> Option<IntTy> {
    match types[ty] {
        Type::Int(ty) => Some(ty),
        Type::Bool => Some(IntTy::new(1, false)),
        Type::Pointer(_) => Some(types.target().word(false)),
        _ => None,
    }
}

/// `left op right`, both of scalar type `ty`.
///
/// # Panics
/// When `ty` is not scalar or the values are not of that type.
pub fn binary(
    types: &Types,
    op: BinOp,
    ty: TypeId,
    left: Value,
    right: Value,
) -> Result<Value, Trap> {
    match (&types[ty], left, right) {
        (Type::Float(f), Value::Float(a), Value::Float(b)) => Ok(float::binary(op, *f, a, b)),
        (_, Value::Int(a), Value::Int(b)) => {
            let ty = int_type(types, ty).expect("a scalar type");
            int_binary(op, ty, a, b).map(Value::Int)
        }
        _ => panic!("operands do not have type {}", types.name(ty)),
    }
}

/// `op operand`, of scalar type `ty`.
///
/// # Panics
/// When `ty` is not scalar or the value is not of that type.
pub fn unary(types: &Types, op: UnOp, ty: TypeId, operand: Value) -> Value {
    match (&types[ty], operand) {
        (Type::Float(f), Value::Float(a)) => match op {
            UnOp::Neg => Value::Float(float::neg(*f, a)),
            UnOp::Not => Value::Int(i128::from(float::is_zero(*f, a))),
            UnOp::BitNot => panic!("no ~ on floats"),
        },
        (_, Value::Int(a)) => Value::Int(int_unary(
            op,
            int_type(types, ty).expect("a scalar type"),
            a,
        )),
        _ => panic!("operand does not have type {}", types.name(ty)),
    }
}

/// Whether a scalar counts as true.
pub fn is_true(types: &Types, ty: TypeId, value: Value) -> bool {
    match (value, &types[ty]) {
        (Value::Int(v), _) => v != 0,
        (Value::Float(bits), Type::Float(f)) => !float::is_zero(*f, bits),
        (Value::Float(_), _) => panic!("not a float type"),
    }
}

/// `value` of scalar type `from`, converted to scalar type `to`.
///
/// # Panics
/// When one of the types is not scalar.
pub fn cast(types: &Types, from: TypeId, to: TypeId, value: Value) -> Value {
    let to_float = |f: FloatTy| match (value, &types[from]) {
        (Value::Float(bits), Type::Float(g)) => float::convert(*g, f, bits),
        (Value::Int(v), _) => {
            let from = int_type(types, from).expect("a scalar type");
            float::from_int(f, from, v)
        }
        _ => panic!("not a float type"),
    };
    match types[to] {
        Type::Bool => Value::Int(i128::from(is_true(types, from, value))),
        Type::Float(f) => Value::Float(to_float(f)),
        _ => {
            let to = int_type(types, to).expect("a scalar type");
            Value::Int(match (value, &types[from]) {
                (Value::Int(v), _) => wrap(to, v),
                (Value::Float(bits), Type::Float(f)) => float::to_int(*f, to, bits),
                _ => panic!("not a float type"),
            })
        }
    }
}

#[cfg(test)]
mod tests;
