//! Every operator on terms against `cwi::value`: all numbers of narrow types, and many of wide
//! ones. Operands are constants or symbols, so that folding, simplification and plain terms are
//! all compared.

use super::*;
use cwolf_cwi::value::{self, Trap};
use cwolf_logic::{Model, Sort};

/// Numbers in any order, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u128 {
        let mut half = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            u128::from(self.0)
        };
        half() << 64 | half()
    }
    /// Numbers of a type, with those at its borders and small ones.
    fn of(&mut self, ty: IntTy, count: usize) -> Vec<i128> {
        let mut all: Vec<i128> = (-3..=3).map(|n| value::wrap(ty, n)).collect();
        all.extend([value::min(ty), value::max(ty)]);
        all.extend([value::min(ty) + 1, value::max(ty) - 1].map(|n| value::wrap(ty, n)));
        while all.len() < count {
            // Of all lengths.
            let n = self.next() >> (self.next() % 128);
            all.push(value::wrap(ty, n as i128));
        }
        all
    }
}

/// Terms with two symbols, whose values are chosen later.
struct Bench {
    terms: Terms,
    model: Model,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            terms: Terms::new(),
            model: Model::default(),
        }
    }
    /// A symbol of a type that has a value.
    fn symbol(&mut self, name: &str, ty: IntTy, n: i128) -> Term {
        let name = format!("{name}{}", ty.bits);
        let t = self.terms.constant(&name, Sort::Bv(ty.bits));
        self.model.set(t, bits(ty, n));
        t
    }
    fn constant(&mut self, ty: IntTy, n: i128) -> Term {
        self.terms.bv(ty.bits, n as u128)
    }
    /// The value of what `make` gives for two operands, each a symbol or a constant; it must be
    /// the same each time.
    fn ask(
        &mut self,
        (left, a): (IntTy, i128),
        (right, b): (IntTy, i128),
        mut make: impl FnMut(&mut Terms, Term, Term) -> Term,
    ) -> u128 {
        let mut answer = None;
        for (s, t) in [(true, true), (true, false), (false, true), (false, false)] {
            let x = match s {
                true => self.symbol("x", left, a),
                false => self.constant(left, a),
            };
            let y = match t {
                true => self.symbol("y", right, b),
                false => self.constant(right, b),
            };
            let term = make(&mut self.terms, x, y);
            let found = self.model.bv(&self.terms, term);
            assert_eq!(
                *answer.get_or_insert(found),
                found,
                "{a} {b}: symbols {s} {t}"
            );
        }
        answer.expect("four answers")
    }
}

/// The bits of a number.
fn bits(ty: IntTy, n: i128) -> u128 {
    n as u128 & (u128::MAX >> (128 - ty.bits))
}

/// Operands of a type: all if there are few.
fn operands(ty: IntTy, numbers: &mut Numbers) -> Vec<i128> {
    match ty.bits {
        0..=4 => (0..1 << ty.bits).map(|n| value::wrap(ty, n)).collect(),
        _ => numbers.of(ty, 24),
    }
}

fn types() -> Vec<IntTy> {
    let widths = [
        1u16, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63, 64, 65, 80, 127, 128,
    ];
    let both = |bits: u16| [IntTy::new(bits, false), IntTy::new(bits, true)];
    widths.into_iter().flat_map(both).collect()
}

#[test]
fn operators_on_two_numbers() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for ty in types() {
        let mut bench = Bench::new();
        let all = operands(ty, &mut numbers);
        for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            for op in BinOp::ALL.into_iter().filter(|op| !op.is_logical()) {
                two_numbers(&mut bench, op, ty, a, b);
            }
        }
    }
}

fn two_numbers(bench: &mut Bench, op: BinOp, ty: IntTy, a: i128, b: i128) {
    let what = || format!("{a} {} {b} of {ty:?}", op.symbol());
    let (left, right) = ((ty, a), (ty, b));
    let expected = value::int_binary(op, ty, a, b);
    if op.is_comparison() {
        let holds = bench.ask(left, right, |terms, s, t| {
            compare(terms, op, ty.signed, s, t).expect("a comparison")
        });
        assert_eq!(Ok(holds as i128), expected, "{}", what());
        return;
    }
    let nonzero = bench.ask(left, right, |terms, _, t| divides(terms, t));
    assert_eq!(nonzero == 1, b != 0);
    if let BinOp::Div | BinOp::Rem = op {
        let fits = bench.ask(left, right, |terms, s, t| quotient_fits(terms, ty, s, t));
        let overflows = expected == Err(Trap::DivisionOverflow);
        assert_eq!(fits == 0, overflows, "{}", what());
    }
    let result = bench.ask(left, right, |terms, s, t| binary(terms, op, ty, s, t));
    if let Ok(expected) = expected {
        assert_eq!(result, bits(ty, expected), "{}", what());
    }
    let fits = bench.ask(left, right, |terms, s, t| {
        binary_fits(terms, op, ty, s, (t, ty.signed))
    });
    assert_eq!(
        fits == 1,
        value::binary_fits(op, ty, a, b),
        "{} fits",
        what()
    );
}

