use super::circuit::{Leaves, circuit};
use super::*;
use crate::aig::{Aig, Wire};
use crate::build::fold;
use proptest::prelude::*;

const OPS: [BinOp; 16] = [
    BinOp::Eq,
    BinOp::Ult,
    BinOp::Slt,
    BinOp::Add,
    BinOp::Mul,
    BinOp::Udiv,
    BinOp::Urem,
    BinOp::Sdiv,
    BinOp::Srem,
    BinOp::BvAnd,
    BinOp::BvOr,
    BinOp::BvXor,
    BinOp::Shl,
    BinOp::Lshr,
    BinOp::Ashr,
    BinOp::Concat,
];

/// The value of an operator, where a comparison is one bit.
fn expected(op: BinOp, width: u16, a: u128, b: u128) -> u128 {
    match op {
        BinOp::Concat => a << width | b,
        op => fold(op, width, a, b),
    }
}

fn as_bits(terms: &mut Terms, t: Term) -> Term {
    match terms.sort(t) {
        Sort::Bool => terms.from_bool(1, t),
        _ => t,
    }
}

/// Every operator on every pair of values of small widths: with both operands unknown, and with
/// one of them constant, which other circuits compute.
#[test]
fn operators_agree_with_folding_exhaustively() {
    for width in 1..=3u16 {
        for op in OPS {
            let mut terms = Terms::new();
            let mut solver = BitBlaster::new();
            let x = terms.constant("x", Sort::Bv(width));
            let y = terms.constant("y", Sort::Bv(width));
            let out = terms.binary(op, x, y);
            let out = as_bits(&mut terms, out);
            let range = 0..1u128 << width;
            for (a, b) in range
                .clone()
                .flat_map(|a| range.clone().map(move |b| (a, b)))
            {
                let want = expected(op, width, a, b);
                let (ka, kb) = (terms.bv(width, a), terms.bv(width, b));
                let left = terms.binary(op, ka, y);
                let left = as_bits(&mut terms, left);
                let right = terms.binary(op, x, kb);
                let right = as_bits(&mut terms, right);
                let want = terms.bv(terms.width(out), want);
                let fixed = [(x, ka), (y, kb)].map(|(v, k)| terms.eq(v, k));
                let fixed = fixed.map(|t| solver.literal(&terms, t));
                let tests = [out, left, right].map(|t| terms.ne(t, want));
                for wrong in tests {
                    let wrong = solver.literal(&terms, wrong);
                    let all = [fixed[0], fixed[1], wrong];
                    let answer = solver.check(&terms, &all, &Budget::unlimited());
                    assert_eq!(answer, Ok(Answer::Unsat), "{op:?} {width} {a} {b}");
                }
            }
        }
    }
}

/// A choice among sums with a summand in common is one of them, whichever is chosen and whatever comes last; it takes
/// one adder.
#[test]
fn choices_among_sums_agree_with_the_sums() {
    const WIDTH: u16 = 3;
    const SUMS: usize = 5;
    for ends_in_a_sum in [false, true] {
        let mut terms = Terms::new();
        let mut solver = BitBlaster::new();
        let common = terms.constant("common", Sort::Bv(WIDTH));
        let which = terms.constant("which", Sort::Bv(WIDTH));
        let other = terms.constant("other", Sort::Bv(WIDTH));
        let mut sums = Vec::new();
        let mut chosen = match ends_in_a_sum {
            true => terms.add(other, common),
            false => common,
        };
        let last = chosen;
        for n in 0..SUMS {
            let base = terms.constant(&format!("base{n}"), Sort::Bv(WIDTH));
            let sum = terms.add(base, common);
            let number = terms.bv(WIDTH, n as u128);
            let here = terms.eq(which, number);
            sums.push((here, sum));
            chosen = terms.ite(here, sum, chosen);
        }
        assert!(Chain::of(&terms, chosen).is_some());
        let mut none = Terms::TRUE;
        for (here, sum) in sums {
            let differs = terms.ne(chosen, sum);
            let wrong = terms.and(here, differs);
            let wrong = solver.literal(&terms, wrong);
            let answer = solver.check(&terms, &[wrong], &Budget::unlimited());
            assert_eq!(answer, Ok(Answer::Unsat));
            let not = terms.not(here);
            none = terms.and(none, not);
        }
        let differs = terms.ne(chosen, last);
        let wrong = terms.and(none, differs);
        let wrong = solver.literal(&terms, wrong);
        let answer = solver.check(&terms, &[wrong], &Budget::unlimited());
        assert_eq!(answer, Ok(Answer::Unsat));
    }
}

