//! Bounded unrolling: follows every path up to a growing number of rounds of each loop. It finds
//! shallow failures, and proves programs whose loops all end by then.

use crate::common::{self, Failures};
use crate::numeric;
use crate::task::{Engine, Outcome, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::{BlockId, FuncId, Program};
use cwolf_encode::{Bounds, Encoder, Mode, MostRounds, Options, Start, Why, loop_heads};
use cwolf_logic::{Answer, BitBlaster, Solver, Term, Terms};
use rustc_hash::FxHashMap;

/// Bounded unrolling.
#[derive(Clone, Debug)]
pub struct Bmc {
    /// Rounds of each loop at first.
    pub first: u32,
    /// Rounds of each loop at last.
    pub last: u32,
    /// Loops that have a bound of their own.
    pub loops: Vec<LoopBound>,
}

/// How many rounds of one loop are unrolled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopBound {
    /// The function that it is in.
    pub function: String,
    /// The line of its condition.
    pub line: u32,
    /// At most so many rounds.
    pub rounds: u32,
}

impl LoopBound {
    /// Where the loop begins: several places where loops share a line.
    ///
    /// # Errors
    /// A message for the user, when the program has no such loop.
    pub fn heads(&self, program: &Program) -> Result<Vec<(FuncId, BlockId)>, String> {
        let (name, line) = (&self.function, self.line);
        let func = program.function(name);
        let func = func.ok_or_else(|| format!("the program has no function `{name}`"))?;
        let Some(body) = &program.funcs[func].body else {
            return Err(format!("`{name}` has no body"));
        };
        let line_of = |head: BlockId| {
            let block = &body.blocks[head];
            let loc = block.stmts.first().map_or(block.loc, |stmt| stmt.loc);
            program.locations[loc].line
        };
        let heads = loop_heads(body);
        let found: Vec<_> = heads.iter().filter(|h| line_of(**h) == line).collect();
        if !found.is_empty() {
            return Ok(found.into_iter().map(|head| (func, *head)).collect());
        }
        let mut lines: Vec<u32> = heads.iter().map(|head| line_of(*head)).collect();
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        Err(match lines.as_slice() {
            [] => format!("`{name}` has no loop"),
            [one] => format!("`{name}` has no loop at line {line}; its loop is at line {one}"),
            all => {
                let all = all.join(", ");
                format!("`{name}` has no loop at line {line}; its loops are at lines {all}")
            }
        })
    }
}

impl Default for Bmc {
    fn default() -> Bmc {
        Bmc {
            first: 1,
            last: u32::MAX,
            loops: Vec::new(),
        }
    }
}

impl Bmc {
    /// How many rounds of each loop are followed.
    fn most(&self, program: &Program) -> Result<MostRounds, String> {
        let mut own = FxHashMap::default();
        for bound in &self.loops {
            own.extend(bound.heads(program)?.into_iter().map(|h| (h, bound.rounds)));
        }
        Ok(MostRounds {
            others: self.last,
            own,
        })
    }
    fn reason(&self) -> String {
        match (self.last, self.loops.is_empty()) {
            (u32::MAX, _) => "no failure within the bounds of loops".into(),
            (1, true) => "no failure in one round of each loop".into(),
            (n, true) => format!("no failure in {n} rounds of each loop"),
            (1, false) => {
                "no failure within the bounds of loops, and one round of the others".into()
            }
            (n, false) => {
                format!("no failure within the bounds of loops, and {n} rounds of the others")
            }
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
            match self.most(task.program) {
                Ok(most) => run.encoder.allow_at_most(most),
                Err(wrong) => return run.finish(Verdict::unknown(wrong)),
            }
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
            let (mut open, mut bounded) = (false, false);
            for (guard, why) in &region.incomplete {
                let lit = self.solver.literal(&self.encoder.terms, *guard);
                if self.solver.check(&self.encoder.terms, &[lit], budget)? == Answer::Unsat {
                    continue;
                }
                match why {
                    Why::Unwinding => open = true,
                    Why::Bounded => bounded = true,
                    Why::Unsupported(text) => return Ok(Verdict::unknown(text.clone())),
                }
            }
            match (open, bounded) {
                (false, false) => return Ok(common::safe(task, Vec::new())),
                (false, true) => return Ok(Verdict::unknown(limits.reason())),
                (true, _) => rounds = rounds.saturating_mul(2),
            }
        }
    }
}
