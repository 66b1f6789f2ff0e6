//! Floating-point arithmetic: a random expression over four inputs is compared bit by bit with what
//! `cwi::value` computes; with the fault, one bit of each expected result is wrong.

use super::program::Fault;
use crate::writer::Random;
use cwolf_cwi::value::{Value, float};
use cwolf_cwi::{BinOp, FloatTy, IntTy};

type Make = fn(&mut Random) -> Fault;

/// Every kind, by name.
pub const FLOATS: [(&str, Make); 4] = [
    ("float-single", |r| compared(r, FloatTy::F32)),
    ("float-double", |r| compared(r, FloatTy::F64)),
    ("float-to-int", to_int),
    ("float-compare", order),
];

/// How many inputs there are.
const INPUTS: usize = 4;

/// An expression and its value for each input.
struct Expression {
    text: String,
    values: [u128; INPUTS],
}

fn name(f: FloatTy) -> &'static str {
    match f {
        FloatTy::F32 => "float",
        _ => "double",
    }
}

/// Encodings of all sizes, often of small numbers.
fn encoding(random: &mut Random, f: FloatTy) -> u128 {
    let format = f.format();
    let wide = IntTy::new(128, true);
    match random.below(8) {
        0 => [0, format.infinity(), format.largest(), 1][random.below(4)],
        1 => float::neg(f, 0),
        2..=4 => float::from_int(f, wide, random.below(41) as i128 - 20),
        5 | 6 => {
            let (n, d) = (random.below(2001) as i128 - 1000, 1 + random.below(97));
            let n = float::from_int(f, wide, n);
            let d = float::from_int(f, wide, d as i128);
            number(float::binary(BinOp::Div, f, n, d))
        }
        _ => {
            let high = (random.below(1 << 30) as u128) << 34;
            let bits = (high | random.below(1 << 30) as u128) & ((1 << f.bits()) - 1);
            match cwolf_float::is_nan(format, bits) {
                true => format.one(),
                false => bits,
            }
        }
    }
}

fn number(value: Value) -> u128 {
    match value {
        Value::Float(bits) => bits,
        Value::Int(_) => unreachable!("arithmetic gives a float"),
    }
}

/// A random expression of type `f` over the arrays `a` of floats and `b` of doubles.
fn expression(
    random: &mut Random,
    inputs: &[[u128; INPUTS]; 2],
    f: FloatTy,
    depth: usize,
) -> Expression {
    let own = usize::from(f == FloatTy::F64);
    if depth == 0 || random.below(6) == 0 {
        return Expression {
            text: format!("{}[m]", ["a", "b"][own]),
            values: inputs[own],
        };
    }
    match random.below(7) {
        0 => {
            let other = [FloatTy::F64, FloatTy::F32][own];
            let of = expression(random, inputs, other, depth - 1);
            Expression {
                text: format!("({}){}", name(f), of.text),
                values: of.values.map(|v| float::convert(other, f, v)),
            }
        }
        1 => {
            let of = expression(random, inputs, f, depth - 1);
            Expression {
                text: format!("(-{})", of.text),
                values: of.values.map(|v| float::neg(f, v)),
            }
        }
        n => {
            // Divisions are large; few are enough.
            let op = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Add, BinOp::Div][n - 2];
            let left = expression(random, inputs, f, depth - 1);
            let right = expression(random, inputs, f, depth - 1);
            let pairs: Vec<u128> = left
                .values
                .iter()
                .zip(&right.values)
                .map(|(a, b)| number(float::binary(op, f, *a, *b)))
                .collect();
            Expression {
                text: format!("({} {} {})", left.text, op.symbol(), right.text),
                values: pairs.try_into().expect("as many"),
            }
        }
    }
}

