//! Interpolants of random formulas against their definition.

use super::*;
use crate::solver::Lit;
use proptest::prelude::*;

/// A formula that is a premise by itself.
struct Plain<'t> {
    terms: &'t mut Terms,
    solver: BitBlaster,
    formula: Term,
    shared: Vec<Term>,
}

impl Premise for Plain<'_> {
    fn terms(&mut self) -> &mut Terms {
        self.terms
    }
    fn shares(&self, constant: Term) -> bool {
        self.shared.contains(&constant)
    }
    fn excludes(&mut self, cube: &[Term], budget: &Budget) -> Result<Option<Vec<Term>>, Exhausted> {
        let mut wanted = vec![self.solver.literal(self.terms, self.formula)];
        wanted.extend(cube.iter().map(|t| self.solver.literal(self.terms, *t)));
        if self.solver.check(self.terms, &wanted, budget)? == Answer::Sat {
            return Ok(None);
        }
        let failed = |l: &Lit| self.solver.failed(*l);
        let core = cube.iter().zip(&wanted[1..]).filter(|(_, l)| failed(l));
        Ok(Some(core.map(|(t, _)| *t).collect()))
    }
}

/// A random formula over the constants: a code that says how to put it together.
fn formula(terms: &mut Terms, constants: &[Term], code: &[u8]) -> Term {
    let mut numbers = constants.to_vec();
    let mut truths = Vec::new();
    for part in code.chunks(3) {
        let [op, a, b] = [
            part[0],
            *part.get(1).unwrap_or(&0),
            *part.get(2).unwrap_or(&1),
        ];
        let x = numbers[usize::from(a) % numbers.len()];
        let y = match b % 4 {
            0 => terms.bv(4, u128::from(b / 4) & 15),
            _ => numbers[usize::from(b) % numbers.len()],
        };
        match op % 8 {
            0 => numbers.push(terms.add(x, y)),
            1 => numbers.push(terms.mul(x, y)),
            2 => numbers.push(terms.bvand(x, y)),
            3 if !truths.is_empty() => {
                let c = truths[usize::from(op / 8) % truths.len()];
                numbers.push(terms.ite(c, x, y));
            }
            4 => truths.push(terms.eq(x, y)),
            5 => truths.push(terms.ult(x, y)),
            6 => truths.push(terms.slt(x, y)),
            _ => truths.push(terms.ne(x, y)),
        }
    }
    let middle = truths.len() / 2;
    let (some, all) = truths.split_at(middle);
    let some = terms.or_all(some.iter().copied());
    let all = terms.and_all(all.iter().copied());
    match middle {
        0 => all,
        _ => terms.and(some, all),
    }
}

fn satisfiable(terms: &Terms, t: Term) -> bool {
    let mut solver = BitBlaster::new();
    solver.assert(terms, t);
    solver.check(terms, &[], &Budget::unlimited()) == Ok(Answer::Sat)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// The first implies the interpolant, the second contradicts it, and it speaks only of what both know;
    /// and where there is none, the two have a common model.
    #[test]
    fn an_interpolant_separates(a in prop::collection::vec(any::<u8>(), 3..40), b in prop::collection::vec(any::<u8>(), 3..40)) {
        let mut terms = Terms::new();
        let sort = Sort::Bv(4);
        let named = ["x", "y", "l", "r"].map(|n| terms.constant(n, sort));
        let [x, y, l, r] = named;
        let a = formula(&mut terms, &[x, y, l], &a);
        let b = formula(&mut terms, &[x, y, r], &b);
        let both = terms.and(a, b);
        let consistent = satisfiable(&terms, both);
        let mut premise = Plain {
            terms: &mut terms,
            solver: BitBlaster::new(),
            formula: a,
            shared: vec![x, y],
        };
        let mut solver = BitBlaster::new();
        let against = Against { solver: &mut solver, formula: b, clauses: 1000 };
        let budget = Budget::unlimited();
        match interpolate(&mut premise, against, &budget).expect("there is no limit") {
            Interpolated::Consistent(_) => prop_assert!(consistent),
            Interpolated::TooMany => prop_assert!(false, "there are 256 shared values"),
            Interpolated::Clauses(clauses) => {
                prop_assert!(!consistent);
                prop_assert!(terms.constants(&clauses).iter().all(|c| *c == x || *c == y));
                let separates = terms.and_all(clauses);
                let not = terms.not(separates);
                let lost = terms.and(a, not);
                prop_assert!(!satisfiable(&terms, lost));
                let met = terms.and(b, separates);
                prop_assert!(!satisfiable(&terms, met));
            }
        }
    }
}
