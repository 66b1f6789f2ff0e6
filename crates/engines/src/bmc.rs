//! Bounded unrolling: follows every path up to a growing number of rounds of each loop. It finds
//! shallow failures, and proves programs whose loops all end by then.

use crate::common::{self, Failures};
use crate::numeric;
use crate::task::{Engine, Outcome, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_encode::{Bounds, Encoder, Mode, Options, Start, Why};
use cwolf_logic::{Answer, BitBlaster, Solver, Term, Terms};

/// Bounded unrolling.
#[derive(Clone, Copy, Debug)]
pub struct Bmc {
    /// Rounds of each loop at first.
    pub first: u32,
    /// Rounds of each loop at last.
    pub last: u32,
}

impl Default for Bmc {
    fn default() -> Bmc {
        Bmc {
            first: 1,
            last: u32::MAX,
        }
    }
}

/// Rounds of a loop whose condition is known at each.
const KNOWN_ROUNDS: u32 = 1_000_000;
/// Effort to see that a loop goes round no more.
const CONFLICTS: u32 = 2_000;
/// Terms that fit into memory beside the solver's copies of them.
pub(crate) const TERMS: usize = 8_000_000;

impl Engine for Bmc {
    fn name(&self) -> &'static str {
        "bmc"
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        cwolf_base::with_stack(|| {
            let mut run = Run::new(task, budget);
            let verdict = match run.deepen(self, task, budget) {
                Ok(verdict) => verdict,
                Err(why) => {
                    let rounds = run.done;
                    Verdict::unknown(format!(
                        "{why} after unrolling {rounds} rounds of each loop"
                    ))
                }
            };
            run.finish(verdict)
        })
    }
}

struct Run<'p> {
    encoder: Encoder<'p>,
    solver: BitBlaster,
    done: u32,
}

impl<'p> Run<'p> {
    fn new(task: &Task<'p>, budget: &Budget) -> Run<'p> {
        let options = Options {
            checks: task.checks,
            error_functions: task.error_functions.clone(),
            mode: Mode::Unroll,
            proved: numeric::proved(task),
        };
        Run {
            encoder: Encoder::new(task.program, options),
            solver: BitBlaster::within(budget),
            done: 0,
        }
    }

    fn finish(self, verdict: Verdict) -> Outcome {
        Outcome {
            verdict,
            assumptions: self.encoder.assumptions(),
            predicates: Vec::new(),
        }
    }

    fn deepen(
        &mut self,
        limits: &Bmc,
        task: &Task<'_>,
        budget: &Budget,
    ) -> Result<Verdict, Exhausted> {
        let mut rounds = limits.first;
        loop {
            budget.tell(|| format!("unrolling {rounds} rounds of each loop"));
            let bounds = Bounds {
                rounds,
                known_rounds: KNOWN_ROUNDS,
                blocks: u64::MAX,
                terms: TERMS,
            };
            let solver = &mut self.solver;
            let mut feasible = |terms: &Terms, guard: Term| {
                let lit = solver.literal(terms, guard);
                let answer = solver.check_limited(terms, &[lit], Some(CONFLICTS), budget)?;
                Ok(answer != Answer::Unsat)
            };
            let region =
                self.encoder
                    .region(Start::Entry(task.entry), bounds, budget, &mut feasible)?;
            let mut roots: Vec<Term> = region.obligations.iter().map(|o| o.fails).collect();
            roots.extend(region.incomplete.iter().map(|i| i.0));
            let given = self.encoder.given(&roots);
            self.solver.assert(&self.encoder.terms, given);
            let mut failures = Failures::new(&mut self.encoder, &mut self.solver, &region);
            if let Some((n, model)) = failures.find(budget)? {
                let failure = common::failure(&self.encoder, &region, n, &model);
                return Ok(Verdict::Unsafe(failure));
            }
            self.done = rounds;
            let mut open = false;
            for (guard, why) in &region.incomplete {
                let lit = self.solver.literal(&self.encoder.terms, *guard);
                if self.solver.check(&self.encoder.terms, &[lit], budget)? == Answer::Unsat {
                    continue;
                }
                match why {
                    Why::Unwinding => open = true,
                    Why::Unsupported(text) => return Ok(Verdict::unknown(text.clone())),
                }
            }
            if !open {
                return Ok(common::safe(task, Vec::new()));
            }
            if rounds >= limits.last {
                let reason = format!("no failure in {rounds} rounds of each loop");
                return Ok(Verdict::unknown(reason));
            }
            rounds = (rounds.saturating_mul(2)).min(limits.last);
        }
    }
}
