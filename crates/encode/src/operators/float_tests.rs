//! Operators on floating-point terms against `cwi::value::float`, on symbols and on constants.

use super::*;
use cwolf_cwi::FloatTy;
use cwolf_cwi::value::{Value, float, wrap};
use cwolf_logic::{Mode, Model, Sort};

const FLOATS: [FloatTy; 5] = [
    FloatTy::F16,
    FloatTy::F32,
    FloatTy::F64,
    FloatTy::F80,
    FloatTy::F128,
];

/// Numbers at the ends of a format, small ones, and others.
fn numbers(f: FloatTy) -> Vec<u128> {
    let format = f.format();
    let mut all = vec![0, 1, format.largest(), format.infinity(), format.one()];
    all.push(cwolf_float::nan::default(format));
    all.push(format.infinity() | 1);
    let wide = IntTy::new(128, true);
    let ends = [3, 10, 255, 1 << 31, 1 << 32, 1 << 63, 1 << 64, i128::MAX];
    for n in ends {
        let x = float::from_int(f, wide, n);
        all.extend([x, cwolf_float::next_down(format, x)]);
    }
    let negative: Vec<u128> = all.iter().map(|x| float::neg(f, *x)).collect();
    all.extend(negative);
    all
}

/// The value of what `make` gives, for symbols with these values and for constants.
fn ask(width: u16, values: &[u128], mut make: impl FnMut(&mut Terms, &[Term]) -> Term) -> u128 {
    let mut terms = Terms::new();
    let mut model = Model::default();
    let mut symbols = Vec::new();
    for (n, value) in values.iter().enumerate() {
        let t = terms.constant(&format!("x{n}"), Sort::Bv(width));
        model.set(t, *value);
        symbols.push(t);
    }
    let constants: Vec<Term> = values.iter().map(|v| terms.bv(width, *v)).collect();
    let (open, closed) = (make(&mut terms, &symbols), make(&mut terms, &constants));
    let found = model.bv(&terms, open);
    assert_eq!(found, model.bv(&terms, closed));
    found
}

#[test]
fn arithmetic_and_comparisons() {
    for f in FLOATS {
        let all = numbers(f);
        for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            for op in [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div] {
                let got = ask(f.bits(), &[a, b], |terms, x| {
                    let mode = terms.mode(Mode::NearestEven);
                    float_binary(terms, mode, op, f, x[0], x[1])
                });
                assert_eq!(Value::Float(got), float::binary(op, f, a, b));
            }
            for op in BinOp::ALL.into_iter().filter(|op| op.is_comparison()) {
                let got = ask(f.bits(), &[a, b], |terms, x| {
                    float_compare(terms, op, f, x[0], x[1]).expect("a comparison")
                });
                assert_eq!(Value::Int(got as i128), float::binary(op, f, a, b));
            }
        }
        for a in all {
            let negated = ask(f.bits(), &[a], |terms, x| float_neg(terms, f, x[0]));
            assert_eq!(negated, float::neg(f, a));
            let truth = ask(f.bits(), &[a], |terms, x| float_is_true(terms, f, x[0]));
            assert_eq!(truth == 1, !float::is_zero(f, a));
        }
    }
}

#[test]
fn conversions() {
    let widths = [1u16, 8, 16, 31, 32, 33, 63, 64, 65, 128];
    let types = widths.map(|bits| [IntTy::new(bits, false), IntTy::new(bits, true)]);
    for f in FLOATS {
        for a in numbers(f) {
            for to in FLOATS {
                let got = ask(f.bits(), &[a], |terms, x| {
                    let mode = terms.mode(Mode::NearestEven);
                    float_to_float(terms, mode, f, to, x[0])
                });
                assert_eq!(got, float::convert(f, to, a), "{f:?} {to:?} {a:x}");
            }
            for to in types.into_iter().flatten() {
                let got = ask(f.bits(), &[a], |terms, x| float_to_int(terms, f, to, x[0]));
                let want = float::to_int(f, to, a);
                assert_eq!(wrap(to, got as i128), want, "{f:?} {to:?} {a:x}");
            }
        }
        for from in types.into_iter().flatten() {
            for n in [0, 1, 2, -1, 3, i128::MAX, i128::MIN, 1 << 60, (1 << 53) + 1] {
                let n = wrap(from, n);
                let bits = n as u128 & (u128::MAX >> (128 - from.bits));
                let got = ask(from.bits, &[bits], |terms, x| {
                    let mode = terms.mode(Mode::NearestEven);
                    float_from_int(terms, mode, from, f, x[0])
                });
                assert_eq!(got, float::from_int(f, from, n), "{f:?} {from:?} {n}");
            }
        }
    }
}
