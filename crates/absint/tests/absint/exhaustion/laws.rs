//! α and γ, the order, conversions, casts and bounding operations.

use super::TYPES;
use super::concrete::{Bits, Gamma, all};
use super::samples::{Random, Sample, samples};
use cwolf_absint::domain::{Kind, Universe, Value, mirror, opposite};
use cwolf_cwi::{BinOp, IntTy, value};

/// With 8 bits there are too many pairs to look at each.
fn stride(ty: IntTy) -> usize {
    if ty.bits <= 4 { 1 } else { 7 }
}

/// Runs a check on all types and their domains.
fn on_all_types(check: impl Fn(&Universe, &mut Gamma, IntTy, &[Sample])) {
    for ty in TYPES {
        let universe = Universe::default();
        let samples = samples(&universe, ty);
        check(&universe, &mut Gamma::new(&universe, ty), ty, &samples);
    }
}

#[test]
fn each_set_of_a_domain_is_one_value() {
    on_all_types(|u, gamma, ty, samples| {
        for sample in samples {
            let mut sets = Vec::new();
            for v in &sample.values {
                let set = gamma.of(*v);
                assert!(!sets.contains(&set), "{v:?} is there twice");
                sets.push(set);
                assert_eq!(u.alpha(ty, sample.kind, set.members(ty)), *v, "α(γ({v:?}))");
                assert_eq!(u.convert(ty, *v, sample.kind), *v);
                assert_eq!(u.convert(ty, *v, Kind::Free), *v);
                assert_eq!(u.is_top(ty, *v), *v == u.top(ty, sample.kind));
                assert_eq!(v.is_bottom(), set.is_empty());
            }
        }
    });
}

/// Definition 3.2.2, and more: α(S) ⊑ v if and only if S ⊆ γ(v), for all v of the domain.
#[test]
fn alpha_and_gamma_are_a_galois_connection() {
    on_all_types(|u, gamma, ty, samples| {
        let mut random = Random(1);
        let sets: Vec<Bits> = match ty.bits {
            4 => (0..1 << 16)
                .step_by(7)
                .map(|n: u32| all(ty).filter(|v| n >> (v & 15) & 1 == 1).collect())
                .collect(),
            _ => (0..1000).map(|_| random.set(ty)).collect(),
        };
        for sample in samples {
            for set in &sets {
                let alpha = u.alpha(ty, sample.kind, set.members(ty));
                let closed = gamma.of(alpha);
                assert!(set.within(&closed), "{set:?} is not in {alpha:?}");
                for v in &sample.values {
                    let v = gamma.of(*v);
                    assert_eq!(closed.within(&v), set.within(&v), "{set:?} {alpha:?}");
                }
            }
        }
    });
}

/// The order is inclusion; ⊔ and ⊓ are the closest values of the domain; bounds are exact.
#[test]
fn order_joins_and_meets_are_those_of_the_sets() {
    on_all_types(|u, gamma, ty, samples| {
        for left in samples {
            for (a, right) in left.values.iter().zip(samples.iter().cycle()) {
                for b in right.values.iter().chain(&left.values).step_by(stride(ty)) {
                    let (x, y) = (gamma.of(*a), gamma.of(*b));
                    assert_eq!(u.leq(ty, *a, *b), x.within(&y), "{a:?} ⊑ {b:?}");
                    assert_eq!(u.overlaps(ty, *a, *b), !x.common(&y).is_empty());
                    let mut both = x;
                    both.union(&y);
                    let join = u.join(ty, left.kind, *a, *b);
                    assert_eq!(
                        join,
                        u.alpha(ty, left.kind, both.members(ty)),
                        "{a:?} ⊔ {b:?}"
                    );
                    let meet = u.meet(ty, left.kind, *a, *b);
                    let common = x.common(&y).members(ty);
                    assert_eq!(meet, u.alpha(ty, left.kind, common), "{a:?} ⊓ {b:?}");
                    let free = u.join(ty, Kind::Free, *a, *b);
                    assert!(both.within(&gamma.of(free)));
                    let free = u.meet(ty, Kind::Free, *a, *b);
                    assert!(x.common(&y).within(&gamma.of(free)));
                }
                let set = gamma.of(*a);
                let bounds = set.members(ty).min().zip(set.members(ty).max());
                assert_eq!(u.bounds(ty, *a), bounds);
                assert_eq!(u.count(ty, *a), Some(set.members(ty).count() as u128));
            }
        }
    });
}

/// Definition 3.6.1, with the best value that the target domain has.
#[test]
fn conversions_are_the_best_possible() {
    on_all_types(|u, gamma, ty, samples| {
        for (from, v) in pairs(samples) {
            for to in samples {
                let expect = u.alpha(ty, to.kind, gamma.of(v).members(ty));
                assert_eq!(u.convert(ty, v, to.kind), expect, "{} {v:?}", from.name);
            }
        }
    });
}

fn pairs(samples: &[Sample]) -> impl Iterator<Item = (&Sample, Value)> {
    samples
        .iter()
        .flat_map(|s| s.values.iter().map(move |v| (s, *v)))
}

