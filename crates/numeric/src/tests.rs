//! The domains against `cwi::value`: whatever operators compute from members is a member of the result.

use crate::arith;
use crate::num::Num;
use crate::octagon::{Octagon, Signed};
use cwolf_cwi::{BinOp, IntTy, UnOp, value};
use proptest::prelude::*;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 20
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    fn ty(&mut self) -> IntTy {
        let bits = [1, 3, 8, 16, 32, 64][self.below(6) as usize];
        IntTy::new(bits, self.below(2) == 0)
    }
    /// A value of a type, often one at an end or a small one.
    fn value(&mut self, ty: IntTy) -> i128 {
        let raw = match self.below(5) {
            0 => i128::from(self.below(9)) - 4,
            1 => value::max(ty) - i128::from(self.below(4)),
            2 => value::min(ty) + i128::from(self.below(4)),
            3 => 1i128 << self.below(u64::from(ty.bits)),
            _ => i128::from(self.next() << 21 ^ self.next()),
        };
        value::wrap(ty, raw)
    }
    /// A set of values, with some of its members.
    fn num(&mut self, ty: IntTy) -> (Num, Vec<i128>) {
        let first = self.value(ty);
        match self.below(4) {
            0 => (Num::constant(first), vec![first]),
            1 => {
                let second = self.value(ty);
                let (lo, hi) = (first.min(second), first.max(second));
                let middle = lo + (hi - lo) / 3;
                (Num::range(lo, hi), vec![lo, hi, middle])
            }
            2 => {
                // A progression.
                let step = i128::from(self.below(12) + 1);
                let mut members = vec![first];
                for n in 1..i128::from(self.below(40) + 2) {
                    let v = first + n * step;
                    if v <= value::max(ty) {
                        members.push(v);
                    }
                }
                (Num::of(members.clone()).expect("members"), members)
            }
            _ => {
                let mut num = Num::constant(first);
                let mut members = vec![first];
                for _ in 0..self.below(12) {
                    let v = self.value(ty);
                    num = num.join(&Num::constant(v));
                    members.push(v);
                }
                (num, members)
            }
        }
    }
}

