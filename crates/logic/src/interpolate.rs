//! Craig interpolants without proofs (Chockler, Ivrii and Matsliah, 2012): what separates two formulas that
//! contradict each other, said in constants that both have. A model of the second formula is taken for the comparisons that
//! make the formula true there; the first one excludes some of these together, and their negation is a clause of the
//! interpolant. Clauses are made of comparisons of words, not of bits.

use crate::bitblast::BitBlaster;
use crate::eval::Model;
use crate::justify::Justify;
use crate::solver::{Answer, Solver};
use crate::substitute::Substitution;
use crate::term::{BinOp, Node, Sort, Term, Terms};
use cwolf_base::{Budget, Exhausted};

/// What implies an interpolant.
pub trait Premise {
    /// The terms that it is made of.
    fn terms(&mut self) -> &mut Terms;
    /// Whether a constant may occur in the interpolant.
    fn shares(&self, constant: Term) -> bool;
    /// Those of `cube` that exclude each other under the premise; none if all of them can hold.
    ///
    /// # Errors
    /// When the budget ran out.
    fn excludes(&mut self, cube: &[Term], budget: &Budget) -> Result<Option<Vec<Term>>, Exhausted>;
}

/// What an interpolant contradicts.
pub struct Against<'s> {
    /// A solver that knows what may be taken for granted.
    pub solver: &'s mut BitBlaster,
    /// What must not hold.
    pub formula: Term,
    /// More clauses are too many.
    pub clauses: usize,
}

/// What came of interpolating.
pub enum Interpolated {
    /// The clauses of an interpolant.
    Clauses(Vec<Term>),
    /// The two formulas have a common model; this is how the second one holds in it.
    Consistent(Model),
    /// Too many clauses.
    TooMany,
}

/// So many questions make a clause shorter.
const TRIES: usize = 24;

/// An interpolant between the premise and what is against it: the premise implies each of its clauses (every one is the answer of
/// a solver), and together they contradict the formula (the last answer of another).
///
/// # Errors
/// When the budget ran out.
pub fn interpolate(
    premise: &mut dyn Premise,
    against: Against<'_>,
    budget: &Budget,
) -> Result<Interpolated, Exhausted> {
    let Against {
        solver, formula, ..
    } = against;
    let mut clauses = Vec::new();
    let active = solver.fresh();
    let wanted = solver.literal(premise.terms(), formula);
    let found = loop {
        if solver.check(premise.terms(), &[wanted, active], budget)? != Answer::Sat {
            break Interpolated::Clauses(clauses);
        }
        if clauses.len() >= against.clauses {
            break Interpolated::TooMany;
        }
        let model = solver.model(premise.terms());
        let Some(cube) = excluded(premise, formula, &model, budget)? else {
            break Interpolated::Consistent(model);
        };
        let cube = shorten(premise, cube, budget)?;
        let terms = premise.terms();
        let all = terms.and_all(cube);
        let clause = terms.not(all);
        let literal = solver.literal(terms, clause);
        solver.clause(&[!active, literal]);
        clauses.push(clause);
    };
    solver.clause(&[!active]);
    Ok(found)
}

/// Comparisons that hold in the model and that the premise excludes; none if it admits the model.
fn excluded(
    premise: &mut dyn Premise,
    formula: Term,
    model: &Model,
    budget: &Budget,
) -> Result<Option<Vec<Term>>, Exhausted> {
    let mut literals = Vec::new();
    Justify::new(model).literals(premise.terms(), formula, &mut literals);
    let mut own = Vec::new();
    let mut others = Vec::new();
    for t in literals {
        let constants = premise.terms().constants(&[t]);
        match constants.iter().all(|c| premise.shares(*c)) {
            true => own.push(t),
            false => others.push((t, constants)),
        }
    }
    // Where it is enough, no value that only the formula knows plays a part.
    if let Some(core) = premise.excludes(&own, budget)? {
        return Ok(Some(core));
    }
    if others.is_empty() {
        return Ok(None);
    }
    for (t, constants) in others {
        let mut values = Vec::new();
        for c in constants {
            if !premise.shares(c) {
                values.push((c, model.term(premise.terms(), c)));
            }
        }
        let t = Substitution::new(values).apply(premise.terms(), t);
        if t != Terms::TRUE {
            own.push(t);
        }
    }
    own.sort_unstable();
    own.dedup();
    premise.excludes(&own, budget)
}

/// A part of the cube, or one that holds more often, that the premise excludes as well.
fn shorten(
    premise: &mut dyn Premise,
    mut cube: Vec<Term>,
    budget: &Budget,
) -> Result<Vec<Term>, Exhausted> {
    let mut tries = TRIES;
    let mut at = 0;
    while at < cube.len() && tries > 0 {
        let without: Vec<Term> = others(&cube, at);
        tries -= 1;
        match premise.excludes(&without, budget)? {
            Some(core) => cube = core,
            None => at += 1,
        }
    }
    let mut at = 0;
    while at < cube.len() && tries > 0 {
        for weaker in weaker(premise.terms(), cube[at]) {
            if tries == 0 {
                break;
            }
            let mut wider = others(&cube, at);
            wider.push(weaker);
            tries -= 1;
            if premise.excludes(&wider, budget)?.is_some() {
                cube[at] = weaker;
                break;
            }
        }
        at += 1;
    }
    Ok(cube)
}

fn others(cube: &[Term], at: usize) -> Vec<Term> {
    let mut without = cube.to_vec();
    without.remove(at);
    without
}

/// An equation as an inequality.
fn weaker(terms: &mut Terms, t: Term) -> Vec<Term> {
    match terms.node(t) {
        Node::Bin(BinOp::Eq, a, b) if matches!(terms.sort(a), Sort::Bv(2..)) => vec![
            terms.sle(b, a),
            terms.sle(a, b),
            terms.ule(b, a),
            terms.ule(a, b),
        ],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