/// Declarations of the inputs by their bits, and the inputs.
fn inputs(random: &mut Random) -> (String, [[u128; INPUTS]; 2]) {
    let mut all = [[0; INPUTS]; 2];
    let mut text = String::new();
    for (n, f) in [FloatTy::F32, FloatTy::F64].into_iter().enumerate() {
        for value in &mut all[n] {
            *value = encoding(random, f);
        }
        let list: Vec<String> = all[n].iter().map(|v| format!("{v:#x}ull")).collect();
        let (ty, word) = [("float", "unsigned"), ("double", "unsigned long long")][n];
        let array = ["a", "b"][n];
        text += &format!(
            "static const {word} {array}_bits[{INPUTS}] = {{{}}}; static {ty} {array}[{INPUTS}];\n",
            list.join(", ")
        );
    }
    (text, all)
}

/// The inputs get their values, and one of them is chosen.
const START: &str = "memcpy(a, a_bits, sizeof a); memcpy(b, b_bits, sizeof b); \
    unsigned m = __VERIFIER_nondet_uint() & 3;";

/// What `make` gets is compared with the expected number, which is wrong in the first program.
fn fault(random: &mut Random, top: String, make: &str, values: [u128; INPUTS]) -> Fault {
    let bit = random.below(20);
    let list = |fault: bool| {
        let values = values.iter().map(|v| match fault {
            true => format!("{:#x}ull", v ^ (1 << bit)),
            false => format!("{v:#x}ull"),
        });
        let list: Vec<String> = values.collect();
        format!(
            "{{ static const unsigned long long want[] = {{{}}}; {START} {make} \
             __VERIFIER_assert(got == want[m]); }}",
            list.join(", ")
        )
    };
    Fault::new("").top(top).act(list(true), list(false))
}

/// The fault of a kind.
pub fn fault_of(kind: usize, random: &mut Random) -> Fault {
    let (name, make) = FLOATS[kind];
    Fault {
        name: name.into(),
        ..make(random)
    }
}

fn compared(random: &mut Random, f: FloatTy) -> Fault {
    let (top, inputs) = inputs(random);
    let e = expression(random, &inputs, f, 3);
    let nan = |v: u128| cwolf_float::is_nan(f.format(), v);
    // Compilers may exchange operands, and so NaNs.
    let values = e.values.map(|v| if nan(v) { 0 } else { v });
    let word = ["unsigned", "unsigned long long"][usize::from(f == FloatTy::F64)];
    let make = format!(
        "union {{ {} x; {word} bits; }} u; u.x = {}; unsigned long long got = u.x == u.x ? u.bits : 0;",
        name(f),
        e.text
    );
    fault(random, top, &make, values)
}

fn to_int(random: &mut Random) -> Fault {
    let (top, inputs) = inputs(random);
    let e = expression(random, &inputs, FloatTy::F64, 2);
    let int = IntTy::new(32, true);
    // Only where C defines the result.
    let values = e
        .values
        .map(|v| match float::fits_int(FloatTy::F64, int, v) {
            true => float::to_int(FloatTy::F64, int, v) as u32 as u128,
            false => 0,
        });
    let make = format!(
        "double x = {}; unsigned long long got = x > -2147483649.0 && x < 2147483648.0 ? (unsigned)(int)x : 0;",
        e.text
    );
    fault(random, top, &make, values)
}

fn order(random: &mut Random) -> Fault {
    let (top, inputs) = inputs(random);
    let left = expression(random, &inputs, FloatTy::F32, 2);
    let right = expression(random, &inputs, FloatTy::F32, 2);
    let tests = [
        BinOp::Lt,
        BinOp::Le,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Gt,
        BinOp::Ge,
    ];
    let mut values = [0; INPUTS];
    for (n, value) in values.iter_mut().enumerate() {
        for (at, op) in tests.into_iter().enumerate() {
            let holds = float::binary(op, FloatTy::F32, left.values[n], right.values[n]);
            *value |= u128::from(holds == Value::Int(1)) << at;
        }
    }
    let sum: Vec<String> = tests
        .iter()
        .enumerate()
        .map(|(at, op)| format!("(x {} y) << {at}", op.symbol()))
        .collect();
    let make = format!(
        "float x = {}, y = {}; unsigned long long got = {};",
        left.text,
        right.text,
        sum.join(" | ")
    );
    fault(random, top, &make, values)
}
