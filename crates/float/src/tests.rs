//! Against the machine, and against themselves.

use crate::*;
use proptest::prelude::*;

/// Encodings near everything that is special, and random ones.
pub(crate) fn encodings(f: Format) -> impl Strategy<Value = u128> {
    let mask = u128::MAX >> (128 - f.bits());
    let special = prop::sample::select(vec![
        0,
        1,
        f.one(),
        f.largest(),
        f.infinity(),
        nan::default(f),
        f.infinity() | 1,
        1 << f.fraction_bits(),
        ((f.bias() as u128) + u128::from(f.precision())) << f.fraction_bits(),
    ]);
    let near = (special, -2i128..3, any::<bool>()).prop_map(move |(at, by, sign)| {
        let bits = at.wrapping_add(by as u128) & mask;
        if sign { neg(f, bits) } else { bits }
    });
    let small = (-20i128..20).prop_map(move |n| from_signed(f, Mode::NearestEven, n));
    prop_oneof![2 => near, 1 => small, 3 => any::<u128>().prop_map(move |n| n & mask)]
}

fn modes() -> impl Strategy<Value = Mode> {
    prop::sample::select(Mode::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// The software agrees with the processor, so that it may stand in for it.
    #[test]
    fn doubles_are_the_machines(a in encodings(Format::F64), b in encodings(Format::F64), c in encodings(Format::F64)) {
        let f = |n: u128| f64::from_bits(n as u64);
        let (x, y, z) = (f(a), f(b), f(c));
        let same = |got: u128, want: f64| if want.is_nan() { f(got).is_nan() } else { got == u128::from(want.to_bits()) };
        let m = Mode::NearestEven;
        prop_assert!(same(add(Format::F64, m, a, b), x + y));
        prop_assert!(same(fma(Format::F64, m, a, b, c), x.mul_add(y, z)));
        prop_assert!(same(fmod(Format::F64, a, b), x % y));
        prop_assert!(same(round_to_integral(Format::F64, m, a), x.round_ties_even()));
        prop_assert!(same(round_to_integral(Format::F64, Mode::NearestAway, a), x.round()));
        prop_assert!(same(round_to_integral(Format::F64, Mode::Down, a), x.floor()));
        let single = convert(Format::F64, Format::F32, m, a);
        if !x.is_nan() {
            prop_assert_eq!(single, u128::from((x as f32).to_bits()));
        }
        prop_assert_eq!(compare(Format::F64, a, b), x.partial_cmp(&y));
        if let Some(n) = to_signed(Format::F64, Mode::Zero, 64, a) {
            prop_assert_eq!(n, i128::from(x as i64));
        }
    }

    /// Roots by digits are the machine's, also where a mode other than its own is asked for: they
    /// lie next to each other.
    #[test]
    fn roots(a in encodings(Format::F64)) {
        let f = |n: u128| f64::from_bits(n as u64);
        let a = a & !Format::F64.sign_bit();
        prop_assume!(f(a).is_finite() && f(a) > 0.0);
        let near = f(a).sqrt();
        let (low, high) = (f(sqrt(Format::F64, Mode::Down, a)), f(sqrt(Format::F64, Mode::Up, a)));
        prop_assert!(low == near || high == near);
        prop_assert!(low == high || low.next_up() == high);
        // Correctly rounded down and up: exact products tell.
        let exact = |r: f64| r.mul_add(r, -f(a));
        if low * low > f64::MIN_POSITIVE {
            prop_assert!(exact(low) <= 0.0 && exact(high) >= 0.0);
        }
    }

    /// A double computed in a wider format and rounded is the same for sums of few digits.
    #[test]
    fn wider_formats_agree(a in encodings(Format::F32), b in encodings(Format::F32), m in modes()) {
        for wide in [Format::F80, Format::F128] {
            let (x, y) = (convert(Format::F32, wide, m, a), convert(Format::F32, wide, m, b));
            let back = |n| convert(wide, Format::F32, m, n);
            // Twice the digits and two more: rounding twice is rounding once.
            let ops = [(mul as fn(Format, Mode, u128, u128) -> u128, "*"), (div, "/"), (add, "+")];
            for (op, name) in ops {
                if m == Mode::NearestAway {
                    continue;
                }
                let (narrow, wide) = (op(Format::F32, m, a, b), back(op(wide, m, x, y)));
                if is_nan(Format::F32, narrow) {
                    prop_assert!(is_nan(Format::F32, wide));
                } else if wide & 0x7f80_0000 != 0 {
                    prop_assert_eq!(narrow, wide, "{} {:?}", name, m);
                }
            }
        }
    }

    /// The remainder of IEEE 754 is at most half of the divisor, and differs from `fmod` by none or one of it.
    #[test]
    fn remainders(a in encodings(Format::F64), b in encodings(Format::F64)) {
        let f = |n: u128| f64::from_bits(n as u64);
        let (r, q) = (f(remainder(Format::F64, a, b)), f(fmod(Format::F64, a, b)));
        prop_assert_eq!(r.is_nan(), q.is_nan());
        if !r.is_nan() && f(b).is_finite() && f(b).abs() < 1e300 && f(b).abs() > 1e-290 {
            prop_assert!(r.abs() * 2.0 <= f(b).abs());
            prop_assert!(r == q || r == q - f(b).abs() || r == q + f(b).abs());
        }
    }

    #[test]
    fn integers_and_back(n in any::<i128>(), shift in 0u32..128, m in modes()) {
        let n = n >> shift;
        for f in Format::ALL {
            let x = from_signed(f, m, n);
            if n.unsigned_abs() < 1 << f.precision() && class(f, x) != Class::Infinite {
                prop_assert_eq!(to_signed(f, m, 128, x), Some(n));
            }
        }
        prop_assert_eq!(from_signed(Format::F64, Mode::NearestEven, n), u128::from((n as f64).to_bits()));
        prop_assert_eq!(from_unsigned(Format::F32, Mode::NearestEven, n as u128), u128::from((n as u128 as f32).to_bits()));
    }

    /// Rounding down and up enclose, and differ by one step at most.
    #[test]
    fn directed_modes_enclose(a in encodings(Format::F128), b in encodings(Format::F128)) {
        for f in Format::ALL {
            let (a, b) = (a & (u128::MAX >> (128 - f.bits())), b & (u128::MAX >> (128 - f.bits())));
            for op in [add, sub, mul, div] {
                let (low, high) = (op(f, Mode::Down, a, b), op(f, Mode::Up, a, b));
                if is_nan(f, low) {
                    prop_assert_eq!(low, high);
                    continue;
                }
                prop_assert!(low == high || next_up(f, low) == high || is_zero(f, low) && is_zero(f, high));
                let near = op(f, Mode::NearestEven, a, b);
                prop_assert!(near == low || near == high);
            }
        }
    }
}

#[test]
fn a_nan_comes_from_the_first_operand_or_is_the_default() {
    let f = Format::F64;
    let (p, q) = (0x7ff0_0000_0000_0005, 0xfff8_0000_0000_0007);
    let m = Mode::NearestEven;
    assert_eq!(add(f, m, p, q), 0x7ff8_0000_0000_0005);
    assert_eq!(sub(f, m, f.one(), q), q);
    assert_eq!(div(f, m, 0, 0), 0xfff8_0000_0000_0000);
    assert_eq!(sqrt(f, m, neg(f, f.one())), nan::default(f));
    assert_eq!(convert(f, Format::F32, m, p), 0x7fc0_0000);
    // The x87 takes the larger one.
    let x = Format::F80;
    let (p, q) = (nan::quiet(x, 5), nan::quiet(x, 9));
    assert_eq!(add(x, m, p, q), q);
}

#[test]
fn the_x87_has_encodings_that_are_no_numbers() {
    let f = Format::F80;
    assert_eq!(class(f, 1 << 64), Class::Nan);
    assert_eq!(class(f, 1 << 63), Class::Normal);
    // A number encoded with the exponent of the subnormal ones.
    assert_eq!(
        compare(f, 1 << 63, (1 << 64) | (1 << 63)),
        Some(std::cmp::Ordering::Equal)
    );
}

#[test]
fn numbers_are_written_as_c_does() {
    assert_eq!(display(Format::F32, 0x3f80_0000), "1.0f");
    assert_eq!(
        display(Format::F64, neg(Format::F64, Format::F64.infinity())),
        "-__builtin_inf()"
    );
    assert_eq!(display(Format::F64, u128::from(0.5f64.to_bits())), "0.5");
}
