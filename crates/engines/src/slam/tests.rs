//! Dereferences restricted by predicates (SATABS, Definition 4) leave every relation as it is.

#[path = "../../tests/engines/common.rs"]
mod given;

use super::abstraction::{Abstraction, Abstractor, Predicates};
use super::blocks::{Blocks, Refused};
use crate::task::{Checks, Task};
use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_encode::Point;
use cwolf_logic::{BinOp, Node, Sort, Term};
use given::{Random, compile, seeds};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// The comparisons in what blocks do.
fn comparisons(blocks: &Blocks<'_>) -> Vec<Term> {
    let terms = &blocks.encoder.terms;
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut work: Vec<Term> = blocks.moves().iter().map(|m| blocks.guard(*m)).collect();
    for end in blocks.blocks.iter().flat_map(|b| &b.region.ends) {
        work.extend(end.state.cells().map(|(_, t)| t));
    }
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        terms.for_each_operand(t, |o| work.push(o));
        if let Node::Bin(BinOp::Eq | BinOp::Slt | BinOp::Ult, a, _) = terms.node(t)
            && terms.sort(a) != Sort::Bool
        {
            found.push(t);
        }
    }
    found.sort_unstable();
    found
}

/// Abstracts each move of a program over its own comparisons, as the points-to analysis has it and
/// restricted: the relations must be the same. The cases before and after.
fn compare(text: &str, checks: Checks, most: usize) -> [usize; 2] {
    let program = Analysed::from(compile(text).expect("C"));
    let task = Task {
        program: &program,
        entry: program.function("main").expect("main"),
        checks,
        error_functions: Vec::new(),
    };
    let budget = Budget::unlimited();
    cwolf_base::with_stack(|| {
        let mut blocks = match Blocks::new(&task, &[], false, &budget) {
            Ok(blocks) => blocks,
            Err(Refused::Unsupported(_)) => return [0; 2],
            Err(Refused::Exhausted(why)) => panic!("{why}"),
        };
        let mut predicates = Predicates::default();
        let points: Vec<Point> = blocks.starts.keys().copied().collect();
        for t in comparisons(&blocks) {
            for point in &points {
                if predicates.at(*point).len() < most {
                    predicates.add(&mut blocks, *point, t);
                }
            }
        }
        let mut cases = [0; 2];
        for how in [Abstractor::Sat, Abstractor::Cubes] {
            let mut plain = Abstraction::new(how);
            plain.restrict = false;
            let mut restricted = Abstraction::new(how);
            for m in blocks.moves() {
                let before = plain.relation(&mut blocks, &predicates, m, &budget);
                let after = restricted.relation(&mut blocks, &predicates, m, &budget);
                assert_eq!(before, after, "{how:?} {m:?} of\n{text}");
            }
            let moves = blocks.moves();
            assert_eq!(
                restricted.check(&mut blocks, &moves, &budget),
                Ok(true),
                "{text}"
            );
            cases[0] += restricted.cases[0];
            cases[1] += restricted.cases[1];
        }
        cases
    })
}

/// A loop over assignments through pointers and comparisons of them.
fn program(seed: u64) -> String {
    let mut r = Random::new(seed);
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assert(int);\n\
         int x, y, z, t[3]; struct { int a; int *b; } s; int *p = &x, *q; int **pp = &p;\n\
         int main(void) { int *l = &y; while (__VERIFIER_nondet_int()) {\n",
    );
    let pointers = ["p", "q", "l", "*pp", "s.b"];
    let targets = ["&x", "&y", "&z", "&t[1]", "&s.a", "p", "q", "l", "0"];
    let values = ["x", "y", "*p", "*q", "*l", "**pp", "t[1]", "s.a", "3"];
    for _ in 0..3 + r.below(4) {
        let (v, w) = (r.of(&values[..8]), r.of(&values));
        let (a, b) = (r.of(&pointers), r.of(&targets));
        let _ = match r.below(6) {
            0 => writeln!(text, "{a} = {b};"),
            1 => writeln!(text, "if ({a} == {b}) {v} = {w};"),
            2 => writeln!(text, "if ({v} < {w}) {a} = {b};"),
            3 => writeln!(text, "{v} = {w} + 1;"),
            4 => {
                let to = r.of(&["&p", "&q", "&s.b"]);
                writeln!(text, "if (x > 0) pp = {to};")
            }
            _ => writeln!(text, "if (p == &x) q = {b}; else {v} = {w};"),
        };
    }
    let (v, w) = (r.of(&values), r.of(&values));
    let _ = writeln!(text, "}} __VERIFIER_assert({v} != {w}); return 0; }}");
    text
}

#[test]
fn restricted_dereferences_leave_relations_as_they_are() {
    let mut cases = [0; 2];
    for n in seeds(20, 1) {
        let checks = Checks {
            assertions: true,
            pointer: n % 2 == 0,
            bounds: n % 2 == 0,
            ..Checks::default()
        };
        let [all, left] = compare(&program(n), checks, 6);
        cases[0] += all;
        cases[1] += left;
    }
    assert!(cases[1] < cases[0], "{cases:?}");
}

/// Figure 4: `p` leads to `x`, `y` or, by the points-to analysis, `z`.
#[test]
fn figure_4() {
    let text = "int x, y, z, *p; extern int __VERIFIER_nondet_int(void);
        int main(void) { while (__VERIFIER_nondet_int()) {
          if (__VERIFIER_nondet_int()) p = &x; else if (__VERIFIER_nondet_int()) p = &y; else p = &z;
          while (__VERIFIER_nondet_int()) { x = 5; y = *p + 1; *p = 2 * y; }
          if (p == &x) x = 1; if (p == &y) y = 2; if (x == 5) z = 3; } return 0; }";
    let [all, left] = compare(text, Checks::default(), 8);
    assert!(left < all, "{left} of {all}");
}