/// Circuits compute the same: both operands unknown, or one of them constant.
#[test]
fn circuits_agree_with_folding_exhaustively() {
    for width in 1..=3u16 {
        for op in OPS {
            let mut terms = Terms::new();
            let x = terms.constant("x", Sort::Bv(width));
            let y = terms.constant("y", Sort::Bv(width));
            let range = 0..1u128 << width;
            let mut roots = vec![terms.binary(op, x, y)];
            for k in range.clone() {
                let k = terms.bv(width, k);
                roots.extend([terms.binary(op, k, y), terms.binary(op, x, k)]);
            }
            let mut aig = Aig::default();
            let mut leaves = Leaves::default();
            for v in [x, y] {
                let bits = (0..width).map(|_| aig.input("")).collect();
                leaves.bits.insert(v, bits);
            }
            let wires = circuit(&terms, &roots, &leaves, &mut aig, &Budget::unlimited());
            let wires = wires.expect("no limit");
            for wire in wires.iter().flatten() {
                aig.output("", *wire);
            }
            let bit = |value: u128, n: u16| value >> n & 1 == 1;
            for a in range.clone() {
                for b in range.clone() {
                    let inputs = [a, b].into_iter();
                    let inputs = inputs.flat_map(|v| (0..width).map(move |n| bit(v, n)));
                    let (_, out) = aig.step(&[], &inputs.collect::<Vec<bool>>());
                    let mut out = out.into_iter();
                    let pairs = range.clone().flat_map(|k| [(k, b), (a, k)]);
                    for ((a, b), wires) in [(a, b)].into_iter().chain(pairs).zip(&wires) {
                        let want = expected(op, width, a, b);
                        for n in 0..wires.len() as u16 {
                            assert_eq!(out.next(), Some(bit(want, n)), "{op:?} {width} {a} {b}");
                        }
                    }
                }
            }
        }
    }
}

/// Reads of an array whose elements are wires, and of one whose elements are not known.
#[test]
fn circuits_read_arrays() {
    let mut terms = Terms::new();
    let sort = Sort::Array { index: 2, elem: 1 };
    let (known, open) = (terms.constant("known", sort), terms.constant("open", sort));
    let (i, j) = (
        terms.constant("i", Sort::Bv(2)),
        terms.constant("j", Sort::Bv(2)),
    );
    let first = terms.select(known, i);
    let (at_i, at_j) = (terms.select(open, i), terms.select(open, j));
    let mut aig = Aig::default();
    let mut leaves = Leaves::default();
    for v in [i, j] {
        leaves.bits.insert(v, vec![aig.input(""), aig.input("")]);
    }
    // Elements 0 and 1 are 0 and 1; the others may be anything.
    leaves
        .arrays
        .insert(known, vec![vec![Wire::FALSE], vec![Wire::TRUE]]);
    let roots = [first, at_i, at_j];
    let wires = circuit(&terms, &roots, &leaves, &mut aig, &Budget::unlimited());
    for wire in wires.expect("no limit").iter().flatten() {
        aig.output("", *wire);
    }
    let inputs = aig.size()[0];
    let mut free = false;
    let mut differ = false;
    for n in 0..1u32 << inputs {
        let values: Vec<bool> = (0..inputs).map(|b| n >> b & 1 == 1).collect();
        let (i, j) = (n & 3, n >> 2 & 3);
        let (_, out) = aig.step(&[], &values);
        match i {
            0 | 1 => assert_eq!(out[0], i == 1),
            _ => free |= out[0],
        }
        assert!(i != j || out[1] == out[2]);
        differ |= out[1] != out[2];
    }
    assert!(free && differ);
}