fn some(random: &mut Random, members: &[i128]) -> Vec<i128> {
    (0..6)
        .map(|_| members[random.below(members.len() as u64) as usize])
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn operators_contain_what_values_give(seed in any::<u64>()) {
        let mut random = Random(seed);
        let ty = random.ty();
        let (a, in_a) = random.num(ty);
        let (b, in_b) = random.num(ty);
        for v in &in_a {
            prop_assert!(a.contains(*v), "{v} in {a:?}");
        }
        for op in BinOp::ALL {
            // Amounts are often good ones.
            let (b, in_b) = match op.is_shift() && random.below(2) == 0 {
                true => {
                    let amount = i128::from(random.below(ty.bits.into()));
                    let more = i128::from(random.below(ty.bits.into()));
                    let (lo, hi) = (amount.min(more), amount.max(more));
                    (Num::range(lo, hi), vec![lo, hi])
                }
                false => (b.clone(), in_b.clone()),
            };
            let result = arith::binary(op, ty, &a, &b);
            let fits = arith::binary_fits(op, ty, &a, &b);
            for (x, y) in some(&mut random, &in_a).into_iter().zip(some(&mut random, &in_b)) {
                match value::int_binary(op, ty, x, y) {
                    Ok(v) => {
                        let held = result.num.as_ref().is_some_and(|n| n.contains(v));
                        prop_assert!(held, "{x} {op:?} {y} = {v} of {ty:?} in {result:?}\n{a:?}\n{b:?}");
                    }
                    Err(_) => prop_assert!(result.traps, "{x} {op:?} {y} of {ty:?}"),
                }
                if let Some(fits) = fits {
                    prop_assert_eq!(fits, value::binary_fits(op, ty, x, y), "{} {:?} {} of {:?}\n{:?}\n{:?}", x, op, y, ty, a, b);
                }
                if op.is_comparison() && let Some(known) = arith::compare(op, &a, &b) {
                    let really = value::int_binary(op, ty, x, y) == Ok(1);
                    prop_assert_eq!(known, really);
                }
            }
        }
        for op in [UnOp::Neg, UnOp::BitNot, UnOp::Not] {
            let result = arith::unary(op, ty, &a);
            for x in some(&mut random, &in_a) {
                let v = value::int_unary(op, ty, x);
                prop_assert!(result.contains(v), "{op:?} {x} = {v} of {ty:?} in {result:?}");
            }
        }
        let to = random.ty();
        let converted = arith::convert(to, &a);
        for x in some(&mut random, &in_a) {
            let v = value::wrap(to, x);
            prop_assert!(converted.contains(v), "{x} as {to:?} in {converted:?} from {a:?}");
        }
    }

    #[test]
    fn lattice_operations_keep_members(seed in any::<u64>()) {
        let mut random = Random(seed);
        let ty = random.ty();
        let (a, in_a) = random.num(ty);
        let (b, in_b) = random.num(ty);
        let joined = a.join(&b);
        let room = (value::min(ty), value::max(ty));
        let steps = [-100, -1, 0, 1, 7, 100];
        let widened = a.widen(&b, &steps, room);
        let met = a.meet(&b);
        for v in in_a.iter().chain(&in_b) {
            prop_assert!(joined.contains(*v), "{v} in {joined:?}");
            prop_assert!(widened.contains(*v), "{v} in {widened:?}");
            let both = a.contains(*v) && b.contains(*v);
            let kept = met.as_ref().is_some_and(|m| m.contains(*v));
            prop_assert!(!both || kept, "{v} in {a:?} and {b:?}: {met:?}");
        }
        prop_assert!(a.is_in(&joined) || a.values().is_none(), "{a:?} {joined:?}");
        if a.is_in(&b) {
            for v in &in_a {
                prop_assert!(b.contains(*v), "{v}: {a:?} is said to be in {b:?}");
            }
        }
        let out = random.value(ty);
        let rest = a.without(out);
        for v in in_a.iter().filter(|v| **v != out) {
            prop_assert!(rest.as_ref().is_some_and(|r| r.contains(*v)), "{v} in {a:?} without {out}");
        }
        // Chains of widening end.
        let mut wide = a;
        for n in 0.. {
            prop_assert!(n < 200, "no end: {wide:?}");
            let v = random.value(ty);
            let next = wide.widen(&Num::constant(v), &steps, room);
            prop_assert!(next.contains(v) && wide.is_in(&next));
            if n > 60 && next == wide {
                break;
            }
            wide = next;
        }
    }

    /// A point that satisfies all limits goes wherever operations take it.
    #[test]
    fn octagons_keep_their_points(seed in any::<u64>()) {
        let mut random = Random(seed);
        let vars = 2 + random.below(4) as usize;
        let mut points: Vec<Vec<i128>> = (0..3)
            .map(|_| (0..vars).map(|_| i128::from(random.below(41)) - 20).collect())
            .collect();
        let signed = |random: &mut Random| Signed {
            var: random.below(vars as u64) as usize,
            negative: random.below(2) == 0,
        };
        let value = |point: &[i128], s: Signed| if s.negative { -point[s.var] } else { point[s.var] };
        let mut octagon = Octagon::top(vars);
        for _ in 0..30 {
            match random.below(5) {
                0..=2 => {
                    let (a, b) = (signed(&mut random), signed(&mut random));
                    let most = points.iter().map(|p| value(p, a) + value(p, b)).max();
                    let slack = i128::from(random.below(3));
                    octagon.limit(a, b, most.expect("points") + slack);
                }
                3 => {
                    prop_assert!(octagon.close());
                    let var = random.below(vars as u64) as usize;
                    let from = signed(&mut random);
                    let by = i128::from(random.below(9)) - 4;
                    octagon.assign(var, from, by);
                    for point in &mut points {
                        point[var] = value(point, from) + by;
                    }
                }
                _ => {
                    prop_assert!(octagon.close());
                    let mut other = Octagon::top(vars);
                    for n in 0..vars {
                        other.limit_one(Signed::plus(n), 30);
                        other.limit_one(Signed::minus(n), 25);
                    }
                    prop_assert!(other.close());
                    let far: Vec<i128> = (0..vars).map(|_| i128::from(random.below(30))).collect();
                    octagon = match random.below(2) {
                        0 => octagon.join(&other),
                        _ => octagon.widen(&other),
                    };
                    points.push(far);
                }
            }
            prop_assert!(octagon.close(), "{octagon:?}");
            for point in &points {
                prop_assert!(octagon.contains(point), "{point:?} in {octagon:?}");
                for (n, value) in point.iter().enumerate().take(vars) {
                    let (lo, hi) = octagon.bounds(n);
                    prop_assert!(lo.is_none_or(|lo| lo <= *value) && hi.is_none_or(|hi| *value <= hi));
                }
            }
            prop_assert!(octagon.is_in(&octagon.clone()));
        }
    }
}