#[test]
fn shifts_by_amounts_of_other_types() {
    let mut numbers = Numbers(77);
    for ty in types() {
        for by in types() {
            let mut bench = Bench::new();
            let amounts = match by.bits {
                0..=4 => operands(by, &mut numbers),
                _ => {
                    let near = [0, 1, -1, ty.bits.into(), i128::from(ty.bits) - 1];
                    let mut all: Vec<i128> = near.iter().map(|n| value::wrap(by, *n)).collect();
                    all.extend(numbers.of(by, 16));
                    all
                }
            };
            for a in numbers.of(ty, 14) {
                for &b in &amounts {
                    for op in [BinOp::Shl, BinOp::Shr] {
                        shift(&mut bench, op, (ty, a), (by, b));
                    }
                }
            }
        }
    }
}

fn shift(bench: &mut Bench, op: BinOp, left: (IntTy, i128), right: (IntTy, i128)) {
    let ((ty, a), (by, b)) = (left, right);
    let what = || format!("{a} of {ty:?} {} {b} of {by:?}", op.symbol());
    let expected = value::int_binary(op, ty, a, b);
    let fine = bench.ask(left, right, |terms, _, t| {
        shift_amount_fits(terms, ty, t, by.signed)
    });
    assert_eq!(fine == 1, expected.is_ok(), "{} in range", what());
    let result = bench.ask(left, right, |terms, s, t| binary(terms, op, ty, s, t));
    if let Ok(expected) = expected {
        assert_eq!(result, bits(ty, expected), "{}", what());
    }
    let fits = bench.ask(left, right, |terms, s, t| {
        binary_fits(terms, op, ty, s, (t, by.signed))
    });
    assert_eq!(
        fits == 1,
        value::binary_fits(op, ty, a, b),
        "{} fits",
        what()
    );
}

#[test]
fn operators_on_one_number() {
    let mut numbers = Numbers(5);
    for ty in types() {
        let mut bench = Bench::new();
        for a in operands(ty, &mut numbers) {
            for op in [UnOp::Neg, UnOp::BitNot] {
                let operand = (ty, a);
                let result = bench.ask(operand, operand, |terms, s, _| unary(terms, op, s));
                let expected = value::int_unary(op, ty, a);
                assert_eq!(result, bits(ty, expected), "{op:?} {a} of {ty:?}");
                let fits = bench.ask(operand, operand, |terms, s, _| unary_fits(terms, op, ty, s));
                let expected = value::unary_fits(op, ty, a);
                assert_eq!(fits == 1, expected, "{op:?} {a} of {ty:?} fits");
            }
        }
    }
}

#[test]
fn conversions_between_all_types() {
    let mut numbers = Numbers(11);
    for from in types() {
        for to in types() {
            let mut bench = Bench::new();
            for a in operands(from, &mut numbers) {
                let operand = (from, a);
                let result = bench.ask(operand, operand, |terms, s, _| convert(terms, from, to, s));
                let expected = bits(to, value::wrap(to, a));
                assert_eq!(result, expected, "{a} of {from:?} to {to:?}");
            }
        }
    }
}

#[test]
fn steps_and_bytes() {
    let mut numbers = Numbers(3);
    for width in [32u16, 64] {
        let ty = IntTy::new(width, true);
        for scale in [1u64, 2, 3, 4, 8, 12, 40, 4096] {
            let mut bench = Bench::new();
            for a in numbers.of(ty, 40) {
                let operand = (ty, a);
                let bytes = bench.ask(operand, operand, |terms, s, _| {
                    bytes_of_steps(terms, width, s, scale)
                });
                let expected = bits(ty, a.wrapping_mul(scale.into()));
                assert_eq!(bytes, expected, "{a} steps of {scale}");
                let steps = bench.ask(operand, operand, |terms, s, _| {
                    steps_of_bytes(terms, s, scale)
                });
                assert_eq!(
                    steps,
                    bits(ty, a / i128::from(scale)),
                    "{a} bytes by {scale}"
                );
            }
            // Inside an object no sum wraps around.
            for a in numbers.of(IntTy::new(16, true), 20) {
                let operand = (ty, a);
                let steps = bench.ask(operand, operand, |terms, s, _| {
                    let bytes = bytes_of_steps(terms, width, s, scale);
                    let more = terms.bv(width, u128::from(scale) * 5);
                    let bytes = terms.add(bytes, more);
                    whole_steps(terms, bytes, scale).expect("whole steps")
                });
                assert_eq!(steps, bits(ty, a + 5), "{a} + 5 steps of {scale}");
            }
        }
    }
}