/// A random term with constants `x`, `y` of a width and a boolean `p`.
#[derive(Clone, Debug)]
enum Shape {
    X,
    Y,
    Number(u128),
    Un(UnOp, Box<Shape>),
    Bin(BinOp, Box<Shape>, Box<Shape>),
    Choose(BinOp, Box<Shape>, Box<Shape>, Box<Shape>, Box<Shape>),
    Part(u16, u16, Box<Shape>, bool),
    Read(Box<Shape>, Box<Shape>, Box<Shape>),
}

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        3 => Just(Shape::X),
        3 => Just(Shape::Y),
        2 => (0..20u128).prop_map(Shape::Number),
        1 => any::<u128>().prop_map(Shape::Number),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let op = prop::sample::select(&OPS[3..15]);
        let test = prop::sample::select(&OPS[..3]);
        let un = prop::sample::select(vec![UnOp::BvNot, UnOp::Neg]);
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            1 => (un, boxed.clone()).prop_map(|(o, a)| Shape::Un(o, a)),
            5 => (op, boxed.clone(), boxed.clone()).prop_map(|(o, a, b)| Shape::Bin(o, a, b)),
            2 => (test, boxed.clone(), boxed.clone(), boxed.clone(), boxed.clone())
                .prop_map(|(o, a, b, c, d)| Shape::Choose(o, a, b, c, d)),
            2 => (any::<u16>(), any::<u16>(), boxed.clone(), any::<bool>())
                .prop_map(|(h, l, a, s)| Shape::Part(h, l, a, s)),
            1 => (boxed.clone(), boxed.clone(), boxed).prop_map(|(a, b, c)| Shape::Read(a, b, c)),
        ]
    })
}

/// The term, simplified or not as `terms` likes, and its value computed beside it.
fn build(terms: &mut Terms, width: u16, shape: &Shape, x: u128, y: u128) -> (Term, u128) {
    let cut = crate::term::mask(width);
    match shape {
        Shape::X => (terms.constant("x", Sort::Bv(width)), x),
        Shape::Y => (terms.constant("y", Sort::Bv(width)), y),
        Shape::Number(n) => (terms.bv(width, *n), n & cut),
        Shape::Un(op, a) => {
            let (t, a) = build(terms, width, a, x, y);
            let value = if *op == UnOp::Neg {
                a.wrapping_neg()
            } else {
                !a
            };
            (terms.unary(*op, t), value & cut)
        }
        Shape::Bin(op, a, b) => {
            let (s, a) = build(terms, width, a, x, y);
            let (t, b) = build(terms, width, b, x, y);
            (terms.binary(*op, s, t), fold(*op, width, a, b))
        }
        Shape::Choose(op, a, b, c, d) => {
            let [(s, a), (t, b), (u, c), (v, d)] =
                [a, b, c, d].map(|e| build(terms, width, e, x, y));
            let test = terms.binary(*op, s, t);
            let holds = fold(*op, width, a, b) == 1;
            (terms.ite(test, u, v), if holds { c } else { d })
        }
        Shape::Part(h, l, a, sign) => {
            let (t, a) = build(terms, width, a, x, y);
            let (h, l) = (h % width, l % width);
            let (h, l) = (h.max(l), h.min(l));
            let part = terms.extract(h, l, t);
            let len = h - l + 1;
            let value = a >> l & crate::term::mask(len);
            match sign {
                true => {
                    let wide = crate::term::signed(len, value) as u128 & cut;
                    (terms.sext(width, part), wide)
                }
                false => (terms.zext(width, part), value),
            }
        }
        // A write then a read, in an array that holds `x` everywhere.
        Shape::Read(i, v, j) => {
            let [(s, i), (t, v), (u, j)] = [i, v, j].map(|e| build(terms, width, e, x, y));
            let base = terms.constant("x", Sort::Bv(width));
            let array = terms.const_array(width, base);
            let array = terms.store(array, s, t);
            (terms.select(array, u), if i == j { v } else { x })
        }
    }
}

