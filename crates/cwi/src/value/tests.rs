use super::*;
use crate::target::Target;
use proptest::prelude::*;

fn int_tys() -> impl Strategy<Value = IntTy> {
    (1u16..=64, any::<bool>()).prop_map(|(bits, signed)| IntTy::new(bits, signed))
}

proptest! {
    /// The two word sizes agree, and results are canonical.
    #[test]
    fn narrow_is_wide(ty in int_tys(), op in 0..BinOp::ALL.len(), a: i64, b in prop_oneof![any::<i64>(), -3i64..70]) {
        let op = BinOp::ALL[op];
        let (a, b) = (wrap(ty, a.into()), wrap(ty, b.into()));
        let wide = int_binary(op, ty, a, b);
        let narrow = word::narrow::binary(op, ty, a as u64, b as u64);
        match (wide, narrow) {
            (Ok(w), Ok(n)) => {
                prop_assert_eq!(w as u64, n);
                if !op.is_test() {
                    prop_assert_eq!(w, wrap(ty, w));
                }
            }
            (w, n) => prop_assert_eq!(w.err(), n.err()),
        }
    }

    /// 32-bit signed arithmetic is Rust's wrapping arithmetic.
    #[test]
    fn int_is_i32(a: i32, b: i32) {
        let ty = IntTy::INT;
        let run = |op| int_binary(op, ty, a.into(), b.into());
        prop_assert_eq!(run(BinOp::Add), Ok(a.wrapping_add(b).into()));
        prop_assert_eq!(run(BinOp::Mul), Ok(a.wrapping_mul(b).into()));
        prop_assert_eq!(run(BinOp::Div).ok(), a.checked_div(b).map(i128::from));
        prop_assert_eq!(run(BinOp::Rem).ok(), a.checked_rem(b).map(i128::from));
        prop_assert_eq!(run(BinOp::Lt), Ok((a < b).into()));
    }

    /// Conversions between doubles and 64-bit integers are the machine's, where defined.
    #[test]
    fn doubles_convert(v: i64, f in -1e18f64..1e18) {
        let ty = IntTy::new(64, true);
        prop_assert_eq!(float::from_int(FloatTy::F64, ty, v.into()), u128::from((v as f64).to_bits()));
        prop_assert_eq!(float::to_int(FloatTy::F64, ty, f.to_bits().into()), i128::from(f as i64));
        let unsigned = IntTy::new(64, false);
        prop_assert_eq!(float::from_int(FloatTy::F64, unsigned, i128::from(v as u64)), u128::from((v as u64 as f64).to_bits()));
    }

    /// A shown float reads back.
    #[test]
    fn floats_display(bits: u64) {
        let f = f64::from_bits(bits);
        prop_assume!(f.is_finite());
        let text = float::display(FloatTy::F64, bits.into());
        prop_assert_eq!(float::parse(FloatTy::F64, &text), Some(bits.into()), "{}", text);
    }

    /// The x87 format holds every double.
    #[test]
    fn x87_holds_doubles(f: f64) {
        prop_assume!(!f.is_nan());
        let x = float::from_f64(FloatTy::F80, f);
        prop_assert_eq!(float::to_f64(FloatTy::F80, x), f);
    }
}

#[test]
fn extremes() {
    let i4 = IntTy::new(4, true);
    assert_eq!((min(i4), max(i4)), (-8, 7));
    let u128_ty = IntTy::new(128, false);
    assert_eq!((min(u128_ty), max(u128_ty)), (0, -1));
    assert_eq!(int_binary(BinOp::Lt, u128_ty, 1, -1), Ok(1));
    assert_eq!(
        int_binary(BinOp::Div, i4, -8, -1),
        Err(Trap::DivisionOverflow)
    );
    assert_eq!(int_binary(BinOp::Shl, i4, 1, 4), Err(Trap::ShiftOutOfRange));
    assert_eq!(int_binary(BinOp::Shr, i4, -8, 3), Ok(-1));
    assert_eq!(int_unary(UnOp::Neg, i4, -8), -8);
}

#[test]
fn casts() {
    let mut types = Types::new(Target::X86_64);
    let u8_ty = types.int(8, false);
    let f64_ty = types.float(FloatTy::F64);
    let half = Value::Float(0.5f64.to_bits().into());
    assert_eq!(cast(&types, f64_ty, Types::BOOL, half), Value::Int(1));
    assert_eq!(cast(&types, f64_ty, Types::INT, half), Value::Int(0));
    assert_eq!(
        cast(&types, Types::INT, u8_ty, Value::Int(-1)),
        Value::Int(255)
    );
    assert_eq!(
        cast(&types, Types::INT, Types::BOOL, Value::Int(256)),
        Value::Int(1)
    );
    let nan = Value::Float(f64::NAN.to_bits().into());
    assert_eq!(
        cast(&types, f64_ty, Types::INT, nan),
        Value::Int(i32::MIN.into())
    );
}

/// A range of numbers is what `fits_int` says, at its ends and next to them.
#[test]
fn numbers_that_fit_integers_are_a_range() {
    for f in [
        FloatTy::F16,
        FloatTy::F32,
        FloatTy::F64,
        FloatTy::F80,
        FloatTy::F128,
    ] {
        let format = f.format();
        for bits in [1, 7, 8, 16, 24, 31, 32, 33, 53, 54, 63, 64, 113, 127, 128] {
            for signed in [true, false] {
                let to = IntTy::new(bits, signed);
                let range = float::int_range(f, to);
                let mut near = vec![0, format.infinity(), cwolf_float::nan::default(format)];
                for end in [range.low, range.high, format.largest(), format.one()] {
                    let (down, up) = (
                        cwolf_float::next_down(format, end),
                        cwolf_float::next_up(format, end),
                    );
                    near.extend([down, end, up, float::neg(f, end)]);
                }
                for x in near {
                    let low = float::compare(f, range.low, x);
                    let above = low.is_some_and(|o| o.is_lt() || o.is_eq() && !range.open);
                    let below = float::compare(f, x, range.high).is_some_and(|o| o.is_lt());
                    let want = float::fits_int(f, to, x);
                    assert_eq!(above && below, want, "{f:?} {to:?} {x:x}");
                }
            }
        }
    }
}
