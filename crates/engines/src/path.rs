//! One way through the program, made exact: a run that takes it, or the conditions on it that
//! contradict each other (NEWTON's question, bit by bit).

use crate::common::{self, Failures};
use crate::task::Failure;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::FuncId;
use cwolf_cwi::graph::Analysed;
use cwolf_encode::{BlockPath, Bounds, Checks, Encoder, Mode, Options, Why};
use cwolf_logic::{Answer, BitBlaster, Lit, Solver, Term, Terms};

/// What a way turned out to be.
#[derive(Clone, Debug)]
pub enum Followed {
    /// A run takes it: what it must be given.
    Taken(Box<Failure>),
    /// No run takes it: the positions of the blocks on it whose conditions contradict each other,
    /// in order. A position past the last block is the end of the way.
    Contradicts(Vec<usize>),
    /// It could not be decided.
    Undecided(String),
}

/// Rounds of loops and depth of calls in functions that are not followed.
const ROUNDS: u32 = 16;
/// The same where the conditions are known.
const KNOWN_ROUNDS: u32 = 4_096;
/// Effort to see that such a loop goes round no more.
const CONFLICTS: u32 = 500;
/// A core of more conditions is not made smaller.
const SMALL: usize = 40;

/// Follows one way from `entry`, a function without parameters.
///
/// # Errors
/// When the budget ran out.
pub fn follow(
    program: &Analysed,
    entry: FuncId,
    blocks: BlockPath,
    budget: &Budget,
) -> Result<Followed, Exhausted> {
    cwolf_base::with_stack(|| {
        let options = Options {
            checks: Checks::default(),
            error_functions: Vec::new(),
            mode: Mode::Unroll,
            proved: Default::default(),
        };
        let mut path = Path {
            encoder: Encoder::new(program, options),
            solver: BitBlaster::within(budget),
        };
        path.follow(entry, blocks, budget)
    })
}

struct Path<'p> {
    encoder: Encoder<'p>,
    solver: BitBlaster,
}

impl Path<'_> {
    fn follow(
        &mut self,
        entry: FuncId,
        blocks: BlockPath,
        budget: &Budget,
    ) -> Result<Followed, Exhausted> {
        let bounds = Bounds {
            rounds: ROUNDS,
            known_rounds: KNOWN_ROUNDS,
            blocks: u64::MAX,
            terms: crate::bmc::TERMS,
        };
        let length = blocks.blocks.len();
        let solver = &mut self.solver;
        let mut feasible = |terms: &Terms, guard: Term| {
            let lit = solver.literal(terms, guard);
            let answer = solver.check_limited(terms, &[lit], Some(CONFLICTS), budget)?;
            Ok(answer != Answer::Unsat)
        };
        let region = self
            .encoder
            .follow(entry, blocks, bounds, budget, &mut feasible)?;
        let mut roots = region.way.clone();
        roots.extend(region.incomplete.iter().map(|i| i.0));
        let given = self.encoder.given(&roots);
        self.solver.assert(&self.encoder.terms, given);
        let whole = region.way.len() > length;
        if whole {
            let mut failures = Failures::new(&mut self.encoder, &mut self.solver, &region);
            if let Some((n, model)) = failures.find(budget)? {
                let failure = common::failure(&self.encoder, &region, n, &model);
                return Ok(Followed::Taken(Box::new(failure)));
            }
        }
        // What is not encoded may be how a run takes it.
        for (guard, why) in &region.incomplete {
            let lit = self.solver.literal(&self.encoder.terms, *guard);
            if self.solver.check(&self.encoder.terms, &[lit], budget)? != Answer::Unsat {
                return Ok(Followed::Undecided(match why {
                    Why::Unwinding | Why::Bounded => {
                        "a loop in a function of the library is too long".into()
                    }
                    Why::Unsupported(text) => text.clone(),
                }));
            }
        }
        self.core(&region.way, whole, budget)
    }
    /// The conditions that contradict each other; if the way breaks off, its next block cannot be
    /// reached.
    fn core(&mut self, way: &[Term], whole: bool, budget: &Budget) -> Result<Followed, Exhausted> {
        let mut before: Vec<Term> = Vec::new();
        let mut conditions: Vec<(Lit, usize)> = Vec::new();
        for (n, guard) in way.iter().enumerate() {
            for t in self.encoder.terms.conjuncts(*guard) {
                if !before.contains(&t) {
                    before.push(t);
                    conditions.push((self.solver.literal(&self.encoder.terms, t), n));
                }
            }
        }
        let lits: Vec<Lit> = conditions.iter().map(|c| c.0).collect();
        let answer = self.solver.check(&self.encoder.terms, &lits, budget)?;
        if answer != Answer::Unsat {
            // The way broke off at a condition that is false by itself.
            return Ok(match whole {
                true => Followed::Undecided("the solver gave up".into()),
                false => Followed::Contradicts(vec![way.len()]),
            });
        }
        let solver = &mut self.solver;
        conditions.retain(|c| solver.failed(c.0));
        if conditions.len() <= SMALL {
            let mut n = 0;
            while n < conditions.len() {
                let others = conditions.iter().enumerate().filter(|(k, _)| *k != n);
                let others: Vec<Lit> = others.map(|(_, c)| c.0).collect();
                let limit = Some(5_000);
                let answer = solver.check_limited(&self.encoder.terms, &others, limit, budget)?;
                match answer == Answer::Unsat {
                    true => drop(conditions.remove(n)),
                    false => n += 1,
                }
            }
        }
        let mut positions: Vec<usize> = conditions.iter().map(|c| c.1).collect();
        positions.dedup();
        Ok(Followed::Contradicts(positions))
    }
}