fn agrees(width: u16, shape: &Shape, x: u128, y: u128) {
    let (x, y) = (x & crate::term::mask(width), y & crate::term::mask(width));
    let mut terms = Terms::new();
    let (t, want) = build(&mut terms, width, shape, x, y);
    let (cx, cy) = (
        terms.constant("x", Sort::Bv(width)),
        terms.constant("y", Sort::Bv(width)),
    );
    let mut model = Model::default();
    model.set(cx, x);
    model.set(cy, y);
    assert_eq!(
        model.bv(&terms, t),
        want,
        "evaluation of {}",
        terms.to_smt(t)
    );
    let (kx, ky) = (terms.bv(width, x), terms.bv(width, y));
    let mut values = crate::Substitution::new([(cx, kx), (cy, ky)]);
    let folded = values.apply(&mut terms, t);
    assert_eq!(
        terms.as_bv(folded),
        Some(want),
        "substitution in {}",
        terms.to_smt(t)
    );
    let mut solver = BitBlaster::new();
    let fixed = [terms.eq(cx, kx), terms.eq(cy, ky)].map(|t| solver.literal(&terms, t));
    let result = terms.bv(width, want);
    let right = terms.eq(t, result);
    let right = solver.literal(&terms, right);
    let free = Budget::unlimited();
    let all = [fixed[0], fixed[1], right];
    assert_eq!(
        solver.check(&terms, &all, &free),
        Ok(Answer::Sat),
        "{}",
        terms.to_smt(t)
    );
    let all = [fixed[0], fixed[1], !right];
    assert_eq!(
        solver.check(&terms, &all, &free),
        Ok(Answer::Unsat),
        "{}",
        terms.to_smt(t)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("CWOLF_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
    ))]
    #[test]
    fn random_terms_of_small_widths(shape in shapes(), width in 1..=8u16, x: u128, y: u128) {
        agrees(width, &shape, x, y);
    }
    #[test]
    fn random_terms_of_large_widths(
        shape in shapes(),
        width in prop::sample::select(vec![16u16, 31, 32, 63, 64]),
        x: u128,
        y: u128,
    ) {
        agrees(width, &shape, x, y);
    }
}

#[test]
fn reads_of_one_array_are_consistent() {
    let mut terms = Terms::new();
    let mut solver = BitBlaster::new();
    let a = terms.constant("a", Sort::Array { index: 8, elem: 8 });
    let [i, j, k] = ["i", "j", "k"].map(|n| terms.constant(n, Sort::Bv(8)));
    let [x, y, z] = [i, j, k].map(|n| terms.select(a, n));
    let different = [terms.ne(x, y), terms.ne(y, z), terms.ne(x, z)];
    for t in different {
        solver.assert(&terms, t);
    }
    let free = Budget::unlimited();
    assert_eq!(solver.check(&terms, &[], &free), Ok(Answer::Sat));
    let model = solver.model(&terms);
    assert_eq!(model.all(&terms, &different), [1, 1, 1]);
    let same = terms.eq(i, k);
    let same = solver.literal(&terms, same);
    assert_eq!(solver.check(&terms, &[same], &free), Ok(Answer::Unsat));
    assert!(solver.failed(same));
}

#[test]
fn budgets_stop_hard_problems() {
    let mut terms = Terms::new();
    let mut solver = BitBlaster::new();
    // Two factors of a prime number.
    let [x, y] = ["x", "y"].map(|n| terms.constant(n, Sort::Bv(64)));
    let product = terms.mul(x, y);
    let number = terms.bv(64, (1 << 62) - 57);
    let factors = terms.eq(product, number);
    solver.assert(&terms, factors);
    let one = terms.bv(64, 1);
    for n in [x, y] {
        let big = terms.ult(one, n);
        solver.assert(&terms, big);
        let top = terms.extract(63, 32, n);
        let zero = terms.bv(32, 0);
        let small = terms.eq(top, zero);
        solver.assert(&terms, small);
    }
    let limited = solver.check_limited(&terms, &[], Some(10), &Budget::unlimited());
    assert_eq!(limited, Ok(Answer::Unknown));
    let short = Budget::unlimited().timeout(std::time::Duration::from_millis(50));
    assert_eq!(solver.check(&terms, &[], &short), Err(Exhausted::Time));
}
