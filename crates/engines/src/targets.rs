//! The objects that a dereference has to tell apart. The encoding splits by all that the points-to
//! analysis allows; where a condition holds, often fewer are possible (SATABS, Definition 4), and
//! what is done to the others need not be in the formula.

use cwolf_base::{Budget, Exhausted};
use cwolf_encode::{ObjId, object_test};
use cwolf_logic::{Answer, BinOp, Lit, Node, Solver, Substitution, Term, Terms};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Case splits: for each number of an object, the objects that it is compared with, and those
/// comparisons.
pub(crate) type Splits = BTreeMap<Term, Vec<(ObjId, Term)>>;

/// The case splits in some terms.
pub(crate) fn splits(terms: &Terms, roots: &[Term]) -> Splits {
    let mut found = Splits::new();
    for t in parts(terms, roots) {
        if let Some((number, object)) = object_test(terms, t) {
            found.entry(number).or_default().push((object, t));
        }
    }
    found
}

/// Everything that the terms are made of, parts before wholes.
fn parts(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut work = roots.to_vec();
    while let Some(t) = work.pop() {
        if seen.insert(t) {
            terms.for_each_operand(t, |o| work.push(o));
        }
    }
    // A term is numbered when all that it is made of has a number.
    let mut all: Vec<Term> = seen.into_iter().collect();
    all.sort_unstable();
    all
}

/// About how much of a formula terms are: a product takes as many adders as it has bits.
pub(crate) fn weight(terms: &Terms, roots: &[Term]) -> usize {
    let weight = |t: &Term| match terms.node(*t) {
        Node::Bin(BinOp::Mul | BinOp::Udiv | BinOp::Urem | BinOp::Sdiv | BinOp::Srem, a, _) => {
            usize::from(terms.width(a))
        }
        _ => 1,
    };
    parts(terms, roots).iter().map(weight).sum()
}

/// What is possible of one case split.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Possible {
    /// What was asked for.
    cases: Vec<ObjId>,
    /// What is possible of that.
    objects: Vec<ObjId>,
    /// Whether it may be none of the cases.
    other: bool,
}

/// Which cases are possible where some condition holds: θ(p, V).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Targets {
    possible: BTreeMap<Term, Possible>,
}

impl Targets {
    /// Adds what `splits` can be under `context`, by asking the solver, where it is not known yet.
    pub(crate) fn add(
        &mut self,
        solver: &mut dyn Solver,
        terms: &Terms,
        splits: &Splits,
        context: &[Lit],
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let mut open: Vec<(Term, Vec<(ObjId, Lit)>)> = Vec::new();
        for (number, cases) in splits {
            let possible = self.possible.entry(*number).or_default();
            if cases.iter().all(|(o, _)| possible.cases.contains(o)) {
                continue;
            }
            *possible = Possible {
                cases: cases.iter().map(|(o, _)| *o).collect(),
                ..Possible::default()
            };
            let literal = |(o, t): &(ObjId, Term)| (*o, solver.literal(terms, *t));
            open.push((*number, cases.iter().map(literal).collect()));
        }
        for n in 0..open.len() {
            let (number, cases) = open[n].clone();
            let none: Vec<Lit> = cases.iter().map(|(_, lit)| !*lit).collect();
            let questions = cases.iter().map(|(o, lit)| (Some(*o), vec![*lit]));
            for (object, question) in questions.chain([(None, none)]) {
                let known = &self.possible[&number];
                let seen = object.map_or(known.other, |o| known.objects.contains(&o));
                if seen {
                    continue;
                }
                let mut assumptions = context.to_vec();
                assumptions.extend(question);
                match solver.check(terms, &assumptions, budget)? {
                    Answer::Unsat => {}
                    Answer::Sat => self.learn(&open, solver),
                    Answer::Unknown => self.see(number, object),
                }
            }
        }
        for possible in self.possible.values_mut() {
            possible.objects.sort_unstable();
        }
        Ok(())
    }

    /// Every run of the solver says what is possible of all splits.
    fn learn(&mut self, open: &[(Term, Vec<(ObjId, Lit)>)], solver: &dyn Solver) {
        for (number, cases) in open {
            let here = cases.iter().find(|(_, lit)| solver.value(*lit));
            self.see(*number, here.map(|(o, _)| *o));
        }
    }

    fn see(&mut self, number: Term, object: Option<ObjId>) {
        let possible = self.possible.entry(number).or_default();
        match object {
            None => possible.other = true,
            Some(o) if !possible.objects.contains(&o) => possible.objects.push(o),
            Some(_) => {}
        }
    }

    /// How many cases of `splits` there are, and how many of them are possible.
    pub(crate) fn count(&self, splits: &Splits) -> [usize; 2] {
        let mut counts = [0; 2];
        for (number, cases) in splits {
            counts[0] += cases.len();
            counts[1] += match self.possible.get(number) {
                None => cases.len(),
                Some(p) => cases.iter().filter(|(o, _)| p.objects.contains(o)).count(),
            };
        }
        counts
    }

    /// `roots` without the cases that are impossible: the same where the condition holds.
    pub(crate) fn narrow(&self, terms: &mut Terms, roots: &[Term]) -> Vec<Term> {
        let mut done = Substitution::default();
        for t in parts(terms, roots) {
            if let Some(new) = self
                .test(terms, t)
                .or_else(|| self.split(terms, t, &mut done))
            {
                done.insert(t, new);
            }
            done.apply(terms, t);
        }
        roots.iter().map(|t| done.apply(terms, *t)).collect()
    }

    /// The answer of a test that has one.
    fn test(&self, terms: &Terms, t: Term) -> Option<Term> {
        let (number, object) = object_test(terms, t)?;
        let possible = self.possible.get(&number)?;
        if !possible.cases.contains(&object) {
            return None;
        }
        if !possible.objects.contains(&object) {
            return Some(Terms::FALSE);
        }
        (possible.objects.len() == 1 && !possible.other).then_some(Terms::TRUE)
    }

    /// A choice of values by an object's number, where one that is left needs no test.
    fn split(&self, terms: &mut Terms, t: Term, done: &mut Substitution) -> Option<Term> {
        let mut arms: Vec<(Term, ObjId, Term, Term)> = Vec::new();
        let mut rest = t;
        while let Node::Ite(c, value, other) = terms.node(rest) {
            let Some((number, object)) = object_test(terms, c) else {
                break;
            };
            if arms.first().is_some_and(|(n, ..)| *n != number) {
                break;
            }
            arms.push((number, object, c, value));
            rest = other;
        }
        let possible = self.possible.get(&arms.first()?.0)?;
        let named = |o: &ObjId| arms.iter().any(|(_, object, ..)| object == o);
        if possible.other || !possible.objects.iter().all(named) {
            return None;
        }
        arms.retain(|(_, object, ..)| possible.objects.contains(object));
        let last = arms.pop()?;
        let mut result = done.apply(terms, last.3);
        for (_, _, c, value) in arms.into_iter().rev() {
            let (c, value) = (done.apply(terms, c), done.apply(terms, value));
            result = terms.ite(c, value, result);
        }
        Some(result)
    }
}
