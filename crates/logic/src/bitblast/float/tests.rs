//! Circuits against `cwolf_float`. On constant bits every gate folds, so that a circuit computes
//! without a solver.

use super::super::gates::{as_number, constant};
use crate::float::FloatOp;
use crate::{Answer, BitBlaster, Budget, Format, Mode, Solver, Sort, Terms};
use proptest::prelude::*;
use std::cell::RefCell;

thread_local! {
    /// One for all: gates on constants leave nothing behind.
    static BLASTER: RefCell<BitBlaster> = RefCell::new(BitBlaster::new());
}

fn circuit(op: FloatOp, width: u16, values: [u128; 4]) -> u128 {
    let operands: Vec<Vec<i32>> = (0..op.arity())
        .map(|n| match n == 0 && op.has_mode() {
            true => constant(Mode::BITS.into(), values[n]),
            false => constant(width.into(), values[n]),
        })
        .collect();
    let bits = BLASTER.with_borrow_mut(|blaster| blaster.float(op, &operands));
    as_number(&bits).expect("constant bits")
}

#[track_caller]
fn agree(op: FloatOp, width: u16, values: [u128; 4]) {
    let (got, want) = (circuit(op, width, values), op.apply(values, width));
    assert_eq!(got, want, "{op:?} {values:x?}: {got:x} is not {want:x}");
}

fn encodings(f: Format) -> impl Strategy<Value = u128> {
    let mask = u128::MAX >> (128 - f.bits());
    let ends = vec![
        0,
        f.one(),
        f.largest(),
        f.infinity(),
        f.infinity() | 1 << (f.precision() - 2),
        1 << f.fraction_bits(),
        ((f.bias() as u128) + u128::from(f.precision())) << f.fraction_bits(),
    ];
    let near = (prop::sample::select(ends), -2i128..3, any::<bool>());
    let near = near.prop_map(move |(at, by, sign)| {
        (at.wrapping_add(by as u128) & mask) ^ if sign { f.sign_bit() } else { 0 }
    });
    // Of all sizes, so that exponents are near to each other too.
    let near_one = (any::<u128>(), -3i128..4).prop_map(move |(digits, by)| {
        let field = (i128::from(f.bias()) + by) as u128;
        let integer = if f.has_integer_bit() { 1 << 63 } else { 0 };
        let digits = digits & ((1 << (f.precision() - 1)) - 1);
        (field << f.fraction_bits()) | integer | digits
    });
    let subnormal = any::<u128>().prop_map(move |n| n & ((1 << (f.precision() - 1)) - 1));
    prop_oneof![2 => near, 2 => near_one, 1 => subnormal, 3 => any::<u128>().prop_map(move |n| n & mask)]
}

fn triples() -> impl Strategy<Value = (Format, u128, u128, u128)> {
    prop::sample::select(Format::ALL.to_vec())
        .prop_flat_map(|f| (Just(f), encodings(f), encodings(f), encodings(f)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn two_operands((f, a, b, c) in triples(), mode in 0u128..5) {
        for op in [FloatOp::Add(f), FloatOp::Sub(f), FloatOp::Mul(f), FloatOp::Div(f), FloatOp::Fma(f)] {
            agree(op, f.bits(), [mode, a, b, c]);
            agree(op, f.bits(), [mode, a, a, b]);
        }
        for op in [FloatOp::Eq(f), FloatOp::Lt(f), FloatOp::Le(f)] {
            agree(op, f.bits(), [a, b, 0, 0]);
            agree(op, f.bits(), [a, a ^ f.sign_bit(), 0, 0]);
            agree(op, f.bits(), [a, a, 0, 0]);
        }
    }

    #[test]
    fn one_operand((f, a, _, _) in triples(), mode in 0u128..5, width in 1u16..129, n in any::<u128>()) {
        agree(FloatOp::Sqrt(f), f.bits(), [mode, a, 0, 0]);
        agree(FloatOp::RoundToIntegral(f), f.bits(), [mode, a, 0, 0]);
        for to in Format::ALL {
            agree(FloatOp::Convert(f, to), f.bits(), [mode, a, 0, 0]);
        }
        agree(FloatOp::ToSigned(f, width), f.bits(), [mode, a, 0, 0]);
        agree(FloatOp::ToUnsigned(f, width), f.bits(), [mode, a, 0, 0]);
        let n = n & (u128::MAX >> (128 - width));
        agree(FloatOp::FromSigned(f), width, [mode, n, 0, 0]);
        agree(FloatOp::FromUnsigned(f), width, [mode, n, 0, 0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Dividends near the divisor, where quotients are small, and any others.
    #[test]
    fn remainders(half in any::<bool>(), (a, b) in (encodings(Format::F32), encodings(Format::F32)), by in -3i128..3) {
        let f = if half { Format::F16 } else { Format::F32 };
        let mask = u128::MAX >> (128 - f.bits());
        let near = b.wrapping_add((by << f.fraction_bits()) as u128);
        for a in [a & mask, near & mask] {
            agree(FloatOp::Fmod(f), f.bits(), [a, b & mask, 0, 0]);
            agree(FloatOp::Remainder(f), f.bits(), [a, b & mask, 0, 0]);
        }
    }
}

/// Every number of sixteen bits.
#[test]
fn halves_exhaustively() {
    let f = Format::F16;
    for bits in 0..1u128 << 16 {
        let mode = (bits ^ (bits >> 7)) % 5;
        agree(FloatOp::Sqrt(f), 16, [mode, bits, 0, 0]);
        agree(FloatOp::Convert(f, Format::F32), 16, [0, bits, 0, 0]);
        agree(FloatOp::ToSigned(f, 16), 16, [mode, bits, 0, 0]);
        agree(FloatOp::FromSigned(f), 16, [mode, bits, 0, 0]);
        for mode in 0..5 {
            agree(FloatOp::RoundToIntegral(f), 16, [mode, bits, 0, 0]);
        }
    }
}

/// The same gates with operands that a solver finds.
#[test]
fn a_solver_finds_operands() {
    let f = Format::F16;
    let mut terms = Terms::new();
    let (x, y) = (
        terms.constant("x", Sort::Bv(16)),
        terms.constant("y", Sort::Bv(16)),
    );
    let mode = terms.mode(Mode::NearestEven);
    // x * y == 3, x < 1, and y / x > 20
    let product = terms.float(FloatOp::Mul(f), &[mode, x, y]);
    let three = terms.bv(16, 0x4200);
    let one = terms.bv(16, f.one());
    let twenty = terms.bv(16, 0x4d00);
    let quotient = terms.float(FloatOp::Div(f), &[mode, y, x]);
    let tests = [
        terms.float(FloatOp::Eq(f), &[product, three]),
        terms.float(FloatOp::Lt(f), &[x, one]),
        terms.float(FloatOp::Lt(f), &[twenty, quotient]),
    ];
    let mut solver = BitBlaster::new();
    for test in tests {
        solver.assert(&terms, test);
    }
    assert_eq!(
        solver.check(&terms, &[], &Budget::unlimited()),
        Ok(Answer::Sat)
    );
    let model = solver.model(&terms);
    for test in tests {
        assert!(model.bool(&terms, test));
    }
    // A square is not negative.
    let square = terms.float(FloatOp::Mul(f), &[mode, x, x]);
    let zero = terms.bv(16, 0);
    let negative = terms.float(FloatOp::Lt(f), &[square, zero]);
    let mut solver = BitBlaster::new();
    solver.assert(&terms, negative);
    assert_eq!(
        solver.check(&terms, &[], &Budget::unlimited()),
        Ok(Answer::Unsat)
    );
}
