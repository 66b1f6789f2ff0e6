//! Proof by exhaustion: for 4-bit integers all abstract values of all domains, for 8-bit ones
//! many, signed and unsigned; every operator, every mixed pair of domains, all concrete members.
//!
//! Checked are Definitions 3.2.2 (α and γ), 3.2.3 and 3.2.4 (operators), 3.6.1 (conversions)
//! and 3.7.1 (tests), that traps are reported exactly, that each set has one representation in
//! a domain, and that operators and α are monotone. Counted is how often the result is the
//! best possible one; docs/domains.md keeps the percentages, and they may not fall.

mod concrete;
mod laws;
mod precision;
mod samples;

use concrete::{Bits, Gamma, Results, unary_image};
use cwolf_absint::domain::{BinaryTable, Kind, UnaryOp, UnaryTable, Universe, Value};
use cwolf_cwi::{BinOp, IntTy, value};
use precision::Counts;
use samples::{Sample, samples};

/// The percentages of one width: by operator and domain, and by pair of domains.
#[derive(Default)]
struct Measured {
    operators: Counts,
    pairs: Counts,
}

const TYPES: [IntTy; 4] = [
    IntTy::new(4, true),
    IntTy::new(4, false),
    IntTy::new(8, true),
    IntTy::new(8, false),
];

/// All pairs of 8-bit values take a minute. So a campaign tries all of them, and every run of the tests one right operand in so many,
/// others for each operator and domain.
fn share(ty: IntTy) -> usize {
    let set = |name| std::env::var_os(name).is_some();
    match ty.bits > 4 && !set("CWOLF_PROGRAMS") && !set("CWOLF_BLESS") {
        true => 29,
        false => 1,
    }
}

#[test]
fn every_operator_is_sound_and_as_precise_as_recorded() {
    let measured: Vec<Measured> = std::thread::scope(|scope| {
        let work = |ty: IntTy| scope.spawn(move || measure(ty));
        let threads: Vec<_> = TYPES.into_iter().map(work).collect();
        let join = |t: std::thread::ScopedJoinHandle<Measured>| match t.join() {
            Ok(measured) => measured,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    });
    let mut text = String::new();
    for (types, both) in TYPES.chunks(2).zip(measured.chunks(2)) {
        // Of a share of the pairs, percentages say nothing.
        if share(types[0]) > 1 {
            continue;
        }
        let bits = types[0].bits;
        let universe = Universe::default();
        let names: Vec<&str> = samples(&universe, IntTy::new(bits, true))
            .iter()
            .map(|s| s.name)
            .collect();
        let mut total = Measured::default();
        for part in both {
            total.operators.merge(&part.operators);
            total.pairs.merge(&part.pairs);
        }
        let unary = UnaryOp::ALL.map(|op| format!("{}x", op.symbol()));
        let binary = BinOp::ALL.map(|op| format!("x {} y", op.symbol()));
        let rows: Vec<&str> = unary.iter().chain(&binary).map(String::as_str).collect();
        text += &format!("{bits} bits, by operator, both operands of the same domain:\n\n");
        text += &total.operators.table("operator", &rows, &names);
        text += &format!("\n{bits} bits, all binary operators, by pair of domains:\n\n");
        text += &total.pairs.table("x, y", &names, &names);
        text += "\n";
    }
    precision::check(&text);
}

fn measure(ty: IntTy) -> Measured {
    let universe = &Universe::default();
    let mut gamma = Gamma::new(universe, ty);
    let mut ints = Gamma::new(universe, IntTy::INT);
    let samples = samples(universe, ty);
    let mut measured = Measured::default();
    for (column, sample) in samples.iter().enumerate() {
        for (row, op) in UnaryOp::ALL.into_iter().enumerate() {
            for v in &sample.values {
                let best = unary(universe, &mut gamma, &mut ints, op, ty, *v);
                measured.operators.add(row, column, best);
            }
        }
    }
    for (row, op) in BinOp::ALL.into_iter().enumerate() {
        let results = Results::new(op, ty);
        for (column, right) in samples.iter().enumerate() {
            let some = right.values.iter().enumerate();
            for (_, b) in some.filter(|(n, _)| (n + row + column) % share(ty) == 0) {
                let rows = results.rows(ty, &gamma.of(*b));
                for (n, left) in samples.iter().enumerate() {
                    let outcomes = Outcomes {
                        universe,
                        op,
                        ty,
                        rows: &rows,
                    };
                    let best = outcomes.check(&mut gamma, left, *b);
                    for best in best {
                        measured.pairs.add(n, column, best);
                        if n == column {
                            let row = UnaryOp::ALL.len() + row;
                            measured.operators.add(row, column, best);
                        }
                    }
                }
            }
        }
    }
    measured
}

/// Definition 3.2.3. Says whether the result is the best one.
fn unary(
    universe: &Universe,
    gamma: &mut Gamma,
    ints: &mut Gamma,
    op: UnaryOp,
    ty: IntTy,
    v: Value,
) -> bool {
    let expect = unary_image(op, ty, &gamma.of(v));
    let result = universe.unary(op, ty, v);
    let (result_ty, got) = match op {
        UnaryOp::Not => (IntTy::INT, ints.of(result)),
        _ => (ty, gamma.of(result)),
    };
    let show = || format!("{} {} = {result:?}", op.symbol(), universe.display(ty, v));
    assert!(expect.within(&got), "unsound on {ty:?}: {}", show());
    let kind = universe.unary_kind(op, universe.kind_of(v));
    let best = universe.alpha(result_ty, kind, expect.members(result_ty));
    let best = match op {
        UnaryOp::Not => ints.of(best),
        _ => gamma.of(best),
    };
    got.within(&best)
}

/// One operator with one right operand, to be checked for all left operands.
struct Outcomes<'a> {
    universe: &'a Universe,
    op: BinOp,
    ty: IntTy,
    rows: &'a [(Bits, bool)],
}

