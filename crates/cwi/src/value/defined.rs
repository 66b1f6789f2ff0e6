//! Where C gives an operation no meaning. The operators of this crate wrap, so that there is
//! always a result; whoever folds constants asks here first, or a check never sees the operator.

use super::{Value, int_type, max, min};
use crate::code::{BinOp, UnOp};
use crate::types::{IntTy, Type, TypeId, Types};

/// Whether C defines `left op right` on integers of type `ty`: no signed result leaves the
/// type, no divisor is zero, no shift goes by the width or more.
pub fn int_binary(op: BinOp, ty: IntTy, left: i128, right: i128) -> bool {
    let fits =
        |exact: Option<i128>| !ty.signed || exact.is_some_and(|v| min(ty) <= v && v <= max(ty));
    match op {
        BinOp::Add => fits(left.checked_add(right)),
        BinOp::Sub => fits(left.checked_sub(right)),
        BinOp::Mul => fits(left.checked_mul(right)),
        BinOp::Div | BinOp::Rem => right != 0 && fits(left.checked_div(right)),
        BinOp::Shl | BinOp::Shr => {
            let within = (0..i128::from(ty.bits)).contains(&right);
            let shifted = || 1i128.checked_shl(right as u32).filter(|v| *v > 0);
            let keeps = || left >= 0 && fits(shifted().and_then(|by| left.checked_mul(by)));
            within && (op == BinOp::Shr || !ty.signed || left == 0 || keeps())
        }
        _ => true,
    }
}

/// Whether C defines `op operand` on an integer of type `ty`.
pub fn int_unary(op: UnOp, ty: IntTy, operand: i128) -> bool {
    op != UnOp::Neg || !ty.signed || operand != min(ty)
}

/// Whether C defines `left op right`, both of scalar type `ty` (a shift's right operand may
/// have another).
pub fn binary(types: &Types, op: BinOp, ty: TypeId, left: Value, right: Value) -> bool {
    match (int_type(types, ty), left, right) {
        (Some(ty), Value::Int(a), Value::Int(b)) => int_binary(op, ty, a, b),
        _ => true,
    }
}

/// Whether C defines `op operand`, of scalar type `ty`.
pub fn unary(types: &Types, op: UnOp, ty: TypeId, operand: Value) -> bool {
    match (int_type(types, ty), operand) {
        (Some(ty), Value::Int(a)) => int_unary(op, ty, a),
        _ => true,
    }
}

/// Whether C defines the conversion of `value` from scalar type `from` to `to`: a floating
/// number must fit into an integer type once its fraction is dropped.
pub fn cast(types: &Types, from: TypeId, to: TypeId, value: Value) -> bool {
    match (&types[from], &types[to], value) {
        (Type::Float(from), Type::Int(to), Value::Float(bits)) => {
            super::float::fits_int(*from, *to, bits)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_results_must_fit() {
        let int = IntTy::new(32, true);
        let (least, most) = (min(int), max(int));
        assert!(!int_binary(BinOp::Add, int, most, 1));
        assert!(int_binary(BinOp::Add, int, most, 0));
        assert!(!int_binary(BinOp::Sub, int, least, 1));
        assert!(!int_binary(BinOp::Mul, int, 65_536, 32_768));
        assert!(int_binary(BinOp::Mul, int, 65_536, -32_768));
        assert!(!int_binary(BinOp::Div, int, least, -1));
        assert!(!int_binary(BinOp::Rem, int, least, -1));
        assert!(!int_binary(BinOp::Rem, int, 5, 0));
        assert!(!int_unary(UnOp::Neg, int, least));
        assert!(int_unary(UnOp::Neg, int, most));
        let widest = IntTy::new(128, true);
        assert!(!int_binary(BinOp::Add, widest, i128::MAX, 1));
        assert!(!int_unary(UnOp::Neg, widest, i128::MIN));
    }
    #[test]
    fn unsigned_results_wrap_but_do_not_divide_by_zero() {
        let unsigned = IntTy::new(32, false);
        assert!(int_binary(BinOp::Add, unsigned, max(unsigned), 1));
        assert!(int_binary(BinOp::Shl, unsigned, 1, 31));
        assert!(!int_binary(BinOp::Shl, unsigned, 1, 32));
        assert!(!int_binary(BinOp::Div, unsigned, 1, 0));
        assert!(int_unary(UnOp::Neg, unsigned, 1));
        // Past `i128::MAX` a canonical value looks negative.
        let widest = IntTy::new(128, false);
        assert!(int_binary(BinOp::Div, widest, i128::MIN, -1));
    }
    #[test]
    fn shifts_stay_inside_the_type() {
        let int = IntTy::new(32, true);
        assert!(int_binary(BinOp::Shl, int, 1, 30));
        assert!(!int_binary(BinOp::Shl, int, 1, 31));
        assert!(!int_binary(BinOp::Shl, int, 3, 30));
        assert!(!int_binary(BinOp::Shl, int, -1, 1));
        assert!(!int_binary(BinOp::Shl, int, 1, 40));
        assert!(!int_binary(BinOp::Shr, int, 1, -1));
        assert!(int_binary(BinOp::Shr, int, -1, 31));
        let widest = IntTy::new(128, true);
        assert!(!int_binary(BinOp::Shl, widest, 1, 127));
        assert!(int_binary(BinOp::Shl, widest, 1, 126));
    }
    #[test]
    fn floating_numbers_must_fit_after_truncation() {
        use crate::target::Target;
        use crate::types::FloatTy;
        let mut types = Types::new(Target::X86_64);
        let double = types.intern(Type::Float(FloatTy::F64));
        let byte = types.intern(Type::Int(IntTy::new(8, false)));
        let value = |v: f64| Value::Float(v.to_bits().into());
        for (number, fits) in [
            (255.9, true),
            (256.0, false),
            (-0.9, true),
            (-1.0, false),
            (f64::NAN, false),
            (f64::INFINITY, false),
        ] {
            assert_eq!(cast(&types, double, byte, value(number)), fits, "{number}");
        }
        assert!(cast(&types, double, Types::BOOL, value(f64::NAN)));
    }
}
