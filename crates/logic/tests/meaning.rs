//! Constant folding against `cwi::value`, which says what every operator means.

use cwolf_cwi::value::{self, Trap};
use cwolf_cwi::{BinOp as Op, IntTy};
use cwolf_logic::{Term, Terms};

fn apply(terms: &mut Terms, op: Op, signed: bool, a: Term, b: Term) -> Term {
    let test = |terms: &mut Terms, t| terms.from_bool(32, t);
    match op {
        Op::Add => terms.add(a, b),
        Op::Sub => terms.sub(a, b),
        Op::Mul => terms.mul(a, b),
        Op::Div if signed => terms.sdiv(a, b),
        Op::Div => terms.udiv(a, b),
        Op::Rem if signed => terms.srem(a, b),
        Op::Rem => terms.urem(a, b),
        Op::BitAnd => terms.bvand(a, b),
        Op::BitOr => terms.bvor(a, b),
        Op::BitXor => terms.bvxor(a, b),
        Op::Shl => terms.shl(a, b),
        Op::Shr if signed => terms.ashr(a, b),
        Op::Shr => terms.lshr(a, b),
        Op::Eq => {
            let t = terms.eq(a, b);
            test(terms, t)
        }
        Op::Ne => {
            let t = terms.ne(a, b);
            test(terms, t)
        }
        Op::Lt | Op::Gt => {
            let (a, b) = if op == Op::Lt { (a, b) } else { (b, a) };
            let t = if signed {
                terms.slt(a, b)
            } else {
                terms.ult(a, b)
            };
            test(terms, t)
        }
        Op::Le | Op::Ge => {
            let (a, b) = if op == Op::Le { (a, b) } else { (b, a) };
            let t = if signed {
                terms.sle(a, b)
            } else {
                terms.ule(a, b)
            };
            test(terms, t)
        }
        Op::And | Op::Or => {
            let (a, b) = (terms.nonzero(a), terms.nonzero(b));
            let t = if op == Op::And {
                terms.and(a, b)
            } else {
                terms.or(a, b)
            };
            test(terms, t)
        }
    }
}

#[test]
fn operators_mean_what_cwi_says() {
    for bits in [1u16, 3, 4, 8, 31, 32, 64, 127, 128] {
        for signed in [false, true] {
            let ty = IntTy::new(bits, signed);
            let mut values: Vec<i128> = (-9..=9).map(|n| value::wrap(ty, n)).collect();
            values.extend([
                value::min(ty),
                value::max(ty),
                value::wrap(ty, value::max(ty) / 3),
            ]);
            for op in Op::ALL {
                for (&a, &b) in values
                    .iter()
                    .flat_map(|a| values.iter().map(move |b| (a, b)))
                {
                    let want = match value::int_binary(op, ty, a, b) {
                        Ok(want) => want,
                        Err(Trap::DivisionByZero | Trap::DivisionOverflow) => continue,
                        Err(Trap::ShiftOutOfRange) => continue,
                    };
                    let mut terms = Terms::new();
                    let (s, t) = (terms.bv(bits, a as u128), terms.bv(bits, b as u128));
                    let out = apply(&mut terms, op, signed, s, t);
                    let (width, out) = (terms.width(out), terms.as_bv(out).expect("folded"));
                    let want = want as u128 & (u128::MAX >> (128 - width));
                    assert_eq!(out, want, "{a} {} {b} of {ty:?}", op.symbol());
                }
            }
        }
    }
}