impl Outcomes<'_> {
    /// Definitions 3.2.4 and 3.7.1, traps, and monotony in the left operand. Says for each left
    /// operand whether the result is the best one.
    fn check(&self, gamma: &mut Gamma, left: &Sample, b: Value) -> Vec<bool> {
        let (universe, ty) = (self.universe, self.ty);
        let mut seen: Vec<(Kind, Bits, Bits)> = Vec::new();
        let mut best = Vec::new();
        for a in &left.values {
            let members = gamma.of(*a);
            let (mut expect, mut trap) = (Bits::default(), false);
            for v in members.members(ty) {
                let row = &self.rows[(v - value::min(ty)) as usize];
                expect.union(&row.0);
                trap |= row.1;
            }
            let outcome = universe.binary(self.op, ty, *a, ty, b);
            // Tests yield an `int`, but 0 and 1 have the same patterns.
            let got = if self.op.is_test() {
                universe
                    .gamma(IntTy::INT, outcome.value)
                    .iter()
                    .flat_map(|p| p.members())
                    .collect()
            } else {
                gamma.of(outcome.value)
            };
            let show = || {
                format!(
                    "{} {} {} = {:?}",
                    universe.display(ty, *a),
                    self.op.symbol(),
                    universe.display(ty, b),
                    outcome
                )
            };
            assert!(expect.within(&got), "unsound on {ty:?}: {}", show());
            assert_eq!(outcome.may_trap, trap, "trap on {ty:?}: {}", show());
            best.push(got == expect || self.is_best(gamma, *a, b, &expect, &got));
            if ty.bits <= 4 {
                let kind = universe.kind_of(*a);
                // Results of one domain; ⊤ of `int` counts as `minmax`, and is finer than others.
                for (_, smaller, result) in seen.iter().filter(|s| s.0 == kind) {
                    let grew = !smaller.within(&members) || result.within(&got);
                    assert!(grew, "not monotone on {ty:?}: {}", show());
                }
                seen.push((kind, members, got));
            }
        }
        best
    }
    fn is_best(&self, gamma: &mut Gamma, a: Value, b: Value, expect: &Bits, got: &Bits) -> bool {
        if self.op.is_test() {
            return false; // 0, 1 and both are all there.
        }
        let u = self.universe;
        let kind = u.mix(u.kind_of(a), u.kind_of(b));
        let best = u.alpha(self.ty, kind, expect.members(self.ty));
        got.within(&gamma.of(best))
    }
}

#[test]
fn tables_agree_with_the_operators() {
    let u = Universe::default();
    for ty in [IntTy::new(4, true), IntTy::new(4, false)] {
        let samples = samples(&u, ty);
        for left in &samples {
            for op in UnaryOp::ALL {
                let Some(table) = UnaryTable::new(&u, op, ty, left.kind, left.kind) else {
                    continue;
                };
                for a in &left.values {
                    let direct = u.unary_to(op, ty, *a, left.kind);
                    assert_eq!(table.apply(*a).value, direct, "{op:?} {a:?}");
                }
            }
            for right in &samples {
                for op in BinOp::ALL {
                    let (l, r) = ((ty, left.kind), (ty, right.kind));
                    let Some(table) = BinaryTable::new(&u, op, l, r, left.kind) else {
                        continue;
                    };
                    for a in &left.values {
                        for b in &right.values {
                            let direct = u.binary_to(op, ty, *a, ty, *b, left.kind);
                            assert_eq!(table.apply(*a, *b), direct, "{a:?} {op:?} {b:?}");
                        }
                    }
                }
            }
        }
    }
}
