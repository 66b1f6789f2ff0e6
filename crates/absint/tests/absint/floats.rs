//! Floating intervals cover what the concrete operators compute.

use cwolf_absint::domain::{Kind, Piece, Universe, Value};
use cwolf_cwi::value::{Value as Concrete, float};
use cwolf_cwi::{BinOp, FloatTy, IntTy, value};
use proptest::prelude::*;

const FORMATS: [FloatTy; 5] = [
    FloatTy::F16,
    FloatTy::F32,
    FloatTy::F64,
    FloatTy::F80,
    FloatTy::F128,
];
const ARITHMETIC: [BinOp; 4] = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div];
const TESTS: [BinOp; 8] = [
    BinOp::Eq,
    BinOp::Ne,
    BinOp::Lt,
    BinOp::Le,
    BinOp::Gt,
    BinOp::Ge,
    BinOp::And,
    BinOp::Or,
];

fn format() -> impl Strategy<Value = FloatTy> {
    (0..4_usize).prop_map(|n| FORMATS[n])
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.1,
            1e300,
            -1e300,
            1e-300,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MIN_POSITIVE,
            2147483647.5,
            4294967296.0,
            9.3e18,
        ]),
        any::<f64>(),
        -1000.0..1000.0_f64,
    ]
}

/// Numbers of the format that no double is: a sum of two far apart.
fn numbers() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((number(), -1e-20..1e-20_f64), 1..4)
}

fn encode(ty: FloatTy, list: &[(f64, f64)]) -> Vec<u128> {
    let sum = |(a, b): &(f64, f64)| {
        let (a, b) = (float::from_f64(ty, *a), float::from_f64(ty, *b));
        match float::binary(BinOp::Add, ty, a, b) {
            Concrete::Float(bits) => bits,
            Concrete::Int(_) => unreachable!("a sum is a float"),
        }
    };
    list.iter().map(sum).collect()
}

fn alpha(u: &Universe, ty: FloatTy, list: &[u128]) -> Value {
    let constants = list.iter().map(|bits| u.float_constant(ty, *bits));
    constants.fold(Value::Bottom, |a, b| u.join_floats(a, b))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases(4000)))]

    #[test]
    fn operators_cover_their_results(
        ty in format(), a in numbers(), b in numbers(), op in 0..4_usize, test in 0..8_usize,
    ) {
        let u = Universe::default();
        let (xs, ys) = (encode(ty, &a), encode(ty, &b));
        let (a, b) = (alpha(&u, ty, &xs), alpha(&u, ty, &ys));
        let (op, test) = (ARITHMETIC[op], TESTS[test]);
        let result = u.float_binary(op, ty, a, b);
        let truth = u.float_test(test, a, b);
        for x in &xs {
            prop_assert!(u.has_float(ty, a, *x));
            prop_assert!(u.has_float(ty, u.float_neg(a), float::neg(ty, *x)));
            for y in &ys {
                let Concrete::Float(v) = float::binary(op, ty, *x, *y) else {
                    panic!("arithmetic yields a float")
                };
                prop_assert!(u.has_float(ty, result, v), "{op:?} {a:?} {b:?} {result:?}");
                let holds = float::binary(test, ty, *x, *y) == Concrete::Int(1);
                let possible = if holds { truth.may_be_true() } else { truth.may_be_false() };
                prop_assert!(possible, "{test:?} {a:?} {b:?}");
                if holds && test.is_comparison() {
                    let kept = u.constrain_floats(test, ty, a, b);
                    prop_assert!(u.has_float(ty, kept, *x), "{a:?} {test:?} {b:?} {kept:?}");
                    prop_assert!(u.leq_floats(kept, a));
                }
            }
        }
    }

    #[test]
    fn conversions_cover_their_results(
        from in format(), to in format(), a in numbers(), bits in 1_u16..=64, signed: bool,
        n in any::<i64>(), m in any::<i64>(),
    ) {
        let u = Universe::default();
        let xs = encode(from, &a);
        let a = alpha(&u, from, &xs);
        let ty = IntTy::new(bits, signed);
        let (cast, whole) = (u.float_cast(from, to, a), u.float_to_int(ty, a));
        for x in &xs {
            prop_assert!(u.has_float(to, cast, float::convert(from, to, *x)));
            let int = float::to_int(from, ty, *x);
            prop_assert!(u.contains(ty, whole, int), "{a:?} {whole:?} {int}");
        }
        let ends = [value::wrap(ty, n.into()), value::wrap(ty, m.into())];
        let range = Piece::interval(ends[0].min(ends[1]), ends[0].max(ends[1]));
        let ints = u.alpha_pieces(ty, Kind::MinMax, range);
        let floats = u.int_to_float(ty, to, ints);
        for end in ends {
            prop_assert!(u.has_float(to, floats, float::from_int(to, ty, end)));
        }
    }

    #[test]
    fn join_and_meet_are_bounds(a in numbers(), b in numbers()) {
        let u = Universe::default();
        let ty = FloatTy::F64;
        let (a, b) = (alpha(&u, ty, &encode(ty, &a)), alpha(&u, ty, &encode(ty, &b)));
        let (join, meet) = (u.join_floats(a, b), u.meet_floats(a, b));
        prop_assert!(u.leq_floats(a, join) && u.leq_floats(b, join));
        prop_assert!(u.leq_floats(meet, a) && u.leq_floats(meet, b));
        prop_assert_eq!(u.leq_floats(a, b), join == b);
        prop_assert_eq!(join, u.join_floats(b, a));
    }
}

#[test]
fn exact_numbers_stay_exact() {
    let u = Universe::default();
    let ty = FloatTy::F64;
    let constant = |v: f64| u.float_constant(ty, u128::from(v.to_bits()));
    let sum = u.float_binary(BinOp::Add, ty, constant(0.5), constant(0.25));
    assert_eq!(sum, constant(0.75));
    let quotient = u.float_binary(BinOp::Div, ty, constant(1.0), constant(0.0));
    assert_eq!(quotient, constant(f64::INFINITY), "not minus infinity");
    assert_eq!(
        u.float_to_int(IntTy::INT, constant(2.9)),
        u.alpha(IntTy::INT, Kind::MinMax, [2])
    );
    let range = u.join_floats(constant(1.0), constant(2.0));
    assert_eq!(u.display(IntTy::INT, range), "<1.0,2.0>");
}