#[test]
fn casts_are_the_best_possible() {
    for from in TYPES {
        for to in TYPES
            .into_iter()
            .chain([IntTy::new(1, false), IntTy::new(6, true)])
        {
            let u = Universe::default();
            let (mut before, mut after) = (Gamma::new(&u, from), Gamma::new(&u, to));
            for (sample, v) in pairs(&samples(&u, from)) {
                let wrapped = |v: i128| value::wrap(to, v);
                let image: Bits = before.of(v).members(from).map(wrapped).collect();
                // The patterns of a narrow type's values differ from those of wider ones.
                let image: Vec<i128> = image.members(to).collect();
                let cast = u.cast(from, to, v);
                let best = u.alpha(to, u.kind_of(v), image.iter().copied());
                let (got, best) = (after.of(cast), after.of(best));
                let image: Bits = image.into_iter().collect();
                assert!(image.within(&got), "({to:?}) {from:?} {v:?}");
                assert!(got.within(&best), "({to:?}) {from:?} {v:?} = {cast:?}");
                let direct = u.cast_to(from, to, v, sample.kind);
                assert!(image.within(&after.of(direct)));
            }
        }
    }
}

/// 3.7.9 and 3.9.9: what a true comparison leaves of its operands.
#[test]
fn constraints_are_the_best_possible() {
    on_all_types(|u, gamma, ty, samples| {
        let comparisons = BinOp::ALL.into_iter().filter(|op| op.is_comparison());
        for op in comparisons {
            let holds = |x, y| value::int_binary(op, ty, x, y) == Ok(1);
            let partners = |x| all(ty).filter(|y| holds(x, *y)).collect();
            let partners: Vec<Bits> = all(ty).map(partners).collect();
            for left in samples {
                for (a, right) in left.values.iter().zip(samples.iter().cycle()) {
                    for b in right.values.iter().chain(&left.values).step_by(stride(ty)) {
                        let (xs, ys) = (gamma.of(*a), gamma.of(*b));
                        let partners = |x: &i128| partners[(x - value::min(ty)) as usize];
                        let has_partner = |x: &i128| !partners(x).common(&ys).is_empty();
                        let kept: Bits = xs.members(ty).filter(has_partner).collect();
                        let got = u.constrain(op, ty, *a, *b, left.kind);
                        let best = u.alpha(ty, left.kind, kept.members(ty));
                        assert_eq!(got, best, "{ty:?} {a:?} {op:?} {b:?}");
                        let (l, r) = u.constrain_both(op, ty, *a, *b);
                        assert!(kept.within(&gamma.of(l)), "{a:?} {op:?} {b:?} {l:?}");
                        let mirrored = u.constrain(mirror(op), ty, *b, *a, Kind::Free);
                        assert!(gamma.of(r).within(&gamma.of(mirrored)));
                    }
                }
            }
        }
    });
}

#[test]
fn switch_cases_and_truth_split_the_values() {
    on_all_types(|u, gamma, ty, samples| {
        for (sample, v) in pairs(samples) {
            let set = gamma.of(v);
            for (lo, hi) in [(0, 0), (1, 3), (value::min(ty), 2), (5, value::max(ty))] {
                let case: Bits = set.members(ty).filter(|x| lo <= *x && *x <= hi).collect();
                let rest = set.without(&case);
                let expect = |s: &Bits| u.alpha(ty, sample.kind, s.members(ty));
                assert_eq!(u.between(ty, v, lo, hi, sample.kind), expect(&case));
                assert_eq!(u.outside(ty, v, lo, hi, sample.kind), expect(&rest));
            }
            let zero: Bits = set.members(ty).filter(|x| *x == 0).collect();
            let truth = u.truth(ty, v);
            assert_eq!(truth.may_be_false(), !zero.is_empty());
            assert_eq!(truth.may_be_true(), !set.without(&zero).is_empty());
            let yes = u.assume(ty, v, true, sample.kind);
            assert!(set.without(&zero).within(&gamma.of(yes)));
        }
    });
}

#[test]
fn opposite_comparisons_exclude_each_other() {
    let ty = IntTy::new(4, true);
    for op in BinOp::ALL.into_iter().filter(|op| op.is_comparison()) {
        let other = opposite(op).expect("a comparison has an opposite");
        for a in all(ty) {
            for b in all(ty) {
                let holds = |op: BinOp, a, b| value::int_binary(op, ty, a, b);
                assert_ne!(holds(op, a, b), holds(other, a, b));
                assert_eq!(holds(op, a, b), holds(mirror(op), b, a));
            }
        }
    }
    assert_eq!(opposite(BinOp::Add), None);
}

/// Asking for the result in a domain is sound and never worse than converting it.
#[test]
fn results_in_a_given_domain_are_at_least_as_good_as_converted_ones() {
    on_all_types(|u, gamma, ty, samples| {
        let mut random = Random(3);
        for op in BinOp::ALL.into_iter().filter(|op| !op.is_test()) {
            for _ in 0..3000 {
                let mut pick = || {
                    let sample = &samples[random.next() as usize % samples.len()];
                    let v = sample.values[random.next() as usize % sample.values.len()];
                    (sample, v)
                };
                let ((_, a), (_, b), (into, _)) = (pick(), pick(), pick());
                let direct = u.binary_to(op, ty, a, ty, b, into.kind);
                let natural = u.binary(op, ty, a, ty, b);
                let converted = u.convert(ty, natural.value, into.kind);
                let show = || format!("{a:?} {op:?} {b:?} to {}", into.name);
                assert!(u.leq(ty, direct.value, converted), "{}", show());
                assert_eq!(direct.may_trap, natural.may_trap, "{}", show());
                let (xs, ys) = (gamma.of(a), gamma.of(b));
                let got = gamma.of(direct.value);
                for x in xs.members(ty).step_by(3) {
                    for y in ys.members(ty).step_by(3) {
                        if let Ok(v) = value::int_binary(op, ty, x, y) {
                            let one: Bits = [v].into_iter().collect();
                            assert!(one.within(&got), "{}", show());
                        }
                    }
                }
            }
        }
    });
}
