//! Integer operators on machine words: [`narrow`] for types of up to 64 bits, [`wide`] for all.
//! A word holds a value in canonical form, reinterpreted as unsigned.

macro_rules! operators {
    ($(#[$doc:meta])* $module:ident, $unsigned:ty, $signed:ty) => {
        $(#[$doc])*
        pub mod $module {
            use crate::code::{BinOp, UnOp};
            use crate::types::IntTy;
            use crate::value::Trap;

            const BITS: u32 = <$unsigned>::BITS;

            /// `word` reduced to the width of `ty`, in canonical form.
            #[inline]
            pub const fn wrap(ty: IntTy, word: $unsigned) -> $unsigned {
                let unused = BITS - ty.bits as u32;
                if ty.signed {
                    (((word << unused) as $signed) >> unused) as $unsigned
                } else {
                    (word << unused) >> unused
                }
            }

            /// `left op right` on canonical words of type `ty`.
            #[inline]
            pub fn binary(
                op: BinOp,
                ty: IntTy,
                left: $unsigned,
                right: $unsigned,
            ) -> Result<$unsigned, Trap> {
                let less = |a: $unsigned, b: $unsigned| {
                    if ty.signed { (a as $signed) < (b as $signed) } else { a < b }
                };
                Ok(match op {
                    BinOp::Add => wrap(ty, left.wrapping_add(right)),
                    BinOp::Sub => wrap(ty, left.wrapping_sub(right)),
                    BinOp::Mul => wrap(ty, left.wrapping_mul(right)),
                    BinOp::Div | BinOp::Rem => return divide(op, ty, left, right),
                    BinOp::BitAnd => left & right,
                    BinOp::BitOr => left | right,
                    BinOp::BitXor => left ^ right,
                    BinOp::Shl | BinOp::Shr => {
                        if right >= <$unsigned>::from(ty.bits) {
                            return Err(Trap::ShiftOutOfRange);
                        }
                        match op {
                            BinOp::Shl => wrap(ty, left << right),
                            _ if ty.signed => ((left as $signed) >> right) as $unsigned,
                            _ => left >> right,
                        }
                    }
                    BinOp::Eq => <$unsigned>::from(left == right),
                    BinOp::Ne => <$unsigned>::from(left != right),
                    BinOp::Lt => <$unsigned>::from(less(left, right)),
                    BinOp::Le => <$unsigned>::from(!less(right, left)),
                    BinOp::Gt => <$unsigned>::from(less(right, left)),
                    BinOp::Ge => <$unsigned>::from(!less(left, right)),
                    BinOp::And => <$unsigned>::from(left != 0 && right != 0),
                    BinOp::Or => <$unsigned>::from(left != 0 || right != 0),
                })
            }

            fn divide(
                op: BinOp,
                ty: IntTy,
                left: $unsigned,
                right: $unsigned,
            ) -> Result<$unsigned, Trap> {
                if right == 0 {
                    return Err(Trap::DivisionByZero);
                }
                if !ty.signed {
                    return Ok(if op == BinOp::Div { left / right } else { left % right });
                }
                let (a, b) = (left as $signed, right as $signed);
                if b == -1 {
                    // x86 traps on the remainder as well.
                    if a == <$signed>::MIN >> (BITS - ty.bits as u32) {
                        return Err(Trap::DivisionOverflow);
                    }
                    return Ok(if op == BinOp::Div { a.wrapping_neg() as $unsigned } else { 0 });
                }
                Ok((if op == BinOp::Div { a / b } else { a % b }) as $unsigned)
            }

            /// `op operand` on a canonical word of type `ty`.
            #[inline]
            pub fn unary(op: UnOp, ty: IntTy, operand: $unsigned) -> $unsigned {
                match op {
                    UnOp::Neg => wrap(ty, operand.wrapping_neg()),
                    UnOp::BitNot => wrap(ty, !operand),
                    UnOp::Not => <$unsigned>::from(operand == 0),
                }
            }
        }
    };
}

operators!(
    /// Types of up to 64 bits.
    narrow, u64, i64
);
operators!(
    /// Types of up to 128 bits.
    wide, u128, i128
);
